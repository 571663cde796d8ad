//! A recorded period as a load: what the disks of a host did, in phases that a run can repeat.
//!
//! ```text
//! History, a day at a time -> gather: stretches, minutes -> phases: alike stretches together -> mix: classes and rates -> LoadFile
//!                                                           bursts: the shape of arrivals ----^
//! ```
//! What the source does not say is assumed, and listed as [`Assumption`]. Must not open the store, and must not word anything.

mod bursts;
mod gather;
mod mix;
mod phases;

pub use bursts::{Bursts, Minute};
pub use gather::{Flow, Gatherer, HistoryExcerpt, Life, Row, UNKNOWN_BYTES};
pub use mix::{LARGEST, SMALLEST};
pub use phases::PhaseLimit;

use super::MS_PER_S;
use mix::Mix;
use rigel_core::error::Problem;
use rigel_core::load::class::{LoadClass, MAX_RATE, Shape};
use rigel_core::load::file::LoadFile;
use rigel_core::load::matrix::Point;
use rigel_core::load::phase::{MOST_PHASES, Phase};
use rigel_core::load::workload::Layout;
use rigel_core::units::{NS_PER_MS, Nanos, to_f64};
use std::ops::Range;

/// Stretches unless another length is requested: as many as there are five minutes in a week.
const USUAL_STRETCHES: i64 = 2016;
/// Two weeks of minutes.
const MOST_STRETCHES: usize = 20_160;
/// Their lengths, in seconds; each is a whole part of a day.
const STEPS_S: [u32; 14] = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];
/// A difference between the varying load and its replay that is worth reporting.
const LESS: f64 = 0.95;

/// What the load of a history has to assume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Assumption {
    /// Offsets on the disks: anywhere.
    Places,
    /// No write waits until it is durable.
    Sync,
    /// Sizes, known only as a mean.
    Sizes,
    /// Arrivals that know nothing of each other (Poisson) in this many phases, because nothing shorter than ten seconds is known there.
    Poisson(usize),
    /// Reads and writes are independent of each other.
    Independent,
    /// In this many phases, bursts of which a load can have only a part.
    WeakerBursts {
        /// Phases.
        phases: usize,
        /// The least part.
        part: f64,
    },
    /// Which operations write, judged by the bytes in both directions.
    Directions,
    /// Which operations write, judged by those of the host as a whole.
    DirectionsOfHost,
    /// An I/O has 8 KiB, because there are no bytes.
    Bytes,
    /// This many phases without I/O have one I/O per second.
    Idle(usize),
    /// Smaller I/Os on average have the smallest size.
    Small,
}

/// A phase as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcePhase {
    /// From, in milliseconds of the epoch.
    pub from_ms: i64,
    /// To.
    pub to_ms: i64,
    /// How much of that is known, in milliseconds.
    pub covered_ms: i64,
    /// Stretches.
    pub stretches: usize,
    /// Average reads.
    pub reads: Flow,
    /// Average writes.
    pub writes: Flow,
    /// Operations per second of the busiest stretch.
    pub most_ops: f64,
    /// How bursty it was, if known.
    pub bursts: Option<Bursts>,
    /// The dispersion that the load is expected to have.
    pub expected: f64,
}

/// A recorded time as a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The load.
    pub load: LoadFile,
    /// Its phases before scaling.
    pub phases: Vec<SourcePhase>,
    /// The length of a stretch, in milliseconds.
    pub step_ms: u32,
    /// Number of stretches.
    pub stretches: usize,
    /// The factor by which the rates are scaled.
    pub scale: f64,
    /// What was assumed.
    pub assumed: Vec<Assumption>,
}

/// The length of stretches of a time, for sources of these intervals.
pub fn step_ms(lives: &[Life], (from_ms, to_ms): (i64, i64)) -> u32 {
    let usual_ms = lives.iter().map(|life| life.interval_ms).max().unwrap_or(0);
    let least_ms = usual_ms.max((to_ms - from_ms) / USUAL_STRETCHES);
    // Times of tools waver: an interval of 300.4 s is one of five minutes.
    let fits = |step: &&u32| i64::from(**step) * MS_PER_S * 101 >= least_ms * 100;
    STEPS_S.iter().find(fits).copied().unwrap_or(86_400) * 1000
}

/// Whether stretches may have that length: whole parts of a day, so that a day can be taken by itself.
pub fn is_step(step_ms: i64) -> bool {
    (MS_PER_S..=super::DAY_MS).contains(&step_ms) && super::DAY_MS % step_ms == 0
}

impl Replay {
    /// The load of what was gathered.
    ///
    /// # Errors
    /// When nothing is known, when there was no I/O, or when no run can have such a load.
    pub fn of(
        gathered: &HistoryExcerpt,
        step_ms: u32,
        most: PhaseLimit,
        scale: f64,
    ) -> Result<Self, Problem> {
        let HistoryExcerpt { rows, minutes, unparted, parted_as_host, without_bytes, .. } = gathered;
        if rows.len() > MOST_STRETCHES {
            return Err(Problem::usage(format!("{} intervals is too many", rows.len()))
                .at("--every")
                .because(format!("each is compared with its neighbours, at most {MOST_STRETCHES} in all"))
                .next("use longer intervals or a shorter time range"));
        }
        let parts = phases::phases(rows, most);
        if parts.len() > MOST_PHASES {
            return Err(Problem::usage(format!("{} phases is too many", parts.len()))
                .at("--phases")
                .next(format!("use at most {MOST_PHASES}, or longer intervals with --every")));
        }
        let mut was: Vec<SourcePhase> =
            parts.into_iter().map(|part| SourcePhase::of(rows, part, minutes)).collect();
        if !was.iter().any(|phase| phase.reads.ops + phase.writes.ops > 0.0) {
            return Err(Problem::usage("there was no I/O in that time")
                .at("--from, --to")
                .next("choose another time or other disks; rigel capacity show displays their I/O"));
        }
        let mix = Mix::of(was.iter().map(|phase| phase.reads), was.iter().map(|phase| phase.writes));
        let mut maker = Maker { mix: &mix, scale, phases: Vec::new(), idle: 0, weaker: (0, 1.0), poisson: 0 };
        was.iter_mut().try_for_each(|phase| maker.add(phase))?;
        let mut assumed = vec![Assumption::Places, Assumption::Sizes];
        if was.iter().any(|phase| phase.writes.ops > 0.0) {
            assumed.extend([Assumption::Sync, Assumption::Independent]);
        }
        let is_small = |flow: Flow| flow.mean_bytes().is_some_and(|mean| mean < 0.99 * to_f64(SMALLEST));
        let found = [
            (maker.poisson > 0).then_some(Assumption::Poisson(maker.poisson)),
            (maker.weaker.0 > 0)
                .then_some(Assumption::WeakerBursts { phases: maker.weaker.0, part: maker.weaker.1 }),
            unparted.then_some(Assumption::Directions),
            parted_as_host.then_some(Assumption::DirectionsOfHost),
            without_bytes.then_some(Assumption::Bytes),
            (maker.idle > 0).then_some(Assumption::Idle(maker.idle)),
            was.iter()
                .any(|phase| is_small(phase.reads) || is_small(phase.writes))
                .then_some(Assumption::Small),
        ];
        assumed.extend(found.into_iter().flatten());
        let load = load(&mix.classes, maker.phases);
        Ok(Self { load, phases: was, step_ms, stretches: rows.len(), scale, assumed })
    }

    /// Operations per second of the busiest stretch, and of the busiest phase.
    pub fn busiest(&self) -> (f64, f64) {
        let most = |of: fn(&SourcePhase) -> f64| self.phases.iter().map(of).fold(0.0, f64::max);
        (most(|phase| phase.most_ops), most(|phase| phase.reads.ops + phase.writes.ops))
    }
}

impl SourcePhase {
    /// Whether the load can have only a part of its bursts; arrivals more even than chance had none.
    pub fn has_weaker_bursts(&self) -> bool {
        self.bursts.is_some_and(|was| was.dispersion > 1.0 && self.expected < LESS * was.dispersion)
    }

    fn of(rows: &[Row], part: Range<usize>, minutes: &[Minute]) -> Self {
        let rows = &rows[part];
        let count = to_f64(rows.len().max(1) as u64);
        // Stretches are of equal length.
        let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / count;
        let (from_ms, to_ms) = rows
            .first()
            .zip(rows.last())
            .map_or((0, 0), |(first, last)| (first.span.start_ms, last.span.end_ms()));
        let own = minutes.partition_point(|one| one.start_ms < from_ms)
            ..minutes.partition_point(|one| one.start_ms < to_ms);
        Self {
            from_ms,
            to_ms,
            covered_ms: rows.iter().map(|row| i64::from(row.span.length_ms)).sum(),
            stretches: rows.len(),
            reads: Flow { ops: mean(|row| row.reads.ops), bytes: mean(|row| row.reads.bytes) },
            writes: Flow { ops: mean(|row| row.writes.ops), bytes: mean(|row| row.writes.bytes) },
            most_ops: rows.iter().map(|row| row.reads.ops + row.writes.ops).fold(0.0, f64::max),
            bursts: Bursts::of(&minutes[own]),
            expected: 1.0,
        }
    }
}

/// Makes the phases of the load, one after the other.
struct Maker<'a> {
    mix: &'a Mix,
    scale: f64,
    phases: Vec<Phase>,
    idle: usize,
    /// How many have weaker bursts, and the smallest part of them.
    weaker: (usize, f64),
    poisson: usize,
}

impl Maker<'_> {
    fn add(&mut self, was: &mut SourcePhase) -> Result<(), Problem> {
        let scaled = |flow: Flow| Flow { ops: flow.ops * self.scale, bytes: flow.bytes * self.scale };
        let mut point = self.mix.point(scaled(was.reads), scaled(was.writes));
        let is_idle = point.sum() == 0;
        if is_idle {
            self.idle += 1;
            let first = self.mix.classes.first().map(|class| class.name);
            point = first.map_or(point, |class| Point::alone(class, 1));
        }
        if let Some((class, _)) = point.classes().find(|one| one.1 > MAX_RATE) {
            return Err(Problem::usage(format!("{class}: no host can submit that many I/Os per second"))
                .at("--scale")
                .next("give a smaller scale"));
        }
        let mut shape = if is_idle { None } else { self.shape(was, point) };
        // Phases of one load are one point of a run, whose arrivals have one shape: one I/O more tells them apart, or the shape that is there is taken.
        let busiest = point.classes().max_by_key(|one| one.1);
        let taken =
            |point: Point| self.phases.iter().find(|other| other.point == point).map(|other| other.shape);
        while let (Some(other), Some((class, rate))) = (taken(point).filter(|&other| other != shape), busiest)
        {
            if point.of(class) >= rate + (rate / 50).max(1) {
                shape = other;
            } else {
                point = point.with(class, point.of(class) + 1);
            }
        }
        let time = Nanos(was.covered_ms.unsigned_abs().saturating_mul(NS_PER_MS));
        self.phases.push(Phase { time, point, shape });
        Ok(())
    }

    /// The shape of the arrivals of a phase.
    fn shape(&mut self, was: &mut SourcePhase, point: Point) -> Option<Shape> {
        let Some(bursts) = was.bursts else {
            self.poisson += 1;
            return None;
        };
        let rates: Vec<u32> = point.classes().map(|one| one.1).collect();
        // More of the same users are more of independent ones: what each does varies as before.
        let (shape, expected) = bursts.shape(&rates);
        was.expected = expected;
        if was.has_weaker_bursts() {
            self.weaker = (self.weaker.0 + 1, self.weaker.1.min(expected / bursts.dispersion));
        }
        (shape != Shape::Poisson).then_some(shape)
    }
}

/// The load, without classes that no phase has.
fn load(classes: &[LoadClass], phases: Vec<Phase>) -> LoadFile {
    let is_used = |class: &&LoadClass| phases.iter().any(|phase| phase.point.of(class.name) > 0);
    let mut points: Vec<Point> = Vec::new();
    for phase in &phases {
        if !points.contains(&phase.point) {
            points.push(phase.point);
        }
    }
    LoadFile {
        classes: classes.iter().filter(is_used).cloned().collect(),
        points,
        layout: Layout::Concat,
        phases,
        node_share: Vec::new(),
        what_if: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
