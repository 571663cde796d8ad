//! The packed binary where system calls that came after Linux 3.10 are refused, as on the kernels that it is made for. The tests of
//! `crates/rigel` try that with a binary of another build.
//!
//! Must not start anything but what a package holds.

// The same list as in the tests.
#[path = "../../../../crates/rigel/tests/it/old_kernel/calls.rs"]
mod calls;

use super::super::{Release, stage, tarball};
use super::room::output;
use anyhow::Context as _;
use calls::{NEWER, UNKNOWN_TO_PROFILES, refusing};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET_BYTES: u64 = 16 << 20;

/// Takes the binary out of the archive and measures a file with it.
pub fn refused(release: &Release) -> anyhow::Result<bool> {
    // An strace that is there may be too old to know the calls.
    let try_it = Command::new("strace").args(refusing(NEWER, "ENOSYS")).arg("true").output();
    match try_it {
        Ok(told) if told.status.success() => {}
        Ok(told) => {
            let said = String::from_utf8_lossy(&told.stderr).trim().to_owned();
            return release
                .leave_out(&format!("old-calls: strace cannot refuse the calls: {said}"))
                .map(|()| true);
        }
        Err(error) => {
            return release.leave_out(&format!("old-calls: strace does not start: {error}")).map(|()| true);
        }
    }
    let place = tempfile::tempdir_in(&release.work)?;
    let rigel = unpacked(release, place.path())?;
    for (calls, errno) in [(NEWER, "ENOSYS"), (UNKNOWN_TO_PROFILES, "EPERM")] {
        let run = place.path().join(errno);
        fs::create_dir(&run)?;
        let mut strace = Command::new("strace");
        strace.args(refusing(calls, errno)).arg(&rigel);
        measured(&mut strace, &run).with_context(|| format!("{errno} for newer calls"))?;
    }
    Ok(true)
}

/// The binary of the archive.
pub fn unpacked(release: &Release, place: &Path) -> anyhow::Result<PathBuf> {
    let archive = release.out.join(format!("{}.tar.xz", tarball::name(release)));
    let to = place.join("archive");
    fs::create_dir(&to)?;
    release
        .finish(Command::new("tar").arg("-xJf").arg(archive).args(["--strip-components=1", "-C"]).arg(&to))?;
    Ok(to.join("bin/rigel"))
}

/// A run that `rigel` starts ends well, reports libaio, and leaves its outputs.
fn measured(rigel: &mut Command, place: &Path) -> anyhow::Result<()> {
    let mut data = fs::File::create_new(place.join("data"))?;
    io::copy(&mut fs::File::open("/dev/urandom")?.take(TARGET_BYTES), &mut data)?;
    rigel.current_dir(place).env("XDG_STATE_HOME", place).env_remove("RIGEL_ORION_VERSION");
    rigel.args(["run", "simple", "data", "--duration", "100ms", "--num-disks", "1", "--quiet", "--no-html"]);
    output(rigel)?;
    let names = stage::names(place)?;
    let read = |end: &str| {
        let name = names.iter().find(|name| name.ends_with(end));
        let name = name.with_context(|| format!("no {end} among {}", names.join(", ")))?;
        Ok::<_, anyhow::Error>(fs::read_to_string(place.join(name))?)
    };
    let record = read("_record.jsonl")?;
    let header = record.lines().next().unwrap_or_default();
    anyhow::ensure!(header.contains(r#""kind":"libaio""#), "not measured with libaio: {header}");
    anyhow::ensure!(!read("_summary.txt")?.is_empty(), "the summary is empty");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of a program that does this.
    fn told(script: &str) -> anyhow::Result<()> {
        let place = tempfile::tempdir()?;
        measured(Command::new("sh").args(["-ec", script]), place.path())
    }

    #[test]
    fn a_run_has_to_end_well_with_libaio_and_outputs() {
        let record = r#"echo '{"engine":{"kind":"libaio"}}' >a_record.jsonl"#;
        let summary = "echo text >a_summary.txt";
        told(&format!("{record}; {summary}; [ -s data ]")).unwrap();
        for (script, problem) in [
            (format!("{record}; {summary}; echo no luck >&2; exit 1"), "no luck"),
            (summary.to_owned(), "no _record.jsonl"),
            (format!("{}; {summary}", record.replace("libaio", "io_uring")), "not measured with libaio"),
            (record.to_owned(), "no _summary.txt"),
            (format!("{record}; : >a_summary.txt"), "empty"),
        ] {
            let error = format!("{:#}", told(&script).unwrap_err());
            assert!(error.contains(problem), "{script}: {error}");
        }
    }
}
