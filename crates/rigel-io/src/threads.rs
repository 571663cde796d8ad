//! One thread per slot, each doing one blocking read or write at a time: works on every kernel and in every
//! container.
//!
//! The thread of a slot waits at its mailbox; so as many I/Os are in flight as were submitted, never fewer
//! for want of a thread. Must not be measured for speed: each I/O costs two wake-ups.

use crate::backend::{Backend, Completion, Op, SlotLayout};
use crate::buffers::Memory;
use crate::slots::{Slots, outcome};
use crate::targets::OpenTargets;
use rigel_core::error::Problem;
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::load::workload::Direction;
use rustix::io::{Errno, pread, pwrite};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Reading and writing needs little, and there can be thousands.
const STACK_BYTES: usize = 128 << 10;

/// So that the caller can look at the age of what is in flight.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The engine `threads`.
#[derive(Debug)]
pub struct Threads {
    pool: Vec<Member>,
    answers: Arc<Answers>,
    queued: Vec<Op>,
    done: Vec<Completion>,
    abandoned: bool,
    /// Dropped after the pool has ended (`Drop` joins it), so no thread outlives its buffer.
    slots: Slots,
}

#[derive(Debug)]
struct Member {
    mailbox: Arc<Mailbox>,
    /// `None` only while dropping.
    thread: Option<JoinHandle<()>>,
}

/// Where a thread gets its next I/O.
#[derive(Debug, Default)]
struct Mailbox {
    letter: Mutex<Option<Letter>>,
    arrived: Condvar,
}

#[derive(Debug)]
enum Letter {
    Carry(Op),
    Stop,
}

/// Where all threads put what is done.
#[derive(Debug)]
struct Answers {
    list: Mutex<List>,
    enough: Condvar,
}

#[derive(Debug)]
struct List {
    done: Vec<Completion>,
    /// How many the owner waits for; 0 when it does not wait.
    wanted: usize,
}

impl Threads {
    /// Starts one thread per slot.
    ///
    /// # Errors
    /// When there is no memory for the buffers, or the host does not allow so many threads.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
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
            backend.start(slot, &targets).map_err(|error| no_thread(layout.slots(), &error))?;
        }
        Ok((backend, EngineFacts::plain(EngineKind::Threads), buffer_facts))
    }

    fn start(&mut self, slot: u16, targets: &Arc<OpenTargets>) -> io::Result<()> {
        let mailbox = Arc::new(Mailbox::default());
        let porter = Porter {
            memory: self.slots.memory(slot),
            mailbox: Arc::clone(&mailbox),
            answers: Arc::clone(&self.answers),
            targets: Arc::clone(targets),
        };
        let builder = Builder::new().name(format!("rigel-io-{slot}")).stack_size(STACK_BYTES);
        let thread = builder.spawn(move || porter.work())?;
        self.pool.push(Member { mailbox, thread: Some(thread) });
        Ok(())
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
        let wait_for = usize::from(self.slots.awaitable(wait_for));
        for op in self.queued.drain(..) {
            self.pool[usize::from(op.slot)].mailbox.post(Letter::Carry(op));
        }
        self.answers.take(&mut self.done, wait_for);
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
        // An I/O in flight cannot be taken back: its thread ends after it.
        self.pool.iter().for_each(|member| member.mailbox.post(Letter::Stop));
        if self.abandoned {
            self.slots.leak();
            return;
        }
        for member in &mut self.pool {
            let ended = member.thread.take().map(JoinHandle::join);
            if !matches!(ended, Some(Ok(()))) {
                self.slots.leak();
            }
        }
    }
}

impl Mailbox {
    fn post(&self, letter: Letter) {
        *lock(&self.letter) = Some(letter);
        self.arrived.notify_one();
    }

    fn collect(&self) -> Letter {
        let mut letter = lock(&self.letter);
        loop {
            match letter.take() {
                Some(letter) => return letter,
                None => letter = self.arrived.wait(letter).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl Answers {
    fn put(&self, completion: Completion) {
        let mut list = lock(&self.list);
        list.done.push(completion);
        // Waking the owner for each of many would cost more than the I/O.
        if list.wanted > 0 && list.done.len() >= list.wanted {
            self.enough.notify_one();
        }
    }

    /// Moves everything to `into` as soon as there are `wait_for` in it, or after a second.
    fn take(&self, into: &mut Vec<Completion>, wait_for: usize) {
        let mut list = lock(&self.list);
        list.wanted = wait_for.saturating_sub(into.len());
        let begun = list;
        let is_waiting = |list: &mut List| list.done.len() < list.wanted;
        let waited = self.enough.wait_timeout_while(begun, LONGEST_WAIT, is_waiting);
        (list, _) = waited.unwrap_or_else(PoisonError::into_inner);
        list.wanted = 0;
        into.append(&mut list.done);
    }
}

/// Nothing in here can panic with a lock held and leave half a change behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one thread works with.
struct Porter {
    memory: Memory,
    mailbox: Arc<Mailbox>,
    answers: Arc<Answers>,
    targets: Arc<OpenTargets>,
}

// SAFETY: `memory` is the only part that is not `Send`. The thread uses it only in `carry`, between a letter
// and its answer. Meanwhile the slot is busy, so that the owner lends the buffer to nobody (`Slots`), and the
// owner joins the thread before it unmaps the memory; if it is never dropped, the memory is never unmapped.
unsafe impl Send for Porter {}

impl Porter {
    fn work(self) {
        while let Letter::Carry(op) = self.mailbox.collect() {
            let outcome = self.carry(&op);
            self.answers.put(Completion { slot: op.slot, outcome });
        }
    }

    fn carry(&self, op: &Op) -> Result<u32, i32> {
        let target = &self.targets[usize::from(op.target)];
        // SAFETY: `Slots::begin` has checked that `len` is within the buffer and has marked the slot as busy
        // until the owner has the answer, which this thread gives after the last use of the reference; see
        // also `Send` above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.memory.start.as_ptr(), op.len as usize) };
        loop {
            let moved = match op.direction {
                Direction::Read => pread(target, &mut *bytes, op.offset),
                Direction::Write => pwrite(target, bytes, op.offset),
            };
            match moved {
                Ok(moved) => return outcome(i64::try_from(moved).unwrap_or(i64::MAX)),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.raw_os_error()),
            }
        }
    }
}

fn no_thread(slots: u16, error: &io::Error) -> Problem {
    Problem::refused(format!("cannot start {slots} threads for {slots} outstanding I/Os"))
        .because(error.to_string())
        .next("lower the number of outstanding I/Os, or raise the limits (ulimit -u, kernel.threads-max, pids.max)")
}
