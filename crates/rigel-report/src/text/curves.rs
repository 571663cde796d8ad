//! The result of the search for load levels, a line per class.
//!
//! Must not judge them; [`rigel_core::stats::levels_auto`] did.

use super::wrap::wrapped;
use crate::notes::flag_text;
use crate::numbers::time;
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::CurveFindings;
use rigel_core::path_text::printable;
use rigel_core::stats::Interval;

/// The table of curves under an empty line; nothing when there was no search.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let curves = &view.findings.curves;
    if curves.is_empty() {
        return;
    }
    page.blank();
    page.line(format_args!(
        "{:<6}{:>18}{:>5}{:>9}{:>12}{:>11}{:>7}{:>8}",
        "Search", "X_max", "±%", "N_sat", "lo..hi", "Crossing", "Knee", "Visits"
    ));
    for found in curves {
        line(page, found);
    }
    page.blank();
    wrapped(
        page,
        "",
        "",
        "X_max: the highest rate of the class alone, in the visits of the search; the table above is from visits of its own, \
         and is the answer. N_sat: the fewest outstanding I/Os that reach 95 % of it, lo..hi \
         as far as the noise tells. Crossing: X_max times the latency of one outstanding I/O. Knee: the most rate per \
         latency.",
    );
    if curves.iter().any(|found| !found.curve.saturated) {
        page.line(">  at least: the search ended before the rate did.");
    }
}

fn line(page: &mut Page, found: &CurveFindings) {
    let curve = &found.curve;
    let least = if curve.saturated { "" } else { ">" };
    let most = found.rate(curve.x_max);
    let max = format!("{least}{:.*} {}", found.load.decimals(), most.value, printable(found.load.unit()));
    page.line(format_args!(
        "{:<6}{max:>18}{:>5}{:>9}{:>12}{:>11.1}{:>7}{:>8}",
        found.class(),
        words::percent(curve.x_max.relative_half_width),
        format!("{least}{}", curve.n_sat.found),
        format!("{}..{}", curve.n_sat.lo, curve.n_sat.hi),
        curve.crossing,
        curve.power_knee,
        found.visits.len()
    ));
    wrapped(page, "      ", "        ", &levels(found));
    for flag in &found.flags {
        wrapped(page, "      ", "        ", &flag_text(flag));
    }
}

/// The levels that were tried, `1: 14081 at 71.0 us, 8: 55065 at 145 us`. In a closed loop the latency is what is outstanding
/// over the rate (Little's law).
fn levels(found: &CurveFindings) -> String {
    let one = |&(level, iops): &(u32, Interval)| {
        let outstanding = f64::from(found.load.pattern.outstanding(level));
        let rate = format!("{:.*}", found.load.decimals(), found.rate(iops).value);
        match iops.mean {
            mean if mean > 0.0 => format!("{level}: {rate} at {}", time(1e6 * outstanding / mean)),
            _ => format!("{level}: {rate}"),
        }
    };
    found.curve.levels.iter().map(one).collect::<Vec<_>>().join(", ")
}
