//! What is measured changes under the run: it is told beside the numbers, or the run ends in order.
//!
//! Each run is stopped (SIGSTOP) once its first point is on disk, the change is made, and it goes on: no visit but the
//! second one can be under both conditions, however slow the machine is.

use crate::stop::{signal, start_until};
use crate::support::{Place, ProgramOutput, flags, point};
use rigel_testdev::{BlkioCap, CapLimits, LoopDevice, MissingNeed, ZramDevice, needs};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// What a change is seen by does not depend on the engine; what becomes of the I/O does.
const ENGINES: [&str; 3] = ["io_uring", "libaio", "threads"];
const MIB: u64 = 1 << 20;
const SIZE: u64 = 16 * MIB;
/// Levels 1 to 5 of small I/O.
const POINTS: &str = "--matrix row --num-large 0 --num-disks 1 --duration 300ms --workers 1 --json";

/// Runs until the first point is on disk, changes something, and lets it end.
fn under(place: &Place, line: &str, change: impl FnOnce(&Child)) -> ProgramOutput {
    let (mut child, mut stderr) = start_until(place, &format!("run advanced {line} {POINTS}"), "point 1 ");
    signal(&child, "-STOP");
    change(&child);
    signal(&child, "-CONT");
    let (mut rest, mut stdout) = (String::new(), String::new());
    stderr.read_to_string(&mut rest).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    ProgramOutput { code: child.wait().unwrap().code().unwrap_or(-1), stdout, stderr: rest }
}

/// The findings of a run that goes on after the change. Its first point is a good one.
fn measured_under(place: &Place, line: &str, change: impl FnOnce(&Child)) -> Value {
    under(place, line, change).expect_code_of_flags()
}

/// The flag of that code beside a point: its text, and whether it makes the number invalid.
fn flag(point: &Value, code: &str) -> Option<(String, bool)> {
    let flag = point["flags"].as_array().unwrap().iter().find(|flag| flag["code"] == code)?;
    Some((flag["text"].as_str().unwrap().to_owned(), flag["invalid"] == true))
}

/// The last point as it has to be after a change: the first one knows nothing of it, the last one has `text`.
fn last_point<'a>(document: &'a Value, text: &str, invalid: bool) -> &'a Value {
    assert!(flag(point(document, 1, 0), "CHANGED").is_none(), "{document}");
    let last = point(document, 5, 0);
    let found = flag(last, "CHANGED").unwrap_or_else(|| panic!("no flag: {last}"));
    assert!(found.0.contains(text), "{text}: {found:?}");
    assert_eq!(found.1, invalid, "{found:?}");
    let of_run = document["flags"].as_array().unwrap().iter().any(|flag| flag["code"] == "CHANGED");
    assert!(of_run, "{document}");
    last
}

fn reads(point: &Value) -> u64 {
    point["classes"]["small"]["reads"].as_u64().unwrap()
}

/// Reads of all points but the first: storage may stand still during one of them.
fn later_reads(document: &Value) -> u64 {
    (2..=5).map(|level| reads(point(document, level, 0))).sum()
}

pub fn set_len(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn reads_behind_the_end_of_a_file_that_was_cut_do_not_count() {
    for engine in ENGINES {
        let place = Place::new();
        let target = place.random_file("data", SIZE);
        let document =
            measured_under(&place, &format!("data --engine {engine}"), |_| set_len(&target, SIZE / 2));
        let last = last_point(&document, "has 8388608 bytes, not 16777216", true);
        let (errors, _) = flag(last, "ERRORS").unwrap_or_else(|| panic!("{engine}: {last}"));
        assert!(errors.contains("fewer bytes"), "{engine}: {errors}");
        // Half of the offsets are behind the end; were they counted, there would be no errors.
        let (failed, reads) = (last["classes"]["small"]["errors"].as_u64().unwrap(), reads(last));
        assert!(failed > reads / 4, "{engine}: {failed} errors, {reads} reads");
    }
}

#[test]
fn a_file_cut_to_nothing_ends_the_run() {
    for engine in ENGINES {
        let place = Place::new();
        let target = place.random_file("data", SIZE);
        let told = under(&place, &format!("data --engine {engine}"), |_| set_len(&target, 0)).expect_code(4);
        assert!(told.stderr.contains("every I/O of the point"), "{engine}: {}", told.stderr);
        assert!(told.stderr.contains("data has 0 bytes, not 16777216"), "{engine}: {}", told.stderr);
        let document = told.json();
        let last = document["points"].as_array().unwrap().last().unwrap();
        assert!(flags(last).contains(&"CHANGED"), "{engine}: {last}");
        assert_ne!(last["levels"]["small"], 5, "{engine}: the run ended at once");
    }
}

/// Holes are read as zeros, fast and without an error.
#[test]
fn a_file_cut_and_grown_again_is_seen() {
    let place = Place::new();
    let target = place.random_file("data", SIZE);
    let change = |_: &Child| [0, SIZE].into_iter().for_each(|bytes| set_len(&target, bytes));
    let document = measured_under(&place, "data", change);
    let last = last_point(&document, "still allocated", true);
    assert!(flag(last, "ZEROS").is_some_and(|(_, invalid)| invalid), "{last}");
}

#[test]
fn a_deleted_file_is_measured_to_the_end_and_it_is_said() {
    let place = Place::new();
    let target = place.random_file("data", SIZE);
    let change = |_: &Child| fs::remove_file(&target).unwrap();
    let document = measured_under(&place, "data", change);
    let last = last_point(&document, "was deleted", false);
    assert!(!flags(last).contains(&"ERRORS") && later_reads(&document) > 0, "{last}");
}

/// The file at the path is of zeros; the one that was open is still the one that is read.
#[test]
fn a_file_that_another_one_took_the_place_of_is_measured_to_the_end_and_it_is_said() {
    let place = Place::new();
    let target = place.random_file("data", SIZE);
    let other = place.path().join("other");
    File::create(&other).unwrap().set_len(SIZE).unwrap();
    let change = |_: &Child| fs::rename(&other, &target).unwrap();
    let document = measured_under(&place, "data", change);
    let last = last_point(&document, "a different file or device now", false);
    assert!(!flags(last).contains(&"ERRORS") && !flags(last).contains(&"ZEROS"), "{last}");
}

/// Writes grow it again, so that its size alone would soon tell nothing.
#[test]
fn a_file_that_is_cut_while_it_is_written_is_seen() {
    let place = Place::new();
    let target = place.random_file("data", SIZE);
    let document = measured_under(&place, "data --write 50 --destroy-data data", |_| set_len(&target, 0));
    let second = point(&document, 2, 0);
    let (text, invalid) = flag(second, "CHANGED").unwrap_or_else(|| panic!("{second}"));
    assert!(invalid && (text.contains("bytes, not") || text.contains("allocated")), "{text}");
}

#[test]
fn a_detached_loop_device_stays_until_the_run_ends() {
    let name = "a_detached_loop_device_stays_until_the_run_ends";
    let place = Place::new();
    let file = place.random_file("data", SIZE);
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let line = format!("{}", device.path().display());
    let document = measured_under(&place, &line, |_| device.detach());
    for level in 1..=5 {
        let found = point(&document, level, 0);
        assert!(!flags(found).contains(&"ERRORS"), "{found}");
    }
    assert!(later_reads(&document) > 0, "{document}");
}

/// With direct I/O the loop device fails reads of what is not there any more; through the page cache it may answer zeros.
#[test]
fn a_loop_device_whose_file_was_cut_is_no_good_number() {
    let name = "a_loop_device_whose_file_was_cut_is_no_good_number";
    for direct in [true, false] {
        let place = Place::new();
        let file = place.random_file("data", SIZE);
        let Some(device) = needs(name, LoopDevice::attach(&file, direct)) else { return };
        let cached = if direct { "" } else { "--allow-memory" };
        let line = format!("{} {cached}", device.path().display());
        let document = measured_under(&place, &line, |_| set_len(&file, SIZE / 2));
        let last = point(&document, 5, 0);
        let told = flags(last).contains(&"ERRORS") || flag(last, "ZEROS").is_some_and(|(_, invalid)| invalid);
        assert!(told, "direct {direct}: {last}");
    }
}

#[test]
fn a_device_that_shrank_is_seen() {
    let name = "a_device_that_shrank_is_seen";
    let place = Place::new();
    let file = place.random_file("data", SIZE);
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let line = format!("{}", device.path().display());
    let document = measured_under(&place, &line, |_| {
        set_len(&file, SIZE / 2);
        let mut look_again = Command::new("losetup");
        assert!(look_again.arg("--set-capacity").arg(device.path()).status().unwrap().success());
    });
    let last = last_point(&document, "has 8388608 bytes, not 16777216", true);
    assert!(flags(last).contains(&"ERRORS"), "{last}");
}

/// A filesystem of its own in a file; unmounted when dropped.
pub struct LoopMount {
    directory: PathBuf,
    /// Behind the directory, so that it is detached after it was unmounted.
    _device: Option<LoopDevice>,
}

impl LoopMount {
    /// On a loop device that reads and writes its file directly.
    pub fn ext4(place: &Place, bytes: u64) -> Result<Self, MissingNeed> {
        let image = place.path().join("image");
        File::create(&image).and_then(|file| file.set_len(bytes)).map_err(MissingNeed::new)?;
        run(Command::new("mkfs.ext4").arg("-q").arg(&image))?;
        let device = LoopDevice::attach(&image, true)?;
        let directory = Self::at(place, &[], device.path())?;
        Ok(Self { directory, _device: Some(device) })
    }

    pub fn tmpfs(place: &Place, bytes: u64) -> Result<Self, MissingNeed> {
        let options = ["-t", "tmpfs", "-o", &format!("size={bytes}")];
        Ok(Self { directory: Self::at(place, &options, Path::new("none"))?, _device: None })
    }

    fn at(place: &Place, options: &[&str], what: &Path) -> Result<PathBuf, MissingNeed> {
        let directory = place.path().join("mounted");
        fs::create_dir(&directory).map_err(MissingNeed::new)?;
        run(Command::new("mount").args(options).arg(what).arg(&directory))?;
        Ok(directory)
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Mounts it again with other options.
    fn remount(&self, options: &str) {
        run(Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.directory)).unwrap();
    }
}

impl Drop for LoopMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.directory).status();
    }
}

fn run(command: &mut Command) -> Result<(), MissingNeed> {
    let output = command.output().map_err(|error| MissingNeed::new(format!("{command:?}: {error}")))?;
    let told = || MissingNeed::new(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    output.status.success().then_some(()).ok_or_else(told)
}

#[test]
fn a_filesystem_that_becomes_read_only_is_said_and_reads_go_on() {
    let name = "a_filesystem_that_becomes_read_only_is_said_and_reads_go_on";
    let place = Place::new();
    let Some(mounted) = needs(name, LoopMount::ext4(&place, 64 * MIB)) else { return };
    let target = mounted.directory.join("data");
    rigel_testdev::random_file(&target, SIZE).unwrap();
    // The loop device below the filesystem goes through the page cache.
    let line = format!("{} --allow-memory", target.display());
    let document = measured_under(&place, &line, |_| mounted.remount("ro"));
    let last = last_point(&document, "became read-only", false);
    assert!(!flags(last).contains(&"ERRORS") && later_reads(&document) > 0, "{last}");
}

/// As after an error in its journal: ext4 refuses every write from then on.
#[test]
fn a_filesystem_that_gives_up_under_writes_ends_the_run() {
    let name = "a_filesystem_that_gives_up_under_writes_ends_the_run";
    let place = Place::new();
    let Some(mounted) = needs(name, LoopMount::ext4(&place, 64 * MIB)) else { return };
    let target = mounted.directory.join("data");
    rigel_testdev::random_file(&target, SIZE).unwrap();
    let path = target.display();
    let line = format!("{path} --write 100 --destroy-data {path}");
    let told = under(&place, &line, |_| mounted.remount("abort")).expect_code(4);
    assert!(told.stderr.contains("every I/O of the point"), "{}", told.stderr);
    let document = told.json();
    let last = document["points"].as_array().unwrap().last().unwrap();
    assert!(flag(last, "ERRORS").is_some_and(|(text, _)| text.contains("write")), "{last}");
}

/// The second visit is under both limits, all later ones under the new one alone.
#[test]
fn a_limit_that_changes_is_seen() {
    let name = "a_limit_that_changes_is_seen";
    let place = Place::new();
    let Some(zram) = needs(name, ZramDevice::create(SIZE)) else { return };
    zram.fill(SIZE).unwrap();
    let limits = |iops| CapLimits { read_iops: Some(iops), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits(5000))) else { return };
    let line = format!("{} --allow-memory", zram.path().display());
    let document = measured_under(&place, &line, |child| {
        cap.enter(child.id()).unwrap();
        cap.change(limits(400)).unwrap();
    });
    let last = last_point(&document, "riops=400, before: none", false);
    assert!(last["classes"]["small"]["iops"]["value"].as_f64().unwrap() < 1000.0, "{last}");
    let second = flag(point(&document, 2, 0), "CHANGED");
    assert!(second.is_some_and(|(_, invalid)| invalid), "{document}");
}

/// Writes until nothing more fits, then gives `left` bytes back.
pub fn fill_up(directory: &Path, left: u64) {
    let mut file = File::create(directory.join("filler")).unwrap();
    let chunk = [1u8; 4096];
    let mut bytes = 0u64;
    while file.write_all(&chunk).is_ok() {
        bytes += chunk.len() as u64;
    }
    file.set_len(bytes.saturating_sub(left)).unwrap();
}

#[test]
fn a_disk_that_is_full_before_the_record_ends_leaves_a_whole_record() {
    let name = "a_disk_that_is_full_before_the_record_ends_leaves_a_whole_record";
    let place = Place::new();
    let Some(mounted) = needs(name, LoopMount::tmpfs(&place, 8 * MIB)) else { return };
    place.random_file("data", SIZE);
    let line = format!("data --out {}", mounted.directory.display());
    let told = under(&place, &line, |_| fill_up(&mounted.directory, 0)).expect_code(4);
    assert!(told.stderr.contains("the record cannot be written"), "{}", told.stderr);
    assert!(told.stderr.contains("full") && told.stderr.contains("--out"), "{}", told.stderr);
    fs::remove_file(mounted.directory.join("filler")).unwrap();
    let names = fs::read_dir(&mounted.directory).unwrap().map(|entry| entry.unwrap().path());
    let record = names.into_iter().find(|path| path.to_string_lossy().ends_with("_record.jsonl")).unwrap();
    let again = place.line(&format!("report {} --format json", record.display())).expect_code(0).json();
    assert!(reads(point(&again, 1, 0)) > 0, "{again}");
    assert_eq!(again["run"]["complete"], false);
}

/// The record still fits, the outputs do not: nothing of them is left half written.
#[test]
fn a_disk_that_is_full_for_the_outputs_is_told_and_the_record_is_whole() {
    let name = "a_disk_that_is_full_for_the_outputs_is_told_and_the_record_is_whole";
    let place = Place::new();
    let Some(mounted) = needs(name, LoopMount::tmpfs(&place, 8 * MIB)) else { return };
    place.random_file("data", SIZE);
    let line = format!("data --out {}", mounted.directory.display());
    let told = under(&place, &line, |_| fill_up(&mounted.directory, 256 << 10));
    assert!(told.code != 0 && told.stderr.contains("full"), "{}: {}", told.code, told.stderr);
    let files: Vec<PathBuf> =
        fs::read_dir(&mounted.directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let record = files.iter().find(|path| path.to_string_lossy().ends_with("_record.jsonl")).unwrap();
    let text = fs::read_to_string(record).unwrap();
    assert!(text.ends_with("}\n") && text.contains("\"complete\":true"), "{}", told.stderr);
    assert!(!files.iter().any(|path| path.to_string_lossy().ends_with(".html")), "{files:?}");
}
