//! The bench: sessions on a server, and the counters read with every visit.
//!
//! A session is a thread that waits for one answer at a time, so as many reads are outstanding as there are sessions. Must
//! not make the table, and must not judge the counters.

mod below;
mod part;
mod watch;

pub use below::{ahead_bytes, files, target};
pub use part::own_sessions;
pub use watch::ServerWatch;

use crate::counters::{Counters, Moment, Reading};
use crate::evict::Evictor;
use crate::patience::{asked_within, within};
use crate::query::Query;
use crate::series::{Series, SessionWork};
use crate::server::{Opener, Server, Worker};
use crate::session::{self, Counts, Job, QueryOutcome, SessionsState, Start};
use crate::table::{NOT_LOGGED, Table};
use crate::waits::WaitSampler;
use crate::walk::{Place, Walk};
use part::own_part;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::{BufferFacts, EngineFacts};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::request::Request;
use rigel_core::load::team::Team;
use rigel_core::measure::ServerCounts;
use rigel_core::record::{Node, NodeVisit, Nodes};
use rigel_core::stats::settle;
use rigel_core::units::NS_PER_MS;
use rigel_io::clock::{Clock as _, MonotonicClock};
use rigel_io::group::Group;
use rigel_io::witness::Sampler;
use rigel_run::bench::{
    Bench, BenchMessage, EarlyEnd, Order, Progress, Site, TICK, VisitResult, rest_in_real_time,
};
use rigel_run::job::{Task, WorkResult};
use rigel_run::witness::watch;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// An early end is set this far in the future, so every session sees it in time.
const EARLY_END_NS: u64 = 50 * NS_PER_MS;
/// Time a session has, beyond the limit of a statement, to report.
const GRACE: Duration = Duration::from_secs(10);
/// And what connecting may take.
const CONNECT: Duration = Duration::from_secs(30);

/// The parts of a bench.
pub struct Parts {
    /// A separate connection, for the counters.
    pub server: Box<dyn Server>,
    /// The table.
    pub table: Table,
    /// Facts about the target.
    pub target: TargetFacts,
    /// The host of the sessions.
    pub host: HostFacts,
    /// The control group of a private server.
    pub group: Option<Group>,
    /// What to know about the server.
    pub notes: Vec<String>,
    /// Shows the time of the run; the same for all that take turns in it.
    pub clock: MonotonicClock,
    /// What the run has already done when it continues.
    pub behind: QueryHistory,
    /// Which sessions are those of this node. Of several nodes, none reads the counters of the server: see [`ServerWatch`].
    pub team: Team,
}

/// Earlier queries; none of them is repeated soon.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryHistory {
    /// Look-ups.
    pub looked_up: u64,
    /// Reports of each session.
    pub reports: u64,
}

/// Sessions on a server.
pub struct SqlBench {
    clock: MonotonicClock,
    site: Site,
    shared: Arc<SessionsState>,
    /// The sessions of each class.
    kinds: Vec<Kind>,
    results: Receiver<Result<QueryOutcome, Problem>>,
    /// `None` once the server did not answer.
    counters: Option<Counters>,
    /// Block size of the server.
    block_bytes: u64,
    /// The server counts blocks of an index together with those of the table.
    counts_index: bool,
    witness: Option<Sampler>,
    /// For a server that reads through the page cache of this host.
    evictor: Option<Evictor>,
    /// How far the kernel may read ahead of a session with reports.
    ahead_blocks: u32,
    /// A server that returns nothing for this long does not answer.
    patience: Duration,
    stuck: bool,
    /// Sessions commit.
    commits: bool,
    team: Team,
}

/// The sessions of a class.
struct Kind {
    class: Class,
    sessions: Vec<Member>,
    /// Who serves the sessions.
    workers: Vec<Worker>,
}

struct Member {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// One node, with its sessions on this host.
fn site(host: HostFacts, engine: EngineFacts, targets: Vec<TargetFacts>) -> Site {
    Site { nodes: Nodes::one(Node { host, engine, buffers: BufferFacts::NONE, member: None }), targets }
}

/// What a reader of the record must know about the table.
fn notes_of(table: &Table, is_evicted: bool) -> Vec<String> {
    let evicted = is_evicted.then_some("the table is continuously evicted from this host's page cache");
    let unlogged = (!table.is_logged).then_some(NOT_LOGGED);
    evicted.into_iter().chain(unlogged).map(str::to_owned).collect()
}

impl SqlBench {
    /// Connects as many sessions of each class as the request has at most.
    ///
    /// # Errors
    /// When the request is not for this bench, the server refuses a session, or would answer in another way.
    pub fn start(made: Parts, request: &Request) -> Result<Self, Problem> {
        let Parts { server, table, target, host, group, mut notes, clock, behind, team } = made;
        let queries = Query::all(request)?;
        let most = own_part(request.classes.iter().map(|class| class.name), &team, request.most_of_own());
        let patience = patience(request);
        let (of, is_private) = ((table.clone(), queries.clone()), group.is_some());
        let ready = move |server: &mut dyn Server| server.prepare(&of.0, &of.1, is_private);
        let (server, ()) = asked_within(patience, server, ready)?;
        let (facts, open) = (server.facts(), server.opener());
        // Of several nodes, the first one alone knows the file of the log that commits go to.
        let is_here = table.file.is_some() || (!team.is_alone() && facts.directory.is_some());
        session::allow_files(u32::try_from(most.sum()).unwrap_or(u32::MAX));
        let [looked_up, reported] = request.table_parts(table.blocks);
        let series = Series::new(looked_up.end, request.seed);
        let series = series.within(team.part_of(&(0..looked_up.end.into()))).behind(behind.looked_up);
        let shared = shared(request, most, series);
        let ((results_in, results), targets) = (mpsc::channel(), vec![target]);
        let disks = below::devices(&targets, table.file.is_some());
        let devices = if team.is_alone() { disks.clone() } else { Vec::new() };
        if let Some(group) = &group {
            group.count(&devices);
        }
        let ahead_blocks = below::ahead_blocks(&facts, &targets);
        // One node is enough for the page cache of a host.
        let evicts = (team.node == 0).then_some(&table);
        let all = (team.nodes(), disks);
        let evictor = evicts.and_then(|table| below::evictor(&facts, table, (request, &shared), all));
        notes.extend(notes_of(&table, evictor.is_some()));
        let kind = request.product().engine();
        let engine = EngineFacts { notes, ..EngineFacts::plain(kind) };
        // What the other nodes have a device do, no node can tell from what others do.
        let witness = watch(clock, kind, if team.is_alone() { &targets } else { &[] });
        let counters =
            Counters { asks: team.is_alone(), ..Counters::new(server, facts.clone(), group, devices) };
        // Made first: whatever fails from here on, dropping it ends the sessions that were started.
        let mut bench = Self {
            clock,
            shared: Arc::clone(&shared),
            kinds: Vec::new(),
            results,
            counters: Some(counters),
            block_bytes: facts.block_bytes,
            counts_index: facts.words.counts_index,
            witness,
            evictor,
            ahead_blocks,
            site: site(host, engine, targets),
            patience,
            stuck: false,
            commits: queries.contains(&Query::Commit),
            team,
        };
        let walk = Walk::new(reported, 1).behind(behind.reports);
        bench.connect_all((request, queries), most, (&open, &results_in), &walk)?;
        bench.count_workers(is_here, request);
        if !bench.team.is_alone() {
            bench.forget();
        }
        Ok(bench)
    }

    /// Counts what the processes that serve the sessions do, if they are on this host.
    fn count_workers(&mut self, is_here: bool, request: &Request) {
        let entries = |kinds: &mut dyn Iterator<Item = &Kind>| -> Option<Vec<PathBuf>> {
            kinds.flat_map(|kind| &kind.workers).map(|worker| worker.entry.clone()).collect()
        };
        let Some(all) = entries(&mut self.kinds.iter()).filter(|_| is_here) else { return };
        let reports = of_reports(request).map(|class| class.name);
        let mut reports =
            self.kinds.iter().filter(|kind| Some(kind.class) == reports && self.kinds.len() > 1);
        let reports = entries(&mut reports).unwrap_or_default();
        if let Some(counters) = &mut self.counters {
            (counters.workers, counters.reports) = (all, reports);
        }
    }

    /// Starts the sessions of all classes. `walk` has the blocks that reports read.
    fn connect_all(
        &mut self,
        (request, queries): (&Request, Vec<Query>),
        most: Point,
        (open, results): (&Opener, &Sender<Result<QueryOutcome, Problem>>),
        walk: &Walk,
    ) -> Result<(), Problem> {
        let (shared, clock, ahead_blocks) = (Arc::clone(&self.shared), self.clock, self.ahead_blocks);
        for (class, query) in request.classes.iter().zip(queries) {
            let walk = walk.clone().by(blocks_each(class, self.block_bytes));
            let start = |number, jobs, ready| Start {
                open: Arc::clone(open),
                query,
                number,
                walk: walk.clone(),
                ahead_blocks,
                io_bytes: class.io_bytes(),
                timeout_ns: request.io_timeout.0,
                class: class.name,
                clock,
                shared: Arc::clone(&shared),
                jobs,
                results: results.clone(),
                ready: Some(ready),
            };
            self.connect(class.name, most, start)?;
        }
        Ok(())
    }

    /// Starts the sessions of a class and waits until each is connected.
    fn connect(
        &mut self,
        class: Class,
        most: Point,
        start: impl Fn(u32, Receiver<Job>, Sender<Result<Worker, Problem>>) -> Start,
    ) -> Result<(), Problem> {
        let (ready_in, ready) = mpsc::channel();
        self.kinds.push(Kind { class, sessions: Vec::new(), workers: Vec::new() });
        for number in 0..most.of(class) {
            let (jobs_in, jobs) = mpsc::channel();
            let thread = spawn(number, start(number, jobs, ready_in.clone()))?;
            if let Some(kind) = self.kinds.last_mut() {
                kind.sessions.push(Member { jobs: Some(jobs_in), thread: Some(thread) });
            }
        }
        drop(ready_in);
        let mut workers = Vec::new();
        loop {
            match ready.recv_timeout(CONNECT.saturating_add(self.patience)) {
                Ok(worker) => workers.push(worker?),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.stuck = true;
                    return Err(no_answer(self.patience));
                }
            }
        }
        if workers.len() < most.of(class) as usize {
            return Err(session::died());
        }
        if let Some(kind) = self.kinds.last_mut() {
            kind.workers = workers;
        }
        Ok(())
    }

    /// Hands the job out to the sessions of the point, and returns their number.
    fn hand_out(&self, job: &Job, point: Point) -> Result<usize, Problem> {
        let mut handed = 0;
        for (place, kind) in self.kinds.iter().enumerate() {
            let of = point.of(kind.class);
            let deal = self.team.deal(of, place);
            for (position, session) in (0..deal.count(of)).zip(&kind.sessions) {
                let number = u32::try_from(deal.number(position.into())).unwrap_or(u32::MAX);
                let job = Job { place: Place { number, of }, ..job.clone() };
                let sent = session.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
                sent.then_some(()).ok_or_else(session::died)?;
                handed += 1;
            }
        }
        Ok(handed)
    }

    /// Gives every session of the point the job and waits for all of them.
    fn job(
        &mut self,
        job: &Job,
        point: Point,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<QueryOutcome, Problem> {
        self.shared.end_at_ns.store(u64::MAX, Ordering::Relaxed);
        let mut sum = QueryOutcome::default();
        let (mut waiting, mut ending) = (self.hand_out(job, point)?, false);
        let (mut last, mut seen) = (Instant::now(), self.progress().ops.values().sum::<u64>());
        let mut ticked = Instant::now();
        while waiting > 0 {
            match self.results.recv_timeout(TICK) {
                Ok(Ok(told)) => {
                    sum.add(told);
                    waiting -= 1;
                    last = Instant::now();
                }
                Ok(Err(problem)) => {
                    self.shared.end_at_ns.store(0, Ordering::Relaxed);
                    return Err(problem);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(session::died()),
            }
            if ticked.elapsed() < TICK || waiting == 0 {
                continue;
            }
            ticked = Instant::now();
            let now = self.progress();
            let all = now.ops.values().sum();
            if seen != all {
                (last, seen) = (Instant::now(), all);
            }
            if last.elapsed() > self.patience {
                self.stuck = true;
                return Err(no_answer(last.elapsed()));
            }
            if !hear(BenchMessage::Tick(now)) && !ending {
                ending = true;
                self.shared.end_at_ns.store(self.now_ns() + EARLY_END_NS, Ordering::Relaxed);
            }
        }
        Ok(sum)
    }

    /// Asks over the connection of the counters, unless the server does not answer.
    fn asking<T: Send + 'static>(
        &mut self,
        ask: impl FnOnce(&mut Counters) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let answered = ask_counters(&mut self.counters, self.patience, ask);
        self.stuck |= answered.is_none();
        answered.ok_or_else(|| no_answer(self.patience))
    }

    /// Evicts the table from the page cache of this host.
    fn forget(&self) {
        if let Some(evictor) = &self.evictor {
            evictor.forget();
        }
    }

    /// Reads all counters.
    fn read(&mut self, moment: Moment) -> Result<Reading, Problem> {
        self.asking(move |counters| counters.read(moment))
    }

    /// Keeps the table of commits small.
    fn tidy(&mut self) -> Result<(), Problem> {
        self.asking(|counters| counters.server.tidy_ledger())
    }

    /// Samples what the sessions wait for while they work.
    fn watch_waits(&mut self, sessions: u64) -> Result<WaitSampler, Problem> {
        let counters = self.counters.take().ok_or_else(|| no_answer(self.patience))?;
        let workers = self.kinds.iter().flat_map(|kind| &kind.workers);
        let numbers = workers.map(|worker| worker.number).collect();
        let sessions = usize::try_from(sessions).unwrap_or(usize::MAX);
        Ok(WaitSampler::start(counters, numbers, sessions))
    }

    /// Takes the connection of the counters back, with what was seen.
    fn waits(&mut self, waiting: WaitSampler) -> Result<BTreeMap<String, u64>, Problem> {
        let Some((counters, waits)) = waiting.end(self.patience) else {
            self.stuck = true;
            return Err(no_answer(self.patience));
        };
        self.counters = Some(counters);
        Ok(waits)
    }

    fn seen(&mut self, (before, after): (&Reading, &Reading), asked: Counts, times: (u64, u64)) -> NodeVisit {
        let counts = ServerCounts {
            probes: asked.probes,
            scanned_blocks: asked.scanned_blocks,
            commits: asked.commits,
            ahead_blocks: asked.jumps * u64::from(self.ahead_blocks),
            ..after.since(before)
        };
        let counts = if self.counts_index && self.team.is_alone() { apart(counts) } else { counts };
        let read_bytes = counts.device.filter(|device| device.of_server).map(|device| device.bytes);
        let moved_bytes = read_bytes.unwrap_or(counts.needed_blocks().saturating_mul(self.block_bytes))
            + after.written_since(before);
        let mut witness = self.witness.as_mut().and_then(|witness| witness.between(times.0, times.1));
        // The server is another process on the same host, and its CPU time belongs to the load.
        let samples = witness.iter_mut().flat_map(|witness| &mut witness.samples);
        samples.for_each(|sample| sample.counts.own_us = None);
        NodeVisit { moved_bytes, witness, server: Some(counts), ..NodeVisit::default() }
    }

    fn progress(&self) -> Progress {
        let done = self.shared.done.iter();
        let ops = done.map(|(class, done)| (*class, done.load(Ordering::Relaxed))).collect();
        Progress { now_ns: self.now_ns(), ops, latency_ns: PerClass::new() }
    }
}

/// A server that returns nothing for this long does not answer.
fn patience(request: &Request) -> Duration {
    Duration::from_nanos(request.io_timeout.0).saturating_add(GRACE)
}

/// Asks over the connection of the counters; `None` if the server does not answer, whose connection is then abandoned.
fn ask_counters<T: Send + 'static>(
    counters: &mut Option<Counters>,
    patience: Duration,
    ask: impl FnOnce(&mut Counters) -> T + Send + 'static,
) -> Option<T> {
    let mut asked = counters.take()?;
    let (asked, answer) = within(patience, move || {
        let answer = ask(&mut asked);
        (asked, answer)
    })?;
    *counters = Some(asked);
    Some(answer)
}

/// Separates what a server counted of table and index together: a look-up needs the leaf of its row, and all other
/// reads are inner pages. Fewer reads than leaves mean that a cache answered; how often is then unknown.
fn apart(counts: ServerCounts) -> ServerCounts {
    let asked = counts.asked_blocks();
    ServerCounts {
        index_blocks: counts.table_blocks.map(|all| all.saturating_sub(asked)),
        table_blocks: counts.table_blocks.map(|all| all.min(asked)),
        ..counts
    }
}

/// State that the sessions of a request share.
fn shared(request: &Request, most: Point, series: Series) -> Arc<SessionsState> {
    let reports = of_reports(request).map_or(0, |class| most.of(class.name));
    let looking_up = most.sum().saturating_sub(u64::from(reports));
    Arc::new(SessionsState {
        series,
        done: request.classes.iter().map(|class| (class.name, AtomicU64::new(0))).collect(),
        looking_up: (0..looking_up).map(|_| SessionWork::default()).collect(),
        reporting: (0..reports).map(|_| SessionWork::default()).collect(),
        end_at_ns: AtomicU64::new(u64::MAX),
    })
}

fn of_reports(request: &Request) -> Option<&LoadClass> {
    request.class(Class::REPORT)
}

/// Blocks of a report; 0 of other classes.
fn blocks_each(class: &LoadClass, block_bytes: u64) -> u32 {
    u32::try_from(class.io_bytes() / block_bytes).unwrap_or(u32::MAX)
}

fn spawn(number: u32, start: Start) -> Result<JoinHandle<()>, Problem> {
    let builder = thread::Builder::new().name(format!("rigel-session-{number}"));
    builder.spawn(move || session::serve(start)).map_err(|error| {
        Problem::refused(format!("a thread for a session cannot be started: {error}"))
            .next("ask for fewer --sessions, or raise the limit on processes (ulimit -u)")
    })
}

fn no_answer(silent: Duration) -> Problem {
    Problem::new(ExitKind::CutShort, format!("no row was returned for {} s", silent.as_secs()))
        .because("the server or the storage below it does not respond")
        .next("check the server log and the kernel log (dmesg); --io-timeout sets how long a statement may take")
}

impl Bench for SqlBench {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let is_alone = self.team.is_alone();
        // What was read ahead of the last load would be missing in this one.
        if is_alone {
            self.forget();
        }
        if self.commits && is_alone {
            self.tidy()?;
        }
        let before = self.read(Moment::Before)?;
        if let Some(witness) = &self.witness {
            witness.mark();
        }
        let began_ns = order.begins_ns(self.now_ns());
        let Task::Measure { window, lead_ns, .. } = order.job(began_ns).0.task else {
            return Err(Problem::new(ExitKind::Bug, "sessions have no streams to warm up"));
        };
        let edges = if lead_ns > 0 { settle::edges(lead_ns, lead_ns + window.span_ns()) } else { Vec::new() };
        let classes = self.kinds.iter().map(|kind| kind.class);
        let waiting = self.watch_waits(own_part(classes, &self.team, order.point).sum())?;
        let job = Job { began_ns, window, lead_ns, edges, place: Place { number: 0, of: 1 } };
        let told = self.job(&job, order.point, hear)?;
        // A node without sessions at this point is over before the others begin.
        let ended_ns = self.now_ns().max(began_ns);
        let waits = self.waits(waiting)?;
        let after = self.read(Moment::Behind)?;
        // The others may not be kept waiting when they have begun.
        if !is_alone {
            self.forget();
        }
        let node = self.seen((&before, &after), told.counts, (began_ns, ended_ns));
        let node = NodeVisit { waits, ..node };
        let done = WorkResult { bytes: node.moved_bytes, ..told.done };
        Ok(VisitResult { done, began_ns, ended_ns, nodes: vec![node] })
    }

    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        rest_in_real_time(ns, || self.progress(), hear);
    }

    fn early_end(&self) -> EarlyEnd {
        EarlyEnd::of(&self.shared)
    }
}

impl Drop for SqlBench {
    /// Ends the sessions and waits for them; not for a server that does not answer.
    fn drop(&mut self) {
        self.shared.end_at_ns.store(0, Ordering::Relaxed);
        let all = self.kinds.iter_mut().flat_map(|kind| &mut kind.sessions);
        all.for_each(|session| session.jobs = None);
        // Closing a connection waits for the server as well.
        let counters = self.counters.take();
        let patience = if self.stuck { Duration::ZERO } else { self.patience };
        within(patience, move || drop(counters));
        if self.stuck {
            return;
        }
        let began = Instant::now();
        let all = self.kinds.iter_mut().flat_map(|kind| &mut kind.sessions);
        for thread in all.filter_map(|session| session.thread.take()) {
            while !thread.is_finished() {
                if began.elapsed() > self.patience {
                    return;
                }
                thread::sleep(Duration::from_millis(1));
            }
            // One that panicked has told so already.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_pages_are_told_apart_and_a_cache_is_not_hidden() {
        let of = |table_blocks| {
            let counts =
                ServerCounts { probes: 90, scanned_blocks: 10, table_blocks, ..ServerCounts::default() };
            let counts = apart(counts);
            (counts.table_blocks, counts.index_blocks)
        };
        assert_eq!(of(Some(107)), (Some(100), Some(7)));
        assert_eq!(of(Some(60)), (Some(60), Some(0)), "answered by a cache");
        assert_eq!(of(None), (None, None));
    }
}
