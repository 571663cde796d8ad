//! A table: columns, each with its name and its cell of a row, in one place.
//!
//! Must not know how a format draws it.

use super::Block;
use crate::words::percent;
use rigel_core::judge::flags::Flag;
use rigel_core::stats::Estimate;
use std::borrow::Cow;

/// A table as displayed.
#[derive(Debug)]
pub(crate) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// What a row is, in the singular.
    pub what: &'static str,
    /// Indentation on a terminal; in it, rows whose numbers must not be used have a mark.
    pub indent: usize,
}

/// A column: its heading, and its width on a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub head: String,
    /// Numbers are right-aligned.
    pub is_right: bool,
    /// Long texts, which a page gives room.
    pub is_long: bool,
    /// Width on a terminal; by default that of the longest cell.
    pub width: Option<usize>,
    /// Spaces before it; by default one before a column with a width, otherwise two, or one if two are too many.
    pub gap: Option<usize>,
}

/// A row.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub cells: Vec<Cell>,
    /// Its numbers must not be used.
    pub is_bad: bool,
    /// The heading of the group that begins with this row.
    pub above: String,
    /// The note below it.
    pub below: Vec<Block>,
}

/// The content of a cell.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// Words, or a number as it is shown.
    Text(String),
    /// A share of what is due; 1 is all of it.
    Share(f64),
    /// A number with its interval.
    Figure {
        text: String,
        /// Half the width of the interval, `±3.1 %`.
        half: String,
        /// The range of the interval.
        range: String,
    },
    /// Flags that open to show more.
    Flags(Vec<Flag>),
    /// Marks, such as the names of flags, and whether each makes numbers invalid.
    Badges(Vec<(&'static str, bool)>),
    /// The name of a point, by which a page lets its reader choose it: its place among the points.
    Choice(usize, String),
    /// A link to another part of the page, with a note below it.
    Link { to: String, text: String, below: String },
    /// A path or a command.
    Code(String),
    /// There is no such figure.
    None,
}

impl Cell {
    /// As text.
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Share(share) => format!("{} %", percent(*share)).into(),
            Self::Figure { text, half, .. } => format!("{text} {half}").into(),
            Self::Flags(flags) => {
                flags.iter().map(|flag| flag.code.name()).collect::<Vec<_>>().join(", ").into()
            }
            Self::Badges(marks) => marks.iter().map(|mark| mark.0).collect::<Vec<_>>().join(", ").into(),
            Self::Choice(_, text) | Self::Link { text, .. } | Self::Code(text) => text.into(),
            Self::None => "-".into(),
        }
    }

    /// A number with its interval; empty if it was not measured.
    pub fn figure(estimate: Option<Estimate>, write: impl Fn(f64) -> String) -> Self {
        let Some(Estimate { value, interval, .. }) = estimate else { return Self::None };
        match interval {
            Some(interval) => Self::Figure {
                text: write(value),
                half: format!("±{} %", percent(interval.relative_half_width)),
                range: format!("{} to {}", write(interval.lo95), write(interval.hi95)),
            },
            None => Self::Text(write(value)),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Text(count.to_string())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Text(count.to_string())
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::None, Into::into)
    }
}

impl Column {
    /// Words.
    pub fn left(head: impl Into<String>) -> Self {
        Self { head: head.into(), is_right: false, is_long: false, width: None, gap: None }
    }

    /// Numbers.
    pub fn right(head: impl Into<String>) -> Self {
        Self { is_right: true, ..Self::left(head) }
    }

    /// Long texts.
    pub fn long(head: impl Into<String>) -> Self {
        Self { is_long: true, ..Self::left(head) }
    }

    /// With this width on a terminal, whatever its content.
    pub fn width(self, columns: usize) -> Self {
        Self { width: Some(columns), ..self }
    }

    /// With this many spaces before it on a terminal.
    pub fn gap(self, blanks: usize) -> Self {
        Self { gap: Some(blanks), ..self }
    }
}

impl Table {
    /// Begins a table with a row for each of these, each called `what`.
    pub fn of<'a, R>(what: &'static str, rows: &'a [R]) -> Rows<'a, R> {
        let table = Self {
            columns: Vec::new(),
            rows: rows.iter().map(|_| Row::default()).collect(),
            what,
            indent: 0,
        };
        Rows { rows, table }
    }
}

/// A table under construction.
pub(crate) struct Rows<'a, R> {
    rows: &'a [R],
    table: Table,
}

impl<R> Rows<'_, R> {
    /// Adds a column, and its cell of each row.
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&R) -> C) -> Self {
        self.table.columns.push(column);
        for (row, of) in self.table.rows.iter_mut().zip(self.rows) {
            row.cells.push(cell(of).into());
        }
        self
    }

    /// Adds it if it is shown.
    pub fn column_if<C: Into<Cell>>(self, is_shown: bool, column: Column, cell: impl Fn(&R) -> C) -> Self {
        if is_shown { self.column(column, cell) } else { self }
    }

    /// Adds a column for each of several.
    pub fn columns<T: Copy, C: Into<Cell>>(
        self,
        all: impl IntoIterator<Item = T>,
        column: impl Fn(T) -> Column,
        cell: impl Fn(&R, T) -> C,
    ) -> Self {
        all.into_iter().fold(self, |table, one| table.column(column(one), |row| cell(row, one)))
    }

    /// Blanks before each line on a terminal.
    pub fn indent(mut self, blanks: usize) -> Self {
        self.table.indent = blanks;
        self
    }

    /// Marks rows whose numbers must not be used.
    pub fn bad(mut self, is_bad: impl Fn(&R) -> bool) -> Self {
        for (row, of) in self.table.rows.iter_mut().zip(self.rows) {
            row.is_bad = is_bad(of);
        }
        self
    }

    /// Names the group of each row above the first row of the group.
    pub fn grouped(mut self, group: impl Fn(&R) -> String) -> Self {
        let mut last = String::new();
        for (row, of) in self.table.rows.iter_mut().zip(self.rows) {
            let own = group(of);
            if own != last {
                last.clone_from(&own);
                row.above = own;
            }
        }
        self
    }

    /// Adds a note below a row.
    pub fn below(mut self, below: impl Fn(&R) -> Vec<Block>) -> Self {
        for (row, of) in self.table.rows.iter_mut().zip(self.rows) {
            row.below = below(of);
        }
        self
    }

    /// The table.
    pub fn table(self) -> Table {
        self.table
    }

    /// The table as a block.
    pub fn done(self) -> Block {
        Block::Table(self.table)
    }
}
