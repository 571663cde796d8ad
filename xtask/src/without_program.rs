//! Stands in for `program` in a build without that feature: builds with it, and hands the command over. Must not judge arguments.

use crate::cargo::{cargo, finished_well};
use std::env;
use std::ffi::OsString;
use std::path::Path;

pub use hand_over as bench;
pub use hand_over as forecasts;
pub use hand_over as generate;
pub use hand_over as stress;
pub use hand_over as vm;

/// The commands are in another build, which also lists their options.
pub const ELSEWHERE: bool = true;

/// Any arguments.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _all: Vec<OsString>,
}

pub type Bench = Arguments;
pub type Forecasts = Arguments;
pub type Gen = Arguments;
pub type Stress = Arguments;
pub type Vm = Arguments;

/// Runs the command as it was typed; whether all is well.
pub fn hand_over(root: &Path, _: &Arguments) -> anyhow::Result<bool> {
    let build = ["run", "--locked", "--package", "xtask", "--features", "program", "--"];
    finished_well(cargo(root, &build).args(env::args_os().skip(1)))
}
