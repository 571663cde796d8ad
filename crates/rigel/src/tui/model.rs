//! The state that the live view shows, built from its messages.
//!
//! Pure: messages and keys in, state out. Must not know a terminal.

use super::judge::{Figures, PointSoFar, ShownFlag};
use super::marking::Marking;
use super::message::{Digest, Message};
use rigel_core::event::{Activity, LiveFigures, Saturation, VisitPosition};
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::record::Purpose;
use rigel_core::stats::forecast::TimeRange;
use std::collections::{BTreeMap, VecDeque};

/// Ticks of a visit that are kept; a visit of several minutes shows the last ones.
const MOST_TICKS: usize = 600;
/// A latency of an open loop is shown for this many ticks, about a second and a half, unless a newer one is known.
const TICKS_OF_A_LATENCY: usize = 15;
/// Examinations whose widest interval is kept.
const MOST_LOOKS: usize = 8;

/// The number of a point that its cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// IOPS if there is small I/O, otherwise MBPS.
    #[default]
    Rate,
    /// MBPS of large I/O.
    Mbps,
    /// Mean latency, of small I/O if there is some.
    Latency,
    /// Half the width of the wider interval.
    Width,
}

impl Layer {
    /// The one that Tab shows next.
    const fn next(self) -> Self {
        match self {
            Self::Rate => Self::Mbps,
            Self::Mbps => Self::Latency,
            Self::Latency => Self::Width,
            Self::Width => Self::Rate,
        }
    }
}

/// What is known about a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Visits so far, long ones included.
    pub visits: usize,
    /// Its classes.
    pub ios: PerClass<Figures>,
    /// Whether the numbers must not be used.
    pub invalid: bool,
    /// Whether it is as precise as requested.
    pub reached: bool,
}

impl Cell {
    /// The wider of its intervals: half its width, relative.
    pub fn half_width(&self) -> Option<f64> {
        let widths = self.ios.values().map(|figures| figures.half_width);
        widths.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }
}

/// A visit that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct LastVisit {
    /// Which.
    pub at: VisitPosition,
    /// Its classes.
    pub ios: PerClass<Digest>,
}

/// How many points are certain enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// This many.
    pub done: usize,
    /// Out of this many of the phase.
    pub points: usize,
    /// The widest half-width of the latest examinations, relative, the newest last.
    pub widest: VecDeque<f64>,
}

/// Everything that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The run in a few words.
    pub title: String,
    /// The half-width that was requested.
    pub target: Option<f64>,
    /// The points of the plan; during a search those that it visited.
    pub cells: BTreeMap<Point, Cell>,
    /// Points of the plan; 0 as long as they are searched.
    pub steps: usize,
    /// The visit that continues.
    pub now: Option<VisitPosition>,
    /// What is being done in it.
    pub activity: Option<Activity>,
    /// Rates at its ticks.
    pub ticks: VecDeque<LiveFigures>,
    /// The load classes of the run.
    pub classes: Vec<LoadClass>,
    /// The visit before.
    pub last: Option<LastVisit>,
    /// Since the start of the run.
    pub elapsed_ns: u64,
    /// What is left, as far as it is known; `None` before the first tick.
    pub left: Option<TimeRange>,
    /// How certain the points are.
    pub looks: Looks,
    /// What the search found: class and level.
    pub levels: Vec<(Class, Option<Saturation>)>,
    /// The newest first.
    pub flags: Vec<ShownFlag>,
    /// Whether the user has ended the run.
    pub stopping: bool,
    /// What cells show.
    pub layer: Layer,
    /// Whether the page of help is open.
    pub help: bool,
    /// The mark that the user is typing.
    pub marking: Marking,
}

impl Model {
    /// Takes in what happened.
    pub fn apply(&mut self, message: Message) {
        match message {
            Message::Begun { title, target, points, classes, takes_marks } => {
                (self.title, self.target, self.classes) = (title, target, classes);
                self.marking.is_possible = takes_marks;
                self.plan(&points);
            }
            Message::Planned { points } => self.plan(&points),
            Message::Started { at } => {
                self.now = Some(at);
                self.activity = None;
                self.ticks.clear();
            }
            Message::Tick { at, activity, elapsed_ns, left, live } => {
                self.now = Some(at);
                (self.elapsed_ns, self.left) = (elapsed_ns, Some(left));
                self.tick(activity, live);
            }
            Message::Finished(last) => self.finished(last),
            Message::LevelFound { class, n_sat } => self.levels.push((class, n_sat)),
            Message::Looked { done, points, widest } => {
                (self.looks.done, self.looks.points) = (done, points);
                self.looks.widest.push_back(widest);
                while self.looks.widest.len() > MOST_LOOKS {
                    self.looks.widest.pop_front();
                }
            }
            Message::Forecast(ends) => self.left = Some(ends.after(self.elapsed_ns)),
            Message::JudgedRun(judged) => {
                judged.points.iter().for_each(|found| self.judged(found));
                self.update_flags(judged.flags);
            }
        }
    }

    /// The next number in the cells.
    pub const fn next_layer(&mut self) {
        self.layer = self.layer.next();
    }

    /// The rates of one class in the current visit, and its latencies in microseconds. Those of a closed loop come
    /// from Little's law (outstanding I/Os divided by the rate), because workers report theirs only after the visit;
    /// the number in flight of an open loop is unknown, so its workers report their mean.
    pub fn live(&self, class: &LoadClass) -> Option<Digest> {
        let outstanding = class.outstanding(self.now?.point.of(class.name));
        if outstanding == 0 {
            return None;
        }
        let per_s: Vec<f64> =
            self.ticks.iter().map(|live| live.per_s.get(&class.name).copied().unwrap_or(0.0)).collect();
        let by_little = |per_s: &f64| if *per_s > 0.0 { 1e6 * f64::from(outstanding) / per_s } else { 0.0 };
        let told = |live: &LiveFigures| live.latency_us.get(&class.name).copied().unwrap_or(0.0);
        let latencies_us: Vec<f64> = if class.is_open() {
            self.ticks.iter().map(told).collect()
        } else {
            per_s.iter().map(by_little).collect()
        };
        // Of few arrivals there may be none between two ticks.
        let lasts = if class.is_open() { TICKS_OF_A_LATENCY } else { 1 };
        let latency_us = latencies_us.iter().rev().take(lasts).copied().find(|us| *us > 0.0);
        let rates: Vec<f64> = per_s.iter().map(|per_s| per_s * class.scale()).collect();
        Some(Digest { rate: *rates.last()?, latency_us, rates, latencies_us })
    }

    fn plan(&mut self, points: &[Point]) {
        self.steps = points.len();
        self.cells = points.iter().map(|&point| (point, Cell::default())).collect();
    }

    /// Stores the rates of a visit, except the first, which has no tick before it. A rest has no rate.
    fn tick(&mut self, activity: Activity, live: LiveFigures) {
        let first = self.activity != Some(activity);
        self.activity = Some(activity);
        if first {
            self.ticks.clear();
        } else if activity != Activity::Rest {
            self.ticks.push_back(live);
        }
        while self.ticks.len() > MOST_TICKS {
            self.ticks.pop_front();
        }
    }

    fn finished(&mut self, mut last: LastVisit) {
        for (name, digest) in &mut last.ios {
            let class = self.classes.iter().find(|class| class.name == *name);
            let scale = class.map_or(1.0, LoadClass::scale);
            digest.rate *= scale;
            digest.rates.iter_mut().for_each(|rate| *rate *= scale);
        }
        let searching = matches!(last.at.purpose, Purpose::Search(_));
        if searching || self.cells.contains_key(&last.at.point) {
            let target_is_reached = self.target.is_none();
            let cell = self.cells.entry(last.at.point).or_default();
            cell.visits += 1;
            // Until the visits are judged together, a cell shows the first of them.
            let provisional = |digest: &Digest| Figures {
                rate: digest.rate,
                latency_us: digest.latency_us,
                half_width: None,
            };
            if cell.visits == 1 || searching {
                cell.ios = last.ios.iter().map(|(class, digest)| (*class, provisional(digest))).collect();
                cell.reached = target_is_reached;
            }
        }
        self.last = Some(last);
    }

    fn judged(&mut self, found: &PointSoFar) {
        if let Some(cell) = self.cells.get_mut(&found.point) {
            cell.ios = found.ios.clone();
            cell.invalid = found.invalid;
            cell.reached = found.reached || self.target.is_none();
        }
    }

    /// New flags are added at the top; existing ones keep their order below.
    fn update_flags(&mut self, mut flags: Vec<ShownFlag>) {
        // Figures and places change with every visit.
        let is_known = |one: &ShownFlag, flag: &ShownFlag| {
            (one.about, one.code, one.invalid) == (flag.about, flag.code, flag.invalid)
        };
        let mut kept = Vec::new();
        for old in &self.flags {
            if let Some(place) = flags.iter().position(|flag| is_known(old, flag)) {
                kept.push(flags.remove(place));
            }
        }
        flags.append(&mut kept);
        self.flags = flags;
    }
}

#[cfg(test)]
mod tests;
