//! The one way in which a test says that it cannot run here.
//!
//! A skipped test passes, so skips must be counted elsewhere: with `RIGEL_SKIP_FILE` set, every skip is one
//! line of that file, and whoever runs the tests decides how many it tolerates. It must not decide itself.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

/// Why a device cannot be had on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingNeed(String);

impl MissingNeed {
    /// The reason; it is brought to one line, since it becomes one line of the skip file.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for MissingNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MissingNeed {}

/// Returns what the test needs, or says on standard error and in `RIGEL_SKIP_FILE` that it is skipped; a test begins with
/// `let Some(device) = needs("its_name", TestDevice::mount(spec)) else { return };`.
pub fn needs<T>(test_name: &str, what: Result<T, MissingNeed>) -> Option<T> {
    let reason = match what {
        Ok(thing) => return Some(thing),
        Err(reason) => reason,
    };
    let skip_file = std::env::var_os("RIGEL_SKIP_FILE");
    report(test_name, &reason, skip_file.as_deref().map(Path::new), &mut io::stderr());
    None
}

fn report(test_name: &str, reason: &MissingNeed, skip_file: Option<&Path>, messages: &mut impl io::Write) {
    let _ = messages.write_all(format!("SKIPPED {test_name}: {reason}\n").as_bytes());
    let Some(path) = skip_file else { return };
    // Many test processes append at once: one write each keeps their lines whole.
    let file = OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(format!("{test_name}\t{reason}\n").as_bytes()));
    if let Err(error) = written {
        let _ =
            messages.write_all(format!("cannot record the skip in {}: {error}\n", path.display()).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_handed_on() {
        assert_eq!(needs("test", Ok(7)), Some(7));
    }

    #[test]
    fn every_skip_is_said_and_is_one_line_of_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("skips");
        let mut messages = Vec::new();
        report("first", &MissingNeed::new("no /dev/fuse"), Some(&path), &mut messages);
        report("second", &MissingNeed::new("two\nlines\tand a tab"), Some(&path), &mut messages);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "first\tno /dev/fuse\nsecond\ttwo lines and a tab\n");
        assert_eq!(messages, b"SKIPPED first: no /dev/fuse\nSKIPPED second: two lines and a tab\n");
    }

    #[test]
    fn a_file_that_cannot_be_written_does_not_fail_the_test() {
        let mut messages = Vec::new();
        report("test", &MissingNeed::new("reason"), Some(Path::new("/nowhere/skips")), &mut messages);
        let messages = String::from_utf8(messages).unwrap();
        assert!(messages.contains("cannot record the skip in /nowhere/skips"), "{messages}");
    }
}
