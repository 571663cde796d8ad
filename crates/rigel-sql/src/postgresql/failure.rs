//! Refusals of a server, in messages that say what to do.
//!
//! Must not repeat what the server says without making it printable.

use crate::failure as of_all;
use crate::postgresql::address::Address;
use postgres::error::{DbError, SqlState};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{printable, shell_word};
use std::error::Error as _;

const FEWER: &str = "ask for fewer --sessions, or raise max_connections of the server";
/// A setting that is not known, has no such value, is out of its place, or is not for this user.
const OF_OPTIONS: [SqlState; 5] = [
    SqlState::UNDEFINED_OBJECT,
    SqlState::INVALID_PARAMETER_VALUE,
    SqlState::SYNTAX_ERROR,
    SqlState::CANT_CHANGE_RUNTIME_PARAM,
    SqlState::INSUFFICIENT_PRIVILEGE,
];

/// The message of the server or the library, in one line.
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
    let (what, next) = match error.as_db_error() {
        Some(told) if *told.code() == SqlState::TOO_MANY_CONNECTIONS => {
            return of_all::too_many(address.shown(), &said).next(limit(told));
        }
        Some(told) => refusal(address, told),
        None if said.contains("password") => (
            "the server asks for a password",
            "set it in the environment variable PGPASSWORD; Rigel does not prompt for it".to_owned(),
        ),
        None => {
            ("the server does not respond", "check that it is running and listens at this address".to_owned())
        }
    };
    let detail = error.as_db_error().and_then(DbError::detail);
    let because = detail.map_or_else(|| said.clone(), |detail| format!("{said}: {}", printable(detail)));
    Problem::refused(what).at(address.shown()).because(because).next(next)
}

/// Why a server that answers refuses the connection, and what to do. Its messages may be in any language; the names of its functions are not.
fn refusal(address: &Address, told: &DbError) -> (&'static str, String) {
    let user = "the server rejects this user";
    match told.code() {
        code if *code == SqlState::INVALID_PASSWORD => {
            (user, "name another user, or give its password in PGPASSWORD".to_owned())
        }
        code if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => (user, other_user(address, told)),
        code if *code == SqlState::INVALID_CATALOG_NAME => {
            ("the server has no such database", "name an existing one with dbname".to_owned())
        }
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE && comes_from(told, "CheckMyDatabase") => (
            "the user may not connect to this database",
            "grant access (GRANT CONNECT ON DATABASE .. TO ..), or name another user or database".to_owned(),
        ),
        code if *code == SqlState::CANNOT_CONNECT_NOW => (
            "the server is not accepting connections",
            "try again once it has started; the server log shows its progress".to_owned(),
        ),
        code if *code == SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE => (
            "the database does not accept connections",
            "name another one with dbname, or allow it (ALTER DATABASE .. ALLOW_CONNECTIONS true)".to_owned(),
        ),
        code if OF_OPTIONS.contains(code) => (
            "the server rejects the options of the connection string",
            "correct options='..', or leave it out".to_owned(),
        ),
        code if *code == SqlState::PROTOCOL_VIOLATION => (
            "this connection was rejected by whatever listens there",
            "connect to the server itself, not to a pooler in front of it".to_owned(),
        ),
        _ => ("the server refuses the connection", "check the server log".to_owned()),
    }
}

fn comes_from(told: &DbError, function: &str) -> bool {
    told.routine() == Some(function)
}

/// A user that is let in. The rules may go by the user of the operating system, and then no password helps.
fn other_user(address: &Address, told: &DbError) -> String {
    let user = shell_word(address.user());
    if comes_from(told, "auth_failed") && address.is_over_network() {
        return format!(
            "the rules (pg_hba.conf) require authentication other than a server password, such as ident, \
             LDAP, PAM or a certificate: use that; or, if an operating system user is mapped to {user}, \
             connect as that user over the Unix socket"
        );
    }
    if comes_from(told, "auth_failed") {
        return format!(
            "start Rigel as the operating system user mapped to {user} (sudo -u {user}), or add a mapping \
             (pg_ident.conf); a password does not help"
        );
    }
    if comes_from(told, "ClientAuthentication") {
        return "connect in a way that the server's rules allow, such as over its Unix socket, or add a rule \
                (pg_hba.conf)"
            .to_owned();
    }
    "name an existing role that may log in, with user; the default is the name in USER".to_owned()
}

/// What to do about the limit that was reached.
fn limit(told: &DbError) -> &'static str {
    match told.routine() {
        Some("InitializeSessionUserId") => {
            "ask for fewer --sessions, or raise the limit of the user (ALTER ROLE .. CONNECTION LIMIT)"
        }
        Some("CheckMyDatabase") => {
            "ask for fewer --sessions, or raise the limit of the database (ALTER DATABASE .. CONNECTION LIMIT)"
        }
        _ => FEWER,
    }
}

/// A statement before the load failed.
pub fn statement(what: &str, error: &postgres::Error) -> Problem {
    let problem = Problem::refused(what).because(text(error));
    match error.code() {
        // No answer, or a farewell: the server was stopped or killed.
        None if is_gone(error) => of_all::gone(what, &text(error)),
        Some(code) if [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN].contains(code) => {
            of_all::gone(what, &text(error))
        }
        Some(code) if *code == SqlState::QUERY_CANCELED => Problem::new(ExitKind::CutShort, what)
            .because(text(error))
            .next("start it again; if you did not stop it, an administrator of the server did"),
        Some(code) if *code == SqlState::DISK_FULL => {
            problem.next("free some space, or use a smaller table with --size")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            problem.next("grant the privilege, or name a user that has it")
        }
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => problem.next(
            "default_transaction_read_only is on for this user, database or server; switch it off for the \
             run in the connection string: options='-c default_transaction_read_only=off'",
        ),
        _ => problem.next("check the server log"),
    }
}

fn is_gone(error: &postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>())
}
