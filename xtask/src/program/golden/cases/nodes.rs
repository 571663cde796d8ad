//! Several nodes that put one load on shared storage together.

use super::super::facts;
use super::super::simulated::{on_disk, once, request, rounds};
use super::Case;
use rigel_core::load::class::{Class, PerClass};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Pace;
use rigel_core::load::workload::Direction;
use rigel_core::measure::FirstError;
use rigel_core::record::{Member, Node, NodeCounts, NodeRecord, NodeVisit, Nodes, Record, Visit};
use rigel_core::units::NS_PER_MS;

const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("nodes-two", || on_nodes(once(1), &[1, 1], |_, _, _| {})),
        Case::of("nodes-shares", || on_nodes(rounds(100), &[2, 1, 1], |_, _, _| {})),
        Case::of("nodes-skew", || on_nodes(once(1), &[1, 1], skewed)),
        Case::of("nodes-imbalance", || on_nodes(once(2), &[1, 1], lagging)),
        Case::of("nodes-errors", errors),
    ]
}

/// The parts of the nodes: shares of everything that was counted.
fn on_nodes(
    pace: Pace,
    shares: &[u32],
    change: fn(usize, &mut NodeRecord, &Visit),
) -> anyhow::Result<Record> {
    let mut record = on_disk(SLOW, request(RunLevel::Simple).paced(pace))?;
    let node = |(number, &share): (usize, &u32)| Node {
        member: Some(Member { name: format!("db{}", number + 1), share, targets: vec![0], own: Vec::new() }),
        ..facts::node()
    };
    record.header.nodes = Nodes::try_from(shares.iter().enumerate().map(node).collect::<Vec<_>>())
        .map_err(anyhow::Error::msg)?;
    record.header.request.node_share = shares.into();
    for visit in &mut record.visits {
        let parts: Vec<NodeVisit> = (0..shares.len()).map(|node| part(visit, shares, node, change)).collect();
        visit.nodes = parts;
    }
    Ok(record)
}

fn part(visit: &Visit, shares: &[u32], node: usize, change: fn(usize, &mut NodeRecord, &Visit)) -> NodeVisit {
    let all: u32 = shares.iter().sum();
    let of = |count: u64| count * u64::from(shares[node]) / u64::from(all);
    let counted = |(class, tally): (&Class, &_)| {
        let whole = NodeCounts::from(tally);
        // Slots are dealt one after the other.
        let dealt = (0..whole.planned).filter(|slot| owner(shares, slot % all) == node).count();
        let planned = u32::try_from(dealt).unwrap_or(0);
        let share = |of_all: u64| of_all * u64::from(planned) / u64::from(whole.planned.max(1));
        let part = NodeCounts {
            planned,
            ops: share(whole.ops),
            bytes: share(whole.bytes),
            latency_ns: share(whole.latency_ns),
            begun: share(whole.begun),
            errors: 0,
        };
        (planned > 0).then_some((*class, part))
    };
    let counted: PerClass<NodeCounts> = visit.tallies.iter().filter_map(counted).collect();
    let mut joined = NodeRecord {
        clock_ahead_ns: i64::try_from(node).unwrap_or(0) * 1_250_000,
        round_trip_ns: 80_000 * node as u64,
        late_ns: 20_000 * node as u64,
        counted,
        ..NodeRecord::default()
    };
    change(node, &mut joined, visit);
    NodeVisit { moved_bytes: of(visit.moved_bytes()), joined: Some(joined), ..NodeVisit::default() }
}

/// The node that has a slot.
fn owner(shares: &[u32], slot: u32) -> usize {
    let ends = shares.iter().scan(0, |end, share| {
        *end += share;
        Some(*end)
    });
    ends.take_while(|&end| end <= slot).count()
}

fn skewed(node: usize, joined: &mut NodeRecord, visit: &Visit) {
    if visit.step == 2 {
        joined.late_ns += 4 * NS_PER_MS * node as u64;
        joined.again = true;
    }
}

/// The second node does a part of what it should.
fn lagging(node: usize, joined: &mut NodeRecord, _: &Visit) {
    if node == 1 {
        joined.counted.values_mut().for_each(|counted| counted.ops /= 3);
    }
}

/// I/Os that failed on one node only.
fn errors() -> anyhow::Result<Record> {
    let failing = |node: usize, joined: &mut NodeRecord, visit: &Visit| {
        if node == 1 && visit.step == 1 {
            joined.counted.values_mut().for_each(|counted| counted.errors = 3);
        }
    };
    let mut record = on_nodes(once(1), &[1, 1], failing)?;
    for tally in record.visits[1].tallies.values_mut() {
        tally.errors = 3;
        tally.first_error =
            Some(FirstError { errno: 5, target: 0, offset: 4096, direction: Direction::Read });
    }
    Ok(record)
}
