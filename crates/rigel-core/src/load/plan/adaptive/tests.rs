use super::*;
use crate::facts::{HostFacts, TargetFacts};
use crate::load::class::{Class, Pattern};
use crate::load::matrix::{MatrixShape, RunLevel};
use crate::load::pace::Precision;
use crate::load::plan::Part;
use crate::load::plan::Plan;
use crate::load::plan::search::searched;
use crate::load::task::Task;
use crate::load::workload::WritePercent;
use crate::stats::bound::{LatencyBound, LatencyOf};

fn adaptive(level: RunLevel, change: impl FnOnce(&mut Request)) -> Result<Plan, Problem> {
    let mut request = Request::new(level);
    request.set_pace(Pace::Adaptive(Adaptive::default()));
    change(&mut request);
    let host = HostFacts { cpus: 2, memory_bytes: Some(8 << 30), ..HostFacts::default() };
    Plan::new(&request, &host, &[TargetFacts::simulated(1 << 30)])
}

fn usual() -> Pace {
    Pace::Adaptive(Adaptive::default())
}

fn with_long_visit(plan: &Plan) -> Vec<Vec<Point>> {
    let phases = &plan.adaptive.as_ref().unwrap().phases;
    let points = |phase: &Phase| phase.long_visits.iter().map(|long| plan.steps[long.point].point).collect();
    phases.iter().map(points).collect()
}

#[test]
fn a_calibration_with_a_bound_has_the_points_that_answer() {
    let bound = LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean };
    let bounded = |num_disks, budget_s| {
        adaptive(RunLevel::Simple, |request| {
            request.num_disks = num_disks;
            request.calibrate(bound, None);
            let max_duration = Some(Nanos::from_secs(budget_s));
            request.set_pace(Pace::Adaptive(Adaptive { max_duration, fast: true, ..Adaptive::default() }));
        })
        .unwrap()
    };
    let plan = bounded(None, 60);
    let search = plan.search.as_ref().unwrap();
    assert_eq!((search.room().small(), search.bound), (512, Some(bound)));
    assert!(search.usual_time() < Nanos::from_secs(30), "half of the budget: {:?}", search.usual_time());
    assert_eq!(bounded(Some(100), 60).search.unwrap().room().small(), 6400);
    let mut request = Request::new(RunLevel::Simple);
    request.calibrate(bound, None);
    let max_duration = Some(Nanos::from_secs(60));
    request.set_pace(Pace::Adaptive(Adaptive { max_duration, fast: true, ..Adaptive::default() }));
    let found = &searched(Some(8), Some(2), Some(75));
    let plan = plan.with_levels(&request, found, Nanos::from_secs(25)).unwrap();
    let points: Vec<(u32, u32)> =
        plan.steps.iter().map(|step| (step.point.small(), step.point.large())).collect();
    assert_eq!(points, [(1, 0), (8, 0), (16, 0), (75, 0), (0, 1), (0, 2), (0, 4)]);
    let adaptive = plan.adaptive.unwrap();
    assert_eq!(adaptive.parameters.time_limit_ns, Some(60_000_000_000));
    assert!(adaptive.time_after(Nanos::from_secs(25)) <= Nanos::from_secs(60));
}

#[test]
fn the_corner_of_a_matrix_or_else_each_class_has_a_long_visit() {
    let normal = adaptive(RunLevel::Normal, |_| {}).unwrap();
    assert_eq!(with_long_visit(&normal), [[Point::pair(5, 2)]]);
    let simple = adaptive(RunLevel::Simple, |_| {}).unwrap();
    assert_eq!(with_long_visit(&simple), [[Point::pair(5, 0), Point::pair(0, 2)]]);
    let oltp = adaptive(RunLevel::Oltp, |_| {}).unwrap();
    assert_eq!(with_long_visit(&oltp), [[Point::pair(20, 0)]]);
}

#[test]
fn eighteen_points_take_less_than_a_fifth_of_orions_time() {
    let plan = adaptive(RunLevel::Normal, |_| {}).unwrap();
    // 17 points, 4 visits of 2.5 s each, and one long visit of 20.5 s.
    assert!((plan.known_time().seconds() - (17.0 * 4.0 * 2.5 + 20.5)).abs() < 1e-9);
    assert!(plan.known_time().seconds() < 18.0 * 60.0 / 5.0);
    assert_eq!(plan.steps[0].measure, Nanos::from_secs(2));
}

#[test]
fn a_prospect_is_a_range_and_knows_limit_and_search() {
    let prospect = |change: &dyn Fn(&mut Request)| {
        let mut request = Request::new(RunLevel::Simple);
        request.set_pace(Pace::Adaptive(Adaptive::default()));
        change(&mut request);
        let found = adaptive(RunLevel::Simple, |r| *r = request.clone()).unwrap().prospect(&request);
        (found.least_ns / NS_PER_S, found.most_ns / NS_PER_S)
    };
    let (least, most) = prospect(&|_| {});
    assert!((131..200).contains(&least) && (600..800).contains(&most), "{least} to {most} s");
    let limited = |r: &mut Request| {
        let max_duration = Some(Nanos::from_secs(300));
        r.set_pace(Pace::Adaptive(Adaptive { max_duration, ..Adaptive::default() }));
    };
    let (_, most) = prospect(&limited);
    assert!((300..315).contains(&most), "no visit begins after 300 s: {most} s");
    let (least, most) = prospect(&|r| r.task = Task::searched(r.level(), usual()));
    assert!((100..300).contains(&least) && (1000..2000).contains(&most), "{least} to {most} s");
    assert_eq!(prospect(&|r| r.set_pace(Pace::Fixed(Nanos::from_secs(10)))), (73, 73));
}

#[test]
fn reads_come_before_writes() {
    let all_write = adaptive(RunLevel::Normal, |r| r.set_writes(WritePercent::new(20).unwrap())).unwrap();
    let phases = &all_write.adaptive.as_ref().unwrap().phases;
    assert_eq!(phases.len(), 1);
    assert_eq!(phases[0].long_visits[0].measure_ns, 60 * NS_PER_S, "a long visit that writes takes a minute");
    // Of one stream a third does not write; of three streams one does.
    let streams = adaptive(RunLevel::Advanced, |r| {
        r.set_writes(WritePercent::new(34).unwrap());
        r.set_large(Pattern::Streams { ios_per_stream: 2 });
        let pace = r.pace().unwrap();
        r.task = Task::advanced(MatrixShape::Max { small: 0, large: 4 });
        r.set_pace(pace);
    })
    .unwrap();
    let phases = &streams.adaptive.as_ref().unwrap().phases;
    let larges = |phase: &Phase| -> Vec<u32> {
        phase.points.iter().map(|&step| streams.steps[step].point.large()).collect()
    };
    assert_eq!((larges(&phases[0]), larges(&phases[1])), (vec![1, 2], vec![3, 4]));
}

#[test]
fn a_limit_shortens_the_long_visits_and_refuses_what_cannot_be() {
    let limited = |seconds| {
        adaptive(RunLevel::Simple, |r| {
            let max_duration = Some(Nanos::from_secs(seconds));
            r.set_pace(Pace::Adaptive(Adaptive { max_duration, precision: Precision(20), fast: true }));
        })
    };
    let plan = limited(80).unwrap();
    let adaptive = plan.adaptive.unwrap();
    assert_eq!(adaptive.phases[0].long_visits[0].measure_ns, 10 * NS_PER_S);
    assert_eq!(adaptive.parameters.time_limit_ns, Some(80 * NS_PER_S));
    // 80 s less the long visits of 10.5 s (one for each class), over 4 rounds, less a visit of 1.5 s.
    assert_eq!(adaptive.parameters.gap_ns, 13_250_000_000);
    let short = limited(12).unwrap().adaptive.unwrap().parameters;
    assert_eq!((short.gap_ns, short.gap_few_ns), (2 * NS_PER_S, 2 * NS_PER_S));
    assert_eq!(limited(600).unwrap().adaptive.unwrap().parameters.gap_ns, 20 * NS_PER_S);
    assert!(limited(30).unwrap().adaptive.unwrap().phases[0].long_visits.is_empty(), "3.75 s show nothing");
    let text = limited(10).unwrap_err().to_string();
    assert!(text.contains("10 s") && text.contains("11 s") && text.contains("7 points"), "{text}");
}

#[test]
fn only_a_warm_up_that_was_asked_for_is_made() {
    let sequential = |cache| {
        let plan = adaptive(RunLevel::Advanced, |r| {
            r.set_large(Pattern::Streams { ios_per_stream: 4 });
            r.cache = cache;
        });
        plan.unwrap().adaptive.unwrap().warm_up
    };
    assert_eq!(sequential(CacheWarmUp::Default), None);
    assert_eq!(sequential(CacheWarmUp::Off), None);
    assert_eq!(sequential(CacheWarmUp::Bytes(1 << 30)), Some(WarmUp::Bytes(1 << 30)));
}

#[test]
fn searched_levels_make_the_matrix() {
    let request = Request::of(Task::searched(RunLevel::Normal, usual()));
    let plan = adaptive(RunLevel::Normal, |r| *r = request.clone()).unwrap();
    assert!(plan.steps.is_empty() && plan.adaptive.is_none());
    assert_eq!(plan.room(), Point::pair(512, 64));
    assert_eq!(plan.search.as_ref().unwrap().classes, [Class::SMALL, Class::LARGE]);
    let found =
        plan.with_levels(&request, &searched(Some(16), Some(3), None), Nanos::from_secs(100)).unwrap();
    assert_eq!(found.grid.levels[&Class::SMALL], [0, 1, 4, 8, 16, 32]);
    assert_eq!(found.grid.levels[&Class::LARGE], [0, 1, 3, 6]);
    assert_eq!(found.steps.len(), 6 * 4 - 1);
    assert_eq!(found.room(), Point::pair(512, 64), "the queues were made before");
    let least_ns = found.adaptive.as_ref().unwrap().least_time().0 + 100 * NS_PER_S;
    assert_eq!(found.estimate_minutes, least_ns.div_ceil(60 * NS_PER_S) + 1, "with the time of the search");
    let most = plan.with_levels(&request, &searched(Some(512), None, None), Nanos(0)).unwrap();
    assert_eq!(most.grid.most(), Point::pair(512, 2), "never beyond the search");
}

#[test]
fn a_limit_counts_the_search() {
    let limited = |seconds| {
        adaptive(RunLevel::Normal, |r| {
            let max_duration = Some(Nanos::from_secs(seconds));
            let pace = Adaptive { max_duration, precision: Precision(50), fast: false };
            r.task = Task::searched(r.level(), Pace::Adaptive(pace));
        })
    };
    let text = limited(15).unwrap_err().to_string();
    assert!(text.contains("15 s") && text.contains("9 s") && text.contains("27s"), "{text}");
    let plan = limited(160).unwrap();
    let search = plan.search.as_ref().unwrap();
    assert_eq!(search.share, Some(Nanos::from_secs(64)), "two fifths");
    assert!(search.usual_time() <= Nanos::from_secs(64), "its visits are short enough for it");
    let is_over = |class, at_s: u64, visits| search.is_over(Part::Saturation(class), at_s * NS_PER_S, visits);
    // Large I/O keeps half of its half.
    assert!(is_over(Class::SMALL, 48, 3) && !is_over(Class::SMALL, 47, 3) && !is_over(Class::SMALL, 48, 2));
    assert!(is_over(Class::LARGE, 64, 3) && !is_over(Class::LARGE, 63, 3));
    let unlimited =
        adaptive(RunLevel::Normal, |r| r.task = Task::searched(r.level(), usual())).unwrap().search.unwrap();
    assert!(unlimited.share.is_none() && !unlimited.is_over(Part::Saturation(Class::SMALL), u64::MAX, 500));
    let pace = Adaptive { max_duration: Some(Nanos::from_secs(160)), ..Adaptive::default() };
    let request = Request::of(Task::searched(RunLevel::Normal, Pace::Adaptive(pace)));
    let long_visits = |spent_s| {
        let found =
            plan.with_levels(&request, &searched(Some(4), Some(2), None), Nanos::from_secs(spent_s)).unwrap();
        let adaptive = found.adaptive.unwrap();
        assert_eq!(adaptive.parameters.time_limit_ns, Some(160 * NS_PER_S));
        assert!(found.estimate_minutes <= 3 + 1, "{} for three minutes", found.estimate_minutes);
        adaptive.phases[0].long_visits.iter().map(|long| long.measure_ns).collect::<Vec<_>>()
    };
    assert_eq!(long_visits(0), [20 * NS_PER_S]);
    assert_eq!(long_visits(80), [10 * NS_PER_S]);
    assert!(
        long_visits(159).is_empty() && long_visits(500).is_empty(),
        "no time is left, and that is no error"
    );
}

/// The long visits take an eighth each of whatever limit is given, so what was missing is more than it seems.
#[test]
fn a_limit_that_is_advised_suffices() {
    let limited = |level, write: u8, seconds| {
        adaptive(level, |request| {
            let write = WritePercent::try_from(write).unwrap();
            request.classes.iter_mut().for_each(|class| class.write_percent = write);
            let max_duration = Some(Nanos::from_secs(seconds));
            request.set_pace(Pace::Adaptive(Adaptive { max_duration, ..Adaptive::default() }));
        })
    };
    let mut refused = 0;
    for (level, write) in
        [(RunLevel::Simple, 0), (RunLevel::Simple, 30), (RunLevel::Oltp, 0), (RunLevel::Normal, 20)]
    {
        for seconds in 1..400 {
            let Err(problem) = limited(level, write, seconds) else { break };
            let text = problem.to_string();
            let (_, advised) = text.split_once("allow at least ").unwrap_or_else(|| panic!("{text}"));
            let advised: u64 = advised.split_once('s').unwrap().0.parse().unwrap();
            assert!(
                advised > seconds && limited(level, write, advised).is_ok(),
                "{level:?} {write} {seconds}: {text}"
            );
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}
