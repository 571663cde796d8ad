//! The priorities of this process. Must not change one.

use rigel_core::facts::{IoPriority, ProcessPriority, SchedulingPolicy};
use rustix::process::getpriority_process;

/// `ioprio_get`: of a process, and not of a group or a user.
const WHO_PROCESS: libc::c_int = 1;

/// The priorities of the calling thread; threads that it starts inherit them.
pub(super) fn of_process() -> ProcessPriority {
    ProcessPriority { nice: getpriority_process(None).ok(), io: io(), policy: policy() }
}

fn policy() -> Option<SchedulingPolicy> {
    // SAFETY: the call takes a number, and writes to no memory.
    let value = unsafe { libc::sched_getscheduler(0) };
    u32::try_from(value).ok().and_then(SchedulingPolicy::from_kernel)
}

fn io() -> Option<IoPriority> {
    // SAFETY: the call takes two numbers, and writes to no memory.
    let value = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) };
    u32::try_from(value).ok().and_then(IoPriority::from_kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel gives a thread what its maker had, and lets it lower that without rights.
    #[test]
    fn what_a_thread_gave_itself_is_read() {
        let lowered = std::thread::spawn(|| {
            // SAFETY: the call takes numbers, and changes this thread alone.
            let set = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, 3 << 13) };
            (set, of_process())
        });
        let (set, found) = lowered.join().unwrap();
        assert!(found.nice.is_some(), "{found:?}");
        if set == 0 {
            assert_eq!(found.io.unwrap().to_string(), "I/O class idle");
        }
    }
}
