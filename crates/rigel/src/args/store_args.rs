//! The store file of capacity commands.
//!
//! Must not open it.

use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct StoreArgs {
    /// Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]
    #[arg(long = "store", value_name = "FILE")]
    pub file: Option<PathBuf>,
}
