//! Runs on simulated devices, each made once however many tests look at it.
//!
//! What they left is kept in memory, because nothing would remove a directory that belongs to the process. Must not be used for a run that may end
//! differently the next time.

use crate::support::Place;
use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Names of files and what they hold.
type Files = Vec<(String, Vec<u8>)>;

/// By the words of the command.
static RUNS: Mutex<Option<HashMap<String, Arc<OnceLock<Files>>>>> = Mutex::new(None);

/// Puts into a place what the program leaves after these words.
pub fn run(place: &Place, words: &str) {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    let files = Arc::clone(runs.get_or_insert_default().entry(words.to_owned()).or_default());
    // Others may go on with other runs meanwhile.
    drop(runs);
    for (name, bytes) in files.get_or_init(|| made(words)) {
        fs::write(place.path().join(name), bytes).unwrap();
    }
}

fn made(words: &str) -> Files {
    let place = Place::new();
    place.line(words).expect_code(0);
    let read = |name: String| {
        let bytes = fs::read(place.path().join(&name)).unwrap();
        (name, bytes)
    };
    place.files().into_iter().map(read).collect()
}
