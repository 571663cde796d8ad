mod disturbances;

use super::*;
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use rigel_core::sim::ServiceTime;
use rigel_core::units::{NS_PER_MS, to_f64};

fn op(slot: u16) -> Op {
    Op { slot, target: 0, direction: Direction::Read, offset: 0, len: 8192, sync: Sync::None }
}

/// Keeps `outstanding` I/Os in flight until `count` are done; returns IOPS and the mean latency in ns.
fn closed_loop(law: SimLaw, outstanding: u16, count: u64) -> (f64, f64) {
    let layout = SlotLayout::of(&[(outstanding, 8192), (0, 0)]);
    let (mut sim, clock) = Sim::new(law, layout, 1);
    let mut started = vec![0; usize::from(outstanding)];
    (0..outstanding).for_each(|slot| sim.push(op(slot)));
    let (mut done, mut latency_sum) = (0, 0);
    while done < count {
        sim.submit(1).unwrap();
        let now = clock.now_ns();
        let mut again = Vec::new();
        sim.reap(|c| again.push(c.slot));
        for slot in again {
            done += 1;
            latency_sum += now - started[usize::from(slot)];
            started[usize::from(slot)] = now;
            sim.push(op(slot));
        }
    }
    (to_f64(done) * 1e9 / to_f64(clock.now_ns()), to_f64(latency_sum) / to_f64(done))
}

#[test]
fn rate_and_latency_are_the_laws() {
    for (servers, service_ms) in [(1u32, 1u64), (4, 1), (10, 5)] {
        let law =
            SimLaw { servers, service_ns: service_ms * NS_PER_MS, bytes_per_s: None, ..SimLaw::default() };
        for n in [1u16, 4, 10, 16, 40] {
            let (iops, latency_ns) = closed_loop(law, n, 20_000);
            let busy = f64::from(u32::from(n).min(servers));
            let rate = busy * 1000.0 / to_f64(service_ms);
            assert!(
                (iops / rate - 1.0).abs() < 1e-3,
                "{servers} stations, {n} outstanding: {iops} for {rate}"
            );
            let latency = f64::from(n) / rate * 1e9;
            assert!((latency_ns / latency - 1.0).abs() < 1e-2, "{latency_ns} for {latency}");
        }
    }
}

/// An exponential service time at one outstanding: mean S, standard deviation S, so the mean of 20,000 is good to 0.7 %.
#[test]
fn exponential_service_keeps_its_mean() {
    let law = SimLaw { servers: 1, bytes_per_s: None, spread: ServiceTime::Exponential, ..SimLaw::default() };
    let (iops, _) = closed_loop(law, 1, 20_000);
    assert!((iops / 1000.0 - 1.0).abs() < 0.03, "{iops}");
}

#[test]
#[should_panic(expected = "in flight")]
fn a_slot_cannot_be_used_twice() {
    let layout = SlotLayout::of(&[(1, 8192), (0, 0)]);
    let (mut sim, _) = Sim::new(SimLaw::default(), layout, 1);
    sim.push(op(0));
    sim.push(op(0));
}

#[test]
fn the_same_seed_takes_the_same_time() {
    let law = SimLaw { spread: ServiceTime::Exponential, ..SimLaw::default() };
    assert_eq!(closed_loop(law, 8, 1000), closed_loop(law, 8, 1000));
}
