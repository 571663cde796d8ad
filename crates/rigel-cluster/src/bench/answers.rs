//! What the nodes report while they carry out an order, and its result once all are done.
//!
//! Must not send anything except an early end and a sign of life.

use super::{LONG_SILENCE, SILENCE, impossible, of_node};
use crate::clocks::shifted;
use crate::line::{LONG_STEP, Line, Pace};
use crate::message::Message;
use rigel_core::error::Problem;
use rigel_core::load::request::Request;
use rigel_core::record::{NodeCounts, NodeRecord, foreign_tallies};
use rigel_run::bench::{BenchMessage, Detail, Order, Progress, VisitResult, Work};
use rigel_run::job::{Part, Parts};
use std::time::{Duration, Instant};

/// A load may last longer than its order says, until the last I/O came back.
const LONGEST_DRAIN_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Who has said nothing for so long is not told that this node is alive: what a stopped process does not take fills the line, and a send that waits for
/// room keeps this node from telling the others, and from naming who has gone.
const RECENT: Duration = Duration::from_millis(1500);

/// The answers to one order.
pub struct Answers<'a> {
    line: &'a Line,
    /// Who else has a part of the load.
    others: &'a [usize],
    request: &'a Request,
    places: &'a [Vec<u16>],
    ahead: &'a [i64],
    order: Order,
    is_real: bool,
    came: Vec<Option<VisitResult>>,
    /// When each was heard last.
    heard: Vec<Instant>,
    progress: Vec<Progress>,
    parts: Parts,
    ticked: Instant,
    /// When this node looked last whether somebody is silent.
    looked: Instant,
    /// The others know that this node may be silent for long.
    is_busy: bool,
    ended: bool,
    /// Nothing more is waited for.
    problem: Option<Problem>,
}

impl<'a> Answers<'a> {
    pub fn new(
        (line, others): (&'a Line, &'a [usize]),
        (request, places, ahead): (&'a Request, &'a [Vec<u16>], &'a [i64]),
        order: Order,
        (loading, is_real): (usize, bool),
        mut progress: Vec<Progress>,
    ) -> Self {
        let size = line.size();
        progress.resize(size, Progress::default());
        Self {
            line,
            others,
            request,
            places,
            ahead,
            order,
            is_real,
            came: (0..size).map(|_| None).collect(),
            heard: vec![Instant::now(); size],
            progress,
            parts: Parts::of(loading),
            ticked: Instant::now(),
            looked: Instant::now(),
            is_busy: false,
            ended: false,
            problem: None,
        }
    }

    /// What the own bench tells, and what others told meanwhile. Returns whether the load continues.
    pub fn step(
        &mut self,
        heard: Option<BenchMessage>,
        now_ns: u64,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> bool {
        let mut goes_on = true;
        let mut is_tick = heard.is_none() && self.ticked.elapsed() >= super::LOOK;
        match heard {
            Some(BenchMessage::Tick(now)) => {
                self.progress[self.line.rank()] = now;
                is_tick = true;
            }
            Some(BenchMessage::Part(part)) => goes_on &= self.part(*part, hear),
            None => {}
        }
        goes_on &= self.listen(hear);
        if is_tick {
            self.ticked = Instant::now();
            goes_on &= hear(BenchMessage::Tick(Progress { now_ns, ..sum_of(&self.progress) }));
            if self.problem.is_none() {
                self.tell_that_it_goes_on();
            }
        }
        if self.problem.is_some() {
            // The end of the own load and the outputs follow, and nobody is heard any more.
            self.tell_that_it_is_busy();
        }
        goes_on && self.problem.is_none() && !self.has_hung()
    }

    /// The first node is alive, too.
    fn tell_that_it_goes_on(&mut self) {
        self.tell(&Message::Wait(0));
        self.is_busy = false;
    }

    /// What hears an interval writes it to a disk, which may be slow: the others wait for longer until they are told that it continues.
    fn tell_that_it_is_busy(&mut self) {
        if self.is_real && !std::mem::replace(&mut self.is_busy, true) {
            self.tell(&Message::Wait(u64::try_from(LONG_SILENCE.as_nanos()).unwrap_or(u64::MAX)));
        }
    }

    fn tell(&mut self, message: &Message) {
        let takes = |rank: &usize| self.came[*rank].is_some() || self.heard[*rank].elapsed() < RECENT;
        let mut taking = self.others.iter().copied().filter(takes);
        let told = taking.try_for_each(|rank| self.line.send(rank, message));
        self.problem = self.problem.take().or(told.err());
    }

    /// Hears what has arrived. Returns whether the load continues.
    fn listen(&mut self, hear: &mut dyn FnMut(BenchMessage) -> bool) -> bool {
        let mut goes_on = true;
        while self.problem.is_none() {
            match self.line.poll() {
                Ok(Some((from, message))) => goes_on &= self.told(from, message, hear),
                Ok(None) => break,
                Err(problem) => self.problem = Some(problem),
            }
        }
        self.look_for_silence();
        goes_on
    }

    fn told(&mut self, from: usize, message: Message, hear: &mut dyn FnMut(BenchMessage) -> bool) -> bool {
        self.heard[from] = Instant::now();
        match message {
            Message::Tick(progress) => self.progress[from] = progress,
            Message::Part(part) => match self.checked_part(from, *part) {
                Ok(part) => return self.part(part, hear),
                Err(what) => self.problem = Some(impossible(self.line, from, &what)),
            },
            Message::Came(came) if self.came[from].is_none() => match *came {
                Ok(came) => match self.checked(from, came) {
                    Ok(came) => self.came(from, came),
                    Err(what) => self.problem = Some(impossible(self.line, from, &what)),
                },
                Err(problem) => self.problem = Some(of_node(self.line, from, problem)),
            },
            other => self.problem = Some(self.line.out_of_turn(from, other.name())),
        }
        true
    }

    fn part(&mut self, part: Part, hear: &mut dyn FnMut(BenchMessage) -> bool) -> bool {
        let Some(whole) = self.parts.add(part) else { return true };
        self.tell_that_it_is_busy();
        hear(BenchMessage::Part(Box::new(whole)))
    }

    fn look_for_silence(&mut self) {
        if std::mem::replace(&mut self.looked, Instant::now()).elapsed() > LONG_STEP {
            self.heard.fill(self.looked);
        }
        let longest = if self.is_real { SILENCE } else { LONG_SILENCE };
        let silent = |rank: &usize| self.came[*rank].is_none() && self.heard[*rank].elapsed() > longest;
        let silent: Vec<usize> = self.others.iter().copied().filter(silent).collect();
        if let (Some(&first), None) = (silent.first(), &self.problem) {
            self.problem = Some(self.line.lost(&silent, self.heard[first].elapsed(), "while it was at work"));
        }
    }

    fn has_hung(&self) -> bool {
        self.came.iter().flatten().any(|came| came.done.hung.is_some())
    }

    /// Ends the load on all other nodes at a time of the run; whether this is the first time.
    pub fn end_at(&mut self, at_ns: u64) -> bool {
        if std::mem::replace(&mut self.ended, true) {
            return false;
        }
        if !self.line.is_lost() {
            let ahead = self.ahead;
            let told = self.line.tell(self.others, |rank| Message::EndAt(shifted(at_ns, ahead[rank])));
            self.problem = self.problem.take().or(told.err());
        }
        true
    }

    /// What came of it on a node, in the numbers of the run.
    pub fn came(&mut self, rank: usize, mut came: VisitResult) {
        let counted =
            came.done.tallies.iter().map(|(class, tally)| (*class, NodeCounts::from(tally))).collect();
        let joined = NodeRecord {
            late_ns: came.done.late_ns,
            hung: came.done.hung.is_some(),
            counted,
            ..NodeRecord::default()
        };
        came.nodes.iter_mut().for_each(|node| node.joined = Some(joined.clone()));
        if rank == self.line.rank() {
            came.retell(&|target| self.place(rank, target), &|ns| ns);
        }
        self.came[rank] = Some(came);
    }

    pub fn is_waiting(&self) -> bool {
        self.problem.is_none() && self.others.iter().any(|&rank| self.came[rank].is_none())
    }

    /// Lets a little time pass.
    pub fn rest(&self, pace: Pace) {
        match pace {
            Pace::Eager => std::thread::yield_now(),
            Pace::Easy => std::thread::sleep(Duration::from_micros(100)),
        }
    }

    /// The bench of this node failed.
    pub fn failed(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    /// All together. What some nodes handed over of an interval is reported also when another one was lost: they may have seen wrong blocks.
    pub fn sum(
        mut self,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<(VisitResult, Vec<Progress>), Problem> {
        if self.problem.is_some() {
            // Outputs are written now. A node that gives up before would end this one, and with another exit code.
            self.tell_that_it_is_busy();
        }
        for mut part in std::mem::replace(&mut self.parts, Parts::of(0)).rest() {
            // What is durable is known of all nodes or of none: a run that goes on takes the last word of it for the whole.
            let verified = part.tallies.values_mut().filter_map(|tally| tally.verified.as_mut());
            verified.for_each(|verified| verified.settled = None);
            self.tell_that_it_is_busy();
            hear(BenchMessage::Part(Box::new(part)));
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let sum = self.came.into_iter().flatten().reduce(|mut sum, came| {
            sum.add(came);
            sum
        });
        let sum = sum
            .ok_or_else(|| Problem::new(rigel_core::error::ExitKind::Bug, "no node carried out the order"))?;
        Ok((sum, self.progress))
    }

    fn place(&self, rank: usize, target: u16) -> u16 {
        self.places.get(rank).and_then(|places| places.get(usize::from(target))).copied().unwrap_or(u16::MAX)
    }

    fn measured(&self) -> Option<(u64, u64, u64)> {
        let at_ns = self.order.at_ns.unwrap_or(0);
        match self.order.work {
            Work::Measure { settle_ns, measure_ns, detail } => {
                let every_ns = if let Detail::Every(ns) = detail { ns } else { measure_ns };
                Some((at_ns.saturating_add(settle_ns), measure_ns, every_ns))
            }
            Work::WarmUp(_) => None,
        }
    }

    /// Tallies of the classes of the point, over a window that is that of the order, or ends sooner.
    fn checked(&self, rank: usize, mut came: VisitResult) -> Result<VisitResult, String> {
        came.retell(&|target| self.place(rank, target), &|ns| shifted(ns, self.ahead[rank].saturating_neg()));
        let at_ns = self.order.at_ns.unwrap_or(0);
        // What virtual clocks show may be later than what was agreed.
        let within = at_ns.saturating_sub(1_000_000_000)..=at_ns.saturating_add(LONGEST_DRAIN_NS * 365);
        if !within.contains(&came.began_ns)
            || came.ended_ns < came.began_ns
            || !within.contains(&came.ended_ns)
        {
            return Err("its load ran at another time".to_owned());
        }
        let Some((start_ns, measure_ns, _)) = self.measured() else {
            let is_empty = came.done.tallies.is_empty() && came.nodes.is_empty();
            return if is_empty { Ok(came) } else { Err("counts of a warm-up".to_owned()) };
        };
        let end_ns = came.done.window_end_ns;
        if end_ns > start_ns.saturating_add(measure_ns) || came.nodes.len() != 1 {
            return Err("its window does not match the order".to_owned());
        }
        let measured_ns = if end_ns == 0 { measure_ns } else { end_ns.saturating_sub(start_ns) };
        let cut_short = measured_ns < measure_ns;
        if let Some(class) = came.done.tallies.keys().find(|class| self.order.point.of(**class) == 0) {
            return Err(format!("the point does not have the class {class}"));
        }
        foreign_tallies(self.request, &came.done.tallies, measured_ns, cut_short)?;
        Ok(came)
    }

    fn checked_part(&self, rank: usize, mut part: Part) -> Result<Part, String> {
        part.retell(&|target| self.place(rank, target), &|ns| shifted(ns, self.ahead[rank].saturating_neg()));
        let Some((start_ns, measure_ns, every_ns)) = self.measured() else {
            return Err("an interval of a warm-up".to_owned());
        };
        let Part { window, tallies, governed: _ } = &part;
        let at_ns = window.start_ns.checked_sub(start_ns).filter(|at_ns| at_ns % every_ns.max(1) == 0);
        if at_ns.is_none_or(|at_ns| at_ns >= measure_ns) || window.span_ns() > every_ns {
            return Err("an interval that is not part of the order".to_owned());
        }
        foreign_tallies(self.request, tallies, window.span_ns(), true)?;
        Ok(part)
    }
}

/// What all nodes did.
pub fn sum_of(all: &[Progress]) -> Progress {
    let mut sum = Progress::default();
    for one in all {
        for (class, ops) in &one.ops {
            *sum.ops.entry(*class).or_default() += ops;
        }
        for (class, ns) in &one.latency_ns {
            *sum.latency_ns.entry(*class).or_default() += ns;
        }
    }
    sum
}
