//! The sentences of a soak, shared by text, page and JSON. Must not judge.

use super::{SoakReport, delays, drives, ends};
use crate::label;
use crate::nodes;
use crate::surroundings;
use crate::words::listed;
use rigel_core::facts::TargetFacts;
use rigel_core::judge::wrong_data::{place, what};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::measure::FirstError;
use rigel_core::path_text::printable;
use rigel_core::record::{Record, Visit};
use rigel_core::units::say::{counted, number, percent, short, time, two_units};
use rigel_core::units::{Bytes, NS_PER_S, Nanos, to_f64, us_from_ns};
use rigel_core::verify::Finding;
use rigel_core::verify::block::BLOCK_BYTES;
use rigel_uses::soak::{LEAST_TARGETS, Outlier, PhaseFindings, PhaseIo, ProductionImpact, SoakFindings};

/// Targets that are named in a sentence.
const MOST_NAMED: usize = 3;
/// Waits at the ends of phases are explained from one part in so many of the load.
const LEAST_PART_OF_WAITS: u64 = 20;

/// The answer: the verdict first, then what it is based on.
pub(super) fn sentences(told: &SoakReport<'_>) -> Vec<String> {
    let found = told.found;
    let parts = [
        Some(verdict(told)),
        memory(told.record),
        Some(load(found)),
        waits(told),
        compared(found),
        silence(found),
        found.beside.as_ref().map(beside),
        (found.is_faulty() && told.lost > 0).then(|| lost(told.lost)),
        ends::early(told).filter(|_| !found.is_faulty()),
        delays::longest(told),
        delays::spells(told),
        (!found.outliers.is_empty()).then(|| slower(told)),
        found.hung.as_ref().map(|hung| format!("The load ended early: {hung}.")),
        (!found.changed.is_empty()).then(|| changed(&found.changed)),
        (!found.interruptions.is_empty()).then(|| interrupted(found)),
        surroundings::guests(&told.record.header.nodes),
    ];
    let mut sentences: Vec<String> = parts.into_iter().flatten().collect();
    sentences.extend(drives::sentences(found));
    sentences
}

/// A clean soak of memory says nothing about a disk.
fn memory(record: &Record) -> Option<String> {
    let mut targets = record.header.targets.iter();
    let (target, memory) = targets.find_map(|target| Some((target, target.memory()?)))?;
    Some(format!("{} is not a disk: {memory}; {}.", printable(&target.path), memory.effect()))
}

fn verdict(told: &SoakReport<'_>) -> String {
    let found = told.found;
    let wrong = found.verified.faults.all();
    let them = if wrong == 1 { "it" } else { "them" };
    let parts = [
        (wrong > 0).then(|| format!("{} did not hold what was written to {them}", counted(wrong, "block"))),
        (found.errors > 0).then(|| format!("{} failed", counted(found.errors, "I/O"))),
        found.hung.as_ref().map(|_| "I/Os never completed".to_owned()),
        (!found.outliers.is_empty()).then(|| {
            let targets = slow_targets(found);
            let is = if targets == 1 { "is" } else { "are" };
            format!("{} {is} slower than the others", counted(targets, "target"))
        }),
        delays::long_ios(found),
        drives::verdict(found),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        return format!("Something is wrong: {}.", listed(&parts));
    }
    if told.lost > 0 {
        return format!("{} They report nothing wrong.", lost(told.lost));
    }
    let until = if told.record.closing.is_some() { "in" } else { "so far, in" };
    let two_units = two_units(found.lasted);
    let is_compared = found.verifies && found.verified.checked > 0;
    let uncompared = if is_compared { "" } else { "; no data was compared" };
    match delays::verdict(found) {
        Some(delays) if is_compared => {
            format!("No block was wrong and no I/O failed {until} {two_units} of load, but {delays}.")
        }
        Some(delays) => format!("No I/O failed {until} {two_units} of load, but {delays}{uncompared}."),
        None if is_compared => format!("Nothing wrong was found {until} {two_units} of load."),
        None => format!("No I/O failed {until} {two_units} of load{uncompared}."),
    }
}

/// The lost end is not in the record.
fn lost(lines: usize) -> String {
    format!(
        "The end of the record is lost: {} did not fit, and are in this answer only.",
        counted(lines, "line")
    )
}

fn load(found: &SoakFindings) -> String {
    let of = if found.complete { String::new() } else { format!(" of {}", two_units(found.soak.time)) };
    let phases = match found.phases.len() {
        0 | 1 => String::new(),
        phases => format!(", {phases} phases in rotation"),
    };
    format!("The load lasted {}{of}: {} I/Os{phases}.", two_units(found.lasted), number(to_f64(found.ios)))
}

/// Where the time is that the phases do not have, if that is much of it.
fn waits(told: &SoakReport<'_>) -> Option<String> {
    let drain_ns =
        |visit: &Visit| visit.ended_ns().saturating_sub(visit.began_ns.saturating_add(visit.measured_ns));
    let waited_ns = told.record.visits.iter().map(drain_ns).fold(0, u64::saturating_add);
    let phases_ns = told.found.phases.iter().map(|phase| phase.lasted.0).fold(0, u64::saturating_add);
    let is_much =
        waited_ns >= NS_PER_S && waited_ns.saturating_mul(LEAST_PART_OF_WAITS) >= told.found.lasted.0;
    is_much.then(|| {
        format!(
            "Its phases add up to {}: at their ends, Rigel waited {} for I/Os that had not completed, and began no \
             others.",
            two_units(Nanos(phases_ns)),
            two_units(Nanos(waited_ns))
        )
    })
}

fn compared(found: &SoakFindings) -> Option<String> {
    let verified = &found.verified;
    let of = |blocks: u64| {
        format!("{} ({})", number(to_f64(blocks)), Bytes(blocks.saturating_mul(BLOCK_BYTES as u64)))
    };
    found.verifies.then(|| {
        format!(
            "Blocks of 4 KiB: {} were written, {} were read and compared bit by bit.{}",
            of(verified.written),
            of(verified.checked),
            match found.covered {
                Some(all) if all >= 1.0 => " Every block was written at least once.".to_owned(),
                Some(share) => format!(" {} % of the blocks were written at least once.", percent(share)),
                None => String::new(),
            }
        )
    })
}

/// What the absence of faults proves.
fn silence(found: &SoakFindings) -> Option<String> {
    let one_of = found.excluded_one_of()?;
    Some(format!(
        "No wrong block in that many reads means: fewer than one in {} is wrong (95 % confidence). It does \
         not mean that none is.",
        short(one_of)
    ))
}

fn slow_targets(found: &SoakFindings) -> usize {
    let mut targets: Vec<usize> = found.outliers.iter().map(|outlier| outlier.target).collect();
    targets.sort_unstable();
    targets.dedup();
    targets.len()
}

fn slower(told: &SoakReport<'_>) -> String {
    let one = |outlier: &Outlier| {
        let (path, class) = (label::target(told.record, outlier.target), outlier.class);
        format!(
            "{path} ({class} I/O takes {}, in the median of all targets {})",
            time(outlier.mean_us),
            time(outlier.median_us)
        )
    };
    let named: Vec<String> = told.found.outliers.iter().take(MOST_NAMED).map(one).collect();
    let more = match told.found.outliers.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!("; {more} more are in the table"),
    };
    format!("Slower than the others: {}{more}.", named.join("; "))
}

/// What has changed since the load began.
fn changed(all: &[String]) -> String {
    let named = all.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
    let more = match all.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!("; {more} more: see --json"),
    };
    format!("It changed meanwhile: {named}{more}.")
}

/// What it took of storage with other users, and when it backed off.
fn beside(found: &ProductionImpact) -> String {
    let ProductionImpact { most, taken, taken_at_most, looks, slow, pressed, knows_pressure, .. } = *found;
    let gave_way = match (slow, pressed) {
        (0, 0) => " It never gave way".to_owned(),
        _ => {
            let why = [
                (slow > 0).then(|| format!("{} as its own reads took far longer than usual", times(slow))),
                (pressed > 0)
                    .then(|| format!("{} as the host waited for I/O far more than usual", times(pressed))),
            ];
            let why: Vec<String> = why.into_iter().flatten().collect();
            format!(" It gave way {}", listed(&why))
        }
    };
    let blind = if knows_pressure || looks == 0 {
        ""
    } else {
        " The kernel does not report how long the host waits for I/O (PSI)."
    };
    format!(
        "Next to production: it was allowed {} % of the time of each target, and took {} % ({} % at most in \
         an interval).{gave_way}, in {}.{blind}",
        percent(most),
        percent(taken),
        percent(taken_at_most),
        counted(looks, "look")
    )
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", number(to_f64(count))) }
}

fn interrupted(found: &SoakFindings) -> String {
    let last = found.interruptions.last().map_or_else(String::new, |last| {
        format!(", the last time at {}, after {} of load", printable(&last.at), two_units(last.run))
    });
    let times = match found.interruptions.len() {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let checked =
        if found.verifies { " Data that was durable before was compared afterwards, too." } else { "" };
    format!("It was interrupted {times} and resumed{last}.{checked}")
}

/// A phase: its number and its load.
pub(super) fn phase_in_words(told: &SoakReport<'_>, phase: &PhaseFindings) -> String {
    format!("{}: {}", phase_of(told.record, phase.number), load_of(told.record, phase))
}

/// The first targets, with size and model.
pub(super) fn targets(record: &Record) -> String {
    const MOST: usize = 4;
    let all = &record.header.targets;
    let one = |target: &TargetFacts| {
        let device = target.device.as_ref();
        let named = device.and_then(|device| device.model.as_ref().or(device.identifier.as_ref()));
        let model = named.map_or_else(String::new, |model| format!(", {}", printable(model)));
        format!("{} ({}{model})", printable(&target.path), Bytes(target.size_bytes))
    };
    let named: Vec<String> = all.iter().take(MOST).map(one).collect();
    let more = match all.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

/// Number and name of a phase: `1 (high)`.
pub(super) fn phase_of(record: &Record, number: u32) -> String {
    let header = &record.header;
    match header.request.phase_name(header.targets.len(), number) {
        Some(name) => format!("{} ({name})", number.saturating_add(1)),
        None => number.saturating_add(1).to_string(),
    }
}

/// The load of a phase: `16 small and 2 large outstanding`, or with the rates of what arrives.
pub(super) fn load_of(record: &Record, found: &PhaseFindings) -> String {
    let classes = &record.header.request.classes;
    if classes.iter().any(LoadClass::is_open) {
        return found.point.words_of(classes);
    }
    let levels = found.point.classes().filter(|(_, level)| *level > 0);
    let levels: Vec<String> = levels.map(|(class, level)| format!("{level} {class}")).collect();
    format!("{} outstanding", levels.join(" and "))
}

/// The results of each of several nodes in each phase.
pub(super) fn nodes(told: &SoakReport<'_>) -> Vec<nodes::Row> {
    let rows = |phase: &PhaseFindings| {
        let named = format!("phase {}", phase_of(told.record, phase.number));
        nodes::rows_of(&told.record.header.request, &named, &phase.nodes)
    };
    told.found.phases.iter().flat_map(rows).collect()
}

/// The verdict on the targets as a whole; `None` if there is nothing to say.
pub(super) fn targets_judged(found: &SoakFindings) -> Option<String> {
    let count = found.targets.as_ref()?.ops.len();
    if count < LEAST_TARGETS {
        return Some(format!(
            "{count} targets are too few to know what is usual: {LEAST_TARGETS} or more are compared with \
             each other."
        ));
    }
    found.outliers.is_empty().then(|| format!("None of the {count} targets is slower than the others."))
}

/// The stored faults, a line each.
pub(super) fn findings(told: &SoakReport<'_>) -> Vec<String> {
    let targets = &told.record.header.targets;
    let one = |finding: &Finding| {
        let (after, what) = (two_units(Nanos(finding.at_ns)), what(targets, finding));
        format!("after {after}: the block {} {what}", place(targets, finding.target, finding.offset))
    };
    told.found.verified.findings.iter().map(one).collect()
}

/// The first failed I/O of each visit and class, a line each.
pub(super) fn failures(told: &SoakReport<'_>) -> Vec<String> {
    let one = |(began_ns, class, error): &(u64, Class, FirstError)| {
        let place = place(&told.record.header.targets, error.target, error.offset);
        let kind = error.direction.name();
        format!(
            "in the phase that began after {}: a {kind} of {class} I/O {place}: {}",
            two_units(Nanos(*began_ns)),
            error.reason()
        )
    };
    told.found.failed.iter().map(one).collect()
}

/// The longest latency of a class.
pub(super) fn max_us(found: &PhaseIo) -> Option<f64> {
    (found.longest_ns > 0).then(|| us_from_ns(to_f64(found.longest_ns)))
}
