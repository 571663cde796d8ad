//! Derivatives of the logarithm of the gamma function.
//!
//! Must not be asked for arguments that are not positive.

/// Bernoulli's numbers of even index, from the second.
const BERNOULLI: [f64; 7] =
    [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0];
/// From here on the asymptotic series below are exact to the last digits.
const ASYMPTOTIC_FROM: f64 = 12.0;

/// Logarithmic derivative of the gamma function, for `x > 0`.
pub fn digamma(x: f64) -> f64 {
    let (shift, x) = shifted(x, |x| -1.0 / x);
    shift + x.ln() - 0.5 / x - series(x, 1.0, |bernoulli, power, index| bernoulli * power / index)
}

/// Second logarithmic derivative of the gamma function, for `x > 0`.
pub fn trigamma(x: f64) -> f64 {
    let (shift, x) = shifted(x, |x| 1.0 / (x * x));
    shift + 1.0 / x + 0.5 / (x * x) + series(x, 1.0 / x, |bernoulli, power, _| bernoulli * power)
}

/// Third logarithmic derivative of the gamma function, for `x > 0`.
fn tetragamma(x: f64) -> f64 {
    let (shift, x) = shifted(x, |x| -2.0 / (x * x * x));
    let series = series(x, 1.0 / (x * x), |bernoulli, power, index| (index + 1.0) * bernoulli * power);
    shift - 1.0 / (x * x) - 1.0 / (x * x * x) - series
}

/// An argument that is large enough for the series, and the sum of the steps of the recurrence to it.
fn shifted(mut x: f64, step: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut shift = 0.0;
    while x < ASYMPTOTIC_FROM {
        shift += step(x);
        x += 1.0;
    }
    (shift, x)
}

/// Sum of the terms for each of Bernoulli's numbers, a power of `x` that falls by two, and the number's index.
fn series(x: f64, mut power: f64, term: impl Fn(f64, f64, f64) -> f64) -> f64 {
    let mut index = 0.0;
    BERNOULLI.iter().fold(0.0, |sum, &bernoulli| {
        power /= x * x;
        index += 2.0;
        sum + term(bernoulli, power, index)
    })
}

/// The `x > 0` with `trigamma(x) = y`, for `y > 0`. Newton's method on `1 / trigamma`, which is convex and nearly
/// straight (Smyth 2004, appendix).
pub fn inverse_trigamma(y: f64) -> f64 {
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..200 {
        let value = trigamma(x);
        let step = value * (1.0 - value / y) / tetragamma(x);
        x += step;
        if step.abs() <= 1e-15 * x {
            break;
        }
    }
    x
}
