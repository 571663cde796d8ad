//! Complete command lines that measure what a setting lacks, or measure it better, on the target of a record.
//!
//! Must not write consent to destroy data into a command: the user is asked.

use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::command_line::CommandLine;
use rigel_core::load::placement::CpuChoice;
use rigel_core::load::request::{DEFAULT_IO_TIMEOUT, DEFAULT_LARGE, DEFAULT_SMALL, EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::path_text::{in_directory, shell_word};
use rigel_core::record::Header;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::say::{typed_size, typed_time};
use rigel_core::units::{MIB, Nanos};

/// A calibration has a minute unless it is given more; noise needs more.
const LEAST_BUDGET: Nanos = Nanos::from_secs(300);
/// For more disks than this, the search goes up to 64 outstanding for each.
const MANY_DISKS: u32 = 16;
const LARGE_BYTES: u64 = 4 * MIB;
/// The default of `rigel calibrate`.
const USUAL_BOUND: LatencyBound = LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean };

/// Where a command line that begins with `cd` is meant for.
pub const THERE: &str = "in the directory that was measured";

/// Whether a command line changes the directory first.
pub fn goes_elsewhere(command: &str) -> bool {
    command.starts_with("cd ")
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatTarget {
    /// The targets of the record.
    Target,
    /// A scratch file next to them, which contains data and may be written to.
    Scratch,
}

/// Commands that measure a figure better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatCommands {
    /// With more time.
    pub longer: String,
    /// With more outstanding than the search tried.
    pub further: String,
    /// On data that Rigel wrote itself.
    pub on_data: String,
}

impl RepeatCommands {
    /// The commands for a class of the run.
    pub fn of(header: &Header, class: Class) -> Self {
        let request = &header.request;
        let (limit, time) = more_time(request);
        let budget = format!("{limit} {time}");
        let same = same(request);
        let (option, value) = further(request, class);
        let option = format!("{option} {value}");
        let further = if class == Class::LARGE {
            RunOptionsText { large: option, ..same.clone() }
        } else {
            RunOptionsText { disks: option, ..same.clone() }
        };
        Self {
            longer: calibrate(header, RepeatTarget::Target, &same.options(&budget)),
            further: calibrate(header, RepeatTarget::Target, &further.options(&budget)),
            on_data: calibrate(header, RepeatTarget::Scratch, &same.options("")),
        }
    }
}

/// The option that has a search try more of a class, and its value.
pub fn further(request: &Request, class: Class) -> (&'static str, String) {
    if class == Class::LARGE {
        let bytes = request.io_bytes(class).saturating_mul(2).max(LARGE_BYTES);
        return ("--size-large", typed_size(bytes));
    }
    let disks = request.num_disks.unwrap_or(1).saturating_mul(2).max(MANY_DISKS);
    ("--num-disks", disks.to_string())
}

/// The option that gives a calibration twice the time of the run, and at least five minutes; and its value.
pub fn more_time(request: &Request) -> (&'static str, String) {
    let half = Nanos(LEAST_BUDGET.0 / 2);
    ("--for", twice(request.max_duration().unwrap_or(half).max(half)))
}

/// Twice a time, as it is typed.
pub fn twice(time: Nanos) -> String {
    typed_time(Nanos(time.0.saturating_mul(2)))
}

/// The commands for commits, which are measured on a scratch file next to the target.
pub(super) fn commits(header: &Header) -> RepeatCommands {
    let (before, _) = place(header, RepeatTarget::Scratch);
    let engine = engine(header);
    let command = format!("{before}rigel run commit --for {} {engine}", typed_time(LEAST_BUDGET));
    let command = command.trim_end().to_owned();
    RepeatCommands { longer: command.clone(), further: command.clone(), on_data: command }
}

/// A calibration with options, as a command line.
pub fn calibrate(header: &Header, on: RepeatTarget, options: &str) -> String {
    let (before, targets) = place(header, on);
    let words = [
        "rigel calibrate".to_owned(),
        targets,
        scratch_size(header),
        engine(header),
        how(&header.request),
        options.to_owned(),
    ];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    before + &words.join(" ")
}

/// The size of Rigel's own scratch file, if one was requested.
fn scratch_size(header: &Header) -> String {
    let own = header.targets.iter().find(|target| target.is_own_scratch());
    own.filter(|_| is_typed(&header.request, "--scratch-size"))
        .map_or_else(String::new, |own| size("--scratch-size", own.size_bytes))
}

/// Whether an option was given.
fn is_typed(request: &Request, option: &str) -> bool {
    CommandLine::typed(&request.command_line).is_some_and(|line| line.has(&[option]))
}

/// The options that say how a calibration is done, where they were given: what leaves them out measures in another way.
fn how(request: &Request) -> String {
    let workers = request.workers.map(|workers| format!("--workers {workers}"));
    let cpus = match &request.cpus {
        CpuChoice::Auto => None,
        CpuChoice::Any => Some("--cpus any".to_owned()),
        CpuChoice::List(list) => {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            Some(format!("--cpus {}", list.join(",")))
        }
    };
    let switch = |is_on: bool, name: &str| is_on.then(|| name.to_owned());
    let no_commits = matches!(request.task, Task::Calibrate { .. }) && is_typed(request, "--no-commits");
    let timeout = (request.io_timeout != DEFAULT_IO_TIMEOUT)
        .then(|| format!("--io-timeout {}", typed_time(request.io_timeout)));
    let all = [
        workers,
        cpus,
        switch(request.no_trials, "--no-trials"),
        switch(no_commits, "--no-commits"),
        timeout,
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A run with the same number of small I/Os as in the header, and nothing else; `None` if a command does not repeat
/// it by itself: writes need consent.
pub fn at_level(header: &Header, level: u32) -> Option<String> {
    let request = &header.request;
    let is_through_cache = request.buffered || request.allow_memory;
    let is_of_own = request.sql().is_some() || request.sides.is_some() || !request.points().is_empty();
    if is_of_own || is_through_cache || request.poll || request.write_percent().get() > 0 {
        return None;
    }
    let (before, targets) = place(header, RepeatTarget::Target);
    let own = header.targets.iter().find(|target| target.is_own_scratch());
    let words = [
        "rigel run advanced".to_owned(),
        targets,
        own.map_or_else(String::new, |own| size("--scratch-size", own.size_bytes)),
        engine(header),
        same(request).small,
        request.workers.map_or_else(String::new, |workers| format!("--workers {workers}")),
        format!("--matrix point --num-small {level} --num-large 0"),
    ];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Some(before + &words.join(" "))
}

/// A run of large I/O that only reads, or only writes: on the targets of the header, or on a scratch file next to them.
pub fn large(header: &Header, writes: bool) -> String {
    let (before, targets) = place(header, if writes { RepeatTarget::Scratch } else { RepeatTarget::Target });
    let request = &header.request;
    let RunOptionsText { mut large, disks, .. } = same(request);
    if let Some(Pattern::Streams { ios_per_stream }) = request.class(Class::LARGE).map(|load| load.pattern) {
        large = format!("--type seq --stream-ios {ios_per_stream} {large}").trim_end().to_owned();
    }
    // Only that level takes options of the shape.
    let level = if large.is_empty() { "dss" } else { "advanced --matrix col --num-small 0" };
    let write = if writes { "--write 100" } else { "" };
    let words = [format!("rigel run {level}"), targets, engine(header), large, disks, write.to_owned()];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    before + &words.join(" ")
}

/// What precedes the command, and the targets. Rigel's own scratch file is in the directory of the command.
fn place(header: &Header, on: RepeatTarget) -> (String, String) {
    let targets = &header.targets;
    if targets.iter().any(|target| target.kind == TargetKind::Simulated) {
        return (String::new(), String::new());
    }
    if on == RepeatTarget::Target && !targets.iter().any(TargetFacts::is_own_scratch) {
        // A relative path may mean another file where the command is typed.
        let path = |target: &TargetFacts| {
            shell_word(if target.path.starts_with('/') { &target.path } else { &target.real_path })
        };
        let words = targets.iter().map(path);
        return (String::new(), words.collect::<Vec<_>>().join(" "));
    }
    let file = targets.iter().find(|target| target.kind == TargetKind::File);
    let directory = file.and_then(|file| file.real_path.rsplit_once('/')).map(|(directory, _)| directory);
    (directory.map_or_else(String::new, |directory| in_directory(directory, "")), String::new())
}

/// The engine, if one was requested. The law of a simulated device is as typed.
fn engine(header: &Header) -> String {
    match header.request.engine {
        EngineRequest::Auto => String::new(),
        EngineRequest::Only(kind) => format!("--engine {}", kind.name()),
        EngineRequest::Sim(_) => {
            let typed = CommandLine::typed(&header.request.command_line);
            let law = typed.as_ref().and_then(|line| line.value("--engine")).unwrap_or("sim");
            format!("--engine {law}")
        }
    }
}

/// The options of a run that decide which figures it has; empty where they are the usual ones.
#[derive(Clone)]
struct RunOptionsText {
    small: String,
    large: String,
    write: String,
    disks: String,
    bound: String,
}

impl RunOptionsText {
    fn options(&self, more: &str) -> String {
        let all = [&self.small, &self.large, &self.write, &self.disks, &self.bound];
        let all = all.into_iter().map(String::as_str).chain([more]);
        all.filter(|option| !option.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

fn same(request: &Request) -> RunOptionsText {
    let unless = |name: &str, class: Class, usual: u64| {
        let bytes = request.io_bytes(class);
        if bytes == usual || bytes == 0 { String::new() } else { size(name, bytes) }
    };
    let writes = request.write_percent().get();
    let bound = request.bound().filter(|bound| *bound != USUAL_BOUND);
    RunOptionsText {
        small: unless("--size-small", Class::SMALL, DEFAULT_SMALL.0),
        large: unless("--size-large", Class::LARGE, DEFAULT_LARGE.0),
        write: if writes == 0 { String::new() } else { format!("--write {writes}") },
        disks: request.num_disks.map_or_else(String::new, |disks| format!("--num-disks {disks}")),
        bound: bound.map_or_else(String::new, |bound| match bound.of {
            // Without the option the bound is one on the mean.
            LatencyOf::Mean => format!("--max-latency {}", typed_time(bound.limit)),
            of => format!("--max-latency {} --percentile {}", typed_time(bound.limit), of.name()),
        }),
    }
}

/// In the notation of the command line: `--size-small 16K`.
fn size(name: &str, bytes: u64) -> String {
    format!("{name} {}", typed_size(bytes))
}
