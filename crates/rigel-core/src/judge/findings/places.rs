//! How the figures of a class change from place to place of the targets.
//!
//! Must not word the result; `rigel-report` does.

use super::{IoFindings, PointFindings};
use crate::judge::flags::{Flag, FlagCode, Mark};
use crate::load::class::{Figure, LoadClass};
use crate::stats::by_place::{Course, course};
use crate::stats::{Basis, Estimate};
use std::collections::BTreeSet;

/// A class that was measured place by place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceFindings {
    /// The class; it has places.
    pub load: LoadClass,
    /// How the judged figure changes from the first place to the last; `None` if unknown: some place has no usable number,
    /// or was visited only once.
    pub course: Option<Course>,
    /// Flags about changes of speed over time. Places are visited at different moments, so they may differ by those.
    pub moments: BTreeSet<FlagCode>,
}

/// The judged figure of a place: for a class whose figure is a bandwidth its rate, otherwise its mean latency in microseconds.
pub fn judged(io: &IoFindings) -> Option<Estimate> {
    match io.load.figure {
        Figure::Mbps => Some(io.rate()),
        Figure::Rate(_) => io.latency_us.map(|us| us.mean),
    }
}

impl PlaceFindings {
    /// `None` for a class without places, or without any number. `of_run`: the flags of the run as a whole.
    pub(super) fn of(points: &[PointFindings], of_run: &[Flag], load: &LoadClass) -> Option<Self> {
        let places = u32::from(load.places?);
        let alone = |found: &&PointFindings| found.point.is_alone(load.name);
        points.iter().find(alone)?;
        let at = |place: u32| -> Option<(f64, f64)> {
            let sound = |found: &&PointFindings| !found.invalid() && found.point.of(load.name) == place;
            let io = points.iter().filter(alone).find(sound)?.io(load.name)?;
            let found = judged(io).filter(|found| found.basis == Basis::Visits)?;
            Some((found.value, found.interval?.standard_error() / found.value))
        };
        let known: Option<Vec<(f64, f64)>> = (1..=places).map(at).collect();
        let flags = points.iter().filter(alone).flat_map(|found| &found.flags).chain(of_run);
        let speaking = flags.filter(|flag| flag.speaks_against()).map(|flag| flag.code);
        let moments = speaking.filter(|code| code.has(Mark::InTime)).collect();
        Some(Self { load: load.clone(), course: known.and_then(|known| course(&known)), moments })
    }

    /// Whether the course is one of rates, in the unit of the class; otherwise of latencies in microseconds.
    pub fn is_of_rate(&self) -> bool {
        self.load.figure == Figure::Mbps
    }

    /// The range of places given by number from 0, in per cent of a target: from, to.
    pub fn percent(&self, first: usize, last: usize) -> (f64, f64) {
        let level = |place: usize| u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1);
        (self.load.place_percent(level(first)).0, self.load.place_percent(level(last)).1)
    }
}
