//! Joins stretches with similar rates into phases: neighbours that differ least are joined, until few enough are left and those differ by more than
//! chance. The busiest ones stay phases of their own.
//!
//! Square roots of rates are compared, because their variation hardly depends on the rate.
//! Must not know sizes or classes.

use super::gather::Row;
use std::ops::Range;

/// Stretches are compared by operations and bytes in both directions.
const FIGURES: usize = 4;
/// Rates that differ by so small a part of the mean are alike, however calm they are.
const ALIKE: f64 = 0.03;
/// The quantile of the differences between neighbouring stretches that estimates their usual variation: it includes
/// stretches that vary more than others, and barely those where another phase begins.
const PART: f64 = 0.8;
/// That quantile of squared differences of two normal variables over the variance of one.
const SQUARE: f64 = 3.284_75;
/// What another phase has to gain, in units of the gain by chance for each figure (Schwarz's criterion has 2).
const WORTH: f64 = 3.0;

/// The busiest stretch remains a phase of its own if it has this many times the mean of its phase: joined with
/// quieter neighbours it would be hidden, and the busiest is what a storage has to sustain.
const PEAK: f64 = 1.2;
/// Variation within this time appears as bursts of a phase, which a shorter phase would not have.
const LEAST_PEAK_MS: u32 = 120_000;

/// The permitted number of phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseLimit {
    /// This many, or fewer if stretches are alike.
    Phases(usize),
    /// Each stretch is one.
    Stretches,
}

/// Stretches that are joined.
#[derive(Clone, Debug)]
struct Part {
    rows: Range<usize>,
    sums: [f64; FIGURES],
}

impl Part {
    fn count(&self) -> f64 {
        rigel_core::units::to_f64(self.rows.len() as u64)
    }

    /// What joining two phases adds to the squared deviations from the means, in units of chance.
    fn cost(&self, other: &Self) -> f64 {
        let (one, two) = (self.count(), other.count());
        let squares = self.sums.iter().zip(&other.sums).map(|(a, b)| (a / one - b / two).powi(2));
        squares.sum::<f64>() * one * two / (one + two)
    }

    fn join(&mut self, other: &Self) {
        self.rows.end = other.rows.end;
        self.sums.iter_mut().zip(&other.sums).for_each(|(all, one)| *all += one);
    }
}

/// The rows of each phase, in the order of time.
pub fn phases(rows: &[Row], most: PhaseLimit) -> Vec<Range<usize>> {
    let PhaseLimit::Phases(most) = most else {
        return (0..rows.len()).map(|at| at..at + 1).collect();
    };
    // The one with most operations and the one with most bytes; each cut makes two phases more.
    let measures: [fn(&Row) -> f64; 2] =
        [|row| row.reads.ops + row.writes.ops, |row| row.reads.bytes + row.writes.bytes];
    let all = joined(rows, most);
    let is_long = rows.first().is_some_and(|row| row.span.length_ms >= LEAST_PEAK_MS);
    let cuts = if is_long { (most.saturating_sub(1) / 2).min(measures.len()) } else { 0 };
    let with_peaks = |parts: Vec<Range<usize>>| {
        measures.iter().take(cuts).fold(parts, |parts, measure| keep_peak(rows, parts, measure))
    };
    let found = with_peaks(all);
    if found.len() <= most { found } else { with_peaks(joined(rows, most - 2 * cuts)) }
}

/// The parts; the one with the highest stretch is split around it.
fn keep_peak(rows: &[Row], parts: Vec<Range<usize>>, of: &fn(&Row) -> f64) -> Vec<Range<usize>> {
    let Some(peak) = (0..rows.len()).max_by(|&one, &other| of(&rows[one]).total_cmp(&of(&rows[other])))
    else {
        return parts;
    };
    let cut = |part: Range<usize>| {
        let values: Vec<f64> = rows[part.clone()].iter().map(of).collect();
        let is_hidden =
            part.contains(&peak) && of(&rows[peak]) > PEAK * rigel_core::stats::sample::mean(&values);
        let pieces =
            if is_hidden { vec![part.start..peak, peak..peak + 1, peak + 1..part.end] } else { vec![part] };
        pieces.into_iter().filter(|piece| !piece.is_empty())
    };
    parts.into_iter().flat_map(cut).collect()
}

/// Neighbours joined until this many are left.
fn joined(rows: &[Row], most: usize) -> Vec<Range<usize>> {
    let figures: Vec<[f64; FIGURES]> = rows.iter().map(figures).collect();
    let scale: [f64; FIGURES] = std::array::from_fn(|figure| {
        let column: Vec<f64> = figures.iter().map(|row| row[figure]).collect();
        chance(&column)
    });
    let scaled = |row: &[f64; FIGURES]| std::array::from_fn(|figure| row[figure] / scale[figure]);
    let part = |(at, row): (usize, &[f64; FIGURES])| Part { rows: at..at + 1, sums: scaled(row) };
    let mut parts: Vec<Part> = figures.iter().enumerate().map(part).collect();
    // More than chance alone makes of the best place to cut.
    let count = |number: usize| rigel_core::units::to_f64(number as u64);
    let enough = WORTH * count(FIGURES) * count(rows.len().max(2)).ln();
    let mut costs: Vec<f64> = parts.windows(2).map(|pair| pair[0].cost(&pair[1])).collect();
    while let Some((at, &least)) = costs.iter().enumerate().min_by(|one, other| one.1.total_cmp(other.1)) {
        if parts.len() <= most.max(1) && least > enough {
            break;
        }
        let other = parts.remove(at + 1);
        parts[at].join(&other);
        costs.remove(at);
        if let Some(cost) = costs.get_mut(at) {
            *cost = parts[at].cost(&parts[at + 1]);
        }
        if at > 0 {
            costs[at - 1] = parts[at - 1].cost(&parts[at]);
        }
    }
    parts.into_iter().map(|part| part.rows).collect()
}

fn figures(row: &Row) -> [f64; FIGURES] {
    [row.reads.ops, row.writes.ops, row.reads.bytes, row.writes.bytes].map(f64::sqrt)
}

/// How much a figure differs from one stretch to the next while the load is the same.
fn chance(column: &[f64]) -> f64 {
    let mean = rigel_core::stats::sample::mean(column);
    let mut squares: Vec<f64> = column.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).collect();
    squares.sort_unstable_by(f64::total_cmp);
    let place = rigel_core::stats::rates::whole(PART * rigel_core::units::to_f64(squares.len() as u64));
    let usual =
        usize::try_from(place).ok().and_then(|place| squares.get(place.min(squares.len()).saturating_sub(1)));
    let usual = usual.copied().unwrap_or(0.0);
    (usual / SQUARE).sqrt().max(ALIKE / 2.0 * mean).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::gather::Flow;
    use super::*;
    use crate::Span;
    use rigel_core::testing::Noise;

    fn rows(rates: &[f64], noise: f64) -> Vec<Row> {
        let mut random = Noise::new(3);
        let row = |(at, &rate): (usize, &f64)| {
            let ops = (rate * (1.0 + noise * random.normal())).max(0.0);
            Row {
                span: Span { start_ms: i64::try_from(at).unwrap() * 300_000, length_ms: 300_000 },
                reads: Flow { ops, bytes: ops * 8192.0 },
                writes: Flow::default(),
            }
        };
        rates.iter().enumerate().map(row).collect()
    }

    #[test]
    fn days_and_nights_are_told_apart_and_noise_is_not() {
        let week: Vec<f64> = (0..2016).map(|at| if at % 288 < 144 { 100.0 } else { 900.0 }).collect();
        let found = joined(&rows(&week, 0.2), 24);
        assert_eq!(found.len(), 14, "{found:?}");
        for (at, phase) in found.iter().enumerate() {
            assert!(phase.start.abs_diff(at * 144) <= 1, "{phase:?}");
        }
        assert_eq!(joined(&rows(&[500.0; 2016], 0.2), 24).len(), 1);
        assert_eq!(joined(&rows(&[500.0; 7], 0.0), 24), std::slice::from_ref(&(0..7)));
    }

    #[test]
    fn the_busiest_stretch_is_not_hidden_in_its_phase() {
        // Days of which each has an hour in the middle that is busier than what is around it.
        let level =
            |at: i32| if (140..148).contains(&(at % 288)) { 500.0 } else { 300.0 + f64::from(at % 288 / 36) };
        let mut rates: Vec<f64> = (0..2016).map(level).collect();
        rates[1000] = 800.0;
        for most in [3, 4, 24] {
            let found = phases(&rows(&rates, 0.03), PhaseLimit::Phases(most));
            assert!(found.contains(&(1000..1001)) && found.len() <= most, "{most}: {found:?}");
        }
        let mut large = rows(&rates, 0.03);
        large[1500].reads.bytes *= 5.0;
        let found = phases(&large, PhaseLimit::Phases(24));
        assert!(
            found.contains(&(1000..1001)) && found.contains(&(1500..1501)) && found.len() <= 24,
            "{found:?}"
        );
        // Who asks for one phase gets the mean.
        assert_eq!(phases(&large, PhaseLimit::Phases(1)), std::slice::from_ref(&(0..2016)));
    }

    #[test]
    fn a_spike_stays_a_phase_of_its_own_and_the_number_is_kept() {
        let mut rates = vec![300.0; 600];
        rates[413] = 4000.0;
        assert_eq!(phases(&rows(&rates, 0.1), PhaseLimit::Phases(24)), [0..413, 413..414, 414..600]);
        let uneven: Vec<f64> = (0..300).map(|at| f64::from(at * at)).collect();
        assert_eq!(phases(&rows(&uneven, 0.0), PhaseLimit::Phases(9)).len(), 9);
        assert_eq!(phases(&rows(&rates, 0.1), PhaseLimit::Stretches).len(), 600);
    }
}
