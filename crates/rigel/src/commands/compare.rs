//! `rigel compare`: runs of two sides, from their records.
//!
//! Must not measure or judge; the rules are in `rigel_core::uses::compare`.

use super::past;
use super::report::{read, run_id};
use crate::args::CompareArgs;
use crate::output::{self, RECORD_SUFFIX, dir_of};
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{self, printable};
use rigel_core::record::Record;
use rigel_core::uses::compare::gate::{GateResult, Outcome};
use rigel_core::uses::compare::{Comparison, Past};
use rigel_report::View;
use rigel_report::compare::{CompareFormat, Compared, reason, render, runs};
use std::fs;
use std::path::{Path, PathBuf};

/// What to do where an interval holds the bound.
const NARROWER: &str = "measure with a higher --precision, or give several runs of each side";

/// Compares, writes what was asked for, and fails when a gate does.
pub fn compare(options: &CompareArgs, streams: &Streams) -> Result<(), Problem> {
    let (base, new) = (side(&options.base, streams)?, side(&options.new, streams)?);
    [&base, &new].into_iter().try_for_each(|side| no_run_twice(side))?;
    base.iter().chain(&new).try_for_each(no_sides)?;
    let base_views: Vec<View<'_>> = base.iter().map(|loaded| View::of(&loaded.record)).collect();
    let new_views: Vec<View<'_>> = new.iter().map(|loaded| View::of(&loaded.record)).collect();
    let past = if options.no_history {
        [Past::default(); 2]
    } else {
        [past_of(&base, streams), past_of(&new, streams)]
    };
    let comparison = Comparison::with_past(&runs(&base_views), &runs(&new_views), &past);
    check(&comparison, options)?;
    let gates: Vec<GateResult> =
        options.gates.iter().map(|gate| gate.clone().judge(&comparison)).collect::<Result<_, _>>()?;
    let compared = Compared {
        base: &base_views,
        new: &new_views,
        comparison: &comparison,
        gates: &gates,
        undecided_fails: options.fail_undecided,
    };
    if let Some(path) = &options.junit {
        output::write_whole(path, &render(CompareFormat::Junit, &compared)?.bytes, options.force)?;
    }
    show(options, &compared, (&base, &new), streams)?;
    check_gates(&gates, |gate| reason(gate, &comparison), (options.fail_undecided, NARROWER), streams)
}

/// A single run is one session; several speak for themselves.
fn past_of(side: &[Loaded], streams: &Streams) -> Past {
    if let [only] = side { past::of_run(&only.record, streams) } else { Past::default() }
}

/// A run of two sides has no small and no large I/O but those of its sides.
fn no_sides(loaded: &Loaded) -> Result<(), Problem> {
    if loaded.record.header.request.sides.is_none() {
        return Ok(());
    }
    let path = path_text::encode(&loaded.path);
    Err(Problem::usage("the record is of two sides that took turns")
        .because("such a run is a comparison by itself, and is not compared with another one")
        .next(format!("`rigel versus --record {}` shows it", path_text::shell_word(&path)))
        .at(path))
}

struct Loaded {
    path: PathBuf,
    record: Record,
}

fn side(paths: &[PathBuf], streams: &Streams) -> Result<Vec<Loaded>, Problem> {
    let mut records: Vec<PathBuf> = Vec::new();
    for path in paths {
        if path.is_dir() {
            records.extend(records_in(path)?);
        } else {
            records.push(path.clone());
        }
    }
    records.into_iter().map(|path| Ok(Loaded { record: read(&path, streams)?, path })).collect()
}

/// Refuses a run that is there twice: its copy would make the intervals too narrow.
fn no_run_twice(side: &[Loaded]) -> Result<(), Problem> {
    let same =
        |a: &Loaded, b: &Loaded| a.record.header == b.record.header && a.record.visits == b.record.visits;
    for (at, own) in side.iter().enumerate() {
        if let Some(other) = side[..at].iter().find(|other| same(other, own)) {
            return Err(Problem::usage("one side has the same run twice")
                .at(path_text::encode(&own.path))
                .because(format!("{} holds the same run", path_text::encode(&other.path)))
                .next("give every run once"));
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
            .next("see with `ls -ld` who may read it")
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
        return Err(Problem::usage("the directory holds no record")
            .at(shown)
            .because(format!("no name in it ends in {RECORD_SUFFIX}"))
            .next("give the directory of the outputs of a run, or a record"));
    }
    Ok(found)
}

/// Refuses what is not comparable, unless it was asked for.
fn check(comparison: &Comparison, options: &CompareArgs) -> Result<(), Problem> {
    let incomparable: Vec<String> = comparison
        .incomparable()
        .map(|found| {
            let (base, other) = (printable(&found.base), printable(&found.other));
            format!("{} ({base}; {} has {other})", found.what, printable(&found.run_id))
        })
        .collect();
    if !incomparable.is_empty() && !options.allow_differences {
        return Err(Problem::usage(format!(
            "the runs are not comparable: they differ in {}",
            incomparable.join(", ")
        ))
        .because("numbers that differ in this are not about the same thing")
        .next("measure both in the same way, or compare all the same with --allow-differences"));
    }
    if comparison.rows.is_empty() && comparison.left_out.is_empty() {
        return Err(Problem::usage("the runs have nothing that can be compared")
            .because("quantities of small and of large I/O are compared, and their points have neither")
            .next("compare runs with small or large I/O"));
    }
    if comparison.rows.is_empty() {
        return Err(Problem::usage("the runs have no point in common")
            .because("they were measured at other levels")
            .next("compare runs of the same level and number of disks"));
    }
    Ok(())
}

/// To standard output, or into files.
fn show(
    options: &CompareArgs,
    compared: &Compared<'_>,
    (base, new): (&[Loaded], &[Loaded]),
    streams: &Streams,
) -> Result<(), Problem> {
    let file = render(options.format, compared)?;
    let (first, second) = (&base[0], &new[0]);
    let dir = match (&options.out, options.format) {
        (Some(dir), _) => dir.clone(),
        (None, CompareFormat::Html) => dir_of(&second.path).to_owned(),
        (None, _) => return streams.results(&file.bytes),
    };
    let name =
        format!("{}_to_{}", run_id(&first.record, &first.path)?, run_id(&second.record, &second.path)?);
    streams.list(&output::write_files(&dir, &name, &[file], options.force)?)
}

/// The gates of an outcome, with the reason for each.
fn told(
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

/// Fails when a gate does. What is undecided fails where it was required, or where `fail_undecided` says so.
pub(super) fn check_gates(
    gates: &[GateResult],
    reason: impl Fn(&GateResult) -> Option<String>,
    (fail_undecided, narrower): (bool, &str),
    streams: &Streams,
) -> Result<(), Problem> {
    if let Some(what) = told(gates, &reason, Outcome::Failed) {
        return Err(Problem::new(ExitKind::GateFailed, what)
            .next("the table has every row of the quantity, --json what became of each"));
    }
    let Some(what) = told(gates, &reason, Outcome::Undecided) else {
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
    use rigel_core::uses::compare::gate::Gate;

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
