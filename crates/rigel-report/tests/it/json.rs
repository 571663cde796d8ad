//! The JSON document and its schema.

use crate::support::{MINUTE, Run, SPREAD, steady};
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::stats::{Interval, PointVisits, variance};
use rigel_report::{Format, json};
use serde_json::Value;

fn run() -> Run {
    let request = Request { seed: (1 << 53) - 1, ..Request::new(RunLevel::Simple) };
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100).large(1, 5000);
    run.record.header.request.buffered = true;
    run
}

fn document(run: &Run) -> Value {
    serde_json::from_str(&run.file(Format::Json, "_findings.json")).unwrap()
}

/// A figure without an interval.
fn estimate(value: f64, basis: &str) -> Value {
    serde_json::json!({"value": value, "lo95": null, "hi95": null, "visits": null, "basis": basis})
}

/// A class that was visited once, with one outstanding I/O that took the same time each time.
fn class(iops: f64, mbps: f64, latency_us: f64, reads: u64) -> Value {
    let percentile = estimate(latency_us, "merged");
    serde_json::json!({
        "iops": estimate(iops, "none"),
        "mbps": estimate(mbps, "none"),
        "latency_us": {
            "mean": estimate(latency_us, "none"),
            "min": latency_us,
            "max": latency_us,
            "stddev": 0.0,
            "p50": percentile,
            "p90": percentile,
            "p99": percentile,
            "p99.9": percentile,
            "p99.99": percentile,
        },
        "within": null,
        "between": null,
        "stalled_share": null,
        "of_highest": null,
        "of_alone": null,
        "reached": null,
        "reads": reads,
        "writes": 0,
        "errors": 0,
        "outstanding": {"planned": 1, "mean": 1.0},
        "open": null,
    })
}

fn levels(small: u32, large: u32) -> Value {
    serde_json::json!({"small": small, "large": large})
}

/// A best number without an interval.
fn best(value: f64, levels: Value) -> Value {
    let mut found = estimate(value, "none");
    found["levels"] = levels;
    found
}

#[test]
fn every_figure_stands_under_its_name() {
    let document = document(&run());
    let about = &document["run"];
    assert_eq!(about["seed"], (1_u64 << 53) - 1);
    for (name, told) in [
        ("name", "orion_20260101_1200"),
        ("level", "simple"),
        ("started", "2026-01-01T12:00:00+01:00"),
        ("ended", "2026-01-01T12:08:00+01:00"),
        ("version", "0.1.0"),
        ("engine", "io_uring"),
    ] {
        assert_eq!(about[name], told);
    }
    assert_eq!((&about["polled"], &about["complete"]), (&false.into(), &true.into()));
    let node = serde_json::json!({
        "name": null, "share": null, "kernel": "Linux 6.12.0", "cpus": 4, "engine": "io_uring", "hypervisor": null,
        "limits": null, "priority": null, "engine_trials": [], "cpu": null
    });
    assert_eq!(about["nodes"], serde_json::json!([node]));
    for (name, io_bytes, unit) in [("small", 8192, "IOPS"), ("large", 1_048_576, "MBPS")] {
        let told = serde_json::json!({
            "io_bytes": io_bytes, "sizes": [], "span": "0-100%", "places": null, "counted": "I/Os",
            "write_percent": 0, "unit": unit
        });
        assert_eq!(about["classes"][name], told);
    }
    let none = Value::Array(Vec::new());
    let [small, large] = document["points"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(small["classes"], serde_json::json!({"small": class(100.0, 0.78125, 10_000.0, 6000)}));
    assert_eq!(large["classes"], serde_json::json!({"large": class(50.0, 50.0, 20_000.0, 5000)}));
    for (point, levels, seconds) in [(small, levels(1, 0), 60.0_f64), (large, levels(0, 1), 100.0)] {
        assert_eq!((&point["levels"], &point["seconds"]), (&levels, &Value::from(seconds)));
        assert_eq!(
            (&point["visits"][0]["levels"], &point["visits"][0]["measured_s"]),
            (&levels, &seconds.into())
        );
        assert_eq!(
            (&point["phase"], &point["own_cpu"], &point["nodes"]),
            (&Value::Null, &Value::Null, &none)
        );
    }
    let visit = &large["visits"][0];
    assert_eq!(
        (&visit["purpose"], &visit["counts"], &visit["cut_short"]),
        (&"only".into(), &true.into(), &false.into())
    );
    assert_eq!(
        (&visit["number"], &visit["round"], &visit["foreign"]),
        (&1.into(), &Value::Null, &Value::Null)
    );
    let counted = serde_json::json!({"large": {
        "ios": 5000, "iops": 50.0, "iops_standard_error": null, "latency_mean_us": 20_000.0,
        "latency_p50_us": 20_000.0, "latency_p99_us": 20_000.0, "little": 1.0,
        "outstanding_mean": 1.0, "errors": 0
    }});
    assert_eq!(visit["classes"], counted);
    let small = serde_json::json!({
        "rate": best(100.0, levels(1, 0)), "latency_us": best(10_000.0, levels(1, 0)), "still_rising": false
    });
    let large = serde_json::json!({
        "rate": best(50.0, levels(0, 1)), "latency_us": null, "still_rising": false
    });
    assert_eq!(document["best"], serde_json::json!({"small": small, "large": large}));
    for name in ["flags", "phases", "curves", "places", "readers"] {
        assert_eq!(document[name], none, "{name}");
    }
    assert_eq!((&document["target"], &document["unseen_share"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_spoils_all_points_is_a_flag_of_each_and_one_cause() {
    let document = document(&run());
    for point in document["points"].as_array().unwrap() {
        let [flag] = point["flags"].as_array().unwrap().as_slice() else { panic!("{point}") };
        assert_eq!((&flag["code"], &flag["invalid"]), (&"BUFFERED".into(), &true.into()));
    }
    let verdict = &document["verdict"];
    let [cause] = verdict["causes"].as_array().unwrap().as_slice() else { panic!("{verdict}") };
    assert_eq!((&cause["code"], &cause["invalid"]), (&"BUFFERED".into(), &true.into()));
    assert_eq!((&cause["place"], &verdict["tone"]), (&"all 2 points".into(), &"do_not_use".into()));
    assert_eq!(cause["figures"], document["points"][0]["flags"][0]["text"]);
    assert_eq!(verdict["next"]["command"], "rigel calibrate");
    assert_eq!(verdict["working"], Value::Null);
    assert!(["places", "costs"].iter().all(|name| verdict[name] == serde_json::json!([])), "{verdict}");
}

#[test]
fn what_is_not_known_is_null() {
    let mut run = run();
    run.record.closing = None;
    run.record.visits.pop();
    run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    let document = document(&run);
    assert_eq!(document["run"]["ended"], Value::Null);
    assert_eq!(document["run"]["complete"], false);
    assert_eq!(document["points"][0]["classes"]["small"]["latency_us"], Value::Null);
    assert_eq!(document["points"][0]["classes"]["large"], Value::Null);
    assert_eq!(document["best"]["small"]["rate"], Value::Null);
    assert_eq!(document["best"]["small"]["latency_us"], Value::Null);
    assert_eq!(document["best"]["large"], Value::Null);
}

/// Follows a schema down a document: every field is there, no other one, and of the type that the schema says.
fn check(schema: &Value, root: &Value, value: &Value, place: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").unwrap();
        return check(&root["$defs"][name], root, value, place);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let other = choices.iter().find(|choice| choice["type"] != "null").unwrap();
        if !value.is_null() {
            check(other, root, value, place);
        }
        return;
    }
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant, "{place}");
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value}");
    }
    match value {
        // By the names of the classes.
        Value::Object(fields) if schema.get("additionalProperties").is_some_and(Value::is_object) => {
            for (name, value) in fields {
                check(&schema["additionalProperties"], root, value, &format!("{place}.{name}"));
            }
        }
        Value::Object(fields) => {
            let known = schema["properties"].as_object().unwrap();
            assert!(fields.keys().eq(known.keys()), "{place}: {:?}", fields.keys());
            assert_eq!(schema["required"].as_array().unwrap().len(), known.len(), "{place}");
            for (name, value) in fields {
                check(&known[name], root, value, &format!("{place}.{name}"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check(&schema["items"], root, item, place)),
        Value::Number(_) => assert!(allows(schema, "number") || allows(schema, "integer"), "{place}"),
        Value::Bool(_) => assert!(allows(schema, "boolean"), "{place}"),
        Value::Null => assert!(allows(schema, "null"), "{place}"),
        Value::String(_) => assert!(allows(schema, "string") || schema.get("const").is_some(), "{place}"),
    }
}

/// Whether a schema has a type, alone or among others. What only lists its words is a string.
fn allows(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        Value::Null => kind == "string" && schema.get("enum").or_else(|| schema.get("oneOf")).is_some(),
        one => one == kind,
    }
}

#[test]
fn the_document_follows_the_schema() {
    let text = json::schema();
    assert!(text.ends_with("}\n") && !text.ends_with("\n\n"));
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["properties"]["schema"]["const"], json::SCHEMA);
    let mut run = run();
    for level in RunLevel::ORION {
        run.record.header.request.task = Task::of_level(level);
        check(&schema, &schema, &document(&run), "document");
    }
    for kind in EngineKind::ALL {
        run.record.header.nodes.first_mut().engine.kind = kind;
        check(&schema, &schema, &document(&run), "document");
    }
    let small = steady(8192, 1, MINUTE, 600);
    run.visit((2, 0), MINUTE, Some(small), None);
    check(&schema, &schema, &document(&run), "document");
    for level in [RunLevel::Simple, RunLevel::Normal] {
        check(&schema, &schema, &document(&Run::visited(level, &SPREAD)), "adaptive");
        let mut searched = Run::searched(level);
        searched.rounds(&SPREAD);
        let searched = document(&searched);
        assert_eq!(searched["curves"].as_array().unwrap().len(), 2);
        check(&schema, &schema, &searched, "searched");
    }
}

/// What a reader of the document can do: the intervals of a phase again, from the visits that count.
#[test]
fn intervals_can_be_computed_again_from_the_visits() {
    for spread in [&SPREAD[..], &[-200, 100, 0, 100], &[0, 0, 30, 0, 0, -30]] {
        let document = document(&Run::visited(RunLevel::Normal, spread));
        let target = document["target"].as_f64().unwrap();
        let mut told = Vec::new();
        let mut all = Vec::new();
        for point in document["points"].as_array().unwrap() {
            assert_eq!(point["phase"], 0);
            for class in ["small", "large"].into_iter().filter(|&class| !point["classes"][class].is_null()) {
                let counting = point["visits"].as_array().unwrap().iter();
                let ios: Vec<&Value> = counting
                    .filter(|visit| visit["counts"] == true)
                    .map(|visit| &visit["classes"][class])
                    .collect();
                let numbers =
                    |name: &str| ios.iter().filter_map(|io| io[name].as_f64()).collect::<Vec<f64>>();
                all.push(PointVisits { means: numbers("iops"), within_se: numbers("iops_standard_error") });
                told.push(&point["classes"][class]["iops"]);
            }
        }
        let spreads = variance::spread(&all, target);
        let again: Vec<_> =
            all.iter().zip(&spreads).map(|(point, spread)| Interval::of_mean(&point.means, spread)).collect();
        assert_eq!(again.len(), 5 + 2 + 2 * 10);
        for (again, told) in again.into_iter().zip(told) {
            let again = again.unwrap();
            for (name, value) in [("value", again.mean), ("lo95", again.lo95), ("hi95", again.hi95)] {
                let told = told[name].as_f64().unwrap();
                assert!((told / value - 1.0).abs() < 1e-12, "{name}: {told} {value}");
            }
            assert_eq!(told["visits"], again.visits);
        }
    }
}

#[test]
fn a_long_visit_is_told_but_does_not_count() {
    let document = document(&Run::visited(RunLevel::Oltp, &SPREAD));
    let point = document["points"].as_array().unwrap().last().unwrap();
    let visits = point["visits"].as_array().unwrap();
    let purposes: Vec<_> = visits.iter().map(|visit| (&visit["purpose"], &visit["counts"])).collect();
    assert_eq!(purposes[0], (&"long".into(), &false.into()));
    assert_eq!(purposes[1..], [(&"round".into(), &true.into()); 4]);
    assert_eq!(visits[2]["round"], 1);
    assert_eq!((&visits[0]["began_s"], &visits[0]["settle_s"]), (&0.0.into(), &0.5.into()));
    assert!((visits[1]["classes"]["small"]["little"].as_f64().unwrap() - 1.0).abs() < 1e-3, "{}", visits[1]);
    assert_eq!(point["classes"]["small"]["iops"]["visits"], 4);
    assert_eq!(point["seconds"], 8.0);
    assert_eq!(document["best"]["small"]["rate"]["visits"], 4);
    assert!(document["unseen_share"].as_f64().unwrap() < 0.05);
    assert!(document["estimand"].as_str().unwrap().contains("95 % CI for the mean over the run"));
}

#[test]
fn a_curve_has_its_levels_and_what_saturates() {
    let mut run = Run::searched(RunLevel::Simple);
    run.rounds(&SPREAD);
    let document = document(&run);
    let small = &document["curves"][0];
    assert_eq!(
        (&small["class"], &small["saturated"], &small["n_sat"]["found"]),
        (&"small".into(), &true.into(), &8.into())
    );
    let x_max = &small["x_max"]["iops"];
    let [lo, hi] = ["lo95", "hi95"].map(|end| x_max[end].as_f64().unwrap());
    assert!(lo < 8000.0 && 8000.0 < hi && hi < 8500.0, "{x_max}");
    let levels = small["levels"].as_array().unwrap();
    assert!(levels.iter().any(|level| level["outstanding"] == 16 && level["iops"]["lo95"].is_f64()));
    let visits = small["visits"].as_array().unwrap();
    assert!(
        visits.iter().all(|visit| visit["purpose"] == "search" && visit["levels"]["large"] == 0),
        "{visits:?}"
    );
    assert_eq!(
        visits.len(),
        levels
            .iter()
            .map(|level| {
                visits.iter().filter(|visit| visit["levels"]["small"] == level["outstanding"]).count()
            })
            .sum::<usize>()
    );
}

#[test]
fn rates_of_one_run_are_compared_in_rounds() {
    let document = document(&Run::visited(RunLevel::Normal, &SPREAD));
    let points = document["points"].as_array().unwrap();
    let io = |small: u32, large: u32| {
        let levels = serde_json::json!({"small": small, "large": large});
        &points.iter().find(|point| point["levels"] == levels).unwrap()["classes"]["small"]
    };
    let (alone, beside) = (io(1, 0), io(1, 1));
    assert_eq!((&alone["of_alone"], &io(5, 0)["of_highest"]), (&Value::Null, &Value::Null));
    let told = |ratio: &Value| ["lo95", "value", "hi95"].map(|end| ratio[end].as_f64().unwrap());
    // The classes do not hinder each other, and five outstanding have five times the rate of one.
    let [lo, mean, hi] = told(&beside["of_alone"]);
    assert!(lo <= mean && mean <= hi && (mean - 1.0).abs() < 0.05, "{lo} {mean} {hi}");
    let [.., mean, _] = told(&alone["of_highest"]);
    assert!((mean - 0.2).abs() < 0.02 && beside["of_alone"]["visits"] == 4, "{mean}");
}
