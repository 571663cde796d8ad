//! Pages on paper: one sheet, which can be laid on a table alone.

use crate::devtools::{Tab, keep};
use crate::pages::{flagged_report, open, sound};
use crate::support::Place;

pub const A4: (f64, f64) = (8.27, 11.69);
const LETTER: (f64, f64) = (8.5, 11.0);

/// How many sheets a document has.
fn sheets(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    text.match_indices("/Type /Page").filter(|(at, what)| !text[at + what.len()..].starts_with('s')).count()
}

/// One sheet, with the answer, the numbers and the picture, which no script draws.
fn is_a_sheet(tab: &mut Tab, name: &str) {
    for (paper, size) in [("A4", A4), ("letter", LETTER)] {
        let pdf = tab.printed(size);
        keep(&format!("{name}-{paper}.pdf"), &pdf);
        assert_eq!(sheets(&pdf), 1, "{name} on {paper}");
        assert!(pdf.len() > 10_000, "{name} on {paper}");
    }
    let all = "['.verdict', '.hero svg'].every((one) => document.querySelector(one) !== null)";
    assert_eq!(tab.value(all), true, "{name}");
}

#[test]
fn a_calibration_prints_on_one_sheet() {
    let place = Place::new();
    let line = "calibrate --engine sim:servers=16,service=300us,spread=exponential,between=1% --seed 7 --quiet --no-history";
    place.line(line).expect_code(0);
    let file = place.only("_report.html");
    let Some(mut tab) = open("a_calibration_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "calibration");
    sound(&mut tab);
}

#[test]
fn a_run_with_flags_prints_on_one_sheet() {
    let place = Place::new();
    let file = flagged_report(&place);
    let Some(mut tab) = open("a_run_with_flags_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "flags");
    sound(&mut tab);
}

#[test]
fn a_comparison_prints_on_one_sheet() {
    let place = Place::new();
    let [base, new] = crate::compare::records(&place);
    place.rigel(["compare", &base, &new, "--html"]).expect_code(0);
    let file = place.only("_compare.html");
    let Some(mut tab) = open("a_comparison_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "comparison");
    sound(&mut tab);
}

#[test]
fn a_ranking_prints_on_one_sheet() {
    let place = Place::new();
    let file = crate::rank::page(&place);
    let Some(mut tab) = open("a_ranking_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "ranking");
    sound(&mut tab);
}
