use super::*;
use crate::tests::Noise;
use crate::units::to_f64;

/// Outstanding I/Os of every load here.
const IN_FLIGHT: f64 = 32.0;
/// Seconds of the probe.
const PROBE: usize = 5;

/// A device that is counted second by second, in virtual time.
struct Device<'a> {
    /// The rate of a second, of the time and the second of the visit.
    rate: Box<dyn FnMut(f64) -> f64 + 'a>,
    /// Credit, the most of it, and what comes per second; no limit without.
    bucket: Option<(f64, f64, f64)>,
    now_s: f64,
}

impl<'a> Device<'a> {
    fn of(rate: impl FnMut(f64) -> f64 + 'a) -> Self {
        Self { rate: Box::new(rate), bucket: None, now_s: 0.0 }
    }

    fn load(&mut self, seconds: usize) -> Vec<Second> {
        let mut next = || {
            let wanted = (self.rate)(self.now_s);
            let ops = self.bucket.as_mut().map_or(wanted, |(has, most, refill)| {
                let ops = wanted.min(*has + *refill);
                *has = (*has + *refill - ops).min(*most);
                ops
            });
            let second = Second { began_s: self.now_s, ops };
            self.now_s += 1.0;
            second
        };
        (0..seconds).map(|_| next()).collect()
    }

    fn rest(&mut self, seconds: f64) {
        if let Some((has, most, refill)) = &mut self.bucket {
            *has = (*has + *refill * seconds).min(*most);
        }
        self.now_s += seconds;
    }

    /// What a run of it says.
    fn found(&mut self, time: usize) -> BurstVerdict {
        let probe = self.load(PROBE);
        let mut first = Vec::new();
        while first.len() < time && !is_sure(&first) {
            first.extend(self.load(10));
        }
        let second = second_burst(&probe, &first, IN_FLIGHT, count(time)).map(|next| {
            self.rest(to_f64(next.rest_s));
            self.load(usize::try_from(next.load_s).unwrap())
        });
        let second = second.unwrap_or_default();
        Bursts { probe: &probe, first: &first, second: &second, in_flight: IN_FLIGHT, is_whole: true }.found()
    }
}

fn log_between(noise: &mut Noise, low: f64, high: f64) -> f64 {
    low * (high / low).powf(noise.uniform())
}

#[test]
fn twenty_buckets_are_found_within_five_per_cent() {
    for seed in 0..20 {
        let mut noise = Noise::new(seed);
        let refill = log_between(&mut noise, 50.0, 5000.0).round();
        let high = (refill * log_between(&mut noise, 1.5, 30.0)).round();
        let lasts_s = log_between(&mut noise, 15.0, 2400.0);
        let size = ((high - refill) * lasts_s).round();
        let mut device = Device::of(move |_| high * (1.0 + 0.02 * noise.normal()));
        device.bucket = Some((size, size, refill));
        let found = device.found(3600);
        let BurstVerdict::TokenBucket(credit, recovery) = found else {
            panic!("{seed}: {high} for {lasts_s} s, then {refill}: {found:?}")
        };
        let near = |name: &str, found: f64, wanted: f64| {
            assert!((found / wanted - 1.0).abs() < 0.05, "{seed}: {name} {found} of {wanted}");
        };
        near("size", credit.credit.mean, size);
        near("refill", credit.fall.low.mean, refill);
        near("rate", credit.fall.high.mean, high);
        near("time to refill", credit.refill_s.mean, size / refill);
        near("what came back", recovery.recovered, refill * recovery.rest_s);
        let slack = 0.001 * size;
        assert!(
            credit.credit.lo95 - slack <= size && size <= credit.credit.hi95 + slack,
            "{seed}: {size} not in {:?}",
            credit.credit
        );
    }
}

#[test]
fn constant_drifting_and_bimodal_devices_are_no_bucket() {
    for seed in 0..10 {
        let mut noise = Noise::new(100 + seed);
        let level = log_between(&mut noise, 100.0, 100_000.0);
        let sd = 0.01 + 0.04 * noise.uniform();
        let found = Device::of(|_| level * (1.0 + sd * noise.normal())).found(900);
        let BurstVerdict::NoFall { rate, for_s } = found else { panic!("constant {seed}: {found:?}") };
        assert!((rate.mean / level - 1.0).abs() < 0.01 && for_s == 900.0, "{seed}: {found:?}");

        let mut noise = Noise::new(200 + seed);
        let per_s = (0.2 + 0.6 * noise.uniform()) / 900.0;
        let sign = if seed % 3 == 0 { 1.0 } else { -1.0 };
        let found = Device::of(|now_s| level * (1.0 + sign * per_s * now_s) * (1.0 + 0.02 * noise.normal()))
            .found(900);
        assert!(matches!(found, BurstVerdict::Undecided(Doubt::Drift { .. })), "drift {seed}: {found:?}");

        let mut noise = Noise::new(300 + seed);
        let mean_s = log_between(&mut noise, 5.0, 90.0);
        let slow = 0.3 + 0.4 * noise.uniform();
        let mut is_slow = false;
        let rate = |_| {
            if noise.uniform() < 1.0 / mean_s {
                is_slow = !is_slow;
            }
            level * if is_slow { slow } else { 1.0 } * (1.0 + 0.02 * noise.normal())
        };
        let found = Device::of(rate).found(900);
        assert!(!matches!(found, BurstVerdict::TokenBucket(..)), "bimodal {seed}: {found:?}");
    }
}

/// The rate varies slowly before the fall, as on storage that others use, too.
#[test]
fn a_bucket_is_found_however_unsteady_the_rate_before_it_is() {
    let (mut buckets, seeds) = (0, 40);
    for seed in 0..seeds {
        let mut noise = Noise::new(400 + seed);
        let mut slow = 0.0_f64;
        // A time constant of ten seconds.
        let rate = move |_| {
            slow = 0.905 * slow + 0.425 * noise.normal();
            3000.0 * (1.0 + 0.05 * slow)
        };
        let mut device = Device::of(rate);
        device.bucket = Some((300_000.0, 300_000.0, 2400.0));
        match device.found(1800) {
            BurstVerdict::TokenBucket(credit, _) => {
                buckets += 1;
                let size = credit.credit.mean;
                assert!((size / 300_000.0 - 1.0).abs() < 0.05, "{seed}: {size}");
            }
            found => {
                assert!(matches!(found, BurstVerdict::Undecided(Doubt::Blur { .. })), "{seed}: {found:?}")
            }
        }
    }
    assert!(10 * buckets >= 8 * seeds, "{buckets} of {seeds}");
}

/// A rate that fell long ago is neither steady nor did it fall in the last seconds.
#[test]
fn a_fall_that_is_not_clean_is_told_as_one() {
    // It is slow for ten seconds of forty, and just before the fall.
    let rate = |now_s: f64| if (now_s + 28.0) % 40.0 < 30.0 { 3300.0 } else { 1200.0 };
    let mut device = Device::of(rate);
    device.bucket = Some((540_000.0, 540_000.0, 300.0));
    let found = device.found(3600);
    let BurstVerdict::Undecided(Doubt::Blur { high, low }) = found else { panic!("{found:?}") };
    assert!((2500.0..3000.0).contains(&high) && (low - 300.0).abs() < 5.0, "{found:?}");
    // A queue that fills at the start, and a device that starts fast, are no fall.
    let start = |now_s: f64| 1000.0 * (1.0 + 0.4 * (-now_s / 2.0).exp());
    assert!(matches!(Device::of(start).found(600), BurstVerdict::NoFall { .. }));
}

/// What is in flight when a visit ends takes credit, too.
#[test]
fn what_is_served_between_visits_is_of_the_bucket() {
    let mut device = Device::of(|_| 200.0);
    let size = 50_000.0;
    device.bucket = Some((size, size, 20.0));
    let mut load = |seconds| {
        let counted = device.load(seconds);
        let is_empty = device.bucket.is_some_and(|(has, ..)| has < IN_FLIGHT);
        device.rest(IN_FLIGHT / if is_empty { 20.0 } else { 200.0 });
        if let Some((has, ..)) = &mut device.bucket {
            *has -= IN_FLIGHT;
        }
        counted
    };
    let (probe, mut first) = (load(PROBE), Vec::new());
    while !is_sure(&first) {
        first.extend(load(10));
    }
    let Course::Fell(fall) = course(&ops(&first)) else { panic!("{:?}", course(&ops(&first))) };
    let credit = Credit::of(&probe, &first, fall, IN_FLIGHT).unwrap().credit;
    assert!((credit.lo95..=credit.hi95).contains(&size), "{credit:?}");
    let without = Credit::of(&probe, &first, fall, 0.0).unwrap().credit;
    assert!(without.mean < 0.99 * size, "{without:?}");
}

/// A device that falls at a time and stays there, as one that throttles itself.
#[test]
fn a_fall_from_which_no_pause_recovers_is_no_bucket() {
    let found = Device::of(|now_s| if now_s < 200.0 { 5000.0 } else { 1000.0 }).found(900);
    let BurstVerdict::NotABucket(credit, recovery) = found else { panic!("{found:?}") };
    assert_eq!((credit.fall.high.mean, credit.fall.low.mean, credit.lasted_s), (5000.0, 1000.0, 200.0));
    assert!(recovery.recovered.abs() < 1.0 && recovery.expected >= 10_000.0, "{recovery:?}");
    // A cache that is flushed in the pause gives more than the pause would refill.
    let mut left = 800_000.0;
    let mut device = Device::of(|_| {
        let ops = if left > 0.0 { 5000.0 } else { 1000.0 };
        left -= ops;
        ops
    });
    let probe = device.load(PROBE);
    let first = device.load(300);
    let next = second_burst(&probe, &first, IN_FLIGHT, 300.0).unwrap();
    device.rest(to_f64(next.rest_s));
    let second = device
        .load(usize::try_from(next.load_s).unwrap())
        .into_iter()
        .map(|one| Second { ops: 5000.0, ..one });
    let second: Vec<Second> = second.collect();
    let run = Bursts { probe: &probe, first: &first, second: &second, in_flight: IN_FLIGHT, is_whole: true };
    assert!(matches!(run.found(), BurstVerdict::NotABucket(..)), "{:?}", run.found());
    let untested = Bursts { second: &second[..4], ..run }.found();
    assert!(matches!(untested, BurstVerdict::Undecided(Doubt::Untested(_))), "{untested:?}");
}

/// A bucket is empty from one second to the next: what takes a while to become slow is none, however level both ends are.
#[test]
fn a_slope_between_two_levels_is_no_fall() {
    let slope = |over_s: f64| -> Vec<f64> {
        let at = |second: usize| ((count(second) - 100.0) / over_s).clamp(0.0, 1.0);
        (0..180).map(|second| 5000.0 - 4000.0 * at(second)).collect()
    };
    assert!(
        matches!(course(&slope(1.0)), Course::Fell(Fall { at: 100 | 101, .. })),
        "{:?}",
        course(&slope(1.0))
    );
    // Neither is a stair: what is behind the first step is no level.
    let stair: Vec<f64> = [(100, 8000.0), (70, 3000.0), (250, 500.0)]
        .into_iter()
        .flat_map(|(seconds, rate)| vec![rate; seconds])
        .collect();
    assert!(!matches!(course(&stair), Course::Fell(_)), "{:?}", course(&stair));
    for over_s in [12.0, 20.0, 60.0] {
        let found = course(&slope(over_s));
        assert!(!matches!(found, Course::Fell(_)), "{over_s} s: {found:?}");
    }
}

#[test]
fn an_empty_bucket_is_told_from_a_device_that_is_slow() {
    let mut device = Device::of(|_| 3000.0);
    device.bucket = Some((0.0, 1e6, 300.0));
    let found = device.found(600);
    let BurstVerdict::Undecided(Doubt::EmptyAtStart { rate, high, rest_s }) = found else {
        panic!("{found:?}")
    };
    assert_eq!((rate.mean, high, rest_s), (300.0, 3000.0, 30.0));
    assert!(matches!(Device::of(|_| 300.0).found(600), BurstVerdict::NoFall { .. }));
}

/// Credit for two seconds: the load before the first burst uses it up.
#[test]
fn credit_that_is_spent_before_the_burst_is_no_low_start() {
    let mut device = Device::of(|_| 3000.0);
    device.bucket = Some((5400.0, 5400.0, 300.0));
    let found = device.found(600);
    let BurstVerdict::Undecided(Doubt::SpentAtOnce { rate, high }) = found else { panic!("{found:?}") };
    assert_eq!((rate.mean, high), (300.0, 3000.0));
}

#[test]
fn what_cannot_be_judged_says_why() {
    let doubt = |found: BurstVerdict| match found {
        BurstVerdict::Undecided(doubt) => doubt,
        other => panic!("{other:?}"),
    };
    assert_eq!(doubt(Device::of(|_| 300.0).found(1)), Doubt::Short);
    let seconds = |from: usize, ops: f64, many: usize| -> Vec<Second> {
        (from..from + many).map(|at| Second { began_s: count(at), ops }).collect()
    };
    let (probe, first) = (seconds(0, 1000.0, PROBE), seconds(PROBE, 2000.0, 100));
    let run = Bursts { probe: &probe, first: &first, second: &[], in_flight: IN_FLIGHT, is_whole: true };
    let half = doubt(run.found());
    assert!(matches!(half, Doubt::LoadTooSmall { half, .. } if half == 1000.0), "{half:?}");
    // A second that stood still shows no rate of half of the load.
    let stood = [seconds(0, 2000.0, 3), seconds(3, 0.0, 1), seconds(4, 1900.0, 1)].concat();
    assert!(matches!(Bursts { probe: &stood, ..run }.found(), BurstVerdict::NoFall { .. }));
    let stopped = doubt(Bursts { is_whole: false, ..run }.found());
    assert!(matches!(stopped, Doubt::Stopped(rate) if rate.mean == 2000.0), "{stopped:?}");
    let late = [first.clone(), seconds(105, 200.0, 4)].concat();
    let late = doubt(Bursts { first: &late, ..run }.found());
    assert!(matches!(late, Doubt::FellLate(_)), "{late:?}");
    assert_eq!(second_burst(&probe, &first[..5], IN_FLIGHT, 600.0), None);
}

/// A pause never fills what was emptied, and what comes back can be distinguished from what is in flight.
#[test]
fn the_pause_suits_the_bucket() {
    let first = |lasts: usize, high: f64, low: f64| -> Vec<Second> {
        let ops = |at: usize| if at < lasts { high } else { low };
        (0..lasts + 60).map(|at| Second { began_s: count(at), ops: ops(at) }).collect()
    };
    let next = |lasts, high, low| second_burst(&[], &first(lasts, high, low), IN_FLIGHT, 3600.0).unwrap();
    // Ten seconds at 3,000 take 2,700 more each than a refill of 300: 90 s of pause.
    assert_eq!(next(600, 3000.0, 300.0), SecondBurst { rest_s: 90, load_s: 50 });
    // The bucket holds 12,000: half of it comes back in 20 s.
    assert_eq!(next(5, 2700.0, 300.0), SecondBurst { rest_s: 20, load_s: 35 });
    assert_eq!(next(600, 100_000.0, 100.0).rest_s, 900);
    assert!(is_sure(&first(100, 3000.0, 300.0)));
    assert!(!is_sure(&first(1000, 3000.0, 300.0)), "a long burst is not over after a minute");
}
