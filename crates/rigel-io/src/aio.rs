//! Linux asynchronous I/O (libaio without the library): for hosts and containers that refuse io_uring.
//!
//! It is asynchronous only for direct I/O, and not on every filesystem. Two system calls per
//! [`Backend::submit`], none elsewhere.

mod context;

use crate::backend::{Backend, Completion, Op, SlotLayout};
use crate::slots::{Slots, outcome};
use crate::targets::OpenTargets;
use context::{Context, Event, Iocb, Transfer};
use rigel_core::error::Problem;
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::load::workload::Direction;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;

/// The engine `libaio`.
#[derive(Debug)]
pub struct Aio {
    context: Context,
    queued: Vec<Iocb>,
    /// The addresses of `queued`; only filled during a call.
    pointers: Vec<*mut Iocb>,
    /// The first `ready` can be reaped.
    events: Box<[Event]>,
    ready: usize,
    /// Submitted, and no event taken yet.
    in_kernel: usize,
    abandoned: bool,
    slots: Slots,
    targets: Arc<OpenTargets>,
}

impl Aio {
    /// Takes exactly as many events from the host as there are slots.
    ///
    /// # Errors
    /// When the host has no events left, or no memory for the buffers.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
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

    /// Hands the queue over. An I/O that the kernel does not take becomes an event with its errno.
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
            // SAFETY: the pointers are those of `hand_over`'s queue, which it holds until this returns. Each
            // buffer is of a slot that `Slots::begin` has marked as busy, so nobody else touches it, and it
            // stays mapped until `drop` has seen the event or destroyed the context.
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
                // Short of resources for now: what is in flight gives them back.
                libc::EAGAIN if self.in_kernel > 0 => self.collect(self.ready + 1)?,
                errno => {
                    // SAFETY: the pointer is one of a live queue, as above, and the kernel keeps none.
                    let slot = unsafe { (*iocbs[0]).data() };
                    self.events[self.ready] = Event::refused(slot, errno);
                    self.ready += 1;
                    iocbs = &mut iocbs[1..];
                }
            }
        }
        Ok(())
    }

    /// Takes every event that is there, and waits until `wanted` are ready.
    fn collect(&mut self, wanted: usize) -> io::Result<()> {
        // Also when nothing is wanted: a caller that polls wants to see what has come.
        while self.in_kernel > 0 {
            let least = wanted.saturating_sub(self.ready);
            match self.context.events(least, &mut self.events[self.ready..]) {
                Ok(count) => {
                    self.ready += count;
                    self.in_kernel -= count;
                    // The time of a wait is up. A signal ends one, too, but not without an event or an error.
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
        self.queued.push(Iocb::new(&Transfer {
            data: u64::from(op.slot),
            writes: op.direction == Direction::Write,
            file: self.targets[usize::from(op.target)].as_fd().as_raw_fd(),
            buffer: self.slots.memory(op.slot).start.as_ptr(),
            bytes: op.len,
            offset: op.offset,
        }));
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        let wait_for = usize::from(self.slots.awaitable(wait_for));
        self.hand_over()?;
        self.collect(wait_for)
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the kernel returns the slot number that it was given"
    )]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        let ready = std::mem::take(&mut self.ready);
        for event in &self.events[..ready] {
            let slot = event.data as u16;
            self.slots.end(slot);
            sink(Completion { slot, outcome: outcome(event.result) });
        }
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl Drop for Aio {
    fn drop(&mut self) {
        if self.abandoned {
            // Destroying would wait. The process cannot end before the I/O does, but what it has to tell is told.
            self.slots.leak();
            self.context.leak();
            return;
        }
        self.ready = 0;
        while self.in_kernel > 0 && self.collect(1).is_ok() {
            self.ready = 0;
        }
        // Destroying waits too, in case collecting failed.
        if !self.context.destroy() && self.in_kernel > 0 {
            self.slots.leak();
        }
    }
}

/// Whether that many outstanding I/Os can be had, all workers together: the kernel counts events, not contexts.
pub(crate) fn probe(events: u32) -> io::Result<()> {
    set_up(events).map(drop)
}

fn set_up(events: u32) -> io::Result<Context> {
    // The kernel refuses a context for nothing.
    Context::new(events.max(1))
}

/// What kept a context of this size from being made.
pub(crate) fn problem(events: u32, error: &io::Error) -> Problem {
    let problem = Problem::refused(format!("the engine libaio cannot have {events} outstanding I/Os"));
    match error.raw_os_error() {
        Some(libc::EAGAIN) => no_events_left(problem, events),
        Some(libc::ENOSYS) => problem
            .because("this kernel was built without asynchronous I/O, or a seccomp profile hides it")
            .next("use --engine threads"),
        _ => problem.because(format!("io_setup: {error}")).next("use --engine threads"),
    }
}

fn no_events_left(problem: Problem, events: u32) -> Problem {
    let number = |name| crate::limits::sysctl(name);
    let (Some(used), Some(most)) = (number("fs/aio-nr"), number("fs/aio-max-nr")) else {
        return problem.because("io_setup: the host has no events left (fs.aio-max-nr)");
    };
    // As Oracle advises for its own databases; more if even that is not enough on top of what is used.
    let enough = (used + u64::from(events)).next_power_of_two().max(1 << 20);
    problem
        .because(format!(
            "fs.aio-nr is {used} of fs.aio-max-nr {most}, and {events} more are needed; every process of the host \
             draws on them"
        ))
        .next(format!("sysctl -w fs.aio-max-nr={enough}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_events_than_the_host_has_are_refused_with_both_numbers() {
        let most = u32::try_from(crate::limits::sysctl("fs/aio-max-nr").unwrap()).unwrap();
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
