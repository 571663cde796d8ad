#!/usr/bin/env python3
"""Writes the vectors against which the statistics of rigel-core are tested.

    python3 -m venv venv && venv/bin/pip install numpy scipy
    venv/bin/python make_vectors.py

special.json     quantiles of Student's t and of the normal distribution, polygamma functions
estimators.json  whole procedures, each written a second time here, on library routines where there are some
foreign.json     the same for the regression of rigel-core's witness; it goes there

Numbers are printed with 17 digits, so that reading them back gives the same 64 bits.
"""
import json
import pathlib

import numpy as np
from scipy import optimize, special, stats

HERE = pathlib.Path(__file__).parent
PROBABILITIES = [0.0005, 0.005, 0.025, 0.2, 0.5, 0.6, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 0.9999, 0.999999]
DEGREES = [1, 1.5, 2, 2.3, 3, 3.7, 5, 7.9, 10, 13.25, 19, 30, 43.2, 52, 100.5, 400, 999, 1000, 1001, 1e4, 1e6, 1e9]
ARGUMENTS = [1e-4, 0.01, 0.3, 0.5, 1, 1.5, 2, 2.75, 5, 5.5, 9.99, 10, 20, 123.4, 5e3, 1e8]


def special_functions():
    return {
        "normal_quantile": [[p, stats.norm.ppf(p)] for p in PROBABILITIES + [1e-12, 1e-40]],
        "student_t_quantile": [[p, df, stats.t.ppf(p, df)] for df in DEGREES for p in PROBABILITIES],
        "student_t_tail": [[t, df, stats.t.sf(t, df)] for df in DEGREES for t in (0.0, 0.3, 1.7, 1.8, 2.9, 11.0)],
        "digamma": [[x, special.digamma(x)] for x in ARGUMENTS],
        "trigamma": [[x, special.polygamma(1, x)] for x in ARGUMENTS],
        "inverse_trigamma": [[special.polygamma(1, x), x] for x in ARGUMENTS],
    }


def moderated(s2, d):
    """Smyth 2004, section 6.2, with the prior's degrees of freedom capped at 40."""
    e = np.log(s2) - special.digamma(d / 2) + np.log(d / 2)
    excess = e.var(ddof=1) - special.polygamma(1, d / 2).mean()
    d0 = 40.0
    if excess > 0:
        solve = lambda u: special.polygamma(1, np.exp(u) / 2) - excess
        d0 = min(40.0, np.exp(optimize.brentq(solve, -20, 20, xtol=1e-15, rtol=1e-15)))
    s0 = np.exp(e.mean() + special.digamma(d0 / 2) - np.log(d0 / 2))
    return {"s2": s2, "d": d, "d0": d0, "s0": s0, "v": (d0 * s0 + d * s2) / (d0 + d), "df": d0 + d}


def corrected_batch_means(x, k):
    b = x[len(x) % k:].reshape(k, -1).mean(axis=1)
    c = b - b.mean()
    r = np.clip(np.dot(c[1:], c[:-1]) / np.dot(c, c) + 1 / k, 0, 0.8)
    df = max((k - 1) * (1 - r) / (1 + r), 3.0)
    return {"se": stats.sem(b) * np.sqrt((1 + r) / (1 - r)), "df": df}


def self_normalised_cusum(x):
    """Shao & Zhang 2010, straight from the definition, for every split but the outer 5 %."""
    n, best, at = len(x), 0.0, 0
    margin = max(3, n // 20)
    for k in range(margin, n - margin):
        a, b = x[:k], x[k:]
        t = (a.sum() - k * x.mean()) / np.sqrt(n)
        before = np.cumsum(a - a.mean())
        after = np.cumsum((b - b.mean())[::-1])
        g = t * t / ((np.dot(before, before) + np.dot(after, after)) / n**2)
        if g > best:
            best, at = g, k
    return {"statistic": best, "split": at}


def trend(x):
    """A line by least squares; AR(1) errors, whose correlation in the residuals is 3 / n too small."""
    at = np.arange(len(x))
    fit = stats.linregress(at, x)
    error = x - fit.intercept - fit.slope * at
    r = np.clip(np.dot(error[1:], error[:-1]) / np.dot(error, error) + 3 / len(x), 0, 0.8)
    t = fit.slope / (fit.stderr * np.sqrt((1 + r) / (1 - r)))
    return {"t": t, "total": fit.slope * (len(x) - 1) / x.mean()}


def drift(point, minute, y):
    """One mean per point and a common slope, by least squares on a full design matrix; AR(1) errors."""
    points = np.unique(point)
    relative = y / np.array([y[point == p].mean() for p in points])[point]
    design = np.column_stack([(point == p).astype(float) for p in points] + [minute])
    beta, sse, *_ = np.linalg.lstsq(design, relative, rcond=None)
    error = (relative - design @ beta)[np.argsort(minute)]
    r = np.clip(np.dot(error[1:], error[:-1]) / sse[0], 0, 0.8)
    inflation = (1 + r) / (1 - r)
    df = len(y) - len(points) - 1
    se = np.sqrt(inflation * sse[0] / df * np.linalg.inv(design.T @ design)[-1, -1])
    t = beta[-1] / se
    return {"per_minute": beta[-1], "r": r, "t": t, "p": 2 * stats.t.sf(abs(t), max(df / inflation, 1))}


def foreign(point, cores, residual):
    """A common slope on a full design matrix with one mean per point."""
    design = np.column_stack([cores] + [(point == p).astype(float) for p in np.unique(point)])
    beta, sse, *_ = np.linalg.lstsq(design, residual, rcond=None)
    df = len(point) - design.shape[1]
    t = beta[0] / np.sqrt(sse[0] / df * np.linalg.inv(design.T @ design)[0, 0])
    return {"per_core": beta[0], "r": t / np.sqrt(t * t + df), "p": 2 * stats.t.sf(abs(t), df)}


def estimators():
    rng = np.random.default_rng(20240607)
    cases = []
    for points, spread in ((18, 1.0), (18, 3.0), (5, 1.5), (40, 9.0)):
        d = rng.integers(1, 12, points).astype(float)
        sigma = 0.02 * spread ** rng.uniform(-1, 1, points)
        cases.append(moderated(sigma**2 * rng.chisquare(d) / d, d))
    correlated = lambda n, a: np.array(list(ar1(rng, n, a)))
    series = [1000 * (1 + 0.03 * correlated(n, a)) for n, a in ((200, 0.0), (207, 0.9), (253, 0.98), (120, 0.5))]
    stepped = series[0].copy()
    stepped[120:] *= 0.95
    sloping = series[3] * np.linspace(1.0, 0.8, 120)
    x = rng.normal(size=40).round(1)
    y = (0.5 * x + rng.normal(size=40)).round(1)
    rank = stats.spearmanr(x, y)
    point = np.concatenate([rng.permutation(6) for _ in range(5)] + [[0, 3, 3]])
    minute = np.arange(len(point)) * 0.05
    noise = correlated(len(point), 0.3)
    rate = np.array([5, 80, 300, 1000, 2e4, 1e5])[point] * (1 + 0.02 * noise - 0.06 * minute)
    visited = np.repeat(np.arange(4), (3, 5, 2, 6))
    cores = (visited + rng.exponential(0.5, len(visited))).round(2)
    residual = (rng.normal(0, 0.02, len(visited)) - 0.02 * cores).round(3)
    return {
        "moderate": cases,
        "batch_means": [{"x": s, "k20": corrected_batch_means(s, 20), "k10": corrected_batch_means(s, 10)} for s in series],
        "cusum": [{"x": s, **self_normalised_cusum(s)} for s in [*series, stepped]],
        "trend": [{"x": s, **trend(s)} for s in [*series, stepped, sloping]],
        "spearman": {"x": x, "y": y, "rho": rank.statistic, "p": rank.pvalue},
        "drift": {"point": point, "minute": minute, "rate": rate, **drift(point, minute, rate)},
    }, {"point": visited, "cores": cores, "residual": residual, **foreign(visited, cores, residual)}


def ar1(rng, n, a):
    x = rng.normal()
    for _ in range(n):
        x = a * x + np.sqrt(1 - a * a) * rng.normal()
        yield x


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


if __name__ == "__main__":
    of_stats, of_witness = estimators()
    witness = HERE.parents[1] / "rigel-core" / "tests-data" / "foreign.json"
    files = ((HERE / "special.json", special_functions()), (HERE / "estimators.json", of_stats), (witness, of_witness))
    for path, vectors in files:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, default=plain)}" for key, value in vectors.items())
        path.write_text("{\n" + lines + "\n}\n")
