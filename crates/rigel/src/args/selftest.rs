//! `rigel selftest`: the arguments.
//!
//! Must not run a trial.

use super::values;

const EXAMPLES: &str = "\
Examples:
  rigel selftest
      a few trials of every case, in seconds
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

    /// Also aim at ±2 %, and use shorter visits
    #[arg(long)]
    pub thorough: bool,

    /// Only the cases whose name holds TEXT
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Seed of the first trial; the others follow
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Print Markdown tables with every device, so that each trial can be repeated
    #[arg(long)]
    pub markdown: bool,

    /// No progress
    #[arg(long)]
    pub quiet: bool,
}
