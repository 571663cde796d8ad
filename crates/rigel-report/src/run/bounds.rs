//! The rate within latency limits: its cards, and the curve of each bound.
//!
//! Must not choose a figure.

use crate::document::{Block, Card, Chart};
use crate::html::ids::Ids;
use crate::slo::{ScaleRounding, requirement, scale_digits, seen, why, word};
use rigel_core::judge::findings::{RequiredRate, SloAnswer, SloFindings, SloPoint, SloRole};
use rigel_core::load::slo::SloBound;
use rigel_core::units::say::{number, time};

/// The rate, the results of the required ones, and the latency at shares of it.
pub(super) fn cards(found: &SloFindings) -> Vec<Card> {
    let shares = found.points.iter().filter_map(|point| share(found, point));
    found.required.iter().map(|one| required(found, one)).chain(rate(found)).chain(shares).collect()
}

fn card(title: String, value: impl Into<String>, unit: &str, about: impl Into<String>) -> Card {
    let about = Some(about.into()).filter(|about| !about.is_empty());
    Card {
        title,
        value: value.into(),
        unit: unit.to_owned(),
        about: about.into_iter().collect(),
        flags: Vec::new(),
    }
}

fn required(found: &SloFindings, one: &RequiredRate) -> Card {
    let seen = one.ratio.map(|ratio| seen(&one.requirement.bound, &ratio));
    let about = seen.into_iter().chain(why(one)).collect::<Vec<_>>().join(". ");
    card(format!("Required {}", requirement(found.scale.as_ref(), &one.requirement)), word(one), "", about)
}

fn rate(found: &SloFindings) -> Option<Card> {
    let bounds: Vec<String> = found.bounds.iter().map(ToString::to_string).collect();
    let what = if found.scale.is_some() { "Largest load" } else { "Highest rate" };
    let title = format!("{what} with {}", crate::words::listed(&bounds));
    let unit = if found.scale.is_some() { "times the load" } else { "I/Os per second" };
    let told = |rate: f64, to: ScaleRounding| match (&found.scale, to) {
        (Some(scale), to) => scale_digits(scale.of(rate), to),
        (None, ScaleRounding::Nearest) => number(rate.round()),
        (None, ScaleRounding::Down) => number(rate.floor()),
        (None, ScaleRounding::Up) => number(rate.ceil()),
    };
    Some(match &found.answer {
        SloAnswer::Rate(rate) => {
            let end =
                |end: Option<f64>, to: ScaleRounding| end.map_or_else(|| "?".to_owned(), |end| told(end, to));
            let about = format!(
                "{} to {} (95 %)",
                end(rate.lower, ScaleRounding::Down),
                end(rate.upper, ScaleRounding::Up)
            );
            card(title, end(rate.at, ScaleRounding::Nearest), unit, about)
        }
        SloAnswer::Nowhere(lowest, _) => {
            let about = format!("not even {} {unit}", told(f64::from(*lowest), ScaleRounding::Nearest));
            card(title, "none", "", about)
        }
        SloAnswer::Everywhere(most, _) => {
            let value = format!("≥ {}", told(f64::from(*most), ScaleRounding::Nearest));
            card(title, value, unit, "the highest tried")
        }
        SloAnswer::Unfinished => card(title, "unknown", "", "the run ended before"),
        SloAnswer::NotSearched => return None,
    })
}

/// The latency at a share of the rate, for the limit that is reached first.
fn share(found: &SloFindings, point: &SloPoint) -> Option<Card> {
    // The search aims at shares of what it found; the visits after it may find another rate.
    let (SloRole::Share(_), Some(share)) = (point.role, found.share(point)) else { return None };
    let share = number((100.0 * share).round());
    let place = found.rate().and_then(|rate| rate.decided_by).unwrap_or(0);
    let judged = found.bounds.get(place).zip(point.judged_us.get(place).copied().flatten());
    let (bound, us) = judged?;
    let mean =
        point.latency_us.as_ref().map_or_else(String::new, |us| format!(", mean {}", time(us.mean.value)));
    let mean = if bound.judged.allowed().is_some() { mean } else { String::new() };
    let at = match &found.scale {
        Some(scale) => {
            format!(
                "{} times the load",
                scale_digits(scale.of(f64::from(point.rate)), ScaleRounding::Nearest)
            )
        }
        None => format!("{} I/Os per second", number(f64::from(point.rate))),
    };
    let phase = point.phase.map_or_else(String::new, |phase| format!(", phase {}", phase.saturating_add(1)));
    let title = format!("{} at {share} % of it{phase}", bound.judged);
    Some(card(title, time(us.value), "", format!("at {at}{mean}")))
}

/// The curve of each bound, drawn by the script of the page.
pub(super) fn curves(found: &SloFindings, ids: &Ids) -> Block {
    let (what, most) =
        if found.scale.is_some() { ("scale", "largest scale") } else { ("rate", "highest rate") };
    let over = if found.scale.is_some() { "times the load" } else { "the I/Os that arrive per second" };
    // A rate or two are no curve.
    let is_curve = !found.points.is_empty() && found.answer != SloAnswer::NotSearched;
    let bounds = found.bounds.iter().enumerate().filter(|_| is_curve);
    let chart = |(place, bound): (usize, &SloBound)| {
        let about = format!("over {over}; {}", bound.meaning());
        Chart::new(ids.of(&format!("slo-{place}")), bound.judged.to_string(), about)
    };
    let about = format!(
        "Each mark is a {what} that was visited, with its 95 % interval. The dashed line is the limit; the vertical band holds the {most} \
         that meets it."
    );
    let charts: Vec<Chart> = bounds.map(chart).collect();
    if charts.is_empty() {
        return Block::part(Vec::new());
    }
    Block::drawn(format!("Latency over the {what}"), &[&about], charts).named(ids.of("slo"))
}
