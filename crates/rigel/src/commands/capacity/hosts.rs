//! Which history is meant, and which time.
//!
//! Must not open the store.

use super::shared::{renumbered, shared};
use super::twins;
use crate::args::{CommandStem, WhoseArgs};
use rigel_capacity::sum::is_load;
use rigel_capacity::{DAY_MS, DatabaseName, Key, KeySummary, Kind, Members, Subject, day, own_disks, when};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use rigel_core::units::say::listed;
use std::collections::BTreeSet;

/// The hosts, or the database on them, whose history is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whose {
    /// The name of all together.
    pub name: String,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The database; all of the hosts without one.
    database: Option<WantedDatabase>,
}

/// A database, by its numbers if files report them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WantedDatabase {
    names: BTreeSet<String>,
    dbids: BTreeSet<String>,
    /// Whether another one has the same name: what gives only the name then belongs to neither.
    is_name_shared: bool,
}

impl Whose {
    /// The hosts that are meant; `shown` is the store.
    pub fn of(
        held: &[KeySummary],
        asked: &WhoseArgs,
        stem: &CommandStem,
        shown: &str,
    ) -> Result<Self, Problem> {
        let all: BTreeSet<&str> = held.iter().map(|held| held.key.host.as_str()).collect();
        if all.is_empty() {
            return Err(empty(shown));
        }
        let named: Vec<String> = if asked.all {
            let hosts: Vec<String> = all.iter().map(|host| (*host).to_owned()).collect();
            twins::check(held, &hosts, "--all")?;
            hosts
        } else {
            named_hosts(&asked.hosts, &all, shown)?
        };
        match asked.database.as_slice() {
            [_, ..] => Self::of_database(held, &named, &asked.database, stem, shown),
            [] if named.is_empty() => usual(held, &all, stem, shown).map(|host| Self::of_hosts(vec![host])),
            [] => Ok(Self::of_hosts(named)),
        }
    }

    fn of_hosts(hosts: Vec<String>) -> Self {
        Self { name: listed(&hosts), hosts, database: None }
    }

    /// All instances of a database, on these hosts if any is named.
    fn of_database(
        held: &[KeySummary],
        named: &[String],
        asked: &[String],
        stem: &CommandStem,
        shown: &str,
    ) -> Result<Self, Problem> {
        let of_hosts: Vec<&KeySummary> =
            held.iter().filter(|one| named.is_empty() || named.contains(&one.key.host)).collect();
        let all: Vec<(&Key, DatabaseName<'_>)> =
            of_hosts.iter().filter_map(|one| Some((&one.key, one.key.subject.database()?))).collect();
        let mut own: Vec<&(&Key, DatabaseName<'_>)> = Vec::new();
        for text in asked {
            let by_number = || all.iter().filter(|one| one.1.dbid == Some(text));
            let by_name = || all.iter().filter(|one| one.1.is_called(text));
            let found: Vec<_> =
                if by_number().next().is_some() { by_number().collect() } else { by_name().collect() };
            if found.is_empty() {
                return Err(no_database(&all, text, shown));
            }
            own.extend(found);
        }
        let dbids: BTreeSet<String> = own.iter().filter_map(|one| one.1.dbid.map(str::to_owned)).collect();
        let names: BTreeSet<String> = own.iter().map(|one| one.1.name.to_owned()).collect();
        let are_numbers = asked.iter().all(|text| dbids.contains(text));
        if !are_numbers && (dbids.len() > 1 || asked.len() > 1) {
            return Err(several(&of_hosts, asked, &dbids, stem).at(shown));
        }
        let is_own = |one: &DatabaseName<'_>| one.dbid.is_some_and(|dbid| dbids.contains(dbid));
        let is_name_shared = all.iter().any(|(_, one)| {
            one.dbid.is_some() && !is_own(one) && names.iter().any(|name| name.eq_ignore_ascii_case(one.name))
        });
        let wanted = WantedDatabase { names, dbids, is_name_shared };
        let hosts: BTreeSet<&String> =
            all.iter().filter(|one| wanted.is(one.1)).map(|one| &one.0.host).collect();
        let hosts: Vec<String> = hosts.into_iter().cloned().collect();
        if named.is_empty() {
            twins::check(held, &hosts, "--database")?;
        }
        let name = listed(&wanted.names.iter().cloned().collect::<Vec<_>>());
        Ok(Self { name: format!("database {name} on {}", listed(&hosts)), hosts, database: Some(wanted) })
    }

    /// Whether something of a host is meant.
    pub fn wants(&self, key: &Key) -> bool {
        let is_of = |wanted: &WantedDatabase| key.subject.database().is_some_and(|of| wanted.is(of));
        self.hosts.contains(&key.host) && self.database.as_ref().is_none_or(is_of)
    }

    /// What is not counted because its file gives a name that several databases have, and no DBID.
    pub fn nameless(&self, held: &[KeySummary]) -> Option<String> {
        let wanted = self.database.as_ref().filter(|wanted| wanted.is_name_shared)?;
        let is_untold = |key: &&Key| {
            key.subject.database().is_some_and(|of| of.dbid.is_none() && wanted.is_called(of.name))
        };
        let found = held.iter().map(|one| &one.key).find(is_untold)?;
        Some(format!(
            "the {} of {} by {} is left out: its file has no DBID, and several databases have that name",
            found.subject,
            found.host,
            found.source.name()
        ))
    }

    /// Names and ids by which a store finds its subjects; empty if all are meant.
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

    /// Those among keys that have load; `named` are the only disks or databases, or all if empty.
    pub fn members(&self, held: &[KeySummary], named: &[String]) -> Members {
        let is_named = |key: &Key| {
            named.is_empty() || named.contains(&key.subject.name) || named.contains(&key.subject.id)
        };
        let own = held.iter().filter(|one| self.wants(&one.key) && is_named(&one.key));
        let life =
            |one: &KeySummary| is_load(one.metrics.iter().copied()).then_some((one.first_ms, one.last_ms));
        let own = own.map(|one| (&one.key, life(one)));
        match &self.database {
            Some(wanted) if wanted.dbids.len() > 1 => Members::of_one_database(own, &self.hosts),
            _ => Members::of(own, &self.hosts),
        }
    }

    /// Refuses a host that is not in the sum.
    pub fn check_named(&self, named: &[String], option: &str) -> Result<(), Problem> {
        let Some(stranger) = named.iter().find(|host| !self.hosts.contains(host)) else { return Ok(()) };
        Err(Problem::usage(format!("{} is not in the sum", printable(stranger)))
            .at(option)
            .because(format!("the sum is of {}", self.name))
            .next("name one of its hosts, or more hosts with --host, --database or --all"))
    }

    /// Refuses a host that cannot be removed.
    pub fn check_without(&self, without: &[String]) -> Result<(), Problem> {
        self.check_named(without, "--without")?;
        if !without.is_empty() && self.hosts.iter().all(|host| without.contains(host)) {
            return Err(Problem::usage("no host would be left to take over the load")
                .at("--without")
                .because(format!("the sum is of {}", self.name))
                .next("leave one of them, or sum more hosts with --host, --database or --all"));
        }
        Ok(())
    }

    /// What the files themselves say about other hosts that share the storage, with the command that sums them.
    pub fn others(&self, held: &[KeySummary], stem: &CommandStem) -> Option<String> {
        shared(held).into_iter().find_map(|found| {
            let here = found.hosts.iter().any(|host| self.hosts.contains(host));
            let away: Vec<String> =
                found.hosts.iter().filter(|host| !self.hosts.contains(host)).cloned().collect();
            if here && !away.is_empty() && found.has_moved {
                return Some(format!(
                    "{}, and only its time on {} is in this sum; for all of it: `{}`",
                    found.sentence(),
                    listed(&self.hosts),
                    stem.with(&found.option(held))
                ));
            }
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

impl WantedDatabase {
    fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether it is that one: by its number, and by its name if only that is reported and no other one has it.
    fn is(&self, of: DatabaseName<'_>) -> bool {
        match of.dbid {
            Some(dbid) if !self.dbids.is_empty() => self.dbids.contains(dbid),
            _ => !self.is_name_shared && self.is_called(of.name),
        }
    }
}

/// The problem of a store without a history.
pub fn empty(shown: &str) -> Problem {
    Problem::usage("the store is empty").at(shown).next("fill it: rigel capacity import FILE..")
}

/// No database has this name.
fn no_database(all: &[(&Key, DatabaseName<'_>)], asked: &str, shown: &str) -> Problem {
    let names: BTreeSet<&str> = all.iter().map(|one| one.1.name).collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let problem =
        Problem::usage(format!("the store has no history of the database {}", printable(asked))).at(shown);
    match names.as_slice() {
        [] => problem
            .because("it has no database at all")
            .next("import AWR or Statspack reports, or name a host with --host"),
        names => {
            problem.because(format!("it has {}", listed(names))).next("name one of them with --database")
        }
    }
}

/// Several databases have this name.
fn several(held: &[&KeySummary], asked: &[String], dbids: &BTreeSet<String>, stem: &CommandStem) -> Problem {
    let [name] = asked else {
        return Problem::usage(format!("{} are several databases", printable(&listed(asked))))
            .because("only successive DBIDs of one database can be joined")
            .next("name one database, or sum hosts with --host or --all");
    };
    let all: Vec<String> = dbids.iter().cloned().collect();
    let problem = Problem::usage(format!("several databases are called {}", printable(name)));
    match (renumbered(held, name).as_slice(), all.first()) {
        ([], Some(first)) => problem
            .because(format!("their DBIDs are {}", listed(&all)))
            .next(format!("name one by its DBID: --database {first}")),
        (numbers, _) => problem.because(another_number(numbers)).next(join_numbers(numbers, stem)),
    }
}

/// The remark that a database had several numbers over time.
pub fn another_number(numbers: &[String]) -> String {
    format!("the DBIDs {} follow one another: it was restored or duplicated under a new one", listed(numbers))
}

/// The options that join them, or take the last.
pub fn join_numbers(numbers: &[String], stem: &CommandStem) -> String {
    format!(
        "if it is one database, join its histories: `{}`; for the last one alone: --database {}",
        stem.with(&format!("--database {}", numbers.join(","))),
        numbers.last().map_or("", String::as_str)
    )
}

/// Each of the named hosts once.
fn named_hosts(named: &[String], all: &BTreeSet<&str>, shown: &str) -> Result<Vec<String>, Problem> {
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

/// The host that is meant if none is named.
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

/// The name of each, with the DBID of databases that share one.
pub fn labels(subjects: &[&Subject]) -> Vec<String> {
    let is_twin = |one: &Subject, other: &Subject| one.name == other.name && !one.is_same(other);
    let label = |one: &&Subject| match one.database().and_then(|of| of.dbid) {
        Some(dbid) if subjects.iter().any(|other| is_twin(one, other)) => format!("{one} (DBID {dbid})"),
        _ => one.to_string(),
    };
    subjects.iter().map(label).collect()
}

/// When other disks or databases started to count, for readers who see a step there; within a period, and the first ones.
pub fn handovers(members: &Members, (from_ms, to_ms): (i64, i64)) -> Vec<String> {
    const MOST: usize = 3;
    let there =
        members.handovers().into_iter().filter(|one| (from_ms.saturating_add(1)..to_ms).contains(&one.at_ms));
    let named = |all: &[(String, Subject)]| {
        let hosts: BTreeSet<&String> = all.iter().map(|one| &one.0).collect();
        let subjects: Vec<String> = all.iter().map(|one| one.1.to_string()).collect();
        format!("{} of {}", listed(&subjects), listed(&hosts.into_iter().cloned().collect::<Vec<_>>()))
    };
    let told = there.map(|one| {
        format!(
            "up to {} UTC the load of {} is counted, and from then on that of {}",
            when::shown(one.at_ms),
            named(&one.before),
            named(&one.after)
        )
    });
    told.take(MOST).collect()
}

/// Whether every disk of a host is meant, so that the figures of the host as a whole are those of these disks.
pub fn means_all(held: &[KeySummary], host: &str, named: &[String]) -> bool {
    let own = held.iter().map(|held| &held.key).filter(|key| key.host == host);
    let disks = own.map(|key| key.subject.clone()).filter(|subject| subject.kind == Kind::Disk);
    named.is_empty()
        || own_disks(disks.collect())
            .iter()
            .all(|disk| named.contains(&disk.name) || named.contains(&disk.id))
}

/// A time as typed, in milliseconds of the epoch.
pub fn moment(text: &str, at: &str) -> Result<i64, Problem> {
    let day = || day::read(text).map(|day| day * DAY_MS);
    when::with_offset(text).or_else(day).ok_or_else(|| {
        Problem::usage(format!("'{}' is not a date or time", printable(text)))
            .at(at)
            .next("give a month or day, such as 2026-11 or 2026-11-01, or a time, such as 2026-11-01T08:00:00+01:00")
    })
}
