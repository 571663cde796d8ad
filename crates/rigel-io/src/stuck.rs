//! Whether a thread waits in one call of the kernel for too long, as one whose read of a device never comes back.
//!
//! For work done call by call, where nothing else would notice. Seen from outside: a thread that waits, and got no CPU time since the last check,
//! is still in the same call. Must not end anything, and must not print.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two checks.
const LOOK: Duration = Duration::from_millis(100);

/// Does some work in this thread. If one call waits for as long as `limit`, `stuck` is called once, in another thread.
///
/// Time is counted in checks, which stop while the whole process or its host is stopped.
pub fn watched<T>(limit: Duration, stuck: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let status = format!("/proc/self/task/{}/status", rustix::thread::gettid().as_raw_nonzero());
    let (tell, over) = channel();
    thread::scope(|scope| {
        let watch = move || {
            if is_stuck(limit, &over, || waiting(&fs::read_to_string(&status).ok()?)) {
                stuck();
            }
        };
        // Where there can be no further thread, nobody watches.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        // Also when it panics: the end of the sender ends the other thread.
        let _tell = tell;
        work()
    })
}

/// Checks until the work is over, or stops for too long.
fn is_stuck(limit: Duration, over: &Receiver<()>, mut look: impl FnMut() -> Option<u64>) -> bool {
    let most = limit.as_nanos().div_ceil(LOOK.as_nanos()).max(1);
    let (mut last, mut still) = (None, 0);
    while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(LOOK) {
        let now = look();
        still = if now.is_some() && now == last { still + 1 } else { 0 };
        last = now;
        if still >= most {
            return true;
        }
    }
    false
}

/// How often a thread was given a CPU, if it waits now; `None` while it runs, or if the kernel does not say.
fn waiting(status: &str) -> Option<u64> {
    let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let state = of("State:")?;
    let switches = |name: &str| of(name)?.parse::<u64>().ok();
    let count = switches("voluntary_ctxt_switches:")? + switches("nonvoluntary_ctxt_switches:")?;
    (state.starts_with('S') || state.starts_with('D')).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_thread_that_waits_is_told_from_one_that_runs() {
        let status = |state: &str| {
            format!(
                "Name:\tx\nState:\t{state}\nvoluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n"
            )
        };
        assert_eq!(waiting(&status("D (disk sleep)")), Some(42));
        assert_eq!(waiting(&status("S (sleeping)")), Some(42));
        assert_eq!(waiting(&status("R (running)")), None);
        assert_eq!(waiting("State:\tS (sleeping)\n"), None);
    }

    #[test]
    fn only_a_wait_without_a_break_is_stuck() {
        // The sender stays until the looks have said what they say.
        let looks = |looks: &[Option<u64>]| {
            let (tell, over) = channel();
            let (mut looks, mut tell) = (looks.iter().copied(), Some(tell));
            is_stuck(2 * LOOK, &over, || {
                looks.next().unwrap_or_else(|| {
                    tell.take();
                    None
                })
            })
        };
        assert!(looks(&[Some(1), Some(1), Some(1)]));
        assert!(!looks(&[Some(1), Some(1), Some(2), Some(2), None, Some(2), Some(2)]));
        assert!(!looks(&[None; 5]));
    }

    #[test]
    fn work_that_waits_is_noticed_and_work_that_is_over_is_not() {
        let seen = AtomicBool::new(false);
        let tell = || seen.store(true, Ordering::Relaxed);
        assert_eq!(watched(LOOK, tell, || 7), 7);
        assert!(!seen.load(Ordering::Relaxed));
        let (stuck, wait) = channel();
        // One call of the kernel until it is noticed.
        watched(LOOK, move || stuck.send(()).unwrap(), || wait.recv().unwrap());
    }
}
