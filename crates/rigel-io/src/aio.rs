//! Linux asynchronous I/O (libaio without the library), for hosts and containers that refuse io_uring.
//!
//! It is asynchronous only for direct I/O, and not on every filesystem. [`Backend::submit`] makes two system calls, the
//! other functions none.

mod context;

use crate::backend::{Backend, Completion, NewBackend, Op, SlotLayout};
use crate::limits::sysctl;
use crate::slots::{Slots, outcome};
use crate::tag::{self, Next};
use crate::targets::{OpenTarget, OpenTargets};
use context::{Context, Event, Iocb};
use rigel_core::error::Problem;
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// After this the caller gets to check the age of the I/Os in flight.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The engine `libaio`.
#[derive(Debug)]
pub struct Aio {
    context: Context,
    queued: Vec<Iocb>,
    /// The addresses of `queued`; filled only during a call.
    pointers: Vec<*mut Iocb>,
    /// The first `ready` can be reaped.
    events: Box<[Event]>,
    ready: usize,
    /// I/Os in the kernel whose event has not been taken.
    in_kernel: usize,
    abandoned: bool,
    slots: Slots,
    targets: Arc<OpenTargets>,
}

impl Aio {
    /// Reserves exactly one event of the host per slot.
    ///
    /// # Errors
    /// When the host has no events left, or no memory for the buffers.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<NewBackend<Self>, Problem> {
        let count = layout.slots();
        let context = set_up(u32::from(count)).map_err(|error| problem(u32::from(count), &error))?;
        let slots = Slots::new(&layout, targets.iter().map(|target| target.writable()), seed)?;
        let buffer_facts = slots.buffer_facts().clone();
        let backend = Self {
            context,
            queued: Vec::with_capacity(usize::from(count)),
            pointers: Vec::with_capacity(usize::from(count)),
            events: vec![Event::default(); usize::from(count)].into(),
            ready: 0,
            in_kernel: 0,
            abandoned: false,
            slots,
            targets,
        };
        Ok((backend, EngineFacts::plain(EngineKind::Libaio), buffer_facts))
    }

    /// Submits the queue. An I/O that the kernel refuses becomes an event with its errno.
    fn hand_over(&mut self) -> io::Result<()> {
        let mut queued = std::mem::take(&mut self.queued);
        let mut pointers = std::mem::take(&mut self.pointers);
        pointers.extend(queued.iter_mut().map(std::ptr::from_mut));
        let result = self.submit_all(&mut pointers);
        pointers.clear();
        queued.clear();
        (self.queued, self.pointers) = (queued, pointers);
        result
    }

    fn submit_all(&mut self, mut iocbs: &mut [*mut Iocb]) -> io::Result<()> {
        while !iocbs.is_empty() {
            // SAFETY: the pointers point into the queue of `hand_over`, which it holds until this returns. `Slots::begin`
            // has marked the slot of each buffer as busy, so nobody else touches it, and it stays mapped until `drop` has
            // seen the event or destroyed the context.
            let refusal = match unsafe { self.context.submit(iocbs) } {
                Ok(taken) if taken > 0 => {
                    self.in_kernel += taken;
                    iocbs = &mut iocbs[taken..];
                    continue;
                }
                Ok(_) => libc::EAGAIN,
                Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
            };
            match refusal {
                libc::EINTR => {}
                // Short of resources for now: I/Os in flight will free some.
                libc::EAGAIN if self.in_kernel > 0 => self.collect(self.ready + 1, LONGEST_WAIT)?,
                errno => {
                    // SAFETY: the pointer is one of a live queue, as above, and the kernel keeps none.
                    let tag = unsafe { (*iocbs[0]).data };
                    self.events[self.ready] = Event::refused(tag, errno);
                    self.ready += 1;
                    iocbs = &mut iocbs[1..];
                }
            }
        }
        Ok(())
    }

    /// Takes all events that have arrived, and waits until `wanted` are ready, or for that time.
    fn collect(&mut self, wanted: usize, longest: Duration) -> io::Result<()> {
        // With `wanted` 0 too: a polling caller wants to see what has arrived.
        while self.in_kernel > 0 {
            let least = wanted.saturating_sub(self.ready);
            match self.context.events(least, &mut self.events[self.ready..], longest) {
                Ok(count) => {
                    self.ready += count;
                    self.in_kernel -= count;
                    // The wait has timed out. After a signal there is an event or an error.
                    if count == 0 {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.ready >= wanted {
                break;
            }
        }
        Ok(())
    }
}

impl Backend for Aio {
    fn slots(&self) -> u16 {
        self.slots.count()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        self.slots.buffer_mut(slot)
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        self.slots.buffer(slot)
    }

    #[inline]
    fn push(&mut self, op: Op) {
        self.slots.begin(&op);
        let file = self.targets[usize::from(op.target)].as_fd().as_raw_fd();
        self.queued.push(Iocb::new(&op, file, self.slots.memory(op.slot).start.as_ptr()));
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        let wait_for = usize::from(self.slots.awaitable(wait_for));
        self.hand_over()?;
        self.collect(wait_for, LONGEST_WAIT)
    }

    fn submit_within(&mut self, wait_for: u16, longest_ns: u64) -> io::Result<()> {
        self.hand_over()?;
        let longest = Duration::from_nanos(longest_ns).min(LONGEST_WAIT);
        if longest_ns > 0 && self.in_kernel == 0 && self.ready == 0 {
            thread::sleep(longest);
            return Ok(());
        }
        self.collect(if longest_ns == 0 { 0 } else { usize::from(wait_for) }, longest)
    }

    #[inline]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        let ready = std::mem::take(&mut self.ready);
        for event in &self.events[..ready] {
            let (slot, _) = tag::slot_and_len(event.data);
            let mut over = Completion { slot, outcome: outcome(event.result) };
            if event.data & tag::MARKED != 0 {
                match tag::next(event.data, over.outcome) {
                    Next::Over(completion) => over = completion,
                    // The slot stays busy. The next `submit` sends the flush.
                    Next::Flush(op) => {
                        let file = self.targets[usize::from(op.target)].as_fd().as_raw_fd();
                        self.queued.push(Iocb::flush(&op, file));
                        continue;
                    }
                }
            }
            self.slots.end(over.slot);
            sink(over);
        }
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl Drop for Aio {
    fn drop(&mut self) {
        if self.abandoned {
            // Destroying the context would wait for the I/O. The kernel waits when the process exits, after its output.
            self.slots.leak();
            self.context.leak();
            return;
        }
        self.ready = 0;
        while self.in_kernel > 0 && self.collect(1, LONGEST_WAIT).is_ok() {
            self.ready = 0;
        }
        // `destroy` waits too, in case `collect` failed.
        if !self.context.destroy() && self.in_kernel > 0 {
            self.slots.leak();
        }
    }
}

/// Tries whether all workers together can have this many outstanding I/Os: the kernel counts events, not contexts.
pub(crate) fn probe(events: u32) -> io::Result<()> {
    set_up(events).map(drop)
}

/// Tries to read with the flag of a durable write, which reads take without effect.
pub(crate) fn try_durable_read(target: &OpenTarget, buffer: &mut [u8]) -> io::Result<()> {
    let op = Op {
        slot: 0,
        target: 0,
        direction: Direction::Read,
        offset: 0,
        len: u32::try_from(buffer.len()).unwrap_or(u32::MAX),
        sync: Sync::Dsync,
    };
    let iocb = Iocb::new(&op, target.as_fd().as_raw_fd(), buffer.as_mut_ptr()).durable();
    try_one(iocb, buffer)
}

/// Tries to flush a target.
pub(crate) fn try_flush(target: &OpenTarget) -> io::Result<()> {
    let op = Op { slot: 0, target: 0, direction: Direction::Write, offset: 0, len: 0, sync: Sync::Fdatasync };
    try_one(Iocb::flush(&op, target.as_fd().as_raw_fd()), &mut [])
}

/// One request to completion. `buffer` is what it may write to.
fn try_one(mut iocb: Iocb, buffer: &mut [u8]) -> io::Result<()> {
    let mut context = set_up(1)?;
    // SAFETY: the request is alive during the call. Its buffer is borrowed until the context is destroyed below, which waits
    // for the request.
    unsafe { context.submit(&mut [&raw mut iocb]) }?;
    let mut event = [Event::default()];
    let came = loop {
        match context.events(1, &mut event, LONGEST_WAIT) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) => {}
            came => break came,
        }
    };
    context.destroy();
    let _ = buffer;
    came?;
    outcome(event[0].result).map(drop).map_err(io::Error::from_raw_os_error)
}

fn set_up(events: u32) -> io::Result<Context> {
    // The kernel refuses a context for 0 events.
    Context::new(events.max(1))
}

/// The message for a context of this size that was refused.
pub(crate) fn problem(events: u32, error: &io::Error) -> Problem {
    let problem = Problem::refused(format!("the engine libaio cannot queue {events} outstanding I/Os"));
    match error.raw_os_error() {
        Some(libc::EAGAIN) => no_events_left(problem, events),
        Some(libc::ENOSYS) => problem
            .because("this kernel was built without asynchronous I/O, or a seccomp profile hides it")
            .next("use --engine threads"),
        _ => problem.because(format!("io_setup: {error}")).next("use --engine threads"),
    }
}

fn no_events_left(problem: Problem, events: u32) -> Problem {
    let (Some(used), Some(most)) = (sysctl("fs/aio-nr"), sysctl("fs/aio-max-nr")) else {
        return problem.because("io_setup: the host has no events left (fs.aio-max-nr)");
    };
    // At least the value that Oracle recommends for its databases.
    let enough = (used + u64::from(events)).next_power_of_two().max(1 << 20);
    problem
        .because(format!(
            "fs.aio-nr is {used} of fs.aio-max-nr {most}, and {events} more are needed; all processes of \
             the host share them"
        ))
        .next(format!("sysctl -w fs.aio-max-nr={enough}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_events_than_the_host_has_are_refused_with_both_numbers() {
        let most = u32::try_from(sysctl("fs/aio-max-nr").unwrap()).unwrap();
        let error = set_up(most + 1).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EAGAIN));
        let text = problem(most + 1, &error).to_string();
        for part in [
            "fs.aio-nr is ".to_owned(),
            format!("fs.aio-max-nr {most}"),
            format!("{} more are needed", most + 1),
            "sysctl -w fs.aio-max-nr=".to_owned(),
        ] {
            assert!(text.contains(&part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn other_refusals_name_the_next_engine() {
        for errno in [libc::ENOSYS, libc::ENOMEM] {
            let text = problem(4, &io::Error::from_raw_os_error(errno)).to_string();
            assert!(text.contains("--engine threads"), "{text}");
        }
    }
}
