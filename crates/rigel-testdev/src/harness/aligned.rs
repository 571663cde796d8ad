//! What every test with `O_DIRECT` needs: an aligned buffer and the open call. It must not do more.

use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

const ALIGN_BYTES: usize = 4096;

/// Zeroed bytes that start at a multiple of 4096, as `O_DIRECT` wants them.
#[derive(Debug)]
pub struct AlignedBytes {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBytes {
    /// A buffer of this many zeros.
    pub fn zeroed(length_bytes: usize) -> Self {
        let storage = vec![0; length_bytes + ALIGN_BYTES];
        let start = storage.as_ptr().align_offset(ALIGN_BYTES);
        Self { storage, start, length: length_bytes }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }
}

/// Opens a file or device for reading and writing with `O_DIRECT`.
///
/// # Errors
///
/// What `open` says, such as EINVAL from a file system without direct I/O.
pub fn open_direct(path: impl AsRef<Path>) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path.as_ref(), flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_is_aligned_and_as_long_as_asked() {
        for length_bytes in [0, 1, 512, 1 << 20] {
            let mut bytes = AlignedBytes::zeroed(length_bytes);
            assert_eq!((bytes.as_ptr().align_offset(4096), bytes.len()), (0, length_bytes));
            bytes.fill(7);
            assert!(bytes.iter().all(|byte| *byte == 7));
        }
    }
}
