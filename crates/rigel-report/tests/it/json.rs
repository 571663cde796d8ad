//! The JSON document and its schema.

use crate::support::{MINUTE, Run, steady};
use rigel_core::engine::EngineKind;
use rigel_core::matrix::RunLevel;
use rigel_core::request::Request;
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
    "complete": true
  },
  "points": [
    {
      "small": 1,
      "large": 0,
      "seconds": 60.0,
      "small_io": {
        "iops": {
          "mean": 100.0
        },
        "mbps": {
          "mean": 0.78125
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
          "p99.99": 10000.0
        },
        "reads": 6000,
        "writes": 0,
        "errors": 0,
        "outstanding": {
          "planned": 1,
          "mean": 1.0
        }
      },
      "large_io": null,
      "flags": [
        {
          "code": "BUFFERED",
          "text": "measured through the page cache: memory, not storage",
          "invalid": false
        }
      ]
    },
    {
      "small": 0,
      "large": 1,
      "seconds": 100.0,
      "small_io": null,
      "large_io": {
        "iops": {
          "mean": 50.0
        },
        "mbps": {
          "mean": 50.0
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
          "p99.99": 20000.0
        },
        "reads": 5000,
        "writes": 0,
        "errors": 0,
        "outstanding": {
          "planned": 1,
          "mean": 1.0
        }
      },
      "flags": [
        {
          "code": "BUFFERED",
          "text": "measured through the page cache: memory, not storage",
          "invalid": false
        }
      ]
    }
  ],
  "best": {
    "small_iops": {
      "value": 100.0,
      "small": 1,
      "large": 0
    },
    "large_mbps": {
      "value": 50.0,
      "small": 0,
      "large": 1
    },
    "small_latency_us": {
      "value": 10000.0,
      "small": 1,
      "large": 0
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
    run.record.visits[0].small.as_mut().unwrap().reads.clear();
    let document = document(&run);
    assert_eq!(document["run"]["ended"], Value::Null);
    assert_eq!(document["run"]["complete"], false);
    assert_eq!(document["points"][0]["small_io"]["latency_us"], Value::Null);
    assert_eq!(document["points"][0]["large_io"], Value::Null);
    for best in ["small_iops", "large_mbps", "small_latency_us"] {
        assert_eq!(document["best"][best], Value::Null);
    }
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
        Value::Object(fields) => {
            let known = schema["properties"].as_object().unwrap();
            assert!(fields.keys().eq(known.keys()), "{place}: {:?}", fields.keys());
            assert_eq!(schema["required"].as_array().unwrap().len(), known.len(), "{place}");
            for (name, value) in fields {
                check(&known[name], root, value, &format!("{place}.{name}"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check(&schema["items"], root, item, place)),
        Value::Number(_) => assert!(schema["type"] == "number" || schema["type"] == "integer", "{place}"),
        Value::Bool(_) => assert_eq!(schema["type"], "boolean", "{place}"),
        Value::String(_) | Value::Null => {}
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
        run.record.header.engine.kind = kind;
        check(&schema, &schema, &document(&run), "document");
    }
    let small = steady(8192, 1, MINUTE, 600);
    run.visit((2, 0), MINUTE, Some(small), None);
    check(&schema, &schema, &document(&run), "document");
}
