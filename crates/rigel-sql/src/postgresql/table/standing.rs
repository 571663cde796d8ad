//! Whether a transaction that is sent rows still stands.
//!
//! A server that cannot resume `COPY` takes all rows that still come, drops them, and says why only when it is told that they end. So
//! it is asked over a session of its own. Parts of the rows, each with an end, would leave empty blocks between them from version 16 on,
//! which extends a table by several. Must not change anything.

use crate::postgresql::address::Address;
use crate::postgresql::failure;
use postgres::{Client, Transaction};
use rigel_core::error::Problem;
use std::time::{Duration, Instant};

const NUMBER: &str = "select pg_current_xact_id()::text";
const STATUS: &str = "select pg_xact_status($1::text::xid8) = 'aborted'";
/// After a failed transaction, at most the rows of this time are sent in vain.
const EVERY: Duration = Duration::from_millis(500);

/// A transaction, as another session sees it.
pub(crate) struct OpenTransaction {
    /// `None` if nobody reports it; the end of the rows is then answered with it.
    client: Option<Client>,
    number: String,
    asked: Instant,
}

impl OpenTransaction {
    /// The transaction of a connection to the same database.
    pub(crate) fn of(transaction: &mut Transaction<'_>, address: &Address) -> Result<Self, Problem> {
        let number = transaction.query_one(NUMBER, &[]);
        let number =
            number.map_err(|error| failure::statement("the table cannot be created", &error))?.get(0);
        Ok(Self { client: address.connect().ok(), number, asked: Instant::now() })
    }

    /// Whether it failed or was ended. `false` if nobody reports it: then the transaction itself will.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.asked.elapsed() < EVERY {
            return false;
        }
        let Some(client) = &mut self.client else { return false };
        let told = client.query_one(STATUS, &[&self.number]);
        self.asked = Instant::now();
        told.ok().and_then(|row| row.get(0)).unwrap_or(false)
    }
}
