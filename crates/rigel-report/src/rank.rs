//! Rankings of storages: terminal, Markdown, JSON and a page.
//!
//! Turns a ranking with its offers and requirements into bytes. Must not judge again, and must not choose an exit code.

mod blocks;
mod conditions;
mod json;
mod offers;
mod sentences;
mod words;

pub use json::{SCHEMA, schema};

use crate::compare::SourceView;
use crate::document::{Document as _, Room};
use crate::output_file::OutputFile;
use crate::text::Style;
use rigel_core::error::Problem;
use rigel_core::judge::answers::{MAX_IOPS, MAX_MBPS, UNBOUNDED_IOPS};
use rigel_core::judge::quantity::{Quantity, Unit};
use rigel_core::stats::Estimate;
use rigel_uses::compare::gate::Gate;
use rigel_uses::rank::offers::Offers;
use rigel_uses::rank::{Contenders, Purchase, RankRow, Ranking};

/// A storage with its runs.
pub struct StorageView<'a> {
    /// Its name, printable.
    pub name: String,
    /// Its runs.
    pub runs: Vec<SourceView<'a>>,
}

/// A ranking with everything that is shown about it.
pub struct RankView<'a> {
    /// The storages, in the order in which they were given.
    pub storages: &'a [StorageView<'a>],
    /// Their numbers.
    pub contenders: &'a Contenders<'a>,
    /// The order.
    pub ranking: &'a Ranking,
    /// Their prices and sizes; empty without a sheet.
    pub offers: &'a Offers,
    /// The requirements.
    pub required: &'a [Gate],
    /// Which storages meet them.
    pub purchase: &'a Purchase,
}

/// The format of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankFormat {
    /// Tables of 80 columns.
    #[default]
    Text,
    /// One JSON document, [`SCHEMA`].
    Json,
    /// For a ticket or a wiki.
    Markdown,
    /// One page to print.
    Html,
}

/// One output.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: RankFormat, ranked: &RankView<'_>) -> Result<OutputFile, Problem> {
    Ok(match format {
        RankFormat::Text => OutputFile::new("_rank.txt", ranked.text(Style::default())),
        RankFormat::Json => OutputFile::new("_rank.json", json::document(ranked)?),
        RankFormat::Markdown => OutputFile::new("_rank.md", ranked.markdown()),
        RankFormat::Html => {
            let when = [format!("Ranked: {}", words::names(ranked, 0..ranked.ranking.rows.len()))];
            let page = ranked.blocks(Room::Wide).still_page(
                &words::question(ranked),
                &when,
                "the records of the runs",
            );
            OutputFile::new("_rank.html", page)
        }
    })
}

impl<'a> RankView<'a> {
    /// The name of the storage in a row.
    fn name(&self, row: &RankRow) -> &str {
        &self.storages[row.storage].name
    }

    /// The rate of I/Os by which offers are compared: the ranked quantity, or the closest that all have.
    fn iops(&self) -> Option<Quantity> {
        let own = self.ranking.quantity;
        let is_own = own.unit() == Unit::Iops && own.is_of_a_run();
        if is_own { Some(own) } else { self.contenders.first_common(&[MAX_IOPS, UNBOUNDED_IOPS]) }
    }

    /// The same for bytes.
    fn mbps(&self) -> Option<Quantity> {
        let own = self.ranking.quantity;
        let is_own = own.unit() == Unit::Mbps && own.is_of_a_run();
        if is_own { Some(own) } else { self.contenders.first_common(&[MAX_MBPS]) }
    }

    /// A storage's figure of a quantity of runs.
    fn figure(&self, storage: usize, quantity: Option<Quantity>) -> Option<Estimate> {
        let (estimate, _) = self.contenders.figure(storage, &(quantity?, None))?;
        (estimate.value > 0.0).then_some(estimate)
    }
}
