//! JSON of Prometheus's `query_range`: the counters of the node exporter, a series each.
//!
//! What a disk is (`node_disk_info`) comes before its counters, because Prometheus sorts by name; with it a disk stays the same under another name.
//! Must not take results of functions: their metric has no name.

use super::differences::{Labels, Meant, meant};
use super::pieces::{Piece, Pieces, told};
use super::seen::{shown, wrong};
use super::{Out, Room};
use crate::error::Problem;
use crate::uses::capacity::counter::{Counter, Step};
use crate::uses::capacity::{Metric, Span};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

/// Times of a disk under a name, and what it was.
type Identities = BTreeMap<(String, String), Vec<(i64, i64, String)>>;
/// Free bytes of a filesystem at moments.
type Free = BTreeMap<(String, String), BTreeMap<i64, f64>>;

/// A reader of it.
pub struct Prometheus {
    pieces: Pieces,
    identities: Identities,
    free: Free,
}

impl Default for Prometheus {
    fn default() -> Self {
        Self { pieces: Pieces::of("result"), identities: BTreeMap::new(), free: BTreeMap::new() }
    }
}

#[derive(Deserialize)]
struct Found<'a> {
    #[serde(borrow)]
    metric: Told<'a>,
    #[serde(default)]
    values: Vec<(f64, Number)>,
    value: Option<(f64, Number)>,
}

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

#[derive(Deserialize)]
struct Told<'a> {
    #[serde(borrow, rename = "__name__")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    instance: Cow<'a, str>,
    #[serde(borrow, default)]
    device: Cow<'a, str>,
    #[serde(borrow, default)]
    mountpoint: Cow<'a, str>,
    #[serde(borrow, default)]
    wwn: Cow<'a, str>,
    #[serde(borrow, default)]
    serial: Cow<'a, str>,
}

impl Room for Prometheus {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem> {
        let Self { pieces, identities, free } = self;
        pieces.cut(bytes, |piece| series(&piece, identities, free, out))
    }

    fn end(&mut self, _: &mut Out<'_>) -> Result<(), Problem> {
        self.pieces.end()?;
        match told(self.pieces.around(), "error") {
            None => Ok(()),
            Some(error) => Err(wrong(1, format!("Prometheus answered with an error: {}", shown(&error)))
                .next("ask it again; of more than 11,000 moments a series it refuses the answer")),
        }
    }
}

fn series(
    piece: &Piece<'_>,
    identities: &mut Identities,
    free: &mut Free,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let found: Found<'_> = serde_json::from_slice(piece.json).map_err(|error| {
        wrong(piece.line, format!("this is no series of Prometheus: {}", shown(&error.to_string())))
            .because("the file is damaged, or the answer of something else")
    })?;
    if found.value.is_some() {
        return Err(wrong(piece.line, "this is the answer to a question about one moment")
            .because("it was asked of /api/v1/query")
            .next("ask /api/v1/query_range, with start, end and step"));
    }
    let Some(name) = found.metric.name.as_deref() else {
        return Err(wrong(piece.line, "a series has no name")
            .because("it is the result of a function such as rate(), which hides resets and what was counted")
            .next("ask for the counters themselves: {__name__=~\"node_disk_.*|node_filesystem_(size|free)_bytes\"}"));
    };
    let Some(meant) = meant(name) else { return Ok(()) };
    let told = &found.metric;
    let id = if told.wwn.is_empty() { &told.serial } else { &told.wwn };
    let labels = Labels {
        instance: told.instance.to_string(),
        device: told.device.to_string(),
        mount: told.mountpoint.to_string(),
        id: id.to_string(),
    };
    if labels.instance.is_empty() && out.options.host.is_none() {
        return Err(no_host(piece.line));
    }
    let readings = found.values.iter().filter(|(_, number)| number.0.is_finite());
    let readings: Vec<(i64, f64)> =
        readings.filter_map(|(at, number)| Some((milliseconds(*at)?, number.0))).collect();
    match meant {
        Meant::Counter(metric, unit) => counter(&labels, metric, unit, &readings, identities, out),
        Meant::Info => {
            if let (Some(first), Some(last), false) =
                (readings.first(), readings.last(), labels.id.is_empty())
            {
                let of = identities.entry((labels.instance, labels.device)).or_default();
                of.push((first.0, last.0, labels.id));
            }
        }
        Meant::Free => {
            free.insert((labels.instance, labels.mount), readings.into_iter().collect());
        }
        Meant::Size => sizes(&labels, &readings, free, out),
    }
    Ok(())
}

/// No name of the host, and nobody gave one.
pub fn no_host(line: u64) -> Problem {
    wrong(line, "the file does not say of which host it is")
        .because("a single server writes it, and names itself nowhere in it")
        .next("name the host with --host NAME")
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
    out: &mut Out<'_>,
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
            match counter.read(at, value * unit) {
                Step::Rate(span, rate) => {
                    spans.push(span);
                    rates.push(rate);
                }
                Step::Reset => out.seen.resets += 1,
                Step::Gap => out.seen.gaps += 1,
                Step::Backwards => out.seen.backwards += 1,
                Step::Begin => {}
            }
        }
        let key = labels.key(metric, id_at(readings[from].0).unwrap_or_default(), out);
        from += part.len();
        out.seen.values += u64::try_from(rates.len()).unwrap_or_default();
        out.harvest.column(&key, metric, &spans, &rates);
    }
}

fn sizes(labels: &Labels, readings: &[(i64, f64)], free: &Free, out: &mut Out<'_>) {
    let free = free.get(&(labels.instance.clone(), labels.mount.clone()));
    let key = labels.key(Metric::SizeBytes, "", out);
    for pair in readings.windows(2) {
        let [(before, _), (at, size)] = *pair else { continue };
        let Some(span) = Span::between(before, at) else { continue };
        let used = free.and_then(|free| free.get(&at)).map(|free| (size - free).max(0.0));
        match used {
            Some(used) => out.row(&key, span, &[(Metric::UsedBytes, used), (Metric::SizeBytes, size)]),
            None => out.row(&key, span, &[(Metric::SizeBytes, size)]),
        }
    }
}
