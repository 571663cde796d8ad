//! `calibrate_io()` inside a real server: the figures of `rigel calibrate`, and nothing left behind however a statement ends.

pub mod installed;
mod program;
mod session;
mod together;

use installed::{CALL, Table, server};
use rigel_testdev::PostgresServer;
use session::{Remains, Session};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Far below what a calibration takes, and far above what ending one does.
const SOON: Duration = Duration::from_secs(15);

/// One statement after the other in the same session, each ended in another way, then the session, then the server.
#[test]
fn it_ends_with_its_statement_and_leaves_nothing() {
    let name = "it_ends_with_its_statement_and_leaves_nothing";
    let Some(mut server) = server(name, Table { megabytes: 32 }) else { return };
    let mut session = Session::begin(&server);
    // The library is loaded, and what the session keeps of it is there.
    let refused = session.ask("SELECT rigel.io_calibration_measure(ARRAY['/etc/passwd'], 1, 20, 20)");
    assert!(refused.contains("'/etc/passwd' is not a file of a relation"), "{refused}");
    assert_eq!(status(&server), "NOT AVAILABLE");

    begin(&server, &mut session);
    let at_work = session.threads();
    assert!(at_work.len() > 1 && at_work.iter().all(|signals| signals.is_deaf), "{at_work:?}");
    assert_eq!(Remains::of(&session).wrong, [""; 0], "closed on exec, and read-only");
    let second = server.ask(CALL).unwrap_err();
    assert!(second.contains("a calibration is in progress"), "{second}");
    let ended = Instant::now();
    server.ask(&format!("SELECT pg_cancel_backend({})", session.process)).unwrap();
    let told = session.hear();
    assert!(told.contains("canceling statement due to user request"), "{told}");
    nothing_left(&session, ended);

    session.ask("SET statement_timeout = '1s'");
    let began = Instant::now();
    let told = session.ask(CALL);
    assert!(told.contains("canceling statement due to statement timeout"), "{told}");
    nothing_left(&session, began);
    session.ask("RESET statement_timeout");

    panics(&session.ask("SELECT rigel_test_panic(false)"), "a panic in the session, for a test");
    panics(&session.ask("SELECT rigel_test_panic(true)"), "a measuring thread panicked");
    assert_eq!(session.ask("SELECT 6 * 7"), "42", "the session lives");
    assert_eq!(status(&server), "NOT AVAILABLE");

    begin(&server, &mut session);
    let ended = Instant::now();
    server.ask(&format!("SELECT pg_terminate_backend({})", session.process)).unwrap();
    let told = session.hear();
    assert!(told.contains("terminating connection due to administrator command"), "{told}");
    gone(session.process, ended);

    let mut session = Session::begin(&server);
    begin(&server, &mut session);
    let ended = Instant::now();
    assert!(server.stop(), "{}", server.log());
    gone(session.process, ended);
    let log = server.log();
    assert!(log.contains("database system is shut down") && !log.contains("terminated by signal"), "{log}");
}

#[test]
fn rights_and_arguments_are_checked() {
    let name = "rights_and_arguments_are_checked";
    let Some(server) = server(name, Table { megabytes: 1 }) else { return };
    let refused = |user: &str, sql: &str, why: &str| {
        let told = server.client(user, "postgres").args(["-c", sql]).output().unwrap();
        let said = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(!told.status.success() && said.contains(why), "{sql}: {said}");
    };
    server.ask("CREATE ROLE bob LOGIN").unwrap();
    refused("bob", CALL, "permission denied for schema rigel");
    server.ask("GRANT USAGE ON SCHEMA rigel TO bob").unwrap();
    for call in [CALL, "SELECT rigel.io_calibration_measure(ARRAY['base/1/1259'], 1, 20, 20)"] {
        refused("bob", call, "permission denied for function");
    }
    server.ask("GRANT EXECUTE ON FUNCTION rigel.calibrate_io TO bob").unwrap();
    // He may call it now: what stops him is that nothing here is worth reading, or his arguments.
    for (arguments, why) in [
        ("", "no relation of 1 MiB or more"),
        ("relation => 'pg_class'", "no relation of 1 MiB or more"),
        ("0", "num_physical_disks is 0"),
        ("1, 0", "max_latency is 0"),
        ("NULL", "num_physical_disks is null"),
        ("budget => 5", "budget is 5"),
        ("relation => 'pg_class', tablespace => 'pg_default'", "cannot be combined"),
        ("tablespace => 'x'' OR true'", "tablespace \"x' OR true\" does not exist"),
    ] {
        refused("bob", &format!("SELECT rigel.calibrate_io({arguments})"), why);
    }
    refused("bob", "DELETE FROM rigel.io_calibration", "permission denied");
    for path in ["base/../../log", "pg_hba.conf", "base/1/12 59", "/dev/sda"] {
        let sql = format!("SELECT rigel.io_calibration_measure(ARRAY['{path}'], 1, 20, 20)");
        refused("postgres", &sql, "is not a file of a relation");
    }
    server.ask("DROP EXTENSION rigel").unwrap();
    assert_eq!(server.ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'rigel'").unwrap(), "0");
}

fn status(server: &PostgresServer) -> String {
    server.ask("SELECT status FROM rigel.io_calibration_status").unwrap()
}

/// The session calibrates, with threads at work.
fn begin(server: &PostgresServer, session: &mut Session) {
    session.send(CALL);
    let seen =
        server.ask_until("SELECT status FROM rigel.io_calibration_status", |seen| seen == "IN PROGRESS");
    assert_eq!(seen, "IN PROGRESS", "{}", server.log());
    let began = Instant::now();
    while session.threads().len() < 3 || !Remains::of(session).measures {
        assert!(began.elapsed() < SOON, "no threads: {}", server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// No thread and no file of the measuring, and that at once.
fn nothing_left(session: &Session, since: Instant) {
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    assert_eq!(session.threads().len(), 1);
    assert!(!Remains::of(session).measures, "{:?}", Remains::of(session));
}

fn gone(process: u32, since: Instant) {
    while Path::new(&format!("/proc/{process}")).exists() {
        assert!(
            since.elapsed() < SOON,
            "{}",
            fs::read_to_string(format!("/proc/{process}/stack")).unwrap_or_default()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn panics(told: &str, what: &str) {
    assert!(told.contains("ERROR") && told.contains(what), "{told}");
}
