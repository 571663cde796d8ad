//! What becomes of the others when one rank is killed, stopped, hangs or panics, and how its run goes on. The real program, started by mpirun.

use crate::ranks::{SIM, VERIFIED, left_of};
use crate::support::{Place, RunningJob, mpirun};
use rigel_testdev::needs;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A run that lasts, on the engine that only costs CPU time.
const LONG: &str = "--oversubscribe run --load one.toml --engine null --workers 1 --duration 60s";

fn started(place: &Place, mpirun: &Path) -> RunningJob {
    place.load("one.toml", 9);
    let mut run = place.start(mpirun, 3, LONG);
    run.wait_for_record(place);
    run
}

#[test]
fn a_killed_rank_ends_all() {
    let Some(mpirun) = needs("rigel-mpi: a killed rank", mpirun()) else { return };
    let place = Place::new();
    let mut run = started(&place, &mpirun);
    run.signal_rank(1, "KILL");
    let began = Instant::now();
    let code = run.end();
    assert!(began.elapsed() < Duration::from_secs(15));
    assert_eq!(code, 137);
    run.nothing_is_left();
    place.record_is_whole();
}

/// From the start of its process to its end: while MPI begins, all meet, targets are looked at, I/O is outstanding, outputs are written.
#[test]
fn a_rank_killed_in_any_phase_ends_all() {
    let Some(mpirun) = needs("rigel-mpi: a rank killed in any phase", mpirun()) else { return };
    let mut killed = 0;
    for (turn, wait_ms) in [0, 30, 100, 250, 500, 900].into_iter().enumerate() {
        let place = Place::new();
        place.load("one.toml", 9);
        let words = "--oversubscribe run --load one.toml --engine null --workers 1 --duration 400ms";
        let mut run = place.start(&mpirun, 3, words);
        run.wait_for_rank(turn % 3);
        std::thread::sleep(Duration::from_millis(wait_ms));
        run.kill_rank(turn % 3);
        let code = run.end_of_ranks(Duration::from_secs(20));
        let told = run.told();
        // 0 and 1: it had done its work before.
        assert!([0, 1, 137].contains(&code), "{wait_ms} ms: {code}, {told}");
        killed += usize::from(code == 137);
        run.nothing_is_left();
        if place.has_record() && !place.read("_record.jsonl").is_empty() {
            place.record_is_whole();
        }
    }
    assert!(killed > 1, "the first ones come before any work is done");
}

#[test]
fn a_stopped_rank_is_named_and_ended() {
    let Some(mpirun) = needs("rigel-mpi: a stopped rank", mpirun()) else { return };
    let place = Place::new();
    let mut run = started(&place, &mpirun);
    run.signal_rank(2, "STOP");
    let code = run.end();
    let told = run.told();
    assert_eq!(code, 4, "{told}");
    assert!(told.contains("node 2 (") && told.contains("has not answered for 6"), "{told}");
    run.nothing_is_left();
    place.record_is_whole();
}

/// What a soak found outweighs that a node was lost.
#[test]
fn a_soak_that_found_wrong_blocks_says_so_when_a_node_is_lost() {
    let Some(mpirun) = needs("rigel-mpi: wrong blocks and a stopped rank", mpirun()) else { return };
    let place = Place::new();
    place.file("data", 2 << 20);
    fs::write(place.path().join("data.toml"), VERIFIED).unwrap();
    let words =
        "--oversubscribe soak --load data.toml data --destroy-data data --every 1s --workers 1 --for 10m";
    let mut run = place.start(&mpirun, 3, words);
    run.wait_for_record(&place);
    run.wait_until(|| {
        place.read("_record.jsonl").lines().filter(|line| line.contains("\"interval\"")).count() > 1
    });
    place.fill(Path::new("data"), 1 << 20);
    run.wait_until_told("wrong data after");
    run.signal_rank(2, "STOP");
    let code = run.end();
    let told = run.told();
    assert!(told.contains("node 2 (") && told.contains("has not answered for 6"), "{told}");
    assert_eq!(code, 1, "{told}");
    run.nothing_is_left();
    place.record_is_whole();
}

#[test]
fn a_run_that_is_ended_leaves_a_record_and_goes_on_with_the_same_nodes() {
    let Some(mpirun) = needs("rigel-mpi: SIGTERM and --resume", mpirun()) else { return };
    let place = Place::new();
    let words = format!("--oversubscribe run oltp --num-disks 4 --duration 2s --seed 7 {SIM}");
    place.run(&mpirun, 3, &words).expect_code(0);
    let whole = place.read("_record.jsonl");
    // Two visits are left of it.
    let (record, kept, name) = left_of(&place, &whole, 3);
    let told = place.run(&mpirun, 2, &format!("--oversubscribe run --resume {name}"));
    assert_eq!(told.code, 3, "{}", told.stderr);
    assert!(told.stderr.contains("made by 3 nodes, but there are 2"), "{}", told.stderr);
    assert_eq!(fs::read_to_string(&record).unwrap(), kept, "a refusal leaves the record alone");
    place.run(&mpirun, 3, &format!("--oversubscribe run --resume {name}")).expect_code(0);
    let visits = |text: &str| {
        text.lines().filter(|line| line.contains("\"line\":\"visit\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(visits(&fs::read_to_string(&record).unwrap()), visits(&whole), "as if nothing had happened");

    let place = Place::new();
    let mut run = started(&place, &mpirun);
    run.signal_mpirun("TERM");
    let code = run.end();
    // 1: cut short, and on a busy host none of the numbers may be used.
    assert!([1, 4, 143, 137].contains(&code), "{code}: {}", run.told());
    run.nothing_is_left();
    place.record_is_whole();
}

/// Each node has a device of either side, and those of side A come first in the list of the run.
#[test]
fn two_sides_on_targets_of_each_node_go_on() {
    let Some(mpirun) = needs("rigel-mpi: versus --resume", mpirun()) else { return };
    let place = Place::new();
    let words = "--oversubscribe versus oltp --engine sim:servers=4,service=1ms,rate=0 \
                 --and-engine sim:servers=4,service=2ms,rate=0 --fast --seed 7 --no-history";
    let told = place.run(&mpirun, 2, words);
    told.expect_measured();
    let whole = place.read("_record.jsonl");
    let (record, kept, name) = left_of(&place, &whole, whole.lines().count() / 2);
    let told = place.run(&mpirun, 2, &format!("--oversubscribe versus --resume {name} --no-history"));
    told.expect_measured();
    let again = fs::read_to_string(&record).unwrap();
    assert!(again.starts_with(&kept) && again.contains("\"line\":\"resumed\""), "it went on");
    assert!(again.lines().last().unwrap().contains("\"complete\":true"), "{}", told.stderr);
}

#[test]
fn a_panic_and_an_exit_of_one_rank_end_all() {
    let Some(mpirun) = needs("rigel-mpi: a panic", mpirun()) else { return };
    let place = Place::new();
    for (how, code) in [("panic", 101), ("exit", 3)] {
        let began = Instant::now();
        let mut run = place.start_program(&mpirun, 3, &crate::support::example("faults"), how);
        assert_eq!(run.end(), code, "{how}: {}", run.told());
        assert!(began.elapsed() < Duration::from_secs(20), "{how}");
        run.nothing_is_left();
    }
}

/// The run is over, and one rank does not come to the end: it is named, and the run ends with its own code.
#[test]
fn a_rank_that_hangs_at_the_end_does_not_keep_the_others() {
    let Some(mpirun) = needs("rigel-mpi: a rank that hangs at the end", mpirun()) else { return };
    let places = [0, 1].map(|code| (code, Place::new()));
    let faults = crate::support::example("faults");
    // Side by side: each waits for half a minute.
    let runs: Vec<_> = places
        .iter()
        .map(|(code, place)| (code, place.start_program(&mpirun, 3, &faults, &format!("stay {code}"))))
        .collect();
    for (code, mut run) in runs {
        assert_eq!(run.end(), *code, "{}", run.told());
        let told = run.told();
        assert!(told.contains("the run is over, and node 1 (db1) has not ended"), "{told}");
        run.nothing_is_left();
    }
}
