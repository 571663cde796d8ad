//! `rigel sql` with a real server: what it measures, what it leaves, and what it refuses.

use crate::support::{Place, ProgramOutput, tell};
use rigel_io::targets::scratch::free_bytes;
use rigel_testdev::{MissingNeed, PostgresDatabase, PostgresServer, needs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

/// A server runs as another user than root, who must reach the directory of the test.
pub fn place() -> Place {
    let place = Place::new();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    place
}

/// How many of so many blocks may be off (UNVERIFIED in docs/reference/flags.md).
pub fn slack(blocks: f64) -> f64 {
    (0.01 * blocks).max(4.0 + 3.0 * (0.01 * blocks).sqrt())
}

/// Whether private servers can be made here.
pub fn private() -> Result<(), MissingNeed> {
    static ASKED: LazyLock<Result<(), MissingNeed>> = LazyLock::new(|| {
        let told = place().line("sql simple --dry-run --size 16M");
        match told.code {
            0 => Ok(()),
            _ => Err(MissingNeed::new(told.stderr.lines().next().unwrap_or_default().to_owned())),
        }
    });
    ASKED.clone()
}

/// Whether so many bytes are free where the tests have their places. Without them what a test asks for is rightly refused.
pub fn room(bytes: u64) -> Result<(), MissingNeed> {
    let place = env::temp_dir();
    let free = free_bytes(&place).map_err(MissingNeed::new)?;
    if free >= bytes {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    let place = place.display();
    Err(MissingNeed::new(format!("{} MiB are needed in {place}, and {} are free", mib(bytes), mib(free))))
}

#[test]
fn more_room_than_any_disk_has_is_not_there() {
    assert_eq!(room(0), Ok(()));
    let reason = room(u64::MAX).unwrap_err().to_string();
    assert!(reason.starts_with("17592186044415 MiB are needed in "), "{reason}");
}

/// What the log of commits may take is free before any are made: 2 GiB, and as much as a server may keep besides.
pub fn room_of_commits() -> Result<(), MissingNeed> {
    room(4 << 30)
}

pub fn refused(told: ProgramOutput, code: i32, parts: &[&str]) {
    let told = told.expect_code(code);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

/// Nothing but the outputs is left.
pub fn assert_clean(place: &Path) {
    let left: Vec<String> = fs::read_dir(place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("rigel-sql-server"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(servers_in(place), Vec::<u32>::new());
}

/// The servers whose database lies in this directory.
pub fn servers_in(place: &Path) -> Vec<u32> {
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| number(entry.unwrap()));
    let works_there =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(place));
    let is_server = |pid: &u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        ["postgres", "mariadbd", "mysqld"].contains(&name.trim())
    };
    all.filter(|pid| works_there(pid) && is_server(pid)).collect()
}

/// The processes that made the segments of shared memory that are there.
pub fn makers_of_memory() -> Vec<u32> {
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap();
    table.lines().skip(1).map(|line| line.split_whitespace().nth(4).unwrap().parse().unwrap()).collect()
}

pub fn signal(process: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Waits until the first visit is about to begin.
pub fn wait_for_record(place: &Place) {
    let began = Instant::now();
    while !place.files().iter().any(|name| name.ends_with("_record.jsonl")) {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(50));
    }
}

/// The visits of a record.
pub fn visits(place: &Place, run: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.only_of(run, "_record.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["line"] == "visit").collect()
}

/// The counters of all visits.
fn counted(place: &Place, run: &str) -> Vec<Value> {
    visits(place, run).iter().map(|visit| visit["nodes"][0]["server"].clone()).collect()
}

#[test]
fn look_ups_are_reads_and_nothing_is_left() {
    let name = "look_ups_are_reads_and_nothing_is_left";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql simple --size 64M --sessions 1,3 --duration 500ms --seed 1 --no-html --json";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["run"]["nodes"][0]["engine"], "postgres");
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    for (point, counts) in points.iter().zip(counted(&place, "sql")) {
        let probes = counts["probes"].as_f64().unwrap();
        assert!(probes > 10.0, "{counts}");
        // The table is larger than what the server keeps, and no row comes twice: each is asked for once.
        let blocks = counts["table_blocks"].as_f64().unwrap();
        assert!((blocks - probes).abs() <= slack(probes) || probes > 8192.0, "{counts}");
        let flagged = point["flags"].to_string().contains("UNVERIFIED");
        let agrees =
            |count: &Value| count.as_f64().is_none_or(|count| (count - probes).abs() <= slack(probes));
        let in_blocks = |count: &Value| Value::from(count.as_f64().unwrap_or(f64::NAN) / 8192.0);
        let device = &counts["device"];
        let storage =
            [in_blocks(&counts["process_bytes"]), device["reads"].clone(), in_blocks(&device["bytes"])];
        let seen = !counts["process_bytes"].is_null() || !device.is_null();
        let right = seen
            && agrees(&counts["table_blocks"])
            && storage.iter().all(|count| count.is_null() || agrees(count));
        assert_eq!(flagged, !right, "{counts}: {}", point["flags"]);
        let rate = point["classes"]["simple"]["iops"]["value"].as_f64().unwrap();
        assert!(rate > 1.0 && rate < probes * 4.0, "{rate} beside {probes} in half a second or more");
    }
    assert_clean(place.path());
}

#[test]
fn a_run_that_is_stopped_puts_everything_away() {
    let name = "a_run_that_is_stopped_puts_everything_away";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = ["sql", "simple", "--size", "16M", "--sessions", "2", "--duration", "60s"];
    let run = place.command().args(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_record(&place);
    thread::sleep(Duration::from_millis(300));
    signal(run.id(), Signal::INT);
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["the run was stopped", "rigel sql resume", "recreates the server and its table"]);
    assert_clean(place.path());
}

/// It does not even end when it is told to.
#[test]
fn a_server_that_does_not_answer_any_more_ends_the_run() {
    let name = "a_server_that_does_not_answer_any_more_ends_the_run";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql simple --size 16M --sessions 2 --duration 300s --io-timeout 1s";
    let run =
        place.command().args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_record(&place);
    let servers = servers_in(place.path());
    assert!(makers_of_memory().iter().any(|maker| servers.contains(maker)), "{servers:?}");
    servers.iter().for_each(|server| signal(*server, Signal::STOP));
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["does not respond"]);
    assert_clean(place.path());
    assert!(!makers_of_memory().iter().any(|maker| servers.contains(maker)), "its memory is left");
}

#[test]
fn what_a_private_server_needs_is_told() {
    let place = place();
    fs::create_dir(place.path().join("empty")).unwrap();
    refused(place.line("sql simple --programs empty"), 3, &["no PostgreSQL server", "package postgresql"]);
    let Some(()) = needs("what_a_private_server_needs_is_told", private()) else { return };
    refused(place.line("sql simple missing --size 16M"), 3, &["missing"]);
    refused(place.line("sql simple --size 900T"), 2, &["--size"]);
    refused(place.line("sql simple --size 30T"), 3, &["does not fit"]);
    let told = place.line("sql simple --size 16M --dry-run").expect_code(0);
    for part in ["PostgreSQL", "a private server with a table of 16 MiB", "removed afterwards", "simple 1-5"]
    {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    assert_eq!(place.files(), ["empty"]);
}

#[test]
fn a_server_that_is_there_gets_a_schema_with_consent_and_loses_it_on_request() {
    let name = "a_server_that_is_there_gets_a_schema_with_consent_and_loses_it_on_request";
    let archive = "archive_mode = on\narchive_command = 'true'\n";
    let Some(server) = needs(name, PostgresServer::start(archive)) else { return };
    let place = place();
    let dsn = server.dsn();
    let sql = |more: &[&str]| {
        let line = ["sql", "simple", "--dsn", &dsn, "--sessions", "1,2", "--duration", "400ms", "--no-html"];
        tell(place.command().args(line).args(more))
    };
    refused(sql(&["--size", "8M"]), 3, &["has no schema rigel", "--create-in postgres"]);
    refused(sql(&["--size", "8M", "--create-in", "other"]), 2, &["the database is postgres"]);
    assert_eq!(server.ask("select count(*) from pg_namespace where nspname = 'rigel'").unwrap(), "0");
    // A session that waits for its turn meanwhile is not ended; versions before 14 do not know how to.
    let _ = server.ask("alter role postgres set idle_session_timeout = '200ms'");
    // Of another user: it fits better than the server's own of that name, and would run with our rights.
    let trap = "create function public.pg_relation_size(oid) returns int8 language plpgsql as \
        'begin create table if not exists public.taken (); return 8388608; end'";
    server.ask(trap).unwrap();
    let told = sql(&["--size", "8M", "--create-in", "postgres", "--json"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(server.ask("select count(*), count(distinct ctid) from rigel.big").unwrap(), "1024|1024");
    let logged = "select relpersistence from pg_class where oid = 'rigel.big'::regclass";
    assert_eq!(server.ask(logged).unwrap(), "u", "the archive gets nothing of it");
    // The table is in the caches of the host, and that is told.
    assert!(told.stdout.contains("UNVERIFIED"), "{}", told.stdout);
    let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    assert!(record.contains("--dsn DSN --sessions"), "what may hold a password is not kept");
    refused(sql(&["--size", "16M"]), 2, &["exists, with 8 MiB"]);
    assert_eq!(server.ask("select to_regclass('public.taken') is null").unwrap(), "t");
    let drop = || tell(place.command().args(["sql", "--dsn", &dsn, "--drop"]));
    server.ask("create view public.seen as select id from rigel.big").unwrap();
    refused(drop(), 3, &["view public.seen depends on table rigel.big", "nothing was removed"]);
    server.ask("drop view public.seen; create table rigel.mine (i int)").unwrap();
    refused(drop(), 3, &["table rigel.mine depends on schema rigel"]);
    assert_eq!(server.ask("select count(*) from rigel.big").unwrap(), "1024");
    server.ask("drop table rigel.mine; create role other; alter table rigel.big owner to other").unwrap();
    refused(drop(), 3, &["rigel.big belongs to another user", "nothing was removed"]);
    server.ask("alter table rigel.big owner to postgres").unwrap();
    drop().expect_code(0);
    refused(drop(), 2, &["no schema rigel"]);
    server.ask("create schema rigel; create table rigel.mine (i int)").unwrap();
    refused(sql(&["--size", "8M", "--create-in", "postgres"]), 3, &["is not Rigel's"]);
    refused(drop(), 3, &["is not Rigel's"]);
    assert_eq!(server.ask("select count(*) from rigel.mine").unwrap(), "0");
}

/// Nor does a limit that the server does not know leave a table behind.
#[test]
fn a_table_that_is_measured_is_not_removed() {
    let name = "a_table_that_is_measured_is_not_removed";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let place = place();
    let dsn = database.dsn();
    let line = ["sql", "simple", "--dsn", &dsn, "--sessions", "1", "--duration", "300s", "--size", "8M"];
    let more = ["--create-in", database.name(), "--io-timeout", "600h", "--drop"];
    let mut command = place.command();
    command.args(line).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    wait_for_record(&place);
    let other = tell(place.command().args(["sql", "--dsn", &dsn, "--drop"]));
    signal(run.id(), Signal::INT);
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(other, 3, &["rigel.big is in use"]);
    refused(told, 4, &["the run was stopped"]);
    assert_eq!(database.ask("select count(*) from pg_namespace where nspname = 'rigel'").unwrap(), "0");
}

#[test]
fn a_server_that_cannot_be_measured_is_refused() {
    let name = "a_server_that_cannot_be_measured_is_refused";
    let place = place();
    let sql = |dsn: &str, more: &[&str]| {
        tell(place.command().args(["sql", "simple", "--size", "8M", "--dsn", dsn]).args(more))
    };
    refused(sql("nonsense", &[]), 2, &["not a connection string"]);
    refused(sql("host=/nowhere user=a dbname=b", &[]), 3, &["does not respond"]);
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let (there, mine) = (database.dsn(), database.name());
    let of = |name: &str| there.replace(&format!("dbname={mine}"), &format!("dbname={name}"));
    refused(
        sql(&there, &["--create-in", mine, "--sessions", "200"]),
        3,
        &["too few connections", "max_connections"],
    );
    refused(sql(&of("none"), &[]), 3, &["no such database"]);
    refused(sql(&database.dsn_of("nobody_here"), &[]), 3, &["rejects this user"]);
    database.ask("create database \"two\nlines\"").unwrap();
    let odd = of("'two\nlines'");
    refused(
        sql(&odd, &["--sessions", "1"]),
        3,
        &["database two\\x0alines has no schema", "--create-in $'two\\x0alines'"],
    );
    let [small, few] = ["small", "few"].map(|role| database.role(role));
    database.ask(&format!("create role {small} login")).unwrap();
    refused(
        sql(&database.dsn_of(&small), &["--create-in", mine]),
        3,
        &["cannot be created", "permission denied"],
    );
    let limited =
        format!("create role {few} login connection limit 3; grant create on database {mine} to {few}");
    database.ask(&limited).unwrap();
    let told = sql(&database.dsn_of(&few), &["--create-in", mine, "--sessions", "4"]);
    refused(told, 3, &["too few connections", "too many connections for role"]);
    // Nothing was filled before that was known.
    assert_eq!(database.ask("select count(*) from pg_namespace where nspname = 'rigel'").unwrap(), "0");
    let line = ["sql", "simple", "--dsn", &there, "--create-in", mine, "--size", "30T"];
    refused(place.rigel(line), 3, &["the table of 30 TiB does not fit"]);
    assert_eq!(place.files(), Vec::<String>::new());
}

/// Neither for the rest of the rows, nor for a server that writes them to storage.
#[test]
fn who_ends_a_run_does_not_wait_for_its_table() {
    let name = "who_ends_a_run_does_not_wait_for_its_table";
    let Some(server) = needs(name, PostgresServer::start("")) else { return };
    let place = place();
    let dsn = server.dsn();
    let ended_during = |size: &str, what: &str| {
        let line =
            ["sql", "simple", "--dsn", &dsn, "--sessions", "1", "--create-in", "postgres", "--size", size];
        let mut command = place.command();
        let run = command.args(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(server.ask_until(&format!("select count(*) {what}"), |count| count == "1"), "1");
        signal(run.id(), Signal::INT);
        ProgramOutput::from(run.wait_with_output().unwrap())
    };
    let schemas = || server.ask("select count(*) from pg_namespace where nspname = 'rigel'").unwrap();
    let told = ended_during("1000M", "from pg_stat_progress_copy");
    refused(told, 4, &["not filled completely", "it was removed"]);
    assert_eq!(schemas(), "0");
    // Whoever writes it all does not go on.
    let checkpointer =
        server.ask("select pid from pg_stat_activity where backend_type = 'checkpointer'").unwrap();
    signal(checkpointer.parse().unwrap(), Signal::STOP);
    let told = ended_during("8M", "from pg_stat_activity where query = 'checkpoint'");
    signal(checkpointer.parse().unwrap(), Signal::CONT);
    refused(
        told,
        4,
        &["the run was stopped before its first point", "the schema rigel and its table are kept"],
    );
    assert_eq!(schemas(), "1");
}

#[test]
fn raw_reads_are_left_out_where_they_cannot_be_made_or_are_not_wanted() {
    let name = "raw_reads_are_left_out_where_they_cannot_be_made_or_are_not_wanted";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let (place, dsn) = (place(), database.dsn());
    let plan = |more: &[&str]| {
        let line =
            ["sql", "simple", "--dsn", &dsn, "--create-in", database.name(), "--size", "8M", "--dry-run"];
        tell(place.command().args(line).args(more)).expect_code(0)
    };
    assert!(plan(&[]).stdout.contains("the files of rigel.big"), "{}", plan(&[]).stdout);
    for without in [&["--sql-only"][..], &["--duration", "1s"]] {
        let told = plan(without);
        assert!(!told.stdout.contains("the files of"), "{}", told.stdout);
        assert_eq!(told.stderr.contains("leaves no turns"), without[0] == "--duration", "{}", told.stderr);
    }
}
