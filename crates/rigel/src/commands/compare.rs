//! `rigel compare`: runs of two sides, from their records or from the results of other tools.
//!
//! Must not measure or judge; the rules are in `rigel_uses::compare`.

pub(super) mod source;
pub(super) mod tools;

use self::source::{LoadedRecord, LoadedRun};
use super::past;
use super::report::run_id;
use crate::args::CompareArgs;
use crate::output::{self, RECORD_SUFFIX, dir_of};
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::judge::answer::Answer;
use rigel_core::path_text::{self, printable};
use rigel_report::View;
use rigel_report::compare::{CompareFormat, ComparisonView, reason, render, runs, same_run};
use rigel_uses::compare::gate::{GateResult, Outcome};
use rigel_uses::compare::{Comparison, Difference, SessionSpread};
use std::fs;
use std::path::{Path, PathBuf};

/// What to do if an interval contains the bound.
const NARROWER: &str = "measure with a higher --precision, or give several runs of each side";

/// Compares, writes what was requested, and fails when a gate does.
pub fn compare(options: &CompareArgs, streams: &Streams) -> Result<(), Problem> {
    let (base, new) = (source::side(&options.base, streams)?, source::side(&options.new, streams)?);
    let has_tool = base.iter().chain(&new).any(|run| matches!(run, LoadedRun::Tool(..)));
    if has_tool {
        return tools::compare(options, &base, &new, streams);
    }
    let (base, new) = (records(base), records(new));
    [&base, &new].into_iter().try_for_each(|side| no_run_twice(&side.iter().collect::<Vec<_>>()))?;
    let has_sides = |loaded: &LoadedRecord| loaded.record.header.request.sides.is_some();
    // Two runs of two sides answer the same question.
    if !base.iter().chain(&new).all(has_sides) {
        base.iter().chain(&new).try_for_each(no_sides)?;
    }
    let base_views: Vec<View<'_>> = base.iter().map(|loaded| View::of(&loaded.record)).collect();
    let new_views: Vec<View<'_>> = new.iter().map(|loaded| View::of(&loaded.record)).collect();
    let past = if options.judgement.no_history {
        [SessionSpread::default(); 2]
    } else {
        [past_of(&base, streams), past_of(&new, streams)]
    };
    let comparison = Comparison::with_past(&runs(&base_views), &runs(&new_views), &past);
    check(&comparison, options, (&base_views, &new_views))?;
    same_run(&comparison).into_iter().for_each(|told| streams.remark(&told));
    let gates: Vec<GateResult> =
        options.gates.iter().map(|gate| gate.clone().judge(&comparison)).collect::<Result<_, _>>()?;
    let compared = ComparisonView {
        base: &base_views,
        new: &new_views,
        comparison: &comparison,
        gates: &gates,
        undecided_fails: options.fail_undecided,
    };
    if let Some(path) = &options.junit {
        output::write_whole(path, &render(CompareFormat::Junit, &compared)?.bytes, options.judgement.force)?;
    }
    show(options, &compared, (&base, &new), streams)?;
    check_gates(&gates, |gate| reason(gate, &comparison), (options.fail_undecided, NARROWER), streams)
}

/// A single run is one session; several show their spread themselves.
fn past_of(side: &[LoadedRecord], streams: &Streams) -> SessionSpread {
    if let [only] = side { past::of_run(&only.record, streams) } else { SessionSpread::default() }
}

/// A run of two sides has no small and no large I/O except those of its sides.
pub(super) fn no_sides(loaded: &LoadedRecord) -> Result<(), Problem> {
    if loaded.record.header.request.sides.is_none() {
        return Ok(());
    }
    let path = path_text::encode(&loaded.path);
    Err(Problem::usage("the record compares two sides")
        .because(
            "such a run is itself a comparison, and can be compared with another run of `rigel versus` only",
        )
        .next(format!("`rigel versus --record {}` shows it", path_text::shell_word(&path)))
        .at(path))
}

/// The records of a side that has nothing else.
fn records(side: Vec<LoadedRun>) -> Vec<LoadedRecord> {
    let record = |run| match run {
        LoadedRun::Record(loaded) => Some(loaded),
        LoadedRun::Tool(..) => None,
    };
    side.into_iter().filter_map(record).collect()
}

/// Refuses a duplicate run: its copy would make the intervals too narrow.
pub(super) fn no_run_twice(side: &[&LoadedRecord]) -> Result<(), Problem> {
    let same = |a: &LoadedRecord, b: &LoadedRecord| {
        a.record.header == b.record.header && a.record.visits == b.record.visits
    };
    for (at, own) in side.iter().enumerate() {
        if let Some(other) = side[..at].iter().find(|other| same(other, own)) {
            return Err(Problem::usage("one side names the same run twice")
                .at(path_text::encode(&own.path))
                .because(format!("{} holds the same run", path_text::encode(&other.path)))
                .next("give each run once"));
        }
    }
    Ok(())
}

/// Every record in a directory, by name.
fn records_in(dir: &Path) -> Result<Vec<PathBuf>, Problem> {
    let shown = path_text::encode(dir);
    let unreadable = |error: std::io::Error| {
        Problem::refused(format!("the directory cannot be read: {error}"))
            .at(&shown)
            .next("check with `ls -ld` who may read it")
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let named =
            path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(RECORD_SUFFIX.as_bytes()));
        // Opening a pipe of that name would wait for ever.
        if named && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Problem::usage("the directory contains no record")
            .at(shown)
            .because(format!("no file name in it ends in {RECORD_SUFFIX}"))
            .next("give the output directory of a run, or a record"));
    }
    Ok(found)
}

/// Refuses what is not comparable, unless the user insists.
fn check(
    comparison: &Comparison,
    options: &CompareArgs,
    (base, new): (&[View<'_>], &[View<'_>]),
) -> Result<(), Problem> {
    if comparison.rows.is_empty() {
        one_question(base, new)?;
    }
    let incomparable: Vec<String> = comparison
        .incomparable()
        .map(|found| {
            let (base, other) = (printable(&found.base), printable(&found.other));
            format!("{} ({base}; {} has {other})", found.what, printable(&found.run_id))
        })
        .collect();
    if !incomparable.is_empty() && !options.judgement.allow_differences {
        return Err(Problem::usage(format!(
            "the runs are not comparable: they differ in {}",
            incomparable.join(", ")
        ))
        .because("with these differences the numbers measure different things")
        .next("measure both the same way, or compare anyway with --allow-differences"));
    }
    if comparison.rows.is_empty() {
        return Err(nothing_to_compare(comparison, options, (base, new)));
    }
    Ok(())
}

/// Why runs of the same question share no number, and what to do.
fn nothing_to_compare(
    comparison: &Comparison,
    options: &CompareArgs,
    (base, new): (&[View<'_>], &[View<'_>]),
) -> Problem {
    let has_own_figures =
        |view: &View<'_>| view.findings.burst.is_some() || view.findings.working_set.is_some();
    if base.iter().chain(new).all(has_own_figures) {
        let paths = options.base.iter().chain(&options.new);
        let words: Vec<String> = paths.map(|path| path_text::shell_word(&path_text::encode(path))).collect();
        return Problem::usage("such runs are not compared")
            .because("caches and credits have no load levels at which two runs could be judged")
            .next(format!("`rigel report {} --html` shows them on one page", words.join(" ")));
    }
    let of_limits = |one: &&Difference| ["limits of the rate", "latency limit"].contains(&one.what);
    if let Some(limits) = comparison.differences.iter().find(of_limits) {
        let (base, other) = (printable(&limits.base), printable(&limits.other));
        return Problem::usage("the runs have no number in common")
            .because(format!(
                "their limits differ ({base}; {} has {other}), and they measured no rate in common",
                printable(&limits.run_id)
            ))
            .next("search with the same limits on both sides");
    }
    if comparison.left_out.is_empty() {
        return Problem::usage("the runs have nothing to compare")
            .because("none of them measured a load at a steady rate, or they share no load class")
            .next("compare runs of the same load");
    }
    Problem::usage("the runs have no point in common")
        .because("they were measured at other levels")
        .next("compare runs of the same level and number of disks")
}

/// Refuses records that answer different questions, and says which.
fn one_question(base: &[View<'_>], new: &[View<'_>]) -> Result<(), Problem> {
    let question = |view: &View<'_>| Answer::of(&view.record.header.request, &view.findings).question();
    let all: Vec<(&View<'_>, &str)> = base.iter().chain(new).map(|view| (view, question(view))).collect();
    let Some(((first, own), (other, another))) =
        all.first().copied().zip(all.iter().copied().find(|one| one.1 != all[0].1))
    else {
        return Ok(());
    };
    let name = |view: &View<'_>| printable(&view.record.header.run_id).into_owned();
    Err(Problem::usage("the records answer different questions")
        .because(format!("{} answers {own}, {} {another}", name(first), name(other)))
        .next("compare records of the same command"))
}

/// To standard output, or into files.
fn show(
    options: &CompareArgs,
    compared: &ComparisonView<'_>,
    (base, new): (&[LoadedRecord], &[LoadedRecord]),
    streams: &Streams,
) -> Result<(), Problem> {
    let file = render(options.format, compared)?;
    let (first, second) = (&base[0], &new[0]);
    let dir = match (&options.judgement.out, options.format) {
        (Some(dir), _) => dir.clone(),
        (None, CompareFormat::Html) => dir_of(&second.path).to_owned(),
        (None, _) => return streams.results(&file.bytes),
    };
    let name =
        format!("{}_to_{}", run_id(&first.record, &first.path)?, run_id(&second.record, &second.path)?);
    streams.list(&output::write_files(&dir, &name, &[file], options.judgement.force)?)
}

/// The gates of an outcome, with the reason for each.
fn gates_with(
    gates: &[GateResult],
    reason: impl Fn(&GateResult) -> Option<String>,
    outcome: Outcome,
) -> Option<String> {
    let own: Vec<&GateResult> = gates.iter().filter(|gate| gate.outcome == outcome).collect();
    let name = |gate: &GateResult| format!("'{}'", printable(&gate.gate.text));
    let (one, more) = match outcome {
        Outcome::Failed => ("failed", "failed"),
        _ => ("is undecided", "are undecided"),
    };
    let subject = match own.as_slice() {
        [] => return None,
        [gate] => format!("the gate {} {one}", name(gate)),
        many => format!("{} gates {more}", many.len()),
    };
    let why = |gate: &&GateResult| {
        let why = reason(gate).unwrap_or_default();
        if own.len() > 1 { format!("{}: {why}", name(gate)) } else { why }
    };
    let why: Vec<String> = own.iter().map(why).filter(|why| !why.is_empty()).collect();
    Some(if why.is_empty() { subject } else { format!("{subject}: {}", why.join("; ")) })
}

/// Fails when a gate does. An undecided one fails if it was required, or if `fail_undecided` is set.
pub(super) fn check_gates(
    gates: &[GateResult],
    reason: impl Fn(&GateResult) -> Option<String>,
    (fail_undecided, narrower): (bool, &str),
    streams: &Streams,
) -> Result<(), Problem> {
    if let Some(what) = gates_with(gates, &reason, Outcome::Failed) {
        return Err(Problem::new(ExitKind::GateFailed, what)
            .next("the table shows every row of the quantity, --json the outcome of each"));
    }
    let Some(what) = gates_with(gates, &reason, Outcome::Undecided) else {
        return Ok(());
    };
    let is_required = |gate: &GateResult| gate.gate.required && gate.outcome == Outcome::Undecided;
    if fail_undecided || gates.iter().any(is_required) {
        let is_unseen = gates.iter().any(|gate| !gate.unseen.is_empty());
        return Err(Problem::new(ExitKind::GateFailed, what).next(if is_unseen {
            "measure both sides at the same load levels, or gate on max_small_iops, max_large_mbps or min_small_latency"
        } else {
            narrower
        }));
    }
    streams.remark(&format!("{what}; --fail-undecided fails on it"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_uses::compare::gate::Gate;

    fn gate(outcome: Outcome, required: bool) -> GateResult {
        let mut gate = Gate::read("small_p99 > 2ms").unwrap();
        gate.required = required;
        GateResult { outcome, ..gate.unjudged() }
    }

    /// The exit code, and what it is for.
    fn ended(gates: &[GateResult], fail_undecided: bool) -> Option<(u8, String)> {
        let problem =
            check_gates(gates, |_| None, (fail_undecided, NARROWER), &Streams::in_memory()).err()?;
        Some((problem.kind.code(), problem.what))
    }

    #[test]
    fn a_gate_that_failed_ends_with_1_and_one_that_is_open_only_where_that_was_asked_for() {
        let [passed, open, failed] =
            [Outcome::Passed, Outcome::Undecided, Outcome::Failed].map(|outcome| gate(outcome, false));
        let problem = |what: &str| Some((1, format!("the gate 'small_p99 > 2ms' {what}")));
        assert_eq!((ended(&[], true), ended(std::slice::from_ref(&passed), true)), (None, None));
        assert_eq!(ended(&[open.clone(), failed.clone(), passed.clone()], false), problem("failed"));
        let two = ended(&[failed.clone(), failed], true).unwrap().1;
        assert!(two.starts_with("2 gates failed: "), "{two}");
        assert_eq!(ended(&[passed.clone(), open.clone()], false), None);
        assert_eq!(ended(&[passed, open.clone()], true), problem("is undecided"));
        // A bound that is required is kept for sure, or the run fails; others beside it are told with it.
        let required = |outcome| gate(outcome, true);
        assert_eq!(ended(&[required(Outcome::Undecided)], false), problem("is undecided"));
        assert_eq!(ended(&[required(Outcome::Passed), open], false), None);
    }
}
