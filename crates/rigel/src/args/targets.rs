//! `rigel targets`: the arguments, and what they come to.
//!
//! Must not look at a device.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel targets
      every block device: what it is, what is on it, what may be done with it
  rigel targets /dev/sdb /u01/data.dbf --json
      only these, files too, for programs";

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetsOptions {
    /// These; every block device when there are none.
    pub paths: Vec<PathBuf>,
    /// As JSON.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
}

/// See the module.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TargetsArgs {
    /// Files or block devices to look at [default: every block device]
    #[arg(value_name = "TARGET")]
    targets: Vec<PathBuf>,

    /// As JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long)]
    quiet: bool,
}

impl TargetsArgs {
    /// What was asked for.
    pub fn options(self) -> TargetsOptions {
        TargetsOptions { paths: self.targets, json: self.json, quiet: self.quiet }
    }
}
