use super::*;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass, Pattern, Sizes, Span};
use rigel_core::load::matrix::Point;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::workload::WritePercent;
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_S, to_f64};
use rigel_io::sim::Sim;
use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

pub(super) fn workload(pattern: Pattern, write_percent: u8) -> Workload {
    let mut request = Request { seed: 7, ..Request::new(RunLevel::Simple) };
    request.set_large(pattern);
    request.set_writes(WritePercent::new(write_percent).unwrap());
    Workload::new(&request, &[64 << 20, 32 << 20].map(TargetFacts::simulated)).unwrap()
}

pub(super) fn layout(point: Point, workload: &Workload) -> SlotLayout {
    let group = |class: &BlockClass| {
        (u16::try_from(class.pattern.outstanding(point.of(class.name))).unwrap(), class.io_bytes)
    };
    SlotLayout::of(&workload.classes.iter().map(group).collect::<Vec<_>>())
}

pub(super) fn measure(point: Point) -> Job {
    let window = Window { start_ns: NS_PER_S / 10, end_ns: NS_PER_S + NS_PER_S / 10 };
    Job {
        visit: 3,
        began_ns: 0,
        point,
        task: Task::Measure { window, lead_ns: 0, part_ns: u64::MAX },
        shape: None,
    }
}

fn warm_up(point: Point, bytes: u64) -> Job {
    Job { visit: 0, task: Task::WarmUp { until_ns: u64::MAX, bytes }, ..measure(point) }
}

/// One worker on a simulated device of 4 stations, 1 ms each, no transfer time.
fn simulate(point: Point, workload: &Workload) -> WorkResult {
    let layout = layout(point, workload);
    let law = SimLaw { bytes_per_s: None, ..SimLaw::default() };
    let (mut sim, clock) = Sim::new(law, layout, 1);
    let shared = JobState::of(workload);
    let worker = Worker { index: 0, workers: 1, workload, layout, shared: &shared, hand_over: &|_| () };
    let done = worker.run(&mut sim, &clock, &measure(point)).unwrap();
    let counted = shared.done().values().sum::<u64>();
    assert!(counted >= done.tallies.values().map(ClassTally::completed).sum());
    done
}

#[test]
fn rate_latency_and_gauge_are_the_laws() {
    for n in [1, 3, 4, 5, 16, 100] {
        let done = simulate(Point::pair(n, 0), &workload(Pattern::Random, 0));
        let small = &done.tallies[&Class::SMALL];
        assert!(!done.tallies.contains_key(&Class::LARGE), "an idle class has no tally");
        let rate = to_f64(u64::from(n.min(4))) * 1000.0;
        assert!((to_f64(small.completed()) - rate).abs() <= 4.0, "{n} outstanding: {}", small.completed());
        assert_eq!(small.in_flight_ns, u64::from(n) * NS_PER_S, "exactly {n} in flight all the time");
        let latency = f64::from(n.max(4)) / 4.0 * 1e6;
        assert!((small.reads.mean_ns().unwrap() / latency - 1.0).abs() < 0.01);
    }
}

#[test]
fn both_classes_run_side_by_side() {
    let done = simulate(Point::pair(3, 2), &workload(Pattern::Random, 0));
    let [small, large] = [Class::SMALL, Class::LARGE].map(|class| &done.tallies[&class]);
    assert_eq!((small.planned, large.planned), (3, 2));
    assert_eq!((small.in_flight_ns, large.in_flight_ns), (3 * NS_PER_S, 2 * NS_PER_S));
    // Five customers at four equal stations: both classes get their share.
    assert!((to_f64(small.completed()) / to_f64(large.completed()) - 1.5).abs() < 0.01);
}

#[test]
fn streams_keep_all_their_ios_outstanding() {
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let done = simulate(Point::pair(0, 3), &workload(pattern, 50));
    let large = &done.tallies[&Class::LARGE];
    assert_eq!((large.planned, large.in_flight_ns), (12, 12 * NS_PER_S));
    // One of three streams writes at 50 %: a third of the I/Os.
    let share = to_f64(large.writes.count()) / to_f64(large.completed());
    assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
}

#[test]
fn writes_follow_the_coin() {
    let done = simulate(Point::pair(4, 0), &workload(Pattern::Random, 20));
    let small = &done.tallies[&Class::SMALL];
    let share = to_f64(small.writes.count()) / to_f64(small.completed());
    assert!((share - 0.2).abs() < 0.03, "{share}");
}

/// Every I/O of several sizes lies within its part, at a multiple of its own size, whatever worker has its slot; and its bytes are
/// counted.
#[test]
fn several_sizes_lie_in_their_part_and_are_counted() {
    let sizes = Sizes::Mixed(vec![(8192, 80), (65_536, 20)]);
    let span = Span::Percent(25, 50);
    let reads = LoadClass { sizes, span, ..LoadClass::random(Class::SMALL, 0) };
    let request = Request { seed: 7, classes: vec![reads], ..Request::new(RunLevel::Load) };
    let targets = [64 << 20, 33 << 20].map(TargetFacts::simulated);
    let workload = Workload::new(&request, &targets).unwrap();
    let point = Point::alone(Class::SMALL, 16);
    let draw = |workers: u32| -> BTreeSet<(u16, u16, u64, u32)> {
        let of = |worker| {
            let layout = layout(point, &workload);
            let mut load = Load::new(&workload, &measure(point), layout, worker, workers);
            let slots = load.all();
            let ops = (0..500).flat_map(|_| slots.clone()).map(|slot| load.next::<true>(slot));
            ops.map(|op| (op.target, 0, op.offset, op.len)).collect::<Vec<_>>()
        };
        (0..workers).flat_map(of).collect()
    };
    let drawn = draw(1);
    assert_eq!(drawn, draw(3), "the split changes nothing");
    for &(target, _, offset, len) in &drawn {
        let part = span.of(targets[usize::from(target)].size_bytes);
        assert!(offset.is_multiple_of(u64::from(len)) && [8192, 65_536].contains(&len));
        assert!(part.start <= offset && offset + u64::from(len) <= part.end, "{target} {offset} {len}");
    }
    assert_eq!(drawn.iter().map(|op| op.0).collect::<BTreeSet<_>>().len(), 2, "both targets");
    let done = simulate(point, &workload);
    let tally = &done.tallies[&Class::SMALL];
    let mean = to_f64(tally.moved_bytes()) / to_f64(tally.completed());
    assert!((mean / 19_660.8 - 1.0).abs() < 0.1 && tally.completed() > 3000, "{mean}");
}

#[test]
fn a_warm_up_moves_what_it_should_and_counts_nothing() {
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let workload = workload(pattern, 0);
    let point = Point::pair(5, 2);
    let layout = layout(point, &workload);
    let (mut sim, clock) = Sim::new(SimLaw::default(), layout, 1);
    let shared = JobState::of(&workload);
    let worker =
        Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
    let job = warm_up(point, 100 << 20);
    let done = worker.run(&mut sim, &clock, &job).unwrap();
    assert!(done.tallies.is_empty());
    let over = done.bytes - (100 << 20);
    assert!(over <= 8 << 20, "at most what was in flight beyond the wish: {over}");
    assert_eq!(shared.done()[&Class::SMALL], 0, "warm-up is large I/O");
}

#[test]
fn a_warm_up_is_of_a_class_in_streams_that_the_point_has() {
    let mut workload = workload(Pattern::Streams { ios_per_stream: 4 }, 0);
    let other = Class::constant("other");
    workload.classes.push(BlockClass { name: other, ..workload.classes[1].clone() });
    assert_eq!(workload.warmed_up(Point::pair(3, 2)), 1);
    assert_eq!(workload.warmed_up(Point::alone(other, 2)), 2);
}

#[test]
fn the_coordinator_can_end_a_window_early() {
    let point = Point::pair(4, 0);
    let workload = workload(Pattern::Random, 0);
    let layout = layout(point, &workload);
    let (mut sim, clock) = Sim::new(SimLaw::default(), layout, 1);
    let shared = JobState::of(&workload);
    shared.end_at_ns.store(NS_PER_S / 2, Ordering::Relaxed);
    let worker =
        Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
    let done = worker.run(&mut sim, &clock, &measure(point)).unwrap();
    assert!(done.stopped);
    assert_eq!(done.window_end_ns, NS_PER_S / 2);
    let small = &done.tallies[&Class::SMALL];
    assert_eq!(small.in_flight_ns, 4 * (NS_PER_S / 2 - NS_PER_S / 10));
    assert_eq!(small.series.ops.len(), 40, "400 ms in buckets of 10 ms");
}

/// An I/O that takes longer than the notice of an early end: what comes back after the end must not count.
#[test]
fn slow_ios_do_not_leak_into_a_window_that_was_ended_early() {
    let point = Point::pair(3, 0);
    let workload = workload(Pattern::Random, 0);
    let layout = layout(point, &workload);
    let law = SimLaw { servers: 1, service_ns: 400_000_000, bytes_per_s: None, ..SimLaw::default() };
    let (mut sim, clock) = Sim::new(law, layout, 1);
    let shared = JobState::of(&workload);
    shared.end_at_ns.store(NS_PER_S, Ordering::Relaxed);
    let worker =
        Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
    let window = Window { start_ns: NS_PER_S / 10, end_ns: 60 * NS_PER_S };
    let done = worker
        .run(
            &mut sim,
            &clock,
            &Job {
                visit: 0,
                began_ns: 0,
                point,
                task: Task::Measure { window, lead_ns: 0, part_ns: u64::MAX },
                shape: None,
            },
        )
        .unwrap();
    let small = &done.tallies[&Class::SMALL];
    assert_eq!(done.window_end_ns, NS_PER_S);
    assert_eq!(small.completed(), 2, "at 0.4 and 0.8 s, not the one at 1.2 s");
    assert_eq!(small.in_flight_ns, 3 * (NS_PER_S - NS_PER_S / 10));
}

#[test]
fn a_warm_up_ends_early_and_on_a_failing_device() {
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let workload = workload(pattern, 0);
    let point = Point::pair(0, 1);
    let layout = layout(point, &workload);
    let shared = JobState::of(&workload);
    let worker =
        Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
    let job = warm_up(point, 100 << 20);
    let (mut failing, clock) = Recorder::new(layout);
    failing.all_fail = true;
    let done = worker.run(&mut failing, &clock, &job).unwrap();
    assert_eq!((done.bytes, done.failures), (0, 100), "it tried as many bytes as it should have moved");
    shared.end_at_ns.store(NS_PER_S, Ordering::Relaxed);
    let (mut sim, clock) = Sim::new(SimLaw::default(), layout, 1);
    let job = Job { task: Task::WarmUp { until_ns: 120 * NS_PER_S, bytes: u64::MAX }, ..job };
    let done = worker.run(&mut sim, &clock, &job).unwrap();
    assert!(done.stopped);
    assert!(clock.now_ns() < 2 * NS_PER_S, "{} ns", clock.now_ns());
}

#[test]
fn a_warm_up_moves_its_bytes_with_more_workers_than_streams() {
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let workload = workload(pattern, 0);
    let point = Point::pair(5, 1);
    let layout = layout(point, &workload);
    let shared = JobState::of(&workload);
    let job = warm_up(point, 64 << 20);
    let moved: u64 = (0..4)
        .map(|index| {
            let (mut sim, clock) = Sim::new(SimLaw::default(), layout, 1);
            let worker = Worker {
                index,
                workers: 4,
                workload: &workload,
                layout,
                shared: &shared,
                hand_over: &|_| (),
            };
            worker.run(&mut sim, &clock, &job).unwrap().bytes
        })
        .sum();
    assert!((64 << 20..80 << 20).contains(&moved), "{moved}");
}

/// Completes everything at the next submit, 1 us later, and remembers every I/O. One of them fails, when asked for.
struct Recorder {
    layout: SlotLayout,
    now_ns: std::rc::Rc<Cell<u64>>,
    queued: VecDeque<Op>,
    seen: Vec<Vec<(u16, u64)>>,
    fail: Option<(u64, Result<u32, i32>)>,
    all_fail: bool,
    count: u64,
    buffer: Vec<u8>,
}

struct RecorderClock(std::rc::Rc<Cell<u64>>);

impl Clock for RecorderClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

impl Recorder {
    fn new(layout: SlotLayout) -> (Self, RecorderClock) {
        let now_ns = std::rc::Rc::new(Cell::new(0));
        let seen = vec![Vec::new(); usize::from(layout.slots())];
        let clock = RecorderClock(now_ns.clone());
        (
            Self {
                layout,
                now_ns,
                queued: VecDeque::new(),
                seen,
                fail: None,
                all_fail: false,
                count: 0,
                buffer: vec![0; 1 << 20],
            },
            clock,
        )
    }
}

impl Backend for Recorder {
    fn slots(&self) -> u16 {
        self.layout.slots()
    }
    fn buffer_mut(&mut self, _slot: u16) -> &mut [u8] {
        &mut self.buffer
    }
    fn buffer(&self, _slot: u16) -> &[u8] {
        &self.buffer
    }
    fn push(&mut self, op: Op) {
        self.seen[usize::from(op.slot)].push((op.target, op.offset));
        self.queued.push_back(op);
    }
    fn submit(&mut self, _wait_for: u16) -> io::Result<()> {
        self.now_ns.set(self.now_ns.get() + 1_000_000);
        Ok(())
    }
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for op in self.queued.drain(..) {
            self.count += 1;
            let outcome = match self.fail {
                _ if self.all_fail => Err(5),
                Some((nth, outcome)) if nth == self.count => outcome,
                _ => Ok(op.len),
            };
            sink(Completion { slot: op.slot, outcome });
        }
    }
}

/// The sequences of places that the slots of a point visit, whichever worker has them.
fn sequences(point: Point, workers: u32, workload: &Workload) -> BTreeSet<Vec<(u16, u64)>> {
    let shared = JobState::of(workload);
    let mut all = BTreeSet::new();
    for index in 0..workers {
        let layout = layout(point, workload);
        let (mut backend, clock) = Recorder::new(layout);
        let worker = Worker { index, workers, workload, layout, shared: &shared, hand_over: &|_| () };
        worker.run(&mut backend, &clock, &measure(point)).unwrap();
        all.extend(backend.seen.into_iter().filter(|seen| !seen.is_empty()));
    }
    all
}

#[test]
fn the_split_never_changes_what_is_measured() {
    let random = workload(Pattern::Random, 30);
    let point = Point::pair(13, 5);
    let alone = sequences(point, 1, &random);
    assert_eq!(alone.len(), 18, "every slot draws a sequence of its own");
    for workers in 2..6 {
        assert_eq!(sequences(point, workers, &random), alone, "{workers} workers");
    }
}

#[test]
fn failures_are_counted_apart_with_the_first_one_kept() {
    let workload = workload(Pattern::Random, 0);
    let point = Point::pair(2, 0);
    for (outcome, errno) in [(Err(5), 5), (Ok(4096), 0)] {
        let layout = layout(point, &workload);
        let (mut backend, clock) = Recorder::new(layout);
        backend.fail = Some((501, outcome));
        let shared = JobState::of(&workload);
        let worker =
            Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
        let done = worker.run(&mut backend, &clock, &measure(point)).unwrap();
        let small = &done.tallies[&Class::SMALL];
        assert_eq!(small.errors, 1);
        assert_eq!(small.completed(), 2 * 1000 - 1, "all the others count");
        let first = small.first_error.unwrap();
        assert_eq!((first.errno, first.direction), (errno, Direction::Read));
        let place = (first.target, first.offset);
        assert!(backend.seen.iter().any(|seen| seen.get(250) == Some(&place)), "the 251st I/O of slot 0");
    }
}

/// Completes everything at once but the I/Os of slot 1 from some moment on; virtual time passes with every wait.
struct HangingBackend<'a> {
    clock: &'a VirtualClock,
    hangs_from_ns: u64,
    /// What `cancel` brings back.
    can_cancel: bool,
    queued: Vec<Op>,
    held: Vec<Op>,
    given_back: bool,
    abandoned: bool,
    buffer: Vec<u8>,
    /// When the process is stopped for 8 s; what came back of one slot meanwhile is seen in the look after the next.
    stops_ns: u64,
    late: Vec<Op>,
}

#[derive(Default)]
struct VirtualClock(Cell<u64>);

impl Clock for &VirtualClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

impl Backend for HangingBackend<'_> {
    fn slots(&self) -> u16 {
        3
    }
    fn buffer_mut(&mut self, _: u16) -> &mut [u8] {
        &mut self.buffer
    }
    fn buffer(&self, _: u16) -> &[u8] {
        &self.buffer
    }
    fn push(&mut self, op: Op) {
        self.queued.push(op);
    }
    fn submit(&mut self, _: u16) -> io::Result<()> {
        self.clock.0.set(self.clock.0.get() + 10 * NS_PER_MS);
        if self.clock.0.get() >= self.stops_ns {
            self.stops_ns = u64::MAX;
            self.clock.0.set(self.clock.0.get() + 8 * NS_PER_S);
            let at = self.queued.iter().position(|op| op.slot == 1);
            self.late.extend(at.map(|at| self.queued.remove(at)));
            return Ok(());
        }
        self.queued.append(&mut self.late);
        Ok(())
    }
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        if std::mem::take(&mut self.given_back) {
            self.held.drain(..).for_each(|op| sink(Completion { slot: op.slot, outcome: Err(125) }));
        }
        let hangs = self.clock.0.get() >= self.hangs_from_ns;
        for op in std::mem::take(&mut self.queued) {
            if hangs && op.slot == 1 {
                self.held.push(op);
            } else {
                sink(Completion { slot: op.slot, outcome: Ok(op.len) });
            }
        }
    }
    fn cancel(&mut self) {
        self.given_back = self.can_cancel;
    }
    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

/// What a worker did whose third slot hangs, whether it gave the backend up, and when it was over.
fn hanging(hangs_from_ns: u64, can_cancel: bool) -> (WorkResult, bool, u64) {
    stopped((hangs_from_ns, u64::MAX), can_cancel)
}

/// The same of a process that is stopped at a time.
fn stopped(at_ns: (u64, u64), can_cancel: bool) -> (WorkResult, bool, u64) {
    seen_by(&Workload { io_timeout_ns: 5 * NS_PER_S, ..workload(Pattern::Random, 0) }, at_ns, can_cancel)
}

fn seen_by(
    workload: &Workload,
    (hangs_from_ns, stops_ns): (u64, u64),
    can_cancel: bool,
) -> (WorkResult, bool, u64) {
    let point = Point::pair(3, 0);
    let layout = layout(point, workload);
    let clock = VirtualClock::default();
    let shared = JobState::of(workload);
    let mut backend = HangingBackend {
        clock: &clock,
        hangs_from_ns,
        can_cancel,
        queued: Vec::new(),
        held: Vec::new(),
        given_back: false,
        abandoned: false,
        buffer: vec![0; 8192],
        stops_ns,
        late: Vec::new(),
    };
    let window = Window { start_ns: NS_PER_S, end_ns: 60 * NS_PER_S };
    let task = Task::Measure { window, lead_ns: 0, part_ns: u64::MAX };
    let job = Job { visit: 0, task, ..measure(point) };
    let done = Worker::alone(workload, layout, &shared, &|_| ()).run(&mut backend, &&clock, &job).unwrap();
    (done, backend.abandoned, clock.0.get())
}

/// In a trial of an engine, a queue may be longer than a device that answers is given.
#[test]
fn an_io_is_waited_for_while_others_come_back_where_patience_is_asked_for() {
    let io_timeout_ns = 5 * NS_PER_S;
    let patient = Workload { io_timeout_ns, is_patient: true, ..workload(Pattern::Random, 0) };
    let (done, abandoned, ended_ns) = seen_by(&patient, (20 * NS_PER_S, u64::MAX), false);
    assert_eq!((done.hung.map(|hung| hung.count), abandoned), (Some(1), true), "it ends all the same");
    assert_eq!(done.window_end_ns, 60 * NS_PER_S, "others came back until the end");
    assert!((65 * NS_PER_S..68 * NS_PER_S).contains(&ended_ns), "{ended_ns}");
}

#[test]
fn an_io_that_never_comes_back_ends_the_point() {
    for can_cancel in [true, false] {
        let (done, abandoned, ended_ns) = hanging(20 * NS_PER_S, can_cancel);
        let hung = done.hung.unwrap();
        assert_eq!((hung.count, hung.taken_back, abandoned), (1, can_cancel, !can_cancel));
        assert!((5 * NS_PER_S..6 * NS_PER_S).contains(&hung.age_ns), "{hung:?}");
        assert!((24 * NS_PER_S..27 * NS_PER_S).contains(&done.window_end_ns), "{}", done.window_end_ns);
        assert!(ended_ns < 29 * NS_PER_S, "{ended_ns}");
        let small = &done.tallies[&Class::SMALL];
        assert!(small.completed() > 1000, "what was measured before stays");
        assert_eq!(small.errors, u64::from(can_cancel));
    }
}

#[test]
fn an_io_that_hangs_while_the_point_ends_is_told_too() {
    let (done, abandoned, ended_ns) = hanging(59 * NS_PER_S, false);
    assert!(done.hung.is_some() && abandoned);
    assert_eq!(done.window_end_ns, 60 * NS_PER_S, "the window was over");
    assert!(ended_ns < 68 * NS_PER_S, "{ended_ns}");
}

/// 8 s in which nothing was sampled are no time for which somebody waited.
#[test]
fn a_process_that_was_stopped_accuses_no_device() {
    let (done, abandoned, _) = stopped((u64::MAX, 20 * NS_PER_S), true);
    assert_eq!((done.hung, abandoned, done.failures), (None, false, 0));
    // What hangs behind that is seen all the same.
    assert!(stopped((30 * NS_PER_S, 20 * NS_PER_S), true).0.hung.is_some());
}

#[test]
fn what_comes_back_in_time_is_not_hung() {
    let (done, abandoned, _) = hanging(u64::MAX, false);
    assert_eq!((done.hung, abandoned), (None, false));
}
