//! The report that people read: one HTML page that needs no network and no other file.
//!
//! Verdict, headline numbers and tables stand in the page itself; the charts are drawn by its script from the figures that
//! lie beside it ([`data`]). All text of a record passes [`markup::Text`], its figures for the script lie in a block of JSON that
//! no browser runs, and the page's policy lets nothing run or load but what it carries. Must not judge anything anew.

mod assets;
mod charts;
mod data;
mod evidence;
mod headline;
mod markup;
mod results;
mod verdict;

use crate::page::Page;
use crate::view::View;
use crate::words;
use markup::Text;
use rigel_core::error::Problem;

/// Room for the library, the script and a few tables.
const USUAL_BYTES: usize = 1 << 19;

/// The page.
pub(crate) fn page(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let figures = data::json(view)?;
    let mut page = Page::with_capacity(USUAL_BYTES + figures.len());
    head(&mut page, view);
    page.line("<body>");
    heading(&mut page, view);
    verdict::section(&mut page, view);
    headline::section(&mut page, view);
    about(&mut page, view);
    charts::section(&mut page, view);
    results::section(&mut page, view);
    evidence::section(&mut page, view);
    page.line(format_args!(
        "<footer>Made by Rigel from the record of the run; 1 MB is 2<sup>20</sup> bytes. Charts: Apache ECharts {}, \
         Copyright The Apache Software Foundation, Apache License 2.0.</footer>",
        assets::LIBRARY_VERSION
    ));
    page.line("<div id=\"spoken\" class=\"spoken\" aria-live=\"polite\"></div>");
    page.line(format_args!("<script type=\"application/json\" id=\"findings\">{figures}</script>"));
    page.line(format_args!("<script type=\"text/plain\" id=\"library\">{}</script>", assets::LIBRARY));
    page.line(format_args!("<script>{}</script>", assets::SCRIPT));
    page.line("</body>\n</html>");
    Ok(page.into_string().into_bytes())
}

fn head(page: &mut Page, view: &View<'_>) {
    page.line("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    page.line(format_args!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
        assets::content_security_policy()
    ));
    page.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.line(format_args!("<title>{} - Rigel</title>", Text(&view.record.header.run_id)));
    page.line(format_args!("<style>{}</style>\n</head>", assets::STYLE));
}

fn heading(page: &mut Page, view: &View<'_>) {
    let header = &view.record.header;
    let targets: Vec<String> =
        header.targets.iter().take(4).map(|target| Text(&target.path).to_string()).collect();
    let more = match header.targets.len().saturating_sub(targets.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    page.line(format_args!(
        "<header><div><h1>{}</h1><p class=\"when\">{}{more} &middot; {} &middot; Rigel {}</p></div>\
         <button type=\"button\" id=\"theme\" hidden>Colours: auto</button></header>\n<main>",
        Text(&header.run_id),
        targets.join(", "),
        Text(&header.started),
        Text(&header.program_version)
    ));
}

/// What the numbers and their intervals are about.
fn about(page: &mut Page, view: &View<'_>) {
    page.line(format_args!("<p class=\"about\">Every number is {}. {}", words::ESTIMAND, interval(view)));
    if let Some(share) = view.findings.unseen_share {
        page.line(Text(&words::unseen(share)));
    }
    page.line("</p>");
}

fn interval(view: &View<'_>) -> String {
    if view.is_adaptive() {
        format!(
            "± is half the width of {}: another run under the same conditions would mostly fall in it; another day or \
             another neighbour is another condition.",
            words::INTERVAL
        )
    } else {
        format!("± shows {}.", words::ONE_VISIT)
    }
}
