//! Storages of known ranks, put in order by the real program: who is first and how sure that is, what to buy, what is refused.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat, narrow};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

/// Simulated storages with the time that each takes for an I/O; `one` and `twin` are equal. And a search for a rate.
const STORAGES: [(&str, &str); 5] =
    [("slow", "2ms"), ("one", "1ms"), ("fast", "700us"), ("twin", "1ms"), ("mid", "1400us")];

fn runs() -> Place {
    static RUNS: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| {
        for (seed, (name, service)) in STORAGES.iter().enumerate() {
            let engine = format!("sim:service={service},between=1%,spread=exponential");
            let line = format!("--engine {engine} --seed {seed} --name {name} --no-html --quiet");
            place.line(&format!("run oltp {line}")).expect_code(0);
        }
        let engine = "sim:service=1ms,between=1%,spread=exponential";
        place
            .line(&format!("slo --p99 5ms --engine {engine} --seed 9 --name search --no-html --quiet"))
            .expect_code(0)
    };
    RUNS.get_or_init(|| Recording::of(make)).place()
}

fn record(place: &Place, name: &str) -> String {
    place.only_of(&format!("{name}_"), "_record.jsonl").to_str().unwrap().to_owned()
}

/// `rigel rank` of these, each under its name, with more options.
fn rank(place: &Place, names: &[&str], more: &[&str]) -> ProgramOutput {
    let storages = names.iter().map(|name| format!("{name}={}", record(place, name)));
    let more = more.iter().map(|word| (*word).to_owned());
    place.rigel(["rank".to_owned()].into_iter().chain(storages).chain(more))
}

const ALL: [&str; 5] = ["slow", "one", "fast", "twin", "mid"];

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn five_storages_of_which_two_are_equal_are_in_order() {
    let place = runs();
    let found = rank(&place, &ALL, &["--json"]).expect_code(0).json();
    assert_eq!(
        (found["schema"].as_str(), found["quantity"].as_str()),
        (Some("rigel.rank/1"), Some("max_small_iops"))
    );
    let storages = found["storages"].as_array().unwrap();
    let of = |name: &str| storages.iter().find(|storage| storage["name"] == name).unwrap();
    let places =
        |name: &str| (of(name)["places"][0].as_u64().unwrap(), of(name)["places"][1].as_u64().unwrap());
    assert_eq!(ALL.map(places), [(5, 5), (2, 3), (1, 1), (2, 3), (4, 4)], "{found}");
    assert_eq!((found["first"].as_str(), found["first_is_sure"].as_bool()), (Some("fast"), Some(true)));
    let groups: Vec<Vec<&str>> = found["groups"].as_array().unwrap().iter().map(names).collect();
    assert_eq!(groups.len(), 1, "{groups:?}");
    assert!(groups[0].contains(&"one") && groups[0].contains(&"twin"), "{groups:?}");
    // Each range holds the ratio of the service times, less what the transfer adds to both, and a verdict follows from its range.
    let service = |name: &Value| match name.as_str().unwrap() {
        "slow" => 2.0,
        "mid" => 1.4,
        "fast" => 0.7,
        _ => 1.0,
    };
    for pair in found["pairs"].as_array().unwrap() {
        let (lo, hi) = (pair["change"]["lo"].as_f64().unwrap(), pair["change"]["hi"].as_f64().unwrap());
        let truth = service(&pair["ahead"]) / service(&pair["behind"]) - 1.0;
        assert!(lo - 0.03 <= truth && truth <= hi + 0.03, "{truth}: {pair}");
        assert_eq!(pair["sure"].as_bool().unwrap(), hi < 0.0, "{pair}");
    }
    let text = rank(&place, &ALL, &[]).expect_code(0).stdout;
    assert!(
        flat(&text).starts_with(
            "fast is first so far, judging by one run of each storage, with the highest rate of small I/O"
        ),
        "{text}"
    );
    // Beside a note that one run does not tell days apart, nothing is called sure.
    assert!(flat(&text).contains("Each storage has one run") && !text.contains("is clearly first"), "{text}");
    assert!(text.contains("behind so far"), "{text}");
    assert!(
        flat(&text).contains("Cannot be told apart: one and twin") || flat(&text).contains("twin and one"),
        "{text}"
    );
    // Latency ranks the other way round.
    let found = rank(&place, &ALL, &["--json", "--by", "min_small_latency"]).expect_code(0).json();
    assert_eq!((found["first"].as_str(), found["more_is_better"].as_bool()), (Some("fast"), Some(false)));
    assert_eq!(found["storages"][4]["name"], "slow");
    let level = rank(&place, &ALL, &["--json", "--by", "small_p99 @ 1"]).expect_code(0).json();
    assert_eq!((level["first"].as_str(), level["point"]["small"].as_u64()), (Some("fast"), Some(1)));
}

/// Three runs of each show how much one day differs from the next.
#[test]
fn three_runs_of_each_make_a_rank_sure() {
    let place = Place::new();
    let mut words = vec!["rank".to_owned()];
    for (name, service) in [("slow", "2ms"), ("fast", "700us")] {
        let runs: Vec<String> = (1..=3)
            .map(|seed| {
                let engine = format!("sim:service={service},between=1%,spread=exponential");
                let line =
                    format!("run oltp --engine {engine} --seed {seed} --name {name}{seed} --no-html --quiet");
                place.line(&line).expect_code(0);
                record(&place, &format!("{name}{seed}"))
            })
            .collect();
        words.push(format!("{name}={}", runs.join(",")));
    }
    let text = place.rigel(words).expect_code(0).stdout;
    assert!(flat(&text).starts_with("fast is clearly first with the highest rate of small I/O"), "{text}");
    assert!(text.contains("clearly behind") && !text.contains("one run"), "{text}");
}

#[test]
fn two_storages_are_ranked_as_they_are_compared() {
    let place = runs();
    let found = rank(&place, &["one", "mid"], &["--json"]).expect_code(0).json();
    let compared = place
        .rigel(["compare", &record(&place, "one"), &record(&place, "mid"), "--json"])
        .expect_code(0)
        .json();
    let rows = compared["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["metric"] == "max_small_iops").unwrap();
    assert_eq!(found["pairs"][0]["change"], row["change"]);
    assert_eq!((row["verdict"].as_str(), found["pairs"][0]["sure"].as_bool()), (Some("worse"), Some(true)));
}

const SHEET: &str = "[fast]\nprice = \"60000 EUR\"\ndisks = 24\ncapacity = \"20T\"\nraid = \"RAID 10\"\n\
                     [one]\nprice = \"40000 EUR\"\ndisks = 10\ncapacity = \"10T\"\n[mid]\nprice = \"10000 EUR\"\n\
                     [slow]\nprice = \"4000 EUR\"\n[twin]\nprice = \"30000 EUR\"\nlabels = [\"used\"]\n";

fn with_sheet(place: &Place, sheet: &str, more: &[&str]) -> ProgramOutput {
    fs::write(place.path().join("offers.toml"), sheet).unwrap();
    rank(place, &ALL, &[&["--offers", "offers.toml"], more].concat())
}

#[test]
fn the_cheapest_that_meets_a_requirement_is_named() {
    let place = runs();
    // Far from every rate: that of `one` and `twin` is about twice that of `slow`.
    let plain = rank(&place, &ALL, &["--json"]).expect_code(0).json();
    let rate = |name: &str| {
        let own =
            plain["storages"].as_array().unwrap().iter().find(|storage| storage["name"] == name).unwrap();
        own["figure"]["value"].as_f64().unwrap()
    };
    let limit = f64::midpoint(rate("mid"), rate("one"));
    let require = format!("max_small_iops >= {limit:.0}");
    let found = with_sheet(&place, SHEET, &["--json", "--require", &require]).expect_code(0).json();
    assert_eq!(found["cheapest"], "twin");
    let storages = found["storages"].as_array().unwrap();
    let of = |name: &str| storages.iter().find(|storage| storage["name"] == name).unwrap();
    let verdicts = ALL.map(|name| of(name)["meets"][0]["verdict"].as_str().unwrap());
    assert_eq!(verdicts, ["no", "yes", "yes", "yes", "no"]);
    for (key, units) in [("iops_per_disk", 24.0), ("iops_per_tib", 20.0), ("iops_per_1000", 60.0)] {
        let per = of("fast")["offer"][key]["value"].as_f64().unwrap();
        assert!((per * units / rate("fast") - 1.0).abs() < 1e-9, "{key}");
    }
    assert!(of("mid")["offer"]["iops_per_disk"].is_null());
    let text = with_sheet(&place, SHEET, &["--require", &require]).expect_code(0).stdout;
    assert!(
        flat(&text).contains(&format!(
            "The cheapest that certainly meets '{require}' (judging by one run) is twin (30,000 EUR)."
        )),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80 || line.contains("_record")) || narrow(&text),
        "{text}"
    );
    // Nothing reaches that; the output is there all the same.
    let never = with_sheet(&place, SHEET, &["--require", "max_small_iops >= 10M"]);
    assert!(never.expect_code(2).stderr.contains("in IOPS"));
    let never = with_sheet(&place, SHEET, &["--require", "max_small_iops >= 10000000"]).expect_code(1);
    assert!(
        never.stdout.contains("No storage certainly meets")
            && never.stderr.contains("no storage certainly meets")
    );
    // The rate of `one` itself is within its interval.
    let open = format!("max_small_iops >= {:.3} IOPS", rate("one"));
    let perhaps = rank(&place, &["one", "slow"], &["--require", &open]).expect_code(1);
    assert!(perhaps.stdout.contains("Perhaps: one"), "{}", perhaps.stdout);
}

#[test]
fn a_sheet_that_leaves_something_out_says_so_and_a_wrong_one_is_refused() {
    let place = runs();
    let mixed = SHEET.replace("30000 EUR", "30000 USD").replace("[slow]\nprice = \"4000 EUR\"\n", "");
    let text = with_sheet(&place, &mixed, &[]).expect_code(0).stdout;
    let told = flat(&text);
    assert!(told.contains("The prices are in EUR and USD: offers are not compared by price."), "{text}");
    assert!(told.contains("The sheet has no offer for slow.") && !told.contains("/1,000"), "{text}");
    let unpriced = SHEET.replace("price = \"10000 EUR\"", "disks = 4");
    let text = with_sheet(&place, &unpriced, &[]).expect_code(0).stdout;
    assert!(flat(&text).contains("as no price is known: mid."), "{text}");
    for (sheet, expected) in [
        ("[fasst]\ndisks = 4\n", "did you mean [fast]?"),
        ("[fast]\nprice = \"-5 EUR\"\n", "a price above 0"),
        ("[fast]\ndisks = 4\n[fast]\ndisks = 5\n", "only once"),
    ] {
        let told = with_sheet(&place, sheet, &[]).expect_code(2).stderr;
        assert!(told.contains(expected) && told.contains("offers.toml:"), "{told}");
    }
}

#[test]
fn a_result_of_another_tool_is_ranked_and_never_surely() {
    let place = runs();
    let summary = "ORION VERSION 10.2.0.1.0\n\nCommandline:\n-run simple \n\nThis maps to this test:\nTest: old\nSmall IO size: 8 KB\n\
                   Large IO size: 1024 KB\nIO Types: Small Random IOs, Large Random IOs\nWrite: 0%\n\nMaximum Small IOPS=9999999 @ Small=5 and Large=0\n\
                   Minimum Small Latency=4.00 @ Small=1 and Large=0\n";
    fs::write(place.path().join("old_summary.txt"), summary).unwrap();
    let found = rank(&place, &["fast", "slow"], &["old=old_summary.txt", "--json"]).expect_code(0).json();
    assert_eq!((found["first"].as_str(), found["first_is_sure"].as_bool()), (Some("old"), Some(false)));
    let pairs = found["pairs"].as_array().unwrap();
    let of_old = |pair: &&Value| pair["ahead"] == "old" || pair["behind"] == "old";
    assert!(
        pairs.iter().filter(of_old).all(|pair| pair["sure"] == false && pair["change"].is_null()),
        "{found}"
    );
    assert!(pairs.iter().any(|pair| pair["ahead"] == "fast" && pair["sure"] == true));
    let text = rank(&place, &["fast", "slow"], &["old=old_summary.txt"]).expect_code(0).stdout;
    assert!(flat(&text).starts_with("No storage is clearly first."), "{text}");
}

#[test]
fn what_cannot_be_ranked_is_refused_with_a_reason() {
    let place = runs();
    let [one, search] = ["one", "search"].map(|name| record(&place, name));
    let told = |more: &[&str]| flat(&place.rigel(["rank"].iter().chain(more)).expect_code(2).stderr);
    let other = told(&[&one, &search]);
    assert!(
        other.contains("different questions")
            && other.contains("one: what the storage does")
            && other.contains("search: the highest rate"),
        "{other}"
    );
    assert!(told(&[&one]).contains("only one was given"));
    let twice = told(&[&format!("a={one}"), &format!("a={search}")]);
    assert!(twice.contains("two storages are called 'a'"), "{twice}");
    let mid = record(&place, "mid");
    let wrong = told(&[&one, &mid, "--by", "max_smal_iops"]);
    assert!(
        wrong.contains("did you mean --by max_small_iops?") && wrong.contains("min_small_latency"),
        "{wrong}"
    );
    assert!(told(&[&one, &mid, "--by", "max_commits"]).contains("none of the storages has 'max_commits'"));
    assert!(told(&[&one, &mid, "--by", "small_p99"]).contains("'small_p99 @ "));
    assert!(
        told(&[&one, &mid, "--require", "max_commits >= 5"])
            .contains("none of the storages has 'max_commits'")
    );
    assert!(told(&[&one, &mid, "--offers", "none.toml"]).contains("the sheet of offers cannot be read"));
}

#[test]
fn a_page_holds_all_and_runs_nothing() {
    let place = runs();
    with_sheet(&place, SHEET, &["--html", "--require", "max_small_iops >= 100"]).expect_code(0);
    let page = place.read("_rank.html");
    assert!(!page.contains("<script") && page.len() < 60_000, "{}", page.len());
    assert_eq!((page.matches("<svg").count(), page.matches("<h1>").count()), (1, 1));
    for name in ALL {
        assert!(page.matches(name).count() >= 4, "{name}");
    }
    assert!(
        page.contains("Which of 5 storages has the highest rate of small I/O?") && page.contains("RAID 10")
    );
    let markdown = with_sheet(&place, SHEET, &["--format", "markdown"]).expect_code(0).stdout;
    assert!(markdown.contains("| fast |") && markdown.starts_with("**fast is first so far"), "{markdown}");
}

/// `rigel compare A --and B` has two sides; with a third one it is a ranking.
#[test]
fn compare_with_more_than_one_other_side_is_a_ranking() {
    let place = runs();
    let [slow, one, fast] = ["slow", "one", "fast"].map(|name| record(&place, name));
    let two = place.rigel(["compare", &slow, "--and", &one]).expect_code(0).stdout;
    assert_eq!(two, place.rigel(["compare", &slow, &one]).expect_code(0).stdout);
    let three = ["compare", &slow, "--and", &one, "--and", &fast];
    for more in [&[][..], &["--json"]] {
        let compared = place.rigel(three.iter().chain(more)).expect_code(0).stdout;
        let ranked = place.rigel(["rank", &slow, &one, &fast].iter().chain(more)).expect_code(0).stdout;
        assert_eq!(compared, ranked);
    }
    let refused = place.rigel(three.iter().chain(&["--fail-if", "max_small_iops < -5%"])).expect_code(2);
    assert!(refused.stderr.contains("--fail-if needs two sides, and there are 3"), "{refused:?}");
    assert!(place.rigel(["compare", &one, "--base", &slow, "--and", &fast]).code == 2);
    let unclear = place.rigel(["compare", &slow, "--and", &one, &fast]).expect_code(2);
    assert!(unclear.stderr.contains("each side is one record or directory"), "{unclear:?}");
}
