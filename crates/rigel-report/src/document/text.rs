//! Blocks as text for a terminal, 80 columns wide where names permit.
//!
//! Must not choose a block.

use super::{Block, Card, Cell, Column, Kind, Paragraph, Table};
use crate::page::Page;
use crate::text::{
    COLUMNS, Ink, Style, cause_lines, charts, files_section, paragraph, suggestion, tone_ink, wrapped,
};
use std::borrow::Cow;

/// The whole document.
pub(super) fn text(blocks: &[Block], style: Style) -> String {
    style.spelled(all(blocks, style))
}

fn all(blocks: &[Block], style: Style) -> String {
    let mut page = Page::default();
    write_all(&mut page, blocks, style);
    page.into_string()
}

/// Blocks inside a text, with an empty line before each section except the first.
pub(crate) fn write_all(page: &mut Page, blocks: &[Block], style: Style) {
    blocks.iter().for_each(|block| write(page, block, style));
}

fn write(page: &mut Page, block: &Block, style: Style) {
    match block {
        Block::Section(section) if matches!(section.kind, Kind::Usual | Kind::Why | Kind::Paper) => {
            let inner = all(&section.blocks, style);
            if inner.is_empty() {
                return;
            }
            if !page.is_empty() {
                page.blank();
            }
            if !section.title.is_empty() {
                page.line(style.painted(Ink::Heading, &section.title));
            }
            page.push(inner);
        }
        // What a page says about its charts and in its last part, a text says in sentences.
        Block::Section(_) | Block::Charts(_) | Block::Picker(_) => {}
        Block::Picture(picture) => page.push(charts(picture, style)),
        Block::Causes(causes) => page.push(cause_lines(causes, style)),
        Block::Suggestion(next) => page.push(suggestion(next)),
        Block::Verdict { tone, sentences } => {
            if let Some((head, others)) = sentences.split_first() {
                page.push(style.painted(tone_ink(*tone), &paragraph(head)));
                others.iter().for_each(|sentence| wrapped(page, "", "", sentence));
            }
        }
        Block::Paragraph(paragraph) => written(page, paragraph, style),
        Block::List(items) => items.iter().for_each(|item| wrapped(page, "- ", "  ", item)),
        Block::Facts(facts) => {
            for (name, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
                wrapped(page, &format!("{name}: "), "  ", text);
            }
        }
        Block::Cards(cards) => {
            for Card { title, value, unit, about, .. } in cards {
                let value = [value.as_str(), unit].join(" ");
                wrapped(
                    page,
                    &format!("{title}: "),
                    "  ",
                    &[&[value.trim_end().to_owned()], about.as_slice()].concat().join(", "),
                );
            }
        }
        Block::Table(table) => written_rows(page, table, style),
        Block::Next { command, effect } => {
            page.line(format_args!("Next: {command}"));
            page.line(format_args!("      {effect}"));
        }
        Block::Files(paths) => page.push(files_section(paths)),
    }
}

/// Painted after it was broken into lines, because colours have no width.
fn written(page: &mut Page, one: &Paragraph, style: Style) {
    let mut lines = Page::default();
    if one.is_whole {
        lines.line(format_args!("{}{}", one.label, one.text));
    } else {
        wrapped(&mut lines, &one.label, &" ".repeat(one.hang), &one.text);
    }
    let lines = lines.into_string();
    page.push(match &one.ink {
        None => lines,
        Some((ink, None)) => style.painted(*ink, &lines),
        Some((ink, Some(word))) => lines.replacen(word, &style.painted(*ink, word), 1),
    });
}

fn written_rows(page: &mut Page, table: &Table, style: Style) {
    let (heads, lines) = lines_of(table);
    page.line(style.painted(Ink::Heading, &heads));
    for (row, text) in table.rows.iter().zip(lines) {
        if !row.above.is_empty() {
            page.line(&row.above);
        }
        page.line(if row.is_bad { style.painted(Ink::Invalid, &text) } else { text });
        row.below.iter().for_each(|block| write(page, block, style));
    }
}

/// The line of names, and a line for each row.
pub(crate) fn lines_of(table: &Table) -> (String, Vec<String>) {
    let layout = Layout::of(table);
    let heads = layout.line(false, table.columns.iter().map(|column| column.head.as_str().into()));
    let rows = table.rows.iter().map(|row| layout.line(row.is_bad, row.cells.iter().map(Cell::words)));
    (heads, rows.collect())
}

/// The positions of the columns of a table.
struct Layout<'a> {
    table: &'a Table,
    widths: Vec<usize>,
    /// Spaces between columns without a gap of their own.
    usual: usize,
}

impl<'a> Layout<'a> {
    fn of(table: &'a Table) -> Self {
        let width = |(place, column): (usize, &Column)| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(place));
            let longest = cells.map(|cell| cell.words().chars().count()).max().unwrap_or(0);
            column.width.unwrap_or(longest.max(column.head.chars().count()))
        };
        let widths: Vec<usize> = table.columns.iter().enumerate().map(width).collect();
        let mut layout = Self { table, widths, usual: 2 };
        if layout.columns() > COLUMNS {
            layout.usual = 1;
        }
        layout
    }

    fn columns(&self) -> usize {
        let gaps: usize = self.table.columns.iter().skip(1).map(|column| self.gap(column)).sum();
        self.table.indent + gaps + self.widths.iter().sum::<usize>()
    }

    fn gap(&self, column: &Column) -> usize {
        column.gap.unwrap_or(if column.width.is_some() { 1 } else { self.usual })
    }

    fn line<'t>(&self, is_bad: bool, cells: impl Iterator<Item = Cow<'t, str>>) -> String {
        let mut line = " ".repeat(self.table.indent);
        if is_bad && self.table.indent > 0 {
            line.replace_range(..1, "!");
        }
        for (place, (cell, (column, &width))) in
            cells.zip(self.table.columns.iter().zip(&self.widths)).enumerate()
        {
            if place > 0 {
                line += &" ".repeat(self.gap(column));
            }
            line += &if column.is_right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
        }
        line.truncate(line.trim_end().len());
        line
    }
}
