//! `rigel capacity replay`: a period of the store as a load file.
//!
//! Must not choose phases or rates; `rigel_capacity::replay` does.

use super::guests::Guests;
use super::hosts::{self, Whose};
use super::uncertain;
use crate::args::ReplayOptions;
use crate::capacity_store::{Store, place};
use crate::output;
use crate::progress::WorkProgress;
use crate::streams::Streams;
use rigel_capacity::headroom::WhatIf;
use rigel_capacity::replay::{Gatherer, HistoryExcerpt, Life, Replay, step_ms};
use rigel_capacity::sum::usual_table;
use rigel_capacity::when::shown;
use rigel_capacity::{
    DAY_MS, Key, KeySummary, Kind, Members, Metric, Selection, Source, Span, Subject, Table,
};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::say::{listed, trimmed, whole};
use rigel_report::replay::ReplayReport;

/// A time that is not named.
const USUAL_MS: i64 = 7 * DAY_MS;

pub fn replay(options: &ReplayOptions, streams: &Streams) -> Result<(), Problem> {
    let path = place(options.store.as_deref())?;
    let store = Store::open_to_read(&path)?;
    let file = path_text::encode(&path);
    // Who names disks says which of them count.
    let (held, remarks) = match options.disks.is_empty() {
        true => uncertain::settled(&store, store.held()?)?,
        false => (store.held()?, Vec::new()),
    };
    let mut chosen = StoreSelection::of(&held, options, &file)?;
    chosen.others.extend(remarks);
    let range_ms = chosen.range(options)?;
    chosen.narrow(range_ms);
    chosen.check_names(range_ms)?;
    chosen.add_guests(&store, options, range_ms)?;
    let lives = Life::all(&chosen.members, &chosen.held);
    let finest_ms = step_ms(&lives, (0, 0));
    let step_ms = options.step_ms.unwrap_or_else(|| step_ms(&lives, range_ms));
    let gathered = gather(&store, &chosen, (&lives, step_ms), range_ms, (options, streams))?;
    if gathered.rows.is_empty() {
        let is_too_fine = options.step_ms.is_some_and(|asked| asked < finest_ms);
        return Err(if is_too_fine {
            chosen.too_fine(step_ms, finest_ms)
        } else {
            chosen.nothing(range_ms, step_ms)
        });
    }
    let scale = options.scale * options.what_if.times();
    let mut replay = Replay::of(&gathered, step_ms, options.most, scale)?;
    replay.load.assume(what_if(&options.what_if));
    let nodes = match options.nodes {
        true => chosen.node_shares(&gathered, &options.what_if.without)?,
        false => Vec::new(),
    };
    replay.load.node_share = nodes.iter().map(|one| one.1).collect();
    let told = ReplayReport {
        command: &format!("capacity {}", options.command),
        members: &chosen.members,
        nodes: &nodes,
        left_out_stretches: gathered.left_out,
        left_out: &chosen.left_out,
        sources: &chosen.sources(),
        range_ms,
        replay: &replay,
    };
    match &options.out {
        Some(out) => output::write_whole(out, told.file().as_bytes(), options.force)?,
        None => streams.results(told.file().as_bytes())?,
    }
    if !options.quiet {
        chosen.others.iter().for_each(|text| streams.remark(text));
        hosts::handovers(&chosen.members, range_ms).iter().for_each(|text| streams.remark(text));
        told.remarks().iter().for_each(|text| streams.remark(text));
    }
    Ok(())
}

/// Which part of the store is meant.
struct StoreSelection {
    whose: Whose,
    members: Members,
    left_out: Vec<Subject>,
    /// The tables of all disks and databases that may be meant.
    all: Vec<KeySummary>,
    /// The tables of those that count.
    held: Vec<KeySummary>,
    /// Whether these are all disks of the hosts.
    is_all: bool,
    /// Who else has load on the storage, and what is left out.
    others: Vec<String>,
    /// The load of files, in all hours of the period.
    guests: Vec<(Key, Table)>,
}

/// The members with the load, their tables, and the disks that lie on them.
fn meant(whose: &Whose, held: &[KeySummary]) -> (Members, Vec<KeySummary>, Vec<Subject>) {
    let members = whose.members(held, &[]);
    let is_meant = |key: &Key| members.parts().any(|(own, one)| own == key.host && one.is_same(&key.subject));
    let disks = held.iter().map(|one| &one.key).filter(|key| key.subject.kind == Kind::Disk);
    let left_out = Subject::distinct(disks.filter(|key| !is_meant(key)).map(|key| &key.subject));
    let held = held.iter().filter(|one| is_meant(&one.key)).cloned().collect();
    (members, held, left_out)
}

/// What is assumed, one sentence each.
fn what_if(what_if: &WhatIf) -> Vec<String> {
    let WhatIf { without, files, more } = what_if;
    let gone = (!without.is_empty()).then(|| {
        let (are, their) = if without.len() == 1 { ("is", "its") } else { ("are", "their") };
        let names = listed(without);
        format!("What if: {names} {are} gone; {their} load moves to the others, and the sum stays")
    });
    let added = files.iter().map(|file| format!("What if: with the load of {file}"));
    let more =
        more.map(|more| format!("What if: all rates are {} times those of the history", trimmed(1.0 + more)));
    gone.into_iter().chain(added).chain(more).collect()
}

impl StoreSelection {
    fn of(all: &[KeySummary], options: &ReplayOptions, file: &str) -> Result<Self, Problem> {
        let whose = Whose::of(all, &options.whose, &options.stem, file)?;
        whose.check_without(&options.what_if.without)?;
        let selection = Selection {
            hosts: whose.hosts.clone(),
            subjects: options.disks.clone(),
            source: options.source,
            ..Selection::default()
        };
        let has_ops = |one: &&KeySummary| {
            one.metrics.contains(&Metric::ReadOps) || one.metrics.contains(&Metric::AllOps)
        };
        let is_own = |one: &&KeySummary| whose.wants(&one.key) && one.key.subject.kind != Kind::Host;
        let known: Vec<&KeySummary> = all.iter().filter(is_own).filter(has_ops).collect();
        let held: Vec<KeySummary> =
            known.iter().filter(|one| selection.wants(&one.key)).map(|one| (*one).clone()).collect();
        if whose.members(&held, &[]).all().is_empty() {
            let subjects = Subject::distinct(known.into_iter().map(|one| &one.key.subject));
            let names: Vec<String> = subjects.iter().map(ToString::to_string).collect();
            return Err(Problem::usage(format!("the history of {} has no such I/O", whose.name))
                .at("--disk, --source")
                .because(match names.as_slice() {
                    [] => "it has none at all".to_owned(),
                    names => format!("it has I/O of {}", names.join(", ")),
                })
                .next(format!(
                    "{}; rigel capacity list shows what there is",
                    if whose.is_database() {
                        "name another database, or hosts with --host"
                    } else {
                        "name one of them with --disk, or another --host"
                    }
                )));
        }
        let (members, own, left_out) = meant(&whose, &held);
        let is_all = whose.hosts.iter().all(|host| hosts::means_all(all, host, &options.disks));
        // The file is there by the time that the command is typed.
        let stem = if options.out.is_some() && !options.force {
            options.stem.adding("--force")
        } else {
            options.stem.clone()
        };
        let others = whose.others(all, &stem).filter(|_| options.disks.is_empty());
        let others = others.into_iter().chain(whose.nameless(all)).collect();
        Ok(Self { whose, members, left_out, all: held, held: own, is_all, others, guests: Vec::new() })
    }

    /// Takes the load of files in.
    fn add_guests(
        &mut self,
        store: &Store,
        options: &ReplayOptions,
        range_ms: (i64, i64),
    ) -> Result<(), Problem> {
        let mut guests = Guests::new(options.zone.as_deref(), store);
        for file in &options.files {
            let before = self.guests.len();
            for (key, table) in guests.take(file, &mut self.members)? {
                let table = usual_table(&table, range_ms);
                if table.is_empty() {
                    continue;
                }
                let summary = |spans: &[Span]| KeySummary {
                    key: key.clone(),
                    metrics: table.metrics().collect(),
                    first_ms: spans.first().map_or(0, |span| span.start_ms),
                    last_ms: spans.last().map_or(0, |span| span.end_ms()),
                    covered_ms: spans.iter().map(|span| i64::from(span.length_ms)).sum(),
                    rows: u64::try_from(spans.len()).unwrap_or(u64::MAX),
                    bytes: 0,
                };
                self.held.push(summary(table.spans()));
                self.guests.push((key, table));
            }
            if self.guests.len() == before {
                return Err(Problem::usage("the file has too little load to add")
                    .at(format!("--add {}", path_text::encode(file)))
                    .because("its usual week consists of whole hours, but no hour is at least half known")
                    .next("give a file of several hours, preferably of a week"));
            }
        }
        self.others.extend(guests.remarks);
        Ok(())
    }

    /// The share of each host in the load, in per cent, once that of removed hosts has moved to the others; 0 for one without load in that period.
    fn node_shares(
        &self,
        gathered: &HistoryExcerpt,
        without: &[String],
    ) -> Result<Vec<(String, u32)>, Problem> {
        let own = |host: &String| -> f64 {
            let members = self.members.all().iter().zip(&gathered.member_ops);
            members.filter(|(member, _)| member.file.is_none() && member.host == *host).map(|one| one.1).sum()
        };
        let stay = self.whose.hosts.iter().filter(|host| !without.contains(host));
        let ops: Vec<(&String, f64)> = stay.map(|host| (host, own(host))).collect();
        let all: f64 = ops.iter().map(|one| one.1).sum();
        if all <= 0.0 {
            return Err(Problem::usage("the hosts that stay had no I/O in that time")
                .at("--without")
                .because("their shares of the load are all 0")
                .next("leave out --nodes, or choose another time with --from and --to"));
        }
        let share = |ops: f64| u32::try_from(whole(100.0 * ops / all)).unwrap_or(100);
        Ok(ops.into_iter().map(|(host, ops)| (host.clone(), share(ops))).collect())
    }

    /// The period that is meant.
    fn range(&self, options: &ReplayOptions) -> Result<(i64, i64), Problem> {
        let last = self.held.iter().map(|one| one.last_ms).max().unwrap_or(0);
        let first = self.held.iter().map(|one| one.first_ms).min().unwrap_or(0);
        let named =
            |text: &Option<String>, at: &str| text.as_deref().map(|text| hosts::moment(text, at)).transpose();
        let to_ms = named(&options.to, "--to")?.unwrap_or(last);
        let from_ms = named(&options.from, "--from")?.unwrap_or_else(|| first.max(to_ms - USUAL_MS));
        if from_ms < to_ms {
            return Ok((from_ms, to_ms));
        }
        Err(Problem::usage(format!(
            "from {} to {} UTC is not a valid time range",
            shown(from_ms),
            shown(to_ms)
        ))
        .at("--from, --to")
        .because(format!("the history covers {} to {} UTC", shown(first), shown(last)))
        .next("give a --from before --to"))
    }

    /// Only what was there in a time: what counts there is chosen among it.
    fn narrow(&mut self, (from_ms, to_ms): (i64, i64)) {
        let there: Vec<KeySummary> =
            self.all.iter().filter(|one| one.first_ms < to_ms && one.last_ms > from_ms).cloned().collect();
        if !there.is_empty() {
            (self.members, self.held, self.left_out) = meant(&self.whose, &there);
        }
    }

    /// Two disks with one name at the same time belong to two hosts, or are one that two tools identify in different ways.
    fn check_names(&self, (from_ms, to_ms): (i64, i64)) -> Result<(), Problem> {
        let clash = |one: &KeySummary, other: &KeySummary| {
            let common =
                one.last_ms.min(other.last_ms).min(to_ms) - one.first_ms.max(other.first_ms).max(from_ms);
            let same_name = one.key.subject.name == other.key.subject.name && one.key.host == other.key.host;
            same_name && !one.key.subject.is_same(&other.key.subject) && common > 0
        };
        let found =
            self.held.iter().find_map(|one| Some((one, self.held.iter().find(|other| clash(one, other))?)));
        let Some((one, other)) = found else { return Ok(()) };
        Err(Problem::usage(format!("two disks of {} are called {} at the same time", one.key.host, one.key.subject))
            .because(format!(
                "{} calls one {}, and {} the other {}: they are from two hosts under one name, or two tools use different ids for one disk",
                one.key.source.name(), one.key.subject.id, other.key.source.name(), other.key.subject.id
            ))
            .next(if self.whose.is_database() {
                "select one tool with --source"
            } else {
                "select one by id with --disk ID, or one tool with --source"
            }))
    }

    /// The problem that nothing is known in intervals that short.
    fn too_fine(&self, step_ms: u32, finest_ms: u32) -> Problem {
        let finest_s = finest_ms / 1000;
        Problem::usage(format!(
            "intervals of {} s are too fine for the history of {}",
            step_ms / 1000,
            self.whose.name
        ))
        .at("--every")
        .because(format!("some of the imported history is coarser: it has intervals of {finest_s} s"))
        .next(format!("give --every {finest_s}s, or leave it out"))
    }

    /// Which of the rates that a load needs exist, if that is not enough.
    fn lacks(&self) -> Option<&'static str> {
        let has = |metric| self.held.iter().any(|one| one.metrics.contains(&metric));
        match (has(Metric::AllOps), has(Metric::ReadOps), has(Metric::WriteOps)) {
            (true, ..) | (_, true, true) => None,
            (_, true, false) => Some("reads and no writes"),
            (_, false, true) => Some("writes and no reads"),
            (_, false, false) => Some("no rates of I/Os"),
        }
    }

    /// The problem that nothing is known about a period.
    fn nothing(&self, (from_ms, to_ms): (i64, i64), step_ms: u32) -> Problem {
        let before = self.held.iter().filter(|one| one.first_ms < from_ms).map(|one| one.last_ms).max();
        let within = self.held.iter().any(|one| one.first_ms < to_ms && one.last_ms > from_ms);
        let first = self.held.iter().map(|one| one.first_ms).min().unwrap_or(0);
        let last = self.held.iter().map(|one| one.last_ms).max().unwrap_or(0);
        if let Some(lacks) = self.lacks().filter(|_| within) {
            return Problem::usage(format!("the history of {} has {lacks}", self.whose.name))
                .at("--from, --to")
                .because("a load needs the rates of reads and of writes, and these files do not have both")
                .next("import what is missing under the same host");
        }
        let long_ms = to_ms.min(last) - from_ms.max(first);
        if within && long_ms < 2 * i64::from(step_ms) {
            return Problem::usage(format!("the history of {} is too short for a load", self.whose.name))
                .at("--from, --to")
                .because(format!(
                    "it covers {} s, and no whole interval of {} s",
                    long_ms / 1000,
                    step_ms / 1000
                ))
                .next("import or record a longer time, of a few minutes at least");
        }
        let because = if within && before.is_some() {
            format!(
                "the time is in a gap, or no interval of {} s covers all disks and hosts at once; the history covers {} to {} UTC",
                step_ms / 1000,
                shown(first),
                shown(last)
            )
        } else {
            format!("the history covers {} to {} UTC", shown(first), shown(last))
        };
        Problem::usage(format!(
            "the history of {} has no I/O from {} to {} UTC",
            self.whose.name,
            shown(from_ms),
            shown(to_ms)
        ))
        .at("--from, --to")
        .because(because)
        .next(format!(
            "rigel capacity show draws each disk's history, including gaps; choose a time with data{}",
            if self.whose.is_database() { "" } else { ", or one disk with --disk" }
        ))
    }

    fn sources(&self) -> Vec<Source> {
        let mut all: Vec<Source> = self.held.iter().map(|one| one.key.source).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Reads the store a day at a time, so that memory is that of a day.
fn gather(
    store: &Store,
    chosen: &StoreSelection,
    (lives, step_ms): (&[Life], u32),
    (from_ms, to_ms): (i64, i64),
    (options, streams): (&ReplayOptions, &Streams),
) -> Result<HistoryExcerpt, Problem> {
    let mut gatherer = Gatherer::new(lives, step_ms);
    let mut progress = WorkProgress::of_days(streams, options.quiet);
    let first = from_ms.div_euclid(DAY_MS);
    let last = (to_ms - 1).div_euclid(DAY_MS);
    let days = (last - first + 1).unsigned_abs();
    for (done, day) in (1..).zip(first..=last) {
        let part_ms = (from_ms.max(day * DAY_MS), to_ms.min((day + 1) * DAY_MS));
        let selection = Selection {
            hosts: chosen.whose.hosts.clone(),
            subjects: chosen.names(),
            // The host tells nothing of some of its disks.
            with_host: chosen.is_all,
            source: options.source,
            from_ms: Some(part_ms.0 - gatherer.margin_ms()),
            to_ms: Some(part_ms.1),
            step_ms: None,
        };
        let mut history = store.history(&selection)?;
        for (key, table) in &chosen.guests {
            history.add(key.clone(), &table.slice(part_ms.0 - gatherer.margin_ms(), part_ms.1));
        }
        gatherer.add(&history, part_ms);
        progress.done_of(done, days);
    }
    Ok(gatherer.finish())
}

impl StoreSelection {
    /// Every name and id that the subjects have.
    fn names(&self) -> Vec<String> {
        let of = |one: &KeySummary| [one.key.subject.name.clone(), one.key.subject.id.clone()];
        let mut all: Vec<String> = self.held.iter().flat_map(of).filter(|name| !name.is_empty()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
