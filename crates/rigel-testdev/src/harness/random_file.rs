//! Files that nobody could compress or guess. Must not be used where the bytes have to be secret.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 20;

/// Writes a new file of so many random bytes, the same ones each time (xorshift: Marsaglia 2003), to the medium.
///
/// # Errors
/// When it cannot be written whole.
pub fn random_file(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut chunk = vec![0; CHUNK_BYTES];
    for _ in 0..bytes.div_ceil(CHUNK_BYTES as u64) {
        for word in chunk.chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        file.write_all(&chunk)?;
    }
    file.set_len(bytes)?;
    file.sync_all()
}
