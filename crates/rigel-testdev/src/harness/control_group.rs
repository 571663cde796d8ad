//! [`ControlGroup`]: one that limits a child, as a container does. A child that needs more memory than it has is killed by the kernel.
//!
//! It must not move any process but a child of the test into the group.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use super::needs::MissingNeed;

/// Where groups are made, and the file of their limit: version 1 wherever it has the controller.
const OF_MEMORY: [(&str, &str); 2] =
    [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
const OF_THREADS: [(&str, &str); 2] = [("/sys/fs/cgroup/pids", "pids.max"), ("/sys/fs/cgroup", "pids.max")];

/// A group of our own; removed when dropped, once its processes have ended.
#[derive(Debug)]
pub struct ControlGroup {
    path: PathBuf,
}

impl ControlGroup {
    /// Makes a group whose processes have so much memory together.
    ///
    /// # Errors
    ///
    /// Without root, or a writable hierarchy of the memory controller.
    pub fn with_memory(bytes: u64) -> Result<Self, MissingNeed> {
        Self::create(OF_MEMORY, bytes)
    }

    /// Makes a group whose processes have so many threads together.
    ///
    /// # Errors
    ///
    /// The same of the controller of processes.
    pub fn with_threads(count: u64) -> Result<Self, MissingNeed> {
        Self::create(OF_THREADS, count)
    }

    fn create(known: [(&str, &str); 2], most: u64) -> Result<Self, MissingNeed> {
        let mut tried = String::new();
        for (root, limit) in known {
            let limited = Self::below(Path::new(root)).and_then(|group| {
                let limit = group.path.join(limit);
                fs::metadata(&limit)?;
                fs::write(limit, most.to_string())?;
                Ok(group)
            });
            match limited {
                Ok(group) => return Ok(group),
                Err(error) => tried += &format!("{root}: {error}; "),
            }
        }
        Err(MissingNeed::new(format!("no control group: {tried}")))
    }

    /// A group without limits, of a name that no other one has.
    pub(crate) fn below(root: &Path) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let serial = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = root.join(format!("rigel-testdev.{}.{serial}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self { path })
    }

    /// Where its files are.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A command that enters the group, then becomes `program`; add arguments as to any command.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("sh");
        // Not between fork and exec, which would need unsafe code. Without the group the test means nothing.
        command.arg("-c").arg(r#"echo $$ > "$0/cgroup.procs" || exit 125; exec "$@""#);
        command.arg(&self.path).arg(program);
        command
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // The group is busy until the kernel has reaped its last process.
        for _ in 0..100 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
