//! Whether runs can be compared: what they were asked to do, and how they did it.
//!
//! Pure; a run is compared with the first one of the base. Must not judge numbers.

use super::Run;
use super::comparison::Difference;
use crate::versus::{OverallRatio, Versus};
use rigel_core::facts::TargetFacts;
use rigel_core::judge::answer::Answer;
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::{Class, LoadClass, Pattern, Sizes, Span};
use rigel_core::load::matrix::Point;
use rigel_core::load::pace::Pace;
use rigel_core::load::request::EngineRequest;
use rigel_core::load::workload::Layout;
use rigel_core::units::Bytes;
use rigel_core::units::say::number;

/// A property of a run; `None` if it does not apply to the run.
struct Property {
    what: &'static str,
    incomparable: bool,
    /// It concerns the load that a run is about, not its additional load.
    of_load: bool,
    text: fn(&Run<'_>) -> Option<String>,
    /// How it is shown, if the text is not for people.
    shown: Option<fn(&Run<'_>) -> String>,
}

const ENGINE: &str = "engine";

const PROPERTIES: &[Property] = &[
    of_load("size of small I/O", |run| {
        has(run, Class::SMALL).then(|| Bytes(run.record.header.request.io_bytes(Class::SMALL)).to_string())
    }),
    of_load("size of large I/O", |run| {
        has(run, Class::LARGE).then(|| Bytes(run.record.header.request.io_bytes(Class::LARGE)).to_string())
    }),
    of_load("share of writes", |run| Some(run.record.header.request.write_share())),
    of_load("pattern of large I/O", |run| has(run, Class::LARGE).then(|| pattern(run))),
    of_load("part of the targets", spans),
    Property { shown: Some(named_classes), ..of_load("other load classes", other_classes) },
    incomparable(ENGINE, |run| Some(run.record.header.nodes.first().engine.kind.name().to_owned())),
    incomparable("page cache", |run| Some(yes_or_no(run.record.header.request.buffered))),
    incomparable("polled completions", |run| Some(yes_or_no(run.record.header.nodes.first().engine.polled))),
    incomparable("flags that invalidate every number", |run| Some(invalid_flags(run))),
    telling("question", |run| {
        let answer = Answer::of(&run.record.header.request, run.findings);
        Some(answer.question().to_owned())
    }),
    telling("targets", |run| Some(targets(run, |target| target.path.clone()))),
    telling("sizes of the targets", |run| Some(targets(run, |target| Bytes(target.size_bytes).to_string()))),
    telling("devices", |run| Some(targets(run, device))),
    telling("CPU", |run| run.record.header.nodes.first().host.cpu_model.clone()),
    telling("CPUs", |run| Some(run.record.header.nodes.first().host.cpus.to_string())),
    telling("page of memory", |run| {
        run.record.header.nodes.first().host.page_bytes.map(|bytes| Bytes(bytes).to_string())
    }),
    telling("kernel", |run| Some(run.record.header.nodes.first().host.kernel.clone())),
    telling("virtual machine", |run| {
        let hypervisor = run.record.header.nodes.first().host.hypervisor.as_deref();
        Some(hypervisor.unwrap_or("none").to_owned())
    }),
    telling("priority", priority),
    telling("Rigel", |run| Some(run.record.header.program_version.clone())),
    telling("latency limit", |run| run.record.header.request.bound().map(|bound| bound.to_string())),
    telling("limits of the rate", |run| {
        let bounds = &run.record.header.request.slo()?.bounds;
        Some(bounds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }),
    telling("B over A", ratios),
    telling("visits to a point", |run| Some(pace(run))),
    telling("whole run", |run| Some(yes_or_no(run.record.complete()))),
];

const fn incomparable(what: &'static str, text: fn(&Run<'_>) -> Option<String>) -> Property {
    Property { what, incomparable: true, of_load: false, text, shown: None }
}

const fn of_load(what: &'static str, text: fn(&Run<'_>) -> Option<String>) -> Property {
    Property { of_load: true, ..incomparable(what, text) }
}

const fn telling(what: &'static str, text: fn(&Run<'_>) -> Option<String>) -> Property {
    Property { what, incomparable: false, of_load: false, text, shown: None }
}

/// Everything in which runs differ from the first one, starting with what makes the runs incomparable. Texts come
/// from the records as they are: the caller makes them printable.
pub fn differences(first: &Run<'_>, others: &[&Run<'_>]) -> Vec<Difference> {
    let differ = |property: &Property| {
        let base = (property.text)(first)?;
        let by_trials = property.what == ENGINE && is_chosen_by_trials(first);
        let other = others.iter().find_map(|other| {
            let text = (property.text)(other)?;
            (text != base).then_some((text, other))
        });
        let (text, run) = other?;
        let (base, text) = match property.shown.map(|shown| (shown(first), shown(run))) {
            Some((base, other)) if base == other => (base, format!("{other} with other settings")),
            Some(both) => both,
            None => (base, text),
        };
        Some(Difference {
            what: property.what,
            base,
            other: text,
            run_id: run.record.header.run_id.clone(),
            incomparable: property.incomparable && !(by_trials && is_chosen_by_trials(run)),
        })
    };
    if !share_commits(first, others) {
        return PROPERTIES.iter().filter_map(differ).collect();
    }
    let unlike = unlike_commits(first, others);
    unlike.into_iter().chain(PROPERTIES.iter().filter(|one| !one.of_load).filter_map(differ)).collect()
}

/// Whether commits are all that runs have in common: some measure nothing else, and others, such as calibrations, have them in addition.
fn share_commits(first: &Run<'_>, others: &[&Run<'_>]) -> bool {
    let all = || std::iter::once(first).chain(others.iter().copied());
    let is_of_commits = |run: &Run<'_>| {
        let mut main = run.record.header.request.main_classes().peekable();
        main.peek().is_some() && main.all(|class| class.name.is_of_commits())
    };
    let has_beside = |run: &Run<'_>| !is_of_commits(run) && commits(run).next().is_some();
    all().any(is_of_commits)
        && all().any(has_beside)
        && all().all(|run| is_of_commits(run) || has_beside(run))
}

fn commits<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r LoadClass> {
    let is_measured = |class: Class| run.findings.points.iter().any(|found| found.point.of(class) > 0);
    let classes = run.record.header.request.classes.iter();
    classes.filter(move |class| class.name.is_of_commits() && is_measured(class.name))
}

/// The first way of committing that two runs both have, and with other settings.
fn unlike_commits(first: &Run<'_>, others: &[&Run<'_>]) -> Option<Difference> {
    let plain = |class: &LoadClass| LoadClass { levels: Vec::new(), ..class.clone() };
    let unlike = |other: &&Run<'_>| {
        let pair = |own: &'_ LoadClass| commits(other).find(|class| class.name == own.name);
        let mut pairs = commits(first).filter_map(|own| Some((own, pair(own)?)));
        let (own, class) = pairs.find(|(own, class)| plain(own) != plain(class))?;
        let shown = |class: &LoadClass| format!("{} of {}", class.noun(), class.size_text());
        let (base, mut text) = (shown(own), shown(class));
        if base == text {
            text += " with other settings";
        }
        let run_id = other.record.header.run_id.clone();
        Some(Difference { what: "commits", base, other: text, run_id, incomparable: true })
    };
    others.iter().find_map(unlike)
}

/// Whether Rigel chose the engine as the one that does most there: it is the way to the same figure, and may differ from run to run where two do alike.
fn is_chosen_by_trials(run: &Run<'_>) -> bool {
    let header = &run.record.header;
    let trials = header.nodes.first().engine.trials.as_ref();
    header.request.engine == EngineRequest::Auto && trials.is_some()
}

/// What a run of two sides answers: the ratio of each quantity over all loads, with its interval.
fn ratios(run: &Run<'_>) -> Option<String> {
    let found = Versus::of(run.record, run.findings)?;
    let leading = found.overall.iter().filter(|one| found.leading.contains(&one.quantity));
    let ratio = |one: &OverallRatio| {
        let [ratio, lo, hi] =
            [one.change.relative, one.change.lo, one.change.hi].map(|change| number(1.0 + change));
        format!("{} {ratio} times ({lo} to {hi})", one.quantity.name())
    };
    Some(leading.map(ratio).collect::<Vec<_>>().join(", "))
}

fn has(run: &Run<'_>, class: Class) -> bool {
    run.record.header.plan.steps.iter().any(|step| step.point.of(class) > 0)
}

/// Every class except ORION's pair, as in the record, without the levels at which it was measured. The commits of a
/// calibration say nothing about its other numbers.
fn other_classes(run: &Run<'_>) -> Option<String> {
    let asked = others(run).map(|class| LoadClass { levels: Vec::new(), ..class.clone() });
    let texts: Vec<String> = asked.filter_map(|class| serde_json::to_string(&class).ok()).collect();
    Some(if texts.is_empty() { "none".into() } else { texts.join(", ") })
}

fn others<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r LoadClass> {
    let others = run.record.header.request.main_classes();
    others.filter(|class| ![Class::SMALL, Class::LARGE].contains(&class.name) && has(run, class.name))
}

/// The same by their names and sizes: `open I/O of 8 KiB`.
fn named_classes(run: &Run<'_>) -> String {
    let named = |class: &LoadClass| match class.sizes {
        Sizes::None => class.noun(),
        Sizes::Fixed(_) | Sizes::Mixed(_) => format!("{} of {}", class.noun(), class.size_text()),
    };
    let texts: Vec<String> = others(run).map(named).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// Where the I/Os went: a part of a disk is faster than all of it, and may fit into a cache.
fn spans(run: &Run<'_>) -> Option<String> {
    let classes = run.record.header.request.main_classes().filter(|class| has(run, class.name));
    let all: Vec<(Class, Span)> = classes.map(|class| (class.name, class.span)).collect();
    let (_, first) = *all.first()?;
    if all.iter().all(|&(_, span)| span == first) {
        return Some(part(first));
    }
    let named = all.iter().map(|&(class, span)| format!("{} for {class}", part(span)));
    Some(named.collect::<Vec<_>>().join(", "))
}

/// The part of a target: `0-33%`, `all`.
pub(super) fn part(span: Span) -> String {
    if span == Span::Whole { "all".to_owned() } else { span.to_string() }
}

fn pattern(run: &Run<'_>) -> String {
    let request = &run.record.header.request;
    match request.large_pattern() {
        Pattern::Random | Pattern::Log | Pattern::Sessions => "random".to_owned(),
        Pattern::Streams { ios_per_stream } => match request.layout {
            Layout::Concat => format!("sequential, {ios_per_stream} outstanding a stream, concatenated"),
            Layout::Raid0 { stripe_bytes } => format!(
                "sequential, {ios_per_stream} outstanding a stream, striped by {}",
                Bytes(stripe_bytes)
            ),
        },
    }
}

/// Codes of flags that make the numbers of all points of a run invalid.
fn invalid_flags(run: &Run<'_>) -> String {
    let of_run = run.findings.flags.iter().filter(|flag| flag.invalid);
    let points = &run.findings.points;
    let everywhere = |flag: &&Flag| {
        let at = |flags: &[Flag]| flags.iter().any(|other| other.invalid && other.code == flag.code);
        flag.invalid && points.iter().all(|found| at(&found.flags))
    };
    let of_points = points.first().into_iter().flat_map(|found| found.flags.iter().filter(everywhere));
    let mut names: Vec<&str> = of_run.chain(of_points).map(|flag| flag.code.name()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn targets(run: &Run<'_>, text: impl Fn(&TargetFacts) -> String) -> String {
    let texts: Vec<String> = run.record.header.targets.iter().map(text).collect();
    texts.join(", ")
}

fn device(target: &TargetFacts) -> String {
    let model =
        target.device.as_ref().map(|device| device.model.clone().unwrap_or_else(|| device.name.clone()));
    model.unwrap_or_else(|| "unknown".to_owned())
}

/// If it is not known, runs do not differ in it.
fn priority(run: &Run<'_>) -> Option<String> {
    let host = &run.record.header.nodes.first().host;
    let unusual = host.rank().map(|(_, why)| why);
    unusual.or_else(|| host.priority.told().map(|_| "usual".to_owned()))
}

fn pace(run: &Run<'_>) -> String {
    let request = &run.record.header.request;
    match (request.pace(), request.soak()) {
        (Some(Pace::Fixed(duration)), _) => format!("one of {duration}"),
        (None, Some(soak)) => format!("the phases of the load in rotation for {}", soak.time),
        (None, None) => match (request.burst(), request.working_set()) {
            (Some(burst), _) => format!("those of two bursts, the first one of at most {}", burst.time),
            (None, Some(asked)) => format!("those of working sets, in at most {}", asked.time),
            (None, None) => "one to each phase of the load".to_owned(),
        },
        (Some(Pace::Adaptive(pace)), _) => {
            format!("as many as ±{} % requires", 100.0 * pace.precision.fraction())
        }
    }
}

pub(super) fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// Points that only some of the runs have, in order; they have no part in the comparison.
pub fn left_out(runs: &[&Run<'_>]) -> Vec<Point> {
    let measured = |run: &Run<'_>, point: Point| run.findings.points.iter().any(|found| found.point == point);
    let mut points: Vec<Point> =
        runs.iter().flat_map(|run| run.findings.points.iter().map(|found| found.point)).collect();
    points.sort_by_key(|point| point.by_rows());
    points.dedup();
    points.retain(|&point| !runs.iter().all(|run| measured(run, point)));
    points
}
