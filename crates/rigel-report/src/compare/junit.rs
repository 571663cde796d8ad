//! A comparison as JUnit XML, which CI systems show as tests.
//!
//! With gates a case is a gate, and fails when the gate does; without, a case is a row, and fails when it is worse. Undecided ones count as
//! skipped, with the reason. Must not judge a gate.

use super::ComparisonView;
use super::gates::reason;
use super::words::{doubt, open, percents, place};
use crate::output_file::unwritable;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use rigel_core::error::Problem;
use rigel_core::units::say::signed_percent;
use rigel_uses::compare::change::Doubt;
use rigel_uses::compare::gate::{GateResult, Outcome};
use rigel_uses::compare::{Effect, Row};

/// The report.
pub(super) fn suite(compared: &ComparisonView<'_>) -> Result<String, Problem> {
    let mut suite = TestSuite::new("rigel compare");
    if compared.gates.is_empty() {
        suite.add_test_cases(compared.comparison.rows.iter().map(row));
    } else {
        suite.add_test_cases(compared.gates.iter().map(|judged| gate(judged, compared)));
    }
    let mut report = Report::new("rigel compare");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| unwritable("the comparison", "JUnit", &error))
}

fn case(name: String, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

fn row(row: &Row) -> TestCase {
    let status = match row.verdict {
        Effect::Worse => failed(&story(row)),
        Effect::Undecided(reason) => skipped(&why_open(row, reason)),
        Effect::Better | Effect::Alike => TestCaseStatus::success(),
    };
    let name = place(row).unwrap_or_else(|| "run".to_owned());
    let mut case = case(name, &row.quantity.name(), status);
    case.set_system_out(story(row));
    case
}

/// Why a row is undecided, with the change that it may hide.
fn why_open(row: &Row, reason: Doubt) -> String {
    let hidden = || row.change.map_or_else(|_| String::new(), |change| open(&change));
    doubt(reason)
        .map_or_else(|| format!("undecided: a change of up to {} is possible", hidden()), str::to_owned)
}

fn gate(judged: &GateResult, compared: &ComparisonView<'_>) -> TestCase {
    let rows = &compared.comparison.rows;
    let told: Vec<String> = judged
        .rows
        .iter()
        .filter_map(|&(place, outcome)| Some(format!("{}: {}", outcome.name(), story(rows.get(place)?))))
        .collect();
    let told = told.join("\n");
    let why = reason(judged, compared.comparison).unwrap_or_default();
    let status = match judged.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => failed(&told),
        Outcome::Undecided if compared.undecided_fails => failed(&why),
        Outcome::Undecided => skipped(&why),
    };
    let mut case = case(judged.gate.text.clone(), "gate", status);
    case.set_system_out(told);
    case
}

fn failed(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

/// `small_iops at small=5 large=0: 5000.0 to 4000.0 IOPS, -20.0 % (-22.0 to -18.0), worse`.
fn story(row: &Row) -> String {
    let (metric, unit) = (row.quantity.name(), row.quantity.unit().name());
    let place = place(row).map(|place| format!(" at {place}")).unwrap_or_default();
    let change = match &row.change {
        Ok(change) => {
            let [relative, lo, hi] = percents(change);
            format!("{relative} % ({lo} to {hi})")
        }
        Err(reason) => {
            let seen = row.seen().map(|seen| format!("{} % as seen; ", signed_percent(seen.relative)));
            format!("{}{}", seen.unwrap_or_default(), doubt(*reason).unwrap_or("no change"))
        }
    };
    let verdict = row.verdict.name();
    format!("{metric}{place}: {:.1} to {:.1} {unit}, {change}, {verdict}", row.base.value, row.new.value)
}
