//! Every write, every sync and every rename of a run fails in turn, and the disk is full at every place: what is there
//! afterwards is whole, and the run can be gone on with.

use crate::support::{EPOCH, Place, ProgramOutput, RECORD, SAME, tell};
use rigel_core::record::Record;
use rigel_testdev::{MissingNeed, needs};
use std::fs;
use std::path::Path;
use std::process::Command;

const RUN: &str = "run simple --engine sim:servers=2,service=4ms,rate=0 --seed 5 --duration 200ms --no-html";

fn program(name: &str) -> Result<(), MissingNeed> {
    match Command::new(name).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(MissingNeed::new(String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(MissingNeed::new(format!("{name}: {error}"))),
    }
}

/// The binary behind another program that disturbs it.
fn disturbed(place: &Place, disturber: &[&str], line: &str) -> ProgramOutput {
    let mut command = Command::new(disturber[0]);
    command.args(&disturber[1..]).arg(env!("CARGO_BIN_EXE_rigel")).args(line.split_whitespace());
    command.current_dir(place.path()).env("SOURCE_DATE_EPOCH", EPOCH).env_remove("RIGEL_ORION_VERSION");
    tell(&mut command)
}

fn undisturbed(place: &Place, line: &str) -> ProgramOutput {
    let mut command = place.command();
    tell(command.args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

/// The visits of a record, as they stand in it.
fn visits(record: &Path) -> Vec<u8> {
    let bytes = fs::read(record).unwrap();
    let is_visit = |line: &&[u8]| line.starts_with(br#"{"line":"visit""#) && line.ends_with(b"\n");
    bytes.split_inclusive(|&byte| byte == b'\n').filter(is_visit).flatten().copied().collect()
}

/// What holds after a run that was disturbed, and then that it becomes the whole one.
fn check(what: &str, whole: &Place, place: &Place, told: &ProgramOutput) {
    assert!([0, 3, 4].contains(&told.code), "{what}: {told:?}");
    assert_eq!(told.code != 0, told.stderr.contains("error: "), "{what}: {told:?}");
    for name in place.files() {
        assert!(!name.starts_with('.'), "{what}: {name} is left");
        if let Some(suffix) = SAME.iter().find(|suffix| name.ends_with(**suffix) && told.code == 0) {
            assert_eq!(place.read(suffix), whole.read(suffix), "{what}: {name}");
        }
    }
    let record = place.path().join(RECORD);
    let all = visits(&whole.path().join(RECORD));
    let Ok(bytes) = fs::read(&record) else {
        assert_ne!(told.code, 0, "{what}: without a record");
        return;
    };
    if !bytes.contains(&b'\n') {
        return;
    }
    let read = Record::read(&bytes).unwrap_or_else(|problem| panic!("{what}: {problem}"));
    assert!(told.code != 0 || read.complete(), "{what}: it was said to be well");
    assert!(all.starts_with(&visits(&record)), "{what}");
    undisturbed(place, &format!("run --resume {RECORD} --quiet --no-html")).expect_code(0);
    assert!(visits(&record) == all, "{what}: gone on with");
    for suffix in SAME {
        assert_eq!(place.read(suffix), whole.read(suffix), "{what}: {suffix}");
    }
}

#[test]
fn every_call_that_writes_fails_in_turn() {
    let name = "every_call_that_writes_fails_in_turn";
    let Some(()) = needs(name, program("strace")) else { return };
    let whole = Place::new();
    undisturbed(&whole, RUN).expect_code(0);
    let calls = [
        "write:error=ENOSPC",
        "write:error=EIO",
        "fdatasync:error=EIO",
        "fsync:error=EIO",
        "renameat2:error=EACCES",
        "flock:error=ENOLCK",
    ];
    for call in calls {
        let mut failed = 0;
        loop {
            let place = Place::new();
            let inject = format!("inject={call}:when={}", failed + 1);
            let strace = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=%desc,%file", "-e", &inject];
            let told = disturbed(&place, &strace, RUN);
            let trace = fs::read_to_string(place.path().join("trace")).unwrap();
            fs::remove_file(place.path().join("trace")).unwrap();
            if !trace.contains("(INJECTED)") {
                assert_eq!(told.code, 0, "{told:?}");
                break;
            }
            failed += 1;
            check(&format!("{call} at {failed}"), &whole, &place, &told);
        }
        println!("{call}: {failed} calls failed in turn");
        assert!(failed > 0, "{call}: none was made");
    }
}

/// Records of one run differ in length by digits of what the host had free at its start.
const VARIES_BYTES: u64 = 64;

/// A file of the run can hold so many bytes, the next one is refused: every 97th place of the record, or each one with
/// `RIGEL_EVERY_BYTE`.
#[test]
fn the_disk_is_full_at_every_byte() {
    let Some(()) = needs("the_disk_is_full_at_every_byte", program("prlimit")) else { return };
    let whole = Place::new();
    undisturbed(&whole, RUN).expect_code(0);
    let bytes = fs::metadata(whole.path().join(RECORD)).unwrap().len();
    let step = if std::env::var_os("RIGEL_EVERY_BYTE").is_some() { 1 } else { 97 };
    let mut tried = 0;
    for limit in (0..=bytes + 1).step_by(step).chain([bytes - 1, bytes]) {
        let place = Place::new();
        // Without the trap the kernel would kill the process instead of refusing the byte.
        let shell = format!("trap '' XFSZ; exec prlimit --fsize={limit} -- \"$0\" \"$@\"");
        let told = disturbed(&place, &["sh", "-c", &shell], RUN);
        assert!(limit + VARIES_BYTES >= bytes || told.code != 0, "{limit}: {told:?}");
        check(&format!("full at {limit}"), &whole, &place, &told);
        tried += 1;
        if tried % 500 == 0 {
            println!("full at {tried} places, up to byte {limit} of {bytes}");
        }
    }
    println!("full at {tried} places of {bytes}");
}
