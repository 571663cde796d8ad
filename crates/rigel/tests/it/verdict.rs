//! The verdict stands first in what the program shows, with what to do and the command that comes next.

use crate::support::Place;

/// A device whose rate varies from visit to visit by 30 %: no interval gets narrow in a minute.
const NOISY: &str = "sim:servers=4,service=1ms,between=30%";

/// What is said of the only run when somebody asks for all of it.
fn explained(place: &Place) -> String {
    let record = place.only("_record.jsonl");
    place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout
}

/// The texts stand one behind the other.
fn in_this_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("no '{part}', or not in its place: {text}")).1;
    }
}

#[test]
fn a_good_run_says_so_first_and_names_a_working_point() {
    let place = Place::new();
    let told = place.line("run simple --engine sim:servers=2,service=1ms --seed 1").expect_code(0).stdout;
    assert!(told.starts_with("The simulated device reached ") && !told.contains("\n! "), "{told}");
    let told = explained(&place);
    assert!(told.starts_with("Good: "), "{told}");
    // The law of the device: 2 keep both stations busy, 5 wait 2.5 times as long.
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("A good working point is 2 outstanding: 1,9"), "{told}");
    assert!(told.contains("5 outstanding give no more, at 2.5 times the latency."), "{told}");
}

#[test]
fn what_speaks_against_a_run_comes_with_what_to_do_and_the_next_command() {
    let place = Place::new();
    let told =
        place.line(&format!("run simple --engine {NOISY} --seed 1 --max-duration 60s")).expect_code(0).stdout;
    in_this_order(
        &told,
        &["The simulated device reached ", "\n! NOT_REACHED: ", "\n Small Large", " --explain\n"],
    );
    let told = explained(&place);
    in_this_order(
        &told,
        &[
            "Use with care: ",
            "NOT_REACHED, ",
            "\n  rigel run simple --engine sim:",
            "--for 2m\n",
            "\n Small Large",
        ],
    );
    let json = place
        .rigel(["report", place.only("_record.jsonl").to_str().unwrap(), "--format", "json"])
        .expect_code(0);
    let verdict = &json.json()["verdict"];
    assert_eq!(verdict["tone"], "use_with_care");
    assert!(told.contains(verdict["head"].as_str().unwrap()), "{verdict}");
}

#[test]
fn compare_says_what_speaks_against_a_side_before_better_or_worse() {
    let place = Place::new();
    for (name, device) in [("good", "sim:servers=4,service=1ms"), ("noisy", NOISY)] {
        let line = format!("run simple --engine {device} --seed 1 --max-duration 60s --name {name}");
        place.line(&line).expect_code(0);
    }
    let (good, noisy) = (place.only_of("good", "_record.jsonl"), place.only_of("noisy", "_record.jsonl"));
    let compare = |base: &std::path::Path, new: &std::path::Path| {
        place.rigel(["compare", base.to_str().unwrap(), new.to_str().unwrap()]).expect_code(0).stdout
    };
    in_this_order(
        &compare(&good, &noisy),
        &[
            "Undecided: none of ",
            "\n- Base: NOT_REACHED",
            "\n- New side: NOT_REACHED",
            "Small Large",
            "--for 2m",
        ],
    );
    in_this_order(
        &compare(&noisy, &good),
        &["Undecided: none of ", "\n- Base: NOT_REACHED", "\n- New side: NOT_REACHED", "Small Large"],
    );
}
