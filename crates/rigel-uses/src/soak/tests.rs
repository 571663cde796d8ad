use super::*;
use rigel_core::facts::DriveLook;
use rigel_core::facts::drive::{Counter, Drive, DriveAnswer};
use rigel_core::load::phase::Phase;
use rigel_core::load::plan::{PhaseStep, Plan};
use rigel_core::load::task::Task;
use rigel_core::record::{Header, Interval, Line, ResumedLine, write_line};
use rigel_core::testing::{header, visit_to};
use rigel_core::units::NS_PER_S;

/// A soak of two phases of a second each, high and low, with figures twice a second.
fn soaking() -> Header {
    let mut header = header();
    let [high, low] = [Point::pair(4, 0), Point::pair(1, 0)];
    let request = &mut header.request;
    let soak = Soak { time: Nanos::from_secs(10), every: Nanos::from_secs(1), beside: None, through: false };
    let phases = [high, low].map(|point| Phase { time: Nanos::from_secs(1), point, shape: None });
    request.task = Task::soak(soak, phases.into());
    header.plan = Plan::new(&header.request, &header.nodes.first().host, &header.targets).unwrap();
    header
}

fn phase(header: &Header, number: u64) -> Visit {
    let phase = usize::try_from(number % 2).unwrap();
    let PhaseStep { step, .. } = header.plan.phases[phase];
    let purpose = Purpose::Phase(u32::try_from(phase).unwrap());
    let visit = visit_to(step, header.plan.steps[step].point, 1000 * (number + 1));
    let began_ns = number * 2 * NS_PER_S;
    Visit { number, purpose, began_ns, settle_ns: 0, loaded_ns: visit.measured_ns, ..visit }
}

/// The interval that a visit consists of.
fn interval(visit: &Visit) -> Interval {
    let tallies =
        visit.tallies.iter().map(|(class, tally)| (*class, tally.summed(visit.measured_ns))).collect();
    Interval {
        visit: visit.number,
        began_ns: visit.began_ns,
        measured_ns: visit.measured_ns,
        tallies,
        governed: None,
    }
}

fn read(lines: &[Line]) -> Record {
    let bytes: Vec<u8> = lines.iter().flat_map(|line| write_line(line).unwrap()).collect();
    Record::read(&bytes).unwrap()
}

fn lines(header: &Header, visits: u64) -> Vec<Line> {
    let of = |number| {
        let visit = phase(header, number);
        [Line::Interval(Box::new(interval(&visit))), Line::Visit(Box::new(visit))]
    };
    std::iter::once(Line::Header(Box::new(header.clone()))).chain((0..visits).flat_map(of)).collect()
}

#[test]
fn the_visits_of_a_phase_are_one_row_and_the_intervals_its_course() {
    let header = soaking();
    let found = SoakFindings::of(&read(&lines(&header, 5))).unwrap();
    let visits: Vec<_> = found.phases.iter().map(|phase| (phase.number, phase.visits)).collect();
    assert_eq!(visits, [(0, 3), (1, 2)]);
    assert_eq!(found.course.len(), 5);
    assert_eq!(found.course.iter().map(|moment| moment.phase).collect::<Vec<_>>(), [0, 1, 0, 1, 0]);
    let all: u64 = found.phases.iter().flat_map(|phase| phase.classes.values()).map(|io| io.ios).sum();
    assert_eq!((all, found.errors), (found.ios, 0));
    assert!(found.ios > 0 && !found.is_faulty() && !found.complete && !found.verifies);
    assert_eq!(found.excluded_one_of(), None, "nothing was verified");
}

#[test]
fn a_visit_that_was_never_over_counts_with_its_intervals_and_the_run_goes_on_behind_it() {
    let header = soaking();
    let whole = phase(&header, 1);
    // Killed in the second visit, after its interval; gone on with, and killed again in the third before its first.
    let mut all = lines(&header, 1);
    all.push(Line::Interval(Box::new(interval(&whole))));
    let killed = read(&all);
    let made = killed.visits.last().unwrap();
    assert_eq!((killed.visits.len(), made.number, made.cut_short, made.step), (2, 1, true, whole.step));
    assert_eq!((made.measured_ns, made.began_ns), (whole.measured_ns, whole.began_ns));
    for (class, tally) in &made.tallies {
        assert_eq!(tally.completed(), whole.tallies[class].completed());
        assert_eq!(tally.series.ops.iter().sum::<u32>(), whole.tallies[class].series.ops.iter().sum::<u32>());
    }
    let (past, _) = rigel_core::record::resume::RecordPast::of(&killed, 0, "0.1.0").unwrap();
    assert_eq!((past.visits.len(), past.set_aside, past.run_ns()), (2, 0, made.ended_ns()));
    all.push(Line::Resumed(ResumedLine {
        at: "later".into(),
        run_ns: past.run_ns(),
        kept: 2,
        set_aside: 0,
        torn_bytes: 0,
    }));
    let again = read(&all);
    assert_eq!((again.visits.len(), again.intervals.len(), again.resumed.len()), (2, 2, 1));
    all.push(Line::Visit(Box::new(phase(&header, 2))));
    let found = SoakFindings::of(&read(&all)).unwrap();
    assert_eq!(found.interruptions, [Interruption { run: Nanos(past.run_ns()), at: "later".into() }]);
    assert_eq!(found.phases.iter().map(|phase| phase.visits).sum::<u64>(), 3);
}

#[test]
fn whatever_is_wrong_makes_it_faulty_and_silence_excludes_a_rate() {
    let header = soaking();
    let mut record = read(&lines(&header, 2));
    let set = |record: &mut Record, wrong: u64| {
        let tally = record.visits[1].tallies.values_mut().next().unwrap();
        let mut verified = VerifyCounts { checked: 3000, ..VerifyCounts::new() };
        verified.faults.zeroed = wrong;
        tally.verified = Some(Box::new(verified));
    };
    set(&mut record, 0);
    let clean = SoakFindings::of(&record).unwrap();
    assert_eq!((clean.is_faulty(), clean.excluded_one_of()), (false, Some(1000.0)));
    set(&mut record, 2);
    let found = SoakFindings::of(&record).unwrap();
    assert_eq!((found.is_faulty(), found.excluded_one_of()), (true, None));
    assert_eq!(found.phases[1].classes.values().map(|io| io.wrong).sum::<u64>(), 2);
    set(&mut record, 0);
    record.visits[0].tallies.values_mut().next().unwrap().errors = 1;
    assert!(SoakFindings::of(&record).unwrap().is_faulty());
    // An I/O of ten seconds came back, and is a fault all the same; a shorter one is told only.
    let longest = |seconds: u64| {
        let mut record = read(&lines(&header, 2));
        let tally = record.visits[1].tallies.get_mut(&Class::SMALL).unwrap();
        tally.edges.longest_before_ns = seconds * NS_PER_S;
        SoakFindings::of(&record).unwrap()
    };
    let of = |seconds| {
        let found = longest(seconds);
        let one = found.longest.clone().map(|one| (one.length, one.class));
        (one, found.has_delays(), found.is_faulty())
    };
    let long = |seconds| Some((Nanos::from_secs(seconds), Class::SMALL));
    assert_eq!(of(0), (None, false, false));
    assert_eq!(of(9), (long(9), true, false));
    assert_eq!(of(10), (long(10), true, true));
    // Each of these is enough alone, and once.
    let hung = SoakFindings { hung: Some("one I/O never came back".into()), ..clean.clone() };
    let slow = Outlier { target: 3, class: Class::SMALL, mean_us: 900.0, median_us: 200.0 };
    let slow = SoakFindings { outliers: vec![slow], ..clean.clone() };
    let drive = |warning| Drive {
        name: "nvme0".into(),
        model: None,
        serial: None,
        said: DriveAnswer::Counters([(Counter::CriticalWarning, warning)].into_iter().collect()),
    };
    let looked = |warnings: &[u64]| {
        let drives = warnings.iter().map(|&warning| drive(warning)).collect();
        let drives = Drives::of(&[DriveLook { at: "later".into(), run_ns: 0, drives }]);
        SoakFindings { drives, ..clean.clone() }
    };
    assert!(hung.is_faulty() && slow.is_faulty() && looked(&[4]).is_faulty());
    assert!(!looked(&[0]).is_faulty());
}

#[test]
fn ios_of_ten_seconds_are_counted_as_far_as_the_record_knows() {
    let header = soaking();
    let of = |edit: &dyn Fn(&mut ClassTally)| {
        let mut record = read(&lines(&header, 2));
        record.visits.iter_mut().for_each(|visit| edit(visit.tallies.get_mut(&Class::SMALL).unwrap()));
        let long = SoakFindings::of(&record).unwrap().long;
        (long.least, long.exact)
    };
    let seconds = |tally: &mut ClassTally, seconds: u64| tally.reads.record(seconds * NS_PER_S);
    assert_eq!(of(&|_| ()), (0, true));
    let of_both = |tally: &mut ClassTally| [9, 20, 30].into_iter().for_each(|time| seconds(tally, time));
    assert_eq!(of(&of_both), (4, true), "two of each visit");
    assert_eq!(of(&|tally| tally.edges.longest_before_ns = 20 * NS_PER_S), (2, true));
    let several = |tally: &mut ClassTally| {
        tally.edges.longest_before_ns = 20 * NS_PER_S;
        tally.edges.carried = 3;
    };
    assert_eq!(of(&several), (2, false), "of those three only the longest is known");
    // A bucket holds what is a little shorter, too.
    let near = |tally: &mut ClassTally| tally.reads.record(10 * NS_PER_S);
    assert_eq!(of(&near), (1, false), "two lie about there");
    let near_and_far = |tally: &mut ClassTally| [10, 20].into_iter().for_each(|time| seconds(tally, time));
    assert_eq!(of(&near_and_far), (2, false));
}

#[test]
fn intervals_that_run_backwards_are_refused() {
    let header = soaking();
    let told = |lines: &[Line]| {
        let bytes: Vec<u8> = lines.iter().flat_map(|line| write_line(line).unwrap()).collect();
        Record::read(&bytes).err().map(|problem| problem.what)
    };
    assert_eq!(told(&lines(&header, 3)), None);
    let edits: [fn(&mut Interval); 2] = [|last| last.began_ns = NS_PER_S, |last| last.visit = 0];
    for edit in edits {
        let mut edited = lines(&header, 3);
        let Line::Interval(last) = &mut edited[5] else { panic!("{:?}", edited[5]) };
        edit(last);
        let what = told(&edited).unwrap();
        assert!(what.contains("an interval starts before the previous one"), "{what}");
    }
}
