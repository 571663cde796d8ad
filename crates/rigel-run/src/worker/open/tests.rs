use super::*;
use crate::job::{JobState, Part, WorkResult, Workload};
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass, Shape, Spread};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::request::Request;
use rigel_core::measure::{ClassTally, OpenTally};
use rigel_core::sim::{ServiceTime, SimLaw};
use rigel_core::units::{NS_PER_MS, NS_PER_S, NS_PER_US, to_f64};
use rigel_io::backend::SlotLayout;
use rigel_io::sim::Sim;
use std::cell::RefCell;

const OPEN: Class = Class::constant("open");

fn workload(shape: Shape, most_outstanding: u32, seed: u64) -> Workload {
    let arrival = Arrival::Open { shape, most_outstanding };
    let open = LoadClass { arrival, levels: vec![1000], ..LoadClass::random(OPEN, 8192) };
    let small = LoadClass { levels: vec![1], ..LoadClass::random(Class::SMALL, 8192) };
    let request = Request { seed, classes: vec![open, small], ..Request::new(RunLevel::Open) };
    Workload::new(&request, &[TargetFacts::simulated(1 << 30)]).unwrap()
}

/// The first second does not count.
fn job(point: Point, seconds: u64, part_ns: u64) -> Job {
    let window = Window { start_ns: NS_PER_S, end_ns: NS_PER_S * (1 + seconds) };
    Job { visit: 3, began_ns: 0, point, task: Task::Measure { window, lead_ns: 0, part_ns }, shape: None }
}

fn at(rate: u32) -> Point {
    Point::alone(OPEN, rate)
}

fn law(servers: u32, service_us: u64, spread: ServiceTime) -> SimLaw {
    SimLaw { servers, service_ns: service_us * NS_PER_US, spread, bytes_per_s: None, ..SimLaw::default() }
}

fn run(workload: &Workload, law: SimLaw, slots: [u16; 2], job: &Job, hand_over: &dyn Fn(Part)) -> WorkResult {
    let layout = SlotLayout::of(&slots.map(|slots| (slots, 8192)));
    let (mut sim, clock) = Sim::new(law, layout, 5);
    let shared = JobState::of(workload);
    Worker::alone(workload, layout, &shared, hand_over).run(&mut sim, &clock, job).unwrap()
}

fn alone(shape: Shape, law: SimLaw, slots: u16, rate: u32, seconds: u64) -> ClassTally {
    let workload = workload(shape, slots.into(), 7);
    let mut done = run(&workload, law, [slots, 0], &job(at(rate), seconds, u64::MAX), &|_| ());
    done.tallies.remove(&OPEN).unwrap()
}

fn open(tally: &ClassTally) -> &OpenTally {
    tally.open.as_deref().unwrap()
}

fn near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{what}: {found} instead of {expected}");
}

/// Stations, share of their capacity, seconds.
const SHORT: [(u32, f64, u64); 4] = [(1, 0.5, 200), (4, 0.5, 100), (1, 0.8, 600), (4, 0.8, 150)];

/// Every service time is as long as the formula's, so only the arrivals are by chance.
#[test]
fn constant_service_has_the_latency_of_the_formula() {
    for (servers, load, seconds) in SHORT {
        known(law(servers, 100, ServiceTime::Constant), load, seconds);
    }
}

#[test]
fn exponential_service_has_the_latency_of_the_formula() {
    for (servers, load, seconds) in SHORT {
        known(law(servers, 100, ServiceTime::Exponential), load, seconds);
    }
}

/// Close to saturation a run has to be long: the number in the system remembers a hundred thousand services.
#[test]
fn close_to_saturation_the_formula_holds() {
    known(law(4, 100, ServiceTime::Constant), 0.95, 300);
    known(law(4, 100, ServiceTime::Exponential), 0.95, 600);
}

fn known(law: SimLaw, load: f64, seconds: u64) {
    let rate = (load * f64::from(law.servers) * to_f64(NS_PER_S) / to_f64(law.service_ns)).round();
    let truth = law.truth_open(rate, 8192).unwrap();
    let tally = alone(Shape::Poisson, law, 4096, rate_of(rate), seconds);
    let name = format!("{law:?} at {load}");
    near(&name, tally.reads.mean_ns().unwrap(), truth.mean_ns(), 0.01);
    near(&name, to_f64(tally.reads.quantile_ns(0.99).unwrap()), truth.quantile_ns(0.99), 0.03);
    let open = open(&tally);
    near(&name, to_f64(open.arrived), rate * to_f64(seconds), 0.01);
    assert_eq!((open.waited, open.left, open.lag.max_ns()), (0, 0, Some(0)), "{name}");
}

#[test]
fn waiting_for_a_slot_is_a_part_of_the_latency() {
    // 8 stations, but 2 slots: a queue of two servers, whose queue the tool has.
    let law = law(8, 1000, ServiceTime::Constant);
    let truth = SimLaw { servers: 2, ..law }.truth_open(1600.0, 8192).unwrap();
    let tally = alone(Shape::Poisson, law, 2, 1600, 2000);
    near("mean", tally.reads.mean_ns().unwrap(), truth.mean_ns(), 0.01);
    near("p99", to_f64(tally.reads.quantile_ns(0.99).unwrap()), truth.quantile_ns(0.99), 0.03);
    let open = open(&tally);
    assert_eq!((open.service.min_ns(), open.service.max_ns()), (Some(NS_PER_MS), Some(NS_PER_MS)));
    assert_eq!(open.lag.max_ns(), Some(0), "to wait for a slot is no lag of the tool");
    let share = to_f64(open.waited) / to_f64(open.arrived);
    near("those that waited", share, 1.0 - truth.within_ns(1e6), 0.02);
    near("in flight", tally.mean_in_flight(2000 * NS_PER_S), 1.6, 0.01);
}

#[test]
fn the_coordinator_sees_latencies_from_the_intended_start() {
    let workload = workload(Shape::Poisson, 2, 7);
    let layout = SlotLayout::of(&[(2, 8192), (0, 8192)]);
    let (mut sim, clock) = Sim::new(law(8, 1000, ServiceTime::Constant), layout, 5);
    let shared = JobState::of(&workload);
    let window = Window { start_ns: 0, end_ns: 20 * NS_PER_S };
    let task = Task::Measure { window, lead_ns: 0, part_ns: u64::MAX };
    let job = Job { visit: 3, began_ns: 0, point: at(1600), task, shape: None };
    let done = Worker::alone(&workload, layout, &shared, &|_| ()).run(&mut sim, &clock, &job).unwrap();
    let told = shared.latencies_ns();
    assert_eq!(
        told.keys().collect::<Vec<_>>(),
        [&OPEN],
        "the latency of a closed loop follows from its rate"
    );
    let mean_ns = to_f64(told[&OPEN]) / to_f64(shared.done()[&OPEN]);
    near("mean", mean_ns, done.tallies[&OPEN].reads.mean_ns().unwrap(), 0.01);
    assert!(mean_ns > 1.2e6, "waiting for a slot is a part of it: {mean_ns}");
}

#[test]
fn what_cannot_be_served_piles_up() {
    let tally = alone(Shape::Even, law(1, 1000, ServiceTime::Constant), 16, 1200, 10);
    let open = open(&tally);
    assert!(open.arrived.abs_diff(12_000) <= 1 && tally.completed().abs_diff(10_000) <= 1);
    let [start, middle, end] = open.course().unwrap().map(|one| one.count);
    assert!(start.abs_diff(200) <= 2 && middle.abs_diff(1200) <= 2 && end.abs_diff(2200) <= 2, "{open:?}");
    assert_eq!(open.left + 16, end, "all slots are in use");
    // Who still waits has waited for as long as those before, who began 2200 arrivals late.
    assert!(tally.begun().abs_diff(12_000) <= 1, "{}", tally.begun());
    let longest_ms = tally.longest_ns() / NS_PER_MS;
    assert!(longest_ms.abs_diff(1850) <= 20, "{longest_ms}");
}

#[test]
fn even_arrivals_never_meet() {
    let tally = alone(Shape::Even, law(1, 900, ServiceTime::Constant), 4, 1000, 5);
    assert_eq!((tally.completed(), tally.reads.max_ns()), (5000, Some(900 * NS_PER_US)));
}

#[test]
fn workers_share_one_sequence() {
    let workload = workload(Shape::Bursty(Spread::new(4.0).unwrap()), 3, 9);
    let job = job(at(5000), 2, u64::MAX);
    let shared = JobState::of(&workload);
    let layout = SlotLayout::of(&[(3, 8192), (0, 8192)]);
    let due = |workers: u32| {
        let mut all: Vec<(u64, u64, u64)> = (0..workers)
            .filter_map(|index| {
                let worker = Worker {
                    index,
                    workers,
                    workload: &workload,
                    layout,
                    shared: &shared,
                    hand_over: &|_| (),
                };
                let lanes = Lanes::of(&worker, &Load::new(&workload, &job, layout, index, workers), &job)?;
                Some(lanes.lanes[0].as_ref()?.next.clone())
            })
            .flat_map(|mut next| {
                (0..1000)
                    .map(|_| {
                        let own = (next.number, next.due_ns, deed(9, 3, 0, next.number).bits());
                        next.pass();
                        own
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        all.sort_unstable();
        all.truncate(1000);
        all
    };
    let one = due(1);
    assert_eq!(one[999].0, 999);
    // The fourth and fifth worker have no slot, and so no arrivals.
    assert!((2..=5).all(|workers| due(workers) == one));
}

#[test]
fn the_other_classes_keep_their_slots_in_flight() {
    let workload = workload(Shape::Poisson, 64, 1);
    let point = at(500).with(Class::SMALL, 2);
    let done =
        run(&workload, law(64, 1000, ServiceTime::Constant), [64, 2], &job(point, 20, u64::MAX), &|_| ());
    let [open, small] = [OPEN, Class::SMALL].map(|class| &done.tallies[&class]);
    assert_eq!((small.in_flight_ns, small.planned), (2 * 20 * NS_PER_S, 2));
    assert!(small.open.is_none() && small.completed().abs_diff(40_000) <= 2);
    near("rate", to_f64(open.completed()), 10_000.0, 0.03);
    assert_eq!(open.reads.max_ns(), Some(NS_PER_MS));
}

#[test]
fn parts_add_up_to_the_window() {
    let parts = RefCell::new(Vec::new());
    let workload = workload(Shape::Poisson, 64, 1);
    let keep = |part| parts.borrow_mut().push(part);
    let job = job(at(900), 10, NS_PER_S);
    let done = run(&workload, law(1, 1000, ServiceTime::Constant), [64, 0], &job, &keep);
    let whole = open(&done.tallies[&OPEN]).clone();
    let parts: Vec<Part> = parts.into_inner();
    let of_parts: Vec<&OpenTally> = parts.iter().map(|part| open(&part.tallies[&OPEN])).collect();
    assert_eq!(of_parts.len(), 10);
    assert_eq!(of_parts.iter().map(|part| part.arrived).sum::<u64>(), whole.arrived);
    assert_eq!(of_parts.iter().map(|part| part.service.count()).sum::<u64>(), whole.service.count());
    let plain = alone(Shape::Poisson, law(1, 1000, ServiceTime::Constant), 64, 900, 10);
    let seed_differs = open(&plain).arrived != whole.arrived;
    assert!(seed_differs, "another seed, other arrivals");
    let [start, _, end] = whole.course().unwrap();
    assert_eq!((start.at_ns, end.at_ns), (0, 10 * NS_PER_S));
    assert_eq!(whole.arrived + start.count, done.tallies[&OPEN].completed() + end.count, "nothing is lost");
}

#[test]
fn an_early_end_counts_up_to_there() {
    let workload = workload(Shape::Even, 8, 1);
    let layout = SlotLayout::of(&[(8, 8192), (0, 8192)]);
    let (mut sim, clock) = Sim::new(law(4, 500, ServiceTime::Constant), layout, 5);
    let shared = JobState::of(&workload);
    shared.end_at_ns.store(NS_PER_S + NS_PER_S / 4, Ordering::Relaxed);
    let done = Worker::alone(&workload, layout, &shared, &|_| ())
        .run(&mut sim, &clock, &job(at(1000), 10, u64::MAX))
        .unwrap();
    assert!(done.stopped && done.window_end_ns == NS_PER_S + NS_PER_S / 4);
    let open = open(&done.tallies[&OPEN]);
    assert!(open.arrived.abs_diff(250) <= 1, "{open:?}");
    assert_eq!(open.backlog.len(), 2, "the middle was not reached");
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of the tests")]
const fn rate_of(rate: f64) -> u32 {
    rate as u32
}

#[test]
fn a_host_that_wakes_late_is_waited_for_less_long_and_believed_again() {
    let mut awake = WakeMargin::new(60_000);
    awake.slept(1_000_000, 900_000);
    assert_eq!(awake.early_ns, 60_000, "a completion ended the wait");
    awake.slept(1_000_000, 1_200_000);
    assert_eq!(awake.early_ns, 260_000);
    awake.slept(1_000_000, 9_000_000);
    assert_eq!(awake.early_ns, WakeMargin::MOST_NS);
    for _ in 0..4000 {
        awake.slept(1_000_000, 1_000_000);
    }
    assert!(awake.early_ns < 61_000, "{}", awake.early_ns);
    let mut virtual_time = WakeMargin::new(0);
    virtual_time.slept(1_000_000, 1_200_000);
    assert_eq!(virtual_time.early_ns, 0);
}

/// Two streams of four outstanding, whose I/Os arrive at a rate.
fn of_streams() -> Workload {
    let arrival = Arrival::Open { shape: Shape::Even, most_outstanding: 8 };
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let open = LoadClass { arrival, pattern, levels: vec![1000], ..LoadClass::random(OPEN, 8192) };
    let request = Request { classes: vec![open], ..Request::new(RunLevel::Open) };
    Workload::new(&request.paced(Pace::ORION), &[TargetFacts::simulated(1 << 30)]).unwrap()
}

#[test]
fn the_number_of_an_arrival_says_which_stream_goes_on_and_where() {
    let (workload, job) = (of_streams(), job(at(1000), 10, u64::MAX));
    let layout = SlotLayout::of(&[(8, 8192)]);
    let (shared, hand_over) = (JobState::of(&workload), |_: Part| ());
    let worker = Worker::alone(&workload, layout, &shared, &hand_over);
    let load = Load::new(&workload, &job, layout, 0, 1);
    let mut lanes = Lanes::of(&worker, &load, &job).unwrap();
    let lane = lanes.lanes[0].as_mut().unwrap();
    let volume = workload.classes[0].volumes.at(1000).0.unwrap();
    let offsets: Vec<u64> = (0..6)
        .map(|_| {
            let place = lane.walked().unwrap().advance(volume);
            lane.next.pass();
            place.offset
        })
        .collect();
    let half = 512 << 20;
    assert_eq!(offsets, [0, half, 8192, half + 8192, 2 * 8192, half + 2 * 8192]);
}

#[test]
fn streams_at_a_rate_do_as_many_as_arrive() {
    let (workload, layout) = (of_streams(), SlotLayout::of(&[(8, 8192)]));
    let (mut sim, clock) = Sim::new(law(8, 1000, ServiceTime::Constant), layout, 5);
    let shared = JobState::of(&workload);
    let worker = Worker::alone(&workload, layout, &shared, &|_| ());
    let mut done = worker.run(&mut sim, &clock, &job(at(1000), 10, u64::MAX)).unwrap();
    let tally = done.tallies.remove(&OPEN).unwrap();
    near("I/Os in 10 s", to_f64(tally.reads.count()), 10_000.0, 0.001);
    near("their latency", tally.reads.mean_ns().unwrap(), 1e6, 0.01);
}
