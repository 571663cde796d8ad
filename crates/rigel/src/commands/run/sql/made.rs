//! What a run through a database creates, and how it is removed: a private server, the schema in a user's database, the table of commits.
//!
//! Must not create any of it.

use super::reach;
use crate::args::ServerSource;
use crate::commands::run::life::{Ending, PutAway, both};
use crate::commands::run::present::Reporter;
use rigel_core::error::Problem;
use rigel_sql::private::PrivateServer;
use rigel_sql::server::Home;
use rigel_sql::table;
use rigel_sql::{LEDGER, Reach, door};
use std::sync::Arc;

impl PutAway for PrivateServer {
    fn put_away(&mut self, _: Reporter<'_>, _: Ending<'_>) -> Result<(), Problem> {
        self.finish()
    }
}

/// The schema with its table on an existing server; it stays on request.
pub struct SchemaThere {
    place: Arc<dyn Reach>,
    home: Home,
    drop: bool,
    /// There is one.
    pub stays: bool,
}

impl SchemaThere {
    pub fn new(source: &ServerSource, place: Arc<dyn Reach>, stays: bool) -> Self {
        Self { place, home: door(source.product).words().home, drop: source.drop, stays }
    }

    /// For a run that continues.
    pub fn again(source: &ServerSource, dsn: &str) -> Result<Self, Problem> {
        Ok(Self::new(source, reach(source.product, dsn)?, true))
    }
}

impl PutAway for SchemaThere {
    fn put_away(&mut self, reporter: Reporter<'_>, _: Ending<'_>) -> Result<(), Problem> {
        if self.drop {
            return table::removed(&self.place, |server| server.drop_tables(), self.home.left()).map(drop);
        }
        if self.stays {
            reporter
                .note(format!("{} and its table are kept; `rigel sql drop` removes them", self.home.name()));
        }
        Ok(())
    }
}

/// The table of commits on an existing server, which is always removed; the schema on request.
pub struct LedgerThere(pub SchemaThere);

impl PutAway for LedgerThere {
    fn put_away(&mut self, reporter: Reporter<'_>, ending: Ending<'_>) -> Result<(), Problem> {
        let Self(schema) = self;
        let removed = table::removed(&schema.place, |server| server.drop_ledger(), &LEDGER);
        if schema.drop { both(reporter, removed, schema.put_away(reporter, ending)) } else { removed }
    }
}
