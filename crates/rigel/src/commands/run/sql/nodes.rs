//! `rigel-mpi sql`: sessions of several nodes on one server.
//!
//! Every node reaches the server by its own connection string and its own password. The first one creates the table, reads the counters and
//! cleans up; the others only look for the table. Must not judge whether nodes fit together; [`rigel_cluster::meet`] does.

use super::{SqlRun, describe, reach};
use crate::args::{RunOptions, ServerSource, TargetSource};
use crate::commands::run::nodes::{Crew, NodesMeeting, without_part};
use crate::commands::run::present::Reporter;
use crate::signals::Signals;
use rigel_cluster::Around;
use rigel_cluster::meet::{Brief, Hello, Rules, ServerView};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::HostFacts;
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_io::clock::MonotonicClock;
use rigel_run::bench::{Bench, VisitResult};
use rigel_run::execute::Run;
use rigel_sql::bench::{self, Parts, QueryHistory, ServerWatch, SqlBench};
use rigel_sql::table::{self, Table};
use rigel_sql::{Reach, Server, asked, check_free_beside};

/// The nodes of a run, which all reach the server.
pub struct Together<'a> {
    crew: &'a Crew,
    met: NodesMeeting,
    /// There would be raw I/O beside SQL on one node.
    leaves_raw_out: bool,
}

impl<'a> Together<'a> {
    pub fn meet(crew: &'a Crew, options: &RunOptions, source: &ServerSource) -> Result<Self, Problem> {
        check(source, crew.rules)?;
        let met = crew.meet_at_server(hello(options, rigel_io::host::host_facts())?)?;
        Ok(Self { crew, met, leaves_raw_out: source.raw })
    }

    pub fn announce(&self, reporter: Reporter<'_>) {
        reporter.note(self.met.describe());
        if self.leaves_raw_out {
            reporter.remarks(&[
                "only SQL is measured: raw I/O would come from the host of the server alone, and the \
                 sessions come from several"
                    .to_owned(),
            ]);
        }
    }
}

/// The server as the user named it; without raw I/O for several nodes.
pub fn without_raw(source: &ServerSource, nodes: u32) -> ServerSource {
    ServerSource { raw: source.raw && nodes == 1, ..source.clone() }
}

/// Refuses what several nodes cannot do with a server.
fn check(source: &ServerSource, rules: Rules) -> Result<(), Problem> {
    if source.dsn.is_none() {
        return Err(Problem::usage("several nodes need a server that all of them reach")
            .at("--dsn")
            .because("a private server can only be reached on its own host")
            .next("give the connection string of an existing server with --dsn, or start `rigel sql` on one host"));
    }
    let refused = |option: &str, why: &str| {
        Err(Problem::usage(format!("{option} does not apply to a database load"))
            .at(option)
            .because(why)
            .next(format!("leave out {option}")))
    };
    if rules.own_targets {
        return refused("--own-targets", "the sessions of all nodes are on the same server");
    }
    if rules.coordinator_only {
        return refused(
            "--coordinator-only",
            "the first node has its part of the sessions, as the others do",
        );
    }
    Ok(())
}

/// Refuses to resume a run of several nodes.
pub fn check_alone(request: &Request) -> Result<(), Problem> {
    if request.sql().is_none() {
        return Ok(());
    }
    Err(Problem::usage("a database load of several nodes cannot be resumed")
        .at("--resume")
        .because(
            "the record does not have which rows each node has looked up, so they would be looked up again",
        )
        .next("start it again"))
}

/// What this node says about itself and the server.
pub fn hello(options: &RunOptions, host: HostFacts) -> Result<Hello, Problem> {
    let TargetSource::Server(source) = &options.targets else {
        return Err(Problem::new(ExitKind::Bug, "a load of queries has no server"));
    };
    let opened = reach(source.product, dsn(source))?.open(0)?;
    let (server, identity) = asked(opened, |server| server.identity())?;
    let title = format!("{} at {}", server.facts().title(), server.place().shown());
    let server = Some(ServerView { title, identity });
    Ok(Hello { server, ..without_part(&options.request, host) })
}

fn dsn(source: &ServerSource) -> &str {
    source.dsn.as_deref().unwrap_or_default()
}

/// The sessions of a node, which is one of several.
pub fn of_node(
    reporter: Reporter<'_>,
    source: &ServerSource,
    host: HostFacts,
    brief: &Brief,
) -> Result<Box<dyn Bench>, Problem> {
    let (request, team) = (&brief.request, brief.team.clone());
    let sessions = bench::own_sessions(request, &team);
    let there = reach(source.product, dsn(source))?;
    let table = find_table(&*there, request, sessions)?;
    let server = there.open(sessions)?;
    let target = bench::target(&*server, &table)?;
    let sql = SqlRun { reporter, source, host: host.clone(), sessions, nodes: team.nodes() };
    let notes = std::iter::once(describe(&*server)).chain(sql.of_latency()).collect();
    let (clock, behind) = (MonotonicClock::at(brief.run_ns), QueryHistory::default());
    let parts = Parts { server, table, target, host, group: None, notes, clock, behind, team };
    Ok(Box::new(SqlBench::start(parts, request)?))
}

/// The table that the first node has created. That node keeps others from removing it, and this one must not keep it from doing so in the end.
fn find_table(there: &dyn Reach, request: &Request, sessions: u32) -> Result<Table, Problem> {
    if request.class(Class::COMMIT).is_some() {
        let block_bytes = request.product().block_bytes();
        return Ok(Table {
            name: table::COMMITS,
            blocks: 1,
            block_bytes,
            index_blocks: None,
            file: None,
            is_logged: true,
        });
    }
    let (server, found) = asked(there.open(sessions)?, |server| server.table())?;
    found.ok_or_else(|| {
        Problem::refused(format!("the table {} of the first node is not there", table::NAME))
            .at(server.place().shown())
            .because(server.facts().has_none())
            .next("connect to the same database on all nodes")
    })
}

impl SqlRun<'_> {
    /// Connects to an existing server that has room for the load. Each node of several watches its sessions, too.
    pub(super) fn open_there(&self, dsn: &str) -> Result<Box<dyn Server>, Problem> {
        let reach = self.reach(dsn)?;
        if self.nodes == 1 {
            return reach.open(self.sessions);
        }
        let server = reach.open(0)?;
        let free = server.facts().free_connections;
        check_free_beside(reach.shown(), free, self.sessions, self.nodes.saturating_add(1))?;
        Ok(server)
    }

    /// The sessions of all nodes.
    pub(super) fn bench_of_all(
        &self,
        together: Together<'_>,
        parts: Parts,
        run: &Run,
        signals: &Signals,
    ) -> Result<Box<dyn Bench>, Problem> {
        let Parts { server, table, target, host, .. } = parts;
        let watch = ServerWatch::start(server, &table, &target, &run.request)?;
        let own = |brief: &Brief| of_node(self.reporter, self.source, host, brief);
        let around = Box::new(Counting(watch));
        together.crew.bench_at_server(run, together.met, target, own, around, signals)
    }
}

/// The counters of the server, read around the work of all nodes.
struct Counting(ServerWatch);

impl Around for Counting {
    fn before(&mut self) -> Result<(), Problem> {
        self.0.before()
    }

    fn after(&mut self, came: &mut VisitResult) -> Result<(), Problem> {
        came.done.bytes = came.done.bytes.saturating_add(self.0.after(&mut came.nodes)?);
        Ok(())
    }
}
