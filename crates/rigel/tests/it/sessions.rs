//! How much sessions differ, from the history of calibrations: what one run of each side can show.

use crate::support::{Place, ProgramOutput, tell};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A record of a simulated run as if its target were real: only such ones have a history.
fn as_if_real(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(header).unwrap();
    header["request"]["engine"] = "auto".into();
    if header["request"]["sides"].is_object() {
        header["request"]["sides"]["engine"] = "auto".into();
    }
    fs::write(path, format!("{header}\n{rest}")).unwrap();
}

/// A history of so many calibrations of these targets, whose rates differ by some per cent.
fn history(home: &Path, targets: &[&str], sessions: u32) {
    fs::create_dir_all(home.join("rigel")).unwrap();
    let database = Connection::open(home.join("rigel/calibrations.sqlite")).unwrap();
    let table = "CREATE TABLE IF NOT EXISTS calibration (id INTEGER PRIMARY KEY, started TEXT NOT NULL, document TEXT NOT NULL,
                 record TEXT); PRAGMA user_version = 2; DELETE FROM calibration;";
    database.execute_batch(table).unwrap();
    for session in 0..sessions {
        let rate = 4000.0 * (1.0 + 0.04 * f64::from(session % 5));
        let document = json!({
            "schema": "rigel.calibration/1", "run": "r", "started": "2026", "targets": targets, "max_iops": null,
            "reason": "x", "actual_latency_ms": null, "outstanding": null, "max_latency_ms": 10.0, "percentile": "mean",
            "write_percent": 0, "size_small": 8192, "size_large": 1_048_576,
            "unbounded_iops": { "value": rate, "lo95": null, "hi95": null, "visits": null, "basis": "none" },
            "max_mbps": null, "max_pmbps": null, "latency_at_1_us": null, "n_sat": null, "complete": true, "flags": []
        });
        database
            .execute(
                "INSERT INTO calibration (started, document) VALUES ('2026', ?1)",
                [document.to_string()],
            )
            .unwrap();
    }
}

fn with_history(place: &Place, home: &Path, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("XDG_STATE_HOME", home))
}

fn record(place: &Place, name: &str, service: &str, seed: u32) -> PathBuf {
    let engine = format!("sim:service={service},between=1%,spread=exponential");
    let line = format!("run oltp --engine {engine} --seed {seed} --name {name} --no-html --quiet");
    place.line(&line).expect_code(0);
    let path = place.only_of(&format!("{name}_"), "_record.jsonl");
    as_if_real(&path);
    path
}

/// What the rates rest on, and how many of them are called worse.
fn judged(document: &Value) -> (String, usize) {
    let rows = document["rows"].as_array().unwrap().iter();
    let rates: Vec<&Value> = rows.filter(|row| row["metric"] == "small_iops").collect();
    let worse = rates.iter().filter(|row| row["verdict"] == "worse").count();
    (rates[0]["change"]["rests_on"].as_str().unwrap().to_owned(), worse)
}

#[test]
fn two_single_runs_are_two_sessions() {
    let (place, state) = (Place::in_memory(), Place::in_memory());
    let base = record(&place, "base", "10ms", 1);
    let new = record(&place, "new", "11ms", 2);
    let line = format!("compare {} {} --json", base.display(), new.display());
    let compare = |more: &str| with_history(&place, state.path(), &format!("{line}{more}")).expect_code(0);
    history(state.path(), &["simulated"], 4);
    let (rests_on, worse) = judged(&compare("").json());
    assert!(rests_on == "intervals" && worse > 10, "four sessions say too little: {rests_on} {worse}");
    history(state.path(), &["simulated"], 7);
    let (rests_on, worse) = judged(&compare("").json());
    assert_eq!((rests_on.as_str(), worse), ("sessions", 0), "a tenth is what sessions differ by");
    let told = with_history(&place, state.path(), &line.replace(" --json", "")).expect_code(0).stdout;
    assert!(
        told.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("how much earlier calibrations of these targets differ"),
        "{told}"
    );
    assert_eq!(judged(&compare(" --no-history").json()).0, "intervals");
    history(state.path(), &["/dev/another"], 7);
    assert_eq!(judged(&compare("").json()).0, "intervals");
    fs::write(state.path().join("rigel/calibrations.sqlite"), "no database, and long enough to be looked at")
        .unwrap();
    let told = compare("");
    assert_eq!(judged(&told.json()).0, "intervals");
    assert!(told.stderr.contains("not used for the interval"), "{}", told.stderr);
}

#[test]
fn the_history_tells_what_another_calibration_will_show() {
    let (place, state) = (Place::in_memory(), Place::in_memory());
    let told = |sessions| {
        history(state.path(), &["/dev/disk"], sessions);
        let table = with_history(&place, state.path(), "calibrate --history").expect_code(0).stdout;
        table.split_once("\n\n").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(
        told(4).starts_with("How much another session will differ is not known yet: by at least 1.4 times"),
        "{}",
        told(4)
    );
    // By hand: s = 0.05629 on logarithms, t(0.975, 6) = 2.4469, sqrt(1 + 1/7) = 1.0690.
    let of_7 = "Another session of /dev/disk (8 KiB and 1 MiB) will show unbounded_iops within ±15.9 % of the mean of these 7, in 95 of 100.";
    assert_eq!(told(7), of_7);
}

#[test]
fn two_sides_tell_what_another_session_will_show() {
    let (place, state) = (Place::in_memory(), Place::in_memory());
    let line = "versus oltp --engine sim:between=1% --and-engine sim:service=900us,between=1% --seed 1 --fast --quiet --no-html";
    place.line(line).expect_code(0);
    let record = place.only("_record.jsonl");
    as_if_real(&record);
    let another = |more: &str| {
        let line = format!("versus --record {} --json{more}", record.display());
        let document = with_history(&place, state.path(), &line).expect_code(0).json();
        document["sure"]["another_session"].as_str().unwrap().to_owned()
    };
    assert!(another("").contains("not known from one run: at least 1.4 times"), "{}", another(""));
    history(state.path(), &["simulated"], 7);
    let told = another("");
    assert!(told.contains("Rates of A: ±") && told.contains("(from 7 calibrations)"), "{told}");
    assert!(another(" --no-history").contains("at least 1.4 times"));
}
