//! Where the outputs of a run go and what they are called, and the live view meanwhile.
//!
//! Each command adapts the texts and the defaults. Must not judge a name or a directory.

use std::ffi::OsString;
use std::path::PathBuf;

const OUTPUT: &str = "Output";

#[derive(Clone, Debug, Default, clap::Args)]
pub struct OutputArgs {
    /// Name of the record and of the page
    // Each command has a default.
    #[arg(long, value_name = "NAME", required = false, help_heading = OUTPUT, display_order = 0, hide_short_help = true)]
    pub name: OsString,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OUTPUT, display_order = 1)]
    pub out: Option<PathBuf>,

    /// Show a live view; ? shows help, q ends the run
    #[arg(long, help_heading = OUTPUT)]
    pub tui: bool,
}
