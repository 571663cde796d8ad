//! What it comes to, in two sentences: what the storage reached, and how far that can be trusted.
//!
//! Must not leave out what speaks against the numbers.

use super::markup::{Text, number, time};
use crate::flag_scopes::FlagScopes;
use crate::notes;
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::findings::{Extreme, PointFindings};
use rigel_core::flags::FlagCode;

/// The sentences, with a colour beside them for how far the numbers can be trusted.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let invalid = view.findings.points.iter().any(PointFindings::invalid)
        || view.findings.flags.iter().any(|flag| flag.invalid);
    let tone = match (invalid || !view.record.complete(), cautions(view)) {
        (true, _) => " bad",
        (false, 1..) => " care",
        (false, 0) => "",
    };
    page.line(format_args!("<section class=\"verdict{tone}\" aria-label=\"Verdict\">"));
    page.line(format_args!("<p>{}</p>", Text(&reached(view))));
    page.line(format_args!("<p>{}</p>\n</section>", Text(&trust(view))));
}

/// What the storage reached.
fn reached(view: &View<'_>) -> String {
    let found = &view.findings;
    let device = if view.record.header.request.engine.is_simulated() {
        "The simulated device"
    } else {
        "This storage"
    };
    let mut most = Vec::new();
    if let Some(best) = found.max_small_iops {
        most.push(format!("{} small I/Os per second{}", number(best.value), width(best)));
    }
    if let Some(best) = found.max_large_mbps {
        most.push(format!("{} MB per second of large I/O{}", number(best.value), width(best)));
    }
    if most.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    let quickest = found.min_small_latency_us.map_or_else(String::new, |best| {
        format!(", and answered a small I/O in {} on average at best{}", time(best.value), width(best))
    });
    format!("{device} reached {}{quickest}.", most.join(" and "))
}

fn width(best: Extreme) -> String {
    best.interval.map_or_else(String::new, |interval| {
        format!(" (±{} %)", words::percent(interval.relative_half_width))
    })
}

/// How far that can be trusted.
fn trust(view: &View<'_>) -> String {
    let points = &view.findings.points;
    let mut parts = Vec::new();
    if let Some(cut) = notes::cut_short(view) {
        parts.push(cut.trim_end_matches('.').to_owned());
    }
    if !points.is_empty() {
        parts.push(sureness(view));
        parts.push(doubts(view));
    }
    if parts.is_empty() { "There is nothing to judge.".to_owned() } else { format!("{}.", parts.join("; ")) }
}

fn sureness(view: &View<'_>) -> String {
    let points = &view.findings.points;
    match view.findings.target {
        Some(target) => {
            let reached = points.iter().filter(|found| found.reached()).count();
            let share = if reached == points.len() { "all".to_owned() } else { format!("{reached} of") };
            format!(
                "The ±{} % asked for was reached at {share} {}",
                words::plain_percent(target),
                words::counted(points.len(), "point")
            )
        }
        None => format!(
            "Each of {} was visited once, so that ± holds only what varied inside that visit",
            words::counted(points.len(), "point")
        ),
    }
}

/// What speaks against the numbers.
fn doubts(view: &View<'_>) -> String {
    let invalid = view.findings.points.iter().filter(|found| found.invalid()).count();
    match (invalid, cautions(view)) {
        (0, 0) => "no flag speaks against the numbers".to_owned(),
        (0, 1) => "1 flag asks for care".to_owned(),
        (0, flags) => format!("{flags} flags ask for care"),
        (_, flags) => format!(
            "the numbers of {} must not be used, as {} below say{}",
            words::counted(invalid, "point"),
            words::counted(flags, "flag"),
            if flags == 1 { "s" } else { "" }
        ),
    }
}

/// How many flags there are, those that points share counted once. That a device is simulated is told already.
fn cautions(view: &View<'_>) -> usize {
    let found = &view.findings;
    let scopes = FlagScopes::of(&found.points);
    let told = |code: FlagCode| usize::from(code != FlagCode::Simulated);
    let shared: usize = scopes.shared().flat_map(|(_, flags)| flags).map(|flag| told(flag.code)).sum();
    let own: usize =
        found.points.iter().flat_map(|point| scopes.own(point)).map(|flag| told(flag.code)).sum();
    let others = found.flags.iter().chain(found.curves.iter().flat_map(|curve| &curve.flags));
    shared + own + others.map(|flag| told(flag.code)).sum::<usize>()
}
