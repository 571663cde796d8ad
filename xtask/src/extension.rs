//! Builds the extension for PostgreSQL, a workspace of its own, as the tests want it: before they run, since it takes a minute.
//!
//! Must not install it anywhere but below cargo's target directory. What is built, and for which server, is the business of its script.

use crate::outcome::Outcome;
use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian has servers, a directory for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Builds it with the hooks of the tests, which build it once more and find nothing to do.
pub fn build(root: &Path) -> anyhow::Result<Outcome> {
    let Some(pg_config) = pg_config() else {
        return Ok(Outcome::Skipped("no PostgreSQL server is installed".into()));
    };
    let told =
        Command::new(&pg_config).arg("--includedir-server").output().context("cannot start pg_config")?;
    let headers = PathBuf::from(String::from_utf8_lossy(&told.stdout).trim());
    if !headers.join("postgres.h").is_file() {
        return Ok(Outcome::Skipped(
            "the headers of the server are not installed (postgresql-server-dev-all)".into(),
        ));
    }
    let place = crate::target_dir(root).join("extension");
    let mut script = Command::new(root.join("extensions/postgresql/install.sh"));
    script.arg(pg_config).env("DESTDIR", place.join("installed")).env("CARGO_TARGET_DIR", place);
    script.envs([("PROFILE", "dev"), ("FEATURES", "test-hooks")]);
    Ok(Outcome::Judged(crate::ci::finished_well(&mut script)?))
}

/// Of the newest server.
fn pg_config() -> Option<PathBuf> {
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = fs::read_dir(VERSIONS).ok()?.flatten().map(|entry| entry.path());
    let programs = versions.filter(|path| path.join("bin/postgres").is_file());
    Some(programs.max_by_key(version)?.join("bin/pg_config"))
}
