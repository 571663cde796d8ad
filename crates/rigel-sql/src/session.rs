//! One session: a connection and a thread that runs one statement after the other, and counts.
//!
//! A statement looks up several rows; each counts as one look-up that took its share of the statement, so the rate is exact
//! and a latency is the mean of a statement. With one row per statement, every latency is that of a look-up. A report is one statement, and counts
//! once all rows of its range are returned. Must not know other sessions.

use crate::query::Query;
use crate::series::{Series, SessionWork};
use crate::server::{Opener, RowCount, Session, Worker};
use crate::table;
use crate::walk::{Place, Walk};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::{Class, PerClass};
use rigel_core::load::workload::Direction;
use rigel_core::measure::{ClassTally, FirstError, IoCounts, Tally, Window};
use rigel_core::units::NS_PER_MS;
use rigel_io::clock::{Clock as _, MonotonicClock, thread_cpu_ns};
use rigel_io::limits::allow_open_files;
use rigel_run::bench::JobEnd;
use rigel_run::job::WorkResult;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

/// How long a statement should take: long enough to make its overhead negligible, short enough for a load to end in time.
const STATEMENT_NS: u64 = 20 * NS_PER_MS;
const FIRST_ROWS: u32 = 8;
/// Most rows of a statement.
pub const MOST_ROWS: u32 = 1000;
/// An I/O error, because the server's failure has no number of its own.
const EIO: i32 = 5;

/// A task for all sessions of a point.
#[derive(Clone, Debug)]
pub struct Job {
    pub began_ns: u64,
    pub window: Window,
    pub lead_ns: u64,
    /// Ends of the parts whose latencies are kept separately.
    pub edges: Vec<u64>,
    /// Which of the sessions of the class this one is.
    pub place: Place,
}

/// State that the sessions and the bench share.
#[derive(Debug)]
pub struct SessionsState {
    pub series: Series,
    /// What each class has done since the start of the run.
    pub done: PerClass<AtomicU64>,
    /// The places of the series that each session with look-ups asks for.
    pub looking_up: Vec<SessionWork>,
    /// The blocks that each session with reports reads, with those that the kernel may have read ahead for it.
    pub reporting: Vec<SessionWork>,
    /// When every session shall end at the latest.
    pub end_at_ns: AtomicU64,
}

impl JobEnd for SessionsState {
    fn end_at_ns(&self) -> &AtomicU64 {
        &self.end_at_ns
    }
}

/// What a session needs to start.
pub struct Start {
    pub open: Opener,
    pub query: Query,
    /// Its number among the sessions of its class.
    pub number: u32,
    /// What its reports read.
    pub walk: Walk,
    /// How far the kernel may read ahead of them.
    pub ahead_blocks: u32,
    /// Bytes of one of them.
    pub io_bytes: u64,
    pub timeout_ns: u64,
    pub class: Class,
    pub clock: MonotonicClock,
    pub shared: Arc<SessionsState>,
    pub jobs: Receiver<Job>,
    pub results: Sender<Result<QueryOutcome, Problem>>,
    /// Receives the process that serves the session; nothing is held back after it.
    pub ready: Option<Sender<Result<Worker, Problem>>>,
}

/// What a session did, or several of them together.
#[derive(Debug, Default)]
pub struct QueryOutcome {
    pub done: WorkResult,
    pub counts: Counts,
}

impl QueryOutcome {
    /// Adds another outcome.
    pub fn add(&mut self, other: Self) {
        self.done.add(other.done);
        self.counts.probes += other.counts.probes;
        self.counts.commits += other.counts.commits;
        self.counts.scanned_blocks += other.counts.scanned_blocks;
        self.counts.jumps += other.counts.jumps;
    }
}

/// What sessions requested, measured or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Rows that look-ups returned, each from a block of its own.
    pub probes: u64,
    /// Transactions that ended well.
    pub commits: u64,
    /// Blocks that reports read.
    pub scanned_blocks: u64,
    /// How often a report began elsewhere than where the last one ended.
    pub jumps: u64,
}

struct Member {
    session: Box<dyn Session>,
    start: Start,
    rows: u32,
    counts: Counts,
}

/// What a statement did.
#[derive(Clone, Copy)]
enum Answer {
    /// This many operations of the class.
    All(u64),
    /// The storage under the server failed.
    Failed,
}

/// Connects, and works until no jobs are left.
pub fn serve(start: Start) {
    let Some(mut member) = Member::open(start) else { return };
    while let Ok(job) = member.start.jobs.recv() {
        // A bug here must not leave the bench waiting for ever; the panic hook has told it.
        let ran = panic::catch_unwind(AssertUnwindSafe(|| member.load(&job)));
        let told = ran.unwrap_or_else(|_| Err(died()));
        let broken = told.is_err();
        if member.start.results.send(told).is_err() || broken {
            return;
        }
    }
}

/// A session ended without a word.
pub fn died() -> Problem {
    Problem::new(ExitKind::Bug, "a session of the load ended unexpectedly")
        .next("please report this with the command line")
}

impl Member {
    /// Also reports whether it is ready.
    fn open(mut start: Start) -> Option<Self> {
        // The bench waits until nobody can tell any more. Nobody needs the message when it has gone.
        let ready = start.ready.take()?;
        let tell = |told| drop(ready.send(told));
        match (start.open)(start.query, start.timeout_ns) {
            Ok((session, worker)) => {
                let rows = if start.query.is_batch() { FIRST_ROWS } else { 1 };
                let mut member = Self { session, start, rows, counts: Counts::default() };
                let begun = member.begin();
                let is_ready = begun.is_ok();
                tell(begun.map(|()| worker));
                is_ready.then_some(member)
            }
            Err(problem) => {
                tell(Err(problem));
                None
            }
        }
    }

    /// A first, uncounted statement. It makes a server process read the catalogue entry of the table and make its
    /// plan; both would be reads besides those requested.
    fn begin(&mut self) -> Result<(), Problem> {
        let rows = match self.start.query {
            Query::LookUp(_) => self.session.look_up(&[0])?,
            Query::Report(_) => self.session.report(&(0..2))?,
            Query::Commit => self.session.commit(self.start.number, 0)?,
        };
        all_there(rows)?;
        self.session.flush()
    }

    /// Issues statements until the end of the window. The next one begins when the last one has ended, whatever the client did in between.
    fn load(&mut self, job: &Job) -> Result<QueryOutcome, Problem> {
        let late_ns = self.wait_for(job.began_ns);
        let cpu_ns = thread_cpu_ns();
        let empty =
            ClassTally::with_lead(self.start.io_bytes, 1, job.window.span_ns(), job.lead_ns, &job.edges);
        let mut tally = Tally::new(job.window, vec![Some(empty)], job.began_ns);
        let (mut ios, mut now_ns) = (IoCounts::default(), job.began_ns);
        let direction = self.start.query.direction();
        let mut stopped = false;
        self.counts = Counts::default();
        self.start.walk.set_off();
        loop {
            let end_ns = self.start.shared.end_at_ns.load(Ordering::Relaxed);
            if end_ns < tally.window().end_ns {
                tally.shorten(end_ns);
                stopped = true;
            }
            if now_ns >= tally.window().end_ns {
                break;
            }
            let asked = self.ask(job.place);
            let ended_ns = self.start.clock.now_ns().max(now_ns + 1);
            let count = match asked? {
                Answer::All(count) => {
                    spread(&mut tally, direction, count, (now_ns, ended_ns));
                    count
                }
                Answer::Failed => {
                    failed(&mut tally, direction, (now_ns, ended_ns));
                    1
                }
            };
            (ios.submitted, ios.returned) = (ios.submitted + count, ios.returned + count);
            self.pace(ended_ns - now_ns);
            now_ns = ended_ns;
        }
        self.in_work(None);
        self.session.flush()?;
        let window_end_ns = tally.window().end_ns;
        let tally = tally.finish().into_iter().flatten().next();
        let tallies: PerClass<ClassTally> =
            tally.map(|tally| (self.start.class, tally)).into_iter().collect();
        let failures = tallies.values().map(|tally| tally.errors).sum();
        let cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
        let done = WorkResult {
            tallies,
            window_end_ns,
            stopped,
            failures,
            ios,
            cpu_ns,
            busiest_cpu_ns: cpu_ns,
            late_ns,
            ..WorkResult::default()
        };
        Ok(QueryOutcome { done, counts: Counts { jumps: self.start.walk.jumps(), ..self.counts } })
    }

    /// Waits for the moment at which the load begins; how much later it is.
    fn wait_for(&self, began_ns: u64) -> u64 {
        loop {
            let now_ns = self.start.clock.now_ns();
            if now_ns >= began_ns {
                return now_ns - began_ns;
            }
            thread::sleep(Duration::from_nanos(began_ns - now_ns));
        }
    }

    /// Issues one statement.
    fn ask(&mut self, place: Place) -> Result<Answer, Problem> {
        let answer = match self.start.query {
            Query::LookUp(_) => {
                let taken = self.start.shared.series.take(self.rows);
                self.in_work(Some(&taken));
                let count = taken.end - taken.start;
                let blocks: Vec<u32> = self.start.shared.series.blocks(taken).collect();
                let rows = self.session.look_up(&blocks)?;
                all_there(rows)?.map_or(Answer::Failed, |()| {
                    self.counts.probes += count;
                    Answer::All(count)
                })
            }
            Query::Report(_) => {
                let range = self.start.walk.next(place);
                // What was read ahead behind its own part is not for this session.
                let needed =
                    (range.end.saturating_add(self.start.ahead_blocks)).min(self.start.walk.own(place).end);
                self.in_work(Some(&(range.start.into()..needed.max(range.end).into())));
                let rows = self.session.report(&range)?;
                all_there(rows)?.map_or(Answer::Failed, |()| {
                    self.counts.scanned_blocks += range.len() as u64;
                    Answer::All(1)
                })
            }
            Query::Commit => {
                let made = self.session.commit(self.start.number, self.counts.commits)?;
                all_there(made)?.map_or(Answer::Failed, |()| {
                    self.counts.commits += 1;
                    Answer::All(1)
                })
            }
        };
        if let (Answer::All(count), Some(done)) = (answer, self.start.shared.done.get(&self.start.class)) {
            done.fetch_add(count, Ordering::Relaxed);
        }
        Ok(answer)
    }

    /// Shows others what the next statement requests, positions of the series or blocks; `None`: nothing.
    fn in_work(&self, asked: Option<&Range<u64>>) {
        let Start { shared, query, number, .. } = &self.start;
        let all = match query {
            Query::LookUp(_) => &shared.looking_up,
            Query::Report(_) => &shared.reporting,
            Query::Commit => return,
        };
        if let Some(in_work) = all.get(*number as usize) {
            in_work.set(asked.unwrap_or(&(0..0)));
        }
    }

    /// As many rows as fill the time of a statement at the rate of the last one.
    fn pace(&mut self, took_ns: u64) {
        if !self.start.query.is_batch() {
            return;
        }
        let each_ns = (took_ns / u64::from(self.rows)).max(1);
        let wanted = u32::try_from(STATEMENT_NS / each_ns).unwrap_or(MOST_ROWS);
        // No faster than by four: the last statement may have been an exception.
        self.rows = wanted.clamp(1, MOST_ROWS).min(self.rows.saturating_mul(4));
    }
}

/// `None` when the storage under the server failed.
fn all_there(rows: Option<RowCount>) -> Result<Option<()>, Problem> {
    match rows {
        None => Ok(None),
        Some(RowCount { found, wanted }) if found == wanted => Ok(Some(())),
        Some(_) => Err(Problem::new(ExitKind::CutShort, format!("rows of {} have disappeared", table::NAME))
            .because("something changed the table during the measurement")
            .next("remove it with `rigel sql drop`, then run again to recreate it")),
    }
}

/// A connection takes several files.
pub fn allow_files(sessions: u32) {
    const OF_A_SESSION: usize = 4;
    allow_open_files(OF_A_SESSION * sessions as usize);
}

/// The look-ups of a statement, one after the other, each for the same time.
fn spread(tally: &mut Tally, direction: Direction, count: u64, (began_ns, ended_ns): (u64, u64)) {
    let took_ns = ended_ns - began_ns;
    tally.look(began_ns);
    for number in 0..count {
        tally.submitted(0, 1);
        // A statement takes far less than the time that would overflow.
        let part = |number: u64| took_ns.saturating_mul(number) / count;
        let (from_ns, to_ns) = (part(number), part(number + 1));
        tally.look(began_ns + to_ns);
        tally.completed(0, direction, (to_ns - from_ns).max(1), began_ns + to_ns);
    }
}

fn failed(tally: &mut Tally, direction: Direction, (began_ns, ended_ns): (u64, u64)) {
    tally.look(began_ns);
    tally.submitted(0, 1);
    tally.look(ended_ns);
    tally.failed(0, FirstError { errno: EIO, target: 0, offset: 0, direction });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_ups_of_a_statement_fill_its_time() {
        let window = Window { start_ns: 1000, end_ns: 2000 };
        let mut tally = Tally::new(window, vec![Some(ClassTally::new(0, 1, 1000))], 500);
        spread(&mut tally, Direction::Read, 10, (500, 1500));
        spread(&mut tally, Direction::Read, 7, (1500, 2200));
        let tally = tally.finish().remove(0).unwrap();
        // From 1000 to 1500, five of 100 ns and the one that ends at the first moment; then four of 100 ns.
        assert_eq!((tally.completed(), tally.latency_sum_ns()), (6 + 4, 1000));
        assert_eq!(tally.in_flight_ns, 1000, "one is always outstanding");
    }

    #[test]
    fn a_failed_statement_is_one_failure() {
        let window = Window { start_ns: 0, end_ns: 2000 };
        let mut tally = Tally::new(window, vec![Some(ClassTally::new(0, 1, 2000))], 0);
        failed(&mut tally, Direction::Read, (0, 900));
        spread(&mut tally, Direction::Read, 2, (900, 1100));
        let tally = tally.finish().remove(0).unwrap();
        assert_eq!((tally.errors, tally.first_error.unwrap().errno, tally.completed()), (1, EIO, 2));
    }
}
