//! The figures that settings are derived from, looked up in the records of several runs.
//!
//! If several runs have a figure, the first one that is good enough counts ([`super::usable`]), else the first one.
//! Must not derive a setting.

use super::again::{self, RepeatCommands, RepeatTarget};
use super::{Refusal, Value, usable};
use crate::compare::Run;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{
    Answers, CurveFindings, FOREIGN_MATTERS, Findings, PointFindings, VisitFindings, best_alone,
};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::task::Task;
use rigel_core::load::workload::Direction;
use rigel_core::path_text::printable;
use rigel_core::stats::{Basis, EstimateForm};
use rigel_core::units::say::number;
use rigel_core::units::{Bytes, KIB, MIB, to_f64};
use rigel_core::witness::Disturbance;
use std::collections::BTreeSet;

/// The share of the highest rate that saturates, as the search for levels has it.
const SATURATED: f64 = 0.95;
/// Streams of smaller I/Os are limited by the number of I/Os and not by their bytes.
const LEAST_STREAM_BYTES: u64 = 128 * KIB;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredFigure {
    /// What it is, as a phrase.
    pub what: String,
    /// Unit of the figure: `IOPS`, `MBPS` (2^20 bytes), `us`, `outstanding`.
    pub unit: &'static str,
    /// The value with its interval, or with a bracket of levels.
    pub figure: EstimateForm,
    /// The run that measured it.
    pub run_id: String,
    /// The flags of the point or the search that it is from, and those of the run that make it invalid.
    pub flags: Vec<Flag>,
    /// A rate that still rose at the most I/Os that a search tried (`NOT_SATURATED`), or the level there: the device may do more, and
    /// the setting needs to know how much.
    pub is_lower_bound: bool,
    /// The setting depends on how large it is, not only on its being large enough.
    pub(super) width_matters: bool,
    /// What measures it better.
    pub(super) again: RepeatCommands,
}

/// The unit of a number of outstanding I/Os.
const LEVEL: &str = "outstanding";

impl MeasuredFigure {
    /// Whether it is a load level, a whole number.
    pub(super) fn is_level(&self) -> bool {
        self.unit == LEVEL
    }

    /// The same for a setting that needs no end of the rise.
    pub(super) fn even_rising(self) -> Self {
        Self { is_lower_bound: false, ..self }
    }

    /// The same for a setting that only needs to know that it is at least so much.
    pub(super) fn at_least(self) -> Self {
        Self { width_matters: false, ..self.even_rising() }
    }

    /// `2,027 MBPS (1,934 to 2,120)`.
    pub fn told(&self) -> String {
        let mean = number(self.figure.value);
        match self.figure.ends() {
            Some((lo, hi)) => format!("{mean} {} ({} to {})", self.unit, number(lo), number(hi)),
            None => format!("{mean} {} (no interval)", self.unit),
        }
    }

    /// The lower end of the interval, where a value that is too high does harm; the mean when there is no interval.
    pub(super) fn low(&self) -> f64 {
        self.figure.lo95.unwrap_or(self.figure.value)
    }
}

impl Value {
    /// A value that is a function of figures, at their means and at both ends of their intervals.
    pub(super) fn of(figure: impl Into<EstimateForm>, text: impl Fn(f64) -> String) -> Self {
        let figure = figure.into();
        Self { text: text(figure.value), ends: figure.ends().map(|(lo, hi)| (text(lo), text(hi))) }
    }

    /// The same, at the lower end.
    pub(super) fn at_low_end(measured: &MeasuredFigure, text: impl Fn(f64) -> String) -> Self {
        Self { text: text(measured.low()), ..Self::of(measured.figure, text) }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ends: None }
    }
}

/// What a commit of one writer costs.
pub(super) struct Commit {
    /// By a write that is durable by itself.
    pub dsync: MeasuredFigure,
    /// By a flush after the write.
    pub fdatasync: MeasuredFigure,
    /// Whether the flush costs nothing.
    pub is_free: bool,
}

/// Runs of one target.
pub struct Source<'a> {
    /// Each with what all of its I/O does.
    runs: Vec<(Direction, &'a Run<'a>)>,
}

impl<'a> Source<'a> {
    /// # Errors
    /// When a run mixes reads and writes, so that its figures are of neither, or waited for its rate to fall.
    pub fn new(runs: &'a [Run<'a>]) -> Result<Self, Problem> {
        if let Some(run) =
            runs.iter().find(|run| matches!(run.record.header.request.task, Task::Burst { .. }))
        {
            return Err(Problem::usage("a burst shows how long a rate lasts, not which settings suit")
                .at(printable(&run.record.header.run_id))
                .because("its load is the same all the time, and its rate falls")
                .next("calibrate the storage, and give that record: rigel calibrate"));
        }
        if let Some(run) = runs.iter().find(|run| run.record.header.request.working_set().is_some()) {
            return Err(Problem::usage(
                "working sets show what a cache is worth, not which settings suit the storage",
            )
            .at(printable(&run.record.header.run_id))
            .because("most of its reads were answered by a cache")
            .next("calibrate the storage, and give that record: rigel calibrate"));
        }
        let direction = |run: &'a Run<'a>| match run.record.header.request.write_percent().get() {
            0 => Ok((Direction::Read, run)),
            100 => Ok((Direction::Write, run)),
            share => Err(Problem::usage("the run mixes reads and writes")
                .at(printable(&run.record.header.run_id))
                .because(format!(
                    "{share} % of its I/Os are writes, but settings are about either reads or writes"
                ))
                .next("measure them separately, with --write 0 and --write 100, and give both records")),
        };
        Ok(Self { runs: runs.iter().map(direction).collect::<Result<_, _>>()? })
    }

    /// A command line that calibrates with options, and with more time where a run had too little.
    pub(super) fn calibrate(&self, on: RepeatTarget, options: &str) -> String {
        let Some(first) = self.runs().next() else {
            return String::new();
        };
        let cut = self.runs().find(|run| !run.record.complete());
        let more = cut.map_or_else(String::new, |run| {
            let (limit, time) = again::more_time(&run.record.header.request);
            format!(" {limit} {time}")
        });
        again::calibrate(&first.record.header, on, format!("{options}{more}").trim_start())
    }

    /// How many CPUs a server on the host may use simultaneously.
    pub(super) fn cpus(&self) -> u32 {
        let of = |run: &Run<'_>| run.record.header.nodes.first().host.usable_cpus();
        self.runs().map(of).max().unwrap_or(0).max(1)
    }

    pub fn runs(&self) -> impl Iterator<Item = &'a Run<'a>> {
        self.runs.iter().map(|(_, run)| *run)
    }

    fn that(&self, direction: Direction) -> impl Iterator<Item = &'a Run<'a>> {
        let own = self.runs.iter().filter(move |(of, _)| *of == direction);
        own.map(|(_, run)| *run)
    }

    /// Latency of one random read of that size with nothing else outstanding, in microseconds.
    pub(crate) fn latency_alone(&self, io_bytes: u64) -> Option<MeasuredFigure> {
        chosen(self.that(Direction::Read).filter(|run| small_bytes(run) == io_bytes).filter_map(|run| {
            let found = run.findings.alone(Class::SMALL, 1)?;
            let figure = found.io(Class::SMALL)?.latency_us?.mean;
            let what = format!("latency of a random read of {}, one outstanding", Bytes(io_bytes));
            Some(measured(run, Class::SMALL, &found.flags, what, "us", figure))
        }))
    }

    /// The highest rate of random I/O of sizes that fit, in I/Os per second.
    pub fn random(&self, direction: Direction, fits: impl Fn(u64) -> bool) -> Option<MeasuredFigure> {
        chosen(self.that(direction).filter(|run| fits(small_bytes(run))).filter_map(|run| {
            let what = format!("highest rate of random {} of {}", plural(direction), Bytes(small_bytes(run)));
            highest(run, Class::SMALL, what, "IOPS", 1.0)
        }))
    }

    /// The highest rate of sequential streams of I/Os of exactly that size, in I/Os per second.
    pub fn sequential(&self, direction: Direction, io_bytes: u64) -> Option<MeasuredFigure> {
        chosen(self.that(direction).filter(|run| stream_bytes(run) == Some(io_bytes)).filter_map(|run| {
            let what = format!("highest rate of sequential {} of {}", plural(direction), Bytes(io_bytes));
            highest(run, Class::LARGE, what, "IOPS", 1.0)
        }))
    }

    /// The highest rate of sequential streams of large I/Os, in megabytes (2^20) per second.
    pub(crate) fn bandwidth(&self, direction: Direction) -> Option<MeasuredFigure> {
        chosen(self.that(direction).filter_map(|run| bandwidth(run, direction)))
    }

    /// One sequential stream of large reads, for each measured size, smallest first: size in bytes, and megabytes (2^20) per second.
    pub(crate) fn one_stream(&self) -> Vec<(u64, MeasuredFigure)> {
        let mut all: Vec<(u64, MeasuredFigure)> = self.that(Direction::Read).filter_map(one_stream).collect();
        // Stable: of runs of one size the first one stays that is good enough, or the first.
        all.sort_by_key(|(bytes, found)| (*bytes, usable::doubtfulness(found)));
        all.dedup_by_key(|(bytes, _)| *bytes);
        all
    }

    /// How many outstanding random reads of sizes that fit saturate, and within the noise the fewest and the most.
    pub fn saturation(&self, fits: impl Fn(u64) -> bool) -> Option<MeasuredFigure> {
        chosen(self.that(Direction::Read).filter(|run| fits(small_bytes(run))).filter_map(|run| {
            let curve = run.findings.curves.iter().find(|curve| curve.class() == Class::SMALL);
            let (figure, is_lower_bound, flags) = match curve {
                Some(found) => of_curve(found),
                None => of_points(run.findings)?,
            };
            let bytes = Bytes(small_bytes(run));
            let least = if is_lower_bound { ", at least" } else { "" };
            let what = format!("random reads of {bytes} that saturate{least}");
            Some(MeasuredFigure {
                is_lower_bound,
                ..measured(run, Class::SMALL, &flags, what, LEVEL, figure)
            })
        }))
    }

    /// The cost of a commit of one writer by both methods, in the first of the runs in which it is least doubtful.
    pub(super) fn commit(&self) -> Option<Commit> {
        let doubtful =
            |found: &Commit| usable::doubtfulness(&found.dsync).max(usable::doubtfulness(&found.fdatasync));
        self.runs().filter_map(commit).min_by_key(doubtful)
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
        let refused = |because: &str, next: &str| Err(Refusal::missing(because, next, None));
        match disks.iter().collect::<Vec<_>>().as_slice() {
            [only] => Ok(**only),
            [] => refused(
                "the record does not show which disk the I/O went to",
                "measure the disk itself, or a file on a filesystem on one disk (ext4, XFS)",
            ),
            _ => refused(
                "the I/O went to several disks, and the figures cover all of them",
                "measure each disk separately",
            ),
        }
    }
}

/// A level that saturates, and within the noise the lowest and the highest that may.
fn bracket(found: u32, lo: u32, hi: u32) -> EstimateForm {
    let [value, lo, hi] = [found, lo, hi].map(f64::from);
    EstimateForm { value, lo95: Some(lo), hi95: Some(hi), visits: None, basis: Basis::Levels }
}

/// A product, whose ends are those of the factors.
pub(super) fn product(one: EstimateForm, other: EstimateForm) -> EstimateForm {
    let end = |one: Option<f64>, other: Option<f64>| Some(one? * other?);
    EstimateForm {
        value: one.value * other.value,
        lo95: end(one.lo95, other.lo95),
        hi95: end(one.hi95, other.hi95),
        ..one
    }
}

/// The first figure of those that are least in doubt.
fn chosen(all: impl Iterator<Item = MeasuredFigure>) -> Option<MeasuredFigure> {
    all.min_by_key(usable::doubtfulness)
}

/// A figure with the flags of its place, and those of the whole run or of all points of the class that forbid its use.
pub fn measured(
    run: &Run<'_>,
    class: Class,
    flags: &[Flag],
    what: String,
    unit: &'static str,
    figure: impl Into<EstimateForm>,
) -> MeasuredFigure {
    let of_run = run.findings.flags.iter().filter(|flag| flag.invalid);
    MeasuredFigure {
        what,
        unit,
        figure: figure.into(),
        run_id: run.record.header.run_id.clone(),
        flags: {
            let own = |flag: &&Flag| !flags.iter().any(|own| own.code == flag.code);
            of_run.chain(of_all_points(run, class)).filter(own).chain(flags).cloned().collect()
        },
        is_lower_bound: false,
        width_matters: true,
        again: RepeatCommands::of(&run.record.header, class),
    }
}

/// The highest rate of sequential streams of large I/Os in a run, in megabytes (2^20) per second.
pub(crate) fn bandwidth(run: &Run<'_>, direction: Direction) -> Option<MeasuredFigure> {
    let bytes = large_stream_bytes(run)?;
    let what = format!("highest rate of streams of {} {}", Bytes(bytes), plural(direction));
    highest(run, Class::LARGE, what, "MBPS", to_f64(bytes) / to_f64(MIB))
}

/// The flags that forbid the use of every point of a class: the result of a search on the same targets is no better.
fn of_all_points<'a>(run: &Run<'a>, class: Class) -> Vec<&'a Flag> {
    let mut points = run.findings.points.iter().filter(|found| found.io(class).is_some());
    let invalid = |found: &'a PointFindings| found.flags.iter().filter(|flag| flag.invalid).collect();
    let first: Vec<&Flag> = points.next().map_or_else(Vec::new, invalid);
    points.fold(first, |mut shared, found| {
        shared.retain(|one| found.flags.iter().any(|flag| flag.invalid && flag.code == one.code));
        shared
    })
}

/// The highest rate of a class alone in a run; `factor` makes the unit out of I/Os per second.
fn highest(
    run: &Run<'_>,
    class: Class,
    what: String,
    unit: &'static str,
    factor: f64,
) -> Option<MeasuredFigure> {
    let best = best(run.findings, class)?;
    let figure = best.io(class)?.iops.scaled(factor);
    Some(MeasuredFigure {
        is_lower_bound: rises(run, class),
        ..measured(run, class, &best.flags, what, unit, figure)
    })
}

/// The cost of a commit in a run, of a calibration or of commits alone.
fn commit(run: &Run<'_>) -> Option<Commit> {
    let of = |class: Class| {
        let found = run.findings.alone(class, 1)?;
        let io = found.io(class)?;
        let what = format!("latency of a commit of {}, one writer, {class}", Bytes(io.io_bytes));
        let again = again::commits(&run.record.header);
        let measured = measured(run, class, &found.flags, what, "us", io.latency_us?.mean);
        Some(MeasuredFigure { again, ..measured })
    };
    let is_free = run.findings.flags.iter().any(|flag| flag.code == FlagCode::FlushFree);
    Some(Commit { dsync: of(Class::DSYNC)?, fdatasync: of(Class::FDATASYNC)?, is_free })
}

/// One sequential stream of large reads in a run: size in bytes, and megabytes (2^20) per second.
pub(crate) fn one_stream(run: &Run<'_>) -> Option<(u64, MeasuredFigure)> {
    let bytes = large_stream_bytes(run)?;
    let found = run.findings.alone(Class::LARGE, 1)?;
    let io = found.io(Class::LARGE).filter(|io| io.latency_us.is_some())?;
    let what = format!("one stream of {} reads", Bytes(bytes));
    Some((bytes, measured(run, Class::LARGE, &found.flags, what, "MBPS", io.mbps()?)))
}

fn small_bytes(run: &Run<'_>) -> u64 {
    run.record.header.request.io_bytes(Class::SMALL)
}

/// Bytes of an I/O of the streams; `None` when large I/O is random.
pub(crate) fn stream_bytes(run: &Run<'_>) -> Option<u64> {
    let request = &run.record.header.request;
    matches!(request.large_pattern(), Pattern::Streams { .. }).then_some(request.io_bytes(Class::LARGE))
}

/// The same, if the I/Os are so large that their bytes count.
fn large_stream_bytes(run: &Run<'_>) -> Option<u64> {
    stream_bytes(run).filter(|bytes| *bytes >= LEAST_STREAM_BYTES)
}

/// Whether a search for levels ended before the rate of the class did.
pub(super) fn rises(run: &Run<'_>, class: Class) -> bool {
    run.findings.curves.iter().any(|found| found.class() == class && !found.curve.saturated)
}

/// The point with the highest rate of a class while the other one is idle. The headline number may be of a mixed
/// point, if all others are in doubt; then the best of these is reported, with its doubts.
fn best(findings: &Findings, class: Class) -> Option<&PointFindings> {
    let headline = findings.best.rate(class).map(|best| best.point).filter(|point| point.is_alone(class));
    let point = headline.or_else(|| best_alone(&findings.points, class))?;
    findings.points.iter().find(|found| found.point == point)
}

/// The level that a search found: its bracket, whether it is a lower bound, and what casts doubt on it.
fn of_curve(found: &CurveFindings) -> (EstimateForm, bool, Vec<Flag>) {
    let n_sat = found.curve.n_sat;
    let flags = found.flags.iter().cloned().chain(foreign(found)).collect();
    (bracket(n_sat.found, n_sat.lo, n_sat.hi), !found.curve.saturated, flags)
}

/// Visits of the search that others disturbed, of those to levels that the bracket is based on: the one below it and all above.
fn foreign(found: &CurveFindings) -> Option<Flag> {
    let from = found.curve.n_sat.lo.saturating_sub(1);
    let counts = |visit: &&VisitFindings| visit.counts && visit.point.of(found.class()) >= from;
    let visits: Vec<&VisitFindings> = found.visits.iter().filter(counts).collect();
    let of = |visit: &&VisitFindings| visit.foreign.as_ref().and_then(|all| all.first().copied());
    let disturbed: Vec<Disturbance> = visits.iter().filter_map(of).collect();
    // The whole of the search stands in the report of the run, and a reader compares the two.
    let text = format!(
        "in {} of the {} measurements of the search with {from} or more outstanding, of {} in all: for example, {}",
        disturbed.len(),
        visits.len(),
        found.visits.len(),
        plainly(disturbed.first()?)
    );
    let flag = Flag::new(FlagCode::Foreign, text);
    let effects: f64 = visits.iter().map(|visit| visit.foreign_effect).sum();
    Some(if effects > FOREIGN_MATTERS * to_f64(visits.len() as u64) { flag } else { flag.noting() })
}

/// One disturbance without the thresholds behind it.
fn plainly(disturbance: &Disturbance) -> String {
    match disturbance {
        Disturbance::Cpu(found) => format!("other programs used {:.2} CPU cores", found.mean),
        Disturbance::Steal(found) => {
            format!("the hypervisor took {:.1} % of the CPU time", found.mean * 100.0)
        }
        Disturbance::Waiting(found) => {
            format!("tasks waited for a busy CPU {:.1} % of the time", found.mean * 100.0)
        }
        Disturbance::Io(found) => {
            format!("the devices moved {:.1} MiB/s for other programs", found.foreign_mbps())
        }
    }
}

/// The bracket from the levels of a run without a search: the level that reaches 95 % of the highest rate, and the
/// previous one. Returns whether that is a lower bound: without a level of twice as many, the rate may still rise.
fn of_points(findings: &Findings) -> Option<(EstimateForm, bool, Vec<Flag>)> {
    let best = best(findings, Class::SMALL)?;
    let most = best.io(Class::SMALL)?.iops.value;
    // Where even the best one must not be used, all of them are told with it.
    let sound = |found: &&PointFindings| !found.invalid() || best.invalid();
    let alone = findings.points.iter().filter(|found| found.point.is_alone(Class::SMALL)).filter(sound);
    let rate = |found: &PointFindings| Some((found.point.small(), found.io(Class::SMALL)?.iops.value));
    let mut levels: Vec<(u32, f64)> = alone.filter_map(rate).collect();
    levels.sort_by_key(|(level, _)| *level);
    let place = levels.iter().position(|(_, iops)| *iops >= SATURATED * most)?;
    let (found, _) = *levels.get(place)?;
    let (largest, _) = *levels.last()?;
    let below = place.checked_sub(1).and_then(|place| levels.get(place)).map(|(level, _)| *level);
    let reaching = findings.alone(Class::SMALL, found).filter(|found| found.point != best.point);
    // A single level is no curve.
    (levels.len() > 1).then(|| {
        let lo = below.map_or(found, |below| below + 1);
        let flags = best.flags.iter().chain(reaching.iter().flat_map(|found| &found.flags));
        let figure = bracket(found, lo, found);
        (figure, largest < found.saturating_mul(2), flags.cloned().collect())
    })
}

/// The plural for I/Os of a direction.
pub(crate) const fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
    }
}

pub(super) fn whole(value: f64) -> String {
    format!("{value:.0}")
}
