//! What a soak adds to a run: the load for the actual number of targets, and its own outputs.
//!
//! Must not measure, and must not judge; `rigel_uses::soak` does.

mod watch;

pub use watch::Watch;

use super::present::Reporter;
use crate::args::{Display, RunOptions, TargetSource, soak_of_targets};
use crate::output::{OutputSet, rest};
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::load::governor::WHOLE;
use rigel_core::load::request::Request;
use rigel_core::path_text;
use rigel_core::units::say::counted;
use rigel_report::soak::{SoakReport, json, page, text};
use rigel_run::journal::{NoticeSink, Patient, RecordFile};
use rigel_uses::soak::SoakFindings;
use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time until a request to end is noticed.
const LONGEST_REST: Duration = Duration::from_millis(100);

/// The options with the usual load of a soak for all of its targets.
pub fn of_targets<'a>(options: &'a RunOptions, targets: &[TargetFacts]) -> Cow<'a, RunOptions> {
    if !options.request.is_soak() || options.load.is_some() {
        return Cow::Borrowed(options);
    }
    let is_own = matches!(options.targets, TargetSource::Scratch { .. });
    let write = options.own_writes.filter(|_| is_own).unwrap_or_else(|| options.request.write_percent());
    let request = soak_of_targets(options.request.clone(), targets.len(), write);
    Cow::Owned(RunOptions { request, ..options.clone() })
}

/// Shown before anything is measured, if it only reads.
pub fn remark(options: &RunOptions) -> Option<String> {
    let request = &options.request;
    let is_silent = !request.is_soak() || request.classes.iter().any(|class| class.verify);
    (!is_silent).then(|| match request.writes_at_all() {
        _ if request.engine.is_simulated() => "note: a simulated device holds no data to verify".to_owned(),
        true => "note: no data is verified, because no class of the load has 'verify'".to_owned(),
        false => "note: read-only: failures and slow targets are found, but no data is verified; --destroy-data TARGET allows writing".to_owned(),
    })
}

/// Next to production, filling a scratch file takes only the share of the time that the soak may take.
pub struct SlowFill {
    /// How long to rest for each time of work; `None` without a bound.
    rests: Option<f64>,
    since: Instant,
}

impl SlowFill {
    pub fn of(request: &Request) -> Self {
        let share = request.soak().and_then(|soak| soak.beside).map(|ppm| f64::from(ppm) / f64::from(WHOLE));
        Self { rests: share.map(|share| (1.0 - share) / share), since: Instant::now() }
    }

    /// After some work.
    pub fn rest(&mut self, stop: &AtomicBool) {
        let Some(rests) = self.rests else { return };
        let end = Instant::now() + self.since.elapsed().mul_f64(rests);
        // Whoever wants it to end does not wait for it.
        while !stop.load(Ordering::Relaxed)
            && let left @ 1.. = end.saturating_duration_since(Instant::now()).as_millis()
        {
            sleep(Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX)).min(LONGEST_REST));
        }
        self.since = Instant::now();
    }
}

/// The record of a soak: a full disk does not end it. `again`: what resumes it.
pub fn journal(
    reporter: Reporter<'_>,
    record: File,
    set: &OutputSet,
    again: &str,
) -> Result<Patient, Problem> {
    let (is_silent, streams) = (reporter.options.display.tui, reporter.streams.clone());
    let path = set.record_path();
    let record = RecordFile::new(record, path_text::encode(&path));
    let tell: NoticeSink = Box::new(move |text| {
        if !is_silent {
            streams.remark(text)
        }
    });
    Patient::new(record, Box::new(move || rest::places(&path)), again.to_owned(), tell)
}

/// Writes the page and prints the result.
pub fn outputs(reporter: Reporter<'_>, told: &SoakReport<'_>, set: &OutputSet) -> Result<(), Problem> {
    let Display { json: as_json, no_html, .. } = reporter.options.display;
    let page = if no_html { None } else { Some(page(told)?) };
    let style = reporter.streams.style();
    reporter.page_and_result(set, page, |files| {
        if as_json { json(told) } else { Ok(text(told, style, files).into_bytes()) }
    })
}

/// Shows the record of a soak again.
pub fn again(told: &SoakReport<'_>, path: &Path, streams: &Streams) -> Result<(), Problem> {
    streams.results(text(told, streams.style(), &[path_text::encode(path)]).as_bytes())
}

/// The problem of a soak that found something besides wrong blocks, which the run reports itself.
pub fn problem(found: &SoakFindings) -> Option<Problem> {
    found.is_faulty().then(|| {
        let (what, cause) = fault(found);
        Problem::new(ExitKind::GateFailed, format!("the soak found something wrong: {what}"))
            .because(cause)
            .next("look at the page and the kernel log (dmesg), replace cable, slot or disk, and soak again")
    })
}

/// The gravest of what was found, and what likely causes that.
fn fault(found: &SoakFindings) -> (String, &'static str) {
    if let Some(hung) = &found.hung {
        return (hung.clone(), "the device, its path or its server does not respond");
    }
    if found.errors > 0 {
        let what = format!("{} failed", counted(found.errors, "I/O"));
        return (what, "a disk or its path fails under load; the kernel log may say which");
    }
    if !found.outliers.is_empty() {
        let cause = "a disk that is slower than its peers rarely gets better; its link may be slower, too";
        return ("a target is slower than the others".to_owned(), cause);
    }
    if let Some(long) = rigel_report::soak::long_ios(found) {
        let cause = "most likely the device or its path lost the request or its answer, and a reset, a retry or another path recovered it";
        return (long, cause);
    }
    let cause = "a drive that reports damage rarely gets better";
    ("a drive reports damage or an alarm".to_owned(), cause)
}
