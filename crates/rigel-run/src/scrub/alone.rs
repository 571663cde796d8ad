//! One device or file alone: every block is read once, one read after the other, so the time of each is its own. What fails is read
//! again block by block; what is slow is read again beside its neighbours, at other times.
//!
//! Must not judge what is slow: [`rigel_uses::scrub::pace`] does.

use super::reader::{LoneRead, Reader};
use super::{End, Job, KEEP_NS, Listener, SHORT_SLEEP};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::units::{Bytes, NS_PER_US};
use rigel_io::backend::Backend;
use rigel_io::clock::{Clock as _, MonotonicClock};
use rigel_uses::scrub::pace::{LookAgain, Pace, ReadTime};
use rigel_uses::scrub::{BLOCK_BYTES, Chunk, SlowFindings, State, Stretch};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long to wait before a block that failed is tried again; it is unreadable if it fails after each of these, too.
const PAUSES_NS: [u64; 2] = [100_000_000, 300_000_000];
/// At the end of the device nothing else is read between two readings of a slow range.
const LOOK_PAUSE_NS: u64 = 500_000_000;
/// If nothing could be read over this many bytes, the device is gone, and the remainder would only fill the list.
const MOST_DEAD_BYTES: u64 = 256 << 20;

/// The user ended it.
struct Interruption;

type Step<T> = Result<Result<T, Interruption>, Problem>;

/// A read that ended, or the way out when the user ended it.
macro_rules! go_on {
    ($went:expr) => {
        match $went? {
            Ok(value) => value,
            Err(stopped) => return Ok(Err(stopped)),
        }
    };
}

pub(super) struct Alone<'a, B> {
    job: &'a Job<'a>,
    reader: Reader<B>,
    clock: MonotonicClock,
    kept_ns: u64,
    /// Bytes since the last one that could be read.
    dead_bytes: u64,
}

impl<'a, B: Backend> Alone<'a, B> {
    pub(super) fn new(job: &'a Job<'a>, reader: Reader<B>) -> Self {
        Self { job, reader, clock: MonotonicClock::start(), kept_ns: 0, dead_bytes: 0 }
    }

    /// Reads everything from the position of the state on.
    pub(super) fn run(&mut self, state: &mut State, listener: &mut dyn Listener) -> Result<End, Problem> {
        if self.job.unit == 1 {
            // The page cache reads ahead: no read of ours has a time of its own.
            self.job.targets.forget_cached();
        } else {
            state.pace.get_or_insert_default();
            state.found.slow.get_or_insert_default();
        }
        let ended = self.pass(state, listener);
        listener.progress(state.done, self.job.map.total());
        listener.keep(state)?;
        Ok(match ended? {
            Ok(()) => End::Whole,
            Err(Interruption) => End::Stopped,
        })
    }

    fn pass(&mut self, state: &mut State, listener: &mut dyn Listener) -> Step<()> {
        while let Some(chunk) = self.job.map.chunk(state.done) {
            let is_group = go_on!(self.chunk(&chunk, state));
            state.done = chunk.at + chunk.len;
            if is_group {
                suspect(state);
                go_on!(self.look(state));
            }
            listener.progress(state.done, self.job.map.total());
            self.keep(state, listener)?;
        }
        suspect(state);
        while state.pace.as_ref().is_some_and(|pace| !pace.is_settled()) {
            go_on!(Ok(self.pause(LOOK_PAUSE_NS)));
            go_on!(self.look(state));
            self.keep(state, listener)?;
        }
        Ok(Ok(()))
    }

    fn keep(&mut self, state: &State, listener: &mut dyn Listener) -> Result<(), Problem> {
        let now_ns = self.clock.now_ns();
        if now_ns.saturating_sub(self.kept_ns) < KEEP_NS {
            return Ok(());
        }
        self.kept_ns = now_ns;
        listener.keep(state)
    }

    /// Reads a chunk for the first time. Whether this many times wait that they should be compared.
    fn chunk(&mut self, chunk: &Chunk, state: &mut State) -> Step<bool> {
        let LoneRead { took_ns, failed } = go_on!(self.read(chunk));
        if failed.is_none() {
            self.dead_bytes = 0;
            let time = time_of(chunk, took_ns);
            return Ok(Ok(state.pace.as_mut().is_some_and(|pace| pace.add(time))));
        }
        let bad = go_on!(self.split(chunk));
        self.dead_bytes = match bad.iter().map(|(block, _)| block.len).sum::<u64>() == chunk.len {
            true => self.dead_bytes + chunk.len,
            false => 0,
        };
        if self.dead_bytes >= MOST_DEAD_BYTES {
            return Err(is_gone(chunk));
        }
        state.found.passed += u64::from(bad.is_empty());
        bad.iter().for_each(|(block, errno)| state.found.add_unreadable(block, *errno));
        Ok(Ok(false))
    }

    /// Which blocks of a chunk cannot be read: each separately, and those that fail more than once. Block by block,
    /// because every failed read may cost a disk many seconds of its own attempts, and halves would fail again and
    /// again.
    fn split(&mut self, chunk: &Chunk) -> Step<Vec<(Chunk, i32)>> {
        let starts = (chunk.at..chunk.at + chunk.len).step_by(usize::try_from(BLOCK_BYTES).unwrap_or(4096));
        let part = |at: u64| self.job.map.part(at, BLOCK_BYTES.min(chunk.at + chunk.len - at));
        let blocks: Vec<Chunk> = starts.filter_map(part).collect();
        let mut bad = go_on!(self.failures(blocks));
        for pause_ns in PAUSES_NS {
            if bad.is_empty() {
                break;
            }
            go_on!(Ok(self.pause(pause_ns)));
            bad = go_on!(self.failures(bad.into_iter().map(|(block, _)| block).collect()));
        }
        Ok(Ok(bad))
    }

    fn failures(&mut self, blocks: Vec<Chunk>) -> Step<Vec<(Chunk, i32)>> {
        let mut bad = Vec::new();
        for block in blocks {
            if let Some(errno) = go_on!(self.read(&block)).failed {
                bad.push((block, errno));
            }
        }
        Ok(Ok(bad))
    }

    /// One more reading of all suspected slow chunks.
    fn look(&mut self, state: &mut State) -> Step<()> {
        let (Some(mut pace), found) = (state.pace.take(), &state.found) else { return Ok(Ok(())) };
        let is_slow = |range| found.slow.as_ref().is_some_and(|slow| slow.has(range));
        let looks = pace.looks(self.job.map.total(), |range| found.lists(range) || is_slow(range));
        let slow = state.found.slow.get_or_insert_default();
        let went = self.look_at_all(&looks, &mut pace, slow);
        state.pace = Some(pace);
        for range in go_on!(went) {
            let Some(chunk) = self.job.map.part(range.at, range.len) else { continue };
            let bad = go_on!(self.split(&chunk));
            bad.iter().for_each(|(block, errno)| state.found.add_unreadable(block, *errno));
        }
        Ok(Ok(()))
    }

    /// The unreadable ranges.
    fn look_at_all(
        &mut self,
        looks: &[LookAgain],
        pace: &mut Pace,
        slow: &mut SlowFindings,
    ) -> Step<Vec<Stretch>> {
        let mut failed = Vec::new();
        for look in looks {
            failed.extend(go_on!(self.look_at(look, pace, slow)));
        }
        Ok(Ok(failed))
    }

    fn look_at(&mut self, look: &LookAgain, pace: &mut Pace, slow: &mut SlowFindings) -> Step<Vec<Stretch>> {
        // The way to the first of them is longer for a disk: it is read, and read again for its time.
        if let Some(first) = look.before.first().or(look.suspects.first()) {
            go_on!(self.time(*first));
        }
        let mut neighbours_us = go_on!(self.times(&look.before));
        let suspects_us = go_on!(self.times(&look.suspects));
        neighbours_us.extend(go_on!(self.times(&look.after)));
        let failed = look.suspects.iter().zip(&suspects_us).filter(|(_, time_us)| time_us.is_none());
        let failed = failed.map(|(range, _)| *range).collect();
        let suspects: Vec<(u64, Option<u64>)> =
            look.suspects.iter().map(|range| range.at).zip(suspects_us).collect();
        let neighbours_us: Vec<u64> = neighbours_us.into_iter().flatten().collect();
        let verdicts = pace.judge(&suspects, &neighbours_us);
        slow.cleared += verdicts.cleared;
        verdicts.slow.into_iter().for_each(|range| slow.add(range));
        Ok(Ok(failed))
    }

    fn times(&mut self, ranges: &[Stretch]) -> Step<Vec<Option<u64>>> {
        let mut times = Vec::new();
        for range in ranges {
            times.push(go_on!(self.time(*range)));
        }
        Ok(Ok(times))
    }

    /// How many microseconds a read takes; `None` if it fails.
    fn time(&mut self, range: Stretch) -> Step<Option<u64>> {
        let Some(chunk) = self.job.map.part(range.at, range.len) else { return Ok(Ok(None)) };
        let read = go_on!(self.read(&chunk));
        Ok(Ok(read.failed.is_none().then_some(read.took_ns / NS_PER_US)))
    }

    fn read(&mut self, chunk: &Chunk) -> Step<LoneRead> {
        Ok(self.reader.read_one(chunk, self.job.stop)?.ok_or(Interruption))
    }

    fn pause(&self, pause_ns: u64) -> Result<(), Interruption> {
        let until_ns = self.clock.now_ns() + pause_ns;
        while self.clock.now_ns() < until_ns {
            if self.job.stop.load(Ordering::Relaxed) {
                return Err(Interruption);
            }
            std::thread::sleep(SHORT_SLEEP.min(Duration::from_nanos(pause_ns)));
        }
        Ok(())
    }
}

fn time_of(chunk: &Chunk, took_ns: u64) -> ReadTime {
    ReadTime { range: Stretch { at: chunk.at, len: chunk.len }, took_us: took_ns / NS_PER_US }
}

/// Compares the times that wait.
fn suspect(state: &mut State) {
    let left = state.pace.as_mut().map_or(0, Pace::suspect);
    if let Some(slow) = &mut state.found.slow {
        slow.unjudged += left;
    }
}

fn is_gone(chunk: &Chunk) -> Problem {
    let dead = Bytes(MOST_DEAD_BYTES);
    Problem::new(ExitKind::CutShort, format!("nothing could be read over {dead} in a row"))
        .at(format!("byte {}", chunk.copies.first().map_or(chunk.at, |place| place.offset)))
        .because("the device or the path to it is gone")
        .next("check the kernel log (dmesg) for the device; resume from the state file with --resume")
}
