//! `rigel sql` with raw reads in turns, on a real server.

use crate::sql::{place, private};
use crate::support::{Place, narrow};
use rigel_testdev::needs;
use serde_json::Value;
use std::fs;

#[test]
fn raw_reads_and_look_ups_take_turns_on_the_same_files() {
    let name = "raw_reads_and_look_ups_take_turns_on_the_same_files";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql simple --size 64M --sessions 2 --precision 20% --max-duration 10s --seed 1 --json";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["schema"], "rigel.sql/1");
    let loads = document["loads"].as_array().unwrap();
    assert_eq!(loads.len(), 1, "{document:#}");
    let load = &loads[0];
    assert_eq!(load["sessions"], 2);
    assert_eq!(load["invalid"], told.code == 1, "{}", told.stderr);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{load:#}"));
    let [raw, sql] = ["raw", "sql"].map(|way| number(&load[way]["per_s"]["value"]));
    assert!(raw > 1.0 && sql > 1.0, "{load:#}");
    for way in ["raw", "sql"] {
        assert!(number(&load[way]["cpu_us"]) > 0.1, "{load:#}");
        assert!((0.0..=1.0).contains(&number(&load[way]["idle"])), "{load:#}");
    }
    let cpu = ["raw", "sql"].map(|way| number(&load[way]["cpu_us"]));
    assert!(cpu[1] > cpu[0], "a look-up costs the server something: {cpu:?}");
    let shares: f64 = load["waits"].as_array().unwrap().iter().map(|wait| number(&wait["share"])).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{load:#}");
    // Of turns, each as long as the other, the ratio is that of the means, as well as it is known.
    if load["efficiency"].is_object() {
        let [lo, hi] = ["lo95", "hi95"].map(|end| number(&load["efficiency"][end]));
        assert!((lo * 0.5..=hi * 1.5).contains(&(sql / raw)), "{load:#}");
    }
    let sentence = document["sentences"][0].as_str().unwrap();
    let is_known = load["efficiency"].is_object() && load["invalid"] == false;
    assert_eq!(sentence.starts_with("SQL reaches "), is_known, "{sentence}: {load:#}");
    let page = place.read("_sql.html");
    assert!(page.contains(&sentence[..12]), "{sentence}");
    again(&place, sentence);
}

/// The same from the record, where classes of both sides are kept.
fn again(place: &Place, sentence: &str) {
    let record = place.only("_record.jsonl").display().to_string();
    let text = place.line(&format!("sql --record {record}")).expect_code(0).stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(sentence), "{text}");
    assert!(narrow(&text), "{text}");
    assert!(text.contains("look-ups in rigel.big"), "{text}");
    let kept = fs::read_to_string(record).unwrap();
    assert!(kept.contains("simple_a") && kept.contains("simple_b"), "{}", kept.lines().next().unwrap());
}
