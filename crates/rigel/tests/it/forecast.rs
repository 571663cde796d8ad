//! `rigel capacity forecast` with the real binary: a year of Prometheus's counters, a simulated storage, dates, scenarios, gates.

use crate::support::Place;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// The first of January 2026.
const BEGIN: u64 = 1_767_225_600;
const STEP: u64 = 1800;

/// A year of a host whose disk gets 100 to 200 reads a second, by a line, and a third of it in writes of 16 KiB; a filesystem of 100 GiB of which
/// 40 to 60 are used.
fn a_year(days: u64) -> String {
    let steps = days * 48;
    let rate = |step: u64| {
        let day = step / 48;
        let hour = step % 48 / 2;
        let busy = if (9..18).contains(&hour) { 1.0 } else { 0.3 };
        let weekday = if (day + 3) % 7 > 4 { 0.5 } else { 1.0 };
        busy * weekday * (100.0 + 100.0 * day as f64 / 365.0)
    };
    let series = |name: &str, of: &dyn Fn(u64, &mut f64) -> f64, labels: &str| {
        let mut sum = 0.0;
        let mut values = String::new();
        for step in 0..=steps {
            let value = of(step, &mut sum);
            let comma = if step == 0 { "" } else { "," };
            let _ = write!(values, "{comma}[{},\"{value}\"]", BEGIN + step * STEP);
        }
        format!(
            "{{\"metric\":{{\"__name__\":\"{name}\",\"instance\":\"db1:9100\",{labels}}},\"values\":[{values}]}}"
        )
    };
    let counter = |factor: f64| {
        move |step: u64, sum: &mut f64| {
            *sum += factor * rate(step) * STEP as f64;
            sum.round()
        }
    };
    let gib = 1024.0_f64.powi(3);
    let free = |step: u64, _: &mut f64| (60.0 - 20.0 * step as f64 / (365.0 * 48.0)) * gib;
    let size = |_: u64, _: &mut f64| 100.0 * gib;
    let disk = "\"device\":\"sda\"";
    let mount = "\"device\":\"/dev/sda1\",\"fstype\":\"ext4\",\"mountpoint\":\"/data\"";
    let all = [
        series("node_disk_read_bytes_total", &counter(8192.0), disk),
        series("node_disk_reads_completed_total", &counter(1.0), disk),
        series("node_disk_writes_completed_total", &counter(0.5), disk),
        series("node_disk_written_bytes_total", &counter(8192.0), disk),
        series("node_filesystem_free_bytes", &free, mount),
        series("node_filesystem_size_bytes", &size, mount),
    ];
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        all.join(",")
    )
}

/// A place with a store of so many days and the record of a simulated storage.
fn place(days: u64) -> Place {
    let place = Place::new();
    fs::write(place.path().join("year.json"), a_year(days)).unwrap();
    place.line("capacity import year.json --store s.sqlite --quiet").expect_code(0);
    // Eight stations of 20 ms: 400 small I/Os per second.
    place.line("calibrate --engine sim:servers=8,service=20ms --max-latency 40ms --no-history --name here --quiet").expect_code(0);
    let record = place.only("_record.jsonl");
    fs::rename(record, place.path().join("here.jsonl")).unwrap();
    place
}

fn ends<'a>(document: &'a Value, storage: usize, resource: &str) -> &'a Value {
    let all = document["storages"][storage]["resources"].as_array().unwrap();
    all.iter().find(|one| one["resource"] == resource).unwrap_or_else(|| panic!("no {resource} in {all:?}"))
}

#[test]
fn a_year_of_prometheus_and_a_record_make_a_date() {
    let place = place(365);
    let told = place.line("capacity forecast here.jsonl --store s.sqlite --json").expect_code(0);
    let document = told.json();
    assert_eq!((&document["schema"], &document["host"]), (&"rigel.capacity/1".into(), &"db1".into()));
    // 150 and 300 busy I/Os per second in the first and the last days; 400 are reached 243 days after the year.
    let iops = ends(&document, 0, "iops");
    let likely = iops["likely"].as_str().unwrap();
    let limit = iops["limit"].as_f64().unwrap();
    let due = (limit / 1.5 - 100.0) / 100.0 * 12.0;
    let month = |date: &str| {
        date[..4].parse::<f64>().unwrap().mul_add(12.0, date[5..7].parse::<f64>().unwrap())
            - 2026.0 * 12.0
            - 1.0
    };
    assert!(
        (month(likely) - due).abs() <= 1.5,
        "{likely}, due {due} months after January 2026, limit {limit}"
    );
    assert!(iops["earliest"].as_str().unwrap() <= likely);
    assert!((iops["used"].as_f64().unwrap() - 300.0 / limit).abs() < 0.05, "{iops}");
    // 40 of 100 GiB are free at the end, and 20 go in a year.
    assert_eq!(&ends(&document, 0, "space")["likely"].as_str().unwrap()[..4], "2028");
    assert_eq!(document["storages"][0]["limited_by"], "iops");
    assert!((document["write_share"].as_f64().unwrap() - 1.0 / 3.0).abs() < 0.01);
    let text = place.line("capacity forecast here.jsonl --store s.sqlite").expect_code(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["the limit is small IOPS", "means of 30 minutes", "simulated device"] {
        assert!(words.contains(said), "{said}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn scenarios_other_storages_and_gates_change_the_answer() {
    let place = place(365);
    let forecast = |more: &str| place.line(&format!("capacity forecast here.jsonl --store s.sqlite {more}"));
    let likely = |more: &str| {
        let document = forecast(&format!("--json {more}")).expect_code(0).json();
        ends(&document, 0, "iops")["likely"].as_str().map(str::to_owned)
    };
    let plain = likely("").unwrap();
    assert!(likely("--grow 100%/y").unwrap() < plain);
    assert_eq!(likely("--grow -20%/y"), None, "it shrinks");
    assert_eq!(&likely("--add 1000IOPS@2027-02").unwrap()[..7], "2027-02");
    assert_eq!(
        &ends(&forecast("--json --add 100GB@2027-02").json(), 0, "space")["likely"].as_str().unwrap()[..4],
        "2027"
    );
    forecast("--fail-before 2027-01-10").expect_code(0);
    let failed = forecast("--fail-before 2028-06").expect_code(1);
    assert!(failed.stderr.contains("most likely ends before 2028-06-01"), "{}", failed.stderr);
    assert!(forecast("--grow -20%/y --fail-before 2050-01").expect_code(1).stderr.contains("is not known"));
    // Another storage of four times as many stations.
    place.line("calibrate --engine sim:servers=32,service=20ms --max-latency 40ms --no-history --name other --quiet").expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("other.jsonl")).unwrap();
    let document = forecast("--json --on other.jsonl").expect_code(0).json();
    let other = ends(&document, 1, "iops");
    assert!(other["limit"].as_f64() > ends(&document, 0, "iops")["limit"].as_f64().map(|limit| 3.0 * limit));
    assert!(other["likely"].is_null() || other["likely"].as_str() > Some(plain.as_str()));
}

#[test]
fn a_short_history_is_not_known_and_bad_input_is_told() {
    let place = place(3);
    let told = place.line("capacity forecast here.jsonl --store s.sqlite").expect_code(0);
    assert!(told.stdout.contains("not known: the history has 3 days"), "{}", told.stdout);
    place.line("capacity forecast here.jsonl --store s.sqlite --fail-before 2027-06").expect_code(1);
    for (line, words) in [
        ("capacity forecast here.jsonl --store none.sqlite", "none.sqlite"),
        ("capacity forecast here.jsonl --store s.sqlite --host other", "no history of the host other"),
        ("capacity forecast here.jsonl --store s.sqlite --disk sdz", "none of sdz"),
        ("capacity forecast here.jsonl --store s.sqlite --grow 30", "30%/y"),
        ("capacity forecast here.jsonl --store s.sqlite --add 5GB", "no date"),
        ("capacity forecast here.jsonl --store s.sqlite --fail-before june", "2027-06"),
        ("capacity forecast year.json --store s.sqlite", "year.json"),
    ] {
        let told = place.line(line);
        assert!(told.outcome() == 2 || told.outcome() == 3, "{line}: {}", told.outcome());
        assert!(told.stderr.contains(words), "{line}: {}", told.stderr);
    }
}

#[test]
fn the_page_has_the_answer_and_nothing_of_others_is_replaced() {
    let place = place(90);
    let told = place.line("capacity forecast here.jsonl --store s.sqlite --html .").expect_code(0);
    let page = fs::read_to_string(place.only("_capacity.html")).unwrap();
    assert!(
        page.contains("When will this storage be full or slow?")
            && page.contains("id=\"year-iops\"")
            && page.contains("id=\"week-iops\"")
    );
    assert!(told.stdout.contains("_capacity.html"));
}
