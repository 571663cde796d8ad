//! The JSON of both clouds, as far as it is of use.
//!
//! Must not know what a metric means.

use super::super::prometheus::milliseconds;
use crate::when;
use serde::Deserialize;

/// An answer of one of them.
#[derive(Deserialize)]
pub struct Answer {
    /// Of `get-metric-statistics`.
    #[serde(default, rename = "Label")]
    pub label: String,
    #[serde(default, rename = "Datapoints")]
    pub datapoints: Vec<Sample>,
    /// Of `get-metric-data`.
    #[serde(default, rename = "MetricDataResults")]
    pub results: Vec<MetricData>,
    /// Of Azure.
    #[serde(default)]
    pub value: Vec<AzureMetric>,
}

#[derive(Deserialize)]
pub struct MetricData {
    #[serde(default, rename = "Label")]
    pub label: String,
    #[serde(default, rename = "StatusCode")]
    pub status: String,
    #[serde(default, rename = "Timestamps")]
    pub timestamps: Vec<Moment>,
    #[serde(default, rename = "Values")]
    pub values: Vec<f64>,
}

#[derive(Deserialize)]
pub struct AzureMetric {
    #[serde(default)]
    pub id: String,
    pub name: Name,
    #[serde(default, rename = "timeseries")]
    pub series: Vec<AzureSeries>,
}

#[derive(Deserialize)]
pub struct Name {
    pub value: String,
}

#[derive(Deserialize)]
pub struct AzureSeries {
    #[serde(default)]
    pub data: Vec<Sample>,
    /// After the samples; missing if the answer was truncated within them.
    #[serde(rename = "metadatavalues")]
    dimensions: Option<Vec<Dimension>>,
}

#[derive(Deserialize)]
struct Dimension {
    name: Name,
    /// Missing if the answer was truncated before it.
    value: Option<String>,
}

/// When a sample was taken: ISO 8601, or seconds of the epoch as programs write them.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Moment {
    Told(String),
    Epoch(f64),
}

impl Default for Moment {
    fn default() -> Self {
        Self::Told(String::new())
    }
}

/// Statistics at a moment; Azure writes their names small.
#[derive(Clone, Default, Deserialize)]
pub struct Sample {
    #[serde(rename = "Timestamp", alias = "timeStamp")]
    at: Moment,
    #[serde(rename = "Sum", alias = "total")]
    sum: Option<f64>,
    #[serde(rename = "Average", alias = "average")]
    average: Option<f64>,
    #[serde(rename = "Minimum", alias = "minimum")]
    minimum: Option<f64>,
    #[serde(rename = "Maximum", alias = "maximum")]
    maximum: Option<f64>,
    #[serde(rename = "SampleCount", alias = "count")]
    count: Option<f64>,
    /// For an answer that does not name its statistic.
    #[serde(skip)]
    unnamed: Option<f64>,
}

impl AzureSeries {
    /// The number of a data disk.
    pub fn lun(&self) -> Option<&str> {
        let is_lun = |dimension: &&Dimension| dimension.name.value.eq_ignore_ascii_case("lun");
        self.dimensions.iter().flatten().find(is_lun)?.value.as_deref()
    }

    /// Whether it does not name its disk.
    pub fn is_nameless(&self) -> bool {
        self.dimensions.as_ref().is_none_or(|all| all.iter().any(|dimension| dimension.value.is_none()))
    }
}

impl Sample {
    /// A value of a statistic that the query knows.
    pub fn of_value(at: &Moment, value: f64) -> Self {
        Self { at: at.clone(), unnamed: Some(value), ..Self::default() }
    }

    /// Milliseconds of the epoch.
    pub fn at_ms(&self) -> Option<i64> {
        match &self.at {
            Moment::Told(text) => when::with_offset(text),
            Moment::Epoch(seconds) => milliseconds(*seconds),
        }
    }

    /// Its time as written.
    pub fn told(&self) -> String {
        match &self.at {
            Moment::Told(text) => text.clone(),
            Moment::Epoch(seconds) => seconds.to_string(),
        }
    }

    fn value(&self, statistic: &str) -> Option<f64> {
        let named = if statistic.eq_ignore_ascii_case("average") { self.average } else { self.sum };
        named.or(self.unnamed)
    }

    /// A statistic with its time.
    pub fn of(&self, statistic: &str) -> Option<(i64, f64)> {
        self.at_ms().zip(self.value(statistic))
    }

    /// Whether it has other statistics, and not this one.
    pub fn is_other_than(&self, statistic: &str) -> bool {
        let others = [self.sum, self.average, self.minimum, self.maximum, self.count];
        self.value(statistic).is_none() && others.iter().any(Option::is_some)
    }
}
