//! What the fuzz targets share: everything that is made of a record, and what no output may hold.
//!
//! Must not catch a panic: that is what the fuzzer looks for.
#![forbid(unsafe_code)]

pub mod edits;
pub mod outputs;
pub mod tree;

/// Fails on text that could steer a terminal. What is only ever written by us, such as the line feed, may be there.
pub fn assert_printable(what: &str, text: &str) {
    let steers = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
    };
    if let Some(at) = text.find(steers) {
        let from = text[..at].char_indices().rev().nth(80).map_or(0, |(index, _)| index);
        panic!("{what} holds a character that steers a terminal, behind {:?}", &text[from..at]);
    }
}
