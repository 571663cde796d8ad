//! `rigel sql` on servers, disks and for users that are not as usual: a standby, a password, a full disk, an end in the middle, programs that are
//! too old, blocks that a server left empty, a user who is not root.

use crate::clock::changes::LoopMount;
use crate::sql::{assert_clean, place, private, refused, signal, visits};
use crate::support::{Place, ProgramOutput, tell};
use rigel_core::error::ExitKind;
use rigel_core::load::sql::Probe;
use rigel_core::units::MIB;
use rigel_sql::postgresql::{Address, Database};
use rigel_sql::query::Query;
use rigel_sql::table::TableSpec;
use rigel_testdev::{MissingNeed, PostgresDatabase, PostgresServer, needs};
use rustix::fs::{FallocateFlags, Gid, Uid, chown, fallocate, statvfs};
use rustix::process::Signal;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
/// Whom a server of a test runs as.
const NOBODY: u32 = 65_534;

const SCHEMAS: &str = "select count(*) from pg_namespace where nspname = 'rigel'";

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command();
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_standby_is_refused() {
    let Some(mut server) = needs("a_standby_is_refused", PostgresServer::start("")) else { return };
    assert!(server.stop());
    // It repeats what a primary does, although there is none.
    File::create(server.data().join("standby.signal")).unwrap();
    server.start_again();
    assert_eq!(server.ask("select pg_is_in_recovery()").unwrap(), "t");
    let place = place();
    let dsn = server.dsn();
    for level in ["simple", "commit", "prove"] {
        let told = place.rigel(["sql", level, "--dsn", &dsn, "--create-in", "postgres", "--no-html"]);
        refused(told, 3, &["the server is a standby", "measure the primary"]);
    }
    assert_eq!(place.files(), Vec::<String>::new());
}

/// Each reason has its words: none of these servers fails to answer.
#[test]
fn a_server_that_lets_nobody_in_says_why() {
    let name = "a_server_that_lets_nobody_in_says_why";
    let Some(mut server) = needs(name, PostgresServer::start("")) else { return };
    for made in [
        "create database shop",
        "revoke connect on database shop from public",
        "create database closed allow_connections false",
        "create role guest login",
        "create role peer login",
        "create role outside login",
        "create role few login connection limit 0",
        "create role reader login",
        "alter role reader set default_transaction_read_only = on",
        "grant create on database postgres to reader",
    ] {
        server.ask(made).unwrap();
    }
    let rules = "local all peer peer\nlocal all outside reject\nlocal all all trust\n";
    fs::write(server.data().join("pg_hba.conf"), rules).unwrap();
    server.ask("select pg_reload_conf()").unwrap();
    let place = place();
    let of = |user: &str, database: &str| server.dsn_of(user, database);
    let run =
        |dsn: &str| place.rigel(["sql", "simple", "--dsn", dsn, "--create-in", "postgres", "--size", "8M"]);
    wait_until("the rules are read", || run(&of("outside", "postgres")).stderr.contains("rejects this user"));
    let options = |text: &str| format!("{} options='{text}'", of("postgres", "postgres"));
    for (dsn, parts) in [
        (of("guest", "shop"), ["may not connect to this database", "GRANT CONNECT ON DATABASE"]),
        (of("postgres", "closed"), ["the database does not accept connections", "ALLOW_CONNECTIONS true"]),
        (of("postgres", "nowhere"), ["no such database", "with dbname"]),
        (of("nobody", "postgres"), ["rejects this user", "name an existing"]),
        (of("peer", "postgres"), ["rejects this user", "(sudo -u peer)"]),
        (of("outside", "postgres"), ["rejects this user", "pg_hba.conf"]),
        (of("few", "postgres"), ["too few connections", "ALTER ROLE .. CONNECTION LIMIT"]),
        (options("-c nonsense=on"), ["rejects the options", "or leave it out"]),
        (options("-c work_mem=much"), ["rejects the options", "or leave it out"]),
        (of("reader", "postgres"), ["cannot be created", "-c default_transaction_read_only=off"]),
    ] {
        refused(run(&dsn), 3, &parts);
    }
    let mut session = server.client("postgres", "postgres");
    let sleeping = session.args(["-c", "select pg_sleep(600)"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut sleeping = sleeping.spawn().unwrap();
    let there = "select count(*) from pg_stat_activity where query = 'select pg_sleep(600)'";
    assert_eq!(server.ask_until(there, |found| found == "1"), "1");
    // It waits for that session, and takes no other one.
    signal(server.process(), Signal::TERM);
    let closing = of("postgres", "postgres");
    wait_until("it shuts down", || run(&closing).stderr.contains("the server is not accepting connections"));
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    server.stop();
}

/// A server takes rows that it can no longer use, and says so behind the last one only: it is asked before.
#[test]
fn filling_ends_soon_when_the_server_gave_up() {
    let name = "filling_ends_soon_when_the_server_gave_up";
    let Some(there) = needs(name, PostgresDatabase::create()) else { return };
    let database = Database::open(Address::parse(&there.dsn(), None).unwrap(), 1).unwrap();
    let wanted = TableSpec {
        blocks: 1 << 20,
        seed: 1,
        queries: vec![Query::LookUp(Probe::Batch)],
        sessions: 1,
        timeout_ns: 60_000_000_000,
    };
    let (mut sent, mut cancelled) = (0, None);
    let cancel = "select count(pg_cancel_backend(pid)) from pg_stat_activity \
                  where datname = current_database() and query like 'copy rigel.big %'";
    let filled = database.fill(
        wanted,
        &mut |done, total| {
            assert_eq!(total, 8 << 30);
            sent = done;
            cancelled.get_or_insert_with(|| there.ask(cancel).unwrap());
        },
        &AtomicBool::new(false),
    );
    let problem = filled.err().unwrap();
    assert_eq!((problem.kind, cancelled.as_deref()), (ExitKind::CutShort, Some("1")), "{problem}");
    let told = problem.to_string();
    assert!(told.contains("the table cannot be filled") && told.contains("canceling statement"), "{told}");
    assert!(sent < 4 << 30, "{sent} bytes were sent");
    assert_eq!(there.ask(SCHEMAS).unwrap(), "0");
}

/// Nobody is asked for it, and nobody gets to see it.
#[test]
fn a_password_is_taken_from_the_environment() {
    let name = "a_password_is_taken_from_the_environment";
    let Some(server) = needs(name, PostgresServer::start("")) else { return };
    server.ask("create role guarded login password 'open sesame'").unwrap();
    fs::write(server.data().join("pg_hba.conf"), "local all guarded scram-sha-256\nlocal all all trust\n")
        .unwrap();
    server.ask("select pg_reload_conf()").unwrap();
    let guarded = server.dsn_of("guarded", "postgres");
    let place = place();
    let line = ["sql", "simple", "--dsn", &guarded, "--size", "8M", "--sessions", "1", "--duration", "200ms"];
    let run = |password: Option<&str>, more: &[&str]| {
        let mut command = place.command();
        command.env_remove("PGPASSWORD").args(line).args(more).arg("--no-html").stdin(Stdio::null());
        tell(command.envs(password.map(|password| ("PGPASSWORD", password))))
    };
    // The server may read its new rules a moment later.
    wait_until("a password is asked for", || run(None, &[]).stderr.contains("asks for a password"));
    refused(run(None, &[]), 3, &["the server asks for a password", "PGPASSWORD", "does not prompt"]);
    refused(run(Some("wrong"), &[]), 3, &["rejects this user"]);
    server.ask("grant create on database postgres to guarded").unwrap();
    let told = run(Some("open sesame"), &["--create-in", "postgres", "--drop"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(server.ask(SCHEMAS).unwrap(), "0");
    let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    for said in [&told.stdout, &told.stderr, &record] {
        assert!(!said.contains("sesame"), "{said}");
    }
}

/// Takes all room of a filesystem while a run stands still in the middle of filling its table; what the run then says.
fn without_room(mut run: Child, filesystem: &Path, is_filling: impl Fn() -> bool) -> ProgramOutput {
    let began = Instant::now();
    while !is_filling() {
        let has_ended = run.try_wait().unwrap().is_some() || began.elapsed() > PATIENCE;
        if has_ended {
            run.kill().unwrap();
            panic!("not seen filling its table: {:?}", ProgramOutput::from(run.wait_with_output().unwrap()));
        }
        thread::sleep(Duration::from_millis(5));
    }
    signal(run.id(), Signal::STOP);
    let found = statvfs(filesystem).unwrap();
    let ballast = File::create(filesystem.join("ballast")).unwrap();
    // The filesystem itself needs some of it, nobody knows how much.
    let (mut taken, mut more) = (0, found.f_bfree * found.f_frsize);
    while more >= found.f_frsize {
        match fallocate(&ballast, FallocateFlags::empty(), taken, more) {
            Ok(()) => taken += more,
            Err(_) => more /= 2,
        }
    }
    signal(run.id(), Signal::CONT);
    ProgramOutput::from(run.wait_with_output().unwrap())
}

#[test]
fn a_disk_that_gets_full_under_a_table_is_told() {
    let name = "a_disk_that_gets_full_under_a_table_is_told";
    // What its log may take has to be free as well.
    let Some(server) = needs(name, PostgresServer::start("max_wal_size = 64MB\n")) else { return };
    let place = place();
    let Some(mounted) = needs(name, LoopMount::ext4(&place, 480 * MIB)) else { return };
    let space = mounted.directory().join("space");
    fs::create_dir(&space).unwrap();
    chown(&space, Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).unwrap();
    server.ask(&format!("create tablespace small location '{}'", space.display())).unwrap();
    let dsn = format!("{} options='-c default_tablespace=small'", server.dsn());
    let line = ["sql", "simple", "--dsn", &dsn, "--create-in", "postgres", "--size", "256M", "--no-html"];
    let copies = "select count(*) from pg_stat_progress_copy where tuples_processed > 0";
    let run = spawn(&place, &line);
    let told = without_room(run, mounted.directory(), || server.ask(copies).unwrap() == "1");
    refused(told, 3, &["the table cannot be filled", "No space left", "free some space", "--size"]);
    assert_eq!(server.ask(SCHEMAS).unwrap(), "0");
    server.ask("drop tablespace small").expect("nothing is left there");
}

#[test]
fn a_disk_that_gets_full_under_a_private_server_is_told() {
    let name = "a_disk_that_gets_full_under_a_private_server_is_told";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let Some(mounted) = needs(name, LoopMount::ext4(&place, 1024 * MIB)) else { return };
    let disk = mounted.directory().display().to_string();
    let said = place.path().join("told");
    let mut command = place.command();
    command.args(["sql", "simple", &disk, "--size", "256M", "--no-html"]);
    let run = command.stdout(Stdio::piped()).stderr(File::create(&said).unwrap()).spawn().unwrap();
    let mut told = without_room(run, mounted.directory(), || {
        fs::read_to_string(&said).is_ok_and(|said| said.contains("filling the table: "))
    });
    told.stderr = fs::read_to_string(&said).unwrap();
    refused(told, 3, &["the table cannot be filled", "No space left", "free some space", "--size"]);
    assert_clean(mounted.directory());
}

/// In order, as an administrator stops it, who then starts it again.
#[test]
fn a_server_that_is_stopped_in_a_visit_is_gone_on_with() {
    let name = "a_server_that_is_stopped_in_a_visit_is_gone_on_with";
    let Some(mut server) = needs(name, PostgresServer::start("")) else { return };
    let place = place();
    let dsn = server.dsn();
    let run = spawn(
        &place,
        &[
            "sql",
            "simple",
            "--dsn",
            &dsn,
            "--create-in",
            "postgres",
            "--size",
            "16M",
            "--no-html",
            "--sessions",
            "1,2,3",
            "--duration",
            "800ms",
        ],
    );
    let record = || place.files().into_iter().find(|name| name.ends_with("_record.jsonl"));
    wait_until("a visit", || record().is_some() && !visits(&place, "sql").is_empty());
    let table = "select oid from pg_class where oid = 'rigel.big'::regclass";
    let before = server.ask(table).unwrap();
    assert!(server.stop());
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["rigel sql resume", " --dsn DSN"]);
    server.start_again();
    assert_eq!(server.ask(table).unwrap(), before);
    let record = place.only("_record.jsonl").display().to_string();
    let told = place.rigel(["sql", "--dsn", &dsn, "--resume", &record, "--no-html", "--json"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!((visits(&place, "sql").len(), server.ask(table).unwrap()), (3, before));
}

/// A server from version 16 on extends a table by several blocks at once, and need not use the last ones.
#[test]
fn blocks_without_rows_behind_the_last_one_are_no_part_of_the_table() {
    let name = "blocks_without_rows_behind_the_last_one_are_no_part_of_the_table";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let place = place();
    let dsn = database.dsn();
    let run = || {
        let line = ["sql", "simple", "--dsn", &dsn, "--create-in", database.name(), "--size", "8M"];
        tell(place.command().args(line).args(["--sessions", "1", "--duration", "200ms", "--no-html"]))
    };
    let whole = |told: ProgramOutput| assert!([0, 1].contains(&told.code), "{}", told.stderr);
    whole(run());
    let more = |count: u32| {
        let pad = "repeat('x', 7900)";
        let added = format!("insert into rigel.big select 0, 0, {pad} from generate_series(1, {count})");
        database.ask(&format!("{added}; delete from rigel.big where id = 0 and ctid <> '(0,1)'")).unwrap();
    };
    more(63);
    assert_eq!(database.ask("select pg_relation_size('rigel.big') / 8192").unwrap(), "1087");
    whole(run());
    more(100);
    refused(run(), 3, &["not as Rigel created it", "its last blocks have no rows", "rigel sql drop"]);
}

#[test]
fn programs_that_are_too_old_are_refused() {
    let place = place();
    let dir = place.path().join("old");
    fs::create_dir(&dir).unwrap();
    for (program, says) in
        [("postgres", "postgres (PostgreSQL) 12.22"), ("initdb", "initdb (PostgreSQL) 12.22")]
    {
        fs::write(dir.join(program), format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        fs::set_permissions(dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let told = place.line("sql simple --programs old --size 16M");
    refused(told, 3, &["PostgreSQL 12.22 is too old", "version 13 is the oldest", "install a newer version"]);
    assert_eq!(place.files(), ["old"]);
}

/// A server of a user is the user's own, and nothing that only root may do is needed for it.
#[test]
fn no_root_is_needed_for_a_private_server() {
    let name = "no_root_is_needed_for_a_private_server";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    chown(place.path(), Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).unwrap();
    let as_nobody = |line: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_rigel")]);
        command.args(line.split(' ')).current_dir(place.path()).stdin(Stdio::null()).output()
    };
    let usable = match as_nobody("--version") {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(MissingNeed::new("the program cannot be started as another user from this directory")),
    };
    let Some(()) = needs(name, usable) else { return };
    let line = "sql simple --size 16M --sessions 2 --duration 300ms --no-html";
    let told = ProgramOutput::from(as_nobody(line).unwrap());
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert!(
        told.stderr.contains("no control group limits it") || told.stderr.contains("bypasses"),
        "{}",
        told.stderr
    );
    assert_eq!(visits(&place, "sql").len(), 1);
    assert_clean(place.path());
}
