//! The figures that settings are derived from, looked up in the records of several runs.
//!
//! Of several runs that have a figure the first one is asked. Must not derive a setting.

use super::{Refusal, Value};
use crate::error::Problem;
use crate::judge::findings::{Answers, Findings, PointFindings};
use crate::judge::flags::Flag;
use crate::load::class::{Class, Pattern};
use crate::load::workload::Direction;
use crate::path_text::printable;
use crate::stats::Estimate;
use crate::units::{Bytes, KIB, MIB, number, to_f64};
use crate::uses::compare::Run;
use std::collections::BTreeSet;

/// The share of the highest rate that saturates, as the search for levels has it.
const SATURATED: f64 = 0.95;
/// Streams of smaller I/Os are limited by the number of I/Os and not by their bytes.
const LEAST_STREAM_BYTES: u64 = 128 * KIB;

/// A value and the two ends of the range that it may lie in. The range is the interval of an estimate, a bracket of levels, or
/// computed from such.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub value: f64,
    pub ends: Option<(f64, f64)>,
}

impl From<Estimate> for Figure {
    fn from(found: Estimate) -> Self {
        Self { value: found.value, ends: found.ends() }
    }
}

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What it is, as a phrase.
    pub what: String,
    /// Unit of the figure: `IOPS`, `MBPS` (2^20 bytes), `us`, `outstanding`.
    pub unit: &'static str,
    /// The value with its interval.
    pub figure: Figure,
    /// The run that measured it.
    pub run_id: String,
    /// Flags by which it must not be used.
    pub forbidding: Vec<Flag>,
    /// A rate that still rose at the most I/Os that a search tried (`NOT_SATURATED`), or the level there: the device may do more.
    pub is_lower_bound: bool,
}

impl Measured {
    /// `2,027 MBPS (1,934 to 2,120)`.
    pub fn told(&self) -> String {
        let mean = number(self.figure.value);
        match self.figure.ends {
            Some((lo, hi)) => format!("{mean} {} ({} to {})", self.unit, number(lo), number(hi)),
            None => format!("{mean} {} (no interval)", self.unit),
        }
    }

    /// The lower end of the interval, where a value that is too high does harm; the mean when there is no interval.
    pub(super) fn low(&self) -> f64 {
        self.figure.ends.map_or(self.figure.value, |ends| ends.0)
    }
}

impl Value {
    /// A value that is a function of figures, at their means and at both ends of their intervals.
    pub(super) fn of(figure: impl Into<Figure>, text: impl Fn(f64) -> String) -> Self {
        let figure = figure.into();
        Self { text: text(figure.value), ends: figure.ends.map(|(lo, hi)| (text(lo), text(hi))) }
    }

    /// The same, at the lower end.
    pub(super) fn at_low_end(measured: &Measured, text: impl Fn(f64) -> String) -> Self {
        Self { text: text(measured.low()), ..Self::of(measured.figure, text) }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ends: None }
    }
}

/// Runs of one target.
pub struct Source<'a> {
    /// Each with what all of its I/O does.
    runs: Vec<(Direction, &'a Run<'a>)>,
}

impl<'a> Source<'a> {
    /// # Errors
    /// When a run mixes reads and writes: its figures are of neither.
    pub fn new(runs: &'a [Run<'a>]) -> Result<Self, Problem> {
        let direction = |run: &'a Run<'a>| match run.record.header.request.write_percent().get() {
            0 => Ok((Direction::Read, run)),
            100 => Ok((Direction::Write, run)),
            share => Err(Problem::usage("the run mixes reads and writes")
                .at(printable(&run.record.header.run_id))
                .because(format!(
                    "{share} % of its I/O are writes, and settings are about reads or about writes"
                ))
                .next("measure both apart, with --write 0 and with --write 100, and give both records")),
        };
        Ok(Self { runs: runs.iter().map(direction).collect::<Result<_, _>>()? })
    }

    pub fn runs(&self) -> impl Iterator<Item = &'a Run<'a>> {
        self.runs.iter().map(|(_, run)| *run)
    }

    fn that(&self, direction: Direction) -> impl Iterator<Item = &'a Run<'a>> {
        let own = self.runs.iter().filter(move |(of, _)| *of == direction);
        own.map(|(_, run)| *run)
    }

    /// Latency of one random read of that size with nothing else outstanding, in microseconds.
    pub(crate) fn latency_alone(&self, io_bytes: u64) -> Option<Measured> {
        self.that(Direction::Read).filter(|run| small_bytes(run) == io_bytes).find_map(|run| {
            let found = run.findings.alone(Class::SMALL, 1)?;
            let figure = found.io(Class::SMALL)?.latency_us?.mean;
            let what = format!("latency of a random read of {}, one outstanding", Bytes(io_bytes));
            Some(measured(run, &found.flags, what, "us", figure))
        })
    }

    /// The highest rate of random I/O of sizes that fit, in I/Os per second.
    pub fn random(&self, direction: Direction, fits: impl Fn(u64) -> bool) -> Option<Measured> {
        self.that(direction).filter(|run| fits(small_bytes(run))).find_map(|run| {
            let what = format!("highest rate of random {} of {}", plural(direction), Bytes(small_bytes(run)));
            highest(run, Class::SMALL, what, "IOPS", 1.0)
        })
    }

    /// The highest rate of sequential streams of I/Os of exactly that size, in I/Os per second.
    pub fn sequential(&self, direction: Direction, io_bytes: u64) -> Option<Measured> {
        self.that(direction).filter(|run| stream_bytes(run) == Some(io_bytes)).find_map(|run| {
            let what = format!("highest rate of sequential {} of {}", plural(direction), Bytes(io_bytes));
            highest(run, Class::LARGE, what, "IOPS", 1.0)
        })
    }

    /// The highest rate of sequential streams of large I/Os, in megabytes (2^20) per second.
    pub(crate) fn bandwidth(&self, direction: Direction) -> Option<Measured> {
        self.that(direction).find_map(|run| bandwidth(run, direction))
    }

    /// One sequential stream of large reads, of each size that was measured, smallest first: size in bytes, and megabytes (2^20)
    /// per second.
    pub(crate) fn one_stream(&self) -> Vec<(u64, Measured)> {
        let mut all: Vec<(u64, Measured)> = self.that(Direction::Read).filter_map(one_stream).collect();
        // Stable: of runs of one size the first one stays.
        all.sort_by_key(|(bytes, _)| *bytes);
        all.dedup_by_key(|(bytes, _)| *bytes);
        all
    }

    /// How many outstanding random reads of sizes that fit saturate, and as far as the noise tells the fewest and the most.
    pub fn saturation(&self, fits: impl Fn(u64) -> bool) -> Option<Measured> {
        self.that(Direction::Read).filter(|run| fits(small_bytes(run))).find_map(|run| {
            let curve = run.findings.curves.iter().find(|curve| curve.class() == Class::SMALL);
            let (figure, is_lower_bound, flags) = match curve {
                Some(found) => {
                    let n_sat = found.curve.n_sat;
                    let figure = Figure::bracket(n_sat.found, n_sat.lo, n_sat.hi);
                    (figure, !found.curve.saturated, found.flags.as_slice())
                }
                None => of_points(run.findings)?,
            };
            let bytes = Bytes(small_bytes(run));
            let least = if is_lower_bound { ", at least" } else { "" };
            let what = format!("random reads of {bytes} that saturate{least}");
            Some(Measured { is_lower_bound, ..measured(run, flags, what, "outstanding", figure) })
        })
    }

    /// The calibrations of reads, each with its answers.
    pub fn calibrations(&self) -> impl Iterator<Item = (&'a Run<'a>, &'a Answers)> {
        self.that(Direction::Read).filter_map(|run| Some((run, run.findings.answers.as_ref()?)))
    }

    /// Major and minor number of the one disk that all I/O went to.
    pub fn disk(&self) -> Result<(u32, u32), Refusal> {
        let visits = self.runs().flat_map(|run| run.record.visits.iter().chain(&run.record.search));
        let witnesses = visits.flat_map(|visit| &visit.nodes).filter_map(|node| node.witness.as_ref());
        let disks: BTreeSet<(u32, u32)> =
            witnesses.flat_map(|witness| witness.devices.iter().copied()).collect();
        let refused =
            |because: &str, next: &str| Err(Refusal { because: because.to_owned(), next: next.to_owned() });
        match disks.iter().collect::<Vec<_>>().as_slice() {
            [only] => Ok(**only),
            [] => refused(
                "the record does not tell which disk the I/O went to",
                "measure the disk itself, or a file on a filesystem that lies on one (ext4, XFS)",
            ),
            _ => refused(
                "the I/O went to several disks, and the figures are of all of them",
                "measure each disk by itself",
            ),
        }
    }
}

impl Figure {
    /// A level that saturates, and as far as the noise tells the lowest and the highest that may.
    fn bracket(found: u32, lo: u32, hi: u32) -> Self {
        Self { value: f64::from(found), ends: Some((f64::from(lo), f64::from(hi))) }
    }

    /// The same in another unit.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, ends: self.ends.map(|(lo, hi)| (lo * factor, hi * factor)) }
    }

    /// A product, whose ends are those of the factors.
    pub(super) fn times(self, other: Self) -> Self {
        let ends = self.ends.zip(other.ends).map(|(own, other)| (own.0 * other.0, own.1 * other.1));
        Self { value: self.value * other.value, ends }
    }
}

/// A figure with what forbids its use, of its place or of the whole run.
pub fn measured(
    run: &Run<'_>,
    flags: &[Flag],
    what: String,
    unit: &'static str,
    figure: impl Into<Figure>,
) -> Measured {
    let forbidding = run.findings.flags.iter().chain(flags).filter(|flag| flag.invalid).cloned().collect();
    let run_id = run.record.header.run_id.clone();
    Measured { what, unit, figure: figure.into(), run_id, forbidding, is_lower_bound: false }
}

/// The highest rate of sequential streams of large I/Os in a run, in megabytes (2^20) per second.
pub(crate) fn bandwidth(run: &Run<'_>, direction: Direction) -> Option<Measured> {
    let bytes = large_stream_bytes(run)?;
    let what = format!("highest rate of streams of {} {}", Bytes(bytes), plural(direction));
    highest(run, Class::LARGE, what, "MBPS", to_f64(bytes) / to_f64(MIB))
}

/// The highest rate of a class alone in a run; `factor` makes the unit out of I/Os per second.
fn highest(run: &Run<'_>, class: Class, what: String, unit: &'static str, factor: f64) -> Option<Measured> {
    let best = best(run.findings, class)?;
    let figure = best.io(class)?.iops.scaled(factor);
    Some(Measured { is_lower_bound: rises(run, class), ..measured(run, &best.flags, what, unit, figure) })
}

/// One sequential stream of large reads in a run: size in bytes, and megabytes (2^20) per second.
pub(crate) fn one_stream(run: &Run<'_>) -> Option<(u64, Measured)> {
    let bytes = large_stream_bytes(run)?;
    let found = run.findings.alone(Class::LARGE, 1)?;
    let io = found.io(Class::LARGE).filter(|io| io.latency_us.is_some())?;
    let what = format!("one stream of {} reads", Bytes(bytes));
    Some((bytes, measured(run, &found.flags, what, "MBPS", io.mbps()?)))
}

fn small_bytes(run: &Run<'_>) -> u64 {
    run.record.header.request.io_bytes(Class::SMALL)
}

/// Bytes of an I/O of the streams; `None` when large I/O is random.
pub(crate) fn stream_bytes(run: &Run<'_>) -> Option<u64> {
    let request = &run.record.header.request;
    matches!(request.large_pattern(), Pattern::Streams { .. }).then_some(request.io_bytes(Class::LARGE))
}

/// The same, where the I/Os are so large that their bytes count.
fn large_stream_bytes(run: &Run<'_>) -> Option<u64> {
    stream_bytes(run).filter(|bytes| *bytes >= LEAST_STREAM_BYTES)
}

/// Whether a search for levels ended before the rate of the class did.
fn rises(run: &Run<'_>, class: Class) -> bool {
    run.findings.curves.iter().any(|found| found.class() == class && !found.curve.saturated)
}

/// The point that has the highest rate of a class, when the other one is idle there.
fn best(findings: &Findings, class: Class) -> Option<&PointFindings> {
    let best = findings.best.rate(class).filter(|best| best.point.is_alone(class))?;
    findings.points.iter().find(|found| found.point == best.point)
}

/// The bracket from the levels that a run without a search has: the level that reaches 95 % of the highest rate, and the one before.
/// Whether that is a lower bound: without a level of twice as many, the rate may still rise.
fn of_points(findings: &Findings) -> Option<(Figure, bool, &[Flag])> {
    let best = best(findings, Class::SMALL)?;
    let most = best.io(Class::SMALL)?.iops.value;
    let sound = |found: &&PointFindings| !found.invalid() || found.point == best.point;
    let alone = findings.points.iter().filter(|found| found.point.is_alone(Class::SMALL)).filter(sound);
    let mut levels: Vec<(u32, f64)> =
        alone.filter_map(|found| Some((found.point.small(), found.io(Class::SMALL)?.iops.value))).collect();
    levels.sort_by_key(|(level, _)| *level);
    let place = levels.iter().position(|(_, iops)| *iops >= SATURATED * most)?;
    let (found, _) = *levels.get(place)?;
    let (largest, _) = *levels.last()?;
    let below = place.checked_sub(1).and_then(|place| levels.get(place)).map(|(level, _)| *level);
    // A single level is no curve.
    (levels.len() > 1).then(|| {
        let lo = below.map_or(found, |below| below + 1);
        (Figure::bracket(found, lo, found), largest < found.saturating_mul(2), best.flags.as_slice())
    })
}

/// What I/Os of a direction are called.
pub(crate) const fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
    }
}

pub(super) fn whole(value: f64) -> String {
    format!("{value:.0}")
}
