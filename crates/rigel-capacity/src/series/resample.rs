//! Moves samples with any clock to a common one: intervals of equal length that begin at multiples of it.
//!
//! A flow is spread over the intervals that it covers in proportion to time, so its integral stays the same. Must not fill a gap.

use super::super::metric::Behaviour;
use super::super::span::Span;
use super::Sample;

/// An interval on the common clock that is being filled.
#[derive(Clone, Copy, Debug)]
struct Bin {
    place: i64,
    /// The value times the milliseconds, and these.
    sum: f64,
    covered_ms: i64,
    /// The value while there was only one.
    only: Option<f64>,
}

/// In intervals of `step_ms`.
pub fn resampled(behaviour: Behaviour, samples: &[Sample], step_ms: u32) -> Vec<Sample> {
    let step = i64::from(step_ms.max(1));
    let mut bins: Vec<Bin> = Vec::new();
    for sample in samples {
        match behaviour {
            // It is the state at the end, which belongs to what ends there.
            Behaviour::Level => set(&mut bins, (sample.span.end_ms() - 1).div_euclid(step), sample.value),
            Behaviour::Flow => spread(&mut bins, sample, step),
        }
    }
    let least_ms = if behaviour == Behaviour::Level { 0 } else { step / 2 };
    let known = bins.iter().filter(|bin| bin.covered_ms >= least_ms);
    let sample = |bin: &Bin| Sample {
        span: Span { start_ms: bin.place * step, length_ms: step_ms.max(1) },
        value: bin
            .only
            .unwrap_or_else(|| bin.sum / rigel_core::units::to_f64(bin.covered_ms.max(1).unsigned_abs())),
    };
    known.map(sample).collect()
}

fn set(bins: &mut Vec<Bin>, place: i64, value: f64) {
    let bin = Bin { place, sum: 0.0, covered_ms: 0, only: Some(value) };
    match bins.last_mut() {
        Some(last) if last.place == place => *last = bin,
        _ => bins.push(bin),
    }
}

fn spread(bins: &mut Vec<Bin>, sample: &Sample, step: i64) {
    let (mut from, end) = (sample.span.start_ms, sample.span.end_ms());
    while from < end {
        let place = from.div_euclid(step);
        let until = end.min((place + 1) * step);
        let covered_ms = until - from;
        let sum = sample.value * rigel_core::units::to_f64(covered_ms.unsigned_abs());
        match bins.last_mut() {
            Some(last) if last.place == place => {
                *last = Bin {
                    sum: last.sum + sum,
                    covered_ms: last.covered_ms + covered_ms,
                    only: None,
                    ..*last
                };
            }
            _ => bins.push(Bin { place, sum, covered_ms, only: Some(sample.value) }),
        }
        from = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(first_s: i64, length_s: u32, values: &[f64]) -> Vec<Sample> {
        let length = i64::from(length_s);
        let span = |at: i64| Span { start_ms: (first_s + at * length) * 1_000, length_ms: length_s * 1_000 };
        (0..).zip(values).map(|(at, &value)| Sample { span: span(at), value }).collect()
    }

    #[test]
    fn a_flow_keeps_its_integral_on_another_clock() {
        // 7 minutes from :07 on, in intervals of 10.
        let samples = clock(420, 420, &[60.0, 120.0, 30.0, 90.0, 10.0]);
        let found = resampled(Behaviour::Flow, &samples, 600_000);
        let integral = |all: &[Sample]| -> f64 {
            all.iter().map(|one| one.value * f64::from(one.span.length_ms)).sum::<f64>() / 60_000.0
        };
        // 0:10 to 0:40 are whole; of 0:00 three minutes are known, and of 0:40 two.
        assert_eq!(found.iter().map(|one| one.span.start_ms / 60_000).collect::<Vec<_>>(), [10, 20, 30]);
        let edges = 3.0 * 60.0 + 2.0 * 10.0;
        assert!((integral(&found) + edges - integral(&samples)).abs() < 1e-9, "{found:?}");
        assert!((found[0].value - (4.0 * 60.0 + 6.0 * 120.0) / 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_level_is_the_last_one_and_what_is_half_unknown_is_left_out() {
        let samples = clock(0, 3_600, &[1.0, 2.0, 3.0, 4.0]);
        let found = resampled(Behaviour::Level, &samples, 7_200_000);
        assert_eq!(found.iter().map(|one| one.value).collect::<Vec<_>>(), [2.0, 4.0]);
        let mut gap = clock(0, 60, &[5.0; 20]);
        gap.drain(3..11);
        let found = resampled(Behaviour::Flow, &gap, 600_000);
        assert_eq!(found.len(), 1, "three of ten minutes are no ten minutes");
        assert_eq!((found[0].span.start_ms, found[0].value), (600_000, 5.0));
    }
}
