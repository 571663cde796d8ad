//! `rigel doctor`: the arguments.
//!
//! Must not look at a setting.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel doctor
      this host: devices, mounts and limits; one line per finding
  rigel doctor /u01/data.dbf /dev/nvme1n1
      only these targets and everything below them, down to the disks
  rigel doctor .
      the filesystem of this directory and the disks below it
  rigel doctor --all
      details and remedy of each finding, and the settings that are fine
  rigel doctor --json
      as JSON; exit code 1 if there is an error";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// Files, directories or block devices, checked down to the disks [default: the whole host]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// Explain each finding and its remedy; also list settings that are fine
    #[arg(long)]
    pub all: bool,

    /// Print JSON, with all details
    #[arg(long)]
    pub json: bool,
}
