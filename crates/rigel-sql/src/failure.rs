//! Problems with any server, in messages that say what to do.
//!
//! Must not know the messages of a product.

use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;
use std::time::Duration;

/// The server has no place for the sessions of the load.
pub fn too_many(at: &str, said: &str) -> Problem {
    Problem::refused("the server has too few connections for this load")
        .at(at)
        .because(said)
        .next("ask for fewer --sessions, or raise max_connections of the server")
}

/// Refuses a load that takes more sessions than are free, with one that watches.
///
/// # Errors
/// When it does.
pub fn check_free(at: &str, free: u32, sessions: u32) -> Result<(), Problem> {
    check_free_beside(at, free, sessions, 1)
}

/// The same with this many that watch, one of which is connected.
///
/// # Errors
/// When it does.
pub fn check_free_beside(at: &str, free: u32, sessions: u32, watching: u32) -> Result<(), Problem> {
    if u64::from(free) >= u64::from(sessions) + u64::from(watching) {
        return Ok(());
    }
    let monitors = if watching == 1 {
        "one monitoring session".to_owned()
    } else {
        format!("{watching} monitoring sessions")
    };
    Err(too_many(at, &format!("{free} are free, but {sessions} sessions and {monitors} are needed")))
}

/// Nothing was returned, and nobody knows whether anything will be.
pub fn silent(at: &str, patience: Duration) -> Problem {
    Problem::new(ExitKind::CutShort, format!("no answer for {} s", patience.as_secs()))
        .at(at)
        .because("the server or the storage below it does not respond")
        .next("check the server log and the kernel log (dmesg)")
}

/// The connection broke while `what` was being requested.
pub fn gone(what: &str, said: &str) -> Problem {
    Problem::new(ExitKind::CutShort, what)
        .because(format!("the connection to the server was lost: {}", printable(said)))
        .next("check the server log, and start again once it runs; incomplete work is gone")
}

/// The server disappeared, or a statement of the load failed.
pub fn lost(said: &str) -> Problem {
    Problem::new(ExitKind::CutShort, "the server ended a session of the load")
        .because(printable(said).into_owned())
        .next("check the server log; everything measured so far is in the record")
}

/// What was created in a database, and the command that removes it.
#[derive(Debug)]
pub struct Leftover {
    what: &'static str,
    next: &'static str,
}

/// A table of a run or of an experiment.
pub const SCHEMA: Leftover = Leftover {
    what: "the schema rigel and its contents",
    next: "remove it once the server responds: rigel sql drop --dsn DSN",
};
/// The same for products whose tables are in a database of their own.
pub const DATABASE: Leftover = Leftover {
    what: "the database rigel and its contents",
    next: "remove it once the server responds: rigel sql drop --dsn DSN",
};
/// The table of commits, which may share the schema with another one.
pub const LEDGER: Leftover = Leftover {
    what: "the table rigel.commits",
    next: "the next `rigel sql commit` removes it; `rigel sql drop --dsn DSN` removes everything that Rigel created in that database",
};

/// May still exist, because the server did not answer or disappeared.
pub fn left(at: &str, problem: Problem, left: &Leftover) -> Problem {
    let why = problem.cause.unwrap_or(problem.what);
    Problem::new(ExitKind::CutShort, format!("{} may still be there", left.what))
        .at(at)
        .because(format!("it could not be removed: {why}"))
        .next(left.next)
}
