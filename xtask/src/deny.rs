//! `cargo xtask deny`: what Rigel is built of, judged by cargo-deny and `deny.toml`: licences, sources, bans, and known weaknesses.
//!
//! The list of known weaknesses is fetched on every run. Where it cannot be, that check did not run, and the others do not stand in
//! for it.

use crate::ci::tool::DENY;
use crate::outcome::Outcome;
use anyhow::Context as _;
use std::path::Path;
use std::process::Command;

/// Licences, sources and bans: everything that can be checked from the lock file and the packages.
pub fn dependencies(root: &Path) -> anyhow::Result<Outcome> {
    judged(root, &[], &["bans", "licenses", "sources"])
}

/// Known weaknesses, by the database of RustSec.
pub fn advisories(root: &Path) -> anyhow::Result<Outcome> {
    let Ok(program) = DENY.find(root) else { return judged(root, &[], &[]) };
    let told = Command::new(program).current_dir(root).args(["fetch", "db"]).output();
    let told = told.context("cannot start cargo-deny")?;
    if !told.status.success() {
        return Ok(Outcome::Skipped(not_fetched(&String::from_utf8_lossy(&told.stderr))));
    }
    judged(root, &["--offline"], &["advisories"])
}

fn judged(root: &Path, options: &[&str], checks: &[&str]) -> anyhow::Result<Outcome> {
    let program = match DENY.find(root) {
        Ok(program) => program,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let mut deny = Command::new(&program);
    deny.current_dir(root).args(options).args(["--config", "deny.toml", "check"]).args(checks);
    Ok(Outcome::Judged(deny.status().context("cannot start cargo-deny")?.success()))
}

/// The last line of the output is the cause.
fn not_fetched(said: &str) -> String {
    let cause = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    format!(
        "the database of advisories cannot be fetched: {}",
        cause.unwrap_or("cargo-deny does not say why")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_told() {
        let said = "[ERROR] failed to fetch\nfatal: Could not resolve host: github.com\n\n";
        assert!(not_fetched(said).ends_with("fetched: fatal: Could not resolve host: github.com"));
        assert!(not_fetched("").ends_with("say why"));
    }
}
