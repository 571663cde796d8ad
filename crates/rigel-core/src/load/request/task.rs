//! The task of a request: the parts that are used in many places, and whether the load can do it.
//!
//! Must not know how the load reaches the storage.

use super::Request;
use crate::error::Problem;
use crate::load::burst::Burst;
use crate::load::class::{Class, LoadClass, MAX_OUTSTANDING};
use crate::load::commits::NoCommits;
use crate::load::matrix::{MatrixShape, Point, RunLevel};
use crate::load::pace::{Adaptive, LevelChoice, Pace};
use crate::load::phase::{self, Phase};
use crate::load::slo::Slo;
use crate::load::soak::{self, Soak};
use crate::load::sql::SqlRequest;
use crate::load::task::{Task, Through};
use crate::load::working_set::{SizeTimes, WorkingSet};
use crate::stats::bound::LatencyBound;
use crate::units::{NS_PER_S, Nanos};

/// More sequential readers are not counted separately: every worker would count in lists of this length.
const MOST_COUNTED_READERS: u32 = 1024;

/// The parts of a task that are read in many places.
impl Request {
    /// The word for the load.
    pub const fn level(&self) -> RunLevel {
        match &self.task {
            Task::Matrix { level, .. } | Task::Load { level, .. } | Task::Rate { level, .. } => *level,
            Task::Calibrate { .. } => RunLevel::Simple,
            Task::Soak { soak, .. } if soak.through => RunLevel::Through,
            Task::Phases(_) | Task::Soak { .. } => RunLevel::Load,
            Task::Burst { .. } => RunLevel::Burst,
            Task::WorkingSet(_) => RunLevel::WorkingSet,
        }
    }

    /// How many readers are counted separately: those of the level about readers, but not crowds.
    pub fn counted_readers(&self) -> usize {
        let readers = || self.class(Class::STREAM).and_then(|class| class.levels.iter().max().copied());
        let most = readers().filter(|_| self.level() == RunLevel::Streams).unwrap_or(0);
        if most > MOST_COUNTED_READERS { 0 } else { usize::try_from(most).unwrap_or(0) }
    }

    /// The points that the load defines, for phases those of the phases; empty if the levels of its classes are the points, or are searched for.
    pub fn points(&self) -> Vec<Point> {
        match &self.task {
            Task::Load { points, .. } => points.clone(),
            Task::Rate { base: Some(base), .. } => vec![*base],
            Task::Matrix { .. } | Task::Calibrate { .. } | Task::WorkingSet(_) => Vec::new(),
            Task::Rate { phases, .. }
            | Task::Phases(phases)
            | Task::Soak { phases, .. }
            | Task::Burst { phases, .. } => phase::distinct(phases),
        }
    }

    /// The phases of a load, if any.
    pub fn phases(&self) -> &[Phase] {
        match &self.task {
            Task::Phases(phases)
            | Task::Soak { phases, .. }
            | Task::Rate { phases, .. }
            | Task::Burst { phases, .. } => phases,
            Task::Matrix { .. } | Task::Load { .. } | Task::Calibrate { .. } | Task::WorkingSet(_) => &[],
        }
    }

    /// How long and how often a point is measured; `None` if phases determine it.
    pub const fn pace(&self) -> Option<Pace> {
        match &self.task {
            Task::Matrix { pace, .. } | Task::Load { pace, .. } => Some(*pace),
            Task::Calibrate { pace, .. } | Task::Rate { pace, .. } => Some(Pace::Adaptive(*pace)),
            Task::Phases(_) | Task::Soak { .. } | Task::Burst { .. } | Task::WorkingSet(_) => None,
        }
    }

    /// No visit begins after this time, if set.
    pub fn max_duration(&self) -> Option<Nanos> {
        self.pace()?.max_duration()
    }

    /// Whether load levels are searched for.
    pub const fn searches_levels(&self) -> bool {
        matches!(self.task, Task::Matrix { levels: LevelChoice::Auto, .. } | Task::Calibrate { .. })
    }

    /// The latency limit of a calibration.
    pub const fn bound(&self) -> Option<LatencyBound> {
        if let Task::Calibrate { bound, .. } = self.task { Some(bound) } else { None }
    }

    /// The limits of a search for a rate.
    pub const fn slo(&self) -> Option<&Slo> {
        if let Task::Rate { slo, .. } = &self.task { Some(slo) } else { None }
    }

    /// The soak, if it is one.
    pub const fn soak(&self) -> Option<Soak> {
        if let Task::Soak { soak, .. } = self.task { Some(soak) } else { None }
    }

    /// Whether `rigel soak` requested it: a load held through a failure has the same task, but is not a soak.
    pub fn is_soak(&self) -> bool {
        self.soak().is_some_and(|soak| !soak.through)
    }

    /// The bursts, if it is a run of them.
    pub const fn burst(&self) -> Option<Burst> {
        if let Task::Burst { burst, .. } = self.task { Some(burst) } else { None }
    }

    /// The working sets, if it is a run over them.
    pub const fn working_set(&self) -> Option<&WorkingSet> {
        if let Task::WorkingSet(asked) = &self.task { Some(asked) } else { None }
    }

    /// How long each size is read, if it is a run over working sets.
    pub fn size_times(&self) -> Option<SizeTimes> {
        let count = self.classes.iter().map(|class| class.levels.len()).max().unwrap_or(0);
        Some(self.working_set()?.times(count))
    }

    /// Whether the answer is how a rate changes, so that a change is not a flaw and the mean of a point means nothing.
    pub const fn asks_for_change(&self) -> bool {
        matches!(self.task, Task::Burst { .. } | Task::WorkingSet(_))
    }

    /// The name of a phase, by number, if it is a soak with the usual load.
    pub fn phase_name(&self, targets: usize, number: u32) -> Option<&'static str> {
        let soak = self.soak()?;
        if soak.beside.is_some() || soak.through {
            return None;
        }
        let (_, usual) = soak::usual_load(targets, self.write_percent(), &soak);
        let name = soak::NAMES.get(usize::try_from(number).ok()?)?;
        (self.phases() == usual).then_some(name)
    }

    /// The parameters of a load that goes through a database.
    pub const fn sql(&self) -> Option<&SqlRequest> {
        if let Through::Sql(sql) = &self.through { Some(sql) } else { None }
    }

    /// The same at another pace. A calibration and a search for a rate are adaptive, and phases have their own times.
    #[must_use]
    pub fn paced(mut self, pace: Pace) -> Self {
        self.set_pace(pace);
        self
    }

    /// Changes the pace, as [`Self::paced`].
    pub const fn set_pace(&mut self, asked: Pace) {
        match (&mut self.task, asked) {
            (Task::Matrix { pace, .. } | Task::Load { pace, .. }, asked) => *pace = asked,
            (Task::Calibrate { pace, .. } | Task::Rate { pace, .. }, Pace::Adaptive(asked)) => *pace = asked,
            (
                Task::Calibrate { .. }
                | Task::Rate { .. }
                | Task::Phases(_)
                | Task::Soak { .. }
                | Task::Burst { .. }
                | Task::WorkingSet(_),
                _,
            ) => {}
        }
    }

    /// Turns it into a calibration, with commits unless a reason is given.
    pub fn calibrate(&mut self, bound: LatencyBound, no_commits: Option<NoCommits>) {
        let pace = match self.pace() {
            Some(Pace::Adaptive(pace)) => pace,
            Some(Pace::Fixed(_)) | None => Adaptive::default(),
        };
        self.task = Task::Calibrate { bound, no_commits, pace };
    }

    /// Whether the load allows the task.
    pub(super) fn check_task(&self) -> Result<(), Problem> {
        match &self.task {
            Task::Matrix { level, shape, levels, pace } => {
                if *level == RunLevel::Advanced {
                    check_shape(*shape)?;
                }
                self.check_pair()?;
                if *levels == LevelChoice::Auto {
                    check_searched(*level, *pace)?;
                }
                Ok(())
            }
            Task::Load { points, .. } => {
                self.check_points(points)?;
                self.check_named(points)
            }
            Task::Calibrate { bound, .. } => {
                check_bound(bound)?;
                self.check_pair()
            }
            Task::Rate { slo, base, phases, pace, .. } => {
                self.check_points(base.as_slice())?;
                self.check_points(&phase::distinct(phases))?;
                self.check_rate(slo, phases, pace)
            }
            Task::Phases(phases) => self.check_phases(phases),
            Task::Soak { soak, phases, .. } => {
                self.check_phases(phases)?;
                soak.check(phases)?;
                if soak.beside.is_some() { self.check_beside() } else { Ok(()) }
            }
            Task::Burst { burst, phases } => {
                self.check_phases(phases)?;
                if self.sides.is_some() {
                    return Err(Problem::usage("two sides cannot take turns in bursts")
                        .because("each would pause while the other is loaded")
                        .next("run `rigel run burst` on each side"));
                }
                burst.check(&self.classes, phases)
            }
            Task::WorkingSet(asked) => {
                if self.sides.is_some() {
                    return Err(Problem::usage("two sides cannot take turns over working sets")
                        .because("each would cool the cache of the other")
                        .next("run `rigel run working-set` on each side"));
                }
                if self
                    .classes
                    .iter()
                    .any(|class| class.working_sets.is_none() || class.write_percent.writes())
                {
                    return Err(Problem::usage("this load has no working sets to read")
                        .next("run `rigel run working-set` with its own load"));
                }
                asked.check()
            }
        }
    }

    /// Whether there are ORION's two classes.
    fn check_pair(&self) -> Result<(), Problem> {
        let mut pair = [Class::SMALL, Class::LARGE].into_iter();
        match pair.find(|&class| self.class(class).is_none()) {
            Some(missing) => Err(Problem::usage(format!("the run level needs the load class '{missing}'"))
                .because("ORION's levels are those of small and large I/O")
                .next("add the class, or measure each class at levels of its own")),
            None => Ok(()),
        }
    }

    fn check_phases(&self, phases: &[Phase]) -> Result<(), Problem> {
        if phases.is_empty() {
            return Err(Problem::usage("the load has no phases").next("give it one, or another pace"));
        }
        self.check_points(&phase::distinct(phases))?;
        phase::check(phases)
    }

    fn check_points(&self, points: &[Point]) -> Result<(), Problem> {
        let has = |(class, _): (Class, u32)| self.class(class).is_some();
        match points.iter().find(|point| !point.classes().all(has)) {
            Some(point) => Err(Problem::usage(format!(
                "a point names a class that the load does not have: {}",
                point.words()
            ))
            .next("name only classes of the load")),
            None => Ok(()),
        }
    }

    fn check_named(&self, points: &[Point]) -> Result<(), Problem> {
        if self.sides.is_some() && self.classes.iter().any(LoadClass::level_is_targets) {
            return Err(Problem::usage("two sides cannot be measured over a growing number of targets")
                .because("a side uses all of its targets in its turn")
                .next("run `rigel run scaling` on each side, and compare the records"));
        }
        if !points.is_empty() || self.classes.iter().any(|class| !class.levels.is_empty()) {
            return Ok(());
        }
        Err(Problem::usage("no load class has a load level")
            .because("the load levels are taken from the classes")
            .next("give a class its levels"))
    }

    /// Next to production a share of the time determines the load, and its own reads show how production fares.
    fn check_beside(&self) -> Result<(), Problem> {
        let refused = |what: &str, next: &str| {
            Err(Problem::usage(what.to_owned()).at("--beside-production").next(next.to_owned()))
        };
        if self.engine.is_simulated() {
            return refused("a simulated device has no production load", "leave out --beside-production");
        }
        if self.classes.iter().any(LoadClass::is_open) {
            return refused(
                "open-loop classes cannot be throttled",
                "remove the classes with an arrival rate, or leave out --beside-production",
            );
        }
        if self.classes.iter().all(|class| class.write_percent.get() == 100) {
            return refused(
                "a load without reads cannot tell how production is affected",
                "add reads to a class of the load",
            );
        }
        Ok(())
    }
}

fn check_shape(shape: MatrixShape) -> Result<(), Problem> {
    let (small, large) = shape.counts();
    let options = match (small, large) {
        (Some(_), None) => "--num-small",
        (None, Some(_)) => "--num-large",
        _ => "--num-small, --num-large",
    };
    if let Some(count) = [small, large].into_iter().flatten().find(|&count| count > MAX_OUTSTANDING) {
        return Err(Problem::usage(format!("{count} outstanding I/Os is too many"))
            .at(options)
            .next(format!("ask for at most {MAX_OUTSTANDING} of a class")));
    }
    let idle =
        matches!(shape, MatrixShape::Point { small: 0, large: 0 } | MatrixShape::Max { small: 0, large: 0 });
    if idle {
        return Err(Problem::usage("0 small and 0 large outstanding I/Os leave nothing to measure")
            .at(options)
            .next("give at least one of both counts above 0"));
    }
    Ok(())
}

fn check_searched(level: RunLevel, pace: Pace) -> Result<(), Problem> {
    if level == RunLevel::Advanced {
        return Err(Problem::usage("load levels cannot be searched for a custom matrix")
            .at("--levels")
            .because("the level 'advanced' measures the counts given in its options")
            .next("use simple, normal, oltp or dss with automatic levels"));
    }
    if matches!(pace, Pace::Fixed(_)) {
        return Err(Problem::usage("load levels cannot be searched with a fixed time per data point")
            .at("--levels")
            .because("the search relies on intervals, which need several visits to each level")
            .next("leave out the duration, or the automatic levels"));
    }
    Ok(())
}

fn check_bound(bound: &LatencyBound) -> Result<(), Problem> {
    if bound.limit.0 > 0 {
        return Ok(());
    }
    Err(Problem::usage("a latency limit must be greater than 0")
        .at("--max-latency")
        .next("give a limit such as 10ms"))
}

/// Refuses a time that is impossible for a point or a run.
pub(super) fn check_pace(pace: Pace) -> Result<(), Problem> {
    match pace {
        Pace::Fixed(duration) => {
            let least = "give at least 100ms; ORION's default is 60 s";
            check_length(duration, NS_PER_S / 10, "a duration per data point of", least)
                .map_err(|problem| problem.at("--duration"))
        }
        Pace::Adaptive(Adaptive { max_duration: Some(limit), .. }) => {
            check_length(limit, NS_PER_S, "a run of at most", "give at least 1s")
                .map_err(|problem| problem.at("--for"))
        }
        Pace::Adaptive(_) => Ok(()),
    }
}

/// Refuses a time below `least_ns` or above a week.
fn check_length(time: Nanos, least_ns: u64, what: &str, least: &str) -> Result<(), Problem> {
    if time.0 < least_ns {
        return Err(Problem::usage(format!("{what} {time} is too short")).next(least));
    }
    if time.0 > 7 * 24 * 3600 * NS_PER_S {
        return Err(Problem::usage(format!("{what} {time} is too long"))
            .because("the unit is seconds")
            .next("give at most 7 days"));
    }
    Ok(())
}
