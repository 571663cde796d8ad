//! `rigel soak` with the real binary: faults found while it goes on, kills and cuts of power gone on behind, a week in virtual time.

use crate::stop::{signal, start_until_record, stopped_when};
use crate::support::{Place, ProgramOutput, flat};
use rigel_core::load::draw::Generator;
use rigel_core::record::Record;
use rigel_core::verify::VerifyCounts;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const SIZE_BYTES: u64 = 2 << 20;
pub const BLOCKS: u64 = SIZE_BYTES / 4096;
/// Small enough that every block is read again and again between two writes.
const LOAD: &str = r#"load = "rigel.load/1"
[[class]]
name = "data"
size = "4K"
write = 10
verify = true
arrival = { outstanding = 8 }
[[phase]]
for = "4s"
[[phase]]
for = "2s"
scale = 0.25
"#;

pub fn device() -> DeviceSpec {
    DeviceSpec { size_bytes: SIZE_BYTES, ..DeviceSpec::default() }
}

pub fn record(place: &Place) -> Record {
    Record::read(&fs::read(place.only("_record.jsonl")).unwrap()).unwrap()
}

pub fn line(place: &Place, target: &Path, more: &str) -> String {
    fs::write(place.path().join("data.toml"), LOAD).unwrap();
    let target = target.display();
    format!("soak --load data.toml {target} --destroy-data {target} --every 1s {more}")
}

/// The document of the record, as `rigel report` makes it.
pub fn document(place: &Place) -> Value {
    let record = place.only("_record.jsonl");
    place
        .rigel(["report".as_ref(), record.as_os_str(), "--format".as_ref(), "json".as_ref()])
        .expect_code(0)
        .json()
}

pub fn count(verified: &Value, fault: &str) -> u64 {
    verified["faults"][fault].as_u64().unwrap()
}

#[test]
fn faults_are_found_while_it_goes_on_and_told_at_once() {
    let name = "faults_are_found_while_it_goes_on_and_told_at_once";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let line = line(&place, &device.disk(), "--for 10m --workers 1");
    let intervals = |record: &Record| record.intervals.len() >= 2;
    let (mut child, mut stderr) = start_until_record(&place, &line, intervals);
    // Far enough apart that no block has two of them.
    device.command("flip nth 50\ntorn nth 150 3\nzero nth 250\nlost nth 350").unwrap();
    let begun = Instant::now();
    while verified(&place).faults.all() < 4 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", verified(&place).faults);
        sleep(Duration::from_millis(50));
    }
    let metrics = place.read("_metrics.prom");
    assert!(metrics.ends_with("# EOF\n") && metrics.contains("rigel_soak_wrong_blocks{"), "{metrics}");
    assert!(metrics.contains("fault=\"lost_or_stale\""), "as the document calls it: {metrics}");
    signal(&child, "-INT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{told}");
    for what in ["wrong data after", "holds zeros", "wrong bit", "too old"] {
        assert!(told.contains(what), "{what}: {told}");
    }
    let found = document(&place);
    let verified = &found["verified"];
    let each = ["corrupt", "torn", "zeroed", "lost_or_stale"].map(|fault| count(verified, fault));
    assert_eq!(each, [1; 4], "{verified}");
    assert_eq!(["misdirected", "ahead", "foreign", "unreadable"].map(|fault| count(verified, fault)), [0; 4]);
    assert_eq!((found["faulty"].as_bool(), found["complete"].as_bool()), (Some(true), Some(false)));
    assert_eq!(verified["findings"].as_array().unwrap().len(), 4);
}

/// What `cargo xtask long` asks for, or what is enough for every change.
fn wanted(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Memory of a process in KiB.
fn resident_kib(child: &std::process::Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn verified(place: &Place) -> VerifyCounts {
    so_far(&record(place))
}

/// What was found so far, with what the load did for it.
pub fn so_far(record: &Record) -> VerifyCounts {
    let mut sum = VerifyCounts::default();
    let tallies = record.intervals.iter().flat_map(|one| one.tallies.values());
    tallies.filter_map(|one| one.verified.as_ref()).for_each(|one| sum.add(one));
    sum
}

/// What a device does, and how many blocks are wrong for it: corrupt, torn, zeroed, misdirected, lost or stale, at least and at most.
struct FaultPlan {
    command: &'static str,
    wrong: [[u64; 2]; 5],
}

const ONE: [u64; 2] = [1, 1];
const NO: [u64; 2] = [0, 0];
const SOME: [u64; 2] = [0, 1];
/// Every class. A write that comes late is found before the next write to its block, or undoes that; of one that lands elsewhere the block that it misses or
/// the one that it falls on may be written again before it is read, not both.
const INJECTED: [FaultPlan; 7] = [
    FaultPlan { command: "flip", wrong: [ONE, NO, NO, NO, NO] },
    FaultPlan { command: "torn", wrong: [NO, ONE, NO, NO, NO] },
    FaultPlan { command: "zero", wrong: [NO, NO, ONE, NO, NO] },
    FaultPlan { command: "lost", wrong: [NO, NO, NO, NO, ONE] },
    FaultPlan { command: "misdirect", wrong: [NO, NO, NO, SOME, SOME] },
    FaultPlan { command: "stale", wrong: [NO, NO, NO, NO, ONE] },
    FaultPlan { command: "delay", wrong: [NO, NO, NO, NO, [1, 2]] },
];

/// RIGEL_SOAK_SECONDS makes it as long as one likes; an hour is the measure.
#[test]
fn faults_of_all_classes_at_random_times_are_found_and_no_other_and_memory_stays() {
    let name = "faults_of_all_classes_at_random_times_are_found_and_no_other_and_memory_stays";
    let small = DeviceSpec { size_bytes: SIZE_BYTES / 4, ..device() };
    let Some(device) = needs(name, TestDevice::mount(small)) else { return };
    let seconds = wanted("RIGEL_SOAK_SECONDS", 1);
    let rounds = if seconds < 60 { 1 } else { 3 };
    let place = Place::new();
    let long = line(&place, &device.disk(), "--for 1d --workers 1");
    let (mut child, mut stderr) = start_until_record(&place, &long, |record| record.intervals.len() >= 3);
    let before = resident_kib(&child);
    let mut draw = Generator::new(seconds, &[]);
    let times = rounds * INJECTED.len() as u64;
    let kinds = INJECTED.iter().cycle();
    for (_, injected) in (0..times).zip(kinds) {
        sleep(Duration::from_millis(draw.below(2000 * seconds / times)));
        let number = match injected.command {
            "torn" => " 3",
            "misdirect" => " 200704",
            "delay" => " 600",
            _ => "",
        };
        device.command(&format!("{} nth {}{number}", injected.command, 1 + draw.below(100))).unwrap();
        let begun = Instant::now();
        while device.gauge().unwrap().armed > 0 {
            assert!(begun.elapsed() < Duration::from_secs(300), "{} was not sprung", injected.command);
            sleep(Duration::from_millis(5));
        }
        // Whatever is wrong for it is found before every block was written twice more, which is after a late write.
        let written = device.gauge().unwrap().writes;
        while device.gauge().unwrap().writes < written + 2 * device.size_bytes() / 4096 {
            sleep(Duration::from_millis(5));
        }
    }
    let intervals = record(&place).intervals.len();
    while record(&place).intervals.len() < intervals + 2 {
        sleep(Duration::from_millis(50));
    }
    let after = resident_kib(&child);
    signal(&child, "-INT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{told}");
    let document = document(&place);
    let verified = &document["verified"];
    let names = ["corrupt", "torn", "zeroed", "misdirected", "lost_or_stale"];
    let each = names.map(|fault| count(verified, fault));
    for (class, found) in each.into_iter().enumerate() {
        let ends = [0, 1].map(|end| rounds * INJECTED.iter().map(|one| one.wrong[class][end]).sum::<u64>());
        assert!((ends[0]..=ends[1]).contains(&found), "{} {ends:?}: {verified}", names[class]);
    }
    assert_eq!(["ahead", "foreign", "unreadable"].map(|fault| count(verified, fault)), [0; 3]);
    assert!(after < before + 16 * 1024, "memory grew from {before} to {after} KiB");
    println!(
        "{times} of {times} faults found in {} s, {each:?} {names:?}, none other in {} blocks compared; memory {before} KiB before, {after} KiB after",
        document["lasted_s"], verified["checked"]
    );
}

/// Kills a soak that has made two intervals since it began, or one since it went on. `meanwhile` happens while it stands still: closing a file would flush it.
pub fn killed(place: &Place, line: &str, meanwhile: impl FnOnce()) {
    let wanted = if line.contains("--resume") { record(place).intervals.len() + 1 } else { 2 };
    let (mut child, _stderr) = start_until_record(place, line, |record| record.intervals.len() >= wanted);
    signal(&child, "-STOP");
    meanwhile();
    signal(&child, "-KILL");
    child.wait().unwrap();
}

pub fn resumed(place: &Place, target: &Path) -> String {
    let record = place.only("_record.jsonl");
    format!("soak --resume {} --destroy-data {}", record.display(), target.display())
}

/// Goes on with a soak until every block was compared often, and then ends it.
pub fn gone_on(place: &Place, target: &Path) -> ProgramOutput {
    let before = so_far(&record(place)).checked;
    stopped_when(place, &resumed(place, target), |record| so_far(record).checked >= before + 20 * BLOCKS)
}

#[test]
fn a_soak_that_is_killed_goes_on_and_compares_what_was_written_before() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    killed(&place, &line(&place, &target, "--for 7s"), || ());
    let again = resumed(&place, &target);
    killed(&place, &again, || ());
    let told = place.line(&again).expect_code(0);
    assert!(told.stdout.contains("interrupted 2 times"), "{}", told.stdout);
    let record = record(&place);
    assert_eq!((record.resumed.len(), record.complete()), (2, true));
    assert!(record.visits.iter().any(|visit| visit.cut_short), "what was measured of a phase counts");
    // The load lasted as long as was asked for, however it was interrupted.
    let found = document(&place);
    let lasted = found["lasted_s"].as_f64().unwrap();
    assert!((6.0..9.0).contains(&lasted), "{lasted}");
    assert_eq!(found["interruptions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_soak_that_is_killed_before_its_first_interval_again_and_again_accuses_nobody() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    killed(&place, &line(&place, &target, "--for 1d"), || ());
    let again = resumed(&place, &target);
    for resumptions in 1..4 {
        // The line that says so is there before the first I/O, and a second before the first interval.
        let (mut child, _stderr) =
            start_until_record(&place, &again, |record| record.resumed.len() == resumptions);
        sleep(Duration::from_millis(400));
        signal(&child, "-KILL");
        child.wait().unwrap();
    }
    let told = gone_on(&place, &target).expect_code(4);
    accuses_nobody(&told.stdout);
    assert!(told.stdout.contains("interrupted 4 times"), "{}", told.stdout);
}

/// No block and no I/O was at fault. On a busy disk one I/O may have taken long, which the same sentence then says.
#[track_caller]
fn accuses_nobody(text: &str) {
    let text = flat(text);
    let good = ["Nothing wrong was found", "No block was wrong and no I/O failed"];
    assert!(good.iter().any(|good| text.starts_with(good)), "{text}");
}

#[test]
fn a_soak_on_a_scratch_file_goes_on_after_ctrl_c() {
    let place = Place::new();
    let (mut child, _stderr) =
        start_until_record(&place, "soak --for 5s --every 1s --scratch-size 16M", |record| {
            !record.intervals.is_empty()
        });
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let record = place.only("_record.jsonl");
    let told = place.line(&format!("soak --resume {}", record.display())).expect_code(0);
    accuses_nobody(&told.stdout);
    assert!(flat(&told.stdout).contains(" in 5 s of load"), "{}", told.stdout);
    assert!(!place.files().iter().any(|name| name.contains("scratch")), "it is over: {:?}", place.files());
}

/// RIGEL_SOAK_KILLS makes it as many as one likes, half of them with a cut of power.
#[test]
fn killed_again_and_again_it_accuses_nobody() {
    let name = "killed_again_and_again_it_accuses_nobody";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    device.command("cache 1").unwrap();
    let place = Place::new();
    let target = device.disk();
    killed(&place, &line(&place, &target, "--for 1d"), || ());
    let kills = wanted("RIGEL_SOAK_KILLS", 4);
    let cuts = ["power-cut", "power-cut 7 512", "power-cut 7 4096"];
    // A cut just after a flush takes nothing; some further one does.
    let took = || device.gauge().unwrap().dropped_sectors > 0;
    let mut done = 1;
    for number in 1..kills + 20 {
        if number >= kills && took() {
            break;
        }
        done += 1;
        let cut = cuts[usize::try_from(number / 2 % 3).unwrap()];
        let meanwhile = || {
            if number % 2 == 1 {
                device.command(cut).unwrap()
            }
        };
        killed(&place, &resumed(&place, &target), meanwhile);
    }
    // What the last cut left is looked at as well.
    killed(&place, &resumed(&place, &target), || ());
    let found = document(&place);
    let verified = &found["verified"];
    assert_eq!(found["faulty"].as_bool(), Some(false), "{verified}");
    assert_eq!(found["interruptions"].as_array().unwrap().len() as u64, done);
    assert!(took(), "the cuts took something away");
    println!(
        "{done} kills, {} cuts of power: {} blocks compared, none accused",
        done / 2,
        verified["checked"]
    );
}

#[test]
fn what_was_durable_before_a_kill_and_is_gone_is_found() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    let long = line(&place, &target, "--for 1d");
    let (mut child, _stderr) = start_until_record(&place, &long, |record| record.intervals.len() >= 2);
    let old = fs::read(&target).unwrap();
    // As much as there is was written anew, and a line says that it is durable.
    let written = verified(&place).written;
    while verified(&place).written < written + BLOCKS {
        sleep(Duration::from_millis(50));
    }
    signal(&child, "-KILL");
    child.wait().unwrap();
    // Somebody put an old copy back.
    fs::write(&target, old).unwrap();
    stopped_when(&place, &resumed(&place, &target), |record| so_far(record).faults.stale > 0).expect_code(1);
    let found = document(&place);
    assert!(count(&found["verified"], "lost_or_stale") > 0, "{}", found["verified"]);
    assert_eq!(
        ["corrupt", "torn", "misdirected", "foreign"].map(|fault| count(&found["verified"], fault)),
        [0; 4]
    );
}

/// Cuts the power of a device under a soak and goes on; how many blocks are wrong then. A cut just after a flush takes nothing, and is tried again.
fn cut(device: &TestDevice, lie: u8) -> u64 {
    let took = || device.gauge().unwrap().dropped_sectors;
    for _ in 0..20 {
        let before = took();
        let wrong = cut_once(device, lie);
        if took() > before {
            return wrong;
        }
    }
    panic!("no cut took anything away");
}

fn cut_once(device: &TestDevice, lie: u8) -> u64 {
    device.command(&format!("clear\ncache 0\ncache 1\nlie {lie}")).unwrap();
    let place = Place::new();
    killed(&place, &line(&place, &device.disk(), "--for 1d"), || device.command("power-cut").unwrap());
    gone_on(&place, &device.disk());
    ["corrupt", "torn", "misdirected", "lost_or_stale", "ahead", "zeroed", "foreign", "unreadable"]
        .map(|fault| count(&document(&place)["verified"], fault))
        .iter()
        .sum()
}

#[test]
fn a_cut_of_power_accuses_only_a_device_that_lies() {
    let Some(device) = needs("a_cut_of_power_accuses_only_a_device_that_lies", TestDevice::mount(device()))
    else {
        return;
    };
    assert_eq!(cut(&device, 0), 0, "it kept what it flushed");
    assert!(cut(&device, 1) > 0, "it did not");
}

/// Six devices, of which the third is slower than the others.
fn one_slow(name: &str) -> Option<Vec<TestDevice>> {
    let spec = |service_us: u64| DeviceSpec { size_bytes: SIZE_BYTES, service_us, ..DeviceSpec::default() };
    let each = [2000, 2000, 6000, 2000, 2000, 2000].into_iter();
    each.map(|service_us| needs(name, TestDevice::mount(spec(service_us)))).collect()
}

#[test]
fn a_target_that_is_slower_than_the_others_is_named() {
    let name = "a_target_that_is_slower_than_the_others_is_named";
    let Some(devices) = one_slow(name) else { return };
    let place = Place::new();
    let targets: Vec<String> = devices.iter().map(|device| device.disk().display().to_string()).collect();
    let told = place.line(&format!("soak --for 3s {}", targets.join(" "))).expect_code(1);
    assert!(told.stderr.contains("note: read-only: "), "{}", told.stderr);
    assert!(told.stderr.contains("a disk that is slower than its peers"), "{}", told.stderr);
    let found = document(&place);
    let slow: Vec<&str> =
        found["outliers"].as_array().unwrap().iter().map(|one| one["target"].as_str().unwrap()).collect();
    // On a busy host another one may be slow as well.
    assert!(slow.contains(&targets[2].as_str()), "{slow:?}");
    assert_eq!((found["errors"].as_u64(), found["verified"].is_null()), (Some(0), true));
}

/// The soak died in its first phase: what each target did until then is in the intervals.
#[test]
fn a_slow_target_is_named_although_the_soak_was_killed_in_its_first_phase() {
    let name = "a_slow_target_is_named_although_the_soak_was_killed_in_its_first_phase";
    let Some(devices) = one_slow(name) else { return };
    let place = Place::new();
    let targets: Vec<String> = devices.iter().map(|device| device.disk().display().to_string()).collect();
    killed(&place, &format!("soak --for 1d --every 1s {}", targets.join(" ")), || ());
    let found = document(&place);
    assert!(found["phases"][0]["visits"] == 1 && found["complete"] == false, "{found}");
    let slow: Vec<&str> =
        found["outliers"].as_array().unwrap().iter().map(|one| one["target"].as_str().unwrap()).collect();
    // On a busy host another one may be slow as well.
    assert!(slow.contains(&targets[2].as_str()), "{slow:?}");
    let ios: u64 = found["targets"].as_array().unwrap().iter().map(|one| one["ios"].as_u64().unwrap()).sum();
    assert!(ios >= found["ios"].as_u64().unwrap(), "what settled is among them: {ios}");
}

#[test]
fn a_week_in_virtual_time_has_a_small_record() {
    let place = Place::in_memory();
    let told = place
        .line("soak --for 1w --engine sim:servers=2,service=500ms,spread=exponential --json")
        .expect_code(0);
    let found = told.json();
    assert_eq!((found["complete"].as_bool(), found["phases"].as_array().unwrap().len()), (Some(true), 3));
    // A phase with many outstanding takes a while to drain.
    let figures = found["course"].as_array().unwrap().len();
    assert!((9_800..=10_080).contains(&figures), "{figures}");
    let bytes = fs::metadata(place.only("_record.jsonl")).unwrap().len();
    assert!(bytes < 50_000_000, "the record has {bytes} bytes");
    assert!(fs::metadata(place.only("_report.html")).unwrap().len() < 3_000_000);
}
