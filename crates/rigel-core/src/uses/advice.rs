//! Advice: settings of databases and of the kernel, derived from what runs measured.
//!
//! Pure: records with their findings in, settings out, each with the figures behind it, their intervals, how it was derived and
//! where its meaning is written down. What the records do not hold is refused, with what to measure. Must not guess, and
//! must not lay out a file; `rigel-report` does.

mod cgroup;
mod measured;
mod mysql;
mod oracle;
mod postgresql;
mod same;
mod seastar;

pub use measured::Measured;

use crate::error::{ExitKind, Problem};
use crate::judge::flags::{Flag, FlagCode};
use crate::path_text::printable;
use crate::uses::compare::Run;
use measured::Source;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The reader of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// PostgreSQL 13 to 18.
    Postgresql,
    /// `InnoDB` of `MySQL` and `MariaDB`.
    Mysql,
    /// Oracle Database.
    Oracle,
    /// Linux: the cost model of a disk, `io.cost.model` of the root cgroup.
    Cgroup,
    /// Linux: limits of a cgroup on a disk, `io.max`.
    CgroupMax,
    /// Programs on Seastar, such as ScyllaDB: `io_properties.yaml`.
    Seastar,
}

impl Product {
    /// All, in the order of the page.
    pub const ALL: [Self; 6] =
        [Self::Postgresql, Self::Mysql, Self::Oracle, Self::Cgroup, Self::CgroupMax, Self::Seastar];

    /// The word on the command line and in the outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgresql => "postgresql",
            Self::Mysql => "mysql",
            Self::Oracle => "oracle",
            Self::Cgroup => "cgroup",
            Self::CgroupMax => "cgroup-max",
            Self::Seastar => "seastar",
        }
    }

    fn advice(self, source: &Source<'_>, conditions: Conditions) -> Vec<Advice> {
        match self {
            Self::Postgresql => postgresql::advice(source, conditions),
            Self::Mysql => mysql::advice(source),
            Self::Oracle => oracle::advice(source),
            Self::Cgroup => cgroup::cost_model(source),
            Self::CgroupMax => cgroup::limits(source),
            Self::Seastar => seastar::advice(source),
        }
    }
}

/// What records cannot tell and the reader has to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Share of random reads that caches answer, in per cent; at most 100.
    pub cached_percent: u8,
}

impl Default for Conditions {
    /// What PostgreSQL's default of `random_page_cost` assumes.
    fn default() -> Self {
        Self { cached_percent: 90 }
    }
}

/// A value as the product reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The advised one.
    pub text: String,
    /// What it would be at both ends of the intervals behind it; `None` when there is no interval, or none has a say.
    pub ends: Option<(String, String)>,
}

/// A setting that the records support.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The value.
    pub value: Value,
    /// The figures behind it.
    pub measured: Vec<Measured>,
    /// How the value came out of them, as a sentence.
    pub why: String,
    /// Whether the product takes it, or is better off with it, depends on what no record knows: it stands in the file as a comment.
    pub is_hint: bool,
}

/// Why a setting is not advised; printable sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(description = "")]
pub struct Refusal {
    /// What is missing.
    pub because: String,
    /// What to measure.
    pub next: String,
}

/// One setting of one product.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Whose.
    pub product: Product,
    /// Its name.
    pub setting: &'static str,
    /// The first major version that has it; `None` for all that are supported.
    pub since: Option<u32>,
    /// What is advised, or why nothing is.
    pub outcome: Result<Given, Refusal>,
    /// Where its meaning is written down.
    pub source: &'static str,
}

/// Everything that runs advise.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// The settings, those of a product together.
    pub advice: Vec<Advice>,
    /// What to know about the runs; of flags that have the same code the first.
    pub flags: Vec<Flag>,
    /// Whether the numbers are of a device that exists only in memory.
    pub is_simulated: bool,
}

impl Advised {
    /// What runs of one target advise: for one product, or for all of them.
    ///
    /// # Errors
    /// When the runs are not of one target, mix reads and writes, or a figure that is needed must not be used.
    pub fn of(runs: &[Run<'_>], conditions: Conditions, wanted: Option<Product>) -> Result<Self, Problem> {
        same::check(runs)?;
        runs.iter().try_for_each(check_direct)?;
        let source = Source::new(runs)?;
        let products = Product::ALL.into_iter().filter(|product| wanted.is_none_or(|only| only == *product));
        let advice: Vec<Advice> = products.flat_map(|product| product.advice(&source, conditions)).collect();
        advice.iter().try_for_each(check_sound)?;
        let mut codes = BTreeSet::new();
        let flags = runs.iter().flat_map(|run| run.findings.flags_once());
        let flags: Vec<Flag> = flags.filter(|flag| codes.insert(flag.code)).collect();
        let is_simulated = flags.iter().any(|flag| flag.code == FlagCode::Simulated);
        Ok(Self { advice, flags, is_simulated })
    }

    /// What is advised for a product.
    pub fn of_product(&self, product: Product) -> impl Iterator<Item = &Advice> {
        self.advice.iter().filter(move |advice| advice.product == product)
    }
}

/// A setting in the making.
#[derive(Clone, Copy)]
struct Setting {
    product: Product,
    name: &'static str,
    source: &'static str,
    since: Option<u32>,
}

impl Setting {
    const fn new(product: Product, name: &'static str, source: &'static str) -> Self {
        Self { product, name, source, since: None }
    }

    const fn since(self, major: u32) -> Self {
        Self { since: Some(major), ..self }
    }

    fn given(self, value: Value, measured: Vec<Measured>, why: impl Into<String>) -> Advice {
        self.is(Ok(Given { value, measured, why: why.into(), is_hint: false }))
    }

    fn refused(self, because: impl Into<String>, next: impl Into<String>) -> Advice {
        let (because, next) = (printable(&because.into()).into_owned(), next.into());
        self.is(Err(Refusal { because, next }))
    }

    const fn is(self, outcome: Result<Given, Refusal>) -> Advice {
        Advice { product: self.product, setting: self.name, since: self.since, outcome, source: self.source }
    }
}

/// What was measured through the page cache says nothing of the storage, though no number of it is wrong.
fn check_direct(run: &Run<'_>) -> Result<(), Problem> {
    if !run.record.header.request.buffered {
        return Ok(());
    }
    let flag = Flag::new(FlagCode::Buffered, "measured through the page cache: memory, not storage");
    Err(unusable(&run.record.header.run_id, &[flag]))
}

/// No advice rests on a number that must not be used.
fn check_sound(advice: &Advice) -> Result<(), Problem> {
    let mut measured = advice.outcome.iter().flat_map(|given| &given.measured);
    let unsound = measured.find(|one| !one.forbidding.is_empty());
    unsound.map_or(Ok(()), |one| Err(unusable(&format!("{}, {}", one.run_id, one.what), &one.forbidding)))
}

fn unusable(place: &str, flags: &[Flag]) -> Problem {
    let told: Vec<String> =
        flags.iter().map(|flag| format!("{}: {}", flag.code.name(), printable(&flag.text))).collect();
    Problem::new(ExitKind::GateFailed, "no advice from numbers that must not be used")
        .at(printable(place))
        .because(told.join("; "))
        .next("see in docs/reference/flags.md what a flag means, and measure again without its cause")
}

#[cfg(test)]
mod tests;
