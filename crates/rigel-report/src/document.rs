//! One model of what documents show: blocks, which a command chooses, and which are laid out here, once for each format.
//!
//! A command decides what is said and in which order ([`Document::blocks`]); a module for each format decides how it looks on a terminal, on a
//! page or in Markdown. Another format is another module. Must not choose a figure or a word.

pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod picture;
mod svg;
mod table;
pub(crate) mod text;

pub(crate) use table::{Cell, Column, Rows, Table};

use crate::judgement::{Cause, Suggestion, Tone};
use crate::output_file::OutputFile;
use crate::page::Page;
use crate::text::{Ink, Style};
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use std::fmt::Display;

/// The available width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// 80 columns.
    Narrow,
    /// A page, which may show more.
    Wide,
}

impl Room {
    /// Whether there is room for more than the essentials.
    pub(crate) fn is_wide(self) -> bool {
        self == Self::Wide
    }

    /// One of two wordings.
    pub(crate) fn either<T>(self, narrow: T, wide: T) -> T {
        if self.is_wide() { wide } else { narrow }
    }
}

/// What can be shown in every format.
pub trait Document {
    /// The blocks, in order, for the available width.
    fn blocks(&self, room: Room) -> Blocks;

    /// Text for a terminal.
    fn text(&self, style: Style) -> String {
        self.listed(style, &[])
    }

    /// Text for a terminal, with the output files; paths must be printable.
    fn listed(&self, style: Style, files: &[String]) -> String {
        let mut blocks = self.blocks(Room::Narrow);
        blocks.push(Block::part(vec![Block::Files(files.to_vec())]));
        blocks.text(style)
    }

    /// The same with the record named first, followed by the outputs.
    fn with_record(&self, style: Style, files: &[String]) -> String {
        let labels = std::iter::once("record  ").chain(std::iter::repeat("output  "));
        let files = labels.zip(files).map(|(label, file)| Block::whole(label, file)).collect();
        let mut blocks = self.blocks(Room::Narrow);
        blocks.push(Block::part(files));
        blocks.text(style)
    }

    /// Markdown for a ticket or a wiki.
    fn markdown(&self) -> String {
        let mut page = Page::default();
        markdown::write_all(&mut page, &self.blocks(Room::Wide).0);
        page.into_string()
    }
}

/// A document that has a page of its own.
pub(crate) trait PageDocument: Document {
    /// The frame around the blocks.
    fn frame(&self) -> Result<html::Frame, Problem>;

    /// The page.
    fn page(&self, suffix: &'static str) -> Result<OutputFile, Problem> {
        Ok(OutputFile::new(suffix, self.frame()?.page(&self.blocks(Room::Wide).0)))
    }
}

/// The blocks of a document.
#[derive(Debug, Default)]
pub struct Blocks(Vec<Block>);

impl Blocks {
    /// Adds a block.
    pub(crate) fn push(&mut self, block: Block) {
        self.0.push(block);
    }

    /// Text for a terminal.
    pub(crate) fn text(&self, style: Style) -> String {
        text::text(&self.0, style)
    }

    /// A page without a script.
    pub(crate) fn still_page(&self, title: &str, when: &[String], made_from: &str) -> Vec<u8> {
        html::still_page(title, when, made_from, &self.0)
    }
}

impl From<Vec<Block>> for Blocks {
    fn from(blocks: Vec<Block>) -> Self {
        Self(blocks)
    }
}

/// A piece of a document. Text in it may be foreign; each format keeps it from becoming markup.
#[derive(Debug)]
pub(crate) enum Block {
    /// Blocks that belong together.
    Section(Section),
    /// The answer, with a colour for whether it can be relied on.
    Verdict {
        tone: Tone,
        /// The first one is the most important.
        sentences: Vec<String>,
    },
    /// Doubts about the numbers, each with its figures.
    Causes(Vec<Cause>),
    /// Running text.
    Paragraph(Paragraph),
    /// Sentences side by side.
    List(Vec<String>),
    /// Names with their texts; one without text is left out.
    Facts(Vec<(String, String)>),
    /// The headline numbers.
    Cards(Vec<Card>),
    /// The chart at the top of a page, drawn without a script; absent elsewhere.
    Picture(picture::Picture),
    /// Rows and columns.
    Table(Table),
    /// What the page's script draws; absent elsewhere.
    Charts(Vec<Chart>),
    /// What the page's script lets its reader choose; absent elsewhere.
    Picker(Picker),
    /// The next command, and what it does.
    Next { command: String, effect: String },
    /// The next command, after its purpose.
    Suggestion(Suggestion),
    /// The locations of outputs.
    Files(Vec<String>),
}

/// Blocks under a title, or without one.
#[derive(Debug)]
pub(crate) struct Section {
    pub title: String,
    /// Its id on a page; empty if not needed.
    pub id: String,
    pub kind: Kind,
    pub blocks: Vec<Block>,
}

/// The purpose of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Usual,
    /// Charts; without them the section is absent.
    Drawn,
    /// What the answers are based on.
    Evidence,
    /// Why the answer is what it is: also on paper.
    Why,
    /// A part of the answer that is no number of the first screen: also on paper, with its title.
    Paper,
}

/// One headline number.
#[derive(Debug, Default)]
pub(crate) struct Card {
    pub title: String,
    /// The value as text, or why there is none.
    pub value: String,
    /// The unit, unless the value has it.
    pub unit: String,
    /// The text below: its interval, and where it was reached.
    pub about: Vec<String>,
    /// Flags of its point.
    pub flags: Vec<Flag>,
}

/// Running text, broken into lines where a format has lines.
#[derive(Debug)]
pub(crate) struct Paragraph {
    /// The text before it: a name, a number, a mark.
    pub label: String,
    pub text: String,
    /// Indentation of every line but the first.
    pub hang: usize,
    /// It is a command or a path that must not be broken.
    pub is_whole: bool,
    /// It explains the block next to it.
    pub is_about: bool,
    /// The colour of all of it, or of the first occurrence of the given word.
    pub ink: Option<(Ink, Option<String>)>,
}

/// A place for a drawing.
#[derive(Debug)]
pub(crate) struct Chart {
    pub id: String,
    pub title: String,
    /// Its subject.
    pub about: String,
    /// The id of a list after the subject from which the reader chooses, and what is chosen; the script fills it.
    pub choice: Option<(String, &'static str)>,
}

/// The choice of a point and of the view of it.
#[derive(Debug)]
pub(crate) struct Picker {
    /// The id of the list of points.
    pub point: String,
    /// The views: the name of the group, and the id and name of each.
    pub group: String,
    pub own: Vec<(String, String)>,
    /// The id of the text about the chosen point.
    pub chosen: String,
}

impl Chart {
    pub fn new(id: impl Into<String>, title: impl Into<String>, about: impl Into<String>) -> Self {
        Self { id: id.into(), title: title.into(), about: about.into(), choice: None }
    }

    /// With a list to choose from.
    pub fn choosing(self, id: impl Into<String>, what: &'static str) -> Self {
        Self { choice: Some((id.into(), what)), ..self }
    }
}

impl Paragraph {
    /// Text after a label, which begins its first line.
    pub fn labelled(label: impl Into<String>, hang: usize, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into(), hang, is_whole: false, is_about: false, ink: None }
    }

    /// A line that is never broken.
    pub fn whole(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { is_whole: true, ..Self::labelled(label, 0, text) }
    }

    /// All of it in a colour.
    pub fn painted(self, ink: Ink) -> Self {
        Self { ink: Some((ink, None)), ..self }
    }

    /// A word of it in a colour.
    pub fn with_word(self, ink: Ink, word: &str) -> Self {
        Self { ink: Some((ink, Some(word.to_owned()))), ..self }
    }
}

impl From<Paragraph> for Block {
    fn from(paragraph: Paragraph) -> Self {
        Self::Paragraph(paragraph)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl Block {
    /// Running text.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Paragraph::labelled("", 0, text).into()
    }

    /// Running text with all lines but the first indented by two, so several can follow each other.
    pub fn hanging(text: impl Into<String>) -> Self {
        Paragraph::labelled("", 2, text).into()
    }

    /// An explanation of a table or a chart.
    pub fn about(text: impl Into<String>) -> Self {
        Paragraph { is_about: true, ..Paragraph::labelled("", 0, text) }.into()
    }

    /// A line that is never broken, after a label.
    pub fn whole(label: impl Into<String>, text: impl Display) -> Self {
        Paragraph::whole(label, text.to_string()).into()
    }

    /// Blocks that belong together. A section without blocks is not shown.
    pub fn part(blocks: Vec<Self>) -> Self {
        Self::section("", blocks)
    }

    /// The same under a title.
    pub fn section(title: impl Into<String>, blocks: Vec<Self>) -> Self {
        Self::Section(Section { title: title.into(), id: String::new(), kind: Kind::Usual, blocks })
    }

    /// A table and the meaning of its columns; a page has a title above it.
    pub fn explained(title: &str, table: Vec<Self>, meaning: &str, room: Room) -> Vec<Self> {
        match room {
            Room::Narrow => vec![Self::part(table), Self::part(vec![Self::paragraph(meaning)])],
            Room::Wide => {
                vec![Self::section(title, table.into_iter().chain([Self::about(meaning)]).collect())]
            }
        }
    }

    /// Charts with their title and subject.
    pub fn drawn(title: impl Into<String>, about: &[&str], charts: Vec<Chart>) -> Self {
        let mut blocks: Vec<Self> = about.iter().map(|text| Self::about(*text)).collect();
        blocks.push(Self::Charts(charts));
        Self::Section(Section { title: title.into(), id: String::new(), kind: Kind::Drawn, blocks })
    }

    /// What the answers are based on.
    pub fn evidence(title: impl Into<String>, facts: Vec<(String, String)>) -> Self {
        Self::Section(Section {
            title: title.into(),
            id: "evidence".to_owned(),
            kind: Kind::Evidence,
            blocks: vec![Self::Facts(facts)],
        })
    }

    /// The same with an id for the page; ignored for other blocks.
    pub fn named(self, id: String) -> Self {
        match self {
            Self::Section(section) => Self::Section(Section { id, ..section }),
            other => other,
        }
    }

    /// The same for another purpose.
    pub fn of_kind(self, kind: Kind) -> Self {
        match self {
            Self::Section(section) => Self::Section(Section { kind, ..section }),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
