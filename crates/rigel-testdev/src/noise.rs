//! Bytes that nobody could compress or guess, the same ones each time (xorshift: Marsaglia 2003). Must not be used where they have to
//! be secret.

/// Where the sequence begins.
pub(crate) const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Fills whole words of `bytes` with what follows `state`, and leaves `state` behind them.
pub(crate) fn fill(bytes: &mut [u8], state: &mut u64) {
    for word in bytes.chunks_exact_mut(8) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
}
