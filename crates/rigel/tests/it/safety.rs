//! Nothing is lost: what is on a target stays, unless the user named it after seeing the evidence.

use crate::support::{EPOCH, Place, point, tell};
use rigel_testdev::{DeviceSpec, LoopDevice, MissingNeed, TestDevice, needs};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

const WRITE: [&str; 8] = ["--write", "50", "--duration", "100ms", "--engine", "libaio", "--quiet", "--json"];

fn write_to(place: &Place, target: &Path, more: &[&str]) -> crate::support::ProgramOutput {
    let mut arguments = vec!["run", "oltp", target.to_str().unwrap(), "--num-disks", "1"];
    arguments.extend(WRITE);
    arguments.extend(more);
    place.rigel(arguments)
}

#[test]
fn data_is_not_overwritten_without_consent() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let before = fs::read(&target).unwrap();
    let told = write_to(&place, &target, &[]).expect_code(3);
    assert!(told.stderr.contains("--destroy-data") && told.stderr.contains("holds data"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
    // Consent for something else is no consent.
    let other = place.random_file("other.dbf", 8 << 20);
    let told = write_to(&place, &target, &["--destroy-data", other.to_str().unwrap()]).expect_code(2);
    assert!(told.stderr.contains("not a target of this run"), "{}", told.stderr);
    let told = write_to(&place, &target, &["--destroy-data", place.path().to_str().unwrap()]).expect_code(2);
    assert!(told.stderr.contains("not a target of this run"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
}

#[test]
fn consent_by_any_name_of_the_target_writes() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let link = place.path().join("by-another-name");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let before = fs::read(&target).unwrap();
    let document =
        write_to(&place, &target, &["--destroy-data", link.to_str().unwrap()]).expect_measured().json();
    assert!(point(&document, 20, 0)["classes"]["small"]["writes"].as_u64().unwrap() > 0);
    let after = fs::read(&target).unwrap();
    assert_eq!(after.len(), before.len(), "its size stays");
    assert_ne!(after, before);
}

#[test]
fn a_file_that_was_never_written_needs_no_consent() {
    let place = Place::new();
    let target = place.path().join("new.dbf");
    fs::File::create(&target).unwrap().set_len(8 << 20).unwrap();
    // Reads of what it does not hold yet are worth nothing, and the run says so.
    write_to(&place, &target, &[]).expect_unusable("ZEROS");
    // Now it holds what the run wrote.
    write_to(&place, &target, &[]).expect_code(3);
}

#[test]
fn orions_write_needs_the_same_consent() {
    let place = Place::new();
    let target = place.random_file("lun1", 8 << 20);
    place.lun("w.lun", &[&target]);
    let before = fs::read(&target).unwrap();
    let line =
        "orion -run advanced -testname w -write 100 -matrix point -num_small 2 -num_large 1 -duration 1";
    let told = place.line(line).expect_code(3);
    assert!(told.stderr.contains("--destroy-data"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
    place.line(&format!("{line} --destroy-data lun1")).expect_measured();
    assert_ne!(fs::read(&target).unwrap(), before);
}

#[test]
fn reading_changes_nothing() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let before = fs::read(&target).unwrap();
    for engine in ["io_uring", "libaio", "sync", "threads"] {
        let line =
            format!("run simple table.dbf --duration 100ms --engine {engine} --name {engine} --no-html");
        place.line(&line).expect_measured();
        assert_eq!(fs::read(&target).unwrap(), before);
    }
}

pub fn filesystem_on_a_loop_device(place: &Place) -> Result<LoopDevice, MissingNeed> {
    let image = place.path().join("image");
    fs::File::create(&image).map_err(MissingNeed::new)?.set_len(32 << 20).map_err(MissingNeed::new)?;
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status().map_err(MissingNeed::new)?;
    if !made.success() {
        return Err(MissingNeed::new("mkfs.ext4 failed"));
    }
    LoopDevice::attach(&image, true)
}

/// Unmounts on the way out, whatever happened.
pub struct MountedDir(PathBuf);

impl Drop for MountedDir {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

impl MountedDir {
    pub fn point(&self) -> &Path {
        &self.0
    }
}

pub fn mount(device: &Path, place: &Place) -> Result<MountedDir, MissingNeed> {
    mount_with(device, place, "defaults")
}

pub fn mount_with(device: &Path, place: &Place, options: &str) -> Result<MountedDir, MissingNeed> {
    let point = place.path().join("mnt");
    fs::create_dir(&point).map_err(MissingNeed::new)?;
    let mut command = Command::new("mount");
    let mounted = command.args(["-o", options]).arg(device).arg(&point).status().map_err(MissingNeed::new)?;
    if mounted.success() { Ok(MountedDir(point)) } else { Err(MissingNeed::new("mount failed")) }
}

#[test]
fn a_mounted_device_is_refused_whatever_is_said() {
    let name = "a_mounted_device_is_refused_whatever_is_said";
    let place = Place::new();
    let Some(device) = needs(name, filesystem_on_a_loop_device(&place)) else { return };
    let path = device.path().to_str().unwrap().to_owned();
    let told = write_to(&place, device.path(), &[]).expect_code(3);
    assert!(told.stderr.contains("ext4"), "the evidence is shown: {}", told.stderr);
    let Some(_mounted) = needs(name, mount(device.path(), &place)) else { return };
    let image = place.path().join("image");
    let superblock = || {
        let mut block = [0; 1024];
        fs::File::open(&image).unwrap().read_exact_at(&mut block, 1024).unwrap();
        block[56..58].to_vec()
    };
    let before = superblock();
    for consent in [path.as_str(), image.to_str().unwrap()] {
        let told = write_to(&place, device.path(), &["--destroy-data", consent]);
        assert!([2, 3].contains(&told.code), "{told:?}");
    }
    let told = write_to(&place, device.path(), &["--destroy-data", &path]).expect_code(3);
    assert!(told.stderr.contains("mounted"), "{}", told.stderr);
    // A dry run does not promise what the run would not do.
    let told = place.rigel(["run", "oltp", &path, "--write", "50", "--destroy-data", &path, "--dry-run"]);
    let told = told.expect_code(3);
    assert!(told.stdout.contains("This run would be refused") && told.stdout.contains("mounted"), "{told:?}");
    // A dry run that only reads says who will be slow.
    let told = place.rigel(["run", "oltp", &path, "--dry-run"]).expect_code(0).stdout;
    assert!(told.contains("is in use (") && told.contains("will be slow"), "{told}");
    // The file under the device is in use as well.
    let told = write_to(&place, &image, &["--destroy-data", image.to_str().unwrap()]).expect_code(3);
    assert!(told.stderr.contains("loop"), "{}", told.stderr);
    assert_eq!(superblock(), before);
    // Reading it is fine, though the loop device answers from memory.
    place.rigel(["run", "simple", &path, "--duration", "100ms"]).expect_code(1);
}

#[test]
fn a_scratch_file_of_ours_is_written_and_removed() {
    let place = Place::new();
    let line = "run advanced --scratch-size 16M --no-html --write 100 --matrix point --num-small 4 --num-large 0 --duration 200ms";
    place.line(line).expect_measured();
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "{:?}", place.files());
    // Kept, it is recognised by the next run, even after it was written to.
    place.line(&format!("{line} --keep-scratch")).expect_measured();
    assert!(place.files().contains(&"rigel-scratch.dat".to_owned()));
    let told = place.line(line).expect_measured();
    assert!(told.stderr.contains("is reused"), "{}", told.stderr);
    // What only has the name is left alone.
    fs::write(place.path().join("rigel-scratch.dat"), "my own data").unwrap();
    place.line(line).expect_code(3);
    assert_eq!(fs::read_to_string(place.path().join("rigel-scratch.dat")).unwrap(), "my own data");
}

const SCRATCH: &str = "run advanced --scratch-size 16M --matrix point --num-small 4 --num-large 0";

/// Starts a run and waits until it told something.
fn start_until(place: &Place, line: &str, words: &str) -> (Child, BufReader<ChildStderr>) {
    let mut command = place.command();
    let command = command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains(words) {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too early: {told}");
    }
    (child, stderr)
}

/// Sends SIGINT, and gives the exit code and what was told from then on.
fn interrupt(mut child: Child, mut stderr: BufReader<ChildStderr>) -> (Option<i32>, String) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), told)
}

/// Names of the scratch files that are there.
fn scratch_files(place: &Place) -> Vec<String> {
    place.files().into_iter().filter(|name| name.starts_with("rigel-scratch")).collect()
}

#[test]
fn a_killed_run_leaves_a_scratch_file_that_the_next_run_uses_and_removes() {
    for write in ["0", "100"] {
        let place = Place::new();
        let line = format!("{SCRATCH} --write {write}");
        let (mut child, _stderr) = start_until(&place, &format!("{line} --duration 30s"), "about");
        std::thread::sleep(std::time::Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(scratch_files(&place), ["rigel-scratch.dat"]);
        let told = place.line(&format!("{line} --duration 200ms")).expect_measured();
        assert!(told.stderr.contains("is reused, removed afterwards"), "{}", told.stderr);
        assert!(scratch_files(&place).is_empty(), "{:?}", place.files());
    }
}

#[test]
fn two_runs_in_one_directory_do_not_share_a_scratch_file() {
    let place = Place::new();
    let (child, stderr) = start_until(&place, &format!("{SCRATCH} --write 50 --duration 30s"), "about");
    let told = place.line(&format!("{SCRATCH} --write 50 --duration 200ms --name second")).expect_measured();
    assert!(told.stderr.contains("rigel-scratch-2.dat"), "{}", told.stderr);
    assert_eq!(scratch_files(&place), ["rigel-scratch.dat"], "the first one's is still there");
    // Named as a target it is in use, and with consent it is still locked.
    let line = "run oltp rigel-scratch.dat --write 50 --duration 100ms --name third";
    let told = place.line(line).expect_code(3);
    assert!(told.stderr.contains("open in") && told.stderr.contains("(rigel)"), "{}", told.stderr);
    let told = place.line(&format!("{line} --destroy-data rigel-scratch.dat")).expect_code(3);
    assert!(told.stderr.contains("locked"), "{}", told.stderr);
    assert_eq!(interrupt(child, stderr).0, Some(4));
    assert!(scratch_files(&place).is_empty());
}

#[test]
fn a_scratch_file_that_cannot_be_put_away_does_not_hide_the_end_of_the_run() {
    let place = Place::new();
    let away = |place: &Place| {
        fs::rename(place.path().join("rigel-scratch.dat"), place.path().join("moved")).unwrap();
        fs::write(place.path().join("rigel-scratch.dat"), "mine").unwrap();
    };
    let (child, stderr) = start_until(&place, &format!("{SCRATCH} --duration 30s"), "about");
    away(&place);
    let (code, told) = interrupt(child, stderr);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("stopped") && told.contains("note: another file took the name"), "{told}");
    assert_eq!(fs::read_to_string(place.path().join("rigel-scratch.dat")).unwrap(), "mine");
    // A run that went well ends with that problem, and its outputs stay.
    fs::remove_file(place.path().join("rigel-scratch.dat")).unwrap();
    let (mut child, mut stderr) =
        start_until(&place, &format!("{SCRATCH} --duration 1s --name well"), "about");
    away(&place);
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{told}");
    assert!(told.contains("error: another file took the name"), "{told}");
    assert!(place.files().iter().any(|name| name.starts_with("well_") && name.ends_with("_summary.txt")));
}

/// On a new device whose middle takes long to be read.
#[test]
fn ctrl_c_while_looking_for_data_ends_it_with_nothing_left() {
    let mounted = TestDevice::mount_blank(DeviceSpec { size_bytes: 256 << 20, ..DeviceSpec::default() });
    let Some(device) = needs("ctrl_c_while_looking_for_data_ends_it_with_nothing_left", mounted) else {
        return;
    };
    device.command(&format!("slow {} {} 200000", 16 << 20, 224 << 20)).unwrap();
    let place = Place::new();
    let line = format!("run oltp {} --write 50 --num-disks 1", device.disk().display());
    let (child, stderr) = start_until(&place, &line, "looking for data");
    let (code, told) = interrupt(child, stderr);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("nothing was measured"), "{told}");
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn a_stray_consent_is_told_before_the_fill() {
    let place = Place::new();
    place.random_file("data", 1 << 20);
    let told = place.line(&format!("{SCRATCH} --write 50 --destroy-data data")).expect_code(2);
    assert!(told.stderr.contains("--destroy-data"), "{}", told.stderr);
    assert!(!told.stderr.contains("filling"), "{}", told.stderr);
    assert_eq!(place.files(), ["data"]);
}

#[test]
fn a_symlink_in_place_of_an_output_is_not_followed() {
    let place = Place::new();
    let victim = place.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, place.path().join("l_20260101_1200_summary.txt")).unwrap();
    std::os::unix::fs::symlink(&victim, place.path().join("l_20260101_1200_record.jsonl")).unwrap();
    let line = "run oltp --engine sim --duration 1s --name l --seed 1";
    let _ = tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH));
    let _ =
        tell(place.command().args(line.split_whitespace()).arg("--force").env("SOURCE_DATE_EPOCH", EPOCH));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}
