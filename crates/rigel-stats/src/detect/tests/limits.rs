//! Limits that show over load levels and over sizes.

use crate::detect::sizes::{Load, byte_limit, io_limit};
use crate::detect::waits::{LimiterRate, LoadedLevel, Piece, paid_back};
use crate::tests::Noise;

/// What a level shows whose I/Os mostly take `median` of their mean and whose visits vary `evenness` times as much as
/// independent waits would make them.
#[derive(Clone, Copy)]
struct Shape {
    levels: u32,
    visits: u32,
    /// Gain of twice the load.
    gain: f64,
    median: f64,
    variation: f64,
    evenness: f64,
}

/// As Linux limits a fast device to 770 I/Os per second in slices of 100 ms.
const SLICES: Shape = Shape { levels: 5, visits: 4, gain: 0.0, median: 0.01, variation: 5.0, evenness: 0.1 };

impl Shape {
    fn judge(&self, noise: &mut Noise) -> Option<LimiterRate> {
        let level = |outstanding: u32| {
            let rate = 770.0 * (1.0 + self.gain).powf(f64::from(outstanding).log2());
            let ios = 2.0 * rate;
            let mut piece = || {
                let deviation = self.evenness * self.variation / ios.sqrt() * noise.normal();
                Piece { ios, rate: rate * (1.0 + deviation) }
            };
            let mean_ns = f64::from(outstanding) / rate * 1e9;
            LoadedLevel {
                outstanding,
                pieces: (0..self.visits).map(|_| piece()).collect(),
                mean_ns,
                median_ns: self.median * mean_ns,
                variation: self.variation,
            }
        };
        let levels: Vec<LoadedLevel> = (1..=self.levels).map(level).collect();
        paid_back(&levels, levels.len())
    }

    /// How often it is taken for a limit, of 200.
    fn found(&self, seed: u64) -> usize {
        let mut noise = Noise::new(seed);
        (0..200).filter(|_| self.judge(&mut noise).is_some()).count()
    }
}

#[test]
fn slices_of_a_limiter_are_found() {
    let found = SLICES.judge(&mut Noise::new(61)).unwrap();
    assert_eq!(found.outstanding, [1, 2, 3, 4, 5]);
    assert!((found.rate / 770.0 - 1.0).abs() < 0.02 && found.gain.abs() < 0.02, "{found:?}");
    assert!((found.allowed / 77_000.0 - 1.0).abs() < 0.02 && found.evenness < 0.3, "{found:?}");
    assert!(SLICES.found(62) >= 199);
    assert!(Shape { visits: 3, levels: 4, ..SLICES }.found(62) >= 195);
}

#[test]
fn waits_that_know_nothing_of_one_another_are_no_limit() {
    // A cache in front of one slow station, say: flat, and most I/Os are fast.
    assert!(Shape { evenness: 1.0, ..SLICES }.found(63) <= 6);
    assert!(Shape { evenness: 1.0, visits: 12, ..SLICES }.found(64) == 0);
    assert!(Shape { evenness: 3.0, ..SLICES }.found(65) == 0);
}

#[test]
fn each_mark_is_needed() {
    let even = Shape { evenness: 0.0, ..SLICES };
    let is_found = |shape: Shape| shape.judge(&mut Noise::new(66)).is_some();
    assert!(is_found(even));
    // A device with constant service has no waits beside its queue; exponential service has a median of 0.69.
    assert!(is_found(Shape { median: 0.33, ..even }) && !is_found(Shape { median: 0.34, ..even }));
    assert!(is_found(Shape { gain: 0.029, ..even }) && !is_found(Shape { gain: 0.031, ..even }));
    // Two levels suffice where there are no others.
    assert!(
        is_found(Shape { levels: 2, visits: 5, ..even }) && !is_found(Shape { levels: 1, visits: 9, ..even })
    );
    assert!(is_found(Shape { levels: 3, ..even }) && !is_found(Shape { levels: 2, ..even }));
    assert!(
        is_found(Shape { levels: 3, visits: 3, ..even }) && !is_found(Shape { levels: 3, visits: 2, ..even })
    );
}

#[test]
fn levels_below_the_limit_are_left_out_and_stalls_do_not_hide_it() {
    let mut noise = Noise::new(67);
    let level = |outstanding: u32, rate: f64, noise: &mut Noise| {
        let mut pieces: Vec<Piece> =
            (0..4).map(|_| Piece { ios: 2.0 * rate, rate: rate * (1.0 + 0.01 * noise.normal()) }).collect();
        pieces[0].rate *= 0.6;
        let mean_ns = f64::from(outstanding) / rate * 1e9;
        LoadedLevel { outstanding, pieces, mean_ns, median_ns: 0.1 * mean_ns, variation: 4.0 }
    };
    let rates = [(4, 1000.0), (1, 500.0), (2, 990.0), (8, 1005.0)];
    let levels: Vec<LoadedLevel> = rates.map(|(level_, rate)| level(level_, rate, &mut noise)).to_vec();
    assert_eq!(paid_back(&levels, 4).unwrap().outstanding, [2, 4, 8]);
    assert!(paid_back(&levels[..3], 3).is_none() && paid_back(&[], 0).is_none(), "two of three are too few");
}

const SMALL: f64 = 8192.0;
const LARGE: f64 = 1_048_576.0;

fn loads(small_iops: &[f64], large_iops: &[f64]) -> Vec<Load> {
    let load = |size: f64| move |&ios_per_s: &f64| Load { ios_per_s, bytes_per_s: ios_per_s * size };
    small_iops.iter().map(load(SMALL)).chain(large_iops.iter().map(load(LARGE))).collect()
}

#[test]
fn equal_bandwidth_for_all_sizes_is_a_limit() {
    let limited = loads(&[10_000.0, 25_600.0, 25_400.0], &[198.0, 201.0]);
    let found = byte_limit(&limited).unwrap();
    assert_eq!((found.points, found.smallest, found.largest), (4, SMALL, LARGE));
    assert!((found.limit / (200.0 * LARGE) - 1.0).abs() < 0.01);
    assert!(io_limit(&limited, [1.0, 10.0]).is_none());
    for free in [
        loads(&[10_000.0, 25_600.0, 25_400.0], &[198.0]),
        loads(&[10_000.0, 25_600.0], &[198.0, 201.0]),
        loads(&[25_600.0, 25_400.0], &[190.0, 191.0]),
        loads(&[25_600.0, 25_400.0], &[198.0, 201.0, 230.0]),
        loads(&[25_600.0, 25_400.0, 25_500.0], &[]),
        loads(&[0.0; 4], &[0.0; 4]),
    ] {
        assert!(byte_limit(&free).is_none(), "{free:?}");
    }
}

#[test]
fn equal_rates_are_a_limit_when_the_device_tells_sizes_apart() {
    let limited = loads(&[400.0, 777.0, 770.0], &[772.0, 774.0]);
    assert_eq!(io_limit(&limited, [4.0, 120.0]).unwrap().points, 4);
    assert!(byte_limit(&limited).is_none());
    // Stations with one service time for all sizes show the same without a limit.
    assert!(io_limit(&limited, [1000.0, 1400.0]).is_none() && io_limit(&limited, [1000.0, 1501.0]).is_some());
    // Mixed points count by their mean size.
    let mut mixed = loads(&[777.0, 770.0], &[]);
    for large in [200.0, 400.0] {
        mixed.push(Load { ios_per_s: 775.0, bytes_per_s: large * LARGE + (775.0 - large) * SMALL });
    }
    assert!(io_limit(&mixed, [4.0, 120.0]).is_some());
}
