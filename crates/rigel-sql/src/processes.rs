//! Processes of servers on this host. Must not end any.

use rustix::process::Pid;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Whether the server of this directory started this process. Another server may have the same path in a container, or behind a tunnel.
pub fn serves(directory: &Path, process: i32) -> bool {
    let text = fs::read_to_string(directory.join("postmaster.pid")).unwrap_or_default();
    let server = text.lines().next().and_then(|line| line.trim().parse::<i32>().ok());
    server.is_some() && server == parent(process)
}

/// Working directory of a process, which for a server is the directory of its database; visible to root and the server's user.
pub fn directory_of(process: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/cwd")).ok()
}

/// The processes that a process started, and that did not end.
pub fn children(of: Pid) -> Vec<Pid> {
    all().filter(|id| parent(*id) == Some(of.as_raw_nonzero().get())).filter_map(Pid::from_raw).collect()
}

/// The processes of one of these names that work in this directory of a database, and belong to its owner.
pub fn of_server_in(directory: &Metadata, names: &[&str]) -> Vec<Pid> {
    let works_there = |id: &i32| {
        let entry = Path::new("/proc").join(id.to_string());
        let is_there = |found: Metadata| (found.dev(), found.ino()) == (directory.dev(), directory.ino());
        let is_server = |name: String| names.contains(&name.trim());
        fs::metadata(entry.join("cwd")).is_ok_and(is_there)
            && fs::metadata(&entry).is_ok_and(|found| found.uid() == directory.uid())
            && fs::read_to_string(entry.join("comm")).is_ok_and(is_server)
    };
    all().filter(works_there).filter_map(Pid::from_raw).collect()
}

fn all() -> impl Iterator<Item = i32> {
    let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(id)
}

/// The program name may contain anything but is in brackets; state and parent follow it (proc_pid_stat(5)).
fn parent(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_server_of_the_directory_serves_it() {
        let dir = tempfile::tempdir().unwrap();
        let us = i32::try_from(std::process::id()).unwrap();
        assert!(!serves(dir.path(), us), "no server is there");
        let says =
            |pid: i32| fs::write(dir.path().join("postmaster.pid"), format!("{pid}\n/data\n1\n")).unwrap();
        says(parent(us).unwrap());
        assert!(serves(dir.path(), us));
        says(us);
        assert!(!serves(dir.path(), us), "it did not start this process");
    }
}
