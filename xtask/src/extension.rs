//! Which servers the extension for PostgreSQL can be built for: `rigel-postgresql` needs the headers of one.
//!
//! Where there are none, its tests say so themselves. Must not install anything.

use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package.
pub const PACKAGE: &str = "rigel-postgresql";
/// The variable by which the bindings to a server learn of which.
pub const CHOICE: &str = "PGRX_PG_CONFIG_PATH";

/// The library that cargo builds.
pub const LIBRARY: &str = "librigel_postgresql.so";
/// The variable that tells tests that it is built, and where it is.
pub const FOR_TESTS: &str = "RIGEL_EXTENSION";

/// Where Debian has servers, a directory for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Version and `pg_config` of the server whose extension the tests try: the newest that is installed, if its headers are.
pub fn of_tests() -> Option<(u32, PathBuf)> {
    let (version, pg_config) = of_version(Path::new(VERSIONS), "bin/postgres").pop()?;
    has_headers(&pg_config).unwrap_or(false).then_some((version, pg_config))
}

/// The features with which it is built for that version, with what its tests need.
pub fn features(version: u32) -> String {
    format!("{PACKAGE}/pg{version},{PACKAGE}/test-hooks")
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
