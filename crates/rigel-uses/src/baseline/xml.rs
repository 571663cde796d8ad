//! The part of XML that tool results need: elements with their text. Attributes, comments and declarations are skipped; nothing is
//! loaded from elsewhere, and no entity is defined. The grammar is that of quick-xml.
//!
//! Must not know a tool.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Deeper documents are refused.
const DEEPEST: usize = 64;
/// Documents with more elements are refused.
const MOST_ELEMENTS: usize = 1 << 20;

/// An element.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub text: String,
    pub children: Vec<Self>,
}

impl Element {
    /// The children of a name.
    pub fn each(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element on a path of names.
    pub fn first(&self, path: &[&str]) -> Option<&Self> {
        let Some((name, below)) = path.split_first() else { return Some(self) };
        self.each(name).next()?.first(below)
    }
}

/// The first element of a text; otherwise the line where it is truncated or wrong.
pub fn read(text: &str) -> Result<Element, usize> {
    let mut reader = Reader::from_str(text);
    let (mut open, mut elements): (Vec<Element>, usize) = (Vec::new(), 0);
    loop {
        let event = reader.read_event();
        let wrong = || line(text, reader.buffer_position());
        let closed = match event.map_err(|_| line(text, reader.error_position()))? {
            Event::Eof => return Err(wrong()),
            Event::Start(start) => {
                elements += 1;
                open.push(
                    element(&start)
                        .filter(|_| open.len() < DEEPEST && elements <= MOST_ELEMENTS)
                        .ok_or_else(wrong)?,
                );
                None
            }
            Event::Empty(start) => Some(element(&start).ok_or_else(wrong)?),
            Event::End(_) => open.pop(),
            content => {
                if let Some(inside) = open.last_mut() {
                    inside.text.push_str(&plain(&content).ok_or_else(wrong)?);
                }
                None
            }
        };
        if let Some(mut element) = closed {
            element.text = element.text.trim().to_owned();
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        }
    }
}

/// The number of the line at a byte.
fn line(text: &str, at: u64) -> usize {
    let before = usize::try_from(at).map_or(text.len(), |at| at.min(text.len()));
    text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn element(start: &BytesStart) -> Option<Element> {
    Some(Element { name: str::from_utf8(start.name().as_ref()).ok()?.to_owned(), ..Element::default() })
}

/// What an event adds to the text of its element.
fn plain(event: &Event) -> Option<String> {
    match event {
        Event::Text(text) => text.decode().ok().map(Into::into),
        Event::CData(text) => text.decode().ok().map(Into::into),
        Event::GeneralRef(entity) => reference(entity),
        _ => Some(String::new()),
    }
}

/// The character of `&#181;`, or the text of an entity that every document has.
fn reference(entity: &BytesRef) -> Option<String> {
    match entity.resolve_char_ref().ok()? {
        Some(c) => Some(c.into()),
        None => resolve_predefined_entity(&entity.decode().ok()?).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_that_were_meant() {
        let root =
            read("<?xml version='1.0'?><!-- <a> --><a x='>'><b> R&amp;D &#181;s <![CDATA[<&>]]></b><b/></a>")
                .unwrap();
        assert_eq!(root.each("b").map(|b| &*b.text).collect::<Vec<_>>(), ["R&D µs <&>", ""]);
    }

    #[test]
    fn the_line_of_what_is_wrong_is_given() {
        for text in ["<a>\n<b>\n</a>", "<a>\n\n", "<a>\n&secret;</a>", "\n\n", "<a>\n<b"] {
            assert!(matches!(read(text), Err(2..=3)), "{text:?}: {:?}", read(text).err());
        }
        assert!(read(&"<a>".repeat(DEEPEST + 1)).is_err());
    }
}
