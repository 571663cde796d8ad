//! `rigel.calibrate_io()` through the program: the SQL that creates it, and its installation in a database.
//!
//! The SQL is that of `extensions/postgresql`, whose extension measures in the session instead. Must not touch an existing schema, except that of
//! a table of ours, in which it creates the function.

use crate::postgresql::database::Database;
use crate::postgresql::failure;
use postgres::error::SqlState;
use rigel_core::error::Problem;
use rigel_core::path_text::printable;

/// In their order.
const PARTS: [&str; 3] = [
    include_str!("../../sql/schema.sql"),
    include_str!("../../sql/by_program.sql"),
    include_str!("../../sql/calibrate_io.sql"),
];
const REFUSED: &str = "rigel.calibrate_io() cannot be created";
/// psql puts the literal of its variable there.
const PROGRAM: &str = ":'program'";

/// Whether the user may let the server start programs: the function has the privileges of its creator.
const MAY_START: &str = "select r.rolname::text, r.rolsuper or pg_has_role(r.oid, 'pg_execute_server_program', 'usage') \
    from pg_roles r where r.rolname = current_user";

/// The SQL, for a program that the server finds at this path: all of it, or nothing.
pub fn script(program: &str) -> String {
    format!("BEGIN;\n{}COMMIT;\n", PARTS.concat().replace(PROGRAM, &literal(program)))
}

/// Means the same whatever `standard_conforming_strings` is.
fn literal(text: &str) -> String {
    let quoted = format!("'{}'", text.replace('\'', "''"));
    if text.contains('\\') { format!(" E{}", quoted.replace('\\', r"\\")) } else { quoted }
}

impl Database {
    /// Makes the schema `rigel` with the function, in one transaction.
    ///
    /// # Errors
    /// When there is a schema of that name that is not of our table, or the user may not make one, or start programs.
    pub fn install(&mut self, program: &str) -> Result<(), Problem> {
        self.check_may_start()?;
        self.client.batch_execute(&script(program)).map_err(|error| match error.code() {
            Some(code) if *code == SqlState::DUPLICATE_SCHEMA => Problem::refused(
                "the database already has a schema rigel",
            )
            .at(self.address.shown())
            .because("it already has calibrate_io(), belongs to another user, or is not Rigel's")
            .next(
                "check what is in it; DROP EXTENSION rigel or DROP SCHEMA rigel CASCADE removes calibrate_io()",
            ),
            _ => failure::statement(REFUSED, &error),
        })
    }

    fn check_may_start(&mut self) -> Result<(), Problem> {
        let row =
            self.client.query_one(MAY_START, &[]).map_err(|error| failure::statement(REFUSED, &error))?;
        let (user, may): (&str, bool) = (row.get(0), row.get(1));
        if may {
            return Ok(());
        }
        let user = printable(user);
        Err(Problem::refused(REFUSED)
            .at(self.address.shown())
            .because(format!(
                "the server would start the program with the privileges of {user}, which may not start programs: every call would fail"
            ))
            .next(format!(
                "have a superuser run GRANT pg_execute_server_program TO \"{}\", or name a superuser with user",
                user.replace('"', "\"\"")
            )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgresql::schema;

    #[test]
    fn the_script_knows_schemas_as_runs_do() {
        let script = script("/opt/rigel");
        assert!(script.contains(&format!("'{}'", schema::MARK)));
        assert!(script.contains(&format!("COMMENT ON SCHEMA rigel IS '{}'", schema::OF_CALIBRATE_IO)));
    }

    #[test]
    fn a_path_stays_a_literal() {
        assert!(script("/opt/it's/rigel").contains("VALUES ('/opt/it''s/rigel');"));
        assert!(script(r"/opt/a\b'c").contains(r"VALUES ( E'/opt/a\\b''c');"));
        assert!(!script("/opt/rigel").contains(PROGRAM));
    }
}
