//! Whether `rigel-mpi` can be built: it needs MPI and clang.
//!
//! Where they are not installed, its tests are counted as one that could not run. Must not install anything.

use anyhow::Context as _;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Its name.
pub const PACKAGE: &str = "rigel-mpi";

/// Whether it can be built: the MPI compiler exists, and the library that makes its bindings.
pub fn can_be_built() -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|dir| dir.join("mpicc").is_file()) && has_libclang()
}

/// Where distributions have it; `LIBCLANG_PATH` names another directory.
fn has_libclang() -> bool {
    let names = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let versions = names(Path::new("/usr/lib")).into_iter().map(|dir| dir.join("lib"));
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu"].map(PathBuf::from);
    let is_it = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // Not `libclang-cpp.so`.
        name.strip_prefix("libclang").is_some_and(|rest| {
            rest.starts_with(".so")
                || rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    env::var_os("LIBCLANG_PATH").is_some()
        || usual.into_iter().chain(versions).any(|dir| names(&dir).iter().any(is_it))
}

/// Counts its tests as one that could not run.
pub fn tell_missing(skips: &Path) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(skips).context("the skip file")?;
    writeln!(file, "{PACKAGE}\tMPI is not installed (openmpi-bin, libopenmpi-dev, libclang-dev)")?;
    Ok(())
}
