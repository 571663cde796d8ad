//! `rigel sql prove` with a real server: the experiment on a tiny table, and what it leaves.

use crate::sql::{assert_clean, place, private, refused, room, signal};
use crate::support::{Place, ProgramOutput};
use rigel_testdev::{PostgresDatabase, PostgresServer, needs};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Stdio};

/// The plan that the planner chooses for a share of the rows under a value.
fn chosen(document: &Value, selectivity: f64, value: f64) -> &str {
    let choices = document["random_page_cost"]["choices"].as_array().unwrap();
    let same = |one: &&Value| {
        one["selectivity"].as_f64() == Some(selectivity) && one["value"].as_f64() == Some(value)
    };
    choices.iter().find(same).unwrap()["plan"].as_str().unwrap()
}

/// An experiment that has said so, what it goes on saying, and what it said.
fn until(place: &Place, line: &[&str], said: &str) -> (Child, BufReader<ChildStderr>, String) {
    let mut run = place.command().args(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(run.stderr.take().unwrap());
    let mut all = String::new();
    while !all.contains(said) {
        assert!(told.read_line(&mut all).unwrap() > 0, "{all}");
    }
    (run, told, all)
}

fn proven(place: &Place, line: &str) -> Value {
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["refuted"], told.code == 1, "{}", told.stderr);
    document
}

#[test]
fn every_plan_is_timed_and_nothing_is_left() {
    let name = "every_plan_is_timed_and_nothing_is_left";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let document =
        proven(&place, "sql prove --size 4M --seed 1 --max-duration 1s --quiet --json --name tiny");
    assert_eq!(document["schema"], "rigel.proof/1");
    // The planner's choice rests on statistics of a known table, not on the machine.
    let ends = [(0.0001, 1.0), (0.1, 64.0)].map(|(share, value)| chosen(&document, share, value));
    assert_eq!(ends, ["index", "sequential"]);
    let cells = document["random_page_cost"]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 24);
    for plan in cells.iter().flat_map(|cell| cell["plans"].as_array().unwrap()) {
        let rounds = plan["rounds"].as_array().unwrap();
        assert!(rounds.len() == 2 && rounds.iter().all(|seconds| seconds.as_f64().unwrap() > 0.0), "{plan}");
    }
    let about = &document["about"];
    assert_eq!(
        (about["rows"].as_u64(), about["table_bytes"].as_u64()),
        (Some(4096), Some(4 << 20)),
        "{about}"
    );
    // From version 18 on, the server is started anew for each of its methods.
    let major: u32 = about["version"].as_str().unwrap().split('.').next().unwrap().parse().unwrap();
    let methods =
        document["concurrency"].as_array().unwrap().iter().find(|one| one["setting"] == "io_method");
    assert_eq!(methods.is_some(), major >= 18, "{about}");
    for method in methods.iter().flat_map(|one| one["values"].as_array().unwrap()) {
        assert!(method["word"].is_string() && method["at"].as_array().unwrap().len() == 3, "{method}");
    }
    let scans = document["concurrency"][0]["values"].as_array().unwrap();
    assert!(scans.len() >= 10 && scans.iter().all(|value| value["at"].as_array().unwrap().len() == 3));
    let files = ["_proof.json", "_proof.html"].map(|suffix| place.only_of("tiny", suffix));
    assert_eq!(serde_json::from_slice::<Value>(&std::fs::read(&files[0]).unwrap()).unwrap(), document);
    assert_clean(place.path());
}

/// Every value takes its turns, whatever the storage makes of it.
#[test]
fn settings_of_mysql_are_tried_and_nothing_is_left() {
    let name = "settings_of_mysql_are_tried_and_nothing_is_left";
    let place = place();
    let there = place.line("sql prove --database mysql --size 4M --dry-run");
    let missing =
        || rigel_testdev::MissingNeed::new(there.stderr.lines().next().unwrap_or_default().to_owned());
    let Some(()) = needs(name, if there.code == 0 { Ok(()) } else { Err(missing()) }) else { return };
    assert!(there.stdout.contains("innodb_io_capacity"), "{}", there.stdout);
    let line = "sql prove --database mysql --size 4M --seed 1 --for 1s --quiet --json --name tiny";
    let document = proven(&place, line);
    assert_eq!(document["random_page_cost"], Value::Null);
    let about = &document["about"];
    assert_eq!((about["rows"].as_u64(), about["block_bytes"].as_u64()), (Some(768), Some(16_384)), "{about}");
    assert!(about["storage"]["writes_per_s"].as_f64().unwrap() > 0.0, "{about}");
    let all = document["concurrency"].as_array().unwrap();
    let settings: Vec<&str> = all.iter().map(|one| one["setting"].as_str().unwrap()).collect();
    for setting in ["innodb_io_capacity", "innodb_flush_neighbors", "innodb_read_io_threads"] {
        assert!(settings.contains(&setting), "{settings:?}");
    }
    // With so little time a turn has one second, which is the worst as well.
    assert!(settings.iter().all(|setting| !setting.ends_with(", worst second")), "{settings:?}");
    for value in all.iter().flat_map(|one| one["values"].as_array().unwrap()) {
        let at = value["at"].as_array().unwrap();
        assert!(!at.is_empty() && at.iter().all(|at| at["rows_per_s"].as_f64().unwrap() > 0.0), "{value}");
    }
    assert_clean(place.path());
}

#[test]
fn an_experiment_that_is_stopped_leaves_no_server() {
    let name = "an_experiment_that_is_stopped_leaves_no_server";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let (mut run, mut told, _) = until(&place, &["sql", "prove", "--size", "4M"], "random_page_cost");
    signal(run.id(), Signal::INT);
    std::io::copy(&mut told, &mut std::io::sink()).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(4));
    assert_eq!(place.files(), Vec::<String>::new());
    assert_clean(place.path());
}

/// Rows are sent all the time then, and each is news.
#[test]
fn an_experiment_that_is_stopped_while_it_fills_asks_nothing() {
    let name = "an_experiment_that_is_stopped_while_it_fills_asks_nothing";
    let Some(()) = needs(name, room(3 << 30).and_then(|()| private())) else { return };
    let place = place();
    let (mut run, mut told, mut all) = until(&place, &["sql", "prove", "--size", "2G"], "filling the table");
    signal(run.id(), Signal::INT);
    told.read_to_string(&mut all).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(4), "{all}");
    assert!(!all.contains("2 GiB of 2") && !all.contains("random_page_cost"), "{all}");
    assert_clean(place.path());
}

/// What a killed run left takes the room that the next one needs.
#[test]
fn a_killed_experiment_leaves_nothing_to_the_next_one() {
    let name = "a_killed_experiment_leaves_nothing_to_the_next_one";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let (mut run, _told, all) = until(&place, &["sql", "prove", "--size", "4M"], "filling the table");
    assert!(all.contains("note: a table of 4 MiB is small"), "{all}");
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(place.path().join("rigel-sql-server/data").is_dir(), "there is something to be removed");
    // It is too large for any disk, and what was left is gone all the same.
    refused(place.line("sql prove --size 30T"), 3, &["a private server with a table of 30 TiB does not fit"]);
    assert_clean(place.path());
}

#[test]
fn a_server_that_is_there_is_as_before() {
    let name = "a_server_that_is_there_is_as_before";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let place = place();
    let (dsn, mine, role) = (database.dsn(), database.name(), database.role("plain"));
    let prove = |more: &[&str]| -> ProgramOutput {
        let line = ["sql", "prove", "--size", "4M", "--max-duration", "1s", "--quiet", "--json"];
        let own: &[&str] = if more.contains(&"--dsn") { &[] } else { &["--dsn", &dsn] };
        ProgramOutput::from(place.command().args(line).args(own).args(more).output().unwrap())
    };
    refused(prove(&[]), 3, &["creating one was not allowed", &format!("--create-in {mine}")]);
    database.ask("create schema rigel").unwrap();
    refused(prove(&["--create-in", mine]), 3, &["already has a schema rigel"]);
    // Three times the server's own cache, and the sixteenth part of that and of the table.
    let told = prove(&["--create-in", mine, "--dry-run"]).expect_code(0);
    assert!(told.stdout.contains("a table of 4 MiB, and up to 3.44 MiB of indexes"), "{}", told.stdout);
    database.ask("drop schema rigel").unwrap();
    // A role that may make a schema, and nothing else, such as to have the server write everything to storage.
    let limited =
        format!("create role {role} login connection limit 5; grant create on database {mine} to {role}");
    database.ask(&limited).unwrap();
    let plain = database.dsn_of(&role);
    let by_plain = ["--create-in", mine, "--dsn", &plain];
    refused(prove(&by_plain), 3, &["too few connections", "raise the limit of the user"]);
    assert_eq!(database.ask(SCHEMAS).unwrap(), "0", "that is known before anything is made");
    database.ask(&format!("alter role {role} connection limit -1")).unwrap();
    let told = prove(&by_plain);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(database.ask(SCHEMAS).unwrap(), "0");
}

const SCHEMAS: &str = "select count(*) from pg_namespace where nspname = 'rigel'";

#[test]
fn what_a_lost_server_keeps_is_told_and_can_be_removed() {
    let name = "what_a_lost_server_keeps_is_told_and_can_be_removed";
    let Some(mut server) = needs(name, PostgresServer::start("shared_buffers = 1MB\n")) else {
        return;
    };
    let place = place();
    let dsn = server.dsn();
    let line = ["sql", "prove", "--dsn", &dsn, "--create-in", "postgres", "--size", "4M"];
    let (mut run, mut stderr, mut all) = until(&place, &line, "random_page_cost");
    server.crash();
    stderr.read_to_string(&mut all).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(4), "{all}");
    for part in ["the connection to the server was lost", "may still be there", "rigel sql drop --dsn DSN"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(!all.contains("is in the record"), "an experiment has none: {all}");
    server.start_again();
    assert_eq!(server.ask(SCHEMAS).unwrap(), "1");
    place.rigel(["sql", "--dsn", &dsn, "--drop"]).expect_code(0);
    assert_eq!(server.ask(SCHEMAS).unwrap(), "0");
}
