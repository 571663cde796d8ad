//! The counters of a server on which several nodes have sessions: one connection reads them, before the first node begins and after the last
//! one has ended.
//!
//! What the sessions requested, and what the processes that serve them fetched, each node counts for its own. Must not judge the counters.

use super::{apart, ask_counters, below, no_answer, patience};
use crate::counters::{Counters, Moment, Reading};
use crate::patience::{asked_within, within};
use crate::query::Query;
use crate::server::Server;
use crate::table::Table;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::request::Request;
use rigel_core::measure::ServerCounts;
use rigel_core::record::NodeVisit;
use std::slice;
use std::time::Duration;

/// Watches the server of a run on several nodes.
pub struct ServerWatch {
    /// `None` once the server did not answer.
    counters: Option<Counters>,
    before: Option<Reading>,
    /// The server counts blocks of an index together with those of the table.
    counts_index: bool,
    block_bytes: u64,
    /// The table of commits has to be kept small.
    commits: bool,
    patience: Duration,
}

impl ServerWatch {
    /// Over a connection that keeps the table while it lives.
    ///
    /// # Errors
    /// When the server would answer a query in another way, or does not answer.
    pub fn start(
        server: Box<dyn Server>,
        table: &Table,
        target: &TargetFacts,
        request: &Request,
    ) -> Result<Self, Problem> {
        let queries = Query::all(request)?;
        let (patience, commits) = (patience(request), queries.contains(&Query::Commit));
        let of = table.clone();
        let (server, ()) =
            asked_within(patience, server, move |server| server.prepare(&of, &queries, false))?;
        let facts = server.facts();
        let devices = below::devices(slice::from_ref(target), table.file.is_some());
        let (counts_index, block_bytes) = (facts.words.counts_index, facts.block_bytes);
        let counters = Some(Counters::new(server, facts, None, devices));
        Ok(Self { counters, before: None, counts_index, block_bytes, commits, patience })
    }

    /// Reads them before any node begins.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn before(&mut self) -> Result<(), Problem> {
        let commits = self.commits;
        let read = move |counters: &mut Counters| {
            if commits {
                counters.server.tidy_ledger();
            }
            counters.read(Moment::Before)
        };
        self.before = Some(self.asking(read)?);
        Ok(())
    }

    /// Reads them when all nodes have ended, and adds them to what the nodes counted: the first one gets the counts of all. Returns how many
    /// bytes of an index were read, which no node knows.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn after(&mut self, nodes: &mut [NodeVisit]) -> Result<u64, Problem> {
        let after = self.asking(|counters| counters.read(Moment::Behind))?;
        let of_server = self.before.take().map(|before| after.since(&before)).unwrap_or_default();
        let counts = together(nodes.iter_mut().filter_map(|node| node.server.take()), &of_server);
        let counts = if self.counts_index { apart(counts) } else { counts };
        let index_bytes = counts.index_blocks.unwrap_or(0).saturating_mul(self.block_bytes);
        if let Some(first) = nodes.first_mut() {
            first.server = Some(counts);
            first.moved_bytes = first.moved_bytes.saturating_add(index_bytes);
        }
        Ok(index_bytes)
    }

    fn asking<T: Send + 'static>(
        &mut self,
        ask: impl FnOnce(&mut Counters) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        ask_counters(&mut self.counters, self.patience, ask).ok_or_else(|| no_answer(self.patience))
    }
}

impl Drop for ServerWatch {
    /// Closing a connection waits for the server.
    fn drop(&mut self) {
        let counters = self.counters.take();
        within(self.patience, move || drop(counters));
    }
}

/// What all nodes counted, and what the server did.
fn together(nodes: impl Iterator<Item = ServerCounts>, of_server: &ServerCounts) -> ServerCounts {
    // Who asked for nothing lacks nothing.
    let asked = nodes.filter(|counts| counts.asked_blocks() > 0 || counts.commits > 0);
    let sum = asked.map(with_no_reports).reduce(|mut sum, more| {
        sum.add(&more);
        sum
    });
    let &ServerCounts { table_blocks, index_blocks, server_reads, flushes, device, .. } = of_server;
    ServerCounts { table_blocks, index_blocks, server_reads, flushes, device, ..sum.unwrap_or_default() }
}

/// Whoever has no session with reports fetched nothing for them.
fn with_no_reports(mut counts: ServerCounts) -> ServerCounts {
    if counts.process_bytes.is_some() && counts.scanned_blocks == 0 {
        counts.report_process_bytes.get_or_insert(0);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_counted_once_and_the_sessions_of_all_nodes_are_added() {
        let node = |probes, process_bytes| ServerCounts { probes, process_bytes, ..ServerCounts::default() };
        let of_server =
            ServerCounts { table_blocks: Some(50), server_reads: Some(51), ..ServerCounts::default() };
        let all = [node(20, Some(160)), node(30, Some(240)), node(0, None)];
        let counts = together(all.into_iter(), &of_server);
        assert_eq!((counts.probes, counts.table_blocks, counts.server_reads), (50, Some(50), Some(51)));
        assert_eq!((counts.process_bytes, counts.report_process_bytes), (Some(400), Some(0)));
        // A node on another host than the server does not see what its sessions fetched.
        let far = together([node(20, Some(160)), node(30, None)].into_iter(), &of_server);
        assert_eq!((far.probes, far.process_bytes), (50, None));
        assert_eq!(together(std::iter::empty(), &of_server).table_blocks, Some(50));
    }
}
