//! Acknowledged writes and losses of power: a device that keeps what it flushed is never accused, one that lies is found.
//!
//! The cut comes after the run was killed, as the power of a host goes with that of its disks.

use crate::support::{Place, ProgramOutput, tell};
use rigel_core::load::draw::Generator;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

const SIZE_BYTES: u64 = 1 << 20;
/// Cuts in every test run; `cargo xtask long` makes more.
const CUTS: u64 = 12;
const ENGINES: [&str; 3] = ["io_uring", "libaio", "threads"];

pub fn device() -> DeviceSpec {
    DeviceSpec { size_bytes: SIZE_BYTES, ..DeviceSpec::default() }
}

fn cuts() -> u64 {
    std::env::var("RIGEL_POWER_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(CUTS)
}

/// A run with its witness, which keeps what it hears in `acks`.
pub struct Pair {
    pub run: Child,
    pub witness: Child,
}

impl Pair {
    pub fn start(place: &Place, target: &Path, more: &str) -> Self {
        let target = target.display();
        let line = format!("durability run {target} --destroy-data {target} --for 10m --quiet {more}");
        let mut run = place
            .command()
            .args(line.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let witness = place
            .command()
            .args(["durability", "witness", "acks", "--force"])
            .stdin(run.stdout.take().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { run, witness }
    }

    /// Waits until the witness has so many acknowledgements.
    pub fn wait_for(&mut self, place: &Place, acks: usize) {
        while heard(place) < acks {
            if let Some(code) = self.run.try_wait().unwrap() {
                let mut told = String::new();
                std::io::Read::read_to_string(self.run.stderr.as_mut().unwrap(), &mut told).unwrap();
                panic!("it ended too early: {code}: {told}");
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// The host is gone.
    pub fn kill(mut self) -> ProgramOutput {
        self.run.kill().unwrap();
        self.run.wait().unwrap();
        self.ended()
    }

    /// What the witness says when the other end is gone.
    pub fn ended(self) -> ProgramOutput {
        ProgramOutput::from(self.witness.wait_with_output().unwrap())
    }
}

fn heard(place: &Place) -> usize {
    let lines = std::fs::read(place.path().join("acks")).unwrap_or_default();
    lines.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1)
}

pub fn check(place: &Place, target: &Path) -> ProgramOutput {
    tell(place.command().args(["durability", "check"]).arg(target).args(["acks", "--json", "--quiet"]))
}

/// Lets a run write to the device until some moment, cuts the power, and checks.
fn cut(device: &TestDevice, place: &Place, seed: u64, lie: u8, least: u64) -> ProgramOutput {
    let _ = std::fs::remove_file(place.path().join("acks"));
    device.command(&format!("clear\ncache 0\ncache 1\nlie {lie}")).unwrap();
    let turn = usize::try_from(seed).unwrap();
    let (engine, sync) = (ENGINES[turn % 3], ["dsync", "fdatasync"][turn / 3 % 2]);
    let (writers, block) = ([1, 4, 16][turn / 2 % 3], ["4K", "8K", "16K"][turn / 5 % 3]);
    let more = format!("--engine {engine} --sync {sync} --writers {writers} --block {block}");
    let mut draw = Generator::new(seed, &[]);
    let mut pair = Pair::start(place, &device.disk(), &more);
    pair.wait_for(place, usize::try_from(least + draw.below(400)).unwrap());
    let told = pair.kill();
    assert_eq!(told.code, 0, "{}", told.stderr);
    let survives = ["", " 7 512", " 7 4096"][turn % 3];
    device.command(&format!("power-cut{survives}")).unwrap();
    check(place, &device.disk())
}

#[test]
fn a_cache_that_keeps_what_it_flushed_is_never_accused() {
    let name = "a_cache_that_keeps_what_it_flushed_is_never_accused";
    let Some(device) = needs(name, TestDevice::mount_blank(device())) else { return };
    let place = Place::new();
    for seed in 0..cuts() {
        let told = cut(&device, &place, seed, 0, 1).expect_code(0);
        let found = told.json();
        assert!(found["kept_all"] == true && found["losses"].as_array().unwrap().is_empty(), "{found}");
        assert!(found["judged"].as_u64().unwrap() > 0 && found["kept"] == found["judged"], "{found}");
        assert!(found["in_flight"].as_u64().unwrap() > 0 && found["ended"] == false, "{found}");
    }
}

#[test]
fn a_cache_that_lies_about_flushes_is_found_every_time() {
    let name = "a_cache_that_lies_about_flushes_is_found_every_time";
    let Some(device) = needs(name, TestDevice::mount_blank(device())) else { return };
    let place = Place::new();
    let mut reordered = 0;
    for seed in 0..cuts() {
        // Where half of the cache survives, a few writes could all be in that half.
        let told = cut(&device, &place, seed, 1, 40);
        let found = told.json();
        assert_eq!(told.code, 1, "{found} {}", told.stderr);
        let count = |field: &str| found[field].as_u64().unwrap();
        assert!(found["kept_all"] == false && found["excluded_share"].is_null(), "{found}");
        assert!(count("lost") + count("torn") > 0, "{found}");
        assert_eq!(count("corrupt") + count("misdirected") + count("unreadable"), 0, "{found}");
        if seed % 3 == 0 {
            assert_eq!((count("kept"), count("reordered")), (0, 0), "nothing survived: {found}");
        }
        reordered += count("reordered");
        assert!(told.stderr.contains("acknowledged writes are lost"), "{}", told.stderr);
    }
    // The first of three cuts takes all.
    assert!(cuts() < 3 || reordered > 0, "a half that survives holds writes that came after lost ones");
}

#[test]
fn a_killed_run_leaves_nothing_to_find() {
    let name = "a_killed_run_leaves_nothing_to_find";
    let Some(device) = needs(name, TestDevice::mount_blank(device())) else { return };
    let place = Place::new();
    for acks in [1, 100, 1000] {
        let _ = std::fs::remove_file(place.path().join("acks"));
        let mut pair = Pair::start(&place, &device.disk(), "--size 256K");
        pair.wait_for(&place, acks);
        let told = pair.kill();
        assert!(told.code == 0 && told.stdout.contains(" of the run "), "{}", told.stderr);
        let found = check(&place, &device.disk()).expect_code(0).json();
        let acknowledged = found["acknowledged"].as_u64().unwrap();
        assert!(acknowledged >= acks as u64, "{found}");
        // A witness that heard less: later writes prove those that it did not hear of.
        let text = std::fs::read_to_string(place.path().join("acks")).unwrap();
        let heard: String = text.split_inclusive('\n').take(2).collect();
        std::fs::write(place.path().join("acks"), heard).unwrap();
        let found = check(&place, &device.disk()).expect_code(0).json();
        let known = found["acknowledged"].as_u64().unwrap() + found["unwitnessed"].as_u64().unwrap();
        // Of each writer the last one may have been in flight, for all that is there.
        assert!(found["acknowledged"] == 1 && known + 8 >= acknowledged, "{found}");
    }
}

#[test]
fn a_run_whose_witness_is_gone_ends_and_what_was_kept_can_be_checked() {
    let name = "a_run_whose_witness_is_gone_ends_and_what_was_kept_can_be_checked";
    let Some(device) = needs(name, TestDevice::mount_blank(device())) else { return };
    let place = Place::new();
    let mut pair = Pair::start(&place, &device.disk(), "");
    pair.wait_for(&place, 200);
    pair.witness.kill().unwrap();
    pair.witness.wait().unwrap();
    let told = ProgramOutput::from(pair.run.wait_with_output().unwrap()).expect_code(4);
    assert!(told.stderr.contains("nothing receives the acknowledgements any longer"), "{}", told.stderr);
    check(&place, &device.disk()).expect_code(0);
}

#[test]
fn a_write_that_fails_ends_the_run_and_is_no_loss() {
    let name = "a_write_that_fails_ends_the_run_and_is_no_loss";
    let Some(device) = needs(name, TestDevice::mount_blank(device())) else { return };
    let place = Place::new();
    for engine in ENGINES {
        let _ = std::fs::remove_file(place.path().join("acks"));
        device.command("clear").unwrap();
        let mut pair = Pair::start(&place, &device.disk(), &format!("--engine {engine}"));
        pair.wait_for(&place, 300);
        device.command("eio 524288 65536").unwrap();
        let told = ProgramOutput::from(pair.run.wait_with_output().unwrap()).expect_code(3);
        assert!(told.stderr.contains("the target cannot be written at byte 5"), "{engine}: {}", told.stderr);
        assert_eq!(pair.witness.wait().unwrap().code(), Some(0));
        // A place that was never lost, and cannot be read: that is a loss like any other.
        let found = check(&place, &device.disk());
        assert_eq!(found.code, 1, "{engine}: {}", found.stdout);
        let document = found.json();
        assert!(document["unreadable"].as_u64().unwrap() > 0, "{document}");
        assert_eq!(document["unreadable"], document["losses"].as_array().unwrap().len(), "{document}");
        device.command("clear").unwrap();
        check(&place, &device.disk()).expect_code(0);
    }
}
