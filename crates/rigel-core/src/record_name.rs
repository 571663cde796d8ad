//! The name of a record.
//!
//! Must not know what is in it.

/// The record's file name is the name of the run and this.
pub const RECORD_SUFFIX: &str = "_record.jsonl";
