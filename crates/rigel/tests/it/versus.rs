//! `rigel versus`: two sides in turns in one run, most of them on simulated devices. What is found on real ones: `clock::versus`.

use crate::recording::Recording;
use crate::support::{EPOCH, Place, ProgramOutput, flat, narrow, tell};
use rigel_core::record::{Record, Visit};
use rigel_core::units::NS_PER_S;
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

const RECORD: &str = "versus_20260101_1200_record.jsonl";

/// A simulated run of two sides, 10 % apart.
const SIMULATED: &str = "versus oltp --engine sim:servers=8,service=1ms,rate=0,between=2% \
                         --and-engine sim:servers=8,service=900us,rate=0,between=2% --seed 4 --fast --quiet";

fn simulated(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

/// That run.
fn ten_percent_apart() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    RUN.get_or_init(|| Recording::of(|place| simulated(place, SIMULATED).expect_code(0)))
}

/// The rows of a quantity.
pub fn rows<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    document["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == metric).collect()
}

#[test]
fn b_is_found_to_be_faster_and_the_record_says_so_again() {
    let (told, place) = (&ten_percent_apart().told, ten_percent_apart().place());
    let sentence = told.stdout.lines().find(|line| line.starts_with("B is ")).unwrap();
    assert!(sentence.contains("faster than A") && sentence.contains("small I/O"), "{sentence}");
    for part in ["A: simulated", "B: simulated", RECORD] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    let document = simulated(&place, &format!("versus --record {RECORD} --json")).expect_code(0).json();
    assert_eq!(document["schema"], "rigel.versus/1");
    assert_eq!((&document["a"]["engine"], &document["complete"]), (&"sim".into(), &true.into()));
    let rates = rows(&document, "small_iops");
    assert!(rates.len() > 5 && document["reached"] == true, "{document}");
    for row in &rates {
        let ratio = &row["ratio"];
        let [mean, lo, hi] = ["value", "lo95", "hi95"].map(|end| ratio[end].as_f64().unwrap());
        assert!(lo < mean && mean < hi && hi / lo < 1.05, "{ratio}");
        // One over 0.9, or nearly so by chance.
        assert!((lo * 0.97..hi * 1.03).contains(&1.1111), "{ratio}");
        assert!(ratio["visits"].as_u64().unwrap() >= 6 && row["verdict"] == "better");
        let sides = ["base", "new"].map(|side| row[side]["value"].as_f64().unwrap());
        assert!((sides[1] / sides[0] / mean - 1.0).abs() < 0.01, "{row}");
    }
    assert_eq!(rows(&document, "small_p99").len(), rates.len());
    let again = simulated(&place, &format!("versus --record {RECORD}")).expect_code(0).stdout;
    let table = |text: &str| text.split("Files").next().unwrap().trim_end().to_owned();
    assert_eq!(table(&told.stdout), table(&again));
    assert!(narrow(&again), "{again}");
}

/// Where every visit counts the same number of I/Os, the mean over loads is no surer than they: 2.0078 ms of a commit become 1.0078.
#[test]
fn equal_counts_do_not_make_the_mean_over_loads_sure() {
    let place = Place::in_memory();
    let line = "versus commit --engine sim:servers=4,flush=1ms --and-engine sim:servers=4 --seed 4 --json --quiet --no-html";
    let document = simulated(&place, line).expect_code(0).json();
    let truth = 2.007_812_5 / 1.007_812_5 - 1.0;
    for metric in ["dsync_per_s", "fdatasync_per_s"] {
        let overall =
            document["overall"].as_array().unwrap().iter().find(|one| one["metric"] == metric).unwrap();
        let [lo, hi] = ["lo", "hi"].map(|end| overall["change"][end].as_f64().unwrap());
        assert!(lo <= truth && truth <= hi, "{truth}: {overall}");
        let widest =
            |row: &&Value| row["ratio"]["hi95"].as_f64().unwrap() - row["ratio"]["lo95"].as_f64().unwrap();
        let row = rows(&document, metric).iter().map(widest).fold(0.0, f64::max);
        assert!(hi - lo > row / 10.0, "a tenth of a row's: {overall}");
    }
}

#[test]
fn each_round_visits_every_load_on_both_sides_one_right_after_the_other() {
    let place = ten_percent_apart().place();
    let text = fs::read_to_string(place.path().join(RECORD)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let visits: Vec<Value> = lines.filter(|line| line["purpose"]["round"].is_u64()).collect();
    let level = |visit: &Value| {
        visit["point"].as_object().unwrap().iter().next().map(|(c, l)| (c.clone(), l.clone())).unwrap()
    };
    let (mut first_a, mut pairs) = (0, 0);
    for pair in visits.chunks(2) {
        let [(one, of_one), (other, of_other)] = [level(&pair[0]), level(&pair[1])];
        assert_eq!((of_one, pair[0]["purpose"].clone()), (of_other, pair[1]["purpose"].clone()));
        assert_ne!(one, other);
        first_a += usize::from(one == "small_a");
        pairs += 1;
    }
    assert!(first_a > pairs / 5 && first_a < pairs * 4 / 5, "A comes first in {first_a} of {pairs}");
    let ends: Vec<u64> = visits.iter().map(|visit| visit["began_ns"].as_u64().unwrap()).collect();
    assert!(ends.is_sorted(), "never at once");
}

/// The table.
fn numbers(text: &str) -> &str {
    let table = text.split_once("From .. to %").unwrap().1;
    table.split_once("This session").unwrap().0
}

#[test]
fn a_run_that_was_cut_goes_on_to_the_same_numbers() {
    let place = Place::new();
    // A limit has a state that outlasts visits, so that visits have to be made again.
    let line = "versus simple --engine sim:servers=8,service=1ms,bucket=5000:90000 \
                --and-engine sim:servers=8,service=900us --seed 4 --fast --quiet --num-disks 1";
    let whole = simulated(&place, line).expect_code(0);
    let bytes = fs::read(place.path().join(RECORD)).unwrap();
    for part in [3, 7] {
        let other = Place::new();
        fs::write(other.path().join(RECORD), &bytes[..bytes.len() * part / 10]).unwrap();
        let cut = simulated(&other, &format!("versus --record {RECORD}")).stdout;
        assert!(cut.contains("Run cut short") && !cut.contains("()"), "{cut}");
        let told = simulated(&other, &format!("versus --resume {RECORD} --quiet")).expect_code(0);
        assert!(told.stdout.contains("RESUMED"), "{}", told.stdout);
        assert_eq!(numbers(&told.stdout), numbers(&whole.stdout));
        let again = simulated(&other, &format!("run --resume {RECORD} --quiet")).expect_code(0);
        assert_eq!(again.stdout, told.stdout, "a complete run is shown again");
    }
}

#[test]
fn a_gate_decides_the_exit_code() {
    let place = Place::new();
    let slower = SIMULATED.replace("900us", "1100us");
    let told = simulated(&place, &slower).expect_code(0);
    assert!(told.stdout.contains("slower than A"), "{}", told.stdout);
    let gated = |gate: &str, more: &[&str]| {
        let mut command = place.command();
        command.args(["versus", "--record", RECORD, "--fail-if", gate]).args(more);
        tell(&mut command)
    };
    let failed = gated("small_iops < -5%", &[]).expect_code(1);
    assert!(failed.stderr.contains("failed") && failed.stdout.contains("Failed: 1 of 1 gate failed"));
    gated("small_iops < -15%", &[]).expect_code(0);
    gated("small_p99 > 20%", &[]).expect_code(0);
    gated("small_iops < -9%", &["--fail-undecided"]).expect_code(1);
    gated("large_mbps < -9%", &[]).expect_code(2);
}

#[test]
fn a_gate_on_what_is_not_measured_does_not_pass() {
    let place = Place::new();
    for more in ["", " --dry-run"] {
        let told = simulated(&place, &format!("{SIMULATED}{more} --fail-if open_p99>2ms")).expect_code(2);
        assert!(told.stderr.contains("no open_p99 in common"), "{}", told.stderr);
        assert_eq!(place.files(), Vec::<String>::new(), "it is said before anything is measured");
    }
    let place = ten_percent_apart().place();
    let bytes = fs::read(place.path().join(RECORD)).unwrap();
    let header = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    fs::write(place.path().join(RECORD), &bytes[..header]).unwrap();
    let cut = simulated(&place, &format!("versus --record {RECORD} --fail-if small_p99>1us")).expect_code(0);
    assert!(
        cut.stdout.contains("1 of 1 gate undecided") && cut.stdout.contains("Run cut short"),
        "{}",
        cut.stdout
    );
    assert!(
        cut.stdout.contains("no load was measured on both") && !cut.stdout.contains("\n\n\n"),
        "{}",
        cut.stdout
    );
    let one = "run oltp --engine sim --seed 4 --fast --quiet --no-html --name one";
    simulated(&place, one).expect_code(0);
    let line = "versus --resume one_20260101_1200_record.jsonl --fail-if small_p99>1us";
    let told = simulated(&place, line).expect_code(2);
    assert!(told.stderr.contains("not of a two-sided run"), "{}", told.stderr);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    place.random_file("other", 4 << 20);
    fs::hard_link(place.path().join("data"), place.path().join("link")).unwrap();
    let same = ["A and B are the same", "--same"];
    for (line, parts) in [
        ("versus data", &["side B is missing", "--and"][..]),
        ("versus --and data", &["side A is missing"]),
        ("versus oltp --and data", &["side A is missing"]),
        ("versus", &["side A is missing"]),
        ("versus data --and", &["--and"]),
        ("versus data --and data", &same),
        ("versus data --and link", &same),
        ("versus data other --and other", &same),
        ("versus --engine sim --and-engine sim", &same),
        ("versus oltp data --and other simple", &["two levels", "oltp", "simple"]),
        ("versus oltp data dss --and other", &["two levels"]),
        ("versus oltpp data --and other", &["'oltpp' is not a level", "did you mean oltp?"]),
        ("versus --engine sim --and sim", &["'sim' is an engine", "did you mean --and-engine sim?"]),
        ("versus sim --and other", &["'sim' is an engine", "did you mean --engine sim?"]),
        ("versus data --and other noraml", &["'noraml' is not a level", "normal"]),
        ("versus data --and nowhere", &["nowhere"]),
        ("versus data --and other --duration 10s", &["--duration", "turns"]),
        ("versus data --and other --levels auto", &["--levels"]),
        ("versus data --and other --engine sim", &["sim"]),
        ("versus --engine sim --and-engine libaio", &["simulated"]),
        ("versus data --and-buffered --write 10 --destroy-data data", &["both sides would write"]),
        ("versus data --and other --fail-if iops", &["--fail-if"]),
        ("versus --record x --precision 2%", &["--record"]),
        ("versus data --and other --record x", &["--record"]),
    ] {
        let told = place.line(line);
        assert_eq!(told.code, if line.ends_with("nowhere") { 3 } else { 2 }, "{line}: {}", told.stderr);
        for part in parts {
            assert!(told.stderr.contains(part), "'{part}' is missing for '{line}':\n{}", told.stderr);
        }
    }
    assert_eq!(place.files(), ["data", "link", "other"]);
    simulated(&place, "run simple --engine sim --seed 1 --fast --quiet --no-html").expect_code(0);
    let other = place.only("_record.jsonl");
    let told = place.line(&format!("versus --record {}", other.display())).expect_code(2);
    assert!(told.stderr.contains("not of a two-sided run"), "{}", told.stderr);
}

#[test]
fn a_plan_says_which_target_is_of_which_side() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    place.random_file("other", 4 << 20);
    let told = place.line("versus oltp data --and other --dry-run").expect_code(0).stdout;
    assert!(told.contains("A: data") && told.contains("B: other"), "{told}");
    assert_eq!(place.files(), ["data", "other"]);
}

/// Who names no level gets an answer in a minute, and hears how to get more.
#[test]
fn without_a_level_the_ends_are_compared_in_a_minute() {
    let place = Place::new();
    let sides =
        "--engine sim:servers=8,service=1ms,rate=0 --and-engine sim:servers=8,service=800us,rate=0 --seed 1";
    let planned = place.line(&format!("versus {sides} --dry-run")).expect_code(0);
    assert!(flat(&planned.stdout).contains("no visit begins after 1 min"), "{}", planned.stdout);
    assert!(planned.stderr.contains("rigel versus simple compares all"), "{}", planned.stderr);
    let all = place.line(&format!("versus simple {sides} --dry-run")).expect_code(0);
    assert!(!all.stderr.contains("as no level is named") && !all.stdout.contains("after 1 min"), "{all:?}");
    let document =
        simulated(&place, &format!("versus {sides} --json --quiet --no-html")).expect_code(0).json();
    let rates = rows(&document, "small_iops");
    assert_eq!(rates.len(), 2, "{document:#}");
    for row in rates {
        assert!(row["ratio"]["visits"].as_u64().unwrap() >= 4 && row["verdict"] == "better", "{row}");
        assert!((row["ratio"]["value"].as_f64().unwrap() - 1.25).abs() < 0.05, "{row}");
    }
    let record = Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
    let ended_ns = record.visits.iter().map(Visit::ended_ns).max().unwrap();
    assert!(ended_ns < 62 * NS_PER_S, "{ended_ns}");
}

/// A short run on real targets: so few seconds that only its form is looked at.
pub fn short(place: &Place, line: &str, seconds: u32) -> Value {
    let line = format!(
        "versus advanced {line} --matrix point --num-small 4 --num-large 0 --fast --max-duration {seconds}s --json --quiet"
    );
    let told = place.line(&line);
    assert!([0, 1].contains(&told.code), "{line}: {}", told.stderr);
    told.json()
}

#[test]
fn the_same_target_is_used_in_two_ways() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    for (line, engines, buffered) in [
        ("data --and-engine threads", ["auto", "threads"], [false, false]),
        ("data --engine libaio --and-buffered", ["libaio", "libaio"], [false, true]),
    ] {
        let document = short(&place, line, 6);
        for (side, (engine, buffered)) in ["a", "b"].into_iter().zip(engines.into_iter().zip(buffered)) {
            let side = &document[side];
            assert_eq!((&side["engine"], &side["buffered"]), (&engine.into(), &buffered.into()), "{line}");
            assert_eq!(side["targets"], serde_json::json!(["data"]));
        }
        let rate = rows(&document, "small_iops")[0];
        assert!(
            rate["base"]["value"].as_f64().unwrap() > 0.0 && rate["new"]["value"].as_f64().unwrap() > 0.0
        );
    }
}

#[test]
fn the_page_has_both_sides_and_is_made_again() {
    let place = ten_percent_apart().place();
    let page = place.read("_versus.html");
    let (_, block) = page.split_once("<script type=\"application/json\" id=\"comparison\">").unwrap();
    let figures: Value = serde_json::from_str(block.split_once("</script>").unwrap().0).unwrap();
    assert!(figures["sides"][1].as_str().unwrap().starts_with("B: simulated"), "{}", figures["sides"]);
    assert!(figures["quantities"][0]["rows"][0]["change"].is_array());
    let told = simulated(&place, &format!("versus --record {RECORD} --html")).expect_code(3);
    assert!(told.stderr.contains("exists"), "{}", told.stderr);
    simulated(&place, &format!("versus --record {RECORD} --html --force")).expect_code(0);
    assert_eq!(place.read("_versus.html"), page, "byte for byte");
}
