//! What a soak finds besides what a device does to single blocks: blocks of others, I/Os that never come back, and what a start of the host changes.

use crate::soak::{SIZE_BYTES, count, device, document, killed, line, record, resumed};
use crate::stop::{ended, start_until_record};
use crate::support::Place;
use rigel_testdev::{TestDevice, needs};
use std::fs::{self, OpenOptions};
use std::io::BufRead as _;
use std::os::unix::fs::FileExt as _;

#[test]
fn what_another_program_wrote_is_foreign() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    // All was written once, so that all is known.
    let long = line(&place, &target, "--for 8s");
    let (child, stderr) = start_until_record(&place, &long, |record| record.intervals.len() >= 2);
    let file = OpenOptions::new().write(true).open(&target).unwrap();
    for block in [3, 70, 150, 300, 420] {
        file.write_all_at(&[0xa5; 4096], block * 4096).unwrap();
    }
    file.sync_data().unwrap();
    assert_eq!(ended(child, stderr).code, 1);
    let found = document(&place);
    let verified = &found["verified"];
    // One or another may have been written again before it was read.
    assert!((1..=5).contains(&count(verified, "foreign")), "{verified}");
    let others = ["corrupt", "torn", "zeroed", "misdirected", "lost_or_stale", "ahead", "unreadable"];
    assert_eq!(others.map(|fault| count(verified, fault)), [0; 7], "{verified}");
}

/// As a controller that addresses the wrong disk: both places are named.
#[test]
fn data_of_another_target_is_told_with_both_places() {
    let place = Place::new();
    let [a, b] = ["a", "b"].map(|name| place.random_file(name, SIZE_BYTES));
    let of_one = line(&place, &a, "--for 10s");
    let long = of_one.replacen(" --every", &format!(" {0} --destroy-data {0} --every", b.display()), 1);
    let (child, stderr) = start_until_record(&place, &long, |record| record.intervals.len() >= 2);
    let [from, to] = [&a, &b].map(|path| OpenOptions::new().read(true).write(true).open(path).unwrap());
    let mut block = [0; 4096];
    for number in [5, 90, 170, 310, 430] {
        from.read_exact_at(&mut block, number * 4096).unwrap();
        to.write_all_at(&block, number * 4096).unwrap();
    }
    to.sync_data().unwrap();
    assert_eq!(ended(child, stderr).code, 1);
    let found = document(&place);
    let verified = &found["verified"];
    let misdirected = count(verified, "misdirected");
    assert!((1..=5).contains(&misdirected), "{verified}");
    // A block may have been read while it was written: then it was not whole, and is wrong in another way.
    let finding = verified["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["what"].as_str().unwrap().starts_with("holds another block's data"));
    let finding = finding.expect("it is described");
    assert_eq!(finding["target"].as_str(), b.to_str(), "{finding}");
    assert!(
        finding["what"].as_str().unwrap().ends_with(&format!(
            "at byte {} of {}",
            finding["offset"],
            a.display()
        )),
        "{finding}"
    );
}

#[test]
fn reads_that_never_come_back_are_a_finding() {
    let name = "reads_that_never_come_back_are_a_finding";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let long = line(&place, &device.disk(), "--for 10m --io-timeout 2s --engine threads");
    let (child, mut stderr) = start_until_record(&place, &long, |record| record.intervals.len() >= 2);
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
    let found = document(&place);
    assert!(found["faulty"] == true && found["complete"] == false, "{found}");
    assert!(found["told"].to_string().contains("never came back"), "{}", found["told"]);
}

/// The kernel gives devices their numbers anew when the host starts; nothing else may excuse another number.
#[test]
fn after_a_start_of_the_host_a_soak_goes_on_though_numbers_are_others() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    killed(&place, &line(&place, &target, "--for 5s"), || ());
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
    let told = place.line(&resumed(&place, &target)).expect_code(0);
    assert!(told.stdout.contains("interrupted once"), "{}", told.stdout);
    assert!(document(&place)["verified"]["checked"].as_u64().unwrap() > 0);
}
