//! What a host asked its storage for, by day, out of a history.
//!
//! Rates are those of all disks of the history together, or of its database where there is no disk. Must not forecast.

use super::super::forecast::{BIN_S, DAY_S, Daily, Kind as Figure, Reading};
use super::super::{History, Kind, MS_PER_S, Metric, Series, Subject};
use super::Resource;
use rigel_core::units::MIB;

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// By resource; only those that the history has.
    pub daily: Vec<(Resource, Daily)>,
    /// Bytes of the filesystem, by its last sample.
    pub size_bytes: Option<f64>,
    /// The filesystem or database whose space it is, that with the largest share in use.
    pub space_of: Option<Subject>,
    /// Share of writes of the I/Os, where a source parts them: those of the disks, else those of the host as a whole.
    pub write_share: Option<f64>,
    /// Mean size of an I/O.
    pub io_bytes: Option<f64>,
    /// The disks, or the database, whose rates these are.
    pub subjects: Vec<Subject>,
    /// The most operations per second in an interval of five minutes or more, as the levels of a day are made of.
    pub peak: Option<Peak>,
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
    /// Of a host; local time is `offset_s` ahead of UTC.
    pub fn of(history: &History, host: &str, offset_s: i64) -> Self {
        let rates = Rates::of(history, host);
        let ops = rates.sum(&[Metric::ReadOps, Metric::WriteOps]);
        let ops = if ops.is_empty() { rates.sum(&[Metric::AllOps]) } else { ops };
        let bytes = rates.sum(&[Metric::ReadBytes, Metric::WriteBytes]);
        let mega = |one: &Reading| Reading { value: one.value / MIB as f64, ..*one };
        let mbps: Vec<Reading> = bytes.iter().map(mega).collect();
        let mut daily = Vec::new();
        for (resource, readings) in [(Resource::Iops, &ops), (Resource::Mbps, &mbps)] {
            if !readings.is_empty() {
                daily.push((resource, Daily::of(readings, offset_s, Figure::Rate)));
            }
        }
        let (mean_ops, mean_bytes) = (mean(&ops), mean(&bytes));
        let of_disks = mean(&rates.sum(&[Metric::WriteOps])).zip(mean_ops);
        let long = ops.iter().filter(|one| 10 * i64::from(one.seconds) >= 9 * BIN_S);
        let space = fullest(history, host);
        if let Some((_, used, _)) = &space {
            daily.push((Resource::Space, Daily::of(&readings(used), offset_s, Figure::Amount)));
        }
        Self {
            daily,
            size_bytes: space.as_ref().and_then(|space| space.2),
            space_of: space.map(|space| space.0),
            write_share: of_disks.or_else(|| of_host(history, host)).and_then(share),
            io_bytes: mean_bytes.zip(mean_ops).and_then(share),
            peak: long.max_by(|one, other| one.value.total_cmp(&other.value)).map(|most| Peak {
                day: (most.from_s + offset_s).div_euclid(DAY_S),
                seconds: most.seconds,
                ops: most.value,
            }),
            subjects: rates.subjects,
        }
    }
}

fn share((part, all): (f64, f64)) -> Option<f64> {
    (all > 0.0).then(|| part / all)
}

/// Writes and all I/Os per second of a host as a whole.
fn of_host(history: &History, host: &str) -> Option<(f64, f64)> {
    let [reads, writes] = [Metric::ReadOps, Metric::WriteOps]
        .map(|metric| mean(&readings(&history.series(host, &Subject::host(), metric))));
    Some((writes?, reads? + writes?))
}

fn mean(readings: &[Reading]) -> Option<f64> {
    let seconds: f64 = readings.iter().map(|one| f64::from(one.seconds)).sum();
    let sum: f64 = readings.iter().map(|one| one.value * f64::from(one.seconds)).sum();
    (seconds > 0.0).then(|| sum / seconds)
}

fn readings(series: &Series) -> Vec<Reading> {
    let reading = |sample: &super::super::Sample| Reading {
        from_s: sample.span.start_ms.div_euclid(MS_PER_S),
        seconds: sample.span.length_ms.div_ceil(1000),
        value: sample.value,
    };
    series.samples.iter().map(reading).collect()
}

/// The rates of some subjects together, in intervals that all of them have.
struct Rates<'a> {
    history: &'a History,
    host: &'a str,
    subjects: Vec<Subject>,
    step_ms: u32,
}

impl<'a> Rates<'a> {
    fn of(history: &'a History, host: &'a str) -> Self {
        let disks = history.subjects(host, Kind::Disk);
        let subjects = if disks.is_empty() { history.subjects(host, Kind::Database) } else { disks };
        // The longest usual interval of a subject: shorter ones of others are joined to it.
        let usual = |subject: &Subject| {
            let metrics = history.metrics(host, subject);
            let metric = metrics.into_iter().find(|metric| is_rate(*metric))?;
            let mut lengths: Vec<u32> =
                history.series(host, subject, metric).samples.iter().map(|one| one.span.length_ms).collect();
            lengths.sort_unstable();
            lengths.get(lengths.len() / 2).copied()
        };
        let longest = subjects.iter().filter_map(usual).max().unwrap_or(0);
        let bin_ms = u32::try_from(BIN_S * MS_PER_S).unwrap_or(u32::MAX);
        Self { history, host, subjects, step_ms: longest.div_ceil(bin_ms).max(1).saturating_mul(bin_ms) }
    }

    /// The sum of metrics; nothing where one of them is missing.
    fn sum(&self, metrics: &[Metric]) -> Vec<Reading> {
        let mut all: Vec<Vec<Reading>> =
            metrics.iter().map(|metric| readings(&self.total(*metric))).collect();
        let Some(mut sum) = all.pop() else { return Vec::new() };
        for other in all {
            let value = |one: &Reading| {
                let at = other.binary_search_by_key(&one.from_s, |other| other.from_s).ok()?;
                Some(Reading { value: one.value + other[at].value, ..*one })
            };
            sum = sum.iter().filter_map(value).collect();
        }
        sum
    }

    fn total(&self, metric: Metric) -> Series {
        match self.subjects.as_slice() {
            [only] if only.kind == Kind::Database => self.history.series(self.host, only, metric),
            _ => self.history.total(self.host, metric, self.step_ms),
        }
    }
}

const fn is_rate(metric: Metric) -> bool {
    matches!(metric, Metric::ReadOps | Metric::AllOps | Metric::ReadBytes)
}

/// Of all filesystems the one with the largest share in use; of databases the largest.
fn fullest(history: &History, host: &str) -> Option<(Subject, Series, Option<f64>)> {
    let filesystems = history.subjects(host, Kind::Filesystem);
    let subjects = if filesystems.is_empty() { history.subjects(host, Kind::Database) } else { filesystems };
    let found = |subject: Subject| {
        let used = history.series(host, &subject, Metric::UsedBytes);
        let last = used.samples.last()?.value;
        let size = history.series(host, &subject, Metric::SizeBytes).samples.last().map(|last| last.value);
        Some((size.map_or(last / f64::MAX, |size| last / size), (subject, used, size)))
    };
    let all = subjects.into_iter().filter_map(found);
    all.max_by(|one, other| one.0.total_cmp(&other.0)).map(|found| found.1)
}
