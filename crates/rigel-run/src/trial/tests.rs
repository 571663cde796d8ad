mod contrasts;
mod known;
mod slo;
mod verdicts;
mod versus;
mod visit_course;

use super::*;
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Purpose;
use rigel_core::sim::SimLaw;
use rigel_core::stats::Basis;
use rigel_core::units::{NS_PER_S, Nanos};
use rigel_uses::selftest::{self, Case, Promise, Trial};
use std::collections::BTreeMap;

/// 8 stations of 1 ms: no point of `normal` saturates them.
fn request(level: RunLevel, law: &str) -> Request {
    let mut request = Request::new(level);
    request.engine = EngineRequest::Sim(SimLaw::parse(law).unwrap());
    request.set_pace(Pace::Adaptive(Adaptive::default()));
    request.seed = 7;
    request
}

#[test]
fn every_point_is_visited_in_a_new_order_each_round() {
    let record = trial(&request(RunLevel::Normal, "servers=8,rate=0")).unwrap();
    assert!(record.complete());
    let mut rounds: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for visit in &record.visits {
        if let Purpose::Round(round) = visit.purpose {
            rounds.entry(round).or_default().push(visit.step);
        }
    }
    assert_eq!(rounds.len(), 4, "a constant device needs no more");
    for order in rounds.values() {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..17).collect::<Vec<_>>());
    }
    assert!(rounds.values().all(|order| *order != rounds[&0] || std::ptr::eq(order, &rounds[&0])));
    assert_eq!(record.visits[0].purpose, Purpose::Long);
    assert_eq!(record.visits[0].measured_ns, 20 * NS_PER_S);
    let numbers: Vec<u64> = record.visits.iter().map(|visit| visit.number).collect();
    assert_eq!(numbers, (0..record.visits.len() as u64).collect::<Vec<_>>());
}

#[test]
fn visits_to_one_point_lie_apart() {
    let record = trial(&request(RunLevel::Simple, "servers=8,rate=0")).unwrap();
    let mut ended: BTreeMap<usize, u64> = BTreeMap::new();
    for visit in record.visits.iter().filter(|visit| visit.purpose != Purpose::Long) {
        let began = visit.began_ns - visit.settle_ns;
        if let Some(before) = ended.insert(visit.step, visit.began_ns + visit.measured_ns) {
            assert!(began >= before + 20 * NS_PER_S, "{} s", (began - before) / NS_PER_S);
        }
    }
    assert_eq!(ended.len(), 7);
}

#[test]
fn a_constant_device_is_found_with_narrow_intervals() {
    let found = Findings::of(&trial(&request(RunLevel::Normal, "servers=8,rate=0")).unwrap());
    assert_eq!(found.target, Some(0.05));
    for point in &found.points {
        for (io, outstanding) in
            [(point.io(Class::SMALL), point.point.small()), (point.io(Class::LARGE), point.point.large())]
        {
            let Some(io) = io else { continue };
            let truth = f64::from(outstanding) * 1000.0;
            assert!((io.iops.value / truth - 1.0).abs() < 0.002, "{:?}: {}", point.point, io.iops.value);
            assert_eq!((io.iops.basis, io.sure.visits), (Basis::Visits, 4));
            let latency = io.latency_us.unwrap().mean.interval.unwrap();
            assert!((latency.mean - 1000.0).abs() < 1.0 && latency.relative_half_width < 0.01);
        }
        assert!(point.flags.iter().all(|flag| flag.code == FlagCode::Simulated), "{:?}", point.flags);
    }
}

#[test]
fn a_fixed_time_has_an_interval_of_its_one_visit() {
    let mut request = request(RunLevel::Simple, "servers=8,rate=0,spread=exponential");
    request.set_pace(Pace::Fixed(Nanos::from_secs(10)));
    let record = trial(&request).unwrap();
    assert!(record.visits.iter().all(|visit| visit.purpose == Purpose::Only));
    for point in Findings::of(&record).points {
        let io = point.classes().next().unwrap().1;
        let interval = io.iops.interval.unwrap();
        assert_eq!((io.iops.basis, interval.visits), (Basis::OneVisit, 1));
        // Exponential service: the mean of n I/Os has a relative standard error of n^-1/2.
        let narrowest = 1.5 / (io.iops.value * 10.0).sqrt();
        assert!((narrowest..0.1).contains(&interval.relative_half_width), "{interval:?}");
    }
}

#[test]
fn a_device_that_varies_too_much_says_how_wide_it_is() {
    let mut wanted = request(RunLevel::Simple, "servers=8,rate=0,between=10%");
    wanted.set_pace(Pace::Adaptive(Adaptive { precision: Precision(20), ..Adaptive::default() }));
    let record = trial(&wanted).unwrap();
    assert!(record.complete(), "a width that was not reached is no failure");
    let found = Findings::of(&record);
    for point in &found.points {
        let io = point.io(Class::SMALL).or(point.io(Class::LARGE)).unwrap();
        assert_eq!(io.sure.visits, 12);
        let half = 100.0 * io.iops.half_width().unwrap();
        let flag = point.flags.iter().find(|flag| flag.code == FlagCode::NotReached).unwrap();
        assert!(flag.text.contains(&format!("±{half:.1} % after 12 visits")), "{flag:?}");
    }
}

#[test]
fn the_time_limit_is_kept() {
    let mut wanted = request(RunLevel::Simple, "servers=8,rate=0,between=10%");
    let max_duration = Some(Nanos::from_secs(60));
    wanted.set_pace(Pace::Adaptive(Adaptive { precision: Precision(10), max_duration, fast: true }));
    let record = trial(&wanted).unwrap();
    assert!(record.complete());
    let last = record.visits.last().unwrap();
    assert!(
        last.began_ns - last.settle_ns < 60 * NS_PER_S && last.began_ns + last.measured_ns < 70 * NS_PER_S
    );
    let found = Findings::of(&record);
    assert!(found.points.iter().all(|point| point.visits >= 1));
}

#[test]
fn a_slow_device_gets_longer_visits() {
    // 25 I/Os per second and station: 200 I/Os take 8 s.
    let record = trial(&request(RunLevel::Oltp, "servers=1,rate=0,service=40ms")).unwrap();
    let first = record.visits.iter().find(|visit| visit.purpose == Purpose::Round(0)).unwrap();
    let later = record.visits.iter().find(|visit| visit.purpose == Purpose::Round(1)).unwrap();
    assert_eq!((first.measured_ns / NS_PER_S, later.measured_ns / NS_PER_S), (2, 8));
}

#[test]
fn searched_levels_bracket_the_stations() {
    for servers in [3, 24, 100] {
        let law = format!("servers={servers},rate=0,between=1%");
        let mut wanted = request(RunLevel::Oltp, &law);
        wanted.task = Task::searched(RunLevel::Oltp, Pace::Adaptive(Adaptive::default()));
        let record = trial(&wanted).unwrap();
        assert!(record.search.iter().all(|visit| visit.purpose == Purpose::Search(Class::SMALL)));
        let found = Findings::of(&record);
        let curve = &found.curves[0].curve;
        // 95 % of the maximum is reached a little before all stations are busy.
        let truth = (0.95 * f64::from(servers)).ceil();
        let (lo, hi) = (f64::from(curve.n_sat.lo), f64::from(curve.n_sat.hi));
        assert!(lo <= truth && truth <= hi, "{servers}: {:?}", curve.n_sat);
        assert!((curve.x_max.mean / (1000.0 * f64::from(servers)) - 1.0).abs() < 0.02, "{:?}", curve.x_max);
        let most = record.header.plan.grid.most().small();
        assert_eq!(most, 2 * curve.n_sat.found);
        assert_eq!(found.points.len(), record.header.plan.steps.len());
    }
}

#[test]
fn reads_are_measured_before_writes() {
    let mut wanted = request(RunLevel::Advanced, "servers=8,rate=0");
    wanted.task = Task::advanced(rigel_core::load::matrix::MatrixShape::Max { small: 0, large: 4 });
    wanted.set_pace(Pace::Adaptive(Adaptive::default()));
    wanted.set_large(rigel_core::load::class::Pattern::Streams { ios_per_stream: 2 });
    wanted.set_writes(WritePercent::new(34).unwrap());
    let record = trial(&wanted).unwrap();
    let writes = |visit: &rigel_core::record::Visit| visit.tallies[&Class::LARGE].writes.count() > 0;
    let first_write = record.visits.iter().position(writes).unwrap();
    assert!(record.visits[first_write..].iter().all(writes), "no point of the first phase comes back");
    assert_eq!(record.visits[first_write].purpose, Purpose::Long);
    assert_eq!(record.visits[first_write].measured_ns, 60 * NS_PER_S);
}

#[test]
fn the_same_seed_gives_the_same_record() {
    let wanted = request(RunLevel::Simple, "servers=2,rate=0,between=3%,spread=exponential");
    assert_eq!(trial(&wanted).unwrap(), trial(&wanted).unwrap());
    let mut other = wanted.clone();
    other.seed = 8;
    assert_ne!(trial(&wanted).unwrap().visits, trial(&other).unwrap().visits);
}

/// Every figure against the law, and no visit after the minute; a record that says otherwise is found out.
#[test]
fn a_calibration_is_scored_with_its_budget() {
    let is_calibration = |case: &Case| matches!(case.promise, Promise::Answers { .. });
    let case = selftest::all().into_iter().find(is_calibration).unwrap();
    let mut record = trial(&case.request(3).unwrap()).unwrap();
    let answers = |record: &Record| Trial::of(record).answers.unwrap();
    let found = answers(&record);
    assert!(found.in_budget && found.decided && found.of_bound.unwrap() < 1.1, "{found:?}");
    let all: Vec<_> = selftest::asked().map(|answer| answer.quantity).collect();
    assert_eq!(found.seen.iter().map(|seen| seen.asked).collect::<Vec<_>>(), all);
    for seen in &found.seen {
        assert!(seen.error.abs() < 0.1 && seen.held.is_some() && seen.half_width < 0.1, "{seen:?}");
    }
    let last = record.visits.last_mut().unwrap();
    last.began_ns = 60 * NS_PER_S + last.settle_ns;
    assert!(!answers(&record).in_budget);
}

#[test]
fn a_device_that_does_not_answer_is_no_trial() {
    let problem = trial(&request(RunLevel::Oltp, "servers=1,service=100s,rate=0")).unwrap_err();
    assert!(problem.what.contains("did not complete"), "{problem}");
}
