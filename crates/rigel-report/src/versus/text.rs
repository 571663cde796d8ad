//! Two sides as text for the terminal, 80 columns wide.
//!
//! Must show what the verdict is about and every 99th percentile; a latency that follows from a rate, and a rate that is given, are
//! in the other outputs.

use super::Turned;
use super::words::{self, about_rates};
use crate::compare::{gate_sentence, row_line};
use crate::nodes;
use crate::page::Page;
use crate::text::{
    Ink, Style, cause_lines, files_section, nodes_section, paragraph, suggestion, tone_ink, wrapped,
};
use crate::verdict::{Conclusion, Tone};
use crate::view::View;
use rigel_core::load::matrix::Point;
use rigel_core::load::sides::Side;
use rigel_core::stats::Interval;
use rigel_core::uses::compare::{Metric, Row};

pub(super) fn text(turned: &Turned<'_>, style: Style, files: &[String]) -> String {
    let mut page = Page::default();
    for side in Side::BOTH {
        wrapped(&mut page, &format!("{}  ", side.name()), "   ", &words::side(turned, side));
    }
    page.blank();
    judged(&mut page, turned.view, style, |page| {
        for sentence in words::verdict(turned) {
            page.push(style.painted(Ink::Heading, &paragraph(&sentence)));
        }
        words::tails(turned).iter().for_each(|one| page.push(paragraph(one)));
        gate_sentence(&turned.found.gates).iter().for_each(|one| page.push(paragraph(one)));
    });
    table(&mut page, turned);
    if turned.has_rows() {
        page.blank();
        for (name, told) in words::sureness(turned).rows() {
            wrapped(&mut page, &format!("{name:<14}"), &" ".repeat(14), told);
        }
    }
    nodes_section(&mut page, nodes::rows(turned.view));
    let files = files_section(files);
    if !files.is_empty() {
        page.blank();
        page.push(files);
    }
    style.spelled(page.into_string())
}

/// Whether the numbers of both sides may be used, what is `told` of them, what speaks against them, and the command that comes next: as for
/// every run, what must not be used begins with why.
pub(crate) fn judged(page: &mut Page, view: &View<'_>, style: Style, told: impl FnOnce(&mut Page)) {
    let found = Conclusion::of(view);
    let causes = |page: &mut Page| {
        page.push(cause_lines(&found.causes, style));
        about_rates(&found).iter().for_each(|one| wrapped(page, "", "", one));
    };
    page.push(style.painted(tone_ink(found.look), &paragraph(&found.head)));
    if found.tone == Tone::DoNotUse {
        causes(page);
        page.blank();
        told(page);
    } else {
        told(page);
        causes(page);
    }
    found.to_know().for_each(|one| wrapped(page, "", "", one));
    found.next.iter().filter(|_| found.tone != Tone::Good).for_each(|next| page.push(suggestion(next)));
}

fn table(page: &mut Page, turned: &Turned<'_>) {
    let found = turned.found;
    if !turned.has_rows() {
        return;
    }
    page.blank();
    let of_pair = |row: &Row| row.point.is_some_and(Point::is_of_pair);
    let load = if found.comparison.rows.iter().all(of_pair) { "Small Large" } else { "Load" };
    page.line(format_args!(
        "{load:>11}{:>10}{:>6}{:>10}{:>6}{:>8} {:>16} Effect",
        "A", "±%", "B", "±%", "B to A", "from .. to %"
    ));
    let rows: Vec<(&Row, Option<Interval>)> =
        found.comparison.rows.iter().zip(found.ratios.iter().copied()).collect();
    let shown = |metric: &&Metric| found.leading.contains(metric) || metric.is_p99();
    for &metric in found.metrics.iter().filter(shown) {
        let own: Vec<_> = rows.iter().filter(|(row, _)| row.metric == metric).collect();
        if !own.is_empty() {
            page.line(format_args!("{} ({})", metric.name(), metric.unit()));
        }
        for (row, ratio) in own {
            let change = ratio.map(|ratio| [ratio.mean, ratio.lo95, ratio.hi95].map(|one| one - 1.0));
            row_line(page, row, change);
        }
    }
}
