//! `rigel run --load`: a load of one's own, from its file to its numbers.

use crate::resume::undisturbed;
use crate::support::{EPOCH, Place, RECORD, tell};
use serde_json::Value;
use std::fs;
use std::path::Path;

const LAW: &str = "sim:servers=4,service=1ms,rate=400M,spread=exponential";

/// What a record says that was done, and what came of it: its visits, without the number of their points.
fn visits(place: &Place) -> Vec<Value> {
    let record = place.read("_record.jsonl");
    let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["line"] == "visit").collect()
}

/// Runs a level, then the file that it prints, with the same seed.
fn same_visits(level: &str, how: &str) {
    let (first, second) = (Place::in_memory(), Place::in_memory());
    let printed = first.line(&format!("run {level} --engine {LAW} --dry-run --as-load")).expect_code(0);
    fs::write(second.path().join("level.toml"), &printed.stdout).unwrap();
    let how = format!("--engine {LAW} --seed 11 --quiet --no-html {how}");
    first.line(&format!("run {level} {how}")).expect_code(0);
    second.line(&format!("run --load level.toml {how}")).expect_code(0);
    let (first, second) = (visits(&first), visits(&second));
    assert!(first.len() > 1 && first == second, "{level}: {} and {} visits", first.len(), second.len());
}

#[test]
fn every_level_of_orion_can_be_printed_and_run_from_its_file() {
    let shape =
        "--type seq --stream-ios 3 --simulate raid0 --stripe 2M --size-small 4K --size-large 512K --write 30";
    for level in [
        "simple --num-disks 2 --write 20",
        "normal",
        "oltp",
        "dss",
        "advanced --matrix basic",
        &format!("advanced --matrix max --num-small 3 --num-large 2 {shape}"),
    ] {
        same_visits(level, "--duration 200ms --cache-size 2M");
    }
    same_visits("simple", "--fast");
}

#[test]
fn levels_that_are_searched_are_in_no_file() {
    let told = Place::new().line("run simple --levels auto --engine sim --dry-run --as-load").expect_code(2);
    assert!(told.stderr.contains("searched"), "{}", told.stderr);
}

const MIXED: &str = r#"load = "rigel.load/1"
[[class]]
name = "reads"
size = { "8K" = 80, "64K" = 20 }
span = "25-50%"
arrival = { outstanding = 16 }
"#;

/// A place for simulated runs with that file.
fn with(file: &str, text: &str) -> Place {
    let place = Place::in_memory();
    fs::write(place.path().join(file), text).unwrap();
    place
}

#[test]
fn bytes_per_second_are_those_of_the_sizes_that_came() {
    let place = with("mixed.toml", MIXED);
    let line = format!("run --load mixed.toml --engine {LAW} --seed 3 --duration 5s --json");
    let document = place.line(&line).expect_code(0).json();
    let io = &document["points"][0]["classes"]["reads"];
    let number = |name: &str| io[name]["value"].as_f64().unwrap();
    let mean_bytes = number("mbps") * f64::from(1 << 20) / number("iops");
    let tally = visits(&place)[0]["tallies"]["reads"].clone();
    let ios = io["reads"].as_f64().unwrap();
    let counted = tally["bytes"].as_f64().unwrap() / ios;
    assert!((mean_bytes / counted - 1.0).abs() < 1e-9, "{mean_bytes} {counted}");
    // Drawn with shares of 80 and 20: 4 standard deviations of 22,938 bytes.
    let (expected, wide) = (0.8 * 8192.0 + 0.2 * 65_536.0, 4.0 * 22_938.0 / ios.sqrt());
    assert!(ios > 5000.0 && (mean_bytes - expected).abs() < wide, "{mean_bytes}, {ios} I/Os");
    assert_eq!(document["run"]["classes"]["reads"]["sizes"][1]["bytes"], 65_536);
    assert_eq!(document["run"]["classes"]["reads"]["span"], "25-50%");
    let job = place.line(&format!("report {} --format fio", place.only("_record.jsonl").display()));
    job.expect_code(0);
}

/// Three phases: the first and the last are the same point.
fn phased() -> String {
    let closed = MIXED.replace("outstanding = 16", "outstanding = 2");
    let phase = |time: &str, scale: &str| format!("[[phase]]\nfor = \"{time}\"\nscale = {scale}\n");
    closed + &phase("20s", "1") + &phase("5s", "2.0") + &phase("10s", "{ reads = 1 }")
}

fn run_phases(place: &Path, arguments: &str) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rigel"));
    command.current_dir(place).args(arguments.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH);
    tell(&mut command).expect_code(0);
}

#[test]
fn phases_follow_one_another_and_a_run_of_them_can_go_on() {
    let place = with("phased.toml", &phased());
    let line = "run --load phased.toml --engine sim:servers=4,service=1ms,rate=0 --seed 5";
    run_phases(place.path(), line);
    let visits = visits(&place);
    let told: Vec<_> = visits
        .iter()
        .map(|visit| {
            let ns = |name: &str| visit[name].as_u64().unwrap();
            let seconds = (ns("settle_ns") + ns("measured_ns")) / 1_000_000_000;
            (visit["purpose"]["phase"].as_u64().unwrap(), visit["point"]["reads"].as_u64().unwrap(), seconds)
        })
        .collect();
    assert_eq!(told, [(0, 2, 20), (1, 4, 5), (2, 2, 10)]);
    let document = place.line(&format!("report {} --format json", place.only("_record.jsonl").display()));
    let document = document.expect_code(0).json();
    assert_eq!(document["points"].as_array().unwrap().len(), 2, "the same scale is the same point");
    assert_eq!(document["points"][0]["visits"][1]["purpose"], "phase");
    // Four stations of 1 ms: two outstanding make 2000, four make 4000.
    for (point, rate) in [(0, 2000.0), (1, 4000.0)] {
        let found = document["points"][point]["classes"]["reads"]["iops"]["value"].as_f64().unwrap();
        assert!((found / rate - 1.0).abs() < 0.005, "{found}");
    }
    let record = fs::read(place.path().join(RECORD)).unwrap();
    let first = record.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for part in 0..4 {
        let cut = Place::in_memory();
        let upto = first + (record.len() - first) * part / 4;
        fs::write(cut.path().join(RECORD), &record[..upto]).unwrap();
        run_phases(cut.path(), &format!("run --resume {RECORD} --quiet --no-html"));
        assert!(undisturbed(cut.path()) == undisturbed(place.path()), "cut at {upto}");
    }
}

/// The night has no class with a rate: it is neither served at one nor not.
#[test]
fn only_phases_with_a_rate_are_said_to_be_served_at_it() {
    let day = "load = \"rigel.load/1\"\n[[class]]\nname = \"reads\"\nsize = \"8K\"\narrival = { rate = 500, shape = \"even\" }\n";
    let night = "[[class]]\nname = \"scan\"\nsize = \"64K\"\narrival = { outstanding = 2 }\n";
    let phases = "[[phase]]\nfor = \"20s\"\n[[phase]]\nfor = \"10s\"\nscale = { reads = 0, scan = 2 }\n[[phase]]\nfor = \"20s\"\nscale = 2\n";
    let place = with("day.toml", &format!("{day}{night}{phases}"));
    let told = place.line("run --load day.toml --engine sim:servers=4,service=1ms,rate=0 --seed 5 --no-html");
    let text = told.expect_code(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Both phases with a rate were served at the rates asked for"), "{text}");
}

#[test]
fn each_phase_has_rows_of_its_own() {
    let place = with("phased.toml", &phased());
    run_phases(place.path(), "run --load phased.toml --engine sim:servers=4,service=1ms,rate=0 --seed 5");
    let record = place.only("_record.jsonl");
    let told = |format: &str| {
        let line = format!("report {} {format}", record.display());
        place.line(&line).expect_code(0).stdout
    };
    let text = told("");
    let table = text.split_once("Phase").unwrap().1.lines().skip(1).take(3);
    let rows: Vec<Vec<&str>> = table.map(|line| line.split_whitespace().collect()).collect();
    let markdown = told("--format markdown");
    let table = markdown.split_once("| Phase | For |").unwrap().1.lines().skip(2).take(3);
    let in_markdown: Vec<Vec<&str>> =
        table.map(|line| line.split(['|', ' ']).filter(|cell| !cell.is_empty()).collect()).collect();
    for rows in [rows, in_markdown] {
        let of = |row: &[&str]| (row[0].to_owned(), row[3].to_owned(), row[4].to_owned());
        let found: Vec<_> = rows.iter().map(|row| of(row)).collect();
        let expected = [("1", "2"), ("2", "4"), ("3", "2")];
        for (row, (phase, load)) in found.iter().zip(expected) {
            assert_eq!((row.0.as_str(), row.1.as_str(), row.2.as_str()), (phase, "reads", load), "{text}");
        }
        assert_eq!(found.len(), 3);
    }
}

const SHOP: &str = r#"load = "rigel.load/1"
[[class]]
name = "reads"
size = "8K"
arrival = { rate = 500 }
[[class]]
name = "scans"
size = "256K"
arrival = { outstanding = 2 }
"#;

#[test]
fn a_mixed_load_shows_the_latency_of_each_class() {
    let place = with("shop.toml", SHOP);
    let line = "run --load shop.toml --engine sim:servers=4,service=1ms,rate=0 --seed 5 --fast --quiet";
    let text = place.line(line).expect_code(0).stdout;
    let document = place.line(&format!("report {} --format json", place.only("_record.jsonl").display()));
    let document = document.expect_code(0).json();
    let table = text.split_once(" Class").unwrap().1;
    for (class, load) in [("reads", "500/s"), ("scans", "2")] {
        let row = table.lines().find(|line| line.trim_start_matches(['!', ' ']).starts_with(class)).unwrap();
        let cells: Vec<&str> = row.trim_start_matches('!').split_whitespace().collect();
        assert_eq!(cells[1], load, "{text}");
        let io = &document["points"][0]["classes"][class];
        let us = io["latency_us"]["mean"]["value"].as_f64().unwrap();
        assert!(us > 1000.0 && row.contains(&format!(" {:.2}", us / 1e3)), "{us}: {text}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_bad_file_is_told_with_line_and_column_before_anything_is_done() {
    for (from, to, parts) in [
        ("size =", "sise =", &["bad.toml:4:1", "no key 'sise'", "did you mean 'size'?"][..]),
        ("= 80", "= 70", &["bad.toml:4:8", "90 per cent"]),
        ("25-50%", "50-25%", &["bad.toml:5:8", "\"0-25%\""]),
        ("rigel.load/1", "rigel.load/9", &["bad.toml:1:8", "rigel.load/1"]),
        ("{ outstanding = 16 }", "{ outstanding = 0 }", &["bad.toml:6:27", "whole number from 1"]),
        ("span = \"25-50%\"", "sync = \"dsync\"", &["class 'reads'"]),
    ] {
        let place = with("bad.toml", &MIXED.replace(from, to));
        let told = place.line("run --load bad.toml").expect_code(2);
        parts.iter().for_each(|part| assert!(told.stderr.contains(part), "{part}: {}", told.stderr));
        assert_eq!(place.files(), ["bad.toml"], "nothing was filled or written");
    }
    let place = with("good.toml", MIXED);
    for (line, code, part) in [
        ("run --load none.toml", 2, "none.toml"),
        ("run --load .", 2, "cannot be read"),
        ("run --load good.toml simple", 2, "cannot be combined with the level 'simple'"),
        ("run --load good.toml --write 5 x", 2, "--write cannot be combined with --load"),
        ("run --load good.toml --levels auto x", 2, "--levels cannot be combined with --load"),
        ("run --load good.toml --size-small 4K x", 2, "--size-small cannot be combined with --load"),
        ("run load", 2, "needs a file"),
        ("run oltp --as-load", 2, "--dry-run"),
        ("run --load good.toml --resume x", 2, "--resume"),
        ("run --load good.toml --engine sim:size=128K --dry-run", 2, "25-50% of the target of 128 KiB"),
    ] {
        let told = place.line(line).expect_code(code);
        assert!(told.stderr.contains(part), "{line}: {}", told.stderr);
    }
    fs::write(place.path().join("phased.toml"), phased()).unwrap();
    for (option, part) in [
        ("--duration 60s", "--duration cannot be combined with a load that has phases"),
        ("--precision 2%", "--precision cannot be combined with a load that has phases"),
        ("--max-duration 30s", "allowed for the run"),
    ] {
        let told = place.line(&format!("run --load phased.toml --engine sim {option}")).expect_code(2);
        assert!(told.stderr.contains(part), "{option}: {}", told.stderr);
    }
    place.line("run --load phased.toml --engine sim --max-duration 35s --dry-run").expect_code(0);
}

/// The I/Os of a file on a disk: every size at multiples of its own, and none outside of the part.
#[test]
fn a_part_of_a_file_is_read_and_written_and_nothing_else() {
    let place = Place::new();
    fs::write(place.path().join("mixed.toml"), MIXED.replace("arrival", "write = 50\narrival")).unwrap();
    let bytes = 16 << 20;
    let path = place.random_file("target", bytes);
    let before = fs::read(&path).unwrap();
    let line = "run --load mixed.toml target --destroy-data target --duration 300ms --buffered --quiet";
    place.line(line).expect_measured();
    let after = fs::read(&path).unwrap();
    let quarter = usize::try_from(bytes / 4).unwrap();
    assert!(before[..quarter] == after[..quarter] && before[2 * quarter..] == after[2 * quarter..]);
    assert!(before[quarter..2 * quarter] != after[quarter..2 * quarter], "the part was written");
}

const PRESETS: [&str; 3] = ["postgresql", "mysql", "oracle"];

/// The file that a preset prints is the preset: the same visits come of it, and its comments say where the figures are from.
#[test]
fn a_preset_is_a_word_and_can_be_printed_changed_and_run() {
    for preset in PRESETS {
        let (first, second) = (Place::in_memory(), Place::in_memory());
        let printed = first
            .line(&format!("run --load {preset} --engine {LAW} --dry-run --as-load"))
            .expect_code(0)
            .stdout;
        assert!(
            printed.contains("name = \"pages\"")
                && printed.contains("# block_size: 8192") == (preset == "postgresql")
        );
        fs::write(second.path().join("mine.toml"), &printed).unwrap();
        let how = format!("--engine {LAW} --seed 11 --quiet --no-html --duration 2s");
        first.line(&format!("run --load {preset} {how}")).expect_code(0);
        second.line(&format!("run --load mine.toml {how}")).expect_code(0);
        let (one, other) = (visits(&first), visits(&second));
        assert!(!one.is_empty() && one == other, "{preset}");
        for class in ["pages", "log", "scans"] {
            assert!(one[0]["tallies"][class]["in_flight_ns"].as_u64().unwrap() > 0, "{preset}: {class}");
        }
        // Changed: twice as much arrives.
        fs::write(second.path().join("mine.toml"), printed.replace("rate = 1000", "rate = 2000")).unwrap();
        let plan =
            second.line(&format!("run --load mine.toml --engine {LAW} --dry-run")).expect_code(0).stdout;
        assert!(plan.contains("2000"), "{plan}");
    }
}

/// Each command takes each; of one each command makes a result.
#[test]
fn presets_go_wherever_a_file_goes() {
    let place = Place::in_memory();
    let slow = "--engine sim:servers=8,service=2ms,rate=0,spread=exponential --seed 3 --quiet --no-html";
    let slo = |preset: &str| format!("slo --p99 40ms --load {preset} {slow} --duration 6m");
    let versus = |preset: &str| {
        format!(
            "versus --load {preset} {slow} --and-engine sim:servers=4,service=2ms,rate=0 --max-duration 60s --no-history"
        )
    };
    let soak = |preset: &str| format!("soak --load {preset} {slow} --for 1m --name soaked");
    for preset in PRESETS {
        for line in [slo(preset), versus(preset), soak(preset)] {
            let plan = place.line(&format!("{line} --dry-run")).expect_code(0).stdout;
            assert!(plan.contains("pages") && plan.contains("log"), "{line}: {plan}");
        }
    }
    let found = place.line(&format!("{} --json", slo(PRESETS[0]))).expect_code(0).json();
    assert!(found["rate"]["lower"].as_f64().unwrap() > 100.0, "{found}");
    place.line(&versus(PRESETS[1])).expect_code(0);
    place.line(&soak(PRESETS[2])).expect_code(0);
}

/// On storage: what a preset writes needs the same consent as any other load.
#[test]
fn presets_write_to_a_scratch_file_and_to_nothing_else_without_consent() {
    let place = Place::new();
    place.random_file("target", 16 << 20);
    let before = fs::read(place.path().join("target")).unwrap();
    for preset in PRESETS {
        let told = place.line(&format!("run --load {preset} target --duration 200ms"));
        assert_eq!(told.code, 3, "{preset}: {}", told.stderr);
        assert!(told.stderr.contains("--destroy-data"), "{}", told.stderr);
        assert!(fs::read(place.path().join("target")).unwrap() == before, "{preset}");
        let line = format!(
            "run --load {preset} --scratch-size 16M --keep-scratch --duration 500ms --cache-size 0 --quiet --no-html --json --name {preset}"
        );
        // A host that is busy or slow does not keep up with the pages, and says so.
        let document = place.line(&line).expect_measured().json();
        let classes = &document["points"][0]["classes"];
        for class in ["pages", "log", "scans"] {
            assert!(classes[class]["iops"]["value"].as_f64().unwrap() > 0.0, "{preset}: {document}");
        }
    }
}

#[test]
fn a_word_that_is_a_file_too_is_told_and_a_slip_gets_the_nearest() {
    let place = with("mysql", MIXED);
    let told = place.line("run --load mysql --engine sim --dry-run").expect_code(0);
    assert!(told.stderr.contains("the preset 'mysql'; the file of that name is ./mysql"), "{}", told.stderr);
    assert!(told.stdout.contains("doublewrite") && !told.stdout.contains("reads"), "{}", told.stdout);
    let told = place.line("run --load ./mysql --engine sim --dry-run").expect_code(0);
    assert!(
        !told.stderr.contains("preset") && told.stdout.contains("reads"),
        "{} {}",
        told.stdout,
        told.stderr
    );
    for (word, part) in [
        ("postgres", "did you mean the preset 'postgresql'?"),
        ("orcale", "did you mean the preset 'oracle'?"),
        ("shop", "the name of a preset: postgresql, mysql or oracle"),
        ("mssql", "the name of a preset: postgresql, mysql or oracle"),
        ("mariadb", "did you mean the preset 'mysql'?"),
    ] {
        let told = place.line(&format!("run --load {word} --engine sim")).expect_code(2);
        assert!(told.stderr.contains(part) && told.stderr.contains("cannot be read"), "{}", told.stderr);
    }
}
