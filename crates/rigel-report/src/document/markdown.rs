//! Blocks as Markdown, with the tables of GitHub, GitLab and most others.
//!
//! Must not choose a block.

use super::{Block, Card, Kind, Paragraph, Table};
use crate::markdown::{cause, code, escaped};
use crate::page::Page;

/// Blocks inside a text.
pub(crate) fn write_all(page: &mut Page, blocks: &[Block]) {
    blocks.iter().for_each(|block| write(page, block));
}

/// A block with an empty line below it.
fn write(page: &mut Page, block: &Block) {
    match block {
        Block::Section(section) if section.kind == Kind::Drawn || section.blocks.is_empty() => {}
        Block::Section(section) => {
            if !section.title.is_empty() {
                page.line(format_args!("## {}\n", escaped(&section.title)));
            }
            write_all(page, &section.blocks);
        }
        Block::Verdict { sentences, .. } => {
            if let Some((head, others)) = sentences.split_first() {
                page.line(format_args!("**{}**\n", escaped(head)));
                others.iter().for_each(|sentence| page.line(format_args!("{}\n", escaped(sentence))));
            }
        }
        Block::Paragraph(one) => page.line(format_args!("{}\n", paragraph(one))),
        Block::List(items) => {
            items.iter().for_each(|item| page.line(format_args!("- {}", escaped(item))));
            page.blank();
        }
        Block::Facts(facts) => {
            for (name, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
                page.line(format_args!("- **{}**: {}", escaped(name), escaped(text)));
            }
            page.blank();
        }
        Block::Table(found) => table(page, found),
        Block::Cards(cards) => {
            for Card { title, value, unit, about, .. } in cards {
                let about: String = about.iter().map(|line| format!(", {}", escaped(line))).collect();
                page.line(format_args!(
                    "- **{}**: {} {}{about}",
                    escaped(title),
                    escaped(value),
                    escaped(unit)
                ));
            }
            page.blank();
        }
        Block::Charts(_) | Block::Picture(_) | Block::Picker(_) => {}
        Block::Causes(causes) => {
            causes.iter().for_each(|one| cause(page, one));
            page.blank();
        }
        Block::Suggestion(next) => {
            page.line(format_args!("{}: {}\n", escaped(&next.purpose), code(&next.command)));
        }
        Block::Next { command, effect } => {
            page.line(format_args!("Next: {} {}\n", code(command), escaped(effect)))
        }
        Block::Files(paths) => {
            paths.iter().for_each(|path| page.line(format_args!("- {}", code(path))));
            page.blank();
        }
    }
}

fn paragraph(one: &Paragraph) -> String {
    let label = one.label.trim();
    let text = if one.is_whole { code(&one.text) } else { escaped(&one.text) };
    if label.is_empty() { text } else { format!("{} {text}", escaped(label)) }
}

/// Notes of a row go below the table.
fn table(page: &mut Page, table: &Table) {
    let heads: Vec<String> = table.columns.iter().map(|column| escaped(&column.head)).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|column| if column.is_right { "---:" } else { "---" }).collect();
    page.line(format_args!("| {} |\n| {} |", heads.join(" | "), rules.join(" | ")));
    for row in &table.rows {
        if !row.above.is_empty() {
            page.line(format_args!(
                "| **{}** |{}",
                escaped(&row.above),
                " |".repeat(table.columns.len() - 1)
            ));
        }
        let cells: Vec<String> = row.cells.iter().map(|cell| escaped(&cell.words())).collect();
        let mark = if row.is_bad { " **not to be used**" } else { "" };
        page.line(format_args!("| {}{mark} |", cells.join(" | ")));
    }
    page.blank();
    table.rows.iter().for_each(|row| write_all(page, &row.below));
}
