//! What is not known is said to be undecided, in every output, with a next step that Rigel takes and that does what it says.

use crate::support::{EPOCH, Place, ProgramOutput, flat, tell};
use crate::year::place as history;

fn simulated(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

/// Two sides of which each load had three rounds. From two, p99 was "14.9 % higher on B".
const FEW_ROUNDS: &str = "versus simple --engine sim:servers=8,service=1ms,rate=0,between=5% \
                          --and-engine sim:servers=8,service=990us,rate=0,between=5% --seed 4 --max-duration 100s";

/// The commands that a text offers.
fn commands(text: &str) -> Vec<String> {
    let own = text.lines().filter_map(|line| line.strip_prefix("Next: rigel "));
    own.map(str::to_owned).collect()
}

#[test]
fn few_rounds_say_no_direction_in_any_output() {
    let place = Place::new();
    let told = simulated(&place, &format!("{FEW_ROUNDS} --fail-if small_iops<-1%")).expect_code(0);
    let words = flat(&told.stdout);
    for part in [
        "Undecided in small I/O: 3 rounds measured both sides, and a ratio needs 4; measure longer.",
        "Undecided in large I/O: ",
        "few rounds",
        "Undecided: 1 of 1 gate undecided, 0 passed.",
    ] {
        assert!(words.contains(part), "{part}: {}", told.stdout);
    }
    assert!(told.stderr.contains("is undecided"), "no gate passes without a word: {}", told.stderr);
    let record = place.only("_record.jsonl").display().to_string();
    let document = simulated(&place, &format!("versus --record {record} --json")).expect_code(0).json();
    assert_eq!(document["overall"], serde_json::json!([]));
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(
            (&row["verdict"], row["change"].is_null(), row["ratio"].is_null()),
            (&"undecided".into(), true, true)
        );
    }
    let markdown = simulated(&place, &format!("report {record} --format markdown")).expect_code(0).stdout;
    let page = place.read("_versus.html");
    for (name, output) in [("text", &told.stdout), ("markdown", &markdown), ("page", &page)] {
        let told = output.split("<script").next().unwrap();
        for word in ["faster than A", "slower than A", "higher (", "lower (", "No difference"] {
            assert!(!told.contains(word), "{name}: {word}: {told}");
        }
        assert!(told.contains("Undecided in small I/O"), "{name}: {told}");
    }
    simulated(&place, &format!("versus --record {record} --fail-if small_iops<-1% --fail-undecided"))
        .expect_code(1);
}

/// The same 100 s without `--fast` measured no longer, and less.
#[test]
fn longer_means_longer_and_keeps_the_other_options() {
    let place = Place::new();
    for fast in ["", " --fast"] {
        let told =
            simulated(&place, &format!("{FEW_ROUNDS}{fast} --no-html --name run")).expect_code(0).stdout;
        let offered = commands(&told);
        assert_eq!(offered.len(), 1, "{told}");
        assert!(told.contains("to measure longer"), "{told}");
        assert!(offered[0].contains("--for 200s") && !offered[0].contains("100s"), "{offered:?}");
        assert_eq!(offered[0].contains("--fast"), !fast.is_empty(), "{offered:?}");
        simulated(&place, &format!("{} --dry-run", offered[0])).expect_code(0);
    }
}

#[test]
fn a_soak_is_offered_again_as_a_soak() {
    let place = Place::new();
    for seed in [1, 2] {
        let device = "sim:servers=4,service=1ms,hits=30%:60us";
        let line = format!("soak --engine {device} --for 30s --seed {seed} --no-html --name s{seed}");
        let code = simulated(&place, &line).code;
        assert!([0, 1].contains(&code), "{code}");
    }
    let [one, two] = ["s1", "s2"].map(|name| place.only_of(name, "_record.jsonl").display().to_string());
    let told = simulated(&place, &format!("compare {one} {two}")).expect_code(0).stdout;
    let offered = commands(&told);
    assert_eq!(offered.len(), 2, "{told}");
    for command in offered {
        assert!(command.starts_with("soak "), "{command}");
        simulated(&place, &format!("{command} --dry-run")).expect_code(0);
    }
}

/// A search that found no rate has no limit: not one of 0 that is used up, and no green page.
#[test]
fn a_limit_that_was_not_found_is_not_known() {
    let place = history(365);
    simulated(
        &place,
        "slo --p99 1us --engine sim:servers=1,service=200us,rate=0 --seed 3 --no-html --name none --quiet",
    )
    .expect_code(0);
    let record = place.only_of("none", "_record.jsonl").display().to_string();
    let line = format!("capacity forecast {record} --store s.sqlite");
    let told = simulated(&place, &format!("{line} --html .")).expect_code(1);
    let words = flat(&told.stdout);
    assert!(
        words.contains("The limit of small IOPS is unknown: no rate was found that meets p99 < 1 µs, not even 10 I/Os per second"),
        "{}",
        told.stdout
    );
    assert!(!words.contains("used up") && !words.contains(" 0 IOPS"), "{}", told.stdout);
    assert!(told.stderr.contains("the limit of small IOPS is unknown"), "{}", told.stderr);
    let page = place.read("_capacity.html");
    assert!(page.contains("<section class=\"verdict care\"") && page.contains("not known"), "{page}");
    let document = simulated(&place, &format!("{line} --json")).expect_code(1).json();
    let storage = &document["storages"][0];
    assert_eq!(
        (&storage["unknown"][0]["resource"], &storage["limited_by"]),
        (&"iops".into(), &serde_json::Value::Null)
    );
}
