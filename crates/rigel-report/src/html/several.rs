//! One page about several runs: an overview, then for each run the sections of its own page.
//!
//! Everything is on the page, one after the other; its script shows one part at a time, selected by the address after the `#`. Must not show a run
//! differently from its own page.

use super::data::overview::Overlays;
use super::ids::Ids;
use super::markup::Text;
use super::shell::Shell;
use super::{TABLES, assets, data};
use crate::document::html::{heading as heading_of, write_document};
use crate::label;
use crate::page::Page;
use crate::run;
use crate::view::View;
use crate::words;
use rigel_core::error::Problem;

/// The page.
pub(crate) fn page(views: &[View<'_>]) -> Result<Vec<u8>, Problem> {
    let overlays = Overlays::of(views);
    let mut figures = vec![("overview-findings".to_owned(), overlays.json()?)];
    for (ids, view) in numbered(views) {
        figures.push((ids.of("findings"), data::json(view)?));
    }
    let title = words::counted(views.len(), "run");
    let shell = Shell {
        title: &title,
        heading: heading(&overlays.runs, &title),
        made_from: "the records of the runs",
        script: Some(&assets::REPORT),
        figures: &figures,
    };
    Ok(shell.page(|page| {
        page.line("<div class=\"leaf\" id=\"overview\">\n<h1>Overview</h1>");
        write_document(page, &run::overview(views, &overlays), TABLES);
        page.line("</div>");
        for (number, (ids, view)) in (1_usize..).zip(numbered(views)) {
            page.line(format_args!("<div class=\"leaf\" id=\"r{number}\">"));
            page.line(heading_of(&label::question(view), &[label::measured(view)]));
            write_document(page, &run::page(view, &ids), TABLES);
            page.line("</div>");
        }
    }))
}

fn numbered<'a, 'v>(views: &'a [View<'v>]) -> impl Iterator<Item = (Ids, &'a View<'v>)> {
    (1..).map(Ids::of_run).zip(views)
}

/// How the runs are called, some of which may have the same name: `2 · old-san`.
pub(crate) fn labels(views: &[View<'_>]) -> Vec<String> {
    let names = label::names(&views.iter().collect::<Vec<_>>());
    (1..).zip(names).map(|(number, name): (usize, String)| format!("{number} · {name}")).collect()
}

/// The links to all parts.
fn heading(labels: &[String], title: &str) -> String {
    let mut heading = Page::default();
    heading.line(format_args!("<p class=\"brand\">Rigel: {title}</p>"));
    heading.push("<nav aria-label=\"Pages\"><a href=\"#overview\">Overview</a>");
    for (number, label) in (1_usize..).zip(labels) {
        let label = Text(label);
        heading.push(format_args!(" <a href=\"#r{number}\" title=\"{label}\">{label}</a>"));
    }
    heading.push("</nav>");
    heading.into_string()
}
