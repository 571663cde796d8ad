//! How much of its rate one class loses when others are added.
//!
//! Must not compare points of different levels of the class itself.

use rigel_core::judge::findings::IoFindings;
use rigel_core::stats::Interval;

/// A share of the rate alone, negative if the rate is higher than alone, and the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Loss {
    pub(crate) share: f64,
    pub(crate) ends: Option<(f64, f64)>,
}

/// `1 - with / alone`, from the rounds in which both were visited. Without them the relative half-widths of independent means add
/// up in quadrature, to first order, and the ends are those of the ratio on a logarithmic scale, so it stays above zero.
/// `None` if there is no rate alone.
pub(crate) fn lost(alone: &IoFindings, with: &IoFindings, in_rounds: Option<Interval>) -> Option<Loss> {
    if let Some(ratio) = in_rounds {
        return Some(Loss { share: 1.0 - ratio.mean, ends: Some((1.0 - ratio.hi95, 1.0 - ratio.lo95)) });
    }
    if alone.iops.value <= 0.0 {
        return None;
    }
    let ratio = with.iops.value / alone.iops.value;
    let ends = alone.iops.half_width().zip(with.iops.half_width()).map(|(alone, with)| {
        let half = alone.hypot(with);
        (1.0 - ratio * half.exp(), 1.0 - ratio * (-half).exp())
    });
    Some(Loss { share: 1.0 - ratio, ends })
}
