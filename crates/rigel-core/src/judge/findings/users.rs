//! The knee of a load of users: as many sessions as the server serves without any of them waiting for another.
//!
//! By operational analysis (Denning and Buzen 1978, "The operational analysis of queueing network models"): a rate X is at most
//! N / R(1) with N sessions that each need R(1) alone, and at most the highest rate; the two meet at N* = X_max R(1). Up to there
//! more sessions bring more queries, beyond it they wait. Must not choose the headline numbers; [`super::extremes`] does.

use super::extremes::{candidates_in_mixes, done, highest};
use super::rising::is_above_half;
use super::{Findings, PointFindings};
use crate::load::class::Class;
use crate::load::matrix::Point;
use crate::stats::Estimate;
use crate::units::{NS_PER_S, NS_PER_US, to_f64};

/// The result of a load of users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    /// The class whose rate it is about.
    pub class: Class,
    /// Sessions of all classes at the knee: the figure, and the ends of its 95 % interval.
    pub sessions: f64,
    /// Lower and upper end.
    pub ends: Option<(f64, f64)>,
    /// The measured number of sessions that is closest to half of the knee.
    pub half: Point,
    /// The rate still rose at the most sessions tried: the knee may be beyond.
    pub is_least: bool,
    /// A single session was not measured, and with more of them each already waits a little: the knee may be below.
    pub is_most: bool,
    /// Sessions of other classes work at the same time, and are counted.
    pub is_mix: bool,
}

/// Why there is no knee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoKnee {
    /// Nothing was measured to compare it with.
    Nothing,
    /// A single number of sessions does not show whether more would bring more.
    OnePoint,
    /// Some numbers of sessions must not be used, and the others do not show it.
    Unusable {
        /// How many must not be used.
        unusable: usize,
        /// How many were measured.
        of: usize,
    },
}

impl Findings {
    /// The knee of the class that was measured with the fewest sessions.
    ///
    /// # Errors
    /// When too little is known, or may not be used, with the reason.
    pub fn knee(&self) -> Result<Knee, NoKnee> {
        let invalid = || self.points.iter().filter(|found| found.invalid());
        let (unusable, of) = (invalid().count(), self.points.len());
        let untold = if unusable > 0 { NoKnee::Unusable { unusable, of } } else { NoKnee::OnePoint };
        if of.saturating_sub(unusable) < 2 {
            return Err(if of == 0 { NoKnee::Nothing } else { untold });
        }
        let (knee, most) = self.knee_of_sound().ok_or(NoKnee::Nothing)?;
        // With more sessions there may have been a higher rate.
        let is_hidden = invalid().any(|found| found.point.sum() > most.sum());
        if is_hidden { Err(untold) } else { Ok(knee) }
    }

    /// The knee from the usable points, and the one with the highest rate.
    fn knee_of_sound(&self) -> Option<(Knee, Point)> {
        let sound = || self.points.iter().filter(|found| !found.invalid());
        let one = sound()
            .filter(|found| found.point.classes().count() == 1)
            .min_by_key(|found| found.point.sum())?;
        let (class, alone) = one.classes().next()?;
        let mut candidates = candidates_in_mixes(&self.points, class);
        // Where some of the users make reports, the fewest have none among them: what they reach, no mix does.
        let is_mix = candidates.iter().any(|one| one.point.classes().count() > 1);
        candidates.retain(|one| !is_mix || one.point.classes().count() > 1);
        let highest = highest(&candidates)?.point;
        let best = sound().find(|found| found.point == highest)?;
        let most = best.io(class)?;
        let alone_us = alone.latency_us?.mean;
        let each_s = alone_us.value * to_f64(NS_PER_US) / to_f64(NS_PER_S);
        let of_all = to_f64(best.point.sum()) / f64::from(best.point.of(class));
        let sessions = most.iops.value * each_s * of_all;
        let widths = most.iops.half_width().zip(alone_us.half_width());
        let ends = widths.map(|(rate, latency)| {
            let half = rate.hypot(latency);
            (sessions * (-half).exp(), sessions * half.exp())
        });
        let distance = |found: &PointFindings| (to_f64(found.point.sum()) / (sessions / 2.0)).ln().abs();
        let half = sound().min_by(|a, b| distance(a).total_cmp(&distance(b)))?.point;
        let is_least = self.rises_with_sessions(class, best);
        let is_most = one.point.sum() > 1;
        Some((Knee { class, sessions, ends, half, is_least, is_most, is_mix }, highest))
    }

    /// Whether the rate of a class still rose at the most sessions of all classes.
    fn rises_with_sessions(&self, class: Class, best: &PointFindings) -> bool {
        let of = |found: &PointFindings| Some((to_f64(found.point.sum()), done(found.io(class))?.iops.value));
        let classes = best.point.classes().count();
        let alike = |found: &&PointFindings| !found.invalid() && found.point.classes().count() == classes;
        let sound = self.points.iter().filter(alike);
        self.points.iter().all(|found| found.point.sum() <= best.point.sum())
            && of(best).is_some_and(|best| is_above_half(best, sound.filter_map(of)))
    }
}

impl Knee {
    /// The response time of a query of a class at half of the knee: mean and 99th percentile.
    pub fn response_us(&self, findings: &Findings, class: Class) -> Option<(Estimate, Estimate)> {
        let found = findings.points.iter().find(|found| found.point == self.half)?;
        found.io(class)?.latency_us.map(|us| (us.mean, us.p99))
    }
}
