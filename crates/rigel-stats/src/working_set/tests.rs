use super::*;
use crate::tests::{Noise, nanos, repeats};
use crate::units::{GIB, MIB};

/// Reads of one size, one at a time: ten seconds of a slow disk.
const READS: usize = 1500;
const US: f64 = 1000.0;

/// How a read of a working set of this many bytes is answered, in nanoseconds.
type Answer<'a> = Box<dyn FnMut(f64, &mut Noise) -> f64 + 'a>;

/// What a size is, and how a read of it is answered, in nanoseconds.
struct Device<'a> {
    sizes: Vec<f64>,
    answer: Answer<'a>,
    noise: Noise,
}

impl<'a> Device<'a> {
    fn new(seed: u64, largest: u64, answer: impl FnMut(f64, &mut Noise) -> f64 + 'a) -> Self {
        let doubled = std::iter::successors(Some(64 * MIB), |size| size.checked_mul(2));
        let sizes = doubled.take_while(|size| *size <= largest).map(to_f64).collect();
        Self { sizes, answer: Box::new(answer), noise: Noise::new(seed) }
    }

    fn latencies(&mut self, bytes: f64) -> Histogram {
        let mut all = Histogram::new();
        (0..READS).for_each(|_| all.record(nanos((self.answer)(bytes, &mut self.noise))));
        all
    }

    /// What a run of it says; `growth`: of the warming up.
    fn found(&mut self, growth: f64) -> CacheVerdict {
        let sizes = self.sizes.clone();
        let all: Vec<Histogram> = sizes.iter().map(|&bytes| self.latencies(bytes)).collect();
        let again = self.latencies(sizes[0]);
        let seen = |(&bytes, latencies)| SizeReads {
            bytes,
            latencies,
            warmth: Warmth::Steady,
            rate: 1000.0,
            growth,
        };
        let sizes: Vec<SizeReads<'_>> = sizes.iter().zip(&all).map(seen).collect();
        verdict(&sizes, Some(&again))
    }
}

fn spread(noise: &mut Noise, mean_us: f64, deviation: f64) -> f64 {
    mean_us * US * (deviation * noise.normal()).exp()
}

fn log_between(noise: &mut Noise, low: f64, high: f64) -> f64 {
    low * (high / low).powf(noise.uniform())
}

/// Answers of levels: the share of each follows from the sizes of the caches.
fn cached(caches: Vec<(f64, f64)>, behind_us: f64, deviation: f64) -> impl FnMut(f64, &mut Noise) -> f64 {
    move |bytes, noise| {
        let at = noise.uniform() * bytes;
        let level = caches.iter().find(|(size, _)| at < *size).map_or(behind_us, |(_, us)| *us);
        spread(noise, level, deviation)
    }
}

#[test]
fn random_caches_are_found_within_ten_per_cent_and_mostly_within_their_intervals() {
    let runs = repeats(40);
    let mut held = 0;
    for seed in 0..runs {
        let mut noise = Noise::new(1000 + seed as u64);
        let size = log_between(&mut noise, 80.0 * to_f64(MIB), 12.0 * to_f64(GIB));
        let fast_us = log_between(&mut noise, 20.0, 500.0);
        let slow_us = fast_us * log_between(&mut noise, 3.0, 60.0);
        let mut device = Device::new(seed as u64, 16 * GIB, cached(vec![(size, fast_us)], slow_us, 0.15));
        let CacheVerdict::Caches(caches, levels) = device.found(2.0) else {
            panic!("{seed}: a cache of {} MiB, {fast_us} us, {slow_us} us", size / to_f64(MIB))
        };
        assert_eq!((caches.len(), levels.len()), (1, 2), "{seed}: {caches:?}");
        let bytes = caches[0].bytes;
        assert!((bytes.mean / size - 1.0).abs() < 0.1, "{seed}: {bytes:?} of {size}");
        assert!((levels[0].median_us / fast_us - 1.0).abs() < 0.1, "{seed}: {levels:?} of {fast_us}");
        assert!((levels[1].median_us / slow_us - 1.0).abs() < 0.1, "{seed}: {levels:?} of {slow_us}");
        held += usize::from((bytes.lo95..=bytes.hi95).contains(&size));
    }
    assert!(10 * held >= 9 * runs, "{held} of {runs}");
}

#[test]
fn two_caches_are_two_and_each_has_its_size_and_latency() {
    for seed in 0..20 {
        let mut noise = Noise::new(seed);
        let small = log_between(&mut noise, 90.0 * to_f64(MIB), 600.0 * to_f64(MIB));
        let large = small * log_between(&mut noise, 4.0, 16.0);
        let law = cached(vec![(small, 100.0), (large, 800.0)], 6000.0, 0.1);
        let CacheVerdict::Caches(caches, levels) = Device::new(seed, 16 * GIB, law).found(2.0) else {
            panic!("{seed}")
        };
        assert_eq!((caches.len(), levels.len()), (2, 3), "{seed}: {small} {large} {caches:?}");
        for (cache, wanted) in caches.iter().zip([small, large]) {
            assert!((cache.bytes.mean / wanted - 1.0).abs() < 0.1, "{seed}: {cache:?} of {wanted}");
        }
        let medians = levels.iter().map(|level| level.median_us);
        let near = |(found, wanted): (f64, f64)| (found / wanted - 1.0).abs() < 0.1;
        assert!(medians.zip([100.0, 800.0, 6000.0]).all(near), "{seed}: {levels:?}");
    }
}

/// Hits and misses of which many take as long as the other.
#[test]
fn latencies_that_overlap_still_show_the_size() {
    for seed in 0..20 {
        let size = 700.0 * to_f64(MIB);
        let law = cached(vec![(size, 100.0)], 250.0, 0.3);
        let CacheVerdict::Caches(caches, _) = Device::new(seed, 16 * GIB, law).found(2.0) else {
            panic!("{seed}")
        };
        assert_eq!(caches.len(), 1, "{seed}: {caches:?}");
        assert!((caches[0].bytes.mean / size - 1.0).abs() < 0.15, "{seed}: {caches:?}");
    }
}

#[test]
fn no_device_without_a_cache_has_one() {
    for seed in 0..repeats(30) as u64 {
        let constant = Device::new(seed, 16 * GIB, |_, noise| spread(noise, 1000.0, 0.4)).found(1.0);
        assert_eq!(constant, CacheVerdict::NoCache { upto: to_f64(16 * GIB) }, "{seed}");
        // Two kinds of reads, whatever is read.
        let bimodal = |_: f64, noise: &mut Noise| {
            let is_fast = noise.uniform() < 0.4;
            spread(noise, if is_fast { 100.0 } else { 4000.0 }, 0.1)
        };
        let found = Device::new(seed, 16 * GIB, bimodal).found(1.0);
        assert!(
            matches!(found, CacheVerdict::NoCache { .. } | CacheVerdict::Undecided(_)),
            "{seed}: {found:?}"
        );
        // Each size on another day: some are slow as a whole.
        let (mut reads, mut level) = (0, 1.0);
        let by_visit = |_: f64, noise: &mut Noise| {
            if reads % READS == 0 {
                level = if noise.uniform() < 0.5 { 1.0 } else { 4.0 };
            }
            reads += 1;
            spread(noise, 1000.0 * level, 0.05)
        };
        let found = Device::new(seed, 16 * GIB, by_visit).found(2.0);
        assert!(!matches!(found, CacheVerdict::Caches(..)), "{seed}: {found:?}");
        // It gets slower all the time.
        let mut reads = 0.0;
        let drifting = |_: f64, noise: &mut Noise| {
            reads += 1.0;
            spread(noise, 1000.0 * (1.0 + reads / 10_000.0), 0.05)
        };
        let found = Device::new(seed, 16 * GIB, drifting).found(1.0);
        assert!(matches!(found, CacheVerdict::Undecided(SetDoubt::Drift { .. })), "{seed}: {found:?}");
        // Longer ways of the heads: a little slower with each doubling.
        let law = |bytes: f64, noise: &mut Noise| {
            spread(noise, 2000.0 * (1.0 + (bytes / to_f64(64 * MIB)).log2() / 6.0), 0.2)
        };
        let found = Device::new(seed, 16 * GIB, law).found(1.0);
        assert!(matches!(found, CacheVerdict::Undecided(SetDoubt::NotACache { .. })), "{seed}: {found:?}");
    }
}

#[test]
fn what_fits_into_a_cache_as_a_whole_says_how_large_it_is_at_least() {
    let law = || cached(vec![(to_f64(64 * GIB), 100.0)], 5000.0, 0.1);
    let found = Device::new(1, 4 * GIB, law()).found(3.0);
    assert_eq!(found, CacheVerdict::AtLeast { bytes: to_f64(4 * GIB), is_all: true });
    // What fell while it was read, and what has other rates from size to size, was not cold.
    let mut device = Device::new(2, 4 * GIB, law());
    let same = device.latencies(1.0);
    let of = |rates: [f64; 3], growths: [f64; 3]| {
        let size = |((rate, growth), bytes): ((f64, f64), f64)| SizeReads {
            bytes,
            latencies: &same,
            warmth: Warmth::Steady,
            rate,
            growth,
        };
        let sizes: Vec<SizeReads<'_>> =
            rates.into_iter().zip(growths).zip([1e8, 2e8, 4e8]).map(size).collect();
        matches!(verdict(&sizes, None), CacheVerdict::AtLeast { .. })
    };
    assert!(of([1e3; 3], [1.1, 1.5, 3.0]));
    assert!(!of([1e3; 3], [0.5, 1.5, 3.0]) && !of([1e3, 1e3, 2e3], [1.1, 1.5, 3.0]));
    assert!(!of([1e3; 3], [1.0, 1.1, 1.5]));
    // Nothing was seen to be cold: then there may be none.
    let found = Device::new(1, 4 * GIB, law()).found(1.0);
    assert_eq!(found, CacheVerdict::NoCache { upto: to_f64(4 * GIB) });
}

/// A cache of nine tenths of the target: one size shows it, by a few reads. That is no law, and no proof that there is no cache.
#[test]
fn a_cache_that_holds_nearly_all_is_undecided() {
    for seed in 0..20 {
        let mut noise = Noise::new(500 + seed);
        let slow = 0.05 + 0.08 * noise.uniform();
        let size = (1.0 - slow) * to_f64(4 * GIB);
        let behind_us = 100.0 * log_between(&mut noise, 2.0, 60.0);
        let found = Device::new(seed, 4 * GIB, cached(vec![(size, 100.0)], behind_us, 0.1)).found(1.0);
        let CacheVerdict::Undecided(SetDoubt::OnlyLargest { bytes, slow: seen }) = found else {
            panic!("{seed}: {slow}, {behind_us} us: {found:?}")
        };
        assert!(bytes == to_f64(4 * GIB) && (seen - slow).abs() < 0.03, "{seed}: {seen} of {slow}");
    }
}

/// Only the largest size has much of what is behind all caches: those before it may read a cache that nobody sees.
#[test]
fn what_is_behind_a_cache_is_what_the_largest_size_reads() {
    for seed in 0..10 {
        let mut noise = Noise::new(600 + seed);
        let mut wide = move || -2000.0 * US * (1.0 - noise.uniform()).ln();
        // The second level is hidden by the spread of the third one.
        let law = move |bytes: f64, noise: &mut Noise| {
            let at = noise.uniform() * bytes;
            let (first, second) = (200.0 * to_f64(MIB), 400.0 * to_f64(MIB));
            if at < first {
                50.0 * US
            } else if at < second {
                100.0 * US
            } else {
                wide().max(60.0 * US)
            }
        };
        let CacheVerdict::Caches(caches, levels) = Device::new(seed, 8 * GIB, law).found(2.0) else {
            panic!("{seed}")
        };
        let behind_us = levels.last().unwrap().median_us;
        assert!((1000.0..1800.0).contains(&behind_us), "{seed}: {caches:?} {levels:?}");
    }
}

#[test]
fn sizes_that_were_not_warm_have_no_part() {
    let mut device = Device::new(3, 4 * GIB, cached(vec![(to_f64(2 * GIB), 100.0)], 5000.0, 0.1));
    let histograms: Vec<Histogram> =
        [64 * MIB, 128 * MIB, 4 * GIB].iter().map(|&bytes| device.latencies(to_f64(bytes))).collect();
    let seen = |warm: usize| -> CacheVerdict {
        let size = |(at, bytes): (usize, u64)| SizeReads {
            bytes: to_f64(bytes),
            latencies: &histograms[at],
            warmth: if at < warm { Warmth::Steady } else { Warmth::NoPass },
            rate: 1000.0,
            growth: 5.0,
        };
        let sizes: Vec<_> = [64 * MIB, 128 * MIB, 4 * GIB].into_iter().enumerate().map(size).collect();
        verdict(&sizes, None)
    };
    assert_eq!(seen(0), CacheVerdict::Undecided(SetDoubt::TooFew { warm: 0 }));
    assert_eq!(seen(1), CacheVerdict::Undecided(SetDoubt::TooFew { warm: 1 }));
    assert_eq!(seen(2), CacheVerdict::AtLeast { bytes: to_f64(128 * MIB), is_all: false });
    assert!(matches!(seen(3), CacheVerdict::Caches(..)), "{:?}", seen(3));
}

/// What is between two sizes follows one over the size, as the law has it.
#[test]
fn a_value_between_two_sizes_is_that_of_the_law() {
    let law = |bytes: f64| 5.0 - 4.0 / bytes;
    let measured = [1.0, 2.0, 4.0, 8.0].map(|bytes| (bytes, law(bytes)));
    for bytes in [1.0, 1.5, 3.0, 7.9, 8.0] {
        assert!((at_size(bytes, &measured).unwrap() - law(bytes)).abs() < 1e-9, "{bytes}");
    }
    assert_eq!((at_size(0.9, &measured), at_size(8.1, &measured)), (None, None));
}
