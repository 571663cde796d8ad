//! The programs of a PostgreSQL server on this host: where they are, and of which version. Must not start a server.

use crate::own;
use crate::private::user::{self, User};
use rigel_core::error::Problem;
use rigel_core::path_text;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest version that the project of PostgreSQL cared for when this was written.
pub const OLDEST: u32 = 13;
/// Where Debian and Red Hat have a directory for each version.
const PLACES: [(&str, &str); 2] = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")];
const NEEDED: [&str; 2] = ["initdb", "postgres"];

/// The programs of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// Their directory.
    pub dir: PathBuf,
    /// The first number of the version.
    pub major: u32,
    /// The version as the server tells it, such as `15.14`.
    pub version: String,
}

impl Programs {
    /// The newest ones of this host, or those of a directory.
    ///
    /// # Errors
    /// When there are none, or only some that are too old, or that others could replace when root starts them.
    pub fn find(given: Option<&Path>) -> Result<Self, Problem> {
        // Programs are started in another directory, where a relative path would lead elsewhere.
        let named = |dir: &Path| dir.canonicalize().into_iter().collect();
        let mut dirs: Vec<PathBuf> = given.map_or_else(everywhere, named);
        dirs.retain(|dir| NEEDED.iter().all(|program| dir.join(program).is_file()));
        if dirs.is_empty() {
            return Err(missing(given));
        }
        Self::newest(dirs, given, user::choose()?)
    }

    fn newest(dirs: Vec<PathBuf>, given: Option<&Path>, user: Option<User>) -> Result<Self, Problem> {
        let (theirs, ours): (Vec<PathBuf>, Vec<PathBuf>) =
            dirs.into_iter().partition(|dir| is_of_others(dir, user));
        let found = ours.iter().filter_map(|dir| Self::of(dir, user));
        let newest = found.max_by_key(|found| (found.major, minor(&found.version)));
        let newest =
            newest.ok_or_else(|| theirs.first().map_or_else(|| missing(given), |dir| replaceable(dir)))?;
        if newest.major >= OLDEST {
            return Ok(newest);
        }
        Err(Problem::refused(format!("PostgreSQL {} is too old", newest.version))
            .at(path_text::encode(&newest.dir))
            .because(format!("version {OLDEST} is the oldest supported"))
            .next("install a newer version; both versions can coexist"))
    }

    fn of(dir: &Path, user: Option<User>) -> Option<Self> {
        let mut command = Command::new(dir.join("postgres"));
        command.arg("--version").current_dir("/").stdin(Stdio::null());
        user::becomes(&mut command, user);
        let output = command.output().ok()?;
        let version = version(std::str::from_utf8(&output.stdout).ok()?)?;
        Some(Self { dir: dir.to_owned(), major: major(&version)?, version })
    }
}

/// Whether root would start what somebody else than root and the server's user may replace.
fn is_of_others(dir: &Path, user: Option<User>) -> bool {
    let theirs = |path: PathBuf| own::of_others(&path, user.map(|user| user.uid)).is_some();
    // The directory may lead there by a link, and so may each program.
    NEEDED.iter().filter_map(|program| dir.join(program).canonicalize().ok()).any(theirs)
        || dir.canonicalize().is_ok_and(theirs)
}

fn replaceable(dir: &Path) -> Problem {
    Problem::refused("Rigel as root does not start server programs that other users can replace")
        .at(path_text::encode(dir))
        .because("they, or a parent directory, are owned or writable by users other than root and postgres")
        .next("run Rigel as their owner, or name root-owned programs with --programs")
}

fn missing(given: Option<&Path>) -> Problem {
    let place = given.map_or_else(|| "PATH, /usr/lib/postgresql, /usr/pgsql-*".to_owned(), path_text::encode);
    Problem::refused("there is no PostgreSQL server to start")
        .at(place)
        .because("the programs initdb and postgres were not found, or do not report their version")
        .next(
            "install the package postgresql (Debian, Ubuntu) or postgresql-server (Red Hat, SUSE), name \
             their directory with --programs, or name a running server with --dsn",
        )
}

fn everywhere() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty part would be the current directory, where anybody may have put a program.
    let mut dirs: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    // Of equal versions the last one is taken.
    for (place, prefix) in PLACES {
        let names = fs::read_dir(place).into_iter().flatten().flatten();
        let of_version = |name: &OsStr| {
            let rest = name.to_str().and_then(|name| name.strip_prefix(prefix));
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        dirs.extend(
            names.filter(|entry| of_version(&entry.file_name())).map(|entry| entry.path().join("bin")),
        );
    }
    dirs
}

/// `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)` is 15.14.
fn version(text: &str) -> Option<String> {
    let word = text.trim().strip_prefix("postgres (PostgreSQL) ")?.split_whitespace().next()?;
    Some(path_text::printable(word).into_owned())
}

/// Of `18beta1` too.
fn major(version: &str) -> Option<u32> {
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn minor(version: &str) -> u32 {
    version.split_once('.').and_then(|(_, minor)| major(minor)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// A directory with programs that only tell this version.
    fn pretend(root: &Path, text: &str) -> PathBuf {
        let dir = root.join(text.replace(' ', "_"));
        fs::create_dir_all(&dir).unwrap();
        for program in NEEDED {
            fs::write(dir.join(program), format!("#!/bin/sh\necho '{text}'\n")).unwrap();
            fs::set_permissions(dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        dir
    }

    #[test]
    fn versions_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let find = |text: &str| Programs::newest(vec![pretend(root.path(), text)], None, None);
        let found = find("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)").unwrap();
        assert_eq!((found.major, found.version.as_str(), minor(&found.version)), (15, "15.14", 14));
        assert_eq!(find("postgres (PostgreSQL) 18beta1").unwrap().major, 18);
        let from_here =
            std::env::current_dir().unwrap().ancestors().skip(1).map(|_| "..").collect::<PathBuf>();
        let dir = pretend(root.path(), "postgres (PostgreSQL) 16.1");
        let relative = from_here.join(dir.strip_prefix("/").unwrap());
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(Programs::find(Some(&relative)).unwrap().dir, dir.canonicalize().unwrap());
        let old = find("postgres (PostgreSQL) 12.22").unwrap_err();
        assert!(old.kind.code() == 3 && old.what.contains("12.22 is too old"), "{old}");
        let other = find("mysqld 8.0").unwrap_err();
        assert!(other.to_string().contains("package postgresql"), "{other}");
        let none = Programs::find(Some(root.path())).unwrap_err();
        assert!(none.kind.code() == 3 && none.to_string().contains("package postgresql"), "{none}");
    }

    #[test]
    fn root_starts_nothing_that_others_may_replace() {
        let root = tempfile::tempdir().unwrap();
        let dir = pretend(root.path(), "postgres (PostgreSQL) 16.1");
        fs::set_permissions(dir.join("initdb"), fs::Permissions::from_mode(0o777)).unwrap();
        let found = Programs::newest(vec![dir], None, None);
        match rustix::process::geteuid().is_root() {
            true => assert!(found.unwrap_err().to_string().contains("other users can replace")),
            false => assert_eq!(found.unwrap().major, 16),
        }
    }
}
