//! The header of a short run, and visits in which every I/O takes as long as another.

use crate::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use crate::facts::{HostFacts, Identity, TargetFacts, TargetKind};
use crate::load::class::Class;
use crate::load::matrix::{Point, RunLevel};
use crate::load::pace::Pace;
use crate::load::plan::Plan;
use crate::load::request::Request;
use crate::measure::ClassTally;
use crate::record::{FORMAT_MAJOR, FORMAT_MINOR, Format, Header, Node, NodeVisit, Nodes, Purpose, Visit};
use crate::units::{NS_PER_S, Nanos};

/// A record of a `simple` run of one second per point on one file, without visits.
pub fn header() -> Header {
    let request = Request::new(RunLevel::Simple).paced(Pace::Fixed(Nanos::from_secs(1)));
    let targets = vec![TargetFacts {
        path: "/data/lun1".into(),
        real_path: "/data/lun1".into(),
        kind: TargetKind::File,
        size_bytes: 1 << 30,
        identity: Identity { device: (8, 0), inode: 1 },
        direct_io: Some(true),
        ..TargetFacts::simulated(1 << 30)
    }];
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    Header {
        rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        program_version: "0.1.0".into(),
        run_id: "orion_20260101_1200".into(),
        started: "2026-01-01T12:00:00+00:00".into(),
        plan: Plan::new(&request, &host, &targets).expect("a plan of a simple run"),
        request,
        nodes: Nodes::one(node(host)),
        targets,
    }
}

fn node(host: HostFacts) -> Node {
    let engine = EngineFacts {
        registered_buffers: true,
        registered_files: true,
        single_issuer: true,
        defer_taskrun: true,
        ..EngineFacts::plain(EngineKind::IoUring)
    };
    let buffers = BufferFacts {
        backing: Backing::TransparentHuge,
        bytes: 4 << 20,
        large_segments_max: Some(1),
        large_segments_mean: Some(1.0),
    };
    Node { host, engine, buffers, member: None }
}

/// A visit of one second to step 0 in which every I/O took `latency_ns`, at the outstanding count of the point.
pub fn visit(step: usize, latency_ns: u64) -> Visit {
    visit_to(step, header().plan.steps[step].point, latency_ns)
}

/// The same to a step with this point.
pub fn visit_to(step: usize, point: Point, latency_ns: u64) -> Visit {
    let tally = |outstanding: u32, class: Class| {
        let bytes = if class == Class::SMALL { 8192 } else { 1 << 20 };
        let mut tally = ClassTally::new(bytes, outstanding, NS_PER_S);
        for i in 0..NS_PER_S / latency_ns * u64::from(outstanding) {
            tally.reads.record(latency_ns);
            tally.series.record(i * latency_ns / u64::from(outstanding), latency_ns);
        }
        tally.in_flight_ns = u64::from(outstanding) * NS_PER_S;
        tally
    };
    Visit {
        number: step as u64,
        purpose: Purpose::Only,
        busiest_worker_cpu_ns: None,
        ios: None,
        hung: None,
        nodes: vec![NodeVisit::default()],
        loaded_ns: 1_200_000_000,
        step,
        point,
        began_ns: 0,
        settle_ns: NS_PER_S / 10,
        measured_ns: NS_PER_S,
        cut_short: false,
        warm_up: None,
        worker_cpu_ns: Some(1),
        tallies: point.classes().map(|(class, level)| (class, tally(level, class))).collect(),
    }
}
