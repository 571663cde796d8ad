//! The answers of a calibration as documents have them: `rigel.calibration/1`, and what `calibrate_io()` keeps.
//!
//! Must not word them.

use super::{ACTUAL_LATENCY, ANSWERS, Answer, COUNT};
use crate::judge::findings::Findings;
use crate::judge::quantity::{Quantity, What};
use crate::load::class::Class;
use crate::load::commits::NoCommits;
use crate::stats::bound::{LatencyOf, relation};
use crate::stats::estimate::EstimateForm;
use crate::units::say::trimmed;
use crate::units::{NS_PER_MS, to_f64};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The answers of a calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswersForm {
    /// Each by the key of its answer.
    #[serde(flatten)]
    figures: Figures,
    /// Why `max_iops` is null.
    pub reason: Option<String>,
    /// Small I/Os outstanding at `max_iops`.
    pub outstanding: Option<u32>,
    /// The limit, in milliseconds.
    pub max_latency_ms: f64,
    /// The statistic that it applies to.
    pub percentile: LatencyOf,
    /// Writers of `max_commits`.
    pub commit_writers: Option<u32>,
    /// Why the figures of commits are null.
    pub no_commits: Option<NoCommits>,
    /// The same as a sentence.
    pub commits_reason: Option<String>,
    /// The outstanding small I/Os that saturate the device; null if the search did not end.
    pub n_sat: Option<Bracket>,
}

/// A level, within the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bracket {
    /// Lowest.
    pub lo: u32,
    /// Highest.
    pub hi: u32,
    /// Whether saturation was seen; if not, both are lower bounds.
    pub saturated: bool,
}

impl AnswersForm {
    /// The answers of a run; `None` if it was not a calibration.
    pub fn of(findings: &Findings) -> Option<Self> {
        let found = findings.answers.as_ref()?;
        let figure = |answer: &Answer| {
            let found = findings.figure(answer.quantity)?;
            Some(found.estimate.scaled(answer.scale).into())
        };
        let most = found.commits.as_ref().ok().and_then(|commits| commits.most);
        let no_commits = found.commits.as_ref().err().copied();
        Some(Self {
            figures: Figures(ANSWERS.each_ref().map(figure)),
            reason: found.max_iops.as_ref().err().cloned(),
            outstanding: found.max_iops.as_ref().ok().map(|within| within.outstanding),
            max_latency_ms: to_f64(found.bound.limit.0) / to_f64(NS_PER_MS),
            percentile: found.bound.of,
            commit_writers: most.map(|most| most.point.of(Class::DSYNC)),
            no_commits,
            commits_reason: no_commits.map(|why| why.reason().to_owned()),
            n_sat: found.n_sat.map(|(lo, hi)| Bracket { lo, hi, saturated: found.saturated }),
        })
    }

    /// The figure of an answer, in the unit of the document.
    pub fn figure(&self, quantity: Quantity) -> Option<EstimateForm> {
        self.figures.0[Answer::place(quantity)?]
    }

    /// The same with each figure changed by `change`.
    #[must_use]
    pub fn map(mut self, change: impl Fn(&Answer, EstimateForm) -> EstimateForm) -> Self {
        for (answer, figure) in ANSWERS.iter().zip(&mut self.figures.0) {
            *figure = figure.map(|figure| change(answer, figure));
        }
        self
    }

    /// Whether anything was measured.
    pub fn has_figures(&self) -> bool {
        self.figures.0.iter().any(Option::is_some)
    }

    /// The figure, if it is the same quantity in every calibration: the latency that the limit is about is one only if the limit is on the mean.
    pub fn common(&self, answer: &Answer) -> Option<EstimateForm> {
        let is_common = answer.quantity.what != What::Bounded || self.percentile == LatencyOf::Mean;
        self.figure(answer.quantity).filter(|_| is_common)
    }

    /// How `max_iops` relates to the limit, `within a mean latency of 10 ms`.
    pub(super) fn beside_bound(&self) -> String {
        let is_above = self.figure(ACTUAL_LATENCY).is_some_and(|actual| actual.value > self.max_latency_ms);
        format!(
            "{} a {} latency of {}",
            relation(is_above),
            self.percentile.name(),
            limit(self.max_latency_ms)
        )
    }
}

/// A latency limit as written.
fn limit(ms: f64) -> String {
    match ms {
        _ if ms < 1.0 => format!("{} us", trimmed(1000.0 * ms)),
        _ if ms < 1000.0 => format!("{} ms", trimmed(ms)),
        _ => format!("{} s", trimmed(ms / 1000.0)),
    }
}

/// A figure for each answer, by key; unknown keys of another version are skipped.
#[derive(Clone, Debug, PartialEq)]
struct Figures([Option<EstimateForm>; COUNT]);

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(ANSWERS.iter().map(|answer| answer.key).zip(&self.0))
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByKey;

        impl<'de> Visitor<'de> for ByKey {
            type Value = Figures;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("figures by the keys of answers")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Figures, M::Error> {
                let mut found = [None; COUNT];
                while let Some(key) = map.next_key::<Cow<'_, str>>()? {
                    match ANSWERS.iter().position(|answer| answer.key == key) {
                        Some(place) => found[place] = map.next_value()?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Figures(found))
            }
        }

        deserializer.deserialize_map(ByKey)
    }
}

impl JsonSchema for Figures {
    fn schema_name() -> Cow<'static, str> {
        "Answers".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let figure = generator.subschema_for::<EstimateForm>();
        let one = |answer: &Answer| {
            let what = json_schema!({ "description": answer.title, "anyOf": [figure, { "type": "null" }] });
            (answer.key.to_owned(), what.to_value())
        };
        let properties: serde_json::Map<_, _> = ANSWERS.iter().map(one).collect();
        json_schema!({ "type": "object", "properties": properties, "required": ANSWERS.iter().map(|answer| answer.key).collect::<Vec<_>>() })
    }
}
