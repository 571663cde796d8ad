//! Space of a shared storage: the fullest filesystem, because it fills up first; or the sum of databases, each counted once, whichever instance
//! reports it.
//!
//! Must not add what two sources report about the same data.

use super::{Members, Metric};
use crate::history::History;
use crate::key::{Key, Kind, Subject};
use crate::series::{Sample, Series};
use crate::table::Table;
use crate::{DAY_MS, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Space in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    /// Bytes in use; days of several databases.
    pub used: Vec<Sample>,
    /// Total size in bytes, if a filesystem reports it.
    pub size_bytes: Option<f64>,
    /// Databases whose space is added up.
    pub databases: usize,
}

/// A database: by its number, or by its name on a host.
type DatabaseKey<'a> = (&'a str, &'a str);

impl Space {
    /// For the hosts of members; `None` if no source reports it.
    pub fn of(history: &History, members: &Members) -> Option<Self> {
        let filesystems = members.hosts().iter().filter_map(|host| fullest(history, host));
        let fullest = filesystems.max_by(|one, other| one.0.total_cmp(&other.0)).map(|found| found.1);
        let mut space = match fullest {
            Some(space) => space,
            None => Self::of_databases(history, members, false)?,
        };
        // What a file brings comes to it, as long ago as its last figure may be.
        let brought = Self::of_databases(history, members, true).map(|of| of.used).unwrap_or_default();
        if !brought.is_empty() {
            for sample in &mut space.used {
                let at = brought.partition_point(|other| other.span.end_ms() <= sample.span.end_ms());
                sample.value += brought[at.saturating_sub(1)].value;
            }
        }
        Some(space)
    }

    /// The databases of the store, or those of files.
    fn of_databases(history: &History, members: &Members, of_files: bool) -> Option<Self> {
        let hosts = if of_files { members.guests() } else { members.hosts() };
        let is_one = |key: &Key| hosts.contains(&key.host) && key.subject.kind == Kind::Database;
        let all: Vec<(&Key, &Table)> =
            history.tables().filter(|(key, table)| is_one(key) && has_space(table)).collect();
        let mut databases: BTreeMap<DatabaseKey<'_>, Vec<(&Key, &Table)>> = BTreeMap::new();
        for (key, table) in &all {
            let name = if members.is_one_database && !of_files { Some(("", "")) } else { name(key, &all) };
            if let Some(name) = name {
                databases.entry(name).or_default().push((key, table));
            }
        }
        // Databases of a server are seen together, and one that is not there yet has no space; others are known or not.
        let (mut known, mut servers) = (Vec::new(), BTreeMap::<&str, Vec<Vec<Sample>>>::new());
        let count = databases.len();
        for ((host, _), tables) in databases {
            let used = of_one(&tables);
            match tables.first() {
                Some((key, _)) if key.source != Source::AwrSpace && count > 1 => {
                    servers.entry(host).or_default().push(used);
                }
                _ => known.push(used),
            }
        }
        known.extend(servers.into_values().map(|all| added(&all, false)));
        match known.as_slice() {
            [] => None,
            [only] => Some(Self { used: only.clone(), size_bytes: None, databases: count }),
            all => Some(Self { used: added(all, true), size_bytes: None, databases: count }),
        }
    }
}

fn has_space(table: &Table) -> bool {
    table.metrics().any(|metric| metric == Metric::UsedBytes)
}

/// What identifies a database. If a file does not give its number, it is that of the only database with its name on its host.
fn name<'a>(key: &'a Key, all: &[(&'a Key, &Table)]) -> Option<DatabaseKey<'a>> {
    let database = key.subject.database()?;
    let others =
        all.iter().filter(|(other, _)| other.host == key.host).filter_map(|one| one.0.subject.database());
    let numbers: BTreeSet<&str> =
        others.filter(|other| other.name == database.name).filter_map(|other| other.dbid).collect();
    let only = numbers.first().copied().filter(|_| numbers.len() == 1);
    Some(database.dbid.or(only).map_or((key.host.as_str(), database.name), |dbid| ("", dbid)))
}

/// The space of one database; all of its instances report the same.
fn of_one(tables: &[(&Key, &Table)]) -> Vec<Sample> {
    let mut all = Table::default();
    for (_, table) in tables {
        let mut only = Table::default();
        for sample in table.samples(Metric::UsedBytes) {
            let _ = only.push(sample.span, &[(Metric::UsedBytes, sample.value)]);
        }
        all.merge(&only);
    }
    all.samples(Metric::UsedBytes).collect()
}

/// The sum by days: of those in which all are known, or of all from the first of each to its last.
fn added(all: &[Vec<Sample>], is_strict: bool) -> Vec<Sample> {
    let day_ms = u32::try_from(DAY_MS).unwrap_or(u32::MAX);
    let mut sums: BTreeMap<i64, (Sample, usize)> = BTreeMap::new();
    let mut lives: Vec<(i64, i64)> = Vec::new();
    for used in all {
        let series = Series {
            host: String::new(),
            subject: Subject::host(),
            metric: Metric::UsedBytes,
            samples: used.clone(),
        };
        let days = series.resampled(day_ms);
        if let (Some(first), Some(last)) = (days.first(), days.last()) {
            lives.push((first.span.start_ms, last.span.start_ms));
        }
        for day in days {
            let sum = sums.entry(day.span.start_ms).or_insert((Sample { value: 0.0, ..day }, 0));
            *sum = (Sample { value: sum.0.value + day.value, ..day }, sum.1 + 1);
        }
    }
    let wanted = |at: i64| match is_strict {
        true => all.len(),
        false => lives.iter().filter(|(first, last)| (*first..=*last).contains(&at)).count(),
    };
    sums.into_iter().filter(|(at, (_, known))| *known == wanted(*at)).map(|(_, (sample, _))| sample).collect()
}

/// Of all filesystems of a host the fullest, with its share in use.
fn fullest(history: &History, host: &str) -> Option<(f64, Space)> {
    let found = |subject: Subject| {
        let used = history.series(host, &subject, Metric::UsedBytes).samples;
        let last = used.last()?.value;
        let sizes = history.series(host, &subject, Metric::SizeBytes).samples;
        let size_bytes = sizes.last().map(|last| last.value);
        let share = size_bytes.map_or(last / f64::MAX, |size| last / size);
        Some((share, Space { used, size_bytes, databases: 0 }))
    };
    let all = history.subjects(host, Kind::Filesystem).into_iter().filter_map(found);
    all.max_by(|one, other| one.0.total_cmp(&other.0))
}
