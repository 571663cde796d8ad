//! Bad input: a message that names what and where and the next step, the right exit code, and nothing lost.

use crate::support::{Place, ProgramOutput};
use crate::within;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a line and checks its code, and that the message holds every part; no output may appear.
fn refused(place: &Place, line: &str, code: i32, parts: &[&str]) {
    let before = place.files();
    let told = place.line(line).expect_code(code);
    says(&told, line, parts);
    assert_eq!(place.files(), before, "{line}");
}

/// The message holds every part, and what to do next.
fn says(told: &ProgramOutput, line: &str, parts: &[&str]) {
    for part in parts {
        assert!(told.stderr.contains(part), "'{part}' is missing for '{line}':\n{}", told.stderr);
    }
    assert!(told.stderr.contains("next step") || told.stderr.contains("--help"), "{line}:\n{}", told.stderr);
}

#[test]
fn options_that_are_wrong_or_contradict_each_other() {
    for (line, parts) in [
        ("run simple data --colour red", &["--colour"][..]),
        ("run slow data", &["slow"]),
        ("run simple data --name .hidden", &["--name", ".hidden"]),
        ("run simple data --lun x.lun", &["--lun"]),
        ("run simple data --matrix detailed", &["--matrix", "advanced"]),
        ("run advanced data --matrix point --num-small 4", &["point"]),
        ("run advanced data --matrix col --num-small 4 --num-large 4", &["col"]),
        ("run advanced data --matrix point --num-small 0 --num-large 0", &["nothing to measure"]),
        ("run advanced data --size-small 1000", &["1000"]),
        ("run advanced data --size-small 8X", &["8X"]),
        ("run simple data --write 101", &["101"]),
        ("run simple data --duration 1ms", &["1 ms"]),
        ("run simple data --engine warp", &["warp"]),
        ("run simple data --num-disks 0", &["0"]),
        ("run advanced data --type seq --simulate raid0 --stripe 512K", &["512 KiB", "1 MiB"]),
        ("run advanced data --stream-ios 2", &["stream"]),
        ("run simple data --seed 99999999999999999999", &["seed"]),
        ("run simple --engine sim:servers=0", &["servers"]),
        ("run simple data --engine sim", &["sim"]),
        ("run simple data --poll --engine libaio", &["--poll", "io_uring"]),
        ("run simple --poll --engine sim", &["--poll"]),
        ("run simple data --poll --buffered", &["page cache"]),
        ("run simple data --engine nvme --buffered", &["NVMe", "page cache"]),
        ("run simple data --cpus 0,x", &["--cpus", "'x'"]),
        ("run simple data --tui --quiet", &["--tui", "--quiet"]),
        ("orion -run simple --tui", &["--tui"]),
        ("orion", &["Error in input parameters"]),
        ("orion -run", &["-run"]),
        ("orion -run fast", &["fast"]),
        ("orion -run simple -size_small 4", &["-size_small", "simple"]),
        ("orion -run simple -run normal", &["-run"]),
        ("orion -run advanced -matrix row", &["row"]),
        ("orion -run advanced -bogus 1", &["-bogus"]),
        ("orion -run advanced -duration ten", &["-duration", "ten"]),
    ] {
        says(&within::refused(line.split_whitespace()), line, parts);
    }
}

/// Refused when the host is looked at.
#[test]
fn options_that_this_host_cannot_follow() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    refused(&place, "run simple --engine null --cpus 65000", 2, &["--cpus", "65000", "choose among"]);
    refused(&place, "run simple data --num-disks 20000", 2, &["20000"]);
    refused(&place, "run simple data --tui", 2, &["--tui", "not a terminal"]);
}

/// A file has no namespace, and the disk below it no poll queues, or the machine would say so.
#[test]
fn ways_that_a_target_does_not_have() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let refusal = ["data", "NVMe", "namespace"];
    refused(&place, "run simple data --engine nvme", 3, &refusal);
    refused(&place, "run simple data --engine nvme --dry-run", 3, &refusal);
    let told = place.line("run simple data --poll --duration 100ms --json");
    if told.code == 3 {
        for part in ["data", "io_poll", "poll queues", "next step"] {
            assert!(told.stderr.contains(part), "'{part}' is missing:\n{}", told.stderr);
        }
    } else {
        assert!(told.stdout.contains("\"polled\": true"), "{}\n{}", told.stdout, told.stderr);
    }
}

#[test]
fn lun_files() {
    let place = Place::new();
    let good = place.random_file("data", 4 << 20);
    let write = |text: &[u8]| fs::write(place.path().join("t.lun"), text).unwrap();
    refused(&place, "orion -run simple -testname missing", 2, &["missing.lun"]);
    write(b"");
    refused(&place, "orion -run simple -testname t", 2, &["t.lun"]);
    write(b"\n  \n\r\n");
    refused(&place, "orion -run simple -testname t", 2, &["t.lun"]);
    write(b"data\nno_such_file\n");
    refused(&place, "orion -run simple -testname t", 3, &["t.lun:2", "no_such_file"]);
    write(b"# a comment\ndata\n");
    refused(&place, "orion -run simple -testname t", 3, &["t.lun:1", "comment"]);
    write(b"data\n\n./data\n");
    refused(&place, "orion -run simple -testname t", 2, &["t.lun:1", "t.lun:3"]);
    write(b"/tmp\n");
    refused(&place, "orion -run simple -testname t", 3, &["t.lun:1", "directory"]);
    write(b"da\0ta\n");
    refused(&place, "orion -run simple -testname t", 2, &["t.lun:1"]);
    place.random_file("tiny", 4096);
    write(b"data\ntiny\n");
    refused(&place, "orion -run simple -testname t", 3, &["t.lun:2", "tiny", "smaller"]);
    refused(&place, "run simple --lun t.lun", 3, &["t.lun:2", "tiny", "smaller"]);
    // CRLF, trailing blanks, blank lines and a missing last line feed are fine.
    write(b"data  \r\n\r\n  ");
    place.line("orion -run simple -testname t -duration 1 --dry-run").expect_code(0);
    drop(good);
}

#[test]
fn targets() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    place.random_file("tiny", 4096);
    fs::write(place.path().join("empty"), "").unwrap();
    fs::create_dir(place.path().join("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path().join("pipe")).status().unwrap().success());
    refused(&place, "run simple nowhere", 3, &["nowhere"]);
    refused(&place, "run simple folder data", 2, &["folder", "data"]);
    refused(&place, "run simple tiny", 3, &["tiny", "smaller"]);
    refused(&place, "run simple empty", 3, &["empty"]);
    refused(&place, "run simple pipe", 3, &["pipe"]);
    refused(&place, "run simple data data", 2, &["data"]);
    refused(&place, "run simple data ./data", 2, &["data"]);
    fs::hard_link(place.path().join("data"), place.path().join("same")).unwrap();
    refused(&place, "run simple data same", 2, &["same"]);
    refused(&place, "run simple /dev/null", 3, &["/dev/null"]);
}

#[test]
fn an_unreadable_target_and_an_unwritable_directory() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let data = place.random_file("data", 4 << 20);
    // Root reads everything; another user must be refused. Everybody may enter the way to the place.
    let as_nobody = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_rigel")]);
        crate::support::tell(command.args(arguments).current_dir(place.path()))
    };
    let probe = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_rigel"), "--version"])
        .current_dir(place.path())
        .output();
    let usable = probe.is_ok_and(|output| output.status.success());
    let usable = usable.then_some(()).ok_or_else(|| {
        rigel_testdev::MissingNeed::new("the program cannot be started as another user from this directory")
    });
    let name = "an_unreadable_target_and_an_unwritable_directory";
    if rigel_testdev::needs(name, usable).is_none() {
        return;
    }
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o600)).unwrap();
    let told = as_nobody(&["run", "simple", "data"]).expect_code(3);
    assert!(told.stderr.contains("data") && told.stderr.contains("lacks permission"), "{}", told.stderr);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o644)).unwrap();
    let told = as_nobody(&["run", "simple", "data", "--duration", "1s"]).expect_code(3);
    assert!(told.stderr.to_lowercase().contains("permission"), "{}", told.stderr);
    assert_eq!(place.files(), ["data"]);
    // A scratch file of another user is told as that. It is root's, in a directory that everybody may write.
    place.line("run oltp --scratch-size 1M --keep-scratch --num-disks 1 --duration 100ms").expect_code(0);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let told = as_nobody(&["run", "oltp", "--scratch-size", "1M", "--num-disks", "1"]).expect_code(3);
    assert!(told.stderr.contains("another user") && told.stderr.contains("os error 13"), "{}", told.stderr);
}

#[test]
fn without_proc_the_message_says_so() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let script = "mount -t tmpfs none /proc && exec \"$0\" run simple data";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_rigel")]).current_dir(place.path());
    let probe = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/proc"]).status();
    let usable = probe.is_ok_and(|status| status.success()).then_some(());
    let usable = usable.ok_or_else(|| rigel_testdev::MissingNeed::new("no mount namespace (not root?)"));
    if rigel_testdev::needs("without_proc_the_message_says_so", usable).is_none() {
        return;
    }
    let told = crate::support::tell(&mut command).expect_code(3);
    assert!(told.stderr.contains("/proc is not mounted"), "{}", told.stderr);
    assert!(!told.stderr.contains("no such file or device"), "{}", told.stderr);
}

#[test]
fn outputs_without_a_place() {
    let place = Place::new();
    refused(&place, "run oltp --engine sim --out no/such/directory", 3, &["no/such/directory"]);
    fs::write(place.path().join("file"), "x").unwrap();
    refused(&place, "run oltp --engine sim --out file", 3, &["file"]);
}

/// A filesystem of 64 KiB that is unmounted on the way out.
struct SmallFilesystem<'a>(&'a Path);

impl Drop for SmallFilesystem<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

fn small_filesystem<'a>(
    at: &'a Path,
    options: &str,
) -> Result<SmallFilesystem<'a>, rigel_testdev::MissingNeed> {
    fs::create_dir(at).map_err(rigel_testdev::MissingNeed::new)?;
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).status();
    match mounted {
        Ok(status) if status.success() => Ok(SmallFilesystem(at)),
        Ok(_) => Err(rigel_testdev::MissingNeed::new("a tmpfs cannot be mounted (not root?)")),
        Err(error) => Err(rigel_testdev::MissingNeed::new(error)),
    }
}

#[test]
fn no_space_for_the_outputs() {
    let place = Place::new();
    let full = place.path().join("full");
    let mounted = small_filesystem(&full, "size=64k");
    let Some(_mounted) = rigel_testdev::needs("no_space_for_the_outputs", mounted) else { return };
    // The record of a normal run is larger than 64 KiB.
    let told = place.line("run normal --engine sim --duration 10s --out full");
    assert!([3, 4].contains(&told.code), "{told:?}");
    assert!(told.stderr.contains("full") && told.stderr.contains("next step"), "{}", told.stderr);
    for entry in fs::read_dir(&full).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.contains("tmp"), "nothing half written stays: {name}");
    }
}

#[test]
fn a_filesystem_without_direct_io_says_so() {
    let place = Place::new();
    // ramfs has no direct I/O on any kernel.
    let ram = place.path().join("ram");
    fs::create_dir(&ram).unwrap();
    let mounted = Command::new("mount").args(["-t", "ramfs", "ramfs"]).arg(&ram).status();
    let mounted = match mounted {
        Ok(status) if status.success() => Ok(SmallFilesystem(&ram)),
        _ => Err(rigel_testdev::MissingNeed::new("a ramfs cannot be mounted (not root?)")),
    };
    let name = "a_filesystem_without_direct_io_says_so";
    let Some(_mounted) = rigel_testdev::needs(name, mounted) else { return };
    fs::write(ram.join("data"), vec![7; 4 << 20]).unwrap();
    let told = place.line("run simple ram/data --duration 100ms --allow-memory");
    if told.code == 0 {
        let why = "this kernel's ramfs takes direct I/O";
        rigel_testdev::needs::<()>(name, Err(rigel_testdev::MissingNeed::new(why)));
        return;
    }
    let told = told.expect_code(3);
    assert!(told.stderr.contains("O_DIRECT") && told.stderr.contains("--buffered"), "{}", told.stderr);
    place.line("run simple ram/data --duration 100ms --allow-memory --buffered").expect_code(0);
    // A scratch file there is refused before it is filled.
    let line = "run oltp --num-disks 1 --scratch-size 1M --duration 100ms --allow-memory";
    let told = crate::support::tell(place.command().args(line.split_whitespace()).current_dir(&ram));
    let told = told.expect_code(3);
    assert!(told.stderr.contains("O_DIRECT") && told.stderr.contains("--buffered"), "{}", told.stderr);
    assert!(!told.stderr.contains("filled"), "{}", told.stderr);
    assert!(!ram.join("rigel-scratch.dat").exists());
}

#[test]
fn buffered_is_flagged_at_every_point() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let told = place.line("run simple data --duration 100ms --buffered --json").expect_code(0);
    let document = told.json();
    for found in document["points"].as_array().unwrap() {
        assert!(crate::support::flags(found).contains(&"BUFFERED"), "{found}");
    }
    assert!(told.stderr.contains("page cache"), "{}", told.stderr);
}
