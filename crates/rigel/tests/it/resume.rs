//! `rigel run --resume`: a run that was killed ends as if it had not been, and goes on with nothing but itself.

use crate::stop::{signal, start_until, start_until_record};
use crate::support::{EPOCH, Place, ProgramOutput, RECORD, SAME, point, tell};
use rigel_core::load::draw::Generator;
use rigel_core::record::Record;
use rigel_testdev::{MissingNeed, needs};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn simulated(place: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigel"));
    command.current_dir(place).args(arguments).args(["--quiet", "--no-html"]).env("SOURCE_DATE_EPOCH", EPOCH);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn resume(place: &Path) -> Command {
    simulated(place, &["run", "--resume", RECORD])
}

/// The record without the lines that say where the run went on, and without what the host did at its start (free memory,
/// asynchronous I/Os of others).
pub fn undisturbed(place: &Path) -> Vec<u8> {
    let bytes = fs::read(place.join(RECORD)).unwrap();
    let resumed = |line: &&[u8]| line.starts_with(br#"{"line":"resumed""#);
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| !resumed(line));
    let mut header: serde_json::Value = serde_json::from_slice(lines.next().unwrap()).unwrap();
    header["nodes"][0]["host"].take();
    header.to_string().into_bytes().into_iter().chain(lines.flatten().copied()).collect()
}

/// An undisturbed run, what it left, and how long it took.
struct UndisturbedRun {
    place: Place,
    arguments: Vec<&'static str>,
    record: Vec<u8>,
    /// See [`undisturbed`].
    compared: Vec<u8>,
    took: Duration,
}

impl UndisturbedRun {
    fn run(line: &'static str) -> Self {
        let (place, arguments) = (Place::in_memory(), line.split_whitespace().collect::<Vec<_>>());
        let began = Instant::now();
        assert!(simulated(place.path(), &arguments).status().unwrap().success());
        let took = began.elapsed();
        let record = fs::read(place.path().join(RECORD)).unwrap();
        let compared = undisturbed(place.path());
        Self { place, arguments, record, compared, took }
    }

    /// Another directory ends with the same.
    fn is_like(&self, other: &Place) {
        let (mine, theirs) = (&self.compared, undisturbed(other.path()));
        let at = mine.iter().zip(&theirs).take_while(|(mine, theirs)| mine == theirs).count();
        let near = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[at.saturating_sub(80)..bytes.len().min(at + 80)]).into_owned()
        };
        assert!(*mine == theirs, "byte {at}: {} is now {}", near(mine), near(&theirs));
        // An open loop has no small or large I/O, so it leaves no file of ORION that is about them.
        let is_there = |suffix: &&&str| self.place.files().iter().any(|name| name.ends_with(**suffix));
        for suffix in SAME.iter().filter(is_there) {
            assert_eq!(other.read(suffix), self.place.read(suffix), "{suffix}");
        }
    }
}

#[test]
fn an_open_loop_goes_on_to_the_same_bytes() {
    let whole = UndisturbedRun::run(
        "run open --rate 200,400 --engine sim:servers=1,service=2ms,rate=0 --seed 5 --fast",
    );
    let first = whole.record.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for part in 0..4 {
        let place = Place::in_memory();
        let cut = first + (whole.record.len() - first) * part / 4;
        fs::write(place.path().join(RECORD), &whole.record[..cut]).unwrap();
        assert!(resume(place.path()).status().unwrap().success(), "cut at {cut}");
        whole.is_like(&place);
    }
}

#[test]
fn wherever_a_record_ends_the_run_goes_on_to_the_same_bytes() {
    let whole = UndisturbedRun::run(
        "run simple --engine sim:servers=2,service=4ms,rate=0,between=2% --seed 5 --fast",
    );
    let first = whole.record.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let cuts = (0..12).map(|part| first + (whole.record.len() - first) * part / 12);
    for cut in cuts.chain([whole.record.len() - 1, whole.record.len()]) {
        let place = Place::in_memory();
        fs::write(place.path().join(RECORD), &whole.record[..cut]).unwrap();
        assert!(resume(place.path()).status().unwrap().success(), "cut at {cut}");
        whole.is_like(&place);
        let goes_on = cut < whole.record.len();
        assert_eq!(place.read("_summary.txt").contains("RESUMED"), goes_on, "cut at {cut}");
        assert_eq!(place.read("_flags.csv").contains("RESUMED"), goes_on, "cut at {cut}");
    }
}

/// Starts a command and kills it after a while, when it has not ended before; whether it was killed.
fn killed(mut command: Command, after: Duration) -> bool {
    let mut child = command.spawn().unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// `RIGEL_KILLS` kills of the real binary, 4 unless it is set: a third of them hit the run that goes on.
#[test]
fn killed_at_any_moment_it_ends_as_if_it_had_not_been() {
    let kills = std::env::var("RIGEL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let runs = [
        UndisturbedRun::run(
            "run normal --engine sim:servers=4,service=2ms,rate=0 --seed 5 --duration 2s --num-disks 4",
        ),
        UndisturbedRun::run(
            "run simple --levels auto --engine sim:servers=4,service=2ms,rate=0,between=2% --seed 5",
        ),
    ];
    let (mut generator, mut hits, mut behind_visits) = (Generator::new(1, &[]), 0, 0);
    // One that came before the first visit leaves nothing to go on behind.
    while hits < kills || behind_visits == 0 {
        let whole = &runs[usize::try_from(generator.below(2)).unwrap()];
        let place = Place::in_memory();
        let moment = |generator: &mut Generator| whole.took.mul_f64(generator.unit());
        hits += u32::from(killed(simulated(place.path(), &whole.arguments), moment(&mut generator)));
        while place.path().join(RECORD).exists() && generator.below(3) == 0 {
            hits += u32::from(killed(resume(place.path()), moment(&mut generator)));
        }
        let begun = fs::read(place.path().join(RECORD)).is_ok_and(|bytes| bytes.contains(&b'\n'));
        if !begun {
            // Killed before its first line was whole: there is nothing to go on with, and the program says so.
            assert!(!resume(place.path()).status().unwrap().success());
            continue;
        }
        behind_visits += u32::from(
            !Record::read(&fs::read(place.path().join(RECORD)).unwrap()).unwrap().visits.is_empty(),
        );
        assert!(resume(place.path()).status().unwrap().success());
        whole.is_like(&place);
        // With `--nocapture`, for those who wait for hundreds.
        println!("{hits} of {kills} kills");
    }
    println!("{hits} kills, {behind_visits} records with visits, 0 differences");
}

/// The levels with loads of their own, cut inside a line, as a kill would.
#[test]
fn every_level_goes_on_to_the_same_bytes() {
    for (name, line) in [
        ("zones", "run zones --places 4 --engine sim:slope=30%,between=2%"),
        ("streams", "run streams --readers 1,2,4 --engine sim:between=2%"),
        ("commit", "run commit --engine sim:servers=2,service=1ms,rate=0,flush=1ms,between=2% --writers 1,3"),
        ("open", "run open --rate 500,1000 --engine sim:servers=2,service=1ms,rate=0,between=2%"),
    ] {
        let place = Place::in_memory();
        let begin = format!("{line} --seed 7 --no-html --name {name}");
        let run = |line: &str| {
            let mut command = place.command();
            command.env("SOURCE_DATE_EPOCH", EPOCH).args(line.split_whitespace());
            tell(&mut command).expect_code(0);
        };
        run(&begin);
        let record = place.only("_record.jsonl");
        let whole = fs::read(&record).unwrap();
        let ends = whole.iter().enumerate().filter(|one| *one.1 == b'\n').map(|one| one.0 + 1);
        let ends: Vec<usize> = ends.collect();
        assert!(ends.len() > 6, "{name}: {} lines", ends.len());
        fs::write(&record, &whole[..ends[ends.len() / 2] + 20]).unwrap();
        run(&format!("run --no-html --resume {}", record.display()));
        let again = fs::read(&record).unwrap();
        let visits = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.lines().filter(|line| line.contains("\"tallies\"")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(visits(&again), visits(&whole), "{name}");
    }
}

/// Starts a run on a file and kills it when its first point is on disk.
fn killed_on_a_file(place: &Place, line: &str) -> PathBuf {
    let line = format!("{line} --no-html");
    let (mut child, _stderr) = start_until_record(place, &line, |record| !record.visits.is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    place.only("_record.jsonl")
}

fn go_on(place: &Place, record: &Path, more: &[&str]) -> ProgramOutput {
    tell(place.command().args(["run", "--no-html", "--resume"]).arg(record).args(more))
}

#[test]
fn a_real_run_goes_on_behind_its_visits() {
    for engine in ["io_uring", "libaio", "sync", "threads"] {
        let place = Place::new();
        place.random_file("data", 16 << 20);
        let line = format!("run simple data --duration 200ms --engine {engine}");
        let record = killed_on_a_file(&place, &line);
        let before = fs::read(&record).unwrap();
        let told = go_on(&place, &record, &[]).expect_measured();
        assert!(told.stderr.contains("resumes after the"), "{}", told.stderr);
        let after = fs::read(&record).unwrap();
        assert!(after.starts_with(&before), "what was there stays");
        let read = Record::read(&after).unwrap();
        assert!(read.complete() && read.resumed.len() == 1);
        let numbers: Vec<u64> = read.visits.iter().map(|visit| visit.number).collect();
        assert_eq!(numbers, (0..7).collect::<Vec<_>>());
        assert!(
            read.visits.windows(2).all(|pair| pair[0].ended_ns() <= pair[1].began_ns),
            "one time goes on"
        );
    }
}

/// The path that was typed is relative to where the run was begun, and its record is somewhere else.
#[test]
fn a_stopped_run_goes_on_from_the_directory_of_its_record_and_leaves_out_what_was_cut_short() {
    let (place, other) = (Place::new(), Place::new());
    place.random_file("data", 16 << 20);
    let line = format!("run simple data --duration 400ms --no-html --out {}", other.path().display());
    let (mut child, mut stderr) = start_until(&place, &line, "point 1 ");
    signal(&child, "-INT");
    std::io::copy(&mut stderr, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let record = other.only("_record.jsonl");
    let told = go_on(&other, Path::new(record.file_name().unwrap()), &["--json"]).expect_measured();
    let document = told.json();
    assert_eq!(document["points"].as_array().unwrap().len(), 7);
    let codes: Vec<&str> =
        document["flags"].as_array().unwrap().iter().map(|flag| flag["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"RESUMED"), "{codes:?}");
    for small in 1..=5 {
        let flags = crate::support::flags(point(&document, small, 0));
        assert!(!flags.contains(&"CUT_SHORT"), "{flags:?}");
    }
}

#[test]
fn a_scratch_file_is_taken_again_and_put_away() {
    let place = Place::new();
    let line = "run simple --scratch-size 16M --duration 200ms --write 50";
    let record = killed_on_a_file(&place, line);
    refused(&place, &record, &["--destroy-data", "data"], 2, "not a target of this run");
    assert!(place.files().contains(&"rigel-scratch.dat".to_owned()), "a refusal leaves it there");
    let told = go_on(&place, &record, &["--json"]).expect_measured();
    // Stamps of both parts of the run are known: a wrong one would be an error of a point.
    assert!(!told.stdout.contains("ERRORS"), "{}", told.stdout);
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "{:?}", place.files());
    let again = go_on(&place, &record, &[]).expect_measured();
    assert!(again.stderr.contains("complete"), "{}", again.stderr);
}

#[test]
fn without_its_scratch_file_a_run_does_not_go_on() {
    let place = Place::new();
    let record = killed_on_a_file(&place, "run simple --scratch-size 16M --duration 200ms");
    fs::remove_file(place.path().join("rigel-scratch.dat")).unwrap();
    refused(&place, &record, &[], 3, "the scratch file of the run no longer exists");
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "none is filled");
}

/// A record is foreign text: it cannot make Rigel take, and remove, a scratch file somewhere else.
#[test]
fn a_scratch_file_in_another_directory_stays() {
    let (place, other) = (Place::new(), Place::new());
    let record = killed_on_a_file(&place, "run simple --scratch-size 16M --duration 200ms");
    let there = other.path().join(record.file_name().unwrap());
    fs::copy(&record, &there).unwrap();
    refused(&other, &there, &[], 3, "in another directory");
    assert!(place.files().contains(&"rigel-scratch.dat".to_owned()));
    go_on(&place, &record, &[]).expect_measured();
}

/// Far behind the numbers that `losetup --find` gives to others, unless they need more than the system has.
const HIGH_LOOPS: std::ops::Range<u32> = 211..227;

fn shell(line: &str) -> Result<(), MissingNeed> {
    let output = Command::new("sh").args(["-c", line]).output().map_err(MissingNeed::new)?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or_else(|| MissingNeed::new(told))
}

/// A look through all devices, as `losetup` and udev take it, has this one open for a moment; and the kernel closes what a
/// killed ring had open a little after its process is gone.
fn when_not_busy(line: &str) -> Result<(), MissingNeed> {
    for _ in 0..600 {
        match shell(line) {
            Err(reason) if format!("{reason:?}").contains("busy") => {
                std::thread::sleep(Duration::from_millis(50))
            }
            done => return done,
        }
    }
    shell(line)
}

#[test]
fn another_file_behind_a_loop_device_is_another_target() {
    let place = Place::new();
    let first = place.random_file("first", 16 << 20);
    let second = place.random_file("second", 16 << 20);
    let attach = |number: u32| {
        let device = format!("/dev/loop{number}");
        shell(&format!(
            "[ -e {device} ] || mknod {device} b 7 {number}; losetup --direct-io=on {device} {}",
            first.display()
        ))
        .map(|()| device)
    };
    let attached = HIGH_LOOPS.map(attach).find(Result::is_ok).unwrap_or_else(|| attach(HIGH_LOOPS.start));
    let name = "another_file_behind_a_loop_device_is_another_target";
    let Some(device) = needs(name, attached) else { return };
    let record = killed_on_a_file(&place, &format!("run simple {device} --duration 200ms"));
    when_not_busy(&format!(
        "losetup -d {device} 2>/dev/null; losetup --direct-io=on {device} {}",
        second.display()
    ))
    .unwrap();
    refused(&place, &record, &[], 3, "of this host's start");
    shell(&format!("losetup -d {device}")).unwrap();
}

/// The problem, and a record that nobody touched.
fn refused(place: &Place, record: &Path, more: &[&str], code: i32, what: &str) {
    let before = fs::read(record).unwrap();
    let told = go_on(place, record, more).expect_code(code);
    assert!(told.stderr.contains(what), "{}", told.stderr);
    assert_eq!(fs::read(record).unwrap(), before);
}

#[test]
fn consent_is_not_in_a_record() {
    let place = Place::new();
    let data = place.random_file("data", 16 << 20);
    let line = "run simple data --destroy-data data --duration 200ms --write 50";
    let record = killed_on_a_file(&place, line);
    let held = fs::read(&data).unwrap();
    refused(&place, &record, &[], 3, "--destroy-data");
    refused(&place, &record, &["--destroy-data", "other"], 2, "not a target of this run");
    assert!(fs::read(&data).unwrap() == held, "nothing was written");
    go_on(&place, &record, &["--destroy-data", "data"]).expect_measured();
}

#[test]
fn what_is_not_as_it_was_is_refused() {
    let place = Place::new();
    let data = place.random_file("data", 16 << 20);
    let record = killed_on_a_file(&place, "run simple data --duration 200ms");
    fs::rename(&data, place.path().join("away")).unwrap();
    refused(&place, &record, &[], 3, "bring the target back");
    place.random_file("data", 16 << 20);
    refused(&place, &record, &[], 3, "its identity was");
    fs::rename(place.path().join("away"), &data).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&data).unwrap();
    file.set_len(8 << 20).unwrap();
    refused(&place, &record, &[], 3, "its size was");
    file.set_len(16 << 20).unwrap();
    refused(&place, &record, &[], 3, "allocated size was 16 MiB");
    // The same file, with data in every place again.
    let other = place.random_file("other", 16 << 20);
    fs::write(&data, fs::read(other).unwrap()).unwrap();
    file.sync_all().unwrap();
    let text = fs::read_to_string(&record).unwrap();
    let version = format!("\"program_version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    fs::write(&record, text.replacen(&version, "\"program_version\":\"0.0.1\\u001b[2J\"", 1)).unwrap();
    refused(&place, &record, &[], 3, "started by Rigel 0.0.1\\x1b");
    fs::write(&record, text.replacen("\"kernel\":\"", "\"kernel\":\"other ", 1)).unwrap();
    refused(&place, &record, &[], 3, "kernel was other");
    fs::write(&record, &text).unwrap();
    go_on(&place, &record, &[]).expect_measured();
}

#[test]
fn a_record_that_is_no_record_of_this_run_is_refused() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let record = killed_on_a_file(&place, "run simple data --duration 200ms");
    let link = place.path().join("link_20260101_1200_record.jsonl");
    std::os::unix::fs::symlink(&record, &link).unwrap();
    refused(&place, &link, &[], 3, "cannot be opened");
    fs::remove_file(&link).unwrap();
    fs::copy(&record, &link).unwrap();
    refused(&place, &link, &[], 2, "renamed");
    for (name, what) in [("nothing_record.jsonl", "cannot be opened"), ("data", "not the name of a record")] {
        let told = go_on(&place, Path::new(name), &[]).expect_code(2);
        assert!(told.stderr.contains(what), "{}", told.stderr);
    }
    for more in ["simple", "--seed=1", "--duration=1s", "--write=5", "--out=.", "--engine=threads"] {
        let told = go_on(&place, &record, &[more]).expect_code(2);
        assert!(told.stderr.contains("--resume"), "{more}: {}", told.stderr);
    }
}

#[test]
fn a_run_that_still_goes_on_keeps_its_record() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let (mut child, _stderr) = start_until(&place, "run normal data --duration 1s", "point 1 ");
    let record = place.only("_record.jsonl");
    let told = go_on(&place, &record, &[]).expect_code(3);
    assert!(told.stderr.contains("still in progress"), "{}", told.stderr);
    assert!(child.try_wait().unwrap().is_none(), "it was not disturbed");
    child.kill().unwrap();
    child.wait().unwrap();
}
