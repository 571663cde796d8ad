//! What a history counts at which time, with the real binary: tools that tell less and more, disks and databases, databases of one name, and what is there already.

use crate::cluster::{DB7, Instance, PROD, awr, space};
use crate::support::{Place, ProgramOutput};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// The 1st of January 2026, as the days of [`awr`] begin.
const BEGIN_DAY: i64 = 20_454;

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

fn put(place: &Place, name: &str, text: &str) -> ProgramOutput {
    fs::write(place.path().join(name), text).unwrap();
    capacity(place, &format!("import {name} --zone UTC")).expect_code(0)
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The command behind some words.
fn offer(text: &str, behind: &str) -> String {
    let text = words(text);
    let rest = text.split(behind).nth(1).unwrap_or_else(|| panic!("no '{behind}' in {text}"));
    let rest = rest.trim().strip_prefix('`').unwrap_or_else(|| panic!("no command in {text}"));
    rest[..rest.find('`').unwrap()].trim().trim_start_matches("rigel ").to_owned()
}

/// Hours of days: the time and the rate, 100 at night and 200 from 9 to 18.
fn hours(days: std::ops::Range<i64>) -> impl Iterator<Item = (i64, i64, f64)> {
    let rate = |hour: i64| if (9..18).contains(&hour) { 200.0 } else { 100.0 };
    days.flat_map(move |day| (0..24).map(move |hour| (BEGIN_DAY + day, hour, rate(hour) + day as f64)))
}

/// `sadf -j -- -d`: operations without a direction.
fn sadf(host: &str, disk: &str, days: std::ops::Range<i64>) -> String {
    let mut all = Vec::new();
    for (day, hour, rate) in hours(days) {
        // The end of the interval.
        let (day, hour) = (rigel_capacity::day::shown(day + (hour + 1) / 24), (hour + 1) % 24);
        all.push(format!(
            r#"{{"timestamp": {{"date": "{day}", "time": "{hour:02}:00:00", "utc": 1, "interval": 3600}}, "disk": [{{"disk-device": "{disk}", "tps": {rate}, "rkB": {}, "wkB": {}, "util-percent": 5}}]}}"#,
            rate * 6.0,
            rate * 2.0
        ));
    }
    format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "{host}", "file-date": "2026-01-01", "statistics": [{}]}}]}}}}"#,
        all.join(",\n")
    )
}

/// `iostat -x -t -o JSON 3600`: three of four operations read.
fn iostat(host: &str, disk: &str, days: std::ops::Range<i64>) -> String {
    let begin = rigel_capacity::day::shown(BEGIN_DAY + days.start);
    let mut text = format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "{host}", "statistics": [{{"timestamp": "{begin}T00:00:00+0000", "disk": []}}"#
    );
    for (day, hour, rate) in hours(days) {
        let (day, hour) = (rigel_capacity::day::shown(day + (hour + 1) / 24), (hour + 1) % 24);
        let (reads, writes) = (0.75 * rate, 0.25 * rate);
        let _ = write!(
            text,
            ",\n{{\"timestamp\": \"{day}T{hour:02}:00:00+0000\", \"disk\": [{{\"disk_device\": \"{disk}\", \"r/s\": {reads}, \"w/s\": {writes}, \"rkB/s\": {}, \"wkB/s\": {}}}]}}",
            reads * 8.0,
            writes * 8.0
        );
    }
    text + "]}]}}"
}

fn recorded(place: &Place) {
    place.line("calibrate --engine sim:servers=8,service=8ms --max-latency 16ms --no-history --name here --quiet").expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("here.jsonl")).unwrap();
}

fn days_of(document: &Value, resource: &str) -> Vec<f64> {
    let demand = document["demand"].as_array().unwrap();
    let one = demand.iter().find(|one| one["resource"] == resource).unwrap();
    one["days"].as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}

/// But for the rounding of the store.
fn assert_alike(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (day, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!((found / wanted - 1.0).abs() < 0.01, "{what}, day {day}: {found}, not {wanted}");
    }
}

fn forecast(place: &Place, more: &str) -> ProgramOutput {
    capacity(place, &format!("forecast here.jsonl --allow-other-disk --json {more}")).expect_code(0)
}

/// Twenty days of sar, and the last of them by iostat; before them an AWR extract of the same host.
#[test]
fn no_day_is_lost_to_a_tool_that_tells_more_and_none_counts_twice() {
    let place = Place::new();
    recorded(&place);
    put(&place, "sar.json", &sadf("rac1", "sda", 40..60));
    let before = days_of(&forecast(&place, "").json(), "iops");
    let busy: Vec<f64> = (240..260).map(f64::from).collect();
    assert_alike(&before, &busy, "sar");
    put(&place, "iostat.json", &iostat("rac1", "sda", 59..60));
    let told = forecast(&place, "");
    assert_alike(&days_of(&told.json(), "iops"), &busy, "sar and iostat");
    assert!(!told.stderr.contains("from then on"), "{}", told.stderr);
    // What the database did counts until the disks below it are known.
    put(&place, "awr.csv", &awr(&PROD[..1], 0..50));
    let told = forecast(&place, "");
    let all = days_of(&told.json(), "iops");
    // 60 % of 400, which double within a year.
    let of_awr = (0..40).map(|day| 240.0 * (1.0 + f64::from(day) / 365.0));
    assert_alike(&all, &of_awr.chain(busy).collect::<Vec<_>>(), "with AWR before");
    let said = "up to 2026-02-10 00:00 UTC the load of database PROD of rac1 is counted, and from then on that of sda of rac1";
    assert!(words(&told.stderr).contains(said), "{}", told.stderr);
    // A week of it as a load: of the disk alone.
    let replay = capacity(&place, "replay --phases 1 --every 1h").expect_code(0);
    assert!(replay.stdout.contains("# sda of rac1 by iostat and sadf, "), "{}", replay.stdout);
    let replay = capacity(&place, "replay --phases 1 --every 1h --to 2026-02-10").expect_code(0);
    assert!(replay.stdout.contains("# database PROD of rac1 by awr, "), "{}", replay.stdout);
}

/// A number means one database, and not another one of the same name.
#[test]
fn a_database_is_its_number_and_not_its_name() {
    let place = Place::new();
    recorded(&place);
    let other = Instance { dbid: "999", ..PROD[0] };
    put(&place, "one.csv", &awr(&PROD[..1], 0..30));
    put(&place, "two.csv", &awr(&[other], 0..30));
    put(&place, "one-space.csv", &space(PROD[0], 30, 100.0));
    put(&place, "two-space.csv", &space(other, 30, 40.0));
    let gib = |more: &str| {
        let document = forecast(&place, &format!("{more} --space 1TB")).json();
        days_of(&document, "space").last().unwrap() / 1024.0_f64.powi(3)
    };
    assert!((gib("--database 2718281828") - 129.0).abs() < 0.5, "{}", gib("--database 2718281828"));
    assert!((gib("--database 999") - 51.6).abs() < 0.5);
    assert!((gib("--host rac1") - 180.6).abs() < 0.5);
    let show = capacity(&place, "show --database 999").expect_code(0).stdout;
    assert_eq!(show.matches("used_bytes").count(), 1, "{show}");
    let told = capacity(&place, "forecast here.jsonl --database prod").expect_code(2).stderr;
    assert!(words(&told).contains("their DBIDs are 2718281828 and 999"), "{told}");
    // One that has no number is of neither, and that is said.
    let nameless = Instance { dbid: "", host: "rac9", ..PROD[0] };
    put(&place, "nameless.csv", &awr(&[nameless], 0..30));
    let told = forecast(&place, "--database 999");
    let said = "database PROD of rac9 by awr is left out: its file has no DBID";
    assert!(words(&told.stderr).contains(said), "{}", told.stderr);
    assert!((days_of(&told.json(), "iops")[0] / 240.0 - 1.0).abs() < 0.01);
}

/// A database that was restored under another number is told, and joined by a command that runs.
#[test]
fn a_database_with_another_number_than_before_is_joined_if_asked() {
    let place = Place::new();
    recorded(&place);
    put(&place, "before.csv", &awr(&PROD[..1], 0..40));
    put(&place, "after.csv", &awr(&[Instance { dbid: "999", ..PROD[0] }], 40..60));
    put(&place, "before-space.csv", &space(PROD[0], 40, 100.0));
    for line in ["", "--database PROD"] {
        let told = capacity(&place, &format!("forecast here.jsonl --allow-other-disk {line}")).expect_code(2);
        let text = words(&told.stderr);
        assert!(text.contains("the DBIDs 2718281828 and 999 follow one another"), "{text}");
        let each = "database PROD (DBID 2718281828) of rac1 and database PROD (DBID 999) of rac1";
        assert!(!line.is_empty() || text.contains(each), "{text}");
        let offered = offer(&told.stderr, "join its histories:");
        assert!(offered.ends_with("--database 2718281828,999"), "{offered}");
        place.line(&offered).expect_code(0);
    }
    for line in ["show --database PROD", "list --database PROD"] {
        let told = capacity(&place, line).expect_code(2).stderr;
        let offered = offer(&told, "join its histories:");
        assert!(offered.contains("--store"), "{offered}");
        place.line(&offered).expect_code(0);
    }
    let told = capacity(&place, "show --host rac1").expect_code(0);
    assert!(told.stdout.contains("100 % of the time is left out"), "{}", told.stdout);
    place.line(&offer(&told.stderr, "join its histories:")).expect_code(0);
    let joined = forecast(&place, "--database 2718281828,999").json();
    assert_eq!(days_of(&joined, "iops").len(), 60);
    assert_eq!(days_of(&forecast(&place, "--database 999").json(), "iops").len(), 20);
    let told = capacity(&place, "forecast here.jsonl --database PROD,SHOP").expect_code(2).stderr;
    assert!(told.contains("SHOP"), "{told}");
}

#[test]
fn an_instance_that_moved_to_another_host_is_one_history() {
    let place = Place::new();
    recorded(&place);
    put(&place, "a.csv", &awr(&PROD[..1], 0..30));
    put(&place, "b.csv", &awr(&[Instance { host: "rac7", ..PROD[0] }], 30..50));
    let list = capacity(&place, "list").expect_code(0).stderr;
    assert!(
        words(&list).contains("PROD (DBID 2718281828) was on rac1 and rac7, one after the other"),
        "{list}"
    );
    place.line(&offer(&list, "to sum them:")).expect_code(0);
    let told = forecast(&place, "--database PROD");
    assert_eq!(days_of(&told.json(), "iops").len(), 50, "{}", told.stderr);
    assert!(words(&told.stderr).contains("from then on that of database PROD of rac7"), "{}", told.stderr);
    let alone = forecast(&place, "--host rac7");
    let offered = offer(&alone.stderr, "for all of it:");
    assert!(offered.ends_with("--database PROD"), "{offered}");
}

/// Load that is there already is refused, whatever it is called.
#[test]
fn load_that_is_there_already_is_not_added() {
    let place = Place::new();
    recorded(&place);
    put(&place, "iostat.json", &iostat("rac1", "sda", 0..20));
    fs::write(place.path().join("db7.csv"), awr(&[DB7], 0..20)).unwrap();
    fs::copy(place.path().join("db7.csv"), place.path().join("copy.csv")).unwrap();
    fs::write(place.path().join("prod.csv"), awr(&PROD[..1], 0..20)).unwrap();
    let renamed = iostat("rac1.example.com", "xvda", 0..20);
    fs::write(place.path().join("renamed.json"), renamed).unwrap();
    for command in ["forecast here.jsonl --allow-other-disk", "replay --every 1h"] {
        let told = |more: &str| {
            words(&capacity(&place, &format!("{command} --zone UTC {more}")).expect_code(2).stderr)
        };
        let inside = told("--add prod.csv");
        assert!(inside.contains("database PROD of rac1 is in the history already"), "{inside}");
        let same = told("--add renamed.json");
        assert!(
            same.contains(
                "the load of xvda of rac1.example.com is in the sum already, as that of sda of rac1"
            ),
            "{same}"
        );
        for twice in ["--add db7.csv --add db7.csv", "--add db7.csv --add copy.csv"] {
            let twice = told(twice);
            assert!(twice.contains("is in the sum already, as that of database DB7 of db7.csv"), "{twice}");
        }
        capacity(&place, &format!("{command} --zone UTC --add db7.csv")).expect_code(0);
    }
}

/// A host without load has a node and a share of 0, and an idle one takes over what another did.
#[test]
fn shares_are_those_of_their_hosts() {
    let place = Place::new();
    recorded(&place);
    put(&place, "prod.csv", &awr(&PROD, 0..20));
    put(&place, "space.csv", &space(Instance { host: "rac0", ..PROD[0] }, 20, 100.0));
    let told = capacity(&place, "replay --every 1h --database PROD --nodes").expect_code(0).stdout;
    assert!(told.contains("node_share = [0, 60, 40]"), "{told}");
    assert!(words(&told).contains("rac0 0 %, rac1 60 % and rac2 40 %"), "{told}");
    let idle = awr(&[Instance { host: "rac8", number: 8, share: 0.0, ..PROD[0] }], 0..20);
    put(&place, "idle.csv", &idle);
    let told = capacity(&place, "forecast here.jsonl --host rac1,rac8 --without rac1").expect_code(0).stdout;
    let said = "its 100 % of the load moves to rac8, which had none.";
    assert!(words(&told).contains(said), "{told}");
}

/// What we print can be typed, and what we write can be read.
#[test]
fn a_replay_can_be_made_again_and_read_again() {
    let place = Place::new();
    put(&place, "prod.csv", &awr(&PROD, 0..14));
    let told = capacity(&place, "replay --every 1h --host rac1 --out week.toml").expect_code(0);
    place.line(&offer(&told.stderr, "to add all its instances:")).expect_code(0);
    // A path of 600 bytes.
    let dir = ["x".repeat(200), "y".repeat(200), "z".repeat(200)].join("/");
    fs::create_dir_all(place.path().join(&dir)).unwrap();
    fs::write(place.path().join(format!("{dir}/db7.csv")), awr(&[DB7], 0..14)).unwrap();
    let line = format!("replay --every 1h --database PROD --add {dir}/db7.csv --zone UTC --out far.toml");
    capacity(&place, &line).expect_code(0);
    place.line("run --load far.toml --dry-run --engine sim:servers=64,service=100us").expect_code(0);
}
