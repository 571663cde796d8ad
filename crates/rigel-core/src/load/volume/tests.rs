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

/// Sizes and chunks from one byte to what 64 bits hold.
fn at_the_limits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u64..4).prop_map(|below| u64::MAX - below),
        (0u32..64).prop_map(|power| 1 << power),
        1u64..8
    ]
}

proptest! {
    /// However large targets claim to be: a volume whose chunks lie in them, or a refusal.
    #[test]
    fn no_size_is_too_large(
        sizes in proptest::collection::vec(at_the_limits(), 1..6),
        chunk_bytes in at_the_limits().prop_filter("an I/O has bytes", |&bytes| bytes > 0),
        stripe_bytes in at_the_limits(),
        in_stripe: u64,
        raid0: bool,
    ) {
        // A multiple of the chunk now and then.
        let stripe_bytes = (in_stripe % 16).checked_mul(chunk_bytes).filter(|_| in_stripe % 2 == 0).unwrap_or(stripe_bytes);
        let layout = if raid0 { Layout::Raid0 { stripe_bytes } } else { Layout::Concat };
        if let Ok(volume) = Volume::new(&sizes, chunk_bytes, layout) {
            let last = volume.chunks() - 1;
            for chunk in [0, last / 3, last / 2, last - last / 7, last] {
                let place = volume.place(chunk);
                let end = place.offset.checked_add(chunk_bytes);
                prop_assert!(end.is_some_and(|end| end <= sizes[usize::from(place.target)]), "{:?}", place);
            }
        }
    }
}

#[test]
fn more_chunks_than_64_bits_count_are_refused() {
    let sizes = [u64::MAX; 2];
    for layout in [Layout::Concat, Layout::Raid0 { stripe_bytes: 1 }] {
        let refused = Volume::new(&sizes, 1, layout).err();
        assert_eq!(refused, Some(VolumeError::TooLarge { chunk_bytes: 1 }), "{layout:?}");
    }
    assert_eq!(Volume::new(&sizes, 2, Layout::Concat).unwrap().chunks(), u64::MAX - 1);
}
