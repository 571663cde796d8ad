use super::*;
use crate::job::{Job, JobState, Part, Task, Workload};
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::request::Request;
use rigel_core::measure::Window;
use rigel_core::sim::{ServiceTime, SimLaw};
use rigel_core::units::{NS_PER_S, to_f64};
use rigel_io::backend::SlotLayout;
use rigel_io::sim::Sim;
use std::cell::RefCell;

const SHARE: Ppm = 50_000;

/// How many I/Os an exponential server of that time has in some seconds of virtual time, with this many targets and slots, and the share in flight.
fn taken(
    targets: usize,
    slots: u16,
    service_us: u64,
    halved_after: Option<usize>,
) -> (Vec<f64>, u64, JobState) {
    let class = LoadClass { levels: vec![slots.into()], ..LoadClass::random(Class::SMALL, 8192) };
    let request = Request { classes: vec![class], ..Request::new(RunLevel::Load) };
    let facts: Vec<TargetFacts> = (0..targets).map(|_| TargetFacts::simulated(1 << 30)).collect();
    let mut workload = Workload::new(&request, &facts).unwrap();
    workload.beside = Some((SHARE, targets));
    let layout = SlotLayout::of(&[(slots, 8192)]);
    let law = SimLaw {
        servers: 64,
        service_ns: service_us * 1000,
        spread: ServiceTime::Exponential,
        ..SimLaw::default()
    };
    let (mut sim, clock) = Sim::new(law, layout, 5);
    let shared = JobState::of(&workload);
    shared.share_ppm.store(SHARE, Ordering::Relaxed);
    let parts = RefCell::new(Vec::new());
    let hand_over = |part: Part| {
        let in_flight_ns: u64 = part.tallies.values().map(|tally| tally.in_flight_ns).sum();
        parts.borrow_mut().push(to_f64(in_flight_ns) / to_f64(part.window.span_ns()));
        if halved_after == Some(parts.borrow().len()) {
            shared.share_ppm.store(SHARE / 2, Ordering::Relaxed);
        }
    };
    let window = Window { start_ns: NS_PER_S, end_ns: 101 * NS_PER_S };
    let task = Task::Measure { window, lead_ns: 0, part_ns: 20 * NS_PER_S };
    let job =
        Job { visit: 0, began_ns: 0, point: Point::alone(Class::SMALL, slots.into()), task, shape: None };
    let done = Worker::alone(&workload, layout, &shared, &hand_over).run(&mut sim, &clock, &job).unwrap();
    assert!(!done.stopped && done.hung.is_none());
    (parts.into_inner(), done.tallies[&Class::SMALL].completed(), shared)
}

#[test]
fn the_time_in_flight_is_the_share_whatever_the_device_is() {
    for (targets, slots, service_us) in [(1, 1, 100), (1, 8, 100), (1, 1, 8000), (40, 40, 100)] {
        let (parts, completed, shared) = taken(targets, slots, service_us, None);
        let wanted = to_f64(SHARE.into()) / 1e6 * to_f64(targets as u64);
        assert_eq!(parts.len(), 5);
        for part in parts {
            assert!((part / wanted - 1.0).abs() < 0.06, "{targets} {slots} {service_us}: {part} of {wanted}");
        }
        let probes: u64 = shared.probes.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        assert!(probes >= completed && completed > 300, "every read is a probe: {probes} of {completed}");
    }
}

#[test]
fn a_share_that_is_halved_counts_at_once() {
    let (parts, ..) = taken(1, 1, 100, Some(2));
    let share = |part: usize| parts[part] / (to_f64(SHARE.into()) / 1e6);
    assert!((0.95..1.05).contains(&share(1)) && (0.47..0.53).contains(&share(2)), "{parts:?}");
    assert!((0.47..0.53).contains(&share(4)), "{parts:?}");
}
