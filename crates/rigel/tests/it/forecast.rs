//! `rigel capacity forecast` with the real binary: a year of Prometheus's counters, a simulated storage, dates, scenarios, gates.

use crate::soak_drives::has_drive;
use crate::support::Place;
use crate::year::{place, year};
use rigel_testdev::{MissingNeed, needs};
use serde_json::Value;
use std::fs;

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
    let limit = iops["limit"]["value"].as_f64().unwrap();
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
    for said in ["the limit is small IOPS", "30-minute means", "simulated device"] {
        assert!(words.contains(said), "{said}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A third of a disk is no storage: what it gives is said to be that of a part.
#[test]
fn a_limit_that_was_measured_on_a_part_of_a_target_is_noted() {
    let place = place(365);
    place
        .line("run oltp --num-disks 1 --span 0-33% --engine sim:service=1ms --seed 3 --name part --no-html --quiet")
        .expect_code(0);
    let part = place.only_of("part_", "_record.jsonl");
    let line = format!("capacity forecast {} --store s.sqlite --allow-other-disk", part.display());
    let text = place.line(&line).expect_code(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("measured on 0-33% of the targets only"), "{text}");
    let whole = place.line("capacity forecast here.jsonl --store s.sqlite").expect_code(0).stdout;
    assert!(!whole.contains("of the targets only"), "{whole}");
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
    assert!(failed.stderr.contains("will most likely be used up before 2028-06-01"), "{}", failed.stderr);
    assert!(
        forecast("--grow -20%/y --fail-before 2050-01")
            .expect_code(1)
            .stderr
            .contains("it is unknown whether")
    );
    // Another storage of four times as many stations.
    place.line("calibrate --engine sim:servers=32,service=20ms --max-latency 40ms --no-history --name other --quiet").expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("other.jsonl")).unwrap();
    let document = forecast("--json --on other.jsonl").expect_code(0).json();
    let other = ends(&document, 1, "iops");
    assert!(
        other["limit"]["value"].as_f64()
            > ends(&document, 0, "iops")["limit"]["value"].as_f64().map(|limit| 3.0 * limit)
    );
    assert!(other["likely"].is_null() || other["likely"].as_str() > Some(plain.as_str()));
    // One of half as many, which the last days went beyond.
    place.line("calibrate --engine sim:servers=4,service=20ms --max-latency 40ms --no-history --name little --quiet").expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("little.jsonl")).unwrap();
    let document = forecast("--json --on little.jsonl").expect_code(0).json();
    let notes = document["notes"].as_array().unwrap().iter().filter_map(Value::as_str);
    let beyond: Vec<&str> = notes.filter(|note| note.contains(" already had ")).collect();
    assert!(beyond.len() == 1 && beyond[0].starts_with("little.jsonl: 30 min on 2026-12-"), "{beyond:?}");
}

#[test]
fn a_short_history_is_not_known_and_bad_input_is_told() {
    let place = place(3);
    let told = place.line("capacity forecast here.jsonl --store s.sqlite --html .").expect_code(0);
    assert!(told.stdout.contains("No forecast: the history covers 3 days"), "{}", told.stdout);
    assert!(told.stdout.contains("_capacity.html"), "{}", told.stdout);
    let page = fs::read_to_string(place.only("_capacity.html")).unwrap();
    assert!(page.contains("id=\"year-iops\""));
    // The picture needs no script: the history, and the limit of the record.
    assert!(page.contains("<svg viewBox") && page.contains(">limit "), "{page}");
    place.line("capacity forecast here.jsonl --store s.sqlite --fail-before 2027-06").expect_code(1);
    for (line, words) in [
        ("capacity forecast here.jsonl --store none.sqlite", "none.sqlite"),
        ("capacity forecast here.jsonl --store s.sqlite --host other", "no history of the host other"),
        ("capacity forecast here.jsonl --store s.sqlite --disk sdz", "the history of db1 has no sdz"),
        ("capacity forecast here.jsonl --store s.sqlite --grow 30", "30%/y"),
        ("capacity forecast here.jsonl --store s.sqlite --add 5GB", "no date"),
        ("capacity forecast here.jsonl --store s.sqlite --fail-before june", "2027-06"),
        ("capacity forecast year.json --store s.sqlite", "year.json"),
    ] {
        let told = place.line(line);
        assert!(told.code == 2 || told.code == 3, "{line}: {}", told.code);
        assert!(told.stderr.contains(words), "{line}: {}", told.stderr);
    }
}

/// Minutes are no history of years, whatever is asked of them.
#[test]
fn an_hour_tells_nothing_of_a_year() {
    let place = place(0);
    for more in ["", "--grow 30%/y", "--grow -30%/y", "--add 1TB@2027-04"] {
        let told =
            place.line(&format!("capacity forecast here.jsonl --store s.sqlite {more}")).expect_code(0);
        assert!(told.stdout.contains("not known"), "{more}: {}", told.stdout);
        let document = place
            .line(&format!("capacity forecast here.jsonl --store s.sqlite --json {more}"))
            .expect_code(0)
            .json();
        for resource in ["iops", "mbps", "space"] {
            assert!(ends(&document, 0, resource)["likely"].is_null(), "{more}: {document}");
        }
    }
    let gate =
        place.line("capacity forecast here.jsonl --store s.sqlite --fail-before 2027-06").expect_code(1);
    assert!(gate.stderr.contains("it is unknown whether"), "{}", gate.stderr);
}

#[test]
fn a_load_that_falls_has_no_end_and_nonsense_is_no_growth() {
    let place = place(20);
    fs::write(place.path().join("falls.json"), year(300, -0.5)).unwrap();
    place.line("capacity import falls.json --store falling.sqlite --quiet").expect_code(0);
    let document =
        place.line("capacity forecast here.jsonl --store falling.sqlite --json").expect_code(0).json();
    assert!(ends(&document, 0, "iops")["likely"].is_null(), "{document}");
    for (growth, words) in
        [("-100%/y", "out of range"), ("-250%/y", "out of range"), ("down", "is not a growth rate")]
    {
        let told =
            place.line(&format!("capacity forecast here.jsonl --store falling.sqlite --grow={growth}"));
        assert_eq!(told.code, 2, "{growth}: {}", told.stdout);
        assert!(told.stderr.contains(words), "{growth}: {}", told.stderr);
    }
}

/// The history is of a disk `sda` that no machine of a test has below its files under that identity.
#[test]
fn a_record_of_another_disk_is_refused_unless_it_is_the_same() {
    let test = "a_record_of_another_disk_is_refused_unless_it_is_the_same";
    let place: Place = place(90);
    place.random_file("data", 8 << 20);
    let there = if has_drive(place.path()) {
        Ok(())
    } else {
        Err(MissingNeed::new("no drive is below the directory of the build"))
    };
    if needs(test, there).is_none() {
        return;
    }
    place.line("run simple data --duration 200ms --name real --quiet --no-html").expect_code(0);
    let record = place.only_of("real", "_record.jsonl");
    let record = record.file_name().unwrap().to_str().unwrap();
    let told = place.line(&format!("capacity forecast {record} --store s.sqlite"));
    assert_eq!(told.code, 2, "{} {}", told.stdout, told.stderr);
    for words in
        ["made on a disk that is not in the history", "the history of sda", "--allow-other-disk", record]
    {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    place.line(&format!("capacity forecast {record} --store s.sqlite --allow-other-disk")).expect_code(0);
    // As another storage it is compared on purpose.
    place.line(&format!("capacity forecast here.jsonl --on {record} --store s.sqlite")).expect_code(0);
}

/// Hourly means of two databases of one host, by AWR, with a statistic that has no place in the store.
fn two_databases(days: u32) -> String {
    let mut text =
        String::from("HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n");
    for (day, hour) in (1..=days).flat_map(|day| (0..24).map(move |hour| (day, hour))) {
        let (begin, end) =
            (format!("2026-01-{day:02} {hour:02}:00:00"), format!("2026-01-{day:02} {hour:02}:59:59"));
        for (name, rate) in [("ORCL", 77), ("SHOP", 30)] {
            for metric in [
                "Physical Read Total IO Requests Per Sec",
                "Physical Write Total IO Requests Per Sec",
                "Network Traffic Volume Per Sec",
            ] {
                text.push_str(&format!("db1,{name},1,{begin},{end},{metric},{rate}\n"));
            }
        }
    }
    text
}

#[test]
fn the_forecast_of_one_of_several_databases_says_that_it_is_alone() {
    let place = place(0);
    fs::write(place.path().join("awr.csv"), two_databases(28)).unwrap();
    let import = place.line("capacity import awr.csv --zone UTC --store two.sqlite").expect_code(0);
    let left_out =
        format!("{} x row of a statistic that is not kept: Network Traffic Volume Per Sec", 28 * 24 * 2);
    assert!(import.stdout.contains(&left_out), "{}", import.stdout);
    let forecast =
        |more: &str| place.line(&format!("capacity forecast here.jsonl --store two.sqlite {more}"));
    let alone = forecast("--disk ORCL").stderr;
    assert!(alone.contains("this forecast covers only database ORCL: ") && alone.contains("SHOP"), "{alone}");
    let both = forecast("").stderr;
    assert!(both.contains("the loads of database ORCL and database SHOP on db1 are added up"), "{both}");
    let demand = |more: &str| forecast(&format!("--json {more}")).json()["demand"][0]["days"][3].as_f64();
    assert_eq!(
        (demand(""), demand("--disk SHOP"), demand("--database ORCL")),
        (Some(214.0), Some(60.0), Some(154.0))
    );
    // Of a host whose disks are known nothing is missing.
    let disks = place.line("capacity forecast here.jsonl --store s.sqlite").stderr;
    assert!(!disks.contains("added up"), "{disks}");
}
