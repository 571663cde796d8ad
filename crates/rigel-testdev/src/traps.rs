//! Faults that happen once: to the n-th request from now on, or to the first one at a place.
//!
//! Only the choice; what becomes of the bytes is the medium's work. It must not hold any.

use std::ops::Range;

/// What happens to a request that springs a trap. All but the last are done to a write, and the answer says that all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mischief {
    /// One bit is stored flipped: in the byte with that number, counted from the first in the range.
    Flip(u64),
    /// Only this many sectors of 512 bytes are stored, counted from the first in the range.
    Torn(u64),
    /// It is stored this many bytes further on; behind the end comes the start.
    Misdirect(u64),
    /// Nothing is stored.
    Lost,
    /// Zeros are stored.
    Zero,
    /// It is stored once this many more requests have come, over whatever was written meanwhile.
    Delay(u64),
    /// A read gets what was there before the last write since the trap was set.
    Stale,
}

impl Mischief {
    pub(crate) const KINDS: usize = 7;
    /// One of each kind.
    pub(crate) const ALL: [Self; Self::KINDS] = [
        Self::Flip(0),
        Self::Torn(0),
        Self::Misdirect(0),
        Self::Lost,
        Self::Zero,
        Self::Delay(0),
        Self::Stale,
    ];

    /// By its word in the control language, with its number if one is given.
    pub(crate) fn named(word: &str, number: Option<u64>) -> Option<Self> {
        Some(match word {
            "flip" => Self::Flip(number.unwrap_or(100)),
            "torn" => Self::Torn(number.unwrap_or(3)),
            "misdirect" => Self::Misdirect(number.unwrap_or(1 << 20)),
            "delay" => Self::Delay(number.unwrap_or(8)),
            "lost" if number.is_none() => Self::Lost,
            "zero" if number.is_none() => Self::Zero,
            "stale" if number.is_none() => Self::Stale,
            _ => return None,
        })
    }

    /// Its word, and its place among the kinds.
    pub(crate) fn kind(self) -> (&'static str, usize) {
        match self {
            Self::Flip(_) => ("flip", 0),
            Self::Torn(_) => ("torn", 1),
            Self::Misdirect(_) => ("misdirect", 2),
            Self::Lost => ("lost", 3),
            Self::Zero => ("zero", 4),
            Self::Delay(_) => ("delay", 5),
            Self::Stale => ("stale", 6),
        }
    }
}

/// Which request springs a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrapTrigger {
    /// The first that touches the range.
    At(Range<u64>),
    /// The one with this number from now on, from 1.
    Nth(u64),
}

/// A fault that waits for its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trap {
    pub(crate) mischief: Mischief,
    pub(crate) when: TrapTrigger,
}

/// A trap as it meets one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrapEffect {
    pub(crate) mischief: Mischief,
    /// The first byte of the request that lies in the range.
    pub(crate) first_byte: usize,
}

/// All traps that were not sprung yet, in the order in which they were set.
#[derive(Debug, Default)]
pub(crate) struct Traps(Vec<Trap>);

impl Traps {
    pub(crate) fn set(&mut self, trap: Trap) {
        self.0.push(trap);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a trap waits for a read.
    pub(crate) fn wait_for_reads(&self) -> bool {
        self.0.iter().any(|trap| trap.mischief == Mischief::Stale)
    }

    /// Counts a request and takes the first trap that it springs; another one that it could have sprung takes the next.
    pub(crate) fn meet(
        &mut self,
        is_read: bool,
        offset_bytes: u64,
        length_bytes: usize,
    ) -> Option<TrapEffect> {
        let range_bytes = offset_bytes..offset_bytes.saturating_add(length_bytes as u64);
        let mut first = None;
        for (place, trap) in self.0.iter_mut().enumerate() {
            if (trap.mischief == Mischief::Stale) == is_read && trap.when.comes(&range_bytes) {
                first.get_or_insert(place);
            }
        }
        let trap = self.0.remove(first?);
        let first_byte = match trap.when {
            TrapTrigger::At(range) => usize::try_from(range.start.saturating_sub(offset_bytes)).unwrap_or(0),
            TrapTrigger::Nth(_) => 0,
        };
        Some(TrapEffect { mischief: trap.mischief, first_byte })
    }
}

impl TrapTrigger {
    fn comes(&mut self, range_bytes: &Range<u64>) -> bool {
        match self {
            Self::At(own) => own.start < range_bytes.end && range_bytes.start < own.end,
            Self::Nth(number) => {
                *number = number.saturating_sub(1);
                *number == 0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_write_springs_a_trap_once() {
        let mut traps = Traps::default();
        traps.set(Trap { mischief: Mischief::Lost, when: TrapTrigger::Nth(2) });
        let mut meet = |is_read| traps.meet(is_read, 0, 4096).map(|sprung| sprung.mischief);
        let met = [false, true, true, false, false].map(&mut meet);
        assert_eq!(met, [None, None, None, Some(Mischief::Lost), None]);
    }

    #[test]
    fn a_place_springs_it_and_is_named_from_its_first_byte() {
        let mut traps = Traps::default();
        traps.set(Trap { mischief: Mischief::Flip(0), when: TrapTrigger::At(5000..5001) });
        assert_eq!(traps.meet(false, 0, 4096), None);
        let sprung = traps.meet(false, 4096, 4096);
        assert_eq!(sprung, Some(TrapEffect { mischief: Mischief::Flip(0), first_byte: 904 }));
        assert_eq!((traps.meet(false, 4096, 4096), traps.len()), (None, 0));
    }

    #[test]
    fn two_traps_of_one_request_are_sprung_one_after_the_other() {
        let mut traps = Traps::default();
        for mischief in [Mischief::Zero, Mischief::Lost] {
            traps.set(Trap { mischief, when: TrapTrigger::Nth(1) });
        }
        let met = [0, 0, 0].map(|offset| traps.meet(false, offset, 512).map(|sprung| sprung.mischief));
        assert_eq!(met, [Some(Mischief::Zero), Some(Mischief::Lost), None]);
    }
}
