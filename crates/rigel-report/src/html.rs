//! The report that people read: one HTML page that needs no network and no other file.
//!
//! Verdict, headline numbers and tables stand in the page itself; the charts are drawn by its script from the
//! figures that lie beside it ([`data`]). All text of a record passes [`markup::Text`], its figures for the script
//! lie in a block of JSON that no browser runs, and the page's policy lets nothing run or load but what it carries.
//! Must not judge anything anew.

pub(crate) mod assets;
mod charts;
mod data;
mod evidence;
mod flags;
mod headline;
mod ids;
pub(crate) mod markup;
pub(crate) mod nodes;
mod open;
mod overview;
mod results;
mod several;
pub(crate) mod shell;
mod slo;
pub(crate) mod verdict;

use crate::label;
use crate::nodes::all_rows;
use crate::page::Page;
use crate::sure::Sure;
use crate::view::View;
use crate::words;
use ids::Ids;
use markup::{Text, list};
use rigel_core::error::Problem;
use shell::Shell;

pub(crate) use several::page as page_of_several;

/// The page.
pub(crate) fn page(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let shell = Shell {
        title: &label::title(view),
        heading: heading(view),
        made_from: "the record of the run",
        script: &assets::REPORT,
        figures: &[("findings".to_owned(), data::json(view)?)],
    };
    Ok(shell.page(|page| sections(page, view, &Ids::alone())))
}

/// All sections about a run.
fn sections(page: &mut Page, view: &View<'_>, ids: &Ids) {
    verdict::section(page, view);
    match &view.findings.slo {
        Some(found) => {
            slo::cards(page, found);
            slo::curves(page, found, ids);
            slo::rates(page, found);
        }
        None => headline::section(page, view),
    }
    flags::section(page, view);
    about(page, view);
    charts::section(page, view, ids);
    results::section(page, view, ids);
    sure(page, &ids.of("sure"), &Sure::of_run(view));
    open::section(page, view);
    nodes::section(page, all_rows(view));
    evidence::section(page, view, ids);
}

/// Label or name, targets, time and program.
fn heading(view: &View<'_>) -> String {
    let header = &view.record.header;
    let run = match header.request.label {
        Some(_) => format!("{} &middot; ", Text(&header.run_id)),
        None => String::new(),
    };
    format!(
        "<h1>{}</h1><p class=\"when\">{run}{} &middot; {} &middot; Rigel {}</p>",
        Text(&label::title(view)),
        Text(&label::targets(view)),
        Text(&header.started),
        Text(&header.program_version)
    )
}

/// What the numbers and their intervals are about.
fn about(page: &mut Page, view: &View<'_>) {
    page.line(format_args!(
        "<p class=\"about estimand\">Every number is {}. {}",
        words::ESTIMAND,
        interval(view)
    ));
    if let Some(share) = view.findings.unseen_share {
        page.line(Text(&words::unseen(share)));
    }
    page.line("</p>");
}

/// How sure one can be, of what.
pub(crate) fn sure(page: &mut Page, id: &str, found: &Sure) {
    page.line(format_args!("<section id=\"{id}\">\n<h2>How sure, of what</h2>"));
    let rows = found.rows().map(|(name, told)| (name, told.to_owned()));
    list(page, &rows);
    page.line("</section>");
}

fn interval(view: &View<'_>) -> String {
    if view.is_adaptive() {
        format!(
            "± is half the width of {}: another day or another neighbour is another condition, and what it would give is not \
             known from one run.",
            words::INTERVAL
        )
    } else {
        format!("± shows {}.", words::ONE_VISIT)
    }
}
