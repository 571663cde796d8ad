//! Whether `rigel-mpi` can be built: it needs MPI and clang.
//!
//! Where they are not installed, its tests are counted as one that could not run. Must not install anything.

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

/// Counts its tests as one that could not run.
pub fn tell_missing(skips: &Path) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(skips).context("the skip file")?;
    writeln!(file, "{PACKAGE}\tMPI is not installed (openmpi-bin, libopenmpi-dev, libclang-dev)")?;
    Ok(())
}
