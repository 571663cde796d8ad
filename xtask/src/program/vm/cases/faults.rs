//! Devices on which some I/Os fail: the run goes on, counts the failures and tells the first one.

use super::super::case::Case;
use super::super::judge;
use super::super::outcome::Outcome;
use super::limits::FAST;
use super::{Way, reads};
use anyhow::Context as _;
use rigel_core::load::class::Class;

/// The kernel's numbers for failed I/O.
const EIO: i32 = 5;
const ENODATA: i32 = 61;
const SECTOR_BYTES: u64 = 512;
const IO_BYTES: u64 = 8192;
const LOADS: [u32; 1] = [4];

/// The first sectors never fail: a target is examined there before a run.
const SOUND_SECTORS: u64 = 2048;
const FLAKY: &str = "/dev/dm-0";
const FLAKY_WAYS: [Way; 3] =
    [Way::plain("io_uring", FLAKY), Way::plain("libaio", FLAKY), Way::plain("threads", FLAKY)];

const BAD_SECTOR: u64 = 0x1234;
/// An eighth of the drive, so that every run meets them.
const BAD_SECTORS: u64 = 2048;
const SCSI: &str = "/dev/sda";
const SCSI_WAYS: [Way; 3] =
    [Way::plain("io_uring", SCSI), Way::plain("libaio", SCSI), Way::plain("threads", SCSI)];

pub fn cases() -> Vec<Case> {
    vec![flakey(), medium_error()]
}

/// A second of service, a second of errors, and so on.
fn flakey() -> Case {
    Case {
        name: "dm-flakey",
        modules: &["null_blk", "dm-flakey"],
        setup: format!(
            "{FAST}modprobe dm-flakey\nsize=$(blockdev --getsz /dev/nullb0)\n{{\n\
             echo \"0 {SOUND_SECTORS} linear /dev/nullb0 0\"\n\
             echo \"{SOUND_SECTORS} $((size - {SOUND_SECTORS})) flakey /dev/nullb0 {SOUND_SECTORS} 1 1\"\n\
             }} | dmsetup create flaky --noudevsync\n"
        ),
        steps: reads(&FLAKY_WAYS, &LOADS, "4s"),
        teardown: "dmsetup remove --noudevsync flaky\nrmmod dm-flakey\nrmmod null_blk\n".to_owned(),
        judge: |outcome| failures(outcome, &FLAKY_WAYS, EIO, |byte| byte >= SOUND_SECTORS * SECTOR_BYTES),
    }
}

/// A SCSI drive whose sectors from 0x1234 on cannot be read.
fn medium_error() -> Case {
    Case {
        name: "scsi-medium-error",
        modules: &["sd_mod", "scsi_debug"],
        setup: format!(
            "modprobe sd_mod\n\
             modprobe scsi_debug dev_size_mb=8 delay=0 opts=2 medium_error_start={BAD_SECTOR} \
             medium_error_count={BAD_SECTORS}\n\
             until [ -b /dev/sda ]; do usleep 20000; done\n"
        ),
        steps: reads(&SCSI_WAYS, &LOADS, "1s"),
        teardown: "rmmod scsi_debug\n".to_owned(),
        judge: |outcome| {
            let bad = BAD_SECTOR * SECTOR_BYTES..(BAD_SECTOR + BAD_SECTORS) * SECTOR_BYTES;
            failures(outcome, &SCSI_WAYS, ENODATA, |byte| bad.start < byte + IO_BYTES && byte < bad.end)
        },
    }
}

/// Every run ended normally, met failures and reported the first one, which was where the device is bad.
fn failures(
    outcome: &Outcome,
    ways: &[Way],
    errno: i32,
    is_bad: impl Fn(u64) -> bool,
) -> anyhow::Result<String> {
    let mut seen = Vec::new();
    for way in ways {
        let step = way.at(LOADS[0]);
        let found = judge::run(outcome, &step, way.engine)?;
        let byte = found.failed_with(errno).with_context(|| step.clone())?;
        anyhow::ensure!(is_bad(byte), "{step}: byte {byte} is sound, and said to have failed");
        anyhow::ensure!(
            !found.has_flag("FOREIGN", "other programs moved"),
            "{step}: what failed is laid to others: {found:?}"
        );
        let errors = in_record(outcome, &step, errno)?;
        anyhow::ensure!(errors == found.errors, "{step}: {errors} errors in the record, {}", found.errors);
        seen.push(format!("{step} {} of {} failed", found.errors, found.errors + found.reads));
    }
    Ok(seen.join(", "))
}

/// Failures in the record of a run; the first one has that error number.
fn in_record(outcome: &Outcome, step: &str, errno: i32) -> anyhow::Result<u64> {
    let record = outcome.record(step)?;
    let small = record.visits.first().and_then(|visit| visit.tallies.get(&Class::SMALL));
    let small = small.with_context(|| format!("{step}: no visit with small I/O in the record"))?;
    let first = small.first_error.as_ref().with_context(|| format!("{step}: no first error"))?;
    anyhow::ensure!(first.errno == errno, "{step}: errno {} in the record", first.errno);
    Ok(small.errors)
}
