//! A run that several tests only look at: made once in the process, and put into a directory of each test's own.
//!
//! Must not hand out one directory twice: what a test writes there is its own.

use crate::support::{Place, ProgramOutput};
use std::fs;

/// What a run told, and the files that it left.
pub struct Recording {
    pub told: ProgramOutput,
    files: Vec<(String, Vec<u8>)>,
}

impl Recording {
    /// Makes the run in a directory that goes away.
    pub fn of(run: impl FnOnce(&Place) -> ProgramOutput) -> Self {
        let place = Place::new();
        let told = run(&place);
        let read = |name: String| {
            let bytes = fs::read(place.path().join(&name)).unwrap();
            (name, bytes)
        };
        Self { told, files: place.files().into_iter().map(read).collect() }
    }

    /// A directory of one's own with its files.
    pub fn place(&self) -> Place {
        let place = Place::new();
        for (name, bytes) in &self.files {
            fs::write(place.path().join(name), bytes).unwrap();
        }
        place
    }
}
