//! Filled buckets in few bytes: a run keeps thousands of histograms, of which most buckets are empty and most counts small.
//!
//! Each filled bucket is its distance from the one before it and its count, both in groups of seven bits, lowest first, the
//! eighth bit of a byte saying that another follows. Must not be recorded into.

/// The filled buckets, ascending, as bytes.
pub(super) fn pack(filled: impl Iterator<Item = (usize, u64)>) -> Box<[u8]> {
    let mut bytes = Vec::new();
    let mut before = 0;
    for (bucket, count) in filled {
        put(&mut bytes, (bucket - before) as u64);
        put(&mut bytes, count);
        before = bucket;
    }
    bytes.into_boxed_slice()
}

/// The filled buckets of such bytes, ascending.
#[derive(Clone, Debug)]
pub(super) struct Unpack<'a> {
    bytes: &'a [u8],
    bucket: usize,
}

impl<'a> Unpack<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, bucket: 0 }
    }
}

impl Iterator for Unpack<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let distance = take(&mut self.bytes)?;
        let count = take(&mut self.bytes)?;
        self.bucket += usize::try_from(distance).ok()?;
        Some((self.bucket, count))
    }
}

/// The filled buckets of two histograms together; counts saturate.
pub(super) fn merge(
    one: impl Iterator<Item = (usize, u64)>,
    other: impl Iterator<Item = (usize, u64)>,
) -> impl Iterator<Item = (usize, u64)> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek().copied(), other.peek().copied()) {
        (Some((bucket, mine)), Some((same, theirs))) if bucket == same => {
            one.next();
            other.next();
            Some((bucket, mine.saturating_add(theirs)))
        }
        (Some((mine, _)), Some((theirs, _))) if mine < theirs => one.next(),
        (Some(_), None) => one.next(),
        _ => other.next(),
    })
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte <= 0x7f {
            return Some(value);
        }
        shift += 7;
    }
}
