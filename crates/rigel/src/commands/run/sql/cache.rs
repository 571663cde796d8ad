//! What the cache of an existing server has of the table, from the fill or from an earlier run: look-ups would find it there.
//!
//! Must not change a setting of the server, nor know how a product pushes the table out.

use super::{SqlRun, check_not_stopped};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_sql::table::Table;
use rigel_sql::{Server, asked};

impl SqlRun<'_> {
    /// Pushes the table out of the server's own cache part by part, if the product can.
    ///
    /// # Errors
    /// When the user ends it, when the table cannot be read, and when the server does not answer.
    pub(super) fn empty_cache(
        &self,
        mut server: Box<dyn Server>,
        table: &Table,
        signals: &Signals,
    ) -> Result<Box<dyn Server>, Problem> {
        let quiet = self.options().display.quiet;
        let label = "pushing the table out of the server's cache";
        let mut bar = WorkProgress::of_bytes(self.reporter.streams, quiet, label);
        for part in 0.. {
            let of = table.clone();
            let (answered, bytes) = asked(server, move |server| server.push_out(&of, part))?;
            server = answered;
            let Some((done, all)) = bytes else { break };
            bar.done_of(done.min(all), all);
            check_not_stopped(signals)?;
        }
        Ok(server)
    }
}
