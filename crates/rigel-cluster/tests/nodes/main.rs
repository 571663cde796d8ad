//! Nodes in threads: whole orders and runs over the line between them, with slow ways, other clocks and nodes that fall silent.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod fake;

use fake::{Fake, Trouble};
use rigel_cluster::line::Pace as Look;
use rigel_cluster::meet::Call;
use rigel_cluster::message::Message;
use rigel_cluster::{Cluster, ClusterBench, Line, serve};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::{Class, PerClass};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::team::Team;
use rigel_core::record::{Line as Written, Member, NodeVisit, Purpose, Record, Visit, write_line};
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_MS, NS_PER_S, Nanos};
use rigel_run::bench::make::{self, Start};
use rigel_run::bench::{Bench, BenchMessage, Detail, Order, RunPast, Site, VisitResult, Work};
use rigel_run::execute::{Beginning, Outcome, Run, execute};
use rigel_run::job::Stop;
use rigel_run::journal::Memory;
use rigel_run::wall::Wall;
use std::collections::VecDeque;
use std::time::Duration;

const HOUR_NS: u64 = 3600 * NS_PER_S;

fn targets() -> Vec<TargetFacts> {
    vec![TargetFacts::simulated(1 << 30)]
}

fn run_of(engine: EngineRequest, disks: u32) -> Run {
    let mut request = Request::new(RunLevel::Simple);
    request.engine = engine;
    request.seed = 11;
    request.set_pace(Pace::Fixed(Nanos::from_secs(2)));
    request.num_disks = Some(disks);
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    let plan = Plan::new(&request, &host, &targets()).unwrap();
    Run { program_version: "test".into(), run_id: "nodes_20260101_1200".into(), request, plan }
}

/// 4 stations of 1 ms on each node, no transfer time.
fn simulated() -> EngineRequest {
    EngineRequest::Sim(SimLaw { bytes_per_s: None, ..SimLaw::default() })
}

fn team(nodes: usize) -> Team {
    Team { shares: vec![1; nodes], process: Some(1), ..Team::default() }
}

/// The bench of a node, whose clock is so many hours ahead.
fn own(run: &Run, team: &Team, hours: u64) -> Box<dyn Bench> {
    let host = HostFacts { cpus: 2, kernel: format!("node-{}", team.node), ..HostFacts::default() };
    let start = Start { run_ns: hours * HOUR_NS, settled: &PerClass::new(), team, engine: None };
    make::bench(run, host, targets(), &[], start).unwrap()
}

fn member(rank: usize) -> Member {
    let targets = vec![u16::try_from(rank).unwrap()];
    Member { name: format!("db{rank}"), share: 1, targets, own: Vec::new() }
}

fn line(fake: Fake, rank: usize) -> Line {
    Line::new(Box::new(fake), format!("db{rank}"), "test")
}

/// Runs `lead` on the first of so many nodes, the others serve; each clock is an hour ahead of the one before.
fn on<T: Send>(nodes: usize, trouble: Trouble, run: &Run, lead: impl Fn(ClusterBench) -> T + Sync) -> T {
    made_on(nodes, trouble, run, |bench| lead(bench.unwrap()))
}

/// The same where the bench may not come about.
fn made_on<T: Send>(
    nodes: usize,
    trouble: Trouble,
    run: &Run,
    lead: impl Fn(Result<ClusterBench, Problem>) -> T + Sync,
) -> T {
    let all = team(nodes);
    let ended = fake::run(nodes, trouble, |fake| {
        let rank = fake.rank();
        let line = line(fake, rank);
        let team = all.seen_by(u32::try_from(rank).unwrap());
        let mut bench = own(run, &team, rank as u64);
        if rank > 0 {
            // A node that is cut off ends as well, and has nobody to tell it to.
            let _ = serve(&line, bench.as_mut());
            return None;
        }
        let site = |rank: usize| Site {
            nodes: bench.site().nodes.clone(),
            targets: vec![TargetFacts::simulated((rank as u64 + 1) << 20)],
        };
        let sites = (0..nodes).map(|rank| Some(site(rank))).collect();
        let targets = (0..nodes).flat_map(|rank| site(rank).targets).collect();
        let parts = (run.request.clone(), all.clone());
        let members = (0..nodes).map(member).collect();
        Some(lead(ClusterBench::new(line, Some(bench), parts, sites, members, targets, 0)))
    });
    ended.into_iter().flatten().next().unwrap()
}

fn measure(point: Point, detail: Detail) -> Order {
    let work = Work::Measure { settle_ns: NS_PER_S / 10, measure_ns: NS_PER_S / 2, detail };
    Order { visit: 3, point, work, at_ns: None, shape: None }
}

/// What the same nodes do one after the other in one process.
fn in_one_process(run: &Run, nodes: usize, order: &Order) -> VisitResult {
    let all = team(nodes);
    let one = |node| {
        let order = Order { at_ns: Some(0), ..*order };
        own(run, &all.seen_by(node), 0).work(&order, &mut |_| true).unwrap()
    };
    let mut each = (0..u32::try_from(nodes).unwrap()).map(one);
    let mut sum = each.next().unwrap();
    each.for_each(|came| sum.add(came));
    sum
}

#[test]
fn many_nodes_add_up_to_what_one_process_counts_bit_for_bit() {
    let run = run_of(simulated(), 8);
    for detail in [Detail::Window, Detail::Settling, Detail::Every(NS_PER_S / 10)] {
        let order = measure(Point::pair(13, 3), detail);
        let came = on(5, Trouble::default(), &run, |mut bench| bench.work(&order, &mut |_| true).unwrap());
        let reference = in_one_process(&run, 5, &order);
        assert_eq!(came.done, reference.done, "{detail:?}");
        assert_eq!(came.done.tallies[&Class::SMALL].planned, 13);
        let planned = |node: &NodeVisit| node.joined.as_ref().unwrap().counted[&Class::SMALL].planned;
        assert_eq!(came.nodes.iter().map(planned).collect::<Vec<_>>(), [3, 3, 3, 2, 2]);
        let ops: u64 =
            came.nodes.iter().map(|node| node.joined.as_ref().unwrap().counted[&Class::SMALL].ops).sum();
        assert_eq!(ops, came.done.tallies[&Class::SMALL].completed());
    }
}

fn record_of(run: &Run, bench: &mut dyn Bench) -> Record {
    let mut memory = Memory::default();
    let outcome =
        execute(run, Beginning::new(Wall::simulated(0)), bench, &mut memory, &Stop::default(), &mut |_| {});
    assert_eq!(outcome.unwrap(), Outcome::Complete);
    memory.into_record().unwrap()
}

#[test]
fn so_many_nodes_give_so_many_times_the_rate_and_one_record() {
    let run = run_of(simulated(), 4);
    let record = on(4, Trouble::default(), &run, |mut bench| record_of(&run, &mut bench));
    assert_eq!(record.header.nodes.all().len(), 4);
    assert_eq!(record.header.nodes.all()[2].member.as_ref().unwrap().name, "db2");
    let rate = |outstanding: u32| {
        let visit = record.visits.iter().find(|visit| visit.point == Point::pair(outstanding, 0)).unwrap();
        rigel_core::units::iops(visit.tallies[&Class::SMALL].completed(), visit.measured_ns)
    };
    for (outstanding, thousands) in [(1, 1.0), (4, 4.0), (16, 16.0), (20, 16.0)] {
        let rate = rate(outstanding);
        assert!((rate / 1000.0 / thousands - 1.0).abs() < 0.01, "{outstanding}: {rate}");
    }
}

/// A thousand nodes without a thread each: what is asked of one is answered at once.
struct Thousand {
    run: Run,
    answers: VecDeque<(usize, Vec<u8>)>,
}

impl Cluster for Thousand {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1000
    }

    fn send(&mut self, to: usize, bytes: &[u8], _patience: Option<Duration>) -> Result<(), Problem> {
        if let (Message::Do(order), ..) = Message::decode(bytes, "test", 0, "")? {
            let team = team(1000).seen_by(u32::try_from(to).unwrap());
            let came = own(&self.run, &team, 0).work(&order, &mut |_| true);
            let bytes = Message::Came(Box::new(came)).encode("test", &format!("db{to}"), 0).unwrap();
            self.answers.push_back((to, bytes));
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem> {
        Ok(self.answers.pop_front())
    }
}

#[test]
fn a_thousand_nodes_are_one_line_of_the_record() {
    let run = run_of(simulated(), 400);
    let order = measure(Point::pair(2000, 0), Detail::Settling);
    let thousand = Thousand { run: run.clone(), answers: VecDeque::new() };
    let first = own(&run, &team(1000), 0);
    let sites = vec![Some(first.site().clone()); 1000];
    let members = (0..1000).map(|rank| Member { targets: vec![0], ..member(rank) }).collect();
    let line = Line::new(Box::new(thousand), "db0".to_owned(), "test");
    let parts = (run.request.clone(), team(1000));
    let mut bench = ClusterBench::new(line, Some(first), parts, sites, members, targets(), 0).unwrap();
    let began = std::time::Instant::now();
    let came = bench.work(&order, &mut |_| true).unwrap();
    let took = began.elapsed();
    assert_eq!((came.nodes.len(), came.done.tallies[&Class::SMALL].planned), (1000, 2000));
    let visit = Visit {
        step: 0,
        number: 0,
        purpose: Purpose::Round(0),
        point: order.point,
        began_ns: 0,
        settle_ns: 0,
        measured_ns: NS_PER_S / 2,
        cut_short: false,
        warm_up: None,
        worker_cpu_ns: None,
        busiest_worker_cpu_ns: None,
        loaded_ns: 0,
        ios: Some(came.done.ios),
        hung: None,
        nodes: came.nodes,
        tallies: came.done.tallies,
    };
    let bytes = write_line(&Written::Visit(Box::new(visit))).unwrap().len();
    println!("1,000 nodes: a visit and its merge took {took:?}, its line has {bytes} bytes");
    assert!(bytes < 2_000_000, "{bytes} bytes");
}

#[test]
fn clocks_hours_apart_and_slow_ways_make_one_window() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    let trouble = Trouble { delay: Duration::from_millis(3), ..Trouble::default() };
    let order = measure(Point::pair(8, 0), Detail::Every(NS_PER_S / 10));
    let (came, began_ns, parts) = on(3, trouble, &run, |mut bench| {
        let mut parts = Vec::new();
        let began_ns = bench.now_ns();
        let came = bench.work(&order, &mut |heard| {
            if let BenchMessage::Part(part) = heard {
                parts.push((
                    part.window.start_ns,
                    part.window.span_ns(),
                    part.tallies[&Class::SMALL].completed(),
                ));
            }
            true
        });
        (came.unwrap(), began_ns, parts)
    });
    let start_ns = came.began_ns + NS_PER_S / 10;
    assert_eq!(
        came.done.window_end_ns,
        start_ns + NS_PER_S / 2,
        "the same window on all, in the time of the run"
    );
    // Four ways there and back are waited for.
    assert!(came.began_ns >= began_ns + 4 * 6 * NS_PER_MS && came.ended_ns < began_ns + HOUR_NS / 2);
    let starts: Vec<u64> = (0..5).map(|part| start_ns + part * NS_PER_S / 10).collect();
    assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), starts);
    let ops: u64 = parts.iter().map(|part| part.2).sum();
    assert_eq!(ops, came.done.tallies[&Class::SMALL].completed());
    for (hours, node) in (0u64..).zip(&came.nodes) {
        let joined = node.joined.as_ref().unwrap();
        let off = joined.clock_ahead_ns.abs_diff((hours * HOUR_NS).cast_signed());
        // What the threads took to make their benches lies between the clocks, too.
        assert!(off < 60 * NS_PER_S, "{hours}: {off}");
        assert!(hours == 0 || joined.round_trip_ns >= 6 * NS_PER_MS);
        assert!(joined.counted[&Class::SMALL].ops > 0);
    }
}

#[test]
fn an_early_end_is_the_same_moment_for_all() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    let work = Work::Measure { settle_ns: NS_PER_MS, measure_ns: HOUR_NS, detail: Detail::Window };
    let order = Order { visit: 0, point: Point::pair(9, 0), work, at_ns: None, shape: None };
    let came = on(3, Trouble::default(), &run, |mut bench| {
        let mut ticks = 0;
        let came = bench.work(&order, &mut |_| {
            ticks += 1;
            ticks < 3
        });
        came.unwrap()
    });
    assert!(came.done.stopped && came.done.window_end_ns < came.began_ns + HOUR_NS);
    let series: Vec<usize> = came.done.tallies.values().map(|tally| tally.series.ops.len()).collect();
    assert!(series[0] < 1000, "{series:?}");
    assert!(came.nodes.iter().all(|node| node.joined.as_ref().unwrap().counted[&Class::SMALL].planned == 3));
}

/// Neither reads what the other says, but each sees which version it has.
#[test]
fn another_version_is_refused_at_once_with_both_nodes() {
    let ended = fake::run(2, Trouble::default(), |fake| {
        let rank = fake.rank();
        let version = ["1.2.3", "1.2.4"][rank];
        let line = Line::new(Box::new(fake), format!("db{rank}"), version);
        let longest = Duration::from_secs(60);
        if rank == 0 {
            line.tell_all(|_| Message::Call(Box::new(Call { again: None }))).unwrap();
            return line.gather(longest, "at all", |_, message| Ok(message)).err();
        }
        let problem = line.wait(longest, Look::Easy).unwrap_err();
        line.not_understood(0, problem.clone()).unwrap();
        Some(problem)
    });
    let problems: Vec<Problem> = ended.into_iter().flatten().collect();
    assert_eq!(
        problems.iter().map(|problem| &*problem.what).collect::<Vec<_>>(),
        [
            "node 1 (db1) has Rigel 1.2.4, but node 0 (db0) has 1.2.3",
            "node 0 (db0) has Rigel 1.2.3, but node 1 (db1) has 1.2.4",
        ]
    );
    assert!(problems.iter().all(|problem| problem.kind == ExitKind::Refused));
}

/// There is nothing to go on with before the first order.
#[test]
fn only_a_run_with_a_record_is_said_to_go_on() {
    let next = |message: Message| {
        let ended = fake::run(2, Trouble::default(), |fake| {
            if fake.rank() == 1 {
                return None;
            }
            let line = line(fake, 0);
            line.send(1, &message).unwrap();
            line.gather(Duration::ZERO, "at all", |_, message| Ok(message)).unwrap_err().next
        });
        ended.into_iter().flatten().next().unwrap()
    };
    assert_eq!(next(Message::Ping), "check that host; start a new run");
    let order = measure(Point::pair(8, 0), Detail::Window);
    assert!(next(Message::Do(order)).ends_with("`rigel-mpi run --resume RECORD` completes the run"));
}

#[test]
fn a_node_that_falls_silent_is_named() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    // It answers the pings, and is gone then.
    let trouble = Trouble { silent: Some((2, 51)), ..Trouble::default() };
    let order = measure(Point::pair(8, 0), Detail::Window);
    let (first, second) = on(3, trouble, &run, |mut bench| {
        let first = bench.work(&order, &mut |_| true);
        (first.err(), bench.work(&order, &mut |_| true).err())
    });
    let problem = first.or(second).unwrap();
    assert_eq!(problem.kind, ExitKind::CutShort);
    assert!(problem.what.starts_with("node 2 (db2) has not answered for 6"), "{}", problem.what);
    assert!(problem.next.unwrap().contains("--resume"));
}

/// MPI loses none. Were it otherwise, no number would be wrong for it, and nobody would wait for ever.
#[test]
fn a_message_that_is_lost_ends_the_run_whichever_it_is() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    let order = measure(Point::pair(8, 0), Detail::Every(NS_PER_S / 10));
    // An answer about the clock; the first words about the load; an interval or a word that it goes on. Of the first node: a question about
    // the clock, the order, and a word that it goes on.
    let lost = [(1, 3), (1, 50), (1, 52), (0, 7), (0, 50), (0, 52)];
    std::thread::scope(|scope| {
        for lost in lost {
            let (run, order) = (&run, &order);
            scope.spawn(move || {
                let trouble = Trouble { lost: Some(lost), ..Trouble::default() };
                let problem =
                    made_on(2, trouble, run, |bench| bench?.work(order, &mut |_| true)).unwrap_err();
                assert_eq!(problem.kind, ExitKind::CutShort, "{lost:?}: {problem}");
                let named = ["a message from node 1 (db1) was lost", "node 1 (db1) has not answered for "];
                // It may not have said yet what it is called.
                let is_named = named
                    .iter()
                    .any(|text| problem.what.replace("node 1 has", "node 1 (db1) has").starts_with(text));
                assert!(is_named, "{lost:?}: {}", problem.what);
            });
        }
    });
}

/// A first node of an order that another one answers as it likes.
fn answered(run: &Run, answer: impl Fn(Order, &Line) -> Result<VisitResult, Problem> + Sync) -> Problem {
    let all = team(2);
    let ended = fake::run(2, Trouble::default(), |fake| {
        let rank = fake.rank();
        let line = line(fake, rank);
        if rank == 1 {
            while let Some((_, message)) = line.wait(Duration::from_secs(60), Look::Easy).unwrap() {
                match message {
                    Message::Ping => line.send(0, &Message::Pong(0)).unwrap(),
                    Message::Do(order) => {
                        line.send(0, &Message::Came(Box::new(answer(order, &line)))).unwrap();
                    }
                    Message::End => break,
                    _ => {}
                }
            }
            return None;
        }
        let bench = own(run, &all, 0);
        let sites = vec![Some(bench.site().clone()), Some(bench.site().clone())];
        let parts = (run.request.clone(), all.clone());
        let members = vec![member(0), member(0)];
        let mut bench = ClusterBench::new(line, Some(bench), parts, sites, members, targets(), 0).unwrap();
        bench.work(&measure(Point::pair(4, 0), Detail::Window), &mut |_| true).err()
    });
    ended.into_iter().flatten().next().unwrap()
}

#[test]
fn what_another_node_says_is_checked() {
    let run = run_of(simulated(), 2);
    let honest = |order: Order| own(&run, &team(2).seen_by(1), 0).work(&order, &mut |_| true).unwrap();
    let told = answered(&run, |order, _| {
        let mut came = honest(order);
        came.done.window_end_ns += 1;
        Ok(came)
    });
    assert!(told.what.contains("node 1 (db1) reported something impossible: its window"), "{}", told.what);
    let told = answered(&run, |order, _| {
        let mut came = honest(order);
        let tally = came.done.tallies[&Class::SMALL].clone();
        came.done.tallies.insert(Class::LARGE, tally);
        Ok(came)
    });
    assert!(told.what.contains("does not have the class large"), "{}", told.what);
    let told = answered(&run, |order, _| {
        let mut came = honest(order);
        came.done.tallies.get_mut(&Class::SMALL).unwrap().series.ops.pop();
        Ok(came)
    });
    assert!(told.what.contains("latency_sum_ns"), "{}", told.what);
    let told = answered(&run, |_, _| Err(Problem::refused("the disk is on fire").at("/dev/sdx")));
    assert_eq!((told.kind, told.place.as_deref()), (ExitKind::Refused, Some("/dev/sdx on node 1 (db1)")));
}

#[test]
fn the_past_is_told_to_all() {
    let law = SimLaw::parse("servers=4,service=1ms,rate=0,modes=100%:0.5").unwrap();
    let run = run_of(EngineRequest::Sim(law), 2);
    let (passed, now_ns) = on(3, Trouble::default(), &run, |mut bench| {
        let passed = bench.pass(5 * NS_PER_S, RunPast::Visit);
        let came = bench.work(&measure(Point::pair(3, 0), Detail::Window), &mut |_| true).unwrap();
        (passed, came.began_ns)
    });
    assert_eq!((passed, now_ns), (true, 5 * NS_PER_S));
}

/// What hears an interval writes it to a disk, which may be slow: no node takes the first one for lost.
#[test]
fn a_slow_disk_of_the_first_node_ends_no_run() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    // The load goes on for longer than the disk takes.
    let work = Work::Measure {
        settle_ns: NS_PER_MS,
        measure_ns: 14 * NS_PER_S,
        detail: Detail::Every(2 * NS_PER_S),
    };
    let order = Order { work, ..measure(Point::pair(8, 0), Detail::Window) };
    let (came, heard) = on(3, Trouble::default(), &run, |mut bench| {
        let mut heard = 0;
        let came = bench.work(&order, &mut |what| {
            if matches!(what, BenchMessage::Part(_)) {
                heard += 1;
                // Longer than a node waits for a sign of life of the first one.
                std::thread::sleep(Duration::from_secs(if heard == 1 { 9 } else { 0 }));
            }
            true
        });
        (came.unwrap(), heard)
    });
    assert_eq!((came.nodes.len(), heard), (3, 7));
}

/// Of a node that is lost nothing more is known. What the others saw until then is, and may be wrong blocks. Nobody is silent while the first node itself
/// does not listen.
#[test]
fn what_the_others_saw_is_told_when_a_node_is_lost() {
    let run = run_of(EngineRequest::Only(EngineKind::Null), 2);
    // It answers the pings and hands over an interval.
    let trouble = Trouble { silent: Some((2, 51)), ..Trouble::default() };
    let work = Work::Measure {
        settle_ns: NS_PER_MS,
        measure_ns: 60 * NS_PER_S,
        detail: Detail::Every(NS_PER_S / 10),
    };
    let order = Order { work, ..measure(Point::pair(8, 0), Detail::Window) };
    let (problem, parts) = on(3, trouble, &run, |mut bench| {
        let mut parts = Vec::new();
        let mut slept = false;
        let problem = bench.work(&order, &mut |what| {
            if let BenchMessage::Part(part) = what {
                parts.push((part.window.start_ns, part.tallies[&Class::SMALL].planned));
                if !std::mem::replace(&mut slept, true) {
                    // Longer than a node may be silent.
                    std::thread::sleep(Duration::from_secs(7));
                }
            }
            true
        });
        (problem.unwrap_err(), parts)
    });
    assert!(problem.what.starts_with("node 2 (db2) has not answered for 6."), "{}", problem.what);
    // 8 outstanding in all; without the lost node 3 and 3.
    let of_two = parts.iter().filter(|(_, planned)| *planned < 8).count();
    assert!(of_two > 10, "{of_two} intervals of {}", parts.len());
    assert!(parts.windows(2).all(|two| two[0].0 < two[1].0), "in order of time");
}

/// It opens nothing, and nothing is asked of it.
#[test]
fn a_node_without_a_share_hears_nothing_before_the_end() {
    let run = run_of(simulated(), 4);
    let all = Team { shares: vec![1, 0, 1], ..team(3) };
    let ended = fake::run(3, Trouble::default(), |fake| {
        let rank = fake.rank();
        let line = line(fake, rank);
        if rank == 1 {
            let told = line.wait(Duration::from_secs(60), Look::Easy).unwrap();
            assert!(matches!(told, Some((0, Message::End))), "{told:?}");
            return None;
        }
        let mut bench = own(&run, &all.seen_by(u32::try_from(rank).unwrap()), 0);
        if rank == 2 {
            serve(&line, bench.as_mut()).unwrap();
            return None;
        }
        let site = bench.site().clone();
        let sites = vec![Some(site.clone()), None, Some(site)];
        let members = (0..3)
            .map(|rank| Member { share: u32::from(rank != 1), targets: vec![0], ..member(rank) })
            .collect();
        let parts = (run.request.clone(), all.clone());
        let mut bench = ClusterBench::new(line, Some(bench), parts, sites, members, targets(), 0).unwrap();
        assert!(bench.pass(0, RunPast::Visit) && bench.drives().is_none());
        let came = bench.work(&measure(Point::pair(4, 0), Detail::Window), &mut |_| true).unwrap();
        Some((bench.site().clone(), came))
    });
    let (site, came) = ended.into_iter().flatten().next().unwrap();
    let names: Vec<&str> = site.nodes.all().iter().map(|node| &*node.member.as_ref().unwrap().name).collect();
    assert_eq!(names, ["db0", "db2"]);
    let planned = |node: &NodeVisit| node.joined.as_ref().unwrap().counted[&Class::SMALL].planned;
    assert_eq!(came.nodes.iter().map(planned).collect::<Vec<_>>(), [2, 2]);
}
