//! Blocks as Markdown, with the tables of GitHub, GitLab and most others.
//!
//! Must not choose a block.

use super::{Block, Card, Kind, Paragraph, Table};
use crate::judgement::Cause;
use crate::page::Page;
use rigel_core::path_text::printable;

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

/// Text as a code span that it cannot end, also within a table.
pub(crate) fn code(text: &str) -> String {
    let text = printable(text);
    if text.is_empty() {
        return "-".to_owned();
    }
    // A span ends at as many backticks as it begins with. A table would end a cell at a bar even within one.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// A sentence with all special characters escaped, so that it makes no link or mention.
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text).replace("www.", "www\0.");
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(c) = signs.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Mentions are looked for behind the Markdown, but not in code.
            '@' if signs.peek().is_some_and(|next| !next.is_whitespace()) => out.push_str("`@`"),
            ':' if signs.peek() == Some(&'/') => out.push_str("\\:"),
            // Put there above; no printable text has one.
            '\0' => out.push('\\'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}

/// The meaning, the flag with its figures, and what to do.
fn cause(page: &mut Page, one: &Cause) {
    let flag = one.code.map_or_else(String::new, |flag| {
        format!(" {}, {}: {}.", code(flag.name()), escaped(&one.at()), escaped(&one.figures))
    });
    page.line(format_args!("- **{}**{flag} {}", escaped(&one.means), escaped(&one.remedy)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_span() {
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a|b\nc"), "`a\\|b\\x0ac`");
        assert_eq!(code(""), "-");
    }

    #[test]
    fn sentences_have_no_markup() {
        assert_eq!(
            escaped("<b>**x**</b> [a](http://e.x) | @all #1"),
            "&lt;b&gt;\\*\\*x\\*\\*&lt;/b&gt; \\[a\\](http\\://e.x) \\| `@`all \\#1"
        );
        assert_eq!(escaped("at www.e.x: 5 %"), "at www\\.e.x: 5 %");
    }
}
