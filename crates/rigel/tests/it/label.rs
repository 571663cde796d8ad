//! What people call a run: `--label`, and the path of its target where there is none.

use crate::support::{EPOCH, Place, RECORD};
use crate::within;
use serde_json::Value;
use std::fs;

const RUN: &str = "run oltp --engine sim --seed 7 --duration 1s --quiet";

fn title(page: &str) -> &str {
    let (_, rest) = page.split_once("<title>").unwrap();
    rest.split_once("</title>").unwrap().0
}

#[test]
fn a_label_is_in_the_record_and_the_title_also_after_resuming() {
    let place = Place::new();
    let line = format!("{RUN} --label old-san");
    let run = |line: &str| {
        let words = line.split_whitespace();
        crate::support::tell(place.command().args(words).env("SOURCE_DATE_EPOCH", EPOCH)).expect_code(0)
    };
    run(&line);
    assert_eq!(title(&place.read("_report.html")), "old-san: How many IOPS on a simulated device? - Rigel");
    let record = place.path().join(RECORD);
    let whole = fs::read_to_string(&record).unwrap();
    let header: Value = serde_json::from_str(whole.lines().next().unwrap()).unwrap();
    assert_eq!(header["request"]["label"], "old-san");
    let cut: String = whole.split_inclusive('\n').take(5).collect();
    assert!(cut.len() < whole.len());
    fs::write(&record, cut).unwrap();
    fs::remove_file(place.only("_report.html")).unwrap();
    run(&format!("run --resume {RECORD} --quiet"));
    assert_eq!(title(&place.read("_report.html")), "old-san: How many IOPS on a simulated device? - Rigel");
}

#[test]
fn a_calibration_has_a_label() {
    let place = Place::new();
    place.line("calibrate --engine sim --seed 7 --quiet --no-history --label old-san").expect_code(0);
    assert_eq!(title(&place.read("_report.html")), "old-san: What can a simulated device do? - Rigel");
}

#[test]
fn a_label_that_nobody_could_read_is_refused() {
    for label in ["", " ", "x\ny", "\u{202e}nas"] {
        let told = within::refused(["run", "oltp", "--engine", "sim", "--label", label]);
        assert!(told.stderr.contains("--label") && told.stderr.contains("old-san"), "{}", told.stderr);
    }
}

#[test]
fn without_a_label_a_page_names_the_whole_path() {
    let place = Place::new();
    let file = place.random_file("data", 16 << 20);
    // Whatever the numbers are worth, the page names what was measured.
    let line = "run advanced data --matrix point --num-small 1 --num-large 0 --duration 200ms --quiet";
    assert!([0, 1].contains(&place.line(line).code), "it was measured");
    let page = place.read("_report.html");
    let (_, heading) = page.split_once("<p class=\"when\">").unwrap();
    let heading = heading.split_once("</p>").unwrap().0;
    let whole = file.canonicalize().unwrap();
    assert!(heading.contains(&format!(" · {} · ", whole.display())), "{heading}");
}
