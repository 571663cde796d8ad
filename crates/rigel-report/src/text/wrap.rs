//! Long texts in lines of at most 80 columns.
//!
//! A word that is longer than a line stays whole: it may be a path. A per cent sign and microseconds stay beside their
//! number. Must not change a character but blanks.

use crate::page::Page;

/// Columns that every terminal has.
pub(crate) const COLUMNS: usize = 80;

/// Adds a text whose first line begins with `first` and every other line with `others`.
pub(crate) fn wrapped(page: &mut Page, first: &str, others: &str, text: &str) {
    let mut line = first.to_owned();
    let mut is_begun = false;
    for word in words(text) {
        if is_begun && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            page.line(&line);
            others.clone_into(&mut line);
            is_begun = false;
        }
        if is_begun {
            line.push(' ');
        }
        line.push_str(&word);
        is_begun = true;
    }
    page.line(line);
}

/// A text in separate lines.
pub(crate) fn paragraph(text: &str) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "", "", text);
    page.into_string()
}

/// The pieces between which a line may be broken.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(number) if word.starts_with('%') || is_time(number, word) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether it is the unit after a number: only there microseconds have their sign.
fn is_time(number: &str, word: &str) -> bool {
    number.ends_with(|c: char| c.is_ascii_digit()) && word.trim_end_matches(['.', ',', ';', ':', ')']) == "us"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        let mut page = Page::default();
        wrapped(&mut page, "* ", "  ", text);
        page.into_string()
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(lines("short"), "* short\n");
        assert_eq!(lines(""), "* \n");
        let long = lines(["four"; 20].join(" ").as_str());
        assert_eq!(long, format!("* {}\n  {}\n", ["four"; 15].join(" "), ["four"; 5].join(" ")));
        let edge = "x".repeat(COLUMNS - 2);
        assert_eq!(lines(&edge), format!("* {edge}\n"), "a line may be full");
        let path = "/p".repeat(60);
        assert_eq!(lines(&format!("a {path} b")), format!("* a\n  {path}\n  b\n"));
    }

    #[test]
    fn columns_are_characters_and_per_cents_stay_whole() {
        let filled = "±".repeat(COLUMNS - 2 - 6);
        assert_eq!(
            lines(&format!("{filled} 3.7 %")),
            format!("* {filled} 3.7 %\n"),
            "80 columns, more bytes"
        );
        assert_eq!(lines(&format!("{filled}± 3.7 %")), format!("* {filled}±\n  3.7 %\n"));
        assert_eq!(lines(&format!("{filled}± 207 us, a")), format!("* {filled}±\n  207 us, a\n"));
    }
}
