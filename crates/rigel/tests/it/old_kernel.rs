//! Kernels of ten years ago: the system calls that came after Linux 3.10 and that anything here could make are refused, as an old kernel does, or as a seccomp profile
//! that does not know it. What Rigel can do without them it does; nothing is less safe.

mod calls;

use crate::support::{Place, ProgramOutput, flat, tell};
use calls::{NEWER, UNKNOWN_TO_PROFILES};
use rigel_testdev::{MissingNeed, needs};
use serde_json::Value;
use std::fs::File;
use std::process::{Child, Command, Stdio};

/// The binary under strace, which refuses `calls`.
pub fn refused(place: &Place, calls: &str, errno: &str, line: &str) -> ProgramOutput {
    let mut command = Command::new("strace");
    command.args(calls::refusing(calls, errno));
    command.arg(env!("CARGO_BIN_EXE_rigel")).args(line.split_whitespace()).current_dir(place.path());
    tell(command.env("XDG_STATE_HOME", place.path()).env_remove("RIGEL_ORION_VERSION"))
}

/// An strace that knows the calls and can refuse them.
pub fn strace() -> Result<(), MissingNeed> {
    let output = Command::new("strace")
        .args(calls::refusing(NEWER, "ENOSYS"))
        .arg("true")
        .output()
        .map_err(|error| MissingNeed::new(format!("strace: {error}")))?;
    output
        .status
        .success()
        .then_some(())
        .ok_or_else(|| MissingNeed::new(String::from_utf8_lossy(&output.stderr)))
}

/// The run took one of these, whichever does more here, and tried no other.
fn assert_engine(place: &Place, engines: &[&str]) {
    let record = place.read("_record.jsonl");
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    let engine = &header["nodes"][0]["engine"];
    let is_one = |kind: &Value| engines.contains(&kind.as_str().unwrap());
    assert!(is_one(&engine["kind"]), "{engine}");
    // Where the first one was too slow under strace to tell anything, it is the only one.
    let tried = engine["trials"]["trials"].as_array().map_or(&[][..], Vec::as_slice);
    assert!(tried.iter().all(|trial| is_one(&trial["engine"])), "{engine}");
}

#[test]
fn a_run_needs_no_call_that_is_newer() {
    let Some(()) = needs("a_run_needs_no_call_that_is_newer", strace()) else { return };
    for (calls, errno) in [(NEWER, "ENOSYS"), (UNKNOWN_TO_PROFILES, "EPERM")] {
        let place = Place::new();
        place.random_file("data", 16 << 20);
        let line = "run simple data --duration 100ms --num-disks 1 --quiet --no-html";
        refused(&place, calls, errno, line).expect_measured();
        assert_engine(&place, &["libaio", "sync"]);
        assert!(!place.read("_summary.txt").is_empty());
        let targets = refused(&place, calls, errno, "targets data").expect_code(0);
        assert!(!targets.stdout.is_empty());
    }
}

/// Without asynchronous I/O too, threads are left, which make a write durable by pwritev2: a few that take I/Os from a queue, or one for
/// each outstanding I/O, whichever does more.
#[test]
fn a_calibration_leaves_out_what_the_kernel_cannot_do() {
    let Some(()) = needs("a_calibration_leaves_out_what_the_kernel_cannot_do", strace()) else { return };
    let place = Place::new();
    let line = "calibrate --scratch-size 64M --budget 20s --no-history --no-html --seed 1";
    let calls = format!("{NEWER},io_setup");
    let whole = place.line(&format!("{line} --dry-run")).expect_code(0).stdout;
    assert!(whole.contains("commits: durable writes"), "{whole}");
    let plan = refused(&place, &calls, "ENOSYS", &format!("{line} --dry-run")).expect_code(0).stdout;
    assert!(flat(&plan).contains("Engine threads, the best one that works here"), "{plan}");
    assert!(plan.contains("nothing else would be written") && !plan.contains("durable"), "{plan}");
    // What is left of it goes without those calls.
    let run = "run simple --scratch-size 16M --num-disks 1 --duration 100ms --quiet --no-html";
    refused(&place, &calls, "ENOSYS", run).expect_measured();
    assert_engine(&place, &["threads", "sync"]);
    // Who names the engine is refused, and told what to do.
    let told = refused(&place, NEWER, "ENOSYS", &format!("{line} --engine threads")).expect_code(3);
    assert!(told.stderr.contains("RWF_DSYNC") && told.stderr.contains("--no-commits"), "{told:?}");
}

/// A process that has a file open for writing, ended on the way out.
struct Holder(Child);

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn who_holds_a_target_is_seen_without_statx() {
    let Some(()) = needs("who_holds_a_target_is_seen_without_statx", strace()) else { return };
    let place = Place::new();
    let file = File::create_new(place.path().join("held")).unwrap();
    file.set_len(16 << 20).unwrap();
    let holder = Command::new("sleep").arg("3600").stdin(Stdio::from(file)).spawn().unwrap();
    let holder = Holder(holder);
    for (calls, errno) in [(NEWER, "ENOSYS"), (UNKNOWN_TO_PROFILES, "EPERM")] {
        let line = "run oltp held --write 50 --duration 100ms --quiet --no-html";
        let told = refused(&place, calls, errno, line).expect_code(3);
        assert!(told.stderr.contains(&format!("{} (sleep)", holder.0.id())), "{told:?}");
    }
}
