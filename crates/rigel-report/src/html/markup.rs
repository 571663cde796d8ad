//! HTML in small: text that cannot become markup, flags, tables.
//!
//! Must not know what a page is about.

use crate::page::Page;
use crate::words;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;
use std::fmt::{self, Display, Write as _};

/// Text from a record as text of a page, also inside a quoted attribute.
pub(crate) struct Text<'a>(pub &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in printable(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A sentence by Rigel as text of a page: numbers stay with their units, and microseconds have their sign. Commands and paths
/// stay [`Text`], so they can be copied.
pub(crate) struct Prose<'a>(pub &'a str);

/// Words that follow a number and mean nothing at the start of a line.
const UNITS: [&str; 16] =
    ["%", "us", "ns", "ms", "s", "min", "h", "d", "IOPS", "MBPS", "MB", "KiB", "MiB", "GiB", "TiB", "times"];

impl Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut follows_number, mut is_sign) = (false, false);
        for (place, word) in self.0.split(' ').enumerate() {
            let unit = word.trim_end_matches(['.', ',', ';', ':', ')', '?', '!']);
            let is_unit = UNITS.contains(&unit);
            if place > 0 {
                f.write_char(if (follows_number && is_unit) || is_sign { '\u{a0}' } else { ' ' })?;
            }
            match word.strip_prefix("us").filter(|_| is_unit && unit == "us") {
                Some(behind) => write!(f, "µs{}", Text(behind))?,
                None => Text(word).fmt(f)?,
            }
            is_sign = word.ends_with('±');
            // `p99` is a name.
            let number = word.trim_start_matches(['(', '±', '+', '-', '<', '>']);
            let is_digit = |c: char| c.is_ascii_digit();
            follows_number = number.starts_with(is_digit) && number.ends_with(is_digit);
        }
        Ok(())
    }
}

/// JSON for a block of the page: without `<`, nothing can end the block. Within JSON the character occurs only in
/// strings, where it can be escaped.
pub(crate) fn in_a_block(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A flag that opens when clicked: a finger cannot hover.
pub(crate) fn flag(flag: &Flag) -> String {
    format!(
        "<details class=\"flag{}\"><summary>{}</summary>{}</details>",
        tone(flag.invalid),
        flag.code.name(),
        Prose(&flag_words(flag))
    )
}

/// A flag without its text, which is next to it.
pub(crate) fn badge(name: &str, invalid: bool) -> String {
    format!("<span class=\"flag{}\">{}</span>", tone(invalid), Text(name))
}

/// The text of a flag, and its weight.
pub(crate) fn flag_words(flag: &Flag) -> String {
    let weight = match flag {
        Flag { invalid: true, .. } => "; the numbers must not be used",
        Flag { note: true, .. } => "; a note, not a warning",
        _ => "",
    };
    format!("{}{weight}", flag.text)
}

const fn tone(invalid: bool) -> &'static str {
    if invalid { " bad" } else { "" }
}

/// A column: its heading, and whether it holds numbers.
pub(crate) type Column<'a> = (&'a str, bool);

/// Begins a table, which can be scrolled sideways; one of more than `most` rows is folded at first.
pub(crate) fn open_table(page: &mut Page, columns: &[Column<'_>], rows: usize, most: usize, what: &str) {
    let folded = if rows > most { "" } else { " open" };
    page.line(format_args!(
        "<details{folded}><summary>{}</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {what}s\">",
        words::counted(rows, what)
    ));
    page.push("<table><thead><tr>");
    for (name, numbers) in columns {
        let class = if *numbers { " class=\"n\"" } else { "" };
        page.push(format_args!("<th scope=\"col\"{class}>{name}</th>"));
    }
    page.line("</tr></thead><tbody>");
}

/// Ends the table.
pub(crate) fn close_table(page: &mut Page) {
    page.line("</tbody></table></div></details>");
}

/// The place of a chart, which the script of the page draws, with what it shows.
pub(crate) fn chart(page: &mut Page, id: impl Display, title: &str, about: impl Display) {
    page.line(format_args!(
        "<figure><figcaption><b>{title}</b> {about}</figcaption><div class=\"stage\" id=\"{id}\"></div></figure>"
    ));
}

/// A list of names with their texts. An entry without text has no line.
pub(crate) fn list(page: &mut Page, entries: &[(impl Display, String)]) {
    page.line("<dl>");
    for (name, text) in entries.iter().filter(|(_, text)| !text.is_empty()) {
        page.line(format_args!("<dt>{name}</dt><dd>{}</dd>", Text(text)));
    }
    page.line("</dl>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_unit() {
        let told = Prose("mean us: 74.1 us (±2.1 %), 8 KiB of 3 x, p99 us; cd '/a us'").to_string();
        assert_eq!(
            told,
            "mean µs: 74.1\u{a0}µs (±2.1\u{a0}%), 8\u{a0}KiB of 3 x, p99 µs; cd &#39;/a us&#39;"
        );
        assert_eq!(Prose("a  <b> ").to_string(), "a  &lt;b&gt; ");
    }

    #[test]
    fn text_cannot_become_markup() {
        let hostile = "</title><script>alert(\"1\")</script>&'\u{202e}\n";
        let told = Text(hostile).to_string();
        assert!(!told.contains(['<', '>', '"', '\'', '\n', '\u{202e}']), "{told}");
        assert!(told.starts_with("&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)"), "{told}");
        let json = serde_json::to_string(&["</script><!--"]).unwrap();
        assert_eq!(in_a_block(&json), r#"["\u003c/script>\u003c!--"]"#);
        let back: Vec<String> = serde_json::from_str(&in_a_block(&json)).unwrap();
        assert_eq!(back, ["</script><!--"]);
    }
}
