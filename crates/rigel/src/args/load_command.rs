//! `rigel load from-fio`: the arguments.
//!
//! Must not open the job file.

use super::Invocation;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel load from-fio job.fio > mine.toml
      what a load cannot say is listed on standard error, line by line
  rigel run --load mine.toml /dev/sdx
      measure it
  rigel run --load job.fio /dev/sdx
      the same in one step";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct LoadCommandArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the load of a fio job file as a load file
    FromFio(FromFioArgs),
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FromFioArgs {
    /// Job file of fio
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    /// List nothing on standard error
    #[arg(long)]
    pub quiet: bool,
}

impl LoadCommandArgs {
    /// What was requested.
    pub fn invocation(self) -> Invocation {
        let Command::FromFio(from_fio) = self.command;
        Invocation::LoadFromFio(from_fio)
    }
}
