//! The answers of a calibration: one JSON document, `rigel.calibration/1`, and the text made from it.
//!
//! The history stores the document, so an old answer is shown like a new one. The types here are the interface: a
//! field is added under the same name of the schema, a change that a reader could misread needs a new one. Must not
//! choose a figure; [`rigel_core::judge::findings`] does.

mod blocks;
mod past;

pub(crate) use blocks::figures;
pub use blocks::{answers, history};
pub use past::past;

use crate::json_text::{self, pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::answers::AnswersForm;
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::Class;
use rigel_core::load::commits::NoCommits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.calibration/1";

/// The answers of a calibration. Rates are per second, one MB is 2^20 bytes; `lo95` and `hi95` are the ends of 95 % intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "rigel.calibration/1")]
pub struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Common prefix of the names of all files of the run.
    pub run: String,
    /// Local time of the start, RFC 3339.
    pub started: String,
    /// The targets, as they were named.
    pub targets: Vec<String>,
    /// The answers.
    #[serde(flatten)]
    pub answers: AnswersForm,
    /// Share of writes in per cent.
    pub write_percent: u8,
    /// Bytes of a small I/O.
    pub size_small: u64,
    /// Bytes of a large I/O.
    pub size_large: u64,
    /// Whether the run was measured completely.
    pub complete: bool,
    /// All doubts about these figures, each flag once.
    pub flags: Vec<Flag>,
    /// Whether the figures may be used, what casts doubt on them, and what to do.
    pub verdict: Option<Conclusion>,
}

impl Document {
    /// The document of a run; `None` if it was not a calibration.
    pub fn of(view: &View<'_>) -> Option<Self> {
        let header = &view.record.header;
        Some(Self {
            schema: SCHEMA.to_owned(),
            run: text(&header.run_id),
            started: text(&header.started),
            targets: view.targets().into_iter().map(text).collect(),
            answers: AnswersForm::of(&view.findings)?,
            write_percent: header.request.write_percent().get(),
            size_small: header.request.io_bytes(Class::SMALL),
            size_large: header.request.io_bytes(Class::LARGE),
            complete: view.record.complete(),
            flags: json_text::flags(&view.findings.flags_once()),
            verdict: Some(Conclusion::of(view)),
        })
    }

    /// Why there are no figures of commits, unless the user left them out.
    fn commits_news(&self) -> Option<&'static str> {
        self.answers.no_commits.filter(|why| why.is_news()).map(NoCommits::reason)
    }

    /// The document as text, pretty-printed.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn json(&self) -> Result<Vec<u8>, Problem> {
        pretty(self)
    }
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document>()
}
