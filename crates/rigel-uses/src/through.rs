//! What a failure did to a steady load: the levels before, during and after it, standstills, failed I/Os, the time until rate and p99 were back,
//! and the cost of a rebuild.
//!
//! *During* begins with the first sign of trouble, which is a mark, a standstill, a failed I/O or a slow interval, and ends when rate and p99 are
//! as before and stay that way. Must not word it, and must not read a state of the host.

mod course;
mod demands;
mod level;
mod rebuild;
mod standstill;
mod trouble;

pub use course::Figures;
pub use demands::{DemandOutcome, DemandVerdict};
pub use level::Level;
pub use rebuild::{Rebuild, RebuildCost};
pub use standstill::Standstill;
pub use trouble::{Baseline, Sign, SignKind, Trouble, TroubleFindings, TroubleKind};

use crate::soak::{self, LongIo};
use rigel_core::judge::findings::{ChangesSeen, hung_of};
use rigel_core::load::class::LoadClass;
use rigel_core::load::through::Span;
use rigel_core::measure::{ClassTally, FirstError};
use rigel_core::record::{Mark, Record};
use rigel_core::units::Nanos;
use rigel_core::units::say;

/// The result of holding a rate through a failure.
#[derive(Clone, Debug)]
pub struct ThroughFindings {
    /// The intended rate, I/Os per second.
    pub asked: u32,
    /// The figures of every interval, in order.
    pub course: Vec<Figures>,
    /// Marks of people and of the host, in order.
    pub marks: Vec<Mark>,
    /// The signs of trouble, and when it was over.
    pub trouble: TroubleFindings,
    /// The latency above which I/Os are counted: the first that was demanded.
    pub limit: Option<Nanos>,
    /// Before, during and after, as far as they exist.
    pub levels: Vec<Level>,
    /// The longest time without any completion.
    pub standstill: Option<Standstill>,
    /// All of them, in order.
    pub standstills: Vec<Standstill>,
    /// The longest I/O that completed, from the time at which it should have begun.
    pub longest: Nanos,
    /// The same, if it took far longer than nearly all others: judged as in a soak.
    pub far: Option<LongIo>,
    /// I/Os that took at least half as long as that one.
    pub as_far: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
    /// Rebuilds of arrays below the targets.
    pub rebuilds: Vec<Rebuild>,
    /// The demand.
    pub demands: Vec<DemandOutcome>,
    /// I/Os never completed: the last sentence of the run.
    pub hung: Option<String>,
    /// Changes to the targets meanwhile.
    pub changed: Vec<String>,
    /// When the load began and ended.
    pub lasted: (u64, u64),
    /// Whether it lasted as long as requested.
    pub complete: bool,
}

impl ThroughFindings {
    /// The result of such a record; `None` for any other.
    pub fn of(record: &Record) -> Option<Self> {
        record.header.request.soak().filter(|soak| soak.through)?;
        let class = record.header.request.classes.first()?;
        let asked = record.header.request.phases().first().map_or(0, |phase| phase.point.of(class.name));
        let course = course::of(record, class.name);
        let lasted =
            course.first().zip(course.last()).map_or((0, 0), |(first, last)| (first.began_ns, last.ended_ns));
        let standstills = standstill::all(&course, f64::from(asked));
        let trouble = trouble::findings(&course, &record.marks, &standstills, asked);
        let limit = limit(record);
        let levels = level::all(&course, &trouble, limit);
        let tallies = || record.visits.iter().filter_map(|visit| visit.tallies.get(&class.name));
        let far = soak::longest(record);
        let as_far = far.as_ref().map_or(0.0, |one| tallies().map(|tally| above(tally, one.half())).sum());
        let mut whole = Self {
            asked,
            marks: record.marks.clone(),
            trouble,
            limit,
            levels,
            standstill: standstills.iter().copied().max_by_key(|one| one.length().0),
            standstills,
            longest: Nanos(tallies().map(|tally| tally.longest_ns()).fold(0, u64::max)),
            far,
            as_far: say::whole(as_far),
            errors: tallies().map(|tally| tally.errors).fold(0, u64::saturating_add),
            first_error: tallies().find_map(|tally| tally.first_error),
            rebuilds: Vec::new(),
            demands: Vec::new(),
            hung: record.visits.iter().rev().find_map(|visit| hung_of(&record.header, visit)),
            changed: ChangesSeen::of(record).in_words(),
            lasted,
            complete: record.complete(),
            course,
        };
        whole.rebuilds = rebuild::all(&whole);
        whole.demands =
            record.header.request.demands.through.iter().map(|&one| demands::judged(one, &whole)).collect();
        Some(whole)
    }

    /// The level of a part of the run.
    pub fn level(&self, span: Span) -> Option<&Level> {
        self.levels.iter().find(|level| level.span == span)
    }

    /// Whether the load noticed anything of what happened.
    pub fn has_trouble(&self) -> bool {
        let from_ns = self.trouble.sign.map_or(0, |sign| sign.at_ns);
        self.trouble.troubles.iter().any(|one| one.ended_ns > from_ns)
    }

    /// The longest I/O, if it is all that the load noticed: one in a hundred or fewer do not change any percentile.
    pub fn far_alone(&self) -> Option<&LongIo> {
        self.far.as_ref().filter(|_| !self.has_trouble())
    }

    /// From the first sign until rate and p99 were back.
    pub fn back_after(&self) -> Option<Nanos> {
        Some(Nanos(self.trouble.back_ns?.saturating_sub(self.trouble.sign.as_ref()?.at_ns)))
    }

    /// Whether a demand was not kept, or cannot be decided.
    pub fn is_unkept(&self) -> bool {
        self.demands.iter().any(|one| one.verdict != DemandVerdict::Kept)
    }
}

/// How many I/Os took longer.
fn above(tally: &ClassTally, limit: Nanos) -> f64 {
    let (reads, writes) = tally.latencies_after(0);
    reads.count_above(limit.0) + writes.count_above(limit.0)
}

/// The latency above which I/Os are counted: the first that was demanded.
fn limit(record: &Record) -> Option<Nanos> {
    record.header.request.demands.through.iter().find_map(|demand| Some(demand.bound()?.limit))
}

/// The class of such a run, of its record.
pub fn class(record: &Record) -> Option<&LoadClass> {
    record.header.request.classes.first()
}

#[cfg(test)]
mod tests;
