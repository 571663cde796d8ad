//! The figures of a flag at several places: if they differ only in numbers, the range of each.
//!
//! Must not know what the numbers are about.

/// Units that are one and the same for a range: `87.2 us to 1.01 ms`.
const TIMES: [(&str, f64); 4] = [("ns", 1e-3), ("us", 1.0), ("ms", 1e3), ("s", 1e6)];
/// Between the ends of a range that a text has already.
const BETWEEN: [&str; 2] = [" to ", ".."];

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
enum Piece<'a> {
    /// Words.
    Words(&'a str),
    /// A number, with its unit where that is a time.
    Number { value: f64, digits: &'a str, unit: &'a str },
}

/// `in 2 to 4 of 4 visits`; `None` if the texts differ in more than numbers.
pub(super) fn range(texts: &[&str]) -> Option<String> {
    let (first, others) = texts.split_first()?;
    let first = pieces(first);
    let others: Vec<Vec<Piece<'_>>> = others.iter().map(|text| pieces(text)).collect();
    if others.iter().any(|other| other.len() != first.len()) {
        return None;
    }
    let mut told = String::new();
    for (place, piece) in first.iter().enumerate() {
        let same = others.iter().map(|other| &other[place]);
        match piece {
            Piece::Words(words) if same.clone().all(|other| other == piece) => told += words,
            Piece::Words(_) => return None,
            Piece::Number { .. } => {
                let words = |place: Option<usize>| match place.and_then(|place| first.get(place)) {
                    Some(Piece::Words(words)) => *words,
                    _ => "",
                };
                let is_low = BETWEEN.contains(&words(place.checked_add(1)));
                let is_high = BETWEEN.contains(&words(place.checked_sub(1)));
                told += &both(std::iter::once(piece).chain(same), is_low, is_high)?;
            }
        }
    }
    Some(told)
}

/// The least and the most of numbers; only one of them where they are the same end of ranges.
fn both<'p, 'a: 'p>(
    numbers: impl Iterator<Item = &'p Piece<'a>>,
    is_low: bool,
    is_high: bool,
) -> Option<String> {
    let all: Option<Vec<(f64, &str, &str)>> = numbers
        .map(|number| match number {
            Piece::Number { value, digits, unit } => Some((*value, *digits, *unit)),
            Piece::Words(_) => None,
        })
        .collect();
    let all = all?;
    let least = all.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
    let most = all.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
    // A count beside a time is no range.
    if all.iter().any(|one| one.2.is_empty() != least.2.is_empty()) {
        return None;
    }
    let written = |(_, digits, unit): &(f64, &str, &str)| {
        if unit.is_empty() { (*digits).to_owned() } else { format!("{digits} {unit}") }
    };
    Some(match (is_low, is_high) {
        _ if least.1 == most.1 && least.2 == most.2 => written(least),
        (true, _) => written(least),
        (_, true) => written(most),
        _ if least.2 == most.2 => format!("{} to {}", least.1, written(most)),
        _ => format!("{} to {}", written(least), written(most)),
    })
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let (mut rest, mut before) = (text, ' ');
    let mut words = text;
    while let Some(first) = rest.chars().next() {
        let is_name = before.is_alphanumeric() || "._/:-".contains(before);
        let is_end = words[..words.len() - rest.len()].ends_with("..");
        let number = number(rest).filter(|_| !is_name || is_end);
        let length = number.as_ref().map_or(first.len_utf8(), |one| one.1);
        if let Some((piece, _)) = number {
            let own = &words[..words.len() - rest.len()];
            all.extend((!own.is_empty()).then_some(Piece::Words(own)));
            all.push(piece);
            words = &rest[length..];
        }
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
    all.extend((!words.is_empty()).then_some(Piece::Words(words)));
    all
}

/// A number that a text begins with, and how long it is with its unit. If a letter follows, it is a name.
fn number(text: &str) -> Option<(Piece<'_>, usize)> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_part = |at: &usize| is_digit(*at) || matches!(bytes[*at], b'.' | b',') && is_digit(*at + 1);
    let digits = &text[..(sign..bytes.len()).take_while(is_part).last().map_or(0, |last| last + 1)];
    let after = &text[digits.len()..];
    if after.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let value: f64 = digits.replace(',', "").parse().ok()?;
    let unit = after.strip_prefix(' ').unwrap_or_default();
    let unit = &unit[..unit.find(|c: char| !c.is_alphabetic()).unwrap_or(unit.len())];
    let time = TIMES.into_iter().find(|(name, _)| *name == unit);
    let (unit, factor) = time.map_or(("", 1.0), |(_, factor)| (unit, factor));
    let length = digits.len() + if unit.is_empty() { 0 } else { 1 + unit.len() };
    Some((Piece::Number { value: value * factor, digits, unit }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_several_places_are_ranges() {
        for (texts, told) in [
            (
                vec!["0.71 of a CPU core in 4 of 4 visits", "0.31 of a CPU core in 2 of 4 visits"],
                Some("0.31 to 0.71 of a CPU core in 2 to 4 of 4 visits"),
            ),
            (vec!["late by 87.2 us", "late by 1.01 ms", "late by 90 us"], Some("late by 87.2 us to 1.01 ms")),
            (vec!["p99 1,250 us at sda1", "p99 980 us at sda1"], Some("p99 980 to 1,250 us at sda1")),
            (vec!["-31 % (-40 to -22 %)", "-12 % (-20 to -5 %)"], Some("-31 to -12 % (-40 to -5 %)")),
            (vec!["3 visits differ.", "3 visits differ."], Some("3 visits differ.")),
            (vec!["N 4..12, seen", "N 3..9, seen"], Some("N 3..12, seen")),
            (vec!["sda: 3 of 4", "sdb: 3 of 4"], None),
            (vec!["one", "two words"], None),
            (vec!["took 3 times", "took 3 s"], None),
        ] {
            assert_eq!(range(&texts).as_deref(), told, "{texts:?}");
        }
    }
}
