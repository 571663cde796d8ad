//! A buffer for direct reads and writes that are not measured. Must not be used by an engine: engines need
//! [`crate::buffers`].

/// Enough for every logical block size in use.
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
        // The address stays valid: a Vec moves its bytes only when it grows, and this one never does.
        let start = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { bytes, start, len }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}
