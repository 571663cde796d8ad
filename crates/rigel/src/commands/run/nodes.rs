//! A run on several nodes: each reads the same arguments, the first one leads, the others follow.
//!
//! Every node inspects its own targets, checks its own consent and opens them; a refusal by one is a refusal by all, before anything is written. Must
//! not judge whether nodes fit together; [`rigel_cluster::meet`] does.

mod follow;
mod openings;

pub use follow::follow;

use super::present::Reporter;
use super::{consent, dry_run, load, targets};
use crate::args::{RunOptions, TargetSource};
use crate::signals::Signals;
use openings::Openings;
use rigel_cluster::line::Line;
use rigel_cluster::meet::{Brief, Call, Hello, Meeting, NodePast, ResumedRun, Rules, TargetNotice};
use rigel_cluster::message::Message;
use rigel_cluster::{Around, ClusterBench};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::PerClass;
use rigel_core::load::draw::Generator;
use rigel_core::load::request::Request;
use rigel_core::load::sides::Sides;
use rigel_core::path_text;
use rigel_core::record::resume::RecordPast;
use rigel_core::record::{Header, Member, Node};
use rigel_io::targets::guard;
use rigel_run::bench::Bench;
use rigel_run::bench::make::{self, Start};
use rigel_run::execute::Run;
use std::path::PathBuf;
use std::process;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Examining hosts and targets takes seconds.
const LOOKING: Duration = Duration::from_secs(600);
/// If every byte of a target has to be read before it may be written, it takes this much longer.
const READ_BYTES_PER_S: u64 = 50_000_000;

/// The nodes of this process's run, as the first of them sees them.
#[derive(Debug)]
pub struct Crew {
    /// The line to the others.
    pub line: Line,
    /// What the user said about them.
    pub rules: Rules,
}

/// Nodes that can measure together, and their messages.
pub struct NodesMeeting {
    hellos: Vec<Hello>,
    meeting: Meeting,
    process: u64,
}

impl Crew {
    /// Whether there is another node.
    pub fn is_alone(&self) -> bool {
        self.line.size() == 1
    }

    /// Asks all nodes what they are and have.
    pub fn meet(&self, options: &RunOptions, host: HostFacts) -> Result<NodesMeeting, Problem> {
        check_together(options)?;
        self.line.tell_all(|_| Message::Call(Box::new(Call { again: None })))?;
        let own = match self.rules.coordinator_only {
            true => without_part(&options.request, host),
            false => hello(0, options, host)?,
        };
        let hellos = self.hellos(own)?;
        let meeting = Meeting::of(&hellos, self.rules)?;
        Ok(NodesMeeting { process: process_number(options.request.seed), hellos, meeting })
    }

    /// Asks all nodes how they reach the server of a database load; `own` is what this one says.
    pub fn meet_at_server(&self, own: Hello) -> Result<NodesMeeting, Problem> {
        let seed = own.request.seed;
        self.line.never_resumes();
        self.line.tell_all(|_| Message::Call(Box::new(Call { again: None })))?;
        let hellos = self.hellos(own)?;
        let meeting = Meeting::at_server(&hellos, self.rules)?;
        Ok(NodesMeeting { process: process_number(seed), hellos, meeting })
    }

    /// The bench of all nodes, whose sessions are on one server. `own` makes that of this node, and `table` is the target of all.
    pub fn bench_at_server(
        &self,
        run: &Run,
        met: NodesMeeting,
        table: TargetFacts,
        own: impl FnOnce(&Brief) -> Result<Box<dyn Bench>, Problem>,
        around: Box<dyn Around>,
        signals: &Signals,
    ) -> Result<Box<dyn Bench>, Problem> {
        let NodesMeeting { meeting, process, .. } = met;
        let team = meeting.team(process);
        let brief = |rank: usize| Brief {
            request: run.request.clone(),
            plan: run.plan.clone(),
            team: team.seen_by(u32::try_from(rank).unwrap_or(u32::MAX)),
            run_ns: 0,
            settled: PerClass::new(),
            engine: None,
            targets_of_a: None,
        };
        self.line.tell_all(|rank| Message::Brief(Box::new(brief(rank))))?;
        let openings = Openings::of(&self.line, signals);
        let own = own(&brief(0));
        let (own, mut sites) = openings.all(own, LOOKING)?;
        if let Some(site) = sites.first_mut() {
            *site = Some(own.site().clone());
        }
        let load = (run.request.clone(), team);
        let bench =
            ClusterBench::new(self.line.clone(), Some(own), load, sites, meeting.members, vec![table], 0)?;
        Ok(Box::new(bench.with(around)))
    }

    /// The same for a run that continues: each node has to be what it was.
    pub fn meet_again(
        &self,
        header: &Header,
        options: &RunOptions,
        host: HostFacts,
    ) -> Result<NodesMeeting, Problem> {
        let had = self.recorded(header)?;
        let again = |rank: usize| {
            let (mut request, had) = (header.request.clone(), had.get(rank).cloned().flatten());
            if let (Some(sides), Some(had)) = (&mut request.sides, &had) {
                sides.targets_of_a = had.targets_of_a;
            }
            ResumedRun { request, had }
        };
        self.line.tell_all(|rank| Message::Call(Box::new(Call { again: Some(again(rank)) })))?;
        let own = hello_again(&again(0), options, host)?;
        let hellos = self.hellos(own)?;
        let rules = Rules { own_targets: true, ..self.rules };
        let meeting = Meeting::of(&hellos, rules)?;
        // Who has no part of the load may be another host.
        let loads = |member: &&Member| member.share > 0;
        let recorded = header.nodes.all().iter().filter_map(|node| node.member.as_ref()).filter(loads);
        let now = meeting.members.iter().filter(loads);
        if let Some((then, now)) = recorded.zip(now).find(|(then, now)| !then.is_like(now)) {
            return Err(Problem::refused("the run would resume on different nodes than it started on")
                .at(path_text::printable(&then.name))
                .because(format!("{} is in its place now, or its targets differ", now.name))
                .next(
                    "start the nodes on the same hosts in the same order, with the same options of rigel-mpi",
                ));
        }
        Ok(NodesMeeting { process: process_number(options.request.seed), hellos, meeting })
    }

    /// What the record says about each rank; nothing about one without a part of the load.
    fn recorded(&self, header: &Header) -> Result<Vec<Option<NodePast>>, Problem> {
        let had = |node: &Node| {
            let member = node.member.as_ref()?;
            let targets = member.facts(&header.targets).into_iter().cloned();
            // Those of side A come first, in the list of the run and in that of each node.
            let of_a = header.request.sides.map_or(0, |sides| sides.targets_of_a);
            let own_of_a = member.targets.iter().filter(|&&target| target < of_a).count();
            Some(NodePast {
                host: node.host.clone(),
                targets: targets.collect(),
                targets_of_a: u16::try_from(own_of_a).unwrap_or(u16::MAX),
            })
        };
        let mut loading = header.nodes.all().iter().filter_map(had);
        let recorded = loading.clone().count();
        let loads = |rank: usize| {
            let leads = rank == 0 && self.rules.coordinator_only;
            !leads && has_part(&header.request, rank)
        };
        let size = self.line.size();
        let without = (0..size).filter(|&rank| !loads(rank)).count();
        if recorded + without == size {
            return Ok((0..size).map(|rank| if loads(rank) { loading.next() } else { None }).collect());
        }
        Err(Problem::refused(format!(
            "the run was made by {} nodes, but there are {size}",
            recorded + without
        ))
        .because("samples from other nodes cannot be combined with those in the record")
        .next("start as many nodes on the same hosts, with the same options of rigel-mpi"))
    }

    fn hellos(&self, own: Hello) -> Result<Vec<Hello>, Problem> {
        let told =
            self.line.gather(LOOKING, "when its targets were queried", |_, message| match message {
                Message::Hello(hello) => Ok(*hello),
                other => Err(Box::new(other)),
            })?;
        let mut own = Some(own);
        let each = told.into_iter().enumerate().filter_map(|(rank, told)| match told {
            Some(told) => Some(told.map_err(|problem| of_node(&self.line, rank, problem))),
            None => own.take().map(Ok),
        });
        let hellos = each.collect::<Result<Vec<_>, Problem>>()?;
        check_consent(&hellos)?;
        Ok(hellos)
    }

    /// The bench of all nodes, each with its targets open. `engines`: those of a run that continues, for each node that has a part of the load.
    pub fn bench(
        &self,
        reporter: Reporter<'_>,
        run: &Run,
        met: NodesMeeting,
        past: &RecordPast,
        engines: &[EngineKind],
        signals: &Signals,
    ) -> Result<Box<dyn Bench>, Problem> {
        let NodesMeeting { hellos, meeting, process } = met;
        let team = meeting.team(process);
        let loads_before = |rank: usize| team.shares.iter().take(rank).filter(|share| **share > 0).count();
        let brief = |rank: usize| Brief {
            request: run.request.clone(),
            plan: run.plan.clone(),
            team: team.seen_by(u32::try_from(rank).unwrap_or(u32::MAX)),
            run_ns: past.run_ns(),
            settled: past.settled.clone(),
            engine: engines.get(loads_before(rank)).copied(),
            targets_of_a: hellos
                .get(rank)
                .and_then(|hello| hello.request.sides)
                .map(|sides| sides.targets_of_a),
        };
        self.line.tell_all(|rank| Message::Brief(Box::new(brief(rank))))?;
        let openings = Openings::of(&self.line, signals);
        let own = hellos.first().filter(|_| team.shares.first().is_some_and(|&share| share > 0));
        let own = own
            .map(|hello| ready(reporter, hello.clone(), &brief(0), signals, &|| openings.listen()))
            .transpose();
        let most_bytes =
            hellos.iter().map(|hello| hello.targets.iter().map(|target| target.size_bytes).sum::<u64>());
        let reading =
            if run.request.writes_at_all() { most_bytes.max().unwrap_or(0) / READ_BYTES_PER_S } else { 0 };
        let (own, mut sites) = openings.all(own, LOOKING.saturating_add(Duration::from_secs(reading)))?;
        if let (Some(bench), Some(site)) = (&own, sites.first_mut()) {
            *site = Some(bench.site().clone());
        }
        let Meeting { members, targets, .. } = meeting;
        let request = run.request.clone();
        Ok(Box::new(ClusterBench::new(
            self.line.clone(),
            own,
            (request, team),
            sites,
            members,
            targets,
            past.run_ns(),
        )?))
    }
}

impl NodesMeeting {
    /// The targets of the run.
    pub fn targets(&self) -> &[TargetFacts] {
        &self.meeting.targets
    }

    /// The host that the plan is made for: the first one that loads.
    pub fn host(&self) -> &HostFacts {
        let loads = |at: &usize| self.meeting.members[*at].share > 0;
        let first = (0..self.hellos.len()).find(loads).unwrap_or(0);
        &self.hellos[first].host
    }

    /// Refuses lists of targets that do not fit the request once all targets are known.
    pub fn check_lists(&self, request: &Request) -> Result<(), Problem> {
        self.meeting.check_lists(request)
    }

    /// The options of the run, with the targets of all nodes.
    pub fn options(&self, options: &RunOptions) -> RunOptions {
        let mut options = options.clone();
        if let (Some(sides), Some(targets_of_a)) = (&mut options.request.sides, self.meeting.targets_of_a) {
            sides.targets_of_a = targets_of_a;
        }
        options
    }

    /// What the nodes with load say about their targets before they are read.
    pub fn foretold(&self) -> TargetNotice {
        let all = self.meeting.members.iter().zip(&self.hellos).filter(|(member, _)| member.share > 0);
        TargetNotice::of_all(&all.map(|(member, hello)| (&*member.name, &hello.foretold)).collect::<Vec<_>>())
    }

    /// Who measures, in a line.
    pub fn describe(&self) -> String {
        let names: Vec<&str> = self
            .meeting
            .members
            .iter()
            .filter(|member| member.share > 0)
            .map(|member| &*member.name)
            .collect();
        let few = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 8 { format!(" and {} more", names.len() - 8) } else { String::new() };
        let is_of_server = self.hellos.iter().any(|hello| hello.server.is_some());
        let which = match (is_of_server, self.meeting.shared) {
            (true, _) => ", on one server",
            (false, true) => ", on shared targets",
            (false, false) => "",
        };
        format!("{} nodes: {few}{more}{which}", names.len())
    }
}

/// A problem of another node, naming that node.
fn of_node(line: &Line, rank: usize, problem: Problem) -> Problem {
    let place = match problem.place {
        Some(place) => format!("{place} on {}", line.name(rank)),
        None => line.name(rank),
    };
    Problem { place: Some(place), ..problem }
}

/// Refuses what several nodes cannot do.
fn check_together(options: &RunOptions) -> Result<(), Problem> {
    match options.targets {
        TargetSource::Scratch { .. } => {
            return Err(Problem::usage("several nodes need named targets")
                .because("each node would measure a scratch file in its own current directory")
                .next("name files or devices, or list those of each host in NAME.HOST.lun"));
        }
        TargetSource::Server(_) => {
            return Err(Problem::new(ExitKind::Bug, "a database load has no targets to meet at"));
        }
        TargetSource::LunFile(_) | TargetSource::Named(_) | TargetSource::Simulated => {}
    }
    if options.request.soak().is_some_and(|soak| soak.beside.is_some()) {
        return Err(Problem::usage("several nodes cannot run next to production")
            .because("each would only give way to the load on its own host")
            .next("leave out --beside-production, or start `rigel soak` on one host"));
    }
    Ok(())
}

/// Refuses shares of nodes in a run on one.
pub fn check_alone(request: &Request) -> Result<(), Problem> {
    match request.node_share.len() {
        0 | 1 => Ok(()),
        nodes => Err(Problem::usage(format!("the load has shares for {nodes} nodes, but this is one"))
            .at("node_share")
            .next(format!(
                "start it with mpirun -n {nodes} rigel-mpi, or remove node_share from the load file"
            ))),
    }
}

/// Whether a node has a part of the load by its share in the load file.
fn has_part(request: &Request, rank: usize) -> bool {
    request.node_share.get(rank) != Some(&0)
}

/// What this node is and has. One without a part of the load does not examine targets, which it need not have.
fn hello(rank: usize, options: &RunOptions, host: HostFacts) -> Result<Hello, Problem> {
    if !has_part(&options.request, rank) {
        return Ok(without_part(&options.request, host));
    }
    let own = own_list(options);
    let (own_list, options) = (own.is_some(), own.as_ref().unwrap_or(options));
    let targets = targets::look(options, &host)?;
    let strays = strays(options, &targets);
    let foretold =
        if options.dry_run { dry_run::foretell(options, &targets)? } else { TargetNotice::default() };
    let request = options.request.clone();
    Ok(Hello { name: own_name(), host, request, targets, own_list, strays, foretold, server: None })
}

/// The same for one that was there before.
fn hello_again(again: &ResumedRun, options: &RunOptions, host: HostFacts) -> Result<Hello, Problem> {
    use rigel_core::record::resume::{check_host, check_targets, is_restarted};
    let ResumedRun { request, had } = again;
    let Some(had) = had else { return Ok(without_part(request, host)) };
    if request.soak().is_none() {
        check_host(&had.host, &host)?;
    }
    let targets = if request.engine.is_simulated() {
        had.targets.clone()
    } else {
        let places = had.targets.iter().map(super::resume::place).collect();
        let options = RunOptions { targets: TargetSource::Named(places), ..options.clone() };
        targets::look(&options, &host)?
    };
    check_targets(&had.targets, &targets, is_restarted(&had.host, &host))?;
    let strays = strays(options, &targets);
    let (request, foretold) = (request.clone(), TargetNotice::default());
    let (own_list, server) = (true, None);
    Ok(Hello { name: own_name(), host, request, targets, own_list, strays, foretold, server })
}

/// A node that loads nothing.
pub fn without_part(request: &Request, host: HostFacts) -> Hello {
    Hello {
        name: own_name(),
        host,
        request: request.clone(),
        targets: Vec::new(),
        own_list: true,
        strays: Vec::new(),
        foretold: TargetNotice::default(),
        server: None,
    }
}

/// Names of `--destroy-data` that are not a target of this node. They may be one of another node.
fn strays(options: &RunOptions, targets: &[TargetFacts]) -> Vec<String> {
    let is_stray = |path: &&PathBuf| {
        let one = std::slice::from_ref(*path);
        !targets.iter().any(|target| guard::consent_covers(one, target))
    };
    options.destroy.iter().filter(is_stray).map(|path| path_text::encode(path)).collect()
}

/// Refuses a consent that names no target of any node.
fn check_consent(hellos: &[Hello]) -> Result<(), Problem> {
    let with_targets: Vec<&Hello> = hellos.iter().filter(|hello| !hello.targets.is_empty()).collect();
    let Some(first) = with_targets.first() else { return Ok(()) };
    let of_nobody = |name: &&String| with_targets.iter().all(|hello| hello.strays.contains(*name));
    let names: Vec<PathBuf> =
        first.strays.iter().filter(of_nobody).map(|name| path_text::decode(name)).collect();
    consent::check_names(&names, &[])
}

/// With this host's own list of targets, if there is one next to the list: `NAME.HOST.lun`.
fn own_list(options: &RunOptions) -> Option<RunOptions> {
    let TargetSource::LunFile(list) = &options.targets else { return None };
    let own = list.with_extension(format!("{}.lun", own_name()));
    own.exists().then(|| RunOptions { targets: TargetSource::LunFile(own), ..options.clone() })
}

/// The bench of this node, its targets open; nothing is written yet. `between` is called while the targets are read, which may take hours.
fn ready(
    reporter: Reporter<'_>,
    hello: Hello,
    brief: &Brief,
    signals: &Signals,
    between: &dyn Fn(),
) -> Result<Box<dyn Bench>, Problem> {
    let Brief { request, plan, team, run_ns, settled, engine, targets_of_a } = brief;
    let sides = match (request.sides, *targets_of_a) {
        (Some(sides), Some(targets_of_a)) => Some(Sides { targets_of_a, ..sides }),
        (sides, _) => sides,
    };
    let request = Request { sides, ..request.clone() };
    let permits = consent::permits_between(reporter, &hello.targets, &[], signals.flag(), between)?;
    let run = Run {
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: String::new(),
        request,
        plan: plan.clone(),
    };
    make::bench(
        &run,
        hello.host,
        hello.targets,
        &permits,
        Start { run_ns: *run_ns, settled, team, engine: *engine },
    )
}

/// The name of this host, printable.
pub fn own_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    if name.is_empty() { "unnamed".to_owned() } else { path_text::printable(&name).into_owned() }
}

/// A number that no other run has.
fn process_number(seed: u64) -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Generator::new(seed, &[since.as_secs(), since.subsec_nanos().into(), process::id().into()]).bits()
}

/// The load of the options from the file that they name.
fn with_load(options: &RunOptions) -> Result<RunOptions, Problem> {
    let options = load::with_file(options)?.into_owned();
    make::check(&options.request)?;
    Ok(options)
}
