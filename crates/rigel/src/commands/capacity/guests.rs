//! The load in a file, added to the history of a store: what if that database moved here?
//!
//! The file is read into memory and never stored. Must not understand it.

use super::import;
use crate::capacity_store::Store;
use rigel_capacity::read::Options;
use rigel_capacity::sum::{is_load, is_same_load, lifetime};
use rigel_capacity::{DAY_MS, History, Key, Kind, Lifetime, Members, Selection, Table};
use rigel_core::error::Problem;
use rigel_core::path_text::{encode, printable};
use std::collections::BTreeSet;
use std::path::Path;

/// How much of the history is compared with a file.
const COMPARED_MS: i64 = 14 * DAY_MS;
/// A file of less has not all hours of a week, or almost all.
const SHORT_WEEK_MS: i64 = 13 * DAY_MS / 2;

/// Takes files in.
pub struct Guests<'a> {
    /// For local times in the files.
    pub zone: Option<&'a str>,
    /// The subject of the history.
    pub store: &'a Store,
    /// What is assumed of them.
    pub remarks: Vec<String>,
    /// The load of those that were taken in, by what the history calls them.
    taken: Vec<(Key, Table)>,
}

impl<'a> Guests<'a> {
    /// Without files.
    pub const fn new(zone: Option<&'a str>, store: &'a Store) -> Self {
        Self { zone, store, remarks: Vec::new(), taken: Vec::new() }
    }

    /// Adds the content of a file to a history and its members.
    pub fn add(
        &mut self,
        file: &Path,
        step_ms: u32,
        (history, members): (&mut History, &mut Members),
    ) -> Result<(), Problem> {
        for (key, table) in self.take(file, members)? {
            history.add(key, &table.coarser(step_ms));
        }
        Ok(())
    }

    /// The tables of a file, which is a member from now on. Its hosts get names of their own, so none is taken for one of the store.
    pub fn take(&mut self, file: &Path, members: &mut Members) -> Result<Vec<(Key, Table)>, Problem> {
        let name = encode(file);
        let stem = file.file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
        let options = Options {
            zone: self.zone.map(import::zone).transpose()?,
            host_of_nameless: Some(stem),
            ..Options::default()
        };
        let tables: Vec<(Key, Table)> = import::tables(file, &options)?.into_iter().collect();
        self.check_new(&tables, members).map_err(|problem| problem.at(&name))?;
        let hosts: BTreeSet<String> = tables.iter().map(|(key, _)| key.host.clone()).collect();
        let guest = |host: &str| if hosts.len() == 1 { name.clone() } else { format!("{name} {host}") };
        let names: Vec<String> = hosts.iter().map(|host| guest(host)).collect();
        let tables: Vec<(Key, Table)> =
            tables.into_iter().map(|(key, table)| (Key { host: guest(&key.host), ..key }, table)).collect();
        let guests = Members::of(tables.iter().map(|(key, table)| (key, lifetime(table))), &names);
        if guests.all().is_empty() {
            return Err(Problem::usage("the file has no load")
                .at(name)
                .because("it has neither reads and writes nor bytes of a disk or database")
                .next("give a file with them; for data alone, give its size and date: --add 200G@2027-04"));
        }
        members.extend(guests, &name);
        self.remarks.extend(short_week(&name, &tables));
        self.taken.extend(tables.iter().cloned());
        Ok(tables)
    }

    /// Refuses load that exists already, under any name.
    fn check_new(&self, tables: &[(Key, Table)], members: &Members) -> Result<(), Problem> {
        let loads = || tables.iter().filter(|(_, table)| is_load(table.metrics()));
        if let Some((key, host)) = loads().find_map(|(key, _)| Some((key, clash(key, members)?))) {
            return Err(already_counted(format!(
                "{} of {} is in the history already",
                key.subject, key.host
            ))
            .because(host));
        }
        let taken = self.taken.iter();
        let here = self.recent(loads().filter_map(|(_, table)| lifetime(table)), members)?;
        let here = here.tables().filter(|(key, _)| {
            members.parts().any(|(host, subject)| host == key.host && subject.is_same(&key.subject))
        });
        for (other, table) in here.chain(taken.map(|(key, table)| (key, table))) {
            if let Some((key, _)) = loads().find(|(_, own)| is_same_load(own, table)) {
                return Err(already_counted(format!(
                    "the load of {} of {} is in the sum already, as that of {} of {}",
                    key.subject, key.host, other.subject, other.host
                ))
                .because("both have the same values in the same intervals, so it would count twice"));
            }
        }
        Ok(())
    }

    /// What the store has of the last days of files.
    fn recent(&self, lives: impl Iterator<Item = Lifetime>, members: &Members) -> Result<History, Problem> {
        let lives: Vec<Lifetime> = lives.collect();
        let (Some(first), Some(last)) =
            (lives.iter().map(|one| one.0).min(), lives.iter().map(|one| one.1).max())
        else {
            return Ok(History::default());
        };
        let hosts: BTreeSet<String> = members.parts().map(|(host, _)| host.to_owned()).collect();
        let hosts: Vec<String> = hosts.into_iter().filter(|host| !members.guests().contains(host)).collect();
        if hosts.is_empty() {
            return Ok(History::default());
        }
        // The end of the history may lie before that of the file.
        let held = self.store.held()?;
        let own = held.iter().filter(|one| hosts.contains(&one.key.host)).map(|one| one.last_ms);
        let to_ms = last.min(own.max().unwrap_or(last));
        let from_ms = first.max(to_ms - COMPARED_MS);
        let selection =
            Selection { hosts, from_ms: Some(from_ms), to_ms: Some(to_ms), ..Selection::default() };
        self.store.history(&selection)
    }
}

/// That a file lacks some hours of a usual week.
fn short_week(name: &str, tables: &[(Key, Table)]) -> Option<String> {
    let loads = tables.iter().map(|one| &one.1).filter(|table| is_load(table.metrics()));
    let lives: Vec<Lifetime> = loads.filter_map(lifetime).collect();
    let first = lives.iter().map(|life| life.0).min()?;
    let last = lives.iter().map(|life| life.1).max()?;
    (last - first < SHORT_WEEK_MS).then(|| {
        format!(
            "{} covers less than a week: for the hours that it lacks, the same hours of its days count",
            printable(name)
        )
    })
}

fn already_counted(what: String) -> Problem {
    Problem::usage(what).next("leave this --add out, or leave out that host with --host")
}

/// Why a disk or database of a host is among what counts already.
fn clash(key: &Key, members: &Members) -> Option<String> {
    let own: Vec<_> = members.parts().filter(|(host, _)| *host == key.host).map(|one| one.1).collect();
    if own.iter().any(|subject| subject.is_same(&key.subject)) {
        return Some("its load would count twice".to_owned());
    }
    let disk = own.iter().find(|subject| subject.kind == Kind::Disk);
    match (disk, key.subject.kind) {
        (Some(disk), Kind::Database | Kind::Disk) => Some(format!(
            "the load of all disks of {} is, such as {disk}, and its load is among theirs",
            key.host
        )),
        (None, Kind::Disk) if !own.is_empty() => {
            Some(format!("the load of {} on {} is, and lies on its disks", own[0], key.host))
        }
        _ => None,
    }
}
