//! How text for a terminal may look: with or without colours, in Unicode or in plain ASCII.
//!
//! The program knows the terminal and decides. Everything that colours say is also in words. Must not change the width of a
//! line.

/// The capabilities of the reader's terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colours, by escape codes.
    pub colour: bool,
    /// ASCII only: `~` replaces ±, and charts consist of `*`, `.` and `|`.
    pub ascii: bool,
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The names of columns.
    Heading,
    /// Numbers that must not be used.
    Invalid,
    /// Something to know about numbers.
    Flag,
    /// Small I/O.
    Small,
    /// Large I/O.
    Large,
}

impl Ink {
    /// Colours of the terminal's own palette (ECMA-48 SGR), so they suit its background.
    const fn code(self) -> &'static str {
        match self {
            Self::Heading => "1",
            Self::Invalid => "31",
            Self::Flag => "33",
            Self::Small => "36",
            Self::Large => "35",
        }
    }
}

impl Style {
    /// A text in a colour, each line separately, so that it can be cut at line ends.
    pub(crate) fn painted(self, ink: Ink, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let paint = |line: &str| match line.strip_suffix('\n') {
            Some("") => "\n".to_owned(),
            Some(line) => format!("\x1b[{}m{line}\x1b[0m\n", ink.code()),
            None => format!("\x1b[{}m{line}\x1b[0m", ink.code()),
        };
        text.split_inclusive('\n').map(paint).collect()
    }

    /// The whole text in the permitted characters, with the same width.
    pub(crate) fn spelled(self, text: String) -> String {
        if self.ascii { text.replace('±', "~") } else { with_micro_sign(&text) }
    }
}

/// Microseconds with their sign after a number, and in the names of columns.
fn with_micro_sign(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut left = text;
    while let Some((before, behind)) = left.split_once(" us") {
        // A column of units stands behind one of widths.
        let is_unit = before.ends_with(|c: char| c.is_ascii_digit())
            || ["mean", "p99"].iter().any(|name| before.ends_with(name))
            || before.trim_end().ends_with('%');
        let is_word = !behind.starts_with(|c: char| c.is_alphanumeric() || "/_-=".contains(c));
        out.push_str(before);
        out.push_str(if is_unit && is_word { " µs" } else { " us" });
        left = behind;
    }
    out + left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_own_colour() {
        let style = Style { colour: true, ascii: false };
        assert_eq!(style.painted(Ink::Flag, "a\n\nb"), "\x1b[33ma\x1b[0m\n\n\x1b[33mb\x1b[0m");
        assert_eq!(Style::default().painted(Ink::Flag, "a\nb\n"), "a\nb\n");
    }

    #[test]
    fn ascii_keeps_the_width() {
        let text = "±3.1 %".to_owned();
        assert_eq!(Style { colour: false, ascii: true }.spelled(text.clone()), "~3.1 %");
        assert_eq!(Style::default().spelled(text.clone()), text);
        let times = "mean us 5 us, 6 users, us 7 us".to_owned();
        assert_eq!(Style::default().spelled(times.clone()), "mean µs 5 µs, 6 users, us 7 µs");
        assert_eq!(Style { colour: false, ascii: true }.spelled(times.clone()), times);
    }
}
