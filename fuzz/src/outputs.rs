//! Everything that Rigel makes of a record, as `rigel report`, `compare`, `advise` and `calibrate --last` do.

use crate::assert_printable;
use rigel_core::record::resume::RecordPast;
use rigel_core::record::{Line, Record, write_line};
use rigel_report::compare::{CompareFormat, ComparisonView, runs};
use rigel_report::document::Document as _;
use rigel_report::{Format, OrionVersion, OutputFile, View, advice, calibration, doctor, text};
use rigel_uses::advice::{AdviceReport, Conditions, Product};
use rigel_uses::compare::Comparison;
use rigel_uses::compare::gate::{Gate, GateResult};
use rigel_uses::doctor::{System, examine};

/// Markup that [`crate::edits`] puts into names: no page may hold it as it is.
pub const MARKUP: &str = "</script><injected onload=alert(1)>";
/// Outputs of a record that is as small as those here are no larger.
const MOST_BYTES: usize = 64 << 20;

/// Makes all of it, and looks at every output. A record that was read can be written and read again.
pub fn all(record: &Record) {
    let view = View::of(record);
    reports(&view);
    if let Some(document) = calibration::Document::of(&view) {
        calibrated(&document);
    }
    let views = std::slice::from_ref(&view);
    compared(views);
    advised(views);
    let system = System::below(&record.header.nodes.first().host, &record.header.targets);
    examined(&system);
    // Whether a run could go on from it; a refusal is an answer.
    let stopped = Record { closing: None, ..record.clone() };
    let _ = RecordPast::of(&stopped, 0, &record.header.program_version);
    if record.resumed.is_empty() {
        read_again(record);
    }
}

fn reports(view: &View<'_>) {
    let orion = OrionVersion::ALL.map(Format::Orion).into_iter();
    let formats = orion.chain(Format::ALL.into_iter().skip(1));
    formats
        .flat_map(|format| rigel_report::render(format, view).expect("a format"))
        .for_each(|file| looked_at(&file));
    let colours = text::report(view, text::Style { colour: true, ..text::Style::default() }, &[]);
    assert!(colours.len() < MOST_BYTES);
    looked_at(&rigel_report::report_of_several(std::slice::from_ref(view)).expect("memory takes it"));
}

fn looked_at(file: &OutputFile) {
    let name = &*file.suffix;
    assert!(file.bytes.len() < MOST_BYTES, "{name} has {} bytes", file.bytes.len());
    let text = std::str::from_utf8(&file.bytes).unwrap_or_else(|_| panic!("{name} is no UTF-8"));
    if name.ends_with(".json") {
        serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    // The page holds a library, minified.
    if name.ends_with(".html") {
        assert!(!text.contains("<injected"), "{name} holds markup of a record");
    } else {
        assert_printable(name, text);
    }
}

/// A record beside itself, in every format, with gates.
fn compared(views: &[View<'_>]) {
    let runs = runs(views);
    let comparison = Comparison::of(&runs, &runs);
    let gates = ["small_iops < -5%", "small_p99 > 20%"];
    let read = gates.iter().map(|text| Gate::read(text).expect("a gate"));
    let gates: Vec<GateResult> = read.filter_map(|gate| gate.judge(&comparison).ok()).collect();
    let compared = ComparisonView {
        base: views,
        new: views,
        comparison: &comparison,
        gates: &gates,
        undecided_fails: true,
    };
    use CompareFormat::{Html, Json, Junit, Markdown, Text};
    for format in [Text, Json, Junit, Markdown, Html] {
        looked_at(&rigel_report::compare::render(format, &compared).expect("memory takes it"));
    }
}

/// What is advised, for every product; a refusal is an answer.
fn advised(views: &[View<'_>]) {
    for product in [None].into_iter().chain(Product::ALL.map(Some)) {
        let Ok(advised) = AdviceReport::of(&runs(views), Conditions::default(), product) else { continue };
        let told = advice::Advisory { views, advised: &advised };
        assert_printable("the page of advice", &advice::page(&told, true));
        advice::document(&told).expect("memory takes it");
        if let Some(Ok(text)) = product.map(|product| advice::file(&told, product, 18)) {
            assert_printable("a file of advice", &text);
        }
        product
            .into_iter()
            .flat_map(|product| told.beside(product))
            .for_each(|note| assert_printable("a note of advice", &note));
    }
}

/// The answers of a calibration, alone and in a history.
pub fn calibrated(document: &calibration::Document) {
    assert_printable("the answers", &calibration::answers(document, text::Style::default()));
    assert_printable("the history", &calibration::history(&[document.clone(), document.clone()]));
    document.json().expect("memory takes it");
}

/// The doctor on what is known of a host.
pub fn examined(system: &System<'_>) {
    let all = examine(system);
    for everything in [false, true] {
        let report = doctor::DoctorReport { system, all: &all, named: &[], known: &[], everything };
        assert_printable("the findings of the doctor", &report.text(text::Style::default()));
    }
    doctor::json(&all).expect("memory takes it");
}

fn read_again(record: &Record) {
    let header = Line::Header(Box::new(record.header.clone()));
    let search = record.search.iter().map(|visit| Line::Search(Box::new(visit.clone())));
    let visits = record.visits.iter().map(|visit| Line::Visit(Box::new(visit.clone())));
    let closing = record.closing.clone().map(Line::Closing);
    let lines = std::iter::once(header).chain(search).chain(visits).chain(closing);
    let bytes: Vec<u8> = lines.flat_map(|line| write_line(&line).expect("a line of a record")).collect();
    let again = Record::read(&bytes)
        .unwrap_or_else(|problem| panic!("what was read cannot be read again: {problem}"));
    assert!(again.visits == record.visits && again.closing == record.closing);
}
