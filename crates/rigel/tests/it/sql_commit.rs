//! `rigel sql commit` on a real server: transactions that are durable, and some that are not.

use crate::sql::{assert_clean, place, private, refused, room_of_commits};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{PostgresServer, needs};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn commits_that_nobody_waits_for_are_unverified() {
    let name = "commits_that_nobody_waits_for_are_unverified";
    // A write that would be durable by itself is not, either, without fsync.
    let settings = "wal_sync_method = open_datasync\n";
    let Some(server) = needs(name, room_of_commits().and_then(|()| PostgresServer::start(settings))) else {
        return;
    };
    let dsn = server.dsn();
    let run = |more: &[&str]| -> (Place, ProgramOutput) {
        let place = place();
        let told = tell(place.command().args(["sql", "commit", "--dsn", &dsn, "--sessions", "2"]).args(more));
        (place, told)
    };
    refused(run(&[]).1, 3, &["creating one was not allowed"]);
    refused(
        run(&["--create-in", "postgres", "--size", "1G"]).1,
        2,
        &["--size cannot be combined with the level 'commit'"],
    );
    refused(
        run(&["--create-in", "postgres", "--probe", "single"]).1,
        2,
        &["--probe cannot be combined with the level 'commit'"],
    );
    let whole = ["--create-in", "postgres", "--duration", "500ms", "--no-html", "--json"];
    // Servers of tests do not wait for the disk.
    assert_eq!(server.ask("show fsync").unwrap(), "off");
    let (_, told) = run(&whole);
    let told = told.expect_unusable("UNVERIFIED");
    assert!(told.json()["points"].to_string().contains("UNVERIFIED"), "{}", told.stdout);
    assert!(told.stdout.contains("commits needed only 0 log flushes"), "{}", told.stdout);
    let left = "select count(*) from pg_namespace where nspname = 'rigel'";
    assert_eq!(server.ask(left).unwrap(), "0", "the table goes with its schema");
}

#[test]
fn a_server_that_is_there_loses_nothing_by_commits() {
    let name = "a_server_that_is_there_loses_nothing_by_commits";
    let archive = "archive_mode = on\narchive_command = 'true'\n";
    let Some(server) = needs(name, room_of_commits().and_then(|()| PostgresServer::start(archive))) else {
        return;
    };
    let (dsn, place) = (server.dsn(), place());
    let ask = |sql: &str| server.ask(sql).unwrap();
    let run = || {
        let line = ["sql", "commit", "--dsn", &dsn, "--sessions", "1", "--create-in", "postgres"];
        tell(place.command().args(line).args(["--duration", "300ms", "--no-html"]))
    };
    ask("create schema rigel");
    ask("comment on schema rigel is 'made by Rigel to measure; rigel sql drop removes it'");
    ask("create role other");
    ask("create table rigel.commits (taken int)");
    ask("alter table rigel.commits owner to other");
    refused(run(), 3, &["rigel.commits belongs to another user"]);
    assert_eq!(ask("select count(taken) from rigel.commits"), "0", "it is still there");
    ask("drop table rigel.commits");
    ask("create publication of_all for all tables");
    refused(run(), 3, &["publication", "subscribers lack rigel.commits"]);
    ask("drop publication of_all");
    let told = run().expect_unusable("UNVERIFIED");
    assert!(told.stderr.contains("the server archives or replicates its log"), "{}", told.stderr);
    assert_eq!(ask("select count(*) from pg_namespace where nspname = 'rigel'"), "0", "none is left empty");
    ask("alter system set max_wal_size = '100TB'");
    ask("select pg_reload_conf()");
    while ask("show max_wal_size") != "100TB" {
        thread::sleep(Duration::from_millis(20));
    }
    refused(run(), 3, &["a log of commits of 2 GiB does not fit", "free some space"]);
}

#[test]
fn a_plan_of_commits_names_what_is_written() {
    let name = "a_plan_of_commits_names_what_is_written";
    let Some(()) = needs(name, room_of_commits().and_then(|()| private())) else { return };
    let told = place().line("sql commit --sessions 2 --dry-run").expect_code(0);
    let written = "rigel-scratch.dat of 32 MiB for raw commits";
    let words = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["with the table rigel.commits and a log of up to 2 GiB", written, "removed afterwards"] {
        assert!(words.contains(part), "{part}: {}", told.stdout);
    }
    assert!(!told.stdout.contains("rigel.big") && !told.stdout.contains("a table of"), "{}", told.stdout);
    let told = place().line("sql commit --sessions 2 --sql-only --dry-run").expect_code(0);
    assert!(!told.stdout.contains("rigel-scratch"), "{}", told.stdout);
}

/// The log of raw commits lies with the server, and goes with it.
#[test]
fn a_killed_run_of_commits_leaves_no_log_to_the_next_one() {
    let name = "a_killed_run_of_commits_leaves_no_log_to_the_next_one";
    let Some(()) = needs(name, room_of_commits().and_then(|()| private())) else { return };
    let place = place();
    let mut command = place.command();
    command.args(["sql", "commit", "--sessions", "2", "--max-duration", "60s", "--quiet", "--no-html"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !place.files().iter().any(|name| name.ends_with("_record.jsonl")) {
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", run.try_wait());
        thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let log = place.path().join("rigel-sql-server/rigel-scratch.dat");
    assert!(log.is_file(), "there is something to be removed: {:?}", place.files());
    let told =
        place.line("sql simple --size 16M --sessions 1 --duration 200ms --name last --no-html --quiet");
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert!(
        !log.exists() && !place.files().iter().any(|name| name.contains("scratch")),
        "{:?}",
        place.files()
    );
    assert_clean(place.path());
}

#[test]
fn commits_take_turns_with_raw_ones() {
    let name = "commits_take_turns_with_raw_ones";
    let Some(()) = needs(name, room_of_commits().and_then(|()| private())) else { return };
    let place = place();
    let told = place.line("sql commit --sessions 2 --max-duration 5s --no-html --json");
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["schema"], "rigel.sql/1");
    let load = &document["loads"][0];
    let rate = |way: &str| load[way]["per_s"]["value"].as_f64().unwrap();
    assert!(rate("raw") > 1.0 && rate("sql") > 1.0 && load["sessions"] == 2, "{load:#}");
    let shared = load["commits_per_flush"].as_f64().unwrap();
    assert!((0.5..=2.05).contains(&shared), "two sessions: {load:#}");
    let sentences = document["sentences"].to_string();
    assert!(!sentences.contains("IOPS") && !sentences.contains("look-up"), "{sentences}");
    assert_clean(place.path());
    assert!(!place.files().iter().any(|file| file.starts_with("rigel-scratch")), "{:?}", place.files());
}
