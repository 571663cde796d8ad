//! The findings of a soak, from its record: the figures of each phase, their course, every fault, unusual targets, the drives' own reports, and
//! what a test without faults excludes.
//!
//! Must not word it, and must not look at a target.

mod beside;
mod course;
mod delays;
mod drives;
mod spells;

pub use beside::{MomentBeside, ProductionImpact};
pub use course::{Moment, MomentIo};
pub use delays::{LongCount, LongIo};
pub use drives::{Change, DriveFindings, Drives, SilentDrive};
pub use rigel_core::judge::outliers::{LEAST_TARGETS, Outlier};
pub use spells::Spell;

use rigel_core::documents;
use rigel_core::judge::findings::{ChangesSeen, NodeFindings, hung_of, nodes_of};
use rigel_core::judge::{outliers, wrong_data};
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::soak::Soak;
use rigel_core::measure::{ByTarget, ClassTally, FirstError, Histogram};
use rigel_core::record::{Header, Purpose, Record, Visit};
use rigel_core::units::{Nanos, iops, to_f64, us_from_ns};
use rigel_core::verify::VerifyCounts;
use rigel_core::verify::block::BLOCK_BYTES;
use schemars::JsonSchema;
use serde::Serialize;

/// Three over the number of checked blocks is the rate that is excluded: with no event among N, the rate is below 3/N
/// with 95 % confidence (Hanley and Lippman-Hand 1983).
const RULE_OF_THREE: f64 = 3.0;

/// No working storage makes a database wait this long: an I/O of this length is a fault, even if it completed.
const LONGEST_SOUND: Nanos = Nanos::from_secs(10);

/// The result of a soak.
#[derive(Clone, Debug)]
pub struct SoakFindings {
    /// What was requested.
    pub soak: Soak,
    /// Length of the load so far.
    pub lasted: Nanos,
    /// The phases in their order, each with its classes.
    pub phases: Vec<PhaseFindings>,
    /// The figures of every interval, in order.
    pub course: Vec<Moment>,
    /// Verified blocks, all together.
    pub verified: VerifyCounts,
    /// Whether blocks were verified at all.
    pub verifies: bool,
    /// The share of the verified part of the targets that was written at least once; of several parts of the run, the largest.
    pub covered: Option<f64>,
    /// I/Os that succeeded.
    pub ios: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// The first failed I/O of each visit and class, with the time at which the visit began.
    pub failed: Vec<(u64, Class, FirstError)>,
    /// The longest I/O, if it took far longer than nearly all others.
    pub longest: Option<LongIo>,
    /// I/Os that took ten seconds or longer.
    pub long: LongCount,
    /// Times in which the I/Os of a class were far slower than usual.
    pub spells: Vec<Spell>,
    /// I/Os never completed: the last sentence of the run.
    pub hung: Option<String>,
    /// Each target, all classes and phases together, if there are several.
    pub targets: Option<ByTarget>,
    /// The targets that are slower than the others.
    pub outliers: Vec<Outlier>,
    /// What the drives below the targets report about themselves; `None` if they were not asked, as with a simulated device.
    pub drives: Option<Drives>,
    /// Next to production: what it took of the storage; `None` for a soak that had it to itself.
    pub beside: Option<ProductionImpact>,
    /// Changes to the targets and to the I/O limits during the soak, one sentence each.
    pub changed: Vec<String>,
    /// Each time that the load was interrupted.
    pub interruptions: Vec<Interruption>,
    /// Whether it lasted as long as requested.
    pub complete: bool,
}

/// A phase of the load, all of its visits together.
#[derive(Clone, Debug)]
pub struct PhaseFindings {
    /// Its number, from 0.
    pub number: u32,
    /// Its load.
    pub point: Point,
    /// Number of visits.
    pub visits: u64,
    /// Total length of the visits.
    pub lasted: Nanos,
    /// What each class did.
    pub classes: PerClass<PhaseIo>,
    /// What each of several nodes did; empty if one host measured.
    pub nodes: Vec<NodeFindings>,
}

/// A class in a phase.
#[derive(Clone, Debug)]
pub struct PhaseIo {
    /// Successful I/Os.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Latencies of reads and writes together.
    pub latency: Histogram,
    /// The longest of all, settling and draining included; 0 without one.
    pub longest_ns: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// Blocks that were wrong.
    pub wrong: u64,
    /// Total length of its visits.
    pub lasted: Nanos,
}

impl PhaseIo {
    /// Successful I/Os per second.
    pub fn iops(&self) -> f64 {
        iops(self.ios, self.lasted.0)
    }

    /// A latency in microseconds that this many of a million I/Os exceed.
    pub fn beyond_us(&self, of_a_million: u32) -> Option<f64> {
        let share = 1.0 - f64::from(of_a_million) / 1e6;
        self.latency.quantile_ns(share).map(|ns| us_from_ns(to_f64(ns)))
    }
}

/// Where a soak continued after an interruption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Interruption {
    /// When it continued, in seconds of load.
    #[serde(rename = "at_s", serialize_with = "documents::seconds")]
    #[schemars(with = "f64")]
    pub run: Nanos,
    /// Local time, RFC 3339.
    #[serde(rename = "went_on", serialize_with = "documents::printable")]
    pub at: String,
}

impl SoakFindings {
    /// The result of a soak's record; `None` for any other run, and for one that holds a rate through a failure.
    pub fn of(record: &Record) -> Option<Self> {
        let request = &record.header.request;
        let soak = request.soak().filter(|_| request.is_soak())?;
        let tallies = || record.visits.iter().flat_map(|visit| &visit.tallies);
        let targets = targets(record);
        let (phases, course) = (phases(record), course::of(record));
        Some(Self {
            soak,
            longest: delays::longest(record, &phases, targets.as_ref()),
            long: delays::count(record, &phases, LONGEST_SOUND),
            spells: spells::of(record),
            lasted: Nanos(record.visits.iter().map(|visit| visit.loaded_ns).fold(0, u64::saturating_add)),
            phases,
            course,
            verified: wrong_data::counts(&record.visits, None),
            verifies: record.header.request.classes.iter().any(|class| class.verify),
            covered: covered(record),
            ios: tallies().map(|(_, tally)| tally.completed()).fold(0, u64::saturating_add),
            errors: tallies().map(|(_, tally)| tally.errors).fold(0, u64::saturating_add),
            failed: record.visits.iter().flat_map(failed).collect(),
            hung: hung(record),
            outliers: targets.as_ref().map_or_else(Vec::new, |_| outliers::of(record)),
            targets,
            drives: Drives::of(&record.drives),
            beside: beside::of(record),
            changed: ChangesSeen::of(record).in_words(),
            interruptions: record
                .resumed
                .iter()
                .map(|resumed| Interruption { run: Nanos(resumed.run_ns), at: resumed.at.clone() })
                .collect(),
            complete: record.complete(),
        })
    }

    /// Whether something is wrong with the storage: blocks, I/Os, one that took ten seconds or longer, a target
    /// unlike the others, or a drive by its own report.
    pub fn is_faulty(&self) -> bool {
        self.verified.faults.all() > 0
            || self.errors > 0
            || self.hung.is_some()
            || self.long_fault().is_some()
            || !self.outliers.is_empty()
            || self.worse_drives() > 0
    }

    /// The longest I/O, where its length alone is a fault.
    pub fn long_fault(&self) -> Option<&LongIo> {
        self.longest.as_ref().filter(|one| one.length >= LONGEST_SOUND)
    }

    /// For how long some class was far slower than usual: time in which several were counts once.
    pub fn slow_for(&self) -> Nanos {
        let mut until_ns = 0;
        let new = |spell: &Spell| {
            let from_ns = spell.began_ns.max(until_ns);
            until_ns = until_ns.max(spell.ended_ns());
            spell.ended_ns().saturating_sub(from_ns)
        };
        Nanos(self.spells.iter().map(new).fold(0, u64::saturating_add))
    }

    /// Whether users had to wait, though nothing failed.
    pub const fn has_delays(&self) -> bool {
        self.longest.is_some() || !self.spells.is_empty()
    }

    /// How many drives report doubts about themselves.
    pub fn worse_drives(&self) -> usize {
        self.drives.as_ref().map_or(0, |drives| drives.worse().count())
    }

    /// If no compared block was wrong: a wrong block is certainly (95 %) rarer than one in this many. `None` if some were wrong, or none compared.
    pub fn excluded_one_of(&self) -> Option<f64> {
        let checked = self.verified.checked;
        (checked > 0 && self.verified.faults.all() == 0).then(|| to_f64(checked) / RULE_OF_THREE)
    }
}

/// The longest I/O of any such load, if it took far longer than nearly all others of its phase.
pub(crate) fn longest(record: &Record) -> Option<LongIo> {
    delays::longest(record, &phases(record), targets(record).as_ref())
}

/// Blocks are written one after the other in passes, each part of the run from the beginning: what a part wrote, it covered, until all is.
fn covered(record: &Record) -> Option<f64> {
    let Header { request, targets, .. } = &record.header;
    let verified = || request.classes.iter().filter(|class| class.verify);
    let share = |class: &LoadClass| {
        let (from, to) = class.span.percent();
        to_f64(u64::from(to.saturating_sub(from))) / 100.0
    };
    let bytes: f64 = targets.iter().map(|target| to_f64(target.size_bytes)).sum();
    let whole = bytes * verified().map(share).sum::<f64>() / to_f64(BLOCK_BYTES as u64);
    let mut parts = vec![0_u64; record.resumed.len() + 1];
    for visit in &record.visits {
        let part = record.resumed.iter().filter(|resumed| resumed.run_ns <= visit.began_ns).count();
        let written =
            visit.tallies.values().filter_map(|tally| tally.verified.as_ref()).map(|one| one.written);
        parts[part] = written.fold(parts[part], u64::saturating_add);
    }
    let most = parts.into_iter().max().unwrap_or(0);
    (whole > 0.0).then(|| (to_f64(most) / whole).min(1.0))
}

fn phases(record: &Record) -> Vec<PhaseFindings> {
    let mut found: Vec<PhaseFindings> = Vec::new();
    for visit in &record.visits {
        let Purpose::Phase(number) = visit.purpose else { continue };
        let at = found.iter().position(|phase| phase.number == number).unwrap_or_else(|| {
            let point = visit.point;
            let visits: Vec<&Visit> =
                record.visits.iter().filter(|visit| visit.purpose == Purpose::Phase(number)).collect();
            let nodes = nodes_of(&record.header, &visits);
            found.push(PhaseFindings {
                number,
                point,
                visits: 0,
                lasted: Nanos(0),
                classes: PerClass::new(),
                nodes,
            });
            found.len() - 1
        });
        let phase = &mut found[at];
        phase.visits += 1;
        phase.lasted = Nanos(phase.lasted.0.saturating_add(visit.measured_ns));
        for (class, tally) in &visit.tallies {
            add(phase.classes.entry(*class).or_insert_with(nothing), tally, visit.measured_ns);
        }
    }
    found.sort_by_key(|phase| phase.number);
    found
}

fn nothing() -> PhaseIo {
    PhaseIo {
        ios: 0,
        bytes: 0,
        latency: Histogram::empty(),
        longest_ns: 0,
        errors: 0,
        wrong: 0,
        lasted: Nanos(0),
    }
}

fn add(io: &mut PhaseIo, tally: &ClassTally, measured_ns: u64) {
    io.ios = io.ios.saturating_add(tally.completed());
    io.bytes = io.bytes.saturating_add(tally.moved_bytes());
    io.latency.add(&tally.all_latencies_after(0));
    io.longest_ns = io.longest_ns.max(tally.longest_ns());
    io.errors = io.errors.saturating_add(tally.errors);
    let wrong = tally.verified.as_ref().map_or(0, |verified| verified.faults.all());
    io.wrong = io.wrong.saturating_add(wrong);
    io.lasted = Nanos(io.lasted.0.saturating_add(measured_ns));
}

fn failed(visit: &Visit) -> impl Iterator<Item = (u64, Class, FirstError)> + '_ {
    visit.tallies.iter().filter_map(|(class, tally)| Some((visit.began_ns, *class, tally.first_error?)))
}

fn hung(record: &Record) -> Option<String> {
    record.visits.iter().rev().find_map(|visit| hung_of(&record.header, visit))
}

fn targets(record: &Record) -> Option<ByTarget> {
    let all = record.visits.iter().flat_map(|visit| visit.tallies.values());
    all.filter_map(|tally| tally.by_target.as_deref()).fold(None, |sum: Option<ByTarget>, one| {
        let mut sum = sum.unwrap_or_default();
        sum.add(one);
        Some(sum)
    })
}

#[cfg(test)]
mod tests;
