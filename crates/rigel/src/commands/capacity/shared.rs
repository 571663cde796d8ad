//! Which hosts share a storage, as far as the files in a store say so themselves.
//!
//! Must not guess: hosts whose databases have one name are none that share.

use rigel_capacity::{DatabaseName, KeySummary, Kind};
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
}

impl SharedDatabase {
    /// The option that means all of it: by its hosts where the disks of each are known, as these have the load of others as well.
    pub fn option(&self, held: &[KeySummary]) -> String {
        let has_disk = |host: &String| {
            held.iter().any(|one| one.key.host == *host && one.key.subject.kind == Kind::Disk)
        };
        let is_other = |one: &KeySummary| {
            one.key.subject.database().is_some_and(|of| of.name == self.name && of.dbid != Some(&self.dbid))
        };
        let is_plain =
            |text: &str| text.chars().all(|sign| sign.is_ascii_alphanumeric() || "_.-".contains(sign));
        if self.hosts.iter().all(has_disk) && self.hosts.iter().all(|host| is_plain(host)) {
            format!("--host {}", self.hosts.join(","))
        } else if held.iter().any(is_other) || !is_plain(&self.name) {
            format!("--database {}", self.dbid)
        } else {
            format!("--database {}", self.name)
        }
    }

    /// `rac1 and rac2 have instances of the database PROD (DBID 2718281828), so they share its storage`.
    pub fn sentence(&self) -> String {
        format!(
            "{} have instances of the database {} (DBID {}), so they share its storage",
            listed(&self.hosts),
            self.name,
            self.dbid
        )
    }
}

/// Databases that the files themselves say to have instances on several hosts. One instance on two hosts has moved, or is of a copy or a standby on other
/// storage: that says nothing.
pub fn shared(held: &[KeySummary]) -> Vec<SharedDatabase> {
    let mut all: BTreeMap<(&str, &str), BTreeSet<(&String, &str)>> = BTreeMap::new();
    for key in held.iter().map(|one| &one.key) {
        if let Some(DatabaseName { name, dbid: Some(dbid) }) = key.subject.database() {
            all.entry((dbid, name)).or_default().insert((&key.host, &key.subject.id));
        }
    }
    let is_shared = |(key, instances): ((&str, &str), BTreeSet<(&String, &str)>)| {
        let hosts: BTreeSet<&String> = instances.iter().map(|one| one.0).collect();
        let numbers: BTreeSet<&str> = instances.iter().map(|one| one.1).collect();
        (hosts.len() > 1 && numbers.len() == instances.len()).then(|| SharedDatabase {
            name: key.1.to_owned(),
            dbid: key.0.to_owned(),
            hosts: hosts.into_iter().cloned().collect(),
        })
    };
    all.into_iter().filter_map(is_shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_capacity::{Key, Source, Subject};

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
