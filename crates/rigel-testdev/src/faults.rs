//! Faults by offset: which requests are refused, cut, altered or held.
//!
//! Only the choice and its arithmetic; carrying a fault out is the device's work. It must not count or
//! answer anything.

use std::ops::Range;

/// The direction of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// What happens to a request that touches the range of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Refused with EIO; a write stores nothing.
    Eio,
    /// Writes are refused with ENOSPC and store nothing; reads are unharmed.
    Enospc,
    /// Half of the bytes are transferred. On `raw` the caller sees that; on `disk` the kernel asks for the
    /// rest of a buffered read on its own, takes a direct one for the end of the file, and makes EIO of a write.
    Short,
    /// One bit of the first byte in the range arrives flipped; writes are unharmed, and so is the store.
    Corrupt,
    /// No answer until the device is told `release` or `clear`.
    Hang,
}

impl FaultKind {
    fn concerns(self, direction: Direction) -> bool {
        match self {
            Self::Eio | Self::Short | Self::Hang => true,
            Self::Enospc => direction == Direction::Write,
            Self::Corrupt => direction == Direction::Read,
        }
    }
}

/// A fault that waits on a range of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) range_bytes: Range<u64>,
}

/// A fault as it meets one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) kind: FaultKind,
    /// The first byte of the request that lies in the range.
    pub(crate) first_byte: usize,
}

/// All faults, in the order in which they were set; the first that concerns a request wins.
#[derive(Debug, Default)]
pub(crate) struct FaultTable(Vec<Fault>);

impl FaultTable {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn remove(&mut self, kind: FaultKind) {
        self.0.retain(|fault| fault.kind != kind);
    }

    pub(crate) fn find(&self, direction: Direction, offset_bytes: u64, length_bytes: usize) -> Option<Hit> {
        let end_bytes = offset_bytes.saturating_add(length_bytes as u64);
        let touches = |fault: &&Fault| {
            let range = &fault.range_bytes;
            fault.kind.concerns(direction) && offset_bytes < range.end && range.start < end_bytes
        };
        let fault = self.0.iter().find(touches)?;
        let first_byte = usize::try_from(fault.range_bytes.start.saturating_sub(offset_bytes)).unwrap_or(0);
        Some(Hit { kind: fault.kind, first_byte })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(faults: &[(FaultKind, Range<u64>)]) -> FaultTable {
        FaultTable(
            faults.iter().map(|(kind, range)| Fault { kind: *kind, range_bytes: range.clone() }).collect(),
        )
    }

    fn kind(table: &FaultTable, direction: Direction, offset_bytes: u64) -> Option<FaultKind> {
        table.find(direction, offset_bytes, 4096).map(|hit| hit.kind)
    }

    #[test]
    fn only_requests_that_touch_the_range_are_hit() {
        let table = table(&[(FaultKind::Eio, 8192..8193)]);
        assert_eq!(kind(&table, Direction::Read, 4096), None);
        assert_eq!(kind(&table, Direction::Read, 8192), Some(FaultKind::Eio));
        assert_eq!(kind(&table, Direction::Write, 5000), Some(FaultKind::Eio));
        assert_eq!(kind(&table, Direction::Read, 8193), None);
    }

    #[test]
    fn the_first_fault_that_concerns_the_direction_wins() {
        let table = table(&[(FaultKind::Enospc, 0..1), (FaultKind::Corrupt, 0..1), (FaultKind::Eio, 0..1)]);
        assert_eq!(kind(&table, Direction::Write, 0), Some(FaultKind::Enospc));
        assert_eq!(kind(&table, Direction::Read, 0), Some(FaultKind::Corrupt));
    }

    #[test]
    fn the_hit_names_the_first_byte_in_the_range() {
        let table = table(&[(FaultKind::Corrupt, 100..200)]);
        assert_eq!(table.find(Direction::Read, 0, 4096).unwrap().first_byte, 100);
        assert_eq!(table.find(Direction::Read, 150, 4096).unwrap().first_byte, 0);
    }

    #[test]
    fn removing_one_kind_leaves_the_others() {
        let mut table = table(&[(FaultKind::Hang, 0..1), (FaultKind::Eio, 0..1)]);
        table.remove(FaultKind::Hang);
        assert_eq!(kind(&table, Direction::Read, 0), Some(FaultKind::Eio));
        table.clear();
        assert_eq!(kind(&table, Direction::Read, 0), None);
    }
}
