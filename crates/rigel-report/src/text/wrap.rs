//! Long texts in lines of at most 80 columns.
//!
//! A word that is longer than a line stays whole: it may be a path. A per cent sign stays beside its number. Must not
//! change a character but blanks.

use crate::page::Page;

/// Columns that every terminal has.
pub(super) const COLUMNS: usize = 80;
/// At the end of a line that does not hold the whole text.
const CLIPPED: &str = " ..";

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

/// A text in lines of its own.
pub(crate) fn paragraph(text: &str) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "", "", text);
    page.into_string()
}

/// Adds as much of a text as fits into one line after `first`. Returns whether something was left out.
pub(super) fn clipped(page: &mut Page, first: &str, text: &str) -> bool {
    if first.chars().count() + text.chars().count() <= COLUMNS {
        page.line(format_args!("{first}{text}"));
        return false;
    }
    let mut line = first.to_owned();
    for (index, word) in words(text).iter().enumerate() {
        let blank = usize::from(index > 0);
        if line.chars().count() + blank + word.chars().count() + CLIPPED.len() > COLUMNS {
            break;
        }
        line.push_str(&" ".repeat(blank));
        line.push_str(word);
    }
    page.line(line + CLIPPED);
    true
}

/// The pieces between which a line may be broken.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(number) if word.starts_with('%') => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
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
    fn a_clipped_line_says_so() {
        let clip = |text: &str| {
            let mut page = Page::default();
            let is_clipped = clipped(&mut page, "* ", text);
            (page.into_string(), is_clipped)
        };
        let edge = "x".repeat(COLUMNS - 2);
        assert_eq!(clip(&edge), (format!("* {edge}\n"), false));
        let fours = |count: usize| ["four"; 20][..count].join(" ");
        assert_eq!(clip(&fours(20)), (format!("* {} ..\n", fours(15)), true));
        assert_eq!(clip(&"y".repeat(COLUMNS)), ("*  ..\n".to_owned(), true));
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
    }
}
