//! The plan of a run as text, for `--dry-run`.
//!
//! Says what would be measured, how long it would take and what would be written. Must not repeat a rule of the plan.

mod pace;

use super::wrap::wrapped;
use crate::page::Page;
use crate::scaling;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass, Pattern, PerClass, Sizes, Span, Sync};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::plan::{PhaseStep, Plan, Step, WarmUp};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::Side;
use rigel_core::load::task::Task;
use rigel_core::load::working_set::{SizeTimes, WorkingSet};
use rigel_core::load::workload::Layout;
use rigel_core::path_text::printable;
use rigel_core::units::say::{counted, span, two_units};
use rigel_core::units::{Bytes, Nanos};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::iter;

/// Scratch file and consent, which are not in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// The scratch file, if the run makes or uses one.
    pub scratch: Option<ScratchIntent>,
    /// A sentence for each target that would be written: whether it may be. Empty if nothing is written.
    pub consent: Vec<String>,
    /// The engine that the run would have on this host.
    pub engine: Option<String>,
    /// Facts about the targets to know before they are loaded, a sentence each.
    pub notes: Vec<String>,
    /// The files that the run would leave, and where.
    pub outputs: Vec<String>,
}

/// The use of the scratch file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchIntent {
    /// The number of files to write.
    pub new_files: usize,
    /// Total bytes of their fill; 0 if existing files are used again.
    pub fill_bytes: u64,
    /// Whether it is kept afterwards.
    pub kept: bool,
}

/// Everything that a run would do; with an intent also what it would do to its targets.
pub fn plan(request: &Request, plan: &Plan, targets: &[TargetFacts], intent: Option<&Intent>) -> String {
    let mut page = Page::default();
    let matrix = match request.task {
        Task::Matrix { level: RunLevel::Advanced, shape, .. } => format!(", matrix {}", shape.name()),
        _ => String::new(),
    };
    let (name, level) = (printable(&request.name), request.level().name());
    entry(&mut page, "Run", format_args!("{name}, level {level}{matrix}"));
    entries(&mut page, "Targets", named_targets(request, targets));
    if intent.is_some() {
        // The files of a table are the table.
        let own = if request.is_beside_raw() { request.of_side(Side::B, targets) } else { targets };
        let once = TargetFacts::each_once(own);
        let bytes = once.iter().map(|target| target.size_bytes).fold(0, u64::saturating_add);
        entry(&mut page, "Data", format_args!("{} on the targets in all", Bytes(bytes)));
    }
    entries(&mut page, "I/O", io(request, plan));
    if let Some(bound) = request.bound() {
        let text = format_args!("{} of at most {}, for small I/O at max_iops", bound.of.name(), bound.limit);
        entry(&mut page, "Limit", text);
    }
    if let (Some(slo), Some(search)) = (request.slo(), &plan.rates) {
        pace::rates(&mut page, slo, search);
    }
    if let Some(search) = &plan.search {
        pace::search(&mut page, request, search);
    }
    if !plan.steps.is_empty() {
        entries(&mut page, "Points", points(request, plan));
    }
    pace_of(&mut page, request, plan);
    let workers = match request.engine {
        EngineRequest::Only(kind) => plan.workers_of(request, kind),
        EngineRequest::Auto | EngineRequest::Sim(_) => plan.workers,
    };
    let workers = counted(workers, "worker");
    entry(&mut page, "Buffers", format_args!("{} for {workers}", Bytes(plan.buffer_bytes)));
    let polled = if request.poll { ", completions are polled for" } else { "" };
    let known = intent.and_then(|intent| intent.engine.clone());
    let engine = known.unwrap_or_else(|| engines(request));
    sentences(&mut page, "Engine", [format!("{engine}{polled}")]);
    if request.buffered {
        entry(&mut page, "Cache", "through the page cache, as asked: memory is measured, not storage");
    }
    entry(&mut page, "Seed", request.seed);
    sentences(&mut page, "Writes", writes(request, plan, targets, intent));
    if let Some(intent) = intent {
        sentences(&mut page, "Outputs", intent.outputs.iter().cloned());
        sentences(&mut page, "Note", intent.notes.iter().map(|note| printable(note).into_owned()));
    }
    page.into_string()
}

/// How long it takes, and in which order.
fn pace_of(page: &mut Page, request: &Request, plan: &Plan) {
    match (request.pace(), request.soak()) {
        (Some(Pace::Fixed(_)), _) => {
            entries(page, "Per point", per_point(request, &plan.steps));
            let time =
                format_args!("{}; ORION's rule estimates {} minutes", time(plan), plan.estimate_minutes);
            entry(page, "Time", time);
        }
        (None, None) => {
            if let Some(asked) = request.working_set() {
                return working_sets(page, asked, request.size_times());
            }
            entries(page, "Phases", phases(request, plan));
            let less =
                if request.burst().is_some() { ", less if the rate falls earlier, and a pause" } else { "" };
            entry(page, "Time", format_args!("{}{less}", time(plan)));
        }
        (None, Some(soak)) => {
            entries(page, "Phases", phases(request, plan));
            let (time, every) = (two_units(soak.time), soak.every);
            entry(
                page,
                "Time",
                format_args!("these in rotation for {time}, figures every {every} while the load continues"),
            );
            crate::soak::bound(&soak).iter().for_each(|bound| entry(page, "Limit", bound));
        }
        (Some(Pace::Adaptive(adaptive)), _) if request.slo().is_some() => {
            let limit = adaptive.max_duration.map_or_else(String::new, span);
            let is_searched = request.slo().is_some_and(|slo| !slo.required_only);
            let less = if is_searched { ", less if no rate meets the limits or all do" } else { "" };
            entry(page, "Time", format_args!("{limit}{less}"));
        }
        (Some(Pace::Adaptive(adaptive)), _) => pace::adaptive(page, request, plan, adaptive),
    }
}

/// How working sets are read.
fn working_sets(page: &mut Page, asked: &WorkingSet, times: Option<SizeTimes>) {
    let each = times.map(|times| {
        format!(
            "read until its rate is steady, then {} of many reads at a time and {} of one",
            times.rate, times.latency
        )
    });
    sentences(page, "Each size", each);
    let time = two_units(asked.time);
    let text = format!("at most {time}; sizes for which that is too short are measured, but not warm");
    sentences(page, "Time", [text]);
}

fn entry(page: &mut Page, label: &str, text: impl Display) {
    page.line(format_args!("{label:<10}{text}"));
}

/// Sentences under one label, in lines of 80 columns; `lines` begin a line each.
fn sentences(page: &mut Page, label: &str, lines: impl IntoIterator<Item = String>) {
    for (label, line) in iter::once(label).chain(iter::repeat("")).zip(lines) {
        wrapped(page, &format!("{label:<10}"), &" ".repeat(12), &line);
    }
}

/// Several lines under one label.
fn entries(page: &mut Page, label: &str, lines: impl IntoIterator<Item = String>) {
    for (label, line) in iter::once(label).chain(iter::repeat("")).zip(lines) {
        entry(page, label, line);
    }
}

/// Each target, with its side if there are two.
fn named_targets(request: &Request, targets: &[TargetFacts]) -> Vec<String> {
    if request.sides.is_none() {
        return targets.iter().map(target).collect();
    }
    let of_side = |side: Side| {
        let own = request.of_side(side, targets).iter();
        own.map(move |facts| format!("{}: {}", side.name(), target(facts)))
    };
    Side::BOTH.into_iter().flat_map(of_side).collect()
}

fn target(target: &TargetFacts) -> String {
    let kind = target.kind.name();
    format!("{}  {kind}, {}", printable(&target.path), Bytes(target.size_bytes))
}

/// The classes of I/O in the matrix.
pub(crate) fn io(request: &Request, plan: &Plan) -> Vec<String> {
    let used = |class: &&LoadClass| plan.max_outstanding.get(&class.name).is_some_and(|&most| most > 0);
    let line = |class: &LoadClass| match class.sizes {
        Sizes::None => format!("{}: {}", class.name, walk(request, class)),
        Sizes::Fixed(_) | Sizes::Mixed(_) => {
            format!("{}: {}, {}{}", class.name, class.size_text(), walk(request, class), part(class))
        }
    };
    // Both of two sides have the same.
    let is_first = |class: &&LoadClass| class.side != Some(Side::B);
    let own = request.classes.iter().filter(used).filter(is_first);
    own.map(|class| line(&class.plain())).collect()
}

/// The part of the targets, if it is not all of them.
fn part(class: &LoadClass) -> String {
    match (class.places, class.span) {
        (None, Span::Whole) => String::new(),
        (None, span) => format!(", {span} of every target"),
        (Some(places), Span::Whole) => format!(", at each of {places} places"),
        (Some(places), span) => format!(", at each of {places} places in {span}"),
    }
}

fn walk(request: &Request, class: &LoadClass) -> String {
    let layout = || match request.layout {
        Layout::Concat => "targets one after the other".into(),
        Layout::Raid0 { stripe_bytes } => format!("striped {} deep", Bytes(stripe_bytes)),
    };
    match class.pattern {
        _ if class.working_sets.is_some() => {
            format!("random, {} outstanding", class.outstanding(1))
        }
        Pattern::Random if class.places.is_some() => "random, one outstanding".into(),
        Pattern::Streams { ios_per_stream } if class.places.is_some() => {
            format!("one stream of {ios_per_stream} outstanding")
        }
        _ if class.level_is_targets() => format!("on each target {}", scaling::load_of_each(class)),
        Pattern::Random => "random".into(),
        Pattern::Streams { ios_per_stream } => {
            format!("streams of {ios_per_stream} outstanding, {}", layout())
        }
        Pattern::Log => {
            let durable = match class.sync {
                Sync::None => "",
                Sync::Dsync => ", each write made durable on its own",
                Sync::Fdatasync => ", a flush after each write",
            };
            format!("each writer appends to its log{durable}")
        }
        Pattern::Sessions => "each session does one after the other".into(),
    }
}

/// The total, then the points by large level; large levels with the same small levels share a line. Other classes have a
/// line each.
fn points(request: &Request, plan: &Plan) -> Vec<String> {
    if let Some(sets) = request.classes.iter().find_map(|class| class.working_sets.as_ref()) {
        let [first, last] =
            [sets.sizes.first(), sets.sizes.last()].map(|size| Bytes(size.copied().unwrap_or(0)));
        return vec![format!("{} working sets, {first} to {last}", sets.sizes.len())];
    }
    let mut rows: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut others: PerClass<BTreeSet<u32>> = PerClass::new();
    let points = plan.steps.iter().map(|step| step.point);
    let points: Vec<Point> = points
        .filter(|&point| request.side_of(point) != Some(Side::B))
        .map(|point| own(request, point))
        .collect();
    for &point in &points {
        let (pair, more): (Vec<_>, Vec<_>) =
            point.shown().partition(|(class, _)| [Class::SMALL, Class::LARGE].contains(class));
        if !pair.is_empty() {
            rows.entry(point.large()).or_default().insert(point.small());
        }
        more.into_iter().for_each(|(class, level)| {
            others.entry(class).or_default().insert(level);
        });
    }
    let mut blocks: Vec<(BTreeSet<u32>, Vec<u32>)> = Vec::new();
    for (large, small) in rows {
        match blocks.iter_mut().find(|(levels, _)| *levels == small) {
            Some((_, rows)) => rows.push(large),
            None => blocks.push((small, vec![large])),
        }
    }
    let by_place = request.classes.iter().all(|class| class.places.is_some());
    let all_arrive = request.classes.iter().all(LoadClass::is_open);
    let all_targets = request.classes.iter().all(LoadClass::level_is_targets);
    let counted = match (by_place, all_arrive) {
        (true, _) => "the places",
        (_, true) => "arrivals per second",
        _ if all_targets => "how many targets",
        _ => "outstanding I/Os",
    };
    let each = if request.sides.is_some() { ", each on A and on B" } else { "" };
    let total = format!("{}{each}, {counted} of each class:", points.len());
    let levels = |levels: BTreeSet<u32>| compact(&levels.into_iter().collect::<Vec<_>>());
    let block = |(small, large): (BTreeSet<u32>, Vec<u32>)| {
        format!("small {} with large {}", levels(small), compact(&large))
    };
    let arrives = |class: Class| request.classes.iter().any(|load| load.name == class && load.is_open());
    let others = others.into_iter().map(|(class, own)| {
        let per_s = if !all_arrive && arrives(class) { " per second" } else { "" };
        format!("{class} {}{per_s}", levels(own))
    });
    iter::once(total).chain(blocks.into_iter().map(block)).chain(others).collect()
}

/// A point without its side.
fn own(request: &Request, point: Point) -> Point {
    if request.sides.is_some() { point.plain() } else { point }
}

/// Ascending levels with equal steps combined: `1-5`, `1, 2-40 by 2`.
fn compact(levels: &[u32]) -> String {
    let mut parts = Vec::new();
    let mut rest = levels;
    while let [first, tail @ ..] = rest {
        let step = tail.first().map_or(0, |second| second - first);
        let run = 1 + rest.windows(2).take_while(|pair| pair[1] - pair[0] == step).count();
        // Two numbers are no row of numbers, and the second may begin one.
        if run < 3 {
            parts.push(first.to_string());
            rest = tail;
            continue;
        }
        let last = rest[run - 1];
        parts.push(match step {
            1 => format!("{first}-{last}"),
            _ => format!("{first}-{last} by {step}"),
        });
        rest = &rest[run..];
    }
    parts.join(", ")
}

/// Settling and measuring are the same for all steps; some have a warm-up.
fn per_point(request: &Request, steps: &[Step]) -> Vec<String> {
    let Some(first) = steps.first() else {
        return vec!["nothing".into()];
    };
    let mut lines = vec![format!("{} to settle, then {} measured", first.settle, first.measure)];
    let warm_ups: Vec<WarmUp> = steps.iter().filter_map(|step| step.warm_up).collect();
    if let Some(warm_up) = warm_ups.first() {
        lines.push(format!("before {} of them {}", warm_ups.len(), load_before(request, *warm_up)));
    }
    lines
}

/// The first phases, each with its time and its point.
fn phases(request: &Request, plan: &Plan) -> Vec<String> {
    const SHOWN: usize = 12;
    let line = |phase: &PhaseStep| {
        let point =
            plan.steps.get(phase.step).map_or_else(String::new, |step| step.point.words_of(&request.classes));
        if phase.settle == Nanos(0) {
            return format!("{} measured: {point}", phase.measure);
        }
        format!("{} to settle, then {} measured: {point}", phase.settle, phase.measure)
    };
    let mut lines: Vec<String> = plan.phases.iter().take(SHOWN).map(line).collect();
    if let more @ 1.. = plan.phases.len().saturating_sub(SHOWN) {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The load of a warm-up: `30 s of random large I/O, not measured`.
fn load_before(request: &Request, warm_up: WarmUp) -> String {
    let much = match warm_up {
        WarmUp::Time(time) => time.to_string(),
        WarmUp::Bytes(bytes) => Bytes(bytes).to_string(),
    };
    if request.classes.iter().any(|class| class.pattern == Pattern::Log) {
        return format!("{much} of writes, once over every log, not measured");
    }
    format!("{much} of random large I/O, not measured")
}

fn time(plan: &Plan) -> String {
    let known = span(plan.known_time());
    let by_bytes = |step: &Step| matches!(step.warm_up, Some(WarmUp::Bytes(_)));
    if plan.steps.iter().any(by_bytes) { format!("{known} and the warm-ups") } else { known }
}

/// The engine, or those of two sides.
fn engines(request: &Request) -> String {
    let sides =
        request.sides.map(|sides| format!("A: {}; B: {}", engine(request.engine), engine(sides.engine)));
    sides.unwrap_or_else(|| engine(request.engine))
}

fn engine(engine: EngineRequest) -> String {
    match engine {
        EngineRequest::Auto => "the best one that works here".into(),
        EngineRequest::Only(kind) => kind.name().into(),
        EngineRequest::Sim(law) => format!(
            "sim: {} servers, {} of service each{}{}, no storage is touched",
            law.servers,
            Nanos(law.service_ns),
            if law.flush_ns > 0 {
                format!(", {} more to be durable", Nanos(law.flush_ns))
            } else {
                String::new()
            },
            if law.noise.is_none() { "" } else { ", with disturbances" }
        ),
    }
}

fn writes(request: &Request, plan: &Plan, targets: &[TargetFacts], intent: Option<&Intent>) -> Vec<String> {
    match intent {
        None => load_writes(request, plan, targets.iter().map(|target| printable(&target.path).into_owned())),
        Some(Intent { scratch: None, consent, .. }) if !plan.writes && consent.is_empty() => {
            vec!["nothing would be written to the targets".into()]
        }
        Some(Intent { scratch: None, consent, .. }) => {
            plan.writes.then(|| share(request)).into_iter().chain(consent.iter().cloned()).collect()
        }
        Some(Intent { scratch: Some(scratch), .. }) => {
            scratch_writes(*scratch, plan.writes.then(|| share(request)))
        }
    }
}

/// The fill and the load go to Rigel's own file; nothing of the user's is lost.
fn scratch_writes(scratch: ScratchIntent, load: Option<String>) -> Vec<String> {
    let fate = if scratch.kept { "kept" } else { "removed" };
    let fill = match scratch.fill_bytes {
        0 => format!("nothing to fill: the existing scratch file would be used, and {fate} afterwards"),
        bytes if scratch.new_files > 1 => {
            let (files, size) = (scratch.new_files, Bytes(bytes));
            format!("{files} scratch files of {size} in all would be written, and {fate} afterwards")
        }
        bytes => format!("a scratch file of {} would be written, and {fate} afterwards", Bytes(bytes)),
    };
    vec![fill, load.unwrap_or_else(|| "nothing else would be written".into())]
}

fn share(request: &Request) -> String {
    let mut commits = request.commits();
    let Some(commit) = commits.next() else { return share_of_writes(request) };
    let size = Bytes(commit.io_bytes());
    let commits =
        format!("commits: durable writes of {size} to the logs of up to 16 writers, after everything else");
    if request.write_percent().writes() {
        return format!("{}; {commits}", share_of_writes(request));
    }
    commits
}

fn share_of_writes(request: &Request) -> String {
    let what = match request.large_pattern() {
        Pattern::Streams { .. } => "small I/Os and of the streams",
        Pattern::Random | Pattern::Log | Pattern::Sessions => "I/Os",
    };
    match request.common_write_percent() {
        Some(common) => format!("{} % of the {what}", common.get()),
        None => request.write_share(),
    }
}

fn load_writes(request: &Request, plan: &Plan, targets: impl Iterator<Item = String>) -> Vec<String> {
    if !plan.writes {
        return vec!["nothing would be written".into()];
    }
    let head = [share(request), "what these targets hold now would be lost:".into()];
    head.into_iter().chain(targets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_the_scratch_file() {
        let told = |fill_bytes, kept| {
            scratch_writes(ScratchIntent { new_files: 1, fill_bytes, kept }, None).join("\n")
        };
        assert_eq!(
            told(1 << 30, false),
            "a scratch file of 1 GiB would be written, and removed afterwards\nnothing else would be written"
        );
        assert!(told(1 << 30, true).contains("kept afterwards"));
        assert!(told(0, true).starts_with("nothing to fill"));
        let with_load =
            scratch_writes(ScratchIntent { new_files: 0, fill_bytes: 0, kept: false }, Some("5 %".into()));
        assert_eq!(with_load[1], "5 %");
    }

    #[test]
    fn levels_are_drawn_together() {
        let forty: Vec<u32> = (1..=2).chain((4..=40).step_by(2)).collect();
        assert_eq!(compact(&[0]), "0");
        assert_eq!(compact(&[1, 2]), "1, 2");
        assert_eq!(compact(&[0, 1, 2, 3]), "0-3");
        assert_eq!(compact(&forty), "1, 2-40 by 2");
        assert_eq!(compact(&[1, 2, 3, 6, 9, 12, 13]), "1-3, 6-12 by 3, 13");
        assert_eq!(compact(&[1, 2, 3, 6, 9, 12, 15, 18]), "1-3, 6-18 by 3");
    }
}
