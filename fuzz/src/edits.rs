//! Honest records, changed in a few places: what bytes alone would rarely come to, because a record has to be JSON first.
//!
//! A change may be to any value of any line, to the lines themselves, or to the bytes. Must not decide whether the result is a record.

use crate::outputs::MARKUP;
use arbitrary::Arbitrary;
use serde_json::{Map, Value, json};

/// Records of small runs on the simulated device, and of one on a file, which has what the witness saw. Visits were left out.
const HONEST: [&str; 4] = [
    include_str!("../records/point.jsonl"),
    include_str!("../records/real.jsonl"),
    include_str!("../records/cal.jsonl"),
    include_str!("../records/search.jsonl"),
];

/// An honest record and what is done to it.
#[derive(Arbitrary, Debug)]
pub struct EditedRecord {
    record: u8,
    edits: Vec<Edit>,
}

/// One change. Numbers of lines and of values count round.
#[derive(Arbitrary, Debug)]
enum Edit {
    Put { line: u8, value: u16, other: OtherValue },
    Remove { line: u8, value: u16 },
    Repeat { line: u8, value: u16, times: u8 },
    Copy { line: u8, from: u16, to: u16 },
    RepeatLine { line: u8, times: u8 },
    RemoveLine { line: u8 },
    SwapLines { line: u8, other: u8 },
    Cut { bytes: u16 },
}

/// A value that takes the place of another.
#[derive(Arbitrary, Debug)]
enum OtherValue {
    Small(i8),
    Whole(u64),
    PowerOfTwo(u8),
    Real(f64),
    Text(String),
    Hostile,
    Truth(bool),
    Null,
    EmptyList,
    EmptyObject,
    Numbers(Vec<u64>),
}

impl OtherValue {
    fn value(&self) -> Value {
        match self {
            Self::Small(number) => json!(number),
            Self::Whole(number) => json!(number),
            Self::PowerOfTwo(power) => json!(u64::MAX >> (power % 64)),
            Self::Real(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::Hostile => json!(format!("\u{1b}[2J\u{202e}{MARKUP}|`\"'\r\n,=@\\")),
            Self::Truth(truth) => json!(truth),
            Self::Null => Value::Null,
            Self::EmptyList => json!([]),
            Self::EmptyObject => Value::Object(Map::new()),
            Self::Numbers(numbers) => json!(numbers),
        }
    }
}

impl EditedRecord {
    /// The bytes of the changed record.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let text = HONEST[usize::from(self.record) % HONEST.len()];
        let mut lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("an honest record")).collect();
        let mut cut = 0;
        for edit in self.edits.iter().take(8) {
            if let Edit::Cut { bytes } = edit {
                cut = usize::from(*bytes);
            } else if !lines.is_empty() {
                apply(edit, &mut lines);
            }
        }
        let mut bytes: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        bytes.truncate(bytes.len().saturating_sub(cut));
        bytes
    }
}

fn apply(edit: &Edit, lines: &mut Vec<Value>) {
    let count = lines.len();
    let at = |line: &u8| usize::from(*line) % count;
    match edit {
        Edit::Put { line, value, other } => *nth(&mut lines[at(line)], *value) = other.value(),
        Edit::Remove { line, value } => remove(nth(&mut lines[at(line)], *value)),
        Edit::Repeat { line, value, times } => {
            if let Value::Array(list) = nth(&mut lines[at(line)], *value) {
                let first = list.first().cloned().unwrap_or(Value::Null);
                list.extend(std::iter::repeat_n(first, usize::from(*times)));
            }
        }
        Edit::Copy { line, from, to } => {
            let line = &mut lines[at(line)];
            let copied = nth(line, *from).clone();
            *nth(line, *to) = copied;
        }
        Edit::RepeatLine { line, times } => {
            let (place, line) = (at(line), lines[at(line)].clone());
            lines.splice(place..place, std::iter::repeat_n(line, usize::from(times % 16)));
        }
        Edit::RemoveLine { line } => drop(lines.remove(at(line))),
        Edit::SwapLines { line, other } => lines.swap(at(line), at(other)),
        Edit::Cut { .. } => {}
    }
}

/// Takes the last member away.
fn remove(value: &mut Value) {
    match value {
        Value::Array(list) => drop(list.pop()),
        Value::Object(fields) => {
            if let Some(name) = fields.keys().next_back().cloned() {
                fields.remove(&name);
            }
        }
        _ => {}
    }
}

/// The value of that number, counting the document itself and everything in it.
fn nth(value: &mut Value, number: u16) -> &mut Value {
    let count = size(value);
    find(value, usize::from(number) % count)
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

fn find(value: &mut Value, number: usize) -> &mut Value {
    if number == 0 {
        return value;
    }
    let members: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    let mut left = number - 1;
    for member in members {
        let own = size(member);
        if left < own {
            return find(member, left);
        }
        left -= own;
    }
    unreachable!("the number is below the size")
}
