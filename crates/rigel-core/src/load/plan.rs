//! The plan of a run: request and facts in, every step out. Printed by `--dry-run`, kept in the record.
//!
//! A plan is a pure function of its arguments, the seed included. Must not touch anything.

mod adaptive;
mod commits;
mod fit;
mod log;
mod memory;
mod prospect;
mod rates;
mod search;
mod volumes;
mod way;

pub use adaptive::AdaptivePlan;
pub use rates::{RatePoints, RateReach, RateSearch, SHARES};
pub use search::{LevelSearch, Part, SearchOutcome};
pub use volumes::{Volumes, check_lists, volumes};

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::facts::{HostFacts, TargetFacts};
use crate::load::class::{LoadClass, PerClass, Shape};
use crate::load::matrix::{Grid, MAX_POINTS, Point};
use crate::load::pace::{Adaptive, LevelChoice, Pace};
use crate::load::phase::Phase;
use crate::load::request::{CacheWarmUp, DEFAULT_WARM_UP, EngineRequest, Request};
use crate::load::sides::Side;
use crate::load::split::{self, Room};
use crate::load::task::Task;
use crate::load::team::Team;
use crate::load::working_set;
use crate::stats::Parameters;
use crate::units::{NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Unmeasured time at the start of a point, while the queue fills and the device settles.
const SETTLE: Nanos = Nanos::from_millis(500);
/// The measured part of a visit of `rigel calibrate` is its budget divided by this number. Half of the budget pays
/// for about seven points with four visits each, their settling and their rests.
const PARTS_OF_A_BUDGET: u64 = 80;
/// Settling time of the shortest visits of `rigel calibrate`.
const BRISK_SETTLE: Nanos = Nanos::from_millis(200);
/// Measured part of those visits.
const BRISK_MEASURE: Nanos = Nanos::from_millis(500);
/// Rest of a point between two of those visits. The other points of a round usually take longer than that.
const BRISK_REST: Nanos = Nanos::from_secs(2);
/// Most outstanding I/Os of one worker; more of them need another worker.
const OUTSTANDING_PER_WORKER: u32 = 128;

/// This many arrivals per second of an open loop count as one outstanding I/O: a worker can keep the times of 256,000.
const ARRIVALS_PER_OUTSTANDING: u32 = 2000;

/// Unmeasured random large I/O before a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarmUp {
    /// For that time.
    Time(Nanos),
    /// Until that many bytes have been moved.
    Bytes(u64),
}

/// One point, and what a visit to it is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The point.
    pub point: Point,
    /// The load before it.
    pub warm_up: Option<WarmUp>,
    /// Load that is not measured.
    pub settle: Nanos,
    /// Load that is measured.
    pub measure: Nanos,
    /// The distribution of arrivals, if it differs from that of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
}

/// One phase of a load: a visit to the point of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseStep {
    /// The step with its point.
    pub step: usize,
    /// Load that is not measured.
    pub settle: Nanos,
    /// Load that is measured.
    pub measure: Nanos,
}

/// Everything that a run will do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// num_disks as used.
    pub num_disks: u32,
    /// The matrix; empty until its levels have been searched.
    pub grid: Grid,
    /// The points. A run that is not adaptive visits each once, in this order.
    pub steps: Vec<Step>,
    /// The phases of a load, if any: visits to the steps in this order, instead of one to each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseStep>,
    /// How the points are visited repeatedly; `None`: once each.
    pub adaptive: Option<AdaptivePlan>,
    /// The search that finds the levels of the matrix first.
    pub search: Option<LevelSearch>,
    /// The search for a rate that finds the points first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<RateSearch>,
    /// Worker threads.
    pub workers: u32,
    /// Most outstanding I/Os of each class in a point.
    pub max_outstanding: PerClass<u32>,
    /// Memory for all I/O buffers.
    pub buffer_bytes: u64,
    /// Whether some I/O writes.
    pub writes: bool,
    /// ORION's estimate in minutes.
    pub estimate_minutes: u64,
}

impl Plan {
    /// ORION numbers points from 1; the idle point, which is not run, is the first one if there is one.
    pub fn point_number(&self, step: usize) -> u64 {
        let of = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let idle = self.grid.total_points.saturating_sub(of(self.steps.len()));
        idle.saturating_add(of(step)).saturating_add(1)
    }

    /// Plans a run.
    ///
    /// # Errors
    /// When the request does not fit the targets or the host.
    pub fn new(request: &Request, host: &HostFacts, targets: &[TargetFacts]) -> Result<Self, Problem> {
        request.check()?;
        let num_disks = request.num_disks.unwrap_or_else(|| u32::try_from(targets.len()).unwrap_or(u32::MAX));
        let num_disks = check_num_disks(num_disks)?;
        if let Some(rates) = RateSearch::new(request) {
            let ahead = [rates.room];
            let ahead = (Grid::default(), ahead.as_slice(), rates.room);
            let plan = Self::of_grid(request, host, targets, num_disks, ahead)?;
            return Ok(Self { rates: Some(rates), ..plan });
        }
        match request.task {
            Task::Matrix {
                level, shape, levels: levels @ (LevelChoice::Orion | LevelChoice::Ends), ..
            } => {
                let grid = Grid::new(level, shape, num_disks).with_choice(levels);
                let room = grid.most();
                Self::of_grid(request, host, targets, num_disks, (grid, &[], room))
            }
            Task::Load { .. }
            | Task::Rate { .. }
            | Task::Phases(_)
            | Task::Soak { .. }
            | Task::Burst { .. }
            | Task::WorkingSet(_) => {
                let grid = Grid::of_own(&request.classes, &request.points());
                let room = grid.most();
                Self::of_grid(request, host, targets, num_disks, (grid, &[], room))
            }
            Task::Matrix { levels: LevelChoice::Auto, .. } | Task::Calibrate { .. } => {
                let search = LevelSearch::new(request, host, log::first_round(request, targets)?);
                search.check_limit(request)?;
                let ahead = search.likely(request.level()).points;
                let ahead = (Grid::default(), ahead.as_slice(), search.room());
                let plan = Self::of_grid(request, host, targets, num_disks, ahead)?;
                let mut plan = Self { search: Some(search), ..plan };
                plan.estimate_minutes = plan.estimate();
                Ok(plan)
            }
        }
    }

    /// The plan after the search for levels: the matrix around saturation. `spent` is the time since the start of
    /// the run. It is part of the time limit.
    ///
    /// # Errors
    /// When the matrix has more points than a run can have.
    pub fn with_levels(
        &self,
        request: &Request,
        found: &SearchOutcome,
        spent: Nanos,
    ) -> Result<Self, Problem> {
        let Some(search) = &self.search else {
            return Ok(self.clone());
        };
        let grid = search.grid(request.level(), found);
        check_points(&grid)?;
        let steps: Vec<Step> = grid.points.iter().map(|&point| step(request, point)).collect();
        let adaptive = AdaptivePlan::after_search(request, &steps, spent);
        let adaptive =
            adaptive.map(|found| AdaptivePlan { warm_up: search.log_warm_up.or(found.warm_up), ..found });
        let whole_ns = adaptive.as_ref().map_or(spent.0, |adaptive| adaptive.time_after(spent).0);
        let estimate_minutes = minutes(whole_ns);
        Ok(Self { grid, steps, adaptive, estimate_minutes, ..self.clone() })
    }

    /// `ahead`: points as a search may yield them, before there is a grid. `room`: the largest level of each class.
    fn of_grid(
        request: &Request,
        host: &HostFacts,
        targets: &[TargetFacts],
        num_disks: u32,
        (grid, ahead, room): (Grid, &[Point], Point),
    ) -> Result<Self, Problem> {
        check_points(&grid)?;
        for (part, targets) in request.parts(targets) {
            way::check_host(&part, host)?;
            check_targets(&part, host, targets, room)?;
        }
        let points = if ahead.is_empty() { &grid.points } else { ahead };
        let (max_outstanding, buffer_bytes) = memory::check(request, host, room, points)?;
        let mut steps: Vec<Step> = grid.points.iter().map(|&point| step(request, point)).collect();
        let first_round = log::first_round(request, targets)?;
        let needed = || {
            let of_part = |(part, _): (Request, &[TargetFacts])| -> u32 {
                part.classes.iter().map(|class| work_of(class, room.of(class.name))).sum()
            };
            // Each side has workers of its own, and only one of them works.
            let wanted = request.parts(targets).into_iter().map(of_part).max().unwrap_or(0);
            wanted.div_ceil(OUTSTANDING_PER_WORKER).clamp(1, host.cpus.max(1))
        };
        // Each session is a thread that waits. Beside raw I/O, the workers are those of the raw I/O.
        let alone = request.sql().filter(|_| request.sides.is_none());
        let sessions = alone.map(|_| u32::try_from(room.sum()).unwrap_or(u32::MAX));
        let workers = match (request.engine, request.workers) {
            (EngineRequest::Only(EngineKind::Null), Some(asked)) => asked,
            // Virtual time is that of one worker.
            (engine, _) if engine.is_simulated() => 1,
            (_, asked) => asked.or(sessions).unwrap_or_else(needed),
        };
        let mut adaptive = if steps.is_empty() { None } else { AdaptivePlan::new(request, &steps)? };
        match &mut adaptive {
            Some(adaptive) => adaptive.warm_up = first_round.or(adaptive.warm_up),
            None => log::warm_first(&mut steps, request, first_round),
        }
        let mut plan = Self {
            num_disks,
            grid,
            phases: phase_steps(request, &steps),
            steps,
            adaptive,
            search: None,
            rates: None,
            workers,
            max_outstanding,
            buffer_bytes,
            writes: request.classes.iter().any(|class| class.write_percent.writes()),
            estimate_minutes: 0,
        };
        plan.estimate_minutes = plan.estimate();
        Ok(plan)
    }

    /// ORION's rule for one visit each: the number of points (with the idle one) times the duration, plus one minute and the
    /// warm-ups, rounded up. An adaptive run may end earlier or later.
    fn estimate(&self) -> u64 {
        let idle_ns = match (&self.adaptive, self.steps.first()) {
            (None, Some(step)) => {
                let idle = self.grid.total_points.saturating_sub(self.steps.len() as u64);
                idle.saturating_mul(step.measure.0)
            }
            _ => 0,
        };
        let settle_ns: u64 = match &self.adaptive {
            None => self.steps.iter().map(|step| step.settle.0).sum(),
            Some(_) => 0,
        };
        let total = self.known_time().0.saturating_add(idle_ns).saturating_sub(settle_ns);
        minutes(total)
    }

    /// Time of all visits, as far as it is known beforehand. An adaptive run counts its fewest visits.
    pub fn known_time(&self) -> Nanos {
        match (&self.search, &self.adaptive) {
            (Some(search), None) => search.usual_time(),
            (None, None) if self.rates.is_some() => self.rates.as_ref().map_or(Nanos(0), |rates| rates.share),
            (_, Some(adaptive)) => adaptive.least_time(),
            (None, None) => self.steps_time(),
        }
    }

    fn steps_time(&self) -> Nanos {
        let phases = self.phases.iter().map(|phase| phase.settle.0.saturating_add(phase.measure.0));
        let steps = self.steps.iter().map(|step| step.known_time().0);
        Nanos(if self.phases.is_empty() { steps.fold(0, u64::saturating_add) } else { phases.sum() })
    }

    /// Whether the points are known only after a search.
    pub const fn searches(&self) -> bool {
        self.search.is_some() || self.rates.is_some()
    }

    /// The largest level of each class that a visit may have.
    pub fn room(&self) -> Point {
        let of_rates = || self.rates.as_ref().map_or_else(|| self.grid.most(), |rates| rates.room);
        self.search.as_ref().map_or_else(of_rates, LevelSearch::room)
    }

    /// The points, with the classes that they have together as far as these are known before the run.
    fn likely_points(&self, request: &Request) -> Cow<'_, [Point]> {
        match (&self.search, &self.rates) {
            (Some(search), _) => search.likely(request.level()).points.into(),
            (None, Some(rates)) => vec![rates.room].into(),
            (None, None) => self.grid.points.as_slice().into(),
        }
    }

    /// The workers of each class alone, with that engine on each node ([`split::seat`]): one for each outstanding I/O if a worker
    /// waits for its own; none if each worker has a part of every class. `request` may be that of one side.
    pub fn rooms_of(&self, request: &Request, engine: EngineKind, team: &Team) -> Vec<Room> {
        if engine != EngineKind::Sync {
            return Vec::new();
        }
        memory::rooms(&request.classes, &self.max_outstanding, &self.likely_points(request), team)
    }

    /// The workers of a run with that engine; with two sides those of the larger one, as only one of them works at a time.
    pub fn workers_of(&self, request: &Request, engine: EngineKind) -> u32 {
        if engine != EngineKind::Sync {
            return self.workers;
        }
        let of = |part: &Request| split::workers_in(&self.rooms_of(part, engine, &Team::default()));
        match request.sides {
            None => of(request),
            Some(_) => Side::BOTH.iter().map(|&side| of(&request.alone(side))).max().unwrap_or(1),
        }
    }

    /// The memory for the buffers of a run, or of a side of it, with that engine, and for its workers if each outstanding I/O has one.
    pub fn bytes_of(&self, request: &Request, engine: EngineKind) -> u64 {
        memory::bytes(&request.classes, engine, &self.max_outstanding, &self.likely_points(request)).1
    }
}

/// ORION's rule: whole minutes, rounded up, and one more.
const fn minutes(ns: u64) -> u64 {
    ns.div_ceil(60 * NS_PER_S).saturating_add(1)
}

impl Step {
    /// Warm-up (when it is a time), settling and measuring.
    pub const fn known_time(&self) -> Nanos {
        let warm_up = match self.warm_up {
            Some(WarmUp::Time(time)) => time.0,
            Some(WarmUp::Bytes(_)) | None => 0,
        };
        Nanos(warm_up.saturating_add(self.settle.0).saturating_add(self.measure.0))
    }
}

/// The outstanding I/Os of a class that are work for the workers: slots of an open loop are mostly idle, and its arrivals are
/// the work.
fn work_of(class: &LoadClass, level: u32) -> u32 {
    if class.is_open() { level.div_ceil(ARRIVALS_PER_OUTSTANDING) } else { class.outstanding(level) }
}

fn check_num_disks(num_disks: u32) -> Result<u32, Problem> {
    if num_disks == 0 {
        return Err(
            Problem::usage("there is no target").next("name a file or device, or list them in a .lun file")
        );
    }
    if num_disks > 10_000 {
        return Err(Problem::usage(format!(
            "{num_disks} disks give load levels beyond what any host can submit"
        ))
        .next("the number of disks only sets the range of loads; give at most 10000"));
    }
    Ok(num_disks)
}

fn check_points(grid: &Grid) -> Result<(), Problem> {
    if grid.points.len() > MAX_POINTS {
        return Err(Problem::usage(format!("the matrix has {} data points", grid.points.len()))
            .next(format!("choose smaller counts; at most {MAX_POINTS} points can be run")));
    }
    Ok(())
}

fn check_targets(
    request: &Request,
    host: &HostFacts,
    targets: &[TargetFacts],
    room: Point,
) -> Result<(), Problem> {
    if targets.is_empty() {
        return Err(
            Problem::usage("there is no target").next("name a file or device, or list them in a .lun file")
        );
    }
    if targets.len() > usize::from(u16::MAX) {
        return Err(
            Problem::usage(format!("{} targets is too many", targets.len())).next("use at most 65535")
        );
    }
    let used = request.classes.iter().filter(|class| room.of(class.name) > 0 && class.is_block_io());
    for class in used {
        for target in targets {
            fit::check(target, class)?;
            way::check(request, host, target, class.name.name(), class.io_bytes())?;
        }
        fit::check_readers(targets, class, room)?;
    }
    Ok(())
}

fn step(request: &Request, point: Point) -> Step {
    if let Some(times) = request.size_times() {
        let (settle, measure) = (working_set::SETTLE, times.measure(point));
        return Step { point, warm_up: None, settle, measure, shape: None };
    }
    match request.pace() {
        Some(Pace::Fixed(duration)) => {
            let (warm_up, settle) = (warm_up(request, point), settle(duration));
            Step { point, warm_up, settle, measure: duration, shape: None }
        }
        // A warm-up would be a phase of its own.
        None => {
            let own = || request.phases().iter().filter(|phase| phase.point == point);
            let (settle, measure) = parted(request, own().map(|phase| phase.time).max().unwrap_or_default());
            let shape = own().next().and_then(|phase| phase.shape);
            Step { point, warm_up: None, settle, measure, shape }
        }
        // No warm-up: the visits to other points in between do the same.
        Some(Pace::Adaptive(adaptive)) => {
            let mut parameters = parameters(request, &adaptive);
            if commits::has(request, point) {
                parameters = commits::parameters(&parameters, &adaptive);
            }
            let (settle, measure) = (Nanos(parameters.settle_ns), Nanos(parameters.measure_ns));
            Step { point, warm_up: None, settle, measure, shape: None }
        }
    }
}

fn settle(duration: Nanos) -> Nanos {
    Nanos(SETTLE.0.min(duration.0 / 10))
}

/// The settling and the measured part of a phase. In a burst every I/O counts.
fn parted(request: &Request, time: Nanos) -> (Nanos, Nanos) {
    let settle = if request.burst().is_some() { Nanos(0) } else { settle(time) };
    (settle, Nanos(time.0.saturating_sub(settle.0)))
}

/// The phases of a checked request by the steps that have their points.
fn phase_steps(request: &Request, steps: &[Step]) -> Vec<PhaseStep> {
    let phase = |phase: &Phase| {
        let (settle, measure) = parted(request, phase.time);
        let step = steps.iter().position(|step| step.point == phase.point)?;
        Some(PhaseStep { step, settle, measure })
    };
    match &request.task {
        Task::Phases(phases) | Task::Soak { phases, .. } | Task::Burst { phases, .. } => {
            phases.iter().filter_map(phase).collect()
        }
        Task::Matrix { .. }
        | Task::Load { .. }
        | Task::Calibrate { .. }
        | Task::Rate { .. }
        | Task::WorkingSet(_) => Vec::new(),
    }
}

/// The parameters of an adaptive run. `rigel calibrate` has a fixed budget, so its visits are shorter.
fn parameters(request: &Request, adaptive: &Adaptive) -> Parameters {
    let usual = Parameters::new(adaptive.precision.fraction(), adaptive.fast);
    if request.sides.is_some() {
        return usual.in_turns();
    }
    if let Some(of_rates) = rates::parameters(request, usual) {
        return of_rates;
    }
    let Some(budget) = commits::time_before(request).filter(|_| request.bound().is_some()) else {
        return usual;
    };
    let share_ns = budget.0 / PARTS_OF_A_BUDGET;
    let settle_ns = usual.settle_ns.min(share_ns / 3).max(BRISK_SETTLE.0);
    let measure_ns = usual.measure_ns.min(share_ns).max(BRISK_MEASURE.0);
    let longest_measure_ns = usual.longest_measure_ns.min(4 * measure_ns);
    let gap_ns = BRISK_REST.0;
    // Only commits come after the points, and reads leave nothing behind that they would have to wait for.
    let pause_ns = 0;
    Parameters { settle_ns, measure_ns, longest_measure_ns, gap_ns, gap_few_ns: gap_ns, pause_ns, ..usual }
}

/// ORION's warm-up before a large sequential point.
fn warm_up(request: &Request, point: Point) -> Option<WarmUp> {
    if !request.classes.iter().any(|class| class.streams() && point.of(class.name) > 0) {
        return None;
    }
    match request.cache {
        CacheWarmUp::Default => Some(WarmUp::Time(DEFAULT_WARM_UP)),
        CacheWarmUp::Bytes(bytes) => Some(WarmUp::Bytes(bytes)),
        CacheWarmUp::Off => None,
    }
}

#[cfg(test)]
mod tests;
