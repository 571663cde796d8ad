//! The programs of a PostgreSQL server on this host: their location and version. Must not start a server.

use crate::postgresql::NAME;
use crate::private::user::{self, User};
use crate::programs::{Programs, in_path, is_of_others, replaceable};
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest version that the project of PostgreSQL cared for when this was written.
pub const OLDEST: u32 = 13;
/// Where Debian and Red Hat have a directory for each version.
const PLACES: [(&str, &str); 2] = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")];
/// The user that packages create.
pub const USER: &str = "postgres";
const NEEDED: [&str; 2] = ["initdb", "postgres"];

/// The newest ones on this host, or those in a directory.
///
/// # Errors
/// When there are none, when they are too old, or when others could replace them and root starts them.
pub fn find(given: Option<&Path>) -> Result<Programs, Problem> {
    // Programs are started in another directory, where a relative path would lead elsewhere.
    let named = |dir: &Path| dir.canonicalize().into_iter().collect();
    let mut dirs: Vec<PathBuf> = given.map_or_else(everywhere, named);
    dirs.retain(|dir| NEEDED.iter().all(|program| dir.join(program).is_file()));
    if dirs.is_empty() {
        return Err(missing(given));
    }
    newest(dirs, given, user::choose(&[USER])?)
}

fn newest(dirs: Vec<PathBuf>, given: Option<&Path>, user: Option<User>) -> Result<Programs, Problem> {
    let (theirs, ours): (Vec<PathBuf>, Vec<PathBuf>) =
        dirs.into_iter().partition(|dir| is_of_others(dir, &NEEDED, user));
    let found = ours.iter().filter_map(|dir| of(dir, user));
    let newest = found.max_by_key(|found| (found.major, minor(&found.version)));
    let newest =
        newest.ok_or_else(|| theirs.first().map_or_else(|| missing(given), |dir| replaceable(dir, USER)))?;
    if newest.major >= OLDEST {
        return Ok(newest);
    }
    Err(Problem::refused(format!("PostgreSQL {} is too old", newest.version))
        .at(path_text::encode(&newest.dir))
        .because(format!("version {OLDEST} is the oldest supported"))
        .next("install a newer version; both versions can coexist"))
}

fn of(dir: &Path, user: Option<User>) -> Option<Programs> {
    let mut command = Command::new(dir.join("postgres"));
    command.arg("--version").current_dir("/").stdin(Stdio::null());
    user::becomes(&mut command, user);
    let output = command.output().ok()?;
    let version = version(std::str::from_utf8(&output.stdout).ok()?)?;
    let major = major(&version)?;
    Some(Programs { product: Product::Postgresql, name: NAME, dir: dir.to_owned(), major, version })
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
    let mut dirs = in_path();
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

/// Also of `18beta1`.
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
        let find = |text: &str| newest(vec![pretend(root.path(), text)], None, None);
        let found = find("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)").unwrap();
        assert_eq!((found.major, found.version.as_str(), minor(&found.version)), (15, "15.14", 14));
        assert_eq!(find("postgres (PostgreSQL) 18beta1").unwrap().major, 18);
        let from_here =
            std::env::current_dir().unwrap().ancestors().skip(1).map(|_| "..").collect::<PathBuf>();
        let dir = pretend(root.path(), "postgres (PostgreSQL) 16.1");
        let relative = from_here.join(dir.strip_prefix("/").unwrap());
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(super::find(Some(&relative)).unwrap().dir, dir.canonicalize().unwrap());
        let old = find("postgres (PostgreSQL) 12.22").unwrap_err();
        assert!(old.kind.code() == 3 && old.what.contains("12.22 is too old"), "{old}");
        let other = find("mysqld 8.0").unwrap_err();
        assert!(other.to_string().contains("package postgresql"), "{other}");
        let none = super::find(Some(root.path())).unwrap_err();
        assert!(none.kind.code() == 3 && none.to_string().contains("package postgresql"), "{none}");
    }

    #[test]
    fn root_starts_nothing_that_others_may_replace() {
        let root = tempfile::tempdir().unwrap();
        let dir = pretend(root.path(), "postgres (PostgreSQL) 16.1");
        fs::set_permissions(dir.join("initdb"), fs::Permissions::from_mode(0o777)).unwrap();
        let found = newest(vec![dir], None, None);
        match rustix::process::geteuid().is_root() {
            true => assert!(found.unwrap_err().to_string().contains("other users can replace")),
            false => assert_eq!(found.unwrap().major, 16),
        }
    }
}
