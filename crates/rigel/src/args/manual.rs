//! `rigel completions` and `rigel man`: the arguments, and what they ask for.
//!
//! Must not make a page.

use super::cli;
use clap::ValueHint;
use clap_complete::Shell;
use rigel_core::error::Problem;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use std::path::PathBuf;

const SHELLS: &str = "\
Examples:
  rigel completions bash > ~/.local/share/bash-completion/completions/rigel
      for this user; bash loads it on demand
  rigel completions zsh > ~/.zfunc/_rigel
      if fpath contains ~/.zfunc before compinit is called
  rigel completions fish > ~/.config/fish/completions/rigel.fish
      for this user";

const PAGES: &str = "\
Examples:
  rigel man run | man -l -
      the page of `rigel run`
  rigel man --out /usr/local/share/man/man1
      all pages, for `man rigel-run`";

#[derive(Debug, clap::Args)]
#[command(after_help = SHELLS)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", ignore_case = true, value_enum)]
    pub shell: Shell,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManOptions {
    /// The page of a command, or of the program, to standard output.
    One(Option<String>),
    All {
        out: PathBuf,
        force: bool,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_help = PAGES)]
pub struct ManArgs {
    /// Command whose page is printed [default: `rigel` itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,

    /// Write the pages of all commands into DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,

    /// Replace existing files
    #[arg(long, requires = "out")]
    force: bool,
}

impl ManArgs {
    pub fn options(self) -> Result<ManOptions, Problem> {
        if let Some(out) = self.out {
            return Ok(ManOptions::All { out, force: self.force });
        }
        let names = |command: &clap::Command| -> Vec<String> {
            let (name, own) = (command.get_name(), command.get_subcommands());
            let own = own.map(|own| format!("{name}-{}", own.get_name()));
            std::iter::once(name.to_owned()).chain(own).collect()
        };
        let known: Vec<String> = cli::command().get_subcommands().flat_map(names).collect();
        match self.command {
            Some(name) if !known.contains(&name) => {
                let next = match nearest(&name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `rigel man {near}`?"),
                    None => format!("name one of {}", known.join(", ")),
                };
                Err(Problem::usage(format!("there is no command '{}'", path_text::printable(&name)))
                    .at("COMMAND")
                    .next(next))
            }
            command => Ok(ManOptions::One(command)),
        }
    }
}
