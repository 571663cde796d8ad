//! `rigel sql` on a server that is there, by a role that is told little: what it sees all the same, and what it says of the rest.

use crate::sql::{place, refused};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{PostgresDatabase, needs};
use rustix::fs::{Gid, Uid, chown};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

/// A role that may make a schema, and nothing else; its connection.
fn plain(database: &PostgresDatabase) -> String {
    let (role, name) = (database.role("plain"), database.name());
    database.ask(&format!("create role {role} login; grant create on database {name} to {role}")).unwrap();
    database.dsn_of(&role)
}

/// Whoever may look into the processes of the server, as those who run these tests may, knows where it has its files.
#[test]
fn a_role_without_rights_has_room_and_files_looked_at() {
    let name = "a_role_without_rights_has_room_and_files_looked_at";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let (dsn, place) = (plain(&database), place());
    let line = |size| ["sql", "simple", "--dsn", &dsn, "--create-in", database.name(), "--size", size];
    refused(place.rigel(line("10T")), 3, &["the table of 10 TiB does not fit"]);
    let told = tell(place.command().args(line("8M")).arg("--dry-run")).expect_code(0);
    assert!(told.stdout.contains("the files of rigel.big"), "{}", told.stdout);
    assert!(!told.stderr.contains("it is unknown whether"), "{}", told.stderr);
}

/// Another user of the host sees neither.
#[test]
fn room_that_nobody_can_look_at_is_told() {
    let name = "room_that_nobody_can_look_at_is_told";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let (dsn, place) = (plain(&database), place());
    fs::set_permissions(database.socket(), fs::Permissions::from_mode(0o755)).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(place.path(), Some(Uid::from_raw(54_321)), Some(Gid::from_raw(54_321))).unwrap();
    }
    let usable = stranger(&place, &["--version"]).filter(|told| told.code == 0);
    let usable = usable.ok_or_else(|| rigel_testdev::MissingNeed::new("no other user can start the program"));
    let Some(_) = needs(name, usable) else { return };
    for level in ["simple", "commit"] {
        let size: &[&str] = if level == "simple" { &["--size", "8M"] } else { &[] };
        let words =
            [&["sql", level, "--dsn", &dsn, "--create-in", database.name(), "--dry-run"], size].concat();
        let told = stranger(&place, &words).unwrap().expect_code(0);
        for part in
            ["whether there is space for the", "it is unknown whether", "as root or as the server's user"]
        {
            assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
        }
    }
}

fn stranger(place: &Place, words: &[&str]) -> Option<ProgramOutput> {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=54321", "--regid=54321", "--clear-groups", env!("CARGO_BIN_EXE_rigel")]);
    command.args(words).current_dir(place.path()).stdin(Stdio::null()).output().ok().map(ProgramOutput::from)
}
