//! The disturbed device against its truth.

use super::super::timeline::{SpeedStep, Timeline};
use super::*;
use rigel_core::sim::SPEED_STEP_NS;
use rigel_core::units::NS_PER_S;

/// Four stations of 1 ms.
fn law(more: &str) -> SimLaw {
    SimLaw::parse(&format!("servers=4,service=1ms,rate=0,{more}")).unwrap()
}

/// A closed loop at one device; what it counts starts again with each visit.
struct Customers {
    sim: Sim,
    clock: SimClock,
    directions: Vec<Direction>,
    latencies_ns: Vec<u64>,
}

impl Customers {
    fn new(law: SimLaw, outstanding: u16, direction: Direction) -> Self {
        let layout = SlotLayout::of(&[(outstanding, 8192), (0, 0)]);
        let (sim, clock) = Sim::new(law, layout, 1);
        let directions = vec![direction; usize::from(outstanding)];
        Self { sim, clock, directions, latencies_ns: Vec::new() }
    }

    /// Keeps all in flight until the time is over, then drains; returns completions per second until then.
    fn visit(&mut self, visit: u64, length_ns: u64) -> f64 {
        let outstanding = u32::try_from(self.directions.len()).unwrap();
        self.sim.begin_visit(visit, Point::pair(outstanding, 0));
        self.latencies_ns.clear();
        let end_ns = self.clock.now_ns() + length_ns;
        let mut started_ns = vec![0; self.directions.len()];
        let mut free: Vec<u16> = (0..).take(self.directions.len()).collect();
        let mut in_flight = 0;
        let mut done = 0;
        loop {
            let now_ns = self.clock.now_ns();
            if now_ns < end_ns {
                for slot in free.drain(..) {
                    started_ns[usize::from(slot)] = now_ns;
                    self.sim.push(Op { direction: self.directions[usize::from(slot)], ..op(slot) });
                    in_flight += 1;
                }
            }
            if in_flight == 0 {
                return to_f64(done) / (to_f64(length_ns) / 1e9);
            }
            self.sim.submit(1).unwrap();
            let now_ns = self.clock.now_ns();
            self.sim.reap(|completion| {
                in_flight -= 1;
                free.push(completion.slot);
                if now_ns <= end_ns {
                    done += 1;
                    self.latencies_ns.push(now_ns - started_ns[usize::from(completion.slot)]);
                }
            });
        }
    }

    fn mean_latency_ns(&self) -> f64 {
        to_f64(self.latencies_ns.iter().sum()) / to_f64(self.latencies_ns.len() as u64)
    }
}

fn reads(more: &str, outstanding: u16) -> Customers {
    Customers::new(law(more), outstanding, Direction::Read)
}

#[track_caller]
fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found / wanted - 1.0).abs() < tolerance, "{found} instead of {wanted}");
}

/// The mean speed of the first `steps` steps, from the timeline alone.
fn mean_speed(law: SimLaw, steps: u32) -> f64 {
    let mut timeline = Timeline::new(law.noise, 1);
    let step = |SpeedStep { stalled_ns, speed }| speed * (1.0 - to_f64(stalled_ns) / to_f64(SPEED_STEP_NS));
    (0..steps).map(|_| step(timeline.step())).sum::<f64>() / f64::from(steps)
}

/// Not a matter of chance: the rate is the truth times the mean of the speed that this seed drew, but for the I/Os in
/// flight at the end.
#[test]
fn the_rate_is_the_truth_times_the_mean_speed() {
    for noise in [
        "white=20%",
        "noise=ar:1s:10%",
        "neighbour=0.3:500ms:1s",
        "stalls=1:200ms",
        "process=10%,drift=-50%",
        "white=5%,noise=ar:300ms:10%,neighbour=0.5:1s:2s,stalls=0.5:100ms",
    ] {
        for outstanding in [1u16, 3, 4, 5, 32] {
            let mut device = reads(noise, outstanding);
            let rate = device.visit(0, 10 * NS_PER_S);
            let undrifted = law(&noise.replace(",drift=-50%", ""));
            let truth = undrifted.truth_iops(u32::from(outstanding), 8192).unwrap();
            near(rate, truth * mean_speed(law(noise), 100), 2e-3);
            near(device.mean_latency_ns(), f64::from(outstanding) / rate * 1e9, 0.01);
        }
    }
}

/// One station and 40 outstanding for 100 s, 25,000 I/Os at each: the mean is good to 4 cv / sqrt(n).
#[test]
fn service_times_spread_around_their_mean() {
    for (spread, cv) in [("lognormal:30%", 0.3), ("lognormal:150%", 1.5), ("exponential", 1.0)] {
        for outstanding in [1, 4, 20] {
            let mut device = reads(&format!("spread={spread},service=4ms"), outstanding);
            let rate = device.visit(0, 100 * NS_PER_S);
            let truth = device_truth(&format!("spread={spread},service=4ms"), outstanding);
            near(rate, truth, 4.0 * cv / (25_000f64 * f64::from(outstanding.min(4))).sqrt());
            if outstanding == 1 {
                let mean = device.mean_latency_ns();
                let squares: f64 = device.latencies_ns.iter().map(|&ns| (to_f64(ns) - mean).powi(2)).sum();
                let sd = (squares / to_f64(device.latencies_ns.len() as u64)).sqrt();
                near(sd / mean, cv, 0.1);
            }
        }
    }
}

fn device_truth(more: &str, outstanding: u16) -> f64 {
    law(more).truth_iops(u32::from(outstanding), 8192).unwrap()
}

#[test]
fn visits_have_levels_of_their_own() {
    let mut device = reads("between=5%", 4);
    let rates: Vec<f64> = (0..100).map(|visit| device.visit(visit, NS_PER_S / 2)).collect();
    let mean = rates.iter().sum::<f64>() / 100.0;
    let sd = (rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / 99.0).sqrt();
    near(mean, 4000.0, 0.02);
    near(sd, 200.0, 0.3);
    let mut device = reads("modes=30%:0.5", 4);
    let slow = (0..200).map(|visit| device.visit(visit, NS_PER_S / 10)).filter(|&rate| rate < 3500.0).count();
    assert!((36..=84).contains(&slow), "{slow} of 200 visits are slow, not 60");
}

#[test]
fn a_visit_starts_up() {
    let mut device = reads("startup=-30%:300ms", 4);
    for visit in 0..3 {
        // The integral of 1 - 0.3 exp(-t / 0.3 s) over a second is 1 - 0.09 (1 - exp(-1 / 0.3)).
        near(device.visit(visit, NS_PER_S), 4000.0 * (1.0 - 0.09 * (1.0 - (-1.0f64 / 0.3).exp())), 3e-3);
    }
    near(device.visit(3, 20 * NS_PER_S), 4000.0 * (1.0 - 0.09 / 20.0), 3e-3);
}

#[test]
fn a_bucket_keeps_its_state_between_visits() {
    let mut device = reads("bucket=1000:5000", 4);
    near(device.visit(0, NS_PER_S), 4000.0, 2e-3);
    // 5000 + 1000 - 4000 are left: 2/3 s at 4000, then the rate.
    near(device.visit(1, NS_PER_S), 2000.0 / 3.0 * 4.0 + 1000.0 / 3.0, 0.01);
    near(device.visit(2, NS_PER_S), 1000.0, 0.01);
    near(device.visit(3, 10 * NS_PER_S), device_truth("bucket=1000:5000", 4), 2e-3);
    near(device.mean_latency_ns(), 4e6, 0.01);
    // Three seconds of rest bring 3000 credits.
    device.clock.advance(3 * NS_PER_S);
    near(device.visit(4, NS_PER_S), 4000.0, 2e-3);
}

#[test]
fn a_bandwidth_limit_is_kept_exactly() {
    for outstanding in [4, 16] {
        let mut device = reads("cap=8M:1M", outstanding);
        // 1 MiB of credits are 128 I/Os, 8 MiB 1024.
        near(device.visit(0, 10 * NS_PER_S), 1024.0 + 12.8, 3e-3);
        near(device.visit(1, 10 * NS_PER_S), 1024.0, 3e-3);
    }
    assert!((device_truth("cap=8M:1M", 4) - 1024.0).abs() < 1e-9);
}

#[test]
fn writes_fall_off_a_cliff_and_reads_do_not() {
    // 8192 writes.
    let law = law("cliff=64M:0.25");
    let mut device = Customers::new(law, 4, Direction::Write);
    near(device.visit(0, 2 * NS_PER_S), 4000.0, 2e-3);
    near(device.visit(1, 2 * NS_PER_S), (192.0 + 1000.0 * (2.0 - 0.048)) / 2.0, 5e-3);
    near(device.visit(2, 2 * NS_PER_S), 1000.0, 5e-3);
    let mut device = Customers::new(law, 4, Direction::Read);
    near(device.visit(0, 8 * NS_PER_S), 4000.0, 2e-3);
}

/// 40 % of 10,000 hit, give or take 0.5 %.
#[test]
fn hits_give_two_latencies() {
    let mut device = reads("hits=40%:40us", 4);
    let rate = device.visit(0, 4 * NS_PER_S);
    near(rate, device_truth("hits=40%:40us", 4), 0.02);
    let hits = device.latencies_ns.iter().filter(|&&ns| ns == 40_000).count();
    let misses = device.latencies_ns.iter().filter(|&&ns| ns == 1_000_000).count();
    assert_eq!(hits + misses, device.latencies_ns.len());
    near(to_f64(hits as u64) / to_f64(device.latencies_ns.len() as u64), 0.4, 0.03);
    // Beyond saturation, too.
    near(reads("hits=40%:40us", 16).visit(0, 4 * NS_PER_S), device_truth("hits=40%:40us", 16), 0.02);
}

#[test]
fn a_lost_io_comes_back_late_and_its_station_goes_on() {
    let mut device = reads("lost=1000:5s", 4);
    // The first 1000 by four, then 1000 by three in a third of a second, then two are left.
    near(device.visit(0, NS_PER_S), 2000.0 + 2.0 * (750.0 - 1000.0 / 3.0), 2e-3);
    assert!(device.clock.now_ns() > 5 * NS_PER_S, "the drain waits for it");
    assert!(device.latencies_ns.iter().all(|&ns| ns == 1_000_000));
    // With others waiting no station idles.
    near(reads("lost=1000:5s", 16).visit(0, NS_PER_S), 4000.0, 2e-3);
}

#[test]
fn crowding_makes_the_rate_fall_beyond_saturation() {
    for outstanding in [2, 4, 8, 16, 54] {
        let mut device = reads("retrograde=2%", outstanding);
        near(device.visit(0, 10 * NS_PER_S), device_truth("retrograde=2%", outstanding), 5e-3);
    }
    assert!((device_truth("retrograde=2%", 54) - 2000.0).abs() < 1e-9);
}

#[test]
fn the_same_seed_is_the_same_device() {
    let all = "spread=lognormal:30%,white=3%,noise=ar:1s:5%,neighbour=0.7:10s:30s,stalls=0.2:100ms,process=1%,between=2%,\
               unequal=3,modes=30%:0.7,startup=-30%:300ms,bucket=3000:3000,cap=1G,hits=40%:40us,lost=500:100ms,\
               retrograde=1%";
    let run = |seed_of: &str| {
        let mut device = reads(seed_of, 8);
        let rates: Vec<f64> = (0..3).map(|visit| device.visit(visit, NS_PER_S)).collect();
        (rates, device.latencies_ns)
    };
    assert_eq!(run(all), run(all));
    assert_ne!(run(all), run(&all.replace("white=3%", "white=4%")));
}

#[test]
#[should_panic(expected = "at most 10 stalls")]
fn a_law_out_of_its_limits_is_a_bug() {
    let mut law = law("stalls=1:100ms");
    if let Some(stalls) = &mut law.noise.stalls {
        stalls.mean_ns = 2 * NS_PER_S;
    }
    Customers::new(law, 1, Direction::Read);
}
