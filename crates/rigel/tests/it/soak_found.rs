//! What a soak finds besides what a device does to single blocks: blocks of others, I/Os that never come back, and what a start of the host changes.

use crate::soak::{BLOCKS, SIZE_BYTES, count, device, document, killed, line, record, resumed, so_far};
use crate::stop::{ended, signal, start_until_record, stopped_when};
use crate::support::{Place, flat};
use rigel_core::verify::FaultCounts;
use rigel_testdev::{TestDevice, needs};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::BufRead as _;
use std::os::unix::fs::FileExt as _;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A soak under which something happens once every block was written, and which is ended when it has found a fault of that name.
fn ended_when_found(
    place: &Place,
    long: &str,
    happens: impl FnOnce(),
    fault: fn(&FaultCounts) -> u64,
) -> Value {
    // The blocks of one target, or of two.
    let all = BLOCKS * long.matches("--destroy-data").count() as u64;
    let (child, stderr) = start_until_record(place, long, |record| so_far(record).written >= all);
    happens();
    let begun = Instant::now();
    while fault(&so_far(&record(place)).faults) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", so_far(&record(place)).faults);
        sleep(Duration::from_millis(50));
    }
    signal(&child, "-INT");
    assert_eq!(ended(child, stderr).code, 1);
    document(place)["verified"].take()
}

#[test]
fn what_another_program_wrote_is_foreign() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    let happens = || {
        let file = OpenOptions::new().write(true).open(&target).unwrap();
        for block in [3, 70, 150, 300, 420] {
            file.write_all_at(&[0xa5; 4096], block * 4096).unwrap();
        }
        file.sync_data().unwrap();
    };
    let verified =
        ended_when_found(&place, &line(&place, &target, "--for 10m"), happens, |faults| faults.foreign);
    // One or another may have been written again before it was read.
    assert!((1..=5).contains(&count(&verified, "foreign")), "{verified}");
    let others = ["corrupt", "torn", "zeroed", "misdirected", "lost_or_stale", "ahead", "unreadable"];
    assert_eq!(others.map(|fault| count(&verified, fault)), [0; 7], "{verified}");
}

/// As a controller that addresses the wrong disk: both places are named.
#[test]
fn data_of_another_target_is_told_with_both_places() {
    let place = Place::new();
    let [a, b] = ["a", "b"].map(|name| place.random_file(name, SIZE_BYTES));
    let of_one = line(&place, &a, "--for 10m");
    let long = of_one.replacen(" --every", &format!(" {0} --destroy-data {0} --every", b.display()), 1);
    let happens = || {
        let [from, to] = [&a, &b].map(|path| OpenOptions::new().read(true).write(true).open(path).unwrap());
        let mut block = [0; 4096];
        for number in [5, 90, 170, 310, 430] {
            from.read_exact_at(&mut block, number * 4096).unwrap();
            to.write_all_at(&block, number * 4096).unwrap();
        }
        to.sync_data().unwrap();
    };
    let verified = ended_when_found(&place, &long, happens, |faults| faults.misdirected);
    let findings = verified["findings"].as_array().unwrap();
    let is_of_another =
        |one: &&Value| one["what"].as_str().unwrap().starts_with("holds another block's data");
    let finding = findings.iter().find(is_of_another).expect("it is described");
    assert_eq!(finding["target"].as_str(), b.to_str(), "{finding}");
    let from = format!("at byte {} of {}", finding["offset"], a.display());
    assert!(finding["what"].as_str().unwrap().ends_with(&from), "{finding}");
}

#[test]
fn reads_that_never_come_back_are_a_finding() {
    let name = "reads_that_never_come_back_are_a_finding";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let long =
        format!("soak {} --for 10m --every 1s --io-timeout 1s --engine threads", device.disk().display());
    let (child, mut stderr) = start_until_record(&place, &long, |record| !record.intervals.is_empty());
    device.command(&format!("hang 0 {SIZE_BYTES}")).unwrap();
    // The process ends when the kernel has its I/Os back.
    let mut last = String::new();
    while !last.starts_with("error: ") {
        last.clear();
        assert!(stderr.read_line(&mut last).unwrap() > 0, "it ended without an error");
    }
    device.command("clear").unwrap();
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    let error = "the soak found something wrong: a read at byte ";
    assert!(last.contains(error) && !told.stderr.contains("peers"), "{last}{}", told.stderr);
    let found = document(&place);
    assert!(found["faulty"] == true && found["complete"] == false, "{found}");
    assert!(found["told"].to_string().contains("never completed"), "{}", found["told"]);
}

/// The kernel gives devices their numbers anew when the host starts; nothing else may excuse another number.
#[test]
fn after_a_start_of_the_host_a_soak_goes_on_though_numbers_are_others() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    killed(&place, &line(&place, &target, "--for 1d"), || ());
    let path = place.only("_record.jsonl");
    let (major, minor) = record(&place).header.targets[0].identity.device;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let edit = |from: &str, to: &str| {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}: {}", text.lines().next().unwrap());
        fs::write(&path, text.replace(from, to)).unwrap();
    };
    edit(&format!("\"device\":[{major},{minor}]"), &format!("\"device\":[{major},{}]", minor + 1));
    let told = place.line(&resumed(&place, &target)).expect_code(3);
    assert!(told.stderr.contains("its identity was device"), "{}", told.stderr);
    edit(boot.trim(), "00000000-0000-4000-8000-000000000000");
    let checked = so_far(&record(&place)).checked;
    let told = stopped_when(&place, &resumed(&place, &target), |record| so_far(record).checked > checked);
    let told = told.expect_code(4);
    assert!(told.stdout.contains("interrupted once"), "{}", told.stdout);
}

#[test]
fn targets_of_a_load_at_a_rate_are_compared_as_well() {
    let place = Place::new();
    let load =
        "load = \"rigel.load/1\"\n[[class]]\nname = \"pages\"\nsize = \"8K\"\narrival = { rate = 200 }\n";
    fs::write(place.path().join("open.toml"), load).unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        place.random_file(name, SIZE_BYTES);
    }
    let told = place.line("soak --load open.toml a b c d e --for 2s --every 1s --quiet").expect_code(0);
    let text = flat(&told.stdout);
    // On a busy host one may be named; silence would be taken for an answer.
    assert!(text.contains("None of the 5 targets") || text.contains("slower than the others"), "{text}");
}
