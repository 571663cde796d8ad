//! Values of options: sizes, times, percentages, and separate values for reads and writes.
//!
//! Checked against fio 3.33, which differs from its manual in one place: `4ki` is 4 KiB as `4k` is, and only `4kib` is the other kind. Must
//! not know options.

use crate::units::Nanos;

/// Most sizes of a class in a load file.
const MOST_SIZES: usize = 16;

/// For reads, and for writes.
pub type Pair<T> = [T; 2];
/// Sizes with their shares in per cent.
pub type Split = Vec<(u64, u8)>;

/// The meaning of a prefix such as `k`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// `kb_base=1024`: `k` is 1024 and `kib` is 1000.
    #[default]
    Compatible,
    /// `kb_base=1000`: `k` is 1000 and `kib` is 1024.
    Si,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// In bytes.
    Bytes(u64),
    /// In per cent.
    Percent(u8),
}

impl Base {
    /// Reads the value of `kb_base`.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "1024" => Some(Self::Compatible),
            "1000" => Some(Self::Si),
            _ => None,
        }
    }

    const fn unit(self, is_iec: bool) -> u64 {
        match (self, is_iec) {
            (Self::Compatible, false) | (Self::Si, true) => 1024,
            (Self::Compatible, true) | (Self::Si, false) => 1000,
        }
    }

    /// Reads `4k`, `4kb`, `4kib`, `0x1000` or `4096`.
    pub fn number(self, text: &str) -> Option<u64> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).ok();
        }
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, suffix) = text.split_at(end);
        let power = |letter: char| "kmgtp".find(letter).and_then(|at| u32::try_from(at + 1).ok());
        let mut letters = suffix.chars();
        let (power, rest) = match letters.next() {
            None | Some('b') => (0, letters.as_str()),
            Some(letter) => (power(letter)?, letters.as_str()),
        };
        let is_iec = rest == "ib" && power > 0;
        let is_unit = rest.is_empty() || (power > 0 && ["b", "i", "ib"].contains(&rest));
        let unit = is_unit.then(|| self.unit(is_iec).checked_pow(power))??;
        digits.parse::<u64>().ok()?.checked_mul(unit)
    }

    /// Reads a size above 0.
    pub fn size(self, text: &str) -> Option<u64> {
        self.number(text).filter(|bytes| *bytes > 0)
    }

    /// Reads a size or a share of the file, `20%`.
    pub fn amount(self, text: &str) -> Option<Amount> {
        match text.strip_suffix('%') {
            Some(digits) => percent(digits.trim()).map(Amount::Percent),
            None => self.number(text).map(Amount::Bytes),
        }
    }

    /// Reads `8k`, `8k,16k` or `,16k`: an omitted value stays unchanged; a single one applies to both.
    pub fn pair(self, text: &str, usual: Pair<Option<u64>>) -> Option<Pair<Option<u64>>> {
        each(text, |text| self.number(text)).map(|found| match found {
            [read, None] if !text.contains(',') => [read, read],
            [read, write] => [read.or(usual[0]), write.or(usual[1])],
        })
    }

    /// Reads `4k/60:64k/40`; omitted shares divide the remainder. A single list applies to reads and writes.
    pub fn splits(self, text: &str) -> Option<Pair<Split>> {
        let [read, write] = each(text, |list| self.split(list))?;
        let read = read?;
        let write = write.unwrap_or_else(|| read.clone());
        Some([read, write])
    }

    fn split(self, list: &str) -> Option<Split> {
        let one = |part: &str| {
            let (size, share) = part.split_once('/').unwrap_or((part, ""));
            let share = if share.is_empty() { None } else { Some(percent(share)?) };
            Some((self.size(size)?, share))
        };
        let parts: Vec<(u64, Option<u8>)> = list.split(':').map(one).collect::<Option<_>>()?;
        let given: u32 = parts.iter().filter_map(|part| part.1).map(u32::from).sum();
        let open = u32::try_from(parts.iter().filter(|part| part.1.is_none()).count()).ok()?;
        let rest = 100_u32.checked_sub(given)?;
        let whole = if open == 0 { rest == 0 } else { rest.is_multiple_of(open) };
        let each = u8::try_from(rest.checked_div(open).unwrap_or(0)).ok()?;
        let mut split: Split = parts.into_iter().map(|(size, share)| (size, share.unwrap_or(each))).collect();
        split.retain(|part| part.1 > 0);
        split.sort_unstable();
        (whole && split.len() <= MOST_SIZES).then_some(split)
    }
}

/// Reads and writes separately: `a`, `a,b` or `,b`. A third value is for trims.
fn each<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Pair<Option<T>>> {
    let mut found = [None, None];
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    for (place, part) in parts.iter().take(2).enumerate().filter(|(_, part)| !part.is_empty()) {
        found[place] = Some(read(part)?);
    }
    (parts.len() <= 3 && found.iter().any(Option::is_some)).then_some(found)
}

/// Reads 0 to 100.
pub fn percent(text: &str) -> Option<u8> {
    text.parse().ok().filter(|share| *share <= 100)
}

/// Reads `0`, `1`, or nothing, which is 1.
pub fn truth(value: Option<&str>) -> Option<bool> {
    match value {
        None | Some("1") => Some(true),
        Some("0") => Some(false),
        Some(_) => None,
    }
}

/// Reads `90`, `2m` or `500ms`; without a unit it is seconds.
pub fn time(text: &str) -> Option<Nanos> {
    let is_bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(days) = text.strip_suffix(['d', 'D']) {
        let days: u64 = days.parse().ok()?;
        return Some(Nanos::from_secs(days.checked_mul(86_400).filter(|seconds| *seconds < 1 << 32)?));
    }
    let text = text.to_ascii_lowercase();
    let text = text.strip_suffix("ec").map_or(text.as_str(), |rest| rest);
    let spelled = if is_bare { format!("{text}s") } else { text.to_owned() };
    spelled.parse().ok()
}
