//! `rigel capacity forecast`: when a storage will be full or slow, from the store of production data and the records of runs.
//!
//! Must not measure or judge; the rules are in `rigel_capacity`.

use super::guests::Guests;
use super::hosts::{self, Whose, another_number, join_numbers};
use super::shared::renumbered;
use super::uncertain;
use crate::args::ForecastOptions;
use crate::capacity_store::{self, Store};
use crate::commands::advise::last_record;
use crate::commands::report::read;
use crate::output;
use crate::streams::Streams;
use rigel_capacity::forecast::Daily;
use rigel_capacity::headroom::{
    BucketForm, Course, Credits, Demand, Gate, MINUTE_MS, Resource, Storage, Surface,
};
use rigel_capacity::{History, KeySummary, Kind, Members, Selection, Subject, day};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::judge::findings::Findings;
use rigel_core::path_text;
use rigel_core::units::say::listed;
use rigel_core::units::to_f64;
use rigel_report::headroom::{self, HeadroomReport};
use rigel_run::wall::Wall;
use std::collections::BTreeSet;
use std::path::Path;

/// Five minutes: what busy hours are known by.
const STEP_MS: u32 = 300_000;

pub fn forecast(options: &ForecastOptions, streams: &Streams) -> Result<(), Problem> {
    let wall = Wall::system();
    let ForecastInput { whose, history, members, held, remarks } = asked(options, STEP_MS)?;
    let demand = Demand::of(&history, &members, &options.scenario.what_if, wall.offset_s());
    check_common(options, &demand, (&members, &held))?;
    hosts::handovers(&members, (i64::MIN, i64::MAX)).iter().for_each(|text| streams.remark(text));
    remarks.iter().for_each(|text| streams.remark(text));
    tell_others(options, &whose, (&demand, &held), streams);
    let course = |(resource, daily): &(Resource, Daily)| {
        Course::of(*resource, daily.clone(), options.days, &options.scenario)
    };
    let courses: Vec<Course> = demand.daily.iter().map(course).collect();
    let storages = storages(options, (&demand, &courses), wall.offset_s(), streams)?;
    let gate = options.fail_before.and_then(|at| Some((at, storages.first()?.gate(at))));
    let started = wall.started();
    let told = HeadroomReport {
        host: &whose.name,
        asked: &started,
        demand: &demand,
        courses: &courses,
        storages: &storages,
        scenario: &options.scenario,
        gate,
    };
    tell_age(&courses, &started, streams);
    if options.json {
        streams.results(&headroom::json(&told)?)?;
    } else {
        streams.results(headroom::text(&told, streams.style()).as_bytes())?;
    }
    if let Some(dir) = &options.html {
        let files = output::write_files(
            dir,
            &format!("forecast_{}", wall.stamp()),
            &[headroom::page(&told)?],
            options.force,
        )?;
        if options.json {
            streams.remark(&format!("the page is {}", path_text::encode(&files[0])))
        } else {
            streams.list(&files)?
        }
    }
    gate.map_or(Ok(()), |(at, outcome)| judged(at, outcome, options.fail_undecided, streams))?;
    storages.first().map_or(Ok(()), measured)
}

/// A storage of whose I/O no limit is known has no date.
fn measured(storage: &Storage) -> Result<(), Problem> {
    let unknown = storage.surface.unknown.first().filter(|_| !storage.is_measured());
    unknown.map_or(Ok(()), |(resource, why)| {
        Err(Problem::new(ExitKind::GateFailed, format!("the limit of {} is unknown", resource.word()))
            .at(storage.name.clone())
            .because(why.clone())
            .next("measure with a latency limit that the storage meets: `rigel slo` with a longer time in --p99, or `rigel calibrate`"))
    })
}

/// What is forecast.
struct ForecastInput {
    whose: Whose,
    history: History,
    members: Members,
    held: Vec<KeySummary>,
    /// On disks that do not count.
    remarks: Vec<String>,
}

/// The history of the requested hosts, and of the files of a what-if.
fn asked(options: &ForecastOptions, step_ms: u32) -> Result<ForecastInput, Problem> {
    let path = capacity_store::place(options.store.as_deref())?;
    let store = Store::open_to_read(&path)?;
    let shown = path_text::encode(&path);
    // Who names disks says which of them count.
    let (held, mut remarks) = match options.subjects.is_empty() {
        true => uncertain::settled(&store, store.held()?)?,
        false => (store.held()?, Vec::new()),
    };
    let whose = Whose::of(&held, &options.whose, &options.stem, &shown)?;
    let with_host = whose.hosts.iter().all(|host| hosts::means_all(&held, host, &options.subjects));
    let selection = Selection {
        hosts: whose.hosts.clone(),
        subjects: [options.subjects.clone(), whose.subjects(&held)].concat(),
        with_host: with_host && !whose.is_database(),
        step_ms: Some(step_ms),
        ..Selection::default()
    };
    let mut history = store.history(&selection)?;
    // Another database may have the same name.
    history.retain(|key| whose.wants(key));
    if history.tables().next().is_none() {
        return Err(Problem::usage(format!(
            "the history of {} has no {}",
            whose.name,
            options.subjects.join(", ")
        ))
        .at(shown)
        .next("rigel capacity show lists its contents"));
    }
    whose.check_named(&options.joined, "--joined")?;
    let mut members = whose.members(&held, &options.subjects).with_joined(&options.joined);
    if options.subjects.is_empty() && !whose.is_database() {
        remarks.extend(uncertain::unknown(&held, &whose.hosts));
    }
    whose.check_without(&options.scenario.what_if.without)?;
    let mut guests = Guests::new(options.zone.as_deref(), &store);
    for file in &options.files {
        guests.add(file, step_ms, (&mut history, &mut members))?;
    }
    remarks.extend(guests.remarks);
    Ok(ForecastInput { whose, history, members, held, remarks })
}

/// Members that were never watched at the same time have no sum.
fn check_common(
    options: &ForecastOptions,
    demand: &Demand,
    (members, held): (&Members, &[KeySummary]),
) -> Result<(), Problem> {
    let has_rate = demand.daily.iter().any(|one| one.0 != Resource::Space);
    if has_rate || members.all().len() < 2 {
        return Ok(());
    }
    let all: Vec<&Subject> = members.parts().map(|one| one.1).collect();
    let of_hosts = hosts::labels(&all).into_iter().zip(members.parts());
    let names: Vec<String> = of_hosts.map(|(name, (host, _))| format!("{name} of {host}")).collect();
    let problem =
        Problem::usage(format!("there is no sum of {}", listed(&names))).at("--host, --database, --all");
    let own: Vec<&KeySummary> = held.iter().filter(|one| members.hosts().contains(&one.key.host)).collect();
    let databases: BTreeSet<&str> =
        members.parts().filter_map(|(_, subject)| Some(subject.database()?.name)).collect();
    if let Some(numbers) = databases.iter().map(|name| renumbered(&own, name)).find(|all| !all.is_empty()) {
        return Err(problem.because(another_number(&numbers)).next(join_numbers(&numbers, &options.stem)));
    }
    Err(problem
        .because("at no time are the rates of all of them known, and unknown does not mean 0")
        .next("import the missing time, or name fewer; rigel capacity list shows the times of each"))
}

/// Who else has load on the storage, as far as the store knows.
fn tell_others(
    options: &ForecastOptions,
    whose: &Whose,
    (demand, held): (&Demand, &[KeySummary]),
    streams: &Streams,
) {
    let is_of_databases =
        !demand.subjects.is_empty() && demand.subjects.iter().all(|subject| subject.kind == Kind::Database);
    if options.subjects.is_empty()
        && let Some(others) = whose.others(held, &options.stem)
    {
        streams.remark(&others);
    }
    whose.nameless(held).iter().for_each(|text| streams.remark(text));
    if !is_of_databases {
        return;
    }
    let of_hosts = held.iter().map(|one| &one.key).filter(|key| whose.hosts.contains(&key.host));
    let rates = |subject: &&Subject| {
        held.iter().any(|one| {
            one.key.subject == **subject && rigel_capacity::sum::is_load(one.metrics.iter().copied())
        })
    };
    let there: Vec<&Subject> =
        of_hosts.map(|key| &key.subject).filter(|one| one.kind == Kind::Database).filter(rates).collect();
    let there = Subject::distinct(there.into_iter());
    let is_in = |subject: &Subject| demand.subjects.iter().any(|one| one.is_same(subject));
    let mut all: Vec<&Subject> = demand.subjects.iter().collect();
    all.extend(there.iter().filter(|one| !is_in(one)));
    let names = hosts::labels(&all);
    let (own, others) = names.split_at(demand.subjects.len());
    let hosts = listed(&whose.hosts);
    if !others.is_empty() {
        streams.remark(&format!(
            "this forecast covers only {}: {hosts} also has {}. If they share storage, it is used up earlier: \
             without {}, all databases of a host are added up",
            listed(own),
            listed(others),
            if whose.is_database() { "--database" } else { "--disk" }
        ));
    } else if there.len() > 1 && whose.hosts.len() == 1 && !whose.is_database() {
        let names = hosts::labels(&there.iter().collect::<Vec<_>>());
        streams.remark(&format!(
            "the loads of {} on {hosts} are added up; if they do not share storage, name one with --disk",
            listed(&names)
        ));
    }
}

/// The current storage, and the others.
fn storages(
    options: &ForecastOptions,
    (demand, courses): (&Demand, &[Course]),
    offset_s: i64,
    streams: &Streams,
) -> Result<Vec<Storage>, Problem> {
    let of = |path: &Path, surface: Surface| {
        let credits = surface.bucket.map(|bucket| credits(options, bucket, offset_s)).transpose()?;
        Ok(Storage::with_credits(&path_text::encode(path), surface, credits, courses))
    };
    let record = options.record.clone().map_or_else(|| last_record(streams), Ok)?;
    let surface = surface(&record, streams)?;
    check_disk(options, demand, (&surface, &record), streams)?;
    let size = options
        .space
        .map(|bytes| (to_f64(bytes.0), "--space"))
        .or(demand.size_bytes.map(|bytes| (bytes, "size of the filesystem")));
    let surface = match size {
        Some((bytes, from)) => surface.with_space(bytes, from),
        None => surface,
    };
    let mut all = vec![of(&record, surface)?];
    for other in &options.others {
        all.push(of(other, self::surface(other, streams)?)?);
    }
    Ok(all)
}

/// What the load does to a token bucket, minute by minute: five minutes would hide how long a peak lasts.
fn credits(options: &ForecastOptions, bucket: BucketForm, offset_s: i64) -> Result<Credits, Problem> {
    let ForecastInput { history, members, .. } = asked(options, MINUTE_MS)?;
    let load = Demand::by_minute(&history, &members, bucket.resource, &options.scenario.what_if);
    Ok(Credits::of(bucket, &load, offset_s))
}

fn surface(path: &Path, streams: &Streams) -> Result<Surface, Problem> {
    let record = read(path, streams)?;
    let findings = Findings::of(&record);
    Surface::of(&record, &findings).map_err(|problem| problem.at(path_text::encode(path)))
}

/// A surface of another disk says nothing about this one.
fn check_disk(
    options: &ForecastOptions,
    demand: &Demand,
    (surface, record): (&Surface, &Path),
    streams: &Streams,
) -> Result<(), Problem> {
    match surface.is_of(&demand.subjects) {
        Some(true) => Ok(()),
        None => {
            streams.remark(
                "it is unknown whether record and history are about the same disks: one of them does not name its disks",
            );
            Ok(())
        }
        Some(false) if options.allow_other_disk => Ok(()),
        Some(false) => {
            let own: Vec<&str> = surface.disks.iter().map(|disk| disk.name.as_str()).collect();
            let theirs: Vec<String> = demand.subjects.iter().map(ToString::to_string).collect();
            Err(Problem::usage("the record was made on a disk that is not in the history")
                .at(path_text::encode(record))
                .because(format!("the record is of {}, the history of {}", own.join(", "), theirs.join(", ")))
                .next(format!(
                    "give a record of that disk, {}or, if it is the same, add --allow-other-disk; --on RECORD is for other storage",
                    if options.whose.database.is_empty() { "name the disk with --disk, " } else { "" }
                )))
        }
    }
}

/// A history that ended long ago says less about today.
fn tell_age(courses: &[Course], started: &str, streams: &Streams) {
    const OLD_DAYS: i64 = 30;
    let today = started.get(..10).and_then(day::read);
    let known = courses.iter().filter(|one| !one.daily.levels.is_empty());
    let last = known.map(|one| one.daily.first + i64::try_from(one.daily.days()).unwrap_or(0)).max();
    if let Some((today, last)) = today.zip(last).filter(|(today, last)| today - last > OLD_DAYS) {
        streams.remark(&format!(
            "the history ended {} days ago, on {}: the forecast starts there",
            today - last,
            day::shown(last - 1)
        ));
    }
}

fn judged(at: i64, outcome: Gate, fail_undecided: bool, streams: &Streams) -> Result<(), Problem> {
    let date = day::shown(at);
    let failed = |what: String| Err(Problem::new(ExitKind::GateFailed, what));
    match outcome {
        Gate::Passed => Ok(()),
        Gate::Failed => failed(format!("the storage will most likely be used up before {date}")),
        Gate::Unknown => failed(format!("it is unknown whether the storage lasts until {date}")),
        Gate::Undecided if fail_undecided => failed(format!("the storage may be used up before {date}")),
        Gate::Undecided => {
            streams.remark(&format!(
                "the storage may be used up before {date}, but most likely is not; --fail-undecided fails on it"
            ));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_end_before_the_date_fails_where_that_was_asked_for_and_what_is_not_known_always() {
        let code = |outcome, fail_undecided| {
            judged(20_454, outcome, fail_undecided, &Streams::in_memory())
                .err()
                .map(|problem| problem.kind.code())
        };
        for fail_undecided in [false, true] {
            assert_eq!(code(Gate::Passed, fail_undecided), None);
            assert_eq!(code(Gate::Failed, fail_undecided), Some(1));
            assert_eq!(code(Gate::Unknown, fail_undecided), Some(1), "a gate on nothing does not pass");
        }
        assert_eq!((code(Gate::Undecided, false), code(Gate::Undecided, true)), (None, Some(1)));
        let problem = judged(20_454, Gate::Failed, false, &Streams::in_memory()).unwrap_err();
        assert_eq!(problem.what, "the storage will most likely be used up before 2026-01-01");
    }
}
