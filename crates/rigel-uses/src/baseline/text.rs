//! Text as tools write it: any encoding, possibly truncated lines, numbers in any locale.
//!
//! Must not know a tool.

use std::borrow::Cow;

/// Most characters of a foreign line that a message holds.
const MOST_SHOWN: usize = 60;
/// Lines in which a mail shows that it quotes.
const MOST_QUOTED: usize = 40;

/// Bytes as text. PowerShell writes UTF-16 when it redirects output.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, text @ ..] => wide(text, u16::from_le_bytes),
        [0xfe, 0xff, text @ ..] => wide(text, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, text @ ..] => String::from_utf8_lossy(text),
        text => String::from_utf8_lossy(text),
    }
}

/// A text without the marks of a mail that quotes it: `> ` before each line.
pub fn unquoted(text: Cow<'_, str>) -> Cow<'_, str> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(MOST_QUOTED);
    let quoted = lines().filter(|line| line.starts_with('>')).count();
    if quoted == 0 || 2 * quoted < lines().count() {
        return text;
    }
    let without = |line: &str| {
        let mut rest = line;
        while let Some(inner) = rest.strip_prefix('>') {
            rest = inner.strip_prefix(' ').unwrap_or(inner);
        }
        rest.to_owned()
    };
    let end = if text.ends_with('\n') { "\n" } else { "" };
    Cow::Owned(text.lines().map(without).collect::<Vec<_>>().join("\n") + end)
}

/// This many of the first bytes, as whole characters.
pub fn head(text: &str, bytes: usize) -> &str {
    let ends = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..ends.unwrap_or(0)]
}

/// A foreign line, short enough for a message.
pub fn shortened(line: &str) -> String {
    let short: String = line.chars().take(MOST_SHOWN).collect();
    if short.len() < line.len() { format!("{short}..") } else { short }
}

/// The lines of a text that have an end, each with its number. A last line without an end may be cut in the middle of a number:
/// it comes apart from them.
pub fn whole_lines(text: &str) -> (Vec<(usize, &str)>, Option<&str>) {
    let mut lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(at, line)| (at + 1, line)).collect();
    let cut = if text.ends_with('\n') { None } else { lines.pop().map(|(_, line)| line) };
    (lines, cut.filter(|line| !line.trim().is_empty()))
}

/// The remark on a last line that may be truncated.
pub fn cut_line(line: &str) -> String {
    format!(
        "the last line, '{}', which is incomplete and may be truncated",
        rigel_core::path_text::printable(&shortened(line.trim()))
    )
}

/// A number that is not negative, with a decimal point or comma. If both occur, as in `1,234.5` and `1.234,5`, the last is the decimal separator.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(plain) = without_thousands(text) {
        return number(&plain);
    }
    let is_plain = !text.is_empty()
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | 'E' | '+' | '-'));
    let plain = if text.contains('.') { text.to_owned() } else { text.replacen(',', ".", 1) };
    let value: f64 = plain.parse().ok().filter(|_| is_plain)?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// `1234.5` of `1,234.5` and `1.234,5`; `None` of a number with one kind of sign.
fn without_thousands(text: &str) -> Option<String> {
    let (whole, decimals) = text.rsplit_once(['.', ','])?;
    let group = if text[whole.len()..].starts_with('.') { ',' } else { '.' };
    if !whole.contains(group) {
        return None;
    }
    let mut groups = whole.split(group);
    let first = groups.next().unwrap_or_default();
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped =
        (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3 && is_number(group));
    (is_grouped && is_number(first) && is_number(decimals))
        .then(|| format!("{}.{decimals}", whole.replace(group, "")))
}

/// `1,234` and `1.234`: thousands, or a fraction with three digits.
pub fn is_ambiguous(text: &str) -> bool {
    let mut groups = text.trim().split(['.', ',']);
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = groups.next().is_some_and(|first| first.len() <= 3 && first != "0" && is_number(first));
    is_first
        && groups.next().is_some_and(|group| group.len() == 3 && is_number(group))
        && groups.next().is_none()
}

/// A number that is usually whole: `11518`, or with thousands separators `11,518` and `11.518`, which is then not a fraction.
pub fn whole(text: &str) -> Option<f64> {
    let plain = text.trim();
    let groups: Vec<&str> = plain.split(['.', ',', '\'', ' ', '\u{a0}', '\u{202f}']).collect();
    let is_grouped = groups.len() > 1
        && groups.iter().all(|group| group.chars().all(|c| c.is_ascii_digit()))
        && groups.first().is_some_and(|first| (1..=3).contains(&first.len()) && *first != "0")
        && groups.iter().skip(1).all(|group| group.len() == 3);
    if is_grouped { groups.concat().parse().ok() } else { number(plain) }
}

/// Half a unit in the last place of a number that was read as `value`: 0.005 of `6.84`, 0.5 of `812`. Of `1e-3` and the like 0.
pub fn half_unit(text: &str, value: f64) -> f64 {
    let text = text.trim();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return 0.0;
    }
    let decimals = text.rsplit_once(['.', ',']).map_or(0, |(_, digits)| digits.len());
    // `11,518` read as a whole number has no decimals, and read as a fraction it is below a thousand.
    let decimals = if decimals == 3 && value >= 1000.0 && value.fract() == 0.0 { 0 } else { decimals };
    0.5 * 0.1f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}

/// A whole number.
pub fn count(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// A size as these tools write it, `8k`, `1m`, `4096`, `1MiB`; of fio's `8k,8k` the first. Units are powers of 1024.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.split([',', '-', ' ']).next()?.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (value, unit) = text.split_at(digits);
    let shift = match unit.trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => return None,
    };
    value.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
}
