//! A device that freezes at a moment of its own: every kind of run and every engine tells how long, wherever in a visit it happens.
//!
//! What is told is held against the time for which the device was held, from within and from without, so that a busy machine makes the test no
//! stricter. The moment is counted from the first I/O of the load, and a freeze that held no I/O is none.

use crate::stop::{ended, signal, start_until};
use crate::support::{Place, flat};
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::record::Record;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use std::fs;
use std::ops::{Range, RangeInclusive};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The longest freeze, in seconds.
const LONGEST: &str = "RIGEL_STALL_SECONDS";
/// What the device may take from its release to its answers on a busy machine.
const LATE: Duration = Duration::from_millis(250);
/// A busy machine may end a load before the freeze.
const ATTEMPTS: usize = 4;
/// A load begins within this time.
const BEGINS_WITHIN: Duration = Duration::from_secs(60);

pub fn device() -> DeviceSpec {
    DeviceSpec {
        size_bytes: 16 << 20,
        servers: 4,
        service_us: 1000,
        exponential: true,
        ..DeviceSpec::default()
    }
}

/// A moment of a span, another one in every run of the test.
pub fn moment(within: Range<u64>) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Duration::from_millis(within.start + u64::from(now.subsec_micros()) % (within.end - within.start))
}

/// Waits for the first I/O of a load.
pub fn until_loaded(devices: &[&TestDevice]) {
    let began = Instant::now();
    devices.iter().for_each(|device| device.reset().unwrap());
    while !devices.iter().any(|device| device.gauge().unwrap().completed() > 0) {
        assert!(began.elapsed() < BEGINS_WITHIN, "no I/O");
        sleep(Duration::from_millis(2));
    }
}

/// Holds devices for a time; the shortest and the longest time that an I/O can have been held. `None` if there was none to hold.
fn freeze(devices: &[&TestDevice], time: Duration) -> Option<Range<Duration>> {
    let before = Instant::now();
    for device in devices {
        device.command(&format!("hang 0 {}", device.size_bytes())).unwrap();
    }
    let held = Instant::now();
    sleep(time);
    let has_held = devices.iter().any(|device| device.gauge().unwrap().in_flight > 0);
    let shortest = held.elapsed();
    devices.iter().for_each(|device| device.command("release").unwrap());
    has_held.then(|| shortest..before.elapsed())
}

/// `2.00 s` or `503 ms` after one of these words of a flag.
fn length(text: &str, words: &[&str]) -> Option<Duration> {
    let after = words.iter().find_map(|words| text.split_once(words));
    let mut words = after?.1.split([' ', ',', ';']);
    let (number, unit): (f64, &str) = (words.next()?.parse().ok()?, words.next()?);
    Some(Duration::from_secs_f64(number * if unit == "ms" { 0.001 } else { 1.0 }))
}

/// The ends of the longest standstill that the flags of a record tell. They differ where few I/Os arrive.
pub fn stalled(place: &Place) -> Option<RangeInclusive<Duration>> {
    let found = Findings::of(&Record::read(place.read("_record.jsonl").as_bytes()).unwrap());
    let flags = found.points.iter().flat_map(|point| &point.flags).chain(&found.flags);
    let texts = flags.filter(|flag| flag.code == FlagCode::Stalled).map(|flag| flag.text.as_str());
    let told = texts.filter_map(|text| {
        let length_of = |words: &[&str]| length(text, words);
        let whole = length_of(&["nothing completed for ", "the longest I/O took "])?;
        let (least, most) = (length_of(&["(at least "]), length_of(&["at most "]));
        Some((whole, least.unwrap_or(whole)..=most.unwrap_or(whole)))
    });
    told.max_by_key(|(whole, _)| *whole).map(|(_, ends)| ends)
}

pub fn is_told(what: &str, told: Option<RangeInclusive<Duration>>, held: &Range<Duration>) {
    let told = told.unwrap_or_else(|| panic!("{what}: held for {held:?}, and not a word of it"));
    let least = held.start.mul_f64(0.95);
    let most = held.end.mul_f64(1.05) + LATE;
    assert!(least <= *told.end() && *told.start() <= most, "{what}: held for {held:?}, told {told:?}");
    assert!(told.end().saturating_sub(*told.start()) <= held.end, "{what}: {told:?} tells nothing");
}

/// A run that begins to load after it has named its engine, and a freeze somewhere in it; it is ended so long after the freeze, if at all.
pub fn frozen_run(
    devices: &[&TestDevice],
    line: &str,
    when: Range<u64>,
    time: Duration,
    end_after: Option<Duration>,
) -> (Place, Range<Duration>) {
    for _ in 0..ATTEMPTS {
        let place = Place::new();
        let (child, stderr) = start_until(&place, line, "engine ");
        until_loaded(devices);
        sleep(moment(when.clone()));
        let held = freeze(devices, time);
        if let Some(end_after) = end_after {
            sleep(end_after);
            signal(&child, "-INT");
        }
        let told = ended(child, stderr);
        assert!([0, 1, 4].contains(&told.code), "{line}: {}", told.stderr);
        if let Some(held) = held {
            return (place, held);
        }
    }
    panic!("{line}: the load was over before each freeze")
}

/// Those of every change, and what `cargo xtask long` asks for besides.
fn lengths() -> Vec<Duration> {
    let longest: Option<u64> = std::env::var(LONGEST).ok().and_then(|text| text.parse().ok());
    let all = [Some(500), Some(2000), longest.map(|_| 7000), longest.map(|seconds| 1000 * seconds)];
    all.into_iter().flatten().map(Duration::from_millis).collect()
}

/// Windows of 3 s, in which a freeze of 2 s often outlasts the end.
#[test]
fn a_freeze_is_told_with_its_length_in_every_engine() {
    let name = "a_freeze_is_told_with_its_length_in_every_engine";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    for engine in ["io_uring", "libaio", "sync", "threads"] {
        for time in lengths() {
            let line = format!(
                "run advanced {} --matrix point --num-small 8 --num-large 0 --duration 3s --engine {engine}",
                device.disk().display()
            );
            let (place, held) = frozen_run(&[&device], &line, 100..2900, time, None);
            is_told(engine, stalled(&place), &held);
            let text = flat(&place.read("_flags.csv"));
            assert!(text.contains("STALLED"), "{text}");
        }
    }
}

/// While a run rests between two visits nothing is in flight, so that the freezes of those that rest begin in the first visit.
#[test]
fn a_freeze_is_told_with_its_length_by_every_kind_of_run() {
    let name = "a_freeze_is_told_with_its_length_by_every_kind_of_run";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let Some(other) = needs(name, TestDevice::mount(self::device())) else { return };
    let (disk, and) = (device.disk(), other.disk());
    let (disk, and) = (disk.display(), and.display());
    let point = "--matrix point --num-small 8 --num-large 0";
    let kinds = [
        (300..3000, format!("run open {disk} --rate 1000 --duration 4s"), None),
        (300..3000, format!("run open {disk} --rate 25 --duration 4s"), None),
        (300..1500, format!("run advanced {disk} {point} --max-duration "), Some(6)),
        (100..700, format!("versus advanced {disk} --and {and} {point} --fast --max-duration "), Some(12)),
    ];
    for (when, line, limit_s) in kinds {
        for time in lengths() {
            // So that it does not end before every point was visited.
            let limit = limit_s.map_or_else(String::new, |seconds| format!("{}s", seconds + time.as_secs()));
            let line = line.clone() + &limit;
            let (place, held) = frozen_run(&[&device, &other], &line, when.clone(), time, None);
            // The first I/O that waits may arrive so long after the freeze begins: five times the mean gap, where 25 arrive per second.
            let unseen =
                if line.contains("--rate 25 ") { Duration::from_millis(200) } else { Duration::ZERO };
            is_told(&line, stalled(&place), &(held.start.saturating_sub(unseen)..held.end));
        }
    }
}

/// The device answers when the load is over already.
#[test]
fn a_soak_tells_the_longest_io_with_its_time_and_ten_seconds_are_a_fault() {
    let name = "a_soak_tells_the_longest_io_with_its_time_and_ten_seconds_are_a_fault";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let load =
        "load = \"rigel.load/1\"\n[[class]]\nname = \"data\"\nsize = \"8K\"\narrival = { outstanding = 8 }\n";
    fs::write(place.path().join("data.toml"), load).unwrap();
    for (name, time, code) in [("short", 1, 0), ("long", 10, 1)] {
        let line =
            format!("soak --load data.toml {} --for 12s --every 1s --name {name}", device.disk().display());
        let (child, stderr) = start_until(&place, &line, "engine ");
        until_loaded(&[&device]);
        sleep(moment(4500..6000));
        let held = freeze(&[&device], Duration::from_secs(time)).unwrap();
        let told = ended(child, stderr);
        assert_eq!(told.code, code, "{}", told.stderr);
        let text = flat(&told.stdout);
        let is_long = text.contains("an I/O took ") || text.contains("I/Os took ten seconds or longer");
        assert!(is_long && !text.contains("Nothing wrong"), "{text}");
        let record = place.only_of(name, "_record.jsonl");
        let json = place
            .rigel(["report".as_ref(), record.as_os_str(), "--format".as_ref(), "json".as_ref()])
            .expect_code(0)
            .json();
        let longest = &json["longest"];
        let told = longest["latency_us"].as_f64().map(|us| Duration::from_secs_f64(us / 1e6));
        is_told(name, told.map(|time| time..=time), &held);
        let began_s = longest["at_s"].as_f64().unwrap();
        assert!((3.5..=11.0).contains(&began_s), "it began {began_s} s into the load");
        assert_eq!(json["faulty"], code == 1);
    }
}

/// Nothing is ten times longer than usual here, however often it is looked at.
#[test]
fn a_device_that_works_is_not_accused() {
    let place = Place::new();
    place.line("run normal --engine sim --seed 7 --max-duration 2m --quiet").expect_code(0);
    assert_eq!(stalled(&place), None);
}
