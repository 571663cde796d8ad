//! Whether a target was ever written.

use super::support::{MIB, assert_verdict, dir, evidence, look, loop_on, poke, sparse, tool};
use rigel_core::error::ExitKind;
use rigel_core::guard::safety::{Evidence, Verdict};
use rigel_io::targets::inspect::{Scan, Snapshot, inspect};
use rigel_testdev::{ZramDevice, needs};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const GIB: u64 = 1 << 30;

fn contents(path: &Path) -> Vec<String> {
    look(path).iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_that_was_never_written() {
    let dir = dir();
    let hole = sparse(&dir, "hole", 8 * GIB);
    let ["it holds nothing: none of its blocks was ever written (holes or unwritten extents)"] =
        contents(&hole).iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", contents(&hole))
    };
    let allocated = sparse(&dir, "allocated", 1);
    let allocate = tool("fallocate", &["-l".as_ref(), "16M".as_ref(), allocated.as_ref()]);
    if needs("a_file_that_was_never_written", allocate).is_some() {
        assert_verdict(&allocated, Verdict::MayWrite);
    }
}

#[test]
fn zeros_are_read_to_the_last_byte() {
    let dir = dir();
    for size in [1, 511, 4096, 16 * MIB, 9 * MIB + 4097] {
        let file = sparse(&dir, &size.to_string(), size);
        poke(&file, 0, &vec![0; usize::try_from(size).unwrap()]);
        let [how] = &contents(&file)[..] else { panic!("{:?}", contents(&file)) };
        assert!(how.starts_with("it holds nothing: all ") && how.ends_with(" read as zeros"), "{how}");
        poke(&file, size - 1, &[1]);
        assert_eq!(look(&file)[..], [Evidence::HoldsData { first_offset: (size - 1) / 4096 * 4096 }]);
    }
}

#[test]
fn data_behind_a_hole() {
    let dir = dir();
    let file = sparse(&dir, "file", 2 * GIB);
    poke(&file, GIB, &[0; 8192]);
    poke(&file, GIB + 5 * MIB + 7, &[1]);
    assert_eq!(look(&file)[..], [Evidence::HoldsData { first_offset: GIB + 5 * MIB }]);
}

#[test]
fn a_sample_never_clears() {
    let dir = dir();
    let large = sparse(&dir, "large", 5 * GIB);
    // Written with zeros somewhere, so that the filesystem cannot vouch for it.
    poke(&large, GIB, &[0; 4096]);
    let found = look(&large);
    let [Evidence::NotWhollyRead { looked_bytes }] = found[..] else { panic!("{found:?}") };
    assert!((8 * MIB..64 * MIB).contains(&looked_bytes), "{looked_bytes}");
    assert_verdict(&large, Verdict::NeedsConsent);
    // In the last and the first bytes data are always seen.
    poke(&large, 5 * GIB - 1, &[1]);
    assert_eq!(look(&large)[..], [Evidence::HoldsData { first_offset: 5 * GIB - 4096 }]);
    poke(&large, 4 * MIB - 1, &[1]);
    assert_eq!(look(&large)[..], [Evidence::HoldsData { first_offset: 4 * MIB - 4096 }]);
}

#[test]
fn a_quick_look_leaves_it_open() {
    let dir = dir();
    let file = sparse(&dir, "file", 64 * MIB);
    poke(&file, 30 * MIB, &[0; 4096]);
    let found = evidence(&file, Scan::Sample, &mut |_, _| {});
    assert!(matches!(found[..], [Evidence::NotWhollyRead { .. }]), "{found:?}");
    let mut steps = Vec::new();
    let whole = evidence(&file, Scan::Whole, &mut |done, total| steps.push((done, total)));
    assert!(matches!(whole[..], [Evidence::NeverWritten { .. }]), "{whole:?}");
    assert!(
        steps.is_sorted() && steps.iter().all(|&(done, total)| done <= total && total == 64 * MIB),
        "{steps:?}"
    );
    assert!(!steps.is_empty());
}

#[test]
fn a_look_can_be_stopped() {
    let dir = dir();
    let file = sparse(&dir, "file", 64 * MIB);
    poke(&file, 0, &vec![0; 32 << 20]);
    let snapshot = Snapshot::take();
    let inspected = inspect(&file, &snapshot).unwrap();
    let stop = AtomicBool::new(false);
    let mut calls = 0;
    let mut progress = |_, _| {
        calls += 1;
        stop.store(true, Ordering::Relaxed);
    };
    let problem = inspected.evidence(&snapshot, Scan::Whole, &mut progress, &stop).map(|_| ()).unwrap_err();
    assert_eq!((problem.kind, calls), (ExitKind::CutShort, 1));
    assert!(problem.next.unwrap().contains("nothing was measured"));
}

#[test]
fn devices_of_zeros_and_of_data() {
    let dir = dir();
    let file = sparse(&dir, "disk", 12 * MIB);
    let Some(device) = needs("devices_of_zeros_and_of_data", loop_on(&file)) else { return };
    assert_verdict(device.path(), Verdict::MayWrite);
    poke(device.path(), 7 * MIB, b"x");
    assert_eq!(look(device.path())[..], [Evidence::HoldsData { first_offset: 7 * MIB }]);
}

#[test]
fn a_fresh_zram_holds_nothing() {
    let Some(device) = needs("a_fresh_zram_holds_nothing", ZramDevice::create(16 * MIB)) else { return };
    assert_verdict(&device.path(), Verdict::MayWrite);
    device.fill(4096).unwrap();
    assert_eq!(look(&device.path())[..], [Evidence::HoldsData { first_offset: 0 }]);
}

/// A program that has a file open; ended when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_hole_that_someone_has_open_is_not_free() {
    let dir = dir();
    let hole = sparse(&dir, "hole", MIB);
    let mut program = Command::new("cat");
    let input = std::fs::File::open(&hole).unwrap();
    // It sleeps on a pipe, so that it stays.
    program.args(["-", "/dev/fd/0"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(input);
    let program = Program(program.spawn().unwrap());
    // Dropping the command closed our own descriptor.
    let found = look(&hole);
    let [Evidence::OpenElsewhere { processes }, Evidence::NeverWritten { .. }] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(processes[..], [format!("{} (cat)", program.0.id())]);
    assert_verdict(&hole, Verdict::NeedsConsent);
    drop(program);
    assert_verdict(&hole, Verdict::MayWrite);
}

#[test]
fn the_look_changes_nothing() {
    let dir = dir();
    let file = sparse(&dir, "file", 9 * MIB);
    poke(&file, 5 * MIB, b"precious");
    let before = (super::support::bytes_of(&file), std::fs::metadata(&file).unwrap().modified().unwrap());
    look(&file);
    assert_eq!(
        (super::support::bytes_of(&file), std::fs::metadata(&file).unwrap().modified().unwrap()),
        before
    );
}
