//! Whether nodes can measure together: distinct hosts, the same request, and targets that are what the user expects.
//!
//! Pure: what each node said about itself goes in, the nodes and the targets of the run come out, or what casts doubt on it. Must not ask a node.

use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{DeviceFacts, HostFacts, TargetFacts, TargetKind};
use rigel_core::load::class::PerClass;
use rigel_core::load::plan::{Plan, check_lists};
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_core::load::team::{MOST_NODES, Team};
use rigel_core::path_text::printable;
use rigel_core::record::Member;
use rigel_core::units::say;
use rigel_core::verify::DurableMark;
use serde::{Deserialize, Serialize};

/// Filesystems that several hosts have at the same time, so a path is one file on all of them.
const OF_SEVERAL_HOSTS: [&str; 16] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "ceph",
    "lustre",
    "gpfs",
    "beegfs",
    "gfs2",
    "ocfs2",
    "glusterfs",
    "fuse.glusterfs",
    "fuse.ceph",
    "pvfs2",
    "9p",
    "virtiofs",
];

/// A run begins, or continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Of a run that continues: how it was begun; `None` for one that begins.
    pub again: Option<ResumedRun>,
}

/// How a run was begun that continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResumedRun {
    /// What was requested.
    pub request: Request,
    /// What the node had; `None` of one without a part of the load, which may be another host now.
    pub had: Option<NodePast>,
}

/// What a node had when the run was begun that continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodePast {
    /// The host.
    pub host: HostFacts,
    /// Its targets.
    pub targets: Vec<TargetFacts>,
    /// So many of them, the first ones, are those of side A.
    pub targets_of_a: u16,
}

/// What a node says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The name of its host, printable.
    pub name: String,
    /// The host.
    pub host: HostFacts,
    /// What it was asked for, as it reads its command line and its load file.
    pub request: Request,
    /// Its targets.
    pub targets: Vec<TargetFacts>,
    /// They come from a list of the host's own.
    pub own_list: bool,
    /// From the data that the user consented to lose: names that are not among its targets.
    pub strays: Vec<String>,
    /// What it can say about them before they are read, when nothing but that is requested.
    pub foretold: TargetNotice,
    /// The server of a load through a database.
    pub server: Option<ServerView>,
}

/// A database server as a node reaches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerView {
    /// Product, version and address, printable and without a password.
    pub title: String,
    /// The same for all nodes that reach it, and for no other server.
    pub identity: String,
}

/// What can be said of targets without reading them, printable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetNotice {
    /// Whether they may be written.
    pub consent: Vec<String>,
    /// What to know of them before they are loaded.
    pub notes: Vec<String>,
}

impl TargetNotice {
    /// What all nodes say, each with its name. What all say alike is said once.
    pub fn of_all(each: &[(&str, &Self)]) -> Self {
        let together = |of: fn(&Self) -> &Vec<String>| -> Vec<String> {
            match each {
                [] => Vec::new(),
                [(_, first), others @ ..] if others.iter().all(|(_, other)| of(other) == of(first)) => {
                    of(first).clone()
                }
                _ => each
                    .iter()
                    .flat_map(|(name, own)| of(own).iter().map(move |line| format!("{name}: {line}")))
                    .collect(),
            }
        };
        Self { consent: together(|one| &one.consent), notes: together(|one| &one.notes) }
    }
}

/// What a node does in the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Brief {
    /// What was requested.
    pub request: Request,
    /// What is done; its targets are those of the run.
    pub plan: Plan,
    /// Which part is the node's.
    pub team: Team,
    /// The time of the run at which it begins or continues.
    pub run_ns: u64,
    /// Of classes of verified blocks: what is certainly there.
    pub settled: PerClass<DurableMark>,
    /// The engine of a run that continues.
    pub engine: Option<EngineKind>,
    /// The targets of the node that are those of side A.
    pub targets_of_a: Option<u16>,
}

/// What the user said about the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Several nodes may be on one host.
    pub oversubscribe: bool,
    /// The names of targets mean those of each host, and not the same on all.
    pub own_targets: bool,
    /// The first node loads nothing.
    pub coordinator_only: bool,
}

/// Nodes that can measure together.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// By rank.
    pub members: Vec<Member>,
    /// The targets of the run, each once; those of side A first.
    pub targets: Vec<TargetFacts>,
    /// How many are those of side A, where there are sides.
    pub targets_of_a: Option<u16>,
    /// Some target is that of several nodes.
    pub shared: bool,
}

impl Meeting {
    /// Of what the nodes say, by rank. A node without a part of the load has no targets.
    ///
    /// # Errors
    /// With the node and what casts doubt on it.
    pub fn of(hellos: &[Hello], rules: Rules) -> Result<Self, Problem> {
        let first = first_of(hellos)?;
        let shares = shares(&first.request, hellos.len(), rules)?;
        check_hosts(hellos, rules)?;
        check_requests(hellos)?;
        let loading: Vec<&Hello> =
            hellos.iter().zip(&shares).filter(|(_, share)| **share > 0).map(|(one, _)| one).collect();
        check_targets(&loading, rules)?;
        let mut all = Targets::default();
        let mut places = vec![Vec::new(); hellos.len()];
        let mut owns: Vec<Vec<&TargetFacts>> = vec![Vec::new(); hellos.len()];
        for side in sides(&first.request) {
            for ((rank, hello), _) in hellos.iter().enumerate().zip(&shares).filter(|(_, share)| **share > 0)
            {
                let own = side.map_or(&hello.targets[..], |side| hello.request.of_side(side, &hello.targets));
                for target in own {
                    places[rank].push(all.place(hello, target, side));
                    owns[rank].push(target);
                }
            }
            if side == Some(Side::A) {
                all.of_a = u16::try_from(all.all.len()).ok();
            }
        }
        let names = names(hellos);
        let targets: Vec<TargetFacts> = all.all.into_iter().map(|(_, target, _)| target.clone()).collect();
        let member = |(((name, share), places), own): (((_, _), Vec<u16>), Vec<&TargetFacts>)| {
            let is_listed =
                places.iter().zip(&own).all(|(&at, own)| targets.get(usize::from(at)) == Some(*own));
            let own = if is_listed { Vec::new() } else { own.into_iter().cloned().collect() };
            Member { name, share, targets: places, own }
        };
        let members: Vec<Member> = names.into_iter().zip(shares).zip(places).zip(owns).map(member).collect();
        let met = Self { members, targets, targets_of_a: all.of_a, shared: all.shared };
        met.check_lists(&first.request)?;
        Ok(met)
    }

    /// Of nodes with sessions on the same database server. The first target of the run is the table of all.
    ///
    /// # Errors
    /// With the node and what casts doubt on it.
    pub fn at_server(hellos: &[Hello], rules: Rules) -> Result<Self, Problem> {
        let shares = shares(&first_of(hellos)?.request, hellos.len(), rules)?;
        check_hosts(hellos, rules)?;
        check_requests(hellos)?;
        check_server(hellos)?;
        let member = |(name, share)| Member { name, share, targets: vec![0], own: Vec::new() };
        let members = names(hellos).into_iter().zip(shares).map(member).collect();
        Ok(Self { members, targets: Vec::new(), targets_of_a: None, shared: true })
    }

    /// Refuses lists of targets by which two nodes would write the same blocks. Classes that come to a request once its targets are known, such as the
    /// commits of a calibration, have to be asked about with that request.
    ///
    /// # Errors
    /// With two nodes and what differs.
    pub fn check_lists(&self, request: &Request) -> Result<(), Problem> {
        let lists: Vec<_> = self.members.iter().map(|member| (&*member.name, &*member.targets)).collect();
        check_lists(request, &lists, &self.targets)
    }

    /// How the load is dealt out; `process` is a number of the run's own.
    pub fn team(&self, process: u64) -> Team {
        let shares = self.members.iter().map(|member| member.share).collect();
        Team { node: 0, shares, shared: self.shared, process: Some(process) }
    }
}

/// The targets of a run as they are put together.
#[derive(Default)]
struct Targets<'a> {
    /// With who has it, and whose side it is on.
    all: Vec<(&'a Hello, &'a TargetFacts, Option<Side>)>,
    of_a: Option<u16>,
    shared: bool,
}

impl<'a> Targets<'a> {
    /// The place of a target, which may be there already by another node.
    fn place(&mut self, hello: &'a Hello, target: &'a TargetFacts, side: Option<Side>) -> u16 {
        let known = self.all.iter().position(|(whose, other, of)| {
            *of == side && !std::ptr::eq(*whose, hello) && are_one((whose, other), (hello, target))
        });
        self.shared |= known.is_some();
        let place = known.unwrap_or_else(|| {
            self.all.push((hello, target, side));
            self.all.len() - 1
        });
        u16::try_from(place).unwrap_or(u16::MAX)
    }
}

fn first_of(hellos: &[Hello]) -> Result<&Hello, Problem> {
    if hellos.len() > MOST_NODES {
        return Err(Problem::usage(format!("{} nodes is more than {MOST_NODES}", hellos.len())));
    }
    hellos.first().ok_or_else(|| Problem::usage("no nodes were started"))
}

fn sides(request: &Request) -> Vec<Option<Side>> {
    match request.sides {
        None => vec![None],
        Some(_) => Side::BOTH.map(Some).into(),
    }
}

/// Whether targets of two nodes are one.
fn are_one((one, a): (&Hello, &TargetFacts), (other, b): (&Hello, &TargetFacts)) -> bool {
    if a.kind != b.kind || a.size_bytes != b.size_bytes {
        return false;
    }
    if on_one_host(one, other) {
        return a.is_same_as(b);
    }
    match a.kind {
        TargetKind::File => {
            let (a_on, b_on) = (a.filesystem.as_deref(), b.filesystem.as_deref());
            let is_common = a_on == b_on && a_on.is_some_and(|name| OF_SEVERAL_HOSTS.contains(&name));
            is_common && a.identity.inode == b.identity.inode && source(a) == source(b)
        }
        TargetKind::BlockDevice => {
            let known =
                |target: &TargetFacts| target.device.as_ref().map(|device| identifier(device, &target.below));
            matches!((known(a).flatten(), known(b).flatten()), (Some(a), Some(b)) if a == b)
        }
        TargetKind::CharDevice | TargetKind::Table | TargetKind::Simulated => false,
    }
}

fn source(target: &TargetFacts) -> Option<&str> {
    target.mount.as_ref().map(|mount| mount.source.as_str())
}

/// What a device calls itself, and for a partition where it begins on it.
fn identifier(device: &DeviceFacts, below: &[DeviceFacts]) -> Option<(String, Option<u64>)> {
    let disk = device.partition_of.as_ref().and_then(|name| below.iter().find(|disk| disk.name == *name));
    let own = device.identifier.as_ref().or_else(|| disk?.identifier.as_ref())?;
    Some((own.clone(), device.start_bytes))
}

fn on_one_host(a: &Hello, b: &Hello) -> bool {
    a.host.boot_id.is_some() && a.host.boot_id == b.host.boot_id
}

/// A name for each node: that of its host, with a number where several are on one.
fn names(hellos: &[Hello]) -> Vec<String> {
    let named = |(rank, hello): (usize, &Hello)| {
        let before = hellos[..rank].iter().filter(|other| other.name == hello.name).count();
        let is_alone = hellos.iter().filter(|other| other.name == hello.name).count() == 1;
        let name = printable(&hello.name).into_owned();
        if is_alone { name } else { format!("{name}:{before}") }
    };
    hellos.iter().enumerate().map(named).collect()
}

fn shares(request: &Request, nodes: usize, rules: Rules) -> Result<Vec<u32>, Problem> {
    let mut shares = match request.node_share.len() {
        0 => vec![1; nodes],
        asked if asked == nodes => request.node_share.clone(),
        asked => {
            return Err(Problem::usage(format!(
                "the load has shares for {asked} nodes, but there are {nodes}"
            ))
            .at("node_share")
            .next("start one node per share, or remove node_share from the load file"));
        }
    };
    if rules.coordinator_only
        && let Some(first) = shares.first_mut()
    {
        *first = 0;
    }
    if shares.iter().all(|&share| share == 0) {
        return Err(Problem::usage("no node has a share of the load")
            .next("start more than one node, or leave out --coordinator-only"));
    }
    Ok(shares)
}

fn check_hosts(hellos: &[Hello], rules: Rules) -> Result<(), Problem> {
    if rules.oversubscribe {
        return Ok(());
    }
    for (rank, hello) in hellos.iter().enumerate() {
        if let Some(before) = hellos[..rank].iter().position(|other| on_one_host(other, hello)) {
            return Err(Problem::refused(format!(
                "nodes {before} and {rank} are on the same host ({})",
                printable(&hello.name)
            ))
            .because("both would use the same paths, so the sum would say nothing about two hosts")
            .next("start one node on each host (mpirun --map-by ppr:1:node), or give --oversubscribe"));
        }
    }
    Ok(())
}

/// What two nodes are asked for has to be the same but for what each process draws or echoes.
fn check_requests(hellos: &[Hello]) -> Result<(), Problem> {
    let Some((first, others)) = hellos.split_first() else { return Ok(()) };
    for (rank, hello) in (1usize..).zip(others) {
        let (seed, command_line) = (first.request.seed, first.request.command_line.clone());
        // How many targets are those of A may differ from host to host.
        let sides = match (hello.request.sides, first.request.sides) {
            (Some(theirs), Some(ours)) => {
                Some(rigel_core::load::sides::Sides { targets_of_a: ours.targets_of_a, ..theirs })
            }
            (theirs, _) => theirs,
        };
        if (Request { seed, command_line, sides, ..hello.request.clone() }) != first.request {
            return Err(Problem::refused(format!(
                "node {rank} ({}) was asked for another load",
                printable(&hello.name)
            ))
            .because("its command line or load file differs from the first node's")
            .next("give all nodes the same arguments and the same load file"));
        }
    }
    Ok(())
}

/// A connection string may lead to another server on each host.
fn check_server(hellos: &[Hello]) -> Result<(), Problem> {
    let Some((first, others)) = hellos.split_first() else { return Ok(()) };
    let of = |hello: &Hello| hello.server.as_ref().map(|server| server.identity.clone());
    let title = |hello: &Hello| {
        let title = hello.server.as_ref().map_or("no server", |server| &server.title);
        printable(title).into_owned()
    };
    let is_other = |hello: &&Hello| hello.server.is_none() || of(hello) != of(first);
    let Some(other) = others.iter().find(is_other) else { return Ok(()) };
    Err(Problem::refused(format!(
        "{} and {} reach different servers: {} and {}",
        printable(&first.name),
        printable(&other.name),
        title(first),
        title(other)
    ))
    .because("the sessions of all nodes have to be on the same server and in the same database")
    .next("give a --dsn that leads there from every host, such as the name of its host instead of a socket"))
}

/// Targets that the user named once are the same on all nodes, unless he says otherwise; a node with a list of its own has those of the list.
fn check_targets(loading: &[&Hello], rules: Rules) -> Result<(), Problem> {
    let is_named = |hello: &&Hello| {
        !hello.own_list && !hello.targets.iter().any(|target| target.kind == TargetKind::Simulated)
    };
    let named: Vec<&Hello> = loading.iter().copied().filter(is_named).collect();
    let Some((first, others)) = named.split_first().filter(|_| !rules.own_targets) else { return Ok(()) };
    for hello in others {
        check_numbers(first, hello)?;
        for (ours, theirs) in first.targets.iter().zip(&hello.targets) {
            if are_one((first, ours), (hello, theirs)) {
                continue;
            }
            return Err(Problem::refused(format!(
                "{} on {} may not be the one on {}: {}",
                printable(&theirs.path),
                printable(&hello.name),
                printable(&first.name),
                difference(ours, theirs)
            ))
            .because("a name stands for one file or device shared by all hosts")
            .next("if each host has its own targets, use --own-targets or a list per host (NAME.HOST.lun)"));
        }
    }
    Ok(())
}

/// A list that is common by its name may be another one on each host.
fn check_numbers(first: &Hello, hello: &Hello) -> Result<(), Problem> {
    let (ours, theirs) = (first.targets.len(), hello.targets.len());
    if ours == theirs {
        return Ok(());
    }
    let names = [first, hello].map(|node| printable(&node.name));
    let [ours, theirs] = [say::counted(ours, "target"), theirs.to_string()];
    Err(Problem::refused(format!("{} has {ours}, but {} has {theirs}", names[0], names[1]))
        .because("the list of targets differs between the hosts")
        .next("give all hosts the same list, or each its own (NAME.HOST.lun)"))
}

fn difference(ours: &TargetFacts, theirs: &TargetFacts) -> String {
    let id = |target: &TargetFacts| {
        let device = target.device.as_ref();
        device
            .and_then(|device| identifier(device, &target.below))
            .map_or_else(|| "unknown".to_owned(), |(name, _)| name)
    };
    if ours.kind != theirs.kind {
        return format!("a {} here, a {} there", ours.kind.name(), theirs.kind.name());
    }
    if ours.size_bytes != theirs.size_bytes {
        return format!("{} bytes here, {} there", ours.size_bytes, theirs.size_bytes);
    }
    if ours.kind == TargetKind::File {
        let on = |target: &TargetFacts| {
            target.filesystem.clone().unwrap_or_else(|| "an unknown filesystem".to_owned())
        };
        return format!("files on {} and {}, which may differ", on(ours), on(theirs));
    }
    printable(&format!("its serial number is {} here, {} there", id(ours), id(theirs))).into_owned()
}

#[cfg(test)]
mod tests;
