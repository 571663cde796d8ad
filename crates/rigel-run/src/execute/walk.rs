//! One visit at a time: warm-up, load, its line in the journal, and whether the run can continue. In a resumed run the
//! visits of the record replace the load until all of them are used.
//!
//! Must not choose what is visited.

use super::Outcome;
use super::intervals::IntervalRemainder;
use crate::bench::{Bench, BenchMessage, Detail, Order, Progress, RunPast, VisitResult, Work};
use crate::job::Stop;
use crate::journal::Journal;
use crate::marks::Marks;
use crate::wall::Wall;
use rigel_core::error::Problem;
use rigel_core::event::{Activity, Event, LiveFigures, VisitPosition};
use rigel_core::facts::DriveLook;
use rigel_core::load::class::{Class, PerClass, Shape};
use rigel_core::load::plan::{Plan, WarmUp};
use rigel_core::measure::HungIo;
use rigel_core::record::resume::{self, RecordPast};
use rigel_core::record::{Header, Line, Mark, Purpose, Visit, WarmUpLoad};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units;

/// Why a run does not go on.
pub enum Halt {
    /// It ended in a way that the record shows.
    Outcome(Outcome),
    /// The queue or the journal broke.
    Problem(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// A visit to be made.
#[derive(Clone, Copy, Debug)]
pub struct VisitPlan {
    /// The point.
    pub at: VisitPosition,
    /// The load before it.
    pub warm_up: Option<WarmUp>,
    /// Load before the window.
    pub settle_ns: u64,
    /// The window.
    pub measure_ns: u64,
    /// Time that the run needs after this visit, as far as it is known.
    pub later: TimeRange,
    /// The counts of every this many nanoseconds get a line of their own, while the load continues.
    pub every_ns: Option<u64>,
    /// The distribution of arrivals, if it differs from that of the classes.
    pub shape: Option<Shape>,
}

/// A run going on.
pub struct Walk<'a> {
    header: &'a Header,
    wall: &'a Wall,
    bench: &'a mut dyn Bench,
    journal: &'a mut dyn Journal,
    stop: &'a Stop,
    listener: &'a mut dyn FnMut(Event<'_>),
    /// Visits begun so far.
    visits: u64,
    /// When the last visit or rest was over. What comes next is chosen by it and never by the clock, so the
    /// record alone determines the course of a run.
    now_ns: u64,
    /// The loaded time of the visits so far, including those of the record.
    loaded_ns: u64,
    /// Visits of the record that the run has not come to yet.
    past: RecordPast,
    /// The line to write before the next one, once the run has used all visits of its record. Until then the record
    /// may turn out not to fit, and must not be changed.
    first: Option<Line>,
    /// Marks of people and of the host during the load.
    marks: Marks,
    /// A visit of the record is repeated, to bring the bench to its state; nothing of it is stored.
    is_relived: bool,
    /// I/Os that did not complete; nothing can be measured after them.
    hung: Option<HungIo>,
    /// The drives were asked what they say about themselves.
    has_looked: bool,
}

impl<'a> Walk<'a> {
    /// Before the first visit, or the first one after an interruption.
    pub fn new(
        (header, wall): (&'a Header, &'a Wall),
        (first, past, marks): (Option<Line>, RecordPast, Marks),
        bench: &'a mut dyn Bench,
        journal: &'a mut dyn Journal,
        stop: &'a Stop,
        listener: &'a mut dyn FnMut(Event<'_>),
    ) -> Self {
        Self {
            header,
            wall,
            bench,
            journal,
            stop,
            listener,
            visits: 0,
            now_ns: 0,
            loaded_ns: 0,
            past,
            first,
            marks,
            is_relived: false,
            hung: None,
            has_looked: false,
        }
    }

    /// The loaded time of the visits so far.
    pub const fn loaded_ns(&self) -> u64 {
        self.loaded_ns
    }

    /// Time of the run at which the last visit or rest was over.
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Appends a line.
    pub fn tell(&mut self, line: &Line) -> Result<(), Problem> {
        if let Some(first) = self.first.take() {
            self.journal.append(&first)?;
        }
        self.journal.append(line)
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

    /// Whether a run that continues has not made any visit itself yet.
    pub const fn has_nothing_new(&self) -> bool {
        self.first.is_some()
    }

    /// Passes on what happened.
    pub fn happened(&mut self, event: Event<'_>) {
        (self.listener)(event);
    }

    /// Makes a visit and stores it, or takes it from the record.
    pub fn visit(&mut self, wanted: &VisitPlan) -> Result<Visit, Halt> {
        if self.stop.wanted() {
            return Err(Halt::Outcome(Outcome::Stopped));
        }
        if let Some(visit) = self.past.next(wanted.at, self.visits)? {
            return self.relive(visit, wanted);
        }
        (self.listener)(Event::VisitStarted { at: wanted.at });
        self.tell_part()?;
        self.first_look()?;
        let Some(visit) = self.load(wanted)? else {
            return Err(Halt::Outcome(self.gave_up().unwrap_or(Outcome::Stopped)));
        };
        self.now_ns = visit.ended_ns();
        self.loaded_ns = self.loaded_ns.saturating_add(visit.loaded_ns);
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
        if let Some(reason) = all_failed(self.header, &visit) {
            return Err(Halt::Outcome(Outcome::AllFailed { reason }));
        }
        if visit.cut_short {
            return Err(Halt::Outcome(Outcome::Stopped));
        }
        Ok(*visit)
    }

    /// For a resumed soak: its line is in the record before the first I/O. The blocks of each process are distinguished by the number of such lines,
    /// including those of a process that ends before its first interval.
    fn tell_part(&mut self) -> Result<(), Problem> {
        match self.first.take_if(|_| self.header.request.soak().is_some()) {
            Some(first) => self.journal.append(&first),
            None => Ok(()),
        }
    }

    /// For a soak: the drives' answers before its first load, also after a resumption.
    fn first_look(&mut self) -> Result<(), Problem> {
        if self.has_looked || self.header.request.soak().is_none() {
            return Ok(());
        }
        self.has_looked = true;
        self.look_at_drives()
    }

    /// For a soak that loaded something: their answers after it.
    pub fn last_look(&mut self) -> Result<(), Problem> {
        if self.has_looked { self.look_at_drives() } else { Ok(()) }
    }

    fn look_at_drives(&mut self) -> Result<(), Problem> {
        let Some(drives) = self.bench.drives() else { return Ok(()) };
        let look = DriveLook { at: self.wall.after(self.now_ns), run_ns: self.now_ns, drives };
        let line = Line::Drives(look);
        self.tell(&line)?;
        if let Line::Drives(look) = &line {
            (self.listener)(Event::DrivesAsked { look });
        }
        Ok(())
    }

    /// A visit of the record. A simulated device whose state ended with its process is restored by the same load.
    fn relive(&mut self, visit: Visit, wanted: &VisitPlan) -> Result<Visit, Halt> {
        self.now_ns = visit.ended_ns();
        if !self.bench.pass(self.now_ns, RunPast::Visit) {
            self.is_relived = true;
            let again = self.load(wanted);
            self.is_relived = false;
            if again?.as_ref() != Some(&visit) {
                let what = format!("visit {} of the record does not match this device", visit.number);
                return Err(Halt::Problem(resume::other_way(what)));
            }
        }
        self.visits += 1;
        self.loaded_ns = self.loaded_ns.saturating_add(visit.loaded_ns);
        (self.listener)(Event::VisitFinished { visit: &visit });
        Ok(visit)
    }

    /// How the run ends if I/Os did not complete.
    fn gave_up(&self) -> Option<Outcome> {
        let hung = self.hung?;
        Some(Outcome::Hung { reason: hung.sentence(&self.header.targets) })
    }

    /// Lets time pass without load.
    pub fn rest(&mut self, at: VisitPosition, ns: u64, later: TimeRange) -> Result<(), Halt> {
        let end_ns = self.now_ns.saturating_add(ns);
        self.now_ns = end_ns;
        if !self.past.visits.is_empty() {
            self.bench.pass(end_ns, RunPast::Rest);
            return Ok(());
        }
        let Self { bench, stop, listener, .. } = self;
        bench.rest(end_ns.saturating_sub(bench.now_ns()), &mut |heard| {
            let BenchMessage::Tick(now) = heard else { return !stop.wanted() };
            let left = later.plus(end_ns.saturating_sub(now.now_ns));
            let live = LiveFigures::default();
            listener(Event::Tick { at, activity: Activity::Rest, elapsed_ns: now.now_ns, left, live });
            !stop.wanted()
        });
        if stop.wanted() { Err(Halt::Outcome(Outcome::Stopped)) } else { Ok(()) }
    }

    /// Warms up and measures; `None` when the user stopped it before anything was measured.
    fn load(&mut self, wanted: &VisitPlan) -> Result<Option<Visit>, Problem> {
        let VisitPosition { step, point, purpose } = wanted.at;
        let warm_up = match wanted.warm_up {
            Some(warm_up) => match self.warm_up(wanted, warm_up)? {
                Some(done) => Some(done),
                None => return Ok(None),
            },
            None => None,
        };
        let detail = match (purpose, wanted.every_ns) {
            (_, Some(ns)) => Detail::Every(ns),
            (Purpose::Only | Purpose::Phase(_) | Purpose::Warm | Purpose::Again, None) => Detail::Window,
            // It is judged again once all visits are known, so it has to be seen from the start.
            (_, None) => Detail::Settling,
        };
        let work = Work::Measure { settle_ns: wanted.settle_ns, measure_ns: wanted.measure_ns, detail };
        let VisitResult { done, began_ns, ended_ns, nodes } = self.work(wanted, work, Activity::Measure)?;
        let start_ns = began_ns.saturating_add(wanted.settle_ns);
        let measured_ns = done.window_end_ns.saturating_sub(start_ns);
        if measured_ns == 0 {
            return Ok(None);
        }
        Ok(Some(Visit {
            step,
            number: self.visits,
            purpose,
            point,
            began_ns: start_ns,
            settle_ns: wanted.settle_ns,
            measured_ns,
            cut_short: measured_ns < wanted.measure_ns,
            warm_up,
            worker_cpu_ns: Some(done.cpu_ns),
            busiest_worker_cpu_ns: Some(done.busiest_cpu_ns),
            loaded_ns: ended_ns.saturating_sub(began_ns),
            ios: Some(done.ios),
            hung: done.hung,
            nodes,
            tallies: match wanted.every_ns {
                Some(ns) => {
                    done.tallies.into_iter().map(|(class, tally)| (class, tally.widened(ns))).collect()
                }
                None => done.tallies,
            },
        }))
    }

    fn warm_up(&mut self, wanted: &VisitPlan, warm_up: WarmUp) -> Result<Option<WarmUpLoad>, Problem> {
        let VisitResult { done, began_ns, ended_ns, .. } =
            self.work(wanted, Work::WarmUp(warm_up), Activity::WarmUp)?;
        let whole = !done.stopped && done.hung.is_none();
        let ns = ended_ns.saturating_sub(began_ns);
        Ok(whole.then_some(WarmUpLoad { ns, bytes: done.bytes, failures: done.failures }))
    }

    /// Gives the bench an order and passes on its messages.
    fn work(&mut self, wanted: &VisitPlan, work: Work, activity: Activity) -> Result<VisitResult, Problem> {
        let order =
            Order { visit: self.visits, point: wanted.at.point, work, at_ns: None, shape: wanted.shape };
        let end_ns = order.end_ns(self.bench.now_ns());
        let mut last: Option<Progress> = None;
        let mut unkept: Option<Problem> = None;
        let is_through = self.header.request.soak().is_some_and(|soak| soak.through);
        let mut kept =
            IntervalRemainder::of(self.header.targets.len(), is_through, wanted.every_ns.unwrap_or(0));
        let Self { bench, journal, stop, listener, first, visits, is_relived, marks, wall, .. } = self;
        let came = bench.work(&order, &mut |heard| {
            let now = match heard {
                BenchMessage::Tick(now) => {
                    let written = keep_marks(marks, &now, wall, first, *journal, *listener);
                    if let (Err(problem), None) = (written, &unkept) {
                        unkept = Some(problem);
                        return false;
                    }
                    now
                }
                // The line of the visit is in the record already.
                BenchMessage::Part(_) if *is_relived => return true,
                BenchMessage::Part(_) if unkept.is_some() => return false,
                BenchMessage::Part(part) => {
                    let line = Line::Interval(Box::new(kept.interval(*visits, *part)));
                    let before = first.take().map_or(Ok(()), |first| journal.append(&first));
                    unkept = before.and_then(|()| journal.append(&line)).err();
                    if let (Line::Interval(interval), None) = (&line, &unkept) {
                        listener(Event::IntervalKept { interval });
                    }
                    return unkept.is_none() && !stop.wanted();
                }
            };
            let live = last.as_ref().map_or_else(LiveFigures::default, |last| live(last, &now));
            let measure_ns =
                if activity == Activity::WarmUp { wanted.settle_ns + wanted.measure_ns } else { 0 };
            let rest_ns = if end_ns == u64::MAX { 0 } else { end_ns.saturating_sub(now.now_ns) };
            let left = wanted.later.plus(measure_ns.saturating_add(rest_ns));
            listener(Event::Tick { at: wanted.at, activity, elapsed_ns: now.now_ns, left, live });
            last = Some(now);
            !stop.wanted()
        })?;
        if let Some(problem) = unkept {
            return Err(problem);
        }
        self.hung = came.done.hung;
        Ok(came)
    }
}

/// Writes the marks of people and the host since the last check, each at the run time at which it was received.
fn keep_marks(
    marks: &Marks,
    now: &Progress,
    wall: &Wall,
    first: &mut Option<Line>,
    journal: &mut dyn Journal,
    listener: &mut dyn FnMut(Event<'_>),
) -> Result<(), Problem> {
    for heard in marks.take() {
        let ago_ns = u64::try_from(heard.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let run_ns = now.now_ns.saturating_sub(ago_ns);
        let mark = Mark { run_ns, at: wall.after(run_ns), marked: heard.marked.clone() };
        if let Some(first) = first.take() {
            journal.append(&first)?;
        }
        let line = Line::Mark(mark);
        journal.append(&line)?;
        heard.is_kept(run_ns);
        if let Line::Mark(mark) = &line {
            listener(Event::MarkKept { mark });
        }
    }
    Ok(())
}

/// What completed between two checks: rates, and the latency of what arrives at a rate.
fn live(last: &Progress, now: &Progress) -> LiveFigures {
    let span_ns = now.now_ns.saturating_sub(last.now_ns);
    let since = |class: &Class, of: fn(&Progress) -> &PerClass<u64>| {
        let [before, now] = [last, now].map(|one| of(one).get(class).copied().unwrap_or(0));
        now.saturating_sub(before)
    };
    let completed = |class: &Class| since(class, |one| &one.ops);
    let latency = |class: &Class| {
        let ops = completed(class);
        let ns = since(class, |one| &one.latency_ns);
        (ops > 0).then(|| (*class, units::us_from_ns(units::to_f64(ns) / units::to_f64(ops))))
    };
    LiveFigures {
        per_s: now.ops.keys().map(|class| (*class, units::iops(completed(class), span_ns))).collect(),
        latency_us: now.latency_ns.keys().filter_map(latency).collect(),
    }
}

/// Whether everything failed, and the observed cause. The next point would fail in the same way.
pub(super) fn all_failed(header: &Header, visit: &Visit) -> Option<String> {
    if !visit.all_failed() {
        return None;
    }
    let changes = visit.nodes.iter().flat_map(|node| &node.changed.targets);
    let mut why: Vec<String> = changes
        .filter(|change| change.takes_data(&header.targets))
        .map(|change| change.sentence(&header.targets))
        .collect();
    if why.is_empty() {
        why.extend(visit.tallies.values().find_map(|tally| tally.first_error).map(|error| error.reason()));
    }
    let point = visit.point.named_of(&header.request.classes, " and ");
    Some(format!("every I/O of the point {point} failed ({})", why.join("; ")))
}
