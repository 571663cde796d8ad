//! Refusals of a MySQL or MariaDB server, in messages that say what to do.
//!
//! Must not repeat what the server says without making it printable.

use crate::failure::{gone, lost, too_many};
use crate::mysql::address::Address;
use crate::server::RowCount;
use crate::table::NAME;
use mysql::{DriverError, Error};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;

/// Numbers of errors (the manuals of both products have the same).
const TOO_MANY: [u16; 3] = [1040, 1203, 1226];
/// Name or password; without a password, for a user whom the operating system vouches for.
const REJECTED: [u16; 2] = [1045, 1698];
const HOST_REJECTED: [u16; 2] = [1129, 1130];
const NO_DATABASE: u16 = 1049;
const SHUTTING_DOWN: u16 = 1053;
/// Accounts that are locked or whose password has expired, of MySQL and MariaDB.
const LOCKED: [u16; 4] = [1820, 1862, 3118, 4151];
/// To a database, to a table, to do something in the server, to a column, to a routine.
const NOT_GRANTED: [u16; 5] = [1044, 1142, 1143, 1227, 1370];
const READ_ONLY: [u16; 3] = [1290, 1792, 1836];
pub const LOCK_TIMEOUT: u16 = 1205;
const DISK_FULL: [u16; 2] = [1021, 1114];
const INTERRUPTED: [u16; 3] = [1317, 1969, 3024];
/// The engine got an error from the operating system, or the data it read is damaged.
const OF_STORAGE: [u16; 4] = [1030, 1194, 1712, 1877];

/// The message of the server or the library, in one line.
pub fn text(error: &Error) -> String {
    let text = match error {
        Error::MySqlError(told) => told.message.clone(),
        Error::DriverError(told) => told.to_string(),
        Error::IoError(told) => told.to_string(),
        other => other.to_string(),
    };
    printable(&text).into_owned()
}

/// The number that the server gave the error.
pub fn code(error: &Error) -> Option<u16> {
    if let Error::MySqlError(told) = error { Some(told.code) } else { None }
}

/// No connection could be made.
pub fn connect(address: &Address, error: &Error) -> Problem {
    let said = text(error);
    let (what, next) = match code(error) {
        Some(code) if TOO_MANY.contains(&code) => {
            return too_many(address.shown(), &said)
                .next("ask for fewer --sessions, or raise max_connections of the server or of the user");
        }
        Some(code) => refusal(address, code),
        None if matches!(error, Error::DriverError(DriverError::UnknownAuthPlugin(_))) => (
            "the server requires an authentication method that is not supported",
            "check the name of the user, because MySQL names any method for one that it does not know; or name a user with a \
             password (mysql_native_password or caching_sha2_password)",
        ),
        None => ("the server does not respond", "check that it is running and listens at this address"),
    };
    Problem::refused(what).at(address.shown()).because(said).next(next)
}

/// Why a server that answers refuses the connection, and what to do. Its messages may be in any language; its error numbers are not.
fn refusal(address: &Address, code: u16) -> (&'static str, &'static str) {
    match code {
        code if REJECTED.contains(&code) && address.has_password() => {
            ("the server rejects this user", "name another user, or give its password in MYSQL_PWD")
        }
        code if REJECTED.contains(&code) => (
            "the server rejects this user without a password",
            "set it in the environment variable MYSQL_PWD (Rigel does not prompt for it), name another user, or start Rigel as the \
             operating system user of that name",
        ),
        code if HOST_REJECTED.contains(&code) => (
            "the server allows no connections from this host",
            "connect over its Unix socket, or create the user for this host (CREATE USER ..@..)",
        ),
        NO_DATABASE => {
            ("the server has no such database", "name an existing one, or none: Rigel has its own")
        }
        SHUTTING_DOWN => (
            "the server is not accepting connections",
            "try again once it has started; the server log shows its progress",
        ),
        code if LOCKED.contains(&code) => (
            "the account of this user is locked or expired",
            "unlock it (ALTER USER ..), or name another user",
        ),
        code if NOT_GRANTED.contains(&code) => (
            "the user may not connect to this database",
            "grant access (GRANT .. ON .. TO ..), or name another user, or no database: Rigel has its own",
        ),
        _ => ("the server refuses the connection", "check the server log"),
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
        Some(code) if NOT_GRANTED.contains(&code) => {
            problem.next("grant the privilege (GRANT ALL ON rigel.* TO ..), or name a user that has it")
        }
        Some(code) if READ_ONLY.contains(&code) => problem.next(
            "the server or the session is read-only: measure the primary, or a private server on this host",
        ),
        Some(LOCK_TIMEOUT) => in_use(),
        _ => problem.next("check the server log"),
    }
}

/// Somebody measures, fills or removes it.
pub fn in_use() -> Problem {
    Problem::refused(format!("{NAME} is in use"))
        .because("another run is measuring, creating or removing it")
        .next("wait until that run has ended")
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
        let address = Address::private(std::path::Path::new("/s"));
        for (code, part) in [
            (1040, "max_connections"),
            (1045, "MYSQL_PWD"),
            (1130, "CREATE USER"),
            (1049, "no such database"),
            (1044, "may not connect"),
        ] {
            let told = connect(&address, &error(code)).to_string();
            assert!(told.contains(part), "{told}");
        }
        assert!(statement("x", &error(1142)).to_string().contains("GRANT ALL ON rigel.*"));
        assert!(statement("x", &error(1290)).to_string().contains("measure the primary"));
        assert!(statement("x", &error(1205)).to_string().contains("rigel.big is in use"));
    }

    #[test]
    fn storage_that_fails_is_no_server_that_is_gone() {
        assert_eq!(answered(Err(error(1030)), 1).unwrap(), None);
        assert_eq!(answered(Err(error(1146)), 1).unwrap_err().kind.code(), 4);
        assert_eq!(answered(Ok(2), 3).unwrap(), Some(RowCount { found: 2, wanted: 3 }));
    }
}
