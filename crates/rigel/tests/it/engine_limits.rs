//! What limits engines: threads, memory, slots of libaio, a slow or restless target. The dry run says which ones it leaves and why, and no run fails where another
//! engine would do.

use crate::old_kernel::{refused, strace};
use crate::support::{Place, ProgramOutput, flat, tell};
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::record::Record;
use rigel_testdev::{
    BlkioCap, CapLimits, ControlGroup, DeviceSpec, MissingNeed, TestDevice, ZramDevice, needs,
};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const NO_THREADS: &str = "no sync: a limit on threads is reached (ulimit -u, kernel.threads-max, pids.max)";

fn engine(place: &Place) -> EngineFacts {
    let record = Record::read(&fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    record.header.nodes.first().engine.clone()
}

/// The program of a command in a place, with the words of a line.
fn run(mut command: Command, place: &Place, line: &str) -> ProgramOutput {
    tell(command.current_dir(place.path()).stdin(Stdio::null()).args(line.split_whitespace()))
}

/// Compressed memory hands every I/O to threads of the kernel.
fn filled_zram() -> Result<ZramDevice, MissingNeed> {
    const BYTES: u64 = 16 << 20;
    let device = ZramDevice::create(BYTES)?;
    device.fill(BYTES).map_err(MissingNeed::new)?;
    Ok(device)
}

/// Another user than root, for whom the kernel counts, with so few threads.
fn few_threads(place: &Place) -> Result<impl Fn() -> Command, MissingNeed> {
    let (program, somebody) = (place.path().join("program"), 4713);
    fs::copy(env!("CARGO_BIN_EXE_rigel"), &program).map_err(MissingNeed::new)?;
    for path in [place.path().to_owned(), place.path().join("data")] {
        chown(path, Some(somebody), Some(somebody)).map_err(MissingNeed::new)?;
    }
    let command = move || {
        let mut command = Command::new("prlimit");
        command.uid(somebody).gid(somebody).arg("--nproc=60:60").arg(&program);
        command
    };
    let told = command().arg("--version").output().map_err(MissingNeed::new)?;
    told.status.success().then_some(command).ok_or_else(|| MissingNeed::new(format!("{told:?}")))
}

#[test]
fn a_user_of_few_threads_gets_an_engine_that_needs_none() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let name = "a_user_of_few_threads_gets_an_engine_that_needs_none";
    let Some(limited) = needs(name, few_threads(&place)) else { return };
    let line = "run advanced data --matrix point --num-small 200 --num-large 0 --duration 200ms --no-html";
    let dry = flat(&run(limited(), &place, &format!("{line} --dry-run")).expect_code(0).stdout);
    assert!(dry.contains(NO_THREADS) && !dry.contains("or sync"), "{dry}");
    run(limited(), &place, &format!("{line} --name free")).expect_measured();
    let told = run(limited(), &place, &format!("{line} --engine sync")).expect_code(3);
    assert!(told.stderr.contains("cannot start 200 threads for 200 outstanding I/Os"), "{told:?}");
    assert!(told.stderr.contains("(ulimit -u") && told.stderr.contains("leave out --engine"), "{told:?}");
    assert!(
        flat(&run(limited(), &place, &format!("{line} --engine sync --dry-run")).stdout).contains("refused")
    );
}

#[test]
fn a_container_of_few_threads_is_tried_without_sync() {
    let name = "a_container_of_few_threads_is_tried_without_sync";
    let Some(device) = needs(name, filled_zram()) else { return };
    let Some(group) = needs(name, ControlGroup::with_threads(60)) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {} --matrix point --num-small 200 --num-large 0 --duration 200ms --allow-memory --no-html",
        device.path().display()
    );
    let limited = || group.command(env!("CARGO_BIN_EXE_rigel"));
    let dry = flat(&run(limited(), &place, &format!("{line} --dry-run")).expect_code(0).stdout);
    assert!(dry.contains(NO_THREADS) && !dry.contains("or sync"), "{dry}");
    let told = run(limited(), &place, &line).expect_measured();
    assert!(told.stderr.contains("no io_uring") || told.stderr.contains(NO_THREADS), "{}", told.stderr);
    let tried = engine(&place).trials.unwrap();
    assert!(tried.trials.iter().all(|trial| trial.engine != EngineKind::Sync), "{tried:?}");
}

#[test]
fn ten_thousand_outstanding_in_256_mib_need_no_worker_each() {
    let name = "ten_thousand_outstanding_in_256_mib_need_no_worker_each";
    let Some(group) = needs(name, ControlGroup::with_memory(256 << 20)) else { return };
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = "run advanced data --matrix point --num-small 10000 --num-large 0 --duration 200ms --no-html";
    let limited = || group.command(env!("CARGO_BIN_EXE_rigel"));
    let dry = flat(&run(limited(), &place, &format!("{line} --dry-run")).expect_code(0).stdout);
    let needed = "no sync: 10000 workers, and more than 2048 have to be requested with --engine sync";
    assert!(dry.contains(needed), "{dry}");
    run(limited(), &place, line).expect_measured();
    let told = run(limited(), &place, &format!("{line} --engine sync")).expect_code(3);
    assert!(told.stderr.contains("use --engine io_uring or libaio, which need 78.1"), "{told:?}");
}

/// The large I/Os of `simple` never meet the small ones.
#[test]
fn classes_that_take_turns_have_the_same_workers() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    for (level, workers) in [("simple", 5), ("normal", 7)] {
        let line =
            format!("run {level} data --num-disks 1 --engine sync --duration 100ms --no-html --name {level}");
        let told = place.line(&line).expect_measured();
        assert!(told.stderr.contains(&format!("{workers} workers, seed")), "{told:?}");
        let dry = flat(&place.line(&format!("{line} --dry-run")).stdout);
        assert!(dry.contains(&format!("for {workers} workers")), "{dry}");
    }
}

#[test]
fn many_targets_are_tried_as_few() {
    let place = Place::new();
    let paths: Vec<_> = (0..410).map(|index| place.path().join(format!("lun{index}"))).collect();
    for path in &paths {
        fs::File::create(path).unwrap().set_len(1 << 20).unwrap();
    }
    place.lun("many.lun", &paths.iter().map(|path| path.as_path()).collect::<Vec<_>>());
    let line =
        "run advanced --lun many.lun --matrix point --num-small 820 --num-large 0 --duration 200ms --no-html";
    for engine in ["auto", "sync"] {
        let told = place.line(&format!("{line} --engine {engine} --name {engine}"));
        // Of holes no number may be used.
        assert!([0, 1].contains(&told.code) && told.stderr.contains("engine "), "{told:?}");
        assert!(engine == "auto" || told.stderr.contains("820 workers"), "{told:?}");
    }
}

/// A simulated device, or none, has nothing to be tried on.
#[test]
fn what_is_simulated_is_not_tried() {
    for engine in ["sim", "null", "nop"] {
        let place = Place::new();
        let line = "run advanced --matrix point --num-small 4 --num-large 0 --duration 100ms --no-html";
        place.line(&format!("{line} --engine {engine}"));
        assert_eq!(self::engine(&place).trials, None);
    }
}

/// A hundred reads in the queue of a device that does 50 a second: the last one has waited for two seconds, and none hangs.
#[test]
fn a_long_queue_is_no_engine_that_hangs() {
    let name = "a_long_queue_is_no_engine_that_hangs";
    let spec = DeviceSpec { service_us: 20_000, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {} --matrix point --num-small 150 --num-large 0 --duration 200ms --no-html --engine libaio",
        device.disk().display()
    );
    let told = place.line(&line);
    assert!([0, 1].contains(&told.code), "{told:?}");
    assert!(told.stderr.contains("are too few to tell"), "{}", told.stderr);
    assert!(!told.stderr.contains("did not"), "{}", told.stderr);
}

/// Whether a program has a worker, in a trial or in the run.
fn has_worker(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
    threads.filter_map(Result::ok).map(name).any(|name| name.starts_with("rigel-worker"))
}

/// A limit that is raised while engines are tried. Which one is taken is what the figures say, and where they say too little the run tells so and
/// goes on.
#[test]
fn trials_that_differ_wildly_are_told() {
    let name = "trials_that_differ_wildly_are_told";
    let Some(device) = needs(name, filled_zram()) else { return };
    let limits = |read_iops| CapLimits { read_iops: Some(read_iops), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(device.path(), limits(20_000))) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {} --matrix point --num-small 8 --num-large 0 --duration 200ms --allow-memory --no-html",
        device.path().display()
    );
    let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
    command.current_dir(place.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.args(line.split_whitespace()).spawn().unwrap();
    while !has_worker(child.id()) && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(2));
    }
    sleep(Duration::from_millis(200));
    cap.change(limits(200_000)).unwrap();
    let told = ProgramOutput::from(child.wait_with_output().unwrap());
    let has_ring = !told.stderr.contains("no io_uring");
    let ring = if has_ring { Ok(()) } else { Err(MissingNeed::new("no io_uring here")) };
    let Some(()) = needs(name, ring) else { return };
    // The limit changed meanwhile, which a run may be invalid for.
    assert!([0, 1].contains(&told.code), "{told:?}");
    let found = engine(&place);
    let trials = found.trials.unwrap_or_else(|| panic!("{}", told.stderr));
    // Which turn the change falls into depends on the machine; how far apart is too far is asked in `facts::engine::trials`.
    // libaio is not tried while other programs use up its contexts.
    assert!([2, 3].contains(&trials.trials.len()), "{trials:?}");
    assert_eq!(trials.best(), Some(found.kind), "{trials:?}");
    let doubt = "the trials differ too much to tell, so io_uring is kept";
    assert_eq!(told.stderr.contains(doubt), trials.doubt().is_some(), "{}", told.stderr);
}

/// As a sysctl, a seccomp profile or other programs leave it.
#[test]
fn a_dry_run_says_why_an_engine_is_not_tried_here() {
    let name = "a_dry_run_says_why_an_engine_is_not_tried_here";
    let Some(()) = needs(name, strace()) else { return };
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let plan = |calls: &str, errno: &str, more: &str| {
        let line = format!("run oltp data --dry-run {more}");
        flat(&refused(&place, calls, errno, &line).expect_code(0).stdout)
    };
    let no_slots = plan("io_setup", "EAGAIN", "");
    assert!(no_slots.contains("unless short trials show that sync does more ("), "{no_slots}");
    assert!(no_slots.contains("no libaio: fs.aio-nr is "), "{no_slots}");
    let no_ring = plan("io_uring_setup", "EPERM", "--engine threads");
    assert!(no_ring.contains("threads, compared in short trials with libaio and sync ("), "{no_ring}");
    assert!(no_ring.contains("no io_uring: "), "{no_ring}");
    let neither = plan("io_uring_setup,io_setup", "EPERM", "");
    let told = "Engine threads, the best one that works here, unless short trials show that sync does more (no io_uring: ";
    assert!(neither.contains(told), "{neither}");
    assert_eq!(neither.matches("no libaio: ").count(), 1, "{neither}");
    let fixed = plan("io_setup", "EPERM", "--workers 1");
    assert!(fixed.contains("no sync: --workers asks for a different number"), "{fixed}");
    assert!(!fixed.contains("short trials"), "{fixed}");
}
