//! What the tests of all engines require of a ring alone.

use super::*;

impl Ring<ReadsAndWrites> {
    /// An engine whose ring takes only `submissions` at once.
    pub(crate) fn with_submissions(
        submissions: u32,
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<Self, Problem> {
        let shape = Shape { submissions, ..Shape::of_slots(layout.slots(), false) };
        Self::on_targets(ReadsAndWrites, shape, targets, layout, seed).map(|(backend, _, _)| backend)
    }
}

impl<W: Wire> Ring<W> {
    /// How many threads the kernel may use for I/Os of regular files and devices that block.
    pub(crate) fn kernel_threads(&self) -> u32 {
        let mut limits = [0, 0];
        // Zeros change nothing and bring the limits.
        self.ring.submitter().register_iowq_max_workers(&mut limits).map_or(0, |()| limits[0])
    }
}
