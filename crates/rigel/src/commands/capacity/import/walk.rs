//! The files below a directory to import.
//!
//! Must not open a file.

use rigel_core::error::Problem;
use rigel_core::path_text::encode;
use std::fs::{DirEntry, read_dir};
use std::path::{Path, PathBuf};

/// Directories within directories; archives have three.
const MOST_DEPTH: usize = 16;
/// Files below one directory.
const MOST_FILES: usize = 1_000_000;

/// The files of a directory and of those within, in the order of their names. Hidden ones and links to directories are left out, so no loop
/// is followed; a directory within that cannot be read is left out, too, and given to `unreadable`.
///
/// # Errors
/// When the directory itself cannot be read, or holds too many files.
pub fn files(dir: &Path, unreadable: &mut impl FnMut(&Path, Problem)) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    let mut waiting = vec![(dir.to_path_buf(), 0)];
    while let Some((at, depth)) = waiting.pop() {
        let mut entries = match read_dir(&at).and_then(Iterator::collect::<std::io::Result<Vec<DirEntry>>>) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(of_dir(&at, &error)),
            Err(error) => {
                unreadable(&at, of_dir(&at, &error));
                continue;
            }
        };
        entries.sort_by_key(DirEntry::file_name);
        let mut within = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                if depth < MOST_DEPTH {
                    within.push((path, depth + 1));
                }
            } else if path.is_file() {
                found.push(path);
            }
        }
        if found.len() > MOST_FILES {
            return Err(Problem::usage("the directory holds more than a million files")
                .at(encode(dir))
                .next("import directories within it one at a time"));
        }
        // The first of them is the next.
        waiting.extend(within.into_iter().rev());
    }
    Ok(found)
}

fn of_dir(dir: &Path, error: &std::io::Error) -> Problem {
    Problem::refused("the directory cannot be read")
        .at(encode(dir))
        .because(format!("the system says: {error}"))
        .next("check its name and who may read it")
}
