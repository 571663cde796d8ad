//! What every output tells of a run of two sides: no figure of one side for both, and no verdict about something else.

use crate::recording::Recording;
use crate::support::{EPOCH, Place, ProgramOutput, narrow, tell};
use std::sync::OnceLock;

const RECORD: &str = "versus_20260101_1200_record.jsonl";
/// Two sides that vary so much from visit to visit that no ratio is as sure as is asked for.
const UNSURE: &str = "versus oltp --engine sim:servers=8,service=1ms,rate=0,between=20% \
                      --and-engine sim:servers=8,service=900us,rate=0,between=20% --seed 4 --precision 0.5% --max-duration 6m";

fn simulated(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

/// That run.
fn unsure() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| simulated(place, &format!("{UNSURE} --quiet --no-html")).expect_code(0);
    RUN.get_or_init(|| Recording::of(make))
}

#[test]
fn the_verdict_is_about_the_ratio_and_names_the_sides() {
    let (told, place) = (&unsure().told.stdout, unsure().place());
    assert!(narrow(told), "{told}");
    let document = simulated(&place, &format!("versus --record {RECORD} --json")).expect_code(0).json();
    let verdict = &document["verdict"];
    assert_eq!(
        (&document["reached"], &verdict["tone"]),
        (&false.into(), &"use_with_care".into()),
        "{verdict}"
    );
    let causes = verdict["causes"].as_array().unwrap();
    let cause =
        causes.iter().find(|cause| cause["code"] == "NOT_REACHED").unwrap_or_else(|| panic!("{verdict}"));
    let remedy = cause["remedy"].as_str().unwrap();
    assert!(remedy.ends_with("For a narrower interval, give the run more time (--for)."), "{verdict}");
    // Only what the command line takes is proposed.
    match remedy.split_once(" % is enough, you are done (--precision ") {
        Some((before, after)) => {
            let width: u32 = before.rsplit('±').next().unwrap().parse().unwrap();
            assert!(width <= 20 && after.starts_with(&format!("{width}% ")), "{verdict}");
        }
        None => assert!(remedy.starts_with("This run was too short to tell. "), "{verdict}"),
    }
    assert!(verdict["sureness"].as_str().unwrap().contains("ratios of B to A"), "{verdict}");
    assert!(verdict["next"]["command"].as_str().unwrap().starts_with("rigel versus oltp"), "{verdict}");
    assert!(verdict["working"].is_null(), "{verdict}");
    // There are two storages, and whoever types the command again wants to see what comes of it.
    let reached = verdict["reached"].as_str().unwrap();
    assert!(reached.starts_with("Undecided in small I/O: B may be "), "{verdict}");
    assert!(!verdict["next"]["command"].as_str().unwrap().contains("--quiet"), "{verdict}");
    let report = simulated(&place, &format!("report {RECORD}")).expect_code(0).stdout;
    assert!(report.starts_with("Undecided in small I/O") && !report.contains("device reached"), "{report}");
    assert!(!verdict.to_string().contains("small_"), "{verdict}");
}

/// Two sides with caches, whose flags name a class.
#[test]
fn a_report_shows_both_sides_by_their_names() {
    let place = Place::new();
    let line = "versus normal --num-disks 1 --engine sim:servers=8,service=1ms,hits=30%:60us \
                --and-engine sim:servers=8,service=900us,hits=30%:60us --seed 4 --fast --quiet --max-duration 4m";
    let told = simulated(&place, line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let report = |more: &str| simulated(&place, &format!("report {RECORD} {more}")).expect_code(0).stdout;
    // The figures of a page are for its script, and what charts are called as well.
    let page = place.read("_versus.html");
    let figures =
        page.split("<script").map(|part| part.split_once("</script>").map_or(part, |(_, rest)| rest));
    let page = ["small_a", "small_b", "large_a", "large_b"]
        .iter()
        .fold(figures.collect::<String>(), |page, name| page.replace(&format!("-{name}\""), ""));
    for shown in [report(""), report("--format markdown"), page] {
        for name in ["mall_a", "mall_b", "arge_a", "arge_b"] {
            assert!(!shown.contains(name), "{name}: {shown}");
        }
        for part in ["From .. to", "Change", "BIMODAL"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}

#[test]
fn a_fixed_time_is_not_offered_and_its_refusal_says_what_to_do() {
    let place = Place::new();
    let told = place.line(&format!("{UNSURE} --duration 10s"));
    assert_eq!(told.code, 2, "{}", told.stderr);
    assert!(told.stderr.contains("leave out --duration; --for limits the time"), "{}", told.stderr);
    let help = place.line("versus --help").expect_code(0).stdout;
    assert!(help.contains("--for <TIME>") && !help.contains(" --duration"), "{help}");
    let manual = place.line("help versus").expect_code(0).stdout;
    assert!(!manual.contains("--duration") && manual.contains("every ratio of B to A"), "{manual}");
}

#[test]
fn a_record_of_two_sides_is_compared_with_such_a_record_alone() {
    let place = unsure().place();
    std::fs::copy(place.path().join(RECORD), place.path().join("other_record.jsonl")).unwrap();
    place.line(&format!("compare {RECORD} other_record.jsonl")).expect_code(0);
    place.line("run simple --duration 1s --engine sim --name plain --no-html --quiet").expect_code(0);
    let plain = place.only_of("plain_", "_record.jsonl");
    for (line, part) in [
        (format!("compare {RECORD} {}", plain.display()), "`rigel versus --record"),
        (format!("report {RECORD} --format orion"), "neither small nor large I/O"),
    ] {
        let told = place.line(&line);
        assert!(told.code == 2 && told.stderr.contains(part), "{line}: {}", told.stderr);
    }
}
