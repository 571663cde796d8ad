//! From a record to findings: every figure that an output shows, how certain it is, and what casts doubt on it.
//!
//! Pure; the record alone decides. `estimate` turns the visits to each point into means and intervals, `flagging`
//! holds the tests that raise flags. Must not format; renderers choose digits and layout.

mod answers;
pub mod apart;
mod burst;
mod commits;
mod contrasts;
mod curves;
mod estimate;
mod extremes;
mod figure;
mod flagging;
mod io;
mod latency;
mod nodes;
mod open;
mod places;
mod plateau;
mod refuted;
mod rising;
mod scaling;
mod slo;
mod sureness;
mod unusable;
mod users;
mod visits;
mod working;
mod working_set;

pub use answers::{Answers, NEAR, WithinBound};
pub use burst::{BurstFindings, seconds_of};
pub use commits::Commits;
pub use contrasts::Contrast;
pub use extremes::{Extreme, Extremes, best_alone};
pub use flagging::{ChangesSeen, FOREIGN_MATTERS};
pub use io::IoFindings;
pub use latency::LatencyUs;
pub use nodes::{LEAST_OF_DUE, NodeFindings, NodeIo, hung as hung_of, of_point as nodes_of};
pub use open::OpenFindings;
pub use places::{PlaceFindings, judged as judged_at_place};
pub use refuted::refuted;
pub use scaling::{Linearity, ScalingFindings, ScalingLimit, ScalingPoint, SlowTarget};
pub use slo::{RequiredRate, SloAnswer, SloFindings, SloOpen, SloPoint, SloRate, SloRole, SloScale};
pub use sureness::Sureness;
pub use unusable::{forbidding, is_answer};
pub use users::{Knee, NoKnee};
pub use visits::{VisitFindings, VisitIo, VisitOpen};
pub use working::{LoadResult, WorkingPoint};
pub use working_set::{Forecast, ForecastCase, ForecastHalves, SizeFindings, WorkingSetFindings, stretch_of};

use crate::judge::flags::Flag;
use crate::load::class::{Class, LoadClass, PerClass};
use crate::load::commits::NoCommits;
use crate::load::matrix::Point;
use crate::load::request::Request;
use crate::load::task::Task;
use crate::record::{End, Record};
use crate::stats::Estimate;
use crate::stats::interval::{Interval, unseen_share};
use crate::stats::levels_auto::Curve;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFindings {
    /// Index of its step in the plan.
    pub step: usize,
    /// Outstanding small I/Os and outstanding large I/Os or streams.
    pub point: Point,
    /// Measured time, without settling.
    pub seconds: f64,
    /// Visits behind the numbers.
    pub visits: usize,
    /// Every visit, in order of time; also those that the numbers are not based on.
    pub each_visit: Vec<VisitFindings>,
    /// The phase of the adaptive run in which it was measured, from 0: the points of a phase are judged together.
    pub phase: Option<usize>,
    /// The figures of each class of the point.
    pub ios: PerClass<IoFindings>,
    /// CPU use of the tool for it; `None` if unknown.
    pub own_cpu: Option<OwnCpu>,
    /// The part of each of several nodes; empty if one host measured.
    pub nodes: Vec<NodeFindings>,
    /// What the reader should know about these numbers.
    pub flags: Vec<Flag>,
}

/// User and system CPU time of the workers divided by the time of their load. 1 is one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OwnCpu {
    /// All workers together, over all visits.
    pub share: f64,
    /// The busiest worker in its busiest visit; near 1 the tool was the limit.
    pub busiest: f64,
}

impl PointFindings {
    /// The classes that the point has, small first.
    pub fn classes(&self) -> impl Iterator<Item = (Class, &IoFindings)> {
        self.ios.iter().map(|(class, io)| (*class, io))
    }

    /// One of them; `None` if the point does not have the class.
    pub fn io(&self, class: Class) -> Option<&IoFindings> {
        self.ios.get(&class)
    }

    /// Whether a flag says that the numbers must not be used.
    pub fn invalid(&self) -> bool {
        self.flags.iter().any(|flag| flag.invalid)
    }

    /// Whether the rates of all its classes are as precise as requested.
    pub fn reached(&self) -> bool {
        self.classes().all(|(_, io)| io.sure.reached)
    }

    /// Whether only visits are missing to the requested precision: every interval is narrow enough.
    pub fn has_too_few_visits(&self) -> bool {
        !self.reached() && self.classes().all(|(_, io)| io.sure.reached || io.sure.too_few)
    }
}

/// What the search for load levels found for one class.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFindings {
    /// The class.
    pub load: LoadClass,
    /// The curve; rates in I/Os per second.
    pub curve: Curve,
    /// The visits of the search to this class, in order of time.
    pub visits: Vec<VisitFindings>,
    /// What the reader should know about it.
    pub flags: Vec<Flag>,
}

impl CurveFindings {
    /// The name of its class.
    pub const fn class(&self) -> Class {
        self.load.name
    }

    /// A rate of the curve in the unit of its class.
    pub fn rate(&self, iops: Interval) -> Estimate {
        self.load.rate(iops.into())
    }
}

/// The scope of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagScope {
    /// The run as a whole.
    Run,
    /// A point.
    Point(Point),
    /// The curve that the search for load levels found for a class.
    Curve(Class),
}

/// All findings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Measured points in the order of the plan.
    pub points: Vec<PointFindings>,
    /// What the search for load levels found; empty without a search.
    pub curves: Vec<CurveFindings>,
    /// What the reader should know about the run as a whole.
    pub flags: Vec<Flag>,
    /// The requested relative half-width; `None` if no precision was requested.
    pub target: Option<f64>,
    /// A share of the time: all visits may have missed states of the device that are rarer than this (95 %); `None` if the visits are not separate.
    pub unseen_share: Option<f64>,
    /// The headline numbers.
    pub best: Extremes,
    /// The headline numbers by ORION's rules; only for its files.
    pub plainly_best: Extremes,
    /// The answers of a calibration; `None` if no latency limit was requested.
    pub answers: Option<Answers>,
    /// The answer of a search for a rate; `None` without a search.
    pub slo: Option<SloFindings>,
    /// For each class, the load that gives much of its rate at little latency, if the highest rate costs far more.
    pub working: PerClass<WorkingPoint>,
    /// The classes whose highest rate is at the highest load tried, if half of it gives clearly less: the storage may do more. If
    /// levels were searched for, the flags of the curves say so instead.
    pub still_rising: BTreeSet<Class>,
    /// The classes that were measured place by place.
    pub places: Vec<PlaceFindings>,
    /// The class that was measured over a growing number of targets.
    pub scaling: Option<ScalingFindings>,
    /// How long a rate lasts, for a run of bursts.
    pub burst: Option<BurstFindings>,
    /// The caches of a target, for a run over working sets.
    pub working_set: Option<WorkingSetFindings>,
}

impl Findings {
    /// Judges a record.
    pub fn of(record: &Record) -> Self {
        let phases = estimate::phases(record);
        let mut points = estimate::points(record, &phases);
        let mut flags = flagging::flag(record, &phases, &mut points);
        let (curves, without_curve) = curves::of(record);
        flags.extend(without_curve);
        plateau::join(&mut points, &record.header.request);
        // It shows means, and those are what every output shows.
        flags.extend(flagging::free_flushes(record, &points));
        let visits: usize = points.iter().map(|point| point.visits).sum();
        let mut found = Self {
            flags,
            target: record.header.plan.adaptive.as_ref().map(|plan| plan.parameters.target),
            unseen_share: (!phases.is_empty()).then(|| unseen_share(visits)),
            best: Extremes::default(),
            plainly_best: Extremes::default(),
            answers: None,
            slo: SloFindings::of(record, &phases, &points),
            working: PerClass::new(),
            still_rising: BTreeSet::new(),
            places: Vec::new(),
            scaling: None,
            burst: BurstFindings::of(record),
            working_set: WorkingSetFindings::of(record, &points),
            curves,
            points,
        };
        let places = |load| PlaceFindings::of(&found.points, &found.flags, load);
        found.places = record.header.request.classes.iter().filter_map(places).collect();
        let mut classes = record.header.request.classes.iter();
        found.scaling = classes.find_map(|load| ScalingFindings::of(record, &found, load));
        found.choose(&record.header.request);
        let end = record.closing.as_ref().and_then(|closing| closing.end);
        if let (Some(End::Stopped | End::GaveUp), Some(answers)) = (end, &mut found.answers) {
            answers.commits = answers.commits.clone().map_err(|why| match why {
                NoCommits::NoTime => NoCommits::NotYet,
                why => why,
            });
        }
        if !record.header.plan.searches() && !record.header.request.asks_for_change() {
            let classes = found.classes().into_iter();
            found.still_rising = classes.filter(|&class| rising::still_rises(&found.points, class)).collect();
        }
        found
    }

    /// Chooses the figures that represent the whole run from those of its points.
    pub fn choose(&mut self, request: &Request) {
        self.plainly_best = Extremes::plain(&self.points);
        // The mean of a rate that falls is no rate that the storage has, and that of a small working set is one of its cache.
        self.best = if request.asks_for_change() { Extremes::default() } else { Extremes::of(&self.points) };
        let curve = |class| self.curves.iter().find(|found| found.class() == class);
        let working = |class| Some((class, WorkingPoint::of(&self.points, curve(class), class)?));
        // Of two sides each would have its own, and which of them is the better storage is told by their ratio.
        let is_judged = request.sides.is_none() && !request.asks_for_change();
        let judged = if is_judged { self.classes() } else { BTreeSet::new() };
        self.working = judged.into_iter().filter_map(working).collect();
        self.answers = match request.task {
            Task::Calibrate { bound, no_commits, .. } => {
                Some(Answers::of(bound, no_commits, &self.points, &self.curves))
            }
            _ => None,
        };
        if let Some(answers) = &self.answers {
            self.best.set_rate(Class::SMALL, answers.unbounded_iops);
            self.best.set_rate(Class::LARGE, answers.max_mbps);
        }
    }

    fn classes(&self) -> BTreeSet<Class> {
        self.points.iter().flat_map(PointFindings::classes).map(|one| one.0).collect()
    }
}

impl Findings {
    /// The point with this many of a class, and none of the other.
    pub fn alone(&self, class: Class, level: u32) -> Option<&PointFindings> {
        let point = Point::alone(class, level);
        self.points.iter().find(|found| found.point == point)
    }

    /// The points behind the headline: those with its figures, and those with the answers of a calibration.
    pub fn headline_points(&self) -> BTreeSet<Point> {
        let answers = self.answers.as_ref();
        let within = answers.and_then(|answers| Some(answers.best_within()?.point));
        let commits = answers.and_then(|answers| answers.commits.as_ref().ok());
        let commits = commits.into_iter().flat_map(Commits::latencies).map(|(_, one)| one.point);
        let best = self.points.iter().filter(|found| self.best.rest_on(found)).map(|found| found.point);
        best.chain(within).chain(commits).collect()
    }

    /// The cost of commits, for a calibration or a run of commits.
    ///
    /// # Errors
    /// When one writer alone was not measured.
    pub fn commits(&self) -> Result<Commits, NoCommits> {
        Commits::of(&self.points)
    }

    /// The flags of the run, of the points and of the searches; the first of each code.
    pub fn flags_once(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = Vec::new();
        for flag in self.all_flags() {
            match flags.iter_mut().find(|other| other.code == flag.code) {
                // What speaks against a number says more than a note of the same code.
                Some(other) if other.note && !flag.note => *other = flag.clone(),
                Some(other) => other.invalid |= flag.invalid,
                None => flags.push(flag.clone()),
            }
        }
        flags
    }

    /// Every flag: of the run, of the points, of the searches.
    pub fn all_flags(&self) -> impl Iterator<Item = &Flag> {
        self.flags_by_scope().map(|(_, flag)| flag)
    }

    /// The same, each with its scope.
    pub fn flags_by_scope(&self) -> impl Iterator<Item = (FlagScope, &Flag)> {
        let of = |scope: FlagScope| move |flag| (scope, flag);
        let of_run = self.flags.iter().map(of(FlagScope::Run));
        let points = self.points.iter();
        let of_points =
            points.flat_map(move |found| found.flags.iter().map(of(FlagScope::Point(found.point))));
        let curves = self.curves.iter();
        let of_curves =
            curves.flat_map(move |found| found.flags.iter().map(of(FlagScope::Curve(found.class()))));
        of_run.chain(of_points).chain(of_curves)
    }
}

#[cfg(test)]
mod tests;
