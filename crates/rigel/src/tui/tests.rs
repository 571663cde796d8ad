use super::*;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::record::Interval;
use rigel_core::sim::SimLaw;
use rigel_core::verify::VerifyCounts;

#[test]
fn a_judged_run_is_what_its_record_says_at_the_end() {
    let law: SimLaw = SimLaw::parse("servers=4,service=1ms,rate=0,between=2%").unwrap();
    let request = Request {
        engine: EngineRequest::Sim(law),
        seed: 5,
        ..Request::new(RunLevel::Simple).paced(Pace::Adaptive(Adaptive::default()))
    };
    let record = rigel_run::trial::trial(&request).unwrap();
    let mut so_far = PartialRecord::default();
    assert!(so_far.event(&Event::Begun { header: &record.header }).is_none());
    let mut last = None;
    for visit in &record.visits {
        last = so_far.event(&Event::VisitFinished { visit }).or(last);
    }
    // The last judgement may have been too soon after the one before.
    thread::sleep(Duration::from_millis(1));
    let judged = loop {
        match so_far.event(&Event::Looked { done: 0, points: 7, widest: 0.1 }) {
            Some(judged) => break judged,
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    assert!(last.is_some(), "judged on the way as well");
    let findings = rigel_core::judge::findings::Findings::of(&record);
    assert_eq!(judged.points.len(), findings.points.len());
    for (shown, found) in judged.points.iter().zip(&findings.points) {
        let io = found.ios.get(&Class::SMALL).map(|io| (io.iops.value, io.iops.half_width()));
        let small = shown.ios.get(&Class::SMALL);
        assert_eq!(small.map(|small| (small.rate, small.half_width)), io);
        assert_eq!((shown.point, shown.reached), (found.point, found.reached()));
    }
    let simulated: Vec<_> = judged.flags.iter().filter(|flag| flag.code == FlagCode::Simulated).collect();
    assert_eq!(simulated.len(), 1, "{:?}", judged.flags);
    assert_eq!(simulated[0].place, "7 points");
    assert!(!judged.flags.iter().any(|flag| flag.code == FlagCode::NotReached), "{:?}", judged.flags);
}

#[test]
fn a_wrong_block_is_told_before_its_visit_is_over() {
    let mut request = Request::new(RunLevel::Simple);
    request.engine = EngineRequest::Sim(SimLaw::parse("servers=4,service=1ms,rate=0").unwrap());
    let record = rigel_run::trial::trial(&request).unwrap();
    let mut so_far = PartialRecord::default();
    assert!(so_far.event(&Event::Begun { header: &record.header }).is_none());
    let of = |zeroed: u64| {
        let mut verified = VerifyCounts { checked: 1000, ..VerifyCounts::default() };
        verified.faults.zeroed = zeroed;
        let mut tally = record.visits[0].tallies[&Class::SMALL].clone();
        tally.verified = Some(Box::new(verified));
        Interval {
            visit: 0,
            began_ns: 0,
            measured_ns: 1,
            tallies: [(Class::SMALL, tally)].into(),
            governed: None,
        }
    };
    assert!(so_far.event(&Event::IntervalKept { interval: &of(0) }).is_none(), "nothing is new");
    for told in [
        "1 block is wrong in 2000 comparisons (1 zeroed)",
        "2 blocks are wrong in 3000 comparisons (2 zeroed)",
    ] {
        let judged = so_far.event(&Event::IntervalKept { interval: &of(1) }).unwrap();
        let [flag] = judged.flags.as_slice() else { panic!("{:?}", judged.flags) };
        assert_eq!((flag.code, flag.invalid), (FlagCode::WrongData, true));
        assert!(flag.text.starts_with(told), "{}", flag.text);
    }
    // Nor does a judgement of whole visits take it away.
    let judged = so_far.event(&Event::VisitFinished { visit: &record.visits[0] }).unwrap();
    assert_eq!(judged.flags.iter().filter(|flag| flag.code == FlagCode::WrongData).count(), 1);
}

/// Runs itself once more, in a terminal of its own, to panic there.
#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    const INSIDE: &str = "RIGEL_TEST_PANICS_INSIDE";
    if std::env::var_os(INSIDE).is_some() {
        let screen = Screen::enter().unwrap();
        let other = thread::spawn(|| panic!("on purpose, beside the view"));
        assert!(other.join().is_err());
        drop(screen);
        return;
    }
    let name = "a_panic_gives_the_terminal_back_before_it_is_told";
    let executable = std::env::current_exe().unwrap();
    let opened = rigel_testdev::TestTerminal::open(&std::env::temp_dir(), (80, 24), &[]);
    let Some(terminal) = rigel_testdev::needs(name, opened) else { return };
    terminal.type_line(&format!(
        "{INSIDE}=1 RUST_BACKTRACE=0 '{}' --exact tui::tests::{name} --nocapture; stty -a | grep -o -e '-*icanon'; echo \
         code=$?.",
        executable.display()
    ));
    let seen = terminal.wait_for("code=0.");
    assert!(seen.contains("on purpose, beside the view"), "told on the main screen: {seen}");
    assert!(seen.contains("1 passed") && !seen.contains("-icanon"), "{seen}");
    assert_eq!(terminal.state("#{alternate_on} #{cursor_flag}"), "0 1", "{seen}");
}
