//! What was imported, and what a store of capacity holds, as text.
//!
//! Must not open the store.

use crate::document::{Block, Blocks, Column, Document, Room, Table};
use crate::text::Style;
use rigel_capacity::read::{Format, ReaderNotes};
use rigel_capacity::sum::{OPS, Space};
use rigel_capacity::when::shown;
use rigel_capacity::{
    Across, Behaviour, History, KeySummary, Members, MergeCounts, Metric, Sample, Series, Subject,
};
use rigel_core::units::say::{counted, listed, percent, short};
use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// Characters of a course.
const PLACES: usize = 48;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Busy hours are above this quantile of the time.
const BUSY: f64 = 0.95;

/// An imported file, or several of one format and host together.
#[derive(Clone, Debug)]
pub struct ImportReport {
    /// Its name, printable; for several that of the first.
    pub file: String,
    /// The number of others.
    pub others: usize,
    /// Its format.
    pub format: Format,
    /// What the reader saw.
    pub seen: ReaderNotes,
    /// How the store changed.
    pub merged: MergeCounts,
}

impl ImportReport {
    /// Adds the next file, if it has the same format and hosts, and there is nothing to remark on either.
    #[must_use]
    pub fn join(&mut self, other: &Self) -> bool {
        let told = |one: &Self| (one.format, one.seen.unparted, one.seen.parted_of_host);
        let is_same = told(self) == told(other) && self.seen.hosts == other.seen.hosts;
        let is_same = is_same
            && self.seen.notes == other.seen.notes
            && self.seen.left_out.is_empty()
            && other.seen.left_out.is_empty()
            && self.remarks().chain(other.remarks()).next().is_none();
        if is_same {
            self.others += 1 + other.others;
            self.merged.add(other.merged);
            self.seen.add(&other.seen);
        }
        is_same
    }

    /// Adds another file of the same format, with its remarks.
    #[must_use]
    pub fn join_kind(&mut self, other: &Self) -> bool {
        let is_same = self.format == other.format;
        if is_same {
            self.others += 1 + other.others;
            self.merged.add(other.merged);
            self.seen.add(&other.seen);
        }
        is_same
    }

    /// What was left out of it, or is worth knowing.
    fn remarks(&self) -> impl Iterator<Item = (u64, &'static str)> + use<> {
        let Self { seen, merged, .. } = self;
        let all = [
            (seen.resets, "counter that fell (reboot or reset of statistics); that interval is left out"),
            (seen.gaps, "gap without readings"),
            (seen.reboots, "reboot or restart recorded in the file"),
            (merged.overlapping, "interval overlapping others, which are kept"),
            (merged.differing, "different value for a known sample, which is kept"),
            (seen.backwards, "row with a time before the last one, left out"),
            (seen.skipped, "row with a local time that the clock skipped, left out"),
            (
                seen.unusable,
                "impossible value (not a number, below 0, or more than any host can do); left out",
            ),
        ];
        all.into_iter().filter(|(count, _)| *count > 0)
    }

    /// What many files of one tool have in common.
    fn usual(&self) -> impl Iterator<Item = (u64, &'static str)> + use<> {
        let first = "first report of a run, left out: it is the mean since the host was started, or of an unknown interval";
        let idle = "disk without a line in a report (as with -z), taken as idle then";
        [(self.seen.first_reports, first), (self.seen.idle, idle)].into_iter().filter(|(count, _)| *count > 0)
    }
}

/// A line for the file, and one for each remark.
impl Document for ImportReport {
    fn blocks(&self, _room: Room) -> Blocks {
        let others = if self.others > 0 { format!(" and {} more", self.others) } else { String::new() };
        let head = format!("{}{others}: {}", self.file, self.outcome());
        self.lines(head).into()
    }
}

impl ImportReport {
    /// Its format and hosts, and the new values.
    fn outcome(&self) -> String {
        let Self { seen, merged, .. } = self;
        let hosts: Vec<&str> = seen.hosts.iter().map(String::as_str).collect();
        let known =
            if merged.known > 0 { format!(", {} there already", merged.known) } else { String::new() };
        let new = counted(merged.added, "value");
        format!("{} of {}: {new} new{known}", self.format.name(), hosts.join(", "))
    }

    /// A first line, and one for each remark.
    fn lines(&self, head: String) -> Vec<Block> {
        let seen = &self.seen;
        let remarks = self.remarks().chain(self.usual()).map(|(count, what)| format!("{count} x {what}"));
        let parted = match self.format {
            _ if seen.parted_of_host => PARTED_OF_HOST,
            Format::Nmon => NOT_PARTED_BY_NMON,
            _ => NOT_PARTED,
        };
        let parted = seen.unparted.then_some(parted);
        let remarks =
            remarks.chain(left_out(&seen.left_out)).chain(seen.notes.iter().map(ToString::to_string));
        let remarks = remarks
            .chain(parted.map(str::to_owned))
            .chain(sampled(seen))
            .map(|text| Block::whole("  ", text));
        std::iter::once(Block::whole("", head)).chain(remarks).collect()
    }
}

/// Files of a directory that were left out for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesLeftOut {
    /// The reason, and what to do.
    pub why: String,
    /// Names of the first ones, printable.
    pub names: Vec<String>,
    /// The number of files.
    pub count: u64,
}

/// An imported directory.
#[derive(Clone, Debug, Default)]
pub struct DirectoryReport {
    /// Its name, printable.
    pub name: String,
    /// All files of a format together.
    pub kinds: Vec<ImportReport>,
    left_out: Vec<FilesLeftOut>,
}

impl DirectoryReport {
    /// The report of a directory.
    pub fn of(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Adds an imported file.
    pub fn add(&mut self, file: ImportReport) {
        if !self.kinds.iter_mut().any(|kind| kind.join_kind(&file)) {
            self.kinds.push(file);
        }
    }

    /// Adds a file that was left out.
    pub fn leaves_out(&mut self, why: String, name: String) {
        let at = self.left_out.iter().position(|reason| reason.why == why).unwrap_or(self.left_out.len());
        if at == self.left_out.len() {
            self.left_out.push(FilesLeftOut { why, ..FilesLeftOut::default() });
        }
        let reason = &mut self.left_out[at];
        reason.count += 1;
        if reason.names.len() < NAMES {
            reason.names.push(name);
        }
    }
}

/// A line for each kind of file, and one for each reason why files were left out.
impl Document for DirectoryReport {
    fn blocks(&self, _room: Room) -> Blocks {
        let read = self
            .kinds
            .iter()
            .flat_map(|kind| kind.lines(format!("{}: {} x {}", self.name, kind.others + 1, kind.outcome())));
        let left_out: u64 = self.left_out.iter().map(|reason| reason.count).sum();
        let head = (left_out > 0)
            .then(|| Block::whole("", format!("{}: {} left out", self.name, counted(left_out, "file"))));
        let reasons = self.left_out.iter().map(|FilesLeftOut { why, names, count }| {
            let more = count.saturating_sub(u64::try_from(names.len()).unwrap_or_default());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Block::whole("  ", format!("{count} x {why}: {}{more}", names.join(", ")))
        });
        read.chain(head).chain(reasons).collect::<Vec<_>>().into()
    }
}

const PARTED_OF_HOST: &str =
    "reads and writes are separate only for the whole host: sysstat keeps the sum of a single disk";
const NOT_PARTED: &str =
    "reads and writes are not separate; `sadf -j FILE -- -b -d` separates them for the whole host";

const NOT_PARTED_BY_NMON: &str = "reads and writes are not separate; nmon separates them with `-g auto -D`";

/// The share of the time that a tool sampled, if its samples stand for all of it.
fn sampled(seen: &ReaderNotes) -> Option<String> {
    let share = to_f64(seen.sampled_ms) / to_f64(seen.spanned_ms.max(1));
    (seen.spanned_ms > 0).then(|| {
        format!(
            "the tool sampled {} % of the time; its samples stand for all of it, so short peaks are \
             estimates",
            percent(share.min(1.0))
        )
    })
}

/// Names of statistics in one line.
const NAMES: usize = 3;

/// The line about statistics that are not stored, so that nobody believes they were read.
fn left_out(rows: &BTreeMap<String, u64>) -> Option<String> {
    let all: u64 = rows.values().sum();
    let names: Vec<&str> = rows.keys().take(NAMES).map(String::as_str).collect();
    let more = rows.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (all > 0).then(|| format!("{all} x row of a statistic that is not kept: {}{more}", names.join(", ")))
}

/// The contents of a store: a line for each subject and source.
pub struct Holdings<'a>(pub &'a [KeySummary]);

impl Document for Holdings<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        vec![held(self.0)].into()
    }
}

fn held(held: &[KeySummary]) -> Block {
    let left = |head: &str| Column::left(head).gap(2);
    let covered = |one: &KeySummary| {
        let span = one.last_ms - one.first_ms;
        let share = to_f64(one.covered_ms.unsigned_abs()) / to_f64(span.unsigned_abs().max(1));
        format!("{} %", percent(share.min(1.0)))
    };
    let metrics =
        |one: &KeySummary| one.metrics.iter().map(|metric| metric.name()).collect::<Vec<_>>().join(" ");
    Table::of("subject", held)
        .column(left("host"), |one| one.key.host.clone())
        .column(left("what"), |one| one.key.subject.to_string())
        .column(left("source"), |one| one.key.source.name())
        .column(left("from (UTC)"), |one| shown(one.first_ms))
        .column(left("to (UTC)"), |one| shown(one.last_ms))
        .column(left("interval"), |one| interval(one.interval_ms()))
        .column(left("known"), covered)
        .column(left("bytes"), |one| short(to_f64(one.bytes)))
        .column(left("metrics"), metrics)
        .done()
}

/// A paragraph for a subject: a line for each metric.
pub fn overview(history: &History, host: &str, subject: &Subject) -> String {
    let metrics = history.metrics(host, subject).into_iter();
    let all: Vec<Series> = metrics.map(|metric| history.series(host, subject, metric)).collect();
    let id = if subject.id.is_empty() { String::new() } else { format!(" ({})", subject.id) };
    paragraph(&format!("{subject}{id} on {host}"), &all, &[])
}

/// A paragraph for the sum of members: a line for each metric, the share of each in the load, and what is left out.
pub fn overview_of_sum(history: &History, members: &Members, name: &str) -> String {
    let step_ms = members.step_ms(history);
    let series = |metric: Metric, samples: Vec<Sample>| Series {
        host: name.to_owned(),
        subject: Subject::host(),
        metric,
        samples,
    };
    let added = Metric::ALL.into_iter().filter(|metric| metric.across() != Across::Once);
    let mut all: Vec<Series> =
        added.map(|metric| series(metric, members.sum(history, &[&[metric]], step_ms).samples)).collect();
    all.extend(Space::of(history, members).map(|space| series(Metric::UsedBytes, space.used)));
    all.retain(|one| !one.samples.is_empty());
    let ops = members.sum(history, OPS, step_ms);
    let mut notes = Vec::new();
    let shares: Vec<String> =
        ops.shares(members).iter().map(|(host, share)| format!("{host} {} %", percent(*share))).collect();
    notes.extend((shares.len() > 1).then(|| format!("shares of the I/Os: {}", listed(&shares))));
    let sum = |metric: Metric| members.sum(history, &[&[metric]], step_ms);
    for (what, time, ops) in [
        ("reads", Metric::ReadTime, Metric::ReadOps),
        ("writes", Metric::WriteTime, Metric::WriteOps),
        ("I/Os", Metric::AllTime, Metric::AllOps),
    ] {
        let latency =
            sum(time).means_with(&sum(ops)).filter(|(_, ops)| *ops > 0.0).map(|(time, ops)| time / ops);
        notes.extend(
            latency.map(|s| format!("mean latency of {what}, weighted by load: {} ms", short(s * 1e3))),
        );
    }
    if ops.left_out_ms > 0 {
        notes.push(format!(
            "{} % of the time is left out, because only some of them are known then",
            percent(ops.left_out())
        ));
    }
    if all.is_empty() {
        notes.push(
            "there is no sum: at no time are all of them known, in intervals that fill five minutes"
                .to_owned(),
        );
        let head = std::iter::once(Block::whole("", format!("sum of {name}")));
        return Blocks::from(head.chain(lines(&notes)).collect::<Vec<_>>()).text(Style::default()) + "\n";
    }
    paragraph(&format!("sum of {name}"), &all, &notes)
}

fn lines(notes: &[String]) -> Vec<Block> {
    notes.iter().map(|note| Block::whole("  ", note.clone())).collect()
}

/// Series under a first line, with notes below.
fn paragraph(about: &str, all: &[Series], notes: &[String]) -> String {
    let first =
        all.iter().filter_map(|series| series.samples.first()).map(|sample| sample.span.start_ms).min();
    let last = all.iter().filter_map(|series| series.samples.last()).map(|sample| sample.span.end_ms()).max();
    let (Some(first), Some(last)) = (first, last) else { return String::new() };
    let number = |head: &str| Column::right(head).width(8);
    let table = Table::of("metric", all)
        .indent(2)
        .column(Column::left("").width(13), |series| series.metric.name())
        .column(number("mean"), |series| series.mean().map(short))
        .column(number("p95"), |series| series.quantile(BUSY).map(short))
        .column(number("most"), |series| most(series).map(|most| short(most.value)))
        .column(Column::left("most at (UTC)").width(16).gap(2), |series| {
            most(series).map_or_else(String::new, |most| match series.metric.behaviour() {
                Behaviour::Flow => shown(most.span.start_ms),
                Behaviour::Level => shown(most.span.end_ms()),
            })
        })
        .column(Column::left("course").width(PLACES).gap(2), |series| course(&series.samples, first, last))
        .column(Column::left("").gap(2), |series| unit(series.metric))
        .done();
    let about = format!("{about}, {} to {} UTC", shown(first), shown(last));
    let meaning = "p95: not exceeded 95 % of the time; of 5-minute means if the source has shorter intervals";
    let mut blocks = vec![Block::whole("", about), table, Block::whole("  ", meaning)];
    blocks.extend(lines(notes));
    Blocks::from(blocks).text(Style::default()) + "\n"
}

/// The first of the highest samples.
fn most(series: &Series) -> Option<&Sample> {
    series.samples.iter().rev().max_by(|one, other| one.value.total_cmp(&other.value))
}

fn unit(metric: Metric) -> &'static str {
    match (metric, metric.behaviour()) {
        (Metric::Busy | Metric::PressureSome | Metric::PressureFull, _) => "of the time",
        (Metric::ReadTime | Metric::WriteTime | Metric::AllTime, _) => "outstanding",
        (_, Behaviour::Level) => "bytes",
        (Metric::ReadBytes | Metric::WriteBytes | Metric::RedoBytes, _) => "bytes/s",
        _ => "per s",
    }
}

/// Means of equal parts of the time as bars; a space where nothing is known.
fn course(samples: &[Sample], first: i64, last: i64) -> String {
    let places = i64::try_from(PLACES).unwrap_or(1);
    let part = ((last - first) / places).max(1);
    let mut sums = [(0.0, 0.0); PLACES];
    for sample in samples {
        let place = usize::try_from((sample.span.start_ms - first) / part).unwrap_or(0).min(PLACES - 1);
        let weight = f64::from(sample.span.length_ms);
        sums[place] = (sums[place].0 + sample.value * weight, sums[place].1 + weight);
    }
    let means = sums.map(|(sum, weight)| if weight > 0.0 { sum / weight } else { f64::NAN });
    let most = means.iter().copied().fold(0.0, f64::max);
    let bar = |mean: &f64| match mean {
        _ if mean.is_nan() => ' ',
        _ if most <= 0.0 => BARS[0],
        _ => {
            let eighths = rigel_core::units::say::whole(mean / most * 8.0);
            BARS[usize::try_from(eighths).unwrap_or(0).clamp(1, BARS.len()) - 1]
        }
    };
    means.iter().map(bar).collect()
}

fn interval(ms: i64) -> String {
    match ms {
        _ if ms < 1_000 => format!("{ms} ms"),
        _ if ms < 120_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min", ms / 60_000),
    }
}
