//! Settings proven: a text, a page, and one JSON document, `rigel.proof/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_uses::proof`] does.

mod blocks;
mod page;
mod words;

use crate::document::{Block, Document as _, PageDocument as _, Room};
use crate::json_text::{pretty, schema_of, text as printable};
use crate::output_file::OutputFile;
use crate::text::Style;
use rigel_core::error::Problem;
use rigel_uses::proof::page_cost::{self, Cell, MOST_REGRET, PageCostVerdict, Plan};
use rigel_uses::proof::{About, Proof, SkippedSetting, concurrency};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.proof/1";

/// An experiment with its name.
#[derive(Clone, Copy, Debug)]
pub struct ProofReport<'a> {
    /// The prefix of the names of all its files.
    pub run: &'a str,
    /// Local time of the start, RFC 3339.
    pub started: &'a str,
    /// The results.
    pub proof: &'a Proof,
}

/// The behaviour of a server under each value of a setting, and whether the values of `rigel advise` are confirmed. Shares are from 0 to 1.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.proof/1")]
struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the experiment.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The server, the table and the storage.
    about: &'a About,
    /// The answers in sentences.
    told: Vec<String>,
    /// Whether an advised value was not confirmed; the exit code is 1 then.
    refuted: bool,
    /// The planner's `random_page_cost`, of PostgreSQL.
    random_page_cost: Option<PageCost<'a>>,
    /// Settings that are judged by rates: of PostgreSQL `effective_io_concurrency`, and from version 18 on `io_workers` and `io_method`; of MySQL and
    /// MariaDB `innodb_io_capacity`, `innodb_flush_neighbors`, `innodb_log_file_size` and `innodb_read_io_threads`.
    concurrency: &'a [concurrency::ConcurrencyFindings],
    /// Settings that were left out.
    skipped: &'a [SkippedSetting],
    /// Whether the run was measured completely.
    complete: bool,
}

/// The results for all values of random_page_cost.
#[derive(Debug, Serialize, JsonSchema)]
struct PageCost<'a> {
    /// The time of a random page divided by that of a page of a stream.
    ratio: f64,
    /// The highest median regret with which a value may be advised.
    most_regret: f64,
    /// Shares of hits, ascending.
    hit_rates: &'a [f64],
    /// The rules, then the values that were tried, ascending.
    values: &'a [PageCostVerdict],
    /// The tried values that pass.
    passing: Vec<f64>,
    /// Every query.
    cells: Vec<CellDocument>,
    /// What the planner chooses.
    choices: Vec<ChoiceDocument>,
}

/// A query for a share of the rows, with a share of the table in memory.
#[derive(Debug, Serialize, JsonSchema)]
struct CellDocument {
    /// Share of the rows.
    selectivity: f64,
    /// Share of the table in the page cache.
    hit_rate: f64,
    /// The plans.
    plans: Vec<PlanDocument>,
}

/// A plan of a query.
#[derive(Debug, Serialize, JsonSchema)]
struct PlanDocument {
    /// Its name.
    plan: Plan,
    /// Geometric mean of its times, in seconds.
    seconds: Option<f64>,
    /// The time of each round.
    rounds: Vec<f64>,
    /// It was stopped before its end: it takes longer.
    cut: bool,
}

/// What the planner chooses.
#[derive(Debug, Serialize, JsonSchema)]
struct ChoiceDocument {
    /// For a query of this share of the rows.
    selectivity: f64,
    /// With this value.
    value: f64,
    /// The plan.
    plan: Plan,
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(proven: &ProofReport<'_>) -> Result<Vec<u8>, Problem> {
    let proof = proven.proof;
    pretty(&Document {
        schema: SCHEMA,
        run: printable(proven.run),
        started: printable(proven.started),
        about: &proof.about,
        told: words::sentences(proof),
        refuted: proof.refutes(),
        random_page_cost: proof.page_cost.as_ref().map(|found| page_cost(found, proof.about.storage.ratio())),
        concurrency: &proof.concurrency,
        skipped: &proof.skipped,
        complete: proof.complete,
    })
}

/// For the terminal; `files` are the printable locations of the outputs.
pub fn text(proven: &ProofReport<'_>, style: Style, files: &[String]) -> String {
    let mut blocks = proven.blocks(Room::Narrow);
    blocks.push(Block::part(vec![Block::Files(files.to_vec())]));
    blocks.text(style)
}

/// The document and the page as files.
///
/// # Errors
/// As for [`json()`].
pub fn files(proven: &ProofReport<'_>, with_page: bool) -> Result<Vec<OutputFile>, Problem> {
    let mut all = vec![OutputFile::new("_proof.json", json(proven)?)];
    if with_page {
        all.push(proven.page("_proof.html")?);
    }
    Ok(all)
}

fn page_cost(found: &page_cost::PageCostFindings, ratio: f64) -> PageCost<'_> {
    let choice = |one: &page_cost::Choice| ChoiceDocument {
        selectivity: one.selectivity,
        value: one.cost,
        plan: one.plan,
    };
    PageCost {
        ratio,
        most_regret: MOST_REGRET,
        hit_rates: &found.hit_rates,
        values: &found.judged,
        passing: found.passing(),
        cells: found.cells.iter().map(cell).collect(),
        choices: found.choices.iter().map(choice).collect(),
    }
}

fn cell(cell: &Cell) -> CellDocument {
    let plan = |plan| PlanDocument {
        plan,
        seconds: cell.seconds(plan),
        rounds: cell.times.get(&plan).into_iter().flatten().map(|timed| timed.seconds).collect(),
        cut: cell.is_cut(plan),
    };
    CellDocument { selectivity: cell.selectivity, hit_rate: cell.hit_rate, plans: Plan::ALL.map(plan).into() }
}

#[cfg(test)]
mod tests;
