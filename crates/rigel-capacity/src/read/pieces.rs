//! The elements of one array in a large JSON document, one at a time: the remaining document stays small.
//!
//! Only brackets, strings and line feeds are checked here; serde reads the elements. Must not know what an element means.

use super::seen::{torn, wrong};
use rigel_core::error::Problem;

/// Bytes of an element, and of all that is around elements.
const MOST_ELEMENT: usize = 128 << 20;
const MOST_AROUND: usize = 1 << 20;
/// Bytes of a name.
const MOST_WORD: usize = 64;
/// Brackets that are open.
const MOST_DEPTH: usize = 64;

/// Cuts a document into the elements of the arrays of one name.
#[derive(Debug)]
pub struct Pieces {
    array: &'static str,
    /// What is open: a bracket, and the name of its content.
    open: Vec<(u8, Vec<u8>)>,
    /// The string that was read last outside of elements, which may be a name.
    word: Vec<u8>,
    in_string: bool,
    escaped: bool,
    /// The depth at which the element began that is being read.
    element: Option<usize>,
    /// Its bytes from earlier pieces, and the line on which it began.
    kept: Vec<u8>,
    began: u64,
    around: Vec<u8>,
    /// Whether the text around elements ends within a string, and after a backslash there.
    around_string: (bool, bool),
    /// Arrays that were begun.
    arrays: u64,
    line: u64,
    over: bool,
}

/// An element and what came before it.
pub struct Piece<'a> {
    /// JSON of the element.
    pub json: &'a [u8],
    /// Its first line.
    pub line: u64,
    /// The document up to here without elements; not closed.
    pub around: &'a [u8],
    /// The number of its array in the file: documents may follow one another.
    pub array: u64,
}

impl Pieces {
    /// For the arrays of this name; an empty name means objects of the outermost array, or objects without one.
    pub fn of(array: &'static str) -> Self {
        Self {
            array,
            open: Vec::new(),
            word: Vec::new(),
            in_string: false,
            escaped: false,
            element: None,
            kept: Vec::new(),
            began: 0,
            around: Vec::new(),
            around_string: (false, false),
            arrays: 0,
            line: 1,
            over: false,
        }
    }

    /// Passes on each complete element.
    pub fn cut(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(Piece<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut from = 0;
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                at += self.string(&bytes[at..]);
                continue;
            }
            at += before(&bytes[at..], |byte| matches!(byte, b'"' | b'\n' | b'{' | b'}' | b'[' | b']'));
            let Some(&byte) = bytes.get(at) else { break };
            at += 1;
            match byte {
                b'"' => {
                    self.in_string = true;
                    self.word.clear();
                }
                b'\n' => self.line += 1,
                b'{' | b'[' => {
                    if self.begins_element(byte) {
                        self.outside(&bytes[from..at - 1])?;
                        from = at - 1;
                        (self.element, self.began) = (Some(self.open.len()), self.line);
                    }
                    self.push(byte)?;
                }
                b'}' | b']' => {
                    self.pop(byte)?;
                    if self.element == Some(self.open.len()) {
                        self.element = None;
                        self.whole(&bytes[from..at], &mut each)?;
                        from = at;
                    }
                    self.over = self.open.is_empty();
                }
                _ => {}
            }
        }
        if self.element.is_some() {
            self.kept.extend_from_slice(&bytes[from..]);
            if self.kept.len() > MOST_ELEMENT {
                return Err(wrong(self.began, "an element is larger than 128 MiB")
                    .next("request less from the source at once: a month, or fewer disks"));
            }
        } else {
            self.outside(&bytes[from..])?;
        }
        Ok(())
    }

    fn whole(
        &mut self,
        last: &[u8],
        each: &mut impl FnMut(Piece<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let (line, around, array) = (self.began, self.around.as_slice(), self.arrays);
        if self.kept.is_empty() {
            return each(Piece { json: last, line, around, array });
        }
        self.kept.extend_from_slice(last);
        each(Piece { json: &self.kept, line, around, array })?;
        self.kept.clear();
        Ok(())
    }

    /// A document begins, whatever is open: the previous one was truncated. Returns whether it was.
    pub fn restart(&mut self) -> bool {
        let was_torn = self.in_string || !self.open.is_empty();
        let (arrays, line) = (self.arrays, self.line);
        if was_torn {
            *self = Self { arrays, line, ..Self::of(self.array) };
        }
        was_torn
    }

    /// The end of the file.
    pub fn end(&self) -> Result<(), Problem> {
        if self.over && self.open.is_empty() && !self.in_string { Ok(()) } else { Err(torn(self.line)) }
    }

    /// Everything around the elements; not closed while the document continues.
    pub fn around(&self) -> &[u8] {
        &self.around
    }

    /// Takes bytes of a string up to a sign that means something there; how many that were.
    fn string(&mut self, bytes: &[u8]) -> usize {
        let plain = if self.escaped { 0 } else { before(bytes, |byte| matches!(byte, b'"' | b'\\' | b'\n')) };
        let sign = bytes.get(plain).copied();
        let ends = sign == Some(b'"') && !self.escaped;
        let taken = plain + usize::from(sign.is_some());
        if sign == Some(b'\n') {
            self.line += 1;
        }
        if self.element.is_none() {
            let part = bytes[..taken - usize::from(ends)].iter();
            self.word.extend(part.take(MOST_WORD.saturating_sub(self.word.len())));
        }
        self.escaped = sign == Some(b'\\') && !self.escaped;
        self.in_string = !ends;
        taken
    }

    fn begins_element(&self, byte: u8) -> bool {
        if byte != b'{' || self.element.is_some() {
            return false;
        }
        match (self.array, self.open.as_slice()) {
            ("", []) => true,
            ("", [(b'[', _)]) => true,
            ("", _) => false,
            (name, [.., (b'[', of)]) => of == name.as_bytes(),
            _ => false,
        }
    }

    fn push(&mut self, byte: u8) -> Result<(), Problem> {
        if self.open.len() >= MOST_DEPTH {
            return Err(wrong(self.line, "more than 64 brackets are open")
                .because("the file is of another format, or damaged"));
        }
        let name = if self.element.is_some() { Vec::new() } else { std::mem::take(&mut self.word) };
        self.arrays += u64::from(byte == b'[' && self.element.is_none() && name == self.array.as_bytes());
        if self.open.is_empty() && self.around.len() > MOST_AROUND / 2 {
            // Another document of a long row of them: what was around the first ones is not asked for any more.
            self.around.drain(..MOST_AROUND / 4);
        }
        self.open.push((byte, name));
        Ok(())
    }

    fn pop(&mut self, byte: u8) -> Result<(), Problem> {
        let expected = if byte == b'}' { b'{' } else { b'[' };
        match self.open.pop() {
            Some((open, _)) if open == expected => Ok(()),
            _ => Err(wrong(self.line, "a closing bracket has no opening bracket")
                .because("the file is damaged, or is not JSON")),
        }
    }

    fn outside(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        for &byte in bytes {
            let (is_text, is_escaped) = self.around_string;
            if is_text || !byte.is_ascii_whitespace() {
                self.around.push(byte);
            }
            let is_quote = byte == b'"' && !is_escaped;
            self.around_string = (is_text != is_quote, is_text && byte == b'\\' && !is_escaped);
        }
        // A comma after every element is no text of the document.
        while self.around.ends_with(b",,") {
            self.around.pop();
        }
        if self.around.len() > MOST_AROUND {
            return Err(wrong(self.line, "much of the file is not in its format")
                .because("it comes from another version of the tool, or from another tool"));
        }
        Ok(())
    }
}

/// Bytes before the first that is one of some signs.
fn before(bytes: &[u8], is_sign: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().position(is_sign).unwrap_or(bytes.len())
}

/// The text of a name around elements: `"nodename":"vm"`; the last one, which is of the current host. Blanks between tokens are removed there.
pub fn text_around(around: &[u8], name: &str) -> Option<String> {
    let quoted = [b"\"", name.as_bytes(), b"\":\""].concat();
    let at = around.windows(quoted.len()).rposition(|part| part == quoted)?;
    let rest = &around[at + quoted.len()..];
    let mut is_escaped = false;
    let end = rest.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    let text = [b"\"", &rest[..end], b"\""].concat();
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "{\"sysstat\": {\"hosts\": [\n {\"nodename\": \"a \\\"b\", \"statistics\": [\n  {\"x\": [1, {\"y\": \"]}\"}]},\n  {\"z\": 2}\n ], \"restarts\": [{\"boot\": 1}]}\n]}}\n";

    fn cut(document: &str, size: usize) -> Vec<(String, u64, Option<String>)> {
        let mut pieces = Pieces::of("statistics");
        let mut found = Vec::new();
        for bytes in document.as_bytes().chunks(size) {
            pieces
                .cut(bytes, |piece| {
                    let text = String::from_utf8(piece.json.to_vec()).unwrap();
                    found.push((text, piece.line, text_around(piece.around, "nodename")));
                    Ok(())
                })
                .unwrap();
        }
        pieces.end().unwrap();
        assert!(String::from_utf8_lossy(pieces.around()).contains("\"restarts\":[{\"boot\":1}]"));
        found
    }

    #[test]
    fn elements_are_the_same_however_the_bytes_come() {
        let whole = cut(DOCUMENT, DOCUMENT.len());
        assert_eq!(whole.len(), 2);
        assert_eq!((whole[0].0.as_str(), whole[0].1), ("{\"x\": [1, {\"y\": \"]}\"}]}", 3));
        assert_eq!(whole[1].1, 4);
        for size in 1..40 {
            assert_eq!(cut(DOCUMENT, size), whole, "{size}");
        }
    }

    #[test]
    fn what_is_cut_off_or_crooked_is_told() {
        let mut pieces = Pieces::of("statistics");
        pieces.cut(&DOCUMENT.as_bytes()[..60], |_| Ok(())).unwrap();
        assert!(pieces.end().unwrap_err().what.contains("ends in the middle"));
        assert!(Pieces::of("x").cut(b"{]", |_| Ok(())).is_err());
        assert!(Pieces::of("x").cut(&[b'['; 100], |_| Ok(())).is_err());
    }
}
