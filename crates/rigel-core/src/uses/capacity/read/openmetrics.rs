//! Text of metrics with times: OpenMetrics (times in seconds) or Prometheus's own format (in milliseconds), as `/federate` and exports write it.
//!
//! Scrapes may follow each other, or series. Must not take a scrape without times.

use super::differences::{Labels, Meant, Run, meant};
use super::lines::Lines;
use super::prometheus::{milliseconds, no_host};
use super::seen::{shown, wrong};
use super::{Out, Room};
use crate::error::Problem;
use crate::uses::capacity::counter::{Counter, Step};
use crate::uses::capacity::{Metric, Span};
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
    counters: BTreeMap<(Labels, Metric), Counter>,
    identities: BTreeMap<(String, String), String>,
    /// Of a filesystem: the time of the last size, and free bytes with their time.
    sizes: BTreeMap<Labels, i64>,
    free: BTreeMap<(String, String), (i64, f64)>,
    run: Run,
}

impl Room for OpenMetrics {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem> {
        let Self { lines, state } = self;
        lines.cut(bytes, |line, number| state.line(line, number, out))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Problem> {
        if let Some((line, number)) = self.lines.last() {
            self.state.line(&line, number, out)?;
        }
        self.state.run.end(out);
        Ok(())
    }
}

impl State {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out<'_>) -> Result<(), Problem> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let text = std::str::from_utf8(line).map_err(|_| wrong(number, "a line is no UTF-8"))?;
        let end = text.find(['{', ' ', '\t']).ok_or_else(|| none(number, text))?;
        let (name, rest) = text.split_at(end);
        // Most lines of an export are of other things.
        let of_name = meant(name);
        if !name.is_empty() && of_name.is_none() {
            return Ok(());
        }
        let (mut labels, of_labels, rest) = labels(rest).ok_or_else(|| none(number, text))?;
        let Some(meant) = of_name.or_else(|| meant(&of_labels)) else { return Ok(()) };
        let mut words = rest.split_ascii_whitespace();
        let value: f64 = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| none(number, text))?;
        let at: f64 = match words.next().filter(|word| *word != "#") {
            Some(word) => word.parse().map_err(|_| none(number, text))?,
            None => return Err(no_time(number)),
        };
        let seconds = if at >= LARGEST_SECONDS { at / 1_000.0 } else { at };
        let at_ms = milliseconds(seconds).ok_or_else(|| none(number, text))?;
        if labels.instance.is_empty() && out.options.host.is_none() {
            return Err(no_host(number));
        }
        if self.counters.len() + self.identities.len() + self.free.len() > MOST_SERIES {
            return Err(wrong(number, "the file has more than 200,000 series").next("export the disks only"));
        }
        let id = std::mem::take(&mut labels.id);
        if value.is_finite() {
            self.reading(meant, labels, id, at_ms, value, out);
        }
        Ok(())
    }

    fn reading(&mut self, meant: Meant, labels: Labels, id: String, at: i64, value: f64, out: &mut Out<'_>) {
        let of = |labels: &Labels, what: &String| (labels.instance.clone(), what.clone());
        match meant {
            Meant::Info => {
                let known = self.identities.insert(of(&labels, &labels.device), id.clone());
                // Another disk behind the same name begins anew.
                if known.is_some_and(|known| known != id) {
                    let same = |counted: &Labels| {
                        counted.instance == labels.instance && counted.device == labels.device
                    };
                    self.counters
                        .iter_mut()
                        .filter(|(key, _)| same(&key.0))
                        .for_each(|(_, counter)| counter.forget());
                }
            }
            Meant::Free => {
                self.free.insert(of(&labels, &labels.mount), (at, value));
            }
            Meant::Size => self.size(&labels, at, value, out),
            Meant::Counter(metric, unit) => {
                let id = self.identities.get(&of(&labels, &labels.device)).cloned().unwrap_or_default();
                let counter = self.counters.entry((labels.clone(), metric)).or_default();
                match counter.read(at, value * unit) {
                    Step::Rate(span, rate) => {
                        let key = labels.key(metric, &id, out);
                        self.run.take(&key, metric, span, rate, out);
                    }
                    Step::Reset => out.seen.resets += 1,
                    Step::Gap => out.seen.gaps += 1,
                    Step::Backwards => out.seen.backwards += 1,
                    Step::Begin => {}
                }
            }
        }
    }

    fn size(&mut self, labels: &Labels, at: i64, size: f64, out: &mut Out<'_>) {
        let last = self.sizes.insert(labels.clone(), at);
        let Some(span) = last.and_then(|last| Span::between(last, at)) else { return };
        let free = self.free.get(&(labels.instance.clone(), labels.mount.clone()));
        let used = free.filter(|(then, _)| *then == at).map(|(_, free)| (size - free).max(0.0));
        let key = labels.key(Metric::SizeBytes, "", out);
        match used {
            Some(used) => out.row(&key, span, &[(Metric::UsedBytes, used), (Metric::SizeBytes, size)]),
            None => out.row(&key, span, &[(Metric::SizeBytes, size)]),
        }
    }
}

fn none(number: u64, text: &str) -> Problem {
    wrong(number, format!("'{}' is no sample with a time", shown(text)))
        .because("the file is damaged, or of another format")
}

fn no_time(number: u64) -> Problem {
    wrong(number, "the samples have no times")
        .because("it is what one scrape of an exporter gave")
        .next("ask Prometheus for query_range, or collect /federate, which writes times")
}

/// `{device="sda",instance="db1:9100"}`, the name of the metric where it stands among them, and what follows.
fn labels(text: &str) -> Option<(Labels, String, &str)> {
    let mut found = Labels::default();
    let mut metric = String::new();
    let Some(mut rest) = text.trim_start().strip_prefix('{') else { return Some((found, metric, text)) };
    let mut serial = String::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(behind) = rest.strip_prefix('}') {
            if found.id.is_empty() {
                found.id = serial;
            }
            return Some((found, metric, behind));
        }
        let (name, behind) = rest.split_once('=')?;
        let (value, behind) = quoted(behind.trim_start())?;
        rest = behind;
        match name.trim() {
            "__name__" => metric = value,
            "instance" => found.instance = value,
            "device" => found.device = value,
            "mountpoint" => found.mount = value,
            "wwn" => found.id = value,
            "serial" => serial = value,
            _ => {}
        }
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
