//! The conclusion in two sentences: the rates that the storage reached, and how far they can be trusted.
//!
//! Must not leave out a flag that speaks against the numbers.

use crate::notes;
use crate::numbers::{number, time};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Class, Figure, Sizes};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use std::collections::BTreeSet;

/// How far the numbers can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing speaks against them.
    Good,
    /// They ask for care.
    Care,
    /// Some must not be used, or not everything was measured.
    Bad,
}

/// The sentences as plain text; names in them are foreign.
pub(crate) struct Conclusion {
    /// How far the numbers can be trusted.
    pub tone: Tone,
    pub reached: String,
    /// How far that can be trusted, in words.
    pub trust: String,
    /// The flags that make numbers invalid, each once.
    pub invalid: BTreeSet<FlagCode>,
    /// The other ones that ask for care.
    pub care: BTreeSet<FlagCode>,
}

impl Conclusion {
    pub fn of(view: &View<'_>) -> Self {
        let (invalid, care) = codes(view);
        let tone = match (invalid.is_empty() && view.record.complete(), care.is_empty() && !is_unsure(view)) {
            (false, _) => Tone::Bad,
            (true, false) => Tone::Care,
            (true, true) => Tone::Good,
        };
        Self { tone, reached: reached(view), trust: trust(view, &invalid, &care), invalid, care }
    }
}

fn reached(view: &View<'_>) -> String {
    let best = &view.findings.best;
    let device = if view.record.header.request.engine.is_simulated() {
        "The simulated device"
    } else {
        "This storage"
    };
    let mut most = Vec::new();
    let loads = view.loads();
    for load in &loads {
        if let Some(best) = best.rate(load.name) {
            let (value, width) = (number(best.estimate.value), width(best.estimate));
            most.push(match &load.figure {
                Figure::Mbps => format!("{value} MB per second of {}{width}", load.noun()),
                Figure::Rate(_) if load.sizes == Sizes::None => {
                    format!("{value} {} of {}{width}", printable(load.unit()), load.noun())
                }
                Figure::Rate(_) => format!("{value} {}s per second{width}", load.noun()),
            });
        }
        if load.name == Class::SMALL {
            most.extend(within_bound(view));
        }
    }
    if most.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    let quickest = loads.iter().find_map(|load| Some((load, best.latency_us(load.name)?)));
    let quickest = quickest.map_or_else(String::new, |(load, best)| {
        format!(
            ", and answered a {} in {} on average at best{}",
            load.noun(),
            time(best.estimate.value),
            width(best.estimate)
        )
    });
    format!("{device} reached {}{quickest}.", listed(&most))
}

/// What a calibration found within its bound: `55,584 (±2.1 %) within a mean latency of 10 ms`.
fn within_bound(view: &View<'_>) -> Option<String> {
    let answers = view.findings.answers.as_ref()?;
    let within = answers.max_iops.as_ref().ok()?;
    Some(format!("{}{} within a {}", number(within.iops.value), width(within.iops), answers.bound))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    }
}

fn width(found: Estimate) -> String {
    let half = found.half_width();
    half.map_or_else(String::new, |half| format!(" (±{} %)", words::percent(half)))
}

fn trust(view: &View<'_>, invalid: &BTreeSet<FlagCode>, care: &BTreeSet<FlagCode>) -> String {
    let points = &view.findings.points;
    let mut parts = Vec::new();
    if let Some(cut) = notes::cut_short(view) {
        parts.push(cut.trim_end_matches('.').to_owned());
    }
    if !points.is_empty() {
        parts.push(sureness(view));
        parts.push(doubts(view, invalid, care));
    }
    if parts.is_empty() { "There is nothing to judge.".to_owned() } else { format!("{}.", parts.join("; ")) }
}

/// Whether the precision was missed somewhere.
fn is_unsure(view: &View<'_>) -> bool {
    view.findings.target.is_some() && !view.findings.points.iter().all(PointFindings::reached)
}

fn sureness(view: &View<'_>) -> String {
    let points = &view.findings.points;
    let Some(target) = view.findings.target else {
        let subject = if points.len() == 1 {
            "The point".to_owned()
        } else {
            format!("Each of {} points", points.len())
        };
        return format!("{subject} was visited once, so that ± holds only what varied inside that visit");
    };
    let reached = points.iter().filter(|found| found.reached()).count();
    let where_to = match (points.len(), reached) {
        (1, 1) => "was reached".to_owned(),
        (1, _) => "was not reached".to_owned(),
        (all, some) if all == some => format!("was reached at all {all} points"),
        (all, some) => format!("was reached at {some} of {all} points"),
    };
    format!("The ±{} % asked for {where_to}", words::plain_percent(target))
}

fn doubts(view: &View<'_>, invalid: &BTreeSet<FlagCode>, care: &BTreeSet<FlagCode>) -> String {
    let mut parts = Vec::new();
    if !invalid.is_empty() {
        let points = view.findings.points.iter().filter(|found| found.invalid()).count();
        let what = if points == 0 { "the run".to_owned() } else { words::counted(points, "point") };
        parts.push(format!("the numbers of {what} must not be used ({})", list(invalid)));
    }
    if !care.is_empty() {
        parts.push(format!("what asks for care is told below ({})", list(care)));
    }
    match (parts.is_empty(), is_unsure(view)) {
        (true, false) => "no flag speaks against the numbers".to_owned(),
        (true, true) => "no other flag speaks against the numbers".to_owned(),
        (false, _) => parts.join("; "),
    }
}

fn list(codes: &BTreeSet<FlagCode>) -> String {
    let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
    names.join(", ")
}

/// The flags that make numbers invalid, and the others, each once. That a device is simulated and where the precision was not
/// reached is said elsewhere.
fn codes(view: &View<'_>) -> (BTreeSet<FlagCode>, BTreeSet<FlagCode>) {
    let elsewhere = [FlagCode::Simulated, FlagCode::NotReached];
    let (mut invalid, mut care) = (BTreeSet::new(), BTreeSet::new());
    for flag in view.findings.all_flags().filter(|flag| !elsewhere.contains(&flag.code)) {
        if flag.invalid {
            invalid.insert(flag.code)
        } else {
            care.insert(flag.code)
        };
    }
    (invalid, care)
}
