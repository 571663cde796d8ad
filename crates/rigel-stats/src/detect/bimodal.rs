//! Visits to one point that fall into two groups. The cause is a state of the device that comes and goes, or one that a
//! process gets by chance at its start, such as the layout of its buffers.

use crate::sample::{count, mean, sorted, sum_of_squares};
use crate::special::{normal_quantile, student_t_quantile};
use crate::variance::{FEWEST_TO_BORROW, PointVisits, core_scale};

/// The gap between the groups, in robust standard deviations of all visits of the phase.
const GAP: f64 = 4.0;
/// Visits of a group, at least.
const LEAST_VISITS: usize = 2;

/// Visits that are of two kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoGroups {
    /// Mean of the lower group.
    pub low: f64,
    /// How many visits it has.
    pub low_visits: usize,
    /// Mean of the higher group.
    pub high: f64,
    /// How many visits it has.
    pub high_visits: usize,
    /// The gap between the groups, relative to the mean of all visits.
    pub gap: f64,
    /// The relative standard deviation that the gap was held against.
    pub scale: f64,
}

/// For every point of a phase the two groups of its visits, if it has two. It has if the largest gap between
/// neighbours in the sorted means, with at least two visits on either side, exceeds four times the scale.
///
/// The scale is the robust standard deviation of the whole phase, or the standard deviation inside the point's two
/// groups if that is larger. So a point that is only noisier than the others has no groups. The second one comes
/// from few visits, so it is multiplied by the ratio of the 99 % quantiles of Student's t and the normal
/// distribution. A phase of steady points then gives a false alarm in about 1 %.
pub fn two_groups(points: &[PointVisits]) -> Vec<Option<TwoGroups>> {
    // The scale of a few points is made of the very gaps that are looked for.
    let common = if points.len() < FEWEST_TO_BORROW { 0.0 } else { core_scale(points) };
    points.iter().map(|point| split(&point.means, common)).collect()
}

fn split(means: &[f64], common: f64) -> Option<TwoGroups> {
    let centre = mean(means);
    let sorted = sorted(means);
    let places = LEAST_VISITS..=sorted.len().checked_sub(LEAST_VISITS)?;
    let gap_at = |place: usize| sorted[place] - sorted[place - 1];
    let place = places.max_by(|&a, &b| gap_at(a).total_cmp(&gap_at(b)))?;
    let (low, high) = sorted.split_at(place);
    let df = count(means.len() - 2);
    let inside = ((sum_of_squares(low) + sum_of_squares(high)) / df).sqrt() / centre;
    let doubt = student_t_quantile(0.995, df) / normal_quantile(0.995);
    let found = TwoGroups {
        low: mean(low),
        low_visits: low.len(),
        high: mean(high),
        high_visits: high.len(),
        gap: gap_at(place) / centre,
        scale: common.max(doubt * inside),
    };
    (centre > 0.0 && found.gap > GAP * found.scale).then_some(found)
}
