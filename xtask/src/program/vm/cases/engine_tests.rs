//! The unit tests of `rigel-io` on another kernel, with all its engines.

use super::super::case::{Case, CaseStep};
use super::super::outcome::{Outcome, shown};
use anyhow::Context as _;

/// Where the test program is: as cargo builds it, because the tests look for their daemon next to themselves.
pub const PLACE: &str = "target/debug";
/// The file system that they use must know direct I/O, which the one in memory does not on every kernel.
const SETUP: &str = "modprobe -a crc32c_generic fuse loop ext4
modprobe nvme poll_queues=1
until [ -b /dev/nvme0n1 ]; do usleep 20000; done
modprobe null_blk nr_devices=1 gb=1 memory_backed=1 irqmode=0
mke2fs /dev/nullb0
mkdir /disk
mount -t ext4 /dev/nullb0 /disk
cp -r /target /disk/
mkdir /disk/tmp
";
/// The tests of NVMe commands overwrite the drive; it is the emulator's.
const RUN: &str = "export TMPDIR=/disk/tmp RIGEL_SKIP_FILE=$PWD/skips RIGEL_TEST_NVME=/dev/nvme0n1
: >skips
exec /disk/target/debug/deps/rigel_io
";

pub fn cases() -> Vec<Case> {
    vec![Case {
        name: "engine-tests",
        modules: &["crc32c_generic", "ext4", "fuse", "loop", "null_blk", "nvme"],
        setup: SETUP.to_owned(),
        steps: vec![CaseStep::shell("tests", 600, RUN)],
        teardown: "umount /disk\nrmmod null_blk nvme\n".to_owned(),
        judge,
    }]
}

fn judge(outcome: &Outcome) -> anyhow::Result<String> {
    let told = outcome.step("tests")?;
    anyhow::ensure!(told.code == 0, "{}", failures(&told.stdout).unwrap_or_else(|| shown(&told.stderr)));
    let passed = passed(&told.stdout).with_context(|| format!("no result in: {}", shown(&told.stdout)))?;
    anyhow::ensure!(passed > 0, "no test was run");
    Ok(format!("{passed} tests passed{}", skipped(&outcome.text("skips")?)))
}

/// Tests that passed, from the line at the end.
fn passed(stdout: &str) -> Option<u32> {
    let result = stdout.lines().rev().find_map(|line| line.strip_prefix("test result: ok. "))?;
    result.split_once(" passed")?.0.parse().ok()
}

/// The output of the failed tests and their list, as the test program writes them.
fn failures(stdout: &str) -> Option<String> {
    let (_, said) = stdout.split_once("\nfailures:\n")?;
    Some(format!("tests failed:\n{}", said.trim()))
}

/// Tests that could not run here, each with its reason.
fn skipped(skips: &str) -> String {
    let mut lines: Vec<&str> = skips.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.sort_unstable();
    lines.dedup();
    let list = lines.iter().map(|line| format!("\n    SKIPPED {}", line.replace('\t', ": ")));
    format!(", of which {} could not run{}", lines.len(), list.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 1 ignored\n\n";
    const BAD: &str = "running 2 tests\n\nfailures:\n\n---- a stdout ----\nleft: 1\n\nfailures:\n    a\n\n\
                       test result: FAILED. 1 passed; 1 failed\n";

    #[test]
    fn the_closing_line_tells_what_passed() {
        assert_eq!(passed(GOOD), Some(3));
        assert_eq!((passed(BAD), passed("")), (None, None));
    }

    #[test]
    fn a_failed_test_is_told_with_what_it_said() {
        let told = failures(BAD).unwrap();
        assert!(told.contains("---- a stdout ----\nleft: 1") && told.contains("1 failed"), "{told}");
        assert_eq!(failures(GOOD), None);
    }

    #[test]
    fn a_skip_counts_once_with_its_reason() {
        assert_eq!(skipped(""), ", of which 0 could not run");
        let told = skipped("b\tno loop\na\tno fuse\nb\tno loop\n");
        assert_eq!(told, ", of which 2 could not run\n    SKIPPED a: no fuse\n    SKIPPED b: no loop");
    }
}
