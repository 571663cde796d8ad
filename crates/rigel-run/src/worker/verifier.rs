//! What a worker knows about the blocks that it writes and checks, for classes of verified blocks.
//!
//! Every so-many-th chunk of each target is the worker's own, so no other writes there and nothing has to be locked. It lives as long as the
//! worker does, because a visit continues where the previous one ended. While it works it allocates nothing. Must not decide when, or how much.

use crate::job::Workload;
use crate::load::Load;
use rigel_core::load::draw::{self, Generator};
use rigel_core::load::volume::{Place, Volume};
use rigel_core::load::workload::Direction;
use rigel_core::verify::block::{self, BLOCK_BYTES};
use rigel_core::verify::{
    self, DurableMark, EarlierParts, Fault, Finding, GenerationRange, Passes, Progress, VerifyCounts,
};
use rigel_io::backend::{Backend, Op, SlotLayout};
use std::process;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Sets the generator apart from others.
const PURPOSE: u64 = u64::from_le_bytes(*b"Verified");
/// Drawn once. Blocks of another process are recognised even if both have the same seed: after a resumption,
/// or on a file that was kept.
static PROCESS: LazyLock<u64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Generator::new(since.as_secs(), &[since.subsec_nanos().into(), process::id().into()]).bits()
});
/// Fewest writes that may begin while an older one is not over.
const LEAST_WINDOW: u64 = 1024;

/// The verified classes of one worker.
#[derive(Debug)]
pub struct Verifier {
    seed: u64,
    /// Its number among those of all nodes.
    worker: u32,
    /// By index of the class.
    regions: Vec<Option<Region>>,
    /// By slot: what is in flight.
    tickets: Vec<Ticket>,
    /// Slots whose reads completed and were not checked yet.
    read: Vec<u16>,
}

/// The worker's own part of the targets, for one class.
#[derive(Debug)]
struct Region {
    passes: Passes,
    progress: Progress,
    /// What earlier processes of the run left.
    earlier: EarlierParts,
    /// The number of its first chunk, and the distance to the next one in chunks.
    first: u64,
    every: u64,
    found: VerifyCounts,
}

#[derive(Clone, Copy, Debug)]
enum Ticket {
    Nothing,
    /// The number of a write.
    Write(u64),
    /// The position that is read, and what could be there when the read began.
    Read(u64, GenerationRange),
}

impl Verifier {
    /// The verifier of one of `workers`; `None` if nothing is verified.
    pub fn new(workload: &Workload, layout: SlotLayout, worker: u32, workers: u32) -> Option<Self> {
        let window = LEAST_WINDOW.max(16 * u64::from(layout.slots()));
        let among_all = workload.team.among_all(worker, workers);
        let process = workload.team.process.unwrap_or_else(|| *PROCESS);
        let region = |place: usize| {
            let class = workload.classes.get(place).filter(|class| class.verify)?;
            let volume = class.volumes.random.as_ref()?;
            let seed = Generator::new(workload.seed, &[PURPOSE, place as u64, among_all.0.into()]).bits();
            let before = workload.before.get(&class.name).and_then(|settled| settled.of(among_all.0));
            let nothing = || EarlierParts(vec![0; workload.parts_before()]);
            // Workers of other nodes keep off the same targets.
            let own = workload.seat(place, worker, workers)?;
            let writers = if workload.team.shared { workload.team.among_all(own.0, own.1) } else { own };
            Region::new(volume, writers, window, seed, before.cloned().unwrap_or_else(nothing))
        };
        let regions: Vec<Option<Region>> = (0..workload.classes.len()).map(region).collect();
        let slots = usize::from(layout.slots());
        workload.verifies().then(|| Self {
            seed: match workload.before.values().next() {
                Some(settled) => settled.seed,
                None => Generator::new(workload.seed, &[PURPOSE, process]).bits(),
            },
            worker: among_all.0,
            regions,
            tickets: vec![Ticket::Nothing; slots],
            read: Vec::with_capacity(slots),
        })
    }

    /// Leaves the slots of a verified class idle if none of its blocks belong to this worker.
    pub fn begin_job(&self, workload: &Workload, load: &Load<'_>, free: &mut Vec<u16>) {
        let classes = workload.classes.iter().zip(&self.regions).enumerate();
        for (place, _) in classes.filter(|(_, (class, region))| class.verify && region.is_none()) {
            free.retain(|&free| load.slots_of(place).all(|slot| slot != free));
        }
    }

    /// The findings since the last call, of the class at a place.
    pub fn take_found(&mut self, place: usize) -> Option<VerifyCounts> {
        let region = self.regions.get_mut(place)?.as_mut()?;
        Some(region.found.taken())
    }

    /// The successful writes of the class at a place; only a flush that begins now makes them durable.
    pub fn settled(&self, place: usize) -> Option<DurableMark> {
        let Region { progress, passes, earlier, .. } = self.regions.get(place)?.as_ref()?;
        let mut parts = earlier.clone();
        parts.0.push(progress.sure_below(passes));
        Some(DurableMark { seed: self.seed, below: vec![(self.worker, parts)] })
    }

    /// The next I/O of a slot, with its data if it writes; `None` for a class that is not verified.
    #[inline]
    pub fn next<B: Backend>(&mut self, load: &mut Load<'_>, backend: &mut B, slot: u16) -> Option<Op> {
        let class = usize::from(load.slot(slot).class);
        let region = self.regions[class].as_mut()?;
        let ticket = &mut self.tickets[usize::from(slot)];
        let op = load.place_by(slot, |generator, volume, share| {
            *ticket = region.choose(draw::coin(generator, share), generator);
            region.place(*ticket, volume)
        });
        if let Ticket::Write(number) = *ticket {
            let generation = region.earlier.base() + region.passes.generation(number);
            let bytes = &mut backend.buffer_mut(slot)[..usize::try_from(op.len).unwrap_or(0)];
            for (at, bytes) in (op.offset..).step_by(BLOCK_BYTES).zip(bytes.chunks_exact_mut(BLOCK_BYTES)) {
                block::fill(self.seed, Place { target: op.target, offset: at }, generation, bytes);
            }
        }
        Some(op)
    }

    /// An I/O completed in full; returns whether it belongs to a verified class.
    #[inline]
    pub fn completed(&mut self, class: usize, op: Op) -> bool {
        let Some(region) = &mut self.regions[class] else { return false };
        match self.tickets[usize::from(op.slot)] {
            Ticket::Write(number) => {
                region.progress.end(number);
                region.found.written += u64::from(op.len) / BLOCK_BYTES as u64;
            }
            Ticket::Read(..) => self.read.push(op.slot),
            Ticket::Nothing => {}
        }
        true
    }

    /// An I/O failed: a write may be there or not, a read shows nothing.
    #[cold]
    pub fn failed(&mut self, class: usize, op: Op, errno: i32, now_ns: u64) {
        let Some(region) = &mut self.regions[class] else { return };
        match self.tickets[usize::from(op.slot)] {
            Ticket::Write(number) => region.progress.fail(number, &region.passes),
            Ticket::Read(_, expected) => {
                let place = Place { target: op.target, offset: op.offset };
                let seen = verify::unreadable(self.seed, place, expected, errno);
                region.found.found(Finding::new(now_ns, place, expected, &seen));
            }
            Ticket::Nothing => {}
        }
    }

    /// Checks what was read. To be called before any slot of the batch is used again.
    #[inline]
    pub fn check<B: Backend>(&mut self, backend: &B, load: &mut Load<'_>, now_ns: u64) {
        for number in self.read.drain(..) {
            let slot = load.slot(number);
            let (op, class) = (slot.op, usize::from(slot.class));
            let (Some(region), Ticket::Read(position, expected)) =
                (&mut self.regions[class], self.tickets[usize::from(number)])
            else {
                continue;
            };
            // A write that began meanwhile may have come first.
            let now = region.progress.expected(position, &region.passes);
            let expected = expected.until(region.earlier.expected(now, position, &region.passes));
            let is_written = expected.is_open() && expected.newest > region.earlier.base();
            let bytes = &backend.buffer(number)[..usize::try_from(op.len).unwrap_or(0)];
            for (offset, bytes) in (op.offset..).step_by(BLOCK_BYTES).zip(bytes.chunks_exact(BLOCK_BYTES)) {
                let place = Place { target: op.target, offset };
                region.found.checked += 1;
                if let Err(seen) = verify::check(self.seed, place, expected, bytes) {
                    // Memory, as that of a page cache, may be read while a sector is half written. The next read tells.
                    if is_written && matches!(seen.fault, Fault::Corrupt { .. }) {
                        continue;
                    }
                    region.found.found(Finding::new(now_ns, place, expected, &seen));
                }
            }
        }
    }
}

impl Region {
    fn new(
        volume: &Volume,
        (worker, workers): (u32, u32),
        window: u64,
        seed: u64,
        earlier: EarlierParts,
    ) -> Option<Self> {
        let (first, every) = (u64::from(worker), u64::from(workers.max(1)));
        let slots = volume.chunks().checked_sub(first)?.div_ceil(every);
        (slots > 0).then(|| Self {
            passes: Passes::new(slots, seed),
            progress: Progress::new(window, slots),
            earlier,
            first,
            every,
            found: VerifyCounts::new(),
        })
    }

    /// The next write, if one is wanted and may begin, or if nothing was written yet; otherwise a read of written data.
    #[inline]
    fn choose(&mut self, wanted: Direction, generator: &mut Generator) -> Ticket {
        let slots = self.passes.slots();
        let written = self.progress.begun().min(slots).max(self.earlier.written(slots));
        if (wanted == Direction::Write || written == 0)
            && let Some(number) = self.progress.begin()
        {
            return Ticket::Write(number);
        }
        let position = generator.below(written);
        let own = self.progress.expected(position, &self.passes);
        Ticket::Read(position, self.earlier.expected(own, position, &self.passes))
    }

    #[inline]
    fn place(&self, ticket: Ticket, volume: &Volume) -> (Place, Direction) {
        let (number, direction) = match ticket {
            Ticket::Write(number) => (number, Direction::Write),
            Ticket::Read(position, _) => (position, Direction::Read),
            Ticket::Nothing => (0, Direction::Read),
        };
        (volume.place(self.first + self.every * self.passes.slot(number)), direction)
    }
}
