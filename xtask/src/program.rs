//! The commands that read records or use the program as a library. Must not hold one that does without.

mod bench;
mod forecasts;
mod generate;
mod golden;
#[cfg(test)]
mod offer_tests;
mod stress;
mod vm;

use crate::cargo::cargo;
use crate::target_dir;
use anyhow::Context as _;
use std::path::{Path, PathBuf};

pub use bench::{Options as Bench, run as bench};
pub use forecasts::{Options as Forecasts, run as forecasts};
pub use generate::{Options as Gen, run as generate};
pub use stress::{Options as Stress, run as stress};
pub use vm::{Options as Vm, run as vm};

/// The commands are in this build.
pub const ELSEWHERE: bool = false;

/// Builds the program for a release; returns its path.
fn release_build(root: &Path) -> anyhow::Result<PathBuf> {
    let built = cargo(root, &["build", "--release", "--locked", "-p", "rigel"]).status();
    anyhow::ensure!(built.context("cannot start cargo")?.success(), "rigel does not build");
    Ok(target_dir(root).join("release/rigel"))
}
