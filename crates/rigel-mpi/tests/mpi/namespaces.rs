//! Three hosts whose clocks are far apart, and what becomes of a run when one of them is lost.

use crate::hosts::{HOSTS, Hosts, ip};
use crate::support::Place;
use rigel_testdev::needs;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A cut link ends the run within this time.
const AFTER_A_CUT: Duration = Duration::from_secs(10);
/// The exit code of mpirun when a host is gone with mpirun's own process there.
const LOST_HOST: i32 = 205;
/// What mpirun needs to end the rest.
const FOR_MPIRUN: Duration = Duration::from_secs(5);

#[test]
fn hosts_whose_clocks_are_far_apart_measure_the_same_moments() {
    let Some(hosts) = needs("rigel-mpi: three hosts", Hosts::up()) else { return };
    let place = Place::new();
    place.load("one.toml", 9);
    let told = place.run(
        &hosts.script(&place),
        HOSTS,
        "--oversubscribe run --load one.toml --engine null --workers 1 --duration 1s",
    );
    // On a busy host none of the numbers may be used; what is looked at is when the nodes began.
    told.expect_measured();
    let record = place.read("_record.jsonl");
    let mut lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    let names: Vec<&str> = header["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["member"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["rgl1", "rgl2", "rgl3"]);
    let visit = lines.find(|line| line["line"] == "visit").unwrap();
    for node in visit["nodes"].as_array().unwrap() {
        assert!(node["joined"]["counted"]["small"]["ops"].as_u64().unwrap() > 0);
        // The witness of each host tells the time of the run, whatever its own clock shows.
        let began = node["witness"]["began_ns"].as_u64().unwrap();
        let window = visit["began_ns"].as_u64().unwrap();
        assert!(began.abs_diff(window) < 5_000_000_000, "{began} {window}");
    }
}

#[test]
fn a_cut_link_ends_the_run_with_the_name_of_the_host() {
    let Some(hosts) = needs("rigel-mpi: a cut link", Hosts::up()) else { return };
    let place = Place::new();
    let script = hosts.script(&place);
    place.load("one.toml", 9);
    let words = "--oversubscribe run --load one.toml --engine null --workers 1 --duration 60s";
    let mut run = place.start(&script, HOSTS, words);
    run.wait_for_record(&place);
    assert!(ip("link set vrgl3 down"));
    let began = Instant::now();
    let (code, told, took) = (run.end(), run.told(), began.elapsed());
    println!("a cut link: code {code} after {took:.1?}");
    // Waiting is all that it does: 6 s of silence, or as long until the keepalive of mpirun sees it; then mpirun ends what it can reach, for which it
    // gives itself some seconds.
    assert!(took < AFTER_A_CUT + FOR_MPIRUN, "{took:?}: {told}");
    // Whoever sees it first names the host.
    match code {
        4 => assert!(told.contains("node 2 (rgl3) has not answered for 6"), "{told}"),
        LOST_HOST => assert!(told.contains("on node rgl3"), "{told}"),
        other => panic!("{other}: {told}"),
    }
    place.record_is_whole();
    run.nothing_is_left();
}

#[test]
fn a_host_that_dies_ends_the_run() {
    let Some(hosts) = needs("rigel-mpi: a host that dies", Hosts::up()) else { return };
    let place = Place::new();
    let script = hosts.script(&place);
    place.load("one.toml", 9);
    let words = "--oversubscribe run --load one.toml --engine null --workers 1 --duration 60s";
    let mut run = place.start(&script, HOSTS, words);
    run.wait_for_record(&place);
    let pids = Command::new("ip").args(["netns", "pids", "rgl2"]).output().unwrap();
    for pid in String::from_utf8_lossy(&pids.stdout).split_whitespace() {
        let _ = Command::new("kill").args(["-s", "KILL", pid]).stderr(Stdio::null()).status();
    }
    let (code, told) = (run.end(), run.told());
    // Which of its processes goes first is the killer's choice: that of mpirun, or the rank.
    assert!([LOST_HOST, 137].contains(&code), "{code}: {told}");
    assert!(told.contains("on node rgl2"), "{told}");
    place.record_is_whole();
    run.nothing_is_left();
}
