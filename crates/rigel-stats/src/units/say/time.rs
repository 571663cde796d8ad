//! Times and sizes, as people read them and as command lines and load files do.

use super::{figure, number};
use crate::units::{GIB, KIB, MIB, NS_PER_MS, NS_PER_S, NS_PER_US, Nanos, to_f64};

/// A time in the unit that suits it: `87.25 us`, `1.012 ms`. Spelled as on the command line, in flags and in ORION's files.
pub fn time(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", number(us / 1e6)),
        _ if us >= 1e3 => format!("{} ms", number(us / 1e3)),
        _ => format!("{} us", number(us)),
    }
}

/// A time of three figures in the unit that fits it: `5.40 us`, `98.0 ms`.
pub fn rough_time(ns: f64) -> String {
    let units = [(NS_PER_S, "s"), (NS_PER_MS, "ms"), (NS_PER_US, "us")];
    let unit = units.into_iter().find(|&(unit, _)| ns >= to_f64(unit));
    unit.map_or_else(|| format!("{ns:.0} ns"), |(unit, name)| format!("{} {name}", figure(ns / to_f64(unit))))
}

/// Whole seconds, rounded up: `45 s`, `3 min 11 s`, `10 min`, `2 h 5 min`.
pub fn span(time: Nanos) -> String {
    let seconds = time.0.div_ceil(NS_PER_S);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// `0:45`, `4:10`, `1:02:03`; part of a second counts as one, so work that continues is never at zero.
pub fn time_left(ns: u64) -> String {
    let seconds = ns.div_ceil(NS_PER_S);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A span as people say it, in its two largest units and rounded to the smaller one: `14 d`, `2 h 30 min`, `45 s`.
pub fn two_units(span: Nanos) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let rounded = |unit: u64| {
        let ns = unit * NS_PER_S;
        span.0.saturating_add(ns / 2) / ns * unit
    };
    let first = |seconds: u64| UNITS.iter().position(|(unit, _)| seconds >= *unit);
    let smaller = |place: usize| UNITS.get(place + 1).copied();
    let Some(place) = first(rounded(1)) else { return span.to_string() };
    // 23 h 59 min 40 s are a day.
    let seconds = rounded(smaller(place).map_or(1, |(unit, _)| unit));
    let place = first(seconds).unwrap_or(place);
    let (unit, name) = UNITS[place];
    let rest = smaller(place).map(|(smaller, name)| (seconds % unit / smaller, name));
    match rest.filter(|(count, _)| *count > 0) {
        Some((count, smaller)) => format!("{} {name} {count} {smaller}", seconds / unit),
        None => format!("{} {name}", seconds / unit),
    }
}

/// A span of three figures below a minute, and of two units from there on: `4.20 s`, `3 min 20 s`.
pub fn rough_span(span: Nanos) -> String {
    if span.0 < 60 * NS_PER_S { rough_time(to_f64(span.0)) } else { two_units(span) }
}

/// A size as it is typed, with the largest prefix that divides it: `8K`.
pub fn typed_size(bytes: u64) -> String {
    let units = [(1 << 40, "T"), (GIB, "G"), (MIB, "M"), (KIB, "K")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| bytes.to_string(), |(unit, name)| format!("{}{name}", bytes / unit))
}

/// A time as it is typed, in the largest unit that divides it: `5m`, `90s`, `10ms`. A part of a microsecond counts as one.
pub fn typed_time(time: Nanos) -> String {
    let units = [(3600 * NS_PER_S, "h"), (60 * NS_PER_S, "m"), (NS_PER_S, "s"), (NS_PER_MS, "ms")];
    let unit = units.into_iter().find(|(unit, _)| time.0 >= *unit && time.0.is_multiple_of(*unit));
    let (unit, name) = unit.unwrap_or((NS_PER_US, "us"));
    format!("{}{name}", time.0.div_ceil(unit))
}

/// The largest unit of sizes of which there is one. All sizes are powers of 1024, read and written, and named so: a disk of 1 TB, as its maker
/// counts, has 931 GiB.
pub fn size_unit(bytes: f64) -> (u64, &'static str) {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")];
    UNITS.into_iter().find(|&(unit, _)| bytes >= to_f64(unit)).unwrap_or((1, "B"))
}

/// A size that need not be whole, in three digits: `8 KiB`, `1.46 MiB`, `2.44 TiB`.
pub fn rough_size(bytes: f64) -> String {
    // What three digits show as one is one.
    let (unit, name) = size_unit(bytes * 1.0005);
    let figure = figure(bytes / to_f64(unit));
    let figure =
        if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { &figure };
    format!("{figure} {name}")
}
