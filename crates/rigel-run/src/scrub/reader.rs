//! Reads all copies of a chunk at once, within the rate limit. Must not compare.

use super::{LAST_WAIT_NS, SHORT_SLEEP, queue_broke};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use rigel_core::units::{MIB, NS_PER_S, Nanos};
use rigel_io::backend::{Backend, Op};
use rigel_io::clock::{Clock as _, MonotonicClock};
use rigel_uses::scrub::{Chunk, Place, letter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Chunks in flight; each has a read for every copy.
pub(crate) const CHUNKS: u16 = 8;

pub(crate) struct Reader<B> {
    backend: B,
    /// Slots of each chunk.
    copies: u16,
    unit: u64,
    max_mbps: Option<u64>,
    clock: MonotonicClock,
    /// When the next read may begin.
    due_ns: u64,
    /// By slot: the position of the copy that is being read.
    in_flight: Vec<Option<Place>>,
    /// When the last read completed, or the first one of those in flight began.
    heard_ns: u64,
    patience_ns: u64,
}

/// A read of one copy.
pub(crate) struct LoneRead {
    pub(crate) took_ns: u64,
    /// Why it failed: the error number of the system.
    pub(crate) failed: Option<i32>,
}

/// A read that ended.
pub(crate) struct ReadEnd {
    /// The chunk's place among those in flight.
    pub(crate) group: u16,
    pub(crate) copy: usize,
    /// Bytes that were read; `None` if it failed.
    pub(crate) bytes: Option<u64>,
    /// Why it failed; 0 if it did not.
    pub(crate) errno: i32,
}

impl<B: Backend> Reader<B> {
    /// `patience_ns`: if no read completes for this long, a disk hangs.
    pub(crate) fn new(backend: B, copies: u16, unit: u64, max_mbps: Option<u64>, patience_ns: u64) -> Self {
        Self {
            backend,
            copies,
            unit,
            max_mbps,
            clock: MonotonicClock::start(),
            due_ns: 0,
            in_flight: vec![None; usize::from(copies * CHUNKS)],
            heard_ns: 0,
            patience_ns,
        }
    }

    /// Time until the next read may begin, 0 if it may now.
    pub(crate) fn wait_ns(&self) -> u64 {
        self.due_ns.saturating_sub(self.clock.now_ns())
    }

    /// Begins to read all copies of a chunk, at most [`CHUNKS`] of which are in flight.
    pub(crate) fn push(&mut self, group: u16, chunk: &Chunk) {
        if let Some(mbps) = self.max_mbps {
            let takes_ns =
                u128::from(chunk.len) * u128::from(NS_PER_S) / (u128::from(mbps.max(1)) * u128::from(MIB));
            let takes_ns = u64::try_from(takes_ns).unwrap_or(u64::MAX);
            // Time that passed unused is not made up for.
            self.due_ns = self.due_ns.max(self.clock.now_ns()).saturating_add(takes_ns);
        }
        let len = u32::try_from(chunk.len.next_multiple_of(self.unit)).unwrap_or(u32::MAX);
        if self.in_flight.iter().all(Option::is_none) {
            self.heard_ns = self.clock.now_ns();
        }
        for (slot, place) in (group * self.copies..).zip(&chunk.copies) {
            self.in_flight[usize::from(slot)] = Some(*place);
            let (target, offset) = (place.disk, place.offset);
            self.backend.push(Op { slot, target, direction: Direction::Read, offset, len, sync: Sync::None });
        }
    }

    /// Waits for reads, about a second at most.
    ///
    /// # Errors
    /// When the queue breaks, or nothing has come back for too long.
    pub(crate) fn wait(&mut self) -> Result<Vec<ReadEnd>, Problem> {
        self.backend.submit(1).map_err(|error| queue_broke(&error))?;
        let mut came = Vec::new();
        let copies = self.copies;
        let Self { backend, in_flight, .. } = self;
        backend.reap(|done| {
            in_flight[usize::from(done.slot)] = None;
            let (group, copy) = (done.slot / copies, usize::from(done.slot % copies));
            let (bytes, errno) = (done.outcome.ok().map(u64::from), done.outcome.err().unwrap_or(0));
            came.push(ReadEnd { group, copy, bytes, errno });
        });
        let now_ns = self.clock.now_ns();
        if !came.is_empty() {
            self.heard_ns = now_ns;
        } else if now_ns.saturating_sub(self.heard_ns) >= self.patience_ns
            && let Some(slot) = self.in_flight.iter().position(Option::is_some)
        {
            let offset = self.in_flight[slot].map_or(0, |place| place.offset);
            self.abandon();
            let copy = (copies > 1).then_some(slot % usize::from(copies));
            return Err(hangs(copy, offset, self.patience_ns));
        }
        Ok(came)
    }

    /// What was read of a copy of a chunk that is no longer in flight.
    pub(crate) fn bytes(&self, group: u16, copy: usize, len: u64) -> &[u8] {
        let slot = group * self.copies + u16::try_from(copy).unwrap_or(0);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        &self.backend.buffer(slot)[..len]
    }

    /// Reads all copies of a chunk now, with nothing else in flight: their bytes or error numbers. What ends early has the number of
    /// missing data.
    pub(crate) fn read(&mut self, chunk: &Chunk) -> Result<Vec<Result<&[u8], i32>>, Problem> {
        std::thread::sleep(Duration::from_nanos(self.wait_ns()));
        self.push(0, chunk);
        let mut outcomes = vec![None; chunk.copies.len()];
        while outcomes.iter().any(Option::is_none) {
            for came in self.wait()? {
                let whole = came.bytes.is_some_and(|bytes| bytes >= chunk.len);
                let failed = if came.bytes.is_some() { ENDS_EARLY } else { came.errno };
                if let Some(outcome) = outcomes.get_mut(came.copy) {
                    *outcome = Some(if whole { Ok(()) } else { Err(failed) });
                }
            }
        }
        let bytes = |(copy, outcome): (usize, &Option<Result<(), i32>>)| match outcome {
            Some(Err(errno)) => Err(*errno),
            _ => Ok(self.bytes(0, copy, chunk.len)),
        };
        Ok(outcomes.iter().enumerate().map(bytes).collect())
    }

    /// Reads the one copy of a chunk, with nothing else in flight, and shows how long it took. `None` when the user ended it, and it did not
    /// begin or did not end in time.
    pub(crate) fn read_one(&mut self, chunk: &Chunk, stop: &AtomicBool) -> Result<Option<LoneRead>, Problem> {
        while self.wait_ns() > 0 {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            std::thread::sleep(SHORT_SLEEP.min(Duration::from_nanos(self.wait_ns())));
        }
        let began_ns = self.clock.now_ns();
        self.push(0, chunk);
        let mut stopped_ns = None;
        loop {
            let came = self.wait()?;
            let now_ns = self.clock.now_ns();
            if let Some(came) = came.into_iter().next() {
                let is_whole = came.bytes.is_some_and(|bytes| bytes >= chunk.len);
                let errno = if came.bytes.is_some() { ENDS_EARLY } else { came.errno };
                let failed = (!is_whole).then_some(errno);
                return Ok(Some(LoneRead { took_ns: now_ns - began_ns, failed }));
            }
            if stop.load(Ordering::Relaxed) && now_ns - *stopped_ns.get_or_insert(now_ns) > LAST_WAIT_NS {
                self.abandon();
                return Ok(None);
            }
        }
    }

    pub(crate) fn abandon(&mut self) {
        self.backend.cancel();
        self.backend.abandon();
    }
}

/// `copy`: its number, if there are several.
fn hangs(copy: Option<usize>, offset: u64, patience_ns: u64) -> Problem {
    let place = match copy {
        Some(copy) => format!("copy {}, byte {offset} of its disk", letter(copy)),
        None => format!("byte {offset}"),
    };
    Problem::new(ExitKind::CutShort, format!("no read completed for {}", Nanos(patience_ns)))
        .at(place)
        .because("the device, its path or its server does not respond")
        .next("check the kernel log (dmesg) for the device; resume from the state file with --resume")
}

/// ENODATA: the copy is shorter than it was.
const ENDS_EARLY: i32 = 61;
