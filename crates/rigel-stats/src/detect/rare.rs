//! When the visits were made that lie far from the middle of their point: one after another, or here and there.
//!
//! Must not decide how far is far; [`crate::variance::outlying_limit`] does.

use super::{TimedVisit, residuals};
use crate::sample::{count, median};

/// Visits that lie far off, one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RareSpell {
    /// When the first of them began.
    pub from_ns: u64,
    /// When the first visit behind them began; the beginning of the last one, if none is behind it.
    pub until_ns: u64,
    /// How many they are.
    pub visits: usize,
    /// Mean of their rates relative to the medians of their points.
    pub relative: f64,
    /// Whether visits before and behind them are as usual.
    pub is_between: bool,
}

/// The spells in order of time. `limit`: how far from the median of its point and length a visit lies that is far off, relative. Visits to a
/// point without a rate are left out, as are those that are the only ones of their length.
pub fn rare_spells(visits: &[TimedVisit], limit: f64) -> Vec<RareSpell> {
    let mut found: Vec<RareSpell> = Vec::new();
    let (mut is_open, mut is_behind) = (false, false);
    for (visit, residual) in residuals(visits, median) {
        let (relative, is_far) = (1.0 + residual, residual.abs() > limit);
        match found.last_mut().filter(|_| is_open) {
            Some(spell) if is_far => {
                spell.relative = (spell.relative * count(spell.visits) + relative) / count(spell.visits + 1);
                spell.visits += 1;
                spell.until_ns = visit.began_ns;
            }
            Some(spell) => {
                (spell.until_ns, spell.is_between) = (visit.began_ns, is_behind);
                is_behind = true;
            }
            None if is_far => {
                let (from_ns, until_ns) = (visit.began_ns, visit.began_ns);
                found.push(RareSpell { from_ns, until_ns, visits: 1, relative, is_between: false });
            }
            None => is_behind = true,
        }
        is_open = is_far;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(means: &[f64]) -> Vec<TimedVisit> {
        let visit = |(number, &mean): (u64, &f64)| TimedVisit {
            point: usize::from(number % 2 == 1),
            began_ns: 10 * number,
            length: 0,
            mean,
        };
        (0..).zip(means).map(visit).collect()
    }

    /// From, until, how many, and whether they are between others.
    fn found(visits: &[TimedVisit], limit: f64) -> Vec<(u64, u64, usize, bool)> {
        let all = rare_spells(visits, limit).into_iter();
        all.map(|spell| (spell.from_ns, spell.until_ns, spell.visits, spell.is_between)).collect()
    }

    #[test]
    fn visits_far_off_in_a_row_are_one_spell() {
        // Two points in turns, of 100 and 50 a second.
        let course = [100.0, 50.0, 101.0, 20.0, 30.0, 49.0, 99.0, 50.0, 100.0, 51.0, 100.0, 10.0];
        assert_eq!(found(&visits(&course), 0.2), [(30, 50, 2, true), (110, 110, 1, false)]);
        assert_eq!(found(&visits(&course), 0.9), []);
        let relative = rare_spells(&visits(&course), 0.2)[0].relative;
        // The middle of the second point is 49.5.
        assert!((relative - f64::midpoint(20.0 / 49.5, 0.3)).abs() < 1e-9, "{relative}");
        let mut shuffled = visits(&course);
        shuffled.reverse();
        assert_eq!(found(&shuffled, 0.2).len(), 2, "the order is that of time");
        let twice: Vec<TimedVisit> = (0..)
            .zip([20.0, 100.0, 20.0, 100.0, 100.0, 100.0])
            .map(|(number, mean)| TimedVisit { point: 0, began_ns: 10 * number, length: 0, mean })
            .collect();
        assert_eq!(found(&twice, 0.2), [(0, 10, 1, false), (20, 30, 1, true)]);
        let from_the_start = [20.0, 50.0, 100.0, 50.0, 100.0, 50.0, 100.0];
        assert_eq!(found(&visits(&from_the_start), 0.2), [(0, 10, 1, false)]);
    }

    #[test]
    fn what_cannot_be_compared_is_neither_far_off_nor_between() {
        let mut course = visits(&[100.0, 50.0, 30.0, 50.0, 100.0, 50.0, 100.0, 50.0]);
        // The only one of its length, within a spell.
        course.insert(3, TimedVisit { length: 1, began_ns: 25, ..course[2] });
        assert_eq!(found(&course, 0.2), [(20, 30, 1, true)]);
        assert_eq!(found(&visits(&[0.0, 0.0, 0.0]), 0.2), [], "no rate");
        assert_eq!(found(&[], 0.2), []);
    }
}
