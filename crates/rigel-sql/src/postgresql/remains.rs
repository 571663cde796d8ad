//! What a killed private server leaves besides its files: processes, and memory that belongs to no process.
//!
//! Memory that its processes share by inheritance, semaphores among it, goes with them. Only one small segment stays, by which a server recognises
//! that another one uses its database. Must not end a process, nor remove memory, of any other server.

use crate::private::home::DATA;
use crate::private::tree;
use crate::processes::of_server_in;
use rigel_io::shared_memory::Segment;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::thread;
use std::time::{Duration, Instant};

/// A server that was told to end immediately does so within seconds.
const PATIENCE: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_millis(20);
/// The file a server writes about itself.
const FILE: &str = "postmaster.pid";
/// The line of that file with key and number of its segment.
const SEGMENT_LINE: usize = 6;

/// What a server reported about itself.
struct ServerNote {
    process: i32,
    /// It only creates the database, and ends by itself when `initdb` has.
    makes: bool,
    /// Key and number.
    segment: Option<(i32, i32)>,
    data: Metadata,
}

/// Ends the server of this directory immediately, and removes its segment.
pub fn clear(home: BorrowedFd<'_>) {
    // It removes the file itself when it ends in order; otherwise more may stand in it by now.
    let before = noted(home);
    stop(home);
    end_orphans(home);
    if let Some(ServerNote { process, segment: Some((key, id)), data, .. }) = noted(home).or(before) {
        Segment { key, id, maker: process, owner: data.uid() }.remove();
    }
}

/// Ends a server that works on this database: a process that says so itself, and nothing else with that number. One
/// that only creates the database would leave its memory behind.
fn stop(home: BorrowedFd<'_>) {
    let began = Instant::now();
    let mut told = None;
    while let Some((pid, makes)) = server(home) {
        let signal = match began.elapsed() < PATIENCE {
            true if makes => None,
            true => Some(Signal::QUIT),
            false => Some(Signal::KILL),
        };
        if told != signal {
            told = signal;
            if signal.is_some_and(|signal| matches!(kill_process(pid, signal), Err(Errno::PERM))) {
                return;
            }
        }
        if began.elapsed() > 2 * PATIENCE {
            return;
        }
        thread::sleep(TICK);
    }
}

/// Its processes notice that it was killed, and end, except those that were stopped.
fn end_orphans(home: BorrowedFd<'_>) {
    let Ok(data) = tree::dir_at(home, DATA) else { return };
    let orphans = File::from(data).metadata().map(|data| of_server_in(&data, &["postgres"]));
    for process in orphans.into_iter().flatten() {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// The process that serves the database in this directory, and whether it only makes it.
fn server(home: BorrowedFd<'_>) -> Option<(Pid, bool)> {
    let ServerNote { process, makes, data, .. } = noted(home)?;
    // A server works in the directory of its database.
    let works_in = fs::metadata(format!("/proc/{process}/cwd")).ok()?;
    let is_there = (works_in.dev(), works_in.ino()) == (data.dev(), data.ino());
    Pid::from_raw(process).filter(|_| is_there).map(|pid| (pid, makes))
}

fn noted(home: BorrowedFd<'_>) -> Option<ServerNote> {
    let data = tree::dir_at(home, DATA).ok()?;
    let text = io::read_to_string(tree::file_at(data.as_fd(), FILE).ok()?).ok()?;
    let mut lines = text.lines();
    // The number of a server that only makes the database is negative.
    let number = lines.next()?.trim().parse::<i32>().ok()?;
    let process = number.checked_abs().filter(|pid| *pid > 1)?;
    let segment = lines.nth(SEGMENT_LINE - 1).and_then(segment);
    Some(ServerNote { process, makes: number < 0, segment, data: File::from(data).metadata().ok()? })
}

/// Both are signed 32-bit numbers, written as if they were unsigned 64-bit numbers.
fn segment(line: &str) -> Option<(i32, i32)> {
    let mut numbers = line.split_whitespace().map(|word| {
        let number = word.parse::<u64>().ok()?.cast_signed();
        i32::try_from(number).ok()
    });
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::os::unix::fs::symlink;
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::path::Path;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_that_only_has_the_number_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        fs::create_dir(&data).unwrap();
        let mut other = Command::new("sleep").arg("60").current_dir("/").spawn().unwrap();
        fs::write(data.join(FILE), format!("{}\n", other.id())).unwrap();
        clear(tree::dir_at(CWD, place.path().to_str().unwrap()).unwrap().as_fd());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn what_a_killed_server_started_is_killed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        fs::create_dir(&data).unwrap();
        for name in ["postgres", "other"] {
            symlink("/bin/sh", place.path().join(name)).unwrap();
        }
        // It waits for a word on its input, which never comes.
        let start = |name: &str, dir: &Path| {
            let mut command = Command::new(place.path().join(name));
            command.arg0("sh").args(["-c", "read word"]).current_dir(dir).stdin(Stdio::piped());
            command.spawn().unwrap()
        };
        let mut all = [start("postgres", &data), start("postgres", place.path()), start("other", &data)];
        let pid = Pid::from_raw(i32::try_from(all[0].id()).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        clear(tree::dir_at(CWD, place.path().to_str().unwrap()).unwrap().as_fd());
        assert_eq!(all[0].wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
        for other in &mut all[1..] {
            assert!(other.try_wait().unwrap().is_none());
            other.kill().unwrap();
            other.wait().unwrap();
        }
    }

    #[test]
    fn what_a_server_notes_is_read() {
        let place = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            let data = place.path().join("data");
            fs::create_dir_all(&data).unwrap();
            fs::write(data.join(FILE), text).unwrap();
            let noted = noted(tree::dir_at(CWD, place.path().to_str().unwrap()).unwrap().as_fd());
            noted.map(|noted| (noted.process, noted.makes, noted.segment))
        };
        let text = "4280\n/d/data\n1795421246\n5432\n/d/socket\n\n  7111118    491563\nready   \n";
        assert_eq!(told(text), Some((4280, false, Some((7_111_118, 491_563)))));
        let odd = text.replace("4280", "-4280").replace("  7111118", "18446744073441116161");
        assert_eq!(told(&odd), Some((4280, true, Some((-268_435_455, 491_563)))));
        assert_eq!(told("4280\n/d/data\n"), Some((4280, false, None)));
        assert_eq!([told(""), told("1\n"), told("x\n")], [None, None, None]);
    }
}
