//! `rigel durability check`: reads what the witness kept and, twice, the part of the target that the run wrote.
//!
//! Writes nothing. Must not judge.

use crate::args::CheckArgs;
use crate::commands::answer::facts_of;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::{encode, printable};
use rigel_core::units::Bytes;
use rigel_io::engine;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::inspect::Snapshot;
use rigel_io::targets::open::Access;
use rigel_report::document::Document as _;
use rigel_report::durability::{DurabilityReport, json};
use rigel_run::durability::{Reading, Sink, read};
use rigel_uses::durability::{Acks, DurabilityFindings, Judge, MOST_LINE_BYTES, Traces};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

/// Chunks that a check reads in parallel, for the choice of an engine.
const SLOTS: u16 = 8;

/// Checks, and prints the findings. Missing acknowledged writes are a problem of exit code 1.
pub fn check(options: &CheckArgs, streams: &Streams) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    let (acks, torn) = read_acks(&options.file)?;
    if acks.count() == 0 {
        return Err(Problem::usage("nothing was acknowledged")
            .at(encode(&options.file))
            .because("the file contains no acknowledged write")
            .next("cut the power later, once the run counts writes"));
    }
    let facts = facts_of(&options.target, DEFAULT_IO_TIMEOUT, &Snapshot::take())?;
    is_target(&acks, &facts)?;
    let direct = facts.direct_io == Some(true);
    let targets = OpenTargets::open(std::slice::from_ref(&facts), Access::ReadOnly, direct)?;
    let reading = Reading {
        targets: Arc::new(targets),
        engine: engine::choose(None, false, &[SLOTS])?.kind,
        bytes: acks.rings().bytes(),
        cached: !direct,
        stop: signals.flag(),
    };
    let (found, is_any) = judged(&acks, &reading, (streams, options.quiet))?;
    let notes = notes(&acks, torn, direct, is_any);
    let checked = DurabilityReport { acks: &acks, found: &found, target: &facts.path, notes: &notes };
    let bytes = if options.json { json(&checked)? } else { checked.text(streams.style()).into_bytes() };
    streams.results(&bytes)?;
    if found.is_clean() {
        return Ok(());
    }
    Err(Problem::new(ExitKind::GateFailed, "acknowledged writes are lost")
        .because("a cache lost its contents in the power cut, although the storage had reported the writes as durable")
        .next("a database on this storage loses commits in a power cut; docs/guide/durability.md says what to do"))
}

/// Reads the target twice, and finds out whether anything of the run is there.
fn judged(
    acks: &Acks,
    reading: &Reading<'_>,
    (streams, quiet): (&Streams, bool),
) -> Result<(DurabilityFindings, bool), Problem> {
    let mut bar = WorkProgress::of_bytes(streams, quiet, "looking for the run");
    let mut traces = Traces::new(acks);
    let mut look = |at: u64, block: Result<&[u8], i32>| {
        // What cannot be read says nothing of what began.
        if let Ok(bytes) = block {
            traces.look(acks, at, bytes);
        }
    };
    whole(reading, &mut look, &mut bar)?;
    traces.check(acks)?;
    let mut bar = WorkProgress::of_bytes(streams, quiet, "checking");
    let mut judge = Judge::new(acks, &traces);
    whole(reading, &mut |at, block| judge.block(at, block), &mut bar)?;
    let found = judge.done().ok_or_else(|| {
        Problem::refused("the target is changing while it is read")
            .at(acks.head().target.as_str())
            .because("the run is still writing to it")
            .next("check once the run has ended")
    })?;
    Ok((found, traces.is_any()))
}

fn whole(reading: &Reading<'_>, block: &mut Sink<'_>, bar: &mut WorkProgress) -> Result<(), Problem> {
    if read(reading, block, &mut |done, total| bar.done_of(done, total))? {
        return Ok(());
    }
    Err(Problem::new(ExitKind::CutShort, "the check was cut short")
        .because("stopped by the user")
        .next("nothing was changed; start it again"))
}

/// Refuses a target that cannot be that of the run.
fn is_target(acks: &Acks, facts: &TargetFacts) -> Result<(), Problem> {
    let head = acks.head();
    let (was, is) = (head.size_bytes, facts.size_bytes);
    let refused = |what: &str, because: String| {
        Err(Problem::refused(what)
            .at(facts.path.as_str())
            .because(because)
            .next(format!("name the target of the run, which was {}", head.target)))
    };
    if is < was {
        let because =
            format!("it had {} ({was} bytes) in the run and now has {} ({is} bytes)", Bytes(was), Bytes(is));
        return refused("the target is smaller than it was, or a different one", because);
    }
    let is_device = facts.kind == TargetKind::BlockDevice;
    if is_device && head.is_device && is != was {
        return refused("this is another device", format!("it has {is} bytes, the run's had {was}"));
    }
    let model = |model: Option<&String>| model.map(|model| printable(model).into_owned());
    let was = model(head.device.as_ref().and_then(|device| device.model.as_ref()));
    let is = model(facts.device.as_ref().and_then(|device| device.model.as_ref()));
    match (was, is) {
        (Some(was), Some(is)) if is_device && head.is_device && was != is => {
            refused("this is another device", format!("it is a {is}, the run's was a {was}"))
        }
        _ => Ok(()),
    }
}

fn notes(acks: &Acks, torn: bool, direct: bool, is_any: bool) -> Vec<String> {
    let boot = rigel_io::host::boot_id();
    let same_boot = boot.is_some() && boot == acks.head().boot;
    let all = [
        (
            !is_any,
            "the target holds nothing from the run: either everything was lost, or this is a different target that looks the same",
        ),
        (
            acks.is_ended(),
            "the run ended normally with nothing in flight; this only says something about a power cut if one happened afterwards",
        ),
        (
            same_boot && !acks.is_ended(),
            "this host has not restarted since the run started, so only a power cut of the storage alone could lose writes",
        ),
        (torn, "the last acknowledgement is incomplete and ignored"),
        (
            !direct,
            "reads go through the page cache, because the target does not support direct I/O; after a power \
             cut of the storage alone they may return data it no longer has",
        ),
    ];
    all.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text.to_owned()).collect()
}

/// What the witness kept, and whether the last line is truncated.
fn read_acks(file: &Path) -> Result<(Acks, bool), Problem> {
    let refused = |error: &dyn std::fmt::Display| {
        Problem::usage(format!("the acknowledgements cannot be read: {error}"))
            .at(encode(file))
            .next("give the file that `rigel durability witness` wrote")
    };
    let found = fs::metadata(file).map_err(|error| refused(&error))?;
    if !found.is_file() {
        return Err(refused(&"it is not a regular file"));
    }
    let mut lines = BufReader::new(File::open(file).map_err(|error| refused(&error))?);
    let mut acks: Option<Acks> = None;
    for number in 1_u64.. {
        let line = match next_line(&mut lines).map_err(|error| refused(&error))? {
            Next::Line(line) => line,
            Next::End { torn } => {
                return acks.map(|acks| (acks, torn)).ok_or_else(|| refused(&"it has no complete line"));
            }
        };
        let added = match &mut acks {
            None => Acks::begin(&line).map(|begun| acks = Some(begun)),
            Some(acks) => acks.add(&line),
        };
        added.map_err(|problem| problem.at(format!("{}, line {number}", encode(file))))?;
    }
    Err(refused(&"it does not end"))
}

enum Next {
    /// Without its end.
    Line(Vec<u8>),
    /// Whether anything followed the last complete line.
    End { torn: bool },
}

fn next_line(lines: &mut impl BufRead) -> io::Result<Next> {
    let mut line = Vec::new();
    lines.by_ref().take(MOST_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if line.pop_if(|byte| *byte == b'\n').is_some() {
        return Ok(Next::Line(line));
    }
    if line.len() > MOST_LINE_BYTES {
        // None of ours; at the end of a file of a host that crashed there may be many zeros.
        let mut piece = Vec::new();
        while lines.by_ref().take(MOST_LINE_BYTES as u64).read_until(b'\n', &mut piece)? > 0 {
            if piece.ends_with(b"\n") {
                return Ok(Next::Line(line));
            }
            piece.clear();
        }
    }
    Ok(Next::End { torn: !line.is_empty() })
}
