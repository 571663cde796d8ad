//! What each of several nodes contributed to a point, and what casts doubt on their sum: nodes that did not begin together, and one that lagged
//! behind.
//!
//! Must not judge a single host.

use super::PointFindings;
use crate::documents;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass, PerClass};
use crate::path_text::printable;
use crate::record::{Header, Member, NodeCounts, NodeRecord, NodeVisit, Visit};
use crate::stats::sample::{mean, variance};
use crate::units::{self, NS_PER_MS, iops, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// Nodes that begin further apart measure different moments.
const MOST_SKEW_NS: u64 = NS_PER_MS;
/// A node that does less than this of its part lags behind the others.
pub const LEAST_OF_DUE: f64 = 0.9;
/// And this many standard errors less.
const LEAST_ERRORS: f64 = 3.0;

/// One node at a point.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PointNode")]
pub struct NodeFindings {
    /// Its index among the run's nodes, from 0.
    pub node: usize,
    /// Its name.
    #[serde(serialize_with = "documents::printable")]
    pub name: String,
    /// Its results for each class of which it had a share.
    #[serde(rename = "classes")]
    pub ios: PerClass<NodeIo>,
}

/// A node's results for a class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "NodeShare")]
pub struct NodeIo {
    /// Outstanding I/Os planned.
    #[serde(rename = "outstanding")]
    pub planned: u32,
    /// I/Os per second.
    pub iops: f64,
    /// MB per second, one MB is 2^20 bytes.
    pub mbps: f64,
    /// Mean latency in microseconds; null if nothing completed.
    #[serde(rename = "latency_mean_us")]
    pub latency_us: Option<f64>,
    /// Its share of the rate divided by its share of the outstanding I/Os: 1 is its full part.
    #[serde(rename = "of_part")]
    pub of_due: f64,
    /// Standard error of that.
    #[serde(rename = "of_part_error")]
    pub of_due_error: f64,
    /// I/Os that failed.
    pub errors: u64,
}

/// The nodes of a point by the visits that count; empty if one host measured.
pub fn of_point(header: &Header, visits: &[&Visit]) -> Vec<NodeFindings> {
    let members = header.nodes.all().iter().map(|node| node.member.as_ref());
    let one = |(node, member): (usize, Option<&Member>)| {
        let name = member?.name.clone();
        let io = |class: &LoadClass| Some((class.name, of_class(visits, node, class.name)?));
        Some(NodeFindings { node, name, ios: header.request.classes.iter().filter_map(io).collect() })
    };
    members.enumerate().filter_map(one).collect()
}

fn joined(visit: &Visit, node: usize) -> Option<&NodeRecord> {
    visit.nodes.get(node)?.joined.as_ref()
}

fn of_class(visits: &[&Visit], node: usize, class: Class) -> Option<NodeIo> {
    let mut sum = NodeCounts::default();
    let mut measured_ns: u64 = 0;
    let mut dues = Vec::new();
    let mut all_due = 0.0;
    for visit in visits {
        let Some(own) = joined(visit, node).and_then(|joined| joined.counted.get(&class)) else { continue };
        sum.planned = own.planned;
        sum.ops = sum.ops.saturating_add(own.ops);
        sum.bytes = sum.bytes.saturating_add(own.bytes);
        sum.latency_ns = sum.latency_ns.saturating_add(own.latency_ns);
        sum.begun = sum.begun.saturating_add(own.with_latency());
        sum.errors = sum.errors.saturating_add(own.errors);
        measured_ns = measured_ns.saturating_add(visit.measured_ns);
        let all: Vec<&NodeCounts> =
            (0..visit.nodes.len()).filter_map(|node| joined(visit, node)?.counted.get(&class)).collect();
        let (ops, planned): (u64, u64) = (
            all.iter().map(|one| one.ops).fold(0, u64::saturating_add),
            all.iter().map(|one| u64::from(one.planned)).sum(),
        );
        if ops > 0 && planned > 0 && own.planned > 0 {
            let due = to_f64(ops) * f64::from(own.planned) / to_f64(planned);
            dues.push(to_f64(own.ops) / due);
            all_due += due;
        }
    }
    if sum.planned == 0 {
        return None;
    }
    // Completions come one by one, so that even a node like the others may have a few less than it is due. What it did does not count
    // here: one that did nearly nothing would be known too badly to be told.
    let by_chance = 1.0 / all_due.max(1.0).sqrt();
    let between = if dues.len() > 1 { (variance(&dues) / to_f64(dues.len() as u64)).sqrt() } else { 0.0 };
    Some(NodeIo {
        planned: sum.planned,
        iops: iops(sum.ops, measured_ns),
        mbps: units::mbps(sum.bytes, measured_ns),
        latency_us: (sum.begun > 0).then(|| us_from_ns(to_f64(sum.latency_ns) / to_f64(sum.begun))),
        of_due: if dues.is_empty() { 0.0 } else { mean(&dues) },
        of_due_error: between.max(by_chance),
        errors: sum.errors,
    })
}

/// For a visit whose I/Os never completed, what happened and on which of several nodes, as a sentence without a full stop.
pub fn hung(header: &Header, visit: &Visit) -> Option<String> {
    let text = visit.hung?.sentence(&header.targets);
    let names = (0..visit.nodes.len()).filter(|&node| joined(visit, node).is_some_and(|joined| joined.hung));
    let names: Vec<&str> =
        names.filter_map(|node| Some(header.nodes.all().get(node)?.member.as_ref()?.name.as_str())).collect();
    Some(if names.is_empty() { text } else { format!("{text} (on {})", printable(&names.join(", "))) })
}

/// On which of several nodes I/Os of a class failed, to follow their number; empty if one host measured.
pub fn failed(nodes: &[NodeFindings], class: Class) -> String {
    let failed = |node: &NodeFindings| {
        let errors = node.ios.get(&class)?.errors;
        (errors > 0).then(|| format!("{errors} on {}", printable(&node.name)))
    };
    let all: Vec<String> = nodes.iter().filter_map(failed).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The flags of a point.
pub fn flags(header: &Header, visits: &[&Visit], point: &PointFindings) -> Vec<Flag> {
    skew(visits).into_iter().chain(imbalance(header, point)).collect()
}

fn skew(visits: &[&Visit]) -> Option<Flag> {
    let skews: Vec<u64> = visits.iter().filter_map(|visit| NodeVisit::skew_ns(&visit.nodes)).collect();
    let wide = skews.iter().filter(|&&skew_ns| skew_ns > MOST_SKEW_NS).count();
    let most_ms = to_f64(skews.iter().copied().max()?) / to_f64(NS_PER_MS);
    (wide > 0).then(|| {
        let of =
            if skews.len() == 1 { String::new() } else { format!(" in {wide} of {} visits", skews.len()) };
        Flag::new(FlagCode::Skew, format!("the nodes started up to {most_ms:.1} ms apart{of}"))
    })
}

/// The node that lags behind most.
fn imbalance(header: &Header, point: &PointFindings) -> Option<Flag> {
    let lags = |io: &NodeIo| io.of_due < LEAST_OF_DUE && 1.0 - io.of_due > LEAST_ERRORS * io.of_due_error;
    let all = point.nodes.iter().flat_map(|node| node.ios.iter().map(move |(class, io)| (node, *class, io)));
    let (node, class, io) =
        all.filter(|(_, _, io)| lags(io)).min_by(|a, b| a.2.of_due.total_cmp(&b.2.of_due))?;
    let load = header.request.class(class)?;
    Some(Flag::new(
        FlagCode::Imbalance,
        format!(
            "{class}: {} did {:.0} % of its share, {}",
            node.name,
            100.0 * io.of_due,
            load.rate_text(io.iops)
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::matrix::Point;
    use crate::load::workload::Direction;
    use crate::measure::HungIo;
    use crate::record::tests::{header, visit_to};
    use crate::record::{Member, Nodes};
    use crate::units::NS_PER_S;

    fn joined(ops: u64, late_ns: u64) -> NodeVisit {
        // One in five was over after the window.
        let begun = ops + ops / 5;
        let counted =
            NodeCounts { planned: 4, ops, bytes: ops * 8192, latency_ns: begun * 1000, begun, errors: 0 };
        let counted = PerClass::from([(Class::SMALL, counted)]);
        NodeVisit {
            joined: Some(NodeRecord { late_ns, counted, ..NodeRecord::default() }),
            ..NodeVisit::default()
        }
    }

    fn header_of(nodes: usize) -> Header {
        let mut header = header();
        let one = header.nodes.first().clone();
        let member =
            |node: usize| Member { name: format!("db{node}"), share: 1, targets: vec![0], own: Vec::new() };
        let all: Vec<_> = (0..nodes)
            .map(|node| crate::record::Node { member: Some(member(node)), ..one.clone() })
            .collect();
        header.nodes = Nodes::try_from(all).unwrap();
        header
    }

    fn visit_of(nodes: Vec<NodeVisit>) -> Visit {
        Visit { nodes, ..visit_to(0, Point::pair(8, 0), 1_000_000) }
    }

    #[test]
    fn each_node_has_its_rate_and_what_it_did_of_its_part() {
        let header = header_of(2);
        let visits = [
            visit_of(vec![joined(1500, 0), joined(500, 0)]),
            visit_of(vec![joined(1500, 0), joined(500, 0)]),
        ];
        let visits: Vec<&Visit> = visits.iter().collect();
        let found = of_point(&header, &visits);
        let io = found[1].ios[&Class::SMALL];
        assert_eq!((&found[1].name[..], io.iops, io.latency_us, io.of_due), ("db1", 500.0, Some(1.0), 0.5));
        assert!((io.of_due_error - 1.0 / 2000f64.sqrt()).abs() < 1e-12, "chance, as both visits were alike");
        assert!(of_point(&self::header(), &visits).is_empty(), "one host has no table of nodes");
    }

    #[test]
    fn a_lag_is_told_where_it_is_no_chance() {
        let header = header_of(2);
        let told = |ops: [u64; 2]| {
            let visits = [visit_of(ops.map(|ops| joined(ops, 0)).to_vec())];
            let visits: Vec<&Visit> = visits.iter().collect();
            let nodes = of_point(&header, &visits);
            let lags =
                |io: &NodeIo| io.of_due < LEAST_OF_DUE && 1.0 - io.of_due > LEAST_ERRORS * io.of_due_error;
            nodes.iter().any(|node| node.ios.values().any(lags))
        };
        assert!(told([1000, 700]));
        assert!(!told([1000, 900]), "95 and 105 %");
        assert!(!told([10, 7]), "so few may be chance");
        assert!(told([3350, 2]), "the worst lag has the fewest completions");
        assert!(told([3350, 0]));
        assert!(!told([8, 0]), "4 are due, and none may be chance");
    }

    #[test]
    fn failed_and_lost_io_is_told_with_the_nodes_that_had_it() {
        let header = header_of(3);
        let mut bad = joined(10, 0);
        let own = bad.joined.as_mut().unwrap();
        own.hung = true;
        own.counted.get_mut(&Class::SMALL).unwrap().errors = 7;
        let mut visit = visit_of(vec![joined(10, 0), bad, joined(10, 0)]);
        assert_eq!(hung(&header, &visit), None, "nobody waits for one");
        visit.hung = Some(HungIo {
            target: 0,
            offset: 8192,
            direction: Direction::Read,
            age_ns: 61 * NS_PER_S,
            count: 1,
            taken_back: true,
        });
        let told = hung(&header, &visit).unwrap();
        assert!(told.contains("byte 8192 of ") && told.ends_with("cancelled all of them (on db1)"), "{told}");
        let alone = hung(&self::header(), &visit_to(0, Point::pair(8, 0), 1_000_000)).is_none();
        assert!(
            alone
                && hung(&header, &Visit { nodes: Vec::new(), ..visit.clone() })
                    .unwrap()
                    .ends_with("all of them")
        );
        let found = of_point(&header, &[&visit]);
        assert_eq!(failed(&found, Class::SMALL), " (7 on db1)");
        assert_eq!(failed(&found, Class::LARGE), "");
        assert_eq!(failed(&[], Class::SMALL), "", "one host");
    }

    #[test]
    fn a_skew_of_more_than_a_millisecond_is_told() {
        let told =
            |late_ns: u64| skew(&[&visit_of(vec![joined(5, 10), joined(5, late_ns)])]).map(|flag| flag.text);
        assert_eq!(told(MOST_SKEW_NS + 10), None);
        assert_eq!(told(4 * NS_PER_MS).as_deref(), Some("the nodes started up to 4.0 ms apart"));
        let idle = NodeVisit {
            joined: Some(NodeRecord { late_ns: NS_PER_S, ..NodeRecord::default() }),
            ..NodeVisit::default()
        };
        assert_eq!(
            skew(&[&visit_of(vec![joined(5, 10), idle])]),
            None,
            "who had nothing to do began nothing"
        );
    }
}
