//! `rigel run open`: arrivals at a rate of their own, against formulas on the simulated device. Real engines: `clock::open`.

use crate::support::{Place, flags, flat};
use rigel_core::sim::SimLaw;
use serde_json::Value;

const LAW: &str = "servers=4,service=1ms,rate=0,spread=exponential";

pub fn at(document: &Value, rate: u32) -> &Value {
    let points = document["points"].as_array().unwrap();
    points
        .iter()
        .find(|point| point["levels"]["open"] == rate)
        .unwrap_or_else(|| panic!("{rate}: {document}"))
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn arrivals_have_the_latency_of_the_formula_and_a_row_each() {
    let place = Place::new();
    let line =
        format!("run open --rate 2000,3200 --engine sim:{LAW} --duration 100s --seed 5 --json --no-html");
    let document: Value = place.line(&line).expect_code(0).json();
    let law = SimLaw::parse(LAW).unwrap();
    for rate in [2000, 3200] {
        let (point, truth) = (at(&document, rate), law.truth_open(rate.into(), 8192).unwrap());
        let io = &point["classes"]["open"];
        near(number(&io["iops"]["value"]), rate.into(), 0.01);
        near(number(&io["latency_us"]["mean"]["value"]), truth.mean_ns() / 1e3, 0.03);
        near(number(&io["latency_us"]["p99"]["value"]), truth.quantile_ns(0.99) / 1e3, 0.05);
        let open = &io["open"];
        near(number(&open["arrived_per_s"]), rate.into(), 0.01);
        assert_eq!((&open["asked_per_s"], number(&open["lag_us"]["max"])), (&rate.into(), 0.0));
        assert_eq!((&open["waited_for_slot"], &open["left_without_slot"]), (&0.into(), &0.into()));
        assert_eq!(flags(point), ["SIMULATED"], "no flag of a closed loop");
    }
    let record = place.only("_record.jsonl");
    let name = record.file_name().unwrap().to_str().unwrap();
    let text = place.line(&format!("report {name}")).expect_code(0).stdout;
    let (_, table) = text.split_once("asked/s").unwrap();
    for row in ["open 2,000 ", "open 3,200 "] {
        assert!(flat(table).contains(row), "{row}: {text}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn what_cannot_be_served_gives_no_number() {
    let place = Place::new();
    let line = format!("run open --rate 5000 --engine sim:{LAW} --duration 10s --seed 5 --no-html");
    let told = place.line(&line).expect_code(1);
    assert!(told.stderr.contains("OVERLOAD") && told.stderr.contains("lower rate"), "{}", told.stderr);
    let both = place.line(&format!("run open --rate 1000,5000 --engine sim:{LAW} --fast --seed 5 --json"));
    let document = both.expect_code(0).json();
    assert!(flags(at(&document, 5000)).contains(&"OVERLOAD"));
    assert!(!flags(at(&document, 1000)).contains(&"OVERLOAD"), "{}", at(&document, 1000)["flags"]);
    near(number(&at(&document, 5000)["classes"]["open"]["iops"]["value"]), 4000.0, 0.02);
}

/// The rate of an open loop is given, so only its latency shows that the storage changed: 1.08 ms at first and 1.7 ms in the end,
/// or a long visit three times as slow as the others.
#[test]
fn a_latency_that_changes_over_the_run_is_told() {
    let flag = |law: &str, seed: u32, code: &str| {
        let place = Place::in_memory();
        let line = format!("run open --rate 2000 --engine sim:{law} --seed {seed} --json --no-html");
        let document = place.line(&line).expect_code(0).json();
        let all = at(&document, 2000)["flags"].as_array().unwrap().clone();
        all.iter().find(|flag| flag["code"] == code).map(|flag| flag["text"].as_str().unwrap().to_owned())
    };
    let text = flag("drift=-10%", 5, "DRIFT").expect("it loses a tenth of its speed a minute");
    assert!(text.contains("open: the mean latency rose by ") && text.contains("to the last"), "{text}");
    let text = flag("modes=30%:0.5", 5, "LEVEL_SHIFT").expect("the long visit is a slow one, and no other");
    assert!(
        text.contains("the long visit had a mean latency of 2.7") && text.contains(" above the 87"),
        "{text}"
    );
    for code in ["DRIFT", "LEVEL_SHIFT"] {
        assert_eq!(flag("servers=4", 5, code), None);
    }
}

#[test]
fn bursts_wait_longer_than_even_arrivals() {
    let place = Place::new();
    let mean = |shape: &str| {
        let engine = "--engine sim:servers=1,service=1ms,rate=0";
        let line = format!(
            "run open --rate 500 --arrivals {shape} {engine} --duration 50s --seed 5 --json --name {}",
            &shape[..4]
        );
        number(
            &at(&place.line(&line).expect_code(0).json(), 500)["classes"]["open"]["latency_us"]["mean"]["value"],
        )
    };
    let [even, poisson, bursty] = ["even", "poisson", "bursty:9"].map(mean);
    near(even, 1000.0, 1e-9);
    near(poisson, 1500.0, 0.03);
    assert!(bursty > 2.0 * poisson, "{bursty}");
}

#[test]
fn bad_input_is_refused_before_anything_is_touched() {
    let place = Place::new();
    place.random_file("data", 1 << 20);
    for (line, parts) in [
        ("run open data", &["--rate", "1000,5000"][..]),
        ("run open --rate 0 data", &["--rate", "nothing would arrive"]),
        ("run open --rate 10000001 data", &["--rate", "10000000 per second"]),
        ("run open --rate 99999999999 data", &["--rate", "more than any host"]),
        ("run open --rate 10x data", &["--rate", "is not a whole number"]),
        ("run open --rate 5 --arrivals bursty:1 data", &["--arrivals", "1.01 to 1000"]),
        ("run open --rate 5 --arrivals random data", &["--arrivals", "poisson"]),
        ("run open --rate 5 --max-outstanding 0 data", &["--max-outstanding", "1 to 65535"]),
        ("run open --rate 5 --levels auto data", &["--levels", "'open'"]),
        ("run open --rate 5 --size-large 1M data", &["--size-large"]),
        ("run oltp --rate 5 data", &["--rate", "rigel run open"]),
        ("calibrate --rate 5 data", &["--rate"]),
    ] {
        let told = place.line(line);
        assert_eq!(told.code, 2, "{line}: {}", told.stderr);
        for part in parts {
            assert!(told.stderr.contains(part), "'{part}' is missing for '{line}':\n{}", told.stderr);
        }
    }
    assert_eq!(place.files(), ["data"]);
}

/// More per second than could ever be outstanding.
#[test]
fn a_high_rate_is_read_back() {
    let place = Place::new();
    let engine = "sim:servers=64,service=200us,rate=0";
    let line =
        format!("run open --rate 100000 --duration 100ms --engine {engine} --seed 1 --quiet --no-html");
    place.line(&line).expect_code(0);
    let record = place.only("_record.jsonl");
    place.rigel(["report", record.to_str().unwrap()]).expect_code(0);
}
