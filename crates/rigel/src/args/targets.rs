//! `rigel targets`: the arguments.
//!
//! Must not look at a device.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel targets
      every block device: what it is, what is on it, what may be done with it
  rigel targets /dev/sdb /u01/data.dbf --json
      only these, files too, for programs";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TargetsArgs {
    /// Files or block devices to look at [default: every block device]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// As JSON
    #[arg(long)]
    pub json: bool,

    /// No progress
    #[arg(long)]
    pub quiet: bool,
}
