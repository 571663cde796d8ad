use super::*;
use std::time::Duration;

const MS: u64 = 1000;

/// Numbers that repeat (splitmix64, Vigna).
struct Dice(u64);

impl Dice {
    /// Uniform in (0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn exponential_us(&mut self, mean_us: f64) -> u64 {
        let drawn = Duration::from_secs_f64(-mean_us * self.unit().ln() / 1e6);
        u64::try_from(drawn.as_micros()).unwrap()
    }
}

/// Reads a device of `chunks` and looks again until nobody is suspected. `law`: the time of the n-th read, of a chunk.
fn scrub(chunks: u64, mut law: impl FnMut(u64, u64) -> u64) -> (Vec<SlowRange>, u64, u64) {
    let (mut pace, total) = (Pace::default(), chunks * CHUNK_BYTES);
    let (mut reads, mut left, mut cleared, mut slow) = (0, 0, 0, Vec::new());
    let mut read = |range: Stretch| {
        reads += 1;
        law(reads, range.at / CHUNK_BYTES)
    };
    for chunk in 0..chunks {
        let range = Stretch { at: chunk * CHUNK_BYTES, len: CHUNK_BYTES };
        let full = pace.add(ReadTime { range, took_us: read(range) });
        if !full && chunk + 1 < chunks {
            continue;
        }
        left += pace.suspect();
        let looks = if chunk + 1 == chunks { LOOKS + MOST_UNDECIDED as usize } else { 1 };
        for _ in 0..looks {
            for look in pace.looks(total, |_| false) {
                let before: Vec<u64> = look.before.iter().map(|&range| read(range)).collect();
                let suspects: Vec<(u64, Option<u64>)> =
                    look.suspects.iter().map(|&range| (range.at, Some(read(range)))).collect();
                let after: Vec<u64> = look.after.iter().map(|&range| read(range)).collect();
                let verdicts = pace.judge(&suspects, &[before, after].concat());
                slow.extend(verdicts.slow);
                cleared += verdicts.cleared;
            }
        }
    }
    assert!(pace.is_settled());
    (slow, cleared, left)
}

fn places(slow: &[SlowRange]) -> Vec<u64> {
    slow.iter().map(|range| range.at / CHUNK_BYTES).collect()
}

#[test]
fn what_is_slow_every_time_is_told_with_its_neighbours() {
    let (slow, cleared, left) = scrub(600, |_, chunk| match chunk {
        0 | 77 | 78 | 599 => 200 * MS,
        _ => 8 * MS + chunk % 7,
    });
    assert_eq!((places(&slow), cleared, left), (vec![0, 77, 78, 599], 0, 0));
    let SlowRange { took_us, neighbours_us, readings, len, .. } = slow[1];
    assert_eq!((took_us, readings, len), (200 * MS, 8, CHUNK_BYTES));
    assert!((8 * MS..8 * MS + 7).contains(&neighbours_us), "{neighbours_us}");
}

#[test]
fn the_last_few_reads_are_compared_with_those_before() {
    let (slow, ..) = scrub(1026, |_, chunk| if chunk == 1025 { 200 * MS } else { 8 * MS });
    assert_eq!(places(&slow), [1025]);
}

#[test]
fn a_long_range_is_compared_with_what_lies_beyond_it() {
    let (slow, ..) = scrub(1024, |_, chunk| if (300..340).contains(&chunk) { 90 * MS } else { 10 * MS });
    assert_eq!(places(&slow), (300..340).collect::<Vec<u64>>());
}

/// Exponential times are the wildest that a device has which is the same everywhere; two states, drift, and hiccups are other kinds of noise.
#[test]
fn noise_is_never_told() {
    for seed in 0..30 {
        let mut dice = Dice(seed);
        let (slow, ..) = scrub(2000, |_, _| dice.exponential_us(60_000.0));
        assert_eq!(slow, [], "exponential, seed {seed}");
        let (slow, ..) = scrub(2000, |_, _| if dice.unit() < 0.3 { 100 * MS } else { 8 * MS });
        assert_eq!(slow, [], "two states, seed {seed}");
        let (slow, ..) = scrub(2000, |read, _| (8 + read / 20) * MS + dice.exponential_us(500.0));
        assert_eq!(slow, [], "drift, seed {seed}");
        let (slow, ..) = scrub(2000, |_, _| if dice.unit() < 0.001 { 2000 * MS } else { 8 * MS });
        assert_eq!(slow, [], "hiccups, seed {seed}");
        let (slow, ..) = scrub(2000, |read, _| if read < 1000 { 8 * MS } else { 100 * MS });
        assert_eq!(slow, [], "slower for good, seed {seed}");
    }
}

#[test]
fn what_is_slow_among_noise_is_told_all_the_same() {
    for seed in 0..30 {
        let mut dice = Dice(seed);
        let law = |_, chunk| if chunk == 500 { 2500 * MS } else { dice.exponential_us(20_000.0) };
        let (slow, ..) = scrub(1000, law);
        assert_eq!(places(&slow), [500], "seed {seed}");
    }
}

/// A host that others use: now and then a neighbour takes longer still.
#[test]
fn a_neighbour_that_hesitates_does_not_clear_a_suspect() {
    let mut found = 0;
    for seed in 0..30 {
        let mut dice = Dice(seed);
        let law = |_, chunk| match chunk {
            50 => 400 * MS,
            _ if dice.unit() < 0.005 => 900 * MS,
            _ => 8 * MS,
        };
        let places = places(&scrub(100, law).0);
        assert!(places.is_empty() || places == [50], "seed {seed}: {places:?}");
        found += places.len();
    }
    assert!(found >= 28, "{found}");
}

#[test]
fn a_little_slower_is_not_much_slower() {
    for (usual, other) in [(10 * MS, 29 * MS), (1000, 20 * MS), (100, 9 * MS)] {
        let (slow, ..) = scrub(100, |_, chunk| if chunk == 50 { other } else { usual });
        assert_eq!(slow, [], "{usual} {other}");
    }
}

#[test]
fn where_very_much_is_slow_most_is_left_out_and_counted() {
    let mut dice = Dice(7);
    let mut pace = Pace::default();
    for chunk in 0..1024 {
        let range = Stretch { at: chunk * CHUNK_BYTES, len: CHUNK_BYTES };
        pace.add(ReadTime { range, took_us: if dice.unit() < 0.2 { 500 * MS } else { MS } });
    }
    let left = pace.suspect();
    assert!(left > 100, "{left}");
    assert!(pace.suspects() < 100, "{}", pace.suspects());
}

#[test]
fn who_cannot_be_compared_is_not_accused() {
    let (slow, cleared, _) = scrub(10, |_, chunk| if chunk == 5 { 500 * MS } else { MS });
    assert_eq!((places(&slow), cleared), (vec![5], 0), "ten are enough");
    let (slow, ..) = scrub(8, |_, chunk| if chunk == 5 { 500 * MS } else { MS });
    assert_eq!(slow, [], "eight are not");
}

#[test]
fn what_is_kept_must_lie_on_the_device() {
    let time = |at, len| ReadTime { range: Stretch { at, len }, took_us: 1 };
    let suspect = |at| Suspect {
        range: Stretch { at, len: 4096 },
        took_us: vec![1],
        neighbours_us: Vec::new(),
        undecided: 0,
    };
    let of = |group, suspects| Pace { group, suspects, usual_us: None }.is_within(1 << 20);
    assert!(of(vec![time(0, 4096)], vec![suspect(0), suspect(8192)]));
    assert!(!of(vec![time(1 << 20, 4096)], Vec::new()));
    assert!(!of(vec![time(u64::MAX - 4095, 4096)], Vec::new()));
    assert!(!of(vec![time(0, 2 << 20)], Vec::new()));
    assert!(!of(Vec::new(), vec![suspect(8192), suspect(0)]), "looked up by their order");
    assert!(!of(Vec::new(), vec![suspect(7)]));
    let looked = Suspect { neighbours_us: vec![1; LOOKS], ..suspect(0) };
    assert!(!of(Vec::new(), vec![looked]));
}
