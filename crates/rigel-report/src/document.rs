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

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// 80 columns.
    Narrow,
    /// A page, which may show more.
    Wide,
}

impl Room {
    /// Whether there is room for more than the most important.
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
    /// All of it, in order, where there is so much room.
    fn blocks(&self, room: Room) -> Blocks;

    /// For a terminal.
    fn text(&self, style: Style) -> String {
        self.listed(style, &[])
    }

    /// For a terminal, with where the outputs are; paths have to be printable.
    fn listed(&self, style: Style, files: &[String]) -> String {
        let mut blocks = self.blocks(Room::Narrow);
        blocks.push(Block::part(vec![Block::Files(files.to_vec())]));
        blocks.text(style)
    }

    /// The same where the first of the files is the record and the others are said to be outputs.
    fn with_record(&self, style: Style, files: &[String]) -> String {
        let labels = std::iter::once("record  ").chain(std::iter::repeat("output  "));
        let files = labels.zip(files).map(|(label, file)| Block::whole(label, file)).collect();
        let mut blocks = self.blocks(Room::Narrow);
        blocks.push(Block::part(files));
        blocks.text(style)
    }

    /// For a ticket or a wiki.
    fn markdown(&self) -> String {
        let mut page = Page::default();
        markdown::write_all(&mut page, &self.blocks(Room::Wide).0);
        page.into_string()
    }
}

/// A document that has a page of its own.
pub(crate) trait PageDocument: Document {
    /// What stands around the blocks.
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

    /// For a terminal.
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
    /// What belongs together.
    Section(Section),
    /// The answer, with a colour for whether it may be relied on.
    Verdict {
        tone: Tone,
        /// The first says most.
        sentences: Vec<String>,
    },
    /// What casts doubt on the numbers, each with its figures.
    Causes(Vec<Cause>),
    /// Running text.
    Paragraph(Paragraph),
    /// Sentences that stand beside each other.
    List(Vec<String>),
    /// Names with their texts; one without text is left out.
    Facts(Vec<(String, String)>),
    /// The headline numbers.
    Cards(Vec<Card>),
    /// The chart at the top of a page, drawn without a script; nothing elsewhere.
    Picture(picture::Picture),
    /// Rows and columns.
    Table(Table),
    /// What the script of a page draws; nothing elsewhere.
    Charts(Vec<Chart>),
    /// What the script of a page lets its reader choose; nothing elsewhere.
    Picker(Picker),
    /// The command that leads on, and what it does.
    Next { command: String, effect: String },
    /// The command that comes next, behind what it is for.
    Suggestion(Suggestion),
    /// Where outputs are.
    Files(Vec<String>),
}

/// Blocks under a title, or without one.
#[derive(Debug)]
pub(crate) struct Section {
    pub title: String,
    /// By which a page knows it; none without a need.
    pub id: String,
    pub kind: Kind,
    pub blocks: Vec<Block>,
}

/// What a section is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Usual,
    /// Charts; without them it is not there.
    Drawn,
    /// What the answers are based on.
    Evidence,
    /// Why the answer is what it is: on paper, too.
    Why,
}

/// One headline number.
#[derive(Debug, Default)]
pub(crate) struct Card {
    pub title: String,
    /// The value as it is read; if there is none, why.
    pub value: String,
    /// The unit, unless the value has it.
    pub unit: String,
    /// What stands below it: its interval, where it was reached.
    pub about: Vec<String>,
    /// Flags of the point that it is of.
    pub flags: Vec<Flag>,
}

/// Running text, broken into lines where a format has lines.
#[derive(Debug)]
pub(crate) struct Paragraph {
    /// What stands before it: a name, a number, a mark.
    pub label: String,
    pub text: String,
    /// Blanks before every line but the first.
    pub hang: usize,
    /// It is a command or a path and stays in one line.
    pub is_whole: bool,
    /// It explains what stands beside it.
    pub is_about: bool,
    /// The colour of all of it, or of the first word that is given.
    pub ink: Option<(Ink, Option<String>)>,
}

/// A place for a drawing.
#[derive(Debug)]
pub(crate) struct Chart {
    pub id: String,
    pub title: String,
    /// What it is about.
    pub about: String,
    /// The id of a list behind that, from which the reader chooses, and what is chosen; the script fills it.
    pub choice: Option<(String, &'static str)>,
}

/// The choice of a point and of what is shown of it.
#[derive(Debug)]
pub(crate) struct Picker {
    /// The id of the list of points.
    pub point: String,
    /// What is shown of it: the name of the group, and the id and name of each.
    pub group: String,
    pub own: Vec<(String, String)>,
    /// The id of what is said about the chosen point.
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
    /// Text behind a label, the first part of its first line.
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

    /// Running text whose lines but the first begin with two blanks, so several can stand together.
    pub fn hanging(text: impl Into<String>) -> Self {
        Paragraph::labelled("", 2, text).into()
    }

    /// What explains a table or a chart.
    pub fn about(text: impl Into<String>) -> Self {
        Paragraph { is_about: true, ..Paragraph::labelled("", 0, text) }.into()
    }

    /// A line that is never broken, behind a label.
    pub fn whole(label: impl Into<String>, text: impl Display) -> Self {
        Paragraph::whole(label, text.to_string()).into()
    }

    /// Blocks that belong together. Nothing is shown of a section without blocks.
    pub fn part(blocks: Vec<Self>) -> Self {
        Self::section("", blocks)
    }

    /// The same under a title.
    pub fn section(title: impl Into<String>, blocks: Vec<Self>) -> Self {
        Self::Section(Section { title: title.into(), id: String::new(), kind: Kind::Usual, blocks })
    }

    /// A table and what its columns mean; a page has a title above it.
    pub fn explained(title: &str, table: Vec<Self>, meaning: &str, room: Room) -> Vec<Self> {
        match room {
            Room::Narrow => vec![Self::part(table), Self::part(vec![Self::paragraph(meaning)])],
            Room::Wide => {
                vec![Self::section(title, table.into_iter().chain([Self::about(meaning)]).collect())]
            }
        }
    }

    /// Charts with their title and what they are about.
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

    /// The same with a name for the page; nothing of what is no section.
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
