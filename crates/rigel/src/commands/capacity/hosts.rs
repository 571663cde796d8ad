//! Whose history is meant, and which moment.
//!
//! Must not open the store.

use super::shared::shared;
use crate::args::{CommandStem, WhoseArgs};
use rigel_capacity::sum::is_load;
use rigel_capacity::{DAY_MS, DatabaseName, Key, KeySummary, Kind, Members, day, own_disks, when};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use rigel_core::units::say::listed;
use std::collections::BTreeSet;

/// The hosts, or the database on them, whose history is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whose {
    /// What all together are called.
    pub name: String,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The database, by its number, else by its name; all of the hosts without one.
    database: Option<(String, Option<String>)>,
}

impl Whose {
    /// Those that are meant; `shown` is the store.
    pub fn of(
        held: &[KeySummary],
        asked: &WhoseArgs,
        stem: &CommandStem,
        shown: &str,
    ) -> Result<Self, Problem> {
        let all: BTreeSet<&str> = held.iter().map(|held| held.key.host.as_str()).collect();
        if all.is_empty() {
            return Err(Problem::usage("the store is empty")
                .at(shown)
                .next("fill it: rigel capacity import FILE.."));
        }
        let named: Vec<String> = if asked.all {
            all.iter().map(|host| (*host).to_owned()).collect()
        } else {
            known(&asked.hosts, &all, shown)?
        };
        match &asked.database {
            Some(database) => Self::of_database(held, &named, database, shown),
            None if named.is_empty() => usual(held, &all, stem, shown).map(|host| Self::of_hosts(vec![host])),
            None => Ok(Self::of_hosts(named)),
        }
    }

    fn of_hosts(hosts: Vec<String>) -> Self {
        Self { name: listed(&hosts), hosts, database: None }
    }

    /// All instances of a database, on these hosts if any is named.
    fn of_database(
        held: &[KeySummary],
        named: &[String],
        database: &str,
        shown: &str,
    ) -> Result<Self, Problem> {
        let of_hosts =
            held.iter().map(|one| &one.key).filter(|key| named.is_empty() || named.contains(&key.host));
        let all: Vec<(&Key, DatabaseName<'_>)> =
            of_hosts.filter_map(|key| Some((key, key.subject.database()?))).collect();
        let own: Vec<&(&Key, DatabaseName<'_>)> =
            all.iter().filter(|one| one.1.is_called(database)).collect();
        let dbids: BTreeSet<&str> = own.iter().filter_map(|one| one.1.dbid).collect();
        let Some(name) = own.first().map(|one| one.1.name.to_owned()) else {
            let names: BTreeSet<&str> = all.iter().map(|one| one.1.name).collect();
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let problem =
                Problem::usage(format!("the store has no history of the database {}", printable(database)))
                    .at(shown);
            return Err(match names.as_slice() {
                [] => problem
                    .because("it has no database at all")
                    .next("import AWR or Statspack reports, or name a host with --host"),
                names => problem
                    .because(format!("it has {}", listed(names)))
                    .next("name one of them with --database"),
            });
        };
        if dbids.len() > 1 {
            let dbids: Vec<String> = dbids.into_iter().map(str::to_owned).collect();
            return Err(Problem::usage(format!("several databases are called {}", printable(database)))
                .at(shown)
                .because(format!("their DBIDs are {}", listed(&dbids)))
                .next(format!("name one by its DBID: --database {}", dbids[0])));
        }
        let hosts: BTreeSet<&String> = own.iter().map(|one| &one.0.host).collect();
        let hosts: Vec<String> = hosts.into_iter().cloned().collect();
        let dbid = dbids.first().map(|dbid| (*dbid).to_owned());
        Ok(Self {
            name: format!("database {name} on {}", listed(&hosts)),
            hosts,
            database: Some((name, dbid)),
        })
    }

    /// Whether something of a host is meant.
    pub fn wants(&self, key: &Key) -> bool {
        let is_of = |(name, dbid): &(String, Option<String>)| {
            key.subject.database().is_some_and(|of| match (of.dbid, dbid) {
                (Some(of), Some(dbid)) => of == dbid,
                _ => of.name.eq_ignore_ascii_case(name),
            })
        };
        self.hosts.contains(&key.host) && self.database.as_ref().is_none_or(is_of)
    }

    /// Names and ids by which a store finds its subjects; none where all are meant.
    pub fn subjects(&self, held: &[KeySummary]) -> Vec<String> {
        if self.database.is_none() {
            return Vec::new();
        }
        let own = held.iter().map(|one| &one.key).filter(|key| self.wants(key));
        let names: BTreeSet<&String> = own.flat_map(|key| [&key.subject.name, &key.subject.id]).collect();
        names.into_iter().filter(|name| !name.is_empty()).cloned().collect()
    }

    /// Whether it is one database, and not all of its hosts.
    pub const fn is_database(&self) -> bool {
        self.database.is_some()
    }

    /// Those among keys that have load; `named` are the only disks or databases, all when empty.
    pub fn members(&self, held: &[KeySummary], named: &[String]) -> Members {
        let is_named = |key: &Key| {
            named.is_empty() || named.contains(&key.subject.name) || named.contains(&key.subject.id)
        };
        let own = held.iter().filter(|one| self.wants(&one.key) && is_named(&one.key));
        Members::of(own.map(|one| (&one.key, is_load(one.metrics.iter().copied()))), &self.hosts)
    }

    /// Refuses a host that cannot be gone.
    pub fn check_without(&self, without: &[String]) -> Result<(), Problem> {
        if let Some(stranger) = without.iter().find(|host| !self.hosts.contains(host)) {
            return Err(Problem::usage(format!("{} is not in the sum", printable(stranger)))
                .at("--without")
                .because(format!("the sum is of {}", self.name))
                .next("name one of its hosts, or more hosts with --host, --database or --all"));
        }
        if !without.is_empty() && self.hosts.iter().all(|host| without.contains(host)) {
            return Err(Problem::usage("no host would be left to take the load")
                .at("--without")
                .because(format!("the sum is of {}", self.name))
                .next("leave one of them, or sum more hosts with --host, --database or --all"));
        }
        Ok(())
    }

    /// What the file's own words say of other hosts that share the storage, with the command that sums them.
    pub fn others(&self, held: &[KeySummary], stem: &CommandStem) -> Option<String> {
        shared(held).into_iter().find_map(|found| {
            let here = found.hosts.iter().any(|host| self.hosts.contains(host));
            let away: Vec<String> =
                found.hosts.iter().filter(|host| !self.hosts.contains(host)).cloned().collect();
            (here && !away.is_empty()).then(|| {
                format!(
                    "{} of the database {} (DBID {}) on {} {} the storage and {} not in this sum; \
                     to add all its instances: `{}`",
                    if away.len() == 1 { "the instance" } else { "the instances" },
                    found.name,
                    found.dbid,
                    listed(&away),
                    if away.len() == 1 { "shares" } else { "share" },
                    if away.len() == 1 { "is" } else { "are" },
                    stem.with(&found.option(held))
                )
            })
        })
    }
}

/// Each of the named hosts once.
fn known(named: &[String], all: &BTreeSet<&str>, shown: &str) -> Result<Vec<String>, Problem> {
    let mut hosts: Vec<String> = Vec::new();
    for host in named {
        if !all.contains(host.as_str()) {
            let all: Vec<&str> = all.iter().copied().collect();
            return Err(Problem::usage(format!("the store has no history of the host {}", printable(host)))
                .at(shown)
                .because(format!("it has {}", all.join(", ")))
                .next("name one of them with --host"));
        }
        if !hosts.contains(host) {
            hosts.push(host.clone());
        }
    }
    Ok(hosts)
}

/// The host that is meant where none is named.
fn usual(
    held: &[KeySummary],
    all: &BTreeSet<&str>,
    stem: &CommandStem,
    shown: &str,
) -> Result<String, Problem> {
    let own = rigel_io::production::host_name();
    if let (Some(only), 1) = (all.first(), all.len()) {
        return Ok((*only).to_owned());
    }
    if all.contains(own.as_str()) {
        return Ok(own);
    }
    let names: Vec<&str> = all.iter().copied().collect();
    let problem = Problem::usage("the store has histories of several hosts, but not of this one").at(shown);
    Err(match shared(held).first() {
        Some(found) => problem.because(found.sentence()).next(format!(
            "to sum them: `{}`; or name one of {} with --host",
            stem.with(&found.option(held)),
            names.join(", ")
        )),
        None => problem.because(format!("it has {}", names.join(", "))).next(
            "name one of them with --host, or several that share the storage: --host A,B; --all sums all",
        ),
    })
}

/// Whether every disk of a host is meant, so that what is told of the host as a whole is told of these.
pub fn means_all(held: &[KeySummary], host: &str, named: &[String]) -> bool {
    let own = held.iter().map(|held| &held.key).filter(|key| key.host == host);
    let disks = own.map(|key| key.subject.clone()).filter(|subject| subject.kind == Kind::Disk);
    named.is_empty()
        || own_disks(disks.collect())
            .iter()
            .all(|disk| named.contains(&disk.name) || named.contains(&disk.id))
}

/// A moment as it is typed, in milliseconds of the epoch.
pub fn moment(text: &str, at: &str) -> Result<i64, Problem> {
    let day = || day::read(text).map(|day| day * DAY_MS);
    when::with_offset(text).or_else(day).ok_or_else(|| {
        Problem::usage(format!("'{}' is not a date or time", printable(text)))
            .at(at)
            .next("give a month or day, such as 2026-11 or 2026-11-01, or a time, such as 2026-11-01T08:00:00+01:00")
    })
}
