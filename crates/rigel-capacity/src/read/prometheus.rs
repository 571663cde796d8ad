//! JSON of Prometheus's `query_range`, and of VictoriaMetrics' `/api/v1/export`: the counters of the node exporter, a series each.
//!
//! What a disk is (`node_disk_info`) comes before its counters, because Prometheus sorts by name; with it a disk stays the same under another name.
//! Must not take results of functions: their metric has no name.

use super::differences::{ExporterMetric, Labels, meant};
use super::pieces::{self, Piece, Pieces};
use super::scrapes::Scrapes;
use super::seen::{shown, wrong};
use super::{Room, SampleSink};
use crate::counter::Counter;
use crate::{Metric, Span};
use rigel_core::error::Problem;
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

/// What was read of all series until now.
#[derive(Default)]
struct Series {
    identities: Identities,
    free: FreeSpace,
    /// By instance.
    hosts: BTreeMap<String, Host>,
    /// Counters by name and what they are of, with their other labels and their time.
    told: BTreeMap<(String, Labels), Vec<CounterSeries>>,
}

/// A counter that was read: its other labels, and its first and last moment.
struct CounterSeries {
    others: BTreeMap<String, String>,
    first_ms: i64,
    last_ms: i64,
}

/// A counter that is not yet made rates of.
struct CounterQueue {
    labels: Labels,
    metric: Metric,
    unit: f64,
    readings: Vec<(i64, f64)>,
}

/// When an instance was scraped.
#[derive(Default)]
struct Host {
    /// Of all counters the shortest interval, or of the first one each of whose readings is a scrape.
    scrapes: Option<Scrapes>,
    waiting: Vec<CounterQueue>,
}

impl Prometheus {
    /// The answer of Prometheus.
    pub fn of_query() -> Self {
        Self { pieces: Pieces::of("result"), is_export: false, found: Series::default() }
    }

    /// A series a line.
    pub fn of_export() -> Self {
        Self { pieces: Pieces::of(""), is_export: true, found: Series::default() }
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
    /// Of an export, in milliseconds; its values have no times then.
    #[serde(default)]
    timestamps: Vec<i64>,
}

/// A value of Prometheus: seconds, and a number as text.
type JsonSample = (f64, Number);
/// One of an export: a number alone.
type ExportSample = Option<f64>;

/// A number that is written as text; NaN for what is none. Read without a copy of the text, because there are millions of them.
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Number;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a number as text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Number, E> {
                Ok(Number(text.parse().unwrap_or(f64::NAN)))
            }
        }
        from.deserialize_str(Text)
    }
}

impl Room for Prometheus {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { pieces, is_export, found } = self;
        pieces.cut(bytes, |piece| series(&piece, *is_export, found, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        self.pieces.end()?;
        let Series { identities, hosts, .. } = &mut self.found;
        hosts.values_mut().for_each(|host| host.write(identities, out));
        match pieces::told(self.pieces.around(), "error") {
            None => Ok(()),
            Some(error) => Err(wrong(1, format!("Prometheus answered with an error: {}", shown(&error)))
                .next("query it again; it refuses more than 11,000 points per series")),
        }
    }
}

/// The labels of a series, and its finite values with their times in milliseconds.
type LabelsAndReadings = (BTreeMap<String, String>, Vec<(i64, f64)>);

/// A series of either tool.
fn parse(piece: &Piece<'_>, is_export: bool) -> Result<LabelsAndReadings, Problem> {
    let wrong_series = |error: serde_json::Error| {
        wrong(piece.line, format!("this is not a Prometheus series: {}", shown(&error.to_string())))
            .because("the file is damaged, or comes from something else")
    };
    let is_finite = |reading: &(i64, f64)| reading.1.is_finite();
    if is_export {
        let found: JsonSeries<ExportSample> = serde_json::from_slice(piece.json).map_err(wrong_series)?;
        let readings = found.timestamps.iter().zip(&found.values);
        let readings = readings
            .filter_map(|(at, value)| Some((is_moment(*at).then_some(*at)?, (*value)?)))
            .filter(is_finite)
            .collect();
        return Ok((found.metric, readings));
    }
    let found: JsonSeries<JsonSample> = serde_json::from_slice(piece.json).map_err(wrong_series)?;
    if found.value.is_some() {
        return Err(wrong(piece.line, "this is the answer to an instant query")
            .because("it comes from /api/v1/query")
            .next("use /api/v1/query_range with start, end and step"));
    }
    let readings = found.values.iter().filter_map(|(at, number)| Some((milliseconds(*at)?, number.0)));
    let readings = readings.filter(is_finite).collect();
    Ok((found.metric, readings))
}

fn series(
    piece: &Piece<'_>,
    is_export: bool,
    all: &mut Series,
    out: &mut SampleSink<'_>,
) -> Result<(), Problem> {
    let (mut others, readings) = parse(piece, is_export)?;
    let Some(name) = others.remove("__name__") else {
        return Err(wrong(piece.line, "a series has no name")
            .because("it is the result of a function such as rate(), which hides counter resets and the counter's name")
            .next("query the counters themselves: {__name__=~\"node_disk_.*|node_filesystem_(size|free)_bytes\"}"));
    };
    let Some(meant) = meant(&name) else { return Ok(()) };
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
            all.free.insert((labels.instance, labels.mount), readings.into_iter().collect());
        }
        ExporterMetric::Size => sizes(&labels, &readings, &all.free, out),
    }
    Ok(())
}

impl Series {
    /// Refuses a counter that is there twice for the same time, as replicas of one Prometheus tell it.
    fn check_twice(
        &mut self,
        name: &str,
        labels: &Labels,
        others: BTreeMap<String, String>,
        readings: &[(i64, f64)],
        line: u64,
    ) -> Result<(), Problem> {
        let (Some((first, _)), Some((last, _))) = (readings.first(), readings.last()) else { return Ok(()) };
        let known = self.told.entry((name.to_owned(), labels.clone())).or_default();
        let twin = known.iter().find(|known| *first <= known.last_ms && known.first_ms <= *last);
        let differs = twin.and_then(|CounterSeries { others: twin, .. }| {
            let names = twin.keys().chain(others.keys());
            let name = names.into_iter().find(|name| twin.get(*name) != others.get(*name))?;
            let value = |of: &BTreeMap<String, String>| {
                of.get(name).map_or_else(|| "nothing".to_owned(), |text| shown(text))
            };
            Some((shown(name), value(twin), value(&others)))
        });
        if let Some((label, one, other)) = differs {
            return Err(wrong(line, format!("{} of {} appears twice", shown(name), shown(&labels.device)))
                .because(format!(
                    "the label {label} differs ({one} and {other}), as with replicas that were not merged"
                ))
                .next(format!("query one of them: {{{label}=\"{one}\"}}")));
        }
        known.push(CounterSeries { others, first_ms: *first, last_ms: *last });
        Ok(())
    }

    /// A counter: it waits until one of its host says when that was scraped.
    fn counter(
        &mut self,
        labels: Labels,
        metric: Metric,
        unit: f64,
        readings: Vec<(i64, f64)>,
        out: &mut SampleSink<'_>,
    ) {
        let host = self.hosts.entry(labels.instance.clone()).or_default();
        if !host.is_every() {
            let known = host.scrapes;
            let nearest =
                |found: Scrapes| known.filter(|_| !found.is_every).map_or(found, |known| known.min(found));
            host.scrapes = Scrapes::of(&readings).map(nearest).or(known);
        }
        host.waiting.push(CounterQueue { labels, metric, unit, readings });
        let waiting = || host.waiting.iter().map(|waiting| waiting.readings.len()).sum::<usize>();
        if host.is_every() || waiting() > MOST_WAITING {
            host.write(&self.identities, out);
        }
    }
}

impl Host {
    /// Whether each reading is a scrape.
    fn is_every(&self) -> bool {
        self.scrapes.is_some_and(|scrapes| scrapes.is_every)
    }

    /// Makes rates of what waits.
    fn write(&mut self, identities: &Identities, out: &mut SampleSink<'_>) {
        let scrapes = self.scrapes.filter(|scrapes| !scrapes.is_every);
        for CounterQueue { labels, metric, unit, readings } in self.waiting.drain(..) {
            let Some(scrapes) = scrapes else {
                counter(&labels, metric, unit, &readings, identities, out);
                continue;
            };
            out.seen.notes.insert(
                "readings repeat, because the query step is shorter than the scrape interval: one reading per scrape is used",
            );
            counter(&labels, metric, unit, &scrapes.thinned(&readings), identities, out);
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

fn counter(
    labels: &Labels,
    metric: Metric,
    unit: f64,
    readings: &[(i64, f64)],
    identities: &Identities,
    out: &mut SampleSink<'_>,
) {
    let known = identities.get(&(labels.instance.clone(), labels.device.clone()));
    let id_at = |at: i64| {
        let of = known?.iter().find(|(from, to, _)| (*from..=*to).contains(&at))?;
        Some(of.2.as_str())
    };
    let mut counter = Counter::default();
    let mut from = 0;
    // A disk that was exchanged behind the same name is another, and its counter begins anew.
    for part in readings.chunk_by(|a, b| id_at(a.0) == id_at(b.0)) {
        counter.forget();
        let (mut spans, mut rates) = (Vec::with_capacity(part.len()), Vec::with_capacity(part.len()));
        for &(at, value) in part {
            match out.seen.rate(counter.read(at, value * unit)) {
                Some((span, rate)) if metric.can_be(rate) => {
                    spans.push(span);
                    rates.push(rate);
                }
                Some(_) => out.seen.unusable += 1,
                None => {}
            }
        }
        let key = labels.key(metric, id_at(readings[from].0).unwrap_or_default(), out);
        from += part.len();
        out.seen.values += u64::try_from(rates.len()).unwrap_or_default();
        out.harvest.column(&key, metric, &spans, &rates);
    }
}

fn sizes(labels: &Labels, readings: &[(i64, f64)], free: &FreeSpace, out: &mut SampleSink<'_>) {
    let free = free.get(&(labels.instance.clone(), labels.mount.clone()));
    let key = labels.key(Metric::SizeBytes, "", out);
    for pair in readings.windows(2) {
        let [(before, _), (at, size)] = *pair else { continue };
        let Some(span) = Span::between(before, at) else { continue };
        out.size(&key, span, size, free.and_then(|free| free.get(&at)).copied());
    }
}
