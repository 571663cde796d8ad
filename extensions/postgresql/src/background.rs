//! The threads that measure while a session waits: one that coordinates, and those that it starts.
//!
//! No handler of the server may ever run in them, since none of its functions may be called there: they are born with all signals
//! blocked. Must not call PostgreSQL.

use rigel_core::error::{ExitKind, Problem};
use rigel_run::job::Stop;
use std::io;
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What measures.
pub type MeasureThread = Result<String, Problem>;

/// Threads at work; dropping it ends them and waits for that.
#[derive(Debug)]
pub struct Background {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<MeasureThread>>,
}

impl Background {
    /// Starts the work.
    pub fn start(work: impl FnOnce(&Stop) -> MeasureThread + Send + 'static) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let wish = Stop::new(Arc::clone(&stop));
        let blocked = AllBlocked::begin()?;
        let thread = thread::Builder::new().name("rigel-calibrate".into()).spawn(move || work(&wish))?;
        drop(blocked);
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What came of it, when it has ended.
    pub fn result(mut self) -> MeasureThread {
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or_else(|| {
            Err(Problem::new(ExitKind::Bug, "a measuring thread panicked")
                .because("see the server log for its message")
                .next("please report this"))
        })
    }

    /// Ends it for a process that is about to exit, which does not wait longer than that for a device that hangs.
    pub fn end_within(mut self, patience: Duration) {
        self.stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        while !self.is_over() && began.elapsed() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        if !self.is_over() {
            // The kernel ends it with the process.
            self.thread = None;
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been told by its hook.
            let _ = thread.join();
        }
    }
}

/// All signals are blocked in this thread, and in those that it starts, as long as this lives.
struct AllBlocked {
    before: libc::sigset_t,
}

impl AllBlocked {
    fn begin() -> io::Result<Self> {
        // SAFETY: a set of signals is plain memory, which the two calls fill before it is read.
        let (failed, before) = unsafe {
            let (mut all, mut before) = (mem::zeroed(), mem::zeroed());
            libc::sigfillset(&mut all);
            (libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before), before)
        };
        if failed == 0 { Ok(Self { before }) } else { Err(io::Error::from_raw_os_error(failed)) }
    }
}

impl Drop for AllBlocked {
    fn drop(&mut self) {
        // SAFETY: the set is the one that this thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, ptr::null_mut()) };
    }
}
