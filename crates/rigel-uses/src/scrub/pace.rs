//! Which parts of a device are much slower than their neighbours: how long every read took, which parts are suspected, and which were slow each time.
//!
//! One slow read proves nothing: others use the device, and it pauses on its own. So a suspect is read again, at other times, each time with its
//! neighbours, and must be the slowest of all of them in [`LOOKS`] checks. If it were like them, it would be the slowest in one of nine checks,
//! and one of five million suspects in all of them. A check in which a neighbour was even slower decides nothing, [`MOST_UNDECIDED`] times; one in
//! which the suspect was not slow clears it. Must not read a device or a clock.

use super::found::{SlowRange, Stretch};
use super::map::{BLOCK_BYTES, CHUNK_BYTES};
use serde::{Deserialize, Serialize};

/// Reads that are compared with each other at first: a GiB.
pub const GROUP: usize = 1024;
/// Fewer say nothing of what is usual.
const LEAST_GROUP: usize = 9;
/// Times that a suspect is read again.
pub const LOOKS: usize = 7;
/// Readings of a suspect in which it was slow, but a neighbour took longer.
pub const MOST_UNDECIDED: u32 = 2;
/// Neighbours on each side that are read with it.
const BESIDE: usize = 4;
/// With fewer on both sides together there is nothing to compare with.
const LEAST_BESIDE: usize = 4;
/// The largest distance of a neighbour, in chunks.
const FARTHEST: u64 = 64;
/// Adjacent suspects that share their neighbours.
const MOST_TOGETHER: usize = 16;
/// Suspects apart from each other, of one group: where more were slow once, the device is like that.
const MOST_APART: usize = 32;
/// Suspects that wait.
const MOST_WAITING: usize = 1024;
/// How many times as long as its neighbours a read of a slow range takes.
const TIMES: u64 = 3;
/// And how much longer at least. What is only not cached, or was never written, differs by less.
const LONGER_US: u64 = 20_000;
/// Deviations from the median, in medians of them, of a read that is suspected.
const DEVIATIONS: u64 = 6;

/// How long a read took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTime {
    /// What was read.
    pub range: Stretch,
    /// Microseconds.
    pub took_us: u64,
}

/// Something that was slow once, and in every look since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// What was read.
    pub range: Stretch,
    /// Microseconds of its reads.
    took_us: Vec<u64>,
    /// The medians of its neighbours, each time.
    neighbours_us: Vec<u64>,
    /// Readings that decided nothing.
    #[serde(default)]
    undecided: u32,
}

impl Suspect {
    fn slow_range(&self) -> SlowRange {
        SlowRange {
            at: self.range.at,
            len: self.range.len,
            took_us: median(&self.took_us),
            neighbours_us: median(&self.neighbours_us),
            readings: self.took_us.len() as u64,
        }
    }
}

/// What is known about the times so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// Reads that were not compared yet.
    group: Vec<ReadTime>,
    /// By their offset.
    suspects: Vec<Suspect>,
    /// Median and deviation of the last group, by which a last one of few reads is judged.
    #[serde(default)]
    usual_us: Option<(u64, u64)>,
}

/// Adjacent suspects, and what to read with them, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookAgain {
    /// Neighbours in front.
    pub before: Vec<Stretch>,
    /// The suspects.
    pub suspects: Vec<Stretch>,
    /// Neighbours after them.
    pub after: Vec<Stretch>,
}

/// The result of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Slow every time.
    pub slow: Vec<SlowRange>,
    /// Suspects that were like their neighbours.
    pub cleared: u64,
}

impl Pace {
    /// Adds a read of the first pass. Whether this many wait that they should be compared.
    pub fn add(&mut self, time: ReadTime) -> bool {
        self.group.push(time);
        self.group.len() >= GROUP
    }

    /// Compares the reads that wait, and suspects some. How many could not be taken up, as too many were slow.
    pub fn suspect(&mut self) -> u64 {
        let group = std::mem::take(&mut self.group);
        if group.len() >= LEAST_GROUP {
            self.usual_us = Some(usual_of(&group));
        }
        let slow = self.usual_us.map_or_else(Vec::new, |usual_us| outliers(&group, usual_us));
        let mut runs: Vec<&[ReadTime]> = slow.chunk_by(|a, b| are_neighbours(a.range, b.range)).collect();
        let slowest = |run: &[ReadTime]| run.iter().map(|time| time.took_us).max().unwrap_or(0);
        runs.sort_by_key(|run| std::cmp::Reverse(slowest(run)));
        let mut left = 0;
        for (place, run) in runs.iter().enumerate() {
            for time in *run {
                if place >= MOST_APART || self.suspects.len() >= MOST_WAITING {
                    left += 1;
                    continue;
                }
                self.suspects.push(Suspect {
                    range: time.range,
                    took_us: vec![time.took_us],
                    neighbours_us: Vec::new(),
                    undecided: 0,
                });
            }
        }
        self.suspects.sort_by_key(|suspect| suspect.range.at);
        left
    }

    /// Whether there is no suspect, and nothing waits to be compared.
    pub fn is_settled(&self) -> bool {
        self.group.is_empty() && self.suspects.is_empty()
    }

    /// Number of suspects.
    pub fn suspects(&self) -> usize {
        self.suspects.len()
    }

    /// What to read for one more reading of all suspects, of `total` bytes. `is_avoided`: what is not a neighbour to
    /// compare with, because it cannot be read or is slow itself.
    pub fn looks(&self, total: u64, is_avoided: impl Fn(Stretch) -> bool) -> Vec<LookAgain> {
        let runs = self.suspects.chunk_by(|a, b| are_neighbours(a.range, b.range));
        let shares = runs.flat_map(|run| run.chunks(MOST_TOGETHER));
        let is_usual = |range: Stretch| !self.is_suspected(range.at) && !is_avoided(range);
        let look = |share: &[Suspect]| {
            let (first, last) = (share.first()?.range.at, share.last()?.range.at);
            let chunk = |at: u64| Stretch { at, len: CHUNK_BYTES };
            let back = (1..=FARTHEST).map_while(|steps| first.checked_sub(steps * CHUNK_BYTES)).map(chunk);
            let on = (1..=FARTHEST).filter_map(|steps| last.checked_add(steps * CHUNK_BYTES)).map(chunk);
            let is_whole = |range: &Stretch| range.at.checked_add(range.len).is_some_and(|end| end <= total);
            let mut before: Vec<Stretch> = back.filter(|&range| is_usual(range)).take(BESIDE).collect();
            before.reverse();
            let after = on.filter(is_whole).filter(|&range| is_usual(range)).take(BESIDE).collect();
            Some(LookAgain { before, suspects: share.iter().map(|suspect| suspect.range).collect(), after })
        };
        shares.filter_map(look).collect()
    }

    fn is_suspected(&self, at: u64) -> bool {
        self.suspects.binary_search_by_key(&at, |suspect| suspect.range.at).is_ok()
    }

    /// The result of a reading: the times of the suspects, `None` for one that could not be read, and those of their neighbours.
    pub fn judge(&mut self, suspects: &[(u64, Option<u64>)], neighbours_us: &[u64]) -> Verdicts {
        let mut verdicts = Verdicts::default();
        let usual_us = median(neighbours_us);
        let slowest_us = neighbours_us.iter().copied().max().unwrap_or(u64::MAX);
        for &(at, took_us) in suspects {
            let Ok(place) = self.suspects.binary_search_by_key(&at, |suspect| suspect.range.at) else {
                continue;
            };
            let suspect = &mut self.suspects[place];
            let is_compared = neighbours_us.len() >= LEAST_BESIDE;
            let slow_us = took_us.filter(|&took_us| is_compared && is_much_slower(took_us, usual_us));
            suspect.undecided += u32::from(slow_us.is_some_and(|took_us| took_us <= slowest_us));
            let Some(took_us) = slow_us.filter(|_| suspect.undecided <= MOST_UNDECIDED) else {
                self.suspects.remove(place);
                verdicts.cleared += 1;
                continue;
            };
            if took_us <= slowest_us {
                continue;
            }
            suspect.took_us.push(took_us);
            suspect.neighbours_us.push(usual_us);
            if suspect.neighbours_us.len() >= LOOKS {
                verdicts.slow.push(suspect.slow_range());
                self.suspects.remove(place);
            }
        }
        verdicts
    }

    /// Whether all of it can belong to a device of `total` bytes: nothing in the file that it comes from may lead outside, whoever wrote it.
    pub(super) fn is_within(&self, total: u64) -> bool {
        let within = |range: Stretch| {
            range.at.is_multiple_of(BLOCK_BYTES)
                && (1..=CHUNK_BYTES).contains(&range.len)
                && range.at.checked_add(range.len).is_some_and(|end| end <= total)
        };
        let in_order = self.suspects.windows(2).all(|pair| pair[0].range.at < pair[1].range.at);
        let bounded = self.group.len() <= GROUP && self.suspects.len() <= MOST_WAITING;
        let looks = |suspect: &Suspect| suspect.neighbours_us.len() < LOOKS && suspect.took_us.len() <= LOOKS;
        bounded
            && in_order
            && self.group.iter().all(|time| within(time.range))
            && self.suspects.iter().all(|suspect| within(suspect.range) && looks(suspect))
    }
}

fn are_neighbours(a: Stretch, b: Stretch) -> bool {
    a.at.checked_add(a.len) == Some(b.at)
}

fn is_much_slower(took_us: u64, usual_us: u64) -> bool {
    took_us >= usual_us.saturating_mul(TIMES) && took_us >= usual_us.saturating_add(LONGER_US)
}

/// The median of the times, and the median of what they differ from it by (Hampel 1974).
fn usual_of(group: &[ReadTime]) -> (u64, u64) {
    let times: Vec<u64> = group.iter().map(|time| time.took_us).collect();
    let usual_us = median(&times);
    (usual_us, median(&times.iter().map(|time| time.abs_diff(usual_us)).collect::<Vec<u64>>()))
}

/// Reads that took much longer than usual, relative to their normal spread. One that ends before its chunk does, at
/// the end of the device, is judged as if it were complete: it takes less.
fn outliers(group: &[ReadTime], (usual_us, deviation_us): (u64, u64)) -> Vec<ReadTime> {
    let bound_us = usual_us.saturating_add(deviation_us.saturating_mul(DEVIATIONS));
    let is_slow = |time: &&ReadTime| is_much_slower(time.took_us, usual_us) && time.took_us >= bound_us;
    group.iter().filter(is_slow).copied().collect()
}

/// The middle of them, the upper one of two; 0 of none.
fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
