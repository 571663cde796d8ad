//! Marks in a record: what a person or the host said while the load continued.
//!
//! Must not judge.

use crate::facts::states::{StateChange, StateKind};
use serde::{Deserialize, Serialize};

/// Something that happened during the load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Time of the run.
    pub run_ns: u64,
    /// Local time, RFC 3339.
    pub at: String,
    /// The content.
    pub marked: MarkContent,
}

/// The author, and what happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkContent {
    /// A person (`rigel mark`).
    Person(String),
    /// The host.
    Host(StateChange),
}

impl MarkContent {
    /// Whether something may begin with it. Interfaces come and go on many hosts, and a rebuild that continues was there before, as was
    /// what is so from the start.
    pub fn is_sign(&self) -> bool {
        match self {
            Self::Person(_) => true,
            Self::Host(change) => {
                !change.is_old() && !matches!(change.kind, StateKind::Link | StateKind::SyncCompleted)
            }
        }
    }

    /// In words; foreign text is made printable.
    pub fn words(&self) -> String {
        match self {
            Self::Person(text) => crate::path_text::printable(text).into_owned(),
            Self::Host(change) => change.words(),
        }
    }

    /// Whether a person set it.
    pub const fn is_of_person(&self) -> bool {
        matches!(self, Self::Person(_))
    }
}
