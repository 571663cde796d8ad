use super::*;
use crate::bench::{Detail, Work};
use rigel_core::facts::engine::BufferFacts;
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::measure::Window;
use rigel_core::units::NS_PER_S;
use rigel_io::backend::{Completion, Op};
use std::sync::Mutex;

/// What the backend of a worker does at its tenth submit; the others go on.
#[derive(Clone, Copy)]
enum Trouble {
    Panics,
    Breaks,
    /// Nothing comes back from then on.
    Keeps,
    /// Until the sender is gone.
    HangsInTheKernel(&'static Mutex<()>),
}

/// Completes everything at once, a millisecond of real time per submit.
struct TroubledBackend {
    trouble: Option<Trouble>,
    submits: u32,
    slots: u16,
    queued: Vec<Op>,
    buffer: Vec<u8>,
}

impl Backend for TroubledBackend {
    fn slots(&self) -> u16 {
        self.slots
    }
    fn buffer_mut(&mut self, _slot: u16) -> &mut [u8] {
        &mut self.buffer
    }
    fn buffer(&self, _slot: u16) -> &[u8] {
        &self.buffer
    }
    fn push(&mut self, op: Op) {
        self.queued.push(op);
    }
    fn submit(&mut self, _wait_for: u16) -> io::Result<()> {
        self.submits += 1;
        thread::sleep(Duration::from_millis(1));
        match self.trouble.filter(|_| self.submits == 10) {
            Some(Trouble::Panics) => panic!("a bug in a worker"),
            Some(Trouble::Breaks) => Err(io::Error::from_raw_os_error(5)),
            Some(Trouble::HangsInTheKernel(gate)) => {
                drop(gate.lock().unwrap());
                Ok(())
            }
            Some(Trouble::Keeps) | None => Ok(()),
        }
    }
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        if matches!(self.trouble, Some(Trouble::Keeps)) && self.submits > 400 {
            return;
        }
        self.queued.drain(..).for_each(|op| sink(Completion { slot: op.slot, outcome: Ok(op.len) }));
    }
}

fn workload() -> Workload {
    let request = Request { classes: LoadClass::pair(8192, 8192), ..Request::new(RunLevel::Oltp) };
    Workload::new(&request, &[TargetFacts::simulated(1 << 20)]).unwrap()
}

fn places(layout: SlotLayout, workers: usize) -> Vec<WorkerPlace> {
    vec![WorkerPlace { layout, cpus: Vec::new() }; workers]
}

/// A bench of this many workers with two outstanding each; the last one has the trouble.
fn bench(workers: u32, trouble: Option<Trouble>) -> ThreadBench {
    let layout = SlotLayout::of(&[(2, 8192), (0, 0)]);
    let begin = move |start: Start| {
        let trouble = trouble.filter(|_| start.index == workers - 1);
        let backend =
            TroubledBackend { trouble, submits: 0, slots: 2, queued: Vec::new(), buffer: vec![0; 8192] };
        serve(Ok((backend, EngineFacts::plain(EngineKind::Null), BufferFacts::NONE)), start);
    };
    ThreadBench::start_with(
        EngineFacts::plain(EngineKind::Null),
        &places(layout, workers as usize),
        workload(),
        MonotonicClock::start(),
        (HostFacts::default(), Vec::new()),
        begin,
    )
    .unwrap()
}

/// A point of an hour: only an early end can finish it within the test.
fn an_hour() -> Order {
    measure(NS_PER_S, 3600 * NS_PER_S, Detail::Window)
}

fn measure(settle_ns: u64, measure_ns: u64, detail: Detail) -> Order {
    let work = Work::Measure { settle_ns, measure_ns, detail };
    Order { visit: 0, point: Point::pair(4, 0), work, at_ns: None, shape: None }
}

#[test]
fn a_worker_that_panics_ends_the_point_with_a_bug() {
    let mut bench = bench(2, Some(Trouble::Panics));
    let problem = bench.work(&an_hour(), &mut |_| true).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Bug);
}

#[test]
fn a_queue_that_breaks_ends_the_point_at_once() {
    let mut bench = bench(2, Some(Trouble::Breaks));
    let problem = bench.work(&an_hour(), &mut |_| true).unwrap_err();
    assert_eq!(problem.kind, ExitKind::CutShort);
    assert!(problem.to_string().contains("worker 1"), "{problem}");
}

/// A ring that is polled waits in the kernel without end. Nobody waits for its worker, not even when the bench goes.
#[test]
fn a_worker_that_hangs_in_the_kernel_is_left_behind() {
    static GATE: Mutex<()> = Mutex::new(());
    let held = GATE.lock().unwrap();
    let mut bench = bench(1, Some(Trouble::HangsInTheKernel(&GATE)));
    bench.patience = Duration::from_millis(500);
    let problem = bench.work(&an_hour(), &mut |_| true).unwrap_err();
    assert_eq!(problem.kind, ExitKind::CutShort);
    assert!(problem.to_string().contains("hangs in the kernel"), "{problem}");
    drop(bench);
    drop(held);
}

#[test]
fn a_worker_that_cannot_start_leaves_no_other_behind() {
    let layout = SlotLayout::of(&[(1, 8192), (0, 0)]);
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let begin = move |start: Start| {
        let _held = Arc::clone(&held);
        let made = if start.index == 1 {
            Err(Problem::refused("no memory"))
        } else {
            let backend = TroubledBackend {
                trouble: None,
                submits: 0,
                slots: 1,
                queued: Vec::new(),
                buffer: vec![0; 8192],
            };
            Ok((backend, EngineFacts::plain(EngineKind::Null), BufferFacts::NONE))
        };
        serve(made, start);
    };
    let refused = ThreadBench::start_with(
        EngineFacts::plain(EngineKind::Null),
        &places(layout, 3),
        workload(),
        MonotonicClock::start(),
        (HostFacts::default(), Vec::new()),
        begin,
    );
    assert_eq!(refused.err().map(|problem| problem.what), Some("no memory".to_owned()));
    assert_eq!(Arc::strong_count(&alive), 1, "every worker has ended");
}

#[test]
fn a_tick_can_end_a_point() {
    let mut bench = bench(2, None);
    let mut ticks = 0;
    let came = bench
        .work(&an_hour(), &mut |_| {
            ticks += 1;
            ticks < 13
        })
        .unwrap();
    let VisitResult { done, began_ns, .. } = came;
    assert!(done.stopped);
    let start_ns = began_ns + NS_PER_S;
    assert!(done.window_end_ns < 3600 * NS_PER_S);
    let small = &done.tallies[&Class::SMALL];
    assert_eq!(small.planned, 4);
    assert!(small.in_flight_ns <= 4 * (done.window_end_ns - start_ns), "never more than planned");
    // Two workers: the busier one used at least half of the sum, and less than all of it.
    assert!(done.busiest_cpu_ns < done.cpu_ns && done.cpu_ns <= 2 * done.busiest_cpu_ns, "{done:?}");
}

#[test]
fn an_early_end_counts_beside_a_worker_that_has_nothing_to_do() {
    let mut bench = bench(2, None);
    let mut ticks = 0;
    let order = Order { point: Point::pair(1, 0), ..an_hour() };
    let came = bench.work(&order, &mut |_| {
        ticks += 1;
        ticks < 13
    });
    let done = came.unwrap().done;
    assert!(done.stopped && done.window_end_ns < 3600 * NS_PER_S, "{}", done.window_end_ns);
    let series = &done.tallies[&Class::SMALL].series;
    assert!(series.ops.len() as u64 * series.bucket_ns < 3600 * NS_PER_S, "{} buckets", series.ops.len());
}

#[test]
fn a_rest_takes_its_time_and_can_be_ended() {
    let mut bench = bench(1, None);
    let began_ns = bench.now_ns();
    let mut ticks = 0;
    let mut count = |_| {
        ticks += 1;
        true
    };
    bench.rest(250 * NS_PER_MS, &mut count);
    assert!(bench.now_ns() - began_ns >= 250 * NS_PER_MS);
    assert!(ticks >= 1);
    // An hour that ends at the third look.
    let mut left = 3;
    bench.rest(3600 * NS_PER_S, &mut |_| {
        left -= 1;
        left > 0
    });
    assert_eq!(left, 0);
}

#[test]
fn the_witness_sees_a_visit_on_the_benchs_clock() {
    let layout = SlotLayout::of(&[(2, 8192), (0, 0)]);
    let begin = move |start: Start| {
        let backend = rigel_io::null::NullBackend::new(&[true], layout, 1);
        serve(backend, start);
    };
    let mut bench = ThreadBench::start_with(
        EngineFacts::plain(EngineKind::Null),
        &places(layout, 2),
        workload(),
        MonotonicClock::start(),
        (HostFacts::default(), Vec::new()),
        begin,
    )
    .unwrap();
    let order = measure(NS_PER_S / 10, NS_PER_S, Detail::Window);
    let VisitResult { done, began_ns, nodes, .. } = bench.work(&order, &mut |_| true).unwrap();
    let seen = nodes[0].witness.as_ref().unwrap();
    assert!(seen.began_ns <= began_ns && seen.samples.last().unwrap().at_ns >= done.window_end_ns);
    // An engine without a device is limited by its CPUs: all that the workers used is our own, and no more than that.
    let own_us: u64 = seen.samples.iter().filter_map(|sample| sample.counts.own_us).sum();
    assert!(own_us >= done.cpu_ns / 1000, "{own_us} us, workers {} ns", done.cpu_ns);
    assert!(done.busiest_cpu_ns <= seen.span_ns());
    assert!(seen.devices.is_empty());
}

/// Every interval comes while the load continues, no I/O is in two of them, and together they are the visit.
#[test]
fn intervals_are_handed_over_without_a_break() {
    let mut bench = bench(2, None);
    let mut parts = Vec::new();
    let order = measure(NS_PER_S / 10, NS_PER_S, Detail::Every(NS_PER_S / 4));
    let came = bench
        .work(&order, &mut |heard| {
            if let BenchMessage::Part(part) = heard {
                parts.push(part);
            }
            true
        })
        .unwrap();
    let whole = &came.done.tallies[&Class::SMALL];
    assert_eq!(parts.len(), 4);
    assert_eq!(parts[0].window.start_ns, came.began_ns + NS_PER_S / 10);
    assert_eq!(parts[3].window.end_ns, came.done.window_end_ns);
    assert!(parts.windows(2).all(|pair| pair[0].window.end_ns == pair[1].window.start_ns));
    let small: Vec<_> = parts.iter().map(|part| &part.tallies[&Class::SMALL]).collect();
    assert!(small.iter().all(|tally| tally.completed() > 0 && tally.planned == 4));
    assert_eq!(small.iter().map(|tally| tally.completed()).sum::<u64>(), whole.completed());
    assert_eq!(small.iter().map(|tally| tally.in_flight_ns).sum::<u64>(), whole.in_flight_ns);
    let ops = |tally: &ClassTally| tally.series.ops.iter().map(|&n| u64::from(n)).sum::<u64>();
    assert_eq!(small.iter().map(|tally| ops(tally)).sum::<u64>(), ops(whole));
    assert_eq!(ops(whole), whole.completed());
}

/// An early end of a load of hours leaves the intervals until then, the last one cut short.
#[test]
fn an_early_end_hands_over_what_there_is() {
    let mut bench = bench(1, None);
    let mut parts = Vec::new();
    let order = measure(0, 3600 * NS_PER_S, Detail::Every(NS_PER_S / 5));
    let came = bench
        .work(&order, &mut |heard| {
            if let BenchMessage::Part(part) = heard {
                parts.push(part);
            }
            parts.len() < 2
        })
        .unwrap();
    assert!(came.done.stopped && parts.len() >= 3);
    assert_eq!(parts.last().unwrap().window.end_ns, came.done.window_end_ns);
    let sum: u64 = parts.iter().map(|part| part.tallies[&Class::SMALL].completed()).sum();
    assert_eq!(sum, came.done.tallies[&Class::SMALL].completed());
}

/// What a visit hands over, and what came of it.
fn parts_of(bench: &mut ThreadBench, order: &Order, most: usize) -> (Vec<Part>, VisitResult) {
    let mut parts = Vec::new();
    let came = bench
        .work(order, &mut |heard| {
            if let BenchMessage::Part(part) = heard {
                parts.push(*part);
            }
            parts.len() < most
        })
        .unwrap();
    (parts, came)
}

fn completed(part: &Part) -> u64 {
    part.tallies.get(&Class::SMALL).map_or(0, |tally| tally.completed())
}

#[test]
fn a_worker_without_slots_is_not_waited_for() {
    let mut bench = bench(2, None);
    let order =
        Order { point: Point::pair(1, 0), ..measure(NS_PER_S / 10, NS_PER_S, Detail::Every(NS_PER_S / 4)) };
    let (parts, came) = parts_of(&mut bench, &order, usize::MAX);
    let spans: Vec<u64> = parts.iter().map(|part| part.window.span_ns()).collect();
    assert_eq!(spans, [NS_PER_S / 4; 4]);
    let whole = came.done.tallies[&Class::SMALL].completed();
    assert_eq!(parts.iter().map(completed).sum::<u64>(), whole);
}

#[test]
fn every_interval_has_the_buckets_of_its_own_length() {
    let mut bench = bench(1, None);
    let (parts, _) = parts_of(&mut bench, &measure(0, 3600 * NS_PER_S, Detail::Every(NS_PER_S / 5)), 3);
    for part in &parts[..3] {
        let series = &part.tallies[&Class::SMALL].series;
        assert_eq!((series.bucket_ns, series.ops.len()), (10 * NS_PER_MS, 20));
    }
}

/// The other worker goes on for a while, and what it does is not lost.
#[test]
fn a_worker_that_gives_up_takes_no_interval_with_it() {
    let layout = SlotLayout::of(&[(2, 8192), (0, 0)]);
    let begin = move |start: Start| {
        let trouble = (start.index == 1).then_some(Trouble::Keeps);
        let backend =
            TroubledBackend { trouble, submits: 0, slots: 2, queued: Vec::new(), buffer: vec![0; 8192] };
        serve(Ok((backend, EngineFacts::plain(EngineKind::Null), BufferFacts::NONE)), start);
    };
    let workload = Workload { io_timeout_ns: NS_PER_S, ..workload() };
    let mut bench = ThreadBench::start_with(
        EngineFacts::plain(EngineKind::Null),
        &places(layout, 2),
        workload,
        MonotonicClock::start(),
        (HostFacts::default(), Vec::new()),
        begin,
    )
    .unwrap();
    let order = measure(0, 3600 * NS_PER_S, Detail::Every(NS_PER_S / 5));
    let (parts, came) = parts_of(&mut bench, &order, usize::MAX);
    assert!(came.done.hung.is_some());
    let whole = came.done.tallies[&Class::SMALL].completed();
    assert_eq!(parts.iter().map(completed).sum::<u64>(), whole);
    assert!(parts.windows(2).all(|pair| pair[0].window.end_ns <= pair[1].window.start_ns));
}

/// Another node that hears nothing takes this one for lost: ticks come while a flush at the end is waited for, and it is not waited for without an end.
#[test]
fn a_flush_at_the_end_is_waited_for_with_ticks() {
    let empty =
        || Part { window: Window { start_ns: 0, end_ns: 1 }, tallies: PerClass::new(), governed: None };
    let slow = |gate: Receiver<()>| {
        let mut bench = bench(1, None);
        // Comes back when the sender speaks or is gone.
        let mut flusher = Flusher::by(move |part| {
            let _ = gate.recv();
            (part, None)
        })
        .unwrap();
        flusher.take(empty()).unwrap();
        bench.flusher = Some(flusher);
        bench
    };
    let (open, gate) = mpsc::channel();
    let mut bench = slow(gate);
    let (mut ticks, mut parts) = (0, 0);
    let all_back = bench.hear_last_flushes(&mut Vec::new(), &mut |heard| {
        match heard {
            BenchMessage::Tick(_) => ticks += 1,
            BenchMessage::Part(_) => parts += 1,
        }
        if ticks == 3 && parts == 0 {
            // Once is enough; a tick more may come before the part.
            let _ = open.send(());
        }
        // The user has ended the run; what was written has to be durable all the same.
        false
    });
    assert!(all_back && ticks >= 3 && parts == 1, "{ticks} ticks, {parts} parts");

    let (open, gate) = mpsc::channel();
    let mut bench = slow(gate);
    bench.patience = 4 * TICK;
    ticks = 0;
    let all_back = bench.hear_last_flushes(&mut Vec::new(), &mut |_| {
        ticks += 1;
        true
    });
    assert_eq!((all_back, ticks), (false, 3));
    drop(open);
}
