//! What the user asked for, checked, whichever command line it came from.
//!
//! Both front ends (`rigel run` and `rigel orion`) make the same [`Request`]. Must not depend on the host or the targets;
//! [`crate::load::plan`] is where they come in.

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::load::class::{Class, LoadClass, MOST_CLASSES, Pattern, Sizes, Span, Sync, check_verified};
use crate::load::commits::NoCommits;
use crate::load::demands::Demands;
use crate::load::matrix::{Grid, MatrixShape, Point, RunLevel};
use crate::load::pace::{Adaptive, LevelChoice, Pace};
use crate::load::phase::{self, Phase};
use crate::load::placement::CpuChoice;
use crate::load::sides::Sides;
use crate::load::slo::Slo;
use crate::load::sql::SqlRequest;
use crate::load::team;
use crate::load::workload::{Layout, WritePercent};
use crate::path_text::printable;
use crate::sim::SimLaw;
use crate::stats::bound::LatencyBound;
use crate::units::{Bytes, NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// Default size of a small I/O.
pub const DEFAULT_SMALL: Bytes = Bytes::from_kib(8);
/// Default size of a large I/O.
pub const DEFAULT_LARGE: Bytes = Bytes::from_kib(1024);
/// Default stripe depth of `raid0`.
pub const DEFAULT_STRIPE: Bytes = Bytes::from_kib(1024);
/// Default outstanding I/Os of one sequential stream.
pub const DEFAULT_STREAM_IOS: u32 = 4;
/// ORION's warm-up when no cache size is given.
pub const DEFAULT_WARM_UP: Nanos = Nanos::from_secs(120);
/// What an I/O may take: longer than the timeouts of drives (30 s) and the failover of most paths.
pub const DEFAULT_IO_TIMEOUT: Nanos = Nanos::from_secs(60);
/// Whoever waits for an I/O looks at its age once a second.
const LEAST_IO_TIMEOUT: Nanos = Nanos::from_secs(1);

/// Longest label: a legend has no room for more.
pub const MOST_LABEL_LETTERS: usize = 60;

/// Most outstanding I/Os of a class in one point; slots are numbered with 16 bits.
pub const MAX_OUTSTANDING: u32 = 65_535;

/// The unmeasured load before a large sequential point (`-cache_size`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheWarmUp {
    /// Not given: two minutes.
    Default,
    /// 0: none.
    Off,
    /// Until that many bytes were moved.
    Bytes(u64),
}

/// Which engine to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one per run, and a box could not be copied")]
pub enum EngineRequest {
    /// The best one that works here.
    #[default]
    Auto,
    /// This one or none.
    Only(EngineKind),
    /// A simulated device in virtual time.
    Sim(SimLaw),
}

impl EngineRequest {
    /// Whether no real target is touched.
    pub const fn is_simulated(self) -> bool {
        match self {
            Self::Auto => false,
            Self::Only(kind) => kind.is_simulated(),
            Self::Sim(_) => true,
        }
    }
}

/// A run as asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the run (`-testname`), without a directory, printable.
    pub name: String,
    /// What people call that which is measured, in titles and legends (`--label`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The arguments as typed, each followed by a blank, printable; echoed in the summary.
    pub command_line: String,
    /// Run level.
    pub level: RunLevel,
    /// Matrix of `advanced`.
    pub shape: MatrixShape,
    /// ORION's num_disks; `None`: the number of targets.
    pub num_disks: Option<u32>,
    /// What is loaded; ORION's small and large I/O unless another load was asked for.
    pub classes: Vec<LoadClass>,
    /// The points of a load that names them; else each class alone at its levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
    /// The phases of a load that has some, at [`Pace::Phases`]; their points are `points`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// The load goes through a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<SqlRequest>,
    /// How targets form the volume of streams.
    pub layout: Layout,
    /// Warm-up before large sequential points.
    pub cache: CacheWarmUp,
    /// How long and how often a point is measured.
    pub pace: Pace,
    /// Which load levels are measured.
    pub levels: LevelChoice,
    /// Engine.
    pub engine: EngineRequest,
    /// Worker threads; `None`: as many as needed.
    pub workers: Option<u32>,
    /// The CPUs of the workers.
    #[serde(default)]
    pub cpus: CpuChoice,
    /// Seed of every offset, coin and payload.
    pub seed: u64,
    /// Through the page cache, on request only.
    pub buffered: bool,
    /// Memory is measured on purpose: a scratch file may lie in it, and the run has not failed when its numbers are about memory.
    #[serde(default)]
    pub allow_memory: bool,
    /// Another run of Rigel may load the same targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share: bool,
    /// Completions are looked for on the device instead of being waited for by interrupt.
    #[serde(default)]
    pub poll: bool,
    /// How long an I/O may be in flight before it counts as hung and the run is ended.
    #[serde(default = "default_io_timeout")]
    pub io_timeout: Nanos,
    /// The run calibrates: the levels at this latency of small I/O and at saturation are searched, then measured.
    #[serde(default)]
    pub bound: Option<LatencyBound>,
    /// Two sides take turns; what the second one has of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
    /// Why a calibration has no commits; `None` when it has some, or is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_commits: Option<NoCommits>,
    /// The highest rate of an open loop is searched at which these bounds are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<Slo>,
    /// How many parts of the load each of several nodes has; none: the same each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_share: Vec<u32>,
    /// The gates of a run of two sides.
    #[serde(default, skip_serializing_if = "Demands::is_empty")]
    pub demands: Demands,
    /// Of a soak: the directories in which lines wait that find no room in its record, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest_dirs: Vec<String>,
}

const fn default_io_timeout() -> Nanos {
    DEFAULT_IO_TIMEOUT
}

impl Request {
    /// Of each class the most outstanding of the levels that are its own.
    pub fn most_of_own(&self) -> Point {
        Grid::of_own(&self.classes, &self.points).most()
    }

    /// A request with ORION's defaults.
    pub fn new(level: RunLevel) -> Self {
        Self {
            name: "orion".into(),
            label: None,
            command_line: String::new(),
            level,
            shape: MatrixShape::Basic,
            num_disks: None,
            classes: LoadClass::pair(DEFAULT_SMALL.0, DEFAULT_LARGE.0),
            points: Vec::new(),
            phases: Vec::new(),
            sql: None,
            layout: Layout::Concat,
            cache: CacheWarmUp::Default,
            pace: Pace::Fixed(Nanos::from_secs(60)),
            levels: LevelChoice::Orion,
            engine: EngineRequest::Auto,
            workers: None,
            cpus: CpuChoice::Auto,
            seed: 0,
            buffered: false,
            allow_memory: false,
            share: false,
            poll: false,
            io_timeout: DEFAULT_IO_TIMEOUT,
            bound: None,
            sides: None,
            no_commits: None,
            slo: None,
            node_share: Vec::new(),
            demands: Demands::default(),
            rest_dirs: Vec::new(),
        }
    }

    /// The class of a name.
    pub fn class(&self, name: Class) -> Option<&LoadClass> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// Bytes of one I/O of a class; 0 when there is no such class, or it has no size.
    pub fn io_bytes(&self, name: Class) -> u64 {
        self.class(name).map_or(0, LoadClass::io_bytes)
    }

    /// How ORION's large I/O walks.
    pub fn large_pattern(&self) -> Pattern {
        self.class(Class::LARGE).map_or(Pattern::Random, |class| class.pattern)
    }

    /// The highest share of writes of a class. Commits beside a calibration, which only write, have no part in it.
    pub fn write_percent(&self) -> WritePercent {
        self.main_classes().map(|class| class.write_percent).max().unwrap_or_default()
    }

    /// Whether anything is written at all.
    pub fn writes_at_all(&self) -> bool {
        self.classes.iter().any(|class| class.write_percent.writes())
    }

    /// The share of writes that all classes have; `None` where they differ.
    pub fn common_write_percent(&self) -> Option<WritePercent> {
        let most = self.write_percent();
        self.main_classes().all(|class| class.write_percent == most).then_some(most)
    }

    /// The part of every target that all classes use; `None` where they differ.
    pub fn common_span(&self) -> Option<Span> {
        let first = self.classes.first()?.span;
        self.main_classes().all(|class| class.span == first).then_some(first)
    }

    /// The share of writes in words: `20 %`, or of each class where they differ, `0 % of small, 100 % of log`.
    pub fn write_share(&self) -> String {
        if let Some(common) = self.common_write_percent() {
            return format!("{} %", common.get());
        }
        let shares =
            self.main_classes().map(|class| format!("{} % of {}", class.write_percent.get(), class.name));
        shares.collect::<Vec<_>>().join(", ")
    }

    /// Whether some I/O of a point writes.
    pub fn writes(&self, point: Point) -> bool {
        self.classes.iter().any(|class| class.writes(point.of(class.name)))
    }

    /// Changes the size of the I/Os of a class.
    pub fn set_size(&mut self, name: Class, bytes: u64) {
        self.change(name, |class| class.sizes = Sizes::Fixed(bytes));
    }

    /// Changes how ORION's large I/O walks.
    pub fn set_large(&mut self, pattern: Pattern) {
        self.change(Class::LARGE, |class| class.pattern = pattern);
    }

    /// Changes the share of writes of every class.
    pub fn set_writes(&mut self, share: WritePercent) {
        self.classes.iter_mut().for_each(|class| class.write_percent = share);
    }

    /// Keeps every class to a part of each target.
    pub fn set_span(&mut self, span: Span) {
        self.classes.iter_mut().for_each(|class| class.span = span);
    }

    fn change(&mut self, name: Class, change: impl Fn(&mut LoadClass)) {
        self.classes.iter_mut().filter(|class| class.name == name).for_each(change);
    }

    /// Checks everything that can be judged without looking at host or targets.
    ///
    /// # Errors
    /// A usage problem that names the value, the options of `rigel run` that gave it, and what would be right.
    pub fn check(&self) -> Result<(), Problem> {
        self.check_classes()?;
        self.check_stripe()?;
        self.check_counts()?;
        self.check_way()?;
        self.check_levels()?;
        self.check_pace()?;
        self.check_slo()?;
        self.check_io_timeout()?;
        self.check_sides()?;
        team::check_shares(&self.node_share)?;
        self.check_label()
    }

    fn check_label(&self) -> Result<(), Problem> {
        let Some(label) = &self.label else { return Ok(()) };
        let letters = label.chars().count();
        let what = if label.trim().is_empty() {
            "the label is empty".to_owned()
        } else if letters > MOST_LABEL_LETTERS {
            format!("the label has {letters} letters")
        } else if printable(label) != label.as_str() {
            format!("the label '{}' holds control characters or invisible ones", printable(label))
        } else {
            return Ok(());
        };
        Err(Problem::usage(what).at("--label").because("it stands in titles and legends").next(format!(
            "give a short name of at most {MOST_LABEL_LETTERS} letters, such as --label old-san"
        )))
    }

    fn check_io_timeout(&self) -> Result<(), Problem> {
        if self.io_timeout >= LEAST_IO_TIMEOUT {
            return Ok(());
        }
        Err(Problem::usage(format!("a time limit of {} for an I/O is too short", self.io_timeout))
            .at("--io-timeout")
            .because("an I/O that waits in a long queue is not hung, and ages are looked at once a second")
            .next(format!("give {LEAST_IO_TIMEOUT} or more, such as --io-timeout 60s")))
    }

    fn check_classes(&self) -> Result<(), Problem> {
        let twice =
            |class: &LoadClass| self.classes.iter().filter(|other| other.name == class.name).count() > 1;
        if let Some(class) = self.classes.iter().find(|class| twice(class)) {
            return Err(Problem::usage(format!("there are two load classes '{}'", class.name))
                .next("give each class a name of its own"));
        }
        if self.classes.is_empty() || self.classes.len() > MOST_CLASSES {
            return Err(Problem::usage(format!(
                "{} load classes cannot be run together",
                self.classes.len()
            ))
            .next(format!("give 1 to {MOST_CLASSES}")));
        }
        self.classes.iter().try_for_each(LoadClass::check)?;
        check_verified(&self.classes)?;
        let verified = self.classes.iter().find(|class| class.verify && self.engine.is_simulated());
        verified.map_or(Ok(()), |class| {
            Err(Problem::usage(format!("the load class '{}' cannot be verified", class.name))
                .at("--engine")
                .because("the engine moves no data")
                .next("leave out --engine, or 'verify' in the load"))
        })
    }

    fn check_stripe(&self) -> Result<(), Problem> {
        if let Layout::Raid0 { stripe_bytes } = self.layout {
            let cut = |class: &&LoadClass| {
                stripe_bytes == 0 || (class.streams() && !stripe_bytes.is_multiple_of(class.io_bytes()))
            };
            if let Some(class) = self.classes.iter().find(cut) {
                let name = class.name;
                return Err(Problem::usage(format!(
                    "the stripe depth of {} is no multiple of the {name} I/O size of {}",
                    Bytes(stripe_bytes),
                    Bytes(class.io_bytes())
                ))
                .at("--stripe")
                .because("every I/O of a stream goes to one target")
                .next(format!(
                    "choose a stripe depth that is a multiple of the {name} I/O size, or a smaller {name} I/O"
                )));
            }
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), Problem> {
        if self.num_disks == Some(0) {
            return Err(Problem::usage("the number of disks is 0").at("--num-disks").next("give at least 1"));
        }
        if self.workers == Some(0) {
            return Err(Problem::usage("the number of workers is 0")
                .at("--workers")
                .next("give at least 1, or leave it out"));
        }
        if self.classes.iter().any(|class| class.pattern == Pattern::Streams { ios_per_stream: 0 }) {
            return Err(Problem::usage("a stream with 0 outstanding I/Os does nothing")
                .at("--stream-ios")
                .next("give at least 1"));
        }
        self.check_shape()
    }

    fn check_shape(&self) -> Result<(), Problem> {
        if self.level != RunLevel::Advanced {
            return Ok(());
        }
        let (small, large) = self.shape.counts();
        let options = match (small, large) {
            (Some(_), None) => "--num-small",
            (None, Some(_)) => "--num-large",
            _ => "--num-small, --num-large",
        };
        if let Some(count) = [small, large].into_iter().flatten().find(|&count| count > MAX_OUTSTANDING) {
            return Err(Problem::usage(format!("{count} outstanding I/Os are too many"))
                .at(options)
                .next(format!("ask for at most {MAX_OUTSTANDING} of a class")));
        }
        let idle = matches!(
            self.shape,
            MatrixShape::Point { small: 0, large: 0 } | MatrixShape::Max { small: 0, large: 0 }
        );
        if idle {
            return Err(Problem::usage("0 small and 0 large outstanding I/Os leave nothing to measure")
                .at(options)
                .next("give at least one of both counts above 0"));
        }
        Ok(())
    }

    /// Whether engine, page cache and polling go together.
    pub(super) fn check_way(&self) -> Result<(), Problem> {
        let commands = self.engine == EngineRequest::Only(EngineKind::Nvme);
        if self.buffered && (self.poll || commands) {
            let what = if commands { "NVMe commands go" } else { "polled completions are for I/O that goes" };
            return Err(Problem::usage(format!("{what} past the page cache"))
                .because("--buffered asks for the page cache")
                .next("leave out --buffered, or the other option"));
        }
        let durable = self.classes.iter().any(|class| class.sync != Sync::None);
        if durable && (self.poll || commands) {
            let what = if commands { "the engine nvme" } else { "polled completions" };
            return Err(Problem::usage(format!("{what} cannot wait for writes to be durable"))
                .at(if commands { "--engine nvme" } else { "--poll" })
                .because("flushes go through the kernel's own threads")
                .next("leave it out"));
        }
        let can_poll = match self.engine {
            EngineRequest::Auto => true,
            EngineRequest::Only(kind) => kind.can_poll(),
            EngineRequest::Sim(_) => false,
        };
        self.check_sync()?;
        if self.poll && !can_poll {
            return Err(Problem::usage("the engine cannot poll for completions")
                .at("--poll")
                .because("only the engines io_uring and nvme can")
                .next("leave out --poll, or choose one of them"));
        }
        Ok(())
    }

    /// Whether each outstanding I/O can have a worker of its own, where the engine asks for that.
    ///
    /// # Errors
    /// With the reason why it cannot.
    pub fn check_sync(&self) -> Result<(), Problem> {
        if self.engine != EngineRequest::Only(EngineKind::Sync) {
            return Ok(());
        }
        let refused = |because: &str, next: &str| {
            let problem = Problem::usage("the engine sync has a worker for each outstanding I/O");
            Err(problem.at("--engine sync").because(because).next(next))
        };
        if self.workers.is_some() {
            return refused("--workers gives another number of them", "leave out --workers");
        }
        if self.classes.iter().any(LoadClass::is_open) {
            let because =
                "of a load that arrives at a rate, an I/O would wait for its worker while others are idle";
            return refused(because, "use --engine threads, io_uring or libaio");
        }
        Ok(())
    }

    fn check_pace(&self) -> Result<(), Problem> {
        match self.pace {
            Pace::Fixed(duration) => self.check_fixed(duration),
            Pace::Adaptive(Adaptive { max_duration: Some(limit), .. }) => {
                check_length(limit, NS_PER_S, "a run of at most", "give at least 1s")
                    .map_err(|problem| problem.at("--max-duration"))
            }
            Pace::Phases | Pace::Soak(_) if self.phases.is_empty() => {
                Err(Problem::usage("the load has no phases").next("give it one, or another pace"))
            }
            Pace::Phases => phase::check(&self.phases, &self.points),
            Pace::Soak(soak) => phase::check(&self.phases, &self.points)
                .and_then(|()| soak.check(&self.phases))
                .and_then(|()| if soak.beside.is_some() { self.check_beside() } else { Ok(()) }),
            Pace::Adaptive(_) => Ok(()),
        }
    }

    /// Beside production a share of the time says how much load there is, and own reads tell how production fares.
    fn check_beside(&self) -> Result<(), Problem> {
        let refused = |what: &str, next: &str| {
            Err(Problem::usage(what.to_owned()).at("--beside-production").next(next.to_owned()))
        };
        if self.engine.is_simulated() {
            return refused(
                "a simulated device has no production beside it",
                "leave out --beside-production",
            );
        }
        if self.classes.iter().any(LoadClass::is_open) {
            return refused(
                "what arrives at a rate cannot give way",
                "leave the classes with a rate out of the load, or leave out --beside-production",
            );
        }
        if self.classes.iter().all(|class| class.write_percent == WritePercent::ALL) {
            return refused(
                "a load without reads cannot see how production fares",
                "let a class of the load read",
            );
        }
        Ok(())
    }

    fn check_fixed(&self, duration: Nanos) -> Result<(), Problem> {
        if self.levels == LevelChoice::Auto {
            return Err(Problem::usage("load levels are not searched with a fixed time per data point")
                .at("--levels")
                .because("the search decides by intervals, which need several visits to each level")
                .next("leave out the duration, or the automatic levels"));
        }
        let least = "give at least 100ms; ORION's default is 60 s";
        check_length(duration, NS_PER_S / 10, "a duration per data point of", least)
            .map_err(|problem| problem.at("--duration"))
    }

    fn check_levels(&self) -> Result<(), Problem> {
        if self.bound.is_some() && (self.levels, self.level) != (LevelChoice::Auto, RunLevel::Simple) {
            return Err(Problem::usage("a bound on the latency needs levels that are searched")
                .at("--max-latency")
                .because("the level at the bound is not known before")
                .next("calibrate with the level 'simple' and automatic levels"));
        }
        if self.bound.is_some_and(|bound| bound.limit.0 == 0) {
            return Err(Problem::usage("a latency of 0 cannot be kept")
                .at("--max-latency")
                .next("give a bound such as 10ms"));
        }
        let pair = [Class::SMALL, Class::LARGE];
        let missing = pair.into_iter().find(|&class| self.class(class).is_none());
        if let (Some(missing), true) = (missing, self.levels != LevelChoice::Own) {
            return Err(Problem::usage(format!("the run level needs a load class '{missing}'"))
                .because("ORION's levels are those of small and large I/O")
                .next("add the class, or measure each class at levels of its own"));
        }
        let has = |(class, _): (Class, u32)| self.class(class).is_some();
        if let Some(point) = self.points.iter().find(|point| !point.classes().all(has)) {
            return Err(Problem::usage(format!(
                "a point has a class that the load does not have: {}",
                point.words()
            ))
            .next("name only classes of the load"));
        }
        let unnamed = || self.points.is_empty() && self.classes.iter().all(|class| class.levels.is_empty());
        if self.levels == LevelChoice::Own && self.slo.is_none() && unnamed() {
            return Err(Problem::usage("no load class names a load level")
                .because("the levels were to be those that the classes name")
                .next("give a class its levels"));
        }
        if self.levels == LevelChoice::Auto && self.level == RunLevel::Advanced {
            return Err(Problem::usage("load levels are not searched for a matrix of your own")
                .at("--levels")
                .because("the level 'advanced' measures the counts that its options name")
                .next("use simple, normal, oltp or dss with automatic levels"));
        }
        Ok(())
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

#[cfg(test)]
mod tests;
