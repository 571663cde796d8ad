//! What production did: imports, what a store holds, forecasts, and a recorded time as a load.

use super::super::super::Document;
use super::super::super::documents::{ASCII, COLOUR, joined, told};
use super::super::Case;
use super::super::calibrations::{PLAIN, calibrated, plain};
use rigel_capacity::headroom::{Course, Demand, Grow, Scenario, Storage, Surface, WhatIf};
use rigel_capacity::read::{Options, Reader};
use rigel_capacity::replay::{Gatherer, Life, PhaseLimit, Replay, step_ms};
use rigel_capacity::{
    DAY_MS, HOUR_MS, Harvest, History, Key, KeySummary, Kind, Members, MergeCounts, Metric, Source, Span,
    Subject, Table, day,
};
use rigel_core::judge::findings::Findings;
use rigel_core::record::Record;
use rigel_core::units::{GIB, KIB, to_f64};
use rigel_report::document::Document as _;
use rigel_report::text::Style;
use rigel_report::{capacity, headroom, replay};
use std::collections::BTreeMap;

/// The first of March 2025.
const BEGIN_MS: i64 = 20_148 * DAY_MS;
const HOST: &str = "db1";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("capacity-imports", imports),
        Case::other("capacity-store", store),
        Case::other("capacity-forecast", || forecast(420, &Scenario::default(), Some("2026-12"))),
        Case::other("capacity-forecast-scenario", || forecast(420, &scenario()?, Some("2026-08"))),
        Case::other("capacity-forecast-short", || forecast(9, &Scenario::default(), Some("2027-01"))),
        Case::other("capacity-forecast-sum", summed),
        Case::other("capacity-scenarios-refused", refused),
        Case::other("capacity-replay", || replayed(&[], 12)),
        Case::other("capacity-replay-unparted", || {
            replayed(&[Metric::AllOps, Metric::ReadBytes, Metric::WriteBytes], 4)
        }),
    ]
}

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../../../../../../crates/rigel-capacity/tests-data/", $name)).as_slice(),
        )
    };
}

/// Files that other tools wrote.
fn files() -> Vec<(&'static str, &'static [u8])> {
    vec![
        file!("cloudwatch-ebs.json"),
        file!("collectl-4.3.1.dsk"),
        file!("iostat-12.6.1.json"),
        file!("iostat-12.6.1-c-locale.json"),
        file!("iostat-12.6.1-disk-gone.json"),
        file!("node-exporter-1.5.0.txt"),
        file!("oswatcher-iostat-12.6.1.dat"),
        file!("pg_stat_io-17.10.csv"),
        file!("pg_stat_io-18.4.jsonl"),
        file!("prometheus-2.42.0.json"),
        file!("prometheus-2.42.0-instant.json"),
        file!("sadf-12.6.1.json"),
        file!("sadf-12.6.1-restarts.json"),
    ]
}

/// The report on each imported file, and on one that is imported again.
fn imports() -> anyhow::Result<Vec<Document>> {
    let mut all = String::new();
    for (name, bytes) in files() {
        all += &imported(name, bytes);
    }
    all += &imported("something.csv", b"a,b\n1,2\n");
    Ok(vec![Document::new("text", all)])
}

fn imported(name: &str, bytes: &[u8]) -> String {
    let mut harvest = Harvest::default();
    let mut reader = Reader::new(Options { host: Some(HOST.into()), ..Options::default() });
    let read = reader.bytes(bytes, &mut harvest).and_then(|()| reader.end(&mut harvest));
    match read {
        Err(problem) => format!("{name}\n{}", told(&problem)),
        Ok((format, seen)) => {
            let added = harvest.values();
            let merged = MergeCounts {
                added,
                known: added / 3,
                differing: 1,
                overlapping: 2,
                first_differing_ms: None,
            };
            let file = capacity::ImportReport { file: name.into(), others: 0, format, seen, merged };
            file.text(Style::default())
        }
    }
}

/// A host whose load grows by a line, busy by day and on weekdays, with a filesystem that fills.
fn tables(days: i64) -> BTreeMap<Key, Table> {
    let mut harvest = Harvest::default();
    let key = |subject| Key::new(HOST, subject, Source::Prometheus);
    let disk = key(Subject::disk("sdb", "wwn-0x5000c50000000000"));
    let data = key(Subject::named(Kind::Filesystem, "/data"));
    for step in 0..days * 12 {
        let (day, hour) = (step / 12, step % 12 * 2);
        let busy = if (8..18).contains(&hour) { 10 } else { 3 };
        let weekday = if day % 7 > 4 { 5 } else { 10 };
        // A little noise without chance.
        let noise = 97 + step * 7919 % 7;
        let thousandths = busy * weekday * noise * (100 + day / 3);
        let reads = to_f64(thousandths.unsigned_abs()) / 1000.0;
        let Some(span) = Span::between(BEGIN_MS + step * 2 * HOUR_MS, BEGIN_MS + (step + 1) * 2 * HOUR_MS)
        else {
            continue;
        };
        let values = [
            (Metric::ReadOps, reads),
            (Metric::WriteOps, reads / 2.0),
            (Metric::ReadBytes, 8192.0 * reads),
            (Metric::WriteBytes, 8192.0 * reads),
        ];
        harvest.row(&disk, span, &values);
        if hour == 0 {
            let used = to_f64(40 * GIB) + to_f64(day.unsigned_abs() * 64 * KIB * 1024);
            harvest.row(&data, span, &[(Metric::UsedBytes, used), (Metric::SizeBytes, to_f64(100 * GIB))]);
        }
    }
    harvest.take()
}

fn history(tables: &BTreeMap<Key, Table>) -> History {
    let mut history = History::default();
    tables.iter().for_each(|(key, table)| history.add(key.clone(), table));
    history
}

fn held(tables: &BTreeMap<Key, Table>) -> Vec<KeySummary> {
    let one = |(key, table): (&Key, &Table)| KeySummary {
        key: key.clone(),
        metrics: table.metrics().collect(),
        first_ms: table.spans().first().map_or(0, |span| span.start_ms),
        last_ms: table.spans().last().map_or(0, |span| span.end_ms()),
        covered_ms: table.spans().iter().map(|span| i64::from(span.length_ms)).sum(),
        rows: table.spans().len() as u64,
        bytes: 4 * table.values(),
    };
    tables.iter().map(one).collect()
}

fn store() -> anyhow::Result<Vec<Document>> {
    let tables = tables(30);
    let history = history(&tables);
    let subjects = tables.keys().map(|key| &key.subject);
    let overview: String = subjects.map(|subject| capacity::overview(&history, HOST, subject)).collect();
    Ok(vec![
        Document::new("list", capacity::Holdings(&held(&tables)).text(Style::default())),
        Document::new("overview", overview),
    ])
}

fn scenario() -> anyhow::Result<Scenario> {
    let added = ["200GB@2026-08", "50IOPS@2026-09-15", "-10%@2026-11"].map(|text| text.parse());
    let added = added.into_iter().collect::<Result<_, _>>().map_err(anyhow::Error::msg)?;
    let Grow::ByYear(growth) = "30%/y".parse().map_err(anyhow::Error::msg)? else {
        anyhow::bail!("30%/y is a growth per year")
    };
    Ok(Scenario { growth: Some(growth), added, ..Scenario::default() })
}

fn forecast(days: i64, scenario: &Scenario, fail_before: Option<&str>) -> anyhow::Result<Vec<Document>> {
    let history = history(&tables(days));
    let members = Members::of_host(&history, HOST);
    forecast_of(&history, (&members, HOST), scenario, fail_before)
}

/// Two hosts, one of which lacks some days, with a what-if.
fn summed() -> anyhow::Result<Vec<Document>> {
    let mut history = history(&tables(420));
    for (key, table) in tables(420).into_iter().filter(|(key, _)| key.subject.kind == Kind::Disk) {
        let gone = table.slice(BEGIN_MS + 60 * DAY_MS, i64::MAX);
        history.add(Key::new("db2", key.subject, key.source), &gone);
    }
    let members = Members::of_history(&history, &[HOST.to_owned(), "db2".to_owned()]);
    let what_if = WhatIf { without: vec!["db2".to_owned()], files: Vec::new(), more: Some(0.3) };
    let scenario = Scenario { what_if, ..Scenario::default() };
    forecast_of(&history, (&members, "db1 and db2"), &scenario, None)
}

fn forecast_of(
    history: &History,
    (members, host): (&Members, &str),
    scenario: &Scenario,
    fail_before: Option<&str>,
) -> anyhow::Result<Vec<Document>> {
    let demand = Demand::of(history, members, &scenario.what_if, 3600);
    let course = |(resource, daily): &(_, rigel_capacity::forecast::Daily)| {
        Course::of(*resource, daily.clone(), 365, scenario)
    };
    let courses: Vec<Course> = demand.daily.iter().map(course).collect();
    let surface = |record: &Record| Surface::of(record, &Findings::of(record));
    let here = surface(&plain()?)?.with_space(demand.size_bytes.unwrap_or(0.0), "size of the filesystem");
    let faster = surface(&calibrated(&PLAIN.replace("servers=4", "servers=8"))?)?;
    let storages =
        [Storage::of("here_record.jsonl", here, &courses), Storage::of("new_record.jsonl", faster, &courses)];
    let gate = fail_before.and_then(day::read).map(|at| (at, storages[0].gate(at)));
    let asked = "2026-04-25T09:00:00+01:00";
    let told = headroom::HeadroomReport {
        host,
        asked,
        demand: &demand,
        courses: &courses,
        storages: &storages,
        scenario,
        gate,
    };
    Ok(vec![
        Document::new("text", headroom::text(&told, Style::default())),
        Document::new("text-colour", headroom::text(&told, COLOUR)),
        Document::new("text-ascii", headroom::text(&told, ASCII)),
        Document::new("json", headroom::json(&told)?),
        joined("html", &[headroom::page(&told)?]),
    ])
}

fn refused() -> anyhow::Result<Vec<Document>> {
    let added = ["200GB", "200GB@soon", "xIOPS@2027-04", "5KB@2027-04"]
        .map(|text| text.parse::<rigel_capacity::headroom::DemandStep>().err());
    let growth = ["30", "-100%/y", "inf%"].map(|text| text.parse::<Grow>().err());
    let all: Vec<String> = added.into_iter().chain(growth).flatten().collect();
    Ok(vec![Document::new("text", all.join("\n") + "\n")])
}

/// Two days of two disks, busy at different times; `only`: the only metrics that are known, all when empty.
fn replayed(only: &[Metric], most: usize) -> anyhow::Result<Vec<Document>> {
    let mut harvest = Harvest::default();
    let disks = [("sdb", "wwn-1", 1), ("sdc", "wwn-2", 3), ("dm-0", "LVM-x", 4)];
    for (name, id, times) in disks {
        let key = Key::new(HOST, Subject::disk(name, id), Source::Iostat);
        for step in 0..2 * 288 {
            let Some(span) = Span::between(BEGIN_MS + step * 300_000, BEGIN_MS + (step + 1) * 300_000) else {
                continue;
            };
            let hour = step / 12 % 24;
            let busy = match hour {
                9 | 14 => 90,
                10..=13 => 40,
                22 => 5,
                _ => 10,
            };
            let ops = to_f64((busy * times * (95 + step * 31 % 11)).unsigned_abs()) / 100.0;
            let all = [
                (Metric::ReadOps, ops),
                (Metric::WriteOps, if hour == 22 { 20.0 * ops } else { ops / 4.0 }),
                (Metric::ReadBytes, 8192.0 * ops),
                (Metric::WriteBytes, if hour == 22 { 20.0 * 262_144.0 * ops } else { 4096.0 * ops }),
                (Metric::AllOps, 1.25 * ops),
            ];
            let is_wanted = |(metric, _): &(Metric, f64)| {
                if only.is_empty() { *metric != Metric::AllOps } else { only.contains(metric) }
            };
            harvest.row(&key, span, &all.into_iter().filter(is_wanted).collect::<Vec<_>>());
        }
    }
    let tables = harvest.take();
    let history = history(&tables);
    let members = Members::of_host(&history, HOST);
    let is_own = |subject: &Subject| members.parts().any(|(_, own)| own == subject);
    let subjects = tables.keys().map(|key| key.subject.clone());
    let left_out: Vec<Subject> = subjects.filter(|one| !is_own(one)).collect();
    let lives = Life::all(&members, &held(&tables));
    let range_ms = (BEGIN_MS, BEGIN_MS + 2 * DAY_MS);
    let step_ms = step_ms(&lives, range_ms);
    let mut gatherer = Gatherer::new(&lives, step_ms);
    gatherer.add(&history, range_ms);
    let replay = Replay::of(&gatherer.finish(), step_ms, PhaseLimit::Phases(most), 1.5)?;
    let told = replay::ReplayReport {
        command: "capacity replay --host db1 --scale 1.5",
        members: &members,
        nodes: &[],
        left_out_stretches: 0,
        left_out: &left_out,
        sources: &[Source::Iostat],
        range_ms,
        replay: &replay,
    };
    Ok(vec![
        Document::new("load.toml", told.file()),
        Document::new("remarks", told.remarks().iter().map(|text| format!("{text}\n")).collect::<String>()),
    ])
}
