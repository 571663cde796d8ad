//! What a server that is there has of the table in its own cache, before a run.
//!
//! Must not change a setting of it.

use super::{SqlRun, check_not_stopped};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_sql::table::Table;
use rigel_sql::{Server, push_out};

impl SqlRun<'_> {
    /// Without what the server's own cache has of the table, as far as the product lets go of it.
    pub(super) fn empty_cache(
        &self,
        server: Box<dyn Server>,
        table: &Table,
        signals: &Signals,
    ) -> Result<Box<dyn Server>, Problem> {
        let quiet = self.options().display.quiet;
        let label = "pushing the table out of the server's cache";
        let mut bar = WorkProgress::of_bytes(self.reporter.streams, quiet, label);
        push_out(server, table, |done, all| {
            bar.done_of(done.min(all), all);
            check_not_stopped(signals)
        })
    }
}
