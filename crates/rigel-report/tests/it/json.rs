//! The JSON document and its schema.

use crate::support::{MINUTE, Run, SPREAD, steady};
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
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

const DOCUMENT: &str = r#"{
  "schema": "rigel.findings/1",
  "run": {
    "name": "orion_20260101_1200",
    "level": "simple",
    "started": "2026-01-01T12:00:00+01:00",
    "ended": "2026-01-01T12:08:00+01:00",
    "seed": 9007199254740991,
    "version": "0.1.0",
    "engine": "io_uring",
    "polled": false,
    "worker_cpus": [],
    "nodes": [
      {
        "name": null,
        "share": null,
        "kernel": "Linux 6.12.0",
        "cpus": 4,
        "engine": "io_uring"
      }
    ],
    "classes": {
      "small": {
        "io_bytes": 8192,
        "sizes": [],
        "span": "0-100%",
        "places": null,
        "counted": "I/Os",
        "write_percent": 0,
        "unit": "IOPS"
      },
      "large": {
        "io_bytes": 1048576,
        "sizes": [],
        "span": "0-100%",
        "places": null,
        "counted": "I/Os",
        "write_percent": 0,
        "unit": "MBPS"
      }
    },
    "complete": true
  },
  "estimand": "the mean throughput and latency at the point over the conditions of this run, in steady state, as an average over time; lo95 and hi95 show only what varied inside the one visit to the point; what another visit would add is not known",
  "sure": {
    "this_session": "± shows only what varied inside the one visit to the point; what another visit would add is not known.",
    "within_it": "Not known: no point was visited twice, so chance and difference look alike.",
    "another_session": "Not known, and ± says nothing of it."
  },
  "target": null,
  "unseen_share": null,
  "verdict": {
    "tone": "do_not_use",
    "head": "Do not use these numbers.",
    "measured": "Measured: small I/O of 8 KiB and large I/O of 1 MiB, reads only, on /dev/sdb (file, 16 GiB), 2026-01-01 12:00, for 100 s.",
    "reached": "This storage seemed to reach 100 small I/Os per second and 50 MB per second of large I/O, and to answer a small I/O in 10 ms on average at best.",
    "working": null,
    "places": [],
    "costs": [],
    "sureness": "Each of 2 points was visited once, so that ± holds only what varied inside that visit.",
    "causes": [
      {
        "code": "BUFFERED",
        "invalid": true,
        "means": "The run went through the page cache: memory was measured, not storage.",
        "place": "all 2 points",
        "figures": "measured through the page cache: memory, not storage",
        "remedy": "Leave out --buffered."
      }
    ],
    "next": {
      "purpose": "In a directory on the disk, to measure a file of data",
      "command": "rigel calibrate"
    }
  },
  "flags": [],
  "points": [
    {
      "levels": {
        "small": 1,
        "large": 0
      },
      "seconds": 60.0,
      "phase": null,
      "classes": {
        "small": {
          "iops": {
            "mean": 100.0,
            "lo95": null,
            "hi95": null,
            "visits": 1
          },
          "mbps": {
            "mean": 0.78125,
            "lo95": null,
            "hi95": null,
            "visits": 1
          },
          "latency_us": {
            "mean": 10000.0,
            "min": 10000.0,
            "max": 10000.0,
            "stddev": 0.0,
            "p50": 10000.0,
            "p90": 10000.0,
            "p99": 10000.0,
            "p99.9": 10000.0,
            "p99.99": 10000.0,
            "intervals": {
              "mean": null,
              "p50": null,
              "p99": null
            },
            "indicative": [
              "p50",
              "p90",
              "p99",
              "p99.9",
              "p99.99"
            ]
          },
          "basis": "none",
          "within": null,
          "between": null,
          "stalled_share": null,
          "of_highest": null,
          "of_alone": null,
          "reached": null,
          "reads": 6000,
          "writes": 0,
          "errors": 0,
          "outstanding": {
            "planned": 1,
            "mean": 1.0
          },
          "open": null
        }
      },
      "own_cpu": null,
      "flags": [
        {
          "code": "BUFFERED",
          "text": "measured through the page cache: memory, not storage",
          "invalid": true
        }
      ],
      "nodes": [],
      "visits": [
        {
          "number": 0,
          "purpose": "only",
          "round": null,
          "levels": {
            "small": 1,
            "large": 0
          },
          "counts": true,
          "cut_short": false,
          "began_s": 0.0,
          "settle_s": 0.5,
          "measured_s": 60.0,
          "foreign": null,
          "classes": {
            "small": {
              "ios": 6000,
              "iops": 100.0,
              "iops_standard_error": null,
              "latency_mean_us": 10000.0,
              "latency_p50_us": 10000.0,
              "latency_p99_us": 10000.0,
              "little": 1.0,
              "outstanding_mean": 1.0,
              "errors": 0
            }
          }
        }
      ]
    },
    {
      "levels": {
        "small": 0,
        "large": 1
      },
      "seconds": 100.0,
      "phase": null,
      "classes": {
        "large": {
          "iops": {
            "mean": 50.0,
            "lo95": null,
            "hi95": null,
            "visits": 1
          },
          "mbps": {
            "mean": 50.0,
            "lo95": null,
            "hi95": null,
            "visits": 1
          },
          "latency_us": {
            "mean": 20000.0,
            "min": 20000.0,
            "max": 20000.0,
            "stddev": 0.0,
            "p50": 20000.0,
            "p90": 20000.0,
            "p99": 20000.0,
            "p99.9": 20000.0,
            "p99.99": 20000.0,
            "intervals": {
              "mean": null,
              "p50": null,
              "p99": null
            },
            "indicative": [
              "p50",
              "p90",
              "p99",
              "p99.9",
              "p99.99"
            ]
          },
          "basis": "none",
          "within": null,
          "between": null,
          "stalled_share": null,
          "of_highest": null,
          "of_alone": null,
          "reached": null,
          "reads": 5000,
          "writes": 0,
          "errors": 0,
          "outstanding": {
            "planned": 1,
            "mean": 1.0
          },
          "open": null
        }
      },
      "own_cpu": null,
      "flags": [
        {
          "code": "BUFFERED",
          "text": "measured through the page cache: memory, not storage",
          "invalid": true
        }
      ],
      "nodes": [],
      "visits": [
        {
          "number": 0,
          "purpose": "only",
          "round": null,
          "levels": {
            "small": 0,
            "large": 1
          },
          "counts": true,
          "cut_short": false,
          "began_s": 0.0,
          "settle_s": 0.5,
          "measured_s": 100.0,
          "foreign": null,
          "classes": {
            "large": {
              "ios": 5000,
              "iops": 50.0,
              "iops_standard_error": null,
              "latency_mean_us": 20000.0,
              "latency_p50_us": 20000.0,
              "latency_p99_us": 20000.0,
              "little": 1.0,
              "outstanding_mean": 1.0,
              "errors": 0
            }
          }
        }
      ]
    }
  ],
  "phases": [],
  "curves": [],
  "places": [],
  "best": {
    "small": {
      "rate": {
        "value": 100.0,
        "lo95": null,
        "hi95": null,
        "visits": null,
        "levels": {
          "small": 1,
          "large": 0
        }
      },
      "latency_us": {
        "value": 10000.0,
        "lo95": null,
        "hi95": null,
        "visits": null,
        "levels": {
          "small": 1,
          "large": 0
        }
      },
      "still_rising": false
    },
    "large": {
      "rate": {
        "value": 50.0,
        "lo95": null,
        "hi95": null,
        "visits": null,
        "levels": {
          "small": 0,
          "large": 1
        }
      },
      "latency_us": null,
      "still_rising": false
    }
  }
}
"#;

#[test]
fn the_document() {
    assert_eq!(run().file(Format::Json, "_findings.json"), DOCUMENT);
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
    for level in RunLevel::ALL {
        run.record.header.request.level = level;
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
            for (name, value) in [("mean", again.mean), ("lo95", again.lo95), ("hi95", again.hi95)] {
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
    let told = |ratio: &Value| ["lo95", "mean", "hi95"].map(|end| ratio[end].as_f64().unwrap());
    // The classes do not hinder each other, and five outstanding have five times the rate of one.
    let [lo, mean, hi] = told(&beside["of_alone"]);
    assert!(lo <= mean && mean <= hi && (mean - 1.0).abs() < 0.05, "{lo} {mean} {hi}");
    let [.., mean, _] = told(&alone["of_highest"]);
    assert!((mean - 0.2).abs() < 0.02 && beside["of_alone"]["rounds"] == 4, "{mean}");
}
