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

/// Eleven cards, of which most say more than one line.
#[test]
fn a_comparison_of_calibrations_prints_on_one_sheet() {
    let place = Place::new();
    for (name, servers, seed) in [("base", 8, 1), ("new", 12, 2)] {
        let engine =
            format!("sim:servers={servers},service=1ms,spread=exponential,between=1%,rate=300M,flush=300us");
        let line = format!(
            "calibrate --engine {engine} --seed {seed} --for 1m --name {name} --quiet --no-history --no-html"
        );
        place.line(&line).expect_code(0);
    }
    let [base, new] = ["base_", "new_"].map(|name| place.only_of(name, "_record.jsonl"));
    let [base, new] = [&base, &new].map(|path| path.to_str().unwrap());
    place.rigel(["compare", base, new, "--html", "--no-history"]).expect_code(0);
    let file = place.only("_compare.html");
    let Some(mut tab) = open("a_comparison_of_calibrations_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "comparison-calibrations");
    sound(&mut tab);
}

#[test]
fn a_ranking_prints_on_one_sheet() {
    let place = Place::new();
    let file = crate::rank::page(&place);
    let Some(mut tab) = open("a_ranking_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "ranking");
    let shown = "[...document.querySelectorAll('.why table')].map((table) => table.innerText).join(' ')";
    let tables = tab.text(shown);
    assert!(
        tables.contains("fast") && tables.contains("60,000 EUR"),
        "order and prices are on paper: {tables}"
    );
    sound(&mut tab);
}

/// As many as there may be: the picture is as high as a sheet allows.
#[test]
fn a_ranking_of_twenty_six_storages_prints_on_one_sheet() {
    let place = Place::new();
    let mut words = vec!["rank".to_owned()];
    for number in 1..=26 {
        let engine = format!("sim:service={}us,between=1%,spread=exponential", 500 + 20 * number);
        let line = format!("run oltp --engine {engine} --seed {number} --name n{number} --no-html --quiet");
        crate::runs::run(&place, &line);
        words.push(format!(
            "storage{number}={}",
            place.only_of(&format!("n{number}_"), "_record.jsonl").display()
        ));
    }
    place.rigel(words.into_iter().chain(["--html", "--out", "."].map(str::to_owned))).expect_code(0);
    let file = place.only("_rank.html");
    let Some(mut tab) = open("a_ranking_of_twenty_six_storages_prints_on_one_sheet", &file) else { return };
    is_a_sheet(&mut tab, "ranking-26");
}

/// No load level in common, so that there is no picture.
#[test]
fn a_comparison_without_a_picture_prints_on_one_sheet() {
    let place = Place::new();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples");
    let [base, new] =
        ["fio_mixed_8k_30_plus.json", "fio_rand_read_8k_q8.json"].map(|name| format!("{samples}/{name}"));
    place.rigel(["compare", &base, &new, "--html", "--out", ".", "--allow-differences"]).expect_code(0);
    let file = place.only("_compare.html");
    let Some(mut tab) = open("a_comparison_without_a_picture_prints_on_one_sheet", &file) else { return };
    for (paper, size) in [("A4", A4), ("letter", LETTER)] {
        assert_eq!(sheets(&tab.printed(size)), 1, "{paper}");
    }
    sound(&mut tab);
}
