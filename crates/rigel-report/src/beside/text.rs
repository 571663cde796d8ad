//! Raw I/O beside SQL as text for the terminal, 80 columns wide.
//!
//! Must show every load.

use super::{Both, words};
use crate::numbers::{number, percent};
use crate::page::Page;
use crate::text::{Ink, Style, files_section, paragraph, wrapped};
use crate::versus;
use rigel_core::stats::Estimate;
use rigel_core::uses::beside::{BesideLoad, Limit};

pub(super) fn text(both: &Both<'_>, style: Style, files: &[String]) -> String {
    let mut page = Page::default();
    for (name, way) in ["Raw", "SQL"].into_iter().zip(words::ways(both)) {
        wrapped(&mut page, &format!("{name}  "), "     ", &way);
    }
    page.blank();
    versus::judged(&mut page, both.view, style, |page| {
        page.push(style.painted(Ink::Heading, &paragraph(&words::verdict(both))));
        words::evidence(both).iter().for_each(|one| page.push(paragraph(one)));
    });
    let [of_raw, of_sql] = words::units(both).map(|unit| unit.trim_end_matches("/s"));
    page.blank();
    page.line(format_args!("{:>8}{:>14}{:>14}{:>16}{:>12}", "", "Raw", "SQL", "SQL of raw", "CPU us each"));
    page.line(format_args!(
        "{:>8}{:>9}{:>5}{:>9}{:>5}{:>5}{:>11}{:>6}{:>6}{:>6}  Limit",
        "Sessions", of_raw, "±%", of_sql, "±%", "%", "from .. to", "raw", "SQL", "idle%"
    ));
    both.found.loads.iter().for_each(|load| row(&mut page, load));
    page.blank();
    wrapped(&mut page, "", "", words::SURE);
    wrapped(&mut page, "", "", words::CPU);
    let files = files_section(files);
    if !files.is_empty() {
        page.blank();
        page.push(files);
    }
    style.spelled(page.into_string())
}

fn row(page: &mut Page, load: &BesideLoad) {
    let none = || "-".to_owned();
    let width = |found: &Estimate| found.interval.map_or_else(none, |one| percent(one.relative_half_width));
    let cost = |us: Option<f64>| us.map_or_else(none, |us| format!("{us:.1}"));
    let (mean, ends) = load.efficiency.map_or_else(
        || (none(), none()),
        |ratio| (percent(ratio.mean), format!("{} .. {}", percent(ratio.lo95), percent(ratio.hi95))),
    );
    page.line(format_args!(
        "{:>8}{:>9}{:>5}{:>9}{:>5}{mean:>5}{ends:>11}{:>6}{:>6}{:>6}  {}",
        load.sessions,
        number(load.raw.per_s.value),
        width(&load.raw.per_s),
        number(load.sql.per_s.value),
        width(&load.sql.per_s),
        cost(load.raw.cpu_us),
        cost(load.sql.cpu_us),
        load.sql.idle.map_or_else(none, percent),
        if load.invalid { "invalid" } else { load.limit.map_or("-", Limit::name) }
    ));
}
