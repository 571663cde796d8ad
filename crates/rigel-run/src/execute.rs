//! The walk through a plan: each step's warm-up and visit, its line in the journal, the closing line.
//!
//! Must not render, and must not know which backend the crew has.

use crate::crew::{Crew, Progress};
use crate::job::{Done, Job, Stop, Task};
use crate::journal::Journal;
use crate::wall::Wall;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::event::{Event, Live, Phase};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::measure::{ClassTally, Window};
use rigel_core::plan::{Plan, Step, WarmUp};
use rigel_core::record::{Closing, FORMAT_MAJOR, FORMAT_MINOR, Format, Header, Line, Visit, WarmUpDone};
use rigel_core::request::Request;
use rigel_core::units;

/// Everything that a run is about; goes into the header of the record.
#[derive(Clone, Debug)]
pub struct Run {
    /// Version of the program.
    pub program_version: String,
    /// Stem of the outputs.
    pub run_id: String,
    /// What was asked for.
    pub request: Request,
    /// What was planned from it.
    pub plan: Plan,
    /// Who measures.
    pub host: HostFacts,
    /// What is measured.
    pub targets: Vec<TargetFacts>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every step was measured in full.
    Complete,
    /// The user ended it; the record is whole up to there.
    Stopped,
    /// Every I/O of a point failed; the record is whole up to there.
    AllFailed {
        /// What was seen, as a sentence.
        reason: String,
    },
}

/// A run going on.
struct Walk<'a> {
    run: &'a Run,
    crew: &'a mut dyn Crew,
    stop: &'a Stop,
    listener: &'a mut dyn FnMut(Event<'_>),
    /// Time of all steps that are not begun yet.
    later_ns: u64,
}

/// Measures every step of the plan.
///
/// # Errors
/// When a queue broke or the journal could not be written. The record is then whole up to the last line.
pub fn execute(
    run: &Run,
    crew: &mut dyn Crew,
    wall: &Wall,
    journal: &mut Journal,
    stop: &Stop,
    listener: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, Problem> {
    journal.append(&Line::Header(Box::new(header(run, crew, wall))))?;
    let later_ns = run.plan.known_time().0;
    let mut walk = Walk { run, crew, stop, listener, later_ns };
    let mut outcome = Outcome::Complete;
    for (index, step) in run.plan.steps.iter().enumerate() {
        if stop.wanted() {
            outcome = Outcome::Stopped;
            break;
        }
        let Some(visit) = walk.step(index, step)? else {
            outcome = Outcome::Stopped;
            break;
        };
        let failed = all_failed(&visit);
        let cut_short = visit.cut_short;
        let line = Line::Visit(Box::new(visit));
        journal.append(&line)?;
        if let Line::Visit(visit) = &line {
            (walk.listener)(Event::StepFinished { visit });
        }
        match failed {
            Some(reason) => outcome = Outcome::AllFailed { reason },
            None if cut_short => outcome = Outcome::Stopped,
            None => continue,
        }
        break;
    }
    let ended = wall.after(walk.crew.now_ns());
    journal.append(&Line::Closing(closing(&outcome, ended)))?;
    Ok(outcome)
}

fn header(run: &Run, crew: &dyn Crew, wall: &Wall) -> Header {
    Header {
        rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        program_version: run.program_version.clone(),
        run_id: run.run_id.clone(),
        started: wall.started(),
        request: run.request.clone(),
        plan: run.plan.clone(),
        host: run.host.clone(),
        targets: run.targets.clone(),
        engine: crew.engine().clone(),
        buffers: crew.buffers().clone(),
    }
}

fn closing(outcome: &Outcome, ended: String) -> Closing {
    let reason = match outcome {
        Outcome::Complete => None,
        Outcome::Stopped => Some("stopped by the user".to_owned()),
        Outcome::AllFailed { reason } => Some(reason.clone()),
    };
    Closing { ended, complete: reason.is_none(), reason }
}

impl Walk<'_> {
    /// Warms up and measures one step; `None` when the user stopped it before anything was measured.
    fn step(&mut self, index: usize, step: &Step) -> Result<Option<Visit>, Problem> {
        (self.listener)(Event::StepStarted { step: index, point: step.point });
        self.later_ns = self.later_ns.saturating_sub(step.known_time().0);
        let warm_up = match step.warm_up {
            Some(wanted) => match self.warm_up(index, step, wanted)? {
                Some(done) => Some(done),
                None => return Ok(None),
            },
            None => None,
        };
        let start_ns = self.crew.now_ns().saturating_add(step.settle.0);
        let window = Window { start_ns, end_ns: start_ns.saturating_add(step.measure.0) };
        let done = self.work(index, step, Task::Measure(window), Phase::Measure, window.end_ns)?;
        let measured_ns = done.window_end_ns.saturating_sub(start_ns);
        if measured_ns == 0 {
            return Ok(None);
        }
        let [small, large] = done.tallies;
        Ok(Some(Visit {
            step: index,
            point: step.point,
            began_ns: start_ns,
            settle_ns: step.settle.0,
            measured_ns,
            cut_short: measured_ns < window.span_ns(),
            warm_up,
            worker_cpu_ns: Some(done.cpu_ns),
            small,
            large,
        }))
    }

    fn warm_up(&mut self, index: usize, step: &Step, wanted: WarmUp) -> Result<Option<WarmUpDone>, Problem> {
        let began_ns = self.crew.now_ns();
        let (until_ns, bytes) = match wanted {
            WarmUp::Time(time) => (began_ns.saturating_add(time.0), u64::MAX),
            WarmUp::Bytes(bytes) => (u64::MAX, bytes),
        };
        let done = self.work(index, step, Task::WarmUp { until_ns, bytes }, Phase::WarmUp, until_ns)?;
        let ns = self.crew.now_ns().saturating_sub(began_ns);
        Ok((!done.stopped).then_some(WarmUpDone { ns, bytes: done.bytes, failures: done.failures }))
    }

    /// Gives the crew a job and passes on what it tells.
    fn work(
        &mut self,
        index: usize,
        step: &Step,
        task: Task,
        phase: Phase,
        end_ns: u64,
    ) -> Result<Done, Problem> {
        let job = Job { visit: index as u64, point: step.point, task };
        let mut last: Option<Progress> = None;
        let Self { run, crew, stop, listener, later_ns } = self;
        crew.work(job, &mut |now| {
            let live = last.map_or_else(Live::default, |last| live(&run.request, last, now));
            last = Some(now);
            let measure_ns = if phase == Phase::WarmUp { step.settle.0 + step.measure.0 } else { 0 };
            let rest_ns = if end_ns == u64::MAX { 0 } else { end_ns.saturating_sub(now.now_ns) };
            let remaining_ns = later_ns.saturating_add(measure_ns).saturating_add(rest_ns);
            listener(Event::Tick { step: index, phase, elapsed_ns: now.now_ns, remaining_ns, live });
            !stop.wanted()
        })
    }
}

/// Rates between two looks.
fn live(request: &Request, last: Progress, now: Progress) -> Live {
    let span_ns = now.now_ns.saturating_sub(last.now_ns);
    let large_bytes = now.large_ops.saturating_sub(last.large_ops).saturating_mul(request.large_bytes);
    Live {
        small_iops: units::iops(now.small_ops.saturating_sub(last.small_ops), span_ns),
        large_mbps: units::mbps(large_bytes, span_ns),
    }
}

/// Whether nothing but errors came back; then the next point would only tell the same.
fn all_failed(visit: &Visit) -> Option<String> {
    let tallies = || [&visit.small, &visit.large].into_iter().flatten();
    let failed = tallies().map(|tally| tally.errors).sum::<u64>() > 0;
    if !failed || tallies().any(|tally| tally.completed() > 0) {
        return None;
    }
    let errno = tallies().find_map(|tally: &ClassTally| tally.first_error).map_or(0, |error| error.errno);
    Some(format!(
        "every I/O of the point small {} large {} failed (errno {errno})",
        visit.point.small, visit.point.large
    ))
}

impl Outcome {
    /// The problem to tell after the outputs were written; `None` for a complete run.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Self::Complete => None,
            Self::Stopped => Some(
                Problem::new(ExitKind::CutShort, "the run was stopped before its end")
                    .next("what was measured until then is in the outputs; start the run again for the rest"),
            ),
            Self::AllFailed { reason } => Some(
                Problem::new(ExitKind::CutShort, format!("the run was given up: {reason}"))
                    .because("the device fails, or a target shrank or vanished")
                    .next("look into the kernel's log (dmesg) for the device"),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
