#!/usr/bin/env python3
"""Draws the README's picture: IOPS against outstanding small I/Os, a line per number of outstanding large I/Os, a bar per
95 % interval.

    rigel run normal --json > findings.json
    python3 docs/images/normal.py < findings.json > docs/images/normal.svg

Only the standard library is used. The picture holds the figures of that run and nothing else.
"""
import json
import sys

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 72, 170, 48, 52
# Okabe and Ito's palette: told apart by everyone.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]


def nice_step(top):
    """A step of 1, 2 or 5 times a power of ten that gives about five grid lines."""
    step = 1
    while top / step > 6:
        step = {1: 2, 2: 5, 5: 10}[step // 10 ** (len(str(step)) - 1)] * 10 ** (len(str(step)) - 1)
    return step


def main():
    document = json.load(sys.stdin)
    rows = {}
    for point in document["points"]:
        if point["small_io"]:
            rows.setdefault(point["large"], []).append((point["small"], point["small_io"]["iops"]))
    most = max(iops["hi95"] for row in rows.values() for _, iops in row)
    step = nice_step(most)
    top = (int(most / step) + 1) * step
    right = max(small for row in rows.values() for small, _ in row)
    x = lambda small: LEFT + (WIDTH - LEFT - RIGHT) * small / right
    y = lambda iops: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * iops / top
    out = []
    for value in range(0, top + 1, step):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        out.append(f'<text class="tick" x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:,}</text>')
    for small in range(0, right + 1):
        out.append(f'<text class="tick" x="{x(small):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{small}</text>')
    for (large, row), colour in zip(sorted(rows.items()), COLOURS):
        path = " ".join(f"{x(small):.1f},{y(iops['mean']):.1f}" for small, iops in row)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for small, iops in row:
            mean, low, high = iops["mean"], iops["lo95"], iops["hi95"]
            title = f"<title>{small} small, {large} large: {mean:,.0f} IOPS ({low:,.0f} to {high:,.0f})</title>"
            at = f"{x(small):.1f}"
            out.append(f'<path d="M{at} {y(low):.1f}V{y(high):.1f}" stroke="{colour}" stroke-width="1.5"/>')
            for end in (low, high):
                out.append(f'<path d="M{x(small) - 4:.1f} {y(end):.1f}h8" stroke="{colour}" stroke-width="1.5"/>')
            out.append(f'<circle cx="{at}" cy="{y(mean):.1f}" r="4" fill="{colour}">{title}</circle>')
        small, iops = row[-1]
        out.append(f'<text x="{x(small) + 12:.1f}" y="{y(iops["mean"]) + 4:.1f}" fill="{colour}">beside {large} large</text>')
    run = document["run"]
    label = f'{run["level"]} run, 8 KiB random reads beside 1 MiB random reads; bars: 95 % intervals'
    print(f'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="14">
<style>text{{fill:#333}} .tick{{font-size:12px;fill:#666}} .grid{{stroke:#ddd}}</style>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<text x="{LEFT}" y="26" font-weight="600">Small IOPS</text>
<text x="{LEFT + 92}" y="26" class="tick">{label}</text>
{chr(10).join(out)}
<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">outstanding small I/Os</text>
</svg>''')


main()
