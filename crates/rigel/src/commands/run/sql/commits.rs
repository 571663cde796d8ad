//! `rigel sql commit`: a table of commits is prepared and cleaned up, and a log next to it for raw ones.
//!
//! Must not measure.

use super::made::{LedgerThere, SchemaThere};
use super::nodes::Together;
use super::{LOG_BYTES, ReadyServer, SqlRun};
use crate::commands::run::life::Life;
use crate::commands::run::scratch::Scratch;
use crate::commands::run::{check_not_stopped, prepare};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_core::facts::{ScratchFacts, TargetFacts, TargetKind};
use rigel_core::guard::scratch::FILE_NAME;
use rigel_core::load::class::Class;
use rigel_core::units::{Bytes, MIB};
use rigel_io::targets::scratch::{ScratchFile, ScratchRequest};
use rigel_sql::asked;
use rigel_sql::private::{PrivateServer, Purpose};
use rigel_sql::table::{COMMITS, SYNC};
use std::path::Path;
use std::sync::Arc;

/// The size of a log segment of a server. Raw commits of each session cycle through a part of that size, too.
pub const SEGMENT_BYTES: u64 = 16 * MIB;
const MOST_LOG: u64 = 512 * MIB;

impl SqlRun<'_> {
    /// A server for commits, with nothing to fill.
    pub(super) fn committing(
        &self,
        server: &mut PrivateServer,
        dir: &Path,
        signals: &Signals,
    ) -> Result<ReadyServer, Problem> {
        self.check_room_private(dir, 0, 0)?;
        server.start(Purpose::Measure)?;
        check_not_stopped(signals)?;
        let opened = server.address().open(self.sessions)?;
        let (opened, ledger) = asked(opened, |server| server.make_ledger())?;
        let mut notes = server.describe();
        notes.push(ledger.settings);
        let group = Some(server.group().clone());
        // With the server it goes, also when the run is killed.
        let log_dir = Some(server.home().to_owned());
        Ok(ReadyServer { server: opened, table: ledger.log, group, notes, sync: ledger.sync, log_dir })
    }

    /// Whether the run measures commits, which need no filled table.
    pub(super) fn commits(&self) -> bool {
        self.options().request.class(Class::COMMIT).is_some()
    }

    /// Commits to an existing server: their table is created for the run, with consent, and removed with it.
    pub(super) fn commits_there(&self, dsn: &str, together: Option<Together<'_>>) -> Result<(), Problem> {
        let server = self.open_there(dsn)?;
        let (facts, place) = (server.facts(), server.place());
        self.check_consent(&*server, false)?;
        self.check_log_room(&facts)?;
        let supposed = TargetFacts { real_path: place.shown().to_owned(), ..TargetFacts::default() };
        let planned = self.planned(Vec::new(), self.expected(supposed, SEGMENT_BYTES), SYNC)?;
        let show = || {
            let engine = format!("{} at {}", facts.title(), place.shown());
            let writes = format!(
                "the table {} would be created in the database {}, and removed after the run",
                COMMITS,
                facts.database_name()
            );
            self.show(&planned, engine, writes)
        };
        let prepared = || prepare(self.reporter, &planned.plan);
        let Some(life) = Life::begin(self.reporter, show, prepared)? else { return Ok(()) };
        let schema = SchemaThere::new(self.source, Arc::clone(&place), true);
        let (server, ledger) = asked(server, |server| server.make_ledger())?;
        if ledger.is_copied {
            self.reporter.remarks(&[facts.words.copied.to_owned()]);
        }
        let notes = vec![format!("{} at {}", facts.title(), place.shown()), ledger.settings];
        let made =
            ReadyServer { server, table: ledger.log, group: None, notes, sync: ledger.sync, log_dir: None };
        life.end(LedgerThere(schema), |_| self.measure(made, together, &life))
    }

    /// The log of raw commits; nothing if they are left out.
    pub(super) fn raw_log_bytes(&self) -> u64 {
        if self.source.raw { (u64::from(self.sessions) * SEGMENT_BYTES).min(MOST_LOG) } else { 0 }
    }

    /// That log before it is created.
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
            "a private server with the table {} and a log of up to {} would be created in {dir}{raw}; all of it is removed afterwards",
            COMMITS,
            Bytes(LOG_BYTES)
        )
    }

    /// A log of our own next to that of a private server, for raw commits; no file if they are left out.
    pub(super) fn log_beside(&self, dir: Option<&Path>, signals: &Signals) -> Result<Scratch, Problem> {
        let Some(dir) = dir.filter(|_| self.source.raw) else { return Ok(Scratch::holding(None)) };
        let options = self.options();
        let mut bar = WorkProgress::of_bytes(
            self.reporter.streams,
            options.display.quiet,
            "filling a log for raw commits",
        );
        let (data_bytes, seed) = (self.raw_log_bytes(), options.request.seed);
        let wish =
            ScratchRequest { data_bytes, seed, keep: false, direct: true, resume: false, size_option: "" };
        let file =
            ScratchFile::create(dir, &wish, &mut |done, total| bar.done_of(done, total), signals.flag());
        let leave_out = |problem: Problem| problem.next("skip the raw commits with --sql-only");
        Ok(Scratch::holding(Some(file.map_err(leave_out)?)))
    }
}
