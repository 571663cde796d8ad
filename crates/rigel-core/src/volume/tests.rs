use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

const RAID0: Layout = Layout::Raid0 { stripe_bytes: 2048 };

#[test]
fn concat_goes_through_one_target_after_the_other() {
    let volume = Volume::new(&[3000, 500, 2048], 1024, Layout::Concat).unwrap();
    let places: Vec<_> =
        (0..volume.chunks()).map(|c| volume.place(c)).map(|p| (p.target, p.offset)).collect();
    assert_eq!(places, [(0, 0), (0, 1024), (2, 0), (2, 1024)], "a target smaller than one I/O has no chunk");
}

#[test]
fn raid0_takes_turns_every_stripe() {
    let volume = Volume::new(&[4096, 4096], 1024, RAID0).unwrap();
    let places: Vec<_> =
        (0..volume.chunks()).map(|c| volume.place(c)).map(|p| (p.target, p.offset)).collect();
    assert_eq!(places, [(0, 0), (0, 1024), (1, 0), (1, 1024), (0, 2048), (0, 3072), (1, 2048), (1, 3072)]);
}

#[test]
fn raid0_uses_the_rest_of_larger_targets() {
    let volume = Volume::new(&[2048, 6144, 4096], 1024, RAID0).unwrap();
    assert_eq!(volume.chunks(), (1 + 3 + 2) * 2);
    assert_eq!(volume.place(11), Place { target: 1, offset: 5120 });
}

#[test]
fn a_stripe_that_cuts_an_io_is_refused() {
    let cut = Volume::new(&[4096], 1024, Layout::Raid0 { stripe_bytes: 1500 });
    assert!(matches!(cut, Err(VolumeError::StripeCutsIo { .. })));
    assert_eq!(Volume::new(&[100], 1024, Layout::Concat).err(), Some(VolumeError::Empty));
}

proptest! {
    /// Every chunk has its own place, aligned and inside its target, and nothing of a target is left out but a rest.
    #[test]
    fn chunks_tile_the_targets(
        sizes in proptest::collection::vec(0u64..40_000, 1..6),
        stripe_chunks in 1u64..4,
        raid0: bool,
    ) {
        let stripe_bytes = stripe_chunks * 512;
        let layout = if raid0 { Layout::Raid0 { stripe_bytes } } else { Layout::Concat };
        let unit = if raid0 { stripe_bytes } else { 512 };
        let expected: u64 = sizes.iter().map(|size| size / unit * unit / 512).sum();
        match Volume::new(&sizes, 512, layout) {
            Err(error) => { prop_assert_eq!(error, VolumeError::Empty); prop_assert_eq!(expected, 0); }
            Ok(volume) => {
                prop_assert_eq!(volume.chunks(), expected);
                let mut seen = HashSet::new();
                for chunk in 0..volume.chunks() {
                    let place = volume.place(chunk);
                    prop_assert!(place.offset % 512 == 0);
                    prop_assert!(place.offset + 512 <= sizes[usize::from(place.target)]);
                    prop_assert!(seen.insert((place.target, place.offset)));
                }
            }
        }
    }
}
