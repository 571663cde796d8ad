//! Student's t distribution for any number of degrees of freedom.
//!
//! Must not fail: outside of their domain functions give `NaN`.

use super::normal::normal_quantile;
use std::f64::consts::PI;

/// Above these degrees of freedom the expansion around the normal quantile is exact to the last digits.
const EXPAND_ABOVE: f64 = 1000.0;

/// Quantile of Student's t with `df` degrees of freedom, which need not be whole. `NaN` unless `df > 0`.
pub fn student_t_quantile(p: f64, df: f64) -> f64 {
    let z = normal_quantile(p);
    if df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if z == 0.0 || z.is_infinite() {
        return z;
    }
    if df > EXPAND_ABOVE {
        return expand_around_normal(z, df);
    }
    let wanted = if p < 0.5 { p } else { 1.0 - p };
    // The tail is convex and the normal quantile lies inside: Newton's steps all go outwards and never too far.
    let scale = gamma_half_step(df / 2.0) / (df * PI).sqrt();
    let mut t = z.abs();
    for _ in 0..400 {
        let density = scale * (-f64::midpoint(df, 1.0) * (t * t / df).ln_1p()).exp();
        let step = (student_t_tail(t, df) - wanted) / density;
        t += step;
        if step.abs() <= 1e-15 * t {
            break;
        }
    }
    t.copysign(z)
}

/// The quantile as a series in `1 / df` (Abramowitz, Stegun 1964, 26.7.5).
fn expand_around_normal(z: f64, df: f64) -> f64 {
    let s = z * z;
    let terms = [
        z * (s + 1.0) / 4.0,
        z * ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        z * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        z * ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92_160.0,
    ];
    z + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / df)
}

/// Probability that Student's t with `df` degrees of freedom exceeds `t`, for `t >= 0` and `df > 0`. Exact to 12 digits
/// up to 1000 degrees of freedom; above, to 12 decimals.
pub fn student_t_tail(t: f64, df: f64) -> f64 {
    if t.is_infinite() || (df > EXPAND_ABOVE && t > 40.0) {
        return 0.0;
    }
    let a = df / 2.0;
    let inside = t * t / (df + t * t);
    // x^a (1-x)^(1/2) / B(a, 1/2) with x = df / (df + t^2) = 1 - inside.
    let front = (-a * (t * t / df).ln_1p()).exp() * inside.sqrt() * gamma_half_step(a) / PI.sqrt();
    // The fraction loses as many digits as `df` has, the series as many as the tail has zeros.
    if t * t > 3.0 && df <= EXPAND_ABOVE {
        0.5 * front / (a * beta_fraction(a, df / (df + t * t)))
    } else {
        0.5 - front * beta_series(a, inside)
    }
}

/// The series of the incomplete beta function, all of its terms positive (Abramowitz, Stegun 1964, 26.5.4):
/// `I_x(1/2, a) = 2 x^(1/2) (1-x)^a / B(a, 1/2) * series`.
fn beta_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= (a + 0.5 + k) / (1.5 + k) * x;
        sum += term;
        k += 1.0;
    }
    sum
}

/// The continued fraction of the incomplete beta function (Abramowitz, Stegun 1964, 26.5.8), by Lentz' method:
/// `I_x(a, 1/2) = x^a (1-x)^(1/2) / (a B(a, 1/2) fraction)`.
fn beta_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const B: f64 = 0.5;
    let nonzero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut fraction, mut c, mut d) = (1.0, 1.0, 0.0);
    let mut m = 0.0;
    for _ in 0..10_000 {
        let odd = -(a + m) * (a + B + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        m += 1.0;
        let even = m * (B - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let before = fraction;
        for term in [odd, even] {
            d = 1.0 / nonzero(1.0 + term * d);
            c = nonzero(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= 1e-16 * fraction.abs() {
            break;
        }
    }
    fraction
}

/// `gamma(a + 1/2) / gamma(a)`. The logarithms of both are large and nearly equal, so the ratio gets its own series.
fn gamma_half_step(a: f64) -> f64 {
    const TERMS: [f64; 8] = [
        1.0,
        -1.0 / 8.0,
        1.0 / 128.0,
        5.0 / 1024.0,
        -21.0 / 32_768.0,
        -399.0 / 262_144.0,
        869.0 / 4_194_304.0,
        39_325.0 / 33_554_432.0,
    ];
    let (mut a, mut front) = (a, 1.0);
    while a < 64.0 {
        front *= a / (a + 0.5);
        a += 1.0;
    }
    front * a.sqrt() * TERMS.iter().rev().fold(0.0, |sum, term| sum / a + term)
}
