use super::*;
use crate::load::workload::Layout;

fn share(percent: u8) -> WritePercent {
    WritePercent::new(percent).unwrap()
}

/// Chi-square with 63 degrees of freedom: 99.9 % of uniform samples lie below 103.4 (table value).
#[test]
fn offsets_are_uniform_over_every_target() {
    let volume = Volume::new(&[16 * 8192, 48 * 8192], 8192, Layout::Concat).unwrap();
    let mut counts = [0u64; 64];
    let mut generator = Generator::of_slot(42, 0, 0, 0);
    for _ in 0..64_000 {
        let place = anywhere(&mut generator, &volume);
        let chunk = place.offset / 8192 + if place.target == 1 { 16 } else { 0 };
        counts[usize::try_from(chunk).unwrap()] += 1;
    }
    let chi2: f64 = counts.iter().map(|&n| (crate::units::to_f64(n) - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi2 < 103.4, "chi-square {chi2}");
}

#[test]
fn slots_points_and_classes_draw_independently() {
    let first = |visit, class, slot| Generator::of_slot(7, visit, class, slot).bits();
    let mut seen = std::collections::HashSet::new();
    for visit in 0..20 {
        for class in 0..2 {
            for slot in 0..100 {
                assert!(seen.insert(first(visit, class, slot)));
            }
        }
    }
    assert_eq!(first(3, 1, 5), first(3, 1, 5), "the same seed draws the same");
    assert_ne!(Generator::of_slot(8, 0, 0, 0).bits(), first(0, 0, 0));
}

#[test]
fn the_coin_keeps_the_share() {
    for percent in [0, 1, 20, 50, 99, 100] {
        let mut generator = Generator::new(1, &[u64::from(percent)]);
        let writes =
            (0..100_000).filter(|_| coin(&mut generator, share(percent)) == Direction::Write).count();
        let expected = 1000 * usize::from(percent);
        // Four standard deviations of a binomial with n = 100,000 are at most 633.
        assert!(writes.abs_diff(expected) <= 633, "{percent} %: {writes}");
        assert!(percent != 0 || writes == 0);
        assert!(percent != 100 || writes == 100_000);
    }
}

#[test]
fn streams_start_evenly_and_wrap() {
    let volume = Volume::new(&[8 * 1024], 1024, Layout::Concat).unwrap();
    let mut streams: Vec<Stream> = (0..4).map(|i| Stream::new(i, 4, &volume, share(50))).collect();
    let offsets: Vec<u64> = streams.iter_mut().map(|s| s.advance(&volume).offset / 1024).collect();
    assert_eq!(offsets, [0, 2, 4, 6]);
    let last = &mut streams[3];
    assert_eq!((last.advance(&volume).offset, last.advance(&volume).offset), (7 * 1024, 0));
    let writers = streams.iter().filter(|s| s.direction == Direction::Write).count();
    assert_eq!(writers, 2);
}

/// Each chunk is read once in a round, whatever the number of lanes.
#[test]
fn the_lanes_of_a_stream_go_over_it_together() {
    let volume = Volume::new(&[9 * 1024], 1024, Layout::Concat).unwrap();
    for lanes in [1, 2, 4] {
        let mut all = Vec::new();
        for number in 0..lanes {
            let mut lane = Stream::within(0..9, Direction::Read).moved(5).lane(number, lanes);
            // Of 36 I/Os each of the 9 chunks has four.
            all.extend((0..36 / lanes).map(|_| lane.advance(&volume).offset / 1024));
        }
        all.sort_unstable();
        assert_eq!(all, (0..36).map(|at| at / 4).collect::<Vec<_>>(), "{lanes}");
    }
    let mut second = Stream::within(0..9, Direction::Read).moved(5).lane(1, 4);
    assert_eq!([0; 3].map(|_| second.advance(&volume).offset / 1024), [6, 1, 5]);
}

#[test]
fn a_stream_within_chunks_stays_there() {
    let volume = Volume::new(&[100 * 1024], 1024, Layout::Concat).unwrap();
    let mut log = Stream::within(8..12, Direction::Write).moved(3 + 400);
    let chunks: Vec<u64> = (0..6).map(|_| log.advance(&volume).offset / 1024).collect();
    assert_eq!(chunks, [11, 8, 9, 10, 11, 8]);
    assert_eq!(Stream::within(8..9, Direction::Write).moved(5).advance(&volume).offset, 8 * 1024);
}
