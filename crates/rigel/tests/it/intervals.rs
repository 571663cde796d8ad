//! Adaptive runs of the binary on a device whose rates are known: what every output says of how sure they are.

use crate::recording::Recording;
use crate::support::{Place, flags, flat};
use serde_json::Value;
use std::sync::OnceLock;

/// Stations that serve small I/Os at random: N outstanding have the rate of min(N, 4) stations, 1000 each.
const OLTP: &str = "run oltp --engine sim:servers=4,spread=exponential,rate=0 --num-disks 1 --seed 11";

/// That run, with its text.
fn oltp() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    RUN.get_or_init(|| Recording::of(|place| place.line(OLTP).expect_code(0)))
}

/// What its record says.
fn document(place: &Place) -> Value {
    let record = place.only("_record.jsonl");
    place.rigel(["report", record.to_str().unwrap(), "--format", "json"]).expect_code(0).json()
}

fn truth(small: u64) -> f64 {
    1000.0 * f64::from(u32::try_from(small.min(4)).unwrap())
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} of {value}"))
}

#[test]
fn intervals_hold_the_known_rate() {
    let document = document(&oltp().place());
    assert_eq!(document["target"], 0.05);
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 20);
    let mut held = 0;
    for point in points {
        let io = &point["classes"]["small"];
        let (truth, mean) = (truth(point["levels"]["small"].as_u64().unwrap()), number(&io["iops"], "value"));
        let (lo, hi) = (number(&io["iops"], "lo95"), number(&io["iops"], "hi95"));
        held += usize::from(lo <= truth && truth <= hi);
        assert!((mean / truth - 1.0).abs() < 0.05 && lo < mean && mean < hi, "{point}");
        assert_eq!((&io["iops"]["basis"], &io["reached"]), (&"visits".into(), &true.into()), "{point}");
        assert!(number(&io["latency_us"]["p99"], "hi95") > number(&io["latency_us"]["p99"], "value"));
        let counting = point["visits"].as_array().unwrap().iter().filter(|visit| visit["counts"] == true);
        assert_eq!(io["iops"]["visits"], counting.count());
    }
    // 95 % of them on average; with this seed always the same ones.
    assert!(held >= 17, "{held} of 20");
    let best = &document["best"]["small"]["rate"];
    assert!(number(best, "lo95") < number(best, "value") && number(best, "value") < number(best, "hi95"));
}

#[test]
fn the_tables_of_a_run_agree_with_its_document() {
    let place = oltp().place();
    let document = document(&place);
    let table = place.read("_ci.csv");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|&column| column == name).unwrap();
    let points = document["points"].as_array().unwrap();
    let mut rows = 0;
    for (row, point) in lines.zip(points) {
        rows += 1;
        let io = &point["classes"]["small"];
        for (name, value) in [
            ("small", number(&point["levels"], "small")),
            ("iops", number(&io["iops"], "value")),
            ("iops_lo95", number(&io["iops"], "lo95")),
            ("mbps_hi95", number(&io["mbps"], "hi95")),
            ("latency_p50_us_lo95", number(&io["latency_us"]["p50"], "lo95")),
            ("between", number(io, "between")),
        ] {
            let told: f64 = row[column(name)].parse().unwrap();
            assert!((told / value - 1.0).abs() < 1e-12, "{name}: {told} {value}");
        }
    }
    assert_eq!(rows, points.len());
    let raised: usize = points.iter().map(|point| flags(point).len()).sum();
    let of_run = document["flags"].as_array().unwrap().len();
    assert_eq!(place.read("_flags.csv").lines().count(), 1 + raised + of_run);
}

#[test]
fn a_terminal_shows_the_width_beside_every_rate() {
    let told = &oltp().told.stdout;
    let (table, _) = told.split_once("\nmore: rigel report ").unwrap();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let row = table.lines().find(|line| line.starts_with("     4     0 ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    let width: f64 = words[3].parse().unwrap();
    assert!(0.0 < width && width <= 5.0, "{row}");
}

#[test]
fn one_visit_says_that_it_is_one() {
    let place = Place::new();
    let told = flat(&place.line(&format!("{OLTP} --duration 3s")).expect_code(0).stdout);
    let legend = "±%: half of a 95 % interval that shows only variation within the one visit to the point; what \
                  another visit would add is not known.";
    assert!(told.contains(legend), "{told}");
    assert!(
        !flat(&oltp().place().line("report .").expect_code(0).stdout).contains("one visit"),
        "it has several"
    );
    let summary = place.read("_summary.txt");
    assert!(!summary.contains('±') && !summary.contains("Adaptive"), "{summary}");
    let document = document(&place);
    assert_eq!((&document["target"], &document["unseen_share"]), (&Value::Null, &Value::Null));
    for point in document["points"].as_array().unwrap() {
        let io = &point["classes"]["small"];
        assert_eq!(
            (&io["iops"]["basis"], &io["iops"]["visits"], &io["reached"]),
            (&"one_visit".into(), &1.into(), &Value::Null)
        );
        assert!(number(&io["iops"], "lo95") < number(&io["iops"], "value"));
        for name in ["p50", "p90", "p99", "p99.9", "p99.99"] {
            assert_eq!(io["latency_us"][name]["basis"], "merged");
        }
    }
}

#[test]
fn a_search_finds_where_each_class_saturates() {
    let place = Place::new();
    let line =
        "run normal --engine sim:servers=8,spread=exponential,rate=0 --levels auto --seed 2 --json --no-html";
    let document = place.line(line).expect_code(0).json();
    let curves = document["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 2);
    for curve in curves {
        let (lo, hi) = (&curve["n_sat"]["lo"], &curve["n_sat"]["hi"]);
        assert!(lo.as_u64() <= Some(8) && Some(8) <= hi.as_u64(), "{}", curve["n_sat"]);
        let rate = number(&curve["x_max"]["iops"], "value");
        assert!((rate / 8000.0 - 1.0).abs() < 0.03, "{rate}");
    }
}
