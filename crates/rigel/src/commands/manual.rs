//! `rigel completions` and `rigel man`: what the shell and `man` need, to standard output or into a directory.
//!
//! Must not know an option.

use crate::args::ManOptions;
use crate::manual;
use crate::output::{self, PlacedFile};
use crate::streams::Streams;
use clap_complete::Shell;
use rigel_core::error::Problem;

pub fn completions(shell: Shell, streams: &Streams) -> Result<(), Problem> {
    streams.results(manual::completions(shell).as_bytes())
}

/// Prints a page, or writes all and prints their paths.
pub fn man(options: &ManOptions, streams: &Streams) -> Result<(), Problem> {
    let pages = manual::pages()?;
    match options {
        ManOptions::One(command) => pages
            .iter()
            .filter(|page| page.command == *command)
            .try_for_each(|page| streams.results(page.text.as_bytes())),
        ManOptions::All { out, force } => {
            let files: Vec<_> =
                pages.iter().map(|page| PlacedFile::named(out, &page.file, page.text.as_bytes())).collect();
            streams.list(&output::write_all(&files, *force)?)
        }
    }
}
