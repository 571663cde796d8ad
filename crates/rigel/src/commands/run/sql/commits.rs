//! `rigel sql commit`: a table of commits made ready and put away, and a log beside it for raw ones.
//!
//! Must not measure.

use super::{LOG_BYTES, Made, SqlRun, address, both, ended};
use crate::commands::run::targets::Scratch;
use crate::commands::run::{check_not_stopped, prepare};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_core::facts::{ScratchFacts, TargetFacts, TargetKind};
use rigel_core::guard::scratch::FILE_NAME;
use rigel_core::load::class::Class;
use rigel_core::units::{Bytes, MIB};
use rigel_io::targets::scratch::{ScratchFile, Wish};
use rigel_sql::private::{PrivateServer, Purpose};
use rigel_sql::{Database, LEDGER, ledger, table};
use std::path::Path;

/// What the log of a server consists of. Raw commits of each session go round in a part of that size, too.
pub const SEGMENT_BYTES: u64 = 16 * MIB;
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
        self.check_room_private(dir, 0, 0)?;
        server.start(Purpose::Measure)?;
        check_not_stopped(signals)?;
        let database = Database::open(server.address(), self.sessions)?;
        let (database, ledger) = database.asked(Database::make_ledger)?;
        let mut notes = server.describe();
        notes.push(ledger.settings);
        let group = Some(server.group().clone());
        // With the server it goes, also when the run is killed.
        let log_dir = Some(server.home().to_owned());
        Ok(Made { database, table: ledger.log, group, notes, sync: ledger.sync, log_dir })
    }

    /// Whether the run is of commits, which need no table that was filled.
    pub(super) fn commits(&self) -> bool {
        self.options().request.class(Class::COMMIT).is_some()
    }

    /// Commits to a server that is there: their table is made for the run, with consent, and goes with it.
    pub(super) fn commits_there(&self, dsn: &str) -> Result<(), Problem> {
        let options = self.options();
        let database = Database::open(address(dsn)?, self.sessions)?;
        self.check_consent(&database, false)?;
        self.check_log_room(&database.facts)?;
        let supposed =
            TargetFacts { real_path: database.address.shown().to_owned(), ..TargetFacts::default() };
        let planned = self.planned(Vec::new(), self.expected(supposed, SEGMENT_BYTES), ledger::SYNC)?;
        if options.dry_run {
            let engine = format!("PostgreSQL {} at {}", database.facts.version, database.address.shown());
            let writes = format!(
                "the table {} would be made in the database {}, and removed behind the run",
                ledger::NAME,
                database.name()
            );
            return self.show(&planned, engine, writes);
        }
        let signals = prepare(self.reporter, &planned.plan)?;
        let address = database.address.clone();
        let (database, ledger) = database.asked(Database::make_ledger)?;
        if ledger.is_copied {
            self.reporter.remarks(&[COPIED.to_owned()]);
        }
        let server = format!("PostgreSQL {} at {}", database.facts.version, database.address.shown());
        let notes = vec![server, ledger.settings];
        let made = Made { database, table: ledger.log, group: None, notes, sync: ledger.sync, log_dir: None };
        let measured = ended(self.measure(made, &signals));
        let removed = table::removed(address.clone(), Database::drop_ledger, &LEDGER);
        let measured = both(self.reporter, measured, removed.map(drop));
        if self.source.drop { self.put_away(address, true, measured) } else { measured }
    }

    /// The log of raw commits; nothing where they are left out.
    pub(super) fn raw_log_bytes(&self) -> u64 {
        if self.source.raw { (u64::from(self.sessions) * SEGMENT_BYTES).min(MOST_LOG) } else { 0 }
    }

    /// That log before it is made.
    pub(super) fn expected_log(&self, table: &TargetFacts) -> TargetFacts {
        let scratch =
            ScratchFacts { seed: self.options().request.seed, used_before: false, own: true, kept: false };
        TargetFacts {
            path: FILE_NAME.to_owned(),
            kind: TargetKind::File,
            size_bytes: self.raw_log_bytes(),
            scratch: Some(scratch),
            ..table.clone()
        }
    }

    /// What a run on a private server writes.
    pub(super) fn commits_write(&self, dir: &str) -> String {
        let raw = match self.raw_log_bytes() {
            0 => String::new(),
            bytes => format!(", and {FILE_NAME} of {} for raw commits", Bytes(bytes)),
        };
        format!(
            "a private server with the table {} and a log of up to {} would be made in {dir}{raw}; all of it is removed afterwards",
            ledger::NAME,
            Bytes(LOG_BYTES)
        )
    }

    /// A log of our own beside that of a private server, for raw commits; no file where they are left out.
    pub(super) fn log_beside(&self, dir: Option<&Path>, signals: &Signals) -> Result<Scratch, Problem> {
        let Some(dir) = dir.filter(|_| self.source.raw) else { return Ok(Scratch::holding(None)) };
        let options = self.options();
        let mut bar = WorkProgress::of_bytes(
            self.reporter.streams,
            options.display.quiet,
            "filling a log for raw commits",
        );
        let (data_bytes, seed) = (self.raw_log_bytes(), options.request.seed);
        let wish = Wish { data_bytes, seed, keep: false, direct: true, resume: false, size_option: "" };
        let file =
            ScratchFile::create(dir, &wish, &mut |done, total| bar.done_of(done, total), signals.flag());
        let leave_out = |problem: Problem| problem.next("leave the raw commits out with --sql-only");
        Ok(Scratch::holding(Some(file.map_err(leave_out)?)))
    }
}
