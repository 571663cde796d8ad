//! The search for the load levels that saturate the device, and the matrix around them.
//!
//! Small and large I/O are searched alone, one after the other. Must not decide what is visited next;
//! [`crate::stats::levels_auto`] does.

use super::{WarmUp, commits, memory};
use crate::error::Problem;
use crate::facts::HostFacts;
use crate::load::class::{Class, MAX_OUTSTANDING, PerClass};
use crate::load::matrix::{Grid, Point, RunLevel};
use crate::load::pace::Pace;
use crate::load::request::Request;
use crate::stats::Parameters;
use crate::stats::bound::LatencyBound;
use crate::stats::forecast::TimeRange;
use crate::stats::levels_auto::{self, LevelRules};
use crate::units::{NS_PER_MS, NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// Most outstanding small I/Os that a search tries.
const MOST_SMALL: u32 = 512;
/// The same per disk, for `rigel calibrate` with a number of disks.
const SMALL_PER_DISK: u32 = 64;
/// Most outstanding large I/Os, or streams, that a search tries.
const MOST_LARGE: u32 = 64;
/// A search takes about this many visits; 17 to 60 on simulated curves.
const USUAL_VISITS: u64 = 45;
/// No search takes fewer: three levels, and the plateau once more.
const LEAST_VISITS: u64 = 11;
/// Few take more, unless levels are hard to tell apart.
const MANY_VISITS: u64 = 90;
/// A class is not given up after fewer: three levels show at least whether more gain.
const FEWEST_VISITS: usize = 3;
/// A shorter visit would not even fill a queue of hundreds.
const SHORTEST_VISIT_NS: u64 = 90 * NS_PER_MS;

/// The parameters of a search for levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelSearch {
    /// The classes, in the order in which they are searched.
    pub classes: Vec<Class>,
    /// The most that is tried for each: outstanding I/Os, or streams.
    pub most: PerClass<u32>,
    /// Load before the measured part of a visit.
    pub settle: Nanos,
    /// Measured part of a visit.
    pub measure: Nanos,
    /// The latency of small I/O at which a level is searched for in addition to saturation.
    #[serde(default)]
    pub bound: Option<LatencyBound>,
    /// When all of it ends, if the run has a time limit: the points need the remaining time.
    #[serde(default)]
    pub share: Option<Nanos>,
    /// Points that need no search, because their classes define their levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Point>,
    /// The load before the first visit to a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_warm_up: Option<WarmUp>,
}

/// The parts of a search, in sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// For the level that saturates the device with a class.
    Saturation(Class),
    /// For the level of small I/O at the limit.
    Bound,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOutcome {
    /// The level of each class that saturates the device; none if nothing completed, or nothing was searched for.
    pub n_sat: PerClass<u32>,
    /// The most outstanding small I/Os within the limit.
    pub bounded: Option<u32>,
    /// A higher number that perhaps meets it, too.
    pub perhaps: Option<u32>,
}

impl LevelSearch {
    /// The search for a request; what does not fit into memory is not tried.
    pub fn new(request: &Request, host: &HostFacts, log_warm_up: Option<WarmUp>) -> Self {
        let classes = match request.level() {
            RunLevel::Oltp => vec![Class::SMALL],
            RunLevel::Dss => vec![Class::LARGE],
            _ => vec![Class::SMALL, Class::LARGE],
        };
        let parameters = match request.pace() {
            Some(Pace::Adaptive(adaptive)) => super::parameters(request, &adaptive),
            Some(Pace::Fixed(_)) | None => Parameters::default(),
        };
        let (settle, measure) = visit(request, &parameters, classes.len() as u64);
        let room = host.buffer_room_bytes().unwrap_or(u64::MAX);
        let most = |&class: &Class| {
            let load = request.class(class)?;
            let most = if class == Class::SMALL { most_small(request) } else { MOST_LARGE };
            let each = load.io_bytes().saturating_add(memory::bytes_beside_buffer(request));
            let bytes = each.saturating_mul(u64::from(load.pattern.outstanding(1)));
            let fitting = u32::try_from(room / 4 / bytes.max(1)).unwrap_or(u32::MAX);
            Some((class, most.min(fitting).max(1)))
        };
        Self {
            most: classes.iter().filter_map(most).collect(),
            settle,
            measure,
            bound: request.bound(),
            share: commits::time_before(request).map(|limit| most_of(limit, request.bound().is_some())),
            others: Grid::of_own(&request.classes, &[]).points,
            log_warm_up,
            classes,
        }
    }

    /// Whether a part of the search is out of time at `now_ns`, after this many visits to its class. Later parts keep enough time
    /// for theirs, and every class gets a few visits.
    pub fn is_over(&self, part: Part, now_ns: u64, visits: usize) -> bool {
        let Some(share) = self.share else {
            return false;
        };
        let parts: Vec<Part> = self.classes.iter().flat_map(|&class| self.parts_of(class)).collect();
        let place = parts.iter().position(|&own| own == part).unwrap_or(0);
        let later = (parts.len() - place).saturating_sub(1) as u64;
        let kept_ns = share.0 / (parts.len() as u64).max(1) / 2 * later;
        visits >= FEWEST_VISITS && now_ns >= share.0.saturating_sub(kept_ns)
    }

    fn parts_of(&self, class: Class) -> impl Iterator<Item = Part> + use<> {
        let bound = self.bound.filter(|_| class == Class::SMALL);
        std::iter::once(Part::Saturation(class)).chain(bound.map(|_| Part::Bound))
    }

    fn most(&self, class: Class) -> u32 {
        self.most.get(&class).copied().unwrap_or(0)
    }

    /// The rules of the search for a class.
    pub fn rules(&self, class: Class) -> LevelRules {
        LevelRules { most_outstanding: self.most(class), ..LevelRules::default() }
    }

    /// The largest level of each class.
    pub fn room(&self) -> Point {
        let searched = self.most.iter().map(|(&class, &most)| (class, most));
        let others = self.others.iter().flat_map(|point| point.classes());
        searched
            .chain(others)
            .fold(Point::default(), |room, (class, level)| room.with(class, level.max(room.of(class))))
    }

    /// How long a search usually takes.
    pub fn usual_time(&self) -> Nanos {
        self.time_of(USUAL_VISITS)
    }

    /// From what a search needs at least to what few searches need.
    pub(crate) fn time_range(&self) -> TimeRange {
        let most_ns = self.time_of(MANY_VISITS).0;
        let most_ns = self.share.map_or(most_ns, |share| most_ns.min(share.0));
        TimeRange { least_ns: self.time_of(LEAST_VISITS).0.min(most_ns), most_ns }
    }

    fn time_of(&self, visits: u64) -> Nanos {
        let visits = visits * self.classes.len() as u64;
        Nanos((self.settle.0 + self.measure.0).saturating_mul(visits))
    }

    /// # Errors
    /// When the time of the run does not suffice for the search and as much again for the points, even with the shortest
    /// visits.
    pub(crate) fn check_limit(&self, request: &Request) -> Result<(), Problem> {
        let usual = self.usual_time();
        let Some(limit) = commits::time_before(request).filter(|limit| limit.0 < 2 * usual.0) else {
            return Ok(());
        };
        Err(Problem::usage(format!("{limit} is not enough to search for load levels"))
            .because(format!(
                "it usually takes at least {} s, and the points need the remaining time",
                whole_s(usual)
            ))
            .next(format!("allow at least {}s, or measure ORION's levels", 3 * whole_s(usual))))
    }

    /// The matrix before anything was found: its points have the same classes together.
    pub(super) fn likely(&self, level: RunLevel) -> Grid {
        self.grid(level, &SearchOutcome::default())
    }

    /// The matrix around saturation: on each axis 0, 1, N/4, N/2, N, 2N, within the range of the search. A class without
    /// a level of saturation has the levels 1 and 2. Then the points that need no search.
    pub fn grid(&self, level: RunLevel, found: &SearchOutcome) -> Grid {
        let searched = if self.bound.is_some() { self.answers(found) } else { self.around(level, found) };
        searched.and(&self.others)
    }

    fn around(&self, level: RunLevel, found: &SearchOutcome) -> Grid {
        let axis = |class: Class| -> Vec<u32> {
            if !self.classes.contains(&class) {
                return Vec::new();
            }
            let levels = levels_auto::axis(found.n_sat.get(&class).copied().unwrap_or(1)).into_iter();
            levels.filter(|level| (1..=self.most(class)).contains(level)).collect()
        };
        Grid::around(level, &axis(Class::SMALL), &axis(Class::LARGE))
    }

    /// The points of `rigel calibrate`: one outstanding I/O, the level at the limit, one that perhaps meets it, saturation, and twice
    /// that.
    fn answers(&self, found: &SearchOutcome) -> Grid {
        let levels = |class: Class, bounded: [Option<u32>; 2]| {
            let n_sat = found.n_sat.get(&class).copied().unwrap_or(1);
            let mut levels = vec![1, n_sat, n_sat.saturating_mul(2)];
            levels.extend(bounded.into_iter().flatten());
            levels.retain(|level| (1..=self.most(class)).contains(level));
            levels.sort_unstable();
            levels.dedup();
            levels
        };
        let (small, large) =
            (levels(Class::SMALL, [found.bounded, found.perhaps]), levels(Class::LARGE, [None; 2]));
        Grid::around(RunLevel::Simple, &small, &large)
    }
}

/// `rigel calibrate` may know the number of disks. The search then goes as far as they need.
fn most_small(request: &Request) -> u32 {
    let disks = request.num_disks.filter(|_| request.bound().is_some()).unwrap_or(0);
    disks.saturating_mul(SMALL_PER_DISK).clamp(MOST_SMALL, MAX_OUTSTANDING / 2)
}

/// Two fifths of a time limit. The points need the remaining time, because only their visits give the figures.
const fn share(limit: Nanos) -> Nanos {
    Nanos(limit.0 / 5 * 2)
}

/// The longest time of a search within a time limit. A calibration, which also searches for its limit, may take three
/// fifths: enough for nearly all searches of the self-test's cases.
const fn most_of(limit: Nanos, is_calibration: bool) -> Nanos {
    if is_calibration { Nanos(limit.0 / 5 * 3) } else { share(limit) }
}

/// Settling and measured part of a visit of the search: those of the points, but short enough that a usual search keeps
/// its share of a time limit.
fn visit(request: &Request, parameters: &Parameters, classes: u64) -> (Nanos, Nanos) {
    let usual = (Nanos(parameters.settle_ns), Nanos(parameters.measure_ns));
    let Some(limit) = commits::time_before(request) else {
        return usual;
    };
    let visit_ns = (share(limit).0 / (USUAL_VISITS * classes.max(1))).max(SHORTEST_VISIT_NS);
    // Both parts in whole milliseconds, for people.
    let visit_ns = visit_ns / (3 * NS_PER_MS) * (3 * NS_PER_MS);
    let settle_ns = (visit_ns / 3).min(usual.0.0);
    (Nanos(settle_ns), Nanos((visit_ns - visit_ns / 3).min(usual.1.0)))
}

/// Seconds, rounded up.
const fn whole_s(time: Nanos) -> u64 {
    time.0.div_ceil(NS_PER_S)
}

/// What a search found for ORION's pair.
#[cfg(test)]
pub(crate) fn searched(small: Option<u32>, large: Option<u32>, bounded: Option<u32>) -> SearchOutcome {
    let both = [(Class::SMALL, small), (Class::LARGE, large)].into_iter();
    SearchOutcome {
        n_sat: both.filter_map(|(class, n_sat)| Some((class, n_sat?))).collect(),
        bounded,
        perhaps: None,
    }
}
