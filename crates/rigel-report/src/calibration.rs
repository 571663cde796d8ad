//! The answers of a calibration: one JSON document, `rigel.calibration/1`, and the text that is made of it.
//!
//! The history keeps the document, so an old answer is shown like a new one. The types here are the interface: a
//! field is added under the same name of the schema, a change that a reader could misread needs a new one. Must not
//! choose a figure; [`rigel_core::judge::findings`] does.

pub(crate) mod commits;
mod past;
mod text;

pub use past::past;
pub(crate) use text::figures;
pub use text::{answers, history};

use crate::json::{self, pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::Extreme;
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::Class;
use rigel_core::load::commits::NoCommits;
use rigel_core::stats::Estimate;
use rigel_core::stats::bound::LatencyOf;
use rigel_core::units::{NS_PER_MS, to_f64};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.calibration/1";

/// What a calibration answers. Rates are per second, one MB is 2^20 bytes; `lo95` and `hi95` are the ends of 95 % intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "rigel.calibration/1")]
pub struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Name that all files of the run begin with.
    pub run: String,
    /// Local time of the start, RFC 3339.
    pub started: String,
    /// The targets, as they were named.
    pub targets: Vec<String>,
    /// Most small I/Os per second within the bound; null when none keeps it.
    pub max_iops: Option<Figure>,
    /// Why `max_iops` is null.
    pub reason: Option<String>,
    /// The latency there that the bound is about, in milliseconds.
    pub actual_latency_ms: Option<Figure>,
    /// Small I/Os outstanding there.
    pub outstanding: Option<u32>,
    /// The bound, in milliseconds.
    pub max_latency_ms: f64,
    /// Which latency it is about.
    pub percentile: LatencyOf,
    /// Share of writes in per cent.
    pub write_percent: u8,
    /// Bytes of a small I/O.
    pub size_small: u64,
    /// Bytes of a large I/O.
    pub size_large: u64,
    /// Most small I/Os per second at any latency.
    pub unbounded_iops: Option<Figure>,
    /// Most megabytes per second of large I/O, many sequential streams.
    pub max_mbps: Option<Figure>,
    /// Megabytes per second of one sequential stream.
    pub max_pmbps: Option<Figure>,
    /// The latency that the bound is about with one small I/O outstanding, in microseconds.
    pub latency_at_1_us: Option<Figure>,
    /// The mean latency of a commit of one writer, in microseconds: a write of 8 KiB that is durable by itself (dsync); null when
    /// commits were not measured.
    #[serde(default)]
    pub commit_latency_us: Option<Figure>,
    /// The same with a flush behind the write (fdatasync).
    #[serde(default)]
    pub commit_fdatasync_us: Option<Figure>,
    /// The same write, durable or not: what remains is the flush.
    #[serde(default)]
    pub commit_unsynced_us: Option<Figure>,
    /// Most commits (dsync) per second of all numbers of writers.
    #[serde(default)]
    pub max_commits: Option<Figure>,
    /// Writers of `max_commits`.
    #[serde(default)]
    pub commit_writers: Option<u32>,
    /// Why the figures of commits are null; null in a history of before 0.2.
    #[serde(default)]
    pub commits_reason: Option<String>,
    /// The outstanding small I/Os that saturate the device; null when the search did not end.
    pub n_sat: Option<Bracket>,
    /// Whether it was measured to its end.
    pub complete: bool,
    /// What speaks against any of it, each flag once.
    pub flags: Vec<Flag>,
    /// Whether the figures may be used, what speaks against them, and what to do; null in a history of before 0.2.
    #[serde(default)]
    pub verdict: Option<Conclusion>,
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Estimate")]
pub struct Figure {
    /// The value.
    pub mean: f64,
    /// Lower end of its 95 % interval; null when there is none.
    pub lo95: Option<f64>,
    /// Upper end.
    pub hi95: Option<f64>,
}

/// A level, as far as the noise tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bracket {
    /// Lowest.
    pub lo: u32,
    /// Highest.
    pub hi: u32,
    /// Whether saturation was seen; if not, both are lower bounds.
    pub saturated: bool,
}

impl From<Estimate> for Figure {
    fn from(found: Estimate) -> Self {
        Self { mean: found.value, lo95: found.lo95(), hi95: found.hi95() }
    }
}

impl Figure {
    /// The longer side of the interval over the mean, as every other output has it.
    pub(crate) fn width(&self) -> Option<f64> {
        self.hi95.filter(|_| self.mean > 0.0).map(|hi| hi / self.mean - 1.0)
    }
}

impl Document {
    /// The document of a run; `None` when it was no calibration.
    pub fn of(view: &View<'_>) -> Option<Self> {
        let found = view.findings.answers.as_ref()?;
        let figure = |best: Option<Extreme>| best.map(|best| best.estimate.into());
        let header = &view.record.header;
        let within = found.max_iops.as_ref().ok();
        let commits = found.commits.as_ref().ok();
        let most_commits = commits.and_then(|commits| commits.most);
        Some(Self {
            schema: SCHEMA.to_owned(),
            run: text(&header.run_id),
            started: text(&header.started),
            targets: view.targets().into_iter().map(text).collect(),
            max_iops: within.map(|within| within.iops.into()),
            reason: found.max_iops.as_ref().err().cloned(),
            actual_latency_ms: within.map(|within| within.latency_us.scaled(1e-3).into()),
            outstanding: within.map(|within| within.outstanding),
            max_latency_ms: to_f64(found.bound.limit.0) / to_f64(NS_PER_MS),
            percentile: found.bound.of,
            write_percent: header.request.write_percent().get(),
            size_small: header.request.io_bytes(Class::SMALL),
            size_large: header.request.io_bytes(Class::LARGE),
            unbounded_iops: figure(found.unbounded_iops),
            max_mbps: figure(found.max_mbps),
            max_pmbps: figure(found.max_pmbps),
            latency_at_1_us: found.latency_at_1_us.map(Figure::from),
            commit_latency_us: commits.map(|commits| commits.dsync_us.into()),
            commit_fdatasync_us: commits.and_then(|commits| commits.fdatasync_us).map(Figure::from),
            commit_unsynced_us: commits.and_then(|commits| commits.unsynced_us).map(Figure::from),
            max_commits: figure(most_commits),
            commit_writers: most_commits.map(|best| best.point.of(Class::DSYNC)),
            commits_reason: found.commits.as_ref().err().map(|&why| commits::reason(why).to_owned()),
            n_sat: found.n_sat.map(|(lo, hi)| Bracket { lo, hi, saturated: found.saturated }),
            complete: view.record.complete(),
            flags: json::flags(&view.findings.flags_once()),
            verdict: Some(Conclusion::of(view)),
        })
    }

    fn has_figures(&self) -> bool {
        let Self { unbounded_iops, max_mbps, max_pmbps, latency_at_1_us, commit_latency_us, .. } = self;
        [unbounded_iops, max_mbps, max_pmbps, latency_at_1_us, commit_latency_us]
            .into_iter()
            .any(Option::is_some)
    }

    /// Why there are no figures of commits, unless whoever asked for the calibration has said so.
    fn commits_news(&self) -> Option<&str> {
        let known = [NoCommits::LeftOut, NoCommits::NoFlush].map(commits::reason);
        self.commits_reason.as_deref().filter(|reason| !known.contains(reason))
    }

    /// The document as text, pretty-printed.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn json(&self) -> Result<Vec<u8>, Problem> {
        pretty(self)
    }
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document>()
}
