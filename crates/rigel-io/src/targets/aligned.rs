//! A buffer for the direct reads and writes that are not measured. Must not be used by an engine, whose buffers are
//! placed with care.

/// Enough for every logical block size that is in use.
const ALIGNMENT: usize = 1 << 16;

/// Zeroed bytes that begin at an address that direct I/O accepts.
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBuffer {
    pub(crate) fn new(len: usize) -> Self {
        let bytes = vec![0; len + ALIGNMENT];
        // Never moved again: a Vec keeps its allocation until it grows, and this one does not.
        let start = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { bytes, start, len }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}
