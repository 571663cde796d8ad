//! Paths and foreign text as printable, reversible text.
//!
//! A target may have any name that the kernel accepts: bytes that are not UTF-8, newlines, terminal escapes. The
//! record, the terminal and every report get the text made here: control characters, invalid bytes and backslashes
//! become `\xNN`, everything else stays. Must not judge whether a path exists.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The printable form of a path; [`decode`] gives the path back.
pub fn encode(path: &Path) -> String {
    encode_os(path.as_os_str())
}

/// The printable form of any operating system string.
pub fn encode_os(text: &OsStr) -> String {
    let mut out = String::with_capacity(text.len());
    for chunk in text.as_bytes().utf8_chunks() {
        push_escaped(&mut out, chunk.valid(), |c| c == '\\' || is_unsafe(c));
        escape(&mut out, chunk.invalid());
    }
    out
}

/// Text from a record, safe to print whatever wrote the record: output of [`encode`] comes out unchanged, and control
/// characters and invisible marks are escaped. Backslashes stay, so nothing is escaped twice.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text, is_unsafe);
    Cow::Owned(out)
}

/// Control characters, and marks that change the direction of text or take no room: they can disguise a name.
fn is_unsafe(c: char) -> bool {
    let lies =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    lies || c.is_control()
}

fn push_escaped(out: &mut String, text: &str, is_escaped: impl Fn(char) -> bool) {
    for c in text.chars() {
        if is_escaped(c) {
            escape(out, c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            out.push(c);
        }
    }
}

fn escape(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\x{byte:02x}");
    }
}

/// The path that [`encode`] was given. A backslash that is not followed by `x` and two hexadecimal digits stays.
pub fn decode(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match escaped_byte(&bytes[at..]) {
            Some(byte) => {
                out.push(byte);
                at += 4;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

fn escaped_byte(rest: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = rest else {
        return None;
    };
    let digit = |c: &u8| char::from(*c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// A word of a command line for a shell (bash, zsh, ksh), from printable text: what [`encode`] escaped comes back as the byte it was.
pub fn shell_word(text: &str) -> String {
    let text = printable(text);
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    // An option begins with a dash, so a path that does gets its directory.
    let start = if text.starts_with('-') { "./" } else { "" };
    match () {
        () if !text.is_empty() && text.chars().all(is_plain) => format!("{start}{text}"),
        () if text.contains('\\') => format!("$'{start}{}'", text.replace('\'', "\\x27")),
        () => format!("'{start}{}'", text.replace('\'', "'\\''")),
    }
}

/// A command as typed for a directory, given as the text before a slash: `cd DIR && COMMAND`. For the root, that text is empty.
pub fn in_directory(directory: &str, command: &str) -> String {
    format!("cd {} && {command}", shell_word(if directory.is_empty() { "/" } else { directory }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_names_become_printable() {
        let hostile = OsStr::from_bytes(b"/dev/\x1b[2Jsd\xffa\n\\x41");
        assert_eq!(encode_os(hostile), "/dev/\\x1b[2Jsd\\xffa\\x0a\\x5cx41");
        assert_eq!(encode(Path::new("/daten/größe")), "/daten/größe");
        assert_eq!(encode(Path::new("a\u{202e}b")), "a\\xe2\\x80\\xaeb");
    }

    #[test]
    fn text_of_a_record_is_escaped_once() {
        assert_eq!(printable("a\\x1bb\\c"), "a\\x1bb\\c");
        assert_eq!(printable("a\tb\n\u{202e}"), "a\\x09b\\x0a\\xe2\\x80\\xae");
    }

    #[test]
    fn words_for_a_shell_are_quoted_where_they_must_be() {
        for (text, word) in [
            ("/dev/nvme0n1", "/dev/nvme0n1"),
            ("/daten/größe", "/daten/größe"),
            ("/my data/a$b", "'/my data/a$b'"),
            ("it's", "'it'\\''s'"),
            ("-rf", "./-rf"),
            ("", "''"),
            ("/a\\x0ab'c", "$'/a\\x0ab\\x27c'"),
            ("/a\nb", "$'/a\\x0ab'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    proptest! {
        #[test]
        fn printable_leaves_encoded_paths_alone(bytes in proptest::collection::vec(1u8..=255, 0..64)) {
            let text = encode_os(OsStr::from_bytes(&bytes));
            prop_assert_eq!(printable(&text), text.as_str());
        }

        #[test]
        fn every_path_comes_back(bytes in proptest::collection::vec(1u8..=255, 0..64)) {
            let path = PathBuf::from(OsString::from_vec(bytes));
            let text = encode(&path);
            prop_assert!(!text.chars().any(char::is_control));
            prop_assert_eq!(decode(&text), path);
        }
    }
}
