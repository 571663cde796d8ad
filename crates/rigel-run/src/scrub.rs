//! Copies read side by side and compared: [`rigel_uses::scrub`] says where they lie and what a difference means; this module reads them and waits.
//! One copy alone is read piece by piece (`alone`).
//!
//! It only ever reads; the targets are opened without a permit, so the kernel refuses a write. Must not say what it found.

mod again;
mod alone;
pub(crate) mod reader;

use again::SecondLook;
use alone::Alone;
use reader::{CHUNKS, Reader};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::clock::{Clock as _, MonotonicClock};
use rigel_io::targets::OpenTargets;
use rigel_io::uring::Uring;
use rigel_uses::scrub::settle::differing;
use rigel_uses::scrub::{Chunk, Map, State, Stretch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the state is stored.
const KEEP_NS: u64 = 10_000_000_000;
/// With this many differences, they are read again before the scrub continues, so that the state stays small.
const MOST_PENDING_BYTES: u64 = 256 << 20;
const MOST_PENDING: usize = 16_384;
/// And after waiting this long: the user may want to know it before a scrub of days ends.
const SHORTEST_WAIT_NS: u64 = 20_000_000_000;
/// Differences wait at least this many times the time of the last rereading: so rereading takes at most a twentieth of a scrub, unless too much
/// differs to wait.
const TIMES_AGAIN: u64 = 19;
/// How long I/Os in flight may take when the user ends a scrub.
const LAST_WAIT_NS: u64 = 5_000_000_000;
const SHORT_SLEEP: Duration = Duration::from_millis(50);

/// What to compare, and how.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The positions of the copies.
    pub map: &'a Map,
    /// The disks of the map, open for reading.
    pub targets: Arc<OpenTargets>,
    /// Unit of reads in bytes: offsets are multiples of it, lengths are rounded up to it. 1 through the page cache.
    pub unit: u64,
    /// The engine that reads.
    pub engine: EngineKind,
    /// Where the copies begin in files that are alike, and the number of the segment, as [`rigel_uses::scrub::judge::Window`] has it.
    pub in_file: Option<(u64, u32)>,
    /// If no read completes for this long, a disk hangs.
    pub io_timeout_ns: u64,
    /// Set when the user wants to end it.
    pub stop: &'a AtomicBool,
}

/// Receives the progress of a scrub.
pub trait Listener {
    /// This many bytes of each copy are done.
    fn progress(&mut self, done: u64, total: u64);

    /// The state, every ten seconds, when differences became certain, and at the end, to be stored for a later resumption.
    ///
    /// # Errors
    /// When it cannot be stored; the scrub ends.
    fn keep(&mut self, state: &State) -> Result<(), Problem>;
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything was compared.
    Whole,
    /// The user ended it; the state has what is left.
    Stopped,
}

/// Compares everything from the position of the state on.
///
/// # Errors
/// When the engine or its queue fails, or the state cannot be stored.
pub fn scrub(job: &Job<'_>, state: &mut State, listener: &mut dyn Listener) -> Result<End, Problem> {
    let copies = copies(job.map);
    let chunk = u32::try_from(rigel_uses::scrub::CHUNK_BYTES).unwrap_or(1 << 20);
    let layout = SlotLayout::of(&[(copies * CHUNKS, chunk)]);
    let targets = Arc::clone(&job.targets);
    match job.engine {
        EngineKind::IoUring => {
            let (backend, ..) = Uring::new(targets, layout, 0, false)?;
            through(backend, job, state, listener)
        }
        EngineKind::Libaio => {
            let (backend, ..) = rigel_io::aio::Aio::new(targets, layout, 0)?;
            through(backend, job, state, listener)
        }
        _ => {
            let (backend, ..) = rigel_io::threads::Threads::new(targets, layout, 0)?;
            through(backend, job, state, listener)
        }
    }
}

fn through<B: Backend>(
    backend: B,
    job: &Job<'_>,
    state: &mut State,
    listener: &mut dyn Listener,
) -> Result<End, Problem> {
    let reader = Reader::new(backend, copies(job.map), job.unit, state.max_mbps, job.io_timeout_ns);
    if state.source.is_one() {
        Alone::new(job, reader).run(state, listener)
    } else {
        Scrub::new(job, reader).run(state, listener)
    }
}

/// Number of outstanding I/Os, for [`rigel_io::engine::choose`].
pub fn slots(map: &Map) -> u16 {
    copies(map) * CHUNKS
}

fn copies(map: &Map) -> u16 {
    u16::try_from(map.most_copies()).unwrap_or(1).max(1)
}

/// A chunk whose copies are being read.
struct Flight {
    chunk: Chunk,
    left: usize,
    /// A copy could not be read, or not whole.
    failed: bool,
}

struct Scrub<'a, B> {
    job: &'a Job<'a>,
    reader: Reader<B>,
    flights: Vec<Option<Flight>>,
    /// The next byte to read.
    next: u64,
    clock: MonotonicClock,
    kept_ns: u64,
    /// Since when something waits to be read again.
    pending_ns: Option<u64>,
    /// How long it may wait.
    wait_ns: u64,
    stopped_ns: Option<u64>,
}

impl<'a, B: Backend> Scrub<'a, B> {
    fn new(job: &'a Job<'a>, reader: Reader<B>) -> Self {
        let flights = (0..CHUNKS).map(|_| None).collect();
        let clock = MonotonicClock::start();
        Self {
            job,
            reader,
            flights,
            next: 0,
            clock,
            kept_ns: 0,
            pending_ns: None,
            wait_ns: SHORTEST_WAIT_NS,
            stopped_ns: None,
        }
    }

    fn run(&mut self, state: &mut State, listener: &mut dyn Listener) -> Result<End, Problem> {
        self.next = state.done;
        // What ended before an earlier chunk did is read again, and would be counted twice.
        state.pending.retain(|stretch| stretch.at < state.done);
        if self.job.unit == 1 {
            // What the page cache has of a device may be older than what the legs hold.
            self.job.targets.forget_cached();
        }
        let total = self.job.map.total();
        loop {
            let ended = self.pass(state, listener)?;
            if !self.is_stopped() && !state.pending.is_empty() {
                self.settle(state)?;
            }
            listener.progress(state.done, total);
            listener.keep(state)?;
            if ended || self.is_stopped() {
                break;
            }
        }
        let whole = state.done >= total && state.pending.is_empty();
        Ok(if whole { End::Whole } else { End::Stopped })
    }

    fn settle(&mut self, state: &mut State) -> Result<(), Problem> {
        let began_ns = self.clock.now_ns();
        SecondLook { job: self.job, reader: &mut self.reader }.settle(state)?;
        let took_ns = self.clock.now_ns() - began_ns;
        self.wait_ns = took_ns.saturating_mul(TIMES_AGAIN).max(SHORTEST_WAIT_NS);
        self.pending_ns = None;
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }

    /// Reads until the end, or until so much differs that it should be checked again. Returns whether that was the end.
    fn pass(&mut self, state: &mut State, listener: &mut dyn Listener) -> Result<bool, Problem> {
        let total = self.job.map.total();
        loop {
            let full = is_full(&state.pending) || self.has_waited(&state.pending);
            if !full && !self.is_stopped() {
                self.fill();
            }
            if self.flights.iter().all(Option::is_none) {
                if full || self.is_stopped() || self.next >= total {
                    return Ok(!full);
                }
                std::thread::sleep(SHORT_SLEEP.min(Duration::from_nanos(self.reader.wait_ns())));
                continue;
            }
            self.reap(state)?;
            listener.progress(state.done, total);
            let now_ns = self.clock.now_ns();
            if now_ns.saturating_sub(self.kept_ns) >= KEEP_NS {
                self.kept_ns = now_ns;
                listener.keep(state)?;
            }
            if self.is_stopped() && now_ns - *self.stopped_ns.get_or_insert(now_ns) > LAST_WAIT_NS {
                self.reader.abandon();
                return Ok(true);
            }
        }
    }

    /// Whether the first of these waits since long ago.
    fn has_waited(&mut self, pending: &[Stretch]) -> bool {
        if pending.is_empty() {
            return false;
        }
        let now_ns = self.clock.now_ns();
        now_ns - *self.pending_ns.get_or_insert(now_ns) >= self.wait_ns
    }

    /// Starts as many chunks as there is room and time for.
    fn fill(&mut self) {
        for group in 0..CHUNKS {
            if self.flights[usize::from(group)].is_some() || self.reader.wait_ns() > 0 {
                continue;
            }
            let Some(chunk) = self.job.map.chunk(self.next) else { return };
            self.next = chunk.at + chunk.len;
            self.reader.push(group, &chunk);
            let left = chunk.copies.len();
            self.flights[usize::from(group)] = Some(Flight { chunk, left, failed: false });
        }
    }

    fn reap(&mut self, state: &mut State) -> Result<(), Problem> {
        for came in self.reader.wait()? {
            let Some(flight) = self.flights[usize::from(came.group)].as_mut() else { continue };
            flight.left -= 1;
            flight.failed |= came.bytes.is_none_or(|bytes| bytes < flight.chunk.len);
            if flight.left == 0 {
                let Some(flight) = self.flights[usize::from(came.group)].take() else { continue };
                self.compare(came.group, &flight, state);
            }
        }
        let in_flight = self.flights.iter().flatten().map(|flight| flight.chunk.at);
        state.done = in_flight.min().unwrap_or(self.next);
        Ok(())
    }

    fn compare(&self, group: u16, flight: &Flight, state: &mut State) {
        let chunk = &flight.chunk;
        if flight.failed {
            state.pending.push(Stretch { at: chunk.at, len: chunk.len });
            return;
        }
        let copies: Vec<&[u8]> =
            (0..chunk.copies.len()).map(|copy| self.reader.bytes(group, copy, chunk.len)).collect();
        // Nearly always all is alike, which is seen fastest at once.
        if copies.windows(2).all(|pair| pair[0] == pair[1]) {
            return;
        }
        let stretch = |range: std::ops::Range<u64>| Stretch {
            at: chunk.at + range.start,
            len: range.end - range.start,
        };
        state.pending.extend(differing(&copies).into_iter().map(stretch));
    }
}

fn is_full(pending: &[Stretch]) -> bool {
    pending.len() >= MOST_PENDING
        || pending.iter().map(|stretch| stretch.len).sum::<u64>() >= MOST_PENDING_BYTES
}

fn queue_broke(error: &std::io::Error) -> Problem {
    Problem::new(ExitKind::CutShort, format!("the I/O queue failed: {error}"))
        .because("the kernel refused to submit or to wait")
        .next("start again; a scrub with a state file can be resumed with --resume")
}
