//! One visit at a time: warm-up, load, its line in the ledger, and whether the run can go on. In a resumed run the
//! visits of the record replace the load until all of them are used.
//!
//! Must not choose what is visited.

use super::{Outcome, Run};
use crate::crew::{Crew, Progress};
use crate::job::{Done, Job, Stop, Task};
use crate::journal::Ledger;
use crate::witness::Witnesses;
use rigel_core::errno;
use rigel_core::error::Problem;
use rigel_core::event::{Activity, At, Event, Live};
use rigel_core::facts::Changes;
use rigel_core::load::plan::{Plan, WarmUp};
use rigel_core::load::request::Request;
use rigel_core::measure::{HungIo, Window};
use rigel_core::record::resume::{self, Past};
use rigel_core::record::{Line, Purpose, Visit, WarmUpDone};
use rigel_core::units;

/// Why a run does not go on.
pub enum Halt {
    /// It ended in a way that the record tells.
    Outcome(Outcome),
    /// The queue or the ledger broke.
    Problem(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// A visit to be made.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Which.
    pub at: At,
    /// What comes before it.
    pub warm_up: Option<WarmUp>,
    /// Load before the window.
    pub settle_ns: u64,
    /// The window.
    pub measure_ns: u64,
    /// Time that the run needs after this visit, as far as it is known.
    pub later_ns: u64,
}

/// A run going on.
pub struct Walk<'a> {
    run: &'a Run,
    crew: &'a mut dyn Crew,
    ledger: &'a mut dyn Ledger,
    stop: &'a Stop,
    listener: &'a mut dyn FnMut(Event<'_>),
    witness: &'a mut dyn Witnesses,
    /// Visits begun so far.
    visits: u64,
    /// When the last visit or rest was over. What comes next is chosen by it and never by the clock itself, so that the
    /// record alone says how a run came to where it is.
    now_ns: u64,
    /// Visits of the record that the run has not come to yet.
    past: Past,
    /// The line to write before the next one, once the run has used all visits of its record. Until then the record
    /// may turn out not to fit, and must not be changed.
    first: Option<Line>,
    /// I/Os that did not come back; nothing can be measured after them.
    hung: Option<HungIo>,
}

impl<'a> Walk<'a> {
    /// Before the first visit, or the first one after an interruption.
    pub fn new(
        run: &'a Run,
        (first, past): (Option<Line>, Past),
        crew: &'a mut dyn Crew,
        ledger: &'a mut dyn Ledger,
        stop: &'a Stop,
        listener: &'a mut dyn FnMut(Event<'_>),
        witness: &'a mut dyn Witnesses,
    ) -> Self {
        Self { run, crew, ledger, stop, listener, witness, visits: 0, now_ns: 0, past, first, hung: None }
    }

    /// Time of the run at which the last visit or rest was over.
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Appends a line.
    pub fn tell(&mut self, line: &Line) -> Result<(), Problem> {
        if let Some(first) = self.first.take() {
            self.ledger.append(&first)?;
        }
        self.ledger.append(line)
    }

    /// The search has ended with this plan; its line is in the record, or comes there now.
    pub fn planned(&mut self, plan: &Plan) -> Result<(), Problem> {
        self.happened(Event::Planned { plan });
        if self.past.has_plan(plan)? { Ok(()) } else { self.tell(&Line::Plan(Box::new(plan.clone()))) }
    }

    /// Whether every visit of the record had its place.
    pub fn check_end(&self) -> Result<(), Problem> {
        self.past.check_end()
    }

    /// Whether a run that goes on has made no visit of its own yet.
    pub const fn has_nothing_new(&self) -> bool {
        self.first.is_some()
    }

    /// Passes on what happened.
    pub fn happened(&mut self, event: Event<'_>) {
        (self.listener)(event);
    }

    /// Makes a visit and keeps it, or takes it from the record.
    pub fn visit(&mut self, wanted: &Wanted) -> Result<Visit, Halt> {
        if self.stop.wanted() {
            return Err(Halt::Outcome(Outcome::Stopped));
        }
        if let Some(visit) = self.past.next(wanted.at, self.visits)? {
            return self.relive(visit, wanted);
        }
        (self.listener)(Event::VisitStarted { at: wanted.at });
        let Some(visit) = self.load(wanted)? else {
            return Err(Halt::Outcome(self.gave_up().unwrap_or(Outcome::Stopped)));
        };
        self.now_ns = visit.ended_ns();
        self.visits += 1;
        let line =
            if visit.searches() { Line::Search(Box::new(visit)) } else { Line::Visit(Box::new(visit)) };
        self.tell(&line)?;
        let (Line::Visit(visit) | Line::Search(visit)) = line else {
            return Err(Halt::Outcome(Outcome::Stopped));
        };
        (self.listener)(Event::VisitFinished { visit: &visit });
        if let Some(outcome) = self.gave_up() {
            return Err(Halt::Outcome(outcome));
        }
        if let Some(reason) = all_failed(&visit) {
            return Err(Halt::Outcome(Outcome::AllFailed { reason }));
        }
        if visit.cut_short {
            return Err(Halt::Outcome(Outcome::Stopped));
        }
        Ok(*visit)
    }

    /// A visit of the record. A simulated device whose state went with the process that simulated it is brought to
    /// where it was by the same load.
    fn relive(&mut self, visit: Visit, wanted: &Wanted) -> Result<Visit, Halt> {
        if self.crew.has_to_relive() && self.load(wanted)?.as_ref() != Some(&visit) {
            let what = format!("visit {} of the record is not what this device does", visit.number);
            return Err(Halt::Problem(resume::other_way(what)));
        }
        self.now_ns = visit.ended_ns();
        self.crew.catch_up(self.now_ns);
        self.visits += 1;
        (self.listener)(Event::VisitFinished { visit: &visit });
        Ok(visit)
    }

    /// How the run ends when I/Os did not come back.
    fn gave_up(&self) -> Option<Outcome> {
        let hung = self.hung?;
        Some(Outcome::Hung { reason: hung.sentence(&self.run.targets) })
    }

    /// Lets time pass without load.
    pub fn rest(&mut self, at: At, ns: u64, later_ns: u64) -> Result<(), Halt> {
        let end_ns = self.now_ns.saturating_add(ns);
        self.now_ns = end_ns;
        if !self.past.visits.is_empty() {
            self.crew.catch_up(end_ns);
            return Ok(());
        }
        let Self { crew, stop, listener, .. } = self;
        crew.rest(end_ns.saturating_sub(crew.now_ns()), &mut |now| {
            let remaining_ns = later_ns.saturating_add(end_ns.saturating_sub(now.now_ns));
            let live = Live::default();
            listener(Event::Tick {
                at,
                activity: Activity::Rest,
                elapsed_ns: now.now_ns,
                remaining_ns,
                live,
            });
            !stop.wanted()
        });
        if stop.wanted() { Err(Halt::Outcome(Outcome::Stopped)) } else { Ok(()) }
    }

    /// Warms up and measures; `None` when the user stopped it before anything was measured.
    fn load(&mut self, wanted: &Wanted) -> Result<Option<Visit>, Problem> {
        let At { step, point, purpose } = wanted.at;
        let warm_up = match wanted.warm_up {
            Some(warm_up) => match self.warm_up(wanted, warm_up)? {
                Some(done) => Some(done),
                None => return Ok(None),
            },
            None => None,
        };
        self.witness.begin();
        let loaded_from_ns = self.crew.now_ns();
        let start_ns = loaded_from_ns.saturating_add(wanted.settle_ns);
        let window = Window { start_ns, end_ns: start_ns.saturating_add(wanted.measure_ns) };
        // What is judged again once all visits are known has to be seen from the start.
        let lead_ns = if purpose == Purpose::Only { 0 } else { wanted.settle_ns };
        let task = Task::Measure { window, lead_ns };
        let done = self.work(wanted, task, Activity::Measure, window.end_ns)?;
        let loaded_until_ns = self.crew.now_ns();
        let measured_ns = done.window_end_ns.saturating_sub(start_ns);
        if measured_ns == 0 {
            return Ok(None);
        }
        // Asking a device that does not answer could take as long as its I/Os.
        let changed = match done.hung {
            None => self.crew.changes(&self.run.host.cgroup.io_max),
            Some(_) => Changes::default(),
        };
        let [small, large] = done.tallies;
        Ok(Some(Visit {
            step,
            number: self.visits,
            purpose,
            point,
            began_ns: start_ns,
            settle_ns: wanted.settle_ns,
            measured_ns,
            cut_short: measured_ns < window.span_ns(),
            warm_up,
            worker_cpu_ns: Some(done.cpu_ns),
            busiest_worker_cpu_ns: Some(done.busiest_cpu_ns),
            loaded_ns: loaded_until_ns.saturating_sub(loaded_from_ns),
            moved_bytes: done.bytes,
            ios: Some(done.ios),
            hung: done.hung,
            changed,
            witness: self.witness.between(loaded_from_ns, loaded_until_ns),
            small,
            large,
        }))
    }

    fn warm_up(&mut self, wanted: &Wanted, warm_up: WarmUp) -> Result<Option<WarmUpDone>, Problem> {
        let began_ns = self.crew.now_ns();
        let (until_ns, bytes) = match warm_up {
            WarmUp::Time(time) => (began_ns.saturating_add(time.0), u64::MAX),
            WarmUp::Bytes(bytes) => (u64::MAX, bytes),
        };
        let done = self.work(wanted, Task::WarmUp { until_ns, bytes }, Activity::WarmUp, until_ns)?;
        let ns = self.crew.now_ns().saturating_sub(began_ns);
        let whole = !done.stopped && done.hung.is_none();
        Ok(whole.then_some(WarmUpDone { ns, bytes: done.bytes, failures: done.failures }))
    }

    /// Gives the crew a job and passes on what it tells.
    fn work(
        &mut self,
        wanted: &Wanted,
        task: Task,
        activity: Activity,
        end_ns: u64,
    ) -> Result<Done, Problem> {
        let job = Job { visit: self.visits, point: wanted.at.point, task };
        let mut last: Option<Progress> = None;
        let Self { run, crew, stop, listener, .. } = self;
        let done = crew.work(job, &mut |now| {
            let live = last.map_or_else(Live::default, |last| live(&run.request, last, now));
            last = Some(now);
            let measure_ns =
                if activity == Activity::WarmUp { wanted.settle_ns + wanted.measure_ns } else { 0 };
            let rest_ns = if end_ns == u64::MAX { 0 } else { end_ns.saturating_sub(now.now_ns) };
            let remaining_ns = wanted.later_ns.saturating_add(measure_ns).saturating_add(rest_ns);
            listener(Event::Tick { at: wanted.at, activity, elapsed_ns: now.now_ns, remaining_ns, live });
            !stop.wanted()
        })?;
        self.hung = done.hung;
        Ok(done)
    }
}

/// Rates between two looks.
fn live(request: &Request, last: Progress, now: Progress) -> Live {
    let span_ns = now.now_ns.saturating_sub(last.now_ns);
    let large_ops = now.large_ops.saturating_sub(last.large_ops);
    Live {
        small_iops: units::iops(now.small_ops.saturating_sub(last.small_ops), span_ns),
        large_mbps: units::mbps(large_ops.saturating_mul(request.large_bytes), span_ns),
        large_iops: units::iops(large_ops, span_ns),
    }
}

/// Whether only errors came back. The next point would fail in the same way.
pub(super) fn all_failed(visit: &Visit) -> Option<String> {
    if !visit.all_failed() {
        return None;
    }
    let tallies = [&visit.small, &visit.large].into_iter().flatten();
    let errno = tallies.filter_map(|tally| tally.first_error).next().map_or(0, |error| error.errno);
    Some(format!(
        "every I/O of the point small {} large {} failed ({})",
        visit.point.small,
        visit.point.large,
        errno::text(errno)
    ))
}
