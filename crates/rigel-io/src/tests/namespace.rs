//! NVMe commands and the block device of the same namespace see the same bytes. Everything on the drive is lost, so it must be named explicitly:
//! `cargo xtask vm` has an emulated one.

use super::*;
use crate::targets::inspect::target_facts;
use crate::uring::NvmeRing;
use std::path::PathBuf;

/// Names the block device of a namespace that may be overwritten.
const DRIVE: &str = "RIGEL_TEST_NVME";

/// The drive as the only target, open for writing and for commands.
fn drive(test: &str) -> Option<(Arc<OpenTargets>, u64)> {
    let named = std::env::var_os(DRIVE).map(PathBuf::from);
    let path = needs(test, named.ok_or_else(|| MissingNeed::new(format!("{DRIVE} names no drive"))))?;
    let facts = target_facts(&path).unwrap();
    let opened = OpenTarget::new(open(&path, OFlags::RDWR).unwrap(), facts.size_bytes, true);
    let targets = OpenTargets::new(vec![opened]).with_namespaces(std::slice::from_ref(&facts)).unwrap();
    Some((Arc::new(targets), facts.size_bytes))
}

fn on_blocks(targets: &Arc<OpenTargets>) -> Uring {
    Uring::new(Arc::clone(targets), layout(4, 0), SEED, false).unwrap().0
}

fn check(test: &str, poll: bool) {
    let Some((targets, size_bytes)) = drive(test) else { return };
    let mut blocks = on_blocks(&targets);
    let last = size_bytes - u64::from(SMALL_BYTES);
    let places = [0, 8192 * 7, size_bytes / 2, last];
    let ops = |make: fn(u16, u64, u32) -> Op| {
        (0..).zip(places).map(|(slot, at)| make(slot, at, SMALL_BYTES)).collect::<Vec<Op>>()
    };
    let fine = [Ok(SMALL_BYTES); 4];

    let (mut commands, facts, _) =
        NvmeRing::passthrough(Arc::clone(&targets), layout(4, 0), SEED + 1, poll).unwrap();
    assert!(facts.registered_files && facts.polled == poll, "{facts:?}");
    let written: Vec<Vec<u8>> = (0..4).map(|slot| blocks.buffer(slot).to_vec()).collect();
    assert_eq!(outcomes(&mut blocks, &ops(write)), fine);
    assert_eq!(outcomes(&mut commands, &ops(read)), fine);
    for (slot, expected) in (0..).zip(&written) {
        assert!(commands.buffer(slot) == expected, "command {slot} read other bytes");
    }

    // The other way round, each block to another slot's place.
    (0..4).for_each(|slot| commands.buffer_mut(slot).fill(slot.to_le_bytes()[0] + 1));
    assert_eq!(outcomes(&mut commands, &ops(write)), fine);
    assert_eq!(outcomes(&mut blocks, &ops(read)), fine);
    for slot in 0..4 {
        assert!(blocks.buffer(slot).iter().all(|&byte| u16::from(byte) == slot + 1), "command {slot}");
    }

    // Behind the end the controller refuses, and the ring goes on.
    assert_eq!(outcomes(&mut commands, &[read(0, size_bytes, SMALL_BYTES)]), [Err(libc::EIO)]);
    assert_eq!(outcomes(&mut commands, &[read(0, last, 4096)]), [Ok(4096)]);
}

#[test]
fn commands_and_blocks_agree() {
    check("commands_and_blocks_agree (disposable NVMe)", false);
}

#[test]
fn polled_commands_and_blocks_agree() {
    check("polled_commands_and_blocks_agree (disposable NVMe)", true);
}

#[test]
fn a_namespace_is_known_by_either_name() {
    let Some((targets, _)) = drive("a_namespace_is_known_by_either_name (disposable NVMe)") else { return };
    let block = PathBuf::from(std::env::var_os(DRIVE).unwrap());
    let name = block.file_name().unwrap().to_str().unwrap().replacen("nvme", "ng", 1);
    let facts = [block, Path::new("/dev").join(name)].map(|path| target_facts(&path).unwrap());
    assert_eq!(facts[0].identity, facts[1].identity);
    assert_eq!(facts[0].real_path, facts[1].real_path);
    assert!(targets[0].namespace().is_some());
}
