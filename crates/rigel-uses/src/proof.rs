//! Settings proven: what a server did under each value of a setting, and whether an advised value holds.
//!
//! Pure: times and rates of rounds in, verdicts out. The rule of each setting is applied to the storage as it was measured in the same
//! experiment. Must not know how a value was set, and must not judge by a mean alone if rounds give an interval.

pub mod concurrency;
pub mod page_cost;

use rigel_core::stats::sample::count;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::stats::turns::{Turn, ratios};
use rigel_core::stats::{Estimate, Interval};
use schemars::JsonSchema;
use serde::Serialize;

/// The joint confidence of all intervals of one table.
const CONFIDENCE: f64 = 0.95;
/// The relative half-width that the rounds aim at.
const TARGET: f64 = 0.05;

/// All results of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// What was measured.
    pub about: About,
    /// `random_page_cost`; `None` when the experiment ended before.
    pub page_cost: Option<page_cost::PageCostFindings>,
    /// Settings for concurrent I/O: `effective_io_concurrency` first.
    pub concurrency: Vec<concurrency::ConcurrencyFindings>,
    /// Settings that were left out, each with the reason.
    pub skipped: Vec<SkippedSetting>,
    /// Whether the run was measured completely.
    pub complete: bool,
}

impl Proof {
    /// Whether an advised value failed.
    pub fn refutes(&self) -> bool {
        !self.refuted().is_empty()
    }

    /// The settings whose advised value failed.
    pub fn refuted(&self) -> Vec<&str> {
        let cost = self.page_cost.as_ref().and_then(page_cost::PageCostFindings::advised);
        let cost = cost.map(|one| ("random_page_cost", one.verdict));
        let others = self.concurrency.iter();
        let others = others.filter_map(|found| Some((found.setting.as_str(), found.advised()?.verdict)));
        let all = cost.into_iter().chain(others);
        all.filter(|(_, verdict)| *verdict == Verdict::Fails).map(|(setting, _)| setting).collect()
    }
}

/// A setting that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(description = "A setting that was left out.")]
pub struct SkippedSetting {
    /// Its name.
    pub setting: String,
    /// Why, as a sentence.
    pub because: String,
}

/// The server, the table and the storage below it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "The server, the table and the storage below it.")]
pub struct About {
    /// The product, as its makers call it.
    pub product: String,
    /// Version of the server.
    pub version: String,
    /// The setting of the server's own cache.
    pub cache_setting: String,
    /// Its own cache, in bytes.
    pub shared_buffers: u64,
    /// Rows of the table.
    pub rows: u32,
    /// Rows of a block.
    pub rows_per_block: u32,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Rows with neighbouring keys are scattered; otherwise next to each other.
    pub shuffled: bool,
    /// Bytes of the table.
    pub table_bytes: u64,
    /// The maximum number of times that everything was measured.
    pub rounds: u32,
    /// The seed of keys and order.
    pub seed: u64,
    /// The rates of the storage without a server.
    pub storage: Storage,
}

/// The storage without a server, measured with direct I/O on the table's own file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "The rates of the storage without a server, from direct reads of the table's file.")]
pub struct Storage {
    /// One random read of a block, alone, in microseconds.
    pub random_read_us: f64,
    /// The time of a block in one stream of 1 MiB reads, in microseconds.
    pub stream_page_us: f64,
    /// Random reads of a block per second with a number of reads outstanding.
    pub rates: Vec<Outstanding>,
    /// Random writes of a block per second, if an advised value is based on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_per_s: Option<f64>,
}

/// A rate of random reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "A rate of random reads of a block.")]
pub struct Outstanding {
    /// Reads outstanding.
    pub outstanding: u32,
    /// Reads per second.
    pub per_s: f64,
}

impl Storage {
    /// The time of a random page divided by that of a page of a stream.
    pub fn ratio(&self) -> f64 {
        self.random_read_us / self.stream_page_us
    }

    /// The fewest outstanding reads with 95 % of the highest rate; 1 if nothing was measured.
    pub fn saturating(&self) -> u32 {
        const ENOUGH: f64 = 0.95;
        let best = self.rates.iter().map(|one| one.per_s).fold(0.0, f64::max);
        self.rates.iter().find(|one| one.per_s >= ENOUGH * best).map_or(1, |one| one.outstanding)
    }
}

/// The verdict on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "")]
pub enum Verdict {
    /// It meets the requirements for an advised value.
    Passes,
    /// It does not.
    Fails,
    /// The rounds do not decide.
    Undecided,
}

rigel_core::named!(Verdict { Passes: "passes", Fails: "fails", Undecided: "undecided" });

/// A ratio of two means, with its interval if the rounds give one.
fn over_rounds(value: f64, interval: Option<Interval>) -> Estimate {
    interval.map_or(Estimate::bare(value), |interval| Estimate { value, ..Estimate::of_rounds(interval) })
}

/// The ratio of each pair; all intervals hold simultaneously in 95 of 100 experiments (Bonferroni).
fn together(pairs: &[Vec<Turn>]) -> Vec<Option<Interval>> {
    let judged = pairs.iter().filter(|turns| turns.len() > 1).count();
    let widened = |interval: Interval| {
        let of = |tail: f64| student_t_quantile(1.0 - tail, interval.df);
        let (one, all) = (of((1.0 - CONFIDENCE) / 2.0), of((1.0 - CONFIDENCE) / 2.0 / count(judged.max(1))));
        let log = interval.mean.ln();
        Interval::geometric(log, (interval.hi95.ln() - log) * all / one, interval.visits, interval.df)
    };
    let alone = |(found, turns): (rigel_core::stats::turns::Ratio, &Vec<Turn>)| {
        found.interval.filter(|_| turns.len() > 1).map(widened)
    };
    ratios(pairs, TARGET).into_iter().zip(pairs).map(alone).collect()
}

#[cfg(test)]
mod tests;
