//! Blocks as a page of HTML, in the same shell and with the same kit as every page.
//!
//! Must not choose a block.

use super::{Block, Card, Cell, Chart, Kind, Paragraph, Picker, Section, Table};
use crate::html::assets::Script;
use crate::html::markup::{self, Prose, Text, chart, close_table, list, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::{cause_list, next_line, tone_class};
use crate::page::Page;
use rigel_core::judge::findings::LEAST_OF_DUE;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// Below [`LEAST_OF_DUE`] the bar of a share warns, below half of that more strongly.
const LOW: f64 = 0.5 * LEAST_OF_DUE;

/// The frame of a page around its blocks. Texts are not escaped yet.
pub(crate) struct Frame {
    pub title: String,
    /// The lines below the title.
    pub when: Vec<String>,
    /// What it was made from.
    pub made_from: &'static str,
    /// The script that draws the charts.
    pub script: &'static Script,
    /// The figures for the script, with their id.
    pub figures: (&'static str, String),
    /// The contents of the tables, for readers without charts: `the tables hold every number`.
    pub tables: &'static str,
}

impl Frame {
    /// The page.
    pub fn page(self, blocks: &[Block]) -> Vec<u8> {
        let (id, figures) = self.figures;
        let shell = Shell {
            title: &self.title,
            heading: heading(&self.title, &self.when),
            made_from: self.made_from,
            script: Some(self.script),
            figures: &[(id.to_owned(), figures)],
        };
        shell.page(|page| write_document(page, blocks, self.tables))
    }
}

/// A page that runs nothing: its picture is its only chart, so mail, paper and every browser show it alike. Texts are not escaped yet.
pub(crate) fn still_page(title: &str, when: &[String], made_from: &str, blocks: &[Block]) -> Vec<u8> {
    let shell = Shell { title, heading: heading(title, when), made_from, script: None, figures: &[] };
    shell.page(|page| {
        let (top, others) = first_screen(blocks);
        write_top(page, top);
        write_all(page, others);
    })
}

/// The subject of the document, and the lines below it.
pub(crate) fn heading(title: &str, when: &[String]) -> String {
    let when: Vec<String> = when.iter().map(|line| Text(line).to_string()).collect();
    format!("<h1>{}</h1><p class=\"when\">{}</p>", Text(title), when.join("<br>"))
}

/// A whole document below its heading. `tables`: the contents of the tables, for readers without charts.
pub(crate) fn write_document(page: &mut Page, blocks: &[Block], tables: &str) {
    let (top, others) = first_screen(blocks);
    write_top(page, top);
    // Where the charts are not drawn, the reader should know it before the first of them.
    page.line(format_args!(
        "<p class=\"no-charts\">The charts below are drawn by the script of this page, which did not run; {tables}.</p>"
    ));
    write_all(page, others);
}

/// The blocks of the first screen (answer, picture and numbers), and the others.
fn first_screen(blocks: &[Block]) -> (&[Block], &[Block]) {
    let is_top =
        |block: &&Block| matches!(block, Block::Verdict { .. } | Block::Cards(_) | Block::Picture(_));
    blocks.split_at(blocks.iter().take_while(is_top).count())
}

/// The first screen: the answer, then the picture with the headline numbers next to it.
fn write_top(page: &mut Page, blocks: &[Block]) {
    let (answer, seen): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| matches!(block, Block::Verdict { .. }));
    let (pictures, cards): (Vec<&Block>, Vec<&Block>) =
        seen.into_iter().partition(|block| matches!(block, Block::Picture(_)));
    answer.into_iter().for_each(|block| write(page, block));
    if pictures.is_empty() && cards.is_empty() {
        return;
    }
    page.line("<div class=\"top\">");
    pictures.into_iter().chain(cards).for_each(|block| write(page, block));
    page.line("</div>");
}

/// Blocks inside a page.
pub(crate) fn write_all(page: &mut Page, blocks: &[Block]) {
    blocks.iter().for_each(|block| write(page, block));
}

fn write(page: &mut Page, block: &Block) {
    match block {
        Block::Section(section) => part(page, section, false),
        Block::Causes(causes) => cause_list(page, causes),
        Block::Suggestion(next) => page.line(next_line(next)),
        Block::Picker(picker) => choices(page, picker),
        Block::Verdict { tone, sentences } => {
            page.line(format_args!(
                "<section class=\"verdict{}\" aria-label=\"Verdict\">",
                tone_class(*tone)
            ));
            if let Some((head, others)) = sentences.split_first() {
                page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Prose(head)));
                others.iter().for_each(|sentence| page.line(format_args!("<p>{}</p>", Prose(sentence))));
            }
            page.line("</section>");
        }
        Block::Paragraph(one) => paragraph(page, one),
        Block::List(items) => {
            page.line("<ul>");
            items.iter().for_each(|item| page.line(format_args!("<li>{}</li>", Prose(item))));
            page.line("</ul>");
        }
        Block::Facts(facts) => {
            let facts: Vec<_> = facts.iter().map(|(name, text)| (Text(name), text.clone())).collect();
            list(page, &facts);
        }
        Block::Cards(cards) => {
            page.line("<section class=\"cards\" aria-label=\"Headline numbers\">");
            cards.iter().for_each(|one| card(page, one));
            page.line("</section>");
        }
        Block::Picture(picture) => super::svg::write(page, picture),
        Block::Table(found) => table(page, found),
        Block::Charts(charts) => {
            page.line("<div class=\"charts\">");
            for one in charts {
                chart(page, &one.id, &one.title, format_args!("{}{}", Prose(&one.about), chosen(one)));
            }
            page.line("</div>");
        }
        Block::Next { command, effect } => page.line(format_args!(
            "<p class=\"next\">Next: <code>{}</code> {}</p>",
            Text(command),
            Prose(effect)
        )),
        Block::Files(paths) => {
            let path = |path: &String| format!("<li><code>{}</code></li>", Text(path));
            page.line(format_args!("<ul>{}</ul>", paths.iter().map(path).collect::<String>()));
        }
    }
}

fn card(page: &mut Page, one: &Card) {
    let unit = if one.unit.is_empty() {
        String::new()
    } else {
        format!("\u{a0}<span class=\"unit\">{}</span>", Prose(&one.unit))
    };
    page.push(format_args!(
        "<div class=\"card\"><h3>{}</h3><div class=\"value\">{}{unit}</div>",
        Prose(&one.title),
        Prose(&one.value)
    ));
    one.about.iter().for_each(|line| page.push(format_args!("<div class=\"unit\">{}</div>", Prose(line))));
    let flags: String = one.flags.iter().map(markup::flag).collect();
    page.line(format_args!("{flags}</div>"));
}

/// The list from which a reader chooses what a chart shows.
fn chosen(chart: &Chart) -> String {
    let list = |(id, what): &(String, &str)| {
        format!(" <label><select id=\"{}\" aria-label=\"{}\"></select></label>", Text(id), Text(what))
    };
    chart.choice.as_ref().map_or_else(String::new, list)
}

/// A section, or a part of one, below a smaller title.
fn part(page: &mut Page, section: &Section, is_inside: bool) {
    if section.blocks.is_empty() {
        return;
    }
    let class = match section.kind {
        Kind::Usual | Kind::Evidence => "",
        Kind::Drawn => " class=\"drawn-only\"",
        Kind::Why => " class=\"why\"",
        Kind::Paper => " class=\"paper\"",
    };
    let id = if section.id.is_empty() { String::new() } else { format!(" id=\"{}\"", section.id) };
    let (tag, heading) = if is_inside { ("div", "h3") } else { ("section", "h2") };
    page.line(format_args!("<{tag}{class}{id}>"));
    if !section.title.is_empty() {
        page.line(format_args!("<{heading}>{}</{heading}>", Prose(&section.title)));
    }
    for block in &section.blocks {
        match block {
            Block::Section(inner) => part(page, inner, true),
            other => write(page, other),
        }
    }
    page.line(format_args!("</{tag}>"));
}

fn choices(page: &mut Page, picker: &Picker) {
    let choice = |(id, name): &(String, String)| {
        format!("<label><input type=\"radio\" name=\"{}\" id=\"{id}\"> {}</label>", picker.group, Text(name))
    };
    page.line(format_args!(
        "<div class=\"picker\"><label>Point <select id=\"{}\"></select></label>{}</div>\n<p class=\"chosen\" id=\"{}\" \
         aria-live=\"polite\"></p>",
        picker.point,
        picker.own.iter().map(choice).collect::<String>(),
        picker.chosen
    ));
}

fn paragraph(page: &mut Page, one: &Paragraph) {
    let class = if one.is_about { " class=\"about\"" } else { "" };
    let label = Prose(one.label.trim_start());
    if one.is_whole {
        page.line(format_args!("<p{class}>{label}<code>{}</code></p>", Text(&one.text)));
    } else {
        page.line(format_args!("<p{class}>{label}{}</p>", Prose(&one.text)));
    }
}

fn table(page: &mut Page, table: &Table) {
    let heads: Vec<(String, bool)> =
        table.columns.iter().map(|column| (Prose(&column.head).to_string(), column.is_right)).collect();
    let columns: Vec<markup::Column<'_>> =
        heads.iter().map(|(head, is_right)| (head.as_str(), *is_right)).collect();
    open_table(page, &columns, table.rows.len(), MOST_ROWS, table.what);
    for row in &table.rows {
        if !row.above.is_empty() {
            let columns = table.columns.len();
            page.line(format_args!(
                "<tr><th scope=\"rowgroup\" colspan=\"{columns}\">{}</th></tr>",
                Text(&row.above)
            ));
        }
        page.push(if row.is_bad { "<tr class=\"bad\">" } else { "<tr>" });
        for (place, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
            let class = match cell {
                Cell::Flags(_) => " class=\"flags\"",
                _ if column.is_right => " class=\"n\"",
                _ if column.is_long => " class=\"text\"",
                _ => "",
            };
            let words = words(cell);
            page.push(match place {
                0 => format!("<th scope=\"row\"{class}>{words}</th>"),
                _ => format!("<td{class}>{words}</td>"),
            });
        }
        page.line("</tr>");
        if !row.below.is_empty() {
            page.push(format_args!("<tr><td colspan=\"{}\">", table.columns.len()));
            write_all(page, &row.below);
            page.line("</td></tr>");
        }
    }
    close_table(page);
}

/// The text of a cell; a share has a bar that shows the same.
fn words(cell: &Cell) -> String {
    let words = cell.words();
    let text = Prose(&words);
    match cell {
        Cell::Share(share) => format!(
            "{text} <meter aria-hidden=\"true\" max=\"1\" low=\"{LOW}\" high=\"{LEAST_OF_DUE}\" optimum=\"1\" value=\"{:.3}\"></meter>",
            share.clamp(0.0, 1.0)
        ),
        Cell::Figure { text, half, range } => {
            format!("<span title=\"{}\">{} <small>{}</small></span>", Prose(range), Prose(text), Prose(half))
        }
        Cell::Flags(flags) => flags.iter().map(markup::flag).collect(),
        Cell::Badges(marks) => marks.iter().map(|(name, is_bad)| markup::badge(name, *is_bad)).collect(),
        Cell::Choice(point, name) => {
            format!("<button type=\"button\" data-point=\"{point}\">{}</button>", Text(name))
        }
        Cell::Link { to, text, below } => {
            format!("<a href=\"#{to}\">{}</a><div class=\"when\">{}</div>", Text(text), Text(below))
        }
        Cell::Code(text) => format!("<code>{}</code>", Text(text)),
        Cell::Text(_) | Cell::None => text.to_string(),
    }
}
