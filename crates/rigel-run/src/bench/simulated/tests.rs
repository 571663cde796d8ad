use super::*;
use crate::bench::{Detail, Work};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{Volumes, WarmUp};
use rigel_core::load::volume::Volume;
use rigel_core::load::workload::{LargePattern, Layout, WritePercent};
use rigel_core::units::{NS_PER_MS, NS_PER_S, Nanos, iops};

const SMALL: u32 = 8192;
const LARGE: u32 = 1 << 20;

fn bench(law: SimLaw) -> SimulatedBench {
    let volume = |bytes| Some(Volume::new(&[64 << 20], u64::from(bytes), Layout::Concat).unwrap());
    let workload = Workload {
        small_bytes: SMALL,
        large_bytes: LARGE,
        large_pattern: LargePattern::Random,
        write_percent: WritePercent::default(),
        volumes: Volumes { small: volume(SMALL), large: volume(LARGE), streams: None },
        io_timeout_ns: 60_000_000_000,
        seed: 7,
        stamps: Vec::new(),
        streams_move: false,
    };
    let layout = SlotLayout { small: 40, small_bytes: SMALL, large: 4, large_bytes: LARGE };
    let site = site(HostFacts::default(), vec![TargetFacts::simulated(64 << 20)]);
    SimulatedBench::new(law, workload, layout, site)
}

/// Half a second of settling, two measured; rates of small and large I/Os.
fn visit(bench: &mut SimulatedBench, visit: u64, point: Point) -> [f64; 2] {
    let work = Work::Measure { settle_ns: NS_PER_S / 2, measure_ns: 2 * NS_PER_S, detail: Detail::Window };
    let came = bench.work(&Order { visit, point, work }, &mut |_| true).unwrap();
    came.done.tallies.map(|tally| tally.map_or(0.0, |tally| iops(tally.completed(), 2 * NS_PER_S)))
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
    let point = Point { small: 4, large: 0 };
    let rate = |number, point| visit(&mut bench(law), number, point)[0];
    assert!((rate(1, point) - rate(2, point)).abs() > 1.0, "two visits");
    assert!((rate(1, point) - rate(1, Point { small: 5, large: 0 })).abs() > 1.0, "two points");
    // A level of its own, whatever was visited before.
    let mut after_others = bench(law);
    visit(&mut after_others, 2, Point { small: 9, large: 0 });
    after_others.rest(NS_PER_MS, &mut |_| true);
    assert!((visit(&mut after_others, 1, point)[0] / rate(1, point) - 1.0).abs() < 2e-3);
}

#[test]
fn a_warm_up_is_no_visit() {
    let law = SimLaw::parse("servers=4,service=1ms,rate=0,modes=100%:0.5,startup=-50%:1h").unwrap();
    let point = Point { small: 0, large: 4 };
    let mut bench = bench(law);
    let work = Work::WarmUp(WarmUp::Time(Nanos(NS_PER_S)));
    let done = bench.work(&Order { visit: 0, point, work }, &mut |_| true).unwrap().done;
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
            let rate = visit(&mut bench, round * 18 + index, Point { small, large: 0 })[0];
            sum += rate / law.truth_iops(small, u64::from(SMALL)).unwrap() / 90.0;
            bench.rest(NS_PER_S, &mut |_| true);
        }
    }
    assert!((sum - 1.0).abs() < 0.01, "{sum}");
    let rates = visit(&mut bench, 90, Point { small: 6, large: 4 });
    let truth = law.truth_mixed_iops([6, 4], [u64::from(SMALL), u64::from(LARGE)]).unwrap();
    let share = rates[0] / rates[1] / (truth[0] / truth[1]);
    assert!((share - 1.0).abs() < 0.05, "both classes get their share of one speed: {share}");
}

#[test]
fn both_classes_find_their_truth() {
    for (servers, point) in [(10, Point { small: 6, large: 4 }), (1, Point { small: 7, large: 3 })] {
        let law =
            SimLaw::parse(&format!("servers={servers},service=1ms,rate=1000M,spread=lognormal:30%")).unwrap();
        let found = visit(&mut bench(law), 0, point);
        let sizes = [u64::from(SMALL), u64::from(LARGE)];
        let truth = law.truth_mixed_iops([point.small, point.large], sizes).unwrap();
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
