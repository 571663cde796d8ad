//! Scratch files that somebody found another use for: neither used again nor removed.

use crate::making::shell;
use crate::support::Place;
use rigel_testdev::{LoopDevice, needs};
use std::fs;

const RUN: &str =
    "run advanced --matrix point --num-small 1 --num-large 0 --duration 100ms --write 100 --quiet --no-html";

#[test]
fn a_kept_scratch_file_with_a_filesystem_in_it_is_left_alone() {
    let name = "a_kept_scratch_file_with_a_filesystem_in_it_is_left_alone";
    let _alone = crate::alone();
    let place = Place::new();
    place.line(&format!("{RUN} --scratch-size 16M --keep-scratch")).expect_measured();
    let path = place.path().join("rigel-scratch.dat");
    let whole = fs::read(&path).unwrap();
    let makers = [
        "mkfs.ext4 -q -F -E nodiscard $F",
        "head -c 64K /dev/urandom | dd of=$F bs=64K seek=128 conv=notrunc iflag=fullblock",
        "printf x | dd of=$F bs=1 seek=17825791 conv=notrunc",
    ];
    for maker in makers {
        fs::write(&path, &whole).unwrap();
        let Some(()) = needs(name, shell(&[maker], &path)) else { return };
        let theirs = fs::read(&path).unwrap();
        // The same size would use it, another one would remove it.
        for size in ["16M", "32M"] {
            let told = place.line(&format!("{RUN} --scratch-size {size}")).expect_code(3);
            assert!(told.stderr.contains("something else wrote into"), "{maker}: {}", told.stderr);
            assert!(fs::read(&path).unwrap() == theirs, "{maker}, {size}");
        }
    }
}

#[test]
fn a_scratch_file_under_a_loop_device_is_not_removed() {
    let name = "a_scratch_file_under_a_loop_device_is_not_removed";
    let _alone = crate::alone();
    let place = Place::new();
    place.line(&format!("{RUN} --scratch-size 16M --keep-scratch")).expect_measured();
    let path = place.path().join("rigel-scratch.dat");
    let whole = fs::read(&path).unwrap();
    let Some(device) = needs(name, LoopDevice::attach(&path, true)) else { return };
    for size in ["16M", "32M"] {
        let told = place.line(&format!("{RUN} --scratch-size {size}")).expect_code(3);
        assert!(told.stderr.contains("loop"), "{}", told.stderr);
        assert!(fs::read(&path).unwrap() == whole, "{size}");
    }
    drop(device);
    // Free again, it is removed as before.
    place.line(&format!("{RUN} --scratch-size 32M")).expect_measured();
    assert!(!path.exists());
}
