//! What only some runs become: answers of a calibration, a rate within bounds, two sides, raw I/O beside SQL, a soak; and the problem that a
//! run ends with.
//!
//! Must not judge.

use super::super::Document;
use super::page;
use super::texts::{ASCII, COLOUR, files};
use rigel_core::error::Problem;
use rigel_core::judge::wrong_data;
use rigel_core::record::Record;
use rigel_report::document::Document as _;
use rigel_report::soak::{SoakCounts, SoakReport};
use rigel_report::text::Style;
use rigel_report::versus::VersusReport;
use rigel_report::{View, beside, calibration, slo, soak, through, versus};
use rigel_uses::beside::RawAndSql;
use rigel_uses::compare::SessionSpread;
use rigel_uses::compare::gate::demanded;
use rigel_uses::soak::SoakFindings;
use rigel_uses::through::ThroughFindings;
use rigel_uses::versus::Versus;

/// All additional documents of a run.
pub fn of(record: &Record, view: &View<'_>) -> anyhow::Result<Vec<Document>> {
    let mut all = Vec::new();
    if let Some(found) = calibration::Document::of(view) {
        all.push(Document::new("calibration-json", found.json()?));
        all.push(Document::new("calibration", calibration::answers(&found, Style::default())));
        all.push(Document::new("calibration-ascii", calibration::answers(&found, ASCII)));
    }
    all.extend(sides(record, view)?);
    all.extend(soaked(record)?);
    all.extend(held(record));
    let problems = problems(record, view);
    if !problems.is_empty() {
        all.push(Document::new("problems", problems));
    }
    Ok(all)
}

/// The warnings about the run with which the program ends.
fn problems(record: &Record, view: &View<'_>) -> String {
    let all = [
        wrong_data::problem(record),
        view.findings.unusable(&record.header.request),
        slo::unkept(view),
        ThroughFindings::of(record).and_then(|found| through::unkept(&found)),
        demanded(&record.header.request).err(),
    ];
    all.iter().flatten().map(told).collect()
}

/// A problem with its exit code.
pub fn told(problem: &Problem) -> String {
    format!("exit code {}: {problem}\n", problem.kind.code())
}

fn sides(record: &Record, view: &View<'_>) -> anyhow::Result<Vec<Document>> {
    let Some(found) = Versus::of(record, &view.findings) else { return Ok(Vec::new()) };
    let files = files(&record.header.run_id);
    if let Some(beside) = RawAndSql::of(record, &view.findings, &found) {
        let both = beside::RawAndSqlView { view, sides: &found, found: &beside };
        return Ok(vec![
            Document::new("sql", both.listed(Style::default(), &files)),
            Document::new("sql-colour", both.listed(COLOUR, &files)),
            Document::new("sql-json", beside::json(&both)?),
            page("sql-html", &both.file()?),
        ]);
    }
    let past = [SessionSpread::default(); 2];
    let turned = VersusReport { view, found: &found, past: &past };
    let reasons = found.gates.iter().filter_map(|gate| versus::reason(&turned, gate));
    let mut all = vec![
        Document::new("versus", turned.text(Style::default())),
        Document::new("versus-colour", turned.listed(COLOUR, &files)),
        Document::new("versus-ascii", turned.listed(ASCII, &files)),
        Document::new("versus-json", versus::json(&turned)?),
        page("versus-html", &turned.file()?),
    ];
    if !found.gates.is_empty() {
        all.push(Document::new("versus-reasons", reasons.collect::<Vec<_>>().join("\n") + "\n"));
    }
    Ok(all)
}

fn soaked(record: &Record) -> anyhow::Result<Vec<Document>> {
    let (Some(found), Some(asked)) = (SoakFindings::of(record), record.header.request.soak()) else {
        return Ok(Vec::new());
    };
    let told = SoakReport { record, found: &found, lost: 2 };
    let files = files(&record.header.run_id);
    let mut standing = SoakCounts::default();
    record.intervals.iter().for_each(|interval| standing.interval(interval));
    record.visits.iter().for_each(|visit| standing.visit(visit));
    record.drives.iter().for_each(|look| standing.drives(look));
    let bound = soak::bound(&asked).unwrap_or_default();
    Ok(vec![
        Document::new("soak-colour", soak::text(&told, COLOUR, &files)),
        Document::new("soak-lost-lines", soak::text(&told, Style::default(), &[])),
        Document::new("soak-metrics", standing.openmetrics(&record.header)),
        Document::new("soak-remarks", remarks(record) + &bound),
    ])
}

/// A rate that was held through a failure.
fn held(record: &Record) -> Option<Document> {
    let found = ThroughFindings::of(record)?;
    let told = through::ThroughReport { record, found: &found };
    Some(Document::new("through-colour", through::text(&told, COLOUR, &files(&record.header.run_id))))
}

/// The remarks on drives while the soak continues.
fn remarks(record: &Record) -> String {
    record.drives.iter().filter_map(soak::remark).map(|remark| remark + "\n").collect()
}
