//! Where the outputs of a run go and what they are called, of the commands that are a run of a kind of their own.
//!
//! Each adapts the texts and the defaults. Must not judge a name or a directory.

use super::own::{OwnArgs, ShowArgs};
use super::run::RunArgs;
use std::ffi::OsString;
use std::path::PathBuf;

const OUTPUT: &str = "Output";

#[derive(Clone, Debug, Default, clap::Args)]
pub struct OutputArgs {
    /// Name of the record and of the page
    #[arg(long, value_name = "NAME", help_heading = OUTPUT, hide_short_help = true)]
    name: Option<OsString>,

    /// What you call this storage, such as old-san
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT, hide_short_help = true)]
    pub label: Option<String>,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OUTPUT)]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArgs,

    /// Watch it in a live view, ? helps and q ends it
    #[arg(long, help_heading = OUTPUT)]
    pub tui: bool,
}

impl OutputArgs {
    /// The arguments of a run with these outputs and those options.
    pub fn of_run(self, own: OwnArgs) -> RunArgs {
        RunArgs {
            own: OwnArgs { label: self.label, show: self.show, ..own },
            name: self.name.unwrap_or_default(),
            out: self.out.unwrap_or_else(|| PathBuf::from(".")),
            tui: self.tui,
            ..RunArgs::default()
        }
    }
}
