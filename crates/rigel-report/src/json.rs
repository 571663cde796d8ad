//! The findings as one JSON document, `rigel.findings/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute anything that is not in the findings.

use crate::view::View;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::findings::{Extreme, IoFindings, LatencyUs, PointFindings};
use rigel_core::flags::Flag;
use rigel_core::path_text::printable;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.findings/1";

/// What a run found. Rates are per second, one MB is 2^20 bytes, latencies are in microseconds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.findings/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Which run.
    run: Run,
    /// The measured points in the order of the plan.
    points: Vec<PointDocument>,
    /// The extremes over all points.
    best: Best,
}

/// Which run.
#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    /// Name that all files of the run begin with.
    name: String,
    /// Run level.
    #[schemars(extend("enum" = ["simple", "normal", "oltp", "dss", "advanced"]))]
    level: &'static str,
    /// Local time of the start, RFC 3339.
    started: String,
    /// Local time of the end, RFC 3339; null when the end was not recorded.
    ended: Option<String>,
    /// Seed of all random draws; below 2^53, which every reader of JSON keeps exactly.
    #[schemars(extend("maximum" = 9_007_199_254_740_991_u64))]
    seed: u64,
    /// Version of Rigel that measured.
    version: String,
    /// How the I/O reached the kernel.
    #[schemars(extend("enum" = ["io_uring", "libaio", "threads", "null", "sim"]))]
    engine: &'static str,
    /// Every point was measured in full.
    complete: bool,
}

/// One point of the matrix.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
struct PointDocument {
    /// Outstanding small I/Os.
    small: u32,
    /// Outstanding large I/Os, or streams.
    large: u32,
    /// Measured time.
    seconds: f64,
    /// The small I/Os; null when the point has none.
    small_io: Option<Io>,
    /// The large I/Os; null when the point has none.
    large_io: Option<Io>,
    /// What to know before these numbers are used.
    flags: Vec<Flag>,
}

/// One class of I/O at one point.
#[derive(Debug, Serialize, JsonSchema)]
struct Io {
    /// Successful I/Os per second, reads and writes.
    iops: Rate,
    /// Megabytes (2^20 bytes) per second, reads and writes.
    mbps: Rate,
    /// Latency of successful I/Os in microseconds; null when none completed.
    latency_us: Option<Latency>,
    /// Successful reads.
    reads: u64,
    /// Successful writes.
    writes: u64,
    /// Failed I/Os.
    errors: u64,
    /// I/Os in flight.
    outstanding: Outstanding,
}

/// A rate over the measured time.
#[derive(Debug, Serialize, JsonSchema)]
struct Rate {
    /// Mean over the measured time.
    mean: f64,
}

/// Latency in microseconds, from just before submission to the moment the completion was seen.
#[derive(Debug, Serialize, JsonSchema)]
struct Latency {
    /// Arithmetic mean.
    mean: f64,
    /// Smallest.
    min: f64,
    /// Largest.
    max: f64,
    /// Standard deviation.
    stddev: f64,
    /// Median.
    p50: f64,
    /// 90th percentile.
    p90: f64,
    /// 99th percentile.
    p99: f64,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    p99_9: f64,
    /// 99.99th percentile.
    #[serde(rename = "p99.99")]
    p99_99: f64,
}

/// I/Os in flight.
#[derive(Debug, Serialize, JsonSchema)]
struct Outstanding {
    /// As planned.
    planned: u32,
    /// Mean over the measured time.
    mean: f64,
}

/// The extremes over all points.
#[derive(Debug, Serialize, JsonSchema)]
struct Best {
    /// Highest rate of small I/Os per second.
    small_iops: Option<At>,
    /// Highest rate of large I/Os in megabytes (2^20 bytes) per second.
    large_mbps: Option<At>,
    /// Lowest mean latency of small I/Os in microseconds, reads and writes together.
    small_latency_us: Option<At>,
}

/// A value and the point where it was measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Extreme")]
struct At {
    /// The value.
    value: f64,
    /// Outstanding small I/Os.
    small: u32,
    /// Outstanding large I/Os, or streams.
    large: u32,
}

/// The JSON Schema of the document, pretty-printed.
#[must_use]
pub fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Document>();
    format!("{:#}\n", schema.to_value())
}

/// The document, pretty-printed.
pub(crate) fn document(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let document = Document {
        schema: SCHEMA,
        run: run(view),
        points: view.findings.points.iter().map(PointDocument::from).collect(),
        best: Best {
            small_iops: view.findings.max_small_iops.map(At::from),
            large_mbps: view.findings.max_large_mbps.map(At::from),
            small_latency_us: view.findings.min_small_latency_us.map(At::from),
        },
    };
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(|error| {
        Problem::new(ExitKind::Bug, format!("the findings cannot be written as JSON: {error}"))
            .next("report this with the record")
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn run(view: &View<'_>) -> Run {
    let header = &view.record.header;
    let closing = view.record.closing.as_ref();
    Run {
        name: printable(&header.run_id).into_owned(),
        level: header.request.level.name(),
        started: printable(&header.started).into_owned(),
        ended: closing.map(|closing| printable(&closing.ended).into_owned()),
        seed: header.request.seed,
        version: printable(&header.program_version).into_owned(),
        engine: header.engine.kind.name(),
        complete: view.record.complete(),
    }
}

impl From<&PointFindings> for PointDocument {
    fn from(found: &PointFindings) -> Self {
        let flags = found.flags.iter();
        Self {
            small: found.point.small,
            large: found.point.large,
            seconds: found.seconds,
            small_io: found.small.as_ref().map(Io::from),
            large_io: found.large.as_ref().map(Io::from),
            flags: flags.map(|flag| Flag::new(flag.code, printable(&flag.text))).collect(),
        }
    }
}

impl From<&IoFindings> for Io {
    fn from(io: &IoFindings) -> Self {
        Self {
            iops: Rate { mean: io.iops },
            mbps: Rate { mean: io.mbps },
            latency_us: io.latency_us.map(Latency::from),
            reads: io.reads.count(),
            writes: io.writes.count(),
            errors: io.errors,
            outstanding: Outstanding { planned: io.planned_outstanding, mean: io.mean_outstanding },
        }
    }
}

impl From<LatencyUs> for Latency {
    fn from(us: LatencyUs) -> Self {
        Self {
            mean: us.mean,
            min: us.min,
            max: us.max,
            stddev: us.stddev,
            p50: us.p50,
            p90: us.p90,
            p99: us.p99,
            p99_9: us.p99_9,
            p99_99: us.p99_99,
        }
    }
}

impl From<Extreme> for At {
    fn from(best: Extreme) -> Self {
        Self { value: best.value, small: best.point.small, large: best.point.large }
    }
}
