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
    let Some((_, pg_config)) = of_version(Path::new(VERSIONS), "bin/postgres").pop() else {
        return Ok(Outcome::Skipped("no PostgreSQL server is installed".into()));
    };
    if !has_headers(&pg_config)? {
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

/// The version and the `pg_config` of every server that has that program, the newest last.
fn of_version(versions: &Path, program: &str) -> Vec<(u32, PathBuf)> {
    let version = |path: PathBuf| Some((path.file_name()?.to_str()?.parse::<u32>().ok()?, path));
    let all =
        fs::read_dir(versions).into_iter().flatten().flatten().filter_map(|entry| version(entry.path()));
    let servers = all.filter(|(_, path)| path.join(program).is_file());
    let mut servers: Vec<_> = servers.map(|(version, path)| (version, path.join("bin/pg_config"))).collect();
    servers.sort();
    servers
}

/// The versions for which something can be built: whose headers are here. The server itself need not be.
pub fn with_headers() -> Vec<(u32, PathBuf)> {
    let all = of_version(Path::new(VERSIONS), "bin/pg_config").into_iter();
    all.filter(|(_, pg_config)| has_headers(pg_config).unwrap_or(false)).collect()
}

fn has_headers(pg_config: &Path) -> anyhow::Result<bool> {
    let told =
        Command::new(pg_config).arg("--includedir-server").output().context("cannot start pg_config")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()).join("postgres.h").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_need_no_server() {
        let place = tempfile::tempdir().unwrap();
        for file in ["15/bin/pg_config", "9/bin/pg_config", "9/bin/postgres", "old/bin/pg_config"] {
            fs::create_dir_all(place.path().join(file).parent().unwrap()).unwrap();
            fs::write(place.path().join(file), "").unwrap();
        }
        let of = |program| of_version(place.path(), program).into_iter().map(|(version, _)| version);
        assert_eq!(of("bin/pg_config").collect::<Vec<_>>(), [9, 15]);
        assert_eq!(of("bin/postgres").collect::<Vec<_>>(), [9]);
    }
}
