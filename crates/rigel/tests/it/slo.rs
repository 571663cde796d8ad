//! `rigel slo`: the rate within a bound, with the real binary: text, JSON, gate, resume, bad input.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat};
use std::fs;
use std::sync::OnceLock;

/// One server: p99 is 2 ms at 2,697 I/Os per second.
const DEVICE: &str = "sim:servers=1,service=200us,rate=0,spread=exponential";

fn slo(place: &Place, more: &[&str]) -> ProgramOutput {
    let usual: &[&str] = if more.contains(&"--duration") { &[] } else { &["--duration", "3m"] };
    let common = ["slo", "--quiet", "--no-html", "--seed", "3", "--engine", DEVICE];
    place.rigel(common.iter().chain(usual).chain(more))
}

/// The search for p99 < 2 ms, told as JSON.
fn searched() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    RUN.get_or_init(|| Recording::of(|place| slo(place, &["--p99", "2ms", "--json"]).expect_code(0)))
}

#[test]
fn the_answer_as_json_and_as_text_and_again_from_the_record() {
    let (json, place) = (&searched().told, searched().place());
    let found = json.json();
    assert_eq!((found["schema"].as_str(), found["answer"].as_str()), (Some("rigel.slo/1"), Some("rate")));
    let rate = |name: &str| found["rate"][name].as_f64().unwrap();
    assert!(rate("lower") < 2697.0 * 1.05 && rate("upper") > 2697.0 * 0.95, "{found}");
    assert!(rate("lower") <= rate("estimate") && rate("estimate") <= rate("upper"), "{found}");
    assert_eq!(found["rate"]["decided_by"], "p99 < 2 ms");
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.iter().filter(|point| point["role"] == "share").count(), 3, "{found}");
    assert!(points.iter().all(|point| point["latency_us"]["p99.9"]["value"].as_f64().unwrap() > 0.0));
    let record = place.only("_record.jsonl");
    let told = slo(&place, &["--p99", "2ms", "--name", "b"]).expect_code(0).stdout;
    assert!(!place.files().iter().any(|name| name.ends_with("_iops.csv")), "{:?}", place.files());
    let again = place.rigel(["report", place.only_of("b_", "_record.jsonl").to_str().unwrap()]);
    let again = again.expect_code(0).stdout;
    // The paths of the files are as the record was named.
    let shown = |text: &str| text.split("\nmore: ").next().unwrap().to_owned();
    assert_eq!(shown(&again), shown(&told));
    let again = place.rigel(["report", record.to_str().unwrap(), "--format", "json"]).expect_code(0);
    assert_eq!(again.stdout, json.stdout);
}

#[test]
fn the_gate_tells_what_is_not_kept_from_what_is_undecided() {
    let place = Place::new();
    let gate = |requirement: &str| slo(&place, &["--p99", "2ms", "--require", requirement]);
    gate("p99 < 2ms @ 1000").expect_code(0);
    let broken = gate("p99 < 2ms @ 4500").expect_code(1);
    assert!(broken.stderr.contains("'p99 < 2 ms @ 4500' is not met"), "{}", broken.stderr);
    assert!(broken.stderr.contains("give the storage at most 2,"), "{}", broken.stderr);
    // It comes first, and nothing above it says that all is well.
    assert!(broken.stdout.starts_with("Required p99 < 2 ms @ 4500: NOT met, "), "{}", broken.stdout);
    assert!(!broken.stdout.contains("Good"), "{}", broken.stdout);
    // Nobody can tell at the very rate.
    let undecided = gate("p99 < 2ms @ 2697").expect_code(1);
    assert!(undecided.stderr.contains("is undecided"), "{}", undecided.stderr);
    assert!(
        undecided.stderr.contains("undecided because the limit lies within the interval; "),
        "{}",
        undecided.stderr
    );
}

/// A minute is enough for a rate that is clearly kept, or clearly not; the record can be resumed, and no highest rate is told.
#[test]
fn required_rates_alone_are_checked_in_a_minute() {
    let place = Place::new();
    let check = |requirement: &str, name: &str| {
        let line = ["slo", "--quiet", "--seed", "3", "--engine", DEVICE, "--require", requirement];
        place.rigel(line.iter().chain(&["--name", name]))
    };
    let kept = check("p99 < 2ms @ 2000", "kept").expect_code(0).stdout;
    assert!(kept.starts_with("Required p99 < 2 ms @ 2000: met, "), "{kept}");
    assert!(!kept.contains("of max") && !kept.contains("highest"), "{kept}");
    let broken = check("p99 < 2ms @ 4000", "broken").expect_code(1);
    assert!(broken.stderr.contains("'p99 < 2 ms @ 4000' is not met"), "{}", broken.stderr);
    assert!(broken.stderr.contains("require a lower rate, "), "{}", broken.stderr);
    let page = fs::read_to_string(place.only_of("kept_", "_report.html")).unwrap();
    assert!(!page.contains("Highest rate with") && page.contains("Required p99"), "{page}");
    let record = place.only_of("kept_", "_record.jsonl");
    let found = place.rigel(["report", record.to_str().unwrap(), "--format", "json"]).expect_code(0).json();
    assert_eq!((found["answer"].as_str(), found["rate"].is_null()), (Some("not_searched"), true), "{found}");
    assert_eq!(
        (found["required"][0]["kept"].as_str(), found["points"][0]["rate"].as_u64()),
        (Some("yes"), Some(2000))
    );
    let text = fs::read_to_string(&record).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&record, lines[..lines.len() / 2].join("\n") + "\n").unwrap();
    let resumed = ["run", "--resume", record.to_str().unwrap(), "--json", "--quiet", "--no-html"];
    let again = place.rigel(resumed).expect_code(0).json();
    assert_eq!(again["required"], found["required"]);
    let plan = place
        .rigel(["slo", "--require", "p99 < 2ms @ 2000", "--engine", DEVICE, "--dry-run"])
        .expect_code(0)
        .stdout;
    assert!(plan.contains("to the required rates alone") && plan.contains("Time      1 min\n"), "{plan}");
    let short = check("p99 < 100ms @ 2000", "short");
    assert_eq!(short.code, 0, "{}", short.stderr);
    let line = ["slo", "--engine", DEVICE, "--require", "p99 < 100ms @ 2000", "--for", "60s"];
    let refused = place.rigel(line).expect_code(2).stderr;
    assert!(refused.contains("60 s is too short") && refused.contains("--for 2m"), "{refused}");
}

/// Eight servers whose p99 at rest is 1.93 of 2 ms: the formula has 13,118 per second, and low rates tell nothing in a visit.
#[test]
fn a_bound_just_above_the_latency_at_rest_is_found_and_an_open_end_is_told() {
    let place = Place::new();
    let near = |service: &str, duration: &str, seed: &str, name: &str| {
        let device = format!("sim:servers=8,service={service},rate=0,spread=exponential");
        let line =
            ["slo", "--quiet", "--no-html", "--engine", &device, "--p99", "2ms", "--duration", duration];
        place.rigel(line.iter().chain(&["--seed", seed, "--name", name])).expect_code(0).stdout
    };
    let told = near("420us", "5m", "2", "both");
    assert!(told.starts_with("p99 < 2 ms is met up to ") && !told.contains("\n! "), "{told}");
    assert!(told.contains(", but not at 13,"), "{told}");
    // Nearer still, and in less time, one end of the bracket stays open.
    let open = near("430us", "3m", "2", "open");
    assert!(open.starts_with("p99 < 2 ms is ") && open.contains("\n! NOT_REACHED: "), "{open}");
    assert!(flat(&open).contains("how far they are met is"), "{open}");
    assert!(open.contains("One end of the rate is not known"), "{open}");
}

#[test]
fn a_run_that_was_cut_goes_on_to_the_same_bytes() {
    let (whole, place) = (&searched().told, searched().place());
    let record = place.only("_record.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // In the search, and among the points.
    for kept in [4, lines.len() * 3 / 4] {
        fs::write(&record, lines[..kept].join("\n") + "\n").unwrap();
        let resumed = ["run", "--resume", record.to_str().unwrap(), "--json", "--quiet", "--no-html"];
        let found = place.rigel(resumed).expect_code(0).json();
        for part in ["rate", "points", "required", "told"] {
            assert_eq!(found[part], whole.json()[part], "{part} after {kept} lines");
        }
    }
}

#[test]
fn a_plan_names_bounds_search_and_time() {
    let place = Place::new();
    let told = slo(&place, &["--p99", "2ms", "--mean", "1ms", "--require", "p50 < 1ms @ 500", "--dry-run"]);
    let told = told.expect_code(0).stdout;
    for part in [
        "at most 1 % of the I/Os take longer than 2 ms",
        "p50 < 1 ms @ 500",
        "rates of 10 to 250000",
        "3 min",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(place.files().is_empty());
}

#[test]
fn what_cannot_be_searched_says_what_where_and_what_to_do() {
    let place = Place::new();
    for (arguments, parts) in [
        (vec![], vec!["no latency limit was given", "--p99", "give a limit"]),
        (vec!["--p99", "1"], vec!["--p99", "write 1ms or 1s"]),
        (vec!["--bound", "p99 < 1"], vec!["--bound", "has no unit"]),
        (vec!["--bound", "p99"], vec!["--bound", "'<'"]),
        (
            vec!["--p99", "1ms", "--bound", "p99 < 2ms"],
            vec!["two latency limits conflict", "leave out p99 < 2 ms"],
        ),
        (vec!["--p99", "0"], vec!["--p99", "must be greater than 0"]),
        (vec!["--bound", "p100 < 1ms"], vec!["--bound", "a percentile such as p99", "give it as in"]),
        (vec!["--bound", "p99 > 1ms"], vec!["--bound", "write it with <"]),
        (vec!["--p99", "1ms", "--require", "p99 < 2ms"], vec!["--require", "the rate is missing"]),
        (
            vec!["--p99", "1ms", "--require", "p99 < 2ms @ 0"],
            vec!["--require", "cannot be read: the rate must not be 0"],
        ),
        (vec!["--p99", "1ms", "--require", "p99 < 2ms @ 99999999"], vec!["--require", "give 10 to 10000000"]),
        (vec!["--p99", "1ms", "--max-rate", "0"], vec!["--max-rate", "give 10 to"]),
        (vec!["--p99", "1ms", "--max-rate", "99999999"], vec!["--max-rate", "at most 10000000"]),
        (vec!["--p99", "1ms", "--duration", "0"], vec!["where: --for", "give --for 3m"]),
        (vec!["--p99", "1ms", "--duration", "5s"], vec!["--for", "--for 3m"]),
        (vec!["--p99", "2s"], vec!["--for 267m if you want to wait"]),
        (vec!["--p99", "100ms", "--duration", "5m"], vec!["--for", "--for 14m"]),
        (
            vec!["--p99", "1ms", "--load", "x.toml", "--write", "20"],
            vec!["--write cannot be combined with --load"],
        ),
    ] {
        let engine = ["slo", "--engine", DEVICE];
        let told = place.rigel(engine.iter().chain(&arguments)).expect_code(2);
        for part in parts {
            assert!(told.stderr.contains(part), "{arguments:?}, {part}: {}", told.stderr);
        }
    }
    let closed = "load = \"rigel.load/1\"\n[[class]]\nname = \"reads\"\nsize = \"8K\"\narrival = { outstanding = 4 }\n";
    fs::write(place.path().join("closed.toml"), closed).unwrap();
    let told = slo(&place, &["--p99", "1ms", "--load", "closed.toml"]).expect_code(2);
    assert!(told.stderr.contains("no class of the load has an arrival rate"), "{}", told.stderr);
    assert!(place.files() == ["closed.toml"], "{:?}", place.files());
}

#[test]
fn an_answer_says_no_more_than_was_seen() {
    let place = Place::new();
    let all = slo(&place, &["--p99", "2ms", "--max-rate", "10", "--json"]).expect_code(0).json();
    assert_eq!((all["answer"].as_str(), all["tried_rate"].as_u64()), (Some("everywhere"), Some(10)));
    assert!(all["points"].as_array().unwrap().iter().all(|point| point["rate"] == 10), "{all}");
    let none =
        slo(&place, &["--p50", "1us", "--p99", "200ms", "--duration", "27m", "--json"]).expect_code(0).json();
    let told = none["told"].as_str().unwrap();
    assert!(told.starts_with("Not all of p50 < 1 us and p99 < 200 ms are met at any rate"), "{told}");
    for part in ["even at 10 I/Os per second", "% take longer than 1 us"] {
        assert!(told.contains(part), "{told}");
    }
}

/// Even an I/O that is alone is slower: the answer says so, how long it takes, and which limit is possible.
#[test]
fn a_limit_that_no_load_keeps_is_answered_plainly() {
    let place = Place::new();
    let plain = |arguments: &[&str], name: &str| {
        let told = slo(&place, &[arguments, &["--name", name]].concat());
        (told.code, flat(&told.stdout).replace('µ', "u"), flat(&told.stderr).replace('µ', "u"))
    };
    let (code, told, _) = plain(&["--p99", "500us"], "far");
    assert_eq!(code, 0);
    assert!(told.starts_with("p99 < 500 us is not met at any rate: even at 10 I/Os per second "), "{told}");
    for part in ["the lightest load. One I/O alone: p99 is ", "Possible is p99 < "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // At 921 us at rest, low rates do not tell that there is none, and the search stays at higher ones.
    let (_, told, _) = plain(&["--p99", "900us"], "near");
    assert!(
        told.starts_with("p99 < 900 us is not met at any rate") || told.starts_with("No rate "),
        "{told}"
    );
    assert!(told.contains(" alone: p99 is ") && !told.contains("is not known"), "{told}");
    let (code, _, said) = plain(&["--p99", "500us", "--require", "p99 < 500us @ 100"], "gate");
    assert!(code == 1 && said.contains("allow a longer latency (p99 < "), "{said}");
}

/// The percentile and the share of the bound are of the same I/Os.
#[test]
fn a_percentile_does_not_contradict_its_share() {
    let found = searched().told.json();
    for point in found["points"].as_array().unwrap() {
        let share = point["bounds"][0]["value"].as_f64().unwrap();
        let p99_us = point["latency_us"]["p99"]["value"].as_f64().unwrap();
        // A class of the histogram is 3 % wide at most.
        assert!((share > 0.01) == (p99_us > 2000.0) || (p99_us / 2000.0 - 1.0).abs() < 0.05, "{point}");
    }
}

#[test]
fn a_load_of_a_file_is_scaled() {
    let place = Place::new();
    let load = "load = \"rigel.load/1\"\n[[class]]\nname = \"reads\"\nsize = \"8K\"\narrival = { rate = 300 }\n\
                [[class]]\nname = \"writes\"\nsize = \"16K\"\nwrite = 100\narrival = { rate = 100 }\n";
    fs::write(place.path().join("shop.toml"), load).unwrap();
    let found = slo(&place, &["--p99", "2ms", "--load", "shop.toml", "--json"]).expect_code(0).json();
    let estimate = found["rate"]["estimate"].as_f64().unwrap();
    assert!((2000.0..3500.0).contains(&estimate), "{found}");
}
