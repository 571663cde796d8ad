//! What a load needs from a history: rates in stretches of equal length, and how they vary within a minute.
//!
//! A per-second history of many disks is large, so it is read a day at a time. Must not choose phases.

use super::super::epochs::Epochs;
use super::super::{History, Members, Metric, Span, Subject, Table};
use super::bursts::Minute;
use crate::KeySummary;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an I/O where the source has no bytes.
pub const UNKNOWN_BYTES: f64 = 8192.0;
/// Longer intervals say nothing of bursts.
const MOST_BURST_MS: u32 = 10_000;
const MINUTE_MS: i64 = 60_000;

/// Operations and bytes per second in a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Operations per second.
    pub ops: f64,
    /// Bytes per second.
    pub bytes: f64,
}

impl Flow {
    /// Bytes of an operation on average; `None` without operations.
    pub fn mean_bytes(self) -> Option<f64> {
        (self.ops > 0.0).then(|| self.bytes / self.ops)
    }

    fn add(&mut self, other: Self) {
        self.ops += other.ops;
        self.bytes += other.bytes;
    }
}

/// The rates of a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// When.
    pub span: Span,
    /// Reads.
    pub reads: Flow,
    /// Writes.
    pub writes: Flow,
}

/// A disk or database, and the period in which it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The index of its member: stretches count if all members have them.
    pub member: usize,
    /// On which host.
    pub host: String,
    /// The disk or database.
    pub subject: Subject,
    /// The start of its first interval, from any source.
    pub first_ms: i64,
    /// The end of its last one.
    pub last_ms: i64,
    /// The usual interval of its finest source.
    pub interval_ms: i64,
}

impl Life {
    /// The lives of all subjects of members, as far as a store has them.
    pub fn all(members: &Members, held: &[KeySummary]) -> Vec<Self> {
        let life = |member: usize, host: &str, subject: &Subject| {
            let own = held.iter().filter(|one| one.key.host == host && one.key.subject.is_same(subject));
            let parts = own.map(|one| (one.first_ms, one.last_ms, one.interval_ms()));
            let (first_ms, last_ms, interval_ms) =
                parts.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1), all.2.min(one.2)))?;
            let (host, subject) = (host.to_owned(), subject.clone());
            Some(Self { member, host, subject, first_ms, last_ms, interval_ms })
        };
        let all = members.all().iter().enumerate();
        let all = all.flat_map(|(at, one)| one.parts().iter().map(move |part| (at, part)));
        all.filter_map(|(at, part)| life(at, &part.host, &part.subject)).collect()
    }
}

/// What a history contains for a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryExcerpt {
    /// The stretches in which everything is known, in the order of time.
    pub rows: Vec<Row>,
    /// The minutes of which more than their mean is known.
    pub minutes: Vec<Minute>,
    /// Some source does not separate operations by direction, and neither does one of the host as a whole: bytes take precedence.
    pub unparted: bool,
    /// Operations of some source are separated like those of the host as a whole.
    pub parted_as_host: bool,
    /// Some source has no bytes.
    pub without_bytes: bool,
    /// Operations of each member in the stretches, added up.
    pub member_ops: Vec<f64>,
    /// Stretches that some members have and others lack.
    pub left_out: usize,
}

/// What is known about a stretch.
#[derive(Clone, Debug, Default)]
struct Stretch {
    flows: [Flow; 2],
    /// Subjects of which it is known, of those that count.
    known: usize,
    /// Operations of each member.
    members: BTreeMap<usize, f64>,
}

/// Gathers.
#[derive(Debug)]
pub struct Gatherer<'a> {
    lives: &'a [Life],
    /// For each member the indexes of the lives that count.
    members: Vec<(Vec<usize>, Epochs)>,
    step_ms: u32,
    found: HistoryExcerpt,
}

impl<'a> Gatherer<'a> {
    /// For these subjects, in stretches of `step_ms`.
    pub fn new(lives: &'a [Life], step_ms: u32) -> Self {
        let count = lives.iter().map(|life| life.member + 1).max().unwrap_or(0);
        let found = HistoryExcerpt { member_ops: vec![0.0; count], ..HistoryExcerpt::default() };
        let member = |number: usize| {
            let places: Vec<usize> = (0..lives.len()).filter(|&at| lives[at].member == number).collect();
            let own =
                places.iter().map(|&at| (&lives[at].subject, Some((lives[at].first_ms, lives[at].last_ms))));
            let epochs = Epochs::of(&own.collect::<Vec<_>>());
            (places, epochs)
        };
        let members = (0..count).map(member).collect();
        Self { lives, members, step_ms, found }
    }

    /// Milliseconds before a part of the time that are needed as well: clocks of several members differ, and an
    /// interval that began earlier covers some of the first stretch.
    pub fn margin_ms(&self) -> i64 {
        let longest = self.lives.iter().map(|life| life.interval_ms).max().unwrap_or(0);
        if self.is_shared() { 2 * longest.max(i64::from(self.step_ms)) } else { 0 }
    }

    const fn is_shared(&self) -> bool {
        self.members.len() > 1
    }

    /// Whether a subject counts in an interval: while a disk is known, what lies on it does not count.
    fn counts(&self, place: usize, span: Span) -> bool {
        let (places, epochs) = &self.members[self.lives[place].member];
        epochs.counting(span).iter().any(|&at| places[at] == place)
    }

    /// How many count in an interval.
    fn counting(&self, span: Span) -> usize {
        self.members.iter().map(|(_, epochs)| epochs.counting(span).len()).sum()
    }

    /// Adds a period after the previous ones.
    pub fn add(&mut self, history: &History, (from_ms, to_ms): (i64, i64)) {
        let mut sums: BTreeMap<i64, Stretch> = BTreeMap::new();
        let hosts: BTreeSet<&str> = self.lives.iter().map(|life| life.host.as_str()).collect();
        for host in hosts {
            self.add_host(history, host, &mut sums);
        }
        let is_in = |start: i64| !self.is_shared() || (from_ms..to_ms).contains(&start);
        sums.retain(|start, _| is_in(*start));
        let length_ms = self.step_ms;
        for (start_ms, Stretch { flows: [reads, writes], known, members }) in sums {
            let span = Span { start_ms, length_ms };
            let alive = self.counting(span);
            let is_behind = self.found.rows.last().is_none_or(|last| last.span.end_ms() <= start_ms);
            if members.len() < self.members.len() {
                self.found.left_out += 1;
            } else if known >= alive.max(1) && is_behind {
                self.found.rows.push(Row { span, reads, writes });
                members.into_iter().for_each(|(member, ops)| self.found.member_ops[member] += ops);
            }
        }
        self.add_minutes(history, (from_ms, to_ms));
    }

    /// What the disks or databases of a host did.
    fn add_host(&mut self, history: &History, host: &str, sums: &mut BTreeMap<i64, Stretch>) {
        let own: Vec<(usize, &Life)> = (0..).zip(self.lives).filter(|(_, life)| life.host == host).collect();
        let length_ms = self.step_ms;
        let known = |(place, life): &(usize, &Life)| {
            let mut known = self.known(history, (host, &life.subject));
            known.retain(|&start_ms, _| self.counts(*place, Span { start_ms, length_ms }));
            known
        };
        let all: Vec<BTreeMap<i64, SubjectDeeds>> = own.iter().map(known).collect();
        let shares = shares_of_rest(&self.shares_of_host(history, host), &all);
        for (life, known) in
            own.iter().zip(&all).flat_map(|((_, life), all)| all.iter().map(move |one| (life, one)))
        {
            let (start, known) = known;
            let Some(flows) = self.flows(*known, shares.get(start).copied()) else { continue };
            let sum = sums.entry(*start).or_default();
            sum.flows.iter_mut().zip(flows).for_each(|(all, one)| all.add(one));
            sum.known += 1;
            *sum.members.entry(life.member).or_default() += known.ops;
        }
    }

    /// The result.
    pub fn finish(self) -> HistoryExcerpt {
        self.found
    }

    /// A metric by the start of each stretch.
    fn column(&self, history: &History, of: (&str, &Subject), metric: Metric) -> BTreeMap<i64, f64> {
        if self.is_shared() {
            let samples = history.series(of.0, of.1, metric).resampled(self.step_ms);
            return samples.iter().map(|sample| (sample.span.start_ms, sample.value)).collect();
        }
        let samples = coarse(history, of, metric, self.step_ms);
        samples.samples(metric).map(|sample| (sample.span.start_ms, sample.value)).collect()
    }

    /// The share of writes among the operations of the host as a whole, where a source reports it.
    fn shares_of_host(&self, history: &History, host: &str) -> BTreeMap<i64, f64> {
        let [reads, writes] = [Metric::ReadOps, Metric::WriteOps]
            .map(|metric| self.column(history, (host, &Subject::host()), metric));
        let share = |(at, reads): (i64, f64)| Some((at, share(reads, *writes.get(&at)?)?));
        reads.into_iter().filter_map(share).collect()
    }

    /// What is known about a subject in each stretch.
    fn known(&self, history: &History, of: (&str, &Subject)) -> BTreeMap<i64, SubjectDeeds> {
        let [reads, writes, all, read_bytes, written_bytes] =
            [Metric::ReadOps, Metric::WriteOps, Metric::AllOps, Metric::ReadBytes, Metric::WriteBytes]
                .map(|metric| self.column(history, of, metric));
        let known = |at: &i64| {
            let bytes = read_bytes.get(at).copied().zip(written_bytes.get(at).copied());
            let parted = reads.get(at).copied().zip(writes.get(at).copied());
            let ops = parted.map(|(reads, writes)| reads + writes).or(all.get(at).copied())?;
            // Of a direction without bytes there are no operations.
            let by_bytes = bytes.and_then(|(read, written)| share(read, written));
            let clear = by_bytes.filter(|share| *share <= 0.0 || *share >= 1.0).map(|share| share * ops);
            Some((*at, SubjectDeeds { ops, writes: parted.map(|parted| parted.1).or(clear), bytes }))
        };
        reads.keys().chain(all.keys()).filter_map(known).collect()
    }

    /// Reads and writes of a subject in a stretch, as far as they can be separated: like those of the host, if its
    /// share is given for other operations, otherwise by bytes.
    fn flows(&mut self, known: SubjectDeeds, of_rest: Option<f64>) -> Option<[Flow; 2]> {
        let SubjectDeeds { ops, writes, bytes } = known;
        let writes = match (writes, of_rest, bytes) {
            (Some(writes), ..) => writes,
            (None, Some(share), _) => {
                self.found.parted_as_host = true;
                ops * share
            }
            (None, None, Some((read, written))) => {
                self.found.unparted = true;
                ops * share(read, written).unwrap_or(0.0)
            }
            (None, None, None) => return None,
        };
        self.found.without_bytes |= bytes.is_none();
        let ops = (ops - writes, writes);
        let bytes = bytes.unwrap_or((ops.0 * UNKNOWN_BYTES, ops.1 * UNKNOWN_BYTES));
        Some([Flow { ops: ops.0, bytes: bytes.0 }, Flow { ops: ops.1, bytes: bytes.1 }])
    }

    /// The minutes in which every subject was examined at the same moments, often enough.
    fn add_minutes(&mut self, history: &History, (from_ms, to_ms): (i64, i64)) {
        let mut sums: BTreeMap<Span, (f64, usize)> = BTreeMap::new();
        for (place, life) in self.lives.iter().enumerate() {
            let fine = fine(history, (&life.host, &life.subject));
            for (span, ops) in fine.into_iter().filter(|(span, _)| self.counts(place, *span)) {
                let sum = sums.entry(span).or_default();
                *sum = (sum.0 + ops, sum.1 + 1);
            }
        }
        if self.is_shared() {
            sums.retain(|span, _| (from_ms..to_ms).contains(&span.start_ms));
        }
        // Of several members one that is unknown is no lower load.
        let are_all = |span: Span| self.members.iter().all(|(_, epochs)| !epochs.counting(span).is_empty());
        let whole: Vec<(Span, f64)> = sums
            .into_iter()
            .filter(|(span, sum)| are_all(*span) && sum.1 >= self.counting(*span))
            .map(|(span, sum)| (span, sum.0))
            .collect();
        let minute = |one: &(Span, f64)| one.0.start_ms.div_euclid(MINUTE_MS);
        self.found.minutes.extend(whole.chunk_by(|a, b| minute(a) == minute(b)).filter_map(Minute::of));
    }
}

/// What a subject is known to have done in a stretch.
#[derive(Clone, Copy, Debug)]
struct SubjectDeeds {
    /// Operations per second.
    ops: f64,
    /// Number of writes, if known.
    writes: Option<f64>,
    /// Bytes read and written per second.
    bytes: Option<(f64, f64)>,
}

/// The share of writes of those operations whose direction is not known, so all together have the share of the host.
fn shares_of_rest(of_host: &BTreeMap<i64, f64>, all: &[BTreeMap<i64, SubjectDeeds>]) -> BTreeMap<i64, f64> {
    let of_rest = |(at, share): (&i64, &f64)| {
        let (mut ops, mut writes, mut rest) = (0.0, 0.0, 0.0);
        for known in all.iter().filter_map(|one| one.get(at)) {
            ops += known.ops;
            writes += known.writes.unwrap_or(0.0);
            rest += if known.writes.is_none() { known.ops } else { 0.0 };
        }
        let share = if rest > 0.0 { (share * ops - writes) / rest } else { *share };
        (*at, share.clamp(0.0, 1.0))
    };
    of_host.iter().map(of_rest).collect()
}

/// The part of the second; none of nothing.
fn share(first: f64, second: f64) -> Option<f64> {
    (first + second > 0.0).then(|| second / (first + second))
}

/// A metric in stretches of `step_ms`, and only those.
fn coarse(history: &History, (host, subject): (&str, &Subject), metric: Metric, step_ms: u32) -> Table {
    let mut table = Table::default();
    for sample in history.series(host, subject, metric).samples {
        let _ = table.push(regular_span(sample.span, step_ms), &[(metric, sample.value)]);
    }
    let mut regular = Table::default();
    for sample in table.coarser(step_ms).samples(metric).filter(|sample| sample.span.length_ms == step_ms) {
        let _ = regular.push(sample.span, &[(metric, sample.value)]);
    }
    regular
}

/// The stretch that an interval means if it is 1 % longer or shorter: the times of tools vary.
fn regular_span(span: Span, step_ms: u32) -> Span {
    let step = i64::from(step_ms.max(1));
    if u64::from(span.length_ms.abs_diff(step_ms)) * 100 > u64::from(step_ms) {
        return span;
    }
    Span { start_ms: (span.start_ms + step / 2).div_euclid(step) * step, length_ms: step_ms }
}

/// All operations of a subject, in those intervals of its source that are short enough.
fn fine(history: &History, (host, subject): (&str, &Subject)) -> BTreeMap<Span, f64> {
    let series = |metric: Metric| -> BTreeMap<Span, f64> {
        let samples = history.series(host, subject, metric).samples.into_iter();
        let short = samples.filter(|sample| sample.span.length_ms <= MOST_BURST_MS);
        short.map(|sample| (sample.span, sample.value)).collect()
    };
    let (mut ops, writes) = (series(Metric::ReadOps), series(Metric::WriteOps));
    ops.retain(|span, value| {
        let more = writes.get(span);
        *value += more.copied().unwrap_or(0.0);
        more.is_some()
    });
    for (span, value) in series(Metric::AllOps) {
        // As in a file that told of all I/Os together before another parted them.
        let near = ops.range(..span).next_back().into_iter().chain(ops.range(span..).next());
        if near.into_iter().all(|(other, _)| !other.overlaps(span)) {
            ops.insert(span, value);
        }
    }
    ops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_wavers_is_a_stretch_and_others_are_what_they_are() {
        for (start_ms, length_ms, meant) in [
            (0, 600_000, (0, 600_000)),
            (1_803_000, 601_000, (1_800_000, 600_000)),
            (599_500, 599_000, (600_000, 600_000)),
            (1_800_000, 620_000, (1_800_000, 620_000)),
            (600_000, 60_000, (600_000, 60_000)),
        ] {
            let found = regular_span(Span { start_ms, length_ms }, 600_000);
            assert_eq!((found.start_ms, found.length_ms), meant);
        }
    }
}
