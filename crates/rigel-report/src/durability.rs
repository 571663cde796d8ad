//! Which acknowledged writes a power cut lost: a text, and one JSON document, `rigel.durability/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_uses::durability`] does.

mod blocks;

use crate::json_text::{pretty, schema_of, text as printable};
use rigel_core::error::Problem;
use rigel_core::load::class::Sync;
use rigel_uses::durability::{Acks, DurabilityFindings};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.durability/1";

/// A finished check.
#[derive(Clone, Copy, Debug)]
pub struct DurabilityReport<'a> {
    /// What the witness received.
    pub acks: &'a Acks,
    /// What was found.
    pub found: &'a DurabilityFindings,
    /// The target that was read, printable.
    pub target: &'a str,
    /// Notes for the user.
    pub notes: &'a [String],
}

impl DurabilityReport<'_> {
    /// If nothing is gone, the largest share of acknowledged writes that a cut may take and still go unnoticed one time in twenty: 3 in
    /// this many judged writes. `None` if something is gone or nothing could be judged.
    pub fn excluded(&self) -> Option<f64> {
        let judged = self.found.judged;
        // Nearly 3 / N; with few writes that would be more than all of them.
        let bound = 1.0 - 0.05_f64.powf(1.0 / rigel_core::units::to_f64(judged.max(1)));
        (self.found.is_clean() && judged > 0).then_some(bound)
    }
}

/// Which acknowledged writes are there after a loss of power. Offsets and lengths are in bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.durability/1")]
struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The target that was read.
    target: String,
    /// The run that wrote to it, by the name in its acknowledgements.
    run: String,
    /// When that began, RFC 3339.
    began: String,
    /// Bytes of a write.
    block_bytes: u64,
    /// Bytes that were written and read, from the start of the target.
    region_bytes: u64,
    /// How many wrote, each one write after the other.
    writers: u16,
    /// How a write became durable.
    #[schemars(extend("enum" = ["dsync", "fdatasync"]))]
    sync: &'static str,
    /// Time of the last acknowledgement that the witness has, in microseconds since the start of the run.
    last_acknowledged_us: u64,
    /// Whether the run ended on its own, not by a power cut.
    ended: bool,
    /// Remarks on the answer.
    notes: Vec<String>,
    /// Whether every acknowledged write that can be judged is there; if not, the exit code is 1.
    kept_all: bool,
    /// If nothing is gone: a power cut that loses a larger share of acknowledged writes than this would have been detected with 95 % probability;
    /// null otherwise.
    excluded_share: Option<f64>,
    /// What was found.
    #[serde(flatten)]
    found: &'a DurabilityFindings,
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(checked: &DurabilityReport<'_>) -> Result<Vec<u8>, Problem> {
    let DurabilityReport { acks, found, target, notes } = *checked;
    let head = acks.head();
    pretty(&Document {
        schema: SCHEMA,
        target: printable(target),
        run: printable(&head.run),
        began: printable(&head.began),
        block_bytes: head.shape.block_bytes,
        region_bytes: acks.rings().bytes(),
        writers: head.shape.writers,
        sync: sync(head.sync),
        last_acknowledged_us: acks.last_us(),
        ended: acks.is_ended(),
        notes: notes.iter().map(|note| printable(note)).collect(),
        kept_all: found.is_clean(),
        excluded_share: checked.excluded(),
        found,
    })
}

/// Its word on the command line.
pub(crate) const fn sync(sync: Sync) -> &'static str {
    match sync {
        Sync::Fdatasync => "fdatasync",
        Sync::Dsync | Sync::None => "dsync",
    }
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}
