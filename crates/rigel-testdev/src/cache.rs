//! A volatile cache in front of the store: its contents are lost with the power.
//!
//! It holds whole sectors. It must not decide when it is emptied.

use std::collections::BTreeMap;

use crate::law::SplitMix;

/// What a loss of power cannot cut in two.
pub(crate) const SECTOR_BYTES: usize = 512;

/// Bytes of one sector.
pub(crate) type Sector = [u8; SECTOR_BYTES];

/// Which part of the cache survives a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Survives {
    Nothing,
    /// About half of it, in whole units of this many bytes; which ones follows from the seed.
    Some {
        seed: u64,
        unit_bytes: u64,
    },
}

impl Survives {
    fn holds(self, sector: u64) -> bool {
        match self {
            Self::Nothing => false,
            Self::Some { seed, unit_bytes } => {
                let unit = sector * SECTOR_BYTES as u64 / unit_bytes.max(1);
                SplitMix(seed ^ unit.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next() & 1 == 1
            }
        }
    }
}

/// Sectors by their number.
#[derive(Debug, Default)]
pub(crate) struct Cache(BTreeMap<u64, Sector>);

impl Cache {
    /// The numbers of the sectors that a range touches.
    pub(crate) fn sectors(offset_bytes: u64, length_bytes: usize) -> std::ops::Range<u64> {
        let sector = SECTOR_BYTES as u64;
        offset_bytes / sector..offset_bytes.saturating_add(length_bytes as u64).div_ceil(sector)
    }

    /// Takes a write; `below` reads a sector that is not here and of which only a part is written.
    pub(crate) fn write(&mut self, offset_bytes: u64, data: &[u8], below: impl Fn(u64) -> Sector) {
        for number in Self::sectors(offset_bytes, data.len()) {
            let sector = self.0.entry(number).or_insert_with(|| below(number));
            copy_common(number * SECTOR_BYTES as u64, sector, offset_bytes, data);
        }
    }

    /// Lays what is here over bytes that were read below.
    pub(crate) fn cover(&self, offset_bytes: u64, bytes: &mut [u8]) {
        for (number, sector) in self.0.range(Self::sectors(offset_bytes, bytes.len())) {
            copy_common(offset_bytes, bytes, number * SECTOR_BYTES as u64, sector);
        }
    }

    /// Hands out the sectors of a range, which are here no longer.
    pub(crate) fn take(&mut self, offset_bytes: u64, length_bytes: usize) -> Vec<(u64, Sector)> {
        let numbers = Self::sectors(offset_bytes, length_bytes);
        numbers.filter_map(|number| Some((number, self.0.remove(&number)?))).collect()
    }

    /// Hands out all sectors.
    pub(crate) fn take_all(&mut self) -> BTreeMap<u64, Sector> {
        std::mem::take(&mut self.0)
    }

    /// The power is gone: what survives, and how many sectors do not.
    pub(crate) fn lose_power(&mut self, survives: Survives) -> (BTreeMap<u64, Sector>, u64) {
        let all = self.take_all();
        let count = all.len();
        let kept: BTreeMap<u64, Sector> =
            all.into_iter().filter(|(number, _)| survives.holds(*number)).collect();
        let dropped = count - kept.len();
        (kept, dropped as u64)
    }
}

/// Copies what two ranges have in common from the second to the first.
fn copy_common(to_offset: u64, to: &mut [u8], from_offset: u64, from: &[u8]) {
    let begin = to_offset.max(from_offset);
    let end = (to_offset + to.len() as u64).min(from_offset + from.len() as u64);
    let at = |offset: u64, base: u64| usize::try_from(offset.saturating_sub(base)).unwrap_or(usize::MAX);
    if begin < end {
        to[at(begin, to_offset)..at(end, to_offset)]
            .copy_from_slice(&from[at(begin, from_offset)..at(end, from_offset)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_covers_what_is_below() {
        let mut cache = Cache::default();
        cache.write(500, &[7; 24], |number| [u8::try_from(number).unwrap(); SECTOR_BYTES]);
        let mut bytes = [9; 40];
        cache.cover(490, &mut bytes);
        assert_eq!((&bytes[..10], &bytes[10..34], &bytes[34..]), (&[0; 10][..], &[7; 24][..], &[1; 6][..]));
        let taken = cache.take(512, 1);
        assert_eq!((taken[0].0, taken[0].1[11], taken[0].1[12]), (1, 7, 1));
        assert_eq!(cache.take_all().len(), 1);
    }

    #[test]
    fn a_loss_of_power_keeps_nothing_or_whole_units_by_the_seed() {
        let filled = || {
            let mut cache = Cache::default();
            cache.write(0, &[1; 64 * SECTOR_BYTES], |_| [0; SECTOR_BYTES]);
            cache
        };
        assert_eq!(filled().lose_power(Survives::Nothing), (BTreeMap::new(), 64));
        let kept = |seed| filled().lose_power(Survives::Some { seed, unit_bytes: 4096 });
        let (some, dropped) = kept(1);
        assert_eq!(some.len() as u64 + dropped, 64);
        assert!(!some.is_empty() && dropped > 0);
        assert!(some.keys().all(|number| (0..8).all(|sector| some.contains_key(&(number / 8 * 8 + sector)))));
        assert_eq!(kept(1), kept(1));
        assert!((2..9).any(|seed| kept(seed) != kept(1)));
    }
}
