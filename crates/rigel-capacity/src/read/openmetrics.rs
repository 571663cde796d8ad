//! Text of metrics with times: OpenMetrics (times in seconds) or Prometheus's own format (in milliseconds), as `/federate` and exports write it.
//!
//! Scrapes may follow each other, or series. Must not take a scrape without times.

use super::differences::{ExporterMetric, Labels, OtherNames, Run, meant, no_storage};
use super::lines::Lines;
use super::prometheus::milliseconds;
use super::seen::{shown, wrong};
use super::twins::{self, OtherLabels, SeriesWatch};
use super::{Room, SampleSink};
use crate::counter::Counter;
use crate::{Metric, Span};
use rigel_core::error::Problem;
use std::collections::BTreeMap;

/// Times above are milliseconds: as seconds they would be of the year 5138.
const LARGEST_SECONDS: f64 = 1e11;
/// Series of a file; a hostile one could have one a line.
const MOST_SERIES: usize = 200_000;

/// A reader of it.
#[derive(Default)]
pub struct OpenMetrics {
    lines: Lines,
    state: State,
}

#[derive(Default)]
struct State {
    counters: BTreeMap<(Labels, Metric), (Counter, SeriesWatch)>,
    identities: BTreeMap<(String, String), String>,
    /// For each filesystem: the time of the last size, and free bytes with their time.
    sizes: BTreeMap<Labels, i64>,
    free: BTreeMap<(String, String), (i64, f64)>,
    run: Run,
    names: OtherNames,
}

/// A sample and its line.
struct Sample<'a> {
    name: &'a str,
    others: OtherLabels,
    at_ms: i64,
    value: f64,
    line: u64,
}

impl Room for OpenMetrics {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, state } = self;
        lines.cut(bytes, |line, number| state.line(line, number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, state } = self;
        lines.end(|line, number| {
            // A line without its end may be half of one.
            match state.line(line, number, out) {
                Err(_) if state.run.is_waiting() || out.seen.values > 0 => {
                    out.seen.notes.insert("the file ends in the middle of a line: that line is left out");
                    Ok(())
                }
                ended => ended,
            }
        })?;
        state.run.end(out);
        state.names.end(out);
        Ok(())
    }
}

impl State {
    fn line(&mut self, line: &[u8], number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let text = std::str::from_utf8(line).map_err(|_| wrong(number, "a line is not UTF-8"))?;
        let end = text.find(['{', ' ', '\t']).ok_or_else(|| none(number, text))?;
        let (name, rest) = text.split_at(end);
        // Most lines of an export are of other things.
        let of_name = meant(name);
        if !name.is_empty() && of_name.is_none() {
            self.names.take(name, 1, out);
            return Ok(());
        }
        let (mut all, rest) = labels(rest).ok_or_else(|| none(number, text))?;
        let of_label = all.remove("__name__");
        let name = of_label.as_deref().unwrap_or(name);
        let Some(meant) = of_name.or_else(|| meant(name)) else {
            self.names.take(name, 1, out);
            return Ok(());
        };
        let is_space = matches!(meant, ExporterMetric::Size | ExporterMetric::Free);
        if let Some(filesystem) = no_storage(&all).filter(|_| is_space) {
            out.seen.leaves_out(&format!("{name} of {filesystem}"));
            return Ok(());
        }
        let mut labels = Labels::take(&mut all);
        let mut words = rest.split_ascii_whitespace();
        let value: f64 = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| none(number, text))?;
        let at: f64 = match words.next().filter(|word| *word != "#") {
            Some(word) => word.parse().map_err(|_| none(number, text))?,
            None => return Err(no_time(number)),
        };
        let seconds = if at >= LARGEST_SECONDS { at / 1_000.0 } else { at };
        let at_ms = milliseconds(seconds).ok_or_else(|| none(number, text))?;
        out.check_host(&labels.instance, number)?;
        if self.counters.len() + self.identities.len() + self.free.len() > MOST_SERIES {
            return Err(wrong(number, "the file has more than 200,000 series").next("export only the disks"));
        }
        let id = std::mem::take(&mut labels.id);
        if !value.is_finite() {
            out.seen.unusable += 1;
            return Ok(());
        }
        self.reading(meant, labels, id, Sample { name, others: all, at_ms, value, line: number }, out)
    }

    fn reading(
        &mut self,
        meant: ExporterMetric,
        labels: Labels,
        id: String,
        sample: Sample<'_>,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let Sample { name, others, at_ms: at, value, line } = sample;
        let of = |labels: &Labels, what: &String| (labels.instance.clone(), what.clone());
        match meant {
            ExporterMetric::Info => {
                let known = self.identities.insert(of(&labels, &labels.device), id.clone());
                // Another disk behind the same name begins anew.
                if known.is_some_and(|known| known != id) {
                    let same = |counted: &Labels| {
                        counted.instance == labels.instance && counted.device == labels.device
                    };
                    self.counters
                        .iter_mut()
                        .filter(|(key, _)| same(&key.0))
                        .for_each(|(_, (counter, _))| counter.forget());
                }
            }
            ExporterMetric::Free => {
                self.free.insert(of(&labels, &labels.mount), (at, value));
            }
            ExporterMetric::Size => self.size(&labels, at, value, out),
            ExporterMetric::Counter(metric, unit) => {
                let id = self.identities.get(&of(&labels, &labels.device)).cloned().unwrap_or_default();
                let (counter, watch) = self.counters.entry((labels.clone(), metric)).or_default();
                let twin = watch.next(&others, at);
                let twice = twin.and_then(|twin| twins::problem((name, &labels.device), twin, &others, line));
                if let Some(twice) = twice {
                    return Err(twice);
                }
                if let Some((span, rate)) = out.seen.rate(counter.read(at, value * unit)) {
                    let key = labels.key(metric, &id, out);
                    self.run.take(&key, metric, span, rate, out);
                }
            }
        }
        Ok(())
    }

    fn size(&mut self, labels: &Labels, at: i64, size: f64, out: &mut SampleSink<'_>) {
        let last = self.sizes.insert(labels.clone(), at);
        let Some(span) = last.and_then(|last| Span::between(last, at)) else { return };
        let free = self.free.get(&(labels.instance.clone(), labels.mount.clone()));
        let key = labels.key(Metric::SizeBytes, "", out);
        out.size(&key, span, size, free.filter(|(then, _)| *then == at).map(|(_, free)| *free));
    }
}

fn none(number: u64, text: &str) -> Problem {
    wrong(number, format!("'{}' is not a sample with a time", shown(text)))
        .because("the file is damaged, or of another format")
        .next("docs/reference/capacity.md has the formats that are read")
}

fn no_time(number: u64) -> Problem {
    wrong(number, "the samples have no timestamps")
        .because("it is a single scrape of an exporter")
        .next("use Prometheus's query_range, or collect /federate, which includes timestamps")
}

/// `{device="sda",instance="db1:9100"}`, and what follows.
fn labels(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut all = BTreeMap::new();
    let Some(mut rest) = text.trim_start().strip_prefix('{') else { return Some((all, text)) };
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((all, behind));
        }
        let (name, behind) = rest.split_once('=')?;
        let (value, behind) = quoted(behind.trim_start())?;
        rest = behind;
        all.insert(name.trim().to_owned(), value);
    }
}

/// A text in quotes, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                value.push(if c == 'n' { '\n' } else { c });
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((value, &text[at + 1..])),
            _ => value.push(c),
        }
    }
    None
}
