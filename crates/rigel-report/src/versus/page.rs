//! Two sides as one HTML page: the verdict, the gates, how sure it is of what, both sides overlaid, every ratio, the run.
//!
//! In the same shell, with the same charts and the same script as a comparison of runs. Must not leave out a row.

use super::words::{self, about_rates};
use super::{Turned, reason};
use crate::compare::gate_sentence;
use crate::compare::page::{Figures, changes, curves, gate_table, look, numbers};
use crate::html::assets;
use crate::html::markup::{Text, list};
use crate::html::shell::Shell;
use crate::html::verdict::{cause_list, next_line, tone_class};
use crate::html::{nodes, sure};
use crate::json::compact;
use crate::nodes::all_rows;
use crate::page::Page;
use crate::verdict::{Conclusion, Tone};
use rigel_core::error::Problem;
use rigel_core::load::sides::Side;
use rigel_core::record::Header;
use rigel_core::uses::compare::{Effect, Row};
use rigel_core::uses::versus::Overall;

pub(super) fn page(turned: &Turned<'_>) -> Result<Vec<u8>, Problem> {
    let header = &turned.view.record.header;
    let sides = Side::BOTH.map(|side| format!("{}: {}", side.name(), words::side(turned, side)));
    let axis = |class| words::load(turned, class).map_or_else(String::new, |load| load.axis());
    let figures = Figures::of(&turned.found.comparison, sides.clone(), axis).led_by(&turned.found.leading);
    let title = "A and B in turns";
    let shell = Shell {
        title,
        heading: format!(
            "<h1>{title}</h1><p class=\"when\">{}<br>{}<br>{}</p>",
            Text(&sides[0]),
            Text(&sides[1]),
            Text(&header.started)
        ),
        made_from: "the record of the run",
        script: &assets::COMPARE,
        figures: &[("comparison".to_owned(), compact(&figures)?)],
    };
    Ok(shell.page(|page| {
        verdict(page, turned);
        gate_table(page, &turned.found.gates, |judged| reason(turned, judged));
        curves(page, &figures);
        changes(page, &figures, "B");
        numbers(page, &turned.found.comparison, ["A", "B"], |row| ratio(turned, row));
        sure(page, "sure", &words::sureness(turned));
        nodes::section(page, all_rows(turned.view));
        run(page, header, &Side::BOTH.map(|side| (side.name(), words::side(turned, side))));
    }))
}

/// The ratio of a row less 1, with the interval of this row alone.
fn ratio(turned: &Turned<'_>, row: &Row) -> Option<[f64; 3]> {
    let rows = turned.found.comparison.rows.iter().zip(&turned.found.ratios);
    let (_, ratio) = rows.into_iter().find(|(one, _)| std::ptr::eq(*one, row))?;
    ratio.map(|ratio| [ratio.mean, ratio.lo95, ratio.hi95].map(|end| end - 1.0))
}

fn verdict(page: &mut Page, turned: &Turned<'_>) {
    let found = Conclusion::of(turned.view);
    let led = |one: &&Overall| turned.found.leading.contains(&one.metric);
    let is_doubtful = turned.found.overall.iter().any(|one| one.effect == Effect::Worse)
        || turned.found.overall.iter().filter(led).all(|one| matches!(one.effect, Effect::Undecided(_)));
    let tone = look(found.tone, &turned.found.gates, is_doubtful);
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    judged(page, &found, |page| {
        for sentence in words::verdict(turned) {
            page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&sentence)));
        }
        for sentence in words::tails(turned).into_iter().chain(gate_sentence(&turned.found.gates)) {
            page.line(format_args!("<p>{}</p>", Text(&sentence)));
        }
    });
    page.line("</section>");
}

/// Whether the numbers of both sides may be used, what is `told` of them, what speaks against them, and the command that comes next.
pub(crate) fn judged(page: &mut Page, found: &Conclusion, told: impl FnOnce(&mut Page)) {
    let causes = |page: &mut Page| {
        cause_list(page, &found.causes);
        about_rates(found).iter().for_each(|one| page.line(format_args!("<p>{}</p>", Text(one))));
    };
    page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&found.head)));
    if found.tone == Tone::DoNotUse {
        causes(page);
        told(page);
    } else {
        told(page);
        causes(page);
    }
    found.to_know().for_each(|one| page.line(format_args!("<p>{}</p>", Text(one))));
    found.next.iter().filter(|_| found.tone != Tone::Good).for_each(|next| page.line(next_line(next)));
}

/// How it was asked for, and between that what was measured.
pub(crate) fn run(page: &mut Page, header: &Header, measured: &[(&str, String)]) {
    let begun = [
        ("Run", header.run_id.clone()),
        ("Label", header.request.label.clone().unwrap_or_default()),
        ("Started", header.started.clone()),
    ];
    let asked =
        [("Command line", header.request.command_line.clone()), ("Seed", header.request.seed.to_string())];
    page.line("<section id=\"evidence\">\n<h2>Run</h2>");
    list(page, &[&begun, measured, &asked].concat());
    page.line("</section>");
}
