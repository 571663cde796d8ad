//! `rigel sql --resume`: the server of a run goes away in the middle of a visit, and comes back, or is made again.

use super::sql::{assert_clean, place, private, refused, servers_in, signal};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{PostgresServer, needs};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const FILE: &str = "select pg_relation_filepath('rigel.big'), relpersistence from pg_class where oid = 'rigel.big'::regclass";

fn visits(place: &Place) -> usize {
    let record = |name: &String| name.ends_with("_record.jsonl");
    let Some(name) = place.files().into_iter().find(record) else { return 0 };
    let text = fs::read_to_string(place.path().join(name)).unwrap();
    text.lines().filter(|line| line.contains("\"line\":\"visit\"")).count()
}

fn started(place: &Place, line: &str) -> Child {
    let mut command = place.command();
    command.args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for_visits(place: &Place, count: usize) {
    let began = Instant::now();
    while visits(place) < count {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(20));
    }
}

/// The numbers of the visits of a record, and what each began with.
fn numbers(place: &Place) -> Vec<u64> {
    let text = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["line"] == "visit").map(|line| line["number"].as_u64().unwrap()).collect()
}

#[test]
fn a_private_server_that_was_killed_is_made_again_with_the_same_table() {
    let name = "a_private_server_that_was_killed_is_made_again_with_the_same_table";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    fs::create_dir(place.path().join("disk")).unwrap();
    let line = "sql simple disk --size 16M --sessions 1,2,3 --duration 800ms --seed 5 --no-html";
    let run = started(&place, line);
    wait_for_visits(&place, 1);
    let notes = place.path().join("disk/rigel-sql-server/data/postmaster.pid");
    let postmaster = fs::read_to_string(notes).unwrap().lines().next().unwrap().parse().unwrap();
    signal(postmaster, Signal::KILL);
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    let behind = visits(&place);
    assert!(behind < 3, "it was too late");
    refused(told, 4, &["rigel sql resume", "recreates the server and its table"]);
    assert_clean(&place.path().join("disk"));
    let record = place.only("_record.jsonl").display().to_string();
    refused(place.line(&format!("run --resume {record}")), 2, &["rigel sql resume RECORD"]);
    let on_another = ["sql", "--dsn", "dbname=shop", "--resume", &record];
    refused(tell(place.command().args(on_another)), 2, &["on a private server", "without --dsn"]);
    fs::rename(place.path().join("disk"), place.path().join("elsewhere")).unwrap();
    let again = format!("sql --resume {record} --no-html --json");
    assert_eq!(place.line(&again).code, 3, "the directory is gone");
    fs::rename(place.path().join("elsewhere"), place.path().join("disk")).unwrap();
    assert_eq!(visits(&place), behind, "what is refused leaves the record as it was");
    let told = place.line(&again);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let parts = ["is recreated", "filled as before: 16 MiB, seed 5", "resumes after the"];
    assert!(parts.iter().all(|part| told.stderr.contains(part)), "{}", told.stderr);
    assert_eq!(told.json()["points"].as_array().unwrap().len(), 3);
    assert_eq!(visits(&place), 3);
    assert_clean(&place.path().join("disk"));
}

/// Raw reads and look-ups through the index have their figures, and what can be told of them is told.
fn assert_whole(document: &Value) {
    let loads = document["loads"].as_array().unwrap();
    assert!(loads.len() == 1 && loads[0]["index_blocks_per_look_up"].is_number(), "{document:#}");
    let first = document["sentences"][0].as_str().unwrap();
    let named = first.contains("look-ups per second through the index,");
    assert!(named || first.contains("too short to tell how much of the raw I/O reaches SQL"), "{first}");
    assert!(!named || document["sentences"].to_string().contains("of the index, so"), "{document:#}");
}

/// Killed where it could not even say how to go on, and with raw reads in turns, through an index.
#[test]
fn a_run_with_a_private_server_goes_on_after_it_was_killed() {
    let name = "a_run_with_a_private_server_goes_on_after_it_was_killed";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql simple --size 32M --sessions 2 --probe index --precision 20% --max-duration 11s --seed 5 --no-html";
    let mut run = started(&place, line);
    wait_for_visits(&place, 2);
    run.kill().unwrap();
    run.wait().unwrap();
    let before = numbers(&place);
    let record = place.only("_record.jsonl").display().to_string();
    let told = place.line(&format!("sql --resume {record} --no-html --json"));
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_whole(&told.json());
    let all = numbers(&place);
    assert!(all.starts_with(&before) && all.len() >= before.len(), "{before:?} {all:?}");
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
    assert_clean(place.path());
    assert_eq!(servers_in(place.path()), Vec::<u32>::new());
    // It is over; its outputs are made without a server.
    let told = place.line(&format!("sql --resume {record} --no-html --json"));
    assert!([0, 1].contains(&told.code) && !told.stderr.contains("is recreated"), "{}", told.stderr);
}

#[test]
fn a_run_goes_on_with_the_same_table_when_the_server_is_back() {
    let name = "a_run_goes_on_with_the_same_table_when_the_server_is_back";
    let Some(mut server) = needs(name, PostgresServer::start("")) else { return };
    let place = Place::new();
    let dsn = server.dsn();
    let run = ["sql", "simple", "--dsn", &dsn, "--create-in", "postgres", "--size", "16M", "--no-html"];
    let mut command = place.command();
    command.args(run).args(["--sessions", "1,2,3", "--duration", "800ms"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while visits(&place) == 0 {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(20));
    }
    let before = server.ask(FILE).unwrap();
    assert!(before.ends_with("|p"), "nobody has a copy of what this server logs: {before}");
    server.crash();
    let told = ProgramOutput::from(child.wait_with_output().unwrap());
    let behind = visits(&place);
    assert!(behind < 3, "it was too late");
    refused(told, 4, &["rigel sql resume", " --dsn DSN"]);
    let record = place.only("_record.jsonl").display().to_string();
    let again = |more: &[&str]| {
        let line = ["sql", "--dsn", &dsn, "--resume", &record, "--no-html", "--json"];
        tell(place.command().args(line).args(more))
    };
    refused(again(&[]), 3, &["does not respond"]);
    server.start_again();
    refused(place.line(&format!("run --resume {record}")), 2, &["name the server again"]);
    server.ask("alter table rigel.big rename to other").unwrap();
    refused(again(&[]), 3, &["not as Rigel created it"]);
    server.ask("alter table rigel.other rename to big").unwrap();
    assert_eq!(visits(&place), behind, "what is refused leaves the record as it was");
    let told = again(&["--drop"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(told.json()["points"].as_array().unwrap().len(), 3);
    assert_eq!(visits(&place), 3);
    assert!(server.ask(FILE).is_err(), "the schema was dropped");
}

/// The log is kept for others, so that the table is not logged.
#[test]
fn a_table_that_a_crash_emptied_is_not_gone_on_with() {
    let name = "a_table_that_a_crash_emptied_is_not_gone_on_with";
    let Some(mut server) = needs(name, PostgresServer::start("wal_keep_size = 64MB\n")) else { return };
    let place = Place::new();
    let dsn = server.dsn();
    let run = ["sql", "simple", "--dsn", &dsn, "--create-in", "postgres", "--size", "16M", "--no-html"];
    let mut command = place.command();
    command.args(run).args(["--sessions", "1,2,3", "--duration", "800ms"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_visits(&place, 1);
    assert!(server.ask(FILE).unwrap().ends_with("|u"));
    server.crash();
    let told = ProgramOutput::from(child.wait_with_output().unwrap());
    assert!(visits(&place) < 3, "it was too late");
    let parts = ["unless the server crashes", "start a new run"];
    refused(told, 4, &parts);
    server.start_again();
    let record = place.only("_record.jsonl").display().to_string();
    let again = ["sql", "--dsn", &dsn, "--resume", &record, "--no-html"];
    let parts = ["the table rigel.big is empty", "crashed", "rigel sql drop", "start a new run"];
    refused(tell(place.command().args(again)), 3, &parts);
    tell(place.command().args(["sql", "--dsn", &dsn, "--drop"])).expect_code(0);
}
