//! The name of a record.
//!
//! Must not know what is in it.

/// What follows the name of a run in the name of its record.
pub const RECORD_SUFFIX: &str = "_record.jsonl";
