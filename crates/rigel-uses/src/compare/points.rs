//! What all points of a quantity say together, if none of them can be judged alone: the sign test over points.
//!
//! Each point was visited apart from the others, so if nothing had changed, each change would go up or down like a coin toss. The
//! interval is that of the median change (order statistics of the binomial distribution), which makes no assumption about the noise. It is about
//! these runs: a difference between two days affects every point. Must not judge a single point.

use super::change::{Change, Doubt, RestsOn};
use super::{Comparison, Effect, Row};
use rigel_core::judge::quantity::{Quantity, Scope};
use rigel_core::load::matrix::Point;
use rigel_core::stats::sample::count;
use rigel_core::stats::special::student_t_quantile;

/// With fewer points no sign test is certain at 95 %: 2 / 2^5 is 6 %.
pub const FEWEST_POINTS: usize = 6;
/// Up to this many points the law of coins is summed up; their smallest term is one that a number can hold.
const EXACT: usize = 1000;
/// How often the interval may miss the median.
const ALPHA: f64 = 0.05;

/// The points of a quantity together.
#[derive(Clone, Debug, PartialEq)]
pub struct OverPoints {
    /// The quantity.
    pub quantity: Quantity,
    /// The points, in the order of the rows.
    pub points: Vec<Point>,
    /// At how many of them the new side had more.
    pub more: usize,
    /// The smallest and the largest change.
    pub span: (f64, f64),
    /// The median change with its interval.
    pub change: Change,
    /// The verdict on that.
    pub effect: Effect,
}

impl Comparison {
    /// Each quantity that has enough points which cannot be judged alone. If other rows of points are judged, by how
    /// visits, runs or days differ, that says more than all points of two runs together.
    pub fn over_points(&self) -> Vec<OverPoints> {
        if self.shown().any(|row| row.point.is_some() && row.change.is_ok()) {
            return Vec::new();
        }
        let mut quantities: Vec<Quantity> = self.shown().map(|row| row.quantity).collect();
        quantities.dedup();
        let own = |quantity: Quantity| {
            let rows: Vec<&Row> =
                self.shown().filter(|row| row.quantity == quantity && is_open(row)).collect();
            of_rows(quantity, &rows)
        };
        quantities.into_iter().filter(|quantity| quantity.of == Scope::Point).filter_map(own).collect()
    }
}

/// Whether a row says nothing alone, but has a number of each side that may be used.
const fn is_open(row: &Row) -> bool {
    use Doubt::{FewRuns, FewVisits, NoInterval, OneVisit};
    matches!(row.change, Err(OneVisit | FewVisits | NoInterval | FewRuns))
}

fn of_rows(quantity: Quantity, rows: &[&Row]) -> Option<OverPoints> {
    let seen = |row: &&Row| Some((row.point?, row.seen()?.relative.ln_1p()));
    let found: Vec<(Point, f64)> = rows.iter().filter_map(seen).collect();
    let mut logs: Vec<f64> = found.iter().map(|one| one.1).collect();
    logs.sort_by(f64::total_cmp);
    let below = outside(logs.len())?;
    let last = logs.len() - 1;
    let median = f64::midpoint(logs[last / 2], logs[logs.len() / 2]);
    let [relative, lo, hi] = [median, logs[below], logs[last - below]].map(f64::exp_m1);
    let change = Change { relative, lo, hi, df: count(last), rests_on: RestsOn::Points };
    Some(OverPoints {
        quantity,
        points: found.iter().map(|one| one.0).collect(),
        more: logs.iter().filter(|log| **log > 0.0).count(),
        span: (logs[0].exp_m1(), logs[last].exp_m1()),
        effect: Effect::of(quantity, &Ok(change)),
        change,
    })
}

/// How many of the smallest values lie outside the interval of the median; `None` for too few values.
fn outside(values: usize) -> Option<usize> {
    if values < FEWEST_POINTS {
        return None;
    }
    if values > EXACT {
        // The normal law, half a step to the safe side.
        let middle = count(values) / 2.0;
        let width = student_t_quantile(1.0 - ALPHA / 2.0, 1e9) * count(values).sqrt() / 2.0;
        return (0..values / 2).rev().find(|&below| count(below) + 1.0 <= middle - width);
    }
    // The probability of so many heads or fewer, of `values` coins.
    let mut term = 0.5f64.powf(count(values));
    let (mut tail, mut heads) = (term, 0);
    while heads < values / 2 {
        let next = term * count(values - heads) / count(heads + 1);
        if 2.0 * (tail + next) > ALPHA {
            break;
        }
        (tail, term, heads) = (tail + next, next, heads + 1);
    }
    (2.0 * tail <= ALPHA).then_some(heads)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the binomial distribution: of 6 values the whole span, of 17 the fifth from either end, of 25 the eighth.
    #[test]
    fn the_interval_of_a_median_is_that_of_the_tables() {
        let known = [
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (12, Some(2)),
            (17, Some(4)),
            (25, Some(7)),
        ];
        for (values, below) in known {
            assert_eq!(outside(values), below, "{values}");
        }
        // What two of a thousand coins would do alike is sure, too.
        assert_eq!((outside(1000), outside(2000)), (Some(468), Some(955)));
    }
}
