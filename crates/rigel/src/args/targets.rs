//! `rigel targets`: the arguments.
//!
//! Must not look at a device.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel targets
      all block devices: what they are, what is on them, whether Rigel may write
  rigel targets /dev/sdb /u01/data.dbf --json
      only these, as JSON";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TargetsArgs {
    /// Files or block devices [default: all block devices]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}
