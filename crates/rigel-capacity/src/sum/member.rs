//! A member of a sum: which parts of a host, or of a database, count at what time.
//!
//! Of a host these are its disks; while none of them is known, its databases. Must not read a history.

use crate::epochs::{Epochs, Lifetime, joined};
use crate::key::{Key, Kind, Subject};
use crate::layers::lowest;
use crate::span::Span;

/// A disk or database that counts at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The host.
    pub host: String,
    /// The subject.
    pub subject: Subject,
    /// The period in which its load is known.
    pub life: Option<Lifetime>,
}

/// A host whose disks, or a database on it, have load on the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The host; of a database that moved, its last one.
    pub host: String,
    /// Its origin, if it is not in the store: the file of a what-if.
    pub file: Option<String>,
    parts: Vec<Part>,
    epochs: Epochs,
}

/// The parts that count up to a time, and those that count from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// Milliseconds of the epoch.
    pub at_ms: i64,
    /// Up to then: hosts and which part of them.
    pub before: Vec<(String, Subject)>,
    /// From then on.
    pub after: Vec<(String, Subject)>,
}

impl Member {
    /// Of parts on one host, or of one database on several; only those that count at some time are kept.
    fn of(host: &str, parts: Vec<Part>) -> Self {
        let used = epochs(&parts).used();
        let subjects: Vec<&Subject> = parts.iter().map(|part| &part.subject).collect();
        // Of disks whose load nobody tells none counts, and the host is unknown.
        let kept: Vec<usize> = if used.is_empty() { lowest(&subjects) } else { used.into_iter().collect() };
        let parts: Vec<Part> = kept.into_iter().map(|at| parts[at].clone()).collect();
        Self { host: host.to_owned(), file: None, epochs: epochs(&parts), parts }
    }

    /// The same for a file of a what-if.
    pub fn of_file(self, file: &str) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// The parts that count at some time.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The places in [`Self::parts`] of those that count in an interval.
    pub fn counting(&self, span: Span) -> &[usize] {
        self.epochs.counting(span)
    }

    /// Whether at every time it is one database at most, so its intervals can stay as they are reported.
    pub fn is_one_database(&self) -> bool {
        self.parts.iter().all(|part| part.subject.kind == Kind::Database) && are_disjoint(&self.parts)
    }

    /// Its name: `database PROD of rac1`.
    pub fn name(&self) -> String {
        let mut subjects: Vec<String> = self.parts.iter().map(|part| part.subject.to_string()).collect();
        subjects.dedup();
        format!("{} of {}", rigel_core::units::say::listed(&subjects), self.host)
    }

    /// Times at which everything that counts is replaced.
    pub fn handovers(&self) -> Vec<Handover> {
        let named = |places: &[usize]| -> Vec<(String, Subject)> {
            places.iter().map(|&at| (self.parts[at].host.clone(), self.parts[at].subject.clone())).collect()
        };
        let known: Vec<(i64, &[usize])> = self.epochs.known().collect();
        let is_other = |pair: &&[(i64, &[usize])]| pair[1].1.iter().all(|at| !pair[0].1.contains(at));
        let handover = |pair: &[(i64, &[usize])]| Handover {
            at_ms: pair[1].0,
            before: named(pair[0].1),
            after: named(pair[1].1),
        };
        known.windows(2).filter(is_other).map(handover).collect()
    }

    /// The same instance of a database on another host, or under another number, after or before this one.
    fn take_over(&mut self, part: &Part, is_one: bool) -> bool {
        let is_same = self.parts.iter().all(|own| is_instance(&own.subject, &part.subject, is_one));
        let all: Vec<Part> = self.parts.iter().chain([part]).cloned().collect();
        if self.file.is_some() || !is_same || !are_disjoint(&all) {
            return false;
        }
        let last = all.iter().max_by_key(|part| part.life.map(|life| life.1));
        *self = Self::of(&last.map_or_else(|| self.host.clone(), |last| last.host.clone()), all.clone());
        true
    }
}

/// Whether each of them ends before the next begins.
fn are_disjoint(parts: &[Part]) -> bool {
    let mut lives: Vec<Lifetime> = parts.iter().filter_map(|part| part.life).collect();
    lives.sort_unstable();
    lives.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}

fn epochs(parts: &[Part]) -> Epochs {
    Epochs::of(&parts.iter().map(|part| (&part.subject, part.life)).collect::<Vec<_>>())
}

/// Whether both are one instance, by the numbers of its database and of itself; `is_one`: all belong to one database, whatever numbers it had.
fn is_instance(one: &Subject, other: &Subject, is_one: bool) -> bool {
    let number = |subject: &Subject| subject.id.rsplit_once('/').map(|(_, number)| number.to_owned());
    let is_database = one.kind == Kind::Database && other.kind == Kind::Database;
    is_database && !one.id.is_empty() && (one.id == other.id || (is_one && number(one) == number(other)))
}

/// The members of hosts, each key with the lifetime of its load: for each host its disks, or its databases while no disk is known.
pub fn members<'a>(
    keys: impl Iterator<Item = (&'a Key, Option<Lifetime>)>,
    hosts: &[String],
    is_one: bool,
) -> Vec<Member> {
    let keys: Vec<(&Key, Option<Lifetime>)> = keys.collect();
    let mut all: Vec<Member> = Vec::new();
    for host in hosts {
        let own = |kind: Kind| {
            let own = || keys.iter().filter(move |(key, _)| key.host == *host && key.subject.kind == kind);
            let life = |subject: &Subject| {
                let lives = own().filter(|(key, _)| key.subject.is_same(subject));
                lives.filter_map(|one| one.1).reduce(joined)
            };
            let part = |subject: Subject| Part { host: host.clone(), life: life(&subject), subject };
            let found: Vec<Part> =
                Subject::distinct(own().map(|(key, _)| &key.subject)).into_iter().map(part).collect();
            found
        };
        let disks = own(Kind::Disk);
        let databases: Vec<Part> =
            own(Kind::Database).into_iter().filter(|part| part.life.is_some()).collect();
        let has_load = disks.iter().any(|part| part.life.is_some());
        if has_load || (!disks.is_empty() && databases.is_empty()) {
            all.push(Member::of(host, [disks, databases].concat()));
            continue;
        }
        for part in databases {
            if !all.iter_mut().any(|member| member.take_over(&part, is_one)) {
                all.push(Member::of(host, vec![part]));
            }
        }
    }
    all
}
