//! What people read has no number that nobody can read: on simulated devices with every disturbance, in every text.
//!
//! A rate cannot lose more than all of it, whatever line is laid through it, and nobody reads a seventh figure.

use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;
use rigel_report::compare::{CompareFormat, ComparisonView, runs};
use rigel_report::text::{self, Style};
use rigel_report::{Format, View, calibration, compare, render};
use rigel_uses::compare::Comparison;

/// Devices that change while they are measured, as much as the simulated one can.
const LAWS: [&str; 9] = [
    "servers=8,service=777us,drift=-90%",
    "servers=8,service=1ms,startup=-99%:5s,between=40%",
    "servers=4,service=88888us,spread=exponential,white=100%",
    "servers=8,service=1ms,bucket=3000:30000",
    "servers=8,service=1ms,stalls=0.2:2s,lost=5000",
    "servers=8,service=1ms,modes=50%:0.02,between=60%",
    "servers=8,service=3ms,hits=60%:3us,retrograde=50%",
    "servers=8,service=1ms,neighbour=0.03:5s:10s",
    "servers=1,service=50us,noise=ar:9s:80%",
];

/// The sentences about numbers that nobody can read.
fn unreadable(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.,%".contains(c))) {
            let word = word.trim_matches(['.', ',']);
            let decimals = word.rsplit_once('.').map_or("", |(_, decimals)| decimals);
            let digits = decimals.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 3 || ["inf", "-inf", "NaN"].contains(&word) {
                found.push(format!("{word}: {line}"));
            }
        }
        for (before, _) in line.match_indices('%').map(|(place, _)| line.split_at(place)) {
            let number = before.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
            let number = number.trim_start_matches(['±', '>']);
            if number.parse::<f64>().is_ok_and(|percent| !(-100.0..=999.5).contains(&percent)) {
                found.push(format!("{number} %: {line}"));
            }
        }
    }
    found
}

fn request(law: &str, level: RunLevel) -> Request {
    Request {
        engine: EngineRequest::Sim(SimLaw::parse(law).unwrap()),
        seed: 3,
        ..Request::new(level).paced(Pace::Adaptive(Adaptive {
            precision: Precision(30),
            max_duration: Some(Nanos(59_999_999_950)),
            fast: true,
        }))
    }
}

fn of_a_run(record: &Record) -> String {
    let view = View::of(record);
    let mut told = text::explained(&view, Style::default(), &[]);
    if let Some(answers) = calibration::Document::of(&view) {
        told += &calibration::answers(&answers, Style::default());
    }
    let markdown = render(Format::Markdown, &view).unwrap();
    told + std::str::from_utf8(&markdown[0].bytes).unwrap()
}

fn of_a_plan(request: &Request) -> String {
    let EngineRequest::Sim(law) = request.engine else { panic!("simulated") };
    let targets = vec![TargetFacts::simulated(law.size_bytes)];
    let plan = Plan::new(request, &HostFacts { cpus: 1, ..HostFacts::default() }, &targets).unwrap();
    text::plan(request, &plan, &targets, None)
}

#[test]
fn no_text_has_a_number_that_nobody_can_read() {
    let mut records = Vec::new();
    let mut told = String::new();
    for law in LAWS {
        let mut request = request(law, RunLevel::Oltp);
        told += &of_a_plan(&request);
        records.push(rigel_run::trial::trial(&request).unwrap());
        // A calibration that nothing keeps, with a budget that is not a whole number of visits.
        request.calibrate(LatencyBound { limit: Nanos(123_457), of: LatencyOf::P99 }, None);
        told += &of_a_plan(&request);
        records.push(rigel_run::trial::trial(&request).unwrap());
    }
    records.iter().for_each(|record| told += &of_a_run(record));
    let views: Vec<View<'_>> = records.iter().step_by(2).map(View::of).collect();
    for other in &views[1..] {
        let (base, new) = (&views[..1], std::slice::from_ref(other));
        let comparison = Comparison::of(&runs(base), &runs(new));
        let compared =
            ComparisonView { base, new, comparison: &comparison, gates: &[], undecided_fails: false };
        let text = compare::render(CompareFormat::Text, &compared).unwrap();
        told += std::str::from_utf8(&text.bytes).unwrap();
    }
    let wrong = unreadable(&told);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told.split('µ').skip(1).all(|behind| behind.starts_with('s')), "times are spelled µs, ms, s");
    for code in ["DRIFT", "THROTTLED", "BIMODAL", "NOT_REACHED"] {
        assert!(told.contains(code), "nothing disturbed shows nothing: {code}");
    }
}

#[test]
fn the_test_sees_what_it_looks_for() {
    let wrong =
        ["88.888888 ms", "(-288 % for each core)", "it took 23.99999994 s", "+inf %", "12345.0 %", "x NaN"];
    for text in wrong {
        assert!(!unreadable(text).is_empty(), "{text}");
    }
    for text in ["-31.4 % and -100 %", "1,234,567 IOPS, 12.345 ms", "±9.1 %", "sim_20261122_0109 0.1.0"] {
        assert_eq!(unreadable(text), Vec::<String>::new());
    }
}
