//! The findings of a scrub of copies or of one device: a text, and one JSON document, `rigel.scrub/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_uses::scrub`] does.

mod alone;
mod blocks;

use crate::json_text::{pretty, schema_of, text as printable};
use rigel_core::error::Problem;
use rigel_core::facts::{FilePart, OwnerFacts};
use rigel_uses::scrub::{ScrubFindings, Source, State};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.scrub/1";

/// A scrub, finished or not.
#[derive(Clone, Copy, Debug)]
pub struct ScrubReport<'a> {
    /// What was compared and found.
    pub state: &'a State,
    /// Paths of the disks, printable.
    pub disks: &'a [String],
    /// Bytes of each copy.
    pub total: u64,
    /// Notes for the user.
    pub notes: &'a [String],
    /// Whether everything was read.
    pub complete: bool,
    /// Where reading begins on a single device, in bytes.
    pub first: u64,
    /// Files on its unreadable parts, if they were searched for.
    pub owners: Option<&'a OwnerFacts>,
}

/// Copies of data, and where they differ; or one device, and which part of it cannot be read. Offsets and lengths are in bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.scrub/1")]
struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// What kind of copies these are.
    #[schemars(extend("enum" = ["one", "pair", "md", "lvm", "extents"]))]
    source: &'static str,
    /// The files and devices that contain them; a copy refers to one by its index here, from 0.
    disks: Vec<String>,
    /// Remarks on the comparison.
    notes: Vec<String>,
    /// Bytes of each copy.
    total_bytes: u64,
    /// Bytes of each copy that were compared.
    compared_bytes: u64,
    /// Whether it was compared to its end.
    complete: bool,
    /// Ranges that differed or could not be read, once, and were not read again before the scrub was stopped.
    waiting_ranges: u64,
    /// Whether no copy differs in the compared part (if not, the exit code is 1); null when no difference is known but some ranges are pending or
    /// could not be judged, and when there is only one copy.
    alike: Option<bool>,
    /// Whether all of the single copy can be read (if not, the exit code is 1); null when everything tried could be read but not everything was
    /// tried, and when there are several copies.
    readable: Option<bool>,
    /// Files on the unreadable parts of a device; null when they were not searched for: nothing is unreadable, it is itself a file, or there are
    /// several copies. `at` is a byte of the device.
    files: Option<OwnerFacts>,
    /// What was found.
    #[serde(flatten)]
    found: &'a ScrubFindings,
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(scrubbed: &ScrubReport<'_>) -> Result<Vec<u8>, Problem> {
    let state = scrubbed.state;
    pretty(&Document {
        schema: SCHEMA,
        source: match state.source {
            Source::One { .. } => "one",
            Source::Pair { .. } => "pair",
            Source::Md(_) => "md",
            Source::Lvm(_) => "lvm",
            Source::Extents { .. } => "extents",
        },
        disks: scrubbed.disks.iter().map(|disk| printable(disk)).collect(),
        notes: scrubbed.notes.iter().map(|note| printable(note)).collect(),
        total_bytes: scrubbed.total,
        compared_bytes: state.done,
        complete: scrubbed.complete,
        waiting_ranges: state.pending.len() as u64,
        alike: state.are_alike(),
        readable: state.is_readable(scrubbed.total),
        files: scrubbed.owners.map(printable_owners),
        found: &state.found,
    })
}

/// The same, for a document.
fn printable_owners(owners: &OwnerFacts) -> OwnerFacts {
    let part = |part: &FilePart| FilePart { path: printable(&part.path), ..part.clone() };
    OwnerFacts {
        files: owners.files.iter().map(part).collect(),
        mounts: owners.mounts.iter().map(|mount| printable(mount)).collect(),
        doubt: owners.doubt.as_ref().map(|doubt| printable(doubt)),
    }
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}
