//! Which hosts share a storage, as far as the files in a store say so, and which databases had a different DBID.
//!
//! Must not guess: databases of the same name do not prove shared storage.

use rigel_capacity::sum::is_load;
use rigel_capacity::{DatabaseName, KeySummary, Kind, Lifetime};
use rigel_core::units::say::listed;
use std::collections::{BTreeMap, BTreeSet};

/// A database with instances on several hosts.
pub struct SharedDatabase {
    /// Its name.
    pub name: String,
    /// Its number.
    pub dbid: String,
    /// The hosts.
    pub hosts: Vec<String>,
    /// It is one instance, which was on each of them for a time.
    pub has_moved: bool,
}

impl SharedDatabase {
    /// The option that means all of it: by its hosts if the disks of each are known, because these include the load of others.
    pub fn option(&self, held: &[KeySummary]) -> String {
        let has_disk = |host: &String| {
            held.iter().any(|one| one.key.host == *host && one.key.subject.kind == Kind::Disk)
        };
        let is_other = |one: &KeySummary| {
            one.key.subject.database().is_some_and(|of| of.name == self.name && of.dbid != Some(&self.dbid))
        };
        let is_plain =
            |text: &str| text.chars().all(|sign| sign.is_ascii_alphanumeric() || "_.-".contains(sign));
        if !self.has_moved && self.hosts.iter().all(has_disk) && self.hosts.iter().all(|host| is_plain(host))
        {
            format!("--host {}", self.hosts.join(","))
        } else if held.iter().any(is_other) || !is_plain(&self.name) {
            format!("--database {}", self.dbid)
        } else {
            format!("--database {}", self.name)
        }
    }

    /// `rac1 and rac2 have instances of the database PROD (DBID 2718281828), so they share its storage`.
    pub fn sentence(&self) -> String {
        if self.has_moved {
            return format!(
                "the database {} (DBID {}) was on {}, one after the other",
                self.name,
                self.dbid,
                listed(&self.hosts)
            );
        }
        format!(
            "{} have instances of the database {} (DBID {}), so they share its storage",
            listed(&self.hosts),
            self.name,
            self.dbid
        )
    }
}

/// Where the instances of a database are, and when.
type Instances<'a> = BTreeMap<(&'a str, &'a String), Option<Lifetime>>;

/// Databases with instances on several hosts, according to the files themselves. One instance on two hosts at the
/// same time belongs to a copy or a standby on other storage: that says nothing.
pub fn shared(held: &[KeySummary]) -> Vec<SharedDatabase> {
    let mut all: BTreeMap<(&str, &str), Instances<'_>> = BTreeMap::new();
    for one in held {
        if let Some(DatabaseName { name, dbid: Some(dbid) }) = one.key.subject.database() {
            let instance = (one.key.subject.id.as_str(), &one.key.host);
            let life = all.entry((dbid, name)).or_default().entry(instance).or_default();
            *life = joined(*life, life_of_load(one));
        }
    }
    let is_shared = |((dbid, name), instances): ((&str, &str), Instances<'_>)| {
        let hosts: BTreeSet<&String> = instances.keys().map(|one| one.1).collect();
        let numbers: BTreeSet<&str> = instances.keys().map(|one| one.0).collect();
        let is_at_one_place = |number: &&str| {
            let own = instances.iter().filter(|one| one.0.0 == *number).map(|one| *one.1);
            are_disjoint(&own.collect::<Vec<_>>())
        };
        (hosts.len() > 1 && numbers.iter().all(is_at_one_place)).then(|| SharedDatabase {
            name: name.to_owned(),
            dbid: dbid.to_owned(),
            hosts: hosts.into_iter().cloned().collect(),
            has_moved: numbers.len() == 1,
        })
    };
    all.into_iter().filter_map(is_shared).collect()
}

/// The successive numbers (DBID) of a database, if others with its name on a host began when it ended: it was
/// restored or duplicated under another number. Empty if there is only one, or some existed at the same time.
pub fn renumbered(held: &[&KeySummary], name: &str) -> Vec<String> {
    let mut numbers: BTreeMap<&str, Option<Lifetime>> = BTreeMap::new();
    for one in held {
        if let Some(DatabaseName { name: own, dbid: Some(dbid) }) = one.key.subject.database()
            && own.eq_ignore_ascii_case(name)
            && is_load(one.metrics.iter().copied())
        {
            let life = numbers.entry(dbid).or_default();
            *life = joined(*life, life_of_load(one));
        }
    }
    if numbers.len() < 2 || !are_disjoint(&numbers.values().copied().collect::<Vec<_>>()) {
        return Vec::new();
    }
    let mut numbers: Vec<(&str, Option<Lifetime>)> = numbers.into_iter().collect();
    numbers.sort_by_key(|one| one.1);
    numbers.into_iter().map(|one| one.0.to_owned()).collect()
}

fn life_of_load(one: &KeySummary) -> Option<Lifetime> {
    (is_load(one.metrics.iter().copied()) && one.first_ms < one.last_ms)
        .then_some((one.first_ms, one.last_ms))
}

fn joined(one: Option<Lifetime>, other: Option<Lifetime>) -> Option<Lifetime> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

/// Whether each ended before the next began; of more than one each must be known.
fn are_disjoint(lives: &[Option<Lifetime>]) -> bool {
    let mut known: Vec<Lifetime> = lives.iter().copied().flatten().collect();
    known.sort_unstable();
    let is_known = lives.len() == 1 || known.len() == lives.len();
    is_known && known.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_capacity::{Key, Metric, Source, Subject};

    /// Each in days of its own.
    fn moving(instances: &[(&str, &str)], dbids: &[&str]) -> Vec<KeySummary> {
        let mut all = held(instances);
        for ((at, one), dbid) in (0..).zip(&mut all).zip(dbids) {
            let number = one.key.subject.id.rsplit_once('/').unwrap().1.to_owned();
            one.key.subject = Subject::instance("PROD", &number, dbid);
            one.metrics.insert(Metric::ReadOps);
            (one.first_ms, one.last_ms) = (at * 1000, (at + 1) * 1000);
        }
        all
    }

    #[test]
    fn an_instance_that_moved_is_told_and_so_is_another_number() {
        let moved = moving(&[("db1", "1"), ("db2", "1")], &["271", "271"]);
        let found = shared(&moved);
        assert!(
            found[0].has_moved && found[0].option(&moved) == "--database PROD",
            "{}",
            found[0].sentence()
        );
        let numbers = |held: &[KeySummary]| renumbered(&held.iter().collect::<Vec<_>>(), "prod");
        assert!(numbers(&moved).is_empty());
        let other = moving(&[("db1", "1"), ("db1", "1")], &["999", "271"]);
        assert_eq!(numbers(&other), ["999", "271"]);
        let mut beside = other;
        beside[1].first_ms = 0;
        assert!(numbers(&beside).is_empty(), "a copy beside it");
    }

    fn held(instances: &[(&str, &str)]) -> Vec<KeySummary> {
        let one = |(host, number): &(&str, &str)| KeySummary {
            key: Key::new(host, Subject::instance("PROD", number, "271"), Source::Awr),
            metrics: BTreeSet::new(),
            first_ms: 0,
            last_ms: 0,
            covered_ms: 0,
            rows: 0,
            bytes: 0,
        };
        instances.iter().map(one).collect()
    }

    #[test]
    fn instances_of_one_database_share_and_copies_do_not() {
        let cluster = shared(&held(&[("rac1", "1"), ("rac2", "2")]));
        assert_eq!((cluster.len(), cluster[0].hosts.join(",")), (1, "rac1,rac2".to_owned()));
        assert_eq!(cluster[0].option(&held(&[("rac1", "1"), ("rac2", "2")])), "--database PROD");
        for alone in [&[("db1", "1"), ("standby", "1")][..], &[("db1", "1")]] {
            assert!(shared(&held(alone)).is_empty(), "{alone:?}");
        }
    }
}
