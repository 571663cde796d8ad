//! What a comparison tells somebody who knows only the command: of what, in what better, what is not known and why.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat};
use std::sync::OnceLock;

/// Two calibrations of simulated devices, the second one twice as quick; their searches end at other levels.
fn calibrations() -> (Place, [String; 2]) {
    static BOTH: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| {
        let calibrate = |(name, device): (&str, &str)| {
            let engine = format!("sim:{device},between=1%,spread=exponential");
            let line = format!("calibrate --engine {engine} --seed 1 --budget 60s --name {name} --quiet");
            place.line(&line).expect_code(0)
        };
        let [_, last] =
            [("old", "servers=4,service=1ms"), ("new", "servers=16,service=500us")].map(calibrate);
        last
    };
    let place = BOTH.get_or_init(|| Recording::of(make)).place();
    let records =
        ["old_", "new_"].map(|name| place.only_of(name, "_record.jsonl").to_str().unwrap().to_owned());
    (place, records)
}

fn gates(place: &Place, records: &[String; 2], gates: &[&str], code: i32) -> ProgramOutput {
    let gates = gates.iter().flat_map(|gate| ["--fail-if", gate]);
    place.rigel(["compare", &records[0], &records[1]].into_iter().chain(gates)).expect_code(code)
}

#[test]
fn the_top_says_what_was_measured_in_what_it_is_better_and_how_much_is_compared() {
    let (place, records) = calibrations();
    let table = place.rigel(["compare", &records[0], &records[1]]).expect_code(0).stdout;
    let measured = "simulated (1 GiB), small I/O of 8 KiB, large I/O of 1 MiB, reads only; 20";
    assert_eq!(flat(&table).matches(measured).count(), 2, "{table}");
    let (top, rows) = table.split_once("From .. to %").unwrap();
    assert!(top.starts_with("The new side is better in "), "the answer first: {top}");
    let top = flat(top);
    for part in [
        "Better: highest rate of small I/O",
        "rate and mean latency of small I/O at 1 outstanding",
        "Not judged: p99 of ",
    ] {
        assert!(top.contains(part), "{part}: {top}");
    }
    // What is counted are the rows of the table.
    let (rows, below) = rows.split_once("\n\n").unwrap();
    let shown = rows.lines().skip(1).filter(|line| line.starts_with("  ")).count();
    let counted = top.split_once(" numbers").unwrap().0.rsplit(' ').next().unwrap();
    assert_eq!(counted.parse(), Ok(shown), "{table}");
    let below = flat(below);
    let left = below.split_once("Not compared, because not every run has them: ").unwrap().1;
    assert!(left.starts_with("base (") && left.contains("; new ("), "{left}");
}

#[test]
fn the_command_for_an_equal_load_can_be_typed_as_it_stands() {
    let (place, records) = calibrations();
    let table = place.rigel(["compare", &records[0], &records[1]]).expect_code(0).stdout;
    let command = table.lines().find_map(|line| line.strip_prefix("Next: rigel run advanced ")).unwrap();
    assert!(flat(&table).contains("where the base was best, run this for the new side"), "{table}");
    assert!(command.contains("sim:servers=16"), "the new side: {command}");
    place.line(&format!("run advanced {command} --name equal --no-html")).expect_code(0);
    let equal = place.only_of("equal_", "_record.jsonl");
    let table = place.rigel(["compare", &records[0], equal.to_str().unwrap()]).expect_code(0).stdout;
    assert!(table.contains("Only 1 of ") && !table.contains("To compare both at"), "{table}");
    // The base was quickest at a load that the other run was not given.
    assert!(table.contains("other loads") && !flat(&table).contains("is worse in"), "{table}");
}

#[test]
fn a_gate_says_which_row_leaves_it_undecided_and_why() {
    let (place, records) = calibrations();
    // Both of the run: no equal levels are needed.
    let passed = gates(&place, &records, &["min_small_latency > +10%", "max_small_iops < +50%"], 0);
    assert!(
        passed.stdout.contains("Passed: all 2 gates are met.") && !passed.stderr.contains("undecided"),
        "{passed:?}"
    );
    // The only row keeps the bound, but most levels are on one side only.
    let open = gates(&place, &records, &["small_iops < -5%"], 0);
    for part in [
        "the gate 'small_iops < -5%' is undecided: at small=1 large=0 the change is +",
        ", all of it within the limit; but ",
    ] {
        assert!(open.stderr.contains(part), "{part}: {}", open.stderr);
    }
    assert!(
        open.stderr.contains("load levels are not in every run, and the limit may be broken there (small ")
    );
    assert!(
        flat(&open.stdout).contains("small_iops < -5% undecided 0 of 1 at small=1 large=0 the change"),
        "{}",
        open.stdout
    );
    let both = gates(&place, &records, &["small_iops < -5%", "small_p99 > 5%"], 0);
    let stderr = &both.stderr;
    assert!(stderr.contains("2 gates are undecided: 'small_iops < -5%': at "), "{stderr}");
    assert!(
        stderr.contains("; 'small_p99 > 5%': at small=1 large=0 a number of one side has no interval; "),
        "a reason for each: {stderr}"
    );
    let failed = gates(&place, &records, &["min_small_latency < -10%", "max_small_iops > 50%"], 1);
    assert!(
        failed.stderr.contains("error: 2 gates failed: 'min_small_latency < -10%': "),
        "{}",
        failed.stderr
    );
    let own = gates(&place, &records, &["max_small_iops < 1000000 IOPS"], 1);
    assert!(
        own.stderr.contains("max_small_iops of the new side is ") && own.stderr.contains(" IOPS .. "),
        "{}",
        own.stderr
    );
    gates(&place, &records, &["max_small_iops < 100 IOPS", "min_small_latency > 1s"], 0);
    // A bound that does not bind: both highest rates are one number, and one card.
    place.rigel(["compare", &records[0], &records[1], "--html"]).expect_code(0);
    let page = place.read("_compare.html");
    let cards: Vec<&str> = page
        .split("<div class=\"card\"><h3>")
        .skip(1)
        .map(|card| card.split("</h3>").next().unwrap())
        .collect();
    assert_eq!(cards.iter().filter(|title| title.contains("small IOPS")).count(), 1, "{cards:?}");
    let strict = ["compare", &records[0], &records[1], "--fail-if", "small_iops < -5%", "--fail-undecided"];
    let told = place.rigel(strict).expect_code(1).stderr;
    assert!(told.contains("measure both sides at the same load levels, or gate on max_small_iops"), "{told}");
    let json = place.rigel(strict.iter().take(5).chain(&["--json"])).json();
    let gate = &json["gates"][0];
    assert_eq!(gate["outcome"], "undecided");
    assert_eq!(gate["rows"][0]["outcome"], "passed");
    assert!(gate["reason"].as_str().unwrap().contains("not in every run"), "{gate}");
    assert!(!gate["unseen"].as_array().unwrap().is_empty(), "{gate}");
}

#[test]
fn a_best_that_one_side_was_not_given_leaves_a_gate_undecided() {
    let place = Place::new();
    for (name, disks) in [("few", 1), ("many", 2)] {
        let line = format!(
            "run oltp --num-disks {disks} --engine sim:servers=64,service=4ms,between=1%,spread=exponential --seed {disks} --name {name} --no-html --quiet"
        );
        place.line(&line).expect_code(0);
    }
    let records =
        ["few_", "many_"].map(|name| place.only_of(name, "_record.jsonl").to_str().unwrap().to_owned());
    let open = gates(&place, &records, &["max_small_iops < -5%"], 0);
    assert!(open.stderr.contains("the gate 'max_small_iops < -5%' is undecided: "), "{}", open.stderr);
    assert!(open.stderr.contains("best at a load level that another run was not given"), "{}", open.stderr);
    gates(&place, &records, &["min_small_latency > +25%"], 0);
}

#[test]
fn a_side_is_told_what_its_flag_is_about_and_how_long_it_was_measured() {
    let place = Place::new();
    for (name, device) in [("good", "servers=4,service=1ms"), ("noisy", "servers=4,service=1ms,between=30%")]
    {
        let line =
            format!("run simple --engine sim:{device} --seed 1 --max-duration 60s --name {name} --quiet");
        place.line(&line).expect_code(0);
    }
    let [good, noisy] = ["good_", "noisy_"].map(|name| place.only_of(name, "_record.jsonl"));
    let table =
        place.rigel(["compare", good.to_str().unwrap(), noisy.to_str().unwrap()]).expect_code(0).stdout;
    let top = flat(&table);
    let longer = "--name noisy --for 2m for the new side, which had 1 min, to measure longer";
    assert!(top.contains(longer), "{table}");
    let json = place.rigel(["report", noisy.to_str().unwrap(), "--format", "json"]).json();
    let cause = &json["verdict"]["causes"][0];
    let [code, place, figures] = ["code", "place", "figures"].map(|key| cause[key].as_str().unwrap());
    assert!(top.contains(&flat(&format!("{code}, {place}: {figures}."))), "{cause}: {table}");
}
