//! Copies compared by the real binary: what was planted is found, what is in flight is not, and a scrub goes on where it was.

mod alone;
mod judged;
mod kept;
mod listed;

use crate::stop::signal;
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{DeviceSpec, LoopDevice, TestDevice, needs};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// Two files of the same random bytes.
fn twins(place: &Place, bytes: u64) {
    place.random_file("a", bytes);
    fs::copy(place.path().join("a"), place.path().join("b")).unwrap();
}

fn open(place: &Place, name: &str) -> File {
    OpenOptions::new().read(true).write(true).open(place.path().join(name)).unwrap()
}

/// Flips a bit of a file.
fn flip(place: &Place, name: &str, at: u64) {
    let file = open(place, name);
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
    file.sync_all().unwrap();
}

/// First byte and length of each range.
fn ranges(document: &Value) -> Vec<(u64, u64)> {
    let all = document["differences"].as_array().unwrap();
    all.iter().map(|range| (range["at"].as_u64().unwrap(), range["len"].as_u64().unwrap())).collect()
}

fn sha256(place: &Place, name: &str, at: u64, len: u64) -> String {
    let script = format!("tail -c +{} {name} | head -c {len} | sha256sum", at + 1);
    let told = tell(Command::new("sh").arg("-c").arg(script).current_dir(place.path()));
    told.stdout.split(' ').next().unwrap().to_owned()
}

#[test]
fn planted_differences_are_found_exactly() {
    let place = Place::new();
    // Not a whole number of blocks: the end is compared, too.
    let bytes = 9 * MIB + 1234;
    twins(&place, bytes);
    let told = place.line("scrub a b").expect_code(0);
    assert!(told.stderr.contains("nothing is written"), "{}", told.stderr);
    let before = fs::read(place.path().join("a")).unwrap();
    // The first and the last byte, both sides of a border of chunks, and two blocks apart.
    for at in [0, bytes - 1, 3 * MIB - 1, 3 * MIB, 5 * MIB + 100, 5 * MIB + 2 * 4096] {
        flip(&place, "b", at);
    }
    let told = place.line("scrub a b --json --quiet").expect_code(1);
    let document = told.json();
    assert_eq!((&document["schema"], &document["complete"]), (&"rigel.scrub/1".into(), &true.into()));
    let expected = [
        (0, 4096),
        (3 * MIB - 4096, 4096),
        (3 * MIB, 4096),
        (5 * MIB, 4096),
        (5 * MIB + 8192, 4096),
        (9 * MIB, 1234),
    ];
    assert_eq!(ranges(&document), expected);
    let range = &document["differences"][3];
    assert_eq!((range["first"].as_u64(), range["differing_bytes"].as_u64()), (Some(100), Some(1)));
    for (name, copy) in ["a", "b"].into_iter().zip(range["copies"].as_array().unwrap()) {
        assert_eq!(copy["sha256"], sha256(&place, name, 5 * MIB, 4096), "as sha256sum has it");
    }
    assert!(range["judged"][0]["right"].is_null(), "{range}");
    assert!(told.stderr.contains("the copies differ"), "{}", told.stderr);
    assert_eq!(fs::read(place.path().join("a")).unwrap(), before);
    assert_eq!(place.files(), ["a", "b"], "nothing is left behind");
}

#[test]
fn the_text_says_where_and_with_what() {
    let place = Place::new();
    twins(&place, 2 * MIB);
    open(&place, "b").write_all_at(&[0; 8192], 4096).unwrap();
    let text = place.line("scrub a b --quiet").expect_code(1).stdout;
    assert!(
        text.starts_with("The copies differ in 1 range, 8192 bytes; 2 MiB of each copy compared."),
        "{text}"
    );
    assert!(text.contains("1. 8192 bytes at 4096") && text.contains("   B  b from 4096, 00000000"), "{text}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("it is unknown which copy is right") && flat.contains("B is all zeros"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn parts_begin_where_they_are_said_to() {
    let place = Place::new();
    twins(&place, 4 * MIB);
    let a = fs::read(place.path().join("a")).unwrap();
    // The copy begins later in the second file, at a place that direct I/O does not take.
    fs::write(place.path().join("c"), [&[7; 1000], &a[..]].concat()).unwrap();
    let told = place.line("scrub a c --offset-b 1000 --quiet").expect_code(0);
    assert!(told.stdout.contains("4 MiB of each copy"), "{}", told.stdout);
    flip(&place, "c", 1000 + 2 * MIB);
    let line = "scrub a c --offset-a 1M --offset-b 1049576 --length 2M --json --quiet";
    let document = place.line(line).expect_code(1).json();
    assert_eq!(ranges(&document), [(MIB, 4096)]);
    let copies = &document["differences"][0]["copies"];
    assert_eq!((&copies[0]["offset"], &copies[1]["offset"]), (&(2 * MIB).into(), &(2 * MIB + 1000).into()));
    place.line("scrub a c --offset-a 3M --offset-b 3146728 --length 1M --quiet").expect_code(0);
}

#[test]
fn sizes_that_differ_are_told_before() {
    let place = Place::new();
    twins(&place, 2 * MIB);
    open(&place, "b").set_len(3 * MIB).unwrap();
    let told = place.line("scrub a b").expect_code(0);
    assert!(
        told.stderr.contains("the sizes differ") && told.stderr.contains("last 1 MiB of B"),
        "{}",
        told.stderr
    );
    let notes = place.line("scrub a b --json --quiet").expect_code(0).json()["notes"].to_string();
    assert!(notes.contains("the sizes differ"), "{notes}");
}

/// A writer that stands still for longer than this leaves a moment that a scrub may take for the last word.
const STALL: Duration = Duration::from_millis(500);

/// Scrubs while `write` goes on, until no write took so long that the scrub could not be judged by it.
fn under_writes(place: &Place, write: impl Fn(u64) + Sync) -> ProgramOutput {
    for _ in 0..20 {
        let _ = fs::remove_file(place.path().join("s.json"));
        let (stop, stalled) = (AtomicBool::new(false), AtomicBool::new(false));
        let told = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut count = 0;
                while !stop.load(Ordering::Relaxed) {
                    count += 1;
                    let began = Instant::now();
                    write(count);
                    stalled.fetch_or(began.elapsed() > STALL, Ordering::Relaxed);
                }
            });
            let told = place.line("scrub a b --json --quiet --state s.json");
            stop.store(true, Ordering::Relaxed);
            told
        });
        if !stalled.into_inner() {
            return told;
        }
    }
    panic!("this machine stands still all the time");
}

/// A pair of files under writes as a mirror makes them: first the one leg, a moment later the other. None of it is a difference, and what
/// was planted beside it still is.
#[test]
fn writes_in_flight_are_no_difference() {
    let place = Place::new();
    twins(&place, 64 * MIB);
    flip(&place, "b", 33 * MIB);
    let (a, b) = (open(&place, "a"), open(&place, "b"));
    let told = under_writes(&place, |count| {
        // Everywhere but in the block that was planted, each with other bytes.
        let at = (count * 7919 % (32 * 256)) * 4096;
        let block = [count.to_le_bytes()[0]; 4096];
        a.write_all_at(&block, at).unwrap();
        std::thread::sleep(Duration::from_millis(1));
        b.write_all_at(&block, at).unwrap();
    });
    let document = told.expect_code(1).json();
    assert_eq!(ranges(&document), [(33 * MIB, 4096)], "{document}");
    assert_eq!(document["restless"].as_array().unwrap().len(), 0, "{document}");
}

/// A block that is written all the time on one side only is never alike and never stable: nothing is said of it but that.
#[test]
fn what_keeps_changing_is_told_as_that() {
    let place = Place::new();
    twins(&place, MIB);
    let b = open(&place, "b");
    let told = under_writes(&place, |count| {
        b.write_all_at(&count.to_le_bytes(), 8192).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    });
    let document = told.expect_code(0).json();
    assert_eq!(document["restless"][0]["at"], 8192, "{document}");
    assert_eq!((&document["restless_ranges"], &document["restless_bytes"]), (&1.into(), &4096.into()));
    assert_eq!((&document["complete"], &document["alike"]), (&true.into(), &Value::Null), "{document}");
    assert_eq!(ranges(&document), []);
    // The same as a text.
    let text = place.line("scrub --resume s.json --quiet").expect_code(0).stdout.replace('\n', " ");
    assert!(text.starts_with("No copy differs where it could be judged; 1 MiB of each copy"), "{text}");
    assert!(text.contains("1 range, 4096 bytes, kept changing and could not be judged (at 8192)"), "{text}");
}

/// However fast the disks are, a bound takes its time; only the first MiB is not held back.
#[test]
fn a_bound_takes_its_time() {
    let place = Place::new();
    twins(&place, 9 * MIB);
    for mbps in [8, 16] {
        let began = Instant::now();
        place.line(&format!("scrub a b --max-mbps {mbps} --quiet")).expect_code(0);
        let least_s = 8.0 / f64::from(mbps);
        assert!(began.elapsed().as_secs_f64() > 0.95 * least_s, "{mbps}: {:?}", began.elapsed());
    }
}

/// Starts a slow scrub, and ends it by a signal once it has compared something: the first MiB is not held back.
fn interrupted(place: &Place) -> ProgramOutput {
    for wait_ms in (0..8).map(|doubled| 200 << doubled) {
        let told = stopped(place, &["--quiet"], || {
            while !place.path().join("s.json").exists() {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(wait_ms));
        });
        if state(place)["done"].as_u64() > Some(0) {
            return told;
        }
        fs::remove_file(place.path().join("s.json")).unwrap();
    }
    panic!("nothing was compared in 25 s");
}

/// Starts a scrub of a MiB per second, and ends it by a signal after some time.
fn stopped(place: &Place, more: &[&str], wait: impl FnOnce()) -> ProgramOutput {
    let mut command = place.command();
    command.args(["scrub", "a", "b", "--max-mbps", "1", "--state", "s.json"]).args(more);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait();
    signal(&child, "-INT");
    ProgramOutput::from(child.wait_with_output().unwrap())
}

/// What such a scrub has kept; null before that.
fn state(place: &Place) -> Value {
    let text = fs::read_to_string(place.path().join("s.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

#[test]
fn a_scrub_goes_on_to_the_same_answer() {
    let place = Place::new();
    twins(&place, 40 * MIB);
    for at in [0, 8 * MIB + 5, 30 * MIB, 40 * MIB - 1] {
        flip(&place, "a", at);
    }
    let whole = place.line("scrub a b --json --quiet").expect_code(1).json();
    let told = interrupted(&place).expect_code(4);
    assert!(told.stderr.contains("rigel scrub --resume s.json"), "{}", told.stderr);
    // What was read once may be a write in flight: nothing is said of it that may be wrong.
    for part in
        ["No copy is known to differ yet; ", "1 range, 4096 bytes, differed or could not be read once"]
    {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    let done = state(&place)["done"].as_u64().unwrap();
    assert!(done < 40 * MIB, "{done}");
    // As a computer that went down leaves it: the state is old, nothing of the rest is known.
    let again = place.line("scrub --resume s.json --max-mbps 4000 --json --quiet").expect_code(1).json();
    assert_eq!(again, whole);
    // A scrub that is over can be shown again.
    let again = place.line("scrub --resume s.json --json --quiet").expect_code(1).json();
    assert_eq!(again, whole);
}

#[test]
fn a_difference_is_certain_long_before_the_end_and_outlives_a_stop() {
    let place = Place::new();
    twins(&place, MIB);
    // The rest is there to take its time.
    for name in ["a", "b"] {
        open(&place, name).set_len(200 * MIB).unwrap();
    }
    flip(&place, "a", 5);
    let told = stopped(&place, &["--json"], || {
        let began = Instant::now();
        while state(&place)["found"]["ranges"] != 1 {
            assert!(began.elapsed() < Duration::from_secs(150), "{:#}", state(&place));
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let told = told.expect_code(1);
    for part in ["found so far: 1 range ", "the scrub is not finished", "rigel scrub --resume s.json"] {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
    let found = told.json();
    assert_eq!(ranges(&found), [(0, 4096)], "{found}");
    assert_eq!((&found["alike"], &found["complete"]), (&false.into(), &false.into()));
    assert_eq!(
        (&found["waiting_ranges"], state(&place)["done"].as_u64() < Some(200 * MIB)),
        (&0.into(), true)
    );
    // It is told as well when something else ends the scrub: here its state has no place any more.
    let kept = place.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::rename(place.path().join("s.json"), kept.join("s.json")).unwrap();
    let mut command = place.command();
    command.args(["scrub", "--resume", "kept/s.json", "--max-mbps", "40", "--json", "--quiet"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It keeps its state when it begins, and some seconds later when it ends.
    let begun = fs::metadata(kept.join("s.json")).unwrap().modified().unwrap();
    while fs::metadata(kept.join("s.json")).unwrap().modified().unwrap() == begun {
        std::thread::sleep(Duration::from_millis(20));
    }
    fs::remove_dir_all(&kept).unwrap();
    let told = ProgramOutput::from(child.wait_with_output().unwrap()).expect_code(1);
    assert!(told.stderr.contains("the scrub failed: "), "{}", told.stderr);
    assert_eq!(ranges(&told.json()), [(0, 4096)], "{}", told.stdout);
}

#[test]
fn bad_input_is_refused_with_the_place() {
    let place = Place::new();
    twins(&place, MIB);
    fs::write(place.path().join("empty"), "").unwrap();
    fs::write(place.path().join("no.json"), "{}").unwrap();
    let other = r#"{"schema":"rigel.scrub-state/9","source":{"md":"x"},"max_mbps":null,"fingerprint":"","done":0,"pending":[],"found":{"differences":[],"ranges":0,"bytes":0,"unreadable":0,"passed":0,"restless":[]}}"#;
    fs::write(place.path().join("other.json"), other).unwrap();
    for (line, code, part) in [
        ("scrub", 2, "nothing to read"),
        ("scrub a --offset-b 4K", 2, "--offset-b is for two files or devices only"),
        ("scrub a --offset-a 1M", 2, "beyond the end"),
        ("scrub a --length 2M", 2, "give at most 1048576"),
        ("scrub empty", 3, "empty"),
        ("scrub nowhere", 3, "nowhere"),
        ("scrub .", 3, "directory"),
        ("scrub a --md b", 2, "--md"),
        ("scrub a b c", 2, "c"),
        ("scrub a a", 2, "same bytes"),
        ("scrub a ./a --offset-b 4096", 2, "same bytes"),
        ("scrub a nowhere", 3, "nowhere"),
        ("scrub a empty", 3, "empty"),
        ("scrub a .", 3, "directory"),
        ("scrub a b --offset-b 2M", 2, "--offset-b"),
        ("scrub a b --length 2M", 2, "--length"),
        ("scrub a b --length 0", 2, "--length"),
        ("scrub a b --max-mbps 0", 2, "--max-mbps"),
        ("scrub a b --offset-a x", 2, "--offset-a"),
        ("scrub --md a --lvm x/y", 2, "--lvm"),
        ("scrub --md a", 3, "block device"),
        ("scrub --lvm y", 2, "VG/LV"),
        ("scrub --extents nowhere.csv", 2, "nowhere.csv"),
        ("scrub --extents a --au-size 3M", 2, "--au-size"),
        ("scrub --extents a --length 1M", 2, "--length is for files or devices only"),
        ("scrub --extents a --offset-a 0", 2, "--offset-a is for files"),
        ("scrub --md a --offset-b 4K", 2, "--offset-b is for two"),
        ("scrub --lvm x/y --length 1M", 2, "--length is for files"),
        ("scrub --resume no.json --length 1M", 2, "a resumed scrub reads the same"),
        ("scrub --resume no.json --au-size 4M", 2, "--au-size is for a list of extents only"),
        ("scrub --md a --au-size 4M", 2, "--au-size is for a list of extents only"),
        ("scrub a b --au-size 4M", 2, "--au-size"),
        ("scrub --resume nowhere.json", 2, "nowhere.json"),
        ("scrub --resume no.json", 2, "no.json"),
        ("scrub --resume other.json", 2, "rigel.scrub-state/9"),
    ] {
        let told = place.line(line).expect_code(code);
        assert!(told.stderr.contains(part), "{line}: {}", told.stderr);
    }
}

#[test]
fn a_state_of_other_places_is_refused() {
    let place = Place::new();
    twins(&place, 2 * MIB);
    place.line("scrub a b --state s.json --quiet").expect_code(0);
    open(&place, "b").set_len(MIB).unwrap();
    let told = place.line("scrub --resume s.json").expect_code(3);
    assert!(told.stderr.contains("have moved"), "{}", told.stderr);
}

/// Legs that are devices, through loop devices: found on the device, and read without the page cache.
#[test]
fn devices_are_compared() {
    let test = "devices_are_compared";
    let place = Place::new();
    twins(&place, 16 * MIB);
    flip(&place, "b", 7 * MIB + 4096);
    let device = |name: &str| LoopDevice::attach(place.path().join(name), false);
    let Some(a) = needs(test, device("a")) else { return };
    let Some(b) = needs(test, device("b")) else { return };
    let line = format!("scrub {} {} --json --quiet", a.path().display(), b.path().display());
    let document = place.line(&line).expect_code(1).json();
    assert_eq!(ranges(&document), [(7 * MIB + 4096, 4096)]);
}

/// A leg that cannot be read at a place: which blocks these are, and that the rest is compared.
#[test]
fn what_cannot_be_read_is_told_block_by_block() {
    let test = "what_cannot_be_read_is_told_block_by_block";
    let place = Place::new();
    let spec = DeviceSpec { size_bytes: 16 * MIB, ..DeviceSpec::default() };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    fs::copy(device.disk(), place.path().join("b")).unwrap();
    flip(&place, "b", 9 * MIB);
    device.command(&format!("eio {} {}", 5 * MIB + 8192, 4096)).unwrap();
    let disk = device.disk();
    let told = place.rigel(["scrub", disk.to_str().unwrap(), "b", "--json", "--quiet"]).expect_code(1);
    let document = told.json();
    assert_eq!(ranges(&document), [(5 * MIB + 8192, 4096), (9 * MIB, 4096)], "{document}");
    assert_eq!(
        (&document["unreadable"], &document["differences"][0]["copies"][0]["errno"]),
        (&1.into(), &5.into())
    );
    assert!(document["differences"][0]["copies"][1]["sha256"].is_string(), "{document}");
}

#[test]
fn a_leg_that_hangs_ends_it_and_is_named() {
    let test = "a_leg_that_hangs_ends_it_and_is_named";
    let place = Place::new();
    let spec = DeviceSpec { size_bytes: 16 * MIB, ..DeviceSpec::default() };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    fs::copy(device.disk(), place.path().join("a")).unwrap();
    device.command(&format!("hang {} 4096", 5 * MIB)).unwrap();
    let disk = device.disk();
    let line = ["scrub", "a", disk.to_str().unwrap(), "--quiet", "--io-timeout", "1s", "--state", "kept"];
    let told = place.rigel(line).expect_code(4);
    assert!(
        told.stderr.contains("no read completed") && told.stderr.contains("copy B, byte "),
        "{}",
        told.stderr
    );
    // It goes on once the leg answers.
    device.command("clear").unwrap();
    let told = place.rigel(["scrub", "--resume", "kept", "--json", "--quiet"]).expect_code(0);
    assert_eq!(told.json()["alike"], true);
    // The same while a difference is looked at again.
    flip(&place, "a", 9 * MIB);
    device.command(&format!("hang {} 4096", 9 * MIB)).unwrap();
    let line = ["scrub", "a", disk.to_str().unwrap(), "--quiet", "--io-timeout", "1s"];
    let told = place.rigel(line).expect_code(4);
    assert!(told.stderr.contains("no read completed"), "{}", told.stderr);
    device.command("clear").unwrap();
}
