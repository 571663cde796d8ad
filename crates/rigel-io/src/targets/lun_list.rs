//! ORION's list of targets, `<testname>.lun`: one path per line, without comments or options.
//!
//! LF and CRLF end a line. Blanks at the end of a line are ignored, and blank lines are skipped. A path is bytes, not text.
//! Must not open a target.

use super::no_path;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A longer file is not a list.
const MOST_BYTES: u64 = 16 << 20;

/// A line with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LunEntry {
    /// Line number, from 1.
    pub line: u32,
    /// The target.
    pub path: PathBuf,
}

/// An existing list with nearly the same name: with the suffix `.lun` once instead of twice, as ORION adds it itself, or with one.
fn similar(list: &Path) -> Option<PathBuf> {
    let name = list.to_str()?;
    let once = name.strip_suffix(".lun").filter(|name| name.ends_with(".lun"));
    let other = once.map_or_else(|| format!("{name}.lun"), str::to_owned);
    Some(PathBuf::from(other)).filter(|other| other.is_file())
}

/// Reads a list.
///
/// # Errors
/// When the file is missing, cannot be read, or is not a list.
pub fn read(list: &Path) -> Result<Vec<LunEntry>, Problem> {
    let place = path_text::encode(list);
    let mut bytes = Vec::new();
    let read = std::fs::File::open(list).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        let problem =
            Problem::usage("the list of targets cannot be read").at(place).because(error.to_string());
        return Err(match similar(list) {
            Some(there) => {
                problem.next(format!("give the list that is there: {}", path_text::encode(&there)))
            }
            None => problem.next("create this file with one target path per line, such as /dev/sdb"),
        });
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Problem::usage("the list of targets is not a list")
            .at(place)
            .because(format!("it is longer than {}", Bytes(MOST_BYTES)))
            .next("give the file that names the targets, not a target"));
    }
    parse(&bytes).map_err(|problem| {
        let place = match &problem.place {
            Some(line) => format!("{place}:{line}"),
            None => place,
        };
        problem.at(place)
    })
}

/// Reads the bytes of a list. A problem's place is the number of the line.
///
/// # Errors
/// When a line holds a NUL byte, or no line names a target.
pub fn parse(bytes: &[u8]) -> Result<Vec<LunEntry>, Problem> {
    // Some editors mark UTF-8 with these three bytes.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut entries = Vec::new();
    for (line, text) in (1u32..).zip(bytes.split(|&byte| byte == b'\n')) {
        let end = text.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        let text = end.map_or(&[][..], |last| &text[..=last]);
        if text.contains(&0) {
            return Err(Problem::usage("the list of targets holds a NUL byte")
                .at(line.to_string())
                .because("it is a binary file or UTF-16 text")
                .next("write it as plain text, one path per line"));
        }
        if !text.is_empty() {
            entries.push(LunEntry { line, path: PathBuf::from(OsString::from_vec(text.to_vec())) });
        }
    }
    if entries.is_empty() {
        return Err(Problem::usage("the list of targets is empty")
            .next("write one target path per line, such as /dev/sdb"));
    }
    Ok(entries)
}

/// Places a problem with a target at its line of the list.
pub fn at_line(list: &Path, entry: &LunEntry, problem: Problem) -> Problem {
    let place = format!("{}:{}: {}", path_text::encode(list), entry.line, path_text::encode(&entry.path));
    let is_comment = entry.path.as_os_str().as_bytes().starts_with(b"#") && !entry.path.exists();
    let problem = problem.at(place);
    if is_comment {
        return problem
            .because("the line looks like a comment; the .lun format has no comments")
            .next("remove the line");
    }
    match no_path::in_list(&path_text::encode(&entry.path)).filter(|_| !entry.path.exists()) {
        Some((cause, next)) => problem.because(cause).next(next),
        None => problem,
    }
}

/// Refuses a target that is named twice, also under different names. Each target has a label for messages: its place on
/// the command line, or `file:line`.
///
/// # Errors
/// When two targets are the same file or device.
pub fn check_distinct(targets: &[(String, TargetFacts)]) -> Result<(), Problem> {
    for (index, (label, facts)) in targets.iter().enumerate() {
        let who = |facts: &TargetFacts| (facts.kind, facts.identity);
        if let Some((earlier, same)) = targets[..index].iter().find(|(_, other)| who(other) == who(facts)) {
            return Err(Problem::usage("a target is listed twice")
                .at(format!("{earlier} and {label}"))
                .because(format!("{} and {} both lead to {}", same.path, facts.path, facts.real_path))
                .next("name it once; for more load use more outstanding I/Os"));
        }
    }
    Ok(())
}

/// Refuses a target that cannot hold one large I/O.
///
/// # Errors
/// When one is smaller.
pub fn check_sizes(targets: &[(String, TargetFacts)], large_bytes: u64) -> Result<(), Problem> {
    let Some((label, facts)) = targets.iter().find(|(_, facts)| facts.size_bytes < large_bytes) else {
        return Ok(());
    };
    let (size, large) = (Bytes(facts.size_bytes), Bytes(large_bytes));
    Err(Problem::refused("a target is smaller than one large I/O")
        .at(label.clone())
        .because(format!("{} has {size}, but a large I/O has {large}", facts.path))
        .next("choose a larger target or smaller large I/Os"))
}

#[cfg(test)]
mod tests;
