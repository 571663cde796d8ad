//! JSON of Prometheus's `query_range`, and of VictoriaMetrics' `/api/v1/export`: the counters of the node exporter, a series each.
//!
//! What a disk is (`node_disk_info`) comes before its counters, because Prometheus sorts by name; with it a disk stays the same under another name.
//! An export has its series in arbitrary order, and may spread one over several lines, so it is read to the end first. Must not take results of
//! functions: their metric has no name.

use super::differences::{ExporterMetric, Labels, OtherNames, meant, no_storage};
use super::pieces::{self, Piece, Pieces};
use super::scrapes::Scrapes;
use super::seen::{shown, wrong};
use super::twins::{self, OtherLabels};
use super::{Room, SampleSink};
use crate::counter::Counter;
use crate::{HOUR_MS, Metric, Span};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use rigel_core::units::to_f64;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

/// Times of a disk under a name, and what it was.
type Identities = BTreeMap<(String, String), Vec<(i64, i64, String)>>;
/// Free bytes of a filesystem at moments.
type FreeSpace = BTreeMap<(String, String), BTreeMap<i64, f64>>;
/// Readings that wait until it is known when their host was scraped. More than that are taken as they are.
const MOST_WAITING: usize = 8_000_000;

/// A reader of it.
pub struct Prometheus {
    pieces: Pieces,
    is_export: bool,
    found: Series,
}

/// What has been read of all series so far.
#[derive(Default)]
struct Series {
    /// Whether a series may come in several parts, in any order.
    is_in_parts: bool,
    identities: Identities,
    free: FreeSpace,
    /// Bytes of filesystems at moments.
    sizes: BTreeMap<Labels, BTreeMap<i64, f64>>,
    /// By instance.
    hosts: BTreeMap<String, Host>,
    /// Counters by name and subject, with their other labels and their time.
    told: BTreeMap<(String, Labels), Vec<CounterSeries>>,
    names: OtherNames,
    /// Series of any name.
    count: u64,
}

/// A counter that was read: its other labels, and its first and last moment.
struct CounterSeries {
    others: OtherLabels,
    first_ms: i64,
    last_ms: i64,
}

/// What a counter is about.
type CounterKey = (Labels, Metric);

/// When an instance was scraped.
#[derive(Default)]
struct Host {
    /// The shortest interval of all counters, or that of the first one with a reading for each scrape.
    scrapes: Option<Scrapes>,
    /// Readings that have not been converted to rates yet.
    waiting: BTreeMap<CounterKey, Vec<(i64, f64)>>,
    /// How far each counter was converted to rates: its next part continues from there.
    counters: BTreeMap<CounterKey, LastReading>,
}

/// The last reading of a counter.
#[derive(Default)]
struct LastReading {
    counter: Counter,
    at_ms: Option<i64>,
    /// Id of the disk.
    id: String,
}

impl Prometheus {
    /// The answer of Prometheus.
    pub fn of_query() -> Self {
        Self { pieces: Pieces::of("result"), is_export: false, found: Series::default() }
    }

    /// A series a line.
    pub fn of_export() -> Self {
        let found = Series { is_in_parts: true, ..Series::default() };
        Self { pieces: Pieces::of(""), is_export: true, found }
    }
}

/// A series whose values are `V`.
#[derive(Deserialize)]
#[serde(bound(deserialize = "V: Deserialize<'de>"))]
struct JsonSeries<V> {
    /// Its labels.
    metric: BTreeMap<String, String>,
    #[serde(default = "Vec::new")]
    values: Vec<V>,
    value: Option<V>,
    /// For an export, in milliseconds; its values then have no times.
    #[serde(default)]
    timestamps: Vec<i64>,
}

/// A value of Prometheus: seconds, and a number as text.
type JsonSample = (f64, Number);

/// A number, also in text form, such as `"NaN"` and `"Infinity"`; NaN for anything else. Read without a copy of the
/// text, because there are millions of them.
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Number;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a number, also as text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Number, E> {
                Ok(Number(text.parse().unwrap_or(f64::NAN)))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
                Ok(Number(number))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
                Ok(Number(to_f64(number)))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
                Ok(Number(to_f64(number.unsigned_abs()).copysign(if number < 0 { -1.0 } else { 1.0 })))
            }

            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(f64::NAN))
            }
        }
        from.deserialize_any(Text)
    }
}

impl Room for Prometheus {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { pieces, is_export, found } = self;
        pieces.cut(bytes, |piece| series(&piece, *is_export, found, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Series { identities, hosts, sizes, free, names, count, .. } = &mut self.found;
        hosts.values_mut().for_each(|host| host.write(identities, out));
        sizes.iter().for_each(|(labels, readings)| self::sizes(labels, readings, free, out));
        if let Some(error) = pieces::text_around(self.pieces.around(), "error") {
            return Err(of_server(&error));
        }
        if !self.is_export && *count == 0 && self.pieces.end().is_ok() {
            return Err(wrong(1, "the answer has no series")
                .because("that Prometheus has nothing with the query's name, labels and time")
                .next("check the query, start and end; {__name__=~\"node_disk_.*\"} shows what there is"));
        }
        if has_warnings(self.pieces.around()) {
            out.seen
                .notes
                .insert("Prometheus warned that its answer may be incomplete: see warnings in the file");
        }
        names.end(out);
        out.takes_what_is_whole(
            self.pieces.end(),
            "the file ends in the middle: only complete series are used",
        )
    }
}

/// Whether an answer has warnings, as of stores that did not answer.
fn has_warnings(around: &[u8]) -> bool {
    const WARNINGS: &[u8] = b"\"warnings\":[\"";
    around.windows(WARNINGS.len()).any(|part| part == WARNINGS)
}

/// The server answered with an error.
fn of_server(error: &str) -> Problem {
    const MOST: usize = 400;
    let short: String = error.chars().take(MOST).collect();
    let problem = wrong(1, format!("Prometheus answered with an error: {}", printable(&short)));
    match error.contains("resolution") || error.contains("points") {
        true => problem.next(
            "request a shorter time range or a larger step: it refuses more than 11,000 points per \
                series",
        ),
        false => problem.next("fix the query, and save the answer again"),
    }
}

/// The labels of a series, and its finite values with their times in milliseconds.
type LabelsAndReadings = (BTreeMap<String, String>, Vec<(i64, f64)>);

/// A series of either tool. Values that are not numbers are left out and counted.
fn parse(piece: &Piece<'_>, is_export: bool, out: &mut SampleSink<'_>) -> Result<LabelsAndReadings, Problem> {
    let wrong_series = |error: serde_json::Error| {
        wrong(piece.line, format!("this is not a Prometheus series: {}", shown(&error.to_string())))
            .because("the file is damaged, or comes from something else")
    };
    let mut finite = |at_ms: Option<i64>, value: f64| {
        let reading = at_ms.filter(|_| value.is_finite()).map(|at_ms| (at_ms, value));
        out.seen.unusable += u64::from(reading.is_none());
        reading
    };
    if is_export {
        let found: JsonSeries<Number> = serde_json::from_slice(piece.json).map_err(wrong_series)?;
        if let Some(at) = found.timestamps.iter().find(|at| !is_moment(**at)) {
            return Err(wrong(piece.line, format!("{at} is not a time from 1970 to 9999 in milliseconds"))
                .because("the file was changed, or comes from something else")
                .next("use /api/v1/export, whose times are in milliseconds"));
        }
        let readings = found.timestamps.iter().zip(&found.values);
        let readings =
            readings.filter_map(|(at, value)| finite(is_moment(*at).then_some(*at), value.0)).collect();
        return Ok((found.metric, readings));
    }
    let found: JsonSeries<JsonSample> = serde_json::from_slice(piece.json).map_err(wrong_series)?;
    if found.value.is_some() {
        return Err(wrong(piece.line, "this is the answer to an instant query")
            .because("it comes from /api/v1/query")
            .next("use /api/v1/query_range with start, end and step"));
    }
    if let Some((at, _)) = found.values.iter().find(|(at, _)| milliseconds(*at).is_none()) {
        return Err(wrong(piece.line, format!("{at} is not a time from 1970 to 9999 in seconds"))
            .because("the file was changed, or comes from something else")
            .next("save the answer of /api/v1/query_range, whose times are in seconds"));
    }
    let readings = found.values.iter().filter_map(|(at, number)| finite(milliseconds(*at), number.0));
    Ok((found.metric, readings.collect()))
}

fn series(
    piece: &Piece<'_>,
    is_export: bool,
    all: &mut Series,
    out: &mut SampleSink<'_>,
) -> Result<(), Problem> {
    let unusable = out.seen.unusable;
    let (mut others, readings) = parse(piece, is_export, out)?;
    all.count += 1;
    let Some(name) = others.remove("__name__") else {
        return Err(wrong(piece.line, "a series has no name")
            .because("it is the result of a function such as rate(), which hides counter resets and the counter's name")
            .next("query the counters themselves: {__name__=~\"node_disk_.*|node_filesystem_(size|free)_bytes\"}"));
    };
    let Some(meant) = meant(&name) else {
        // Of what is not read nothing is left out.
        out.seen.unusable = unusable;
        all.names.take(&name, readings.len(), out);
        return Ok(());
    };
    if let Some(filesystem) =
        no_storage(&others).filter(|_| matches!(meant, ExporterMetric::Size | ExporterMetric::Free))
    {
        readings.iter().for_each(|_| out.seen.leaves_out(&format!("{name} of {filesystem}")));
        return Ok(());
    }
    let labels = Labels::take(&mut others);
    out.check_host(&labels.instance, piece.line)?;
    match meant {
        ExporterMetric::Counter(metric, unit) => {
            all.check_twice(&name, &labels, others, &readings, piece.line)?;
            all.counter(labels, metric, unit, readings, out);
        }
        ExporterMetric::Info => {
            if let (Some(first), Some(last), false) =
                (readings.first(), readings.last(), labels.id.is_empty())
            {
                let of = all.identities.entry((labels.instance, labels.device)).or_default();
                of.push((first.0, last.0, labels.id));
            }
        }
        ExporterMetric::Free => {
            all.free.entry((labels.instance, labels.mount)).or_default().extend(readings);
        }
        ExporterMetric::Size => all.sizes.entry(labels).or_default().extend(readings),
    }
    Ok(())
}

impl Series {
    /// Refuses a counter that occurs twice for the same time, as replicas of one Prometheus report it.
    fn check_twice(
        &mut self,
        name: &str,
        labels: &Labels,
        others: OtherLabels,
        readings: &[(i64, f64)],
        line: u64,
    ) -> Result<(), Problem> {
        let (Some((first, _)), Some((last, _))) = (readings.first(), readings.last()) else { return Ok(()) };
        let known = self.told.entry((name.to_owned(), labels.clone())).or_default();
        let is_twin = |known: &&CounterSeries| {
            *first <= known.last_ms && known.first_ms <= *last && known.others != others
        };
        let twin = known.iter().find(is_twin);
        let twice = twin.and_then(|twin| twins::problem((name, &labels.device), &twin.others, &others, line));
        if let Some(twice) = twice {
            return Err(twice);
        }
        // Parts that follow one another are one; between others a counter with other labels may have its time.
        let is_next = |one: &&mut CounterSeries| {
            one.others == others && *first <= one.last_ms + HOUR_MS && one.first_ms <= *last + HOUR_MS
        };
        match known.iter_mut().find(is_next) {
            Some(one) => (one.first_ms, one.last_ms) = (one.first_ms.min(*first), one.last_ms.max(*last)),
            None => known.push(CounterSeries { others, first_ms: *first, last_ms: *last }),
        }
        Ok(())
    }

    /// A counter: it waits until one of its host shows when that was scraped, or until all of its parts may be present.
    fn counter(
        &mut self,
        labels: Labels,
        metric: Metric,
        unit: f64,
        readings: Vec<(i64, f64)>,
        out: &mut SampleSink<'_>,
    ) {
        let host = self.hosts.entry(labels.instance.clone()).or_default();
        if !self.is_in_parts {
            host.look(&readings);
        }
        let known = host.waiting.entry((labels, metric)).or_default();
        known.extend(readings.into_iter().map(|(at_ms, value)| (at_ms, value * unit)));
        let waiting = || host.waiting.values().map(Vec::len).sum::<usize>();
        if (host.is_every() && !self.is_in_parts) || waiting() > MOST_WAITING {
            host.write(&self.identities, out);
        }
    }
}

impl Host {
    /// Whether each reading is a scrape.
    fn is_every(&self) -> bool {
        self.scrapes.is_some_and(|scrapes| scrapes.is_every)
    }

    /// What a counter says about the scrapes.
    fn look(&mut self, readings: &[(i64, f64)]) {
        if self.is_every() {
            return;
        }
        let known = self.scrapes;
        let nearest =
            |found: Scrapes| known.filter(|_| !found.is_every).map_or(found, |known| known.min(found));
        self.scrapes = Scrapes::of(readings).map(nearest).or(known);
    }

    /// Converts what waits to rates: parts of a counter in time order, duplicate readings once.
    fn write(&mut self, identities: &Identities, out: &mut SampleSink<'_>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for readings in waiting.values_mut() {
            if !readings.is_sorted_by(|one, next| one.0 < next.0) {
                readings.sort_by_key(|one| one.0);
                let count = readings.len();
                readings.dedup_by_key(|one| one.0);
                if readings.len() < count {
                    out.seen.notes.insert("readings that the file has twice count once");
                }
            }
            self.look(readings);
        }
        let scrapes = self.scrapes.filter(|scrapes| !scrapes.is_every);
        for (key, mut readings) in waiting {
            if let Some(scrapes) = scrapes {
                out.seen.notes.insert(
                    "readings repeat, because the query step is shorter than the scrape interval: one reading per scrape is used",
                );
                readings = scrapes.thinned(&readings);
            }
            let last = self.counters.entry(key.clone()).or_default();
            last.go_on((&key.0, key.1), &readings, identities, out);
        }
    }
}

/// Whether milliseconds of the epoch are a moment up to the year 9999.
fn is_moment(ms: i64) -> bool {
    (0..253_402_300_799_000).contains(&ms)
}

/// Milliseconds of the epoch out of seconds.
#[expect(clippy::cast_possible_truncation, reason = "within a range that was checked")]
pub fn milliseconds(seconds: f64) -> Option<i64> {
    const MOST: f64 = 253_402_300_799.0;
    (0.0..MOST).contains(&seconds).then(|| (seconds * 1_000.0).round() as i64)
}

impl LastReading {
    /// Converts the next readings of a counter to rates. A part that begins before the last one ended came late: nothing precedes it.
    fn go_on(
        &mut self,
        (labels, metric): (&Labels, Metric),
        readings: &[(i64, f64)],
        identities: &Identities,
        out: &mut SampleSink<'_>,
    ) {
        let known = identities.get(&(labels.instance.clone(), labels.device.clone()));
        let id_at = |at: i64| {
            let of = known?.iter().find(|(from, to, _)| (*from..=*to).contains(&at))?;
            Some(of.2.as_str())
        };
        let mut from = 0;
        // A disk that was exchanged behind the same name is another, and its counter begins anew.
        for part in readings.chunk_by(|a, b| id_at(a.0) == id_at(b.0)) {
            let (first_ms, id) = (readings[from].0, id_at(readings[from].0).unwrap_or_default());
            if self.id != id || self.at_ms.is_none_or(|at_ms| first_ms < at_ms) {
                self.counter.forget();
            }
            let (mut spans, mut rates) = (Vec::with_capacity(part.len()), Vec::with_capacity(part.len()));
            for &(at, value) in part {
                match out.seen.rate(self.counter.read(at, value)) {
                    Some((span, rate)) if metric.can_be_over(span, rate) => {
                        spans.push(span);
                        rates.push(rate);
                    }
                    Some(_) => out.seen.unusable += 1,
                    None => {}
                }
            }
            let key = labels.key(metric, id, out);
            from += part.len();
            self.at_ms = part.last().map(|last| last.0);
            id.clone_into(&mut self.id);
            out.seen.values += u64::try_from(rates.len()).unwrap_or_default();
            out.harvest.column(&key, metric, &spans, &rates);
        }
    }
}

fn sizes(labels: &Labels, readings: &BTreeMap<i64, f64>, free: &FreeSpace, out: &mut SampleSink<'_>) {
    let free = free.get(&(labels.instance.clone(), labels.mount.clone()));
    let key = labels.key(Metric::SizeBytes, "", out);
    for ((before, _), (at, size)) in readings.iter().zip(readings.iter().skip(1)) {
        let Some(span) = Span::between(*before, *at) else { continue };
        out.size(&key, span, *size, free.and_then(|free| free.get(at)).copied());
    }
}
