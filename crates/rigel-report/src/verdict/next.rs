//! The next command: one that removes the doubt about the numbers, or one that uses them.
//!
//! Must not guess: if the options of the run cannot be repeated safely, there is no command.

use super::causes;
use crate::commits;
use crate::judgement::{Cause, Suggestion};
use crate::view::View;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts, TargetKind};
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::{FlagCode, Next};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::command_line::CommandLine;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::path_text::{in_directory, printable, shell_word};
use rigel_core::record::resume::{self, Rest};
use rigel_core::record::{Header, Node};
use rigel_core::units::say::{typed_time, unit_of_two_figures};
use rigel_core::units::{NS_PER_S, Nanos};
use rigel_uses::advice::again;

/// The part of the served rate that is certainly served again: close to all of it, the queue is long.
const SERVED_SHARE: f64 = 0.8;

pub(super) fn of(view: &View<'_>, causes: &[Cause]) -> Option<Suggestion> {
    let suggestion = |purpose: &str, command: String| Suggestion {
        purpose: purpose.to_owned(),
        command,
        is_longer: false,
    };
    let header = &view.record.header;
    let record = || shell_word(&format!("{}_record.jsonl", header.run_id));
    let simulated = header.request.engine.is_simulated();
    let is_of_server = header.request.sql().is_some();
    let rest = Rest::of(view.record);
    if rest.is_some() && (is_of_server || header.request.asks_for_change()) {
        return None;
    }
    if rest == Some(Rest::Open) {
        let record = format!("{}_record.jsonl", header.run_id);
        let command = resume::command(&header.request, &header.nodes, &header.targets, &record);
        return Some(suggestion("To resume the run, in the directory of its record", command));
    }
    let again = |purpose: &str, command: CommandLine| Some(suggestion(purpose, there(view, &command.text())));
    if let Some(command) = slower(view, causes) {
        return again("To try a rate that is served", command);
    }
    let next = match causes::next(causes) {
        // The same time would be used up again.
        Some(Next::Again) if rest == Some(Rest::NoTime) => Some(Next::Longer),
        next => next,
    };
    match next {
        // Over which targets it would go is not known.
        None if simulated && header.request.classes.iter().any(LoadClass::level_is_targets) => None,
        None if simulated => Some(suggestion("To measure real storage", of_real_storage(view))),
        None if advises(view) => Some(suggestion(
            "To see database settings that fit, in the directory of the record",
            format!("rigel advise {} --database postgresql", record()),
        )),
        None => None,
        Some(Next::Doctor | Next::ScratchFile) if is_of_server => None,
        Some(Next::ScratchFile) => Some(suggestion(
            "In a directory on the disk, to measure a file of data",
            on_a_scratch_file(view).into(),
        )),
        Some(Next::Doctor) if simulated => None,
        Some(Next::Doctor) => Some(suggestion("To find the cause", doctor(view))),
        Some(Next::Longer) => match further(view, causes) {
            Some(command) => again("To try more load", command),
            None => match longer(view) {
                Some(command) => Some(Suggestion { is_longer: true, ..again("To measure longer", command)? }),
                None => again("To measure again", repeated(view)?),
            },
        },
        Some(Next::Again | Next::Nothing) => again("To measure again", with_workers(view, causes)?),
    }
}

/// The same question for real storage if no calibration answers it: a rate that meets a limit, a load of the user's own.
fn of_real_storage(view: &View<'_>) -> String {
    let request = &view.record.header.request;
    let asks_more = request.slo().is_some() || request.level().is_own();
    let command = repeated(view).filter(|_| asks_more);
    command.map_or_else(|| "rigel calibrate".to_owned(), |command| command.without("--engine").text())
}

/// A command that fills a file of its own and answers the question of the run.
fn on_a_scratch_file(view: &View<'_>) -> &'static str {
    if commits::is_of(view) { "rigel run commit" } else { "rigel calibrate" }
}

/// Whether `rigel advise` has something to say about the reads of a database.
fn advises(view: &View<'_>) -> bool {
    let request = &view.record.header.request;
    let alone = |found: &PointFindings| found.point.is_alone(Class::SMALL);
    let measures_reads = !request.write_percent().writes() && view.findings.points.iter().any(alone);
    measures_reads && request.level() != RunLevel::Advanced && !request.asks_for_change()
}

/// The targets and their location. Rigel's own scratch file may be gone, its directory is not.
fn doctor(view: &View<'_>) -> String {
    let word = |target: &TargetFacts| {
        let own = target.is_own_scratch();
        let directory = target.real_path.rsplit_once('/').map_or("/", |(directory, _)| directory);
        shell_word(if own { directory } else { &target.path })
    };
    let words: Vec<String> = view.record.header.targets.iter().map(word).collect();
    format!("rigel doctor {}", words.join(" "))
}

/// The command line of the run; `None` if the typed words cannot be distinguished from the record.
fn repeated(view: &View<'_>) -> Option<CommandLine> {
    let request = &view.record.header.request;
    let words = view.targets().into_iter().chain(request.label.as_deref());
    // Who is told what to type wants to see what comes of it.
    let echo = CommandLine::typed(&request.command_line)?.without_switch("--quiet");
    // In a record of before, or of another program, a blank may stand within a word without quotes.
    let is_whole = |word: &str| {
        printable(word) == word
            && (!word.contains(' ') || request.command_line.contains(&format!("'{word}'")))
    };
    if !words.into_iter().all(is_whole) {
        return None;
    }
    let command = command(request, &echo)?;
    Some(echo.after(&of_program(view, command)))
}

/// The command for such a run; `None` if the typed words do not suffice.
fn command(request: &Request, echo: &CommandLine) -> Option<&'static str> {
    let is_sql = !request.through.is_kernel();
    match &request.task {
        Task::Rate { slo, .. } => Some(if slo.scaled.is_some() { "capacity fit" } else { "slo" }),
        Task::Calibrate { .. } => Some("calibrate"),
        Task::Load { .. } if request.sides.is_some() && !is_sql => Some("versus"),
        // Nothing but a calibration can be asked for without a word more.
        _ if echo.is_empty() => None,
        // The same tasks can be asked for in the words of another program.
        _ if echo.has(&["-run", "-testname"]) => Some("orion"),
        // The connection string is not kept.
        _ if echo.has(&["--dsn"]) => None,
        _ if is_sql => Some("sql"),
        Task::Soak { soak, .. } if !soak.through => Some("soak"),
        Task::Matrix { .. }
        | Task::Load { .. }
        | Task::Phases(_)
        | Task::Soak { .. }
        | Task::Burst { .. }
        | Task::WorkingSet(_) => Some("run"),
    }
}

/// A command of the program that made the run: one host would load the storage differently than many did. How they are started, only
/// the user knows.
fn of_program(view: &View<'_>, command: &str) -> String {
    let is_together = view.record.header.nodes.first().member.is_some();
    let program = if is_together { "mpirun .. rigel-mpi" } else { "rigel" };
    format!("{program} {command}")
}

/// The same with more time; `None` if the run had no limit that could be raised.
fn longer(view: &View<'_>) -> Option<CommandLine> {
    let command = repeated(view)?;
    let request = &view.record.header.request;
    let fast = "--fast";
    let is_fast = command.has(&[fast]);
    // Where every visit was made that a point may have, only longer visits make the run longer.
    let command = if are_visits_used_up(view) {
        if !is_fast {
            return None;
        }
        command.without_switch(fast)
    } else {
        command
    };
    match &request.task {
        Task::Rate { pace, .. } => {
            Some(with_time(command.without("--duration"), &again::twice(pace.max_duration?)))
        }
        Task::Calibrate { .. } => {
            let (_, time) = again::more_time(request);
            Some(with_time(command, &time))
        }
        Task::Matrix { pace, .. } | Task::Load { pace, .. } => match pace {
            Pace::Adaptive(Adaptive { max_duration: Some(limit), .. }) => {
                Some(with_time(with_writers(request, command), &enough(view, *limit)))
            }
            Pace::Adaptive(_) => is_fast.then(|| command.without_switch(fast)),
            Pace::Fixed(duration) => {
                command.has(&["--duration"]).then(|| command.with("--duration", &again::twice(*duration)))
            }
        },
        Task::Soak { soak, .. } => {
            command.has(&["--for"]).then(|| command.with("--for", &again::twice(soak.time)))
        }
        Task::Burst { burst, .. } => {
            Some(command.without("--max-duration").with("--for", &again::twice(burst.time)))
        }
        Task::WorkingSet(asked) => {
            Some(command.without("--max-duration").with("--for", &again::twice(asked.time)))
        }
        Task::Phases(_) => None,
    }
}

/// Twice the time; more, if the missing visits take longer even on a device that does not vary.
fn enough(view: &View<'_>, limit: Nanos) -> String {
    let Header { request, nodes, targets, .. } = &view.record.header;
    let lacks_visits = view.findings.points.iter().any(PointFindings::has_too_few_visits);
    let Some(Pace::Adaptive(pace)) = request.pace().filter(|_| lacks_visits) else {
        return again::twice(limit);
    };
    let free = request.clone().paced(Pace::Adaptive(Adaptive { max_duration: None, ..pace }));
    let least_ns =
        Plan::new(&free, &nodes.first().host, targets).map_or(0, |plan| plan.prospect(&free).least_ns);
    let minute_ns = 60 * NS_PER_S;
    // What visits take besides their load is not in the plan.
    let with_rests_ns = least_ns.saturating_add(least_ns / 10).div_ceil(minute_ns).saturating_mul(minute_ns);
    typed_time(Nanos(with_rests_ns.max(limit.0.saturating_mul(2))))
}

/// The writers of a run of commits that measured few of them to answer in a minute: with more time it would measure others, too.
fn with_writers(request: &Request, command: CommandLine) -> CommandLine {
    let typed = ["--writers", "--for", "--max-duration", "--budget", "--beside-reads"];
    let levels = request.classes.first().map_or(&[][..], |class| class.levels.as_slice());
    if request.level() != RunLevel::Commit || levels.is_empty() || command.has(&typed) {
        return command;
    }
    let levels: Vec<String> = levels.iter().map(u32::to_string).collect();
    command.with("--writers", &levels.join(","))
}

/// With that limit, under the name that it had when the run was started.
fn with_time(command: CommandLine, time: &str) -> CommandLine {
    command.without("--budget").without("--max-duration").with("--for", time)
}

/// Whether some point had all the visits that an adaptive run makes to one, whatever its time.
fn are_visits_used_up(view: &View<'_>) -> bool {
    let request = &view.record.header.request;
    // The visits of a search for a rate and of a calibration follow from its time.
    let is_free = !matches!(request.task, Task::Rate { .. } | Task::Calibrate { .. });
    let plan = view.record.header.plan.adaptive.as_ref().filter(|_| is_free);
    plan.is_some_and(|plan| {
        let most = plan.parameters.most_visits as usize;
        view.findings.points.iter().any(|found| found.visits >= most)
    })
}

/// The same at a rate below what was served, if more had arrived; `None` if the tool was the limit, or no rate was typed.
fn slower(view: &View<'_>, causes: &[Cause]) -> Option<CommandLine> {
    let has = |code| causes.iter().any(|cause| cause.code == Some(code));
    if !has(FlagCode::Overload) || has(FlagCode::HostLimited) {
        return None;
    }
    let is_behind = |found: &&PointFindings| found.flags.iter().any(|flag| flag.code == FlagCode::Overload);
    let served = view.findings.points.iter().filter(is_behind).flat_map(PointFindings::classes);
    let least = served.filter(|(_, io)| io.load.is_open()).map(|(_, io)| io.iops.value).reduce(f64::min)?;
    let rate = two_digits_below(SERVED_SHARE * least).filter(|rate| *rate > 0)?;
    repeated(view)
        .filter(|command| command.has(&["--rate"]))
        .map(|command| command.with("--rate", &rate.to_string()))
}

/// `790` for 793.6.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of I/Os")]
fn two_digits_below(value: f64) -> Option<u64> {
    let unit = unit_of_two_figures(value.max(10.0));
    value.is_finite().then(|| ((value / unit).floor() * unit) as u64)
}

/// A calibration that tried all its load, for storage that could do more.
fn further(view: &View<'_>, causes: &[Cause]) -> Option<CommandLine> {
    let header = &view.record.header;
    let unsaturated = causes.iter().any(|cause| cause.code == Some(FlagCode::NotSaturated));
    let search = header.plan.search.as_ref().filter(|_| header.request.bound().is_some() && unsaturated)?;
    let tried_all = |class: &Class| {
        let curve = view.findings.curves.iter().find(|found| found.class() == *class)?;
        let most = curve.curve.levels.last()?.0;
        (!curve.curve.saturated && Some(&most) >= search.most.get(class)).then_some(*class)
    };
    let class = search.classes.iter().find_map(tried_all)?;
    let (option, value) = again::further(&header.request, class);
    let (_, time) = again::more_time(&header.request);
    Some(with_time(repeated(view)?.with(option, &value), &time))
}

/// The same, with more workers if they were the limit.
fn with_workers(view: &View<'_>, causes: &[Cause]) -> Option<CommandLine> {
    let command = repeated(view)?;
    let limits = [Some(FlagCode::HostLimited), Some(FlagCode::QueueNotFilled)];
    let limited = causes.first().is_some_and(|cause| limits.contains(&cause.code));
    let Node { host: HostFacts { cpus, .. }, engine, .. } = view.record.header.nodes.first();
    let Header { request, plan, .. } = &view.record.header;
    let workers = plan.workers_of(request, engine.kind).saturating_mul(2);
    Some(if limited && workers <= *cpus && engine.kind != EngineKind::Sync {
        command.with("--workers", &workers.to_string())
    } else {
        command
    })
}

/// In the directory of the run, if its targets had relative names.
fn there(view: &View<'_>, command: &str) -> String {
    let relative = |target: &TargetFacts| {
        let name = target.path.trim_start_matches("./");
        let is_relative = target.kind != TargetKind::Simulated && !name.starts_with(['/', '.']);
        let directory = target.real_path.strip_suffix(name)?.trim_end_matches('/');
        is_relative.then(|| in_directory(directory, command))
    };
    view.record.header.targets.iter().find_map(relative).unwrap_or_else(|| command.to_owned())
}
