//! Without `--engine`: where the kernel hands I/Os of a ring to threads of its own, the engines are tried on the target, and the run keeps what that leaves.

use crate::stop::{ended, signal, start_until_record};
use crate::support::Place;
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::record::Record;
use rigel_testdev::{MissingNeed, ZramDevice, needs};

/// Compressed memory never answers without waiting. Random bytes, as zeros are answered without any work.
fn device(name: &str) -> Option<ZramDevice> {
    const BYTES: u64 = 16 << 20;
    let filled = ZramDevice::create(BYTES).and_then(|device| {
        device.fill(BYTES).map_err(|error| MissingNeed::new(format!("zram: {error}")))?;
        Ok(device)
    });
    needs(name, filled)
}

fn record(place: &Place) -> Record {
    Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap()
}

fn engine(place: &Place) -> EngineFacts {
    record(place).header.nodes.first().engine.clone()
}

/// The trials say what was taken, all three engines are among them, and each gave something.
fn is_found_by_trials(engine: &EngineFacts, told: &str) {
    let trials = engine.trials.as_ref().unwrap_or_else(|| panic!("no trials: {told}"));
    assert_eq!(trials.best(), Some(engine.kind), "{trials:?}");
    assert!(told.contains(&trials.sentence()), "{told}");
    let names: Vec<EngineKind> = trials.trials.iter().map(|trial| trial.engine).collect();
    assert_eq!(names, [EngineKind::IoUring, EngineKind::Libaio, EngineKind::Sync]);
    assert!(
        trials.trials.iter().all(|trial| trial.iops.len() == 2 && trial.iops.iter().all(|iops| *iops > 0.0))
    );
}

/// Where there is no io_uring, the trials are of the other two.
fn has_no_ring(name: &str, told: &str) -> bool {
    let ring = if told.contains("no io_uring") { Err(MissingNeed::new("no io_uring here")) } else { Ok(()) };
    needs(name, ring).is_none()
}

#[test]
fn a_run_that_writes_is_tried_and_an_engine_that_was_asked_for_is_kept_and_compared() {
    let name = "a_run_that_writes_is_tried_and_an_engine_that_was_asked_for_is_kept_and_compared";
    let Some(device) = device(name) else { return };
    let target = device.path().display().to_string();
    let line = format!(
        "run advanced {target} --destroy-data {target} --allow-memory --write 100 --matrix point --num-small 4 --num-large 0 --duration 500ms --no-html"
    );
    let place = Place::new();
    let told = place.line(&line);
    if has_no_ring(name, &told.stderr) {
        return;
    }
    is_found_by_trials(&engine(&place), &told.stderr);
    let (place, line) = (Place::new(), format!("{line} --engine threads"));
    let told = place.line(&line);
    let engine = engine(&place);
    let trials = engine.trials.as_ref().unwrap_or_else(|| panic!("no trials: {}", told.stderr));
    let tried: Vec<EngineKind> = trials.trials.iter().map(|trial| trial.engine).collect();
    assert_eq!(engine.kind, EngineKind::Threads, "{}", told.stderr);
    assert_eq!(tried, [EngineKind::Threads, EngineKind::IoUring, EngineKind::Libaio, EngineKind::Sync]);
    // Which one is faster is the machine's affair; what the run says of it has to be that.
    let faster = trials
        .faster_than(EngineKind::Threads)
        .map(|trial| format!("--engine {} shows", trial.engine.name()));
    let report = place.line(&format!("report {} --explain", place.only("_record.jsonl").display()));
    let flat = report.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat.contains("shows more of the storage"), faster.is_some(), "{flat}");
    assert!(faster.is_none_or(|faster| flat.contains(&faster)), "{flat}");
}

/// A simulated device, commits and an NVMe ring have nothing to be compared with, and a dry run says what would be done.
#[test]
fn a_dry_run_names_what_an_engine_would_be_compared_with() {
    let place = Place::new();
    place.random_file("disk", 1 << 20);
    let told = place.line("run oltp disk --engine libaio --dry-run");
    let flat = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let others = ["io_uring and sync", "sync"];
    let is_said = |others: &&str| flat.contains(&format!("libaio, compared in short trials with {others}"));
    assert!(others.iter().any(is_said), "{flat}");
    for line in
        ["run oltp --engine null", "run oltp disk --engine libaio --no-trials", "run oltp disk --no-trials"]
    {
        let told = place.line(&format!("{line} --dry-run")).expect_code(0);
        assert!(!told.stdout.contains("short trials"), "{}", told.stdout);
    }
    let told = place.line(
        "run advanced disk --engine threads --no-trials --matrix point --num-small 1 --num-large 0 --duration 300ms --no-html",
    );
    assert!(!told.stderr.contains("tried with"), "{}", told.stderr);
}

/// What arrives waits in a queue, which an engine without one cannot have.
#[test]
fn a_load_at_a_rate_is_tried_as_a_closed_loop() {
    let name = "a_load_at_a_rate_is_tried_as_a_closed_loop";
    let Some(device) = device(name) else { return };
    let place = Place::new();
    let target = device.path().display().to_string();
    let line = format!("run open {target} --rate 500 --duration 500ms --allow-memory --no-html");
    let told = place.line(&line);
    if has_no_ring(name, &told.stderr) {
        return;
    }
    let engine = engine(&place);
    let trials = engine.trials.as_ref().unwrap_or_else(|| panic!("no trials: {}", told.stderr));
    let tried: Vec<EngineKind> = trials.trials.iter().map(|trial| trial.engine).collect();
    assert_eq!(tried, [EngineKind::IoUring, EngineKind::Libaio]);
    assert_eq!(trials.best(), Some(engine.kind));
    assert!(told.stderr.contains("no sync: when I/Os arrive at a rate"), "{}", told.stderr);
}

#[test]
fn a_run_that_goes_on_keeps_its_engine() {
    let Some(device) = device("a_run_that_goes_on_keeps_its_engine") else { return };
    let place = Place::new();
    let line = format!(
        "run oltp {} --allow-memory --num-disks 1 --duration 300ms --no-html --name whole",
        device.path().display()
    );
    let (child, stderr) = start_until_record(&place, &line, |record| !record.visits.is_empty());
    signal(&child, "-INT");
    let told = ended(child, stderr);
    assert_eq!(told.code, 4, "{}", told.stderr);
    let before = engine(&place);
    let name = place.only("_record.jsonl");
    let told = place.line(&format!("run --resume {} --no-html", name.display()));
    assert_eq!(engine(&place), before);
    let after = format!("engine {}, ", before.kind.name());
    assert!(told.stderr.contains(&after) && !told.stderr.contains("tried with"), "{}", told.stderr);
}

#[test]
fn both_sides_of_a_comparison_have_the_same_engine() {
    let name = "both_sides_of_a_comparison_have_the_same_engine";
    let (Some(a), Some(b)) = (device(name), device(name)) else { return };
    let place = Place::new();
    let line = format!(
        "versus advanced {} --and {} --allow-memory --matrix point --num-small 4 --num-large 0 --max-duration 20s --no-html --name both",
        a.path().display(),
        b.path().display()
    );
    let told = place.line(&line);
    if has_no_ring(name, &told.stderr) {
        return;
    }
    // Once, or of both sides where their own trials would have taken different ones.
    assert!([1, 2].contains(&told.stderr.matches("tried with").count()), "{}", told.stderr);
    assert_eq!(told.stderr.matches("\nengine ").count(), 1, "{}", told.stderr);
    // Each side's trials may leave another one, and then the one that holds back either least is taken.
    let engine = engine(&place);
    let trials = engine.trials.unwrap_or_else(|| panic!("no trials: {}", told.stderr));
    assert!(told.stderr.contains(&trials.sentence()), "{}", told.stderr);
    assert!(trials.trials.iter().any(|trial| trial.engine == engine.kind), "{trials:?}");
    assert_eq!(record(&place).header.nodes.all().len(), 1, "one engine for both sides");
}

/// Where one side names its engine, the other has the usual one, at once and when the run is gone on with.
#[test]
fn a_side_beside_one_that_names_its_engine_keeps_its_own() {
    let name = "a_side_beside_one_that_names_its_engine_keeps_its_own";
    let (Some(a), Some(b)) = (device(name), device(name)) else { return };
    let place = Place::new();
    let line = format!(
        "versus advanced {} --and {} --allow-memory --matrix point --num-small 4 --num-large 0 --max-duration 20s --no-html --name both \
         --engine libaio --and-engine auto",
        a.path().display(),
        b.path().display()
    );
    let (child, stderr) = start_until_record(&place, &line, |record| !record.visits.is_empty());
    signal(&child, "-INT");
    let before = ended(child, stderr);
    assert_eq!(before.code, 4, "{}", before.stderr);
    if has_no_ring(name, &before.stderr) {
        return;
    }
    let record = place.only("_record.jsonl");
    let after = place.line(&format!("versus --resume {} --no-html", record.display()));
    for told in [&before, &after] {
        assert!(told.stderr.contains("side B: engine io_uring"), "{}", told.stderr);
        assert!(!told.stderr.contains("tried with"), "{}", told.stderr);
    }
}

/// Each side alone would fit.
#[test]
fn workers_of_both_sides_are_counted_together() {
    let place = Place::new();
    for file in ["a", "b"] {
        place.random_file(file, 1 << 20);
    }
    let line = "versus advanced a --and b --matrix point --num-small 6000 --num-large 0 --size-small 512 --engine sync --dry-run";
    let told = place.line(line).expect_code(2);
    assert!(told.stderr.contains("12000 outstanding I/Os need as many workers"), "{}", told.stderr);
}
