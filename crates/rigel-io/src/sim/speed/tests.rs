use super::*;
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_MS, NS_PER_S};

fn noise(text: &str) -> SimNoise {
    SimLaw::parse(text).unwrap().noise
}

fn speed(noise: SimNoise) -> Speed {
    Speed::new(noise, 1)
}

/// A speed that is as listed, without the timeline: pairs of length and speed.
fn given(pieces: &[(u64, f64)]) -> Speed {
    let mut speed = speed(SimNoise::default());
    for &(length_ns, shared) in pieces {
        speed.drawn_ns += length_ns;
        speed.pieces.push_back(Piece { end_ns: speed.drawn_ns, shared, speed: shared });
    }
    speed
}

#[test]
fn work_ends_when_the_integral_of_the_speed_reaches_it() {
    let ms = NS_PER_MS;
    // 10 ms at 1, a stall of 50 ms, 10 ms at 2, 10 ms at a half.
    let mut speed = given(&[(10 * ms, 1.0), (50 * ms, 0.0), (10 * ms, 2.0), (10 * ms, 0.5)]);
    assert_eq!(speed.finish(2 * ms, 3e6), 5 * ms, "inside the first piece");
    assert_eq!(speed.finish(2 * ms, 8e6), 10 * ms, "to its very end");
    assert_eq!(speed.finish(4 * ms, 10e6), 62 * ms, "6 before the stall, 4 in 2 ms after it");
    assert_eq!(speed.finish(4 * ms, 27e6), 72 * ms, "6, then 20 in 10 ms, then 1 in 2 ms");
    assert_eq!(speed.finish(30 * ms, 1e6), 60 * ms + ms / 2, "begun during the stall");
    assert_eq!(speed.finish(60 * ms, 20e6), 70 * ms);
}

#[test]
fn a_visit_changes_what_is_ahead_and_nothing_behind() {
    let ms = NS_PER_MS;
    let mut speed = given(&[(10 * ms, 1.0), (10 * ms, 0.0), (80 * ms, 0.5)]);
    speed.noise = noise("modes=100%:0.5");
    // All visits are slow ones, so the factor is 1 by its mean.
    speed.begin_visit(5 * ms, 0, Point::pair(4, 0));
    assert_eq!(speed.finish(5 * ms, 10e6), 30 * ms);
    speed.noise = noise("modes=0%:0.5,startup=-50%:10ms");
    speed.begin_visit(20 * ms, 1, Point::pair(4, 0));
    // The integral of 0.5 (1 - 0.5 exp(-t / 10 ms)) over 80 ms.
    let can_ns = 0.5 * (80e6 - 5e6 * (1.0 - (-8.0f64).exp()));
    assert!(speed.finish(20 * ms, can_ns).abs_diff(100 * ms) <= 1);
}

/// Mean and standard deviation of the speed over many steps, stalls included.
fn moments(text: &str, steps: u32) -> (f64, f64) {
    let mut timeline = Timeline::new(noise(text), 3);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..steps {
        let SpeedStep { stalled_ns, speed } = timeline.step();
        let speed = speed * (1.0 - to_f64(stalled_ns) / to_f64(SPEED_STEP_NS));
        sum += speed;
        squares += speed * speed;
    }
    let mean = sum / f64::from(steps);
    (mean, (squares / f64::from(steps) - mean * mean).sqrt())
}

/// 10^6 steps, that is 10^5 s; every tolerance is four times the standard deviation of the mean, written beside it.
#[test]
fn whatever_comes_and_goes_has_mean_1() {
    for (text, tolerance, sd) in [
        // sd / sqrt(n).
        ("white=3%", 1.2e-4, 0.03),
        // sd sqrt(2 tau / T).
        ("noise=ar:1s:5%", 9e-4, 0.05),
        ("noise=ar:30s:5%", 5e-3, 0.05),
        // The same with tau = 1 / (1 / on + 1 / off) = 7.5 s.
        ("neighbour=0.7:10s:30s", 7e-3, 0.14),
        // sqrt(2 per_s mean^2 / T), the variance of a compound Poisson sum.
        ("stalls=0.2:100ms", 8e-4, 0.12),
        ("white=3%,noise=ar:1s:5%,neighbour=0.7:10s:30s,stalls=0.2:100ms", 8e-3, 0.2),
    ] {
        let (mean, found) = moments(text, 1_000_000);
        assert!((mean - 1.0).abs() < tolerance, "{text}: mean {mean}");
        assert!((found / sd - 1.0).abs() < 0.12, "{text}: standard deviation {found}");
    }
}

#[test]
fn memory_fades_with_its_time_constant() {
    let mut timeline = Timeline::new(noise("noise=ar:1s:5%"), 5);
    let speeds: Vec<f64> = (0..200_000).map(|_| timeline.step().speed - 1.0).collect();
    let together = |lag: usize| speeds.iter().zip(&speeds[lag..]).map(|(a, b)| a * b).sum::<f64>();
    for (lag, wanted) in [(1, (-0.1f64).exp()), (10, (-1.0f64).exp()), (50, (-5.0f64).exp())] {
        let found = together(lag) / together(0);
        assert!((found - wanted).abs() < 0.03, "after {lag} steps {found} instead of {wanted}");
    }
}

#[test]
fn a_neighbour_stays_and_stays_away_as_long_as_it_should() {
    let mut timeline = Timeline::new(noise("neighbour=0.5:2s:6s"), 5);
    let slow: Vec<bool> = (0..400_000).map(|_| timeline.step().speed < 1.0).collect();
    let share = to_f64(slow.iter().filter(|slow| **slow).count() as u64) / 400_000.0;
    let changes = to_f64(slow.windows(2).filter(|two| two[0] != two[1]).count() as u64);
    assert!((share - 0.25).abs() < 0.02, "{share}");
    // A round of 8 s has two changes: 10,000 of them, give or take 1 %.
    assert!((changes / 10_000.0 - 1.0).abs() < 0.05, "{changes}");
}

#[test]
fn stalls_come_as_often_and_last_as_long_as_they_should() {
    let mut timeline = Timeline::new(noise("stalls=0.2:100ms"), 5);
    let mut stalled_ns = Vec::new();
    let mut before_ns = 0;
    for _ in 0..500_000 {
        let now_ns = timeline.step().stalled_ns;
        // A stall that fills its step may go on in the next one.
        match stalled_ns.last_mut() {
            Some(last) if before_ns == SPEED_STEP_NS => *last += now_ns,
            _ if now_ns > 0 => stalled_ns.push(now_ns),
            _ => {}
        }
        before_ns = now_ns;
    }
    let count = to_f64(stalled_ns.len() as u64);
    let mean_ms = to_f64(stalled_ns.iter().sum()) / count / 1e6;
    assert!((count / 10_000.0 - 1.0).abs() < 0.05, "{count} in 50,000 s");
    assert!((mean_ms / 100.0 - 1.0).abs() < 0.05, "{mean_ms} ms");
}

#[test]
fn drift_is_linear_in_time_and_never_stops_the_device() {
    let mut timeline = Timeline::new(noise("drift=-5%"), 1);
    let speeds: Vec<f64> = (0..24 * 600).map(|_| timeline.step().speed).collect();
    for minute in [1, 2, 10] {
        let around = f64::midpoint(speeds[minute * 600 - 1], speeds[minute * 600]);
        let wanted = 1.0 - 0.05 * to_f64(minute as u64);
        assert!((around - wanted).abs() < 1e-9, "minute {minute}: {around}");
    }
    assert!(speeds[23 * 600..].iter().all(|&speed| (speed - 0.05).abs() < 1e-12));
}

/// The level of one visit.
fn level(text: &str, seed: u64, visit: u64, point: Point) -> f64 {
    Visit::draw(&noise(text), seed, 0, visit, point).level
}

fn mean_and_sd(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let count = to_f64(values.len() as u64);
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt())
}

/// 40,000 visits; the tolerance of the mean is 4 sd / 200.
#[test]
fn levels_of_visits_have_mean_1() {
    let of = |text: &str| mean_and_sd((0..40_000).map(|visit| level(text, 9, visit, Point::pair(4, 0))));
    let (mean, sd) = of("between=10%");
    assert!((mean - 1.0).abs() < 2e-3 && (sd / 0.1 - 1.0).abs() < 0.03, "{mean} {sd}");
    // Two levels in the ratio 0.7, of which the lower one is taken by 30 %.
    let (mean, sd) = of("modes=30%:0.7");
    let wanted = 0.3 / 0.91 * 0.21f64.sqrt();
    assert!((mean - 1.0).abs() < 4e-3 && (sd / wanted - 1.0).abs() < 0.03, "{mean} {sd}");
}

#[test]
fn points_differ_in_their_noise_by_the_factor_at_most() {
    let sd_of = |small| {
        let point = Point::pair(small, 0);
        mean_and_sd((0..2000).map(|visit| level("between=3%,unequal=3", 9, visit, point))).1
    };
    let sds: Vec<f64> = (1..40).map(sd_of).collect();
    assert!(sds.iter().all(|&sd| sd > 0.01 * 0.94 && sd < 0.09 * 1.06), "{sds:?}");
    let (least, most) = sds.iter().fold((1.0f64, 0.0f64), |(least, most), &sd| (least.min(sd), most.max(sd)));
    assert!(least < 0.015 && most > 0.06, "{least} to {most}: spread over the whole range");
}

#[test]
fn the_level_of_a_run_depends_on_its_seed_only() {
    let factor = |seed| Timeline::new(noise("process=10%"), seed).step().speed;
    let (mean, sd) = mean_and_sd((0..10_000).map(factor));
    assert!((mean - 1.0).abs() < 4e-3 && (sd / 0.1 - 1.0).abs() < 0.05, "{mean} {sd}");
    let mut timeline = Timeline::new(noise("process=10%"), 3);
    assert!((0..10).all(|_| (timeline.step().speed - factor(3)).abs() < 1e-15));
}

#[test]
fn one_disturbance_does_not_change_another() {
    let of = |text: &str| {
        let mut timeline = Timeline::new(noise(text), 3);
        (0..1000).map(|_| timeline.step().stalled_ns).collect::<Vec<_>>()
    };
    assert_eq!(of("stalls=1:100ms"), of("stalls=1:100ms,white=3%,noise=ar:1s:5%,neighbour=0.7:10s:30s"));
    assert!(of("stalls=1:100ms").iter().sum::<u64>() > NS_PER_S);
}
