//! How a rate grows with the targets: a sentence, a table, a chart with the straight line, and its part of the JSON document.
//!
//! Must not judge; the findings do.

use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Shape};
use crate::document::{Block, Column, Room, Table};
use crate::json_text::text;
use crate::label;
use crate::view::View;
use crate::words::{counted, listed, width};
use rigel_core::judge::findings::{Linearity, ScalingFindings, ScalingLimit, ScalingPoint, SlowTarget};
use rigel_core::load::class::{Class, LoadClass, Pattern};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent, short};
use schemars::JsonSchema;
use serde::Serialize;

/// Names of targets in a sentence; more are counted.
const MOST_NAMED: usize = 4;

/// `The rate grows with the targets up to 4: 39,980 IOPS (±1 %). With 5 it is 40,010 IOPS, 80 % of linear. ..` `None` for another run.
pub(crate) fn sentence(view: &View<'_>) -> Option<String> {
    let found = view.findings.scaling.as_ref()?;
    let at = |targets: u32| found.points.iter().find(|point| point.targets == targets);
    let (first, last) = (found.points.first()?, found.points.last()?);
    let told = match found.linear {
        Linearity::Throughout => format!(
            "The rate grows linearly with the targets, up to all {}: {} with one, {} with {} ({} % of \
             linear).",
            last.targets,
            rate(found, first),
            rate(found, last),
            last.targets,
            percent(last.of_line.value)
        ),
        Linearity::UpTo { last: on, first: below } => {
            let (on, below) = (at(on)?, at(below)?);
            let most = if last.targets > below.targets {
                format!(" All {} give {}.", last.targets, rate(found, last))
            } else {
                String::new()
            };
            format!(
                "The rate grows linearly up to {}: {}. With {} it is {}, {} % of linear.{most}",
                counted(on.targets, "target"),
                rate(found, on),
                below.targets,
                rate(found, below),
                percent(below.of_line.value)
            )
        }
        Linearity::Undecided => format!(
            "It is undecided whether the rate grows linearly: {} give {}, {} % of linear, and the \
             intervals allow both.",
            counted(last.targets, "target"),
            rate(found, last),
            percent(last.of_line.value)
        ),
        Linearity::Unknown => {
            "How the rate grows with the targets is not judged: not every number of targets has a usable \
             rate from several visits."
                .to_owned()
        }
    };
    let more: Vec<String> =
        std::iter::once(told).chain(limits(view, found)).chain(slow(view, found)).collect();
    Some(more.join(" "))
}

/// What limits it, with the evidence.
fn limits(view: &View<'_>, found: &ScalingFindings) -> Vec<String> {
    let Linearity::UpTo { first, .. } = found.linear else { return shared_only(view, found) };
    let mut all: Vec<String> = found.limits.iter().map(|limit| limit_words(view, found, *limit)).collect();
    if all.is_empty() {
        all.push(format!("What limits it with {first} is not known."));
    }
    all
}

fn limit_words(view: &View<'_>, found: &ScalingFindings, limit: ScalingLimit) -> String {
    match limit {
        ScalingLimit::AddedTargets => {
            "What limits it: the targets that were added are slower, while those before keep their rate."
                .to_owned()
        }
        ScalingLimit::OneDevice => format!("What limits it: {}.", devices(view, found).join("; ")),
        ScalingLimit::HostCpu(idle) => format!("The CPUs of the host were {} % idle there.", percent(idle)),
        ScalingLimit::Engine(busiest) => format!(
            "The engine limits it there (ENGINE_LIMITED): the CPU of the busiest worker was busy for {} % of the time.",
            percent(busiest)
        ),
        ScalingLimit::Shared(kept) => format!(
            "The targets share what limits them (a controller, a path, an array or this host): those before keep {} % of their rate when others are added.",
            percent(kept)
        ),
    }
}

/// Targets on one device are reported even if nothing limits them yet.
fn shared_only(view: &View<'_>, found: &ScalingFindings) -> Vec<String> {
    devices(view, found).into_iter().map(|told| format!("Note: {told}.")).collect()
}

/// `a and b lie on one device (sda)`.
fn devices(view: &View<'_>, found: &ScalingFindings) -> Vec<String> {
    let told = found
        .shared
        .iter()
        .map(|one| format!("{} lie on one device ({})", named(view, &one.targets), printable(&one.name)));
    told.collect()
}

fn named(view: &View<'_>, targets: &[usize]) -> String {
    let mut names: Vec<String> = targets.iter().take(MOST_NAMED).map(|&target| path(view, target)).collect();
    let more = targets.len().saturating_sub(MOST_NAMED);
    names.extend((more > 0).then(|| format!("{more} more")));
    listed(&names)
}

fn slow(view: &View<'_>, found: &ScalingFindings) -> Option<String> {
    let told = |one: &SlowTarget| {
        format!(
            "{} gives {} {}{}, the median of all {}",
            path(view, one.target),
            number(one.rate.value),
            printable(found.load.unit()),
            width(one.rate),
            number(one.median)
        )
    };
    let all: Vec<String> = found.slow.iter().take(MOST_NAMED).map(told).collect();
    let is = if found.slow.len() == 1 { "target" } else { "targets" };
    (!all.is_empty()).then(|| format!("Slow {is}: {}.", all.join("; ")))
}

fn path(view: &View<'_>, target: usize) -> String {
    view.record
        .header
        .targets
        .get(target)
        .map_or_else(|| "?".into(), |target| printable(label::absolute(target)).into_owned())
}

/// `39,980 IOPS (±1 %)`
fn rate(found: &ScalingFindings, point: &ScalingPoint) -> String {
    format!("{} {}{}", number(point.rate.value), printable(found.load.unit()), width(point.rate))
}

/// The table, and the rate of each target with all of them; empty for another run.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    let Some(found) = &view.findings.scaling else { return Vec::new() };
    let mut all = vec![table(found), Block::about(about(found))];
    if room.is_wide() {
        all.extend(each(view, found));
    }
    vec![Block::section("Over the targets", all)]
}

fn table(found: &ScalingFindings) -> Block {
    let half = |one: Estimate| one.half_width().map_or_else(|| "-".to_owned(), percent);
    let rows: Vec<&ScalingPoint> = found.points.iter().collect();
    Table::of("targets", &rows)
        .column(Column::right("Targets"), |one| one.targets.to_string())
        .column(Column::right(printable(found.load.unit())), |one| number(one.rate.value))
        .column(Column::right("±%").gap(1), move |one| half(one.rate))
        .column(Column::right("straight line"), |one| or_dash(one.line, number))
        .column(Column::right("of it"), |one| {
            or_dash(one.of_line.value, |share| format!("{} %", percent(share)))
        })
        .column(Column::right("±%").gap(1), move |one| {
            if one.targets == 1 { "-".to_owned() } else { half(one.of_line) }
        })
        .column(Column::right("per target"), |one| number(one.rate.value / f64::from(one.targets.max(1))))
        .done()
}

fn or_dash(value: f64, write: impl Fn(f64) -> String) -> String {
    if value.is_finite() { write(value) } else { "-".to_owned() }
}

/// The load of each target, and the meaning of the line.
fn about(found: &ScalingFindings) -> String {
    format!(
        "Each target has {}, however many others have. The straight line is the rate of the first target \
         times the number of targets. The rate leaves it \
         where its interval lies wholly below 95 % of the line.",
        load_of_each(&found.load)
    )
}

/// `16 outstanding random I/Os of 8 KiB`.
pub(crate) fn load_of_each(load: &LoadClass) -> String {
    let each = load.per_target.unwrap_or(1);
    match load.pattern {
        Pattern::Streams { ios_per_stream } => {
            format!(
                "{} of {ios_per_stream} outstanding I/Os of {}",
                counted(each, "stream"),
                load.size_text()
            )
        }
        _ => format!(
            "{each} outstanding random {} of {}",
            if each == 1 { "I/O" } else { "I/Os" },
            load.size_text()
        ),
    }
}

/// The rate of each target at every number of them.
fn each(view: &View<'_>, found: &ScalingFindings) -> Option<Block> {
    let most = found.points.iter().map(|point| point.each.len()).max()?;
    let rows: Vec<usize> = (0..most).collect();
    let mut table = Table::of("target", &rows).column(Column::left("Target"), |&target| path(view, target));
    for point in &found.points {
        let head = format!("of {}", point.targets);
        table = table.column(Column::right(head), move |&target| {
            point.each.get(target).map_or_else(
                || "-".to_owned(),
                |one| {
                    let half =
                        one.half_width().map_or_else(String::new, |half| format!(" ±{} %", percent(half)));
                    format!("{}{half}", number(one.value))
                },
            )
        });
    }
    Some(Block::section(format!("{} of each target", printable(found.load.unit())), vec![table.done()]))
}

/// The rate over the number of targets, with the straight line.
pub(crate) fn panel(view: &View<'_>) -> Option<Panel> {
    let found = view.findings.scaling.as_ref()?;
    let across = |point: &ScalingPoint| f64::from(point.targets);
    let dot =
        |point: &ScalingPoint| Dot { across: across(point), up: point.rate.value, ends: point.rate.ends() };
    let on_line = |point: &ScalingPoint| Dot { across: across(point), up: point.line, ends: None };
    let line = |name: &str, dots: Vec<Dot>| Line { name: name.to_owned(), dots };
    let mut lines = vec![line("measured", found.points.iter().map(dot).collect())];
    let straight: Vec<Dot> =
        found.points.iter().filter(|point| point.line.is_finite()).map(on_line).collect();
    lines.extend((straight.len() > 1).then(|| line("straight line", straight)));
    let unit = printable(found.load.unit()).into_owned();
    let title = format!("{unit} by number of targets");
    let (across, up) = (Axis::linear("targets", |count| format!("{count:.0}")), Axis::linear(unit, short));
    Some(Panel {
        title,
        shape: Shape::Lines(Lines { across, up, lines, limit: None, band: None, marks: Vec::new() }),
    })
}

/// How a rate grows with the targets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Scaling")]
pub(crate) struct ScalingDocument {
    /// The class.
    class: Class,
    /// The load on each target: outstanding I/Os, or streams.
    per_target: u32,
    /// `throughout`: on the straight line with all targets. `up_to`: it leaves the line. `undecided`: the intervals allow both. `unknown`: a rate
    /// is missing, or is based on one visit.
    #[schemars(extend("enum" = ["throughout", "up_to", "undecided", "unknown"]))]
    linear: &'static str,
    /// The largest number of targets on the line; null where that is unknown.
    linear_up_to: Option<u32>,
    /// The smallest number that is certainly below it; null where none is.
    below_from: Option<u32>,
    /// The result for each number of targets.
    points: Vec<ScalingPointDocument>,
    /// What limits the rate where it leaves the line; the most likely limit first.
    limits: Vec<ScalingLimitDocument>,
    /// Targets that were certainly slower than the others.
    slow: Vec<SlowTargetDocument>,
    /// Devices that several of the targets share, as far as this host can see.
    shared_devices: Vec<SharedDeviceDocument>,
    /// The same as sentences.
    says: String,
}

/// A number of targets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScalingPoint")]
struct ScalingPointDocument {
    /// The number of targets.
    targets: u32,
    /// Their total rate, in the unit of the class.
    rate: Estimate,
    /// The rate on the straight line; null if one target has no rate.
    line: Option<f64>,
    /// The rate divided by that of the line; null in the same cases.
    of_line: Option<Estimate>,
    /// The rate of each target, in the order of the run.
    each: Vec<Estimate>,
}

/// What limits a rate.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScalingLimit")]
struct ScalingLimitDocument {
    /// `added_targets`: they are slower. `one_device`: several are on one. `host_cpu`: `value` is its idle share.
    /// `engine`: `value` is the busy share of its busiest worker. `shared`: `value` is the share of their rate that
    /// the earlier targets keep when others are added.
    #[schemars(extend("enum" = ["added_targets", "one_device", "host_cpu", "engine", "shared"]))]
    what: &'static str,
    /// The evidence; null if it is elsewhere in the document.
    value: Option<f64>,
}

/// A target that is slower than the others.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SlowTarget")]
struct SlowTargetDocument {
    /// Its path.
    path: String,
    /// Its rate, in the unit of the class.
    rate: Estimate,
    /// The median of the rates of all targets.
    median: f64,
}

/// A device below several targets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SharedDevice")]
struct SharedDeviceDocument {
    /// Its kernel name.
    name: String,
    /// The paths of the targets.
    targets: Vec<String>,
}

/// The document of a run; `None` for another one.
pub(crate) fn document(view: &View<'_>) -> Option<ScalingDocument> {
    let found = view.findings.scaling.as_ref()?;
    let most = || found.points.last().map(|point| point.targets);
    let (linear, linear_up_to, below_from) = match found.linear {
        Linearity::Throughout => ("throughout", most(), None),
        Linearity::UpTo { last, first } => ("up_to", Some(last), Some(first)),
        Linearity::Undecided => ("undecided", None, None),
        Linearity::Unknown => ("unknown", None, None),
    };
    let point = |point: &ScalingPoint| ScalingPointDocument {
        targets: point.targets,
        rate: point.rate,
        line: Some(point.line).filter(|line| line.is_finite()),
        of_line: Some(point.of_line).filter(|share| share.value.is_finite()),
        each: point.each.clone(),
    };
    let path = |target: usize| text(&path(view, target));
    Some(ScalingDocument {
        class: found.load.name,
        per_target: found.load.per_target.unwrap_or(1),
        linear,
        linear_up_to,
        below_from,
        points: found.points.iter().map(point).collect(),
        limits: found.limits.iter().map(|limit| limit_document(*limit)).collect(),
        slow: found
            .slow
            .iter()
            .map(|one| SlowTargetDocument { path: path(one.target), rate: one.rate, median: one.median })
            .collect(),
        shared_devices: found
            .shared
            .iter()
            .map(|one| SharedDeviceDocument {
                name: text(&one.name),
                targets: one.targets.iter().map(|&target| path(target)).collect(),
            })
            .collect(),
        says: sentence(view).unwrap_or_default(),
    })
}

const fn limit_document(limit: ScalingLimit) -> ScalingLimitDocument {
    let (what, value) = match limit {
        ScalingLimit::AddedTargets => ("added_targets", None),
        ScalingLimit::OneDevice => ("one_device", None),
        ScalingLimit::HostCpu(idle) => ("host_cpu", Some(idle)),
        ScalingLimit::Engine(busiest) => ("engine", Some(busiest)),
        ScalingLimit::Shared(kept) => ("shared", Some(kept)),
    };
    ScalingLimitDocument { what, value }
}
