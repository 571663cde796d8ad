//! A record in another form than it was written in: compressed, or in another encoding.
//!
//! Must not read a line.

use crate::error::Problem;

/// What editors put before UTF-8 text; it is not part of the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How files of a packer begin, its name, and how it unpacks one.
const PACKERS: [(&[u8], &str, &str); 5] = [
    (b"\x1f\x8b", "gzip", "gzip -dc"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
    (b"\xfd7zXZ\0", "xz", "xz -dc"),
    (b"BZh", "bzip2", "bzip2 -dc"),
    (b"PK\x03\x04", "zip", "unzip -p"),
];

/// How text in UTF-16 begins with a record in it, and its name for iconv: with a byte order mark, and without one.
const WIDE: [(&[u8], &str); 4] = [
    (b"\xff\xfe{\0\"\0l\0i\0n\0e\0\"\0", "UTF-16"),
    (b"\xfe\xff\0{\0\"\0l\0i\0n\0e\0\"", "UTF-16"),
    (b"{\0\"\0l\0i\0n\0e\0\"\0", "UTF-16LE"),
    (b"\0{\0\"\0l\0i\0n\0e\0\"", "UTF-16BE"),
];

/// The lines, without a byte order mark before them.
pub(super) fn lines(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// What a file has to become before it can be read; `None` if it is text as Rigel writes it, or unknown.
pub fn other_form(bytes: &[u8]) -> Option<Problem> {
    let into = |command: &str| format!("{command} FILE > NAME_record.jsonl");
    if let Some((_, packer, unpack)) = PACKERS.iter().find(|(start, ..)| bytes.starts_with(start)) {
        let problem = Problem::usage(format!("the file is compressed with {packer}"));
        let cause = "records, and results of other tools, are read as text";
        return Some(problem.because(cause).next(format!("unpack it first: {}", into(unpack))));
    }
    let (_, encoding) = WIDE.iter().find(|(start, _)| bytes.starts_with(start))?;
    let problem = Problem::usage("the record is UTF-16 text");
    let cause = "Rigel writes records as UTF-8; another program, such as PowerShell, wrote this file again";
    let convert = into(&format!("iconv -f {encoding} -t UTF-8"));
    Some(problem.because(cause).next(format!("convert it first: {convert}")))
}
