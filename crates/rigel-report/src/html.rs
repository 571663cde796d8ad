//! The report that people read: one HTML page that needs no network and no other file.
//!
//! Verdict, headline numbers and tables stand in the page itself; the charts are drawn by its script from the embedded figures ([`data`]). All
//! text of a record passes [`markup::Text`], its figures for the script
//! lie in a block of JSON that no browser runs, and the page's policy lets nothing run or load but what it carries. Must not judge anything again.

pub(crate) mod assets;
pub(crate) mod data;
pub(crate) mod ids;
pub(crate) mod markup;
mod several;
pub(crate) mod shell;
pub(crate) mod verdict;

use crate::document::html::Frame;
use crate::label;
use crate::run;
use crate::view::View;
use ids::Ids;
use rigel_core::error::Problem;

pub(crate) use several::page as page_of_several;

/// The contents of the tables on the page of a run.
const TABLES: &str = "the tables below hold every number";

/// The page.
pub(crate) fn page(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let frame = Frame {
        title: label::question(view),
        when: vec![label::measured(view)],
        made_from: "the record of the run",
        script: &assets::REPORT,
        figures: ("findings", data::json(view)?),
        tables: TABLES,
    };
    Ok(frame.page(&run::page(view, &Ids::alone())))
}
