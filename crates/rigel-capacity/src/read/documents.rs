//! JSON documents of sysstat, one behind the other in a file: where one begins, the one before is over, also when it was cut off.
//!
//! Must not know what an element means.

use super::pieces::{Piece, Pieces};
use rigel_core::error::Problem;
use std::ops::Range;

/// The name that appears in a document once, after its first bracket and blanks.
const NAME: &[u8] = b"\"sysstat\"";
/// Bytes from the bracket to the end of the name; other tools indent it.
const MOST_HEAD: usize = 64;

/// Cuts documents into the elements of their arrays.
#[derive(Debug)]
pub struct Documents {
    pieces: Pieces,
    /// The last bytes, while they may be the begin of a document.
    begun: Vec<u8>,
}

impl Documents {
    /// For the arrays of this name.
    pub fn of(array: &'static str) -> Self {
        Self { pieces: Pieces::of(array), begun: Vec::new() }
    }

    /// Passes on each complete element. Returns whether a document was truncated before the next one.
    pub fn cut(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(Piece<'_>) -> Result<(), Problem>,
    ) -> Result<bool, Problem> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let (mut rest, mut was_torn) = (all.as_slice(), false);
        while let Some(head) = head(rest) {
            self.pieces.cut(&rest[..head.start], &mut each)?;
            was_torn |= self.pieces.restart();
            self.pieces.cut(&rest[head.clone()], &mut each)?;
            rest = &rest[head.end..];
        }
        let (rest, begun) = rest.split_at(rest.len() - begun(rest));
        self.begun = begun.to_vec();
        self.pieces.cut(rest, each)?;
        Ok(was_torn)
    }

    /// The end of the file: the last document is complete, or it was truncated.
    ///
    /// # Errors
    /// When the rest of it contradicts the format.
    pub fn end(
        &mut self,
        each: impl FnMut(Piece<'_>) -> Result<(), Problem>,
    ) -> Result<Result<(), Problem>, Problem> {
        self.pieces.cut(&std::mem::take(&mut self.begun), each)?;
        Ok(self.pieces.end())
    }

    /// Everything around the elements of the last document.
    pub fn around(&self) -> &[u8] {
        self.pieces.around()
    }
}

/// The start of the first document, up to the end of its name.
fn head(bytes: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let at = from + bytes[from..].windows(NAME.len()).position(|part| part == NAME)?;
        let before = bytes[..at].trim_ascii_end();
        if before.ends_with(b"{") {
            return Some(before.len() - 1..at + NAME.len());
        }
        from = at + NAME.len();
    }
}

/// Bytes at the end that may be the begin of a document.
fn begun(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(MOST_HEAD)..];
    let Some(at) = tail.iter().rposition(|&byte| byte == b'{') else { return 0 };
    let name = tail[at + 1..].trim_ascii_start();
    if NAME.starts_with(name) { tail.len() - at } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_behind_one_that_is_cut_off_is_whole_however_its_bytes_come() {
        let whole = "{\"sysstat\": {\"statistics\": [{\"a\": 1}, {\"a\": 2}]}}\n";
        let spread =
            "{\n  \"sysstat\": {\n    \"statistics\": [{\"a\": 3}, {\"a\": \"{ \\\"sysstat\\\"\"}]}}\n";
        for cut in [whole.len() - 1, whole.len() - 4, whole.len() - 10, 20, 5] {
            for text in [whole[..cut].to_owned() + spread, format!("{}{whole}{spread}", &whole[..cut])] {
                let expected = text.matches("\"a\": 1}").count() + text.matches("\"a\": 2}").count() + 2;
                for size in 1..30 {
                    let (mut documents, mut found) = (Documents::of("statistics"), 0);
                    for bytes in text.as_bytes().chunks(size) {
                        documents
                            .cut(bytes, |_| {
                                found += 1;
                                Ok(())
                            })
                            .unwrap();
                    }
                    documents.end(|_| Ok(())).unwrap().unwrap();
                    assert_eq!(found, expected, "{size}: {text}");
                }
            }
        }
    }
}
