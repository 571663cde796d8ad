//! `calibrate_io()` and the table of `rigel sql` in one database: both have the schema `rigel`, and neither loses anything to the other.

use super::installed::extension;
use crate::sql::refused;
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{PostgresDatabase, needs};

const TABLES: &str = "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class \
    WHERE relnamespace = to_regnamespace('rigel') AND relkind = 'r'";
const FUNCTION: &str =
    "SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace('rigel') AND proname = 'calibrate_io'";
const RUN: [&str; 9] =
    ["sql", "simple", "--sessions", "1", "--duration", "200ms", "--no-html", "--size", "8M"];

/// The program for a user of the server.
struct Program<'a> {
    place: &'a Place,
    dsn: String,
    database: &'a str,
}

impl Program<'_> {
    fn tell(&self, line: &[&str]) -> ProgramOutput {
        tell(self.place.command().args(line).args(["--dsn", &self.dsn]))
    }

    fn measure(&self) -> ProgramOutput {
        self.tell(&[&RUN[..], &["--create-in", self.database]].concat())
    }

    /// What a run says of numbers that came from caches is not the matter here.
    fn measures(&self) {
        let told = self.measure();
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
    }

    fn install(&self) -> ProgramOutput {
        self.tell(&["sql", "install", "--rigel-path", "/nowhere/rigel"])
    }

    fn drop(&self) -> ProgramOutput {
        self.tell(&["sql", "--drop"])
    }
}

#[test]
fn the_table_and_the_function_live_together() {
    let name = "the_table_and_the_function_live_together";
    let Some(there) = needs(name, PostgresDatabase::create()) else { return };
    let (place, bob) = (Place::new(), there.role("bob"));
    let of = |dsn| Program { place: &place, dsn, database: there.name() };
    let program = of(there.dsn());
    let ask = |what: &str| there.ask(what).unwrap();
    let of_program = "io_calibration io_calibration_output io_calibration_program";
    program.install().expect_code(0);
    refused(program.drop(), 2, &["no schema rigel from a run"]);

    // A user who may make tables there measures, too.
    ask(&format!("CREATE ROLE {bob} LOGIN"));
    let of_bob = of(there.dsn_of(&bob));
    refused(of_bob.measure(), 3, &["permission denied for schema rigel"]);
    ask(&format!("GRANT USAGE, CREATE ON SCHEMA rigel TO {bob}"));
    of_bob.measures();
    refused(program.drop(), 3, &["belongs to another user"]);
    refused(of_bob.drop(), 0, &["the table was removed; the schema rigel stays"]);
    assert_eq!((ask(TABLES).as_str(), ask(FUNCTION).as_str()), (of_program, "1"));
    // What is not a superuser's is not trusted because of its comment.
    ask(&format!("ALTER SCHEMA rigel OWNER TO {bob}"));
    refused(program.measure(), 3, &["is not Rigel's"]);
    ask("DROP SCHEMA rigel CASCADE");

    program.measures();
    ask(&format!("ALTER SCHEMA rigel OWNER TO {bob}"));
    refused(program.install(), 3, &["already has a schema rigel"]);
    ask("ALTER SCHEMA rigel OWNER TO postgres");
    program.install().expect_code(0);
    refused(program.install(), 3, &["already has a schema rigel"]);
    let again = program.tell(&[&RUN[..], &["--dry-run"]].concat()).expect_code(0).stdout;
    assert!(again.contains("the table exists"), "{again}");
    assert_eq!(ask(TABLES), format!("big {of_program}"));
    program.drop().expect_code(0);
    assert_eq!((ask(TABLES).as_str(), ask(FUNCTION).as_str()), (of_program, "1"));
}

#[test]
fn the_table_and_the_extension_live_together() {
    let name = "the_table_and_the_extension_live_together";
    let Some(server) = extension(name) else { return };
    let place = Place::new();
    let program = Program { place: &place, dsn: server.dsn(), database: "postgres" };
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'rigel'";
    program.measures();
    let told = server.ask("DROP EXTENSION rigel").unwrap_err();
    assert!(told.contains("table rigel.big depends on schema rigel"), "{told}");
    refused(program.drop(), 0, &["the schema rigel stays"]);
    server.ask("DROP EXTENSION rigel").unwrap();
    assert_eq!(server.ask(schemas).unwrap(), "0");

    program.measures();
    server.ask("CREATE EXTENSION rigel").unwrap();
    refused(program.drop(), 0, &["the schema rigel stays"]);
    server.ask("DROP EXTENSION rigel").unwrap();
    assert_eq!(server.ask(schemas).unwrap(), "0");

    server.ask("CREATE SCHEMA rigel").unwrap();
    let told = server.ask("CREATE EXTENSION rigel").unwrap_err();
    assert!(told.contains("schema \"rigel\" already exists"), "{told}");
}
