//! An answer that was cut off, closed behind the last object that is whole.
//!
//! Must not know what an object is.

/// Brackets that may be open simultaneously.
const MOST_DEPTH: usize = 64;

/// The text up to its last complete object, with the open brackets closed. `None` if no object is complete.
pub fn closed(text: &[u8]) -> Option<Vec<u8>> {
    let (mut open, mut in_string, mut is_escaped) = (Vec::new(), false, false);
    let (mut whole, mut open_there) = (None, Vec::new());
    for (at, &byte) in text.iter().enumerate() {
        if in_string {
            in_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop().filter(|expected| *expected == byte)?;
                if byte == b'}' {
                    whole = Some(at + 1);
                    open_there.clone_from(&open);
                }
            }
            _ => {}
        }
        if open.len() > MOST_DEPTH {
            return None;
        }
    }
    let mut closed = text[..whole?].to_vec();
    closed.extend(open_there.iter().rev());
    Some(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_stays() {
        for (text, expected) in [
            ("{\"a\": [{\"b\": \"}\\\"]\"}, {\"b\": 1", Some("{\"a\": [{\"b\": \"}\\\"]\"}]}")),
            ("{\"a\": [{\"b\": {\"c\": 1}, \"d\": [2", Some("{\"a\": [{\"b\": {\"c\": 1}}]}")),
            ("{\"a\": [1, 2", None),
            ("{\"a\": [{}}", None),
        ] {
            assert_eq!(
                closed(text.as_bytes()).map(|text| String::from_utf8(text).unwrap()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
