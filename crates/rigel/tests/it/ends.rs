//! How a run ends that its user stops, that does not get the memory or the target that it needs, or that nobody listens to: what it says is true, and
//! the command that it names is accepted.

use crate::stop::{ended, signal, start_until, start_until_record, stopped_when};
use crate::support::{Place, ProgramOutput, flat, tell};
use rigel_core::facts::TargetChange;
use rigel_core::record::Record;
use rigel_testdev::{ControlGroup, needs};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The commands that a text names for what is left: on standard error in backticks, on standard output in a line of its own.
fn named(told: &ProgramOutput) -> Vec<String> {
    let in_backticks = told.stderr.split('`').skip(1).step_by(2);
    // A run that made its own file goes on where that lies: `cd DIR && rigel ..`.
    let mut offered = in_backticks.filter_map(|text| Some(text.rsplit_once("rigel ")?.1.to_owned()));
    let beside = offered.next().unwrap_or_else(|| panic!("no command: {told:?}"));
    let all = format!("{}{}", told.stdout, told.stderr);
    let line = all.lines().find_map(|line| line.strip_prefix("  rigel ")).unwrap_or(&beside);
    let is_same = line.replace("./", "") == beside.replace("./", "");
    if is_same { vec![beside] } else { vec![beside.clone(), line.to_owned()] }
}

/// What the command shows that a page names for more.
fn explained(place: &Place, told: &ProgramOutput) -> String {
    let line = told.stdout.lines().find_map(|line| line.strip_prefix("more: rigel "));
    flat(&place.line(line.unwrap_or_else(|| panic!("no command: {told:?}"))).stdout)
}

/// Words by which a run would accuse the storage, or itself, of what its user did.
const FALSE: [&str; 4] = ["NO_DATA", "dmesg", "time ran out", "start again"];

/// Each kind of run, stopped in the middle, goes on by the command that it names.
#[test]
fn what_a_stopped_run_names_goes_on() {
    for line in [
        "run simple data --duration 1s",
        "orion -run simple -num_disks 1 -testname t -duration 1",
        "calibrate data --no-history",
        "slo data --p99 50ms",
        "versus data --and other",
        "soak data --for 1h --every 1s",
        "run commit --keep-scratch --scratch-size 16M --duration 1s",
        "run open data --rate 100,200 --duration 1s",
        "run streams data --duration 1s",
    ] {
        let place = Place::new();
        let data = place.random_file("data", 16 << 20);
        place.random_file("other", 16 << 20);
        place.lun("t.lun", &[&data]);
        let told = stopped_when(&place, line, |record| {
            !(record.visits.is_empty() && record.search.is_empty() && record.intervals.is_empty())
        });
        let told = told.expect_code(4);
        let all = format!("{}{}", told.stdout, told.stderr);
        let is_told = |what: &str| told.stderr.contains(&format!("error: the {what} was stopped "));
        assert!(is_told("run") || is_told("soak"), "{line}: {}", told.stderr);
        for word in FALSE {
            assert!(!all.contains(word), "{line} says {word}: {all}");
        }
        for command in named(&told) {
            let (child, stderr) = start_until(&place, &command, "the run resumes after");
            signal(&child, "-INT");
            ended(child, stderr).expect_code(4);
        }
    }
}

/// In its first warm-up, which lasts two minutes, it has nothing to show.
#[test]
fn a_run_without_a_figure_leaves_its_record_and_no_page() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = "run advanced data --type seq --matrix point --num-small 0 --num-large 1 --duration 1s";
    let told = stopped_when(&place, line, |_| true).expect_code(4);
    assert!(told.stderr.contains("error: the run was stopped before its first visit was over"), "{told:?}");
    let names: Vec<String> = place.files().into_iter().filter(|name| name != "data").collect();
    assert!(names.len() == 1 && names[0].ends_with("_record.jsonl"), "{names:?}");
    let commands = named(&told);
    let (child, stderr) = start_until(&place, &commands[0], "the run resumes after");
    signal(&child, "-INT");
    ended(child, stderr).expect_code(4);
}

/// The scratch file went with the run, so that there is nothing to go on with.
#[test]
fn no_command_is_named_that_would_be_refused() {
    let place = Place::new();
    let line = "run commit --scratch-size 16M --duration 1s";
    let told = stopped_when(&place, line, |record| !record.visits.is_empty()).expect_code(4);
    let all = format!("{}{}", told.stdout, told.stderr);
    assert!(!all.contains("--resume ") && !all.contains("can be resumed where"), "{all}");
    let why = "cannot be resumed, because it removed its scratch file";
    assert!(told.stdout.contains("\nTo measure again:\n") && explained(&place, &told).contains(why), "{all}");
    assert!(told.stderr.contains("--keep-scratch"), "{all}");
}

/// The time of a run that used it up cannot be changed, so that nothing is left to go on with.
/// A device of 10 s for an I/O: its long visits leave no time for four of the seven points, and the table has five rows.
#[test]
fn points_that_were_visited_are_not_said_not_to_be() {
    let place = Place::in_memory();
    let told = place.line("run simple --for 60s --engine sim:rate=0,service=10s --seed 5 --no-html");
    let told = told.expect_code(4);
    let text = flat(&told.stdout);
    assert!(text.contains("time ran out in the first round of visits; still missing: 4"), "{text}");
    assert!(told.stderr.contains("in the first round of visits"), "{}", told.stderr);
    // A visit whose I/Os never completed is not in full.
    let told =
        place.line("run burst --for 10m --engine sim:rate=0,service=10s --seed 5 --no-html").expect_code(4);
    assert!(flat(&told.stdout).contains("1 of 2 points were measured in full"), "{}", told.stdout);
}

#[test]
fn a_run_that_used_up_its_time_is_not_said_to_go_on() {
    let place = Place::new();
    let slow =
        "run oltp --num-disks 1 --engine sim:servers=2,service=200ms --seed 4 --fast --max-duration 60s";
    let told = place.line(slow).expect_code(4);
    assert!(!told.stdout.contains("--resume ") && !told.stderr.contains("--resume"), "{told:?}");
    assert!(told.stdout.contains("\nTo measure longer:\n"), "{told:?}");
    let why = "cannot be resumed, because its time is used up";
    assert!(explained(&place, &told).contains(why), "{told:?}");
    let record = place.files().into_iter().find(|name| name.ends_with("_record.jsonl")).unwrap();
    let again = place.line(&format!("run --resume {record}")).expect_code(2);
    assert!(again.stderr.contains("the run has used up its time"), "{again:?}");
}

#[test]
fn a_calibration_stays_within_the_memory_of_its_control_group() {
    let name = "a_calibration_stays_within_the_memory_of_its_control_group";
    let Some(cap) = needs(name, ControlGroup::with_memory(192 << 20)) else { return };
    let place = Place::new();
    let run = |line: &str| {
        let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
        tell(command.current_dir(place.path()).stdin(Stdio::null()).args(line.split_whitespace()))
    };
    let told = run("calibrate --budget 20s --no-history --scratch-size 64M --no-html");
    assert!([0, 1, 4].contains(&told.code), "{told:?}");
    assert!(told.stderr.contains("of memory are left for this process"), "{told:?}");
    assert!(!place.files().iter().any(|name| name.contains("scratch")), "{:?}", place.files());
    // What cannot be made smaller is refused, with the numbers.
    place.random_file("data", 16 << 20);
    let line = "run advanced data --matrix point --num-small 0 --num-large 200 --duration 100ms";
    for more in ["", " --dry-run"] {
        let told = run(&format!("{line}{more}")).expect_code(3);
        assert!(told.stderr.contains("the control group of this process is limited to 192 MiB"), "{told:?}");
        assert!(told.stderr.contains("MemoryMax="), "{told:?}");
    }
}

/// Said before anything is filled, where the kernel would kill the run.
#[test]
fn a_control_group_without_memory_for_rigel_itself_is_named() {
    let name = "a_control_group_without_memory_for_rigel_itself_is_named";
    let Some(cap) = needs(name, ControlGroup::with_memory(24 << 20)) else { return };
    let place = Place::new();
    let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
    let line = "calibrate --budget 20s --no-history --scratch-size 64M --no-html";
    let told = tell(command.current_dir(place.path()).stdin(Stdio::null()).args(line.split_whitespace()));
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.stderr.contains("Rigel itself needs 24 MiB"), "{told:?}");
    assert_eq!(place.files(), Vec::<String>::new());
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let place = Place::new();
    let print = |redirect: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(r#"exec "$0" doctor --json {redirect}"#));
        tell(command.arg(env!("CARGO_BIN_EXE_rigel")).current_dir(place.path()))
    };
    let told = print(">&-").expect_code(3);
    assert!(told.stderr.contains("the results cannot be written"), "{told:?}");
    print(">/dev/full").expect_code(3);
    assert_ne!(print(">/dev/null").code, 3);
    // As the standard library opens it in the place of a closed one, and as other programs do for those whom they start.
    assert_ne!(print("1<>/dev/null").code, 3);
}

fn until(place: &Place, child: &mut Child, has: impl Fn(&Record) -> bool) {
    let is_record = |name: &&String| name.ends_with("_record.jsonl");
    let found = |name: &String| {
        Record::read(&fs::read(place.path().join(name)).unwrap()).is_ok_and(|record| has(&record))
    };
    while !place.files().iter().filter(is_record).any(found) {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        sleep(Duration::from_millis(20));
    }
}

/// Both only read.
#[test]
fn two_runs_on_one_target_are_refused_or_say_so() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    place.random_file("other", 16 << 20);
    fs::create_dir(place.path().join("beside")).unwrap();
    let (mut first, stderr) = start_until_record(&place, "run simple data --fast", |_| true);
    for line in ["calibrate data", "run simple data --duration 100ms", "calibrate data --dry-run"] {
        let told = place.line(line).expect_code(3);
        assert!(told.stderr.contains("another run of Rigel is loading the target"), "{told:?}");
        assert!(told.stderr.contains(&format!("process {} measures it", first.id())), "{told:?}");
        assert!(told.stderr.contains("--share"), "{told:?}");
    }
    // Who writes is beside nobody.
    let before = fs::read(place.path().join("data")).unwrap();
    for line in [
        "run simple data --write 20 --destroy-data data --duration 100ms --share",
        "fill data --destroy-data data",
    ] {
        for more in ["", " --dry-run"] {
            let told = place.line(&format!("{line}{more}")).expect_code(3);
            assert!(told.stderr.contains("another run of Rigel is loading the target"), "{told:?}");
            assert!(!told.stderr.contains("--share"), "{told:?}");
        }
    }
    assert!(fs::read(place.path().join("data")).unwrap() == before, "nothing was written");
    place.line("run oltp other --duration 100ms --num-disks 1 --out beside").expect_measured();
    let shared = "run simple data --fast --share --out beside";
    let (mut second, beside) = start_until(&place, shared, "engine ");
    let too = |record: &Record| {
        let changed =
            record.visits.iter().flat_map(|visit| &visit.nodes).flat_map(|node| &node.changed.targets);
        changed.into_iter().any(|it| matches!(it.change, TargetChange::LoadedToo { .. }))
    };
    until(&place, &mut first, too);
    assert!(second.try_wait().unwrap().is_none());
    let loaded = "another run of Rigel loaded data at the same time";
    signal(&second, "-INT");
    let told = ended(second, beside).expect_code(4);
    assert!(explained(&place, &told).contains(loaded), "{told:?}");
    signal(&first, "-INT");
    let told = ended(first, stderr).expect_code(4);
    assert!(explained(&place, &told).contains(loaded), "{told:?}");
    // It went with its process.
    let (child, stderr) = start_until(&place, "calibrate data --no-history", "engine ");
    signal(&child, "-KILL");
    drop(stderr);
    let mut child = child;
    child.wait().unwrap();
    place.line("run oltp data --duration 100ms --num-disks 1 --out beside --force").expect_measured();
}

/// The program under a limit of its shell.
fn limited(place: &Place, limit: &str, line: &str) -> ProgramOutput {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_rigel")]);
    tell(command.args(line.split_whitespace()).current_dir(place.path()))
}

/// The kernel kills at the hard limit; a second of CPU time before it the run ends, and puts away what it made.
#[test]
fn a_limit_on_cpu_time_ends_a_run_in_order() {
    let place = Place::new();
    let told = limited(&place, "ulimit -t 4", "run simple --scratch-size 16M --engine sync --no-html")
        .expect_code(4);
    assert!(told.stderr.contains("the limit on CPU time is nearly reached (ulimit -t"), "{told:?}");
    assert!(!place.files().iter().any(|name| name.contains("scratch")), "{:?}", place.files());
}

#[test]
fn a_signal_that_means_nothing_here_ends_a_run_in_order() {
    for name in ["-USR1", "-ALRM"] {
        let place = Place::new();
        let line = "run normal --scratch-size 16M --duration 1s --no-html";
        let (child, stderr) = start_until(&place, line, "point 1 ");
        signal(&child, name);
        ended(child, stderr).expect_code(4);
        assert!(!place.files().iter().any(|name| name.contains("scratch")), "{:?}", place.files());
    }
}

/// A write beyond `ulimit -f` is an error, and not the end of the process.
#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let told = limited(
        &place,
        "ulimit -f 1",
        "run advanced data --matrix point --num-small 2 --num-large 0 --duration 100ms --no-html",
    );
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.stderr.contains("error: ") && told.stderr.contains("too large"), "{told:?}");
}

/// Heaps of each thread's own took all of the address space, so that a few bytes were too much.
#[test]
fn a_limit_on_the_address_space_never_aborts() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    for mib in [120, 160, 180, 200, 220, 260, 320, 400] {
        let line = "run advanced data --matrix point --num-small 2 --num-large 0 --duration 100ms --no-html --force --name v";
        let told = limited(&place, &format!("ulimit -v {}", mib << 10), line);
        assert!([0, 1, 3].contains(&told.code), "{mib} MiB: {told:?}");
        assert!(!told.stderr.contains("memory allocation"), "{mib} MiB: {told:?}");
    }
}

#[test]
fn too_few_open_files_are_named() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let line = "run advanced data --matrix point --num-small 2 --num-large 0 --duration 100ms --no-html";
    let told = limited(&place, "ulimit -n 8", line);
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.stderr.contains("open files") || told.stderr.contains("ulimit -n"), "{told:?}");
    assert!(!told.stderr.contains("--engine out"), "{told:?}");
}
