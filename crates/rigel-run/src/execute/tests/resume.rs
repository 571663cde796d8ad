//! A record that is cut anywhere becomes the record of an undisturbed run, except for the line that says where it resumed.

use super::*;
use rigel_core::load::pace::{Adaptive, Precision};
use rigel_core::record::Visit;

/// The run whose record this is, and where it continues.
pub(super) fn left_of(left: &[u8]) -> (Run, Beginning) {
    let record = Record::read(left).unwrap();
    let (past, plan) = RecordPast::of(&record, left.len() as u64, "test").unwrap();
    let header = Header { plan: plan.clone(), ..record.header };
    let run = Run { plan, request: header.request.clone(), ..run_of(|_| {}) };
    let wall = Wall::simulated_since(&header.started).unwrap();
    (run, Beginning::resumed(wall, header, past))
}

/// Goes on with what is left of a record; returns the outcome and the whole record.
fn go_on(law: SimLaw, left: &[u8]) -> (Outcome, Vec<u8>) {
    let whole_lines = left.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    let (run, beginning) = left_of(left);
    let (outcome, added) = recorded(law, &run, beginning, |_, _| {});
    (outcome, [&left[..whole_lines], &added[..]].concat())
}

/// Why it does not go on; the record is as it was.
fn refused(law: SimLaw, run: &Run, beginning: Beginning) -> Problem {
    let mut lines = Lines::default();
    let problem = execute(run, beginning, &mut bench_of(law, run), &mut lines, &Stop::default(), &mut |_| {})
        .unwrap_err();
    assert!(lines.0.is_empty(), "{problem}");
    problem
}

/// Lines without those that say where the run continued; what is left of a stopped one is left out with its closing line.
fn undisturbed(bytes: &[u8]) -> Vec<u8> {
    let resumed = |line: &&[u8]| line.starts_with(br#"{"line":"resumed""#);
    bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| !resumed(line)).flatten().copied().collect()
}

/// Cuts the record at the end of every line and in the middle of it, and continues.
fn every_cut(law: SimLaw, run: &Run) {
    let (outcome, whole) = recorded(law, run, new(), |_, _| {});
    assert_eq!(outcome, Outcome::Complete);
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    assert!(ends.len() > 4, "{} lines", ends.len());
    let mut cuts = 0;
    // Behind the closing line nothing is left to do.
    for pair in ends[..ends.len() - 1].windows(2) {
        for cut in [pair[0], pair[0] + 1, pair[0].midpoint(pair[1]), pair[1] - 1] {
            let (outcome, resumed) = go_on(law, &whole[..cut]);
            assert_eq!(outcome, Outcome::Complete);
            assert_eq!(Record::read(&resumed).unwrap().resumed.len(), 1);
            assert!(undisturbed(&resumed) == whole, "cut at {cut} of {}", whole.len());
            cuts += 1;
        }
    }
    assert!(cuts >= 12);
}

fn noisy(text: &str) -> SimLaw {
    SimLaw::parse(text).unwrap()
}

/// Four visits a point at least, of 1 s.
fn adaptive() -> Pace {
    Pace::Adaptive(Adaptive { precision: Precision::default(), max_duration: None, fast: true })
}

fn on(law: SimLaw, change: impl FnOnce(&mut Request)) -> Run {
    run_of(|request| {
        request.engine = EngineRequest::Sim(law);
        change(request);
    })
}

#[test]
fn one_visit_per_point() {
    every_cut(law(), &run_of(|_| {}));
}

#[test]
fn streams_with_a_warm_up_before_each() {
    let run = run_of(|request| {
        request.task = Task::advanced(MatrixShape::Basic);
        request.set_pace(PACE);
        request.set_large(Pattern::Streams { ios_per_stream: 4 });
        request.cache = CacheWarmUp::Bytes(64 << 20);
    });
    every_cut(law(), &run);
}

#[test]
fn rounds_of_visits_with_noise_that_only_time_and_visit_decide() {
    let law = noisy("servers=2,service=2ms,rate=0,between=3%,drift=1%,white=5%");
    assert!(!law.remembers());
    every_cut(law, &on(law, |request| request.set_pace(adaptive())));
}

#[test]
fn a_device_with_a_memory_is_loaded_again() {
    let law = noisy("servers=2,service=4ms,rate=0,spread=exponential");
    assert!(law.remembers());
    every_cut(law, &on(law, |request| request.set_pace(Pace::Fixed(Nanos::from_secs(1)))));
}

#[test]
fn a_search_for_levels() {
    let law = noisy("servers=3,service=4ms,rate=0,between=1%");
    let run = on(law, |request| {
        request.task = Task::searched(RunLevel::Simple, adaptive());
    });
    every_cut(law, &run);
}

/// The time of the last visit decides that the search ends, and the record has it.
#[test]
fn a_search_that_has_used_up_its_share() {
    let law = noisy("servers=64,service=150ms,rate=0,between=1%");
    let run = on(law, |request| {
        let max_duration = Some(Nanos::from_secs(30));
        let pace = Adaptive { max_duration, fast: true, ..Adaptive::default() };
        request.task = Task::searched(RunLevel::Oltp, Pace::Adaptive(pace));
    });
    let (_, whole) = recorded(law, &run, new(), |_, _| {});
    let flags = Findings::of(&Record::read(&whole).unwrap()).flags_once();
    assert!(flags.iter().any(|flag| flag.code == FlagCode::NotSaturated), "{flags:?}");
    every_cut(law, &run);
}

#[test]
fn a_run_that_was_stopped_goes_on_behind_its_last_whole_visit() {
    let run = run_of(|_| {});
    let (_, whole) = recorded(law(), &run, new(), |_, _| {});
    let (outcome, stopped) = recorded(law(), &run, new(), |event, flag| {
        if let Event::VisitFinished { visit } = event {
            flag.store(visit.step == 2, Ordering::Relaxed);
        }
    });
    assert_eq!(outcome, Outcome::Stopped);
    let (outcome, resumed) = go_on(law(), &stopped);
    assert_eq!(outcome, Outcome::Complete);
    let (resumed, whole) = (Record::read(&resumed).unwrap(), Record::read(&whole).unwrap());
    assert_eq!(resumed.visits, whole.visits);
    assert_eq!(resumed.closing, whole.closing);
}

#[test]
fn a_run_whose_time_is_used_up_is_told_so() {
    let law = noisy("servers=1,service=2s,rate=0");
    let max_duration = Some(Nanos::from_secs(20));
    let short = Adaptive { precision: Precision::default(), max_duration, fast: true };
    let run = on(law, |request| request.set_pace(Pace::Adaptive(short)));
    let (outcome, bytes) = recorded(law, &run, new(), |_, _| {});
    assert!(matches!(outcome, Outcome::OutOfTime { .. }), "{outcome:?}");
    let (run, beginning) = left_of(&bytes);
    let problem = refused(law, &run, beginning);
    assert!(problem.what.contains("used up"), "{problem}");
}

#[test]
fn a_record_with_a_visit_too_many_is_refused_and_not_touched() {
    let run = run_of(|_| {});
    let (_, whole) = recorded(law(), &run, new(), |_, _| {});
    let mut record = Record::read(&whole).unwrap();
    record.closing = None;
    let last = record.visits.last().unwrap().clone();
    let began_ns = last.ended_ns() + last.settle_ns;
    record.visits.push(Visit { began_ns, number: last.number + 1, ..last });
    let (past, _) = RecordPast::of(&record, 0, "test").unwrap();
    let beginning = Beginning::resumed(Wall::simulated(0), record.header, past);
    let problem = refused(law(), &run, beginning);
    assert!(problem.to_string().contains("the record has 1 visits left"), "{problem}");
}

#[test]
fn a_record_of_another_device_is_refused() {
    let law = noisy("servers=2,service=4ms,rate=0,spread=exponential");
    let run = on(law, |_| {});
    let (_, whole) = recorded(law, &run, new(), |_, _| {});
    let mut record = Record::read(&whole).unwrap();
    record.closing = None;
    record.visits.truncate(2);
    record.visits[1].nodes[0].moved_bytes += 1;
    let (past, _) = RecordPast::of(&record, 0, "test").unwrap();
    let beginning = Beginning::resumed(Wall::simulated(0), record.header, past);
    let problem = refused(law, &run, beginning);
    assert!(problem.to_string().contains("visit 1 of the record does not match this device"), "{problem}");
}
