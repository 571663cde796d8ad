use super::*;
use crate::bench::{Detail, Work};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::sides::Sides;
use rigel_core::load::workload::Direction;
use rigel_core::measure::HungIo;
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_S, iops};

fn law(text: &str) -> EngineRequest {
    EngineRequest::Sim(SimLaw::parse(text).unwrap())
}

fn load() -> Point {
    Point::alone(Class::SMALL, 4)
}

fn bench(a: &str, b: &str) -> Turns {
    let sides = Sides { targets_of_a: 1, engine: law(b), buffered: false };
    let pace = Pace::Adaptive(Adaptive::default());
    let plain = Request { engine: law(a), seed: 5, ..Request::new(RunLevel::Oltp).paced(pace) };
    let request = plain.in_turns(&[load()], sides).unwrap();
    let (host, targets) = (HostFacts { cpus: 1, ..HostFacts::default() }, request.simulated_targets());
    let plan = Plan::new(&request, &host, &targets).unwrap();
    Turns::simulated(&request, &plan, &host, &targets, &Team::default()).unwrap()
}

fn order(side: Side, visit: u64) -> Order {
    let work = Work::Measure { settle_ns: NS_PER_S / 10, measure_ns: NS_PER_S, detail: Detail::Window };
    Order { visit, point: load().on(side), work, at_ns: None, shape: None }
}

fn rate(bench: &mut Turns, side: Side, visit: u64) -> f64 {
    let came = bench.work(&order(side, visit), &mut |_| true).unwrap();
    assert_eq!(came.done.tallies.len(), 1, "the class of the side alone");
    came.done.tallies.values().map(|tally| iops(tally.completed(), NS_PER_S)).sum()
}

#[test]
fn each_side_has_its_own_device_and_both_have_one_time() {
    let mut bench = bench("servers=4,service=1ms,rate=0", "servers=4,service=2ms,rate=0");
    assert_eq!((bench.site().targets.len(), bench.site().nodes.all().len()), (2, 1));
    for visit in 0..4 {
        let began_ns = bench.now_ns();
        let a = rate(&mut bench, Side::A, visit);
        let between_ns = bench.now_ns();
        let b = rate(&mut bench, Side::B, visit);
        assert!((a - 4000.0).abs() < 10.0 && (b - 2000.0).abs() < 10.0, "{a} {b}");
        assert!(between_ns >= began_ns + NS_PER_S && bench.now_ns() >= between_ns + NS_PER_S);
        assert_eq!((bench.a.now_ns(), bench.b.now_ns()), (bench.now_ns(), bench.now_ns()));
    }
    bench.rest(NS_PER_S, &mut |_| true);
    assert_eq!(bench.a.now_ns(), bench.b.now_ns());
    let neither = Order { point: load(), ..order(Side::A, 9) };
    assert!(bench.work(&neither, &mut |_| true).is_err());
}

#[test]
fn what_disturbs_a_disturbs_b_at_the_same_time_and_no_time_of_service_is_the_same() {
    // Half as fast after 3 s.
    let fall = "servers=4,service=1ms,rate=0,fall=0.5:3s";
    let mut bench = bench(fall, fall);
    assert!((rate(&mut bench, Side::A, 0) - 4000.0).abs() < 10.0);
    assert!((rate(&mut bench, Side::B, 1) - 4000.0).abs() < 10.0);
    bench.rest(NS_PER_S, &mut |_| true);
    assert!((rate(&mut bench, Side::B, 2) - 2000.0).abs() < 10.0, "B had not used up the time before");
    let drawn = "servers=4,service=1ms,rate=0,spread=exponential";
    let first = |side| rate(&mut self::bench(drawn, drawn), side, 0);
    assert!((first(Side::A) - first(Side::B)).abs() > 1.0, "{} {}", first(Side::A), first(Side::B));
}

#[test]
fn a_run_that_goes_on_relives_a_visit_where_one_of_both_remembers() {
    let steady = "servers=4,service=1ms,rate=0";
    for (b, passes) in [(steady, true), ("servers=4,service=1ms,rate=0,bucket=1000:500", false)] {
        let mut bench = bench(steady, b);
        assert_eq!(bench.pass(NS_PER_S, RunPast::Visit), passes, "{b}");
        assert_eq!(bench.now_ns(), if passes { NS_PER_S } else { 0 });
        assert!(bench.pass(2 * NS_PER_S, RunPast::Rest));
        assert_eq!((bench.a.now_ns(), bench.b.now_ns()), (2 * NS_PER_S, 2 * NS_PER_S));
    }
}

#[test]
fn targets_of_b_are_numbered_behind_those_of_a() {
    let mut bench = bench("servers=4,service=1ms", "servers=4,service=1ms");
    let mut came = bench.work(&order(Side::B, 0), &mut |_| true).unwrap();
    let hung =
        HungIo { target: 1, offset: 0, direction: Direction::Read, age_ns: 1, count: 1, taken_back: true };
    came.done.hung = Some(hung);
    came.retell(&|target| target.saturating_add(3), &|ns| ns);
    assert_eq!(came.done.hung.unwrap().target, 4);
}
