//! Cargo and other programs as the commands start them.
//!
//! Must not know a check.

use crate::extension;
use anyhow::Context as _;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes a warning of `cargo doc` an error; for `cargo test` it would affect the examples in comments.
pub const DOC_FLAGS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");
/// Whether cargo keeps what the next build of a crate may use.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";
/// What is kept of the crate that every build of the program needs.
const OF_PROGRAM: &str = "rigel_core-";

/// Cargo as it started us, so that a toolchain chosen on the command line stays chosen.
pub fn cargo<S: AsRef<OsStr>>(root: &Path, arguments: &[S]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root).args(arguments);
    if let Some((_, pg_config)) = extension::of_tests() {
        cargo.env(extension::CHOICE, pg_config);
    }
    if is_doc(arguments) {
        cargo.env(DOC_FLAGS.0, DOC_FLAGS.1);
    }
    if env::var_os(INCREMENTAL).is_none() && !has_incremental(&crate::target_dir(root)) {
        cargo.env(INCREMENTAL, "0");
    }
    cargo
}

/// Whether the program has been changed and built here before. Keeping what the next build may use adds a sixth to
/// the time of the first, so where nothing is kept yet, as in CI, nothing is.
fn has_incremental(target_dir: &Path) -> bool {
    let kept = fs::read_dir(target_dir.join("debug/incremental")).into_iter().flatten().flatten();
    // The runner itself is always kept.
    kept.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with(OF_PROGRAM))
}

pub fn is_doc<S: AsRef<OsStr>>(arguments: &[S]) -> bool {
    arguments.first().is_some_and(|first| first.as_ref() == "doc")
}

pub fn finished_well(command: &mut Command) -> anyhow::Result<bool> {
    let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    Ok(status.success())
}

/// Runs what must not fail.
pub fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_owned();
    anyhow::ensure!(finished_well(command)?, "{} failed", program.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_build_of_the_program_is_kept() {
        let place = tempfile::tempdir().unwrap();
        assert!(!has_incremental(place.path()));
        let kept = place.path().join("debug/incremental");
        fs::create_dir_all(kept.join("xtask-1abc")).unwrap();
        assert!(!has_incremental(place.path()), "the runner itself");
        fs::create_dir(kept.join("rigel_core-2def")).unwrap();
        assert!(has_incremental(place.path()));
    }

    #[test]
    fn a_program_that_fails_or_is_missing_is_not_a_pass() {
        assert!(!finished_well(&mut Command::new("false")).unwrap());
        assert!(finished_well(&mut Command::new("/nowhere/program")).is_err());
    }
}
