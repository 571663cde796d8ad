//! `rigel versus` with loads that databases make: a rate, commits, a load file.

use crate::stop::{signal, start_until_record};
use crate::support::{EPOCH, Place, Told, narrow, tell};
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use serde_json::Value;
use std::fs;

const RECORD: &str = "versus_20260101_1200_record.jsonl";

const A: &str = "servers=4,service=1ms,rate=0,spread=exponential";
const B: &str = "servers=4,service=900us,rate=0,spread=exponential";

fn simulated(place: &Place, line: &str) -> Told {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

fn open(rates: &str, more: &str) -> String {
    format!("versus open --rate {rates} --engine sim:{A} --and-engine sim:{B} --seed 4 --quiet {more}")
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
    assert!(numbers(&told.stdout).contains("open_latency (us)"), "{}", told.stdout);
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
        "A does not keep up with 4200 per second, and B does.",
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
    assert!(told.stdout.contains("Neither side keeps up with 4800 per second."), "{}", told.stdout);
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
        told.stderr.contains("neither in per cent nor a time") && told.stderr.contains("small_p99 > 2ms"),
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
    let place = Place::new();
    simulated(&place, &open("2000,3200", "--fast")).expect_code(0);
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
    for part in ["id=\"over-open_p99\"", "Mean latency of open", "open=3200", "B has "] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn an_open_run_that_was_cut_goes_on_to_the_same_numbers() {
    let place = Place::new();
    let whole = simulated(&place, &open("2000,3200", "--fast --no-html")).expect_code(0);
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
        "reads 1500 scans 1",
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

const COMMITS: &str =
    "versus commit --sync dsync --writers 1,2 a/rigel-scratch.dat --and b/rigel-scratch.dat --fast";

#[test]
fn commits_are_compared_on_two_scratch_files() {
    let place = Place::new();
    scratch_files(&place);
    let told = place.line(&format!("{COMMITS} --max-duration 30s --quiet"));
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    for part in ["dsync commits", "dsync_per_s (per s)", "unsynced_per_s", "dsync_p99 (us)"] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()));
    assert!(place.path().join("a/rigel-scratch.dat").exists(), "kept files stay");
}

#[test]
fn commits_go_on_after_an_interruption() {
    let place = Place::new();
    scratch_files(&place);
    let (mut child, mut stderr) =
        start_until_record(&place, &format!("{COMMITS} --max-duration 30s"), |record| {
            record.visits.len() >= 2
        });
    signal(&child, "-INT");
    let mut told = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{told}");
    let record = place.only("_record.jsonl");
    let made = |bytes: &[u8]| Record::read(bytes).unwrap().visits.len();
    let before = made(&fs::read(&record).unwrap());
    let name = record.file_name().unwrap().to_str().unwrap();
    let told = place.line(&format!("versus --resume {name} --quiet"));
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert!(told.stdout.contains("dsync commits"), "{}", told.stdout);
    assert!(made(&fs::read(&record).unwrap()) > before);
}

#[test]
fn each_side_is_gone_round_before_its_first_commit() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.random_file(name, 8 << 20);
    }
    let line = "versus commit --sync dsync --writers 1 a --and b --destroy-data a --destroy-data b --fast \
                --max-duration 20s --quiet --no-html";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let record = Record::read(&fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    let warmed = record.visits.iter().filter(|visit| visit.warm_up.is_some());
    let sides: Vec<_> = warmed.map(|visit| visit.point.side().unwrap().name()).collect();
    assert_eq!((sides.len(), sides.contains(&"A"), sides.contains(&"B")), (2, true, true));
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
        ("open --rate 0 data --and other", 2, &["`--rate 0` is no rate"]),
        (
            "open --rate 100 data --and other --num-disks 2",
            2,
            &["--num-disks does not go with the level 'open'"],
        ),
        ("oltp --rate 100 data --and other", 2, &["--rate does not go with the level 'oltp'"]),
        ("open --rate 100 data --and other --duration 10s", 2, &["--duration", "turns"]),
        ("open --rate 100 data --and data", 2, &["A and B are the same"]),
        ("opne --rate 100 data --and other", 2, &["perhaps open was meant"]),
        ("--load phases data --and other", 2, &["phases", "two sides"]),
        ("--load many data --and other", 2, &["5 classes", "at most 8", "many"]),
        ("--load long data --and other", 2, &["too long", "13 letters"]),
        ("--load sided data --and other", 2, &["'log_a'", "named like one of a side"]),
        ("--load nowhere data --and other", 2, &["cannot be read", "nowhere"]),
        ("--load shop oltp data --and other", 2, &["--load does not go with the level 'oltp'"]),
        ("--load shop data --and other --write 5", 2, &["--write does not go with --load"]),
        ("--load shop data --and other --duration 10s", 2, &["--duration"]),
        ("commit --and other", 2, &["side A is missing", "no side"]),
        ("commit data --and other", 3, &["--destroy-data"]),
        ("commit data --and-engine threads --destroy-data data", 2, &["both sides would write to the same"]),
        (
            "commit data --and other --write 5 --destroy-data data",
            2,
            &["--write does not go with the level 'commit'"],
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
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let line = "versus advanced data --and data --same --matrix point --num-small 4 --num-large 0 --fast --max-duration 25s";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let sides = ["A: 4 outstanding small I/Os", "B: 4 outstanding small I/Os"];
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
