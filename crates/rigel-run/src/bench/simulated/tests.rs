use super::*;
use crate::bench::{Detail, Work};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::plan::WarmUp;
use rigel_core::load::request::Request;
use rigel_core::units::{NS_PER_MS, NS_PER_S, Nanos, iops};

const SMALL: u32 = 8192;
const LARGE: u32 = 1 << 20;

fn bench(law: SimLaw) -> SimulatedBench {
    let request = Request { seed: 7, ..Request::new(RunLevel::Simple) };
    let workload = Workload::new(&request, &[TargetFacts::simulated(64 << 20)]).unwrap();
    let layout = SlotLayout::of(&[(40, SMALL), (4, LARGE)]);
    let site = site(HostFacts::default(), vec![TargetFacts::simulated(64 << 20)]);
    SimulatedBench::new(law, workload, layout, site)
}

/// Half a second of settling, two measured; rates of small and large I/Os.
fn visit(bench: &mut SimulatedBench, visit: u64, point: Point) -> [f64; 2] {
    let work = Work::Measure { settle_ns: NS_PER_S / 2, measure_ns: 2 * NS_PER_S, detail: Detail::Window };
    let came = bench.work(&Order { visit, point, work, at_ns: None, shape: None }, &mut |_| true).unwrap();
    let rate =
        |class| came.done.tallies.get(&class).map_or(0.0, |tally| iops(tally.completed(), 2 * NS_PER_S));
    [Class::SMALL, Class::LARGE].map(rate)
}

#[test]
fn resting_lets_virtual_time_pass_at_once() {
    let mut bench = bench(SimLaw::default());
    bench.rest(20 * NS_PER_S, &mut |_| true);
    assert_eq!(bench.now_ns(), 20 * NS_PER_S);
}

#[test]
fn the_device_knows_visits_and_points() {
    let law = SimLaw::parse("servers=4,service=1ms,rate=0,between=10%").unwrap();
    let point = Point::pair(4, 0);
    let rate = |number, point| visit(&mut bench(law), number, point)[0];
    assert!((rate(1, point) - rate(2, point)).abs() > 1.0, "two visits");
    assert!((rate(1, point) - rate(1, Point::pair(5, 0))).abs() > 1.0, "two points");
    // A level of its own, whatever was visited before.
    let mut after_others = bench(law);
    visit(&mut after_others, 2, Point::pair(9, 0));
    after_others.rest(NS_PER_MS, &mut |_| true);
    assert!((visit(&mut after_others, 1, point)[0] / rate(1, point) - 1.0).abs() < 2e-3);
}

#[test]
fn a_warm_up_is_no_visit() {
    let law = SimLaw::parse("servers=4,service=1ms,rate=0,modes=100%:0.5,startup=-50%:1h").unwrap();
    let point = Point::pair(0, 4);
    let mut bench = bench(law);
    let work = Work::WarmUp(WarmUp::Time(Nanos(NS_PER_S)));
    let done =
        bench.work(&Order { visit: 0, point, work, at_ns: None, shape: None }, &mut |_| true).unwrap().done;
    assert!((4000..=4008).contains(&(done.bytes >> 20)), "{}: as fast as the law", done.bytes >> 20);
    assert!((visit(&mut bench, 0, point)[1] / 2000.0 - 1.0).abs() < 0.01, "half as fast");
}

/// 18 points, five visits each: the mean of all visits is the truth. Its standard deviation is that of 90 visits
/// of 2 % and of the slow changes, sd sqrt(2 tau / T) within and less over 90 visits: in all below 0.3 %.
#[test]
fn a_whole_run_finds_the_truth() {
    let law = SimLaw::parse(
        "servers=10,service=2ms,rate=1000M,spread=lognormal:30%,noise=ar:1s:5%,white=3%,between=2%",
    )
    .unwrap();
    let levels = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40];
    let mut bench = bench(law);
    let mut sum = 0.0;
    for round in 0..5 {
        for (index, &small) in (0..).zip(&levels) {
            let rate = visit(&mut bench, round * 18 + index, Point::pair(small, 0))[0];
            sum += rate / law.truth_iops(small, u64::from(SMALL)).unwrap() / 90.0;
            bench.rest(NS_PER_S, &mut |_| true);
        }
    }
    assert!((sum - 1.0).abs() < 0.01, "{sum}");
    let rates = visit(&mut bench, 90, Point::pair(6, 4));
    let truth = law.truth_mixed_iops([6, 4], [u64::from(SMALL), u64::from(LARGE)]).unwrap();
    let share = rates[0] / rates[1] / (truth[0] / truth[1]);
    assert!((share - 1.0).abs() < 0.05, "both classes get their share of one speed: {share}");
}

#[test]
fn both_classes_find_their_truth() {
    for (servers, point) in [(10, Point::pair(6, 4)), (1, Point::pair(7, 3))] {
        let law =
            SimLaw::parse(&format!("servers={servers},service=1ms,rate=1000M,spread=lognormal:30%")).unwrap();
        let found = visit(&mut bench(law), 0, point);
        let sizes = [u64::from(SMALL), u64::from(LARGE)];
        let truth = law.truth_mixed_iops([point.small(), point.large()], sizes).unwrap();
        for (found, truth) in found.into_iter().zip(truth) {
            // Services of 30 % spread: 4 x 0.3 / sqrt(count), and the I/Os at the edges.
            let tolerance = 1.2 / (2.0 * truth).sqrt() + 2.0 / truth;
            assert!(
                (found / truth - 1.0).abs() < tolerance,
                "{servers} stations: {found} instead of {truth}"
            );
        }
    }
}
