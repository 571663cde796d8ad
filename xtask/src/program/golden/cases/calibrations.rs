//! Calibrations, with commits and without, and their history.

use super::super::Document;
use super::super::documents::COLOUR;
use super::super::simulated::{law, made_once, on_disk};
use super::Case;
use rigel_core::judge::answers::Answer;
use rigel_core::load::commits::NoCommits;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::stats::EstimateForm;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{NS_PER_MS, Nanos};
use rigel_report::View;
use rigel_report::calibration::{self, Document as Answers};
use rigel_report::text::Style;
use std::sync::OnceLock;

/// Four stations, 400 small I/Os per second, and a flush.
pub const PLAIN: &str = "servers=4,service=10ms,rate=100M,flush=5ms,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("calibrate", plain),
        Case::of("calibrate-commits", || with_commits(true)),
        Case::of("calibrate-no-consent", || with_commits(false)),
        Case::of("calibrate-p99-unkept", unkept),
        Case::of("calibrate-writes", writes),
        Case::of("calibrate-cut-short", cut_short),
        Case::of("calibrate-credit-runs-out", || {
            calibrated("servers=8,service=10ms,rate=0,white=1%,bucket=200:12000")
        }),
        Case::other("calibrate-history", history),
    ]
}

/// A calibration that takes at most this many milliseconds.
pub fn asked(limit_ms: u64, of: LatencyOf) -> Request {
    let bound = LatencyBound { limit: Nanos(limit_ms * NS_PER_MS), of };
    let command_line = format!("/dev/sdb --max-latency {limit_ms}ms ");
    Request { seed: 7, command_line, ..Request::calibration(bound, Nanos::from_secs(60)) }
}

/// A calibration of a device within a mean latency of 100 ms.
pub fn calibrated(law: &str) -> anyhow::Result<Record> {
    on_disk(law, asked(100, LatencyOf::Mean))
}

/// That of the plain device.
pub fn plain() -> anyhow::Result<Record> {
    static KEPT: OnceLock<Record> = OnceLock::new();
    made_once(&KEPT, || calibrated(PLAIN))
}

/// One that also measures commits, or may not write.
pub fn with_commits(may_write: bool) -> anyhow::Result<Record> {
    let asked = asked(100, LatencyOf::Mean);
    let engine = EngineRequest::Sim(law(PLAIN)?);
    let mut request = Request { engine, ..asked }.with_commits(may_write);
    if !may_write {
        // A simulated device can always be written to.
        request.classes.truncate(2);
        request.leave_out_commits(NoCommits::NoConsent);
    }
    on_disk(PLAIN, request)
}

fn unkept() -> anyhow::Result<Record> {
    on_disk("servers=2,service=20ms,rate=0,spread=exponential", asked(5, LatencyOf::P99))
}

fn writes() -> anyhow::Result<Record> {
    let mut request = asked(100, LatencyOf::Mean);
    request.set_writes(WritePercent::new(30).unwrap_or_default());
    on_disk(PLAIN, request)
}

fn cut_short() -> anyhow::Result<Record> {
    let mut record = plain()?;
    super::interrupted::stop(&mut record, 9);
    Ok(record)
}

/// Calibrations of a storage on several days, which differ: what another session will show, and the last one.
fn history() -> anyhow::Result<Vec<Document>> {
    let record = with_commits(true)?;
    let Some(first) = Answers::of(&View::of(&record)) else { anyhow::bail!("no calibration") };
    let on_day = |(day, per_cent): (u32, f64)| {
        let times = |answer: &Answer, figure: EstimateForm| {
            let times = if answer.spread { per_cent / 100.0 } else { 1.0 };
            EstimateForm { value: figure.value * times, hi95: figure.hi95.map(|hi| hi * times), ..figure }
        };
        Answers {
            run: format!("calibration_2026030{day}_0800"),
            started: format!("2026-03-0{day}T08:00:00+01:00"),
            answers: first.answers.clone().map(times),
            ..first.clone()
        }
    };
    let mut found: Vec<Answers> = (1..).zip([100.0, 96.0, 103.0, 99.0]).map(on_day).collect();
    // One that an older program kept, and one of another storage.
    found.push(Answers { verdict: None, started: "2025-03-01T08:00:00+01:00".into(), ..first.clone() });
    found.push(Answers { targets: vec![super::hostile::NAME.into()], write_percent: 30, ..first.clone() });
    let past = calibration::past(&found, [8 << 10, 1 << 20], WritePercent::new(0));
    Ok(vec![
        Document::new("list", calibration::history(&found)),
        Document::new("list-of-one", calibration::history(&found[..1])),
        Document::new("answers-colour", calibration::answers(&found[0], COLOUR)),
        Document::new("answers-old", calibration::answers(&found[4], Style::default())),
        Document::new("json", found[0].json()?),
        Document::new("past", format!("{past:#?}\n")),
    ])
}
