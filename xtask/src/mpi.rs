//! The checks of `rigel-mpi`, which is built and tested by itself, as it needs MPI and clang.
//!
//! Where they are not installed, it says so and is counted as a test that could not run. Must not install anything.

use crate::ci::{cargo, finished_well};
use anyhow::Context as _;
use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Its name.
pub const PACKAGE: &str = "rigel-mpi";

/// Whether it can be built: the compiler of MPI is there.
pub fn can_be_built() -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|dir| dir.join("mpicc").is_file())
}

/// Clippy on it.
pub fn clippy(root: &Path) -> anyhow::Result<bool> {
    if !can_be_built() {
        println!("not checked: MPI is not installed (libopenmpi-dev, libclang-dev)");
        return Ok(true);
    }
    let arguments = ["clippy", "-p", PACKAGE, "--all-targets", "--locked", "--", "-D", "warnings"];
    finished_well(&mut cargo(root, &arguments))
}

/// Its tests. They start programs of several processes, and are run one after the other.
pub fn test(root: &Path, skips: &Path) -> anyhow::Result<bool> {
    if !can_be_built() {
        let mut file = OpenOptions::new().append(true).create(true).open(skips).context("the skip file")?;
        writeln!(file, "{PACKAGE}\tMPI is not installed (openmpi-bin, libopenmpi-dev, libclang-dev)")?;
        return Ok(true);
    }
    let arguments = ["test", "-p", PACKAGE, "--locked", "--no-fail-fast", "--", "--test-threads", "1"];
    finished_well(cargo(root, &arguments).env("RIGEL_SKIP_FILE", skips))
}
