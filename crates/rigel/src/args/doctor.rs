//! `rigel doctor`: the arguments.
//!
//! Must not look at a setting.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel doctor
      this host: its devices, what is mounted, its limits; a line for each finding
  rigel doctor /u01/data.dbf /dev/nvme1n1
      only what lies below these targets, down to the disks, and the targets themselves
  rigel doctor .
      the filesystem of this directory and the disks below it
  rigel doctor --all
      everything about each finding, with the command that changes it, and the settings that need no change
  rigel doctor --json
      for programs; exit code 1 when there is an error";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// Files, directories or block devices; what lies below them is examined, too [default: the whole host]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// Why each finding matters and the command that changes it; also the settings that need no change
    #[arg(long)]
    pub all: bool,

    /// As JSON; it has all of them
    #[arg(long)]
    pub json: bool,
}
