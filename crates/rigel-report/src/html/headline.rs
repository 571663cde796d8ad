//! The headline numbers: the extremes over all points with their intervals, and what a search found.
//!
//! Must not show a number without what speaks against it.

use super::markup::{Text, flag};
use crate::headline::{self, Headline};
use crate::numbers::number;
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::CurveFindings;

/// A card for each; nothing when nothing was measured.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let found = &view.findings;
    page.line("<section class=\"cards\" aria-label=\"Headline numbers\">");
    headline::all(view, &found.best, found.answers.as_ref()).iter().for_each(|one| card(page, view, one));
    found.curves.iter().for_each(|curve| searched(page, curve));
    page.line("</section>");
}

fn card(page: &mut Page, view: &View<'_>, one: &Headline) {
    let (title, unit, write) = (&one.name, Text(one.unit.name()), |value| one.unit.write(value));
    let best = match &one.found {
        Ok(best) => best,
        Err(reason) => {
            page.line(format_args!(
                "<div class=\"card\"><h3>{title}</h3><div class=\"value\">none</div><div>{}</div></div>",
                Text(reason)
            ));
            return;
        }
    };
    page.line(format_args!(
        "<div class=\"card\"><h3>{title}</h3><div class=\"value\">{} <span class=\"unit\">{unit}</span></div>",
        write(best.estimate.value)
    ));
    match best.estimate.interval {
        Some(interval) => page.line(format_args!(
            "<div>±{} %: {} to {} <span class=\"unit\">(95 %, {})</span></div>",
            words::percent(interval.relative_half_width),
            write(interval.lo95),
            write(interval.hi95),
            words::counted(interval.visits, "visit")
        )),
        None => page.line("<div>without an interval</div>"),
    }
    let place = headline::place(view, one, *best, ", ");
    page.push(format_args!("<div class=\"unit\">at {place}</div>"));
    let flags = view.at(best.point).into_iter().flat_map(|found| &found.flags);
    let flags: String = flags.map(flag).collect();
    page.line(format_args!("{flags}</div>"));
}

/// What saturates a class.
fn searched(page: &mut Page, found: &CurveFindings) {
    let curve = &found.curve;
    let least = if curve.saturated { "" } else { "at least " };
    let unit = Text(found.load.unit());
    let flags: String = found.flags.iter().map(flag).collect();
    page.line(format_args!(
        "<div class=\"card\"><h3>Saturation of {}</h3><div class=\"value\">{least}{} <span class=\"unit\">outstanding\
         </span></div><div>{} to {} <span class=\"unit\">as far as the noise tells</span></div><div class=\"unit\">{least}{} \
         {unit} ±{} %; the most rate for its latency at {}</div>{flags}</div>",
        found.load.noun(),
        curve.n_sat.found,
        curve.n_sat.lo,
        curve.n_sat.hi,
        number(found.rate(curve.x_max).value),
        words::percent(curve.x_max.relative_half_width),
        curve.power_knee
    ));
}
