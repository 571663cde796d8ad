//! A child process and what it cost. Must not know which tool it is.

use anyhow::Context as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often the memory of the child is read.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The results of a child.
#[derive(Clone, Debug)]
pub struct ChildRun {
    /// Its standard output.
    pub stdout: String,
    /// From start to end, in seconds.
    pub wall_s: f64,
    /// CPU time in user mode of all of its threads and children, in seconds.
    pub user_s: f64,
    /// The same in the kernel.
    pub system_s: f64,
    /// Most resident memory of the child, in bytes, as last seen while it ran.
    pub peak_bytes: u64,
}

/// Runs a command to its end.
///
/// # Errors
/// When it cannot be started or fails; its standard error is part of the message.
pub fn run(command: &mut Command) -> anyhow::Result<ChildRun> {
    run_to(command, &[0])
}

/// The same, if other exit codes are acceptable.
///
/// # Errors
/// As [`run`].
pub fn run_to(command: &mut Command, codes: &[i32]) -> anyhow::Result<ChildRun> {
    let before = children_cpu()?;
    let start = Instant::now();
    let shown = format!("{command:?}");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.with_context(|| format!("cannot start {shown}"))?;
    let id = i32::try_from(child.id()).context("a process number")?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let told = thread::spawn(move || text(out.as_mut()));
    let problems = thread::spawn(move || text(err.as_mut()));
    let mut peak_bytes = 0;
    let status = loop {
        peak_bytes = peak_bytes.max(resident_peak_bytes(id).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(LOOK_EVERY);
    };
    let wall_s = start.elapsed().as_secs_f64();
    let after = children_cpu()?;
    let [stdout, stderr] = [told, problems].map(|reader| reader.join().unwrap_or_default());
    let is_good = status.code().is_some_and(|code| codes.contains(&code));
    anyhow::ensure!(is_good, "{shown} failed ({status}): {}", stderr.trim_end());
    Ok(ChildRun { stdout, wall_s, user_s: after.0 - before.0, system_s: after.1 - before.1, peak_bytes })
}

fn text(from: Option<&mut impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    // A pipe that breaks ends with the child, which is judged by its exit code.
    let _ = from.map(|from| from.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// User and system time of all children that were waited for, in seconds.
fn children_cpu() -> anyhow::Result<(f64, f64)> {
    let stat = procfs::process::Process::myself()?.stat()?;
    let ticks = procfs::ticks_per_second();
    let seconds = |count: i64| -> anyhow::Result<f64> {
        Ok(f64::from(u32::try_from(count)?) / f64::from(u32::try_from(ticks)?))
    };
    Ok((seconds(stat.cutime)?, seconds(stat.cstime)?))
}

fn resident_peak_bytes(id: i32) -> Option<u64> {
    let status = procfs::process::Process::new(id).ok()?.status().ok()?;
    status.vmhwm.map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_computes_has_cost_something() {
        let ran = run(
            Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i"])
        );
        let ran = ran.unwrap();
        assert_eq!(ran.stdout, "200000\n");
        assert!(ran.user_s + ran.system_s > 0.0 && ran.wall_s > 0.0, "{ran:?}");
    }

    #[test]
    fn what_a_failed_child_said_is_told() {
        let told = run(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"])).unwrap_err().to_string();
        assert!(told.contains("no luck") && told.contains('3'), "{told}");
        assert!(run(&mut Command::new("/nowhere/program")).is_err());
        let ended = |code| run_to(Command::new("sh").args(["-c", &format!("exit {code}")]), &[0, 1]).is_ok();
        assert_eq!([0, 1, 2].map(ended), [true, true, false]);
    }
}
