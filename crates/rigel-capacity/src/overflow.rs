//! Values from a counter that fell or overflowed: no load is that high, and some are recognised by the counter's width alone.
//!
//! A tool that takes the difference of two unsigned readings gives 2^32 or 2^64 over its interval when the second one is smaller: 71,582,788 a second
//! for a minute. Must not know tools.

use super::metric::Metric;
use super::span::Span;

/// One more than the largest 32-bit count; for 64 bits it is above all limits.
const WIDTH: f64 = 4_294_967_296.0;
/// Clocks of tools count hundredths of a second: the whole width over one of them is 42,949,672.96 a second.
const JIFFIES: f64 = 100.0;
/// A difference may be this much smaller than the width: what the counter had before it fell.
const FALLEN: f64 = 0.01;
/// Lengths of intervals are reported in whole seconds, and rates with few figures.
const ROUNDING: f64 = 0.002;
const MOST_OFF_S: f64 = 1.0;
const MOST_OFF: f64 = 0.1;
/// A value that matches the width this closely is not a coincidence.
const EXACT: f64 = 1e-5;
/// Below these rates loads are this close together: nothing follows from a hit.
const HIGH_OPS: f64 = 1e6;
const HIGH_BYTES: f64 = 1e10;
const HIGH_TIME: f64 = 1e3;
const SOME_OPS: f64 = 1e5;
const SOME_BYTES: f64 = 1e7;
/// Units that a counter may use: sectors of 512 bytes, and kB, which are shifted to sectors.
const UNITS_OF_BYTES: [f64; 3] = [512.0, 1024.0, 1.0];
const MS: f64 = 0.001;
/// No operation has fewer bytes than a sector, and none has this many; only if one of the two is huge, because rates are rounded.
const FEWEST_BYTES: f64 = 256.0;
const MOST_BYTES: f64 = 16_777_216.0;

/// Quantities that belong together: operations, their bytes and their time.
const SIDES: [(Metric, &[Metric], Metric); 3] = [
    (Metric::ReadOps, &[Metric::ReadBytes], Metric::ReadTime),
    (Metric::WriteOps, &[Metric::WriteBytes], Metric::WriteTime),
    (Metric::AllOps, &[Metric::ReadBytes, Metric::WriteBytes], Metric::AllTime),
];

impl Metric {
    /// Whether a value can be one of it over an interval, and none that a counter left which fell.
    pub fn can_be_over(self, span: Span, value: f64) -> bool {
        self.can_be(value) && !is_overflow(self, span, value)
    }
}

/// Which values of a row are plausible, each by itself and compared with its neighbours.
pub fn are_sound(span: Span, values: &[(Metric, f64)]) -> Vec<bool> {
    let mut sound: Vec<bool> =
        values.iter().map(|(metric, value)| metric.can_be_over(span, *value)).collect();
    let of = |metric: Metric| values.iter().position(|(known, _)| *known == metric);
    for (ops, bytes, time) in SIDES {
        let Some(at) = of(ops) else { continue };
        let bytes: Option<Vec<usize>> = bytes.iter().map(|one| of(*one)).collect();
        if let Some(bytes) = bytes.filter(|bytes| sound[at] && bytes.iter().all(|one| sound[*one])) {
            let (rate, sum) = (values[at].1, bytes.iter().map(|one| values[*one].1).sum::<f64>());
            sound[at] &= rate < HIGH_OPS || sum >= rate * FEWEST_BYTES;
            let is_too_much = sum > HIGH_BYTES && sum > rate * MOST_BYTES;
            bytes.iter().for_each(|one| sound[*one] &= !is_too_much);
        }
        // A mean wait times a rate that is none.
        if let Some(time) = of(time) {
            sound[time] &= sound[at];
        }
    }
    sound
}

/// Whether a rate is the width of a counter over its interval, or over a hundredth of a second.
fn is_overflow(metric: Metric, span: Span, value: f64) -> bool {
    let seconds = f64::from(span.length_ms) / 1_000.0;
    match metric {
        Metric::ReadOps | Metric::WriteOps | Metric::AllOps | Metric::RedoOps | Metric::Commits => {
            is_width(value, seconds, 1.0, (HIGH_OPS, SOME_OPS))
        }
        Metric::ReadBytes | Metric::WriteBytes | Metric::RedoBytes => {
            let is_hit = |unit: &f64| {
                let high = if *unit > 1.0 { HIGH_BYTES } else { f64::INFINITY };
                is_width(value, seconds, *unit, (high, SOME_BYTES))
            };
            UNITS_OF_BYTES.iter().any(is_hit)
        }
        Metric::ReadTime | Metric::WriteTime | Metric::AllTime => {
            is_width(value, seconds, MS, (HIGH_TIME, HIGH_TIME))
        }
        _ => false,
    }
}

/// Whether what a rate adds up to is the width of a counter of such units: nearly where the rate is high, exactly from some on.
fn is_width(rate: f64, seconds: f64, unit: f64, (high, some): (f64, f64)) -> bool {
    let width = WIDTH * unit;
    let counted = rate * seconds / width;
    let slack = ROUNDING.max((MOST_OFF_S / seconds).min(MOST_OFF));
    let is_near = rate > high && (1.0 - FALLEN - slack..=1.0 + slack).contains(&counted);
    let is_exact = (counted - 1.0).abs() < EXACT || (rate / width * JIFFIES - 1.0).abs() < EXACT;
    is_near || (rate > some && is_exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(seconds: u32) -> Span {
        Span { start_ms: 0, length_ms: seconds * 1_000 }
    }

    #[test]
    fn a_counter_that_fell_or_ran_over_is_no_load_in_any_interval() {
        for seconds in [1, 5, 10, 30, 60, 61, 120, 300, 600, 900, 3_600] {
            let per = f64::from(seconds);
            for width in [4_294_967_295.0, 4_294_960_000.0, 18_446_744_073_709_551_615.0] {
                for ops in [Metric::ReadOps, Metric::WriteOps, Metric::AllOps] {
                    assert!(!ops.can_be_over(span(seconds), width / per), "{width} {seconds}");
                }
                for unit in [512.0, 1024.0] {
                    let bytes = width / per * unit;
                    // Over an hour it is as much as a load may be, unless it is told exactly.
                    let is_told = seconds < 200 || width == 4_294_967_295.0 || width > 1e18;
                    assert!(
                        !is_told || !Metric::ReadBytes.can_be_over(span(seconds), bytes),
                        "{bytes} {seconds}"
                    );
                }
                assert!(!Metric::ReadTime.can_be_over(span(seconds), width / per * MS), "{width} {seconds}");
            }
        }
        // As tools print them, and with a clock of a hundredth of a second.
        assert!(!Metric::ReadOps.can_be_over(span(60), 71_582_788.27));
        assert!(!Metric::AllOps.can_be_over(span(600), 7_158_278.83));
        for seconds in [1, 60, 600] {
            assert!(!Metric::AllOps.can_be_over(span(seconds), 42_949_672.95));
            assert!(!Metric::WriteBytes.can_be_over(span(seconds), 42_949_672.95 * 1024.0));
        }
    }

    #[test]
    fn high_loads_stay() {
        for (seconds, ops) in [
            (1, 20e6),
            (1, 3e6),
            (60, 20e6),
            (60, 3e6),
            (600, 5e6),
            (600, 1e6),
            (3_600, 1.1e6),
            (3_600, 1.3e6),
            (86_400, 49_710.0),
        ] {
            assert!(Metric::ReadOps.can_be_over(span(seconds), ops), "{seconds} {ops}");
        }
        for (seconds, bytes) in
            [(1, 40e9), (10, 40e9), (60, 71.6e6), (60, 40e9), (60, 100e9), (600, 7.16e6), (3_600, 1.2e9)]
        {
            assert!(Metric::ReadBytes.can_be_over(span(seconds), bytes), "{seconds} {bytes}");
        }
    }

    #[test]
    fn what_stands_beside_a_value_may_say_that_it_is_none() {
        let of = |ops: f64, bytes: f64| {
            are_sound(
                span(600),
                &[(Metric::ReadOps, ops), (Metric::ReadBytes, bytes), (Metric::ReadTime, 0.5)],
            )
        };
        assert_eq!(of(1000.0, 8e6), [true; 3]);
        assert_eq!(of(3e6, 12e9), [true; 3]);
        assert_eq!(of(0.0, 4096.0), [true; 3], "rounded");
        assert_eq!(of(5e6, 8e6), [false, true, false], "fewer bytes than operations");
        assert_eq!(of(10.0, 30e9), [true, false, true]);
        assert_eq!(of(9.2e18, 8e6), [false, true, false]);
    }
}
