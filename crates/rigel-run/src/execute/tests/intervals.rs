//! Visits whose intervals are kept while they go on: a journal that fails, and a run that continues.

use super::super::walk::VisitPlan;
use super::*;
use crate::marks::Marks;
use rigel_core::event::VisitPosition;
use rigel_core::record::{MarkContent, Purpose};
use rigel_io::sim::Sim;

/// Fails at the first interval, if it is to; keeps everything else.
#[derive(Default)]
struct FailingJournal {
    fails: bool,
    lines: Vec<Line>,
}

impl Journal for FailingJournal {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        if matches!(line, Line::Interval(_)) && std::mem::take(&mut self.fails) {
            return Err(Problem::new(ExitKind::CutShort, "the filesystem is full"));
        }
        self.lines.push(line.clone());
        Ok(())
    }
}

impl FailingJournal {
    fn intervals(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line, Line::Interval(_))).count()
    }
}

/// A second in four intervals.
fn wanted() -> VisitPlan {
    VisitPlan {
        at: VisitPosition { step: 0, point: Point::pair(1, 0), purpose: Purpose::Only },
        warm_up: None,
        settle_ns: 0,
        measure_ns: 1_000_000_000,
        later: rigel_core::stats::forecast::TimeRange::exactly(0),
        every_ns: Some(250_000_000),
        shape: None,
    }
}

/// Makes the visit on a device that has to be loaded again where a run continues.
fn visit(beginning: (Option<Line>, RecordPast), journal: &mut FailingJournal) -> Result<Visit, Halt> {
    visit_with(beginning, &Marks::default(), journal)
}

fn visit_with(
    (first, past): (Option<Line>, RecordPast),
    marks: &Marks,
    journal: &mut FailingJournal,
) -> Result<Visit, Halt> {
    let run = run_of(|_| {});
    let targets = targets();
    let workload = Workload::new(&run.request, &targets).unwrap();
    let layout = bench::layout(&run.request, &run.plan, 0);
    let (sim, clock) = Sim::new(law(), layout, workload.seed);
    let mut bench = SimulatedBench::with(sim, clock, true, workload, layout, site(host(), targets));
    let wall = Wall::simulated(1_767_268_800);
    let head = header(&run, &bench, &wall);
    let (stop, mut hear) = (Stop::default(), |_: Event<'_>| {});
    let beginning = (first, past, marks.clone());
    Walk::new((&head, &wall), beginning, &mut bench, journal, &stop, &mut hear).visit(&wanted())
}

#[test]
fn an_interval_that_is_not_kept_ends_the_run() {
    let mut journal = FailingJournal { fails: true, ..FailingJournal::default() };
    let ended = visit((None, RecordPast::default()), &mut journal);
    assert!(matches!(ended, Err(Halt::Problem(problem)) if problem.what.contains("full")));
    assert_eq!(journal.lines.len(), 0, "nothing follows a line that may be torn");
}

#[test]
fn what_is_said_meanwhile_is_a_line_in_order_and_its_receipt_tells_when() {
    let (marks, mut journal) = (Marks::default(), FailingJournal::default());
    let receipts: Vec<_> =
        ["one", "two"].map(|text| marks.put(MarkContent::Person(text.into())).unwrap()).into();
    assert!(visit_with((None, RecordPast::default()), &marks, &mut journal).is_ok());
    let marked = |line: &Line| if let Line::Mark(mark) = line { Some(mark.clone()) } else { None };
    let told: Vec<_> = journal.lines.iter().filter_map(marked).collect();
    assert_eq!(told.iter().map(|mark| mark.marked.words()).collect::<Vec<_>>(), ["one", "two"]);
    for (mark, receipt) in told.iter().zip(receipts) {
        assert_eq!(receipt.run_ns(), Some(mark.run_ns));
        assert!(mark.run_ns <= 1_000_000_000, "within the visit: {mark:?}");
    }
    assert!(matches!(journal.lines.last(), Some(Line::Visit(_))));
}

#[test]
fn a_visit_that_is_made_again_is_not_kept_again() {
    let mut journal = FailingJournal::default();
    let Ok(made) = visit((None, RecordPast::default()), &mut journal) else { panic!("the visit") };
    assert_eq!((journal.intervals(), journal.lines.len()), (4, 5));
    let past = RecordPast { visits: [made.clone()].into(), ..RecordPast::default() };
    let first = Line::Resumed(past.resumed("now".into()));
    let mut again = FailingJournal::default();
    let Ok(passed) = visit((Some(first), past), &mut again) else { panic!("the visit again") };
    assert_eq!(passed, made);
    assert!(again.lines.is_empty(), "{:?}", again.lines);
}
