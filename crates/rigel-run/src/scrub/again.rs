//! What differed, read again until it is alike or known to stay different. Must not hold up a user who wants to stop: it checks for that before
//! every pause, and after every range.

use super::Job;
use super::reader::Reader;
use rigel_core::error::Problem;
use rigel_io::backend::Backend;
use rigel_uses::scrub::settle::{CopyReading, MOST_LOOKS, SettleCheck, SettleOutcome, pause_ns};
use rigel_uses::scrub::window::Window;
use rigel_uses::scrub::{BLOCK_BYTES, CHUNK_BYTES, Chunk, Difference, ScrubFindings, State, Stretch};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Bytes on each side of a range that are read with it, for the neighbours of its pages.
const BESIDE_BYTES: u64 = 128 << 10;

pub(super) struct SecondLook<'a, B> {
    pub(super) job: &'a Job<'a>,
    pub(super) reader: &'a mut Reader<B>,
}

/// A range and what is known of each of its blocks.
struct Open {
    stretch: Stretch,
    blocks: Vec<SettleCheck>,
}

impl Open {
    fn is_settled(&self) -> bool {
        self.blocks.iter().all(|block| block.settled().is_some())
    }
}

impl<B: Backend> SecondLook<'_, B> {
    /// Settles all that is pending and adds it to what was found. When the user ends it in between, what was not added stays pending.
    pub(super) fn settle(&mut self, state: &mut State) -> Result<(), Problem> {
        let blocks =
            |len: u64| vec![SettleCheck::default(); usize::try_from(len.div_ceil(BLOCK_BYTES)).unwrap_or(0)];
        let open = |&stretch: &Stretch| Open { stretch, blocks: blocks(stretch.len) };
        let mut open: Vec<Open> = state.pending.iter().map(open).collect();
        for look in 0..MOST_LOOKS {
            if open.iter().all(Open::is_settled) {
                break;
            }
            if self.is_stopped() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_nanos(pause_ns(look)));
            if self.job.unit == 1 {
                self.job.targets.forget_cached();
            }
            for one in open.iter_mut().filter(|one| !one.is_settled()) {
                self.look(one)?;
                if self.is_stopped() {
                    return Ok(());
                }
            }
        }
        let mut told = 0;
        let mut result = Ok(());
        for one in &open {
            result = self.tell(one, &mut state.found);
            if result.is_err() {
                break;
            }
            told += 1;
            // With a bound on the rate, many take minutes.
            if self.is_stopped() {
                break;
            }
        }
        state.pending.drain(..told);
        result
    }

    fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }

    fn part(&self, at: u64, len: u64) -> Option<Chunk> {
        self.job.map.part(at, len)
    }

    /// One more reading of every block of a range.
    fn look(&mut self, open: &mut Open) -> Result<(), Problem> {
        let Some(chunk) = self.part(open.stretch.at, open.stretch.len) else { return Ok(()) };
        let read = self.reader.read(&chunk)?;
        let whole: Vec<&[u8]> = read.iter().filter_map(|copy| copy.ok()).collect();
        if whole.len() == read.len() {
            let step = usize::try_from(BLOCK_BYTES).unwrap_or(4096);
            for (index, block) in open.blocks.iter_mut().enumerate() {
                let of =
                    |copy: &&[u8]| CopyReading::of(&copy[index * step..copy.len().min((index + 1) * step)]);
                block.look(&whole.iter().map(of).collect::<Vec<CopyReading>>());
            }
            return Ok(());
        }
        // Which blocks cannot be read, each by itself.
        for (index, block) in (0_u64..).zip(&mut open.blocks) {
            let at = open.stretch.at + index * BLOCK_BYTES;
            let len = BLOCK_BYTES.min(open.stretch.at + open.stretch.len - at);
            let Some(chunk) = self.job.map.part(at, len) else { continue };
            let seen = |copy: &Result<&[u8], i32>| copy.map_or_else(CopyReading::Failed, CopyReading::of);
            block.look(&self.reader.read(&chunk)?.iter().map(seen).collect::<Vec<CopyReading>>());
        }
        Ok(())
    }

    /// Adds the result of a range, merging neighbouring blocks with the same result.
    fn tell(&mut self, open: &Open, found: &mut ScrubFindings) -> Result<(), Problem> {
        let fates: Vec<Option<SettleOutcome>> = open.blocks.iter().map(SettleCheck::settled).collect();
        let end = open.stretch.at + open.stretch.len;
        let mut at = open.stretch.at;
        for same in fates.chunk_by(|a, b| a == b) {
            let count = same.len() as u64;
            let stretch = Stretch { at, len: (count * BLOCK_BYTES).min(end - at) };
            at += stretch.len;
            match same.first().copied().flatten() {
                Some(SettleOutcome::Alike) => found.passed += count,
                Some(SettleOutcome::Differs) => self.describe(stretch, found)?,
                Some(SettleOutcome::Restless) | None => found.add_restless(stretch),
            }
        }
        Ok(())
    }

    /// Rereads a range that differs, with its surroundings, and reports it.
    fn describe(&mut self, stretch: Stretch, found: &mut ScrubFindings) -> Result<(), Problem> {
        let Some(chunk) = self.part(stretch.at, stretch.len) else { return Ok(()) };
        let Some((strip, start)) = self.job.map.strip_at(stretch.at) else { return Ok(()) };
        let (of, end) = (strip.of, start + strip.len);
        let from = stretch.at.saturating_sub(BESIDE_BYTES).max(start);
        let to = (stretch.at + stretch.len + BESIDE_BYTES).min(end);
        let mut window_at = from;
        let mut copies = self.window(from, to)?;
        if copies.iter().any(Result::is_err) {
            // What is beside the range judges the page of a copy that can be read, also where another cannot. One that fails beside it only is
            // looked at alone, as the copies are judged by the same bytes.
            let alone = self.window(stretch.at, stretch.at + stretch.len)?;
            let fails_beside_only =
                |(wide, alone): (&Result<_, _>, &Result<_, _>)| wide.is_err() && alone.is_ok();
            if copies.iter().zip(&alone).any(fails_beside_only) {
                window_at = stretch.at;
                copies = alone;
            }
        }
        let skip = usize::try_from(stretch.at - window_at).unwrap_or(0);
        let range = skip..skip + usize::try_from(stretch.len).unwrap_or(0);
        let read: Vec<Result<&[u8], i32>> = copies
            .iter()
            .map(|copy| copy.as_ref().map(|bytes| &bytes[range.clone()]).map_err(|errno| *errno))
            .collect();
        if read.iter().all(|copy| copy.is_ok() && *copy == read[0]) {
            found.passed += stretch.len.div_ceil(BLOCK_BYTES);
            return Ok(());
        }
        if !found.has_room() {
            found.count(stretch.len, read.iter().any(Result::is_err));
            return Ok(());
        }
        let bytes = copies.iter().map(|copy| copy.as_deref().ok()).collect();
        let in_file = self.job.in_file.map(|(first, segment)| (first + window_at, segment));
        let window = Window { at: window_at, copies: bytes, range, in_file };
        found.add(Difference::new(&chunk, of, &read, &window));
        Ok(())
    }

    /// All bytes from `from` to `to` of every copy, or its first error number. Both are in one strip.
    fn window(&mut self, from: u64, to: u64) -> Result<Vec<Result<Vec<u8>, i32>>, Problem> {
        let copies = self.part(from, 1).map_or(0, |chunk| chunk.copies.len());
        let mut all: Vec<Result<Vec<u8>, i32>> = vec![Ok(Vec::new()); copies];
        let mut at = from;
        while let Some(chunk) = self.part(at, CHUNK_BYTES.min(to - at)).filter(|chunk| chunk.len > 0) {
            for (all, read) in all.iter_mut().zip(self.reader.read(&chunk)?) {
                match (all.as_mut(), read) {
                    (Ok(bytes), Ok(read)) => bytes.extend_from_slice(read),
                    (Ok(_), Err(errno)) => *all = Err(errno),
                    (Err(_), _) => {}
                }
            }
            at += chunk.len;
        }
        Ok(all)
    }
}
