//! [`ControlGroup`]: one that limits the memory or the threads of a child, as a container does. What needs more memory is killed by the kernel.
//!
//! It must not move any process but a child of the test into the group.

use std::ffi::OsStr;
use std::fs;
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
    group: PathBuf,
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
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mut tried = String::new();
        for (root, limit) in known {
            let serial = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("rigel-testdev-limits.{}.{serial}", std::process::id());
            let cap = Self { group: PathBuf::from(root).join(name) };
            let made = fs::create_dir(&cap.group)
                .and_then(|()| fs::metadata(cap.group.join(limit)))
                .and_then(|_| fs::write(cap.group.join(limit), most.to_string()));
            match made {
                Ok(()) => return Ok(cap),
                Err(error) => tried += &format!("{root}: {error}; "),
            }
        }
        Err(MissingNeed::new(format!("no control group: {tried}")))
    }

    /// A command that enters the group, then becomes `program`; add arguments as to any command.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        command_in(&self.group, program)
    }
}

/// A command that enters a group, then becomes `program`.
pub(crate) fn command_in(group: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("sh");
    // Not between fork and exec, which would need unsafe code. Without the group the test means nothing.
    command.arg("-c").arg(r#"echo $$ > "$0/cgroup.procs" || exit 125; exec "$@""#);
    command.arg(group).arg(program);
    command
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // The group is busy until the kernel has buried its last process.
        for _ in 0..100 {
            if !self.group.exists() || fs::remove_dir(&self.group).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
