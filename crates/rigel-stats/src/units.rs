//! Bytes, nanoseconds and rates: the only place where a number changes its unit.
//!
//! Must not hold anything that knows what is being measured.

pub mod say;

use say::trimmed;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// 2^10 bytes.
pub const KIB: u64 = 1 << 10;
/// 2^20 bytes; one "MB" of ORION's MBPS.
pub const MIB: u64 = 1 << 20;
/// 2^30 bytes.
pub const GIB: u64 = 1 << 30;

/// Nanoseconds in one microsecond.
pub const NS_PER_US: u64 = 1_000;
/// Nanoseconds in one millisecond.
pub const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in one second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// A number of bytes. Reads `512`, `8K`, `8KB`, `8KiB`, `1.5M`, `2G`, `1T`; every prefix is a power of 1024, as in
/// every database's documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// `count` KiB. Saturates; a plan refuses such a size later.
    pub const fn from_kib(count: u64) -> Self {
        Self(count.saturating_mul(KIB))
    }
}

impl fmt::Display for Bytes {
    /// The largest prefix that divides the number, else a rounded one: `8 KiB`, `1 MiB`, `1.46 GiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = say::size_unit(to_f64(self.0));
        if self.0.is_multiple_of(unit) {
            write!(f, "{} {name}", self.0 / unit)
        } else {
            write!(f, "{:.2} {name}", to_f64(self.0) / to_f64(unit))
        }
    }
}

/// Why a size or a duration could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// No digits, or something that is not a number before the suffix.
    #[error("'{0}' is not a number followed by a unit")]
    NotANumber(String),
    /// A time without a unit: seconds to some programs, milliseconds to others.
    #[error("'{0}' has no unit: write {0}us, {0}ms, {0}s or {0}m")]
    NoUnit(String),
    /// It can be read in one way only, but is not written as numbers are here.
    #[error("'{text}' is not a single number: write {meant}")]
    Meant {
        /// What the user typed.
        text: String,
        /// The same as it is read.
        meant: String,
    },
    /// A comma before three digits: thousands to one, decimals to another.
    #[error("'{text}' has a comma, which may separate thousands or decimals: write {whole} or {decimal}")]
    Comma {
        /// What the user typed.
        text: String,
        /// As thousands.
        whole: String,
        /// As decimals.
        decimal: String,
    },
    /// A part of the smallest unit.
    #[error("'{text}' is not a whole number of {unit}")]
    NotWhole {
        /// What the user typed.
        text: String,
        /// The smallest unit.
        unit: &'static str,
    },
    /// More decimals than there are nanoseconds in a second.
    #[error("'{0}' has too many decimals: at most 9 are allowed")]
    TooFine(String),
    /// A suffix that is not among the known ones.
    #[error("'{unit}' in '{text}' is not a unit ({known})")]
    UnknownUnit {
        /// What the user typed.
        text: String,
        /// The suffix found.
        unit: String,
        /// The suffixes that are known.
        known: &'static str,
    },
    /// The product does not fit into 64 bits.
    #[error("'{0}' is too large")]
    TooLarge(String),
}

/// What a number is counted in.
struct CountUnit {
    /// The smallest unit.
    smallest: &'static str,
    /// The names of the units, for a message.
    known: &'static str,
    /// Knows a unit by its name in lower case.
    unit_of: fn(&str) -> Option<u64>,
}

/// Reads `8K` or `1.5M`.
fn read(text: &str, counted: &CountUnit) -> Result<u64, UnitError> {
    let typed = text;
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let unit = suffix.trim_start();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(UnitError::NotANumber(text.to_owned()));
    }
    // The sign for a millionth, in either of its two code points.
    let name = unit.to_ascii_lowercase().replace(['\u{b5}', '\u{3bc}'], "u");
    let Some(size) = (counted.unit_of)(&name) else {
        let known = counted.known;
        return Err(UnitError::UnknownUnit { text: typed.to_owned(), unit: unit.to_owned(), known });
    };
    // More decimals than nanoseconds in a second have no use.
    if fraction.len() > 9 {
        return Err(UnitError::TooFine(text.to_owned()));
    }
    let too_large = || UnitError::TooLarge(typed.to_owned());
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let parts = fraction.bytes().fold(1, |parts: u128, _| parts * 10);
    let part = u128::from(fraction.parse::<u64>().map_err(|_| too_large())?) * u128::from(size);
    if !part.is_multiple_of(parts) {
        return Err(UnitError::NotWhole { text: text.to_owned(), unit: counted.smallest });
    }
    let part = u64::try_from(part / parts).map_err(|_| too_large())?;
    whole.checked_mul(size).and_then(|all| all.checked_add(part)).ok_or_else(too_large)
}

/// Offers what was meant where a text can be read in one way only, else the error.
fn or_meant<T: FromStr>(text: &str, error: UnitError, meant: Option<String>) -> UnitError {
    let text = text.trim();
    match (meant.filter(|meant| meant.parse::<T>().is_ok()), error) {
        (Some(meant), _) => UnitError::Meant { text: text.to_owned(), meant },
        (None, error @ UnitError::UnknownUnit { .. }) => comma(text).unwrap_or(error),
        (None, error) => error,
    }
}

/// `.5m` and `1,5s` with a point between digits. Behind a comma three digits may as well be thousands.
fn with_a_point(text: &str) -> Option<String> {
    let (whole, rest) = text.trim().split_once(['.', ','])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_plain = digits > 0 && !(digits == 3 && text.contains(','));
    let whole = if whole.is_empty() { "0" } else { whole };
    let meant = format!("{whole}.{rest}");
    (is_plain && meant != text.trim()).then_some(meant)
}

/// `1,000ms`: nobody can tell what the comma parts. Who has two of them parts thousands.
fn comma(text: &str) -> Option<UnitError> {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != ',').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let mut groups = number.split(',');
    let first = groups.next().filter(|first| !first.is_empty())?;
    let groups: Vec<&str> = groups.collect();
    if groups.is_empty() || groups.iter().any(|group| group.len() != 3) {
        return None;
    }
    let whole = format!("{first}{}{unit}", groups.concat());
    let text = text.to_owned();
    Some(match groups.as_slice() {
        [decimals] => UnitError::Comma { text, whole, decimal: format!("{first}.{decimals}{unit}") },
        _ => UnitError::Meant { text, meant: whole },
    })
}

/// `1h30m` in the last of its units: `90m`. A number without a unit behind hours is minutes, and behind minutes seconds.
fn in_one_unit(text: &str) -> Option<String> {
    let text = text.trim();
    let before = text.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let smaller = match before.chars().last().filter(|_| before.len() < text.len()) {
        Some('h' | 'H') => "m",
        Some('m' | 'M') => "s",
        _ => "",
    };
    let text = format!("{text}{smaller}");
    let mut parts: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        match parts.last_mut() {
            Some(part) if !(last.is_alphabetic() && c.is_ascii_digit()) => part.push(c),
            _ => parts.push(c.to_string()),
        }
        last = if c == ' ' { last } else { c };
    }
    let (smallest, _) = parts.split_last().filter(|(_, larger)| !larger.is_empty())?;
    let unit = smallest.trim_start_matches(|c: char| !c.is_alphabetic());
    let each = parts.iter().map(|part| Some(part.parse::<Nanos>().ok()?.0));
    let all = each.collect::<Option<Vec<u64>>>()?.into_iter().try_fold(0_u64, u64::checked_add)?;
    let Nanos(size) = format!("1{unit}").parse().ok()?;
    all.is_multiple_of(size).then(|| format!("{}{unit}", all / size))
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let unit_of = |unit: &str| match unit {
            "" | "b" | "byte" | "bytes" => Some(1),
            "k" | "kb" | "ki" | "kib" => Some(KIB),
            "m" | "mb" | "mi" | "mib" => Some(MIB),
            "g" | "gb" | "gi" | "gib" => Some(GIB),
            "t" | "tb" | "ti" | "tib" => Some(1 << 40),
            _ => None,
        };
        let counted = CountUnit { smallest: "bytes", known: "B, K, M, G, T, powers of 1024", unit_of };
        read(text, &counted).map(Bytes).map_err(|error| or_meant::<Self>(text, error, with_a_point(text)))
    }
}

/// A span of time in nanoseconds. Reads `60s`, `500ms`, `1.5ms`, `2m`, `1h`, and 0. Any other number needs its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// `seconds` whole seconds, saturating.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(NS_PER_S))
    }

    /// `millis` milliseconds, saturating.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(NS_PER_MS))
    }

    /// The span in seconds.
    pub fn seconds(self) -> f64 {
        to_f64(self.0) / to_f64(NS_PER_S)
    }
}

impl fmt::Display for Nanos {
    /// `60 s`, `1.5 s`, `100 ms`, `250 us`, with three decimals at most.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            1..NS_PER_US => (1, "ns"),
            NS_PER_US..NS_PER_MS => (NS_PER_US, "us"),
            NS_PER_MS..NS_PER_S => (NS_PER_MS, "ms"),
            _ => (NS_PER_S, "s"),
        };
        write!(f, "{} {name}", trimmed(to_f64(self.0) / to_f64(unit)))
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let unit_of = |unit: &str| match unit {
            "us" | "usec" | "usecs" | "microsecond" | "microseconds" => Some(NS_PER_US),
            "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Some(NS_PER_MS),
            "s" | "sec" | "secs" | "second" | "seconds" => Some(NS_PER_S),
            "m" | "min" | "mins" | "minute" | "minutes" => Some(60 * NS_PER_S),
            "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600 * NS_PER_S),
            "d" | "day" | "days" => Some(24 * 3600 * NS_PER_S),
            "w" | "week" | "weeks" => Some(7 * 24 * 3600 * NS_PER_S),
            "" => Some(0),
            _ => None,
        };
        let counted = CountUnit { smallest: "nanoseconds", known: "us, ms, s, m, h, d, w", unit_of };
        let meant = || with_a_point(text).or_else(|| in_one_unit(text));
        let span = read(text, &counted).map_err(|error| or_meant::<Self>(text, error, meant()))?;
        let number = text.trim();
        let bare = number.ends_with(|last: char| last.is_ascii_digit());
        if bare && number.contains(|digit: char| matches!(digit, '1'..='9')) {
            return Err(UnitError::NoUnit(number.to_owned()));
        }
        Ok(Self(span))
    }
}

/// The nearest `f64`. Counts and nanoseconds of a run stay far below 2^53, where this is exact.
#[expect(clippy::cast_precision_loss, reason = "the one place where counts become floats")]
pub const fn to_f64(value: u64) -> f64 {
    value as f64
}

/// A whole number as people write rates: `5000`, `5k`, `1.5k`, `2M`; here k is a thousand. `None` for anything else.
pub fn count_of(text: &str) -> Option<u64> {
    let unit_of = |name: &str| match name {
        "" => Some(1),
        "k" => Some(1_000),
        "m" => Some(1_000_000),
        _ => None,
    };
    let text = text.trim();
    // Up to what a million can be parted in; a blank would begin another number of a list.
    let decimals =
        text.split_once('.').map_or(0, |(_, part)| part.bytes().take_while(u8::is_ascii_digit).count());
    let is_one = decimals <= 6 && !text.contains(char::is_whitespace) && !has_three_decimals(text);
    let counted = CountUnit { smallest: "units", known: "k, M", unit_of };
    is_one.then(|| read(text, &counted).ok())?
}

/// `5.000`: five thousand to some, five to others.
fn has_three_decimals(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(whole, part)| part.len() == 3 && is_number(whole) && is_number(part))
}

/// What [`count_of`] would read, for a count that is written in another way: `1e4`, `5000/s`, `20,000`. Where two are meant, both: `5 or 5000`.
pub fn count_meant(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some((whole, part)) = text.split_once('.').filter(|_| has_three_decimals(text)) {
        let thousands = format!("{whole}{part}");
        let meant = if part == "000" { format!("{whole} or {thousands}") } else { thousands };
        return Some(meant).filter(|_| !whole.starts_with('0'));
    }
    let lower = text.to_ascii_lowercase();
    let number = ["/second", "/sec", "/s", "iops"].iter().find_map(|unit| lower.strip_suffix(unit));
    let number = number.unwrap_or(&lower).trim_end();
    if count_of(number).is_some() {
        return Some(number.to_owned()).filter(|number| *number != lower);
    }
    let groups: Vec<&str> = number.split([',', '_', '\'', ' ', '\u{a0}', '\u{202f}']).collect();
    let is_group = |group: &&str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    if let [first, rest @ ..] = groups.as_slice()
        && !rest.is_empty()
        && rest.iter().all(is_group)
    {
        return Some(format!("{first}{}", rest.concat())).filter(|number| count_of(number).is_some());
    }
    let (digits, power) = number.split_once('e')?;
    let (digits, power) = (count_of(digits)?, power.trim_start_matches('+').parse::<u32>().ok()?);
    Some(10_u64.checked_pow(power)?.checked_mul(digits)?.to_string())
}

/// Microseconds of a span given in nanoseconds.
pub fn us_from_ns(ns: f64) -> f64 {
    ns / to_f64(NS_PER_US)
}

/// I/Os per second: `count` completions in `span_ns`. Zero for an empty span.
pub fn iops(count: u64, span_ns: u64) -> f64 {
    if span_ns == 0 { 0.0 } else { to_f64(count) * to_f64(NS_PER_S) / to_f64(span_ns) }
}

/// Megabytes (2^20 bytes) per second: `bytes` in `span_ns`. Zero for an empty span.
pub fn mbps(bytes: u64, span_ns: u64) -> f64 {
    iops(bytes, span_ns) / to_f64(MIB)
}

#[cfg(test)]
mod tests;
