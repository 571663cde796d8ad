//! What hosts demanded of their storage, by day, from a history.
//!
//! Rates are those of all disks together, or of the databases of a host without a disk. Must not forecast.

use super::super::forecast::{BIN_S, DAY_S, Daily, Kind as Figure, Reading};
use super::super::sum::{BYTES, LateHost, Members, OPS, Space, Sum, WRITES};
use super::super::{History, MS_PER_S, Metric, Sample, Subject};
use super::{Resource, WhatIf};
use rigel_core::units::MIB;

/// Milliseconds of a minute.
pub const MINUTE_MS: u32 = 60_000;

/// What was requested.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// By resource; only those that the history has.
    pub daily: Vec<(Resource, Daily)>,
    /// Bytes of the filesystem, by its last sample.
    pub size_bytes: Option<f64>,
    /// Databases whose space is added up.
    pub databases: usize,
    /// Share of writes in the I/Os, if a source separates them: that of the disks, otherwise that of the host as a whole.
    pub write_share: Option<f64>,
    /// Mean size of an I/O.
    pub io_bytes: Option<f64>,
    /// The disks, or the databases, whose rates these are.
    pub subjects: Vec<Subject>,
    /// The most operations per second in an interval of five minutes or more, as the levels of a day are made of.
    pub peak: Option<Peak>,
    /// The share of each host, or file of a what-if, in the operations (otherwise in the bytes).
    pub shares: Vec<(String, f64)>,
    /// The share of the time of any member that is left out, because another one is unknown there.
    pub left_out: f64,
    /// What each member lacks of it.
    pub lacking: Vec<(String, f64)>,
    /// Hosts that are known later than others.
    pub late: Vec<LateHost>,
}

/// The busiest interval of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Its local day, since 1970.
    pub day: i64,
    /// Its length.
    pub seconds: u32,
    /// Operations per second.
    pub ops: f64,
}

impl Demand {
    /// Of members under a what-if; local time is `offset_s` ahead of UTC.
    pub fn of(history: &History, members: &Members, what_if: &WhatIf, offset_s: i64) -> Self {
        let step_ms = members.step_ms(history);
        let times = what_if.times();
        let [of_ops, of_bytes, of_writes] =
            [OPS, BYTES, WRITES].map(|ways| members.sum(history, ways, step_ms));
        let ops = readings(&of_ops.samples, times);
        let bytes = readings(&of_bytes.samples, times);
        let mega = |one: &Reading| Reading { value: one.value / MIB as f64, ..*one };
        let mbps: Vec<Reading> = bytes.iter().map(mega).collect();
        let mut daily = Vec::new();
        for (resource, readings) in [(Resource::Iops, &ops), (Resource::Mbps, &mbps)] {
            if !readings.is_empty() {
                daily.push((resource, Daily::of(readings, offset_s, Figure::Rate)));
            }
        }
        let of_disks = of_writes.means_with(&of_ops);
        let long = ops.iter().filter(|one| 10 * i64::from(one.seconds) >= 9 * BIN_S);
        let space = Space::of(history, members);
        if let Some(space) = &space {
            daily.push((Resource::Space, Daily::of(&readings(&space.used, 1.0), offset_s, Figure::Amount)));
        }
        let told = if of_ops.samples.is_empty() { &of_bytes } else { &of_ops };
        Self {
            daily,
            size_bytes: space.as_ref().and_then(|space| space.size_bytes),
            databases: space.map_or(0, |space| space.databases),
            write_share: of_disks.or_else(|| of_host(history, members)).and_then(share),
            io_bytes: of_bytes.means_with(&of_ops).and_then(share),
            peak: long.max_by(|one, other| one.value.total_cmp(&other.value)).map(|most| Peak {
                day: (most.from_s + offset_s).div_euclid(DAY_S),
                seconds: most.seconds,
                ops: most.value,
            }),
            shares: told.shares(members),
            left_out: told.left_out(),
            lacking: lacking(told, members),
            late: members.late(),
            subjects: members.parts().map(|(_, subject)| subject.clone()).collect(),
        }
    }

    /// Demand for a resource in intervals of a minute, or of the history's own length if that is longer.
    pub fn by_minute(
        history: &History,
        members: &Members,
        resource: Resource,
        what_if: &WhatIf,
    ) -> Vec<Reading> {
        let ways = if resource == Resource::Mbps { BYTES } else { OPS };
        let sum = members.sum(history, ways, members.step_of_bins(history, MINUTE_MS));
        let scale = if resource == Resource::Mbps { 1.0 / MIB as f64 } else { 1.0 };
        readings(&sum.samples, what_if.times() * scale)
    }

    /// The load of each remaining host once that of the removed hosts has moved to it: as a share of all, and as a
    /// multiple of its load now. The load of a file belongs to none of them.
    pub fn moved(&self, what_if: &WhatIf) -> Vec<(String, f64, f64)> {
        let WhatIf { without, files, .. } = what_if;
        let of_hosts = || self.shares.iter().filter(|one| !files.contains(&one.0));
        let stay = || of_hosts().filter(|one| !without.contains(&one.0));
        let [all, stays] = [of_hosts().map(|one| one.1).sum::<f64>(), stay().map(|one| one.1).sum::<f64>()];
        let moved = |(host, share): &(String, f64)| (host.clone(), share / stays * all, all / stays);
        stay().filter(|_| stays > 0.0).map(moved).collect()
    }
}

/// What is unknown of each member.
fn lacking(sum: &Sum, members: &Members) -> Vec<(String, f64)> {
    let name = |(member, share): (&super::super::Member, f64)| {
        let is_host = members.all().iter().filter(|other| other.host == member.host).count() == 1;
        (if is_host { member.host.clone() } else { member.name() }, share)
    };
    members.all().iter().zip(sum.lacking()).map(name).filter(|one| one.1 > 0.0).collect()
}

fn share((part, all): (f64, f64)) -> Option<f64> {
    (all > 0.0).then(|| part / all)
}

/// Writes and all I/Os per second of the only host as a whole.
fn of_host(history: &History, members: &Members) -> Option<(f64, f64)> {
    let [host] = members.hosts() else { return None };
    let [reads, writes] = [Metric::ReadOps, Metric::WriteOps]
        .map(|metric| mean(&readings(&history.series(host, &Subject::host(), metric).samples, 1.0)));
    Some((writes?, reads? + writes?))
}

fn mean(readings: &[Reading]) -> Option<f64> {
    let seconds: f64 = readings.iter().map(|one| f64::from(one.seconds)).sum();
    let sum: f64 = readings.iter().map(|one| one.value * f64::from(one.seconds)).sum();
    (seconds > 0.0).then(|| sum / seconds)
}

fn readings(samples: &[Sample], times: f64) -> Vec<Reading> {
    let reading = |sample: &Sample| Reading {
        from_s: sample.span.start_ms.div_euclid(MS_PER_S),
        seconds: sample.span.length_ms.div_ceil(1000),
        value: sample.value * times,
    };
    samples.iter().map(reading).collect()
}
