//! Hosts and databases that share a storage, and the sum of their demands, on one clock.
//!
//! A member is a host with its disks, or a database on a host without a known disk. Which part of it counts, and in which way it is reported, is
//! chosen for each interval. One that a member has and another lacks is unknown, and not smaller. Must not open a store, and must not forecast.

mod member;
mod profile;
mod space;
mod twin;

#[cfg(test)]
mod tests;

pub use member::{Handover, Member, Part};
pub use profile::usual_table;
pub use space::Space;
pub use twin::is_same_load;

use super::DAY_MS;
use super::epochs::Lifetime;
use super::history::History;
use super::key::{Key, Subject};
use super::metric::{Across, Metric};
use super::series::Sample;
use super::span::Span;
use super::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Ways in which sources report on a quantity, as metrics that add up to it; the first that is known counts.
pub type Ways<'a> = &'a [&'a [Metric]];
/// Operations per second.
pub const OPS: Ways<'static> = &[&[Metric::ReadOps, Metric::WriteOps], &[Metric::AllOps]];
/// Bytes per second.
pub const BYTES: Ways<'static> = &[&[Metric::ReadBytes, Metric::WriteBytes]];
/// Writes per second.
pub const WRITES: Ways<'static> = &[&[Metric::WriteOps]];
/// The columns of a key that are load.
const LOAD: [Metric; 3] = [Metric::ReadOps, Metric::AllOps, Metric::ReadBytes];
/// Intervals of a sum are multiples of five minutes.
const BIN_MS: u32 = 300_000;

/// All members whose load is that of one storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    hosts: Vec<String>,
    /// Names that the hosts of files have in the history.
    guests: Vec<String>,
    all: Vec<Member>,
    /// All databases of the store are the same one, whatever numbers it had.
    is_one_database: bool,
    /// Hosts that had no load before their first one that is known.
    joined: Vec<String>,
}

/// A host whose load is known from a later day on than that of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateHost {
    /// The host.
    pub host: String,
    /// Milliseconds of the epoch.
    pub from_ms: i64,
    /// It did not exist before, and counts as 0 until then.
    pub is_joined: bool,
}

/// A flow of all members together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The intervals that all members have.
    pub samples: Vec<Sample>,
    /// The mean of each member in these.
    pub means: Vec<f64>,
    /// Milliseconds that each member lacks of those that any other has.
    pub lacking_ms: Vec<i64>,
    /// Milliseconds that some members have and others lack.
    pub left_out_ms: i64,
}

/// The values of a member by interval.
type Flow = BTreeMap<Span, f64>;

/// The sum of two in the intervals that both have.
fn sum_of_flows(one: Flow, other: Flow) -> Flow {
    let both = |(span, value): (Span, f64)| Some((span, value + other.get(&span)?));
    one.into_iter().filter_map(both).collect()
}

/// Nothing in the intervals before the first one that is known.
fn fill_before(flow: &mut Flow, any: &BTreeSet<Span>) {
    let Some(first_ms) = flow.keys().map(|span| span.start_ms).min() else { return };
    flow.extend(any.iter().filter(|span| span.end_ms() <= first_ms).map(|span| (*span, 0.0)));
}

/// Whether metrics hold some of the load.
pub fn is_load(metrics: impl IntoIterator<Item = Metric>) -> bool {
    metrics.into_iter().any(|metric| LOAD.contains(&metric))
}

/// The period in which a table has load.
pub fn lifetime(table: &Table) -> Option<Lifetime> {
    let of = |metric: Metric| {
        let mut spans = table.samples(metric).map(|sample| sample.span);
        let first = spans.next()?;
        Some((first.start_ms, spans.last().unwrap_or(first).end_ms()))
    };
    LOAD.into_iter().filter_map(of).reduce(super::epochs::joined)
}

impl Members {
    /// The members among keys, each with the lifetime of its load: for each host its disks, or its databases while no
    /// disk is known. Hosts keep their order.
    pub fn of<'a>(keys: impl Iterator<Item = (&'a Key, Option<Lifetime>)>, hosts: &[String]) -> Self {
        let all = member::members(keys, hosts, false);
        Self { hosts: hosts.to_vec(), all, ..Self::default() }
    }

    /// The same for one database that had several numbers (DBID) over time.
    pub fn of_one_database<'a>(
        keys: impl Iterator<Item = (&'a Key, Option<Lifetime>)>,
        hosts: &[String],
    ) -> Self {
        let all = member::members(keys, hosts, true);
        Self { hosts: hosts.to_vec(), all, is_one_database: true, ..Self::default() }
    }

    /// The members of a history.
    pub fn of_history(history: &History, hosts: &[String]) -> Self {
        Self::of(history.tables().map(|(key, table)| (key, lifetime(table))), hosts)
    }

    /// One host of a history.
    pub fn of_host(history: &History, host: &str) -> Self {
        Self::of_history(history, &[host.to_owned()])
    }

    /// With hosts that did not exist before their first load, so that it was 0.
    pub fn with_joined(self, hosts: &[String]) -> Self {
        Self { joined: hosts.to_vec(), ..self }
    }

    /// The hosts of the store that are known at least a day later than the first one.
    pub fn late(&self) -> Vec<LateHost> {
        let mut begins: BTreeMap<&String, i64> = BTreeMap::new();
        for member in self.all.iter().filter(|member| member.file.is_none()) {
            for (first_ms, _) in member.parts().iter().filter_map(|part| part.life) {
                begins.entry(&member.host).and_modify(|ms| *ms = first_ms.min(*ms)).or_insert(first_ms);
            }
        }
        let Some(earliest_ms) = begins.values().min().copied() else { return Vec::new() };
        let late = begins.into_iter().filter(|(_, from_ms)| *from_ms >= earliest_ms.saturating_add(DAY_MS));
        late.map(|(host, from_ms)| LateHost {
            host: host.clone(),
            from_ms,
            is_joined: self.joined.contains(host),
        })
        .collect()
    }

    /// Adds a file that is not in the store; its hosts have names of their own in the history.
    pub fn extend(&mut self, others: Self, file: &str) {
        self.guests.extend(others.hosts);
        self.all.extend(others.all.into_iter().map(|member| member.of_file(file)));
    }

    /// The members.
    pub fn all(&self) -> &[Member] {
        &self.all
    }

    /// The hosts of the store, in order.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Names that the hosts of files have in the history.
    pub fn guests(&self) -> &[String] {
        &self.guests
    }

    /// Times at which everything that counts of a member is replaced, in time order.
    pub fn handovers(&self) -> Vec<Handover> {
        let mut all: Vec<Handover> = self.all.iter().flat_map(Member::handovers).collect();
        all.sort_by_key(|one| one.at_ms);
        all
    }

    /// Every disk and database, with its host.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &Subject)> {
        self.all.iter().flat_map(Member::parts).map(|part| (part.host.as_str(), &part.subject))
    }

    /// The interval of the sum: the longest usual one of a member, as shorter ones are joined to it, in whole bins of five minutes.
    pub fn step_ms(&self, history: &History) -> u32 {
        self.step_of_bins(history, BIN_MS)
    }

    /// The same in whole bins of another length, where the length of a peak matters.
    pub fn step_of_bins(&self, history: &History, bin_ms: u32) -> u32 {
        let longest = self.all.iter().filter_map(|member| usual_ms(member, history)).max().unwrap_or(0);
        longest.div_ceil(bin_ms).max(1).saturating_mul(bin_ms)
    }

    /// A quantity of all members together, in intervals of `step_ms`; nothing if a member has nothing of it. What a file lacks of the time of the
    /// others is its usual week.
    pub fn sum(&self, history: &History, ways: Ways<'_>, step_ms: u32) -> Sum {
        let mut flows: Vec<Flow> =
            self.all.iter().map(|one| self.flow(one, history, ways, step_ms)).collect();
        if flows.is_empty() || flows.iter().any(BTreeMap::is_empty) {
            return Sum::default();
        }
        let has_store = self.all.iter().any(|member| member.file.is_none());
        let is_extra = |member: &Member| has_store && member.file.is_some();
        let own = self.all.iter().zip(&flows).filter(|(member, _)| !is_extra(member));
        let any: BTreeSet<Span> = own.flat_map(|(_, flow)| flow.keys().copied()).collect();
        for (member, flow) in self.all.iter().zip(&mut flows) {
            if is_extra(member) {
                *flow = profile::filled(flow, &any);
            } else if self.joined.contains(&member.host) {
                fill_before(flow, &any);
            }
        }
        Sum::of(&flows, &any, ways)
    }

    /// What a member did in the intervals in which all that counts is known.
    fn flow(&self, member: &Member, history: &History, ways: Ways<'_>, step_ms: u32) -> Flow {
        // Of one database the intervals are as they are told.
        let step_ms = if self.all.len() == 1 && member.is_one_database() { None } else { Some(step_ms) };
        let across = across(ways);
        let mut sums: BTreeMap<Span, (f64, usize)> = BTreeMap::new();
        for (at, part) in member.parts().iter().enumerate() {
            for (span, value) in flow_of(part, history, ways, step_ms) {
                if member.counting(span).binary_search(&at).is_ok() {
                    let sum = sums.entry(span).or_default();
                    *sum = (across.of(sum.0, value), sum.1 + 1);
                }
            }
        }
        let is_whole = |(span, (_, known)): &(Span, (f64, usize))| *known == member.counting(*span).len();
        sums.into_iter().filter(is_whole).map(|(span, (value, _))| (span, value)).collect()
    }
}

/// What a disk or database did, in each interval from the first source that is known there.
fn flow_of(part: &Part, history: &History, ways: Ways<'_>, step_ms: Option<u32>) -> Flow {
    let column = |metric: &Metric| -> Flow {
        let series = history.series(&part.host, &part.subject, *metric);
        let samples = match step_ms {
            Some(step_ms) => series.resampled(step_ms),
            None => series.samples,
        };
        samples.into_iter().map(|sample| (sample.span, sample.value)).collect()
    };
    let mut all = Flow::new();
    for way in ways {
        let known = way.iter().map(column).reduce(sum_of_flows).unwrap_or_default();
        if all.is_empty() {
            all = known;
            continue;
        }
        for (span, value) in known {
            all.entry(span).or_insert(value);
        }
    }
    all
}

/// The usual interval of what a member has most of the time: half of what is known about a part is in intervals of at most that length.
fn usual_ms(member: &Member, history: &History) -> Option<u32> {
    let usual = |part: &Part| {
        let of = |metric: Metric| history.series(&part.host, &part.subject, metric).samples;
        let mut spans: Vec<Span> = LOAD.into_iter().flat_map(of).map(|sample| sample.span).collect();
        spans.sort_unstable();
        spans.dedup();
        let mut lengths: Vec<u32> = spans.iter().map(|span| span.length_ms).collect();
        lengths.sort_unstable();
        let covered: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let mut passed = 0;
        let is_half = |length: &&u32| {
            passed += u64::from(**length);
            2 * passed >= covered
        };
        Some((lengths.iter().find(is_half).copied()?, covered))
    };
    let all: Vec<(u32, u64)> = member.parts().iter().filter_map(usual).collect();
    let most = all.iter().map(|one| one.1).max()?;
    // What is known for a short time gives no other clock to the rest.
    all.into_iter().filter(|(_, covered)| 2 * covered >= most).map(|one| one.0).max()
}

/// How a quantity is merged across disks and members.
fn across(ways: Ways<'_>) -> Across {
    ways.iter().copied().flatten().next().map_or(Across::Add, |metric| metric.across())
}

impl Sum {
    fn of(flows: &[Flow], any: &BTreeSet<Span>, ways: Ways<'_>) -> Self {
        let across = across(ways);
        let count = flows.len();
        let mut sum = Self { means: vec![0.0; count], lacking_ms: vec![0; count], ..Self::default() };
        let mut covered = 0.0;
        for span in any {
            let values: Vec<Option<f64>> = flows.iter().map(|flow| flow.get(span).copied()).collect();
            let length = i64::from(span.length_ms);
            for (lacking, _) in sum.lacking_ms.iter_mut().zip(&values).filter(|(_, value)| value.is_none()) {
                *lacking += length;
            }
            let Some(values) = values.into_iter().collect::<Option<Vec<f64>>>() else {
                sum.left_out_ms += length;
                continue;
            };
            let weight = f64::from(span.length_ms);
            covered += weight;
            sum.means.iter_mut().zip(&values).for_each(|(mean, value)| *mean += value * weight);
            let all = values.into_iter().reduce(|one, other| across.of(one, other)).unwrap_or(0.0);
            sum.samples.push(Sample { span: *span, value: all });
        }
        sum.means.iter_mut().for_each(|mean| *mean /= f64::max(covered, 1.0));
        sum
    }

    /// The means of this and another sum in the intervals that both have, for a quantity that is one over the other.
    pub fn means_with(&self, other: &Self) -> Option<(f64, f64)> {
        let values: Flow = other.samples.iter().map(|one| (one.span, one.value)).collect();
        let (mut sums, mut covered) = ((0.0, 0.0), 0.0);
        for sample in &self.samples {
            let Some(value) = values.get(&sample.span) else { continue };
            let weight = f64::from(sample.span.length_ms);
            sums = (sums.0 + sample.value * weight, sums.1 + value * weight);
            covered += weight;
        }
        (covered > 0.0).then(|| (sums.0 / covered, sums.1 / covered))
    }

    /// The share of the time that some members have, and is left out because others lack it.
    pub fn left_out(&self) -> f64 {
        self.share(self.left_out_ms)
    }

    /// The time that is known of some member but not of this one.
    pub fn lacking(&self) -> Vec<f64> {
        self.lacking_ms.iter().map(|&lacking| self.share(lacking)).collect()
    }

    fn share(&self, part_ms: i64) -> f64 {
        let covered: i64 = self.samples.iter().map(|sample| i64::from(sample.span.length_ms)).sum();
        let all = covered + self.left_out_ms;
        let number = |ms: i64| rigel_core::units::to_f64(ms.max(0).unsigned_abs());
        if all > 0 { number(part_ms) / number(all) } else { 0.0 }
    }

    /// The share of each host in the sum, in their order.
    pub fn shares(&self, members: &Members) -> Vec<(String, f64)> {
        let all: f64 = self.means.iter().sum();
        let mut shares: Vec<(String, f64)> = Vec::new();
        for (member, mean) in members.all.iter().zip(&self.means).filter(|_| all > 0.0) {
            let name = member.file.as_ref().unwrap_or(&member.host);
            match shares.iter_mut().find(|(known, _)| known == name) {
                Some((_, share)) => *share += mean / all,
                None => shares.push((name.clone(), mean / all)),
            }
        }
        shares
    }
}
