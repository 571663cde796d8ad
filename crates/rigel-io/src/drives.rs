//! Asks the drives below targets for their own reports, with `smartctl` of smartmontools if it is installed.
//!
//! Nothing that happens here fails a run: a drive that cannot be asked says nothing, with the reason. Must not judge what drives say.

use crate::child::ends_with_us;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::drive::{self, Drive, MOST_BYTES};
use rustix::process::{Pid, Signal, kill_process_group};
use std::env;
use std::io::{ErrorKind, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const PROGRAM: &str = "smartctl";
/// Directories to search besides PATH, which for users and scheduled jobs often lacks these.
const BESIDE_PATH: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];
/// A drive that sleeps takes some seconds to answer; one that takes longer than that is left alone.
const LONGEST: Duration = Duration::from_secs(10);
/// The number of drives that are queried simultaneously.
const AT_ONCE: usize = 16;

/// Asks every drive below targets.
pub fn look(targets: &[TargetFacts]) -> Vec<Drive> {
    ask_all(&path_of(PROGRAM), LONGEST, &drive::below(targets))
}

/// The path of a program; one that leads nowhere if it is not installed. Relative directories are not searched, because this may run as root.
fn path_of(program: &str) -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain(BESIDE_PATH.map(PathBuf::from));
    let mut files = places.filter(|place| place.is_absolute()).map(|place| place.join(program));
    let file = files.find(|file| file.is_file());
    file.and_then(|file| file.into_os_string().into_string().ok()).unwrap_or_else(|| format!("/{program}"))
}

fn ask_all(program: &str, longest: Duration, names: &[&str]) -> Vec<Drive> {
    let next = AtomicUsize::new(0);
    let told: Mutex<Vec<(usize, Drive)>> = Mutex::new(Vec::with_capacity(names.len()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(names.len()) {
            let (next, told) = (&next, &told);
            let work = move || {
                while let Some((at, name)) = take(next, names) {
                    let drive = ask(program, longest, name);
                    told.lock().unwrap_or_else(PoisonError::into_inner).push((at, drive));
                }
            };
            // Without any thread nobody is asked, and the names below say so.
            if thread::Builder::new().name("rigel-drives".to_owned()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    let mut told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    let missing = |at: &usize| !told.iter().any(|(other, _)| other == at);
    let unasked: Vec<usize> = (0..names.len()).filter(missing).collect();
    told.extend(
        unasked.into_iter().map(|at| (at, Drive::silent(names[at], "no thread could be started to run it"))),
    );
    told.sort_by_key(|(at, _)| *at);
    told.into_iter().map(|(_, drive)| drive).collect()
}

fn take<'a>(next: &AtomicUsize, names: &[&'a str]) -> Option<(usize, &'a str)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    names.get(at).map(|name| (at, *name))
}

fn ask(program: &str, longest: Duration, name: &str) -> Drive {
    let mut command = Command::new(program);
    // The kernel has ! in names where the path has /.
    command.args(["-j", "-a"]).arg(format!("/dev/{}", name.replace('!', "/")));
    command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    ends_with_us(&mut command, Signal::KILL, Vec::new());
    match command.spawn() {
        Ok(child) => answer(child, longest, name),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Drive::silent(name, format!("{PROGRAM} is not in PATH or /usr/sbin (package smartmontools)"))
        }
        Err(error) => Drive::silent(name, format!("{PROGRAM} cannot be started: {error}")),
    }
}

/// Waits for what the program prints, and for no longer than that.
fn answer(mut child: Child, longest: Duration, name: &str) -> Drive {
    let (tell, told) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        let read = move || {
            let mut printed = Vec::new();
            let read = stdout.take(MOST_BYTES).read_to_end(&mut printed);
            // Nobody listens any more when it took too long.
            let _ = tell.send(read.map(|_| printed));
        };
        // Where no thread can be started nobody will tell, which is seen below.
        drop(thread::Builder::new().name("rigel-drive".to_owned()).spawn(read));
    }
    let silent = |why: &str| Drive::silent(name, format!("{PROGRAM} {why}"));
    let drive = match told.recv_timeout(longest) {
        Ok(Ok(printed)) => drive::read(name, &printed),
        Ok(Err(error)) => silent(&format!("its output could not be read: {error}")),
        Err(RecvTimeoutError::Timeout) => {
            silent(&format!("did not answer within {} s", longest.as_secs_f32()))
        }
        Err(RecvTimeoutError::Disconnected) => silent("its output could not be read"),
    };
    end(child);
    drive
}

/// Ends the program and everything it started. One that is stuck in the kernel, because its drive does not answer, is left behind.
fn end(mut child: Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended by itself; until it is waited for nobody else has its number.
        let _ = kill_process_group(group, Signal::KILL);
    }
    for _ in 0..50 {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::drive::{Counter, DriveAnswer};
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::time::Instant;

    fn program(dir: &Path, script: &str) -> String {
        let path = dir.join("smartctl");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn asked(script: &str, longest: Duration, names: &[&str]) -> Vec<Drive> {
        let dir = tempfile::tempdir().unwrap();
        ask_all(&program(dir.path(), script), longest, names)
    }

    fn why(drive: &Drive) -> &str {
        match &drive.said {
            DriveAnswer::Nothing(why) => why,
            DriveAnswer::Counters(counters) => panic!("{counters:?}"),
        }
    }

    #[test]
    fn every_drive_is_asked_by_its_path_and_told_in_its_order() {
        let script = r#"echo "{\"serial_number\": \"$*\", \"scsi_grown_defect_list\": 3}"; exit 4"#;
        let names: Vec<String> = (0..40).map(|number| format!("cciss!c0d{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let drives = asked(script, Duration::from_secs(60), &names);
        assert_eq!(drives.len(), 40);
        for (number, drive) in drives.iter().enumerate() {
            assert_eq!(drive.serial, Some(format!("-j -a /dev/cciss/c0d{number}")));
            assert_eq!(drive.counters(), Some(&[(Counter::GrownDefects, 3)].into()));
        }
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let begun = Instant::now();
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", pid.display());
        let drives = ask_all(&program(dir.path(), &script), Duration::from_secs(1), &["sda"]);
        assert!(why(&drives[0]).ends_with("did not answer within 1 s"), "{drives:?}");
        assert!(begun.elapsed() < Duration::from_secs(300));
        let started = fs::read_to_string(pid).unwrap();
        let state = || fs::read_to_string(format!("/proc/{}/stat", started.trim())).unwrap_or_default();
        // Nobody here reaps it.
        while !state().is_empty() && !state().contains(") Z ") {
            assert!(begun.elapsed() < Duration::from_secs(300), "{}", state());
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn rubbish_silence_and_floods_are_no_answer() {
        for (script, sign) in [
            ("echo rubbish; exit 1", "nothing readable"),
            ("exit 0", "nothing readable"),
            ("kill -9 $$", "nothing readable"),
            ("head -c 3000000 /dev/zero", "nothing readable"),
        ] {
            let drives = asked(script, Duration::from_secs(60), &["sda"]);
            assert!(why(&drives[0]).contains(sign), "{script}: {drives:?}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let drives = ask_all("no-such-program-of-rigel", LONGEST, &["sda", "sdb"]);
        assert_eq!(drives.len(), 2);
        assert!(why(&drives[1]).contains("is not in PATH"), "{drives:?}");
    }
}
