use super::*;
use rigel_core::judge::answers::{MAX_IOPS, UNBOUNDED_IOPS};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::judge::quantity::Scope;
use rigel_core::load::class::{Arrival, Class, LoadClass, Shape};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::stats::{Estimate, Interval};
use rigel_core::testing::{header, visit};

const SMALL_IOPS: Quantity = Quantity::at_points(What::Rate, Class::SMALL);
const SMALL_LATENCY: Quantity = Quantity::at_points(What::Mean, Class::SMALL);
const SMALL_P99: Quantity = Quantity::at_points(What::P99, Class::SMALL);
const LARGE_MBPS: Quantity = Quantity::at_points(What::Mbps, Class::LARGE);
const MIN_SMALL_LATENCY: Quantity = Quantity::new(Scope::Best, What::Mean, Class::SMALL);

/// A run whose small points 1 to 5 take `latency_us` and whose large ones take 10 ms, all rates known to ±2 % by 8 visits.
fn run(latency_us: u64) -> (Record, Findings) {
    let small = (0..5).map(|step| visit(step, latency_us * 1000));
    let visits = small.chain([visit(5, 10_000_000), visit(6, 10_000_000)]).collect();
    let record = Record { visits, ..Record::begun(header()) };
    let mut findings = Findings::of(&record);
    let known = |found: Estimate| Interval::symmetric(found.value, 0.02, 8, 7.0).unwrap().into();
    for found in &mut findings.points {
        for io in found.ios.values_mut() {
            io.iops = known(io.iops);
            let us = io.latency_us.as_mut().unwrap();
            us.mean = known(us.mean);
        }
    }
    findings.choose(&Request::new(RunLevel::Simple));
    (record, findings)
}

fn of<'a>(run: &'a (Record, Findings)) -> Run<'a> {
    Run { record: &run.0, findings: &run.1 }
}

fn of_metric(comparison: &Comparison, quantity: Quantity) -> Vec<&Row> {
    comparison.rows.iter().filter(|row| row.quantity == quantity).collect()
}

#[test]
fn every_point_is_compared_in_every_quantity() {
    let (base, new) = (run(1000), run(1250));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let iops = of_metric(&found, SMALL_IOPS);
    assert_eq!(iops.len(), 5);
    for row in &iops {
        let change = row.change.unwrap();
        assert!((change.relative + 0.2).abs() < 1e-9, "{row:?}");
        assert_eq!(row.verdict, Effect::Worse);
    }
    assert!(iops.is_sorted_by_key(|row| row.point.unwrap().small()));
    let latency = of_metric(&found, SMALL_LATENCY);
    assert!((latency[0].change.unwrap().relative - 0.25).abs() < 1e-9);
    assert!(latency.iter().all(|row| row.verdict == Effect::Worse), "more latency is worse");
    let large = of_metric(&found, LARGE_MBPS);
    assert!(large.iter().all(|row| row.verdict == Effect::Alike), "{large:?}");
    assert_eq!((large[0].base.value, large.len()), (100.0, 2));
    // Their p99 has no interval, as of one visit.
    assert_eq!(of_metric(&found, SMALL_P99)[0].change, Err(Doubt::NoInterval));
    assert_eq!(
        found.count(|verdict| verdict == Effect::Worse),
        6,
        "5 rates and the highest of them; latencies mirror them"
    );
    assert_eq!((&found.differences, &found.left_out), (&vec![], &vec![]));
}

#[test]
fn the_other_way_round_is_better() {
    let (base, new) = (run(1250), run(1000));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    for metric in [SMALL_IOPS, SMALL_LATENCY] {
        assert!(of_metric(&found, metric).iter().all(|row| row.verdict == Effect::Better), "{metric:?}");
    }
}

#[test]
fn more_points_ask_for_more_evidence() {
    let (base, new) = (run(1000), run(1029));
    let all = Comparison::of(&[of(&base)], &[of(&new)]);
    assert!(of_metric(&all, SMALL_IOPS).iter().all(|row| row.verdict != Effect::Worse));
    // The same change of a single point is one.
    let one = |run: &(Record, Findings)| {
        let mut run = run.clone();
        run.1.points.truncate(1);
        run
    };
    let (base, new) = (one(&base), one(&new));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    assert_eq!(of_metric(&found, SMALL_IOPS)[0].verdict, Effect::Worse);
}

#[test]
fn a_point_with_an_invalid_number_is_not_judged() {
    let (base, mut new) = (run(1000), run(2000));
    new.1.points[2].flags.push(Flag::new(FlagCode::Zeros, "holes").invalidating());
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let iops = of_metric(&found, SMALL_IOPS);
    assert_eq!(iops[2].verdict, Effect::Undecided(Doubt::Invalid));
    assert_eq!(iops[3].verdict, Effect::Worse);
    assert_eq!(found.incomparable().count(), 0, "one point is not the run");
}

#[test]
fn points_that_only_one_side_has_are_left_out() {
    let (base, mut new) = (run(1000), run(1000));
    new.1.points.remove(1);
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    assert_eq!(found.left_out, [Point::pair(2, 0)]);
    assert_eq!(of_metric(&found, SMALL_IOPS).len(), 4);
}

#[test]
fn what_forbids_a_comparison_is_named_first() {
    let (base, mut new) = (run(1000), run(1000));
    new.0.header.nodes.first_mut().host.kernel = "7.0".into();
    new.0.header.run_id = "other".into();
    new.0.header.request.set_size(Class::SMALL, 4096);
    new.0.header.request.set_writes(WritePercent::new(30).unwrap());
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let whats: Vec<(&str, bool)> =
        found.differences.iter().map(|difference| (difference.what, difference.incomparable)).collect();
    assert_eq!(whats, [("size of small I/O", true), ("share of writes", true), ("kernel", false)]);
    let size = &found.differences[0];
    assert_eq!((size.base.as_str(), size.other.as_str(), size.run_id.as_str()), ("8 KiB", "4 KiB", "other"));
}

#[test]
fn another_priority_or_a_virtual_machine_is_a_difference() {
    let ranked = |nice, hypervisor: Option<&str>| {
        let mut run = run(1000);
        let host = &mut run.0.header.nodes.first_mut().host;
        host.priority.nice = nice;
        host.hypervisor = hypervisor.map(str::to_owned);
        run
    };
    let told = |base: &_, new: &_| -> Vec<(&'static str, String, String)> {
        let found = Comparison::of(&[of(base)], &[of(new)]).differences;
        found.into_iter().map(|one| (one.what, one.base, one.other)).collect()
    };
    let usual = ranked(Some(0), None);
    assert_eq!(told(&usual, &ranked(Some(0), None)), []);
    assert_eq!(told(&usual, &ranked(None, None)), [], "nobody knows");
    assert_eq!(told(&usual, &ranked(Some(19), None)), [("priority", "usual".into(), "nice 19".into())]);
    assert_eq!(
        told(&usual, &ranked(Some(0), Some("KVM"))),
        [("virtual machine", "none".into(), "KVM".into())]
    );
}

#[test]
fn flags_that_make_a_whole_run_invalid_forbid() {
    let (base, mut new) = (run(1000), run(1000));
    for found in &mut new.1.points {
        found.flags.push(Flag::new(FlagCode::Cache, "too fast").invalidating());
    }
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let flags = found.incomparable().next().unwrap();
    assert_eq!((flags.base.as_str(), flags.other.as_str()), ("none", "CACHE"));
}

#[test]
fn several_runs_of_a_side_are_pooled() {
    let runs = [run(1000), run(1100), run(1050)];
    let base: Vec<Run<'_>> = runs.iter().map(of).collect();
    let other = [run(2000), run(2100), run(2050)];
    let new: Vec<Run<'_>> = other.iter().map(of).collect();
    let found = Comparison::of(&base, &new);
    let row = of_metric(&found, SMALL_IOPS)[0];
    let change = row.change.unwrap();
    let runs = |side: Estimate| side.interval.unwrap().visits;
    assert_eq!((runs(row.base), runs(row.new), change.rests_on), (3, 3, change::RestsOn::Runs));
    assert_eq!(row.verdict, Effect::Worse);
    assert!(row.base.lo95().unwrap() < row.base.value && row.base.value < row.base.hi95().unwrap());
    assert!(change.lo < -0.5 && change.hi > -0.5, "{change:?}");
}

#[test]
fn the_extremes_are_quantities_of_the_runs() {
    let (base, new) = (run(1000), run(1250));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let best = of_metric(&found, UNBOUNDED_IOPS);
    assert_eq!((best.len(), best[0].point, best[0].base.value), (1, None, 5000.0));
    assert_eq!(best[0].verdict, Effect::Worse);
}

#[test]
fn a_number_that_another_row_tells_is_not_counted_again() {
    let (base, new) = (run(1000), run(1250));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let latency = of_metric(&found, MIN_SMALL_LATENCY)[0];
    let rate = found.repeated_by(latency).unwrap();
    assert_eq!((rate.quantity, rate.point), (SMALL_IOPS, Some(Point::pair(1, 0))));
    assert!(found.shown().all(|row| row.quantity != MIN_SMALL_LATENCY));
    assert!(found.shown().all(|row| row.quantity != SMALL_LATENCY));
    assert_eq!(found.repeated_by(of_metric(&found, UNBOUNDED_IOPS)[0]), None);
    // Another latency than that of the rate, or another verdict on it, is told.
    let changed = |change: fn(&mut Row)| {
        let mut found = found.clone();
        change(found.rows.iter_mut().find(|row| row.quantity == MIN_SMALL_LATENCY).unwrap());
        found.shown().any(|row| row.quantity == MIN_SMALL_LATENCY)
    };
    assert!(changed(|row| row.new.value *= 0.9));
    assert!(changed(|row| row.verdict = Effect::Better));
    // The rate within a bound that does not bind is the highest rate.
    let mut bounded = found.clone();
    let most = of_metric(&found, UNBOUNDED_IOPS)[0].clone();
    bounded.rows.insert(0, Row { quantity: MAX_IOPS, ..most });
    let shown = |found: &Comparison, metric| found.shown().filter(|row| row.quantity == metric).count();
    assert_eq!((shown(&bounded, MAX_IOPS), shown(&bounded, UNBOUNDED_IOPS)), (1, 0));
    bounded.rows[0].new.value *= 0.9;
    assert_eq!((shown(&bounded, MAX_IOPS), shown(&bounded, UNBOUNDED_IOPS)), (1, 1));
}

#[test]
fn a_best_at_a_level_that_only_one_run_was_given_is_not_judged() {
    let (base, mut new) = (run(1000), run(1000));
    // The best of the base is at 5 outstanding.
    new.1.points.retain(|found| found.point != Point::pair(5, 0));
    new.1.choose(&Request::new(RunLevel::Simple));
    let unequal = |base: &(Record, Findings), new: &(Record, Findings), metric| {
        let found = Comparison::of(&[of(base)], &[of(new)]);
        of_metric(&found, metric)[0].verdict == Effect::Undecided(Doubt::UnequalLevels)
    };
    assert!(unequal(&base, &new, UNBOUNDED_IOPS));
    assert!(!unequal(&base, &new, MIN_SMALL_LATENCY), "both have 1 outstanding");
    let searched = |run: &(Record, Findings)| {
        let mut run = run.clone();
        run.0.header.request.task = Task::searched(RunLevel::Simple, Pace::Adaptive(Adaptive::default()));
        run
    };
    assert!(!unequal(&searched(&base), &searched(&new), UNBOUNDED_IOPS), "each found its own best");
    assert!(unequal(&searched(&base), &new, UNBOUNDED_IOPS));
}

/// The same run with its small I/O under another name, as a class of a load file.
fn of_own(run: &(Record, Findings), class: Class) -> (Record, Findings) {
    let mut run = run.clone();
    for found in &mut run.1.points {
        if let Some(mut io) = found.ios.remove(&Class::SMALL) {
            io.load = LoadClass { name: class, ..io.load };
            found.point = Point::alone(class, found.point.small());
            found.ios.insert(class, io);
        }
    }
    run.1.choose(&Request::new(RunLevel::Simple));
    run
}

#[test]
fn classes_of_a_load_file_are_compared_beside_the_pair() {
    let class = Class::constant("oltp");
    let [base, new] = [run(1000), run(1250)].map(|run| of_own(&run, class));
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let names: Vec<String> = found.rows.iter().map(|row| row.quantity.name()).collect();
    for (name, rows) in
        [("oltp_per_s", 5), ("oltp_latency", 5), ("oltp_p99", 5), ("max_oltp_per_s", 1), ("large_mbps", 2)]
    {
        assert_eq!(names.iter().filter(|one| *one == name).count(), rows, "{names:?}");
    }
    let rate = Quantity::at_points(What::Rate, class);
    assert!(of_metric(&found, rate).iter().all(|row| row.verdict == Effect::Worse));
    assert!(found.shown().any(|row| row.quantity == rate), "and listed");
    assert!(found.shown().all(|row| row.quantity.what != What::Mean), "in a closed loop the rate tells it");
    let gated = |gate: &str| gate::Gate::read(gate).unwrap().judge(&found).map(|judged| judged.outcome);
    assert_eq!(gated("oltp_per_s < -5%"), Ok(gate::Outcome::Failed));
    assert_eq!(gated("max_oltp_per_s < -50%"), Ok(gate::Outcome::Passed));
    let problem = gated("small_iops < -5%").unwrap_err().to_string();
    assert!(problem.contains("the runs have") && problem.contains("max_oltp_per_s"), "{problem}");
}

/// Levels that only one run has leave a gate on any class open, and not one on a quantity of the run.
#[test]
fn levels_that_were_left_out_count_for_every_class() {
    let class = Class::constant("oltp");
    let [base, mut new] = [run(1000), run(1000)].map(|run| of_own(&run, class));
    new.1.points.remove(1);
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let judged = |gate: &str| gate::Gate::read(gate).unwrap().judge(&found).unwrap();
    assert_eq!(judged("oltp_per_s < -50%").unseen, [Point::alone(class, 2)]);
    assert_eq!(judged("oltp_per_s < -50%").outcome, gate::Outcome::Undecided);
    assert_eq!(judged("max_oltp_per_s < -50%").unseen, []);
}

/// In an open loop the rate is given, and the latency is what one asks for.
#[test]
fn of_an_open_loop_the_latency_is_shown_and_not_the_rate() {
    let class = Class::constant("open");
    let opened = |run: (Record, Findings)| {
        let mut run = of_own(&run, class);
        for io in run.1.points.iter_mut().filter_map(|found| found.ios.get_mut(&class)) {
            io.load.arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
        }
        run
    };
    let [base, new] = [run(1000), run(1250)].map(opened);
    let found = Comparison::of(&[of(&base)], &[of(&new)]);
    let is_shown = |what| found.shown().any(|row| row.quantity == Quantity::at_points(what, class));
    assert_eq!([What::Rate, What::Mean, What::P99].map(is_shown), [false, true, true]);
}
