//! The programs of a PostgreSQL server, and a copy of them that can take an extension.
//!
//! A server finds its libraries beside its own program, so a copy has an installation of its own: nothing is added to that of the
//! machine. Must not start anything.

use super::needs::MissingNeed;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the directory of the programs of another version.
const CHOSEN: &str = "RIGEL_POSTGRES";
/// Where Debian has the programs, a directory for each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// What is started from a copy; a link would lead back to the original.
const COPIED: [&str; 1] = ["postgres"];

/// Those that are chosen, else the newest version that Debian installed, else what is in the path.
pub fn installed() -> Result<PathBuf, MissingNeed> {
    let whole =
        |dir: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|program| dir.join(program).is_file());
    if let Some(chosen) = std::env::var_os(CHOSEN) {
        let chosen = PathBuf::from(chosen);
        return Some(chosen)
            .filter(whole)
            .ok_or_else(|| MissingNeed::new(format!("{CHOSEN} is no PostgreSQL server")));
    }
    let version =
        |path: &PathBuf| path.file_name().and_then(OsStr::to_str).and_then(|name| name.parse::<u32>().ok());
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest =
        versions.filter(|path| version(path).is_some()).max_by_key(version).map(|path| path.join("bin"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let all = newest.into_iter().chain(std::env::split_paths(&paths));
    all.into_iter().find(whole).ok_or_else(|| MissingNeed::new("no PostgreSQL server is installed"))
}

/// Copies an installation below `root`, by links where they do; the directory of the programs there.
pub fn copied(programs: &Path, root: &Path) -> Result<PathBuf, MissingNeed> {
    let place = |kind: &str| -> Result<PathBuf, MissingNeed> {
        let told = Command::new(programs.join("pg_config")).arg(kind).output().map_err(MissingNeed::new)?;
        Ok(PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()))
    };
    let (bin, lib, share) = (place("--bindir")?, place("--pkglibdir")?, place("--sharedir")?);
    let below = |dir: &Path| root.join(dir.strip_prefix("/").unwrap_or(dir));
    let copy = || -> io::Result<()> {
        link_all(&lib, &below(&lib), &[])?;
        link_all(&share, &below(&share), &["extension"])?;
        link_all(&share.join("extension"), &below(&share).join("extension"), &[])?;
        link_all(&bin, &below(&bin), &COPIED)?;
        COPIED.iter().try_for_each(|name| fs::copy(bin.join(name), below(&bin).join(name)).map(drop))
    };
    copy().map_err(MissingNeed::new)?;
    Ok(below(&bin))
}

/// Fills a new directory with links to all that is in another, but for some.
fn link_all(from: &Path, to: &Path, but: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if !but.iter().any(|other| name == *other) {
            symlink(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
