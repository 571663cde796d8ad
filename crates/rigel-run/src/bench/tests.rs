//! Workers of the engine `sync`: each outstanding I/O of a point has one, and a worker has one at a time.

use super::workers::layouts;
use super::*;
use crate::job::Workload;
use crate::load::Load;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::EngineRequest;

/// The workers on each node, and how many of them have an I/O in each point on all nodes; two in one worker panic.
fn busy(request: &Request, shares: &[u32]) -> (Vec<usize>, Vec<usize>) {
    let targets = [64 << 20, 32 << 20].map(TargetFacts::simulated);
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    let plan = Plan::new(request, &host, &targets).unwrap();
    let node = |node: usize| {
        let team = Team { node: u32::try_from(node).unwrap(), shares: shares.to_vec(), ..Team::default() };
        let rooms = plan.rooms_of(request, EngineKind::Sync, &team);
        let workload = Workload { rooms, ..Workload::of(request, &targets, team.clone()).unwrap() };
        let layouts = layouts(&team, request, &plan, Some(EngineKind::Sync));
        assert!(layouts.iter().all(|layout| layout.slots() <= 1));
        let workers = u32::try_from(layouts.len()).unwrap();
        let of_point = |point: Point| {
            let work = Work::Measure { settle_ns: 0, measure_ns: 1, detail: Detail::Window };
            let (job, _) = Order { visit: 0, point, work, at_ns: None, shape: None }.job(0);
            let load = |(worker, layout)| Load::new(&workload, &job, layout, worker, workers).all().len();
            (0..workers).zip(layouts.iter().copied()).map(load).sum::<usize>()
        };
        (layouts.len(), plan.steps.iter().map(|step| of_point(step.point)).collect::<Vec<_>>())
    };
    let (workers, points): (Vec<_>, Vec<_>) = (0..shares.len()).map(node).unzip();
    let sums = (0..plan.steps.len()).map(|step| points.iter().map(|node| node[step]).sum::<usize>());
    let planned = |point: Point| {
        let of = |class: &LoadClass| class.outstanding(point.of(class.name)) as usize;
        request.classes.iter().map(of).sum::<usize>()
    };
    let sums: Vec<usize> = sums.collect();
    assert_eq!(sums, plan.steps.iter().map(|step| planned(step.point)).collect::<Vec<_>>());
    (workers, sums)
}

/// With two targets up to ten small I/Os and four large ones, or streams.
#[test]
fn each_outstanding_io_has_a_worker_for_itself() {
    let of = |level, pattern, shares: &[u32]| {
        let engine = EngineRequest::Only(EngineKind::Sync);
        let mut request = Request { engine, ..Request::new(level) };
        request.set_large(pattern);
        let (workers, sums) = busy(&request, shares);
        (workers, sums.into_iter().max().unwrap())
    };
    let streams = Pattern::Streams { ios_per_stream: 4 };
    assert_eq!(of(RunLevel::Simple, Pattern::Random, &[1]), (vec![10], 10));
    assert_eq!(of(RunLevel::Normal, Pattern::Random, &[1]), (vec![14], 14));
    assert_eq!(of(RunLevel::Simple, streams, &[1]), (vec![16], 16));
    assert_eq!(of(RunLevel::Normal, streams, &[1]), (vec![26], 26));
    // A node has as many as the largest share may need.
    assert_eq!(of(RunLevel::Simple, Pattern::Random, &[1, 1]), (vec![5, 5], 10));
    assert_eq!(of(RunLevel::Normal, Pattern::Random, &[2, 1]), (vec![10, 10], 14));
}
