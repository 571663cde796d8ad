use super::*;
use rigel_core::facts::states::{StateChange, StateKind};
use rigel_core::load::matrix::Point;
use rigel_core::load::phase::Phase;
use rigel_core::load::task::Task;
use rigel_core::load::through::soak;
use rigel_core::measure::{ClassTally, Series};
use rigel_core::record::{Interval, MarkContent, Purpose, Visit};
use rigel_core::testing::{header, visit_to};
use rigel_core::units::{NS_PER_MS, NS_PER_S, to_f64};

const RATE: u64 = 1000;
/// Parts of an interval.
const PARTS: u64 = 50;

/// A second of the load.
#[derive(Clone, Copy)]
struct Second {
    /// From where to where in it I/Os complete, in milliseconds.
    busy_ms: (u64, u64),
    ops: u64,
    us: u64,
    errors: u64,
}

const USUAL: Second = Second { busy_ms: (0, 1000), ops: RATE, us: 1000, errors: 0 };
const FROZEN: Second = Second { busy_ms: (0, 0), ops: 0, ..USUAL };

fn tally(second: Second) -> ClassTally {
    let mut tally = ClassTally::new(8192, 1024, NS_PER_S);
    let mut series = Series { bucket_ns: NS_PER_S / PARTS, ops: vec![0; 50], latency_sum_ns: vec![0; 50] };
    let (from, to) = second.busy_ms;
    for op in 0..second.ops {
        // A little of everything, so that figures vary.
        tally.reads.record(second.us * 1000 + 1000 * (op % 7));
        let at_ms = from + op * (to - from) / second.ops;
        series.ops[usize::try_from(at_ms * PARTS / 1000).unwrap()] += 1;
    }
    ClassTally { series, errors: second.errors, ..tally }
}

/// The record of a load of these seconds, with marks at such times in milliseconds.
fn record(seconds: &[Second], marks: &[(u64, MarkContent)], demands: &[&str]) -> Record {
    let mut header = header();
    let class = header.request.classes[0].name;
    let point = Point::alone(class, u32::try_from(RATE).unwrap());
    let time = Nanos::from_secs(seconds.len() as u64);
    header.request.task = Task::soak(soak(time), vec![Phase { time, point, shape: None }]);
    header.request.demands.through = demands.iter().map(|text| text.parse().unwrap()).collect();
    let mut record = Record::begun(header);
    let mut visit = visit_to(0, point, NS_PER_S);
    visit.tallies.clear();
    for (number, second) in (0..).zip(seconds) {
        let part = tally(*second);
        let whole = visit.tallies.entry(class).or_insert_with(|| ClassTally::new(8192, 1024, time.0));
        whole.place(&part, number * NS_PER_S);
        record.intervals.push(Interval {
            visit: 0,
            began_ns: number * NS_PER_S,
            measured_ns: NS_PER_S,
            tallies: [(class, part)].into(),
            governed: None,
        });
    }
    record.visits.push(Visit { purpose: Purpose::Phase(0), began_ns: 0, measured_ns: time.0, ..visit });
    let mark = |(ms, marked): &(u64, MarkContent)| Mark {
        run_ns: ms * NS_PER_MS,
        at: "now".into(),
        marked: marked.clone(),
    };
    record.marks = marks.iter().map(mark).collect();
    record
}

fn found(seconds: &[Second], marks: &[(u64, MarkContent)], demands: &[&str]) -> ThroughFindings {
    ThroughFindings::of(&record(seconds, marks, demands)).unwrap()
}

fn pulled(ms: u64) -> (u64, MarkContent) {
    (ms, MarkContent::Person("path A pulled".into()))
}

/// Usual, with these seconds in its midst from the 20th on.
fn with(seconds: &[Second]) -> Vec<Second> {
    [vec![USUAL; 20], seconds.to_vec(), vec![USUAL; 20]].concat()
}

/// The second half of the last usual second has no completion; seven whole ones follow, and then what waited.
fn frozen() -> Vec<Second> {
    let first = Second { busy_ms: (0, 500), ops: 500, ..USUAL };
    let last = Second { busy_ms: (500, 1000), ops: 8 * RATE - 500, us: 3_000_000, ..USUAL };
    with(&[vec![first], vec![FROZEN; 6], vec![last]].concat())
}

fn verdicts(found: &ThroughFindings) -> Vec<DemandVerdict> {
    found.demands.iter().map(|one| one.verdict).collect()
}

#[test]
fn a_freeze_is_told_with_its_length_and_when_all_was_back() {
    let found = found(
        &frozen(),
        &[],
        &["standstill < 8s", "standstill < 7020ms", "standstill < 6s", "back < 9s", "back < 7s"],
    );
    let still = found.standstill.unwrap();
    assert_eq!((still.began_ns, still.is_open), (20_500 * NS_PER_MS, false));
    assert!((still.length().seconds() - 7.0).abs() < 0.03, "{still:?}");
    assert!(still.least <= Nanos::from_secs(7) && Nanos::from_secs(7) <= still.most, "{still:?}");
    let sign = found.trouble.sign.unwrap();
    assert_eq!(sign, Sign { at_ns: still.began_ns, kind: SignKind::Trouble(TroubleKind::Standstill) });
    assert_eq!(found.back_after(), Some(Nanos(7500 * NS_PER_MS)));
    assert_eq!(
        (found.trouble.rate_back, found.trouble.p99_back),
        (Some(Nanos(7500 * NS_PER_MS)), Some(Nanos(7500 * NS_PER_MS))),
        "what waited was done in the second in which it still stood still"
    );
    let spans: Vec<Span> = found.levels.iter().map(|level| level.span).collect();
    assert_eq!(spans, [Span::Before, Span::During, Span::After]);
    let [before, during, after] = found.levels.as_slice() else { panic!() };
    assert_eq!((before.rate.value, after.rate.value, during.errors), (1000.0, 1000.0, 0));
    assert!((during.rate.value - 1000.0).abs() < 1.0, "what waited was done: {:?}", during.rate);
    assert_eq!((before.to_ns, after.from_ns), (20 * NS_PER_S, 28 * NS_PER_S));
    use DemandVerdict::{Kept, Missed};
    let [most, exactly, least, back, not_back] = verdicts(&found)[..] else { panic!() };
    assert_eq!((most, least, back, not_back), (Kept, Missed, Kept, Missed));
    assert!(matches!(exactly, DemandVerdict::Undecided(_)), "it is known to 40 ms: {exactly:?}");
}

#[test]
fn failed_ios_are_no_standstill_and_are_counted() {
    let failing = Second { ops: 0, errors: RATE, ..FROZEN };
    let found = found(&with(&[failing, failing]), &[], &["errors = 0", "errors <= 2000", "standstill < 1s"]);
    assert_eq!(found.errors, 2000);
    assert_eq!(found.standstill, None);
    assert_eq!(found.trouble.sign.unwrap().kind, SignKind::Trouble(TroubleKind::Errors));
    assert_eq!(found.back_after(), Some(Nanos::from_secs(2)));
    assert_eq!(found.level(Span::During).unwrap().errors, 2000);
    use DemandVerdict::{Kept, Missed};
    assert_eq!(verdicts(&found), [Missed, Kept, Kept]);
}

#[test]
fn a_slow_spell_is_during_and_its_latency_is_judged_there() {
    let slow = Second { us: 20_000, ..USUAL };
    let demands =
        ["p99 < 10ms during", "p99 < 10ms before", "p99 < 30ms during", "p99 < 10ms", "mean < 10ms"];
    let found = found(&with(&vec![slow; 10]), &[], &demands);
    assert_eq!(found.trouble.sign.unwrap().kind, SignKind::Trouble(TroubleKind::Slow));
    assert_eq!(found.back_after(), Some(Nanos::from_secs(10)));
    assert_eq!(found.standstill, None);
    use DemandVerdict::{Kept, Missed};
    assert_eq!(verdicts(&found), [Missed, Kept, Kept, Missed, Kept]);
    assert_eq!(found.level(Span::During).unwrap().above, Some(1.0));
    assert_eq!(found.level(Span::Before).unwrap().above, Some(0.0));
}

#[test]
fn a_mark_is_the_first_sign_and_what_comes_before_it_is_the_level() {
    let mut seconds = with(&[]);
    seconds[25] = FROZEN;
    let late = found(&seconds, &[pulled(22_300)], &[]);
    assert_eq!(late.trouble.sign, Some(Sign { at_ns: 22_300 * NS_PER_MS, kind: SignKind::Mark(0) }));
    assert_eq!(late.level(Span::Before).unwrap().to_ns, 22 * NS_PER_S);
    assert_eq!(late.back_after(), Some(Nanos(3700 * NS_PER_MS)));
    // Before the load there is nothing that it could be a sign of.
    let mut early = record(&seconds, &[pulled(0)], &[]);
    early.intervals.remove(0);
    assert_eq!(ThroughFindings::of(&early).unwrap().trouble.sign.unwrap().at_ns, 25 * NS_PER_S);
}

#[test]
fn nothing_is_made_up_where_nothing_happened() {
    let quiet = found(
        &with(&[]),
        &[],
        &["standstill < 1s", "errors = 0", "p99 < 5ms", "p99 < 5ms during", "back < 5s"],
    );
    assert_eq!((quiet.trouble.sign, quiet.trouble.back_ns, quiet.has_trouble()), (None, None, false));
    assert_eq!(quiet.far, None);
    assert_eq!(quiet.levels.len(), 1);
    use DemandVerdict::{Kept, Undecided};
    assert_eq!(
        verdicts(&quiet),
        [Kept, Kept, Kept, Undecided("nothing happened"), Undecided("nothing happened")]
    );
    let marked = found(&with(&[]), &[pulled(15_000)], &["p99 < 5ms during", "p99 < 5ms after", "back < 5s"]);
    assert_eq!((marked.has_trouble(), marked.back_after()), (false, Some(Nanos(0))));
    let spans: Vec<Span> = marked.levels.iter().map(|level| level.span).collect();
    assert_eq!(spans, [Span::Before, Span::After]);
    assert_eq!(verdicts(&marked), [Undecided("the load was not affected by what was marked"), Kept, Kept]);
}

#[test]
fn without_a_level_before_it_nothing_is_compared() {
    let early = found(&with(&[]), &[pulled(3_000)], &["p99 < 5ms after", "back < 5s", "standstill < 1s"]);
    assert_eq!(early.trouble.baseline, Baseline::TooShort { intervals: 3 });
    assert!(early.levels.is_empty() && early.trouble.back_ns.is_none());
    let verdicts = verdicts(&early);
    assert!(
        matches!(verdicts[..2], [DemandVerdict::Undecided(_), DemandVerdict::Undecided(_)]),
        "{verdicts:?}"
    );
    assert_eq!(verdicts[2], DemandVerdict::Kept);
}

/// The sign is the load's, whether or not somebody marked something later.
#[test]
fn what_is_slow_before_there_is_a_level_is_told_with_its_time() {
    let slow = Second { us: 20_000, ..USUAL };
    let mut seconds = with(&[]);
    seconds[1..3].fill(slow);
    for marks in [vec![], vec![pulled(14_000)]] {
        let early = found(&seconds, &marks, &["back < 5s"]);
        let sign = Sign { at_ns: NS_PER_S, kind: SignKind::Trouble(TroubleKind::Slow) };
        assert_eq!(early.trouble.sign, Some(sign));
        assert_eq!(early.trouble.baseline, Baseline::TooShort { intervals: 1 });
        let [only] = early.trouble.troubles[..] else { panic!("{:?}", early.trouble) };
        assert_eq!(
            (only.kind, only.began_ns, only.ended_ns),
            (TroubleKind::Slow, NS_PER_S, 3 * NS_PER_S),
            "what the sign is, the timeline has"
        );
        assert!(early.levels.is_empty() && early.back_after().is_none());
        assert!(matches!(verdicts(&early)[..], [DemandVerdict::Undecided(_)]));
    }
}

/// A second that is slow on its own is in the timeline, and neither the beginning of a failure nor its end.
#[test]
fn an_interval_that_is_slow_on_its_own_is_no_part_of_a_failure() {
    let slow = Second { us: 20_000, ..USUAL };
    let sign_of = |seconds: &[Second], marks: &[(u64, MarkContent)]| {
        let found = found(seconds, marks, &[]);
        let known = matches!(found.trouble.baseline, Baseline::Known { .. });
        (found.trouble.sign.map(|sign| sign.at_ns / NS_PER_MS), known, found.back_after(), found)
    };
    let mut seconds = frozen();
    (seconds[2], seconds[10], seconds[40]) = (slow, slow, slow);
    let (at, known, after, whole) = sign_of(&seconds, &[]);
    assert_eq!((at, known, after), (Some(20_500), true, Some(Nanos(7500 * NS_PER_MS))));
    let kinds: Vec<u64> = whole.trouble.troubles.iter().map(|one| one.began_ns / NS_PER_S).collect();
    assert_eq!(kinds, [2, 10, 20, 27, 40], "the timeline has all: {:?}", whole.trouble.troubles);
    // Several of them are more than that, and so is one right behind the failure.
    (seconds[36], seconds[44]) = (slow, slow);
    assert_eq!(sign_of(&seconds, &[]).2, Some(Nanos(24_500 * NS_PER_MS)));
    let mut seconds = frozen();
    seconds[29] = slow;
    assert_eq!(sign_of(&seconds, &[]).2, Some(Nanos(9500 * NS_PER_MS)));
    // Of a mark without any effect the load noticed nothing, whatever was before; what was shortly before may be why.
    let mut seconds = with(&[]);
    seconds[2] = slow;
    let (at, known, after, whole) = sign_of(&seconds, &[pulled(14_000)]);
    assert_eq!((at, known, after, whole.has_trouble()), (Some(14_000), true, Some(Nanos(0)), false));
    seconds[12] = slow;
    assert_eq!(sign_of(&seconds, &[pulled(14_000)]).0, Some(12_000));
}

/// What is usual is known without the failure, and then it began earlier.
#[test]
fn what_was_slow_now_and_then_began_with_the_first_time() {
    let slow = |us| Second { us, ..USUAL };
    // Slow from the 20th on, by about five times.
    let seconds: Vec<Second> = (0..60)
        .map(|at| match at {
            40..42 => slow(9500),
            20.. if at % 3 == 0 => slow(8000),
            20.. => slow(4500),
            // A quarter of the first ones is slower than the others.
            _ if at % 4 == 0 => slow(1700),
            _ => USUAL,
        })
        .collect();
    let found = found(&seconds, &[], &[]);
    let first = found.trouble.troubles.first().unwrap().began_ns;
    assert_eq!((found.trouble.sign.unwrap().at_ns, first), (21 * NS_PER_S, 21 * NS_PER_S));
}

/// One I/O of a thousand moves no percentile.
#[test]
fn a_single_long_io_is_no_trouble_and_is_told() {
    let mut record = record(&with(&[]), &[], &[]);
    let long_ns = 5 * NS_PER_S;
    record.intervals[20].tallies.values_mut().for_each(|tally| tally.reads.record(long_ns));
    record.visits[0].tallies.values_mut().for_each(|tally| tally.reads.record(long_ns));
    let found = ThroughFindings::of(&record).unwrap();
    assert!(!found.has_trouble() && found.trouble.sign.is_none());
    let long = found.far_alone().unwrap();
    assert_eq!((long.length, long.began_ns), (Nanos(long_ns), 16 * NS_PER_S));
}

#[test]
fn a_rate_that_is_not_held_from_the_start_is_told_as_that() {
    let half = Second { ops: RATE / 2, us: 500_000, ..USUAL };
    let found = found(&vec![half; 30], &[pulled(20_000)], &["back < 5s"]);
    assert!(
        matches!(found.trouble.baseline, Baseline::NotHeld { rate } if (rate - 500.0).abs() < 1.0),
        "{:?}",
        found.trouble.baseline
    );
    assert!(found.levels.is_empty());
    assert_eq!(verdicts(&found), [DemandVerdict::Undecided("the rate was not held from the start")]);
}

#[test]
fn what_never_comes_back_is_told() {
    let seconds = [vec![USUAL; 20], vec![FROZEN; 10]].concat();
    let found = found(&seconds, &[], &["standstill < 60s", "standstill < 5s", "back < 5s", "back < 60s"]);
    let still = found.standstill.unwrap();
    assert_eq!((still.is_open, still.least, found.trouble.back_ns), (true, Nanos::from_secs(10), None));
    let verdicts = verdicts(&found);
    assert!(
        matches!(verdicts[0], DemandVerdict::Undecided(_))
            && matches!(verdicts[3], DemandVerdict::Undecided(_))
    );
    assert_eq!(verdicts[1..3], [DemandVerdict::Missed; 2]);
}

/// A single interval that is fine in the midst of a failure is not its end.
#[test]
fn back_means_back_for_good() {
    let failing = Second { errors: 5, ..USUAL };
    let found = found(&with(&[failing, USUAL, USUAL, failing]), &[], &[]);
    assert_eq!(found.back_after(), Some(Nanos::from_secs(4)));
}

fn host(kind: StateKind, from: &str, to: &str) -> MarkContent {
    let (from, to) = (Some(from.to_owned()), Some(to.to_owned()));
    MarkContent::Host(StateChange { kind, device: "md0".into(), from, to })
}

/// An array that stops at a tenth of its way has not done the rest in the second behind it.
#[test]
fn a_rebuild_that_was_ended_early_is_not_done() {
    let marks = [
        (20_000, host(StateKind::SyncAction, "idle", "recover")),
        (20_000, host(StateKind::SyncCompleted, "none", "0 / 2097152")),
        (21_000, host(StateKind::SyncCompleted, "0 / 2097152", "209715 / 2097152")),
        (22_000, host(StateKind::SyncAction, "recover", "idle")),
    ];
    let whole = found(&with(&[]), &marks, &[]);
    let [rebuild] = whole.rebuilds.as_slice() else { panic!("{:?}", whole.rebuilds) };
    assert!(rebuild.ended_ns.is_some() && rebuild.share.unwrap() < 0.11, "{rebuild:?}");
}

/// The level before it is one with a rebuild, also for the next one.
#[test]
fn a_rebuild_that_went_on_when_the_load_began_has_no_cost() {
    let marks = [
        (1_000, host(StateKind::SyncAction, "recover", "recover")),
        (1_000, host(StateKind::SyncCompleted, "0 / 2097152", "0 / 2097152")),
        (20_000, host(StateKind::SyncAction, "recover", "idle")),
        (25_000, host(StateKind::SyncAction, "idle", "recover")),
        (30_000, host(StateKind::SyncAction, "recover", "idle")),
    ];
    let whole = found(&with(&[]), &marks, &[]);
    let [older, next] = whole.rebuilds.as_slice() else { panic!("{:?}", whole.rebuilds) };
    assert_eq!((&older.action, next.action.as_deref()), (&None, Some("recover")));
    assert_eq!(whole.trouble.sign.unwrap().at_ns, 20 * NS_PER_S, "what was so from the start is no sign");
    assert!(older.cost.is_none() && next.cost.is_none(), "{:?}", whole.rebuilds);
    // Where it began between two looks, the first sight is not its action.
    let marks = [
        (20_000, host(StateKind::SyncCompleted, "none", "0 / 2097152")),
        (21_000, host(StateKind::SyncAction, "idle", "recover")),
        (30_000, host(StateKind::SyncAction, "recover", "idle")),
    ];
    let whole = found(&with(&[]), &marks, &[]);
    let [rebuild] = whole.rebuilds.as_slice() else { panic!("{:?}", whole.rebuilds) };
    assert_eq!((rebuild.action.as_deref(), rebuild.began_ns), (Some("recover"), 20 * NS_PER_S));
    assert!(rebuild.cost.is_some());
}

#[test]
fn a_rebuild_has_a_rate_and_a_cost() {
    let slower = Second { us: 2000, ..USUAL };
    let marks = [
        (20_000, host(StateKind::SyncAction, "idle", "recover")),
        (20_000, host(StateKind::SyncCompleted, "none", "0 / 2097152")),
        (30_000, host(StateKind::SyncCompleted, "0 / 2097152", "1048576 / 2097152")),
        (40_000, host(StateKind::SyncAction, "recover", "idle")),
    ];
    let seconds = with(&vec![slower; 20]);
    let whole = found(&seconds, &marks, &[]);
    let [rebuild] = whole.rebuilds.as_slice() else { panic!("{:?}", whole.rebuilds) };
    assert_eq!(
        (rebuild.began_ns, rebuild.ended_ns, rebuild.share),
        (20 * NS_PER_S, Some(40 * NS_PER_S), Some(1.0))
    );
    let rate = rebuild.rate.unwrap();
    // A GiB in 20 s.
    assert!((rate.value - to_f64(1 << 30) / 20.0).abs() < 1.0, "{rate:?}");
    assert!(rate.lo95() < Some(rate.value) && Some(rate.value) < rate.hi95());
    let cost = rebuild.cost.unwrap();
    let latency = cost.latency.unwrap();
    assert!((latency.value - 2.0).abs() < 0.02 && (cost.rate.value - 1.0).abs() < 0.01, "{cost:?}");
    assert!(latency.ends().is_some());
    let unfinished = found(&seconds, &marks[..3], &[]);
    let [rebuild] = unfinished.rebuilds.as_slice() else { panic!() };
    assert_eq!((rebuild.ended_ns, rebuild.share), (None, Some(0.5)));
}
