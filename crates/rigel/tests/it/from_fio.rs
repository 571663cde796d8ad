//! Job files of fio: as load files, and as loads of a run. The same I/O as fio makes: `clock::fio_job_agreement`.

use crate::support::{Place, ProgramOutput};
use std::fs;

/// Reads and writes at rates of their own, a scan at a rate beside them, and a job on its own behind them.
const JOB: &str = "; a shop
[global]
direct=1
ioengine=libaio
time_based
runtime=20

[oltp]
rw=randrw
bs=8k,16k
iodepth=16
rate_iops=400,100   # of each
[scan]
rw=read
bs=128k
iodepth=4
rate_iops=50
thinktime=100
[commit]
stonewall
rw=write
bs=8k
numjobs=2
ioengine=psync
fdatasync=1
";
/// Every request takes 1 ms; there are enough servers that none waits.
const LAW: &str = "sim:servers=64,service=1ms,rate=0";

fn with(text: &str) -> Place {
    let place = Place::in_memory();
    fs::write(place.path().join("job.fio"), text).unwrap();
    place
}

fn expect(told: &str, words: &[&str]) {
    for words in words {
        assert!(told.contains(words), "'{words}' is not in:\n{told}");
    }
}

#[test]
fn a_job_file_becomes_a_load_file_with_what_is_lost_line_by_line() {
    let place = with(JOB);
    let told = place.line("load from-fio job.fio").expect_code(0);
    expect(
        &told.stderr,
        &[
            "job.fio: line 4: ioengine=libaio: is --engine libaio here",
            "job.fio: line 18: thinktime=100: a class has no pauses, so it does more I/Os here; give the job rate_iops instead",
            "job.fio: line 19: [commit]: stonewall",
            "job.fio: line 24: ioengine=psync: is --engine sync here",
            "rigel run --load FILE --duration 20s",
        ],
    );
    assert_eq!(told.stderr.matches("job.fio: line").count(), 4, "{}", told.stderr);
    expect(&told.stdout, &["load = \"rigel.load/1\"", "name = \"oltp_w\"", "fio: line 18: thinktime=100"]);
    let quiet = place.line("load from-fio job.fio --quiet").expect_code(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (told.stdout.as_str(), ""));
}

/// The rates of the classes of both points, by name.
fn rates(run: ProgramOutput) -> Vec<(String, f64)> {
    let document = run.json();
    let points = document["points"].as_array().unwrap().clone();
    let of = |point: &serde_json::Value| {
        let classes = point["classes"].as_object().unwrap().clone();
        classes
            .into_iter()
            .map(|(name, io)| (name, io["iops"]["value"].as_f64().unwrap()))
            .collect::<Vec<_>>()
    };
    points.iter().flat_map(of).filter(|(_, rate)| *rate > 0.0).collect()
}

#[test]
fn a_job_file_and_its_load_file_measure_the_same_and_what_the_job_says() {
    let place = with(JOB);
    let printed = place.line("load from-fio job.fio --quiet").expect_code(0);
    fs::write(place.path().join("job.toml"), &printed.stdout).unwrap();
    let how = format!("--engine {LAW} --seed 3 --json --quiet --no-html");
    let at_once = rates(place.line(&format!("run --load job.fio {how} --name a")).expect_code(0));
    let in_two =
        rates(place.line(&format!("run --load job.toml --duration 20s {how} --name b")).expect_code(0));
    assert_eq!(at_once, in_two);
    // Even arrivals: their number in 20 s is exact to one; two writers of 1 ms write and 1 ms flush at most.
    for (name, rate) in [("oltp_r", 400.0), ("oltp_w", 100.0), ("scan", 50.0)] {
        let found = at_once.iter().find(|(found, _)| found == name).unwrap();
        assert!((found.1 - rate).abs() <= 0.1, "{name}: {at_once:?}");
    }
    let commits = at_once.iter().find(|(name, _)| name == "commit").unwrap().1;
    assert!((900.0..=2001.0).contains(&commits), "{at_once:?}");
}

/// The level of a class that comes at a rate is no number of outstanding I/Os.
#[test]
fn commits_beside_a_rate_are_beside_so_many_per_second() {
    let place = with("[scan]\nrw=read\nbs=128k\nrate_iops=50\n[log]\nrw=write\nbs=8k\nfdatasync=1\n");
    let told =
        place.line(&format!("run --load job.fio --duration 10s --engine {LAW} --seed 3 --quiet --no-html"));
    expect(
        &crate::support::flat(&told.expect_code(0).stdout),
        &["With 1 writer next to 50 scan I/Os per second, "],
    );
}

#[test]
fn a_job_that_writes_needs_a_target_that_was_typed_and_consent() {
    let place = with("[a]\nrw=randwrite\ndirect=1\nfilename=data.bin\nsize=1m\nruntime=1\ntime_based\n");
    let target = place.random_file("data.bin", 1 << 20);
    let before = fs::read(&target).unwrap();
    let told = place.line("run --load job.fio").expect_code(2);
    expect(
        &told.stderr,
        &["the job writes, and the command line names no target", "rigel run --load job.fio data.bin"],
    );
    let told = place.line("run --load job.fio data.bin").expect_code(3);
    expect(&told.stderr, &["--destroy-data"]);
    assert!(fs::read(&target).unwrap() == before, "nothing was written");
}

#[test]
fn what_a_job_file_says_that_nobody_can_run_is_refused_with_its_line() {
    for (text, words) in [
        ("[a]\nrw=randtrim\n", "job.fio:2"),
        ("[a]\nfilename=${DISK}\n", "envsubst"),
        ("[a]\ninclude x.fio\n", "copy the included lines"),
        ("[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb\n", "different files"),
        ("[a]\nrw=randread\nfilename=nowhere.bin\n", "does not exist"),
    ] {
        let told = with(text).line("run --load job.fio --dry-run").expect_code(2);
        expect(&told.stderr, &[words]);
    }
    let told = with("load = 1\n").line("load from-fio job.fio").expect_code(2);
    expect(&told.stderr, &["is in no section"]);
    let told = Place::in_memory().line("load from-fio nowhere.fio").expect_code(2);
    expect(&told.stderr, &["there is no such job file"]);
}

#[test]
fn the_target_of_a_job_that_reads_is_taken() {
    let place = with("[a]\nrw=randread\ndirect=1\nbs=8k\nfilename=data.bin\nruntime=7\ntime_based\n");
    place.random_file("data.bin", 1 << 20);
    let told = place.line("run --load job.fio --dry-run --allow-memory").expect_code(0);
    expect(&told.stdout, &["data.bin"]);
    expect(&told.stderr, &["each point is measured once for 7 s, the runtime of the job"]);
    let asked = place.line("run --load job.fio --dry-run --fast --allow-memory").expect_code(0);
    assert!(!asked.stderr.contains("runtime of the job"), "{}", asked.stderr);
}
