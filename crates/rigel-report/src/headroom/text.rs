//! Dates and headroom as text for the terminal: the answers, a table of limits, how it is known. 80 columns wide.
//!
//! Must not leave out a limit.

use super::{Told, words};
use crate::numbers::percent;
use crate::page::Page;
use crate::text::{Ink, Style, wrapped};
use rigel_core::path_text::printable;
use rigel_core::uses::capacity::day;
use rigel_core::uses::capacity::headroom::{Ends, Resource, Storage};

/// For the terminal.
pub fn text(told: &Told<'_>, style: Style) -> String {
    let mut page = Page::default();
    for sentence in words::told(told) {
        wrapped(&mut page, "- ", "  ", &sentence);
    }
    if let Some((at, outcome)) = told.gate {
        wrapped(
            &mut page,
            "- ",
            "  ",
            &format!("--fail-before {}: {}", day::shown(at), words::gate(outcome)),
        );
    }
    let has_rows = |storage: &&Storage| !storage.ends.is_empty() || !storage.surface.unknown.is_empty();
    for storage in told.storages.iter().filter(has_rows) {
        page.blank();
        let name = printable(&storage.name);
        wrapped(&mut page, "", "  ", &name);
        let heading =
            format!("{:<11}{:>14}{:>8}  {:<14}{:<14}{}\n", "", "limit", "now", "until", "earliest", "latest");
        page.push(style.painted(Ink::Heading, &heading));
        for (resource, _) in &storage.surface.unknown {
            page.line(format_args!("{:<11}{:>14}{:>8}  not known", resource.word(), "not known", "-"));
        }
        storage.ends.iter().for_each(|ends| page.line(row(ends).trim_end()));
    }
    page.blank();
    wrapped(&mut page, "", "  ", &words::history(told));
    told.courses.iter().filter_map(words::about).for_each(|line| wrapped(&mut page, "", "  ", &line));
    if let Some(busiest) =
        told.courses.iter().find(|one| one.resource == Resource::Iops).and_then(words::busiest)
    {
        wrapped(&mut page, "", "  ", &busiest);
    }
    let notes = words::notes(told);
    if !notes.is_empty() {
        page.blank();
        notes.iter().for_each(|note| wrapped(&mut page, "note: ", "  ", note));
    }
    page.into_string()
}

fn row(ends: &Ends) -> String {
    let used = ends.used().map_or_else(|| "-".to_owned(), |used| format!("{} %", percent(used)));
    format!(
        "{:<11}{:>14}{used:>8}  {:<14}{:<14}{:<14}",
        ends.limit.resource.word(),
        words::amount(ends.limit.resource, ends.limit.value),
        ends.likely.shown(),
        ends.earliest.shown(),
        ends.latest.shown()
    )
}
