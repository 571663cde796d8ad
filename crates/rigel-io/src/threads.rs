//! One thread per slot, each doing one blocking read or write at a time. This works on every kernel and in every
//! container.
//!
//! Every slot has its own thread, so exactly as many I/Os are in flight as were submitted. Must not be used to find out
//! how fast a device can be: each I/O costs two wake-ups. Where each outstanding I/O can have a worker of its own, the engine
//! `sync` needs none.

use crate::backend::{Backend, Completion, NewBackend, Op, SlotLayout};
use crate::buffers::Memory;
use crate::slots::{Slots, outcome};
use crate::targets::{OpenTarget, OpenTargets};
use rigel_core::error::Problem;
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use rustix::fs::fdatasync;
use rustix::io::{Errno, ReadWriteFlags, pread, pwrite, pwritev2, retry_on_intr};
use std::io::{self, IoSlice};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Small, because reading and writing need little stack, and there can be thousands of threads.
const STACK_BYTES: usize = 128 << 10;

/// After this the caller gets to check the age of the I/Os in flight.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The engine `threads`.
#[derive(Debug)]
pub struct Threads {
    pool: Vec<Thread>,
    answers: Arc<Answers>,
    queued: Vec<Op>,
    done: Vec<Completion>,
    abandoned: bool,
    /// Dropped after the pool has ended (`Drop` joins it), so no thread outlives its buffer.
    slots: Slots,
}

#[derive(Debug)]
struct Thread {
    inbox: Arc<Inbox>,
    handle: JoinHandle<()>,
}

/// Hands a thread its next request; it never holds more than one.
#[derive(Debug, Default)]
struct Inbox {
    request: Mutex<Option<Request>>,
    arrived: Condvar,
}

#[derive(Debug)]
enum Request {
    Transfer(Op),
    Stop,
}

/// Collects the completions of all threads.
#[derive(Debug)]
struct Answers {
    list: Mutex<List>,
    enough: Condvar,
}

#[derive(Debug)]
struct List {
    done: Vec<Completion>,
    /// Completions that the owner waits for; 0 if it does not wait.
    wanted: usize,
}

impl Threads {
    /// Starts one thread per slot.
    ///
    /// # Errors
    /// When there is no memory for the buffers, or the host does not allow this many threads.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<NewBackend<Self>, Problem> {
        let slots = Slots::new(&layout, targets.iter().map(|target| target.writable()), seed)?;
        let buffer_facts = slots.buffer_facts().clone();
        let capacity = usize::from(layout.slots());
        let list = List { done: Vec::with_capacity(capacity), wanted: 0 };
        let answers = Arc::new(Answers { list: Mutex::new(list), enough: Condvar::new() });
        let mut backend = Self {
            pool: Vec::with_capacity(capacity),
            answers,
            queued: Vec::with_capacity(capacity),
            done: Vec::with_capacity(capacity),
            abandoned: false,
            slots,
        };
        for slot in 0..layout.slots() {
            // A failure drops the backend, which ends the threads that were started.
            backend.start(slot, &targets).map_err(|error| no_thread(layout.slots().into(), &error))?;
        }
        Ok((backend, EngineFacts::plain(EngineKind::Threads), buffer_facts))
    }

    fn start(&mut self, slot: u16, targets: &Arc<OpenTargets>) -> io::Result<()> {
        let inbox = Arc::new(Inbox::default());
        let worker = Worker {
            memory: self.slots.memory(slot),
            inbox: Arc::clone(&inbox),
            answers: Arc::clone(&self.answers),
            targets: Arc::clone(targets),
        };
        let builder = Builder::new().name(format!("rigel-io-{slot}")).stack_size(STACK_BYTES);
        let handle = builder.spawn(move || worker.work())?;
        self.pool.push(Thread { inbox, handle });
        Ok(())
    }

    /// Passes every I/O to the thread of its slot.
    fn hand_over(&mut self) {
        for op in self.queued.drain(..) {
            self.pool[usize::from(op.slot)].inbox.post(Request::Transfer(op));
        }
    }
}

impl Backend for Threads {
    fn slots(&self) -> u16 {
        self.slots.count()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        self.slots.buffer_mut(slot)
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        self.slots.buffer(slot)
    }

    fn push(&mut self, op: Op) {
        self.slots.begin(&op);
        self.queued.push(op);
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        self.hand_over();
        self.answers.take(&mut self.done, usize::from(self.slots.awaitable(wait_for)), LONGEST_WAIT);
        Ok(())
    }

    fn submit_within(&mut self, wait_for: u16, longest_ns: u64) -> io::Result<()> {
        self.hand_over();
        let longest = Duration::from_nanos(longest_ns).min(LONGEST_WAIT);
        let wait_for = if longest_ns == 0 { 0 } else { usize::from(wait_for) };
        self.answers.take(&mut self.done, wait_for, longest);
        Ok(())
    }

    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for completion in self.done.drain(..) {
            self.slots.end(completion.slot);
            sink(completion);
        }
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // An I/O in flight cannot be cancelled: its thread stops after it.
        self.pool.iter().for_each(|thread| thread.inbox.post(Request::Stop));
        if self.abandoned {
            self.slots.leak();
            return;
        }
        for thread in self.pool.drain(..) {
            if thread.handle.join().is_err() {
                self.slots.leak();
            }
        }
    }
}

impl Inbox {
    fn post(&self, request: Request) {
        *lock(&self.request) = Some(request);
        self.arrived.notify_one();
    }

    fn next(&self) -> Request {
        let mut slot = lock(&self.request);
        loop {
            match slot.take() {
                Some(request) => return request,
                None => slot = self.arrived.wait(slot).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl Answers {
    fn put(&self, completion: Completion) {
        let mut list = lock(&self.list);
        list.done.push(completion);
        // One wake-up for all that the owner waits for: one for each would cost more than the I/O.
        if list.wanted > 0 && list.done.len() >= list.wanted {
            self.enough.notify_one();
        }
    }

    /// Moves all completions to `into` once it can hold `wait_for` of them, or after that time.
    fn take(&self, into: &mut Vec<Completion>, wait_for: usize, longest: Duration) {
        let mut list = lock(&self.list);
        list.wanted = wait_for.saturating_sub(into.len());
        let is_waiting = |list: &mut List| list.done.len() < list.wanted;
        let waited = self.enough.wait_timeout_while(list, longest, is_waiting);
        (list, _) = waited.unwrap_or_else(PoisonError::into_inner);
        list.wanted = 0;
        into.append(&mut list.done);
    }
}

/// Ignores poison: no code here can panic in the middle of a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The part of a slot that its thread owns.
struct Worker {
    memory: Memory,
    inbox: Arc<Inbox>,
    answers: Arc<Answers>,
    targets: Arc<OpenTargets>,
}

// SAFETY: `memory` is the only part that is not `Send`. The thread uses it only in `transfer`, between a request and
// its completion. Meanwhile the slot is busy, so the owner lends the buffer to nobody (`Slots`). The owner joins the
// thread before it unmaps the memory; an owner that is never dropped never unmaps it.
unsafe impl Send for Worker {}

impl Worker {
    fn work(self) {
        while let Request::Transfer(op) = self.inbox.next() {
            let outcome = self.transfer(&op);
            self.answers.put(Completion { slot: op.slot, outcome });
        }
    }

    fn transfer(&self, op: &Op) -> Result<u32, i32> {
        let target = &self.targets[usize::from(op.target)];
        // SAFETY: `Slots::begin` has checked that `len` is within the buffer, and has marked the slot as busy until the
        // owner has the completion. This thread sends it after the last use of the reference; see also `Send` above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.memory.start.as_ptr(), op.len as usize) };
        transfer(target, bytes, op)
    }
}

/// Reads or writes, and waits for it.
pub(crate) fn transfer(target: &OpenTarget, bytes: &mut [u8], op: &Op) -> Result<u32, i32> {
    let moved = retry_on_intr(|| match op.direction {
        Direction::Read => pread(target, &mut *bytes, op.offset),
        Direction::Write => write(target, &*bytes, op),
    });
    match moved {
        Ok(moved) => outcome(i64::try_from(moved).unwrap_or(i64::MAX)),
        Err(errno) => Err(errno.raw_os_error()),
    }
}

/// Writes, and comes back when the write is as durable as it was asked to be.
fn write(target: &OpenTarget, bytes: &[u8], op: &Op) -> Result<usize, Errno> {
    match op.sync {
        Sync::None => pwrite(target, bytes, op.offset),
        Sync::Dsync => pwritev2(target, &[IoSlice::new(bytes)], op.offset, ReadWriteFlags::DSYNC),
        Sync::Fdatasync => {
            let moved = pwrite(target, bytes, op.offset)?;
            // A short write is a failure already.
            if moved == bytes.len() {
                retry_on_intr(|| fdatasync(target))?;
            }
            Ok(moved)
        }
    }
}

/// Why no thread more can be started, of this many.
pub(crate) fn no_thread(threads: u32, error: &io::Error) -> Problem {
    Problem::refused(format!("cannot start {threads} threads for {threads} outstanding I/Os"))
        .because(format!("a limit on threads is reached (ulimit -u, kernel.threads-max, pids.max): {error}"))
        .next("lower the number of outstanding I/Os, leave out --engine, or raise that limit")
}
