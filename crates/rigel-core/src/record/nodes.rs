//! The nodes of a run: hosts that load the same targets at the same time. Most runs have one.
//!
//! Must not know how nodes talk to each other.

use crate::facts::engine::{BufferFacts, EngineFacts};
use crate::facts::{Changes, HostFacts};
use crate::measure::ServerCounts;
use crate::witness::Witness;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One node: a host, and what it loads with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The host.
    pub host: HostFacts,
    /// The engine of its first worker; all of its workers have the same.
    pub engine: EngineFacts,
    /// Its I/O buffers.
    pub buffers: BufferFacts,
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

    /// The first node: of most runs, the only one.
    pub fn first(&self) -> &Node {
        &self.0[0]
    }

    /// The same, to be changed.
    pub fn first_mut(&mut self) -> &mut Node {
        &mut self.0[0]
    }

    /// All of them, the first one first.
    pub fn all(&self) -> &[Node] {
        &self.0
    }

    /// Adds the nodes of another bench behind these.
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

/// What one node saw of a visit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeVisit {
    /// Bytes that the node moved, failed I/Os left out.
    pub moved_bytes: u64,
    /// What was not as at the beginning of the run when the visit was over.
    #[serde(default, skip_serializing_if = "Changes::is_none")]
    pub changed: Changes,
    /// What happened on its host while it loaded; `None` when nobody watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// What was counted of a load that went through a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerCounts>,
    /// How often a session of that load was seen waiting for each event of the server, or on a CPU.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits: BTreeMap<String, u64>,
}
