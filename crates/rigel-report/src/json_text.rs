//! JSON as text: documents, their schemas, and foreign text in them.
//!
//! Must not know a document.

use crate::output_file::unwritable;
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// The JSON Schema of a document, pretty-printed.
pub(crate) fn schema_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    format!("{:#}\n", schema.to_value())
}

/// A document, pretty-printed.
pub(crate) fn pretty(document: &impl Serialize) -> Result<Vec<u8>, Problem> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(|error| not_json(&error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// A document on one line.
pub(crate) fn compact(document: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(document).map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Problem {
    unwritable("the results", "JSON", error)
}

/// Foreign text, printable.
pub(crate) fn text(foreign: &str) -> String {
    printable(foreign).into_owned()
}

/// Flags, their texts printable.
pub(crate) fn flags(flags: &[Flag]) -> Vec<Flag> {
    flags.iter().map(|flag| Flag { text: text(&flag.text), ..flag.clone() }).collect()
}
