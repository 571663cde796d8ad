//! The programs of a MySQL or MariaDB server on this host: their location and version. Must not start a server.

use crate::private::user::{self, User};
use crate::programs::{Programs, in_path, is_of_others, replaceable};
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const MARIADB: &str = "MariaDB";
const MYSQL: &str = "MySQL";
/// Users that packages create; program archives create none, and `nobody` owns nothing else.
pub const USERS: [&str; 2] = ["mysql", "nobody"];
/// The server, under its names.
pub const SERVERS: [&str; 2] = ["mariadbd", "mysqld"];
/// What creates a database of MariaDB; MySQL's server does it itself.
pub const MAKERS: [&str; 2] = ["mariadb-install-db", "mysql_install_db"];
/// The oldest versions of each that its project cared for when this was written: 10.6, and 8.0.
const OLDEST: [(&str, (u32, u32)); 2] = [(MARIADB, (10, 6)), (MYSQL, (8, 0))];
/// Where packages have them besides `PATH`, which often lacks the first one for users.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mysql/bin"];

/// The newest ones on this host, or those in a directory. If both products are installed, MariaDB's: versions cannot be compared across products.
///
/// # Errors
/// When there are none, when they are too old, or when others could replace them and root starts them.
pub fn find(given: Option<&Path>) -> Result<Programs, Problem> {
    // Programs are started in another directory, where a relative path would lead elsewhere.
    let named = |dir: &Path| dir.canonicalize().into_iter().collect();
    let mut dirs: Vec<PathBuf> = given.map_or_else(everywhere, named);
    dirs.retain(|dir| server(dir).is_some());
    if dirs.is_empty() {
        return Err(missing(given));
    }
    newest(dirs, given, user::choose(&USERS)?)
}

fn everywhere() -> Vec<PathBuf> {
    in_path().into_iter().chain(PLACES.map(PathBuf::from)).collect()
}

fn newest(dirs: Vec<PathBuf>, given: Option<&Path>, user: Option<User>) -> Result<Programs, Problem> {
    let (theirs, ours): (Vec<PathBuf>, Vec<PathBuf>) =
        dirs.into_iter().partition(|dir| is_of_others(dir, &SERVERS, user));
    let found = ours.iter().filter_map(|dir| of(dir, user)).filter(is_whole);
    let newest = found.max_by_key(|found| (is_young(found), found.name == MARIADB, numbers(&found.version)));
    let newest = newest
        .ok_or_else(|| theirs.first().map_or_else(|| missing(given), |dir| replaceable(dir, USERS[0])))?;
    let Err(oldest) = check_version(newest.name, &newest.version) else { return Ok(newest) };
    Err(Problem::refused(format!("{} {} is too old", newest.name, newest.version))
        .at(path_text::encode(&newest.dir))
        .because(format!("version {oldest} is the oldest supported"))
        .next("install a newer version"))
}

/// Whether its version is supported; an old server is not taken if the other product is newer.
fn is_young(programs: &Programs) -> bool {
    check_version(programs.name, &programs.version).is_ok()
}

/// The oldest supported version of a product, for a server that is older.
///
/// # Errors
/// When it is.
pub fn check_version(product: &str, version: &str) -> Result<(), String> {
    let known = OLDEST.into_iter().find(|(name, _)| *name == product).map_or((0, 0), |known| known.1);
    if numbers(version) >= known { Ok(()) } else { Err(format!("{}.{}", known.0, known.1)) }
}

/// The server of a directory.
pub fn server(dir: &Path) -> Option<PathBuf> {
    SERVERS.map(|name| dir.join(name)).into_iter().find(|path| path.is_file())
}

/// What creates a database, next to the server or where packages put it.
pub fn maker(dir: &Path) -> Option<PathBuf> {
    let places = ["", "../bin", "../scripts"].map(|place| dir.join(place));
    places.iter().flat_map(|place| MAKERS.map(|name| place.join(name))).find(|path| path.is_file())
}

fn is_whole(programs: &Programs) -> bool {
    programs.name != MARIADB || maker(&programs.dir).is_some()
}

fn of(dir: &Path, user: Option<User>) -> Option<Programs> {
    let mut command = Command::new(server(dir)?);
    command.args(["--no-defaults", "--version"]).current_dir("/").stdin(Stdio::null());
    user::becomes(&mut command, user);
    let output = command.output().ok()?;
    let (name, version) = version(std::str::from_utf8(&output.stdout).ok()?)?;
    Some(Programs { product: Product::Mysql, name, dir: dir.to_owned(), major: numbers(&version).0, version })
}

/// `/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)` is MariaDB 10.11.19.
fn version(text: &str) -> Option<(&'static str, String)> {
    let word = text.split_once(" Ver ")?.1.split_whitespace().next()?;
    Some(named(word))
}

/// The product and the version of `10.11.19-MariaDB-0+deb12u1`, or of `8.4.3`.
pub fn named(version: &str) -> (&'static str, String) {
    let name = if version.contains("MariaDB") { MARIADB } else { MYSQL };
    let number = version.split('-').next().unwrap_or_default();
    (name, path_text::printable(number).into_owned())
}

fn numbers(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|word| word.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn missing(given: Option<&Path>) -> Problem {
    let place = given.map_or_else(|| format!("PATH, {}", PLACES.join(", ")), path_text::encode);
    Problem::refused("there is no MySQL or MariaDB server to start")
        .at(place)
        .because("neither mariadbd with mariadb-install-db nor mysqld was found, or it does not report its version")
        .next(
            "install the package mariadb-server-core (Debian, Ubuntu; mysql-server-core for MySQL), mariadb-server (Red Hat) or mariadb (SUSE), or \
             name the directory of mariadbd or mysqld with --programs",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn pretend(root: &Path, server: &str, text: &str) -> PathBuf {
        let dir = root.join(text.replace(' ', "_"));
        fs::create_dir_all(&dir).unwrap();
        for program in [server, MAKERS[0]] {
            fs::write(dir.join(program), format!("#!/bin/sh\necho '{program}  Ver {text} for Linux'\n"))
                .unwrap();
            fs::set_permissions(dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        dir
    }

    #[test]
    fn products_and_versions_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let find = |server: &str, text: &str| newest(vec![pretend(root.path(), server, text)], None, None);
        let maria = find("mariadbd", "10.11.19-MariaDB-0+deb12u1").unwrap();
        assert_eq!((maria.name, maria.version.as_str(), maria.major), (MARIADB, "10.11.19", 10));
        let mysql = find("mysqld", "8.4.3").unwrap();
        assert_eq!((mysql.name, mysql.version.as_str()), (MYSQL, "8.4.3"));
        for (server, text) in [("mariadbd", "10.5.1-MariaDB"), ("mysqld", "5.7.44")] {
            let old = find(server, text).unwrap_err();
            assert!(old.kind.code() == 3 && old.what.contains("is too old"), "{old}");
        }
        let both = ["11.8.2-MariaDB", "10.11.19-MariaDB-0+deb12u1"];
        let both = both.map(|text| pretend(root.path(), "mariadbd", text));
        assert_eq!(newest(both.into(), None, None).unwrap().version, "11.8.2");
        let none = super::find(Some(root.path())).unwrap_err();
        assert!(none.kind.code() == 3 && none.to_string().contains("package mariadb-server-core"), "{none}");
    }

    #[test]
    fn a_server_that_nothing_makes_a_database_for_is_none() {
        let root = tempfile::tempdir().unwrap();
        let dir = pretend(root.path(), "mariadbd", "11.4.2-MariaDB");
        fs::remove_file(dir.join(MAKERS[0])).unwrap();
        assert!(newest(vec![dir], None, None).unwrap_err().to_string().contains("mariadb-install-db"));
    }

    #[test]
    fn root_starts_nothing_that_others_may_replace() {
        let root = tempfile::tempdir().unwrap();
        let dir = pretend(root.path(), "mariadbd", "11.4.2-MariaDB");
        fs::set_permissions(dir.join("mariadbd"), fs::Permissions::from_mode(0o777)).unwrap();
        let found = newest(vec![dir], None, None);
        match rustix::process::geteuid().is_root() {
            true => assert!(found.unwrap_err().to_string().contains("other users can replace")),
            false => assert_eq!(found.unwrap().major, 11),
        }
    }
}
