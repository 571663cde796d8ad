//! What a reader is given besides the file, and what it found besides samples.
//!
//! Must not read.

use super::SampleSink;
use crate::counter::Step;
use crate::overflow::are_sound;
use crate::when::{self, Zone};
use crate::{Key, Metric, Source, Span, Subject};
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use std::collections::{BTreeMap, BTreeSet};

/// The order of a date that does not begin with a year of four digits, as locales have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// `11/24/26`: month, day, year.
    MonthDay,
    /// `24/11/26`: day, month, year.
    DayMonth,
    /// `26/11/24`: year, month, day.
    YearMonth,
}

/// What the file does not say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the host, whatever the file says.
    pub host: Option<String>,
    /// The name of the host for a file that does not name it.
    pub host_of_nameless: Option<String>,
    /// The zone of times without an offset.
    pub zone: Option<TimeZone>,
    /// The order of dates that do not begin with the year.
    pub dates: Option<DateOrder>,
    /// The name of the file, which may be that of its host.
    pub file: Option<String>,
    /// Disks under another name: as the file calls them, and as they are to be called.
    pub renamed: Vec<(String, String)>,
}

impl Options {
    /// For files with times in UTC unless they say otherwise.
    pub fn utc() -> Self {
        Self { zone: Some(TimeZone::UTC), ..Self::default() }
    }
}

/// What a reader saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReaderNotes {
    /// Values that became samples, some of them more than once.
    pub values: u64,
    /// Counters that fell, each counted separately: an interval is left out.
    pub resets: u64,
    /// Intervals that are left out because nothing was sampled for long.
    pub gaps: u64,
    /// Reboots that the source reports on.
    pub reboots: u64,
    /// Rows left out because they were earlier than the previous row.
    pub backwards: u64,
    /// Impossible values: not a number, below 0, or more than any host can do.
    pub unusable: u64,
    /// Reports of iostat that are left out because they are the first of their run.
    pub first_reports: u64,
    /// Disks that a report has no line for, and that are taken as idle: once for each disk and report.
    pub idle: u64,
    /// Local times that the clock skipped.
    pub skipped: u64,
    /// For samples that represent a longer time: how long the tool measured, in milliseconds.
    pub sampled_ms: u64,
    /// The time that they represent.
    pub spanned_ms: u64,
    /// Hosts.
    pub hosts: BTreeSet<String>,
    /// The names of each host in the file; two for one are two hosts under one name.
    told: BTreeMap<String, BTreeSet<String>>,
    /// Whether the source does not part reads from writes.
    pub unparted: bool,
    /// Whether it separates them for the host as a whole.
    pub parted_of_host: bool,
    /// Rows of statistics that the store has no metric for, by their names.
    pub left_out: BTreeMap<String, u64>,
    /// Remarks on the file.
    pub notes: BTreeSet<&'static str>,
}

/// Names of statistics that are distinguished; a database has a few thousand at most.
const MOST_NAMES: usize = 4096;

impl ReaderNotes {
    /// A row contains a statistic that the store has no metric for.
    pub fn leaves_out(&mut self, name: &str) {
        let name = shown(name);
        if self.left_out.contains_key(&name) || self.left_out.len() < MOST_NAMES {
            *self.left_out.entry(name).or_default() += 1;
        }
    }

    /// Adds what was seen in another file of the same format.
    pub fn add(&mut self, other: &Self) {
        self.values += other.values;
        self.resets += other.resets;
        self.gaps += other.gaps;
        self.reboots += other.reboots;
        self.backwards += other.backwards;
        self.unusable += other.unusable;
        self.first_reports += other.first_reports;
        self.idle += other.idle;
        self.skipped += other.skipped;
        self.sampled_ms += other.sampled_ms;
        self.spanned_ms += other.spanned_ms;
        self.hosts.extend(other.hosts.iter().cloned());
        self.unparted |= other.unparted;
        self.parted_of_host |= other.parted_of_host;
        for (name, rows) in &other.left_out {
            *self.left_out.entry(name.clone()).or_default() += rows;
        }
        self.notes.extend(&other.notes);
    }

    /// The rate from a reading of a counter; if there is none, the reason is counted.
    pub fn rate(&mut self, step: Step) -> Option<(Span, f64)> {
        match step {
            Step::Rate(span, rate) => return Some((span, rate)),
            Step::Reset => self.resets += 1,
            Step::Gap => self.gaps += 1,
            Step::Backwards => self.backwards += 1,
            Step::Begin => {}
        }
        None
    }

    /// The file names a host.
    pub fn tells_of(&mut self, host: &str, told: &str) {
        if !self.told.get(host).is_some_and(|all| all.contains(told)) {
            self.told.entry(host.to_owned()).or_default().insert(told.to_owned());
        }
    }

    /// Refuses two hosts under one name.
    ///
    /// # Errors
    /// When a name belongs to hosts that differ.
    pub fn check(&self, options: &Options) -> Result<(), Problem> {
        let all: BTreeSet<&String> = self.told.values().flatten().collect();
        let mixed = self.told.values().find(|told| told.len() > 1).map(|told| told.iter().collect());
        let mixed: BTreeSet<&String> = match (&options.host, mixed) {
            (Some(_), _) if all.len() > 1 => all,
            (_, Some(mixed)) => mixed,
            _ => return Ok(()),
        };
        let names: Vec<String> = mixed.into_iter().take(4).map(|name| shown(name)).collect();
        Err(Problem::usage(format!("two hosts would share the name {}", names.join(", ")))
            .because(
                "the file covers several hosts, and --host or the part before the port is the same for them",
            )
            .next("export them one at a time, and name each with --host"))
    }
}

impl SampleSink<'_> {
    /// The host's name in the history.
    pub fn host(&mut self, told: &str) -> String {
        let nameless = self.options.host_of_nameless.as_deref().filter(|_| told.is_empty());
        let host = self.options.host.as_deref().or(nameless).unwrap_or(told);
        let host = printable(host.trim()).into_owned();
        if !self.seen.hosts.contains(&host) {
            self.seen.hosts.insert(host.clone());
        }
        host
    }

    /// The complete part of a truncated file counts, if there is any.
    ///
    /// # Errors
    /// When no part is complete.
    pub fn takes_what_is_whole(
        &mut self,
        ended: Result<(), Problem>,
        note: &'static str,
    ) -> Result<(), Problem> {
        match ended {
            Err(_) if self.seen.values > 0 => {
                self.seen.notes.insert(note);
                Ok(())
            }
            ended => ended,
        }
    }

    /// Either the file or the user has to name the host.
    ///
    /// # Errors
    /// When neither does.
    pub fn check_host(&self, told: &str, line: u64) -> Result<(), Problem> {
        let Options { host, host_of_nameless, .. } = self.options;
        if !told.is_empty() || host.is_some() || host_of_nameless.is_some() {
            return Ok(());
        }
        Err(wrong(line, "the file does not name its host")
            .because("a single server wrote it, and did not include its name")
            .next("name the host with --host NAME"))
    }

    /// The zone of a local time followed by the host's abbreviation of it; otherwise the given one.
    ///
    /// # Errors
    /// When the abbreviation may mean several zones, and none was given.
    pub fn zone_of(&mut self, told: &str, local: DateTime, line: u64) -> Result<Option<TimeZone>, Problem> {
        if when::is_utc(told) {
            return Ok(Some(TimeZone::UTC));
        }
        let offset = when::offset(told).map(Offset::to_time_zone);
        match (&self.options.zone, offset) {
            (Some(zone), _) if told.is_empty() || when::is_called(zone, told, local) => Ok(None),
            (_, Some(offset)) => Ok(Some(offset)),
            (Some(_), None) => {
                self.seen.notes.insert("the file names another time zone than --zone: check it");
                Ok(None)
            }
            (None, None) if told.is_empty() => Ok(None),
            (None, None) => Err(wrong(line, format!("the times in this file are in {}", shown(told)))
                .because("several zones share this abbreviation, or it is unknown")
                .next(
                    "name the zone with --zone, as in --zone Europe/Berlin, or --zone local for this host's",
                )),
        }
    }

    /// The time in UTC of a local time, in the zone of the file or the given one; `None` for a time that the clock skipped.
    ///
    /// # Errors
    /// When there is no zone.
    pub fn moment(
        &mut self,
        local: DateTime,
        zone: Option<TimeZone>,
        line: u64,
    ) -> Result<Option<i64>, Problem> {
        let moment = match (zone, &mut *self.zone) {
            (Some(zone), _) => Zone::new(zone).moment(local),
            (None, Some(zone)) => zone.moment(local),
            (None, None) => {
                return Err(wrong(
                    line,
                    "the times in this file are local, without a time zone",
                )
                .because("it was written in local time")
                .next("name the zone with --zone, as in --zone Europe/Berlin, or --zone local for this host's"));
            }
        };
        self.seen.skipped += u64::from(moment.is_none());
        Ok(moment)
    }

    /// The same for a series with ascending times between those of others.
    ///
    /// # Errors
    /// When there is no zone.
    pub fn moment_of(
        &mut self,
        clock: &mut Option<Zone>,
        local: DateTime,
        zone: Option<TimeZone>,
        line: u64,
    ) -> Result<Option<i64>, Problem> {
        let (None, Some(of_options)) = (&zone, &self.options.zone) else {
            return self.moment(local, zone, line);
        };
        let moment = clock.get_or_insert_with(|| Zone::new(of_options.clone())).moment(local);
        self.seen.skipped += u64::from(moment.is_none());
        Ok(moment)
    }

    /// A disk under its name in the history.
    pub fn disk(&self, told: &str, id: &str) -> Subject {
        let renamed = self.options.renamed.iter().find(|(from, _)| from == told);
        Subject::disk(renamed.map_or(told, |(_, to)| to), id)
    }

    /// Samples of one interval; impossible values are left out and counted.
    pub fn row(&mut self, key: &Key, span: Span, values: &[(Metric, f64)]) {
        let are_sound = are_sound(span, values);
        let sound = values.iter().zip(are_sound).filter(|(_, is_sound)| *is_sound);
        let sound: Vec<(Metric, f64)> = sound.map(|(value, _)| *value).collect();
        let count = |values: usize| u64::try_from(values).unwrap_or_default();
        self.seen.unusable += count(values.len() - sound.len());
        self.seen.values += count(sound.len());
        self.harvest.row(key, span, &sound);
    }

    /// A key of this file.
    pub fn key(&mut self, host: &str, subject: Subject, source: Source) -> Key {
        Key::new(&self.host(host), subject, source)
    }
}

/// The file contradicts its format.
pub fn wrong(line: u64, what: impl Into<String>) -> Problem {
    Problem::usage(what).at(format!("line {line}"))
}

/// The file ends before its format allows it.
pub fn torn(line: u64) -> Problem {
    wrong(line, "the file ends in the middle")
        .because("it was truncated, or the tool is still writing it")
        .next("wait until the tool has finished, or create it again; nothing of this file was imported")
}

/// Foreign text in a message.
pub fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    printable(&short).into_owned()
}
