//! `rigel selftest`: the arguments, and what they come to.
//!
//! Must not run a trial.

use super::values;

const EXAMPLES: &str = "\
Examples:
  rigel selftest
      a few trials of every case, in seconds
  rigel selftest --trials 1000 --thorough --markdown
      the table of docs/method/coverage.md; takes an hour or so";

/// What to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelftestOptions {
    /// Trials of each case.
    pub trials: u32,
    /// Also ±2 % and shorter visits.
    pub thorough: bool,
    /// Seed of the first trial; the others follow.
    pub seed: u64,
    /// Tables for a page of documentation.
    pub markdown: bool,
    /// No progress.
    pub quiet: bool,
}

/// See the module.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct SelftestArgs {
    /// Trials of each case
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,

    /// Also aim at ±2 %, and use shorter visits
    #[arg(long)]
    thorough: bool,

    /// Seed of the first trial; the others follow
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    seed: u64,

    /// Print Markdown tables with every device, so that each trial can be repeated
    #[arg(long)]
    markdown: bool,

    /// No progress
    #[arg(long)]
    quiet: bool,
}

impl SelftestArgs {
    /// What was asked for.
    pub const fn options(&self) -> SelftestOptions {
        SelftestOptions {
            trials: self.trials,
            thorough: self.thorough,
            seed: self.seed,
            markdown: self.markdown,
            quiet: self.quiet,
        }
    }
}
