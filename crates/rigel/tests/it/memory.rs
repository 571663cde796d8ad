//! Memory is not storage: refused before the run unless it is meant, and then no number of it stands unmarked.

use crate::support::{Place, ProgramOutput, flags, tell};
use rigel_testdev::{LoopDevice, MissingNeed, ZramDevice, needs, random_file};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const POINT: &str = "--matrix point --num-small 2 --num-large 0 --duration 300ms --quiet --no-html";

/// A directory in memory that takes direct I/O, as tmpfs does since Linux 6.6.
fn in_memory() -> Result<TempDir, MissingNeed> {
    let dir = TempDir::new_in("/dev/shm").map_err(MissingNeed::new)?;
    let kind = rustix::fs::statfs(dir.path()).map_err(MissingNeed::new)?.f_type;
    if kind != 0x0102_1994 {
        return Err(MissingNeed::new("/dev/shm is no tmpfs"));
    }
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CREATE | rustix::fs::OFlags::DIRECT;
    let file = dir.path().join("direct");
    rustix::fs::open(&file, flags, rustix::fs::Mode::RUSR).map_err(MissingNeed::new)?;
    std::fs::remove_file(file).map_err(MissingNeed::new)?;
    Ok(dir)
}

/// A mounted overlay with all its layers in one directory; unmounted when dropped.
struct Overlay {
    at: PathBuf,
}

impl Overlay {
    fn on(dir: &Path) -> Result<Self, MissingNeed> {
        let [low, up, work, at] = ["low", "up", "work", "merged"].map(|name| dir.join(name));
        for dir in [&low, &up, &work, &at] {
            std::fs::create_dir(dir).map_err(MissingNeed::new)?;
        }
        random_file(&low.join("data"), 16 * MIB).map_err(MissingNeed::new)?;
        let options =
            format!("lowerdir={},upperdir={},workdir={}", low.display(), up.display(), work.display());
        let mut mount = Command::new("mount");
        let output = mount.args(["-t", "overlay", "-o", &options, "overlay"]).arg(&at).output();
        let output = output.map_err(MissingNeed::new)?;
        match output.status.success() {
            true => Ok(Self { at }),
            false => Err(MissingNeed::new(String::from_utf8_lossy(&output.stderr))),
        }
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).output();
    }
}

fn run_in(place: &Place, dir: &Path, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).current_dir(dir))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The text of the flag MEMORY of the only point; it has to make the number invalid.
fn memory(document: &Value) -> Option<String> {
    let point = &document["points"][0];
    let flag = point["flags"].as_array().unwrap().iter().find(|flag| flag["code"] == "MEMORY")?;
    assert_eq!(flag["invalid"], true, "{flag}");
    Some(flag["text"].as_str().unwrap().to_owned())
}

fn named(place: &Place, target: &Path) -> ProgramOutput {
    let line = format!("run advanced {} {POINT} --json --force --name named", target.display());
    place.line(&line)
}

fn meant(place: &Place, target: &Path) -> ProgramOutput {
    let line =
        format!("run advanced {} {POINT} --json --force --name named --allow-memory", target.display());
    place.line(&line)
}

/// What was asked for is no reason to fail, whatever else this host spoilt.
fn is_no_failure(told: ProgramOutput) -> ProgramOutput {
    let told = told.expect_measured();
    assert!(!told.stderr.contains("MEMORY ("), "{}", told.stderr);
    told
}

#[test]
fn a_scratch_file_in_memory_is_refused_and_nothing_is_left() {
    let name = "a_scratch_file_in_memory_is_refused_and_nothing_is_left";
    let Some(dir) = needs(name, in_memory()) else { return };
    let place = Place::new();
    for line in [
        "calibrate",
        "calibrate --scratch-size 16M --keep-scratch",
        "run simple",
        "run oltp --duration 100ms --scratch-size 16M --buffered",
        "run oltp --dry-run",
    ] {
        let told = run_in(&place, dir.path(), line).expect_code(3);
        assert!(told.stdout.is_empty() && told.stderr.contains(NO_STORAGE), "{told:?}");
        assert!(told.stderr.contains("tmpfs keeps its files in memory"), "{}", told.stderr);
        assert!(
            told.stderr.contains("directory on a disk") && told.stderr.contains("--allow-memory"),
            "{}",
            told.stderr
        );
        assert_eq!(names(dir.path()), [""; 0], "{line}");
    }
    // Outputs may lie in memory, whatever is measured.
    let line = format!("run advanced {POINT} --scratch-size 16M --out {}", dir.path().display());
    let told = place.line(&line);
    assert!(!told.stderr.contains("MEMORY"), "{}", told.stderr);
    assert!(names(dir.path()).iter().any(|name| name.ends_with("_record.jsonl")));
}

#[test]
fn memory_that_was_asked_for_is_measured_and_flagged() {
    let name = "memory_that_was_asked_for_is_measured_and_flagged";
    let Some(dir) = needs(name, in_memory()) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {POINT} --scratch-size 16M --allow-memory --json --out {}",
        place.path().display()
    );
    let told = is_no_failure(run_in(&place, dir.path(), &line));
    let text = memory(&told.json()).unwrap();
    assert_eq!(text, "tmpfs keeps its files in memory; no storage is measured");
    assert_eq!(names(dir.path()), [""; 0], "the scratch file is gone");
    let summary = place.read("_summary.txt");
    let line = summary.lines().find(|line| line.starts_with("Maximum Small IOPS=")).unwrap();
    assert!(line.ends_with(" @ Small=2 and Large=0, not to be used: MEMORY"), "{line}");
    // The record says it all: a report of it is marked as well, and is no run that could fail.
    let record = place.only("_record.jsonl");
    let again = place.rigel(["report", record.to_str().unwrap(), "--format", "json"]).expect_code(0);
    assert!(memory(&again.json()).is_some());
}

/// Refused before anything is measured, without and with `--dry-run`; nothing is left.
fn refused(place: &Place, target: &Path, what: &str, because: &str) {
    for line in [
        format!("run advanced {} {POINT} --name refused", target.display()),
        format!("run advanced {} {POINT} --name refused --dry-run", target.display()),
        format!("calibrate {} --for 60s --quiet", target.display()),
        format!("slo {} --p99 5ms --quiet --name refused", target.display()),
    ] {
        let told = place.line(&line).expect_code(3);
        for part in [what, because, "--allow-memory"] {
            assert!(told.stderr.contains(part), "{line}: {part}: {}", told.stderr);
        }
    }
    assert!(names(place.path()).iter().all(|name| !name.starts_with("refused")), "{:?}", names(place.path()));
}

const NO_STORAGE: &str = "this is memory, not storage";
const CACHED: &str = "this target is only reachable through the page cache, which is memory";

#[test]
fn a_named_file_in_memory_is_refused_unless_memory_is_meant() {
    let name = "a_named_file_in_memory_is_refused_unless_memory_is_meant";
    let Some(dir) = needs(name, in_memory()) else { return };
    let place = Place::new();
    let file = dir.path().join("data");
    random_file(&file, 16 * MIB).unwrap();
    refused(&place, &file, NO_STORAGE, "tmpfs keeps its files in memory");
    // One target on the disk does not save the others, nor does one side the other.
    let disk = place.random_file("disk", 16 * MIB);
    let (file, disk) = (file.display(), disk.display());
    for line in [
        format!("run advanced {disk} {file} {POINT} --name both"),
        format!("versus {disk} --and {file} --for 20s --quiet"),
        format!("versus {file} --and {disk} --for 20s --quiet"),
    ] {
        let told = place.line(&line).expect_code(3);
        assert!(told.stderr.contains(NO_STORAGE) && told.stderr.contains("tmpfs"), "{line}: {}", told.stderr);
    }
    // The page cache of memory is memory.
    let told = place.line(&format!("run advanced {file} {POINT} --buffered")).expect_code(3);
    assert!(told.stderr.contains(NO_STORAGE), "{}", told.stderr);
    let line = format!("run advanced {disk} {file} {POINT} --json --allow-memory --name meant");
    let text = memory(&is_no_failure(place.line(&line)).json()).unwrap();
    assert!(text.starts_with("1 of 2 targets: tmpfs"), "{text}");
    for suffix in ["_record.jsonl", "_summary.txt", "_flags.csv", "_ci.csv"] {
        assert!(place.only_of("meant", suffix).exists(), "{suffix}");
    }
    // What the other commands say.
    let path = format!("{file}");
    let told = place.rigel(["targets", &path]).expect_code(0);
    assert!(told.stdout.contains("memory: tmpfs keeps its files in memory"), "{}", told.stdout);
    let told = place.rigel(["doctor", &path, "--json"]);
    assert!(told.stdout.contains("memory-filesystem"), "{told:?}");
}

#[test]
fn an_overlay_over_memory_is_memory() {
    let name = "an_overlay_over_memory_is_memory";
    let Some(dir) = needs(name, in_memory()) else { return };
    let Some(overlay) = needs(name, Overlay::on(dir.path())) else { return };
    let place = Place::new();
    let wanted = "this overlay has it on tmpfs, which keeps its files in memory";
    let told = run_in(&place, &overlay.at, "calibrate").expect_code(3);
    assert!(told.stderr.contains(NO_STORAGE) && told.stderr.contains(wanted), "{told:?}");
    assert_eq!(names(&overlay.at), ["data"]);
    let file = overlay.at.join("data");
    refused(&place, &file, NO_STORAGE, wanted);
    let told = place.rigel(["doctor", file.to_str().unwrap(), "--json"]);
    assert!(told.stdout.contains("memory-filesystem"), "{told:?}");
}

/// Directly, and with a loop device on top of it.
#[test]
fn loop_devices_over_memory_are_memory() {
    let name = "loop_devices_over_memory_are_memory";
    let Some(dir) = needs(name, in_memory()) else { return };
    let place = Place::new();
    let file = dir.path().join("image");
    random_file(&file, 16 * MIB).unwrap();
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let own = device.path().file_name().unwrap().to_str().unwrap().to_owned();
    let because = format!("{own} is a file on tmpfs, which keeps its files in memory");
    refused(&place, device.path(), NO_STORAGE, &because);
    let wanted = format!("{because}; no storage is measured");
    let document = is_no_failure(meant(&place, device.path())).json();
    assert_eq!(memory(&document).as_ref(), Some(&wanted));
    let record = std::fs::read_to_string(place.only_of("named", "_record.jsonl")).unwrap();
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    let found = &header["targets"][0]["device"]["loop_file"];
    assert_eq!((&found["path"], &found["filesystem"]), (&file.to_str().unwrap().into(), &"tmpfs".into()));
    let Some(above) = needs(name, LoopDevice::attach(device.path(), true)) else { return };
    let told = place.rigel(["targets", above.path().to_str().unwrap(), "--json"]).expect_code(0).json();
    assert_eq!(told["targets"][0]["memory"], wanted.as_str(), "{told}");
}

#[test]
fn a_loop_device_through_the_page_cache_is_refused_and_a_direct_one_is_not() {
    let name = "a_loop_device_through_the_page_cache_is_refused_and_a_direct_one_is_not";
    let place = Place::new();
    let file = place.random_file("image", 16 * MIB);
    {
        let Some(device) = needs(name, LoopDevice::attach(&file, false)) else { return };
        let number = device.path().display();
        refused(&place, device.path(), CACHED, &format!("losetup --direct-io=on {number}"));
        let text = memory(&is_no_failure(meant(&place, device.path())).json()).unwrap();
        assert!(text.contains("through the page cache"), "{text}");
        // The page cache may be measured on purpose.
        let line = format!("run advanced {number} {POINT} --json --force --name cached --buffered");
        assert!(memory(&is_no_failure(place.line(&line)).json()).is_some());
    }
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    assert_eq!(memory(&named(&place, device.path()).json()), None);
}

#[test]
fn zram_is_memory() {
    let Some(zram) = needs("zram_is_memory", ZramDevice::create(16 * MIB + 8192)) else { return };
    zram.fill(zram.size_bytes()).unwrap();
    let place = Place::new();
    let told = named(&place, &zram.path()).expect_code(1);
    assert!(memory(&told.json()).unwrap().contains("is memory (zram)"), "{}", told.stdout);
    let told = place.rigel(["doctor", zram.path().to_str().unwrap(), "--json"]);
    assert!(told.stdout.contains("memory-device"), "{told:?}");
}

/// ORION's lines are found by their beginning; that of a hole says that it is no number.
#[test]
fn a_sparse_file_has_no_line_of_orion_that_stands_unmarked() {
    let place = Place::new();
    let run = |name: &str, file: &Path, code: i32| {
        place.lun(&format!("{name}.lun"), &[file]);
        let line = format!(
            "orion -run advanced -testname {name} -duration 1 -matrix max -num_small 1 -num_large 1 --quiet --no-html"
        );
        let told = place.line(&line).expect_code(code);
        let summary = std::fs::read_to_string(place.only_of(name, "_summary.txt")).unwrap();
        let of = |text: &str| -> Vec<String> {
            let begins = ["Maximum Small IOPS=", "Maximum Large MBPS=", "Minimum Small Latency="];
            let lines = text.lines().filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
            lines.map(str::to_owned).collect()
        };
        let lines = of(&told.stdout);
        assert_eq!((lines.len(), &lines), (3, &of(&summary)), "{}", told.stdout);
        (told.stderr, lines)
    };
    let sparse = place.path().join("sparse");
    std::fs::File::create(&sparse).unwrap().set_len(64 * MIB).unwrap();
    let (stderr, lines) = run("sparse", &sparse, 1);
    assert!(
        lines.iter().all(|line| line.contains(", not to be used: ") && line.contains("ZEROS")),
        "{lines:?}"
    );
    assert!(stderr.contains("no number is usable") && stderr.contains("ZEROS"), "{stderr}");
    assert!(stderr.contains("scratch file"), "what to do: {stderr}");
}

#[test]
fn a_sparse_file_is_told_before_the_load_with_what_to_do() {
    let place = Place::new();
    std::fs::File::create(place.path().join("sparse")).unwrap().set_len(64 * MIB).unwrap();
    let line = "run advanced sparse --matrix point --num-small 4 --num-large 0 --duration 1s --no-html";
    let stderr = place.line(line).expect_code(1).stderr;
    let (before, end) = (stderr.find("note: sparse holds no data"), stderr.find("engine "));
    assert!(before.is_some() && before < end, "{stderr}");
    assert!(stderr.contains("`rigel fill sparse` writes random data"), "{stderr}");
    assert!(stderr.contains("measure on data: ") && !stderr.contains("Measure"), "one sentence: {stderr}");
    assert!(!place.line(&format!("{line} --quiet")).expect_code(1).stderr.contains("holds no data"));
}

/// A simulated device is no storage either, but nobody takes it for one.
#[test]
fn a_simulated_device_is_no_failure() {
    let place = Place::new();
    let told = place
        .line("run advanced --engine sim --matrix point --num-small 2 --num-large 0 --json")
        .expect_code(0);
    let document = told.json();
    assert_eq!(flags(&document["points"][0])[0], "SIMULATED");
    assert_eq!(memory(&document), None);
}
