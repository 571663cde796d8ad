//! `rigel selftest`: whole runs on simulated devices, checked against the known truth.
//!
//! Every trial is an ordinary run: the schedule, the workers, the record and its judgement are those of `rigel run`. Only
//! the device is simulated, in virtual time, so the truth is known. Must not hold a case or a threshold.

use crate::args::SelftestArgs;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_report::document::Document as _;
use rigel_report::selftest::SelfTest;
use rigel_run::trial::trial;
use rigel_uses::selftest::{self, Case, Grade, Score, Trial};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Tries every case and prints the results. Promises that were not kept are a problem.
pub fn selftest(options: &SelftestArgs, streams: &Streams) -> Result<(), Problem> {
    let cases = if options.thorough { selftest::thorough() } else { selftest::all() };
    let cases = chosen(cases, options.only.as_deref())?;
    let signals = Signals::listen()?;
    let progress = WorkProgress::of_trials(streams, options.quiet);
    let scores = try_all(cases, options, progress, signals.flag())?;
    let found = SelfTest { scores: &scores, seed: options.seed };
    let told = if options.markdown { found.markdown() } else { found.text(streams.style()) };
    streams.results(told.as_bytes())?;
    let broken: Vec<&str> =
        scores.iter().filter(|score| score.verdict() != Grade::Kept).map(|score| score.case.name).collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Problem::new(
        ExitKind::GateFailed,
        format!("{} promises were not kept: {}", broken.len(), broken.join("; ")),
    )
    .because("the statistics of this build are wrong, or there are too few trials to be sure")
    .next("repeat with --trials 100; if it persists, report it with the version"))
}

/// The cases whose name holds a text.
fn chosen(mut cases: Vec<Case>, only: Option<&str>) -> Result<Vec<Case>, Problem> {
    let Some(text) = only else { return Ok(cases) };
    cases.retain(|case| case.name.contains(text));
    if cases.is_empty() {
        return Err(Problem::usage(format!("no case has '{}' in its name", path_text::printable(text)))
            .at("--only")
            .next("leave it out to see the names; --thorough has more"));
    }
    Ok(cases)
}

/// All trials of all cases, on every CPU.
fn try_all(
    cases: Vec<Case>,
    options: &SelftestArgs,
    progress: WorkProgress,
    stop: &AtomicBool,
) -> Result<Vec<Score>, Problem> {
    let trials = options.trials as usize;
    let total = cases.len() * trials;
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(progress);
    let work = || -> Result<Vec<(usize, Trial)>, Problem> {
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number / trials) else {
                return Ok(made);
            };
            if stop.load(Ordering::Relaxed) {
                return Err(Problem::new(ExitKind::CutShort, "the self-test was stopped before its end")
                    .because("stopped by the user")
                    .next("start it again; fewer --trials take less time"));
            }
            // Trials of the same number have the same noise in every case.
            let seed = options.seed.saturating_add((number % trials) as u64);
            let bug = |error| Problem::new(ExitKind::Bug, format!("{}: {error}", case.name));
            let request = case.request(seed).map_err(bug)?;
            let found = Trial::of(&trial(&request)?);
            made.push((
                number,
                match case.apart(seed).map_err(bug)? {
                    Some([a, b]) => found.beside(&[trial(&a)?, trial(&b)?]),
                    None => found,
                },
            ));
            if let Ok(mut progress) = progress.lock() {
                progress.one_more(total as u64);
            }
        }
    };
    let cpus = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut made = Vec::with_capacity(total);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus.min(total)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let done = worker.join().map_err(|_| Problem::new(ExitKind::Bug, "a trial panicked"))?;
            made.extend(done?);
        }
        Ok(())
    })?;
    drop(progress);
    made.sort_unstable_by_key(|(number, _)| *number);
    let mut made = made.into_iter().map(|(_, trial)| trial);
    Ok(cases.into_iter().map(|case| Score { case, trials: made.by_ref().take(trials).collect() }).collect())
}
