//! An engine that completes every I/O at once and moves no data, so only the cost of the tool itself is measured.
//!
//! Must not make a system call once it is set up.

use crate::backend::{Backend, Completion, NewBackend, Op, SlotLayout};
use crate::slots::Slots;
use rigel_core::error::Problem;
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use std::io;

/// The engine `null`.
#[derive(Debug)]
pub struct NullBackend {
    slots: Slots,
    queued: Vec<Completion>,
    done: Vec<Completion>,
}

impl NullBackend {
    /// `writable` says for each target whether it may be written. No real target is needed.
    ///
    /// # Errors
    /// When there is no memory for the buffers.
    pub fn new(writable: &[bool], layout: SlotLayout, seed: u64) -> Result<NewBackend<Self>, Problem> {
        let slots = Slots::new(&layout, writable.iter().copied(), seed)?;
        let buffers = slots.buffer_facts().clone();
        let capacity = usize::from(layout.slots());
        let backend =
            Self { slots, queued: Vec::with_capacity(capacity), done: Vec::with_capacity(capacity) };
        Ok((backend, EngineFacts::plain(EngineKind::Null), buffers))
    }
}

impl Backend for NullBackend {
    fn slots(&self) -> u16 {
        self.slots.count()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        self.slots.buffer_mut(slot)
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        self.slots.buffer(slot)
    }

    fn moves_data(&self) -> bool {
        false
    }

    #[inline]
    fn push(&mut self, op: Op) {
        self.slots.begin(&op);
        self.queued.push(Completion { slot: op.slot, outcome: Ok(op.len) });
    }

    #[inline]
    fn submit(&mut self, _wait_for: u16) -> io::Result<()> {
        self.done.append(&mut self.queued);
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for completion in self.done.drain(..) {
            self.slots.end(completion.slot);
            sink(completion);
        }
    }
}
