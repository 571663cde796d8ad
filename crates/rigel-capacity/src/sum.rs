//! Hosts and databases that share a storage, and the sum of what they ask of it, on one clock.
//!
//! A member is a host with its disks, or a database on a host of which no disk is known. An interval that one member has and another lacks is unknown, and
//! not smaller. Must not open a store, and must not forecast.

mod profile;
mod space;

#[cfg(test)]
mod tests;

pub use profile::usual_table;
pub use space::Space;

use super::history::History;
use super::key::{Key, Kind, Subject};
use super::layers::own_disks;
use super::metric::{Across, Metric};
use super::series::Sample;
use super::table::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Ways in which sources tell of a quantity, as metrics that add up to it; the first that is known counts.
pub type Ways<'a> = &'a [&'a [Metric]];
/// Operations per second.
pub const OPS: Ways<'static> = &[&[Metric::ReadOps, Metric::WriteOps], &[Metric::AllOps]];
/// Bytes per second.
pub const BYTES: Ways<'static> = &[&[Metric::ReadBytes, Metric::WriteBytes]];
/// Writes per second.
pub const WRITES: Ways<'static> = &[&[Metric::WriteOps]];
/// What of a key is load.
const LOAD: [Metric; 3] = [Metric::ReadOps, Metric::AllOps, Metric::ReadBytes];
/// Intervals of a sum are multiples of five minutes.
const BIN_MS: u32 = 300_000;

/// A host whose disks, or a database on it, have load on the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The host.
    pub host: String,
    /// Its disks, of which no one lies on another; or one database.
    pub subjects: Vec<Subject>,
    /// Where it comes from, if it is none of the store: the file of a what-if.
    pub file: Option<String>,
}

/// All whose load is that of one storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    hosts: Vec<String>,
    /// What the hosts of files are called in the history.
    guests: Vec<String>,
    all: Vec<Member>,
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

/// Whether metrics hold some of the load.
pub fn is_load(metrics: impl IntoIterator<Item = Metric>) -> bool {
    metrics.into_iter().any(|metric| LOAD.contains(&metric))
}

impl Members {
    /// Those among keys, each with whether it has load: of each host its disks, or its databases where it has none. Hosts keep their order.
    pub fn of<'a>(keys: impl Iterator<Item = (&'a Key, bool)>, hosts: &[String]) -> Self {
        let keys: Vec<(&Key, bool)> = keys.collect();
        let mut all = Vec::new();
        for host in hosts {
            let own = |kind: Kind, any: bool| {
                let own = keys
                    .iter()
                    .filter(|(key, has)| key.host == *host && key.subject.kind == kind && (any || *has));
                Subject::distinct(own.map(|(key, _)| &key.subject))
            };
            let member = |subjects| Member { host: host.clone(), subjects, file: None };
            let disks = own_disks(own(Kind::Disk, true));
            if disks.is_empty() {
                all.extend(own(Kind::Database, false).into_iter().map(|one| member(vec![one])));
            } else {
                all.push(member(disks));
            }
        }
        Self { hosts: hosts.to_vec(), guests: Vec::new(), all }
    }

    /// Those of a history.
    pub fn of_history(history: &History, hosts: &[String]) -> Self {
        Self::of(history.tables().map(|(key, table)| (key, is_load(table.metrics()))), hosts)
    }

    /// One host of a history.
    pub fn of_host(history: &History, host: &str) -> Self {
        Self::of_history(history, &[host.to_owned()])
    }

    /// With those of a file that is none of the store; its hosts have names of their own in the history.
    pub fn extend(&mut self, others: Self, file: &str) {
        let named = |member: Member| Member { file: Some(file.to_owned()), ..member };
        self.guests.extend(others.hosts);
        self.all.extend(others.all.into_iter().map(named));
    }

    /// The members.
    pub fn all(&self) -> &[Member] {
        &self.all
    }

    /// The hosts of the store, in order.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// What the hosts of files are called in the history.
    pub fn guests(&self) -> &[String] {
        &self.guests
    }

    /// Every disk and database, with its host.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &Subject)> {
        self.all.iter().flat_map(|one| one.subjects.iter().map(|subject| (one.host.as_str(), subject)))
    }

    /// The interval of the sum: the longest usual one of a member, as shorter ones are joined to it.
    pub fn step_ms(&self, history: &History) -> u32 {
        let usual = |(host, subject): (&str, &Subject)| {
            let metric = history.metrics(host, subject).into_iter().find(|metric| LOAD.contains(metric))?;
            let samples = history.series(host, subject, metric).samples;
            let mut lengths: Vec<u32> = samples.iter().map(|one| one.span.length_ms).collect();
            lengths.sort_unstable();
            lengths.get(lengths.len() / 2).copied()
        };
        let longest = self.parts().filter_map(usual).max().unwrap_or(0);
        longest.div_ceil(BIN_MS).max(1).saturating_mul(BIN_MS)
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
            }
        }
        Sum::of(&flows, &any, ways)
    }

    /// What a member did: of each of its disks in the first way that is known of it.
    fn flow(&self, member: &Member, history: &History, ways: Ways<'_>, step_ms: u32) -> Flow {
        let mut by_way: BTreeMap<usize, Vec<Subject>> = BTreeMap::new();
        for subject in &member.subjects {
            let has = |metric: &Metric| history.metrics(&member.host, subject).contains(metric);
            if let Some(way) = ways.iter().position(|way| way.iter().all(has)) {
                by_way.entry(way).or_default().push(subject.clone());
            }
        }
        let parts = by_way
            .into_iter()
            .map(|(way, subjects)| self.flow_of((&member.host, &subjects), history, ways[way], step_ms));
        parts.reduce(sum_of_flows).unwrap_or_default()
    }

    /// What some disks of a host did, of which the same is known.
    fn flow_of(
        &self,
        (host, subjects): (&str, &[Subject]),
        history: &History,
        metrics: &[Metric],
        step_ms: u32,
    ) -> Flow {
        let column = |metric: Metric| -> Flow {
            let series = match (self.all.as_slice(), subjects) {
                // Of one database the intervals are as they are told.
                ([_], [only]) if only.kind == Kind::Database => history.series(host, only, metric),
                (_, subjects) => history.total_of(host, subjects, metric, step_ms),
            };
            series.samples.into_iter().map(|sample| (sample.span, sample.value)).collect()
        };
        metrics.iter().map(|metric| column(*metric)).reduce(sum_of_flows).unwrap_or_default()
    }
}

impl Sum {
    fn of(flows: &[Flow], any: &BTreeSet<Span>, ways: Ways<'_>) -> Self {
        let across = ways.iter().copied().flatten().next().map_or(Across::Add, |metric| metric.across());
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

    /// The share of the time that some members have, and is left out because others lack it.
    pub fn left_out(&self) -> f64 {
        self.share(self.left_out_ms)
    }

    /// What each member lacks of the time that any has.
    pub fn lacking(&self) -> Vec<f64> {
        self.lacking_ms.iter().map(|&lacking| self.share(lacking)).collect()
    }

    fn share(&self, part_ms: i64) -> f64 {
        let covered: i64 = self.samples.iter().map(|sample| i64::from(sample.span.length_ms)).sum();
        let all = covered + self.left_out_ms;
        let number = |ms: i64| rigel_core::units::to_f64(ms.max(0).unsigned_abs());
        if all > 0 { number(part_ms) / number(all) } else { 0.0 }
    }

    /// What each host of the members has of the sum, in their order.
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
