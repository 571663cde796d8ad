//! `rigel run scaling`: known answers on simulated targets, exact counts on files, what is refused. And readers of `run streams`, each by itself.

use crate::support::{Place, ProgramOutput, flat};
use serde_json::Value;

/// Four stations of 1 ms for each of six targets: 4,000 a second each.
const LAW: &str = "targets=6,servers=4,service=1ms,rate=0,between=1%";

fn simulated(place: &Place, law: &str) -> Value {
    place.line(&format!("run scaling --engine sim:{LAW}{law} --seed 3 --json --quiet")).expect_code(0).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 0.03, "{found} for {wanted}");
}

fn refused(told: ProgramOutput, parts: &[&str]) {
    let told = told.expect_code(2);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

#[test]
fn targets_that_share_nothing_scale_throughout() {
    let place = Place::new();
    let document = simulated(&place, "");
    let found = &document["scaling"];
    assert_eq!((&found["linear"], &found["linear_up_to"]), (&"throughout".into(), &6.into()), "{found}");
    assert_eq!((&found["below_from"], &found["limits"]), (&Value::Null, &Value::Array(Vec::new())));
    for (point, targets) in found["points"].as_array().unwrap().iter().zip(1_u32..) {
        near(number(&point["rate"]["value"]), 4000.0 * f64::from(targets));
        near(number(&point["of_line"]["value"]), 1.0);
        let each = point["each"].as_array().unwrap();
        assert_eq!(each.len(), usize::try_from(targets).unwrap(), "{point}");
        each.iter().for_each(|one| near(number(&one["value"]), 4000.0));
    }
    let reached = document["verdict"]["reached"].as_str().unwrap();
    assert!(reached.starts_with("The rate grows linearly with the targets, up to all 6: "), "{reached}");
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout;
    assert!(told.contains("Over the targets") && told.contains("straight line"), "{told}");
    let page = place.read("_report.html");
    assert!(page.contains("straight line") && page.contains("IOPS by number of targets"));
    let told = place.rigel(["report", record.to_str().unwrap(), "--format", "markdown"]).expect_code(0);
    assert!(told.stdout.contains("## Over the targets"), "{}", told.stdout);
}

/// 14,000 a second for all of them together: three and a half targets.
#[test]
fn a_limit_that_all_share_is_found_where_it_begins() {
    let place = Place::new();
    let document = simulated(&place, ",bucket=14000:1400");
    let found = &document["scaling"];
    assert_eq!((&found["linear"], &found["linear_up_to"]), (&"up_to".into(), &3.into()), "{found}");
    assert_eq!(found["below_from"], 4);
    near(number(&found["points"][3]["rate"]["value"]), 14_000.0);
    near(number(&found["points"][5]["of_line"]["value"]), 14.0 / 24.0);
    let [limit] = found["limits"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!(limit["what"], "shared");
    near(number(&limit["value"]), 14.0 / 16.0);
    let says = found["says"].as_str().unwrap();
    assert!(
        says.contains("up to 3 targets") && says.contains("The targets share what limits them"),
        "{says}"
    );
}

#[test]
fn a_slow_target_is_named_and_nothing_that_is_shared_is_accused() {
    let place = Place::new();
    let document = simulated(&place, ",slow=3:0.5");
    let found = &document["scaling"];
    assert_eq!((&found["linear_up_to"], &found["below_from"]), (&2.into(), &3.into()), "{found}");
    let [limit] = found["limits"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!(limit["what"], "added_targets");
    let [slow] = found["slow"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!(slow["path"], "simulated-3");
    near(number(&slow["rate"]["value"]), 2000.0);
    near(number(&slow["median"]), 4000.0);
}

#[test]
fn streams_and_two_records_are_compared_point_by_point() {
    let place = Place::new();
    let run = |name: &str, cap: &str| {
        let line = format!(
            "run scaling --type seq --per-target 2 --engine sim:targets=3,between=1%{cap} --seed 3 --name {name} --json --quiet"
        );
        place.line(&line).expect_code(0).json()
    };
    let (free, held) = (run("free", ""), run("held", ",cap=2000M"));
    assert_eq!(free["run"]["classes"]["targets"]["unit"], "MBPS", "{free}");
    assert_eq!(
        (&free["scaling"]["per_target"], &free["scaling"]["linear"]),
        (&2.into(), &"throughout".into())
    );
    assert_eq!(held["scaling"]["linear"], "up_to", "{held}");
    let record = |name: &str| place.only_of(&format!("{name}_"), "_record.jsonl").display().to_string();
    let told = place.rigel(["compare", &record("free"), &record("held"), "--json"]).expect_code(0).json();
    let rows = told["rows"].as_array().unwrap();
    let of_points = rows.iter().filter(|row| row["metric"] == "targets_mbps").count();
    assert_eq!(of_points, 3, "{told}");
    assert!(
        rows.iter().any(|row| row["metric"] == "max_targets_mbps" && row["verdict"] == "worse"),
        "{told}"
    );
}

/// At k targets the first k have I/O, and no other.
#[test]
fn each_point_loads_its_targets_and_no_other() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.random_file(name, 4 << 20);
    }
    let line = "run scaling a b c --per-target 2 --duration 500ms --json --quiet --seed 1";
    let told = place.line(line);
    assert!(told.code <= 1, "{told:?}");
    let found = &told.json()["scaling"];
    assert_eq!(found["points"].as_array().unwrap().len(), 3, "{found}");
    let text = std::fs::read_to_string(place.only("_record.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let visits: Vec<Value> = lines.filter(|line| line["line"] == "visit").collect();
    assert_eq!(visits.len(), 3);
    for visit in visits {
        let targets = visit["point"]["targets"].as_u64().unwrap();
        let tally = &visit["tallies"]["targets"];
        assert_eq!(tally["planned"], 2 * targets, "{visit}");
        let ops = tally["by_target"]["ops"].as_array().unwrap();
        for (number, ops) in (0..).zip(ops) {
            assert_eq!(ops.as_u64().unwrap() > 0, number < targets, "{ops} of target {number} at {targets}");
        }
    }
}

#[test]
fn directories_have_a_scratch_file_each() {
    let place = Place::new();
    for dir in ["one", "two"] {
        std::fs::create_dir(place.path().join(dir)).unwrap();
    }
    let told = place.line("run scaling one two --scratch-size 4M --duration 500ms --json --quiet --no-html");
    assert!(told.code <= 1, "{told:?}");
    assert_eq!(told.json()["scaling"]["points"].as_array().unwrap().len(), 2);
}

#[test]
fn what_shows_no_scaling_is_refused() {
    let place = Place::new();
    place.random_file("a", 1 << 20);
    let one = "one target shows no scaling";
    refused(place.line("run scaling a"), &[one, "name two targets or more"]);
    refused(place.line("run scaling --engine sim"), &[one, "sim:targets=4"]);
    refused(place.line("run scaling a a"), &["a target is listed twice"]);
    refused(place.line("run scaling a ./a"), &["a target is listed twice"]);
    refused(place.line("run oltp a --per-target 4"), &["--per-target", "`rigel run scaling"]);
    refused(
        place.line("run scaling a a --size-large 1M"),
        &["--size-large is not a size of this load", "--size-small"],
    );
    refused(place.line("run scaling a a --per-target 0"), &["--per-target"]);
    refused(place.line("run scaling a a --levels auto"), &["the number of targets says what is measured"]);
    for law in ["targets=0", "targets=2000", "slow=0:0.5", "slow=1:0", "slow=1"] {
        refused(place.line(&format!("run scaling --engine sim:{law}")), &[law.split_once('=').unwrap().0]);
    }
    let sides = "versus scaling --engine sim:targets=2 --and-engine sim:targets=3 --no-history";
    refused(place.line(sides), &["two sides cannot be measured over a growing number of targets"]);
}

/// A load file says the same; its points count targets.
#[test]
fn the_load_can_be_printed_and_run_from_its_file() {
    let place = Place::new();
    let engine = "--engine sim:targets=3,rate=0";
    let printed = place.line(&format!("run scaling {engine} --dry-run --as-load")).expect_code(0).stdout;
    assert!(printed.contains("per_target = 16") && printed.contains("targets = 3"), "{printed}");
    std::fs::write(place.path().join("load.toml"), &printed).unwrap();
    let run = |load: &str| {
        place
            .line(&format!("run {load} {engine} --duration 1s --json --quiet --no-html"))
            .expect_code(0)
            .json()
    };
    let document = run("--load load.toml");
    let points = document["scaling"]["points"].as_array().unwrap();
    near(number(&points[2]["rate"]["value"]), 12_000.0);
    assert_eq!(
        document["scaling"]["linear"], "unknown",
        "one visit tells no number of targets from a moment"
    );
    refused(
        place.line("run scaling --engine sim:targets=2,slow=3:0.5"),
        &["'slow=3:..': the device has 2 targets; give targets=3 or more"],
    );
    refused(
        place.line("run --load load.toml --engine sim:targets=2"),
        &["needs 3 targets, but the run has 2"],
    );
}

/// Four stations of 1,000 MiB/s and 1 ms: 500 MBPS for each of up to four readers, and as much together for eight.
#[test]
fn each_reader_of_streams_has_a_rate_with_an_interval() {
    let place = Place::new();
    let line = "run streams --readers 1,4,8 --engine sim:servers=4,service=1ms,rate=1000M,between=1% --seed 5 --json --quiet";
    let document = place.line(line).expect_code(0).json();
    let readers = document["readers"].as_array().unwrap();
    assert_eq!(readers.iter().map(|one| one["readers"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 4, 8]);
    for one in readers {
        let count = number(&one["readers"]);
        let each = one["each"].as_array().unwrap();
        assert_eq!(Some(each.len() as u64), one["readers"].as_u64(), "{one}");
        for rate in each {
            near(number(&rate["value"]), 500.0_f64.min(2000.0 / count));
            assert!(number(&rate["lo95"]) < number(&rate["hi95"]) && rate["basis"] == "visits", "{rate}");
        }
        assert!(number(&one["evenness"]) > 0.97, "{one}");
    }
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout;
    assert!(told.contains("Each of 8 readers") && !told.contains("Each of 4 readers"), "{told}");
    assert!(place.read("_report.html").contains("Each of 4 readers"));
}

/// A device that forgets some I/Os for 20 s: one reader gets 23 MBPS and 16 get 874, each with an interval wider than that.
#[test]
fn rates_of_readers_that_are_not_known_are_not_called_alike() {
    let place = Place::in_memory();
    let told = place.line("run streams --engine sim:lost=500:20s --seed 5 --no-html --quiet").expect_code(0);
    let text = flat(&told.stdout);
    assert!(
        text.contains("16 readers get") && text.contains("which leaves open whether that is more."),
        "{text}"
    );
    assert!(!text.contains("about as much"), "{text}");
    assert!(!text.contains("THROTTLED"), "nothing limits a device that answers nothing: {text}");
}

/// Arrivals at a rate are counted by target as well.
#[test]
fn an_open_loop_is_counted_by_target() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.random_file(name, 4 << 20);
    }
    let told = place.line("run open a b --rate 200 --duration 1s --json --quiet --no-html --seed 1");
    assert!(told.code <= 1, "{told:?}");
    let [class]: [Value; 1] = told.json()["by_target"]
        .as_array()
        .unwrap()
        .clone()
        .try_into()
        .unwrap_or_else(|all| panic!("{all:?}"));
    let rows = class["targets"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{class}");
    let text = std::fs::read_to_string(place.only("_record.jsonl")).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let visit = lines.find(|line| line["line"] == "visit").unwrap();
    let counted: u64 =
        rows.iter().map(|row| row["ios"].as_u64().unwrap() + row["errors"].as_u64().unwrap()).sum();
    assert_eq!(Some(counted), visit["ios"]["returned"].as_u64(), "{visit}");
}
