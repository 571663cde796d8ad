//! `rigel sql`: a server and its table are prepared, then a run like any other, then everything is cleaned up.
//!
//! What a private server creates is removed with it, however the run ends. In a user's database, only the schema `rigel` is created, with consent,
//! and removed on request. Must not measure.

mod again;
mod cache;
mod commits;
mod fit;
mod install;
mod made;
mod nodes;
mod prove;
mod room;

pub use again::{again, check_resume, made_again, the_rest, with_the_rest};
pub use install::install;
pub use made::SchemaThere;
pub use nodes::{check_alone, hello, of_node};
pub use prove::prove;

use super::life::{Life, MeasuredEnd};
use super::present::Reporter;
use super::{Crew, check_not_stopped, consent, dry_run, memory, prepare, put_on};
use crate::args::{RunOptions, ServerSource, TargetSource};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use nodes::Together;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts, TargetKind};
use rigel_core::load::class::{Class, Sync};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_core::load::sql::{Probe, Product};
use rigel_core::load::team::Team;
use rigel_core::path_text;
use rigel_core::units::{Bytes, GIB, MIB};
use rigel_io::clock::MonotonicClock;
use rigel_io::group::Group;
use rigel_io::targets::guard::WritePermit;
use rigel_io::targets::inspect::{Snapshot, directory_facts};
use rigel_report::text::{self, Intent};
use rigel_run::bench::turns::Turns;
use rigel_run::bench::{Bench, make};
use rigel_run::execute::Run;
use rigel_sql::bench::{Parts, QueryHistory, SqlBench};
use rigel_sql::private::{self, PageCache, PrivateServer, Purpose, Room};
use rigel_sql::programs::Programs;
use rigel_sql::query::Query;
use rigel_sql::table::{self, DropOutcome, NOT_LOGGED, SYNC, Table, TableSpec};
use rigel_sql::{Reach, Server, ServerFacts, asked, bench, door};
use room::check_room;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A table is this many times the caches below it, so that what they keep does not matter.
const TIMES_CACHES: u64 = 4;
/// What the page cache of a private server should hold of each report in addition to what is read ahead: one of the
/// usual size. A larger one need not fit.
const MOST_HELD_OF_REPORT: u64 = 8 * MIB;
/// What a private server writes while sessions commit: its log, until a checkpoint, and their table.
const LOG_BYTES: u64 = 2 * GIB;
/// An entry of the index has 20 bytes, and what is sorted as much; a row has a block.
const TABLE_TO_INDEX: u64 = 128;
const PRIVATE: &str = "a private server with a table";
/// Devices have caches that nothing reports.
const LEAST_TABLE: u64 = GIB;

/// Measures through a server, from this node or from all of a crew.
pub fn sql(options: &RunOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    let TargetSource::Server(source) = &options.targets else {
        return Err(Problem::new(ExitKind::Bug, "a load of queries has no server"));
    };
    let crew = crew.filter(|crew| !crew.is_alone());
    let together = crew.map(|crew| Together::meet(crew, options, source)).transpose()?;
    let nodes = crew.map_or(1, |crew| u32::try_from(crew.line.size()).unwrap_or(u32::MAX));
    let source = &nodes::without_raw(source, nodes);
    let fitted = fit::to_server(options, source)?;
    let options = fitted.as_ref().unwrap_or(options);
    let reporter = Reporter { options, streams };
    let host = rigel_io::host::host_facts();
    let run = SqlRun { reporter, source, host, sessions: sessions(&options.request), nodes };
    reporter.remarks(&options.notes);
    together.iter().for_each(|together| together.announce(reporter));
    match &source.dsn {
        None => run.private(),
        Some(dsn) => run.there(dsn, together),
    }
}

/// Removes the schema with its table from an existing server.
pub fn drop_schema(dsn: &str, streams: &Streams) -> Result<(), Problem> {
    let product = Product::of_dsn(dsn).unwrap_or_default();
    let home = door(product).words().home;
    let server = reach(product, dsn)?.open(0)?;
    let (server, dropped) = asked(server, |server| server.drop_tables())?;
    streams.remark(&match dropped {
        DropOutcome::Schema => format!("{} was removed", home.name()),
        DropOutcome::Table => {
            format!("the table was removed; {} stays because {}", home.name(), home.stays())
        }
        DropOutcome::Nothing => {
            return Err(Problem::usage(format!("{} from a run", server.facts().has_none()))
                .at("--drop")
                .next("nothing to do"));
        }
    });
    Ok(())
}

fn sessions(request: &Request) -> u32 {
    u32::try_from(request.most_of_own().sum()).unwrap_or(u32::MAX)
}

/// The server that a connection string names.
fn reach(product: Product, dsn: &str) -> Result<Arc<dyn Reach>, Problem> {
    door(product).reach(dsn)
}

struct SqlRun<'a> {
    reporter: Reporter<'a>,
    source: &'a ServerSource,
    host: HostFacts,
    /// Most of a point.
    sessions: u32,
    /// On which they are.
    nodes: u32,
}

/// The place of a private server.
struct Place<'a> {
    programs: Programs,
    dir: &'a Path,
    here: TargetFacts,
}

/// A server with its table, ready to be measured.
struct ReadyServer {
    server: Box<dyn Server>,
    table: Table,
    group: Option<Group>,
    notes: Vec<String>,
    /// How the log is made durable, for commits.
    sync: Sync,
    /// Where raw commits may have a log of their own.
    log_dir: Option<PathBuf>,
}

/// The files of raw I/O, what may be written of them, and the engine of a run that continues.
type Raw = (Vec<TargetFacts>, Vec<Option<WritePermit>>, Option<EngineKind>);

/// What a run will do, or would.
struct SqlPlan {
    request: Request,
    plan: Plan,
    /// The table is the last one, after its files if they are read as well.
    targets: Vec<TargetFacts>,
}

impl SqlPlan {
    fn table_bytes(&self) -> u64 {
        self.targets.last().map_or(0, |table| table.size_bytes)
    }
}

impl SqlRun<'_> {
    fn options(&self) -> &RunOptions {
        self.reporter.options
    }

    /// The server that a connection string names.
    fn reach(&self, dsn: &str) -> Result<Arc<dyn Reach>, Problem> {
        reach(self.source.product, dsn)
    }

    fn block_bytes(&self) -> u64 {
        self.source.product.block_bytes()
    }

    fn whole_blocks(&self, bytes: u64) -> u64 {
        bytes / self.block_bytes() * self.block_bytes()
    }

    /// Size of a fresh private server.
    fn empty_bytes(&self) -> u64 {
        door(self.source.product).kit().empty_bytes()
    }

    fn private(&self) -> Result<(), Problem> {
        let Place { programs, dir, here } = self.place()?;
        let room = self.room(&here);
        let supposed = private::page_cache(&programs, Group::could_limit_memory(), room);
        let target = self.expected(here, self.size(supposed));
        if !self.commits() {
            self.reporter.remarks(fit::in_caches(target.size_bytes, self.caches(supposed)).as_slice());
            let is_large = supposed == PageCache::Whole && self.source.size.is_none();
            self.reporter.remarks(
                is_large
                    .then(|| fit::for_all_memory(door(self.source.product).words(), target.size_bytes))
                    .as_slice(),
            );
        }
        // What a private server writes, its user and root can read.
        let file = self.source.raw.then(|| self.expected_file(&target));
        let planned = self.planned(file.into_iter().collect(), target, SYNC)?;
        let bytes = planned.table_bytes();
        let check_room = || self.check_room_private(dir, bytes, self.empty_bytes() + self.index_bytes(bytes));
        let show = || {
            let engine = format!("{} from {}", programs.title(), path_text::encode(&programs.dir));
            // What a killed run left would be removed before.
            if !private::is_used(dir) {
                check_room()?;
            }
            self.show(&planned, engine, self.private_writes(bytes, dir))
        };
        let prepared = || {
            private::remove_left(dir)?;
            check_room()?;
            prepare(self.reporter, &planned.plan)
        };
        let Some(life) = Life::begin(self.reporter, show, prepared)? else { return Ok(()) };
        self.reporter.note(format!("creating a private {} server", programs.title()));
        life.end(PrivateServer::make(dir, programs, room)?, |server| {
            let made = if self.commits() {
                self.committing(server, dir, &life.signals)
            } else {
                self.filled(server, dir, &life.signals)
            };
            self.measure(made?, None, &life)
        })
    }

    /// Where a private server can be created.
    fn place(&self) -> Result<Place<'_>, Problem> {
        let programs = door(self.source.product).programs(self.source.programs.as_deref())?;
        let dir = self.source.dir.as_deref().unwrap_or(Path::new("."));
        let here = directory_facts(dir, &Snapshot::take())?;
        private::check_place(dir)?;
        memory::check_not_memory(&here, self.options().request.allow_memory)?;
        Ok(Place { programs, dir, here })
    }

    /// The table, filled by a server that may use caches, and then served by one that may not.
    fn filled(
        &self,
        server: &mut PrivateServer,
        dir: &Path,
        signals: &Signals,
    ) -> Result<ReadyServer, Problem> {
        let size = self.size(server.page_cache());
        // The cluster has its room by now.
        check_room(dir, PRIVATE, size, 0)?;
        // Whatever keeps it from being measured is known now, and not when the table is filled.
        server.start(Purpose::Measure)?;
        server.stop()?;
        check_not_stopped(signals)?;
        server.start(Purpose::Fill)?;
        let opened = server.address().open(self.sessions)?;
        drop(self.fill(opened, size, signals.flag())?);
        server.stop()?;
        server.forget();
        check_not_stopped(signals)?;
        server.start(Purpose::Measure)?;
        let opened = server.address().open(self.sessions)?;
        let (opened, table) = asked(opened, |server| server.table())?;
        let table = table.ok_or_else(|| Problem::new(ExitKind::Bug, "the table no longer exists"))?;
        let notes = server.describe();
        Ok(ReadyServer {
            server: opened,
            table,
            group: Some(server.group().clone()),
            notes,
            sync: SYNC,
            log_dir: None,
        })
    }

    fn there(&self, dsn: &str, together: Option<Together<'_>>) -> Result<(), Problem> {
        if self.commits() {
            return self.commits_there(dsn, together);
        }
        let opened = self.open_there(dsn)?;
        let (server, found) = asked(opened, |server| server.table())?;
        let (facts, place) = (server.facts(), server.place());
        let size = match &found {
            Some(table) => self.as_asked(table)?,
            None => self.consented(&*server)?,
        };
        let caches = self.caches_there(&facts).unwrap_or(facts.cache_bytes);
        self.reporter.remarks(fit::in_caches(size, caches).as_slice());
        let supposed = TargetFacts { real_path: place.shown().to_owned(), ..TargetFacts::default() };
        let target = self.expected(supposed, size);
        let is_near = self.source.raw && facts.directory.is_some();
        let planned =
            self.planned(if is_near { vec![as_file(&target)] } else { Vec::new() }, target, SYNC)?;
        let show = || {
            let engine = format!("{} at {}", facts.title(), place.shown());
            let writes = match found {
                Some(_) => "nothing would be written: the table exists".to_owned(),
                None => facts.would_have(&format!("a table of {}", Bytes(size))),
            };
            self.show(&planned, engine, writes)
        };
        let prepared = || prepare(self.reporter, &planned.plan);
        let Some(life) = Life::begin(self.reporter, show, prepared)? else { return Ok(()) };
        let schema = SchemaThere::new(self.source, Arc::clone(&place), found.is_some());
        life.end(schema, |schema| {
            let (server, table) = match found {
                Some(table) => (server, table),
                None => self.fill(server, size, life.signals.flag())?,
            };
            schema.stays = true;
            let server = self.empty_cache(server, &table, &life.signals)?;
            let notes = vec![describe(&*server)];
            let made = ReadyServer { server, table, group: None, notes, sync: SYNC, log_dir: None };
            self.measure(made, together, &life)
        })
    }

    fn fill(
        &self,
        server: Box<dyn Server>,
        size: u64,
        stop: &AtomicBool,
    ) -> Result<(Box<dyn Server>, Table), Problem> {
        let options = self.options();
        let mut bar =
            WorkProgress::of_bytes(self.reporter.streams, options.display.quiet, "filling the table");
        let wanted = TableSpec {
            blocks: u32::try_from(size / self.block_bytes()).unwrap_or(u32::MAX - 1),
            seed: options.request.seed,
            queries: Query::all(&options.request)?,
            sessions: self.sessions,
            timeout_ns: options.request.io_timeout.0,
        };
        let filled = server.fill(wanted, &mut |done, total| bar.done_of(done, total), stop);
        drop(bar);
        if filled.as_ref().is_ok_and(|(_, table)| !table.is_logged) {
            self.reporter.remarks(&[NOT_LOGGED.to_owned()]);
        }
        filled
    }

    /// From the server and its table to the outputs.
    fn measure(&self, made: ReadyServer, together: Option<Together<'_>>, life: &Life<'_>) -> MeasuredEnd {
        let signals = &life.signals;
        let ReadyServer { server, table, group, mut notes, sync, log_dir } = made;
        notes.extend(self.of_latency());
        let target = bench::target(&*server, &table)?;
        life.within(self.log_beside(log_dir.as_deref(), signals)?, |log| {
            let files = match log.facts()? {
                Some(files) => files,
                None => self.files(&table)?,
            };
            let SqlPlan { request, plan, .. } = self.planned(files.clone(), target.clone(), sync)?;
            let permits = match log.holds() {
                holds if holds.is_empty() => Vec::new(),
                holds => consent::permits(self.reporter, &files, &holds, signals.flag())?,
            };
            let clock = MonotonicClock::at(0);
            let host = self.host.clone();
            let (behind, team) = (QueryHistory::default(), Team::default());
            let resumable = !self.source.drop && !self.commits() && together.is_none();
            let parts = Parts { server, table, target, host, group, notes, clock, behind, team };
            let bench = |run: &Run| match together {
                Some(together) => self.bench_of_all(together, parts, run, signals),
                None => self.bench(parts, (files, permits, None), run),
            };
            put_on(self.reporter, (request, plan), bench, resumable, signals)
        })
    }

    /// Sessions, in turn with raw I/O if there are files for it.
    fn bench(&self, parts: Parts, raw: Raw, run: &Run) -> Result<Box<dyn Bench>, Problem> {
        let clock = parts.clock;
        let sql = Box::new(SqlBench::start(parts, &run.request.alone(Side::B))?);
        if raw.0.is_empty() { Ok(sql) } else { self.beside(run, raw, sql, clock) }
    }

    /// The files that raw I/O reads in turn with SQL; none if it is left out.
    fn files(&self, table: &Table) -> Result<Vec<TargetFacts>, Problem> {
        if !self.source.raw {
            return Ok(Vec::new());
        }
        let files = bench::files(table)?;
        if files.is_empty() {
            self.reporter.remarks(&[format!(
                "only SQL is measured: the table's files cannot be read from here, so there is no raw I/O \
                to compare with; {}",
                door(self.source.product).words().who_sees_files()
            )]);
        }
        Ok(files)
    }

    /// Both in turn.
    fn beside(
        &self,
        run: &Run,
        (files, permits, engine): Raw,
        sql: Box<dyn Bench>,
        clock: MonotonicClock,
    ) -> Result<Box<dyn Bench>, Problem> {
        let request = run.request.alone(Side::A);
        let raw = make::of_threads((&request, &run.plan, engine), self.host.clone(), files, &permits, clock)
            .map_err(|problem| problem.next("skip the raw I/O with --sql-only"))?;
        Ok(Box::new(Turns::new(Box::new(raw), sql)))
    }

    /// The run of a table, and of its files, if there are any.
    fn planned(&self, files: Vec<TargetFacts>, table: TargetFacts, sync: Sync) -> Result<SqlPlan, Problem> {
        let request = self.options().request.clone();
        let request = match u16::try_from(files.len()) {
            Ok(0) => request,
            count => request.beside_raw(count.unwrap_or(u16::MAX), sync)?,
        };
        let mut targets = files;
        targets.push(table);
        let plan = Plan::new(&request, &self.host, &targets)?;
        fit::check_reports(&request, targets.last().map_or(0, |table| table.size_bytes))?;
        Ok(SqlPlan { request, plan, targets })
    }

    fn of_latency(&self) -> Option<String> {
        let queries = Query::all(&self.options().request).ok()?;
        queries.iter().any(|query| query.is_batch()).then(|| {
            "a latency is the mean of the look-ups of one statement; --probe single measures each look-up"
                .to_owned()
        })
    }

    /// A server for the load, on this storage.
    fn room(&self, here: &TargetFacts) -> Room {
        let request = &self.options().request;
        let most = request.most_of_own();
        let reports = request.class(Class::REPORT).map_or(0, |report| {
            // What a report has used may go, and what it is about to use has to stay.
            let held = report.io_bytes().min(MOST_HELD_OF_REPORT) + bench::ahead_bytes(here);
            u64::from(most.of(Class::REPORT)) * held
        });
        Room { sessions: self.sessions, ahead_bytes: reports }
    }

    /// The bytes of a table of a private server.
    fn size(&self, cache: PageCache) -> u64 {
        if self.commits() {
            return commits::SEGMENT_BYTES;
        }
        let chosen = self.caches(cache).saturating_mul(TIMES_CACHES).max(LEAST_TABLE);
        self.whole_blocks(self.source.size.map_or(chosen, |size| size.0))
    }

    /// Whether look-ups go through an index.
    fn by_index(&self) -> bool {
        let queries = Query::all(&self.options().request).unwrap_or_default();
        queries.contains(&Query::LookUp(Probe::Index))
    }

    /// Size of an index on a table of that size, including what is sorted for it.
    fn index_bytes(&self, table_bytes: u64) -> u64 {
        if self.by_index() { table_bytes / TABLE_TO_INDEX } else { 0 }
    }

    /// What caches of a private server may hold.
    fn caches(&self, cache: PageCache) -> u64 {
        private::cache_bytes(self.source.product, cache, self.host.memory_bytes.unwrap_or(4 * GIB))
    }

    /// What caches of an existing server may hold; `None` if its host is not known.
    fn caches_there(&self, facts: &ServerFacts) -> Option<u64> {
        let memory = facts.directory.as_ref().and(self.host.memory_bytes)?;
        let page_cache = if facts.direct { 0 } else { memory };
        Some(facts.cache_bytes.saturating_add(page_cache))
    }

    /// The size of the existing table in bytes, if it has the size that was requested, if any, and the index.
    fn as_asked(&self, table: &Table) -> Result<u64, Problem> {
        if self.by_index() {
            table.check_index()?;
        }
        let asked = self.source.size.map(|size| self.whole_blocks(size.0));
        match asked.filter(|asked| *asked != table.size_bytes()) {
            None => Ok(table.size_bytes()),
            Some(asked) => Err(Problem::usage(format!(
                "the table {} exists, with {} instead of {}",
                table::NAME,
                Bytes(table.size_bytes()),
                Bytes(asked)
            ))
            .at("--size")
            .next("leave out --size to use it, or remove it first with `rigel sql drop`")),
        }
    }

    /// Refuses to make a table that was not allowed. One that `stays` is made once, any other for each run.
    fn check_consent(&self, server: &dyn Server, stays: bool) -> Result<(), Problem> {
        let facts = server.facts();
        let name = facts.database_name();
        match &self.source.create_in {
            Some(given) if *given == facts.database => Ok(()),
            Some(given) => {
                let given = path_text::printable(given);
                Err(Problem::usage(format!("--create-in names {given}, but the database is {name}"))
                    .at("--create-in")
                    .next("name the connected database, or connect to the other one"))
            }
            None => {
                let allow = format!("add --create-in {}", path_text::shell_word(&name));
                let problem = if stays {
                    Problem::refused(format!(
                        "{} with a table, and creating one was not allowed",
                        facts.has_none()
                    ))
                    .because("a table must be created there before it can be measured")
                    .next(format!("{allow}; --drop removes it afterwards"))
                } else {
                    Problem::refused(format!(
                        "a table in the database {name} is needed, and creating one was not allowed"
                    ))
                    .because("this run creates its own there, and removes it at the end")
                    .next(allow)
                };
                Err(problem.at(server.place().shown()))
            }
        }
    }

    /// The table before it is made.
    fn expected(&self, here: TargetFacts, size_bytes: u64) -> TargetFacts {
        TargetFacts {
            path: if self.commits() { table::COMMITS } else { table::NAME }.to_owned(),
            kind: TargetKind::Table,
            size_bytes,
            logical_block_bytes: 512,
            ..here
        }
    }

    /// What raw I/O goes to, before it is created.
    fn expected_file(&self, table: &TargetFacts) -> TargetFacts {
        if self.commits() { self.expected_log(table) } else { as_file(table) }
    }

    /// What a run on a private server writes.
    fn private_writes(&self, table_bytes: u64, dir: &Path) -> String {
        let dir = path_text::encode(dir);
        if self.commits() {
            return self.commits_write(&dir);
        }
        format!(
            "a private server with a table of {} would be created in {dir}, and removed afterwards",
            Bytes(table_bytes)
        )
    }

    fn show(&self, planned: &SqlPlan, engine: String, writes: String) -> Result<(), Problem> {
        let options = self.options();
        let raw = planned.request.sides.map(|_| planned.request.alone(Side::A));
        let raw = raw.and_then(|raw| make::engine(&raw, None, &planned.plan, &self.host));
        let engine = raw.map_or_else(|| engine.clone(), |raw| format!("A: {raw}; B: {engine}"));
        let intent = Intent {
            consent: vec![writes],
            engine: Some(engine),
            notes: self.of_latency().into_iter().collect(),
            outputs: vec![dry_run::outputs(options, &planned.request)],
            ..Intent::default()
        };
        let told = text::plan(&planned.request, &planned.plan, &planned.targets, Some(&intent));
        self.reporter.streams.results(told.as_bytes())?;
        dry_run::outputs_refusal(self.reporter, &planned.plan)
    }
}

/// The files of a table that is not there yet.
fn as_file(table: &TargetFacts) -> TargetFacts {
    TargetFacts { path: format!("the files of {}", table::NAME), kind: TargetKind::File, ..table.clone() }
}

/// A description of an existing server, for people.
fn describe(server: &dyn Server) -> String {
    let facts = server.facts();
    let cache = match (facts.direct, &facts.directory) {
        (true, _) => "it bypasses the page cache".to_owned(),
        (false, Some(_)) => {
            format!("this host's page cache is between it and the storage; {}", facts.words.bypass)
        }
        (false, None) => "what is between it and the storage is not visible from here".to_owned(),
    };
    format!(
        "{} at {}, with {} of {}; {cache}",
        facts.title(),
        server.place().shown(),
        facts.words.cache,
        Bytes(facts.cache_bytes)
    )
}
