//! What a server refused, in words that say what to do.
//!
//! Must not repeat what the server says without making it printable.

use crate::address::Address;
use postgres::error::SqlState;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;
use std::error::Error as _;
use std::time::Duration;

/// What the server or the library says, in one line.
pub fn text(error: &postgres::Error) -> String {
    let text = match error.as_db_error() {
        Some(told) => told.message().to_owned(),
        None => error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}")),
    };
    printable(&text).into_owned()
}

/// No connection could be made.
pub fn connect(address: &Address, error: &postgres::Error) -> Problem {
    let said = text(error);
    let refused =
        |what: &str, next: &str| Problem::refused(what).at(address.shown()).because(said.clone()).next(next);
    match error.code() {
        Some(code) if *code == SqlState::TOO_MANY_CONNECTIONS => too_many(address, &said),
        Some(code)
            if [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION].contains(code) =>
        {
            refused(
                "the server does not let this user in",
                "name another user, or give its password in PGPASSWORD",
            )
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            refused("the server has no such database", "name one that is there, with dbname")
        }
        None if said.contains("password") => refused(
            "the server asks for a password",
            "give it in the environment, in PGPASSWORD; nobody is asked for one here",
        ),
        _ => refused(
            "the server does not answer",
            "see whether it runs, and whether it listens at this address",
        ),
    }
}

/// The server has no place for the sessions of the load.
pub fn too_many(address: &Address, said: &str) -> Problem {
    Problem::refused("the server has too few connections for this load")
        .at(address.shown())
        .because(said)
        .next("ask for fewer --sessions, or raise max_connections of the server")
}

/// A statement before the load failed.
pub fn statement(what: &str, error: &postgres::Error) -> Problem {
    let problem = Problem::refused(what).because(text(error));
    match error.code() {
        // No answer, or a farewell: the server was stopped or killed.
        None if is_gone(error) => gone(what, error),
        Some(code) if [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN].contains(code) => {
            gone(what, error)
        }
        Some(code) if *code == SqlState::QUERY_CANCELED => Problem::new(ExitKind::CutShort, what)
            .because(text(error))
            .next("start it again; when nobody here ended it, an administrator of the server did"),
        Some(code) if *code == SqlState::DISK_FULL => {
            problem.next("make room, or ask for a smaller table with --size")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            problem.next("have the right granted, or name a user that has it")
        }
        _ => problem.next("see the server's own log"),
    }
}

fn is_gone(error: &postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>())
}

fn gone(what: &str, error: &postgres::Error) -> Problem {
    Problem::new(ExitKind::CutShort, what)
        .because(format!("the server went away: {}", text(error)))
        .next("see the server's own log, and start this again when it runs; what was not whole is gone")
}

/// Nothing came back, and nobody knows whether anything ever will.
pub fn silent(at: &str, patience: Duration) -> Problem {
    Problem::new(ExitKind::CutShort, format!("no answer came back for {} s", patience.as_secs()))
        .at(at)
        .because("the server or the storage under it does not answer")
        .next("look into the server's own log and that of the kernel (dmesg)")
}

/// The server went away, or a statement of the load failed.
pub fn lost(error: &postgres::Error) -> Problem {
    Problem::new(ExitKind::CutShort, "the server ended a session of the load")
        .because(text(error))
        .next("see the server's own log; what was measured until then is in the record")
}
