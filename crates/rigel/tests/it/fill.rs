//! `rigel fill`: what is filled is data, what was filled is not written again, and what is somebody's needs consent.

use crate::safety::{filesystem_on_a_loop_device, mount};
use crate::support::{Place, ProgramOutput, tell};
use rigel_core::guard::scratch::{BLOCK_BYTES, TRAILER_BYTES, is_of_fill, stamp};
use rigel_testdev::{LoopDevice, MissingNeed, needs};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

const MIB: u64 = 1 << 20;
const SCRATCH: &str = "rigel-scratch.dat";

/// Fails unless each block of a file up to `bytes` is what a fill writes there.
#[track_caller]
fn expect_filled(path: &Path, bytes: u64) {
    let data = fs::read(path).unwrap();
    let blocks = data[..usize::try_from(bytes).unwrap()].chunks(BLOCK_BYTES);
    let foreign = (0..).step_by(BLOCK_BYTES).zip(blocks).find(|(at, block)| !is_of_fill(*at, block));
    assert!(foreign.is_none(), "{}: {:?}", path.display(), foreign.map(|(at, _)| at));
}

/// The seed of the block at an offset; `None` where nothing was filled.
fn seed_at(path: &Path, offset: u64) -> Option<u64> {
    let mut block = [0; BLOCK_BYTES];
    fs::File::open(path).ok()?.read_exact_at(&mut block, offset).ok()?;
    is_of_fill(offset, &block).then(|| stamp(&block).unwrap().1)
}

/// The command that the end names, which has to be one that Rigel takes.
#[track_caller]
fn next_command(place: &Place, told: &ProgramOutput) -> String {
    let line = told.stdout.lines().find_map(|line| line.strip_prefix("to measure: rigel ")).unwrap();
    place.line(&format!("{line} --dry-run")).expect_code(0);
    line.to_owned()
}

#[test]
fn what_is_filled_is_no_zeros() {
    let place = Place::new();
    let told = place.line("fill new.bin other.bin --size 16M").expect_code(0);
    let files = ["new.bin", "other.bin"].map(|name| place.path().join(name));
    files.iter().for_each(|file| expect_filled(file, 16 * MIB));
    assert_ne!(seed_at(&files[0], 0), seed_at(&files[1], 0), "no array finds one file in the other");
    assert!(told.stdout.contains("new.bin: 16 MiB filled\n"), "{told:?}");
    assert!(told.stdout.contains("32 MiB written in ") && told.stdout.contains(" MBPS"), "{told:?}");
    assert_eq!(next_command(&place, &told), "run simple new.bin other.bin");
    let run = place.line("run oltp new.bin --num-disks 1 --duration 200ms --quiet --json").expect_measured();
    assert!(!run.stdout.contains("ZEROS"), "{}", run.stdout);
    // Only another fill takes it for nothing.
    let told = place.line("run oltp new.bin --write 50 --num-disks 1 --duration 100ms").expect_code(3);
    assert!(told.stderr.contains("--destroy-data new.bin"), "{told:?}");
}

/// An empty file once led to a sparse one, and that to the flag ZEROS.
#[test]
fn an_empty_file_is_to_be_filled() {
    let place = Place::new();
    fs::write(place.path().join("f"), []).unwrap();
    for command in ["run simple", "calibrate", "targets", "doctor"] {
        let told = place.line(&format!("{command} f")).expect_code(3);
        assert!(told.stderr.contains("rigel fill --size 4G f\n"), "{command}: {}", told.stderr);
    }
    place.line("fill --size 4M f").expect_code(0);
    expect_filled(&place.path().join("f"), 4 * MIB);
    let sparse = place.path().join("sparse");
    fs::File::create(&sparse).unwrap().set_len(8 * MIB).unwrap();
    place.line("fill sparse").expect_code(0);
    expect_filled(&sparse, 8 * MIB);
}

#[test]
fn a_second_fill_writes_only_what_is_left() {
    let place = Place::new();
    let file = place.path().join("f");
    place.line("fill f --size 8M").expect_code(0);
    let seed = seed_at(&file, 0);
    let told = place.line("fill f").expect_code(0);
    assert!(told.stdout.contains("f: 8 MiB were already filled\nnothing was written\n"), "{told:?}");
    next_command(&place, &told);
    let told = place.line("fill f --size 16M").expect_code(0);
    assert!(told.stdout.contains("f: 16 MiB filled, 8 MiB of it earlier\n8 MiB written"), "{told:?}");
    expect_filled(&file, 16 * MIB);
    assert_eq!(seed_at(&file, 8 * MIB - 4096), seed);
    assert_ne!(seed_at(&file, 8 * MIB), seed);
    // One byte of somebody else makes it theirs.
    fs::File::options().write(true).open(&file).unwrap().write_all_at(b"x", 12 * MIB + 100).unwrap();
    let told = place.line("fill f").expect_code(3);
    assert!(told.stderr.contains("--destroy-data f") && told.stderr.contains("12582912"), "{told:?}");
    place.line("fill f --destroy-data f").expect_code(0);
    expect_filled(&file, 16 * MIB);
}

#[test]
fn a_foreign_file_needs_consent_and_nothing_is_written_before() {
    let place = Place::new();
    let theirs = place.random_file("table.dbf", 8 * MIB);
    let before = fs::read(&theirs).unwrap();
    for line in ["fill table.dbf", "fill new.bin table.dbf --size 16M", "fill blank table.dbf"] {
        fs::File::create(place.path().join("blank")).unwrap().set_len(MIB).unwrap();
        let told = place.line(line).expect_code(3);
        assert!(told.stderr.contains("--destroy-data table.dbf"), "{line}: {told:?}");
        assert_eq!(fs::read(&theirs).unwrap(), before);
        assert_eq!(seed_at(&place.path().join("blank"), 0), None, "{line}");
        assert_eq!(place.files(), ["blank", "table.dbf"], "{line}");
    }
    let told = place.line("fill table.dbf --destroy-data blank").expect_code(2);
    assert!(told.stderr.contains("not a target of this run"), "{told:?}");
    place.line("fill table.dbf --destroy-data ./table.dbf").expect_code(0);
    expect_filled(&theirs, 8 * MIB);
}

#[test]
fn a_file_in_use_is_not_filled() {
    let place = Place::new();
    let file = fs::File::create(place.path().join("f")).unwrap();
    file.set_len(MIB).unwrap();
    let process = format!("open in {} ", std::process::id());
    let told = place.line("fill f").expect_code(3);
    assert!(told.stderr.contains(&process), "{told:?}");
    let told = place.line("fill f --dry-run").expect_code(3);
    assert!(told.stdout.contains(&process) && told.stderr.contains("the fill would be refused"), "{told:?}");
    flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    let told = place.line("fill f --destroy-data f").expect_code(3);
    assert!(told.stderr.contains("the target is locked"), "{told:?}");
    assert_eq!(seed_at(&place.path().join("f"), 0), None);
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let theirs = place.random_file("table.dbf", 4 * MIB);
    let before = fs::read(&theirs).unwrap();
    fs::create_dir(place.path().join("dir")).unwrap();
    let told = place.line("fill new.bin dir rigel-scratch-7.dat --size 8M --dry-run").expect_code(0);
    for part in ["new.bin: a file of 8 MiB would be created", "dir: a scratch file of 8 MiB", "was a dry run"]
    {
        assert!(told.stdout.contains(part), "{told:?}");
    }
    let told = place.line("fill table.dbf --dry-run").expect_code(0);
    assert!(told.stdout.contains("To allow it, add --destroy-data table.dbf"), "{told:?}");
    place.line("fill table.dbf --dry-run --destroy-data table.dbf").expect_code(0);
    place.line("fill table.dbf new.bin --size 1000T --dry-run").expect_code(3);
    assert_eq!(place.files(), ["dir", "table.dbf"]);
    assert_eq!(fs::read(&theirs).unwrap(), before);
    assert_eq!(fs::read_dir(place.path().join("dir")).unwrap().count(), 0);
}

#[test]
fn a_directory_gets_a_file_that_later_runs_use() {
    let place = Place::new();
    let told = place.line("fill . --size 16M").expect_code(0);
    let file = place.path().join(SCRATCH);
    assert!(told.stdout.contains("./rigel-scratch.dat: 16 MiB filled\n"), "{told:?}");
    assert_eq!(next_command(&place, &told), "run simple ./rigel-scratch.dat");
    expect_filled(&file, 16 * MIB);
    let seed = seed_at(&file, 0);
    let told = place.line("fill . --size 16M").expect_code(0);
    assert!(told.stdout.contains("nothing was written"), "{told:?}");
    let run = "run oltp --num-disks 1 --duration 200ms --no-html";
    let told = place.line(run).expect_measured();
    let again = "scratch file ./rigel-scratch.dat: 16 MiB, the existing one is reused, kept";
    assert!(told.stderr.contains(again), "{told:?}");
    assert_eq!(seed_at(&file, 0), seed, "kept as it was");
    // Another size is another file, and none that is kept goes away for it.
    let told = place.line("fill . --size 8M").expect_code(0);
    assert!(told.stdout.contains("rigel-scratch-2.dat: 8 MiB filled\n"), "{told:?}");
    assert_eq!(seed_at(&file, 0), seed);
    std::os::unix::fs::symlink(SCRATCH, place.path().join("link")).unwrap();
    for name in [SCRATCH, "link"] {
        let told = place.line(&format!("fill {name} --size 32M")).expect_code(3);
        assert!(told.stderr.contains("another size"), "{told:?}");
        place.line(&format!("fill {name}")).expect_code(0);
    }
    assert_eq!(fs::metadata(&file).unwrap().len(), 16 * MIB + TRAILER_BYTES);
}

/// Ends a fill by a signal when the block at 4 MiB is there. A larger file is tried where it was over before the signal came.
fn cut(place: &Place, target: &str, file: &Path, signal: Signal) -> (u64, ExitStatus, String) {
    for size in [128, 512, 2048, 8192].map(|mib| mib * MIB) {
        let arguments = ["fill", target, "--size", &size.to_string(), "--quiet"];
        let child = place.command().args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        // Several pieces of 4 MiB are in flight: the first one has to be whole, too.
        while [4 * MIB - 4096, 4 * MIB].into_iter().any(|at| seed_at(file, at).is_none()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_process(pid, signal).unwrap();
        let output = child.wait_with_output().unwrap();
        if seed_at(file, size - 4096).is_none() {
            return (size, output.status, String::from_utf8(output.stderr).unwrap());
        }
        fs::remove_file(file).unwrap();
    }
    panic!("8 GiB were filled before the signal came");
}

#[test]
fn a_fill_goes_on_after_it_was_stopped_or_killed() {
    for signal in [Signal::KILL, Signal::TERM] {
        for (target, name, more) in [("f", "f", 0), (".", SCRATCH, TRAILER_BYTES)] {
            let place = Place::new();
            let file = place.path().join(name);
            let (size, status, stderr) = cut(&place, target, &file, signal);
            if signal == Signal::TERM {
                assert_eq!(status.code(), Some(4), "{stderr}");
                assert!(stderr.contains("the same command continues where it stopped"), "{stderr}");
            }
            let seed = seed_at(&file, 0);
            let told = place.line(&format!("fill {target} --size {size}")).expect_code(0);
            assert!(told.stdout.contains(" of it earlier\n"), "{told:?}");
            assert_eq!(seed_at(&file, 0), seed, "what was filled is not written again");
            expect_filled(&file, size);
            assert_eq!(fs::metadata(&file).unwrap().len(), size + more);
            let told = place.line(&format!("fill {name}")).expect_code(0);
            assert!(told.stdout.contains("nothing was written"), "{told:?}");
        }
    }
}

/// A scratch file whose fill was cut short is none of a run without a target, which makes its own.
#[test]
fn what_is_half_full_is_not_measured() {
    let place = Place::new();
    cut(&place, ".", &place.path().join(SCRATCH), Signal::KILL);
    let run = "run oltp --num-disks 1 --duration 200ms --scratch-size 16M --quiet --no-html";
    place.line(run).expect_measured();
    assert!(!place.path().join(SCRATCH).exists());
}

#[test]
fn where_there_is_no_room_nothing_is_left() {
    let place = Place::new();
    fs::write(place.path().join("empty"), []).unwrap();
    for line in ["fill f --size 1000T", "fill empty --size 1000T", ". --size 1000T", "small f --size 512T"] {
        let line = if line.starts_with("fill") { line.to_owned() } else { format!("fill {line}") };
        let told = place.line(&line).expect_code(3);
        assert!(told.stderr.contains("no room") && told.stderr.contains("--size"), "{line}: {told:?}");
        assert_eq!(place.files(), ["empty"], "{line}");
        assert_eq!(fs::metadata(place.path().join("empty")).unwrap().len(), 0, "{line}");
    }
    // A limit of the process, which would be a signal.
    for target in ["f", "empty", "."] {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "ulimit -f 4096; exec \"$0\" fill \"$1\" --size 64M",
            env!("CARGO_BIN_EXE_rigel"),
        ]);
        let told = tell(command.arg(target).current_dir(place.path())).expect_code(3);
        assert!(told.stderr.contains("ulimit -f"), "{told:?}");
        assert_eq!(place.files(), ["empty"]);
    }
    let told = place.line("run simple --scratch-size 1000T").expect_code(3);
    assert!(told.stderr.contains("no room") && told.stderr.contains("(--scratch-size)"), "{told:?}");
}

/// In a mount namespace of its own, in which the directory is mounted read-only.
fn in_read_only(place: &Place, line: &str) -> Result<ProgramOutput, MissingNeed> {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && cd \"$1\" && echo mounted && shift && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]).arg(place.path()).arg(env!("CARGO_BIN_EXE_rigel"));
    let told = ProgramOutput::from(command.args(line.split(' ')).output().map_err(MissingNeed::new)?);
    if told.stdout.starts_with("mounted\n") { Ok(told) } else { Err(MissingNeed::new(told.stderr)) }
}

#[test]
fn a_read_only_mount_is_called_so() {
    let place = Place::new();
    place.random_file("data", MIB);
    fs::write(place.path().join("empty"), "").unwrap();
    for line in [
        "run simple empty",
        "run simple",
        "run simple --dry-run",
        "run simple --scratch-size 8M",
        "calibrate",
        "fill . --size 8M",
        "fill new --size 8M",
        "fill new --size 8M --dry-run",
        "fill data --destroy-data data",
        "fill data --destroy-data data --dry-run",
        "capacity record --store store --for 1s",
        "capacity import --store store data",
    ] {
        let Some(told) = needs("a_read_only_mount_is_called_so", in_read_only(&place, line)) else { return };
        let told = told.expect_code(3);
        let all = format!("{}{}", told.stdout, told.stderr);
        assert!(all.contains("read-only") && !all.contains("free space"), "{line}: {told:?}");
        assert!(!all.contains("rigel fill"), "{line}: {told:?}");
    }
    assert_eq!(place.files(), ["data", "empty"]);
}

#[test]
fn a_device_is_filled_whole_unless_it_is_in_use() {
    let name = "a_device_is_filled_whole_unless_it_is_in_use";
    let place = Place::new();
    let image = place.path().join("blank");
    // Ends within a block of 4 KiB.
    fs::File::create(&image).unwrap().set_len(8 * MIB + 512).unwrap();
    let Some(device) = needs(name, LoopDevice::attach(&image, false)) else { return };
    let path = device.path().to_str().unwrap();
    let told = place.line(&format!("fill {path} --size 4M")).expect_code(2);
    assert!(told.stderr.contains("always filled completely"), "{told:?}");
    place.line(&format!("fill {path}")).expect_code(0);
    expect_filled(&image, 8 * MIB + 512);
    let told = place.line(&format!("fill {path}")).expect_code(0);
    assert!(told.stdout.contains("nothing was written"), "{told:?}");
    let other = Place::new();
    let Some(device) = needs(name, filesystem_on_a_loop_device(&other)) else { return };
    let path = device.path().to_str().unwrap().to_owned();
    let told = other.line(&format!("fill {path}")).expect_code(3);
    assert!(told.stderr.contains("ext4") && told.stderr.contains("--destroy-data"), "{told:?}");
    let Some(mounted) = needs(name, mount(device.path(), &other)) else { return };
    for more in ["", " --dry-run"] {
        let told = other.line(&format!("fill {path} --destroy-data {path}{more}")).expect_code(3);
        assert!(format!("{}{}", told.stdout, told.stderr).contains("is mounted on"), "{told:?}");
    }
    drop(mounted);
    other.line(&format!("fill {path} --destroy-data {path}")).expect_code(0);
    expect_filled(&other.path().join("image"), 32 * MIB);
}

#[test]
fn what_cannot_be_filled_says_why() {
    let place = Place::new();
    place.random_file("odd", 10_000);
    place.random_file("data", 8192);
    fs::create_dir(place.path().join("dir")).unwrap();
    for (line, code, part) in [
        ("fill", 2, "TARGET"),
        ("fill f", 2, "--size 4G"),
        ("fill dir", 2, "--size 4G"),
        ("fill f --size 0", 2, "above 0"),
        ("fill f --size 10000", 2, "--size 12288"),
        ("fill odd", 3, "--size 12288"),
        ("fill data --size 4096", 2, "shorter"),
        ("fill f ./f --size 4M", 2, "f and ./f"),
        ("fill data dir/../data", 2, "named twice"),
        ("fill dir ./dir/ --size 4M", 2, "named twice"),
        ("fill none/f --size 4M", 3, "no such file or device"),
        ("fill /dev/null", 3, "not storage"),
        ("fill /dev/sdz9 --size 4M", 3, "memory"),
    ] {
        let told = place.line(line).expect_code(code);
        assert!(told.stderr.contains(part), "{line}: {}", told.stderr);
    }
    assert_eq!(place.files(), ["data", "dir", "odd"]);
}
