//! Raw I/O beside SQL as one JSON document, `rigel.sql/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::{RawAndSqlView, words};
use crate::json_text::{pretty, schema_of, text};
use crate::verdict::Conclusion;
use rigel_core::error::Problem;
use rigel_core::stats::Estimate;
use rigel_uses::beside::{BesideLoad, Limit, Way};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.sql/1";

/// Raw I/O and SQL that alternated in one run, on the same files or, for commits, in the same directory. Rates are per second, times in microseconds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.sql/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// Every load was measured in full.
    complete: bool,
    /// The engine of the raw I/O, and what is known about the server.
    notes: Vec<String>,
    /// How much of the rate reaches SQL, what the limit is, and the evidence for that, as sentences.
    sentences: Vec<String>,
    /// Whether the numbers may be used, what casts doubt on them, and what to do.
    verdict: Conclusion,
    /// The sessions of the load that the sentences are about: the highest rate of SQL. Null when no rate may be used.
    best: Option<u32>,
    /// By the number of sessions.
    loads: Vec<LoadDocument>,
}

/// One number of sessions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SqlLoad")]
struct LoadDocument {
    /// The sessions, and the outstanding raw reads.
    sessions: u32,
    /// The files of the table, read without a database; for commits, durable writes to a separate log.
    raw: Way,
    /// The same through SQL.
    sql: Way,
    /// The rate of SQL divided by that of raw I/O; null if it is unknown.
    efficiency: Option<Estimate>,
    /// What limits SQL: storage (raw I/O is not faster), cpu (less than 10 % is idle), sessions (neither). Null when the ratio is too uncertain,
    /// or the counters do not show it. For commits, cpu takes precedence, and it is null if SQL is faster than raw writers, because its commits
    /// share flushes.
    #[schemars(extend("enum" = ["storage", "cpu", "sessions", null]))]
    limit: Option<&'static str>,
    /// How the sessions spent their time, the largest part first.
    waits: Vec<WaitDocument>,
    /// Average number of commits that one flush of the server's log made durable; null for look-ups, or if it was not counted.
    commits_per_flush: Option<f64>,
    /// Average number of index blocks that a look-up read in addition to its row; null if look-ups use no index.
    index_blocks_per_look_up: Option<f64>,
    /// A number of this load must not be used.
    invalid: bool,
}

/// A part of the time of the sessions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Wait")]
struct WaitDocument {
    /// Type and name of the event, as the server has them; CPU of a session that waits for nothing.
    event: String,
    /// Share of the samples.
    share: f64,
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The document, pretty-printed.
pub(super) fn document(both: &RawAndSqlView<'_>) -> Result<Vec<u8>, Problem> {
    let record = both.view.record;
    let engine = &record.header.nodes.first().engine;
    let mut notes = vec![format!("raw: engine {}", engine.kind.name())];
    notes.extend(engine.notes.iter().map(|note| text(note)));
    let sentences = std::iter::once(words::verdict(both)).chain(words::evidence(both));
    pretty(&Document {
        schema: SCHEMA,
        run: text(&record.header.run_id),
        started: text(&record.header.started),
        complete: record.complete(),
        notes,
        sentences: sentences.collect(),
        verdict: Conclusion::of(both.view),
        best: both.found.best().map(|load| load.sessions),
        loads: both.found.loads.iter().map(LoadDocument::of).collect(),
    })
}

impl LoadDocument {
    fn of(load: &BesideLoad) -> Self {
        let wait = |(event, share): &(String, f64)| WaitDocument { event: text(event), share: *share };
        Self {
            sessions: load.sessions,
            raw: load.raw,
            sql: load.sql,
            efficiency: load.efficiency.map(Estimate::of_rounds),
            limit: load.limit.map(Limit::name),
            waits: load.waits.iter().map(wait).collect(),
            commits_per_flush: load.commits_per_flush,
            index_blocks_per_look_up: load.index_blocks,
            invalid: load.invalid,
        }
    }
}
