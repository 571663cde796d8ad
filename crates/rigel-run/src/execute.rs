//! A run from its first line to its last: the search for levels, then the visits, each on disk before the next begins.
//!
//! `fixed` visits each point once, in order; `adaptive` visits points again and again until their intervals are
//! narrow; `levels` searches the points first; `soak` repeats the phases of a load until its time is over; `burst` loads until the rate falls, and
//! again after a pause; `working_set` reads growing parts of a target. All of them make visits through `walk`. Must not render, and must not
//! know what the bench is: threads, targets and hosts are its own business.

mod adaptive;
mod burst;
mod fixed;
mod intervals;
mod levels;
mod rates;
mod soak;
mod walk;
mod working_set;

use crate::bench::Bench;
use crate::job::Stop;
use crate::journal::Journal;
use crate::marks::Marks;
use crate::wall::Wall;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::event::Event;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::working_set::MANY;
use rigel_core::record::resume::RecordPast;
use rigel_core::record::{ClosingLine, End, FORMAT_MAJOR, FORMAT_MINOR, Format, Header, Line};
use walk::{Halt, Walk};

/// The work of a run; part of the record's header, with the bench's site.
#[derive(Clone, Debug)]
pub struct Run {
    /// Version of the program.
    pub program_version: String,
    /// Stem of the outputs.
    pub run_id: String,
    /// The request.
    pub request: Request,
    /// The plan made from it.
    pub plan: Plan,
}

/// The start of a run, and its past.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The time of its start.
    pub wall: Wall,
    /// For a resumed run: its record.
    pub before: Option<Box<InterruptedRun>>,
    /// Marks of people and of the host.
    pub marks: Marks,
}

/// The record of a run that was interrupted.
#[derive(Clone, Debug)]
pub struct InterruptedRun {
    /// The first line.
    pub header: Header,
    /// The course from here.
    pub past: RecordPast,
}

impl Beginning {
    /// A run that begins now.
    pub fn new(wall: Wall) -> Self {
        Self { wall, before: None, marks: Marks::default() }
    }

    /// A run that continues.
    pub fn resumed(wall: Wall, header: Header, past: RecordPast) -> Self {
        let before = Some(Box::new(InterruptedRun { header, past }));
        Self { wall, before, marks: Marks::default() }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every step was measured in full.
    Complete,
    /// The user ended it; the record is complete up to there.
    Stopped,
    /// The permitted time was over before every point had a visit; the record is complete up to there.
    OutOfTime {
        /// Points without a visit.
        unvisited: usize,
        /// The time of the search for load levels, in seconds; 0 without one.
        searched_s: u64,
    },
    /// The time that was allowed was up before the search for load levels had ended; the record has its visits.
    SearchUnfinished {
        /// Visits of the search.
        visits: usize,
    },
    /// I/Os did not complete; the record is complete up to there.
    Hung {
        /// The observation, as a sentence.
        reason: String,
    },
    /// Every I/O of a point failed; the record is complete up to there.
    AllFailed {
        /// The observation, as a sentence.
        reason: String,
    },
}

/// Measures what the plan asks for, or what is left of it.
///
/// # Errors
/// When a queue broke, the journal could not be written, or a record does not fit the run. The record is then whole up to
/// the last line.
pub fn execute(
    run: &Run,
    beginning: Beginning,
    bench: &mut dyn Bench,
    journal: &mut dyn Journal,
    stop: &Stop,
    listener: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, Problem> {
    let Beginning { wall, before, marks } = beginning;
    let (first, header, past) = match before {
        None => {
            let header = header(run, bench, &wall);
            journal.append(&Line::Header(Box::new(header.clone())))?;
            (None, header, RecordPast::default())
        }
        Some(before) => {
            let InterruptedRun { header, past } = *before;
            (Some(Line::Resumed(past.resumed(wall.after(past.run_ns())))), header, past)
        }
    };
    listener(Event::Begun { header: &header });
    let mut walk = Walk::new((&header, &wall), (first, past, marks), bench, journal, stop, listener);
    let outcome = match measure(run, &mut walk) {
        Ok(()) => Outcome::Complete,
        Err(Halt::Outcome(outcome)) => outcome,
        Err(Halt::Problem(problem)) => return Err(problem),
    };
    if outcome != Outcome::Stopped {
        walk.check_end()?;
    }
    if walk.has_nothing_new()
        && matches!(outcome, Outcome::OutOfTime { .. } | Outcome::SearchUnfinished { .. })
    {
        return Err(time_used_up());
    }
    walk.last_look()?;
    let ended = wall.after(walk.now_ns());
    walk.tell(&Line::Closing(closing(&outcome, ended)))?;
    Ok(outcome)
}

/// A run that had ended because of it, and continues.
fn time_used_up() -> Problem {
    Problem::usage("the run has used up its time")
        .because("it stopped at its time limit, which cannot be changed when resuming")
        .next("start a new run with more time (--for); `rigel report` shows what this one measured")
}

/// All visits of a run.
fn measure(run: &Run, walk: &mut Walk<'_>) -> Result<(), Halt> {
    let found;
    let plan = if let Some(search) = &run.plan.rates {
        found = rates::search(run, search, walk)?;
        &found
    } else if run.plan.search.is_some() {
        found = levels::search(run, walk)?;
        &found
    } else {
        &run.plan
    };
    if let Some(soak) = run.request.soak() {
        return soak::until_over(plan, &soak, walk);
    }
    if let Some(asked) = run.request.burst() {
        return burst::twice(plan, asked, walk);
    }
    if let (Some(asked), Some(load)) = (run.request.working_set(), run.request.class(MANY)) {
        return working_set::size_by_size(plan, asked, load, walk);
    }
    match &plan.adaptive {
        Some(adaptive) => adaptive::rounds(run, plan, adaptive, walk),
        None if !plan.phases.is_empty() => fixed::visit_phases(plan, walk),
        None => fixed::visit_each(plan, walk),
    }
}

fn header(run: &Run, bench: &dyn Bench, wall: &Wall) -> Header {
    let site = bench.site().clone();
    Header {
        rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        program_version: run.program_version.clone(),
        run_id: run.run_id.clone(),
        started: wall.started(),
        request: run.request.clone(),
        plan: run.plan.clone(),
        nodes: site.nodes,
        targets: site.targets,
    }
}

fn closing(outcome: &Outcome, ended: String) -> ClosingLine {
    let reason = match outcome {
        Outcome::Complete => None,
        Outcome::Stopped => Some("stopped by the user".to_owned()),
        Outcome::OutOfTime { unvisited, .. } => Some(out_of_time(*unvisited)),
        Outcome::SearchUnfinished { visits } => Some(search_unfinished(*visits)),
        Outcome::AllFailed { reason } | Outcome::Hung { reason } => Some(reason.clone()),
    };
    let end = match outcome {
        Outcome::Complete => None,
        Outcome::Stopped => Some(End::Stopped),
        Outcome::OutOfTime { .. } | Outcome::SearchUnfinished { .. } => Some(End::OutOfTime),
        Outcome::AllFailed { .. } | Outcome::Hung { .. } => Some(End::GaveUp),
    };
    ClosingLine { ended, complete: reason.is_none(), reason, end }
}

/// Each command has its own option for it.
const MORE_TIME: &str = "allow more time with --for";

fn out_of_time(unvisited: usize) -> String {
    format!("time ran out in the first round of visits; still missing: {unvisited}")
}

fn search_unfinished(visits: usize) -> String {
    format!("time ran out during the search for load levels, after {visits} visits")
}

impl Outcome {
    /// The problem to report after the outputs were written; `None` for a complete run. `the_rest`: what to do about
    /// what a stopped run did not measure.
    pub fn problem(&self, the_rest: &str) -> Option<Problem> {
        match self {
            Self::Complete => None,
            Self::Stopped => Some(
                Problem::new(ExitKind::CutShort, "the run was stopped before its end")
                    .next(format!("everything measured so far is kept; {the_rest}")),
            ),
            Self::OutOfTime { unvisited, searched_s } => {
                let problem = Problem::new(ExitKind::CutShort, out_of_time(*unvisited));
                Some(match searched_s {
                    0 => problem
                        .because("on a slow device visits are lengthened until they cover enough I/Os")
                        .next(format!("{MORE_TIME}, or measure fewer points")),
                    _ => problem
                        .because(format!("the search for load levels took {searched_s} s"))
                        .next(format!("{MORE_TIME}, or measure ORION's levels with `rigel run`")),
                })
            }
            Self::SearchUnfinished { visits } => Some(
                Problem::new(ExitKind::CutShort, search_unfinished(*visits))
                    .because(
                        "a search takes longer if levels are hard to tell apart, or the device is slow",
                    )
                    .next(format!("{MORE_TIME}, or measure ORION's levels with `rigel run`")),
            ),
            Self::Hung { reason } => Some(
                Problem::new(ExitKind::CutShort, format!("the run was aborted: {reason}"))
                    .because("the device, its path or its server does not respond")
                    .next("check the kernel log (dmesg) for the device; --io-timeout sets how long an I/O may take"),
            ),
            Self::AllFailed { reason } => Some(
                Problem::new(ExitKind::CutShort, format!("the run was aborted: {reason}"))
                    .because("the device failed, or a target shrank or vanished")
                    .next("see what happened to the target; the kernel log (dmesg) has more if a device failed"),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
