//! A table as bytes, for a store: intervals run-length encoded, flows rounded to a few binary digits, all of it deflated.
//!
//! A flow is kept as an exponent and the first binary digits of its fraction ([`Metric::digits`]); a level as a whole number, exactly. The
//! bytes of all codes' upper halves come first, then those of the lower ones, because neighbours resemble each other more that way. Foreign bytes
//! are reported, whatever they contain. Must not know where the bytes lie.

use super::metric::{Behaviour, Metric};
use super::span::Span;
use super::table::Table;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The first byte of a block; another layout has another.
const LAYOUT: u8 = 1;
/// Level 3 makes a store of minutes a fifth smaller, and an import a tenth longer; the highest levels take much longer and save 1 % more, because most of
/// what is left is noise.
const DEFLATE: u8 = 1;
/// Rows of a block: a day has 86,400 seconds, and blocks are cut at its end.
const MOST_ROWS: usize = 200_000;
/// Codes of a flow: not known, and 0.
const UNKNOWN: u16 = 0;
const ZERO: u16 = 1;
const FIRST: u16 = 2;
/// The lowest exponent of two that is kept; smaller values become 0.
const LOWEST: i32 = -24;
/// Bits of the fraction of an `f64`.
const FRACTION: u32 = 52;

/// The bytes of a table.
pub fn pack(table: &Table) -> Vec<u8> {
    let mut head = Vec::new();
    let mut lower = Vec::new();
    let (rows, columns) = (table.spans().len(), table.columns().count());
    number(&mut head, count(rows));
    number(&mut head, count(columns));
    pack_spans(table.spans(), &mut head);
    let mut upper = Vec::with_capacity(rows * columns);
    for (metric, values) in table.columns() {
        head.push(metric.code());
        match metric.behaviour() {
            Behaviour::Flow => {
                for &value in values {
                    let [high, low] = code(value, metric.digits()).to_be_bytes();
                    upper.push(high);
                    lower.push(low);
                }
            }
            Behaviour::Level => pack_levels(values, &mut head),
        }
    }
    let mut bytes = vec![LAYOUT];
    for part in [head, upper, lower] {
        let small = compress_to_vec(&part, DEFLATE);
        number(&mut bytes, count(part.len()));
        number(&mut bytes, count(small.len()));
        bytes.extend(small);
    }
    bytes
}

/// The table in these bytes; `None` if [`pack`] did not make them.
pub fn unpack(bytes: &[u8]) -> Option<Table> {
    let (&layout, mut rest) = bytes.split_first()?;
    if layout != LAYOUT {
        return None;
    }
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for part in &mut parts {
        let long = usize::try_from(take(&mut rest)?).ok().filter(|&long| long <= MOST_ROWS * 64)?;
        let small = usize::try_from(take(&mut rest)?).ok()?;
        let (packed, others) = rest.split_at_checked(small)?;
        *part = decompress_to_vec_with_limit(packed, long).ok().filter(|part| part.len() == long)?;
        rest = others;
    }
    let [head, upper, lower] = parts;
    let mut head = head.as_slice();
    let rows = usize::try_from(take(&mut head)?).ok().filter(|&rows| rows <= MOST_ROWS)?;
    let columns = take(&mut head).filter(|&columns| columns <= count(Metric::ALL.len()))?;
    let spans = unpack_spans(rows, &mut head)?;
    let mut table: Option<Table> = None;
    let mut at = 0;
    for _ in 0..columns {
        let (&code, others) = head.split_first()?;
        head = others;
        let metric = Metric::of_code(code)?;
        let values = match metric.behaviour() {
            Behaviour::Level => unpack_levels(rows, &mut head)?,
            Behaviour::Flow => {
                let pairs = upper.get(at..at + rows)?.iter().zip(lower.get(at..at + rows)?);
                at += rows;
                pairs.map(|(&high, &low)| value(u16::from_be_bytes([high, low]), metric.digits())).collect()
            }
        };
        match &mut table {
            None => table = Some(Table::of_column(metric, spans.clone(), values)?),
            Some(table) => table.push_column(metric, &spans, &values).then_some(())?,
        }
    }
    Some(table.unwrap_or_default())
}

/// The code of a flow, rounded to the nearest. There are millions of them, so it is cut out of the bits of the number (IEEE 754).
fn code(value: f64, digits: u32) -> u16 {
    if value.is_nan() {
        return UNKNOWN;
    }
    let exponent = exponent(value);
    if value <= 0.0 || exponent < LOWEST {
        return ZERO;
    }
    let fraction = value.to_bits() & ((1 << FRACTION) - 1);
    let rounded = (fraction + (1 << (FRACTION - digits - 1))) >> (FRACTION - digits);
    let place = (u64::from((exponent - LOWEST).unsigned_abs()) << digits) + rounded;
    u16::try_from(place).map_or(u16::MAX, |place| place.saturating_add(FIRST))
}

/// The exponent of two of a number that is not 0.
fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> FRACTION) & 0x7ff;
    i32::try_from(biased).unwrap_or_default() - 1023
}

fn value(code: u16, digits: u32) -> f64 {
    match code {
        UNKNOWN => f64::NAN,
        ZERO => 0.0,
        _ => {
            let place = i32::from(code - FIRST);
            let fraction = f64::from(place & ((1 << digits) - 1)) / f64::from(1_u32 << digits);
            (1.0 + fraction) * 2_f64.powi((place >> digits) + LOWEST)
        }
    }
}

/// Runs of rows with the same distance to the end of the row before, and the same length.
fn pack_spans(spans: &[Span], out: &mut Vec<u8>) {
    let mut end = 0;
    let mut runs: Vec<(i64, u32, u64)> = Vec::new();
    for span in spans {
        let distance = span.start_ms - end;
        end = span.end_ms();
        match runs.last_mut() {
            Some((of, length, rows)) if (*of, *length) == (distance, span.length_ms) => *rows += 1,
            _ => runs.push((distance, span.length_ms, 1)),
        }
    }
    number(out, count(runs.len()));
    for (distance, length, rows) in runs {
        number(out, folded(distance));
        number(out, u64::from(length));
        number(out, rows);
    }
}

fn unpack_spans(rows: usize, bytes: &mut &[u8]) -> Option<Vec<Span>> {
    let mut spans = Vec::with_capacity(rows);
    let mut end = 0_i64;
    for _ in 0..take(bytes)? {
        let distance = unfolded(take(bytes)?);
        let length_ms = u32::try_from(take(bytes)?).ok().filter(|&length| length > 0)?;
        let run = usize::try_from(take(bytes)?).ok().filter(|&run| run <= rows - spans.len())?;
        for _ in 0..run {
            let start_ms = end.checked_add(distance)?;
            end = start_ms.checked_add(i64::from(length_ms))?;
            spans.push(Span { start_ms, length_ms });
        }
    }
    (spans.len() == rows).then_some(spans)
}

/// 0 for an unknown value, otherwise the step from the previous one.
#[expect(clippy::cast_possible_truncation, reason = "bytes of a storage; what is more than 2^62 is bounded")]
fn pack_levels(values: &[f64], out: &mut Vec<u8>) {
    let mut before = 0_i64;
    for &value in values {
        if value.is_nan() {
            number(out, 0);
        } else {
            let whole = value.clamp(0.0, rigel_core::units::to_f64(1 << 62)).round() as i64;
            number(out, folded(whole - before) + 1);
            before = whole;
        }
    }
}

fn unpack_levels(rows: usize, bytes: &mut &[u8]) -> Option<Vec<f64>> {
    let mut before = 0_i64;
    let mut values = Vec::with_capacity(rows);
    for _ in 0..rows {
        values.push(match take(bytes)?.checked_sub(1) {
            None => f64::NAN,
            Some(step) => {
                before = before.checked_add(unfolded(step))?;
                rigel_core::units::to_f64(u64::try_from(before).ok()?)
            }
        });
    }
    Some(values)
}

/// Numbers of either sign as such without: 0, -1, 1, -2, 2 ..
const fn folded(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

const fn unfolded(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Seven bits a byte, the lowest first.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for place in 0..10 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(7 * place).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests;
