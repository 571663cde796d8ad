//! `rigel sql commit`: a table of commits made ready and put away, and a log beside it for raw ones.
//!
//! Must not measure.

use super::{LOG_BYTES, Made, PRIVATE, SqlRun, address, both, check_room, ended};
use crate::commands::run::targets::Scratch;
use crate::commands::run::{check_not_stopped, prepare};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::Class;
use rigel_core::units::MIB;
use rigel_io::targets::scratch::{ScratchFile, Wish};
use rigel_sql::private::{PrivateServer, Purpose};
use rigel_sql::{Database, ServerFacts, ledger};
use std::path::Path;

/// Raw commits of each session go round in a file of that size, as the server's own log does.
const LOG_OF_A_WRITER: u64 = 16 * MIB;
const MOST_LOG: u64 = 512 * MIB;
const COPIED: &str = "the server copies what it logs, these commits as well: to an archive or replicas, or it keeps it for them";

impl SqlRun<'_> {
    /// A server for commits, with nothing to fill.
    pub(super) fn committing(
        &self,
        server: &mut PrivateServer,
        dir: &Path,
        signals: &Signals,
    ) -> Result<Made, Problem> {
        check_room(dir, PRIVATE, LOG_BYTES, 0)?;
        server.start(Purpose::Measure)?;
        check_not_stopped(signals)?;
        let database = Database::open(server.address(), self.sessions)?;
        let (database, ledger) = database.asked(Database::make_ledger)?;
        let mut notes = server.describe();
        notes.push(ledger.settings);
        let group = Some(server.group().clone());
        Ok(Made { database, table: ledger.log, group, notes, sync: ledger.sync })
    }

    /// Whether the run is of commits, which need no table that was filled.
    pub(super) fn commits(&self) -> bool {
        self.options().request.class(Class::COMMIT).is_some()
    }

    /// Commits to a server that is there: their table is made for the run, with consent, and goes with it.
    pub(super) fn commits_there(&self, dsn: &str) -> Result<(), Problem> {
        let options = self.options();
        let database = Database::open(address(dsn)?, self.sessions)?;
        self.check_consent(&database)?;
        check_log_room(&database.facts)?;
        let supposed =
            TargetFacts { real_path: database.address.shown().to_owned(), ..TargetFacts::default() };
        let planned = self.planned(Vec::new(), self.expected(supposed, LOG_BYTES), ledger::SYNC)?;
        if options.dry_run {
            let engine = format!("PostgreSQL {} at {}", database.facts.version, database.address.shown());
            let writes = format!(
                "the table {} would be made in the database {}, and removed behind the run",
                ledger::NAME,
                database.name()
            );
            return self.show(&planned, engine, writes);
        }
        let signals = prepare(options, &planned.plan)?;
        let address = database.address.clone();
        let (database, ledger) = database.asked(Database::make_ledger)?;
        if ledger.is_copied {
            self.reporter.remarks(&[COPIED.to_owned()]);
        }
        let server = format!("PostgreSQL {} at {}", database.facts.version, database.address.shown());
        let notes = vec![server, ledger.settings];
        let made = Made { database, table: ledger.log, group: None, notes, sync: ledger.sync };
        let measured = ended(self.measure(made, &signals));
        let removed =
            Database::open(address.clone(), 0).and_then(|database| database.asked(Database::drop_ledger));
        let measured = both(measured, removed.map(drop));
        if self.source.drop { self.put_away(address, true, measured) } else { measured }
    }

    /// A log of our own beside that of a private server, for raw commits; no file where they are left out.
    pub(super) fn log_beside(&self, signals: &Signals) -> Result<Scratch, Problem> {
        if !self.source.raw || !self.commits() {
            return Ok(Scratch::holding(None));
        }
        let options = self.options();
        let mut bar = WorkProgress::of_bytes(options.display.quiet, "filling a log for raw commits");
        let data_bytes = (u64::from(self.sessions) * LOG_OF_A_WRITER).min(MOST_LOG);
        let wish = Wish { data_bytes, seed: options.request.seed, keep: false, direct: true };
        let dir = self.source.dir.as_deref().unwrap_or(Path::new("."));
        let file =
            ScratchFile::create(dir, &wish, &mut |done, total| bar.done_of(done, total), signals.flag());
        let leave_out = |problem: Problem| problem.next("leave the raw commits out with --sql-only");
        Ok(Scratch::holding(Some(file.map_err(leave_out)?)))
    }
}

/// The log grows by what is committed, until a checkpoint. A full disk would end the server for everybody.
fn check_log_room(facts: &ServerFacts) -> Result<(), Problem> {
    let Some(dir) = &facts.directory else { return Ok(()) };
    // It may lie on another disk, in a place that this user cannot see.
    let own = Some(dir.join("pg_wal")).filter(|log| log.is_dir());
    let room = check_room(own.as_deref().unwrap_or(dir), "a log of commits", LOG_BYTES, facts.log_bytes);
    room.map_err(|problem| problem.next("make room, or measure a private server on the same storage"))
}
