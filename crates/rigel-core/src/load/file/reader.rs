//! TOML with places: tables whose keys are known, values of the expected types, and a line and column for errors.
//!
//! Must not know what a load is.

use crate::error::Problem;
use crate::nearest::nearest;
use crate::path_text::printable;
use std::fmt::Display;
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Most letters of a value that a message shows.
const MOST_SHOWN: usize = 40;

/// The text, and the name of its file in messages.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> Source<'a> {
    /// `name`: the printable name of the file.
    pub const fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text }
    }

    /// Parses the whole text.
    ///
    /// # Errors
    /// A usage problem with line and column if the text is not valid TOML.
    pub fn parse(self) -> Result<Spanned<DeTable<'a>>, Problem> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.wrong(at, format!("the file is not valid TOML: {}", printable(error.message())))
                .next("write KEY = VALUE with text in quotes, as in size = \"8K\"")
        })
    }

    /// A problem at a position in the text, with line and column.
    pub fn wrong(self, at: usize, what: impl Into<String>) -> Problem {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|&letter| letter != '\n').count() + 1;
        Problem::usage(what).at(format!("{}:{line}:{column}", self.name))
    }
}

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    source: Source<'a>,
    table: &'a DeTable<'a>,
    at: usize,
    /// What it describes: `a class`.
    what: &'static str,
}

impl<'a> Table<'a> {
    /// A table that describes `what`, with the keys that it may have.
    ///
    /// # Errors
    /// When it has another key.
    pub fn of(
        source: Source<'a>,
        table: &'a DeTable<'a>,
        at: usize,
        what: &'static str,
        keys: &[&str],
    ) -> Result<Self, Problem> {
        let unknown = table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        // The first one in the text.
        if let Some(key) = unknown.min_by_key(|key| key.span().start) {
            let text = key.get_ref();
            let problem = source
                .wrong(key.span().start, format!("{what} has no key '{}'", shortened(text)))
                .because(format!("its keys are {}", keys.join(", ")));
            return Err(match nearest(text, keys.iter().copied()) {
                Some(near) => problem.next(format!("did you mean '{near}'?")),
                None => problem.next("leave it out"),
            });
        }
        Ok(Self { source, table, at, what })
    }

    /// A table within a value.
    ///
    /// # Errors
    /// When it is not a table, or has another key.
    pub fn within(
        value: Value<'a>,
        what: &'static str,
        keys: &[&str],
        expected: &str,
    ) -> Result<Self, Problem> {
        let DeValue::Table(table) = value.value else { return Err(value.expected(expected)) };
        Self::of(value.source, table, value.at, what, keys)
    }

    /// The value of a key, if present.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(Value::of(self.source, key.get_ref(), value))
    }

    /// The value of a required key.
    ///
    /// # Errors
    /// When it is missing.
    pub fn need(self, key: &str, expected: &str) -> Result<Value<'a>, Problem> {
        self.get(key).ok_or_else(|| {
            self.wrong(format!("{} has no '{key}'", self.what)).next(format!("write {expected}"))
        })
    }

    /// A problem with the table.
    pub fn wrong(self, what: impl Into<String>) -> Problem {
        self.source.wrong(self.at, what)
    }

    /// A problem with what the table describes, not with its text.
    pub fn place(self, problem: Problem) -> Problem {
        Problem { place: self.wrong("").place, ..problem }
    }
}

/// A value with its key and position.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    source: Source<'a>,
    /// Its key.
    pub key: &'a str,
    value: &'a DeValue<'a>,
    at: usize,
}

impl<'a> Value<'a> {
    fn of(source: Source<'a>, key: &'a str, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { source, key, value: value.get_ref(), at: value.span().start }
    }

    /// The values of a table with arbitrary keys.
    pub fn each(source: Source<'a>, table: &'a DeTable<'a>) -> impl Iterator<Item = Self> {
        table.iter().map(move |(key, value)| Self::of(source, key.get_ref(), value))
    }

    /// A problem with the value.
    pub fn wrong(self, what: impl Into<String>) -> Problem {
        self.source.wrong(self.at, what)
    }

    /// The value is not one of those expected.
    pub fn expected(self, expected: impl Display) -> Problem {
        let found = match self.value {
            DeValue::String(text) => format!("\"{}\"", shortened(text)),
            DeValue::Integer(number) => shortened(number.as_str()),
            DeValue::Float(number) => shortened(number.as_str()),
            DeValue::Boolean(answer) => answer.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.wrong(format!("'{}' is {found}", shortened(self.key))).next(format!("write {expected}"))
    }

    /// The text, if it is text.
    pub fn as_text(self) -> Option<&'a str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Text with a syntax of its own.
    ///
    /// # Errors
    /// When it does not follow that syntax.
    pub fn read<T>(self, read: impl FnOnce(&str) -> Option<T>, expected: &str) -> Result<T, Problem> {
        self.as_text().and_then(read).ok_or_else(|| self.expected(expected))
    }

    /// One of several words.
    ///
    /// # Errors
    /// When it is not among them.
    pub fn word<T: Copy>(self, words: &[(&str, T)]) -> Result<T, Problem> {
        let found = self.as_text().and_then(|text| words.iter().find(|(word, _)| *word == text));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let all = all.join(", or ");
            let problem = self.expected(&all);
            match self.as_text().and_then(|text| nearest(text, words.iter().map(|(word, _)| *word))) {
                Some(near) => problem
                    .because(format!("it must be one of {all}"))
                    .next(format!("did you mean \"{near}\"?")),
                None => problem,
            }
        })
    }

    /// A whole number.
    ///
    /// # Errors
    /// When it is not a whole number.
    pub fn number(self, within: RangeInclusive<u32>) -> Result<u32, Problem> {
        let number = match self.value {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.filter(|number| within.contains(number)).ok_or_else(|| {
            self.expected(format_args!("a whole number from {} to {}", within.start(), within.end()))
        })
    }

    /// A number that may have decimals.
    ///
    /// # Errors
    /// When it is not a number.
    pub fn decimal(self, within: RangeInclusive<f64>, expected: &str) -> Result<f64, Problem> {
        let text = match self.value {
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            _ => None,
        };
        let number: Option<f64> = text.and_then(|text| text.parse().ok());
        number.filter(|number| within.contains(number)).ok_or_else(|| self.expected(expected))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// When it is neither.
    pub fn truth(self) -> Result<bool, Problem> {
        match self.value {
            DeValue::Boolean(answer) => Ok(*answer),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A list.
    ///
    /// # Errors
    /// When it is not a list.
    pub fn list(self, expected: &str) -> Result<impl Iterator<Item = Self>, Problem> {
        let DeValue::Array(all) = self.value else { return Err(self.expected(expected)) };
        Ok(all.iter().map(move |value| Self::of(self.source, self.key, value)))
    }

    /// The keys and values of a table with arbitrary keys; `None` if it is not a table.
    pub fn open_table(self) -> Option<impl Iterator<Item = Self>> {
        let DeValue::Table(table) = self.value else { return None };
        Some(Self::each(self.source, table))
    }
}

/// Printable, and short enough for a line.
fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(MOST_SHOWN).collect();
    let dots = if shown.len() < text.len() { "..." } else { "" };
    format!("{}{dots}", printable(&shown))
}
