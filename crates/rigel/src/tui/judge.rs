//! Numbers, intervals and flags during the run, by the same rules as at its end.
//!
//! They are computed on the coordinator's thread between two visits, when no I/O is in flight, and take little time. They do not reach the record.
//! Must not draw.

use rigel_core::event::Event;
use rigel_core::judge::findings::{Findings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::judge::wrong_data;
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::record::{Interval, Record};
use rigel_core::stats::Basis;
use rigel_core::verify::VerifyCounts;
use std::time::{Duration, Instant};

/// Judging takes at most the time of the run divided by this.
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

#[derive(Clone, Debug, PartialEq)]
pub struct PointSoFar {
    /// The point.
    pub point: Point,
    /// Its classes.
    pub ios: PerClass<Figures>,
    /// Whether the numbers must not be used.
    pub invalid: bool,
    /// Whether it is as precise as requested.
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
pub struct ShownFlag {
    /// What it is about.
    pub about: About,
    /// The same in words: `small 3 large 0`, `17 points`, `the run`.
    pub place: String,
    /// The flag.
    pub code: FlagCode,
    /// Its figures; if points differ, those of one of them.
    pub text: String,
    /// Whether the numbers must not be used.
    pub invalid: bool,
}

/// The findings of the visits so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Points with visits.
    pub points: Vec<PointSoFar>,
    /// Flags, those of the run first; each once, however many points carry it.
    pub flags: Vec<ShownFlag>,
}

/// The record as far as it exists.
#[derive(Debug, Default)]
pub struct PartialRecord {
    record: Option<Record>,
    ended: Option<Instant>,
    took: Duration,
    /// Wrong data found in the intervals of a soak, and in visits of a resumed record, for which no interval is reported.
    wrong: VerifyCounts,
    /// The visit of the last interval.
    in_parts: Option<u64>,
    /// The judgement before.
    last: Judgement,
}

impl PartialRecord {
    /// Adds an event; returns a judgement when it is time for one.
    pub fn event(&mut self, event: &Event<'_>) -> Option<Judgement> {
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
                if self.in_parts != Some(visit.number) {
                    self.wrong.add(&wrong_data::counts([visit], None));
                }
                let record = self.record.as_mut()?;
                let visits = if visit.searches() { &mut record.search } else { &mut record.visits };
                visits.push(visit.clone());
                self.judge_in_time()
            }
            Event::Looked { .. } => self.judge_in_time(),
            Event::IntervalKept { interval } => self.interval(interval),
            Event::VisitStarted { .. }
            | Event::Tick { .. }
            | Event::LevelFound { .. }
            | Event::DrivesAsked { .. }
            | Event::MarkKept { .. }
            | Event::Forecast { .. } => None,
        }
    }

    /// A fault is reported immediately: the visit of a soak takes long.
    fn interval(&mut self, interval: &Interval) -> Option<Judgement> {
        self.in_parts = Some(interval.visit);
        let before = self.wrong.faults.all();
        let found = interval.tallies.values().filter_map(|tally| tally.verified.as_deref());
        found.for_each(|found| self.wrong.add(found));
        let is_new = self.wrong.faults.all() > before;
        is_new.then(|| self.with_wrong_data(self.last.clone()))
    }

    /// The same with the findings of the intervals instead of those of completed visits.
    fn with_wrong_data(&self, mut judgement: Judgement) -> Judgement {
        let targets = self.record.as_ref().map_or(&[][..], |record| &record.header.targets);
        if let Some(text) = wrong_data::sentence(targets, &self.wrong) {
            judgement.flags.retain(|flag| flag.code != FlagCode::WrongData);
            let flag = Flag::new(FlagCode::WrongData, text).invalidating();
            judgement.flags.insert(0, shown(About::Run, "the run".to_owned(), &flag));
        }
        judgement
    }

    fn judge_in_time(&mut self) -> Option<Judgement> {
        let due = self.ended.is_none_or(|ended| ended.elapsed() >= self.took * SHARE);
        if !due {
            return None;
        }
        let began = Instant::now();
        let judgement = self.with_wrong_data(judge(self.record.as_ref()?));
        self.took = began.elapsed();
        self.ended = Some(Instant::now());
        self.last = judgement.clone();
        Some(judgement)
    }
}

fn judge(record: &Record) -> Judgement {
    let findings = Findings::of(record);
    // Where several visits are planned, the error that one visit estimates for itself is no interval yet.
    let least = if findings.target.is_some() { Basis::Visits } else { Basis::OneVisit };
    let points = findings.points.iter().map(|found| PointSoFar {
        point: found.point,
        ios: found.classes().map(|(class, io)| (class, figures(io, least))).collect(),
        invalid: found.invalid(),
        reached: found.reached(),
    });
    Judgement { points: points.collect(), flags: flags(&record.header.request.classes, &findings) }
}

fn figures(io: &IoFindings, basis: Basis) -> Figures {
    let rate = io.rate();
    Figures {
        rate: rate.value,
        latency_us: io.latency_us.map(|us| us.mean.value),
        half_width: rate.half_width().filter(|_| rate.basis == basis),
    }
}

/// The flags, except those that only say that the run is not over yet.
fn flags(classes: &[LoadClass], findings: &Findings) -> Vec<ShownFlag> {
    let of_run = findings.flags.iter().map(|flag| shown(About::Run, "the run".to_owned(), flag));
    let of_curves = findings.curves.iter().flat_map(|found| {
        let place = format!("search of {}", found.load.noun());
        found.flags.iter().map(move |flag| shown(About::Search(found.class()), place.clone(), flag))
    });
    of_run.chain(of_curves).chain(of_points(classes, &findings.points)).collect()
}

fn of_points(classes: &[LoadClass], points: &[PointFindings]) -> Vec<ShownFlag> {
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
        let place = point.words_of(classes);
        // A point may carry a flag twice, once for each class.
        let count = carried.chunk_by(|(one, _), (other, _)| one == other).count();
        if count == 1 {
            return Some(shown(About::Points, place, flag));
        }
        let mut shown = shown(About::Points, format!("{count} points"), flag);
        if carried.iter().any(|(_, one)| one.text != flag.text) {
            shown.text = format!("{place}: {}", shown.text);
        }
        Some(shown)
    };
    carried.into_iter().filter_map(one_of).collect()
}

fn shown(about: About, place: String, flag: &Flag) -> ShownFlag {
    let text = printable(&flag.text).into_owned();
    ShownFlag { about, place, code: flag.code, text, invalid: flag.invalid }
}
