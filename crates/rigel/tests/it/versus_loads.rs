//! `rigel versus` with loads that databases make: a rate, commits, a load file.

use crate::recording::Recording;
use crate::stop::{ended, signal, start_until_record};
use crate::support::{EPOCH, Place, ProgramOutput, narrow, tell};
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

const RECORD: &str = "versus_20260101_1200_record.jsonl";

const A: &str = "servers=4,service=1ms,rate=0,spread=exponential";
const B: &str = "servers=4,service=900us,rate=0,spread=exponential";

fn simulated(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

fn open(rates: &str, more: &str) -> String {
    format!("versus open --rate {rates} --engine sim:{A} --and-engine sim:{B} --seed 4 --quiet {more}")
}

/// A short one of two rates.
fn two_rates() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    RUN.get_or_init(|| Recording::of(|place| simulated(place, &open("2000,3200", "--fast")).expect_code(0)))
}

fn rows<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    document["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == metric).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// What stands between the heading of the table and what it is sure of.
fn numbers(text: &str) -> &str {
    let table = text.split_once(" A ").unwrap().1.split_once("Effect").unwrap().1;
    table.split_once("This session").unwrap().0
}

#[test]
fn at_a_given_rate_the_verdict_is_about_the_latency() {
    let place = Place::new();
    let told = simulated(&place, &open("2000,3200", "")).expect_code(0);
    let words = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["B has ", "less mean latency than A", "in open I/O, over 2 loads", "It is ", "at 3200 per second"]
    {
        assert!(words.contains(part), "{part}: {}", told.stdout);
    }
    assert!(numbers(&told.stdout).contains("open_latency (µs)"), "{}", told.stdout);
    assert!(!numbers(&told.stdout).contains("open_per_s"), "a rate that is given tells nothing");
    assert!(narrow(&told.stdout), "{}", told.stdout);
    let document = simulated(&place, &format!("versus --record {RECORD} --json")).expect_code(0).json();
    let leading = document["overall"].as_array().unwrap().iter().filter(|one| one["leading"] == true);
    let leading: Vec<&Value> = leading.map(|one| &one["metric"]).collect();
    assert_eq!(leading, ["open_latency"]);
    let mean = |law: &str, rate: f64| SimLaw::parse(law).unwrap().truth_open(rate, 8192).unwrap();
    for (row, rate) in rows(&document, "open_latency").into_iter().zip([2000.0, 3200.0]) {
        assert_eq!(row["point"]["open"], rate);
        let truth = mean(B, rate).mean_ns() / mean(A, rate).mean_ns();
        let [lo, hi] = ["lo95", "hi95"].map(|end| number(&row["ratio"][end]));
        // By chance an interval of 20 misses the truth, but not by much.
        assert!(lo * 0.97 <= truth && truth <= hi * 1.03, "{truth}: {row}");
        assert_eq!(row["verdict"], "better");
    }
    for (row, rate) in rows(&document, "open_p99").into_iter().zip([2000.0, 3200.0]) {
        let p99 = |law, side: &str| number(&row[side]["value"]) * 1e3 / mean(law, rate).quantile_ns(0.99);
        for found in [p99(A, "base"), p99(B, "new")] {
            assert!((found - 1.0).abs() < 0.1, "{found}: {row}");
        }
    }
    assert_eq!(rows(&document, "open_per_s")[0]["unit"], "per s");
    assert!(rows(&document, "small_iops").is_empty());
}

#[test]
fn a_side_that_does_not_keep_up_is_named() {
    let place = Place::new();
    // A serves 4,000 per second at most, B 4,444.
    let told = simulated(&place, &open("2000,4200", "--fast --max-duration 4m"));
    assert_eq!(told.code, 0, "{}", told.stderr);
    let words = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "A does not keep up with 4200 per second (it served 3,9",
        "B has ",
        "less mean latency",
        "over 1 load.",
        "OVERLOAD",
        // B alone serves that rate, so that it is told without a ratio.
        "On B, the mean latency of open I/O at 4200 per second is ",
        ", and its p99 ",
    ] {
        assert!(words.contains(part), "{part}: {}", told.stdout);
    }
    let both = open("4800", "--fast --max-duration 2m --name both");
    let told = simulated(&place, &both).expect_code(1);
    assert!(told.stdout.contains("Neither side keeps up with 4800 per second: A served "), "{}", told.stdout);
    assert!(told.stdout.contains("--rate 3"), "less than what both serve: {}", told.stdout);
    let gated = |record: &str, gate: &str| {
        let mut command = place.command();
        command.args(["versus", "--record", record, "--fail-if", gate]);
        tell(&mut command)
    };
    // A number of B is judged where A has none; no bound is kept where more arrives than B serves.
    let told = gated(RECORD, "open_p99 > 20us").expect_code(1);
    assert!(told.stderr.contains("so at 2 of 2 load levels"), "{}", told.stderr);
    gated(RECORD, "open_p99 > 1h").expect_code(0);
    let told = gated("both_20260101_1200_record.jsonl", "open_p99 > 1h").expect_code(1);
    assert!(told.stderr.contains("more I/O arrived than was served"), "{}", told.stderr);
}

#[test]
fn gates_name_the_class() {
    let place = Place::new();
    simulated(&place, &open("3200", "--fast --no-html")).expect_code(0);
    let gated = |gate: &str| {
        let mut command = place.command();
        command.args(["versus", "--record", RECORD, "--fail-if", gate]);
        tell(&mut command)
    };
    gated("open_p99 > 5%").expect_code(0);
    gated("open_latency < -5%").expect_code(1);
    let told = gated("open_p99 > 500us").expect_code(1);
    assert!(
        told.stderr.contains("failed: at 3200 per second the p99 of B is ")
            && told.stderr.contains(" ms .. "),
        "{}",
        told.stderr
    );
    gated("open_p99 > 500ms").expect_code(0);
    let told = gated("open_p99 > 2").expect_code(2);
    assert!(
        told.stderr.contains("neither a percentage nor a time") && told.stderr.contains("small_p99 > 2ms"),
        "{}",
        told.stderr
    );
    let told = gated("small_p99 > 5%").expect_code(2);
    assert!(told.stderr.contains("no small_p99 in common"), "{}", told.stderr);
    let told = gated("open > 5%").expect_code(2);
    assert!(told.stderr.contains("NAME_p99"), "{}", told.stderr);
}

#[test]
fn the_page_knows_other_classes() {
    let place = two_rates().place();
    let page = place.read("_versus.html");
    let (_, block) = page.split_once("<script type=\"application/json\" id=\"comparison\">").unwrap();
    let figures: Value = serde_json::from_str(block.split_once("</script>").unwrap().0).unwrap();
    let quantities = figures["quantities"].as_array().unwrap();
    let latency = quantities.iter().find(|one| one["name"] == "open_latency").unwrap();
    assert_eq!(
        (&latency["axis"], &latency["besides"][0]),
        (&"open arrivals per second".into(), &"alone".into())
    );
    let levels: Vec<&Value> = latency["rows"].as_array().unwrap().iter().map(|row| &row["level"]).collect();
    assert_eq!(levels, [2000, 3200]);
    assert_eq!(latency["rows"][0]["name"], "Open=2000");
    for part in ["id=\"over-open_p99\"", "open 3200"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn an_open_run_that_was_cut_goes_on_to_the_same_numbers() {
    let (whole, place) = (&two_rates().told, two_rates().place());
    let bytes = fs::read(place.path().join(RECORD)).unwrap();
    let other = Place::new();
    fs::write(other.path().join(RECORD), &bytes[..bytes.len() / 2]).unwrap();
    let told = simulated(&other, &format!("versus --resume {RECORD} --quiet")).expect_code(0);
    assert_eq!(numbers(&told.stdout), numbers(&whole.stdout));
}

const SHOP: &str = "load = \"rigel.load/1\"\n[[class]]\nname = \"reads\"\nsize = { \"8K\" = 80, \"64K\" = 20 }\n\
                    arrival = { rate = 1500 }\n[[class]]\nname = \"scans\"\nsize = \"256K\"\narrival = { outstanding = 1 }\n";

#[test]
fn a_load_file_is_put_on_both_sides() {
    let place = Place::new();
    fs::write(place.path().join("shop.toml"), SHOP).unwrap();
    let line =
        format!("versus --load shop.toml --engine sim:{A} --and-engine sim:{B} --seed 4 --fast --quiet");
    let told = simulated(&place, &line).expect_code(0);
    for part in [
        "less mean latency than A",
        "in I/O of reads",
        "faster than A",
        "in I/O of scans",
        "Reads=1500 Scans=1",
    ] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    assert!(narrow(&told.stdout), "{}", told.stdout);
    let document = simulated(&place, &format!("versus --record {RECORD} --json")).expect_code(0).json();
    let point = &rows(&document, "reads_latency")[0]["point"];
    assert_eq!(point, &serde_json::json!({"reads": 1500, "scans": 1}));
    let leading = document["overall"].as_array().unwrap().iter().filter(|one| one["leading"] == true);
    assert_eq!(leading.map(|one| &one["metric"]).collect::<Vec<_>>(), ["scans_per_s", "reads_latency"]);
}

/// Stations of 1 ms and of 900 us, with 400 us more to be durable.
#[test]
fn commits_are_compared() {
    let place = Place::new();
    let device = |us| format!("sim:servers=4,service={us}us,rate=0,flush=400us");
    let line = format!(
        "versus commit --sync dsync --writers 1,2 --engine {} --and-engine {} --seed 4 --fast --max-duration 3m --quiet",
        device(1000),
        device(900)
    );
    simulated(&place, &line).expect_code(0);
    let document = simulated(&place, &format!("versus --record {RECORD} --json")).expect_code(0).json();
    for (metric, truth) in [("dsync_per_s", 1.4 / 1.3), ("unsynced_per_s", 1.0 / 0.9)] {
        let found = rows(&document, metric);
        assert_eq!(found.len(), 2, "{metric}: {document}");
        for row in found {
            let mean = number(&row["ratio"]["value"]);
            assert!((mean / truth - 1.0).abs() < 0.005, "{metric}: {mean} instead of {truth}: {row}");
        }
    }
}

/// Two scratch files that earlier runs left, so that nobody has to consent.
fn scratch_files(place: &Place) {
    for side in ["a", "b"] {
        let dir = place.path().join(side);
        fs::create_dir(&dir).unwrap();
        let line = "run advanced --matrix point --num-small 1 --num-large 0 --scratch-size 16M --keep-scratch \
                    --duration 100ms --quiet --no-html";
        let told = tell(place.command().current_dir(&dir).args(line.split_whitespace()));
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
    }
}

/// Stops a run once it made so many visits; the bytes of its record.
fn stopped_after(place: &Place, line: &str, visits: usize) -> Vec<u8> {
    let (child, stderr) = start_until_record(place, line, |record| record.visits.len() >= visits);
    signal(&child, "-INT");
    ended(child, stderr).expect_code(4);
    fs::read(place.only("_record.jsonl")).unwrap()
}

#[test]
fn commits_on_two_scratch_files_go_on_after_an_interruption() {
    let place = Place::new();
    scratch_files(&place);
    let line = "versus commit --sync dsync --writers 1 a/rigel-scratch.dat --and b/rigel-scratch.dat --fast --max-duration 10s";
    let made = |bytes: &[u8]| Record::read(bytes).unwrap().visits.len();
    let before = made(&stopped_after(&place, line, 2));
    let record = place.only("_record.jsonl");
    let name = record.file_name().unwrap().to_str().unwrap();
    let told = place.line(&format!("versus --resume {name} --quiet"));
    // Where commits take long, not every load has its turn within the limit.
    assert!([0, 1, 4].contains(&told.code), "{}", told.stderr);
    for part in ["A: a/rigel-scratch.dat", "B: b/rigel-scratch.dat", "RESUMED"] {
        assert!(told.stdout.contains(part), "{part}: {}\n{}", told.stdout, told.stderr);
    }
    assert!(made(&fs::read(&record).unwrap()) > before);
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()));
    assert!(place.path().join("a/rigel-scratch.dat").exists(), "kept files stay");
}

/// Both loads of a side write to its file, and the first visit to either goes round it.
#[test]
fn each_side_is_gone_round_before_its_first_commit() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.random_file(name, 8 << 20);
    }
    let line = "versus commit --sync dsync --writers 1 a --and b --destroy-data a --destroy-data b --fast \
                --max-duration 20s --no-html";
    let record = Record::read(&stopped_after(&place, line, 4)).unwrap();
    let warmed = record.visits.iter().filter(|visit| visit.warm_up.is_some());
    let sides: Vec<_> = warmed.map(|visit| visit.point.side().unwrap().name()).collect();
    assert_eq!((sides.len(), sides.contains(&"A"), sides.contains(&"B")), (2, true, true), "{sides:?}");
}

#[test]
fn loads_that_cannot_take_turns_are_refused() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    place.random_file("other", 4 << 20);
    let phase = "[[phase]]\nfor = \"10s\"\nscale = 1.0\n";
    let class = |name: &str| {
        format!("[[class]]\nname = \"{name}\"\narrival = {{ outstanding = 1 }}\nsize = \"8K\"\n")
    };
    let head = "load = \"rigel.load/1\"\n";
    let many: String = ["v", "w", "x", "y", "z"].into_iter().map(class).collect();
    for (name, text) in [
        ("phases", format!("{SHOP}{phase}")),
        ("many", format!("{head}{many}")),
        ("long", format!("{head}{}", class("abcdefghijklmn"))),
        ("sided", format!("{head}{}", class("log_a"))),
        ("shop", SHOP.to_owned()),
    ] {
        fs::write(place.path().join(name), text).unwrap();
    }
    for (line, code, parts) in [
        ("open data --and other", 2, &["--rate"][..]),
        ("open --rate 0 data --and other", 2, &["`--rate 0` is not a rate"]),
        (
            "open --rate 100 data --and other --num-disks 2",
            2,
            &["--num-disks cannot be combined with the level 'open'"],
        ),
        ("oltp --rate 100 data --and other", 2, &["--rate cannot be combined with the level 'oltp'"]),
        ("open --rate 100 data --and other --duration 10s", 2, &["--duration", "turns"]),
        ("open --rate 100 data --and data", 2, &["A and B are the same"]),
        ("opne --rate 100 data --and other", 2, &["did you mean open?"]),
        ("--load phases data --and other", 2, &["phases", "two sides"]),
        ("--load many data --and other", 2, &["5 classes", "at most 8", "many"]),
        ("--load long data --and other", 2, &["too long", "13 letters"]),
        ("--load sided data --and other", 2, &["'log_a'", "reserved for one side"]),
        ("--load nowhere data --and other", 2, &["cannot be read", "nowhere"]),
        ("--load shop oltp data --and other", 2, &["--load cannot be combined with the level 'oltp'"]),
        ("--load shop data --and other --write 5", 2, &["--write cannot be combined with --load"]),
        ("--load shop data --and other --duration 10s", 2, &["--duration"]),
        ("commit --and other", 2, &["side A is missing"]),
        ("commit data --and other", 3, &["--destroy-data"]),
        ("commit data --and-engine threads --destroy-data data", 2, &["both sides would write to the same"]),
        (
            "commit data --and other --write 5 --destroy-data data",
            2,
            &["--write cannot be combined with the level 'commit'"],
        ),
        ("data --and other --scratch-size 1G", 2, &["--scratch-size", "versus"]),
    ] {
        let told = place.line(&format!("versus {line}"));
        assert_eq!(told.code, code, "{line}: {}", told.stderr);
        for part in parts {
            assert!(told.stderr.contains(part), "'{part}' is missing for '{line}':\n{}", told.stderr);
        }
    }
    assert_eq!(place.files(), ["data", "long", "many", "other", "phases", "shop", "sided"]);
}

#[test]
fn a_plan_names_both_engines() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let plan = |line: &str| place.line(&format!("versus {line} --dry-run")).expect_code(0).stdout;
    let told = plan("open --rate 100 data --and-engine threads");
    assert!(told.contains("A: ") && told.contains("; B: threads"), "{told}");
    assert!(told.contains("1, each on A and on B") && told.contains("open 100"), "{told}");
    place.random_file("other", 4 << 20);
    let told = plan("data --and other --engine threads");
    assert!(told.contains("threads, on both sides"), "{told}");
    fs::write(place.path().join("shop"), SHOP).unwrap();
    let told = plan("--load shop data --and other");
    assert!(told.contains("reads 1500") && told.contains("B: other"), "{told}");
}

#[test]
fn progress_names_the_side() {
    let sides = "--engine sim:servers=4,service=1ms --and-engine sim:servers=4,service=2ms";
    let line = format!(
        "versus advanced {sides} --matrix point --num-small 4 --num-large 0 --fast --max-duration 25s --seed 4 --no-html"
    );
    let told = Place::new().line(&line).expect_code(0);
    let sides = ["A: 4 outstanding small I/Os, visit 1: ", "B: 4 outstanding small I/Os, visit 1: "];
    assert!(sides.iter().any(|side| told.stderr.contains(side)), "{}", told.stderr);
}

#[test]
fn places_and_streams_are_compared_as_well() {
    let place = Place::new();
    let slower = "region=0.5:75%:100%";
    let sides = |more: &str| {
        format!(
            "--engine sim:servers=2,service=1ms --and-engine sim:servers=2,service=1ms,{more} --seed 1 --fast --quiet"
        )
    };
    let told = simulated(&place, &format!("versus zones {}", sides(slower))).expect_code(0);
    let words = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["slower than A", "in random I/O, over 16 loads, from -50.0 % at place 75-81.25 %"] {
        assert!(words.contains(part), "{part}: {}", told.stdout);
    }
    let told =
        simulated(&place, &format!("versus streams {} --name streams", sides("servers=4"))).expect_code(0);
    assert!(told.stdout.contains("faster than A"), "{}", told.stdout);
    assert!(told.stdout.contains(" streams"), "{}", told.stdout);
}
