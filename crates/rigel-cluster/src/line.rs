//! The line to the other nodes: messages, and how long a node may be silent.
//!
//! All waiting happens here, with a deadline: a node that does not answer in time is named. Must not know what a run is.

use crate::message::Message;
use rigel_core::error::{ExitKind, Problem};
use std::cell::RefCell;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

/// A node that took so long for a step of its own did not listen meanwhile: nobody was silent in that time.
pub(crate) const LONG_STEP: Duration = Duration::from_secs(2);
/// What to do when a run of several nodes broke off.
const REST: &str =
    "what was measured before is in the record, and `rigel-mpi run --resume RECORD` completes the run";
/// The same of a run that cannot be resumed.
const ANEW: &str = "what was measured before is in the record; start the run again for the rest";
/// The same before anything was measured.
const AGAIN: &str = "start a new run";

/// How messages travel between the nodes of a run. Rank 0 is the first; the others talk to it only. Messages of one node to another arrive
/// in the order in which they were sent.
pub trait Cluster {
    /// The number of this node.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Sends a message. `patience`: how long the other node may be busy before it takes it, where it has something else to do.
    ///
    /// # Errors
    /// When it cannot be sent.
    fn send(&mut self, to: usize, bytes: &[u8], patience: Option<Duration>) -> Result<(), Problem>;

    /// A message that has arrived and from whom; does not wait.
    ///
    /// # Errors
    /// When nothing can arrive any more.
    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem>;
}

/// A node alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoloLine;

impl Cluster for SoloLine {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&mut self, to: usize, _bytes: &[u8], _patience: Option<Duration>) -> Result<(), Problem> {
        Err(Problem::new(ExitKind::Bug, format!("there is no node {to}")))
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem> {
        Ok(None)
    }
}

/// How often who waits looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As often as can be, for short messages whose way is measured.
    Eager,
    /// A thousand times a second, so the CPU is free for the load.
    Easy,
}

/// The line of this node. Copies are the same line.
#[derive(Clone)]
pub struct Line {
    cluster: Rc<RefCell<Box<dyn Cluster>>>,
    state: Rc<RefCell<State>>,
    version: &'static str,
}

struct State {
    /// What each node is called, as far as it said.
    names: Vec<Option<String>>,
    own: String,
    /// Messages to each node, and of each.
    sent: Vec<u64>,
    heard: Vec<u64>,
    /// There is a record.
    measures: bool,
    /// The run can be resumed.
    resumable: bool,
    /// Somebody was silent for too long: the rest cannot be talked to as usual.
    lost: bool,
    /// How long the others may be busy before they take a message, where that is longer than usual.
    patience: Option<Duration>,
}

impl Line {
    /// Of a node with this printable name.
    pub fn new(cluster: Box<dyn Cluster>, own: String, version: &'static str) -> Self {
        let (names, none) = (vec![None; cluster.size()], vec![0; cluster.size()]);
        let state = State {
            names,
            own,
            sent: none.clone(),
            heard: none,
            measures: false,
            resumable: true,
            lost: false,
            patience: None,
        };
        Self { cluster: Rc::new(RefCell::new(cluster)), state: Rc::new(RefCell::new(state)), version }
    }

    /// The number of this node.
    pub fn rank(&self) -> usize {
        self.cluster.borrow().rank()
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.cluster.borrow().size()
    }

    /// All but this one.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank();
        (0..self.size()).filter(move |&rank| rank != own)
    }

    /// A node with what it is called: `node 3 (db4)`.
    pub fn name(&self, rank: usize) -> String {
        match self.state.borrow().names.get(rank).and_then(Option::as_ref) {
            Some(name) => format!("node {rank} ({name})"),
            None => format!("node {rank}"),
        }
    }

    /// The run cannot be resumed, so no message says that it can.
    pub fn never_resumes(&self) {
        self.state.borrow_mut().resumable = false;
    }

    /// Whether a node was lost. Then the program has to be ended from outside.
    pub fn is_lost(&self) -> bool {
        self.state.borrow().lost
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub fn send(&self, to: usize, message: &Message) -> Result<(), Problem> {
        let (own, number) = self.state.borrow_mut().next(to, message);
        let patience = message.patience().max(self.state.borrow().patience);
        let bytes = message
            .encode(self.version, &own, number)
            .map_err(|error| Problem::new(ExitKind::Bug, format!("a message cannot be written: {error}")))?;
        self.cluster.borrow_mut().send(to, &bytes, patience).map_err(|problem| {
            self.state.borrow_mut().lost = true;
            problem.at(self.name(to))
        })
    }

    /// The same to all others.
    ///
    /// # Errors
    /// As [`Line::send`].
    pub fn tell_all(&self, message: impl Fn(usize) -> Message) -> Result<(), Problem> {
        self.tell(&self.others().collect::<Vec<_>>(), message)
    }

    /// The same to some of them.
    ///
    /// # Errors
    /// As [`Line::send`].
    pub fn tell(&self, ranks: &[usize], message: impl Fn(usize) -> Message) -> Result<(), Problem> {
        ranks.iter().try_for_each(|&rank| self.send(rank, &message(rank)))
    }

    /// From here on the others may be busy for so long before they take a message.
    pub(crate) fn be_patient(&self, patience: Option<Duration>) {
        self.state.borrow_mut().patience = patience;
    }

    /// Says that what a node says is not understood. One of another version reads no more of this than which version this node has.
    ///
    /// # Errors
    /// As [`Line::send`].
    pub fn not_understood(&self, to: usize, problem: Problem) -> Result<(), Problem> {
        self.send(to, &Message::Hello(Box::new(Err(problem))))
    }

    /// A message that has arrived.
    ///
    /// # Errors
    /// When it cannot be understood, or one before it is missing.
    pub fn poll(&self) -> Result<Option<(usize, Message)>, Problem> {
        let Some((from, bytes)) = self.cluster.borrow_mut().poll()? else { return Ok(None) };
        let own = format!("node {} ({})", self.rank(), self.state.borrow().own);
        let (message, name, number) = Message::decode(&bytes, self.version, from, &own)?;
        self.state.borrow_mut().measures |= message.has_record();
        if self.state.borrow_mut().is_next(from, name, number) {
            return Ok(Some((from, message)));
        }
        self.state.borrow_mut().lost = true;
        Err(Problem::new(ExitKind::CutShort, format!("a message from {} was lost", self.name(from)))
            .because("the network between the hosts, or MPI, lost a message")
            .next(self.rest()))
    }

    /// The next message, from anyone; `None` when the time is over.
    ///
    /// # Errors
    /// As [`Line::poll`].
    pub fn wait(&self, longest: Duration, pace: Pace) -> Result<Option<(usize, Message)>, Problem> {
        let began = Instant::now();
        loop {
            if let Some(told) = self.poll()? {
                return Ok(Some(told));
            }
            let waited = began.elapsed();
            if waited >= longest {
                return Ok(None);
            }
            match pace {
                Pace::Eager => thread::yield_now(),
                // Who has waited for long may be late by a little more.
                Pace::Easy => {
                    thread::sleep((waited / 20).clamp(Duration::from_micros(50), Duration::from_millis(2)))
                }
            }
        }
    }

    /// An answer of each other node, by rank; nothing in place of this one. What is none for `answer` is skipped when it comes from work
    /// that is over, and refused else.
    ///
    /// # Errors
    /// When one does not answer within `longest`, or answers something else.
    pub fn gather<T>(
        &self,
        longest: Duration,
        what: &str,
        answer: impl FnMut(usize, Message) -> Result<T, Box<Message>>,
    ) -> Result<Vec<Option<T>>, Problem> {
        self.gather_of(&self.others().collect::<Vec<_>>(), longest, what, answer)
    }

    /// The same of some of them.
    ///
    /// # Errors
    /// As [`Line::gather`].
    pub fn gather_of<T>(
        &self,
        ranks: &[usize],
        longest: Duration,
        what: &str,
        answer: impl FnMut(usize, Message) -> Result<T, Box<Message>>,
    ) -> Result<Vec<Option<T>>, Problem> {
        self.gather_until(ranks, longest, what, answer, |_| false)
    }

    /// The same, until all have answered or one of them so that no other answer matters.
    ///
    /// # Errors
    /// As [`Line::gather`].
    pub fn gather_until<T>(
        &self,
        ranks: &[usize],
        longest: Duration,
        what: &str,
        mut answer: impl FnMut(usize, Message) -> Result<T, Box<Message>>,
        decides: impl Fn(&T) -> bool,
    ) -> Result<Vec<Option<T>>, Problem> {
        let mut all: Vec<Option<T>> = (0..self.size()).map(|_| None).collect();
        let mut waiting = ranks.to_vec();
        let began = Instant::now();
        while !waiting.is_empty() {
            let left = longest.saturating_sub(began.elapsed());
            let Some((from, message)) = self.wait(left, Pace::Easy)? else {
                return Err(self.lost(&waiting, longest, what));
            };
            match answer(from, message).map_err(|message| *message) {
                Ok(answer) if waiting.contains(&from) => {
                    waiting.retain(|&rank| rank != from && !decides(&answer));
                    all[from] = Some(answer);
                }
                Err(Message::Tick(_) | Message::Part(_) | Message::Came(_) | Message::Wait(_)) => {}
                Ok(_) => return Err(self.out_of_turn(from, "the same")),
                Err(other) => return Err(self.out_of_turn(from, other.name())),
            }
        }
        Ok(all)
    }

    /// A node said what nobody asked for.
    pub fn out_of_turn(&self, from: usize, what: &str) -> Problem {
        Problem::new(ExitKind::Bug, format!("{} sent '{what}' out of turn", self.name(from)))
            .next("please report this with the command line")
    }

    /// Nodes were silent for so long. From here on nobody is waited for.
    pub fn lost(&self, ranks: &[usize], silent: Duration, what: &str) -> Problem {
        self.state.borrow_mut().lost = true;
        let mut names: Vec<String> = ranks.iter().take(3).map(|&rank| self.name(rank)).collect();
        if ranks.len() > names.len() {
            names.push(format!("{} more", ranks.len() - names.len()));
        }
        let has = if ranks.len() == 1 { "has" } else { "have" };
        Problem::new(
            ExitKind::CutShort,
            format!("{} {has} not answered for {:.1} s {what}", names.join(", "), silent.as_secs_f64()),
        )
        .because("the host or its process stopped or crashed, or the network to it is down")
        .next(format!("check that host; {}", self.rest()))
    }

    /// What to do for what was not measured.
    fn rest(&self) -> &'static str {
        let state = self.state.borrow();
        match (state.measures, state.resumable) {
            (true, true) => REST,
            (true, false) => ANEW,
            (false, _) => AGAIN,
        }
    }
}

impl State {
    /// The name of this node, and the number of its next message to another one.
    fn next(&mut self, to: usize, message: &Message) -> (String, u64) {
        self.measures |= message.has_record();
        let number = self.sent.get(to).copied().unwrap_or(0);
        if let Some(sent) = self.sent.get_mut(to) {
            *sent += 1;
        }
        (self.own.clone(), number)
    }

    /// Whether a message is the one after the last one of that node, whose name is known from now on.
    fn is_next(&mut self, from: usize, name: String, number: u64) -> bool {
        if let Some(known) = self.names.get_mut(from) {
            *known = Some(name);
        }
        self.heard.get_mut(from).is_some_and(|heard| {
            *heard += 1;
            *heard == number.wrapping_add(1)
        })
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Line({} of {})", self.rank(), self.size())
    }
}
