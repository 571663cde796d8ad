//! What was imported, and what a store of capacity holds, as text.
//!
//! Must not open the store.

use crate::numbers::{counted, percent, short};
use rigel_core::units::to_f64;
use rigel_core::uses::capacity::read::{Format, Seen};
use rigel_core::uses::capacity::when::shown;
use rigel_core::uses::capacity::{Behaviour, Held, History, Merged, Metric, Sample, Series, Subject};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Places of a course.
const PLACES: usize = 48;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The part of the time in which a quantity is not above its busy hours.
const BUSY: f64 = 0.95;

/// A file that was imported, or several of one format and host together.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its name, printable; of several that of the first.
    pub file: String,
    /// How many others there are.
    pub others: usize,
    /// Its format.
    pub format: Format,
    /// What the reader saw.
    pub seen: Seen,
    /// What became of it in the store.
    pub merged: Merged,
}

impl Imported {
    /// Takes the next file in, if it is of the same format and hosts, and nothing is to be remarked on either.
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
        }
        is_same
    }

    /// What was left out of it, or is worth telling.
    fn remarks(&self) -> impl Iterator<Item = (u64, &'static str)> + use<> {
        let Self { seen, merged, .. } = self;
        let all = [
            (
                seen.resets,
                "counter that fell: a reboot or a reset of statistics, and that interval is left out",
            ),
            (seen.gaps, "gap in which nobody looked"),
            (seen.reboots, "reboot or restart that the file tells of"),
            (merged.overlapping, "interval that lies across others, which are kept"),
            (merged.differing, "other value of samples that are there, which are kept"),
            (seen.backwards, "row with a time before the last one, left out"),
            (seen.skipped, "row with a local time that the clock skipped, left out"),
            (
                seen.unusable,
                "value that cannot be: no number, below 0, or more than any host can do; left out",
            ),
            // That of the only run goes without saying.
            (
                seen.first_reports.saturating_sub(1),
                "first report of another run of iostat: its interval is not known, left out",
            ),
        ];
        all.into_iter().filter(|(count, _)| *count > 0)
    }
}

/// A line for the file, and one for each remark.
pub fn imported(file: &Imported) -> String {
    let Imported { seen, merged, .. } = file;
    let hosts: Vec<&str> = seen.hosts.iter().map(String::as_str).collect();
    let others = if file.others > 0 { format!(" and {} more", file.others) } else { String::new() };
    let mut text = format!(
        "{}{others}: {} of {}: {} new",
        file.file,
        file.format.name(),
        hosts.join(", "),
        counted(merged.added, "value")
    );
    let known = (merged.known > 0).then(|| format!(", {} there already", merged.known));
    text.push_str(&known.unwrap_or_default());
    text.push('\n');
    for (count, what) in file.remarks() {
        let _ = writeln!(text, "  {count} x {what}");
    }
    text.extend(left_out(&seen.left_out));
    for note in &seen.notes {
        let _ = writeln!(text, "  {note}");
    }
    match (seen.unparted, seen.parted_of_host) {
        (false, _) => {}
        (true, true) => text.push_str("  reads and writes are told apart for the host as a whole: of a single disk sysstat keeps only their sum\n"),
        (true, false) => text.push_str("  reads and writes are not told apart; with `sadf -j FILE -- -b -d` they are, for the host as a whole\n"),
    }
    text
}

/// Names of statistics in one line.
const NAMES: usize = 3;

/// The line about statistics that are not kept: whoever asked for them must not think that they were read.
fn left_out(rows: &BTreeMap<String, u64>) -> Option<String> {
    let all: u64 = rows.values().sum();
    let names: Vec<&str> = rows.keys().take(NAMES).map(String::as_str).collect();
    let more = rows.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let told = || format!("  {all} x row of a statistic that is not kept: {}{more}\n", names.join(", "));
    (all > 0).then(told)
}

/// A line for each subject and source.
pub fn listed(held: &[Held]) -> String {
    let mut rows = vec![
        ["host", "what", "source", "from (UTC)", "to (UTC)", "interval", "known", "bytes", "metrics"]
            .map(str::to_owned),
    ];
    for one in held {
        let span = one.last_ms - one.first_ms;
        let metrics: Vec<&str> = one.metrics.iter().map(|metric| metric.name()).collect();
        let share = to_f64(one.covered_ms.unsigned_abs()) / to_f64(span.unsigned_abs().max(1));
        rows.push([
            one.key.host.clone(),
            one.key.subject.to_string(),
            one.key.source.name().to_owned(),
            shown(one.first_ms),
            shown(one.last_ms),
            interval(one.interval_ms()),
            format!("{} %", percent(share.min(1.0))),
            short(to_f64(one.bytes)),
            metrics.join(" "),
        ]);
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}", width = *width)).collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

/// A paragraph for a subject: a line for each metric.
pub fn overview(history: &History, host: &str, subject: &Subject) -> String {
    let all: Vec<Series> = history
        .metrics(host, subject)
        .into_iter()
        .map(|metric| history.series(host, subject, metric))
        .collect();
    let first =
        all.iter().filter_map(|series| series.samples.first()).map(|sample| sample.span.start_ms).min();
    let last = all.iter().filter_map(|series| series.samples.last()).map(|sample| sample.span.end_ms()).max();
    let (Some(first), Some(last)) = (first, last) else { return String::new() };
    let id = if subject.id.is_empty() { String::new() } else { format!(" ({})", subject.id) };
    let mut text = format!("{subject}{id} on {host}, {} to {} UTC\n", shown(first), shown(last));
    let _ = writeln!(
        text,
        "  {:13} {:>8} {:>8} {:>8}  {:16}  course",
        "", "mean", "p95", "most", "most at (UTC)"
    );
    for series in &all {
        // The first of those that are as high.
        let most = series.samples.iter().rev().max_by(|one, other| one.value.total_cmp(&other.value));
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        let [mean, p95, top] =
            [series.mean(), series.quantile(BUSY), most.map(|most| most.value)].map(figure);
        let at = most.map_or_else(String::new, |most| match series.metric.behaviour() {
            Behaviour::Flow => shown(most.span.start_ms),
            Behaviour::Level => shown(most.span.end_ms()),
        });
        let course = course(&series.samples, first, last);
        let _ = writeln!(
            text,
            "  {:13} {mean:>8} {p95:>8} {top:>8}  {at:16}  {course}  {}",
            series.metric.name(),
            unit(series.metric)
        );
    }
    let _ = writeln!(
        text,
        "  p95: 95 % of the time it is not more; of means of 5 minutes where the source has shorter ones\n"
    );
    text
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

/// Means of equal parts of the time as bars; a blank where nothing is known.
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
            let eighths = crate::numbers::whole(mean / most * 8.0);
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
