//! The bench of the first node: its own bench and those of the others, as one.
//!
//! An order goes to all with one time of start, each node's on its own clock. Intervals are reported once all loading nodes have handed over theirs.
//! What the others say is checked before it is added. Must not know what is loaded, or how messages travel.

mod answers;

use crate::around::Around;
use crate::clocks::{Clocks, shifted};
use crate::line::{Line, Pace};
use crate::message::Message;
use answers::Answers;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::facts::drive::Drive;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::LoadClass;
use rigel_core::load::request::Request;
use rigel_core::load::team::Team;
use rigel_core::record::{Member, Node, NodeVisit, Nodes};
use rigel_core::units::{NS_PER_MS, NS_PER_S, NS_PER_US};
use rigel_io::clock::{Clock, MonotonicClock};
use rigel_run::bench::{
    Bench, BenchMessage, Order, Progress, RunPast, Site, TICK, VisitResult, rest_in_real_time,
};
use std::cell::RefCell;
use std::time::Duration;

/// A visit whose nodes began further apart is made once more, and flagged when that did not help.
pub const MOST_SKEW_NS: u64 = NS_PER_MS;
/// The load begins so long after its order went out, or four round trips, for the slower of which there is room.
const LEAD_NS: u64 = 20 * NS_PER_MS;
/// No lead is longer: a way so slow is no network of a cluster.
const LONGEST_LEAD_NS: u64 = 2 * NS_PER_S;
/// What the message to one node takes the first one.
const LEAD_PER_NODE_NS: u64 = 20 * NS_PER_US;
/// An early end is set this far in the future, so all hear of it in time: a node looks ten times a second.
const EARLY_END_NS: u64 = 250 * NS_PER_MS;
/// A node at work shows how far it is four times a second.
const SILENCE: Duration = Duration::from_secs(6);
/// In virtual time a node says nothing while it works, and asking drives may take long.
const LONG_SILENCE: Duration = Duration::from_secs(600);
/// Makes another visit of a visit that is made once more, with other offsets: what was read just now may lie in a cache.
const ONCE_MORE: u64 = 1 << 62;

/// The benches of all nodes.
pub struct ClusterBench {
    line: Line,
    /// That of this node; none where it only coordinates.
    own: Option<Box<dyn Bench>>,
    /// The ranks of the other nodes that have a part of the load; the rest hear nothing before the end.
    others: Vec<usize>,
    /// Where there is no bench of its own.
    clock: MonotonicClock,
    request: Request,
    team: Team,
    /// Of each rank: the places of its targets in the list of the run.
    places: Vec<Vec<u16>>,
    site: Site,
    clocks: Clocks,
    /// Time passes on its own.
    is_real: bool,
    /// When the last work ended.
    ended_ns: u64,
    lead_ns: u64,
    /// What the nodes did until now, by rank.
    progress: Vec<Progress>,
    around: Option<Box<dyn Around>>,
    closed: bool,
}

impl ClusterBench {
    /// Of nodes that are ready. `sites` are those of all ranks, `None` for a node without a part of the load; `members` and `targets` are
    /// those of the run, `run_ns` the time at which it begins or continues.
    ///
    /// # Errors
    /// When no node loads, or one does not answer.
    pub fn new(
        line: Line,
        own: Option<Box<dyn Bench>>,
        (request, team): (Request, Team),
        sites: Vec<Option<Site>>,
        members: Vec<Member>,
        targets: Vec<TargetFacts>,
        run_ns: u64,
    ) -> Result<Self, Problem> {
        let member = |(site, member): (Option<Site>, &Member)| {
            Some(Node { member: Some(member.clone()), ..site?.nodes.first().clone() })
        };
        let others = line.others().filter(|&rank| sites.get(rank).is_some_and(Option::is_some)).collect();
        let nodes: Vec<Node> = sites.into_iter().zip(&members).filter_map(member).collect();
        let nodes = Nodes::try_from(nodes)
            .map_err(|what| Problem::usage(what).next("give the first node a share, or start more nodes"))?;
        let is_real = nodes.first().engine.kind != EngineKind::Sim;
        let mut bench = Self {
            progress: vec![Progress::default(); line.size()],
            line,
            own,
            others,
            clock: MonotonicClock::at(run_ns),
            request,
            team,
            places: members.into_iter().map(|member| member.targets).collect(),
            site: Site { nodes, targets },
            clocks: Clocks::default(),
            is_real,
            ended_ns: run_ns,
            lead_ns: LEAD_NS,
            around: None,
            closed: false,
        };
        bench.look_at_clocks()?;
        Ok(bench)
    }

    /// The same with what the first node does around the work of all.
    #[must_use]
    pub fn with(mut self, around: Box<dyn Around>) -> Self {
        self.around = Some(around);
        self
    }

    fn look_at_clocks(&mut self) -> Result<(), Problem> {
        if !self.is_real {
            return Ok(());
        }
        let mut clocks = std::mem::take(&mut self.clocks);
        let looked = clocks.look(&self.line, &self.others, &|| self.now_ns());
        self.clocks = clocks;
        looked
    }

    /// How long before it begins an order has to go out.
    fn lead_ns(&self) -> u64 {
        if !self.is_real {
            return 0;
        }
        let nodes = self.line.size() as u64;
        let ways = self.clocks.longest_round_trip_ns().saturating_mul(4);
        self.lead_ns.max(ways).saturating_add(nodes * LEAD_PER_NODE_NS).min(LONGEST_LEAD_NS)
    }

    /// Whether a node has anything of a point.
    fn loads(&self, rank: usize, order: &Order) -> bool {
        let team = self.team.seen_by(u32::try_from(rank).unwrap_or(u32::MAX));
        let classes = self.request.classes.iter().enumerate();
        classes.into_iter().any(|(place, class): (usize, &LoadClass)| {
            let level = class.dealt(order.point.of(class.name));
            team.deal(level, place).count(level) > 0
        })
    }

    /// Does an order on all nodes, with what the first one does around it.
    fn surrounded(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        if let Some(around) = self.around.as_mut().filter(|_| order.measures()) {
            around.before()?;
        }
        let mut came = self.once(order, hear)?;
        if let Some(around) = self.around.as_mut().filter(|_| order.measures()) {
            around.after(&mut came)?;
        }
        Ok(came)
    }

    /// Does an order on all nodes.
    fn once(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        self.look_at_clocks()?;
        let at_ns = self.now_ns().saturating_add(self.lead_ns());
        let ahead: Vec<i64> = (0..self.line.size()).map(|rank| self.clocks.of(rank).at(at_ns)).collect();
        let order = Order { at_ns: Some(at_ns), ..*order };
        self.line.tell(&self.others, |rank| {
            Message::Do(Order { at_ns: Some(shifted(at_ns, ahead[rank])), ..order })
        })?;
        let loading = (0..self.line.size()).filter(|&rank| self.loads(rank, &order)).count();
        let ender = self.own.as_ref().map(|own| own.early_end()).unwrap_or_default();
        let answers = RefCell::new(Answers::new(
            (&self.line, &self.others),
            (&self.request, &self.places, &ahead),
            order,
            (loading, self.is_real),
            std::mem::take(&mut self.progress),
        ));
        let early_ns = EARLY_END_NS.saturating_add(self.lead_ns());
        let is_real = self.is_real;
        let mut step = |heard: Option<BenchMessage>, now_ns: u64| {
            let now_ns = if let Some(BenchMessage::Tick(now)) = &heard { now.now_ns } else { now_ns };
            let mut answers = answers.borrow_mut();
            let goes_on = answers.step(heard, now_ns, hear);
            if !goes_on && answers.end_at(now_ns.saturating_add(early_ns)) {
                ender.at(now_ns.saturating_add(early_ns));
            }
            // A bench that cannot end at a moment ends when it hears so.
            goes_on || is_real
        };
        let own = self.own.as_mut().map(|own| {
            let now = MonotonicClock::at(own.now_ns());
            own.work(&order, &mut |heard| step(Some(heard), now.now_ns()))
        });
        let own_now = || self.own.as_ref().map_or_else(|| self.clock.now_ns(), |own| own.now_ns());
        match own {
            Some(Ok(came)) => answers.borrow_mut().came(self.line.rank(), came),
            Some(Err(problem)) => answers.borrow_mut().failed(problem),
            None => {}
        }
        while answers.borrow().is_waiting() {
            step(None, own_now());
            if answers.borrow().is_waiting() {
                answers.borrow().rest(Pace::Easy);
            }
        }
        let (came, progress) = answers.into_inner().sum(hear)?;
        self.progress = progress;
        self.ended_ns = self.ended_ns.max(came.ended_ns);
        Ok(came)
    }

    /// Adds what is known about the clocks to what the nodes did.
    fn with_clocks(&self, came: &mut VisitResult, at_ns: u64) {
        let own = self.own.as_ref().map(|_| self.line.rank());
        let ranks = own.into_iter().chain(self.others.iter().copied());
        for (rank, node) in ranks.zip(&mut came.nodes) {
            let ahead = self.clocks.of(rank);
            if let Some(joined) = &mut node.joined {
                (joined.clock_ahead_ns, joined.round_trip_ns) = (ahead.at(at_ns), ahead.round_trip_ns);
            }
        }
    }

    /// Whether the nodes began too far apart for a visit that can be made once more: of one that told intervals, found wrong data or errors,
    /// or was ended, nothing may be lost.
    fn begin_again(&mut self, order: &Order, came: &VisitResult) -> bool {
        if !self.is_real || NodeVisit::skew_ns(&came.nodes).is_none_or(|skew_ns| skew_ns <= MOST_SKEW_NS) {
            return false;
        }
        // Whoever heard of it too late gets more time.
        self.lead_ns = self.lead_ns.saturating_mul(2).min(LONGEST_LEAD_NS);
        let is_quiet = came.done.tallies.values().all(|tally| tally.errors == 0 && tally.verified.is_none());
        order.measures() && !order.tells_parts() && is_quiet && came.done.hung.is_none() && !came.done.stopped
    }

    /// Ends the run on the other nodes.
    fn close(&mut self) {
        if !self.closed && !self.line.is_lost() {
            // Whoever does not hear it ends by himself.
            let _ = self.line.tell_all(|_| Message::End);
        }
        self.closed = true;
    }
}

impl Bench for ClusterBench {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        match &self.own {
            Some(own) if self.is_real => own.now_ns(),
            Some(own) => own.now_ns().max(self.ended_ns),
            None if self.is_real => self.clock.now_ns(),
            None => self.ended_ns,
        }
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let mut came = self.surrounded(order, hear)?;
        if self.begin_again(order, &came) {
            came = self.surrounded(&Order { visit: order.visit | ONCE_MORE, ..*order }, hear)?;
            came.nodes
                .iter_mut()
                .filter_map(|node| node.joined.as_mut())
                .for_each(|joined| joined.again = true);
        }
        let began_ns = came.began_ns;
        self.with_clocks(&mut came, began_ns);
        Ok(came)
    }

    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        // What breaks here is told by the next work.
        let _ = self.line.tell(&self.others, |_| Message::Wait(ns));
        let progress = Progress { now_ns: 0, ..answers::sum_of(&self.progress) };
        match &mut self.own {
            Some(own) => own.rest(ns, &mut |heard| match heard {
                BenchMessage::Tick(now) => {
                    hear(BenchMessage::Tick(Progress { now_ns: now.now_ns, ..progress.clone() }))
                }
                part => hear(part),
            }),
            None if self.is_real => {
                let clock = self.clock;
                rest_in_real_time(ns, || Progress { now_ns: clock.now_ns(), ..progress.clone() }, hear);
            }
            None => self.ended_ns = self.ended_ns.saturating_add(ns),
        }
    }

    fn pass(&mut self, until_ns: u64, passed: RunPast) -> bool {
        self.ended_ns = self.ended_ns.max(until_ns);
        let own = self.own.as_mut().is_none_or(|own| own.pass(until_ns, passed));
        if self.is_real {
            return own;
        }
        let told = self.line.tell(&self.others, |_| Message::Pass(until_ns, passed));
        let answers = told.and_then(|()| {
            let what = "when it was sent the earlier samples";
            self.line.gather_of(&self.others, LONG_SILENCE, what, |_, message| match message {
                Message::Passed(is_behind) => Ok(is_behind),
                other => Err(Box::new(other)),
            })
        });
        // Not behind them all: the visit is made again, which tells what is wrong.
        answers.is_ok_and(|all| own && all.into_iter().flatten().all(|is_behind| is_behind))
    }

    fn drives(&mut self) -> Option<Vec<Drive>> {
        let told = self.line.tell(&self.others, |_| Message::AskDrives);
        let mut all: Vec<Option<Drive>> = Vec::new();
        let own = self.own.as_mut().and_then(|own| own.drives());
        let asked = told.and_then(|()| {
            let what = "when its drives were queried";
            self.line.gather_of(&self.others, LONG_SILENCE, what, |_, message| match message {
                Message::Drives(drives) => Ok(drives),
                other => Err(Box::new(other)),
            })
        });
        let mut by_rank: Vec<Option<Vec<Drive>>> =
            asked.unwrap_or_default().into_iter().map(Option::flatten).collect();
        by_rank.resize(self.line.size(), None);
        by_rank[self.line.rank()] = own;
        if by_rank.iter().all(Option::is_none) {
            return None;
        }
        for (rank, drives) in by_rank.into_iter().enumerate() {
            let name = self.line.name(rank);
            for drive in drives.unwrap_or_default() {
                let is_there = |seen: &Drive| {
                    drive.serial.is_some() && (&seen.serial, &seen.model) == (&drive.serial, &drive.model)
                };
                if !all.iter().flatten().any(is_there) {
                    // Two hosts have an `sda` each.
                    all.push(Some(Drive { name: format!("{} on {name}", drive.name), ..drive }));
                }
            }
        }
        Some(all.into_iter().flatten().collect())
    }
}

impl Drop for ClusterBench {
    fn drop(&mut self) {
        self.close();
    }
}

/// A run that ended as one of several nodes did.
pub(crate) fn of_node(line: &Line, rank: usize, problem: Problem) -> Problem {
    let place = match problem.place {
        Some(place) => format!("{place} on {}", line.name(rank)),
        None => line.name(rank),
    };
    Problem { place: Some(place), ..problem }
}

/// What no node may say.
pub(crate) fn impossible(line: &Line, rank: usize, what: &str) -> Problem {
    Problem::new(ExitKind::Bug, format!("{} reported something impossible: {what}", line.name(rank)))
        .next("please report this with the command line")
}

/// How often the first node looks while it waits for others.
pub(crate) const LOOK: Duration = TICK;
