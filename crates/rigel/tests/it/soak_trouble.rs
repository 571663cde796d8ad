//! What `rigel soak` meets besides wrong data: targets that shrink, vanish, never answer or are other ones, a full disk, months, and what it refuses.

use crate::clock::changes::{LoopMount, fill_up, set_len};
use crate::soak::{SIZE_BYTES, count, device, document, killed, line, record, resumed};
use crate::stop::{ended, signal, start_until, start_until_record};
use crate::support::{Place, ProgramOutput, flat, tell};
use rigel_core::record::Record;
use rigel_testdev::{LoopDevice, TestDevice, needs};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Starts a soak, changes something once it has figures, and lets it end. It is stopped meanwhile: what takes two steps is one to it.
fn under(place: &Place, line: &str, change: impl FnOnce()) -> ProgramOutput {
    let (child, stderr) = start_until_record(place, line, |record| !record.intervals.is_empty());
    signal(&child, "-STOP");
    wait_until_stopped(child.id());
    change();
    signal(&child, "-CONT");
    ended(child, stderr)
}

/// On a busy host a thread hears of the signal late, and what it begins meanwhile would see the first step without the second.
fn wait_until_stopped(process: u32) {
    let is_stopped = |stat: String| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'));
    let all_are = || {
        let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
        let mut stats = threads.map(|task| fs::read_to_string(task.unwrap().path().join("stat")));
        stats.all(|stat| stat.is_ok_and(is_stopped))
    };
    while !all_are() {
        thread::sleep(Duration::from_millis(5));
    }
    // What they left to the kernel comes to its end.
    thread::sleep(Duration::from_millis(200));
}

/// The soak goes on without what is no more there, and says what happened in every output.
fn has_shrunk(place: &Place, told: &ProgramOutput, target: &Path) {
    assert_eq!(told.code, 1, "{} {}", told.stdout, told.stderr);
    let found = document(place);
    assert!(found["complete"] == true && found["errors"].as_u64() > Some(0), "{found}");
    // A write that was in flight may have made the file of a device a little longer again.
    let changed = found["changed"].to_string();
    let (_, sentence) =
        changed.split_once(&format!("{} has ", target.file_name().unwrap().display())).expect(&changed);
    let (bytes, rest) = sentence.split_once(' ').unwrap();
    assert!((SIZE_BYTES / 2..SIZE_BYTES).contains(&bytes.parse().unwrap()), "{changed}");
    assert!(rest.starts_with(&format!("bytes, not {SIZE_BYTES}")), "{changed}");
    let sentence = format!("{bytes} bytes, not {SIZE_BYTES}");
    let text = flat(&told.stdout);
    assert!(text.contains(&sentence), "{}", told.stdout);
    assert!(place.read("_report.html").contains(&sentence));
}

#[test]
fn a_file_that_shrinks_is_told_and_the_soak_goes_on() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    let told = under(&place, "soak data --for 6s --every 1s", || set_len(&target, SIZE_BYTES / 2));
    assert!(told.stderr.contains("fewer bytes"), "{}", told.stderr);
    has_shrunk(&place, &told, &target);
}

#[test]
fn a_device_that_shrinks_is_told_and_the_soak_goes_on() {
    let name = "a_device_that_shrinks_is_told_and_the_soak_goes_on";
    let place = Place::new();
    let file = place.random_file("data", SIZE_BYTES);
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let told = under(&place, &line(&place, device.path(), "--for 6s"), || {
        set_len(&file, SIZE_BYTES / 2);
        let mut look_again = Command::new("losetup");
        assert!(look_again.arg("--set-capacity").arg(device.path()).status().unwrap().success());
    });
    has_shrunk(&place, &told, device.path());
    let wrong = ["corrupt", "torn", "misdirected", "foreign", "lost_or_stale", "ahead", "zeroed"];
    let verified = &document(&place)["verified"];
    assert_eq!(wrong.map(|fault| count(verified, fault)), [0; 7], "a read that fails accuses no block");
}

#[test]
fn a_file_cut_to_nothing_ends_the_soak_with_the_reason() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    let told = under(&place, "soak data --for 9s --every 1s", || set_len(&target, 0));
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stderr.contains("data has 0 bytes, not 2097152"), "{}", told.stderr);
    assert_eq!(document(&place)["complete"], false);
}

/// Reads of the whole device, or of a part that only the look for data comes to. The system keeps a process whose call never came back, so the device answers
/// once the message is there.
#[test]
fn a_target_that_never_answers_is_told_before_there_is_a_load() {
    let name = "a_target_that_never_answers_is_told_before_there_is_a_load";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let (place, disk) = (Place::new(), device.disk());
    let disk = disk.display();
    fs::write(place.path().join("copy"), vec![1; 2 << 20]).unwrap();
    for (hang, line) in [
        ("hang 0 2097152", format!("soak {disk} --for 5s --io-timeout 1s")),
        ("hang 1048576 4096", format!("soak {disk} --for 5s --write 30 --io-timeout 1s")),
        ("hang 0 2097152", format!("run simple {disk} --io-timeout 1s")),
        ("hang 0 2097152", format!("scrub {disk} copy --io-timeout 1s")),
    ] {
        device.command(hang).unwrap();
        let (child, stderr) = start_until(&place, &line, "next step: ");
        device.command("clear").unwrap();
        let told = ended(child, stderr);
        assert_eq!(told.code, 4, "{line}: {}", told.stderr);
        assert!(told.stdout.is_empty() && place.files() == ["copy"], "{line}: {:?}", place.files());
    }
    device.command("hang 0 2097152").unwrap();
    let line = format!("soak {disk} --for 5s --io-timeout 1s");
    let (child, mut stderr) = start_until(&place, &line, "error: ");
    let mut place_line = String::new();
    stderr.read_line(&mut place_line).unwrap();
    assert_eq!(place_line, format!("  where: {disk}\n"));
    device.command("clear").unwrap();
    ended(child, stderr);
}

/// Numbers of devices and names are given anew; a soak must not go on with another disk, nor with what was not allowed again.
#[test]
fn a_soak_goes_on_with_its_own_target_only() {
    let place = Place::new();
    let target = place.random_file("data", SIZE_BYTES);
    killed(&place, &line(&place, &target, "--for 1d"), || ());
    let before = fs::read(place.only("_record.jsonl")).unwrap();
    let refused = |line: &str, code: i32, because: &str| {
        let told = place.line(line);
        assert_eq!(told.code, code, "{line}: {}", told.stderr);
        assert!(told.stderr.contains(because), "{line}: {}", told.stderr);
    };
    let again = resumed(&place, &target);
    let name = place.only("_record.jsonl");
    refused(&format!("soak --resume {}", name.display()), 3, "--destroy-data");
    // The same bytes in another file.
    fs::rename(&target, place.path().join("moved")).unwrap();
    fs::copy(place.path().join("moved"), &target).unwrap();
    refused(&again, 3, "this is not the target that was measured");
    set_len(&target, SIZE_BYTES / 2);
    refused(&again, 3, "this is not the target that was measured");
    fs::remove_file(&target).unwrap();
    refused(&again, 3, "bring the target back");
    // The record of another soak under this one's name.
    fs::rename(place.path().join("moved"), &target).unwrap();
    let other = place.path().join("soak_20200101_0000_record.jsonl");
    fs::copy(&name, &other).unwrap();
    let consent = format!("--destroy-data {}", target.display());
    refused(&format!("soak --resume {} {consent}", other.display()), 2, "the record was renamed");
    fs::remove_file(&other).unwrap();
    assert!(fs::read(place.only("_record.jsonl")).unwrap() == before, "a refusal leaves the record alone");
}

/// Reads standard error until it has all of these.
fn read_until(stderr: &mut BufReader<ChildStderr>, signs: &[&str]) -> String {
    let mut told = String::new();
    while !signs.iter().all(|sign| told.contains(sign)) {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too early: {told}");
    }
    told
}

fn ending_in(dir: &Path, suffix: &str) -> PathBuf {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    all.into_iter().find(|path| path.to_str().unwrap().ends_with(suffix)).unwrap()
}

/// A soak whose record lies on a filesystem of its own that is full from some moment on, when the device spoils a block. `around`: a command that
/// starts the one behind it, the directory of the record among its words.
fn on_a_full_disk_with(
    name: &str,
    around: impl FnOnce(&Path) -> Vec<String>,
) -> Option<(Place, LoopMount, TestDevice, Child, BufReader<ChildStderr>)> {
    let device = needs(name, TestDevice::mount(device()))?;
    let place = Place::new();
    let mounted = needs(name, LoopMount::tmpfs(&place, 4 << 20))?;
    let out = mounted.directory();
    let more = format!("--workers 1 --for 1d --no-html --out {}", out.display());
    let line = line(&place, &device.disk(), &more);
    let around = around(out);
    let words = around.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_rigel")]);
    let mut words = words.chain(line.split_whitespace());
    let mut command = Command::new(words.next().unwrap());
    command.current_dir(place.path()).args(words).env("TMPDIR", place.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut stderr, &["engine "]);
    // Without its first line there is no record that could wait.
    while fs::read(ending_in(out, "_record.jsonl")).unwrap().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    fill_up(out, 0);
    read_until(&mut stderr, &["is full; the load continues"]);
    device.command("flip nth 50").unwrap();
    // It is told while the disk is full.
    read_until(&mut stderr, &["wrong data after"]);
    Some((place, mounted, device, child, stderr))
}

fn on_a_full_disk(name: &str) -> Option<(Place, LoopMount, TestDevice, Child, BufReader<ChildStderr>)> {
    on_a_full_disk_with(name, |_| Vec::new())
}

/// `rigel` whose environment names no directory: the record does.
fn there(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().env_remove("TMPDIR").args(line.split_whitespace()))
}

fn has_no_rest(place: &Place) -> bool {
    !place.files().iter().any(|name| name.contains("_rest_"))
}

#[test]
fn a_full_disk_does_not_end_it_and_no_finding_is_lost() {
    let name = "a_full_disk_does_not_end_it_and_no_finding_is_lost";
    let Some((place, mounted, _device, child, mut stderr)) = on_a_full_disk(name) else { return };
    fs::remove_file(mounted.directory().join("filler")).unwrap();
    read_until(&mut stderr, &["there is room for the record again"]);
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    let read = Record::read(&fs::read(ending_in(mounted.directory(), "_record.jsonl")).unwrap()).unwrap();
    let verified =
        read.intervals.iter().flat_map(|one| one.tallies.values()).filter_map(|one| one.verified.as_ref());
    assert_eq!(verified.map(|one| one.faults.corrupt).sum::<u64>(), 1, "{}", told.stderr);
    assert!(read.torn.is_none() && read.closing.is_some());
    assert!(has_no_rest(&place));
}

#[test]
fn a_kill_while_the_disk_is_full_loses_no_finding() {
    let name = "a_kill_while_the_disk_is_full_loses_no_finding";
    let Some((place, mounted, device, mut child, _stderr)) = on_a_full_disk(name) else { return };
    signal(&child, "-KILL");
    child.wait().unwrap();
    let record = ending_in(mounted.directory(), "_record.jsonl");
    let report = format!("report {}", record.display());
    let told = there(&place, &report);
    assert!(told.stdout.contains("Something is wrong: 1 block did not hold"), "{}", told.stdout);
    assert!(told.stderr.contains("did not fit into it, and is taken from"), "{}", told.stderr);
    let disk = device.disk();
    let again = format!("soak --resume {} --destroy-data {}", record.display(), disk.display());
    let told = there(&place, &again);
    assert!(matches!(told.code, 3 | 4) && !has_no_rest(&place), "{}: {}", told.code, told.stderr);
    fs::remove_file(mounted.directory().join("filler")).unwrap();
    let mut command = place.command();
    command.env_remove("TMPDIR").args(again.split_whitespace()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut stderr, &["was restored from", "engine "]);
    thread::sleep(Duration::from_secs(2));
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stdout.contains("Something is wrong: 1 block did not hold"), "{}", told.stdout);
    assert!(has_no_rest(&place));
    assert!(place.line(&report).stdout.contains("Something is wrong: 1 block did not hold"));
}

/// In a mount namespace in which every directory that could take the rest is full or read-only.
#[test]
fn a_finding_that_no_disk_takes_is_in_the_verdict() {
    let name = "a_finding_that_no_disk_takes_is_in_the_verdict";
    let nowhere = |out: &Path| {
        let out = out.display();
        let script = format!(
            "for dir in /tmp /var/tmp; do mount --rbind $dir $dir && mount -o remount,bind,ro $dir || exit; done; \
             TMPDIR={out} exec \"$0\" \"$@\""
        );
        ["unshare", "-m", "sh", "-c", &script].map(str::to_owned).into()
    };
    let Some((place, mounted, _device, child, stderr)) = on_a_full_disk_with(name, nowhere) else { return };
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stdout.contains("Something is wrong: 1 block did not hold"), "{}", told.stdout);
    let text = flat(&told.stdout);
    assert!(text.contains("The end of the record is lost"), "{text}");
    assert!(told.stderr.contains("did not fit and are lost"), "{}", told.stderr);
    let record = ending_in(mounted.directory(), "_record.jsonl");
    let again = format!("rigel soak --resume {} --destroy-data ", record.display());
    assert!(told.stderr.contains(&again), "{}", told.stderr);
    assert!(has_no_rest(&place));
}

#[test]
fn a_disk_that_stays_full_takes_no_finding_from_the_result() {
    let name = "a_disk_that_stays_full_takes_no_finding_from_the_result";
    let Some((place, mounted, _device, child, stderr)) = on_a_full_disk(name) else { return };
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stdout.contains("Something is wrong: 1 block did not hold"), "{}", told.stdout);
    let rest = told.stderr.split("did not fit and is in ").nth(1).unwrap();
    let rest = rest.split([';', '\n']).next().unwrap();
    let (rest, record) = (PathBuf::from(rest), ending_in(mounted.directory(), "_record.jsonl"));
    fs::remove_file(mounted.directory().join("filler")).unwrap();
    // As the message says.
    let whole = [fs::read(&record).unwrap(), fs::read(&rest).unwrap()].concat();
    fs::remove_file(&rest).unwrap();
    fs::write(&record, whole).unwrap();
    let found = place.rigel(["report".as_ref(), record.as_os_str(), "--format".as_ref(), "json".as_ref()]);
    assert_eq!(count(&found.json()["verified"], "corrupt"), 1);
}

#[test]
fn months_in_virtual_time_have_a_record_that_can_be_kept() {
    let place = Place::in_memory();
    let line = "soak --for 90d --every 1h --engine sim:servers=2,service=60s,spread=exponential --io-timeout 1d --json";
    let told = place.line(line).expect_code(0);
    assert!(fs::metadata(place.only("_report.html")).unwrap().len() < 3_000_000);
    let bytes = fs::metadata(place.only("_record.jsonl")).unwrap().len();
    assert!(bytes < 50_000_000, "the record has {bytes} bytes");
    let found = told.json();
    assert_eq!((found["complete"].as_bool(), found["phases"].as_array().unwrap().len()), (Some(true), 3));
    let days = found["lasted_s"].as_f64().unwrap() / 86_400.0;
    assert!((89.9..90.1).contains(&days), "{days}");
    // Its outputs in files, from the record alone.
    fs::create_dir(place.path().join("again")).unwrap();
    let record = place.only("_record.jsonl").display().to_string();
    for format in ["json", "text", "html"] {
        place.line(&format!("report {record} --out again --format {format}")).expect_code(0);
    }
    let again = |suffix: &str| {
        let name = record.rsplit('/').next().unwrap().replace("_record.jsonl", suffix);
        fs::read_to_string(place.path().join("again").join(name)).unwrap()
    };
    assert_eq!(serde_json::from_str::<serde_json::Value>(&again("_soak.json")).unwrap(), found);
    assert!(again("_report.txt").starts_with("No I/O failed in 90 d"), "{}", again("_report.txt"));
    assert_eq!(again("_report.html"), place.read("_report.html"));
}

#[test]
fn months_are_planned_as_they_were_asked_for() {
    let place = Place::new();
    place.random_file("data", 1 << 20);
    for (time, told_time, every) in [("90d", "90 d", "every 120 s"), ("400d", "400 d", "every 360 s")] {
        let told = place.line(&format!("soak --for {time} data --dry-run")).expect_code(0);
        assert!(told.stdout.contains(&format!("in rotation for {told_time}")), "{}", told.stdout);
        assert!(told.stdout.contains(every), "{}", told.stdout);
    }
    // It begins, shows how far it is, and can be ended. It names the command that goes on.
    let (child, stderr) = start_until_record(&place, "soak --for 400d --every 1h data", |record| {
        record.header.request.soak().is_some()
    });
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert!(told.code == 4 && told.stdout.contains("of 400 d"), "{}: {}", told.code, told.stdout);
    let path = place.only("_record.jsonl").canonicalize().unwrap();
    assert!(
        told.stderr.contains(&format!("`rigel soak --resume {}` completes the run", path.display())),
        "from any directory: {}",
        told.stderr
    );
    assert!(!record(&place).complete());
    // So does the result, in which nothing runs any more.
    let text = flat(&told.stdout);
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(
        text.contains("It was stopped after ")
            && text.contains(&format!("`rigel soak --resume {name}`, run in the directory of the record,"))
            && !text.contains("still running"),
        "{text}"
    );
}

/// One of 100,000 I/Os takes 20 s: of some 22 million about 220.
#[test]
fn ios_that_are_lost_for_a_time_are_counted_and_have_a_cause_of_their_own() {
    let place = Place::in_memory();
    let told = place
        .line("soak --for 1h --engine sim:servers=8,service=1ms,rate=0,lost=100000:20s --seed 5")
        .expect_code(1);
    let text = flat(&told.stdout);
    let count =
        text.strip_prefix("Something is wrong: ").and_then(|rest| rest.split_once(" I/Os took ten seconds"));
    let count: u64 = count.unwrap_or_else(|| panic!("{text}")).0.parse().unwrap();
    assert!((150..300).contains(&count), "{count}");
    assert!(text.contains(" or longer (up to 20.0") && text.contains("The longest was of class "), "{text}");
    assert!(told.stderr.contains("note: a simulated device holds no data to verify"), "{}", told.stderr);
    let error = format!("the soak found something wrong: {count} I/Os took ten seconds or longer");
    assert!(told.stderr.contains(&error) && !told.stderr.contains("peers"), "{}", told.stderr);
}

/// Each phase ends with I/Os that take ten seconds.
#[test]
fn time_that_no_phase_has_is_explained() {
    let place = Place::in_memory();
    let soak = |law: &str| {
        let told = place.line(&format!("soak --engine sim:{law} --for 140s --seed 5 --no-html"));
        flat(&told.stdout)
    };
    let lost = soak("lost=100");
    assert!(lost.contains("Its phases add up to 1 min "), "{lost}");
    assert!(lost.contains(" for I/Os that had not completed, and began no others."), "{lost}");
    let healthy = soak("servers=8,service=1ms");
    assert!(!healthy.contains("Its phases add up"), "{healthy}");
}

#[test]
fn what_cannot_be_soaked_is_refused_with_the_reason() {
    let place = Place::new();
    let data = place.random_file("data", 1 << 20);
    let data = data.display();
    for (line, code, sign) in [
        ("soak".to_owned(), 2, "--for"),
        ("soak --for 0s".to_owned(), 2, "--for"),
        ("soak --for 900d".to_owned(), 2, "two years"),
        ("soak --for 30d --every 1s".to_owned(), 2, "--every"),
        ("soak --for 1h --write 101".to_owned(), 2, "--write"),
        (format!("soak --for 1s --write 30 {data}"), 3, "--destroy-data"),
        ("soak --for 1h --resume x_record.jsonl".to_owned(), 2, "--resume"),
        ("soak --resume x_record.jsonl".to_owned(), 2, "x_record.jsonl"),
        ("soak --for 1s --destroy-data /dev/null".to_owned(), 2, "--destroy-data"),
    ] {
        let told = place.line(&line).expect_code(code);
        assert!(told.stderr.contains(sign), "{line}: {}", told.stderr);
    }
    let told = place.line(&format!("soak --for 2w {data} --dry-run")).expect_code(0);
    assert!(
        told.stdout.contains("in rotation for 14 d") && told.stdout.contains("figures every 60 s"),
        "{}",
        told.stdout
    );
}
