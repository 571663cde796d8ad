//! Advice from real records: the page, the files, the last calibration, and a server that has to take what it is told.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat, tell};
use rigel_testdev::{PostgresServer, needs};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Eight stations of 1 ms for a small I/O; a stream of four I/Os of 1 MiB keeps four of them busy.
const DEVICE: &str = "sim:servers=8,service=1ms,rate=1000M,between=1%";

/// A calibration on the device of the tests, which most of them read, and its record.
fn calibrated() -> (Place, PathBuf) {
    static MADE: LazyLock<Recording> = LazyLock::new(|| Recording::of(|place| calibrate(place, "reads", "")));
    let place = MADE.place();
    let record = place.only("_record.jsonl");
    (place, record)
}

fn calibrate(place: &Place, name: &str, more: &str) -> ProgramOutput {
    let line =
        format!("calibrate --engine {DEVICE} --seed 3 --quiet --no-html --no-history --name {name} {more}");
    place.line(&line).expect_code(0)
}

fn advise(place: &Place, records: &[&Path], more: &str) -> ProgramOutput {
    let mut command = place.command();
    tell(command.arg("advise").args(records).args(more.split_whitespace()))
}

fn setting<'a>(json: &'a Value, name: &str) -> &'a Value {
    json["advice"].as_array().unwrap().iter().find(|advice| advice["setting"] == name).unwrap()
}

/// A small I/O takes 1.008 ms; one stream has 2000 MBPS, 3.9 us for a page of 8 KiB: 258 times as long. With a share h of hits
/// 1 + 257 x (1 - h) is left. Eight outstanding saturate.
#[test]
fn a_device_with_a_known_answer_gives_known_advice() {
    let (place, record) = calibrated();
    let json = advise(&place, &[&record], "--json").expect_code(0).json();
    assert_eq!((json["schema"].as_str(), json["simulated"].as_bool()), (Some("rigel.advice/1"), Some(true)));
    let number = |name: &str| setting(&json, name)["value"].as_str().unwrap().parse::<f64>().unwrap();
    // The ratio is 258, and a tenth of it more than is advised.
    assert_eq!(number("random_page_cost"), 16.0, "{json}");
    assert!((7.0..=8.0).contains(&number("effective_io_concurrency")), "{json}");
    let because = setting(&json, "mountpoint")["refused"]["because"].as_str().unwrap();
    assert_eq!(because, "the target is not a file on a mounted filesystem");
    let whole = advise(&place, &[&record], "--for postgresql --hit-rate 99%").expect_code(0).stdout;
    let cost = whole.lines().find_map(|line| line.strip_prefix("random_page_cost = ")).unwrap();
    assert!((cost.parse::<f64>().unwrap() / 3.57 - 1.0).abs() < 0.1, "{whole}");
    assert!(!whole.contains("Values above 16"), "{whole}");
}

#[test]
fn reads_and_writes_come_from_runs_of_their_own() {
    let (place, reads) = calibrated();
    let made = |name: &str, more: &str| {
        calibrate(&place, name, more);
        place.only_of(&format!("{name}_2"), "_record.jsonl")
    };
    let writes = made("writes", "--write 100 --size-small 16K");
    let alone = advise(&place, &[&reads], "--json").expect_code(0).json();
    assert!(setting(&alone, "innodb_io_capacity")["value"].is_null());
    let both = advise(&place, &[&reads, &writes], "--for mysql").expect_code(0);
    assert_eq!(both.stderr, "");
    // 16 KiB take 1.016 ms.
    let most = both.stdout.lines().find_map(|line| line.strip_prefix("# innodb_io_capacity_max = ")).unwrap();
    assert!((most.parse::<f64>().unwrap() / (8.0 / 0.001_016) - 1.0).abs() < 0.1, "{}", both.stdout);
    assert!(both.stdout.contains("\n# innodb_read_io_threads = 4\n"), "{}", both.stdout);
    // Experiments did not confirm it on every version.
    let told = flat(&both.stdout);
    assert!(
        told.contains("# innodb_io_capacity = ") && !both.stdout.contains("\ninnodb_io_capacity"),
        "{told}"
    );
    assert!(told.contains("# Not confirmed on every version, so it is a comment."), "{told}");
    let page = advise(&place, &[&reads, &writes], "").expect_code(0).stdout;
    assert!(page.contains("\nunproven: a comment in the file"), "{page}");
    let mixed = made("mixed", "--write 30");
    let told = advise(&place, &[&mixed], "").expect_code(2);
    assert!(told.stderr.contains("mixes reads and writes") && told.stdout.is_empty(), "{told:?}");
}

#[test]
fn what_a_record_does_not_support_is_refused() {
    let (place, record) = calibrated();
    for (product, part) in
        [("seastar", "--write 100"), ("cgroup", "--size-large 4K"), ("cgroup-max", "which disk")]
    {
        let told = advise(&place, &[&record], &format!("--for {product}")).expect_code(2);
        assert!(told.stderr.contains(part) && told.stdout.is_empty(), "{told:?}");
    }
    let missing = advise(&place, &[Path::new("nowhere_record.jsonl")], "").expect_code(2);
    assert!(missing.stderr.contains("nowhere_record.jsonl"), "{missing:?}");
    // Through the page cache no storage answers.
    place.random_file("data", 16 << 20);
    let line = "run advanced data --matrix point --num-small 1 --num-large 0 --duration 200ms --buffered --no-html --quiet --name cached";
    assert!([0, 1].contains(&place.line(line).code), "a busy host may spoil the number");
    let told = advise(&place, &[&place.only_of("cached", "_record.jsonl")], "").expect_code(1);
    assert!(
        told.stdout.contains("BUFFERED") && told.stderr.contains("every setting is withheld"),
        "{told:?}"
    );
}

/// The same record with one disk that was watched, which a simulated device does not have.
fn on_a_disk(place: &Place, record: &Path) -> PathBuf {
    let witness = serde_json::json!({
        "period_ns": 100_000_000, "began_ns": 0, "at_ns": [1], "devices": [{"device": [8, 0]}]
    });
    let watched = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["line"] == "visit" {
            line["nodes"][0]["witness"] = witness.clone();
        }
        line.to_string() + "\n"
    };
    let lines: String = std::fs::read_to_string(record).unwrap().lines().map(watched).collect();
    let path = place.path().join("watched_record.jsonl");
    std::fs::write(&path, lines).unwrap();
    path
}

/// The kernel's line has no comments, so what to know of it goes to standard error.
#[test]
fn the_line_for_a_cgroup_stands_alone_and_its_flags_beside_it() {
    let (place, record) = calibrated();
    let record = on_a_disk(&place, &record);
    let told = advise(&place, &[&record], "--for cgroup-max").expect_code(0);
    let [device, bytes, ios]: [&str; 3] =
        told.stdout.split_whitespace().collect::<Vec<_>>().try_into().unwrap();
    assert!(told.stdout.ends_with('\n') && device == "8:0", "{told:?}");
    assert!(bytes.starts_with("rbps=") && ios.starts_with("riops="), "{told:?}");
    for note in ["note: SIMULATED", "note: wbps is not measured"] {
        assert!(told.stderr.contains(note), "{told:?}");
    }
    let file = advise(&place, &[&record], "--for postgresql").expect_code(0);
    assert!(file.stderr.is_empty() && file.stdout.contains("# SIMULATED"), "{file:?}");
}

/// Two thousand stations are more than a search tries, so nobody knows what this device can do.
#[test]
fn a_disk_is_not_limited_to_less_than_it_can_do() {
    let place = Place::new();
    let line = "calibrate --engine sim:servers=2000,service=4ms,rate=1000M,between=1% --seed 3 --quiet --no-html --no-history --name wide";
    place.line(line).expect_code(0);
    let record = on_a_disk(&place, &place.only_of("wide_2", "_record.jsonl"));
    let told = advise(&place, &[&record], "--for cgroup-max").expect_code(1);
    assert!(told.stdout.is_empty() && told.stderr.contains("NOT_SATURATED"), "{told:?}");
    let file = advise(&place, &[&record], "--for postgresql --server-version 18").expect_code(0).stdout;
    assert!(!file.contains("\neffective_io_concurrency = ") && file.contains("NOT_SATURATED"), "{file}");
}

#[test]
fn a_hole_that_reads_as_zeros_gives_no_advice() {
    let place = Place::new();
    std::fs::File::create(place.path().join("sparse")).unwrap().set_len(64 << 20).unwrap();
    let line = "run advanced sparse --matrix max --num-small 2 --num-large 1 --duration 1s --no-html --quiet --name holes";
    place.line(line).expect_code(1);
    let record = place.only_of("holes", "_record.jsonl");
    let told = advise(&place, &[&record], "").expect_code(1);
    assert!(told.stdout.contains("WITHHELD") && told.stdout.contains("ZEROS"), "{told:?}");
    let file = advise(&place, &[&record], "--for cgroup-max").expect_code(1);
    assert!(file.stderr.contains("ZEROS") && file.stdout.is_empty(), "{file:?}");
    // One reason, and not that of every setting.
    let file = advise(&place, &[&record], "--for postgresql").expect_code(1).stderr;
    assert!(file.contains("ZEROS") && !file.contains("random_page_cost"), "{file}");
    assert!(file.contains("Without --database"), "{file}");
}

#[test]
fn the_last_calibration_is_found_until_its_record_is_gone() {
    let place = Place::new();
    let at_home = |line: &str| {
        tell(place.command().args(line.split_whitespace()).env("XDG_STATE_HOME", place.path().join("state")))
    };
    let none = at_home("advise --last").expect_code(3);
    assert!(none.stderr.contains("no calibration is known"), "{none:?}");
    place.random_file("data", 64 << 20);
    // A host that is busy needs more time for all points, and says so (exit code 4).
    let ended = [20, 60, 180].iter().any(|seconds| {
        let told =
            at_home(&format!("calibrate data --budget {seconds}s --quiet --no-html --name of_{seconds}s"));
        assert!([0, 4].contains(&told.code), "{told:?}");
        told.code == 0
    });
    assert!(ended, "three minutes for seven points");
    let page = at_home("advise --last");
    let record = at_home("calibrate --last --json").expect_code(0).json()["run"].as_str().unwrap().to_owned();
    // A busy host may spoil a number; then that is said, of the same record.
    assert!([0, 1].contains(&page.code), "{page:?}");
    assert!(page.stderr.contains(&record), "{page:?}");
    let path = place.only_of(&record, "_record.jsonl");
    std::fs::rename(&path, place.path().join("elsewhere")).unwrap();
    let gone = at_home("advise --last").expect_code(3);
    assert!(gone.stderr.contains("no longer exists") && gone.stderr.contains(&record), "{gone:?}");
}

/// The settings of the document one by one, and then the file as a whole.
#[test]
fn a_postgresql_server_takes_what_is_advised() {
    let Some(server) = needs("a_postgresql_server_takes_what_is_advised", PostgresServer::start("")) else {
        return;
    };
    let (place, record) = calibrated();
    let version: u64 = server.ask("SHOW server_version_num").unwrap().parse().unwrap();
    let major = version / 10_000;
    let json = advise(&place, &[&record], "--json").expect_code(0).json();
    let has = |advice: &&Value| advice["product"] == "postgresql" && !advice["value"].is_null();
    let known = |advice: &&Value| advice["since"].as_u64().is_none_or(|since| since <= major);
    let all: Vec<&Value> = json["advice"].as_array().unwrap().iter().filter(has).filter(known).collect();
    assert!(all.len() >= 3, "{json}");
    for advice in &all {
        let [name, value] = ["setting", "value"].map(|field| advice[field].as_str().unwrap());
        // That workers suffice is advice as well, though version 18 has them by default, and so is what the default suffices for.
        if name != "io_method" && !advice["hint"].as_bool().unwrap() {
            assert_ne!(server.ask(&format!("SHOW {name}")).unwrap(), value, "it is the default");
        }
        // A server may be built without a method; it is commented out in the file, and says how to see that.
        let lacks = format!(
            "SELECT NOT '{value}' = ANY (enumvals) FROM pg_settings WHERE name = '{name}' AND enumvals IS NOT NULL"
        );
        if name == "io_method" && server.ask(&lacks).unwrap() == "t" {
            assert!(advice["hint"].as_bool().unwrap() && advice.to_string().contains("enumvals"), "{advice}");
            continue;
        }
        server.ask(&format!("ALTER SYSTEM SET {name} = '{value}'")).unwrap();
        server.ask("SELECT pg_reload_conf()").unwrap();
        let context = format!("SELECT context FROM pg_settings WHERE name = '{name}'");
        if server.ask(&context).unwrap() != "postmaster" {
            let shown = server.ask_until(&format!("SHOW {name}"), |shown| shown == value);
            assert_eq!(shown, value, "{name}");
        }
    }
    drop(server);
    let server_version = major.clamp(13, 18);
    let more = format!("--for postgresql --server-version {server_version} --hit-rate 0.5");
    let file = advise(&place, &[&record], &more).expect_code(0).stdout;
    let server = PostgresServer::start(&file).unwrap();
    let of_file = "FROM pg_file_settings WHERE sourcefile LIKE '%included.conf'";
    let wrong =
        server.ask(&format!("SELECT name, setting, error {of_file} AND (error IS NOT NULL OR NOT applied)"));
    assert_eq!(wrong.unwrap(), "", "{file}");
    let lines: Vec<&str> = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(server.ask(&format!("SELECT count(*) {of_file}")).unwrap(), lines.len().to_string(), "{file}");
    for line in lines {
        let (name, value) = line.split_once(" = ").unwrap();
        assert_eq!(server.ask(&format!("SHOW {name}")).unwrap(), value);
    }
}
