//! The plan of a run: request and facts in, every step out. Printed by `--dry-run`, kept in the record.
//!
//! A plan is a pure function of its arguments, the seed included. Must not touch anything.

use crate::error::Problem;
use crate::facts::{HostFacts, TargetFacts};
use crate::matrix::{Grid, MAX_POINTS, Point};
use crate::request::{CacheWarmUp, DEFAULT_WARM_UP, MAX_OUTSTANDING, Request};
use crate::units::{Bytes, NS_PER_S, Nanos};
use crate::volume::Volume;
use crate::workload::{LargePattern, Layout};
use serde::{Deserialize, Serialize};

/// Unmeasured time at the start of a point, while the queue fills and the device settles.
const SETTLE: Nanos = Nanos::from_millis(500);
/// Outstanding I/Os that one worker is trusted with before another one is started.
const OUTSTANDING_PER_WORKER: u32 = 128;

/// Unmeasured random large I/O before a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarmUp {
    /// For that long.
    Time(Nanos),
    /// Until that many bytes were moved.
    Bytes(u64),
}

/// One visit to one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The point.
    pub point: Point,
    /// What comes before it.
    pub warm_up: Option<WarmUp>,
    /// Load that is not measured.
    pub settle: Nanos,
    /// Load that is measured.
    pub measure: Nanos,
}

/// Everything that a run will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// num_disks as used.
    pub num_disks: u32,
    /// The matrix.
    pub grid: Grid,
    /// Visits in the order of execution.
    pub steps: Vec<Step>,
    /// Worker threads.
    pub workers: u32,
    /// Most outstanding small I/Os of a point.
    pub max_small_outstanding: u32,
    /// Most outstanding large I/Os of a point.
    pub max_large_outstanding: u32,
    /// Memory for all I/O buffers.
    pub buffer_bytes: u64,
    /// Whether some I/O writes.
    pub writes: bool,
    /// ORION's estimate in minutes.
    pub estimate_minutes: u64,
}

impl Plan {
    /// Plans a run.
    ///
    /// # Errors
    /// When the request does not fit the targets or the host.
    pub fn new(request: &Request, host: &HostFacts, targets: &[TargetFacts]) -> Result<Self, Problem> {
        request.check()?;
        let num_disks = request.num_disks.unwrap_or_else(|| u32::try_from(targets.len()).unwrap_or(u32::MAX));
        let grid = Grid::new(request.level, request.shape, check_num_disks(num_disks)?);
        check_targets(request, targets, &grid)?;
        let max_small = grid.max_small();
        let max_large = large_outstanding(request.large_pattern, grid.max_large())?;
        let buffer_bytes = check_buffers(request, host, max_small, max_large)?;
        let steps: Vec<Step> = grid.points.iter().map(|&point| step(request, point)).collect();
        let workers = request.workers.unwrap_or_else(|| {
            let wanted = (max_small + max_large).div_ceil(OUTSTANDING_PER_WORKER);
            wanted.clamp(1, host.cpus.max(1))
        });
        Ok(Self {
            num_disks,
            estimate_minutes: estimate_minutes(&grid, request.duration, &steps),
            grid,
            steps,
            workers: if request.engine.is_simulated() { 1 } else { workers },
            max_small_outstanding: max_small,
            max_large_outstanding: max_large,
            buffer_bytes,
            writes: request.write_percent.writes(),
        })
    }

    /// Time of all steps as far as it is known beforehand.
    #[must_use]
    pub fn known_time(&self) -> Nanos {
        Nanos(self.steps.iter().map(|step| step.known_time().0).fold(0, u64::saturating_add))
    }

    /// Outstanding I/Os of each class in a point: (small, large).
    #[must_use]
    pub const fn outstanding(pattern: LargePattern, point: Point) -> (u32, u32) {
        (point.small, pattern.outstanding(point.large))
    }
}

impl Step {
    /// Warm-up (when it is a time), settling and measuring.
    #[must_use]
    pub const fn known_time(&self) -> Nanos {
        let warm_up = match self.warm_up {
            Some(WarmUp::Time(time)) => time.0,
            Some(WarmUp::Bytes(_)) | None => 0,
        };
        Nanos(warm_up.saturating_add(self.settle.0).saturating_add(self.measure.0))
    }
}

fn check_num_disks(num_disks: u32) -> Result<u32, Problem> {
    if num_disks == 0 {
        return Err(
            Problem::usage("there is no target").next("name a file or device, or list them in a .lun file")
        );
    }
    if num_disks > 10_000 {
        return Err(Problem::usage(format!("{num_disks} disks give load levels that no host can hold"))
            .next("the number of disks only sets the load range; give at most 10000"));
    }
    Ok(num_disks)
}

fn check_targets(request: &Request, targets: &[TargetFacts], grid: &Grid) -> Result<(), Problem> {
    if targets.is_empty() {
        return Err(
            Problem::usage("there is no target").next("name a file or device, or list them in a .lun file")
        );
    }
    if targets.len() > usize::from(u16::MAX) {
        return Err(
            Problem::usage(format!("{} targets are too many", targets.len())).next("use at most 65535")
        );
    }
    if grid.points.len() > MAX_POINTS {
        return Err(Problem::usage(format!("the matrix has {} data points", grid.points.len()))
            .next(format!("choose smaller counts; at most {MAX_POINTS} points can be run")));
    }
    let used = [
        (grid.max_small() > 0, "small", request.small_bytes),
        (grid.max_large() > 0, "large", request.large_bytes),
    ];
    for target in targets {
        for (_, label, bytes) in used.into_iter().filter(|&(used, ..)| used) {
            check_fit(target, label, bytes)?;
        }
    }
    Ok(())
}

fn check_fit(target: &TargetFacts, label: &str, io_bytes: u64) -> Result<(), Problem> {
    let block = u64::from(target.logical_block_bytes.max(1));
    if !io_bytes.is_multiple_of(block) {
        return Err(Problem::usage(format!(
            "the {label} I/O size of {} is no multiple of the logical block of {}",
            Bytes(io_bytes),
            Bytes(block)
        ))
        .at(&target.path)
        .because("direct I/O moves whole logical blocks")
        .next(format!("use a multiple of {}", Bytes(block))));
    }
    if target.size_bytes < io_bytes {
        return Err(Problem::refused(format!(
            "the target of {} is smaller than one {label} I/O of {}",
            Bytes(target.size_bytes),
            Bytes(io_bytes)
        ))
        .at(&target.path)
        .next("use a larger target or a smaller I/O size"));
    }
    Ok(())
}

fn large_outstanding(pattern: LargePattern, level: u32) -> Result<u32, Problem> {
    let outstanding = match pattern {
        LargePattern::Random => u64::from(level),
        LargePattern::Sequential { ios_per_stream } => u64::from(level) * u64::from(ios_per_stream),
    };
    u32::try_from(outstanding).map_err(|_| too_many_outstanding(outstanding))
}

fn too_many_outstanding(outstanding: u64) -> Problem {
    Problem::usage(format!("{outstanding} outstanding I/Os are too many"))
        .because("the counts, or the number of disks that they are derived from, are very large")
        .next(format!("ask for at most {MAX_OUTSTANDING} in one point"))
}

/// Memory of the buffers; refused when the host cannot hold them beside everything else.
fn check_buffers(request: &Request, host: &HostFacts, small: u32, large: u32) -> Result<u64, Problem> {
    let outstanding = u64::from(small) + u64::from(large);
    if outstanding > u64::from(MAX_OUTSTANDING) {
        return Err(too_many_outstanding(outstanding));
    }
    let bytes = u64::from(small)
        .saturating_mul(request.small_bytes)
        .saturating_add(u64::from(large).saturating_mul(request.large_bytes));
    match host.memory_bytes {
        Some(memory) if bytes > memory / 2 && !request.engine.is_simulated() => Err(Problem::refused(
            format!("the buffers of {outstanding} outstanding I/Os need {}", Bytes(bytes)),
        )
        .because(format!("the host has {} of memory, and half of it may be used", Bytes(memory)))
        .next("use fewer outstanding I/Os, fewer disks or smaller I/Os")),
        _ => Ok(bytes),
    }
}

fn step(request: &Request, point: Point) -> Step {
    let sequential = matches!(request.large_pattern, LargePattern::Sequential { .. });
    let warm_up = (sequential && point.large > 0)
        .then_some(match request.cache {
            CacheWarmUp::Default => Some(WarmUp::Time(DEFAULT_WARM_UP)),
            CacheWarmUp::Bytes(bytes) => Some(WarmUp::Bytes(bytes)),
            CacheWarmUp::Off => None,
        })
        .flatten();
    let settle = Nanos(SETTLE.0.min(request.duration.0 / 10));
    Step { point, warm_up, settle, measure: request.duration }
}

/// ORION's rule: total points (the idle one included) times the duration, and one minute; the warm-ups that will
/// happen are added, the whole rounded up.
fn estimate_minutes(grid: &Grid, duration: Nanos, steps: &[Step]) -> u64 {
    let warm_up: u64 = steps
        .iter()
        .map(|step| if let Some(WarmUp::Time(time)) = step.warm_up { time.0 } else { 0 })
        .fold(0, u64::saturating_add);
    let total = grid.total_points.saturating_mul(duration.0).saturating_add(warm_up);
    total.div_ceil(60 * NS_PER_S).saturating_add(1)
}

/// The volumes that small and large I/O are drawn from. Random I/O uses every chunk of every target whatever the
/// layout; streams walk the layout.
///
/// # Errors
/// When no I/O fits; a plan excludes that.
pub fn volumes(request: &Request, targets: &[TargetFacts]) -> Result<Volumes, Problem> {
    let sizes: Vec<u64> = targets.iter().map(|target| target.size_bytes).collect();
    let volume =
        |bytes, layout| Volume::new(&sizes, bytes, layout).map_err(|error| Problem::usage(error.to_string()));
    let streams = match request.large_pattern {
        LargePattern::Random => None,
        LargePattern::Sequential { .. } => Some(volume(request.large_bytes, request.layout)?),
    };
    Ok(Volumes {
        small: volume(request.small_bytes, Layout::Concat).ok(),
        large: volume(request.large_bytes, Layout::Concat).ok(),
        streams,
    })
}

/// See [`volumes`]. A class whose I/O fits nowhere has none; the plan makes sure that it is idle then.
#[derive(Clone, Debug)]
pub struct Volumes {
    /// For small random I/O.
    pub small: Option<Volume>,
    /// For large random I/O and warm-up.
    pub large: Option<Volume>,
    /// For streams.
    pub streams: Option<Volume>,
}

#[cfg(test)]
mod tests;
