//! `iostat -x -t -o JSON`: disks as the kernel counts them, with reads separate from writes; without `-x` only their bytes.
//!
//! The first report of each run is the mean since boot, or over an interval with an unknown start, and is left out; the length of an interval is
//! the distance to the previous report. Runs may follow one another in a file. A disk that a report leaves out (`-z`) did nothing.
//! Must not guess the order of a date.

use super::documents::Documents;
use super::locale::{Dates, ISO_IOSTAT, is_zone};
use super::pieces::{Piece, text_around};
use super::seen::wrong;
use super::sysstat::{Disk, has_fraction, of_group, tell_coarse, tell_sums, unreadable};
use super::{Room, SampleSink};
use crate::{Metric, Source, Span, when};
use jiff::tz::TimeZone;
use rigel_core::error::Problem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Values of disks that did nothing which are written for one run: a year of minutes of several disks. A hostile file would ask for more.
const MOST_IDLE: usize = 20_000_000;

/// A reader of it.
pub struct Iostat {
    documents: Documents,
    run: Run,
}

/// One run of iostat, or of a tool that lists disks in the same way.
pub struct Run {
    /// The number of its document in the file, from 1; 0 before the first.
    number: u64,
    host: String,
    source: Source,
    pub dates: Dates,
    /// The time of the report before.
    last_ms: Option<i64>,
    /// The intervals until now, each with a report.
    spans: Vec<Span>,
    /// What was reported about each disk.
    disks: BTreeMap<String, BTreeSet<Metric>>,
    /// Values of disks that did nothing.
    idle: usize,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            number: 0,
            host: String::new(),
            source: Source::Iostat,
            dates: Dates::default(),
            last_ms: None,
            spans: Vec::new(),
            disks: BTreeMap::new(),
            idle: 0,
        }
    }
}

impl Default for Iostat {
    fn default() -> Self {
        Self { documents: Documents::of("statistics"), run: Run::default() }
    }
}

#[derive(Deserialize)]
struct Report<'a> {
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    disk: Option<Vec<Disk<'a>>>,
    /// What mpstat reports.
    #[serde(rename = "cpu-load")]
    cpus: Option<IgnoredAny>,
}

impl Room for Iostat {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { documents, run } = self;
        if documents.cut(bytes, |piece| report(&piece, run, out))? {
            out.seen.notes.insert(
                "a run in the file ends in the middle: iostat was stopped, and its complete reports are used",
            );
        }
        Ok(())
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { documents, run } = self;
        match documents.end(|piece| report(&piece, run, out))? {
            // iostat that was ended by a signal, or still runs: what it wrote is whole up to there.
            Err(_) if out.seen.values > 0 => {
                out.seen.notes.insert("the file ends in the middle: iostat was stopped or is still writing; the complete reports are used");
                Ok(())
            }
            ended => ended,
        }
    }
}

fn report(piece: &Piece<'_>, run: &mut Run, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    let mut read: Report<'_> = serde_json::from_slice(piece.json)
        .map_err(|error| unreadable(piece.line, "not an iostat report", &error, ISO_IOSTAT))?;
    let is_coarse = !has_fraction(piece.json);
    read.disk.iter_mut().flatten().for_each(|disk| disk.is_coarse = is_coarse);
    let disks = disks_of(&read, piece.line)?;
    tell_coarse(disks, out);
    tell_sums(disks, out);
    let Some(text) = &read.timestamp else {
        return Err(wrong(piece.line, "the reports have no timestamps")
            .because("iostat was started without -t")
            .next(format!("create it again: {ISO_IOSTAT}")));
    };
    let host = text_around(piece.around, "nodename").unwrap_or_default();
    out.seen.tells_of(&host, &host);
    if (run.number, &run.host) != (piece.array, &host) {
        let dates = Dates::begun(text_around(piece.around, "date").as_deref());
        *run = Run::begin(piece.array, &host, dates);
    }
    let Some(at_ms) = time(text, piece.line, (&mut run.dates, None), out)? else { return Ok(()) };
    run.report(at_ms, disks, out);
    Ok(())
}

/// The disks of a report, or what else it is.
fn disks_of<'a, 'b>(read: &'b Report<'a>, line: u64) -> Result<&'b [Disk<'a>], Problem> {
    let again = || format!("create it again: {ISO_IOSTAT}");
    let Some(disks) = &read.disk else {
        let cause = match read.cpus {
            Some(_) => "it comes from mpstat, which reports CPUs",
            None => "iostat was started with -c, so it only reported CPUs",
        };
        return Err(wrong(line, "the reports have no disks").because(cause).next(again()));
    };
    check_columns(disks, line)?;
    Ok(disks)
}

/// Refuses the short reports of iostat.
///
/// # Errors
/// When neither operations nor bytes of reads are apart from those of writes.
pub fn check_columns(disks: &[Disk<'_>], line: u64) -> Result<(), Problem> {
    let Some(disk) = disks.iter().find(|disk| disk.has_sums() && !disk.has_bytes()) else {
        return Ok(());
    };
    let cause = match disk.wait_ms {
        Some(_) => "iostat was started with -s, whose short report has only their sum",
        None => "iostat was started without -x",
    };
    Err(wrong(line, "the reports do not separate reads from writes")
        .because(cause)
        .next(format!("create it again: {ISO_IOSTAT}")))
}

impl Run {
    /// The run of a document of this number.
    pub fn begin(number: u64, host: &str, dates: Dates) -> Self {
        Self { number, host: host.to_owned(), dates, ..Self::default() }
    }

    /// The same for another tool.
    #[must_use]
    pub fn by(self, source: Source) -> Self {
        Self { source, ..self }
    }

    /// The next report is on the time from here on.
    pub const fn starts(&mut self, at_ms: i64) {
        self.last_ms = Some(at_ms);
    }

    /// Disks of a truncated report: nothing is known about the others.
    pub fn part(&mut self, at_ms: i64, disks: &[Disk<'_>], out: &mut SampleSink<'_>) {
        let span = self.last_ms.and_then(|last_ms| Span::between(last_ms, at_ms));
        let Some(span) = span else { return };
        disks.iter().for_each(|disk| self.write(&disk.device, &disk.values(), span, out));
    }

    /// A report. The interval of the first is unknown.
    pub fn report(&mut self, at_ms: i64, disks: &[Disk<'_>], out: &mut SampleSink<'_>) {
        let Some(last_ms) = self.last_ms.replace(at_ms) else {
            out.seen.first_reports += 1;
            return;
        };
        match Span::between(last_ms, at_ms) {
            Some(span) => self.row(disks, span, out),
            None => {
                out.seen.backwards += 1;
                self.last_ms = Some(last_ms.max(at_ms));
            }
        }
    }

    /// A report on an interval. A disk that it does not name, and one that was not named before, did nothing then.
    fn row(&mut self, disks: &[Disk<'_>], span: Span, out: &mut SampleSink<'_>) {
        for disk in disks {
            let values = disk.values();
            let metrics = values.iter().map(|(metric, _)| *metric);
            match self.disks.get_mut(&*disk.device) {
                Some(known) => known.extend(metrics),
                None => {
                    let known: BTreeSet<Metric> = metrics.collect();
                    if self.may_fill(self.spans.len().saturating_mul(known.len()), out) {
                        out.seen.idle += self.spans.len() as u64;
                        self.spans
                            .iter()
                            .for_each(|span| self.write(&disk.device, &nothing(&known), *span, out));
                    }
                    self.disks.insert(disk.device.to_string(), known);
                }
            }
            self.write(&disk.device, &values, span, out);
        }
        let named: BTreeSet<&str> = disks.iter().map(|disk| &*disk.device).collect();
        let is_left_out = |(name, _): &(&String, &BTreeSet<Metric>)| !named.contains(name.as_str());
        let values = self.disks.iter().filter(is_left_out).map(|(_, known)| known.len()).sum();
        if self.may_fill(values, out) {
            for (name, known) in self.disks.iter().filter(is_left_out) {
                out.seen.idle += 1;
                self.write(name, &nothing(known), span, out);
            }
        }
        self.spans.push(span);
    }

    /// Whether this many additional values of idle disks may be written; reported if not.
    fn may_fill(&mut self, values: usize, out: &mut SampleSink<'_>) -> bool {
        let idle = self.idle.saturating_add(values);
        if idle > MOST_IDLE {
            out.seen
                .notes
                .insert("too many disks come and go: if a report omits a disk, nothing is known about it");
            return false;
        }
        self.idle = idle;
        true
    }

    fn write(&self, device: &str, values: &[(Metric, f64)], span: Span, out: &mut SampleSink<'_>) {
        let (name, id) = of_group(device);
        if !id.is_empty() {
            out.seen.notes.insert(
                "it has group sums (iostat -g): they count only if no single disk is reported; if groups \
                 share disks, name one group with --disk",
            );
        }
        let subject = out.disk(name, &id);
        let key = out.key(&self.host, subject, self.source);
        out.row(&key, span, values);
    }
}

fn nothing(metrics: &BTreeSet<Metric>) -> Vec<(Metric, f64)> {
    metrics.iter().map(|metric| (*metric, 0.0)).collect()
}

/// Milliseconds of the epoch; `None` for a local time that never existed. `of_head`: the zone that a head above has for times without one.
pub fn time(
    text: &str,
    line: u64,
    (dates, of_head): (&mut Dates, Option<TimeZone>),
    out: &mut SampleSink<'_>,
) -> Result<Option<i64>, Problem> {
    if let Some(at_ms) = when::with_offset(text).or_else(|| when::of_epoch(text)) {
        return Ok(Some(at_ms));
    }
    let local = match when::without_offset(text) {
        Some(local) => local,
        None => dates.moment(text, out.options.dates, line)?,
    };
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let zone = out.zone_of(if is_zone(last) { last } else { "" }, local, line)?;
    out.moment(local, zone.or(of_head), line)
}
