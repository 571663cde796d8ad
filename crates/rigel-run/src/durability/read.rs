//! Reads the part of a target that a run wrote, every block once. What cannot be read in one piece is read block by block.

use crate::scrub::reader::{CHUNKS, Reader};
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::verify::block::BLOCK_BYTES as BLOCK;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::targets::OpenTargets;
use rigel_uses::durability::BLOCK_BYTES;
use rigel_uses::scrub::{CHUNK_BYTES, Chunk, Place};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// If no read completes for this long, the target hangs.
const PATIENCE_NS: u64 = 60_000_000_000;

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// The target, open for reading.
    pub targets: Arc<OpenTargets>,
    /// The engine that reads.
    pub engine: EngineKind,
    /// Bytes from the start on; whole blocks of 4 KiB.
    pub bytes: u64,
    /// Reads may come from the page cache: its content is dropped before.
    pub cached: bool,
    /// Set when the user wants to end it.
    pub stop: &'a AtomicBool,
}

/// Takes the offset of a block of 4 KiB and its bytes, or the error number of its read.
pub type Sink<'a> = dyn FnMut(u64, Result<&[u8], i32>) + 'a;

/// Hands out every block. Blocks of an aligned range of 1 MiB arrive in order; the ranges in any order. `progress`
/// receives the bytes done. Returns false if the user ended it.
///
/// # Errors
/// When the engine or its queue fails.
pub fn read(
    reading: &Reading<'_>,
    block: &mut Sink<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<bool, Problem> {
    if reading.cached {
        reading.targets.forget_cached();
    }
    let layout = SlotLayout::of(&[(CHUNKS, u32::try_from(CHUNK_BYTES).unwrap_or(1 << 20))]);
    let targets = Arc::clone(&reading.targets);
    match reading.engine {
        EngineKind::IoUring => {
            let (backend, ..) = rigel_io::uring::Uring::new(targets, layout, 0, false)?;
            read_by(reading, Reader::new(backend, 1, 1, None, PATIENCE_NS), block, progress)
        }
        EngineKind::Libaio => {
            let (backend, ..) = rigel_io::aio::Aio::new(targets, layout, 0)?;
            read_by(reading, Reader::new(backend, 1, 1, None, PATIENCE_NS), block, progress)
        }
        _ => {
            let (backend, ..) = rigel_io::threads::Threads::new(targets, layout, 0)?;
            read_by(reading, Reader::new(backend, 1, 1, None, PATIENCE_NS), block, progress)
        }
    }
}

fn read_by<B: Backend>(
    reading: &Reading<'_>,
    mut reader: Reader<B>,
    block: &mut Sink<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<bool, Problem> {
    let mut chunks = (0..reading.bytes.div_ceil(CHUNK_BYTES)).map(|number| {
        let at = number * CHUNK_BYTES;
        chunk(at, CHUNK_BYTES.min(reading.bytes - at))
    });
    let mut flights: Vec<Option<Chunk>> = (0..CHUNKS).map(|_| None).collect();
    let (mut failed, mut done) = (Vec::new(), 0);
    loop {
        let is_stopped = reading.stop.load(Ordering::Relaxed);
        for (group, flight) in (0..CHUNKS).zip(&mut flights) {
            if flight.is_none()
                && !is_stopped
                && let Some(next) = chunks.next()
            {
                reader.push(group, &next);
                *flight = Some(next);
            }
        }
        if flights.iter().all(Option::is_none) {
            break;
        }
        for came in reader.wait()? {
            let Some(chunk) = flights[usize::from(came.group)].take() else { continue };
            done += chunk.len;
            if came.bytes.is_some_and(|bytes| bytes >= chunk.len) {
                let bytes = reader.bytes(came.group, 0, chunk.len);
                bytes
                    .chunks(BLOCK)
                    .zip((chunk.at..).step_by(BLOCK))
                    .for_each(|(bytes, at)| block(at, Ok(bytes)));
            } else {
                failed.push(chunk);
            }
        }
        progress(done, reading.bytes);
    }
    for part in failed {
        piecemeal(reading, &mut reader, &part, block)?;
    }
    Ok(!reading.stop.load(Ordering::Relaxed))
}

/// Each block of a range separately, with nothing else in flight.
fn piecemeal<B: Backend>(
    reading: &Reading<'_>,
    reader: &mut Reader<B>,
    part: &Chunk,
    block: &mut Sink<'_>,
) -> Result<(), Problem> {
    for at in (part.at..part.at + part.len).step_by(BLOCK) {
        if reading.stop.load(Ordering::Relaxed) {
            break;
        }
        let came = reader.read(&chunk(at, BLOCK_BYTES))?;
        came.into_iter().for_each(|bytes| block(at, bytes));
    }
    Ok(())
}

fn chunk(at: u64, len: u64) -> Chunk {
    Chunk { at, len, copies: vec![Place { disk: 0, offset: at }] }
}
