//! What outputs say of numbers: whether they may be used, what casts doubt on them, and the command that comes next.
//!
//! Must not choose these; [`crate::verdict`] does.

use rigel_core::judge::flags::FlagCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the numbers may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// There is no doubt about them.
    #[default]
    Good,
    /// Use the numbers with care, or not everything was measured.
    UseWithCare,
    /// The numbers of a load class, or all of them, are not about the storage.
    DoNotUse,
}

rigel_core::named!(Tone { Good: "Good", UseWithCare: "Use with care", DoNotUse: "Do not use" });

/// Something that casts doubt on the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The flag; null if the run was cut short.
    pub code: Option<FlagCode>,
    /// The numbers next to it must not be used.
    pub invalid: bool,
    /// What it means, as a sentence.
    pub means: String,
    /// Where it was seen.
    pub place: String,
    /// The figures of one place, which is named if they differ.
    pub figures: String,
    /// What to do, as a sentence.
    pub remedy: String,
}

impl Cause {
    /// The place, and whether the numbers there may be used: `2 of 7 points, not to be used`.
    pub(crate) fn at(&self) -> String {
        let usable = if self.invalid { ", not to be used" } else { "" };
        format!("{}{usable}", self.place)
    }

    /// Code and place in short, `FOREIGN, 2 of 7 points`.
    pub(crate) fn label(&self) -> String {
        let (code, place) = (self.code.map(FlagCode::name), self.at());
        let parts: Vec<&str> =
            code.into_iter().chain([place.as_str()]).filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }
}

/// A command and its purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suggestion {
    /// What it does, as words to put before a colon.
    pub purpose: String,
    /// The command line.
    pub command: String,
    /// Whether it gives the run more time.
    #[serde(skip)]
    pub(crate) is_longer: bool,
}
