//! What is outstanding at a real server is what was asked for: rate times latency, of look-ups one by one and of commits.

use crate::sql::{self, assert_clean, place, private, room_of_commits};
use crate::support::{Place, tell};
use rigel_testdev::needs;
use serde_json::Value;
use std::process::{Command, Stdio};

/// The sessions and the counters of each visit, with the time that was measured in seconds.
fn visits(place: &Place) -> Vec<(f64, Value, f64)> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    let told = |visit: &Value| {
        let server = visit["nodes"][0]["server"].clone();
        (number(&visit["point"]["commit"]), server, number(&visit["measured_ns"]) / 1e9)
    };
    sql::visits(place, "sql").iter().map(told).collect()
}

#[test]
fn each_look_up_alone_has_its_own_latency() {
    let name = "each_look_up_alone_has_its_own_latency";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql simple --size 32M --sessions 2 --duration 500ms --probe single --no-html --json";
    // Files of ours are nobody else's by default, but the server is another user for root.
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 077; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_rigel")]).args(line.split(' '));
    let told = tell(shell.current_dir(place.path()).stdin(Stdio::null()));
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    let io = &document["points"][0]["classes"]["simple"];
    let (rate, mean) =
        (io["iops"]["value"].as_f64().unwrap(), io["latency_us"]["mean"]["value"].as_f64().unwrap());
    let max = io["latency_us"]["max"].as_f64().unwrap();
    assert!(max > mean);
    // One that began before the window of half a second counts with all of its time.
    let off = (rate * mean / 1e6 / 2.0 - 1.0).abs();
    assert!(off < 0.05 + max / 500_000.0, "two are outstanding: {rate} of {mean} us, {max} at most");
}

#[test]
fn a_flush_is_shared_by_as_many_commits_as_there_are_sessions() {
    let name = "a_flush_is_shared_by_as_many_commits_as_there_are_sessions";
    let Some(()) = needs(name, room_of_commits().and_then(|()| private())) else { return };
    let place = place();
    let told = place.line("sql commit --sessions 1,4 --duration 700ms --no-html --json");
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert!(!document["points"].to_string().contains("UNVERIFIED"), "{document:#}");
    let points = document["points"].as_array().unwrap();
    let visits = visits(&place);
    assert_eq!((points.len(), visits.len()), (2, 2));
    for ((sessions, counts, measured_s), point) in visits.iter().zip(points) {
        let [commits, flushes] = ["commits", "flushes"].map(|name| counts[name].as_f64().unwrap());
        assert!(commits > 5.0 && commits <= 1.01 * sessions * flushes + 4.0 * sessions, "{counts}");
        let io = &point["classes"]["commit"];
        let counted = io["iops"]["value"].as_f64().unwrap() * measured_s;
        assert!(counted <= commits + sessions && counted >= 0.5 * commits - sessions, "{counted}: {counts}");
        assert_eq!((&io["reads"], io["writes"].as_f64().unwrap() > 1.0), (&Value::from(0), true), "{io:#}");
        // One after the other in each session: none is answered before the last one was.
        let mean_us = io["latency_us"]["mean"]["value"].as_f64().unwrap();
        let outstanding = counted / measured_s * mean_us / 1e6;
        assert!((outstanding / sessions - 1.0).abs() < 0.1, "{outstanding} of {sessions}: {io:#}");
    }
    let (_, alone, _) = &visits[0];
    assert!(alone["flushes"].as_f64().unwrap() >= 0.99 * alone["commits"].as_f64().unwrap() - 4.0, "{alone}");
    let sentence = document["verdict"]["working"].as_str().unwrap_or_default();
    let is_disturbed = points.iter().any(|point| point["flags"].to_string().contains("\"invalid\":true"));
    assert!(is_disturbed || !sentence.is_empty(), "{document:#}");
    assert_clean(place.path());
}
