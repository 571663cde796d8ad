//! The JSON Schema of load files, for editors that check TOML by one.
//!
//! Must not know more keys than the reader; a test compares.

use super::class::{DEFAULT_MAX_OUTSTANDING, MOST_SIZES};
use super::{FORM, MOST_SENTENCE, MOST_SENTENCES};
use crate::load::class::{FEWEST_PLACES, MAX_OUTSTANDING, MAX_RATE, MOST_CLASSES, MOST_PLACES, Spread};
use crate::load::matrix::MAX_POINTS;
use crate::load::phase::MOST_PHASES;
use crate::load::request::DEFAULT_STREAM_IOS;
use crate::load::team::{MOST_NODES, MOST_SHARE};
use serde_json::{Value, json};

/// The schema, pretty-printed.
pub fn schema() -> String {
    format!("{:#}\n", document())
}

pub(super) fn document() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORM,
        "description": "A load for `rigel run --load`, in TOML.",
        "type": "object",
        "additionalProperties": false,
        "required": ["load", "class"],
        "properties": {
            "load": { "const": FORM, "description": "Name and version of this format." },
            "class": {
                "description": "The load classes; all run at the same time unless points say otherwise.",
                "type": "array", "minItems": 1, "maxItems": MOST_CLASSES, "items": class()
            },
            "points": {
                "description": "Points, measured one by one: how many of each class. The classes then have no numbers of their own.",
                "type": "array", "minItems": 1, "maxItems": MAX_POINTS,
                "items": { "type": "object", "minProperties": 1, "additionalProperties": count(0, MAX_RATE) }
            },
            "layout": {
                "description": "How streams use several targets: one after the other, or striped with this depth.",
                "default": "concat",
                "oneOf": [
                    { "const": "concat" },
                    {
                        "type": "object", "required": ["raid0"], "additionalProperties": false,
                        "properties": { "raid0": size() }
                    }
                ]
            },
            "node_share": {
                "description": "Shares of the load per node of `rigel-mpi`, in rank order; equal shares if omitted.",
                "type": "array", "minItems": 1, "maxItems": MOST_NODES, "items": count(0, MOST_SHARE)
            },
            "what_if": {
                "description": "How the load differs from production, in sentences; `rigel capacity fit` \
                 says this first.",
                "type": "array", "maxItems": MOST_SENTENCES, "items": { "type": "string", "maxLength": MOST_SENTENCE }
            },
            "phase": {
                "description": "Phases, run one after the other: each scales the load for a time.",
                "type": "array", "maxItems": MOST_PHASES, "items": phase()
            }
        }
    })
}

fn class() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "size"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-z][a-z0-9_]{0,14}$", "description": "Name in all outputs." },
            "size": {
                "description": "Bytes per I/O, or several sizes with their shares of the I/Os in per cent, which add up to 100.",
                "oneOf": [
                    size(),
                    {
                        "type": "object", "minProperties": 1, "maxProperties": MOST_SIZES,
                        "additionalProperties": count(1, 100)
                    }
                ]
            },
            "pattern": {
                "description": "Anywhere, in sequential streams, or appended to a log by each writer.",
                "enum": ["random", "stream", "log"], "default": "random"
            },
            "stream_ios": {
                "description": "Outstanding I/Os of each stream.",
                "type": "integer", "minimum": 1, "maximum": MAX_OUTSTANDING, "default": DEFAULT_STREAM_IOS
            },
            "write": {
                "description": "Share of writes in per cent: of the I/Os, or of the streams.",
                "type": "integer", "minimum": 0, "maximum": 100, "default": 0
            },
            "sync": {
                "description": "When a write counts as done: at once, or when durable, through a synchronous write or a flush.",
                "enum": ["none", "dsync", "fdatasync"], "default": "none"
            },
            "span": {
                "description": "The part of every target, in per cent of its size.",
                "type": "string", "pattern": "^[0-9]{1,3}%?-[0-9]{1,3}%?$", "default": "0-100%"
            },
            "places": {
                "description": "Divides the span into this many places. The level of the class is then a \
                 place number from 1, at which one stream or one random I/O is outstanding.",
                "type": "integer", "minimum": FEWEST_PLACES, "maximum": MOST_PLACES
            },
            "per_target": {
                "description": "Number of outstanding I/Os, or streams, on each target. The level of the \
                 class is then the number of targets that are loaded, in their order.",
                "type": "integer", "minimum": 1, "maximum": MAX_OUTSTANDING
            },
            "verify": {
                "description": "Whether every 4 KiB block identifies itself, and reads are compared with what was written.",
                "type": "boolean", "default": false
            },
            "arrival": arrival(),
            "unit": {
                "description": "Unit of its rate in reports: IOPS, MBPS or a word. Streams have MBPS, others IOPS.",
                "type": "string", "minLength": 1, "maxLength": 15
            }
        }
    })
}

fn arrival() -> Value {
    json!({
        "description": "When I/Os start: a fixed number is always outstanding, or they arrive at a rate.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "outstanding": described(count(1, MAX_OUTSTANDING), "Random I/Os always outstanding."),
            "streams": described(count(1, MAX_OUTSTANDING), "Number of streams; at a rate they take turns \
             with the arrivals; the default is one."),
            "writers": described(count(1, MAX_OUTSTANDING), "Number of log writers."),
            "rate": described(count(1, MAX_RATE), "Arrivals per second, regardless of how many are outstanding."),
            "shape": shape(),
            "max_outstanding": {
                "description": "Most random I/Os outstanding at a rate; further arrivals wait. Streams have stream_ios.",
                "type": "integer", "minimum": 1, "maximum": MAX_OUTSTANDING, "default": DEFAULT_MAX_OUTSTANDING
            }
        }
    })
}

fn shape() -> Value {
    json!({
        "description": "Distribution of the times between arrivals; bursty takes a squared coefficient of variation.",
        "default": "poisson",
        "oneOf": [
            { "enum": ["poisson", "even"] },
            {
                "type": "object", "required": ["bursty"], "additionalProperties": false,
                "properties": {
                    "bursty": { "type": "number", "minimum": Spread::LEAST.get(), "maximum": Spread::MOST.get() }
                }
            }
        ]
    })
}

fn phase() -> Value {
    let factor = json!({ "type": "number", "minimum": 0, "maximum": 1000 });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["for"],
        "properties": {
            "for": {
                "description": "How long it lasts, such as 10m.",
                "type": "string", "pattern": "^[0-9.]+ *(us|ms|s|sec|m|min|h)$"
            },
            "scale": {
                "description": "Factor for all rates and counts, or one per class.",
                "default": 1.0,
                "oneOf": [factor, { "type": "object", "additionalProperties": factor }]
            },
            "shape": phase_shape()
        }
    })
}

/// A phase has no default: each class has its own.
fn phase_shape() -> Value {
    let mut shape = described(shape(), "Arrival shape in this phase; overrides that of the classes.");
    shape.as_object_mut().map(|keys| keys.remove("default"));
    shape
}

fn size() -> Value {
    json!({ "type": "string", "pattern": "^[0-9.]+ *([kKmMgGtT]([iI]?[bB])?|[bB])?$" })
}

fn count(least: u32, most: u32) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

fn described(mut value: Value, description: &str) -> Value {
    value["description"] = description.into();
    value
}
