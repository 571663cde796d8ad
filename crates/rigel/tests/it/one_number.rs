//! One number, one origin: every output of a run tells the same figure where it tells the same quantity.
//!
//! The records are of a simulated device that varies, so that points which are alike have different rates and an output that
//! chose by a rule of its own would tell another one. Whole outputs are read, as a script would read them.

mod told;

use rigel_core::judge::findings::refuted;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_report::compare::{CompareFormat, ComparisonView, runs};
use rigel_report::text::{self, Style};
use rigel_report::{Format, View, advice, calibration, compare, render};
use rigel_uses::advice::{AdviceReport, Conditions};
use rigel_uses::compare::Comparison;
use rigel_uses::selftest::{self, Promise};
use told::OutputNumbers;

fn bytes(format: Format, view: &View<'_>) -> String {
    let files = render(format, view).unwrap();
    String::from_utf8(files.into_iter().next().unwrap().bytes).unwrap()
}

/// ORION's lines tell the figures that all others tell, and nothing that is told refutes what stands for the run.
fn orion_agrees(view: &View<'_>, summary: &str) {
    let refuted = refuted(&view.findings);
    assert!(refuted.is_empty(), "{refuted:?}");
    let best = &view.findings.best;
    let (Some(small), Some(large)) = (best.rate(Class::SMALL), best.rate(Class::LARGE)) else { return };
    let lowest = best.latency_us(Class::SMALL).unwrap().estimate.value;
    for line in [
        format!("Maximum Large MBPS={:.2} @ ", large.estimate.value),
        format!("Maximum Small IOPS={:.0} @ ", small.estimate.value),
        format!("Minimum Small Latency={lowest:.3} usecs @ "),
        format!("Small Read Latency: avg={lowest:.3} us, "),
    ] {
        assert!(summary.contains(&line), "{line}: {summary}");
    }
}

/// Every figure that the outputs of a run tell.
fn told(record: &Record) -> OutputNumbers {
    let mut told = OutputNumbers::default();
    let view = View::of(record);
    told.json(&bytes(Format::Json, &view));
    told.csv("csv", &bytes(Format::Csv, &view));
    let orion = render(Format::Orion(rigel_report::OrionVersion::V19), &view).unwrap();
    let file = |suffix: &str| {
        let found = orion.iter().find(|file| file.suffix == suffix).unwrap();
        std::str::from_utf8(&found.bytes).unwrap()
    };
    orion_agrees(&view, file("_summary.txt"));
    told.csv("ci.csv", file("_ci.csv"));
    told.openmetrics(&bytes(Format::OpenMetrics, &view));
    told.page(&bytes(Format::Html, &view));
    told.markdown(&bytes(Format::Markdown, &view));
    told.terminal(&text::explained(&view, Style::default(), &[]));
    let views = [view];
    let of = runs(&views);
    let comparison = Comparison::of(&of, &of);
    let compared = ComparisonView {
        base: &views,
        new: &views,
        comparison: &comparison,
        gates: &[],
        undecided_fails: false,
    };
    told.compare(&compare::render(CompareFormat::Json, &compared).unwrap().bytes);
    let advised = AdviceReport::of(&of, Conditions::default(), None).unwrap();
    told.advice(&advice::document(&advice::Advisory { views: &views, advised: &advised }).unwrap());
    if let Some(answers) = calibration::Document::of(&views[0]) {
        told.calibration(&answers.json().unwrap());
        told.answers(&calibration::answers(&answers, Style::default()));
    }
    told
}

#[test]
fn the_outputs_of_a_calibration_agree() {
    let is_calibration = |case: &selftest::Case| matches!(case.promise, Promise::Answers { .. });
    let case = selftest::all().into_iter().find(is_calibration).unwrap();
    let mut differ = 0;
    for seed in 1..=3 {
        let record = rigel_run::trial::trial(&case.request(seed).unwrap()).unwrap();
        let told = told(&record);
        told.agree();
        for (key, sources) in [
            ("most small value", 5),
            ("most large value", 5),
            ("within value", 4),
            ("within latency value", 4),
            ("one stream value", 4),
            ("most large width", 3),
            ("within width", 3),
        ] {
            told.is_told_by(key, sources);
        }
        let found = View::of(&record).findings;
        differ += usize::from(found.best.rate(Class::SMALL) != found.plainly_best.rate(Class::SMALL));
    }
    assert!(differ > 0, "no record tells the rules for the highest rate apart");
}

#[test]
fn the_outputs_of_a_calibration_with_commits_agree() {
    let case =
        selftest::all().into_iter().find(|case| matches!(case.promise, Promise::Answers { .. })).unwrap();
    let law = "servers=4,service=1ms,rate=0,flush=200us,between=5%";
    let engine = EngineRequest::Sim(SimLaw::parse(law).unwrap());
    let request = Request { engine, ..case.request(2).unwrap() }.with_commits(true);
    let told = told(&rigel_run::trial::trial(&request).unwrap());
    told.agree();
    for (key, sources) in [
        ("1 dsync mean value", 9),
        ("1 dsync mean lo95", 6),
        ("1 dsync mean at", 2),
        ("1 fdatasync mean value", 7),
        ("most commits value", 6),
        ("most commits width", 3),
    ] {
        told.is_told_by(key, sources);
    }
}

#[test]
fn the_outputs_of_a_matrix_agree() {
    let mut request = Request::new(RunLevel::Normal);
    let law = "servers=4,service=1ms,spread=exponential,between=3%";
    request.engine = EngineRequest::Sim(SimLaw::parse(law).unwrap());
    request.set_pace(Pace::Adaptive(Adaptive { precision: Precision(50), max_duration: None, fast: true }));
    request.seed = 5;
    let told = told(&rigel_run::trial::trial(&request).unwrap());
    told.agree();
    for (key, sources) in [
        ("most small value", 6),
        ("most large value", 5),
        ("5,0 small iops value", 8),
        ("5,0 small p99 lo95", 6),
    ] {
        told.is_told_by(key, sources);
    }
}
