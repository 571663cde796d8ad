//! The session's side: it waits for the threads, and every way out of the wait ends them first.
//!
//! A cancelled statement unwinds through [`wait_for`]; a session that is terminated, or whose server goes down, never comes back from the
//! server's function, and leaves through a callback. Runs on the main thread only.

use crate::background::{Background, MeasureThread};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use rigel_core::error::{ExitKind, Problem};
use rigel_run::job::Stop;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a session looks for a wish to end it.
const TICK_MS: c_long = 10;
/// What a process that exits waits for I/Os that are in flight.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// What the session waits for, where the callback finds it.
static RUNNING: Mutex<Option<Background>> = Mutex::new(None);

/// Does the work in a thread and waits for its end.
pub fn wait_for(work: impl FnOnce(&Stop) -> MeasureThread + Send + 'static) -> String {
    leave_properly();
    let ended = EndGuard;
    match Background::start(work) {
        Ok(begun) => *running() = Some(begun),
        Err(error) => refuse(&Problem::refused(format!("a thread cannot be started: {error}"))),
    }
    while running().as_ref().is_some_and(|running| !running.is_over()) {
        rest();
        pgrx::check_for_interrupts!();
    }
    let over = running().take();
    drop(ended);
    match over.map(Background::result) {
        Some(Ok(text)) => text,
        Some(Err(problem)) => refuse(&problem),
        None => refuse(&Problem::new(ExitKind::Bug, "what was measured is lost")),
    }
}

/// Ends what runs when the statement ends, however it does.
struct EndGuard;

impl Drop for EndGuard {
    fn drop(&mut self) {
        let left = running().take();
        drop(left);
    }
}

fn running() -> MutexGuard<'static, Option<Background>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A tick, or less when the session is wanted. Does not come back when the postmaster has died.
fn rest() {
    let wake = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: on the main thread of a session, whose latch this is.
    unsafe {
        pg_sys::WaitLatch(pg_sys::MyLatch, wake.cast_signed(), TICK_MS, pg_sys::PG_WAIT_EXTENSION);
        pg_sys::ResetLatch(pg_sys::MyLatch);
    }
}

/// Once in each process: what runs is ended before the process gives up its place among the others.
fn leave_properly() {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        // SAFETY: on the main thread; the function lives as long as the process, as its library is never unloaded.
        unsafe { pg_sys::before_shmem_exit(Some(at_exit), pg_sys::Datum::from(0_usize)) };
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn at_exit(_code: c_int, _nothing: pg_sys::Datum) {
    let left = running().take();
    if let Some(left) = left {
        left.end_within(LAST_PATIENCE);
    }
}

/// Ends the statement with an error of the server.
pub fn refuse(problem: &Problem) -> ! {
    let code = match problem.kind {
        ExitKind::Usage => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        ExitKind::Refused => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        ExitKind::CutShort => PgSqlErrorCode::ERRCODE_IO_ERROR,
        ExitKind::GateFailed | ExitKind::Bug => PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
    };
    let place = problem.place.as_ref().map_or_else(String::new, |place| format!(": {place}"));
    let mut report = ErrorReport::new(code, format!("{}{place}", problem.what), "calibrate_io");
    if let Some(cause) = &problem.cause {
        report = report.set_detail(cause.clone());
    }
    if let Some(next) = &problem.next {
        report = report.set_hint(next.clone());
    }
    report.report(PgLogLevel::ERROR);
    unreachable!("a server error does not return")
}
