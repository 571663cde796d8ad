//! Blanks within numbers, as French, Polish, Russian and Nordic sessions of Oracle group them: `2 041,1`.
//!
//! A blank also parts columns, and the row of dashes says where these are. Must not know what a number means.

use std::ops::Range;

/// Replaces a blank within a number, so that a row can be split at its blanks.
const JOINED: char = '\'';
/// Digits of a group.
const GROUP: usize = 3;

/// A row in which the numbers have no blanks. `columns`: where the row of dashes has them.
pub fn joined(line: &str, columns: &[Range<usize>]) -> String {
    let signs: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len());
    for (at, &sign) in signs.iter().enumerate() {
        let is_within = is_blank(sign) && !is_gap(columns, at) && is_in_number(&signs, at);
        out.push(if is_within { JOINED } else { sign });
    }
    out
}

/// Blanks of all kinds, and what is left of one in a single-byte character set.
const fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | char::REPLACEMENT_CHARACTER)
}

/// Whether a place is between two columns of numbers. A number may be wider than the first of them, whose label has room.
fn is_gap(columns: &[Range<usize>], at: usize) -> bool {
    columns.windows(2).skip(1).any(|pair| (pair[0].end..pair[1].start).contains(&at))
}

/// Whether a blank has one to three digits before it that are not part of a fraction, and exactly three after it.
fn is_in_number(signs: &[char], at: usize) -> bool {
    let digits =
        |signs: &mut dyn Iterator<Item = &char>| signs.take_while(|sign| sign.is_ascii_digit()).count();
    let before = digits(&mut signs[..at].iter().rev());
    let behind = digits(&mut signs[at + 1..].iter());
    let first = at.checked_sub(before + 1).map(|place| signs[place]);
    (1..=GROUP).contains(&before)
        && behind == GROUP
        && first.is_none_or(|sign| is_blank(sign) || matches!(sign, '-' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_within_numbers_are_told_from_those_between_columns() {
        let columns = [0..12, 14..24, 25..35];
        for (line, expected) in [
            ("redo writes    7 350 123    2 041,1", ["7'350'123", "2'041,1"]),
            ("redo writes  7\u{a0}350\u{a0}123    2\u{202f}041,1", ["7'350'123", "2'041,1"]),
            // A number that fills its column: the blank behind it is that of the gap.
            ("redo writes   87 350 123 123 041,1", ["87'350'123", "123'041,1"]),
            ("redo writes  987 350 123        12", ["987'350'123", "12"]),
            ("redo writes         12,5       125", ["12,5", "125"]),
            ("redo writes      1,234.5     1,125", ["1,234.5", "1,125"]),
            ("redo writes         1234       125", ["1234", "125"]),
        ] {
            let found = joined(line, &columns);
            let words: Vec<&str> = found.split_whitespace().skip(2).collect();
            assert_eq!(words, expected, "{line}");
        }
    }
}
