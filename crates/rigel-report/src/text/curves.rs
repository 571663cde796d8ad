//! The result of the search for load levels, a line per class.
//!
//! Must not judge them; [`rigel_core::stats::levels_auto`] did.

use crate::document::{Block, Column, Paragraph, Table};
use crate::notes::flag_text;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::CurveFindings;
use rigel_core::path_text::printable;
use rigel_core::stats::Interval;
use rigel_core::units::say::time;

/// The table of curves; empty without a search.
pub(crate) fn blocks(view: &View<'_>) -> Vec<Block> {
    let curves = &view.findings.curves;
    if curves.is_empty() {
        return Vec::new();
    }
    let least = |found: &CurveFindings| if found.curve.saturated { "" } else { ">" };
    let most = |found: &CurveFindings| {
        let (value, unit) = (found.rate(found.curve.x_max).value, printable(found.load.unit()));
        format!("{}{value:.*} {unit}", least(found), found.load.decimals())
    };
    let right = |head: &str, width| Column::right(head).width(width);
    let table = Table::of("search", curves)
        .column(Column::left("Search").width(6), |found| found.class().to_string())
        .column(right("X_max", 17), most)
        .column(right("±%", 4), |found| words::percent(found.curve.x_max.relative_half_width))
        .column(right("N_sat", 8), |found| format!("{}{}", least(found), found.curve.n_sat.found))
        .column(right("lo..hi", 11), |found| format!("{}..{}", found.curve.n_sat.lo, found.curve.n_sat.hi))
        .column(right("Crossing", 10), |found| format!("{:.1}", found.curve.crossing))
        .column(right("Knee", 6), |found| found.curve.power_knee.to_string())
        .column(right("Visits", 7), |found| found.visits.len())
        .below(|found| {
            let lines = std::iter::once(levels(found)).chain(found.flags.iter().map(flag_text));
            lines.map(|line| Paragraph::labelled("      ", 8, line).into()).collect()
        })
        .done();
    let meaning = "X_max: the highest rate of the class alone, in the visits of the search; the table above \
        comes from separate visits, and is the answer. N_sat: the fewest outstanding I/Os that reach 95 % \
        of it, lo..hi \
         within the noise. Crossing: X_max times the latency of one outstanding I/O. Knee: the best ratio \
         of rate to latency.";
    let is_open = curves.iter().any(|found| !found.curve.saturated);
    let open =
        is_open.then(|| Block::whole(">  ", "at least: the search ended while the rate was still rising."));
    let meaning = std::iter::once(Block::paragraph(meaning)).chain(open).collect();
    vec![Block::part(vec![table]), Block::part(meaning)]
}

/// The levels that were tried, `1: 14081 at 71.0 us, 8: 55065 at 145 us`. In a closed loop the latency is the number outstanding
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
