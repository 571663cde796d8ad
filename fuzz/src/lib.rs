//! Hostile input for every reader of foreign data. `cargo xtask fuzz` hands it out by libFuzzer, without end; the tests of this crate are the
//! same targets on the corpus and on changes to it, the same on every machine.
//!
//! Must not catch a panic: that is what is looked for.
#![forbid(unsafe_code)]

#[cfg(test)]
mod briefly;
pub mod edits;
pub mod outputs;
pub mod targets;
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
