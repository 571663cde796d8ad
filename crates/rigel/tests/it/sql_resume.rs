//! `rigel sql --resume`: the server of a run goes away in the middle of a visit, and comes back.

use super::sql::{dsn, refused};
use crate::support::{Place, Told, tell};
use rigel_testdev::{PostgresServer, needs};
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

const FILE: &str = "select pg_relation_filepath('rigel.big'), relpersistence from pg_class where oid = 'rigel.big'::regclass";

fn visits(place: &Place) -> usize {
    let record = |name: &String| name.ends_with("_record.jsonl");
    let Some(name) = place.files().into_iter().find(record) else { return 0 };
    let text = fs::read_to_string(place.path().join(name)).unwrap();
    text.lines().filter(|line| line.contains("\"line\":\"visit\"")).count()
}

#[test]
fn a_run_goes_on_with_the_same_table_when_the_server_is_back() {
    let name = "a_run_goes_on_with_the_same_table_when_the_server_is_back";
    let Some(mut server) = needs(name, PostgresServer::start("")) else { return };
    let place = Place::new();
    let dsn = dsn(&server);
    let run = ["sql", "simple", "--dsn", &dsn, "--create-in", "postgres", "--size", "16M", "--no-html"];
    let mut command = place.command();
    command.args(run).args(["--sessions", "1,2,3", "--duration", "1500ms"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while visits(&place) == 0 {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(20));
    }
    let before = server.ask(FILE).unwrap();
    assert!(before.ends_with("|p"), "nobody has a copy of what this server logs: {before}");
    server.crash();
    let told = Told::from(child.wait_with_output().unwrap());
    let behind = visits(&place);
    assert!(behind < 3, "it was too late");
    refused(told, 4, &["rigel sql --dsn DSN --resume"]);
    let record = place.only("_record.jsonl").display().to_string();
    let again = |more: &[&str]| {
        let line = ["sql", "--dsn", &dsn, "--resume", &record, "--no-html", "--json"];
        tell(place.command().args(line).args(more))
    };
    refused(again(&[]), 3, &["does not answer"]);
    server.start_again();
    refused(place.line(&format!("run --resume {record}")), 2, &["name the server again"]);
    server.ask("alter table rigel.big rename to other").unwrap();
    refused(again(&[]), 3, &["not as Rigel makes it"]);
    server.ask("alter table rigel.other rename to big").unwrap();
    assert_eq!(visits(&place), behind, "what is refused leaves the record as it was");
    let told = again(&["--drop"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(told.json()["points"].as_array().unwrap().len(), 3);
    assert_eq!(visits(&place), 3);
    assert!(server.ask(FILE).is_err(), "the schema was dropped");
}
