//! The load at which storage is worked well: much of its rate at little latency.
//!
//! Beyond saturation more outstanding I/O adds waiting and hardly any rate. The power of a load, its rate over its latency, is
//! highest where the two are balanced (Kleinrock 1979, "Power and deterministic rules of thumb for probabilistic problems in
//! computer communications"). Of the loads that give half of the highest rate or more, the one with the highest power is told.
//! Must not choose the headline numbers; [`super::extremes`] does.

use super::extremes::{Candidate, candidates, highest};
use super::{Extreme, PointFindings};
use crate::load::class::{Class, Figure};
use crate::stats::Estimate;

/// A load lower than the one of the highest rate is worth a word when that one has at least so many times its latency.
const WORTH_TELLING: f64 = 2.0;

/// A load that gives less than this share of the highest rate leaves too much of it unused.
const MUCH_OF_THE_RATE: f64 = 0.5;

/// The balanced load of a class, and what the highest rate costs beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkingPoint {
    /// The rate there, in the unit of the class.
    pub at: Extreme,
    /// The mean latency there, in microseconds.
    pub latency_us: Estimate,
    /// The point of the highest rate.
    pub highest: Extreme,
    /// Its mean latency in microseconds.
    pub highest_latency_us: Estimate,
}

impl WorkingPoint {
    /// Of the points of a class; `None` where the highest rate is not bought with latency, or the class is judged by its
    /// bandwidth.
    pub(super) fn of(points: &[PointFindings], class: Class) -> Option<Self> {
        let all = candidates(points, class);
        let most = highest(&all)?;
        if most.io.load.figure == Figure::Mbps || most.io.load.is_open() {
            return None;
        }
        let (near, latency_us) = all
            .iter()
            .filter(|one| one.io.iops.value >= MUCH_OF_THE_RATE * most.io.iops.value)
            .filter_map(|one| Some((one, mean_us(one)?)))
            .max_by(|a, b| power(a.0, a.1).total_cmp(&power(b.0, b.1)))?;
        let highest_latency_us = mean_us(&most)?;
        let extreme = |one: &Candidate<'_>| Extreme { estimate: one.io.rate(), point: one.point };
        let tells = near.point.of(class) < most.point.of(class)
            && highest_latency_us.value >= WORTH_TELLING * latency_us.value;
        tells.then(|| Self { at: extreme(near), latency_us, highest: extreme(&most), highest_latency_us })
    }
}

fn mean_us(one: &Candidate<'_>) -> Option<Estimate> {
    one.io.latency_us.map(|us| us.mean).filter(|mean| mean.value > 0.0)
}

fn power(one: &Candidate<'_>, latency_us: Estimate) -> f64 {
    one.io.iops.value / latency_us.value
}
