//! What a server of MySQL or MariaDB refused, in words that say what to do.
//!
//! Must not repeat what the server says without making it printable.

use crate::failure::{gone, lost, too_many};
use crate::server::RowCount;
use mysql::Error;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;

/// Numbers of errors (the manuals of both products have the same).
const TOO_MANY_CONNECTIONS: u16 = 1040;
const DISK_FULL: [u16; 2] = [1021, 1114];
const INTERRUPTED: [u16; 3] = [1317, 1969, 3024];
/// The engine got an error from the operating system, or what it read is damaged.
const OF_STORAGE: [u16; 4] = [1030, 1194, 1712, 1877];

/// What the server or the library says, in one line.
pub fn text(error: &Error) -> String {
    let text = match error {
        Error::MySqlError(told) => told.message.clone(),
        other => other.to_string(),
    };
    printable(&text).into_owned()
}

fn code(error: &Error) -> Option<u16> {
    if let Error::MySqlError(told) = error { Some(told.code) } else { None }
}

/// No connection could be made.
pub fn connect(at: &str, error: &Error) -> Problem {
    let said = text(error);
    match code(error) {
        Some(TOO_MANY_CONNECTIONS) => too_many(at, &said),
        Some(_) => Problem::refused("the server refuses the connection")
            .at(at)
            .because(said)
            .next("check the server log"),
        None => Problem::refused("the server does not respond")
            .at(at)
            .because(said)
            .next("check that it is running and listens at this address"),
    }
}

/// A statement before the load failed.
pub fn statement(what: &str, error: &Error) -> Problem {
    let problem = Problem::refused(what).because(text(error));
    match code(error) {
        None if matches!(error, Error::IoError(_) | Error::CodecError(_)) => gone(what, &text(error)),
        Some(code) if INTERRUPTED.contains(&code) => Problem::new(ExitKind::CutShort, what)
            .because(text(error))
            .next("start it again; if you did not stop it, an administrator of the server did"),
        Some(code) if DISK_FULL.contains(&code) => {
            problem.next("free some space, or use a smaller table with --size")
        }
        _ => problem.next("check the server log"),
    }
}

/// The rows that a statement of the load found; `None` when the storage under the server failed.
pub fn answered(found: Result<u64, Error>, wanted: u64) -> Result<Option<RowCount>, Problem> {
    match found {
        Ok(found) => Ok(Some(RowCount { found, wanted })),
        Err(error) if code(&error).is_some_and(|code| OF_STORAGE.contains(&code)) => Ok(None),
        Err(error) => Err(lost(&text(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql::MySqlError;

    fn error(code: u16) -> Error {
        Error::MySqlError(MySqlError { state: "HY000".into(), message: "said\u{1b}[1m so".into(), code })
    }

    #[test]
    fn what_the_server_says_is_printable_and_has_a_next_step() {
        let full = statement("the table cannot be filled", &error(1114));
        assert!(full.kind.code() == 3 && full.to_string().contains("free some space"), "{full}");
        assert!(!full.to_string().contains('\u{1b}'), "{full}");
        assert_eq!(statement("x", &error(1317)).kind.code(), 4);
        assert_eq!(statement("x", &Error::IoError(std::io::Error::other("gone"))).kind.code(), 4);
        assert!(connect("here", &error(1040)).to_string().contains("max_connections"));
    }

    #[test]
    fn storage_that_fails_is_no_server_that_is_gone() {
        assert_eq!(answered(Err(error(1030)), 1).unwrap(), None);
        assert_eq!(answered(Err(error(1146)), 1).unwrap_err().kind.code(), 4);
        assert_eq!(answered(Ok(2), 3).unwrap(), Some(RowCount { found: 2, wanted: 3 }));
    }
}
