//! The nodes of a run: hosts that load the same targets at the same time. Most runs have one.
//!
//! Must not know how nodes talk to each other.

use crate::facts::engine::{BufferFacts, EngineFacts};
use crate::facts::{Changes, HostFacts, TargetFacts};
use crate::load::class::PerClass;
use crate::measure::{ClassTally, ServerCounts};
use crate::witness::Witness;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One node: a host, with its engine and buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The host.
    pub host: HostFacts,
    /// The engine of its first worker; all of its workers have the same.
    pub engine: EngineFacts,
    /// Its I/O buffers.
    pub buffers: BufferFacts,
    /// Its part, if there are several nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Member>,
}

/// What is known about a node of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name of the host, printable; with a number if several nodes are on one host.
    pub name: String,
    /// Its share of the load.
    pub share: u32,
    /// Its targets, by index in the list of the run.
    pub targets: Vec<u16>,
    /// The same targets as seen by this host, if the list is from another one: shared storage may have another name, number and
    /// mount point on each host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<TargetFacts>,
}

impl Member {
    /// Its targets as seen by this host.
    pub fn facts<'a>(&'a self, all: &'a [TargetFacts]) -> Vec<&'a TargetFacts> {
        if self.own.is_empty() {
            self.targets.iter().filter_map(|&at| all.get(usize::from(at))).collect()
        } else {
            self.own.iter().collect()
        }
    }

    /// Whether it is the same host with the same part of the run.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.name, self.share, &self.targets) == (&other.name, other.share, &other.targets)
    }
}

/// The nodes of a run, in a fixed order. There is always one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<Node>", try_from = "Vec<Node>")]
pub struct Nodes(Vec<Node>);

impl Nodes {
    /// A run on one node.
    pub fn one(node: Node) -> Self {
        Self(vec![node])
    }

    /// The first node; of most runs the only one.
    pub fn first(&self) -> &Node {
        &self.0[0]
    }

    /// The same, mutable.
    pub fn first_mut(&mut self) -> &mut Node {
        &mut self.0[0]
    }

    /// All nodes, in order.
    pub fn all(&self) -> &[Node] {
        &self.0
    }

    /// Adds the nodes of another bench after these.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl From<Nodes> for Vec<Node> {
    fn from(nodes: Nodes) -> Self {
        nodes.0
    }
}

impl TryFrom<Vec<Node>> for Nodes {
    type Error = &'static str;

    fn try_from(nodes: Vec<Node>) -> Result<Self, Self::Error> {
        if nodes.is_empty() { Err("a run without a node") } else { Ok(Self(nodes)) }
    }
}

/// What one node observed in a visit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    /// Bytes that the node moved, without failed I/Os.
    pub moved_bytes: u64,
    /// What had changed since the start of the run when the visit was over.
    #[serde(default, skip_serializing_if = "Changes::is_none")]
    pub changed: Changes,
    /// What happened on its host under load; `None` if nothing watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// The counters of a database load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerCounts>,
    /// This node's part of a load that several share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<NodeRecord>,
    /// How often a session of that load was seen waiting for each event of the server, or on a CPU.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits: BTreeMap<String, u64>,
}

/// A node's part of a shared load: when it began, and what it counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// How far its clock was ahead of that of the run when the load began.
    pub clock_ahead_ns: i64,
    /// The round trip of the message by which that was found; the clock is known to half of it.
    pub round_trip_ns: u64,
    /// How long after the agreed time the last of its workers began.
    pub late_ns: u64,
    /// The nodes did not begin together at first, and the load was repeated; these are the counts of the second time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Some of its I/Os never completed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hung: bool,
    /// Its counts of each class.
    pub counted: PerClass<NodeCounts>,
}

/// A node's part of the counts of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCounts {
    /// Outstanding I/Os planned.
    pub planned: u32,
    /// Completions inside the window.
    pub ops: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The sum of the latencies of the I/Os that began in the window.
    pub latency_ns: u64,
    /// How many those are; 0 in records of earlier versions, whose latencies are those of the completions.
    #[serde(default)]
    pub begun: u64,
    /// Failed I/Os of the whole visit.
    #[serde(default, skip_serializing_if = "is_none")]
    pub errors: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_none(errors: &u64) -> bool {
    *errors == 0
}

impl NodeCounts {
    /// The number of I/Os that the latencies are of.
    pub const fn with_latency(&self) -> u64 {
        if self.begun > 0 { self.begun } else { self.ops }
    }
}

impl From<&ClassTally> for NodeCounts {
    fn from(tally: &ClassTally) -> Self {
        Self {
            planned: tally.planned,
            ops: tally.completed(),
            bytes: tally.moved_bytes(),
            latency_ns: tally.latency_sum_ns(),
            begun: tally.begun(),
            errors: tally.errors,
        }
    }
}

impl NodeVisit {
    /// The time from the first to the last node's start; `None` without two nodes that loaded.
    pub fn skew_ns(nodes: &[Self]) -> Option<u64> {
        let late =
            || nodes.iter().filter_map(|node| node.joined.as_ref()).filter(|one| !one.counted.is_empty());
        if late().count() < 2 {
            return None;
        }
        let (first, last) = (late().map(|one| one.late_ns).min()?, late().map(|one| one.late_ns).max()?);
        Some(last - first)
    }
}
