//! The messages to the live view: the events of a run, without borrowed data, and the judgement of the run so far.
//!
//! They are made on the coordinator's thread and kept small. Must not draw.

use super::judge::Judgement;
use rigel_core::event::{Activity, Event, LiveFigures, Saturation, VisitPosition};
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::measure::ClassTally;
use rigel_core::path_text::printable;
use rigel_core::record::{Header, Visit};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::{self, to_f64, us_from_ns};

/// Most values of a curve over time; no terminal shows more.
const MOST_VALUES: usize = 120;

/// One class of one visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Digest {
    /// In operations per second in a message, in the unit of the class in the model.
    pub rate: f64,
    /// Mean latency in microseconds; `None` if nothing completed.
    pub latency_us: Option<f64>,
    /// The rate over time, settling included.
    pub rates: Vec<f64>,
    /// The mean latency over time, in microseconds.
    pub latencies_us: Vec<f64>,
}

/// A visit that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct LastVisit {
    /// Which.
    pub at: VisitPosition,
    /// Its classes.
    pub ios: PerClass<Digest>,
}

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The run begins.
    Begun {
        /// The run in a few words: its name, level, engine.
        title: String,
        /// The half-width that every point is to reach; `None` when each is visited once.
        target: Option<f64>,
        /// The points; empty as long as they have to be searched.
        points: Vec<Point>,
        classes: Vec<LoadClass>,
        /// Whether it accepts marks.
        takes_marks: bool,
    },
    /// The points are known.
    Planned {
        /// In the order of the plan.
        points: Vec<Point>,
    },
    /// A visit begins.
    Started {
        /// The visit.
        at: VisitPosition,
    },
    /// A few times a second.
    Tick {
        /// The visit.
        at: VisitPosition,
        /// What the run does.
        activity: Activity,
        /// Since the start.
        elapsed_ns: u64,
        /// What is left, as far as it is known.
        left: TimeRange,
        /// Rates.
        live: LiveFigures,
    },
    /// A visit was made.
    Finished(LastVisit),
    /// The search found what saturates a class.
    LevelFound {
        /// The class.
        class: Class,
        /// The level.
        n_sat: Option<Saturation>,
    },
    /// All visits of a phase were examined.
    Looked {
        /// Points that are certain enough.
        done: usize,
        /// Points of the phase.
        points: usize,
        /// The widest half-width, relative; infinite when a point has none.
        widest: f64,
    },
    /// The predicted end of the run, on its own clock.
    Forecast(TimeRange),
    /// The visits so far were judged.
    JudgedRun(Box<Judgement>),
}

impl Message {
    /// The message for an event; `None` for one that is not shown.
    pub fn of(event: &Event<'_>) -> Option<Self> {
        Some(match *event {
            Event::Begun { header } => begun(header),
            Event::VisitStarted { at } => Self::Started { at },
            Event::Tick { at, activity, elapsed_ns, left, ref live } => {
                Self::Tick { at, activity, elapsed_ns, left, live: live.clone() }
            }
            Event::VisitFinished { visit } => finished(visit),
            Event::LevelFound { class, n_sat } => Self::LevelFound { class, n_sat },
            Event::Planned { plan } => {
                Self::Planned { points: plan.steps.iter().map(|step| step.point).collect() }
            }
            Event::Looked { done, points, widest } => Self::Looked { done, points, widest },
            Event::Forecast { ends } => Self::Forecast(ends),
            Event::IntervalKept { .. } | Event::DrivesAsked { .. } | Event::MarkKept { .. } => return None,
        })
    }
}

fn begun(header: &Header) -> Message {
    let Header { request, plan, nodes, .. } = header;
    let engine = &nodes.first().engine;
    let workers = match plan.workers_of(request, engine.kind) {
        1 => "1 worker".to_owned(),
        several => format!("{several} workers"),
    };
    let (run_id, level) = (printable(&header.run_id), request.level().name());
    Message::Begun {
        title: format!("{run_id}  {level}, {}, {workers}", engine.kind.name()),
        target: plan.adaptive.as_ref().map(|plan| plan.parameters.target).or_else(|| match request.pace() {
            Some(Pace::Adaptive(adaptive)) => Some(adaptive.precision.fraction()),
            Some(Pace::Fixed(_)) | None => None,
        }),
        points: plan.steps.iter().map(|step| step.point).collect(),
        classes: request.classes.clone(),
        takes_marks: request.level() == RunLevel::Through && !request.engine.is_simulated(),
    }
}

fn finished(visit: &Visit) -> Message {
    let at = VisitPosition { step: visit.step, point: visit.point, purpose: visit.purpose };
    let digest = |(class, tally): (&Class, &ClassTally)| {
        (*class, digest(tally, units::iops(tally.completed(), visit.measured_ns)))
    };
    Message::Finished(LastVisit { at, ios: visit.tallies.iter().map(digest).collect() })
}

fn digest(tally: &ClassTally, rate: f64) -> Digest {
    let series = &tally.series;
    let per_value = series.ops.len().div_ceil(MOST_VALUES).max(1);
    let mut digest = Digest { rate, ..Digest::default() };
    for (ops, sums) in series.ops.chunks(per_value).zip(series.latency_sum_ns.chunks(per_value)) {
        let count: u64 = ops.iter().map(|&ops| u64::from(ops)).sum();
        let sum_ns = sums.iter().fold(0_u64, |sum, &ns| sum.saturating_add(ns));
        let span_ns = series.bucket_ns.saturating_mul(ops.len() as u64);
        digest.rates.push(units::iops(count, span_ns));
        digest.latencies_us.push(us_from_ns(to_f64(sum_ns) / to_f64(count.max(1))));
    }
    digest.latency_us = tally.mean_latency_ns().map(us_from_ns);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::units::{MIB, NS_PER_MS, NS_PER_S};

    #[test]
    fn a_visit_over_time_has_few_values() {
        let mut tally = ClassTally::new(MIB, 2, 4 * NS_PER_S);
        for at_ms in (0..4000).step_by(5) {
            tally.series.record(at_ms * NS_PER_MS, 3 * NS_PER_MS);
            tally.reads.record(3 * NS_PER_MS);
        }
        let digest = digest(&tally, 200.0);
        assert_eq!(tally.series.ops.len(), 400);
        assert_eq!(digest.rates, vec![200.0; 100]);
        assert_eq!(digest.latencies_us, vec![3000.0; 100]);
        assert_eq!(digest.latency_us, Some(3000.0));
        let empty = super::digest(&ClassTally::new(8192, 1, 10 * NS_PER_MS), 0.0);
        assert_eq!((empty.latency_us, empty.rates, empty.latencies_us), (None, vec![0.0], vec![0.0]));
    }
}
