//! The bytes of the device, in memory, paid for only where they were written.
//!
//! What was never written is noise, as on a device that is in use, or zeros, as in a new file; either is one chunk that all places
//! share. It must not know about time, faults or counting.

use crate::noise;
use std::sync::{PoisonError, RwLock};

const CHUNK_BYTES: usize = 1 << 20;

/// What a place holds that was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialContents {
    Noise,
    Zeros,
}

/// A sparse array of bytes.
#[derive(Debug)]
pub(crate) struct Store {
    size_bytes: u64,
    chunks: Vec<RwLock<Option<Box<[u8]>>>>,
    /// What a chunk holds before its first write.
    fresh: Box<[u8]>,
}

impl Store {
    pub(crate) fn new(size_bytes: u64, unwritten: InitialContents) -> Self {
        let (whole, rest) = split(size_bytes);
        let count = whole.saturating_add(usize::from(rest > 0));
        let chunks = std::iter::repeat_with(|| RwLock::new(None)).take(count).collect();
        Self { size_bytes, chunks, fresh: fresh_chunk(unwritten) }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// How many of `length_bytes` from `offset_bytes` lie on the device.
    pub(crate) fn clip(&self, offset_bytes: u64, length_bytes: usize) -> usize {
        let left = self.size_bytes.saturating_sub(offset_bytes);
        usize::try_from(left).map_or(length_bytes, |left| left.min(length_bytes))
    }

    /// Hands the bytes of the range to `use_bytes`, clipped at the end of the device. A range within one
    /// chunk is lent in place; only one that crosses a border is gathered in `scratch`.
    pub(crate) fn with_range<R>(
        &self,
        offset_bytes: u64,
        length_bytes: usize,
        scratch: &mut Vec<u8>,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> R {
        let length_bytes = self.clip(offset_bytes, length_bytes);
        let (index, start) = split(offset_bytes);
        if start + length_bytes <= CHUNK_BYTES {
            return self.with_chunk(index, |chunk| use_bytes(&chunk[start..start + length_bytes]));
        }
        scratch.clear();
        for (index, start, length) in pieces(offset_bytes, length_bytes) {
            self.with_chunk(index, |chunk| scratch.extend_from_slice(&chunk[start..start + length]));
        }
        use_bytes(scratch)
    }

    /// Writes the part of `data` that lies on the device.
    pub(crate) fn write(&self, offset_bytes: u64, data: &[u8]) {
        let mut rest = &data[..self.clip(offset_bytes, data.len())];
        for (index, start, length) in pieces(offset_bytes, rest.len()) {
            let (piece, after) = rest.split_at(length);
            rest = after;
            if let Some(chunk) = self.chunks.get(index) {
                let mut chunk = chunk.write().unwrap_or_else(PoisonError::into_inner);
                chunk.get_or_insert_with(|| self.fresh.clone())[start..start + length].copy_from_slice(piece);
            }
        }
    }

    fn with_chunk<R>(&self, index: usize, use_chunk: impl FnOnce(&[u8]) -> R) -> R {
        let chunk = self.chunks.get(index).map(|chunk| chunk.read().unwrap_or_else(PoisonError::into_inner));
        use_chunk(chunk.as_ref().and_then(|chunk| chunk.as_deref()).unwrap_or(&self.fresh))
    }
}

fn fresh_chunk(unwritten: InitialContents) -> Box<[u8]> {
    let mut chunk = vec![0; CHUNK_BYTES].into_boxed_slice();
    if unwritten == InitialContents::Noise {
        noise::fill(&mut chunk, &mut { noise::SEED });
    }
    chunk
}

/// Chunk number and place in the chunk. A chunk number beyond the address space names no chunk.
fn split(offset_bytes: u64) -> (usize, usize) {
    let chunk = CHUNK_BYTES as u64;
    (
        usize::try_from(offset_bytes / chunk).unwrap_or(usize::MAX),
        usize::try_from(offset_bytes % chunk).unwrap_or(0),
    )
}

/// Cuts a range at the chunk borders: (chunk number, start in the chunk, length).
fn pieces(offset_bytes: u64, length_bytes: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let mut offset_bytes = offset_bytes;
    let mut left = length_bytes;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let (index, start) = split(offset_bytes);
        let length = left.min(CHUNK_BYTES - start);
        left -= length;
        offset_bytes += length as u64;
        Some((index, start, length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: u64 = CHUNK_BYTES as u64;

    fn read(store: &Store, offset_bytes: u64, length_bytes: usize) -> Vec<u8> {
        store.with_range(offset_bytes, length_bytes, &mut Vec::new(), <[u8]>::to_vec)
    }

    fn allocated(store: &Store) -> usize {
        store.chunks.iter().filter(|chunk| chunk.read().unwrap().is_some()).count()
    }

    #[test]
    fn unwritten_bytes_are_free_and_noise_or_zeros() {
        let store = Store::new(1 << 40, InitialContents::Zeros);
        assert_eq!(read(&store, (1 << 40) - 8, 8), [0; 8]);
        let noise = Store::new(1 << 40, InitialContents::Noise);
        for block in read(&noise, 3 << 20, CHUNK_BYTES).chunks(512) {
            assert!(block.iter().filter(|&&byte| byte == 0).count() < 16, "{block:?}");
        }
        assert_eq!((allocated(&store), allocated(&noise)), (0, 0));
        noise.write(8, b"a");
        let [before, after] = [&store, &noise].map(|store| read(store, 0, 8));
        assert_eq!(before, [0; 8]);
        assert_eq!(after, read(&noise, CHUNK, 8), "what was not written is as it was");
    }

    #[test]
    fn a_write_across_a_border_reads_back_and_costs_two_chunks() {
        let store = Store::new(4 * CHUNK, InitialContents::Zeros);
        store.write(CHUNK - 3, b"abcdef");
        assert_eq!(read(&store, CHUNK - 4, 8), b"\0abcdef\0");
        assert_eq!(read(&store, CHUNK - 3, 3), b"abc");
        assert_eq!(read(&store, CHUNK, 3), b"def");
        assert_eq!(allocated(&store), 2);
    }

    #[test]
    fn a_range_longer_than_a_chunk_is_gathered() {
        let store = Store::new(4 * CHUNK, InitialContents::Zeros);
        store.write(0, b"a");
        store.write(3 * CHUNK, b"z");
        let bytes = read(&store, 0, 3 * CHUNK_BYTES + 1);
        assert_eq!((bytes.len(), bytes[0], bytes[3 * CHUNK_BYTES]), (3 * CHUNK_BYTES + 1, b'a', b'z'));
    }

    #[test]
    fn nothing_lies_behind_the_end() {
        let store = Store::new(CHUNK + 512, InitialContents::Zeros);
        store.write(CHUNK + 510, b"abcd");
        assert_eq!(read(&store, CHUNK + 510, 100), b"ab");
        assert_eq!(read(&store, CHUNK + 512, 100), b"");
        assert_eq!(read(&store, u64::MAX, 100), b"");
        assert_eq!(store.clip(CHUNK, 4096), 512);
    }
}
