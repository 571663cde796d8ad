//! Flags from the long visits: limits, cliffs, drifts and level shifts that short visits cannot show.
//!
//! Must not judge short visits except by their interval.

use super::course;
use super::words::{at, course, rate};
use crate::judge::findings::estimate::PhaseJudgement;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::{classes, rates};
use crate::load::class::LoadClass;
use crate::measure::ClassTally;
use crate::record::{Purpose, Record, Visit};
use crate::stats::detect::long_visit::{BelowVisits, Fall, LongVisitFinding, below_visits, judge, pieces};
use crate::stats::detect::shift::LevelShift;
use crate::stats::detect::slow_start::SlowStart;
use crate::stats::detect::steady::snia;
use crate::stats::sample::{count, mean};
use crate::stats::settle::after;
use crate::units::say::{factor, in_percent, rate_change, rough_time};
use crate::units::to_f64;

/// A class in a long visit, after settling.
struct LongTally<'a> {
    load: &'a LoadClass,
    pieces: Vec<f64>,
    piece_ns: f64,
    mean: f64,
    writes: bool,
    /// The beginning of the texts.
    place: String,
}

/// The flags of all long visits of a phase.
pub fn of_phase(record: &Record, phase: &PhaseJudgement<'_>) -> Vec<Flag> {
    let long_visits = phase.visits.iter().filter(|visit| visit.purpose == Purpose::Long);
    let each = long_visits.flat_map(|visit| {
        // The rate of an open loop is given.
        let closed = |class| record.header.request.class(class).filter(|load| !load.is_open());
        let of_class = move |(class, tally)| Some((*visit, closed(class)?, tally));
        classes(visit).filter_map(of_class)
    });
    each.flat_map(|(visit, load, tally)| {
        let long = LongTally::of(record, phase, visit, load, tally);
        let place = phase.judged.keys.iter().position(|&key| key == (visit.step, load.name));
        let interval = place.and_then(|place| phase.judged.look.intervals[place]);
        let below = interval.and_then(|interval| below_visits(long.mean, &interval));
        let slow = place.and_then(|place| phase.judged.look.slow_starts[place]);
        let slow = slow.map(|slow| Flag::new(FlagCode::Warmup, long.still_rising(&slow)));
        let found = course::of_visit(visit, load.name, phase.judged.look.settle.settle_ns);
        let lasting = found.as_ref().and_then(course::VisitCourse::lasting);
        let back_and_forth = found.as_ref().and_then(|found| long.back_and_forth(found));
        let own = back_and_forth.or_else(|| long.flag(below, lasting));
        own.into_iter().chain(slow)
    })
    .collect()
}

impl<'a> LongTally<'a> {
    fn of(
        record: &Record,
        phase: &PhaseJudgement<'_>,
        visit: &Visit,
        load: &'a LoadClass,
        tally: &ClassTally,
    ) -> Self {
        let width_ns = tally.series.bucket_ns;
        let settle_ns = phase.judged.look.settle.settle_ns;
        let profile = rates(tally, visit.measured_ns);
        let settled = after(&profile, width_ns, settle_ns);
        let pieces = pieces(settled, width_ns);
        let writes = record.header.request.writes(visit.point);
        Self {
            load,
            piece_ns: to_f64(width_ns) * count(settled.len()) / count(pieces.len().max(1)),
            pieces,
            mean: mean(settled),
            writes,
            place: format!("long visit at {}, {}", at(load, visit.point), load.plain_name()),
        }
    }

    /// A rate that fell and recovered has no single step, and says nothing about burst credit.
    fn back_and_forth(&self, found: &course::VisitCourse<'_>) -> Option<Flag> {
        let text = || format!("{}: {}", self.place, found.sentence(self.load));
        found.came_back().then(|| Flag::new(FlagCode::LevelShift, text()))
    }

    /// At most one flag of the long visit itself: a fall includes the rate of the short visits. `lasting` is the lower level to
    /// which the rate fell, and when.
    fn flag(&self, below: Option<BelowVisits>, lasting: Option<(f64, u64)>) -> Option<Flag> {
        let place = &self.place;
        let burst = below.map_or_else(String::new, |below| {
            format!("; short visits: {}", rate(self.load, below.visits.mean))
        });
        let snia = self.snia();
        let (code, text) = match (judge(&self.pieces, self.writes), below) {
            (Some(LongVisitFinding::Throttled(fall)), _) => {
                (FlagCode::Throttled, format!("{}; {}{burst}", self.step(&fall.shift), calmer(&fall)))
            }
            (Some(LongVisitFinding::WriteCliff(fall)), _) => {
                (FlagCode::WriteCliff, format!("{}; as noisy as before{burst}", self.step(&fall.shift)))
            }
            (Some(LongVisitFinding::Standstill(shift)), _) => (FlagCode::LevelShift, self.step(&shift)),
            (_, Some(below)) => (FlagCode::Throttled, self.burst_and_sustained(&below, lasting)),
            (Some(LongVisitFinding::LevelShift(shift)), _) => (FlagCode::LevelShift, self.step(&shift)),
            (Some(LongVisitFinding::Drift(drift)), _) => {
                (FlagCode::Drift, format!("the rate {} steadily (t {:.1})", course(drift.total), drift.t))
            }
            (None, None) => return None,
        };
        Some(Flag::new(code, format!("{place}: {text}{snia}")))
    }

    fn step(&self, shift: &LevelShift) -> String {
        let rate = |iops| rate(self.load, iops);
        format!(
            "{} after {}, from {} to {}",
            rate_change(shift.step()),
            rough_time(count(shift.split) * self.piece_ns),
            rate(shift.before),
            rate(shift.after)
        )
    }

    /// The mean over a burst and a sustained rate is neither of them.
    fn burst_and_sustained(&self, below: &BelowVisits, lasting: Option<(f64, u64)>) -> String {
        let rate = |iops| rate(self.load, iops);
        let from = lasting.map_or_else(String::new, |(_, ns)| format!(" from {} on", rough_time(to_f64(ns))));
        let sustained = BelowVisits { long: lasting.map_or(below.long, |(rate, _)| rate), ..*below };
        format!(
            "{} sustained{from}, {} below the {} ±{} of short visits: burst and sustained rate differ",
            rate(sustained.long),
            in_percent(-sustained.difference()),
            rate(below.visits.mean),
            in_percent(below.visits.relative_half_width)
        )
    }

    fn still_rising(&self, slow: &SlowStart) -> String {
        let rate = |iops| rate(self.load, iops);
        format!(
            "{}: {} from {} on, {} above the {} ±{} of short visits; it began with {}: short visits end \
             before the rate has risen",
            self.place,
            rate(slow.later),
            rough_time(to_f64(slow.from_ns)),
            in_percent(slow.difference()),
            rate(slow.visits.mean),
            in_percent(slow.visits.relative_half_width),
            rate(slow.early)
        )
    }

    /// SNIA's steady-state criterion, for writes.
    fn snia(&self) -> String {
        let window = if self.writes { snia(&self.pieces) } else { None };
        window.map_or_else(String::new, |window| {
            format!(
                "; {} by SNIA's measure (range {}, trend {})",
                if window.is_steady() { "steady" } else { "not steady" },
                in_percent(window.range),
                trend(window.excursion)
            )
        })
    }
}

/// The rise of SNIA's line over its window, relative to the mean.
fn trend(excursion: f64) -> String {
    match excursion {
        _ if excursion <= -1.0 => "down by more than the mean".to_owned(),
        _ if excursion >= 1.0 => "up by more than the mean".to_owned(),
        _ => rate_change(excursion),
    }
}

fn calmer(fall: &Fall) -> String {
    if fall.roughness_after > 0.0 {
        format!("then {} times less noisy", factor(fall.roughness_before / fall.roughness_after))
    } else {
        "then without any noise".into()
    }
}
