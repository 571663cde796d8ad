//! `rigel selftest`: the arguments.
//!
//! Must not run a trial.

use super::values;

const EXAMPLES: &str = "\
Examples:
  rigel selftest
      a few trials of every case, within seconds
  rigel selftest --trials 1000 --thorough --markdown
      the table of docs/method/coverage.md; takes an hour or so
  rigel selftest --thorough --only turns
      the cases of `rigel versus` alone";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct SelftestArgs {
    /// Trials of each case
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,

    /// Also test a precision of ±2 %, and shorter measurements
    #[arg(long)]
    pub thorough: bool,

    /// Only cases whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Seed of the first trial; the others count up
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Print Markdown tables that list every simulated device
    #[arg(long)]
    pub markdown: bool,

    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}
