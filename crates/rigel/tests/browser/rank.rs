//! Pages without a script about several storages or targets: a ranking, and a rate over the number of targets.

use crate::pages::{drawn, open, sound};
use crate::runs;
use crate::support::Place;
use std::fs;
use std::path::PathBuf;

const SHEET: &str = "[fast]\nprice = \"60000 EUR\"\ndisks = 24\ncapacity = \"20T\"\nraid = \"RAID 10\"\n\
                     labels = [\"<img src=x onerror='window.owned=1'>\"]\n[one]\nprice = \"40000 EUR\"\ndisks = 10\n\
                     [slow]\nprice = \"4000 EUR\"\n";

/// The page of a ranking of three storages with offers.
pub fn page(place: &Place) -> PathBuf {
    let mut words = vec!["rank".to_owned()];
    for (name, service, seed) in [("slow", "2ms", 1), ("one", "1ms", 2), ("fast", "700us", 3)] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        runs::run(
            place,
            &format!("run oltp --engine {engine} --seed {seed} --name {name} --no-html --quiet"),
        );
        let record = place.only_of(&format!("{name}_"), "_record.jsonl");
        words.push(format!("{name}={}", record.display()));
    }
    fs::write(place.path().join("offers.toml"), SHEET).unwrap();
    let more = ["--offers", "offers.toml", "--require", "max_small_iops >= 1000", "--html", "--out", "."];
    place.rigel(words.into_iter().chain(more.map(str::to_owned))).expect_code(0);
    place.only("_rank.html")
}

#[test]
fn a_ranking_of_three_storages() {
    let place = Place::new();
    let file = page(&place);
    let Some(mut tab) = open("a_ranking_of_three_storages", &file) else { return };
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("fast"), "{verdict}");
    let rows = "[...document.querySelectorAll('table')].map((table) => table.innerText).join('\\n')";
    let tables = tab.text(rows);
    for words in ["fast", "one", "slow", "RAID 10", "EUR"] {
        assert!(tables.contains(words), "{words}: {tables}");
    }
    assert!(tables.find("fast") < tables.find("slow"), "the best first: {tables}");
    assert_eq!(
        tab.value("document.querySelectorAll('.hero svg').length > 0"),
        true,
        "a picture without a script"
    );
    // Whoever wrote a sheet: its text stays text.
    assert_eq!(
        tab.value("window.owned === undefined && document.querySelectorAll('img').length === 0"),
        true
    );
    tab.picture("rank");
    tab.prefer("dark");
    tab.picture("rank-dark");
    sound(&mut tab);
}

#[test]
fn a_rate_over_more_and_more_targets_is_drawn_beside_the_line() {
    let place = Place::new();
    let engine = "sim:targets=6,rate=0,between=1%,bucket=14000:1400";
    place.line(&format!("run scaling --engine {engine} --seed 3 --quiet")).expect_code(0);
    let file = place.only("_report.html");
    let Some(mut tab) = open("a_rate_over_more_and_more_targets_is_drawn_beside_the_line", &file) else {
        return;
    };
    let hero = tab.text("document.querySelector('.hero').textContent");
    assert!(
        hero.contains("straight line") && hero.contains("measured") && hero.contains("targets"),
        "{hero}"
    );
    assert_eq!(tab.value("document.querySelectorAll('.hero polyline').length"), 2);
    drawn(&mut tab);
    tab.picture("scaling");
    sound(&mut tab);
}

/// A side that another tool measured is drawn as well.
#[test]
fn a_comparison_with_a_result_of_another_tool() {
    let place = Place::new();
    let sample =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples/orion_11_1_summary.txt");
    fs::copy(sample, place.path().join("old_summary.txt")).unwrap();
    runs::run(
        &place,
        "run simple --num-disks 2 --engine sim:service=1ms,between=1%,spread=exponential --seed 1 --name new --no-html --quiet",
    );
    let new = place.only_of("new_", "_record.jsonl");
    let words = ["compare", "old_summary.txt", new.to_str().unwrap(), "--html", "--allow-differences"];
    place.rigel(words).expect_code(0);
    let Some(mut tab) = open("a_comparison_with_a_result_of_another_tool", &place.only("_compare.html"))
    else {
        return;
    };
    let text = tab.text("document.body.innerText");
    assert!(text.contains("ORION"), "{text}");
    assert!(!drawn(&mut tab).is_empty());
    tab.picture("compare-tool");
    sound(&mut tab);
}
