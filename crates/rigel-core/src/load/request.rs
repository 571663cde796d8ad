//! What the user asked for, checked, whatever command line it came from.
//!
//! Both front ends (`rigel run` and `rigel orion`) make the same [`Request`]. Must not depend on the host or the targets;
//! [`crate::load::plan`] is where they come in.

mod commits;
mod rate;
mod sides;
mod sql;
mod task;

pub use crate::load::engine::EngineRequest;

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::load::class::{Class, LoadClass, MOST_CLASSES, Pattern, Sizes, Span, Sync, check_verified};
use crate::load::demands::Demands;
use crate::load::matrix::{Grid, Point, RunLevel};
use crate::load::placement::CpuChoice;
use crate::load::sides::Sides;
use crate::load::task::{Task, Through};
use crate::load::team;
use crate::load::workload::{Layout, WritePercent};
use crate::path_text::printable;
use crate::units::{Bytes, Nanos};
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
/// The longest time of an I/O: longer than the timeouts of drives (30 s) and the failover of most paths.
pub const DEFAULT_IO_TIMEOUT: Nanos = Nanos::from_secs(60);
/// Ages of I/Os are checked once a second.
const LEAST_IO_TIMEOUT: Nanos = Nanos::from_secs(1);

/// Longest label: a legend has no room for more.
pub const MOST_LABEL_LETTERS: usize = 60;

/// The unmeasured load before a large sequential point (`-cache_size`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheWarmUp {
    /// Not given: two minutes.
    Default,
    /// 0: none.
    Off,
    /// Until that many bytes have been moved.
    Bytes(u64),
}

/// A run as requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the run (`-testname`), without a directory, printable.
    pub name: String,
    /// The user's name for what is measured, in titles and legends (`--label`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The arguments as typed, each followed by a space, printable; echoed in the summary.
    pub command_line: String,
    /// The task.
    pub task: Task,
    /// ORION's num_disks; `None`: the number of targets.
    pub num_disks: Option<u32>,
    /// The load classes; ORION's small and large I/O unless another load was requested.
    pub classes: Vec<LoadClass>,
    /// What carries the load.
    #[serde(default, skip_serializing_if = "Through::is_kernel")]
    pub through: Through,
    /// How targets form the volume of streams.
    pub layout: Layout,
    /// Warm-up before large sequential points.
    pub cache: CacheWarmUp,
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
    /// Memory is measured on purpose: a scratch file may be in it, and numbers about memory do not fail the run.
    #[serde(default)]
    pub allow_memory: bool,
    /// Another run of Rigel may load the same targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share: bool,
    /// The device is polled for completions instead of interrupting.
    #[serde(default)]
    pub poll: bool,
    /// No engines are compared before the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_trials: bool,
    /// How long an I/O may be in flight before it counts as hung and ends the run.
    #[serde(default = "default_io_timeout")]
    pub io_timeout: Nanos,
    /// Two sides alternate; the settings of the second one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
    /// The share of the load of each node; empty: equal shares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_share: Vec<u32>,
    /// The gates of a run of two sides.
    #[serde(default, skip_serializing_if = "Demands::is_empty")]
    pub demands: Demands,
}

const fn default_io_timeout() -> Nanos {
    DEFAULT_IO_TIMEOUT
}

impl Request {
    /// The most outstanding I/Os among each class's own levels.
    pub fn most_of_own(&self) -> Point {
        Grid::of_own(&self.classes, &self.points()).most()
    }

    /// A request for the plain task of a level, with ORION's defaults.
    pub fn new(level: RunLevel) -> Self {
        Self::of(Task::of_level(level))
    }

    /// A request for a task, with ORION's defaults.
    pub fn of(task: Task) -> Self {
        Self {
            name: "orion".into(),
            label: None,
            command_line: String::new(),
            task,
            num_disks: None,
            classes: LoadClass::pair(DEFAULT_SMALL.0, DEFAULT_LARGE.0),
            through: Through::Kernel,
            layout: Layout::Concat,
            cache: CacheWarmUp::Default,
            engine: EngineRequest::Auto,
            workers: None,
            cpus: CpuChoice::Auto,
            seed: 0,
            buffered: false,
            allow_memory: false,
            share: false,
            poll: false,
            no_trials: false,
            io_timeout: DEFAULT_IO_TIMEOUT,
            sides: None,
            node_share: Vec::new(),
            demands: Demands::default(),
        }
    }

    /// The class with this name.
    pub fn class(&self, name: Class) -> Option<&LoadClass> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// Bytes of one I/O of a class; 0 when there is no such class, or it has no size.
    pub fn io_bytes(&self, name: Class) -> u64 {
        self.class(name).map_or(0, LoadClass::io_bytes)
    }

    /// How ORION's large I/O moves.
    pub fn large_pattern(&self) -> Pattern {
        self.class(Class::LARGE).map_or(Pattern::Random, |class| class.pattern)
    }

    /// The highest share of writes of a class. Commits next to a calibration, which only write, do not count.
    pub fn write_percent(&self) -> WritePercent {
        self.main_classes().map(|class| class.write_percent).max().unwrap_or_default()
    }

    /// Whether anything is written at all.
    pub fn writes_at_all(&self) -> bool {
        self.classes.iter().any(|class| class.write_percent.writes())
    }

    /// The share of writes of all classes; `None` if they differ.
    pub fn common_write_percent(&self) -> Option<WritePercent> {
        let most = self.write_percent();
        self.main_classes().all(|class| class.write_percent == most).then_some(most)
    }

    /// The part of every target that all classes use; `None` if they differ.
    fn common_span(&self) -> Option<Span> {
        let first = self.classes.first()?.span;
        self.main_classes().all(|class| class.span == first).then_some(first)
    }

    /// The part of the targets that is measured, in words: `0-33%`, or `parts` if classes differ; `None` if it is all of them.
    pub fn measured_part(&self) -> Option<String> {
        match self.common_span() {
            Some(Span::Whole) => None,
            Some(span) => Some(span.to_string()),
            None if self.classes.is_empty() => None,
            None => Some("parts".to_owned()),
        }
    }

    /// The share of writes in words: `20 %`, or by class if they differ, `0 % of small, 100 % of log`.
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

    /// Changes how ORION's large I/O moves.
    pub fn set_large(&mut self, pattern: Pattern) {
        self.change(Class::LARGE, |class| class.pattern = pattern);
    }

    /// Changes the share of writes of every class.
    pub fn set_writes(&mut self, share: WritePercent) {
        self.classes.iter_mut().for_each(|class| class.write_percent = share);
    }

    /// Limits every class to a part of each target.
    pub fn set_span(&mut self, span: Span) {
        self.classes.iter_mut().for_each(|class| class.span = span);
    }

    fn change(&mut self, name: Class, change: impl Fn(&mut LoadClass)) {
        self.classes.iter_mut().filter(|class| class.name == name).for_each(change);
    }

    /// Checks everything that can be judged without inspecting host or targets.
    ///
    /// # Errors
    /// A usage problem that names the value, the options of `rigel run` that gave it, and what would be right.
    pub fn check(&self) -> Result<(), Problem> {
        self.check_how()?;
        self.check_task()?;
        self.check_sides()
    }

    /// The same without the task, if its load is not known yet.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn check_how(&self) -> Result<(), Problem> {
        self.check_classes()?;
        self.check_stripe()?;
        self.check_counts()?;
        self.check_way()?;
        self.pace().map_or(Ok(()), task::check_pace)?;
        self.check_io_timeout()?;
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
            format!("the label '{}' contains control or invisible characters", printable(label))
        } else {
            return Ok(());
        };
        Err(Problem::usage(what).at("--label").because("it is shown in titles and legends").next(format!(
            "give a short name of at most {MOST_LABEL_LETTERS} letters, such as --label old-san"
        )))
    }

    fn check_io_timeout(&self) -> Result<(), Problem> {
        if self.io_timeout >= LEAST_IO_TIMEOUT {
            return Ok(());
        }
        Err(Problem::usage(format!("a time limit of {} for an I/O is too short", self.io_timeout))
            .at("--io-timeout")
            .because("an I/O in a long queue is not hung, and ages are checked once a second")
            .next(format!("give {LEAST_IO_TIMEOUT} or more, such as --io-timeout 60s")))
    }

    fn check_classes(&self) -> Result<(), Problem> {
        let twice =
            |class: &LoadClass| self.classes.iter().filter(|other| other.name == class.name).count() > 1;
        if let Some(class) = self.classes.iter().find(|class| twice(class)) {
            return Err(Problem::usage(format!("two load classes are named '{}'", class.name))
                .next("give each class a name of its own"));
        }
        if self.classes.is_empty() || self.classes.len() > MOST_CLASSES {
            return Err(Problem::usage(format!(
                "{} load classes is too many for one run",
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
                .because("this engine moves no data")
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
                    "the stripe depth of {} is not a multiple of the {name} I/O size of {}",
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
            return Err(Problem::usage("the number of disks must not be 0")
                .at("--num-disks")
                .next("give at least 1"));
        }
        if self.workers == Some(0) {
            return Err(Problem::usage("the number of workers must not be 0")
                .at("--workers")
                .next("give at least 1, or leave it out"));
        }
        if self.classes.iter().any(|class| class.pattern == Pattern::Streams { ios_per_stream: 0 }) {
            return Err(Problem::usage("a stream with 0 outstanding I/Os does nothing")
                .at("--stream-ios")
                .next("give at least 1"));
        }
        Ok(())
    }

    /// Whether engine, page cache and polling can be combined.
    fn check_way(&self) -> Result<(), Problem> {
        let commands = self.engine == EngineRequest::Only(EngineKind::Nvme);
        if self.buffered && (self.poll || commands) {
            let what = if commands { "NVMe commands go" } else { "polled completions need I/O that goes" };
            return Err(Problem::usage(format!("{what} past the page cache"))
                .because("--buffered asks for the page cache")
                .next("leave out --buffered, or the other option"));
        }
        let durable = self.classes.iter().any(|class| class.sync != Sync::None);
        if durable && (self.poll || commands) {
            let what = if commands { "the engine nvme" } else { "polled completions" };
            return Err(Problem::usage(format!("{what} cannot wait for writes to be durable"))
                .at(if commands { "--engine nvme" } else { "--poll" })
                .because("flushes go through kernel threads")
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

    /// Whether each outstanding I/O can have a worker of its own, if the engine needs that.
    ///
    /// # Errors
    /// With the reason why it cannot.
    pub fn check_sync(&self) -> Result<(), Problem> {
        if self.engine != EngineRequest::Only(EngineKind::Sync) {
            return Ok(());
        }
        let refused = |because: &str, next: &str| {
            let problem = Problem::usage("the engine sync uses one worker per outstanding I/O");
            Err(problem.at("--engine sync").because(because).next(next))
        };
        if self.workers.is_some() {
            return refused("--workers asks for a different number", "leave out --workers");
        }
        if self.classes.iter().any(LoadClass::is_open) {
            let because =
                "when I/Os arrive at a rate, one would wait for its worker while other workers are idle";
            return refused(because, "use --engine threads, io_uring or libaio");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
