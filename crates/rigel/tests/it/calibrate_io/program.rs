//! `rigel sql install`: the same function by the program, which the server starts.

use super::installed::{CALL, Table, fill};
use super::session::Session;
use super::{SOON, gone, status};
use crate::support::Place;
use rigel_testdev::{PostgresDatabase, PostgresServer, needs};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// A program of the test's own below the directory that the user of the server may enter.
fn program(server: &PostgresServer, name: &str, text: &[u8]) -> PathBuf {
    let path = server.socket().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The program itself: its path is that of no other process.
fn rigel(server: &PostgresServer) -> PathBuf {
    program(server, "rigel", &fs::read(env!("CARGO_BIN_EXE_rigel")).unwrap())
}

/// On a simulated device instead of the files; what the server says to the program is kept.
const SIMULATED: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$@" >"$here/told"
kept=
for word in "$@"; do case $word in base/*) ;; *) kept="$kept $word" ;; esac; done
exec "$here/rigel" $kept --engine sim:servers=4,service=1ms
"#;

#[test]
fn the_program_answers_through_the_server() {
    let name = "the_program_answers_through_the_server";
    let Some(server) = needs(name, PostgresServer::start("")) else { return };
    fill(&server, &Table { megabytes: 2 });
    rigel(&server);
    let simulated = program(&server, "it's rigel", SIMULATED.as_bytes());
    let place = Place::new();
    let install = || {
        let arguments =
            ["sql", "install", "--dsn", &server.dsn(), "--rigel-path", simulated.to_str().unwrap()];
        place.rigel(arguments)
    };
    install().expect_code(0);
    let again = install().expect_code(3).stderr;
    assert!(again.contains("already has a schema rigel"), "{again}");

    let answer =
        server.ask("SELECT * FROM rigel.calibrate_io(3, 7, relation => 'big', budget => 20)").unwrap();
    let figures: Vec<f64> = answer.split('|').map(|figure| figure.parse().unwrap()).collect();
    assert!((figures[0] / 3969.0 - 1.0).abs() < 0.02 && (figures[1] / 2000.0 - 1.0).abs() < 0.1, "{answer}");
    assert!(figures[2] > 0.9 && figures[2] < 7.7, "{answer}");
    assert_eq!(status(&server), "READY");
    assert_eq!(server.ask("SELECT count(*) FROM rigel.io_calibration_output").unwrap(), "0");
    let told = fs::read_to_string(server.socket().join("told")).unwrap();
    let (options, rest) = told.split_once("--out\n").unwrap();
    assert_eq!(options, "calibrate\n--json\n--quiet\n--no-html\n--no-history\n--no-commits\n");
    let file = server.ask("SELECT pg_relation_filepath('big')").unwrap();
    let (out, load) = rest.split_once('\n').unwrap();
    assert_eq!(load, format!("--num-disks\n3\n--max-latency\n7ms\n--budget\n20s\n{file}\n"));
    assert!(!Path::new(out).exists(), "{out}");

    for path in ["base/1; touch it", "base/1/$(id)", "/etc/passwd", "base/../x", "--help"] {
        let sql = format!("SELECT rigel.io_calibration_measure(ARRAY['{path}'], 1, 20, 20)");
        let refused = server.ask(&sql).unwrap_err();
        assert!(refused.contains("not a file of a relation"), "{refused}");
    }
    server.ask("CREATE ROLE bob LOGIN").unwrap();
    server.ask("GRANT USAGE ON SCHEMA rigel TO bob").unwrap();
    let refused = server.client("bob", "postgres").args(["-c", CALL]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("permission denied for function"));
    // Nobody needs the right to start programs for it but the owner.
    server.ask("GRANT EXECUTE ON FUNCTION rigel.calibrate_io TO bob").unwrap();
    let allowed = server.client("bob", "postgres").args(["-c", CALL]).output().unwrap();
    assert!(allowed.status.success(), "{allowed:?}");

    server.ask("UPDATE rigel.io_calibration_program SET path = '/nowhere/rigel'").unwrap();
    let failed = server.ask(CALL).unwrap_err();
    assert!(failed.contains("ended with exit code 127") && failed.contains("/nowhere/rigel"), "{failed}");
    assert_eq!(status(&server), "READY", "what was there stays");
}

/// The function would have the rights of such a user, and every call of it would fail.
#[test]
fn a_user_who_may_start_no_program_installs_nothing() {
    let name = "a_user_who_may_start_no_program_installs_nothing";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let anna = database.role("anna");
    database.ask(&format!("CREATE ROLE {anna} LOGIN")).unwrap();
    database.ask(&format!("GRANT CREATE ON DATABASE {} TO {anna}", database.name())).unwrap();
    let annas = database.dsn_of(&anna);
    let place = Place::new();
    let install = || place.rigel(["sql", "install", "--dsn", &annas, "--rigel-path", "/nowhere/rigel"]);
    let told = install().expect_code(3).stderr;
    let grant = format!("GRANT pg_execute_server_program TO \"{anna}\"");
    let parts = ["cannot be created", "may not start programs", &grant];
    assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    assert_eq!(database.ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'rigel'").unwrap(), "0");
    database.ask(&format!("GRANT pg_execute_server_program TO {anna}")).unwrap();
    let told = install().expect_code(0).stderr;
    assert!(told.contains("initially only its owner and superusers may call it"), "{told}");
}

#[test]
fn the_program_ends_with_the_statement() {
    let name = "the_program_ends_with_the_statement";
    let Some(mut server) = needs(name, PostgresServer::start("")) else { return };
    fill(&server, &Table { megabytes: 16 });
    let rigel = rigel(&server);
    let place = Place::new();
    let shown = place.rigel(["sql", "install", "--dry-run", "--rigel-path", rigel.to_str().unwrap()]);
    server.ask(&shown.expect_code(0).stdout).unwrap();
    let mut session = Session::begin(&server);

    let at_work = begin(&server, &mut session, &rigel);
    let ended = Instant::now();
    server.ask(&format!("SELECT pg_cancel_backend({})", session.process)).unwrap();
    let told = session.hear();
    assert!(told.contains("canceling statement due to user request"), "{told}");
    at_work.gone(ended);
    assert_eq!(status(&server), "NOT AVAILABLE");

    session.ask("SET statement_timeout = '1500ms'");
    let began = Instant::now();
    let told = session.ask(CALL);
    assert!(told.contains("canceling statement due to statement timeout"), "{told}");
    assert!(began.elapsed() < SOON && running(&rigel).is_empty());
    session.ask("RESET statement_timeout");

    let at_work = begin(&server, &mut session, &rigel);
    let ended = Instant::now();
    server.ask(&format!("SELECT pg_terminate_backend({})", session.process)).unwrap();
    assert!(session.hear().contains("terminating connection"));
    gone(session.process, ended);
    at_work.gone(ended);

    let mut session = Session::begin(&server);
    let at_work = begin(&server, &mut session, &rigel);
    let ended = Instant::now();
    assert!(server.stop(), "{}", server.log());
    gone(session.process, ended);
    at_work.gone(ended);
}

/// A program that measures.
struct ProgramGuard {
    process: u32,
    /// Where it keeps its record.
    out: PathBuf,
}

fn begin(server: &PostgresServer, session: &mut Session, rigel: &Path) -> ProgramGuard {
    session.send(CALL);
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < SOON, "it does not start: {}", server.log());
        thread::sleep(Duration::from_millis(20));
        let Some(&process) = running(rigel).first() else { continue };
        let Ok(line) = fs::read_to_string(format!("/proc/{process}/cmdline")) else { continue };
        let out = line.split('\0').skip_while(|word| *word != "--out").nth(1).map(PathBuf::from);
        // It listens for signals before it has a record.
        if let Some(out) = out.filter(|out| fs::read_dir(out).is_ok_and(|files| files.count() > 1)) {
            return ProgramGuard { process, out };
        }
    }
}

impl ProgramGuard {
    fn gone(&self, since: Instant) {
        gone(self.process, since);
        while self.out.exists() {
            assert!(since.elapsed() < SOON, "{} is left", self.out.display());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The processes of a program.
fn running(program: &Path) -> Vec<u32> {
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| number(entry.ok()?));
    all.filter(|pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program)).collect()
}
