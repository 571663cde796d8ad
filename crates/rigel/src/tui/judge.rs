//! The visits so far, judged as they will be at the end: numbers, intervals and flags while the run goes on.
//!
//! Judging runs on the coordinator's thread between two visits, when no I/O is in flight, and takes a small share of the
//! time at most. Nothing of it reaches the record. Must not draw.

use rigel_core::event::Event;
use rigel_core::judge::findings::{Basis, Findings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::Class;
use rigel_core::path_text::printable;
use rigel_core::record::Record;
use std::time::{Duration, Instant};

/// Judging may take one part of so many of the time of a run.
const SHARE: u32 = 50;

/// One class of one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// IOPS of small I/Os, MBPS of large ones.
    pub rate: f64,
    /// Mean latency in microseconds.
    pub latency_us: Option<f64>,
    /// Half the width of the interval of the rate, relative.
    pub half_width: Option<f64>,
}

/// One point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPoint {
    /// Which.
    pub point: Point,
    /// Its small I/Os.
    pub small: Option<Figures>,
    /// Its large I/Os.
    pub large: Option<Figures>,
    /// Whether the numbers must not be used.
    pub invalid: bool,
    /// Whether it is as sure as was asked for.
    pub reached: bool,
}

/// What a flag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The run as a whole.
    Run,
    /// The search for the levels of a class.
    Search(Class),
    /// One or more points.
    Points,
}

/// A flag; of all points that carry it, one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldFlag {
    /// What it is about.
    pub about: About,
    /// The same in words: `small 3 large 0`, `17 points`, `the run`.
    pub place: String,
    /// Which.
    pub code: FlagCode,
    /// Its figures; where points differ, those of one of them.
    pub text: String,
    /// Whether the numbers must not be used.
    pub invalid: bool,
}

/// What is known so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedRun {
    /// Points with visits.
    pub points: Vec<JudgedPoint>,
    /// Flags, those of the run first; each once, however many points carry it.
    pub flags: Vec<ToldFlag>,
}

/// The record as far as it has come.
#[derive(Debug, Default)]
pub struct SoFar {
    record: Option<Record>,
    ended: Option<Instant>,
    took: Duration,
}

impl SoFar {
    /// Adds what happened; gives a judgement when it is time for one.
    pub fn event(&mut self, event: &Event<'_>) -> Option<JudgedRun> {
        match *event {
            Event::Begun { header } => {
                self.record = Some(Record::begun(header.clone()));
                None
            }
            Event::Planned { plan } => {
                if let Some(record) = &mut self.record {
                    record.header.plan = plan.clone();
                }
                None
            }
            Event::VisitFinished { visit } => {
                let record = self.record.as_mut()?;
                let visits = if visit.searches() { &mut record.search } else { &mut record.visits };
                visits.push(visit.clone());
                self.judge_in_time()
            }
            Event::Looked { .. } => self.judge_in_time(),
            Event::VisitStarted { .. } | Event::Tick { .. } | Event::LevelFound { .. } => None,
        }
    }

    fn judge_in_time(&mut self) -> Option<JudgedRun> {
        let due = self.ended.is_none_or(|ended| ended.elapsed() >= self.took * SHARE);
        if !due {
            return None;
        }
        let began = Instant::now();
        let judged = judged(self.record.as_ref()?);
        self.took = began.elapsed();
        self.ended = Some(Instant::now());
        Some(judged)
    }
}

fn judged(record: &Record) -> JudgedRun {
    let findings = Findings::of(record);
    // What one visit of several tells of its own error is no interval yet.
    let least = if findings.target.is_some() { Basis::Visits } else { Basis::OneVisit };
    let points = findings.points.iter().map(|found| JudgedPoint {
        point: found.point,
        small: found.small.as_ref().map(|io| figures(io, io.iops, least)),
        large: found.large.as_ref().map(|io| figures(io, io.mbps, least)),
        invalid: found.invalid(),
        reached: found.reached(),
    });
    JudgedRun { points: points.collect(), flags: flags(&findings) }
}

fn figures(io: &IoFindings, rate: f64, basis: Basis) -> Figures {
    let interval = io.sure.iops.filter(|_| io.sure.basis == basis);
    Figures {
        rate,
        latency_us: io.latency_us.map(|us| us.mean),
        half_width: interval.map(|interval| interval.relative_half_width),
    }
}

/// Without what only says that the run is not over yet.
fn flags(findings: &Findings) -> Vec<ToldFlag> {
    let of_run = findings.flags.iter().map(|flag| told(About::Run, "the run".to_owned(), flag));
    let of_curves = findings.curves.iter().flat_map(|found| {
        let place = format!("search of {} I/O", found.class.name());
        found.flags.iter().map(move |flag| told(About::Search(found.class), place.clone(), flag))
    });
    of_run.chain(of_curves).chain(of_points(&findings.points)).collect()
}

fn of_points(points: &[PointFindings]) -> Vec<ToldFlag> {
    let mut carried: Vec<Vec<(Point, &Flag)>> = Vec::new();
    for found in points {
        for flag in found.flags.iter().filter(|flag| flag.code != FlagCode::NotReached) {
            let is_same = |known: &&mut Vec<(Point, &Flag)>| {
                known.iter().any(|(_, one)| one.code == flag.code && one.invalid == flag.invalid)
            };
            match carried.iter_mut().find(is_same) {
                Some(known) => known.push((found.point, flag)),
                None => carried.push(vec![(found.point, flag)]),
            }
        }
    }
    let one_of = |carried: Vec<(Point, &Flag)>| {
        let &(point, flag) = carried.last()?;
        let place = format!("small {} large {}", point.small, point.large);
        // A point may carry a flag twice, once for each class.
        let count = carried.chunk_by(|(one, _), (other, _)| one == other).count();
        if count == 1 {
            return Some(told(About::Points, place, flag));
        }
        let mut told = told(About::Points, format!("{count} points"), flag);
        if carried.iter().any(|(_, one)| one.text != flag.text) {
            told.text = format!("{place}: {}", told.text);
        }
        Some(told)
    };
    carried.into_iter().filter_map(one_of).collect()
}

fn told(about: About, place: String, flag: &Flag) -> ToldFlag {
    let text = printable(&flag.text).into_owned();
    ToldFlag { about, place, code: flag.code, text, invalid: flag.invalid }
}
