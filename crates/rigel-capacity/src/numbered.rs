//! Disks known only by their device numbers (`dev259-1` of sar), for which no rule says whether they lie on others: NVMe has one row of numbers
//! for disks and partitions, and virtual disks and mapped devices have those that were free.
//!
//! Their load shows it: that of partitions and of mapped devices is among that of the disk below, in every interval, and nearly all of it.

use super::history::History;
use super::key::{Kind, Subject};
use super::layers::numbers;
use super::metric::Metric;
use super::span::Span;
use std::collections::BTreeMap;

/// Majors whose minor numbers say nothing of disks and partitions.
const OF_ANY: u32 = 259;
/// Dynamically assigned majors: virtual disks, mapped devices.
const GIVEN_OUT: std::ops::RangeInclusive<u32> = 234..=254;
/// Minor numbers of a virtual disk are multiples of this.
const OF_VIRTUAL: u32 = 16;
/// Minimum number of common intervals.
const FEWEST: usize = 2;
/// Rounding of the tools.
const ROUNDING: f64 = 0.01;
const NOTHING: f64 = 0.05;
/// The lower load must be at least this part of the upper.
const MOST: f64 = 0.9;
/// The quantities compared: merging on the way down reduces operations, never bytes.
const LOADS: [Metric; 4] = [Metric::ReadBytes, Metric::WriteBytes, Metric::AllOps, Metric::ReadOps];
/// How many of them are bytes: I/Os are split and merged on their way down, so they only count if no bytes are known.
const BYTES: usize = 2;

/// A disk whose load is included in that of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpperDisk {
    /// The partition or mapped device.
    pub upper: Subject,
    /// The disk it lies on.
    pub lower: Subject,
}

/// Whether a name consists of numbers that no rule explains.
pub fn is_of_any(name: &str) -> bool {
    numbers(name).is_some_and(|(major, _)| major == OF_ANY || GIVEN_OUT.contains(&major))
}

/// Disks of a host whose load is included in that of others.
pub fn lying(history: &History, host: &str) -> Vec<UpperDisk> {
    let mut by_major: BTreeMap<u32, BTreeMap<u32, Subject>> = BTreeMap::new();
    for subject in history.subjects(host, Kind::Disk) {
        if let Some((major, minor)) = numbers(&subject.name).filter(|_| is_of_any(&subject.name)) {
            by_major.entry(major).or_default().insert(minor, subject);
        }
    }
    let mut found = Vec::new();
    if let Some(disks) = by_major.get(&OF_ANY) {
        found.extend(partitions(history, host, disks));
    }
    let groups: Vec<(&u32, &BTreeMap<u32, Subject>)> =
        by_major.iter().filter(|(major, _)| **major != OF_ANY).collect();
    for (place, one) in groups.iter().enumerate() {
        for other in &groups[place + 1..] {
            found.extend(stack(history, host, one.1, other.1));
        }
    }
    found
}

/// Disks whose name is another's plus a number, and whose load is part of that disk's.
fn partitions(history: &History, host: &str, disks: &BTreeMap<u32, Subject>) -> Vec<UpperDisk> {
    let all: Vec<(&u32, &Subject)> = disks.iter().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < all.len() {
        let (first, lower) = all[at];
        let behind = (1..).zip(&all[at + 1..]).take_while(|(step, (minor, _))| **minor == first + step);
        let behind: Vec<&Subject> = behind.map(|(_, (_, subject))| *subject).collect();
        let is_all = |count: &usize| is_among(history, host, &behind[..*count], &[lower]);
        let count = (1..=behind.len()).rev().find(is_all).unwrap_or(0);
        found.extend(
            behind[..count].iter().map(|upper| UpperDisk { upper: (*upper).clone(), lower: lower.clone() }),
        );
        at += count + 1;
    }
    found
}

/// Mapped devices on virtual disks, which have another major number.
fn stack(
    history: &History,
    host: &str,
    one: &BTreeMap<u32, Subject>,
    other: &BTreeMap<u32, Subject>,
) -> Vec<UpperDisk> {
    let is_virtual = |disks: &BTreeMap<u32, Subject>| disks.keys().all(|minor| minor % OF_VIRTUAL == 0);
    let (lower, upper) = match (is_virtual(one), is_virtual(other)) {
        (false, true) => (other, one),
        _ => (one, other),
    };
    let (below, above): (Vec<&Subject>, Vec<&Subject>) = (lower.values().collect(), upper.values().collect());
    if !is_among(history, host, &above, &below) {
        return Vec::new();
    }
    above.into_iter().map(|upper| UpperDisk { upper: upper.clone(), lower: below[0].clone() }).collect()
}

/// Whether the load of some is included in that of others in every common interval, and makes up nearly all of it; for reads and for writes.
fn is_among(history: &History, host: &str, above: &[&Subject], below: &[&Subject]) -> bool {
    let (bytes, ios) = LOADS.split_at(BYTES);
    let of = |metric: &Metric| is_part(history, host, (above, below), *metric);
    let judged: Vec<bool> = bytes.iter().filter_map(of).collect();
    if judged.is_empty() { ios.iter().find_map(of) == Some(true) } else { judged.into_iter().all(|one| one) }
}

/// The same for one kind of load; `None` if neither has any, because nothing follows from that.
fn is_part(
    history: &History,
    host: &str,
    (above, below): (&[&Subject], &[&Subject]),
    metric: Metric,
) -> Option<bool> {
    let (above, below) = (sum(history, host, above, metric)?, sum(history, host, below, metric)?);
    let pairs: Vec<(f64, f64)> =
        above.iter().filter_map(|(span, value)| Some((*value, *below.get(span)?))).collect();
    let (all_above, all_below) = pairs.iter().fold((0.0, 0.0), |all, pair| (all.0 + pair.0, all.1 + pair.1));
    let is_within = |(above, below): &(f64, f64)| *above <= below * (1.0 + ROUNDING) + NOTHING;
    (pairs.len() >= FEWEST && all_above.max(all_below) > 0.0)
        .then(|| all_above >= MOST * all_below && pairs.iter().all(is_within))
}

/// The sum of several by interval, where all of them are known; empty if one has no values.
fn sum(history: &History, host: &str, disks: &[&Subject], metric: Metric) -> Option<BTreeMap<Span, f64>> {
    let of = |disk: &&Subject| -> Option<BTreeMap<Span, f64>> {
        let samples = history.series(host, disk, metric).samples;
        (!samples.is_empty()).then(|| samples.into_iter().map(|one| (one.span, one.value)).collect())
    };
    let all: Vec<BTreeMap<Span, f64>> = disks.iter().map(of).collect::<Option<_>>()?;
    all.into_iter().reduce(|one, other| {
        one.into_iter().filter_map(|(span, value)| Some((span, value + other.get(&span)?))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, Source, Table};

    /// Each disk with its tps in intervals of ten minutes.
    fn history(disks: &[(&str, &[f64])]) -> History {
        let mut history = History::default();
        for (name, rates) in disks {
            let mut table = Table::default();
            for (row, rate) in (0..).zip(*rates) {
                let span = Span { start_ms: row * 600_000, length_ms: 600_000 };
                assert!(table.push(
                    span,
                    &[
                        (Metric::AllOps, *rate),
                        (Metric::ReadBytes, rate * 8192.0),
                        (Metric::WriteBytes, rate * 4096.0)
                    ]
                ));
            }
            history.add(Key::new("db1", Subject::disk(name, ""), Source::Sadf), &table);
        }
        history
    }

    fn uppers(disks: &[(&str, &[f64])]) -> Vec<String> {
        lying(&history(disks), "db1").into_iter().map(|one| one.upper.name).collect()
    }

    #[test]
    fn what_is_among_the_load_of_another_lies_on_it() {
        for (disks, expected) in [
            (
                &[("dev259-0", &[100.0, 90.0, 120.0][..]), ("dev259-1", &[100.0, 90.0, 120.0])][..],
                &["dev259-1"][..],
            ),
            // Two partitions, and a second disk with its own.
            (
                &[
                    ("dev259-0", &[100.0, 90.0]),
                    ("dev259-1", &[60.0, 10.0]),
                    ("dev259-2", &[40.0, 80.0]),
                    ("dev259-3", &[7.0, 5.0]),
                    ("dev259-4", &[7.0, 5.0]),
                ],
                &["dev259-1", "dev259-2", "dev259-4"],
            ),
            // Disks of their own: more than the other now and then, or far less.
            (&[("dev259-0", &[100.0, 90.0, 120.0]), ("dev259-1", &[101.0, 95.0, 110.0])], &[]),
            (&[("dev259-0", &[100.0, 90.0, 120.0]), ("dev259-1", &[20.0, 30.0, 10.0])], &[]),
            (&[("dev259-0", &[100.0, 90.0]), ("dev259-4", &[100.0, 90.0])], &[]),
            (&[("dev259-0", &[0.0, 0.0]), ("dev259-1", &[0.0, 0.0])], &[]),
            // Mapped devices on virtual disks, whichever number is lower.
            (
                &[("dev253-0", &[50.0, 60.0]), ("dev253-1", &[50.0, 30.0]), ("dev252-0", &[100.0, 90.0])],
                &["dev253-0", "dev253-1"],
            ),
            (
                &[("dev252-1", &[50.0, 60.0]), ("dev252-0", &[50.0, 30.0]), ("dev254-0", &[100.0, 90.0])],
                &["dev252-0", "dev252-1"],
            ),
            (&[("dev253-0", &[50.0, 60.0]), ("dev252-0", &[20.0, 90.0])], &[]),
            // Rules say what others are.
            (&[("dev8-0", &[100.0, 90.0]), ("dev8-1", &[100.0, 90.0])], &[]),
        ] {
            assert_eq!(uppers(disks), expected, "{disks:?}");
        }
    }
}
