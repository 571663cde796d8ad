//! Numbers in texts of the kernel.
//!
//! Must not know what they count.

pub(super) fn numbers(text: &[u8]) -> impl Iterator<Item = Option<u64>> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(number)
}

pub(super) fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
