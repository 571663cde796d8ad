//! `rigel run burst`: known answers on simulated devices and behind the kernel, what is no bucket, what is refused, and how it ends. And the
//! flag of other runs in which credit runs out.

use crate::support::{Place, ProgramOutput, flat};
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;

/// Four stations of 1 ms: 4,000 a second.
const LAW: &str = "servers=4,service=1ms,rate=0";

fn line(more: &str, law: &str) -> String {
    format!("run burst --engine sim:{LAW}{law} --seed 7 --json --quiet {more}")
}

fn found(place: &Place, more: &str, law: &str) -> Value {
    place.line(&line(more, law)).expect_code(0).json()["burst"].clone()
}

fn near(name: &str, found: &Value, wanted: f64) {
    let value = found[name]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {found}"));
    assert!((value / wanted - 1.0).abs() < 0.05, "{name}: {value} for {wanted}");
    let ends = [&found[name]["lo95"], &found[name]["hi95"]].map(|end| end.as_f64().unwrap());
    assert!(ends[0] <= value && value <= ends[1], "{name}: {found}");
}

fn cause(found: &Value) -> (&str, &str) {
    (found["answer"].as_str().unwrap(), found["cause"].as_str().unwrap_or("none"))
}

fn refused(told: ProgramOutput, parts: &[&str]) {
    let told = told.expect_code(2);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

#[test]
fn a_rate_that_came_back_is_told_with_its_time_and_is_no_fall() {
    let place = Place::new();
    let told = place.line(
        "run burst --engine sim:servers=4,service=1ms,rate=0,fall=0.3:60s:90s --seed 7 --for 10m --no-html",
    );
    let told = flat(&told.expect_code(0).stdout);
    let named =
        "the rate was 30 % of what it was before and after, from 1 min 6 s to 1 min 26 s after the start";
    assert!(told.contains("No fall within 10 min") && told.contains("LEVEL_SHIFT"), "{told}");
    let record = place.only("_record.jsonl");
    let whole = flat(&place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout);
    assert!(whole.contains(named), "{whole}");
    let place = Place::new();
    let told =
        place.line(&format!("run burst --engine sim:{LAW} --seed 7 --for 4m --no-html")).expect_code(0);
    assert!(!told.stdout.contains("LEVEL_SHIFT"), "{}", told.stdout);
}

/// What gp2 does, a hundredth of its size.
#[test]
fn a_bucket_is_found_with_rate_size_refill_and_time() {
    let place = Place::new();
    let burst = found(&place, "", ",bucket=300:108000");
    assert_eq!(cause(&burst), ("token_bucket", "none"), "{burst}");
    near("high", &burst, 4000.0);
    near("low", &burst, 300.0);
    near("credit_ios", &burst, 108_000.0);
    near("credit_bytes", &burst, 108_000.0 * 8192.0);
    near("refill_s", &burst, 360.0);
    let lasted_s = burst["lasted_s"].as_f64().unwrap();
    assert!((lasted_s - 108_000.0 / 3700.0).abs() < 2.0, "{lasted_s}");
    let test = &burst["test"];
    let ratio = ["ratio_lo95", "ratio_hi95"].map(|end| test[end].as_f64().unwrap());
    assert!(ratio[0] <= 1.01 && ratio[1] >= 0.99 && ratio[1] - ratio[0] < 0.2, "{test}");
    let says = burst["says"].as_str().unwrap();
    assert!(
        says.starts_with(
            "4,000 IOPS for 29 s, then 300: a token bucket of 108k I/Os, full again after 6 min"
        ),
        "{says}"
    );
    let record = place.only("_record.jsonl");
    let record = record.to_str().unwrap();
    // It is no source of settings.
    refused(
        place.rigel(["advise", record, "--database", "postgresql"]),
        &["how long a rate lasts", "rigel calibrate"],
    );
    let told = flat(&place.rigel(["report", record]).expect_code(0).stdout);
    assert!(told.starts_with(&flat(says)), "{told}");
    assert!(told.contains("Idle time to refill 6 min") && told.contains("holds more"), "{told}");
    assert!(told.contains("Figure Value ±%") && !told.contains("lo95"), "as in other tables: {told}");
    assert!(!told.contains("LEVEL_SHIFT") && !told.contains("THROTTLED"), "the fall is the answer: {told}");
    let page = place.read("_report.html");
    assert!(page.contains("IOPS over the time of the run") && page.contains("second burst"));
    for (format, part) in
        [("markdown", "## Bursts"), ("openmetrics", "rigel_burst_credit_ios"), ("csv", "small")]
    {
        let told = place.rigel(["report", record, "--format", format]).expect_code(0).stdout;
        assert!(told.contains(part), "{format}: {told}");
    }
}

/// A device with a bucket behind the real kernel, slow enough that no machine is too busy for it: 50 a second by its one station, and 15 by its
/// bucket.
#[test]
fn a_bucket_behind_the_kernel_is_found() {
    let test = "a_bucket_behind_the_kernel_is_found";
    let place = Place::new();
    let spec = DeviceSpec { servers: 1, service_us: 20_000, ..DeviceSpec::default() };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    device.command("bucket 15 600 600").unwrap();
    let disk = device.disk();
    let told = place.rigel(
        ["run", "burst", disk.to_str().unwrap(), "--for", "2m", "--per-target", "4"].into_iter().chain([
            "--json",
            "--quiet",
            "--no-html",
        ]),
    );
    let burst = told.expect_code_of_flags()["burst"].clone();
    assert_eq!(cause(&burst), ("token_bucket", "none"), "{burst}");
    near("high", &burst, 50.0);
    near("low", &burst, 15.0);
    let credit = burst["credit_ios"]["value"].as_f64().unwrap();
    // What inspection and trials read before the run is of the same bucket.
    assert!((480.0..630.0).contains(&credit), "{burst}");
}

/// The flags of a calibration of such a device.
fn calibrated(law: &str, seed: usize) -> Vec<Value> {
    let place = Place::new();
    let line = format!(
        "calibrate --engine sim:servers=8,service=2ms,{law} --seed {seed} --no-history --no-html --json --quiet"
    );
    let found = place.line(&line).json();
    found["flags"].as_array().unwrap().iter().filter(|flag| flag["code"] == "BURST").cloned().collect()
}

#[test]
fn a_calibration_says_that_credit_ran_out() {
    for (seed, bucket) in (0..).zip(["1000:40000", "1200:60000", "900:60000", "700:70000"]) {
        let found = calibrated(&format!("white=3%,bucket={bucket}"), seed);
        let [flag] = &found[..] else { panic!("{bucket}: {found:?}") };
        let text = flag["text"].as_str().unwrap();
        let refill: f64 = bucket.split(':').next().unwrap().parse().unwrap();
        let told = text.split(" was ").nth(1).and_then(|text| text.split(' ').next()).unwrap();
        let told: f64 = told.replace(',', "").parse().unwrap();
        assert!((told / refill - 1.0).abs() < 0.05, "{bucket}: {text}");
        assert!(text.contains(" after the start on, the rate was "), "{text}");
        assert!(
            text.contains(" I/Os per second in ") && text.contains(" visits, pauses included, "),
            "{text}"
        );
    }
}

#[test]
fn no_calibration_without_such_a_fall_says_so() {
    for law in ["white=3%", "white=3%,drift=-20%", "white=2%,between=0.5%,modes=30%:0.7"] {
        for seed in 0..30 {
            assert_eq!(calibrated(law, seed), Vec::<Value>::new(), "{law}, seed {seed}");
        }
    }
}

/// The flags of a search for a rate on such a device.
fn searched(law: &str, seed: usize) -> Vec<Value> {
    let place = Place::new();
    let line = format!(
        "slo --p99 10ms --engine sim:servers=8,service=1ms,rate=0,{law} --seed {seed} --no-html --json --quiet"
    );
    let found = place.line(&line).json();
    found["flags"].as_array().unwrap().iter().filter(|flag| flag["code"] == "BURST").cloned().collect()
}

/// Every rate of a search is visited a few times at most: what was asked for tells what it would have had.
#[test]
fn a_search_for_a_rate_says_that_credit_ran_out() {
    for (bucket, told) in [("2000:120000", "2,000"), ("1000:60000", "1,000"), ("500:100000", "500")] {
        let found = searched(&format!("bucket={bucket}"), 1);
        let [flag] = &found[..] else { panic!("{bucket}: {found:?}") };
        let text = flag["text"].as_str().unwrap();
        assert!(text.contains(&format!("the rate was {told} I/Os per second in ")), "{text}");
        assert!(text.contains("before that it was up to 7,999"), "{text}");
    }
    for law in ["white=3%", "drift=-10%", "modes=30%:0.7", "neighbour=0.5:40s:40s"] {
        for seed in 1..4 {
            assert_eq!(searched(law, seed), Vec::<Value>::new(), "{law}, seed {seed}");
        }
    }
}

/// A bucket of 2,000 per second and 40,000 I/Os of credit gives 4,000 for 20 s. The test of a minute sees it, whatever its visits are.
#[test]
fn credit_does_not_meet_a_required_rate() {
    let place = Place::new();
    let law = "sim:servers=8,service=1ms,rate=0,bucket=2000:40000";
    let check = |rates: &[u32], name: &str| {
        let usual = ["slo", "--engine", law, "--seed", "3", "--no-html", "--quiet", "--json", "--name", name];
        let required = rates.iter().flat_map(|rate| ["--require".to_owned(), format!("p99 < 5ms @ {rate}")]);
        place.rigel(usual.map(str::to_owned).into_iter().chain(required))
    };
    let kept = |found: &Value, at: usize| found["required"][at]["kept"].as_str().unwrap().to_owned();
    for (rate, name) in [(4000, "four"), (3000, "three")] {
        let told = check(&[rate], name);
        assert_eq!(told.code, 1, "{}", told.stdout);
        assert_ne!(kept(&told.json(), 0), "yes", "{}", told.stdout);
    }
    let below = check(&[1900], "below").expect_code(0).json();
    assert!(kept(&below, 0) == "yes" && below["required"][0]["cause"].is_null(), "{below}");
    // Beside a lower rate credit comes back, and the answer says so.
    let beside = check(&[2800, 500], "beside").expect_code(0).json();
    let [high, low] = [0, 1].map(|at| beside["required"][at]["cause"].clone());
    assert_eq!((high.as_str(), low.is_null()), (Some("rests"), true), "{beside}");
    let sentences = beside["told"].as_str().unwrap();
    assert!(sentences.contains("@ 2800: met as measured (in short visits: "), "{sentences}");
    assert!(sentences.contains("@ 500: met, "), "{sentences}");
    let record = std::fs::read_to_string(place.only_of("four_", "_record.jsonl")).unwrap();
    let loaded = record.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["line"] == "visit")
            .then(|| line["settle_ns"].as_u64().unwrap() + line["measured_ns"].as_u64().unwrap())
    });
    assert!(loaded.sum::<u64>() > 50_000_000_000, "the load went on for the minute");
}

#[test]
fn a_bucket_of_bytes_is_found_with_large_io() {
    let place = Place::new();
    let law = ",rate=200M,cap=50M:6G";
    let burst = found(&place, "--large --for 10m", law);
    assert_eq!(cause(&burst), ("token_bucket", "none"), "{burst}");
    near("low", &burst, 50.0);
    near("credit_bytes", &burst, 6.0 * 1024.0 * 1024.0 * 1024.0);
    assert_eq!(burst["class"], "large");
    assert!(burst["says"].as_str().unwrap().contains("a token bucket of 6.00"), "{burst}");
}

#[test]
fn a_device_that_lasts_has_no_fall_and_its_time() {
    let place = Place::new();
    let burst = found(&place, "--for 5m", ",white=3%");
    assert_eq!(cause(&burst), ("no_fall", "none"), "{burst}");
    near("rate", &burst, 4000.0);
    assert!(burst["says"].as_str().unwrap().starts_with("No fall within 5 min at "), "{burst}");
    assert!(burst["high"].is_null() && burst["credit_ios"].is_null() && burst["refill_s"].is_null());
}

/// Each is what a bucket is not, and none of them gets the name or a size to refill.
#[test]
fn what_is_no_bucket_is_not_called_one() {
    for (law, wanted) in [
        (",drift=-5%", ("undecided", "drift")),
        (",drift=5%", ("undecided", "drift")),
        (",modes=50%:0.5", ("undecided", "swings")),
        (",neighbour=0.5:40s:40s", ("undecided", "swings")),
        (",fall=0.3:200s", ("not_a_bucket", "none")),
        (",bucket=300:540000:0", ("undecided", "empty_at_start")),
        // A bucket that others used, too: it fell long before the end, from no level.
        (",bucket=300:400000,neighbour=0.5:10s:20s", ("undecided", "unclear_fall")),
    ] {
        let place = Place::new();
        let burst = found(&place, "--for 10m", law);
        assert_eq!(cause(&burst), wanted, "{law}: {burst}");
        assert!(burst["refill_s"].is_null(), "{law}: {burst}");
    }
}

#[test]
fn a_load_that_cannot_reach_the_limit_says_so() {
    let place = Place::new();
    let burst = found(&place, "--for 2m", ",servers=64,service=10ms");
    assert_eq!(cause(&burst), ("undecided", "load_too_small"), "{burst}");
    assert!(burst["says"].as_str().unwrap().contains("--per-target"), "{burst}");
    let place = Place::new();
    let burst = found(&place, "--for 2m --per-target 160", ",servers=64,service=10ms");
    assert_eq!(cause(&burst), ("no_fall", "none"), "{burst}");
    assert_eq!(burst["outstanding"], 160);
}

#[test]
fn what_could_show_no_bucket_is_refused_before() {
    let place = Place::new();
    refused(place.line("versus burst a --and b"), &["take turns", "rigel run burst"]);
    for (more, parts) in [
        ("--for 30s", &["--for", "1m to 48h", "the default is 1h"][..]),
        ("--duration 10s", &["--duration", "--for"]),
        ("--precision 2%", &["--precision"]),
        ("--large --size-small 4K", &["--size-small", "--size-large"]),
        ("--size-large 64K", &["--size-large", "--size-small"]),
        ("--num-disks 4", &["--num-disks", "--per-target"]),
    ] {
        refused(place.line(&line(more, "")), parts);
    }
    refused(place.line("run oltp --large --engine sim"), &["--large", "rigel run burst --large"]);
    let told = place.line("run burst --dry-run --engine sim:targets=2").expect_code(0).stdout;
    assert!(told.contains("64") && told.contains("1 h 1 min, less if the rate falls earlier"), "{told}");
}

/// The record of a run that was cut behind the fall has all that is known, and no run goes on with it.
#[test]
fn a_cut_record_says_what_is_known_and_is_not_resumed() {
    let place = Place::new();
    found(&place, "", ",bucket=300:108000");
    let record = place.only("_record.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    let kept: Vec<&str> = text.lines().collect();
    // The second burst and the end are missing.
    std::fs::write(&record, kept[..kept.len() - 2].join("\n") + "\n").unwrap();
    let told = flat(&place.rigel(["report", record.to_str().unwrap()]).stdout);
    assert!(
        told.contains("4,000 IOPS for 29 s, then 300. Whether this is a token bucket is undecided"),
        "{told}"
    );
    assert!(!told.contains("--resume"), "{told}");
    let told = place.rigel(["run", "--resume", record.to_str().unwrap()]).expect_code(2);
    assert!(told.stderr.contains("a run of bursts cannot be resumed"), "{}", told.stderr);
    // Of a run that was over in the load before the first burst there is no rate.
    let probe = kept.iter().position(|line| line.starts_with(r#"{"line":"visit""#)).unwrap();
    std::fs::write(&record, kept[..=probe].join("\n") + "\n").unwrap();
    let told = flat(&place.rigel(["report", record.to_str().unwrap()]).stdout);
    assert!(told.contains("Undecided: the run ended before the first burst."), "{told}");
    assert!(!told.contains("No point was measured"), "{told}");
}

#[test]
fn the_same_seed_gives_the_same_record() {
    let of = || {
        let place = Place::new();
        let told = place.line(&line("--for 2m", ",white=3%,bucket=300:50000")).expect_code(0).stdout;
        let lines = place.read("_record.jsonl");
        let visits: Vec<String> = lines.lines().skip(1).map(str::to_owned).collect();
        assert!(visits.len() > 3, "{told}");
        visits[..visits.len() - 1].to_vec()
    };
    assert_eq!(of(), of());
}

#[test]
fn without_a_fall_nothing_is_said_of_what_was_used_and_of_a_second_burst() {
    let place = Place::new();
    let told = flat(
        &place
            .line(&format!("run burst --engine sim:{LAW} --seed 7 --for 2m --no-html"))
            .expect_code(0)
            .stdout,
    );
    assert!(told.contains("No fall within 2 min"), "{told}");
    assert!(told.contains("for 2 min at most, to see whether the rate falls and stays low."), "{told}");
    assert!(!told.contains("\"Used\"") && !told.contains("second burst"), "{told}");
}
