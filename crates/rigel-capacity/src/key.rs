//! What a sample is about, and where it comes from.
//!
//! Must not know formats.

use rigel_core::path_text;
use std::fmt;

/// The tool that reported it. Tables of different tools are kept separately: their intervals differ, and they are never added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// `rigel capacity record`.
    Recorder,
    /// `node_disk_*` of Prometheus's node exporter.
    Prometheus,
    /// `iostat -x`.
    Iostat,
    /// `sadf -- -b -d`.
    Sadf,
    /// `oswiostat` of OSWatcher: samples that represent a longer time.
    OsWatcher,
    /// nmon.
    Nmon,
    /// `collectl -P`.
    Collectl,
    /// CloudWatch of AWS.
    CloudWatch,
    /// Azure Monitor.
    Azure,
    /// `DBA_HIST_SYSMETRIC_SUMMARY` of Oracle.
    Awr,
    /// `DBA_HIST_TBSPC_SPACE_USAGE` of Oracle: its snapshots do not match the intervals of the rates.
    AwrSpace,
    /// `STATS$SYSSTAT` of Oracle's Statspack.
    Statspack,
    /// `pg_stat_io` of PostgreSQL.
    PgStatIo,
}

rigel_core::named!(Source {
    Recorder: "recorder",
    Prometheus: "prometheus",
    Iostat: "iostat",
    Sadf: "sadf",
    OsWatcher: "oswatcher",
    Nmon: "nmon",
    Collectl: "collectl",
    CloudWatch: "cloudwatch",
    Azure: "azure",
    Awr: "awr",
    AwrSpace: "awr_space",
    Statspack: "statspack",
    PgStatIo: "pg_stat_io"
});

impl Source {
    /// The source of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// Whether its values cover a small part of the time that they represent.
    pub const fn is_sampled(self) -> bool {
        matches!(self, Self::OsWatcher)
    }

    /// The time that a block of the store covers: a day, or an hour if a sample is a second long.
    pub const fn block_ms(self) -> i64 {
        match self {
            Self::Recorder => super::HOUR_MS,
            _ => super::DAY_MS,
        }
    }
}

/// The kind of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A block device.
    Disk,
    /// A filesystem, by its mount point.
    Filesystem,
    /// A database or an instance of one.
    Database,
    /// The host as a whole.
    Host,
}

rigel_core::named!(Kind { Disk: "disk", Filesystem: "filesystem", Database: "database", Host: "host" });

impl Kind {
    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A thing that has load or space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Its kind.
    pub kind: Kind,
    /// `sda`, `/data`, `orders`; empty for a host. Printable.
    pub name: String,
    /// What stays when the kernel renames a disk: WWN or serial number, if the source has one; for an instance of
    /// Oracle the numbers of its database (DBID) and of the instance, `2718281828/2`. Printable, or empty.
    pub id: String,
}

/// The name of the database that a subject is an instance of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DatabaseName<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number (DBID), if it is reported.
    pub dbid: Option<&'a str>,
}

impl DatabaseName<'_> {
    /// Whether a user's name means it: its number, or its name in upper or lower case.
    pub fn is_called(self, text: &str) -> bool {
        self.dbid == Some(text) || self.name.eq_ignore_ascii_case(text)
    }
}

impl Subject {
    /// A subject by its name alone.
    pub fn named(kind: Kind, name: &str) -> Self {
        Self { kind, name: clean(name), id: String::new() }
    }

    /// The host as a whole.
    pub fn host() -> Self {
        Self::named(Kind::Host, "")
    }

    /// A disk, with what distinguishes it from another of the same name.
    pub fn disk(name: &str, id: &str) -> Self {
        Self { kind: Kind::Disk, name: clean(name), id: clean(id) }
    }

    /// An instance of an Oracle database: `ORCL`, and `ORCL/2` for the second one of a cluster.
    pub fn instance(database: &str, instance: &str, dbid: &str) -> Self {
        let number = if instance.is_empty() { "1" } else { instance };
        let name = if number == "1" { database.to_owned() } else { format!("{database}/{number}") };
        let id = if is_number(dbid) { format!("{dbid}/{number}") } else { String::new() };
        Self { kind: Kind::Database, name: clean(&name), id: clean(&id) }
    }

    /// The database that it is, or that it is an instance of; `None` for anything else.
    pub fn database(&self) -> Option<DatabaseName<'_>> {
        (self.kind == Kind::Database).then(|| DatabaseName {
            name: before_number(&self.name).unwrap_or(&self.name),
            dbid: before_number(&self.id),
        })
    }

    /// Whether both are the same thing: by persistent id if both have one, otherwise by name.
    pub fn is_same(&self, other: &Self) -> bool {
        let both_known = !self.id.is_empty() && !other.id.is_empty();
        self.kind == other.kind && if both_known { self.id == other.id } else { self.name == other.name }
    }

    /// Each once, whatever names it has; the one with an id if there is one.
    pub fn distinct<'a>(all: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for subject in all {
            match found.iter_mut().find(|other| other.is_same(subject)) {
                Some(other) if other.id.is_empty() => *other = subject.clone(),
                Some(_) => {}
                None => found.push(subject.clone()),
            }
        }
        found
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Host => f.write_str("host"),
            Kind::Database if self.name.is_empty() => f.write_str("database"),
            Kind::Database => write!(f, "database {}", self.name),
            Kind::Disk | Kind::Filesystem => f.write_str(&self.name),
        }
    }
}

/// What a table is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The host's name. Printable.
    pub host: String,
    /// The disk, filesystem, database or host.
    pub subject: Subject,
    /// The source of the values.
    pub source: Source,
}

impl Key {
    /// A key, made printable.
    pub fn new(host: &str, subject: Subject, source: Source) -> Self {
        Self { host: clean(host), subject, source }
    }
}

/// The part before a number after the last slash.
fn before_number(text: &str) -> Option<&str> {
    text.rsplit_once('/').filter(|(_, number)| is_number(number)).map(|(before, _)| before)
}

/// Whether a text is digits alone.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Characters of a name.
const MOST_NAME: usize = 256;

/// Foreign text as a name: printable and not endless.
fn clean(text: &str) -> String {
    let shown = path_text::printable(text.trim());
    shown.chars().take(MOST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_the_same_under_another_name_if_what_stays_is_known() {
        let old = Subject::disk("sda", "wwn-1");
        assert!(old.is_same(&Subject::disk("sdb", "wwn-1")));
        assert!(!old.is_same(&Subject::disk("sda", "wwn-2")));
        assert!(old.is_same(&Subject::disk("sda", "")), "by name, for want of better");
        assert!(!old.is_same(&Subject::named(Kind::Filesystem, "sda")));
    }

    #[test]
    fn instances_of_a_database_are_two_subjects_and_one_database() {
        let [one, two] = ["1", "2"].map(|number| Subject::instance("PROD", number, "2718281828"));
        assert!(!one.is_same(&two) && one.database() == two.database());
        assert_eq!((one.name.as_str(), two.name.as_str()), ("PROD", "PROD/2"));
        let prod = two.database().unwrap();
        assert!(prod.is_called("prod") && prod.is_called("2718281828") && !prod.is_called("PROD/2"));
        let untold = Subject::instance("PROD", "2", "");
        assert!(untold.is_same(&two), "by name, for want of better");
        assert_eq!(untold.database(), Some(DatabaseName { name: "PROD", dbid: None }));
        assert_eq!(Subject::named(Kind::Database, "a/b").database().unwrap().name, "a/b");
        assert_eq!(Subject::disk("sda", "1/2").database(), None);
    }

    #[test]
    fn names_steer_no_terminal() {
        assert_eq!(Subject::disk("sd\u{1b}[2Ja", "").name, "sd\\x1b[2Ja");
        assert_eq!(Source::of_name("sadf"), Some(Source::Sadf));
        assert!(Kind::ALL.into_iter().all(|kind| Kind::of_name(kind.name()) == Some(kind)));
    }
}
