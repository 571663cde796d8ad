//! Files of noise. Must not be used where the bytes have to be secret.

use crate::noise;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 20;

/// Writes a new file of this many random bytes, the same ones each time, to the medium.
///
/// # Errors
/// When it cannot be written whole.
pub fn random_file(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut state = noise::SEED;
    let mut chunk = vec![0; CHUNK_BYTES];
    for _ in 0..bytes.div_ceil(CHUNK_BYTES as u64) {
        noise::fill(&mut chunk, &mut state);
        file.write_all(&chunk)?;
    }
    file.set_len(bytes)?;
    file.sync_all()
}
