//! One outstanding I/O, which its worker waits for in pread or pwrite: the way in which PostgreSQL before version 18, MySQL and most programs
//! read.
//!
//! A worker with its own I/O needs no hand-over, and no wake-up except the device's. Where a driver cannot answer without waiting,
//! the ring hands each I/O to a thread of the kernel, which costs more than a thread of ours. Must not have more than one slot: the second I/O
//! would wait for the first, and not be in flight.

use crate::backend::{Backend, Completion, NewBackend, Op, SlotLayout};
use crate::slots::Slots;
use crate::targets::OpenTargets;
use crate::threads::{no_thread, transfer};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::load::workload::Direction;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};

/// More than this many threads run into limits of the kernel on their mappings, which nothing survives.
const MOST_WORKERS: u32 = 10_000;
/// Threads that only wait need little.
const STACK_BYTES: usize = 64 << 10;

/// What the workers of a bench wait for. One that the kernel holds cannot report, so others must.
#[derive(Clone, Debug, Default)]
pub struct WaitingBoard(Arc<Mutex<Vec<Arc<AtomicU64>>>>);

/// An I/O that a worker waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingIo {
    /// Index of the target.
    pub target: u16,
    /// Its byte offset in the target, in whole sectors.
    pub offset: u64,
    /// Read or write.
    pub direction: Direction,
}

impl WaitingBoard {
    /// A place of one more worker.
    fn place(&self) -> Arc<AtomicU64> {
        let place = Arc::new(AtomicU64::new(NOTHING));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&place));
        place
    }

    /// The waits at the moment.
    pub fn all(&self) -> Vec<WaitingIo> {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.iter().filter_map(|place| WaitingIo::of_word(place.load(Ordering::Relaxed))).collect()
    }
}

/// The entry of a worker that waits for nothing.
const NOTHING: u64 = 0;
/// Low bits of a word: one that is set, the direction, the target. Above them is the sector: 46 bits are 32 PiB.
const TARGET_SHIFT: u32 = 2;
const SECTOR_SHIFT: u32 = TARGET_SHIFT + u16::BITS;
const SECTOR_BITS: u32 = 9;

impl WaitingIo {
    #[inline]
    pub(crate) const fn word(op: &Op) -> u64 {
        let writes = matches!(op.direction, Direction::Write) as u64;
        (op.offset >> SECTOR_BITS) << SECTOR_SHIFT | (op.target as u64) << TARGET_SHIFT | writes << 1 | 1
    }

    pub(crate) fn of_word(word: u64) -> Option<Self> {
        let direction = if word & 0b10 == 0 { Direction::Read } else { Direction::Write };
        let target = u16::try_from(word >> TARGET_SHIFT & u64::from(u16::MAX)).unwrap_or(u16::MAX);
        let offset = word >> SECTOR_SHIFT << SECTOR_BITS;
        (word != NOTHING).then_some(Self { target, offset, direction })
    }
}

/// The engine `sync`.
#[derive(Debug)]
pub struct SyncIo {
    /// Where others see what it waits for.
    place: Arc<AtomicU64>,
    targets: Arc<OpenTargets>,
    queued: Option<Op>,
    done: Option<Completion>,
    slots: Slots,
}

impl SyncIo {
    /// An engine with one slot, or with none for a worker without work on this node.
    ///
    /// # Errors
    /// When there is no memory for the buffer; more than one slot is a bug of the caller.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<NewBackend<Self>, Problem> {
        if layout.slots() > 1 {
            let what = format!("{} outstanding I/Os in one worker of the engine sync", layout.slots());
            return Err(Problem::new(ExitKind::Bug, what).next("please report this with the command line"));
        }
        let slots = Slots::of_many(&layout, targets.iter().map(|target| target.writable()), seed)?;
        let buffers = slots.buffer_facts().clone();
        let place = Arc::new(AtomicU64::new(NOTHING));
        let backend = Self { place, targets, queued: None, done: None, slots };
        Ok((backend, EngineFacts::plain(EngineKind::Sync), buffers))
    }

    /// The same, which publishes what it waits for.
    #[must_use]
    pub fn on(self, board: &WaitingBoard) -> Self {
        Self { place: board.place(), ..self }
    }
}

impl Backend for SyncIo {
    fn slots(&self) -> u16 {
        self.slots.count()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        self.slots.buffer_mut(slot)
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        self.slots.buffer(slot)
    }

    fn longest_wait_ns(&self) -> u64 {
        u64::MAX
    }

    #[inline]
    fn push(&mut self, op: Op) {
        self.slots.begin(&op);
        self.queued = Some(op);
    }

    #[inline]
    fn submit(&mut self, _wait_for: u16) -> io::Result<()> {
        if let Some(op) = self.queued.take() {
            let target = &self.targets[usize::from(op.target)];
            let memory = self.slots.memory(op.slot);
            // SAFETY: `Slots::begin` has checked that `len` is within the buffer, and has marked the slot as busy, so that nobody else has a
            // reference to it until `reap`. The call below returns when the kernel has done with it.
            let bytes = unsafe { std::slice::from_raw_parts_mut(memory.start.as_ptr(), op.len as usize) };
            self.place.store(WaitingIo::word(&op), Ordering::Relaxed);
            self.done = Some(Completion { slot: op.slot, outcome: transfer(target, bytes, &op) });
            self.place.store(NOTHING, Ordering::Relaxed);
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        if let Some(completion) = self.done.take() {
            self.slots.end(completion.slot);
            sink(completion);
        }
    }
}

/// Whether this host allows this many threads: each is started, and all end.
///
/// # Errors
/// When one cannot be started, with the limits that may be the reason.
pub(crate) fn probe(threads: u32) -> Result<(), Problem> {
    if threads > MOST_WORKERS {
        return Err(Problem::usage(format!(
            "{threads} outstanding I/Os need as many workers with the engine sync"
        ))
        .at("--engine sync")
        .because(format!("kernels are usually not configured for more than {MOST_WORKERS} threads"))
        .next("use fewer outstanding I/Os, or --engine io_uring or libaio"));
    }
    let mut waiting = Vec::new();
    let start = || Builder::new().stack_size(STACK_BYTES).spawn(thread::park);
    let refused = (0..threads).find_map(|_| match start() {
        Ok(thread) => {
            waiting.push(thread);
            None
        }
        Err(error) => Some(error),
    });
    for thread in waiting {
        thread.thread().unpark();
        // It does nothing but wait.
        let _ = thread.join();
    }
    refused.map_or(Ok(()), |error| Err(no_thread(threads, &error)))
}
