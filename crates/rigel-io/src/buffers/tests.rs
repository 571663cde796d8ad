use super::*;
use rigel_testdev::{MissingNeed, needs};

fn buffers(small: u16, large: u16, seed: u64) -> Buffers {
    Buffers::new(&SlotLayout::of(&[(small, 8192), (large, 1 << 20)]), seed).unwrap()
}

/// A copy of a buffer on which nothing is in flight.
fn copy(buffers: &mut Buffers, slot: u16) -> Vec<u8> {
    // SAFETY: these tests do no I/O.
    unsafe { buffers.bytes_mut(slot) }.to_vec()
}

#[test]
fn every_buffer_holds_different_random_data() {
    let mut one = buffers(3, 2, 1);
    let mut contents: Vec<Vec<u8>> = (0..5).map(|slot| copy(&mut one, slot)).collect();
    assert_eq!(contents.iter().map(Vec::len).collect::<Vec<_>>(), [8192, 8192, 8192, 1 << 20, 1 << 20]);
    for content in &contents {
        let mut counts = [0_u32; 256];
        content.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        let expected = u32::try_from(content.len() / 256).unwrap();
        assert!(counts.iter().all(|count| *count > expected / 8 && *count < expected * 4), "not uniform");
    }
    contents.iter_mut().for_each(|content| content.truncate(8192));
    contents.sort();
    contents.dedup();
    assert_eq!(contents.len(), 5);
}

#[test]
fn the_seed_decides_the_contents() {
    let first = copy(&mut buffers(1, 0, 7), 0);
    assert_eq!(copy(&mut buffers(1, 0, 7), 0), first);
    assert_ne!(copy(&mut buffers(1, 0, 8), 0), first);
}

#[test]
fn a_write_stays_in_its_buffer() {
    let mut some = buffers(4, 2, 1);
    let before: Vec<Vec<u8>> = (0..6).map(|slot| copy(&mut some, slot)).collect();
    // SAFETY: these tests do no I/O.
    unsafe { some.bytes_mut(4) }.fill(0xee);
    for slot in [0, 1, 2, 3, 5] {
        assert_eq!(copy(&mut some, slot), before[usize::from(slot)], "slot {slot}");
    }
}

#[test]
fn no_slots_have_no_backing() {
    let none = buffers(0, 0, 1);
    assert_eq!(none.facts().backing, Backing::None);
    assert_eq!((none.facts().bytes, none.facts().large_segments_max), (0, None));
}

#[test]
fn regions_hold_every_buffer() {
    let some = buffers(5, 3, 1);
    let regions: Vec<_> = some.regions().collect();
    for slot in 0..8 {
        let memory = some.memory(slot);
        let (start, bytes) = regions[usize::from(memory.region)];
        let offset = memory.start.addr().get() - start.addr().get();
        assert!(offset + to_usize(memory.bytes) <= bytes);
    }
    assert_eq!(some.facts().bytes, regions.iter().map(|(_, bytes)| *bytes as u64).sum::<u64>());
}

/// Huge pages, and the right to see where they are; neither is on every machine.
fn huge() -> Result<Buffers, MissingNeed> {
    let some = buffers(2, 16, 1);
    let facts = some.facts();
    match (facts.backing, facts.large_segments_max) {
        (Backing::Normal | Backing::None, _) => Err(MissingNeed::new("no huge pages to be had")),
        (_, None) => Err(MissingNeed::new("physical addresses are hidden: no CAP_SYS_ADMIN")),
        _ => Ok(some),
    }
}

#[test]
fn a_large_buffer_in_a_huge_page_is_one_segment() {
    let Some(some) = needs("a_large_buffer_in_a_huge_page_is_one_segment", huge()) else { return };
    assert_eq!(some.facts().large_segments_max, Some(1));
    assert_eq!(some.facts().large_segments_mean, Some(1.0));
}

#[test]
fn only_large_buffers_count_as_large_wherever_they_stand() {
    let of = |sizes: &[u32]| {
        let memories: Vec<Memory> =
            sizes.iter().map(|&bytes| Memory { start: NonNull::dangling(), bytes, region: 0 }).collect();
        large(&memories).iter().map(|memory| memory.bytes).collect::<Vec<_>>()
    };
    assert!(of(&[8192; 3]).is_empty(), "three ways to commit");
    assert_eq!(of(&[8192, 1 << 20]), [1 << 20]);
    assert_eq!(of(&[1 << 20, 1 << 20, 8192]), [1 << 20, 1 << 20], "large I/O first");
    assert_eq!(of(&[1 << 20, 1 << 20]), [1 << 20, 1 << 20], "streams alone");
    assert_eq!(of(&[8192, 65_536]), [65_536]);
    assert!(of(&[]).is_empty());
}

#[test]
fn leaked_buffers_stay_mapped() {
    let mut some = buffers(1, 0, 1);
    let memory = some.memory(0);
    some.leak();
    drop(some);
    // SAFETY: leaked memory stays mapped until the process ends, and nothing writes to it.
    assert_eq!(unsafe { std::slice::from_raw_parts(memory.start.as_ptr(), 8192) }.len(), 8192);
    // SAFETY: as above; an unmapped page would end this process here.
    let _ = unsafe { memory.start.read() };
}
