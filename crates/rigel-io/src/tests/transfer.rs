//! The bytes are the right bytes.

use super::*;

for_every_engine!(
    every_slot_reads_its_own_offset,
    writes_land_where_they_should,
    two_targets_are_kept_apart,
    every_slot_can_be_used_again_and_again
);

/// Small slots at multiples of 8 KiB from the start, large ones from 4 MiB on.
fn reads(slots: SlotLayout, shift: u64) -> Vec<Op> {
    let op = |slot: u16| {
        let number = (u64::from(slot) + shift) % u64::from(slots.slots());
        if slot < slots.group(0).end {
            read(slot, number * u64::from(SMALL_BYTES), SMALL_BYTES)
        } else {
            read(slot, (4 << 20) + number * u64::from(LARGE_BYTES) / 2, LARGE_BYTES)
        }
    };
    (0..slots.slots()).map(op).collect()
}

fn check_reads(backend: &mut impl Backend, contents: &[u8], ops: &[Op]) {
    for (op, completion) in ops.iter().zip(carry(backend, ops)) {
        assert_eq!(completion, Completion { slot: op.slot, outcome: Ok(op.len) });
        let from = usize::try_from(op.offset).unwrap();
        let expected = &contents[from..from + op.len as usize];
        assert!(backend.buffer_mut(op.slot)[..op.len as usize] == *expected, "{op:?} read other bytes");
    }
}

fn every_slot_reads_its_own_offset<E: Engine>() {
    let scratch = Scratch::new(12 << 20);
    let Some(targets) = scratch.targets("every_slot_reads_its_own_offset", false) else { return };
    let slots = layout(7, 5);
    let Some(mut backend) = engine::<E>("every_slot_reads_its_own_offset", &targets, slots) else { return };
    assert_eq!(backend.slots(), 12);
    for round in 0..slots.slots() {
        check_reads(&mut backend, &scratch.contents, &reads(slots, u64::from(round)));
    }
    // Shorter than the buffer, to its start.
    check_reads(&mut backend, &scratch.contents, &[read(0, 4096, 4096), read(7, 1 << 20, 65_536)]);
}

fn writes_land_where_they_should<E: Engine>() {
    let scratch = Scratch::new(8 << 20);
    let Some(targets) = scratch.targets("writes_land_where_they_should", true) else { return };
    let Some(mut backend) = engine::<E>("writes_land_where_they_should", &targets, layout(3, 2)) else {
        return;
    };
    let ops = [
        write(0, 16_384, SMALL_BYTES),
        write(1, 40_960, 4096),
        write(2, 8 << 10, SMALL_BYTES),
        write(3, 5 << 20, LARGE_BYTES),
        write(4, 2 << 20, LARGE_BYTES),
    ];
    let mut expected = scratch.contents.clone();
    for op in &ops {
        let from = usize::try_from(op.offset).unwrap();
        // What the buffers hold from the start: random, so that storage cannot compress it.
        expected[from..from + op.len as usize]
            .copy_from_slice(&backend.buffer_mut(op.slot)[..op.len as usize]);
    }
    assert!(expected != scratch.contents);
    assert_eq!(outcomes(&mut backend, &ops), ops.map(|op| Ok(op.len)));
    drop(backend);
    assert!(std::fs::read(scratch.path()).unwrap() == expected, "other bytes were written");
}

fn two_targets_are_kept_apart<E: Engine>() {
    let (first, second) = (Scratch::new(1 << 20), Scratch::new(1 << 20));
    // The same contents by construction, so mark one.
    std::fs::write(second.path(), vec![0x5a; 1 << 20]).unwrap();
    let both = target(&first.path(), false).and_then(|one| Ok(vec![one, target(&second.path(), true)?]));
    let Some(both) = needs("two_targets_are_kept_apart", both) else { return };
    let targets = Arc::new(OpenTargets::new(both));
    let Some(mut backend) = engine::<E>("two_targets_are_kept_apart", &targets, layout(2, 0)) else { return };
    carry(&mut backend, &[read(0, 0, 4096), Op { target: 1, ..read(1, 0, 4096) }]);
    assert!(backend.buffer_mut(0)[..4096] == first.contents[..4096]);
    assert!(backend.buffer_mut(1)[..4096].iter().all(|byte| *byte == 0x5a));
    backend.buffer_mut(0).fill(7);
    assert_eq!(outcomes(&mut backend, &[Op { target: 1, ..write(0, 4096, 4096) }]), [Ok(4096)]);
    drop(backend);
    assert!(std::fs::read(first.path()).unwrap() == first.contents);
    assert!(std::fs::read(second.path()).unwrap()[4096..8192].iter().all(|byte| *byte == 7));
}

fn every_slot_can_be_used_again_and_again<E: Engine>() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("every_slot_can_be_used_again_and_again", false) else { return };
    let Some(mut backend) = engine::<E>("every_slot_can_be_used_again_and_again", &targets, layout(9, 0))
    else {
        return;
    };
    let mut free: Vec<u16> = (0..9).collect();
    let mut expected = [0_usize; 9];
    let mut generator = Generator::new(3, &[]);
    let mut finished = Vec::new();
    for _ in 0..500 {
        for slot in free.drain(..) {
            let block = generator.below(128);
            expected[usize::from(slot)] = usize::try_from(block * 8192).unwrap();
            backend.push(read(slot, block * 8192, SMALL_BYTES));
        }
        backend.submit(1).unwrap();
        backend.reap(|completion| finished.push(completion));
        assert!(!finished.is_empty(), "one was waited for");
        for completion in finished.drain(..) {
            assert_eq!(completion.outcome, Ok(SMALL_BYTES));
            let from = expected[usize::from(completion.slot)];
            assert!(*backend.buffer_mut(completion.slot) == scratch.contents[from..from + 8192]);
            free.push(completion.slot);
        }
    }
}
