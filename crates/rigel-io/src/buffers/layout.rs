//! The offsets of all buffers, by pure arithmetic.
//!
//! There are two rules. A buffer starts at a multiple of [`MIN_ALIGN_BYTES`], or of its own size if that is a power of two up to a huge
//! page. A buffer that fits into one page, normal or huge, does not straddle two: every piece of physical memory is one more segment of
//! a request, and a device takes a limited number of segments. Must not touch memory, and must not know how large a normal page is here: x86
//! has 4 KiB, Arm also 16 and 64.

use crate::backend::SlotLayout;
use rigel_core::error::Problem;
use rigel_core::units::Bytes;

/// The size of huge page that is requested; machines with other sizes get normal pages.
pub(super) const HUGE_BYTES: usize = 2 << 20;

/// The largest alignment that known direct I/O needs: a block of a disk, whatever the host's page size.
const MIN_ALIGN_BYTES: usize = 4096;

/// The largest buffer that io_uring registers.
const MAX_ARENA_BYTES: usize = 1 << 30;

/// The place of one slot's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) arena: u16,
    pub(super) offset: usize,
}

/// All positions, and the used bytes of each arena.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) places: Vec<Place>,
    pub(super) arena_bytes: Vec<usize>,
}

/// Lays out every slot where a normal page has this many bytes: a power of two up to a huge page.
pub(super) fn plan(layout: &SlotLayout, page_bytes: usize) -> Result<Plan, Problem> {
    let mut plan = Plan::default();
    for slot in 0..layout.slots() {
        let bytes = layout.bytes_of(slot);
        let place = plan.next_place(to_usize(bytes), page_bytes).ok_or_else(|| too_large(bytes))?;
        plan.places.push(place);
    }
    Ok(plan)
}

impl Plan {
    /// Reserves room in the last arena, or in a new one.
    fn next_place(&mut self, bytes: usize, page_bytes: usize) -> Option<Place> {
        let room = bytes.next_multiple_of(MIN_ALIGN_BYTES);
        let fits = |used: &usize| {
            start_after(*used, room, page_bytes).filter(|start| start + room <= MAX_ARENA_BYTES)
        };
        let offset = match self.arena_bytes.last().and_then(fits) {
            Some(offset) => offset,
            None if room <= MAX_ARENA_BYTES => {
                self.arena_bytes.push(0);
                0
            }
            None => return None,
        };
        let index = self.arena_bytes.len().checked_sub(1)?;
        self.arena_bytes[index] = offset + room;
        Some(Place { arena: u16::try_from(index).ok()?, offset })
    }
}

/// The first offset from `used` on that obeys the rules.
fn start_after(used: usize, room: usize, page_bytes: usize) -> Option<usize> {
    let natural =
        if room.is_power_of_two() { room.clamp(MIN_ALIGN_BYTES, HUGE_BYTES) } else { MIN_ALIGN_BYTES };
    let start = used.checked_next_multiple_of(natural)?;
    // More than a page begins with one, so that it has no piece more than it has pages.
    let start = if start % page_bytes + room <= page_bytes {
        start
    } else {
        start.checked_next_multiple_of(page_bytes)?
    };
    let in_one_huge = start % HUGE_BYTES + room <= HUGE_BYTES;
    if in_one_huge { Some(start) } else { start.checked_next_multiple_of(HUGE_BYTES) }
}

/// Lossless: nothing smaller than 32 bits runs Linux with io_uring.
pub(super) const fn to_usize(bytes: u32) -> usize {
    bytes as usize
}

fn too_large(bytes: u32) -> Problem {
    Problem::usage(format!("an I/O of {} is too large", Bytes(u64::from(bytes))))
        .because(format!("a buffer can have at most {}", Bytes(MAX_ARENA_BYTES as u64)))
        .next("choose a smaller I/O size")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(small: u16, small_bytes: u32, large: u16, large_bytes: u32) -> Plan {
        plan(&SlotLayout::of(&[(small, small_bytes), (large, large_bytes)]), 4096).unwrap()
    }

    /// x86, and what kernels for Arm are built with.
    const PAGES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

    fn check(small: u16, small_bytes: u32, large: u16, large_bytes: u32) {
        let layout = SlotLayout::of(&[(small, small_bytes), (large, large_bytes)]);
        PAGES.iter().for_each(|page_bytes| check_with(&layout, *page_bytes));
    }

    /// Every rule at once: alignment, pages of both kinds, the arena's limit, and no overlap.
    fn check_with(layout: &SlotLayout, page_bytes: usize) {
        let plan = plan(layout, page_bytes).unwrap();
        assert_eq!(plan.places.len(), usize::from(layout.slots()));
        let mut free_from = (0, 0);
        for (slot, place) in (0..).zip(&plan.places) {
            let bytes = to_usize(layout.bytes_of(slot));
            let end = place.offset + bytes;
            assert_eq!(place.offset % MIN_ALIGN_BYTES, 0);
            if bytes.is_power_of_two() {
                assert_eq!(place.offset % bytes.min(HUGE_BYTES), 0, "{bytes} at {}", place.offset);
            }
            for page_bytes in [page_bytes, HUGE_BYTES] {
                let pieces = end.div_ceil(page_bytes) - place.offset / page_bytes;
                assert!(pieces <= bytes.div_ceil(page_bytes), "{bytes} at {}, {page_bytes}", place.offset);
            }
            assert!((place.arena, place.offset) >= free_from, "slot {slot} overlaps");
            assert!(end <= plan.arena_bytes[usize::from(place.arena)]);
            free_from = (place.arena, end);
        }
        assert!(plan.arena_bytes.iter().all(|bytes| *bytes <= MAX_ARENA_BYTES));
    }

    #[test]
    fn every_layout_obeys_the_rules() {
        for small_bytes in [512, 4096, 8192, 12_288, 65_536, 5000] {
            for large_bytes in [8192, 1 << 20, 3 << 19, 2 << 20, 3 << 20, 1_000_000, 5 << 20] {
                check(3, small_bytes, 7, large_bytes);
                check(0, small_bytes, 5, large_bytes);
                check(300, small_bytes, 0, large_bytes);
            }
        }
        check(1, 8192, 2000, 1 << 20);
        check(1, 8192, 3, 1 << 30);
    }

    #[test]
    fn two_megabytes_share_a_huge_page() {
        let plan = laid_out(0, 8192, 4, 1 << 20);
        assert_eq!(plan.arena_bytes, [4 << 20]);
        assert_eq!(plan.places[3], Place { arena: 0, offset: 3 << 20 });
    }

    #[test]
    fn small_buffers_share_a_large_page() {
        let many = SlotLayout::of(&[(8, 8192), (2, 192 << 10)]);
        let plan = plan(&many, 64 << 10).unwrap();
        let places: Vec<usize> = plan.places.iter().map(|place| place.offset >> 10).collect();
        assert_eq!(places, [0, 8, 16, 24, 32, 40, 48, 56, 64, 256]);
    }

    #[test]
    fn an_arena_ends_at_one_gibibyte() {
        let plan = laid_out(0, 8192, 1025, 1 << 20);
        assert_eq!(plan.arena_bytes, [1 << 30, 1 << 20]);
        assert_eq!(plan.places[1024], Place { arena: 1, offset: 0 });
    }

    #[test]
    fn no_slots_and_too_large_slots() {
        assert_eq!(laid_out(0, 8192, 0, 1 << 20), Plan::default());
        let layout = SlotLayout::of(&[(0, 0), (1, (1 << 30) + 1)]);
        assert!(plan(&layout, 4096).unwrap_err().to_string().contains("at most 1 GiB"));
    }
}
