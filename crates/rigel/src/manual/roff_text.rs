//! The texts after the options (examples, exit codes, ORION's options) as sections of a man page.
//!
//! They are written for the terminal. A heading ends in a colon. A term is indented by two blanks; its explanation follows
//! after two more blanks, or on the next line with more indentation. Must not know the texts themselves.

use clap_mangen::roff::{Roff, bold, roman};

/// A line indented this far explains the line before it.
const EXPLAINS: usize = 6;

pub fn sections(text: &str) -> String {
    let mut page = Roff::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let inside = line.len() - line.trim_start().len();
        match (inside, line.trim()) {
            (0, heading) if heading.ends_with(':') => {
                page.control("SH", [title(heading).as_str()]);
            }
            (0, paragraph) => {
                page.control("PP", []).text([roman(paragraph)]);
            }
            (EXPLAINS.., explanation) => {
                page.text([roman(explanation)]);
            }
            (_, shown) => {
                let (term, explanation) = shown.split_once("  ").unwrap_or((shown, ""));
                page.control("TP", []).text([bold(term)]);
                if !explanation.is_empty() {
                    page.text([roman(explanation.trim_start())]);
                }
            }
        }
    }
    page.to_roff()
}

/// `EXIT CODES` of `Exit codes (all commands):`.
fn title(heading: &str) -> String {
    let name = heading.split(['(', ':']).next().unwrap_or_default();
    name.trim().to_uppercase()
}

pub fn see_also(of_command: bool, others: &[&str]) -> String {
    let mut names: Vec<String> = others.iter().map(|other| format!("rigel-{other}")).collect();
    if of_command {
        names.insert(0, "rigel".to_owned());
    }
    let mut line = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let more = if index + 1 < names.len() { "(1), " } else { "(1)" };
        line.extend([bold(name.as_str()), roman(more)]);
    }
    let mut page = Roff::new();
    page.control("SH", ["SEE ALSO"]).text(line);
    page.to_roff()
}

/// Other characters by their numbers, which every roff understands in any locale; no line is empty.
pub fn ascii(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for line in page.lines() {
        // An empty line between two paragraphs is a request of its own.
        for c in if line.is_empty() { ".sp" } else { line }.chars() {
            if c.is_ascii() { text.push(c) } else { text += &format!("\\[u{:04X}]", u32::from(c)) }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_the_terminal_becomes_sections() {
        let text = "Examples:\n  rigel run simple\n      .this directory\n\nExit codes (all):\n  0  fine\nNothing more.\n";
        let page = sections(text);
        assert_eq!(
            page,
            ".SH EXAMPLES\n.TP\n\\fBrigel run simple\\fR\n\\&.this directory\n.SH \"EXIT CODES\"\n.TP\n\\fB0\\fR\nfine\n\
             .PP\nNothing more.\n"
        );
    }

    #[test]
    fn any_sign_is_written_in_ascii() {
        assert_eq!(ascii("±2 %\n\nx"), "\\[u00B1]2 %\n.sp\nx\n");
    }
}
