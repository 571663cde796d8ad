//! Pages on paper: the first sheet is a summary that can be laid on a table alone.

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

/// Hides what is not on the first sheet, and sees that the rest is one.
fn summary_is_a_sheet(tab: &mut Tab, name: &str) {
    let (on_a4, on_letter) = (tab.printed(A4), tab.printed(LETTER));
    keep(&format!("{name}.pdf"), &on_a4);
    let all = sheets(&on_a4);
    assert!(all > 1, "{name}: {all} sheets");
    assert!(on_letter.len() > 10_000);
    // Nothing of the summary may be hidden: verdict, numbers, flags and the first charts stand before what begins a sheet.
    let before = "[...document.querySelectorAll('.verdict, .cards, .said, .over-load figure')].map((one) => one.className || one.querySelector('.stage').id).slice(0, 5)";
    let first = tab.value(before).to_string();
    assert!(first.starts_with("[\"verdict"), "{first}");
    tab.value(
        "{ const rest = document.querySelectorAll('.over-load > .more, .over-load ~ *, footer'); rest.forEach((one) => { one.style.display = 'none'; }); document.querySelector('.over-load').style.breakAfter = 'auto'; }",
    );
    for (paper, size) in [("A4", A4), ("letter", LETTER)] {
        let pdf = tab.printed(size);
        keep(&format!("{name}-summary-{paper}.pdf"), &pdf);
        assert_eq!(sheets(&pdf), 1, "{name} on {paper}");
    }
}

#[test]
fn the_first_sheet_of_a_calibration_is_its_summary() {
    let place = Place::new();
    let line = "calibrate --engine sim:servers=16,service=300us,spread=exponential,between=1% --seed 7 --quiet --no-history";
    place.line(line).expect_code(0);
    let file = place.only("_report.html");
    let Some(mut tab) = open("the_first_sheet_of_a_calibration_is_its_summary", &file) else { return };
    summary_is_a_sheet(&mut tab, "calibration");
    sound(&mut tab);
}

#[test]
fn the_first_sheet_of_a_run_with_flags_is_its_summary() {
    let place = Place::new();
    let file = flagged_report(&place);
    let Some(mut tab) = open("the_first_sheet_of_a_run_with_flags_is_its_summary", &file) else { return };
    // What the flags say is folded on a screen, and open on paper.
    let is_open = "document.querySelector('.said').open";
    assert_eq!(tab.value(is_open), false);
    tab.value("window.seen = []; addEventListener('beforeprint', () => seen.push(document.querySelector('.said').open))");
    summary_is_a_sheet(&mut tab, "flags");
    assert_eq!(tab.value("seen.length > 0 && seen.every((open) => open)"), true);
    assert_eq!(tab.value(is_open), false, "as it was before");
    sound(&mut tab);
}

#[test]
fn the_first_sheet_of_a_comparison_is_its_summary() {
    let place = Place::new();
    let [base, new] = crate::compare::records(&place);
    place.rigel(["compare", &base, &new, "--html"]).expect_code(0);
    let file = place.only("_compare.html");
    let Some(mut tab) = open("the_first_sheet_of_a_comparison_is_its_summary", &file) else { return };
    summary_is_a_sheet(&mut tab, "comparison");
    sound(&mut tab);
}
