//! Options of the commands that judge records of several storages: where the output goes, and what they may differ in.
//!
//! Must not open a record.

use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct JudgementArgs {
    /// Directory of the output [default: next to a record (html), standard output (other formats)]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Continue even if sizes, percentages of writes, engines or flags differ
    #[arg(long)]
    pub allow_differences: bool,

    /// Ignore the history of calibrations, which shows how much repeated runs differ
    #[arg(long)]
    pub no_history: bool,

    /// Replace existing output files
    #[arg(long)]
    pub force: bool,
}
