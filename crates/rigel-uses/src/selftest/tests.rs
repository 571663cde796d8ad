use super::*;
use rigel_core::judge::answers::{Answer, MAX_IOPS, MAX_MBPS};
use rigel_core::judge::flags::FlagCode;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::request::EngineRequest;

fn trial(covered: usize, bias: f64) -> Trial {
    Trial { intervals: 20, covered, reached: 20, kept: 19, bias, minutes: 3.0, ..Trial::default() }
}

fn score(trials: Vec<Trial>) -> Score {
    Score { case: all().remove(0), trials }
}

#[test]
fn every_case_is_a_request_that_passes() {
    for case in thorough().iter().chain(&all()) {
        let request = case.request(1).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        request.check().unwrap_or_else(|problem| panic!("{}: {problem}", case.name));
        let EngineRequest::Sim(law) = request.engine else { panic!("{} is no simulation", case.name) };
        match case.promise {
            Promise::Coverage { .. } if case.and.is_some() => {}
            Promise::Coverage { .. } | Promise::HeldOrRaises(..) => {
                let truth = law.truth_mixed_iops([5, 2], [8192, 1 << 20]);
                assert!(truth.is_some(), "{}: no truth for the largest point", case.name);
            }
            Promise::Levels { .. } | Promise::Answers { .. } => {
                assert!(law.truth_iops(200, 8192).is_some(), "{}", case.name)
            }
            Promise::Rate { .. } => {
                let bound = &request.slo().unwrap().bounds[0];
                assert!(bound.truth_rate(&law, 8192).is_some(), "{}", case.name)
            }
            Promise::Sooner(_) => {
                let [a, b] = case.apart(1).unwrap().unwrap();
                assert!(a.seed != b.seed && a.engine != b.engine && a.sides.is_none(), "{}", case.name);
            }
            // What is found of them is held against formulas of their own.
            Promise::Figures(_) => assert!(law.truth_iops(1, 8192).is_some() || !law.by_place.is_even()),
            Promise::Raises(..) | Promise::NoDifference(_) => {}
        }
    }
    assert_eq!(thorough().len(), 36 + 13 + 13 + 15 + 6 + 6 + 3 + 5 + 3 + 3 + 3 + 2);
}

#[test]
fn a_share_counts_intervals_and_doubts_by_run() {
    let found = score(vec![trial(20, 0.0), trial(18, 0.0), trial(19, 0.0), trial(19, 0.0)]);
    let (share, standard_error) = found.coverage();
    assert!((share - 0.95).abs() < 1e-12);
    assert!((standard_error - 0.05).abs() < 1e-12, "few runs that agree prove little");
    assert_eq!(found.verdict(), Grade::Kept);
    assert!((found.kept().unwrap() - 0.95).abs() < 1e-12);
}

#[test]
fn what_is_broken_is_told() {
    let narrow = score(vec![trial(14, 0.0); 100]);
    assert!(shortfall(&narrow).contains("70.0 % instead of 93 %"));
    let biased = score(vec![trial(19, 0.01); 100]);
    assert!(shortfall(&biased).contains("+1.00 %"));
    let slow = score(vec![Trial { minutes: 5.0, ..trial(19, 0.0) }; 4]);
    assert!(shortfall(&slow).contains("5.0 minutes"));
    assert!(shortfall(&score(Vec::new())).contains("nothing"));
    assert_eq!(score(vec![trial(0, 0.5)]).verdict(), Grade::Kept, "a single trial proves nothing");
    let mut mixed = score([vec![trial(0, 0.0); 50], vec![trial(20, 0.0); 50]].concat());
    let held = CoverageDemand { least: 0.93, most_bias: None };
    mixed.case.silent = &[];
    mixed.case.promise = Promise::HeldOrRaises(FlagCode::Warmup, held);
    assert!(shortfall(&mixed).contains("contain the true value or have WARMUP: 50.0 %"));
    mixed.trials.iter_mut().take(50).for_each(|trial| _ = trial.flags.insert(FlagCode::Warmup, 1));
    assert_eq!((mixed.verdict(), mixed.held_or_raised(FlagCode::Warmup).0), (Grade::Kept, 1.0));
    let mut low = score(vec![Trial { flags: [(FlagCode::Warmup, 1)].into(), ..trial(0, -0.08) }; 4]);
    low.case.silent = &[];
    low.case.promise = Promise::HeldOrRaises(FlagCode::Warmup, held);
    assert_eq!(low.verdict(), Grade::Kept);
    low.case.promise =
        Promise::HeldOrRaises(FlagCode::Warmup, CoverageDemand { most_bias: Some(0.0125), ..held });
    assert_eq!(shortfall(&low), "estimates are off by -8.00 % on average");
    let unsure = score(vec![Trial { reached: 10, kept: 10, ..trial(19, 0.0) }; 20]);
    assert!(shortfall(&unsure).contains("points that reach the requested precision: 50.0 % instead of 99 %"));
    let mut silent = score(vec![Trial::default(); 50]);
    silent.case.promise = Promise::Raises(FlagCode::Little, 0.95);
    assert!(shortfall(&silent).contains("LITTLE"));
    silent.trials.iter_mut().for_each(|trial| _ = trial.flags.insert(FlagCode::Little, 1));
    assert_eq!(silent.verdict(), Grade::Kept);
}

fn shortfall(score: &Score) -> String {
    match score.verdict() {
        Grade::Broken(text) => text,
        Grade::Kept => panic!("should be broken"),
    }
}

#[test]
fn false_alarms_are_counted_by_trial() {
    let alarmed = |alarms: usize, flag: FlagCode| {
        let mut found = score(vec![trial(19, 0.0); 100]);
        found.trials.iter_mut().take(alarms).for_each(|trial| _ = trial.flags.insert(flag, 3));
        found
    };
    // Of 100 trials 2 % are 2 and 5 % are 5; chance makes 6 and 11 of them in less than 2 %, 7 and 12 in less than 1 %.
    assert_eq!(alarmed(6, FlagCode::Throttled).verdict(), Grade::Kept);
    assert!(shortfall(&alarmed(7, FlagCode::Throttled)).contains("7 in 100 trials, more than 2 %"));
    assert_eq!(alarmed(11, FlagCode::SlowNoise).verdict(), Grade::Kept);
    assert!(shortfall(&alarmed(12, FlagCode::SlowNoise)).contains("slow noise: 12 in 100"));
    let mut both = alarmed(4, FlagCode::Drift);
    both.trials.iter_mut().skip(4).take(4).for_each(|trial| _ = trial.flags.insert(FlagCode::LevelShift, 1));
    assert!(shortfall(&both).contains("a change: 8 in 100"), "one of them is enough");
    assert_eq!(alarmed(100, FlagCode::Bimodal).verdict(), Grade::Kept);
}

#[test]
fn intervals_that_always_hold_the_truth_are_too_wide() {
    assert_eq!(score(vec![trial(20, 0.0); 230]).verdict(), Grade::Kept, "4,600 intervals cannot tell");
    assert!(shortfall(&score(vec![trial(20, 0.0); 231])).contains("only 0 of 4620 intervals miss"));
    let mut trials = vec![trial(20, 0.0); 231];
    trials[0].covered = 19;
    assert_eq!(score(trials).verdict(), Grade::Kept);
}

#[test]
fn what_is_reached_has_to_be_kept() {
    let kept = |kept: usize, trials: usize| score(vec![Trial { kept, ..trial(19, 0.0) }; trials]).verdict();
    assert_eq!((kept(18, 4), kept(19, 1000)), (Grade::Kept, Grade::Kept));
    let Grade::Broken(text) = kept(18, 1000) else { panic!("90 % of 20,000") };
    assert!(text.contains("of 20000: 90.0 % instead of 93 %"), "{text}");
    // Ten estimates of one run are no ten: they share its noise.
    let mut one_bad = vec![Trial { kept: 20, ..trial(19, 0.0) }; 3];
    one_bad.push(Trial { kept: 8, ..trial(19, 0.0) });
    assert_eq!(score(one_bad).verdict(), Grade::Kept);
    let chosen_by_luck = |reached| {
        let mut found = score(vec![Trial { reached, kept: 0, ..trial(19, 0.0) }; 1000]);
        found.case = all().remove(3);
        found.verdict()
    };
    assert_eq!(chosen_by_luck(9), Grade::Kept);
    assert!(matches!(chosen_by_luck(10), Grade::Broken(_)));
}

fn answer(quantity: Quantity) -> &'static Answer {
    Answer::of(quantity).unwrap()
}

/// A calibration whose figures are so far off, with intervals of 3 %.
fn answered(error: f64, of_bound: f64) -> Trial {
    let seen = |asked| FigureOutcome { asked, held: Some(error.abs() <= 0.03), error, half_width: 0.03 };
    let seen = asked().map(|answer| seen(answer.quantity)).collect();
    let answers = CalibrationOutcome { seen, of_bound: Some(of_bound), decided: true, in_budget: true };
    Trial { answers: Some(answers), bracketed: Some(true), ..Trial::default() }
}

fn calibrations(trials: Vec<Trial>) -> Score {
    let case = all().into_iter().find(|case| matches!(case.promise, Promise::Answers { .. })).unwrap();
    Score { case, trials }
}

#[test]
fn the_figures_of_calibrations_are_held_against_their_promise() {
    // Misses alternate, so that they cancel out.
    let with = |misses: usize| -> Vec<Trial> {
        let error = |number: usize| match number {
            _ if number >= misses => 0.0,
            _ if number.is_multiple_of(2) => 0.04,
            _ => -0.04,
        };
        (0..100).map(|number| answered(error(number), 0.9)).collect()
    };
    let good = calibrations(with(6));
    assert_eq!(good.verdict(), Grade::Kept);
    assert_eq!((good.held(answer(MAX_MBPS)).unwrap().0, good.all_held().0), (0.94, 0.94));
    assert!(
        (good.half_width(answer(MAX_IOPS)) - 0.03).abs() < 1e-12 && good.bias(answer(MAX_IOPS)).abs() < 1e-12
    );
    let text = shortfall(&calibrations(with(20)));
    assert!(
        text.contains("intervals of max_iops that contain the true value: 80.0 % instead of 93 %"),
        "{text}"
    );
    let text = shortfall(&calibrations(vec![answered(0.02, 0.9); 100]));
    assert!(text.contains("latency_at_1 is off by +2.00 % on average"), "{text}");
    let text = shortfall(&calibrations(vec![answered(0.0, 0.9); 800]));
    assert!(text.contains("only 0 of 4800 intervals miss"), "{text}");
}

#[test]
fn a_calibration_keeps_its_bound_and_its_budget() {
    let change = |change: &dyn Fn(&mut CalibrationOutcome)| {
        let mut trials = vec![answered(0.0, 1.09); 100];
        trials.iter_mut().take(20).for_each(|trial| change(trial.answers.as_mut().unwrap()));
        calibrations(trials)
    };
    assert_eq!(change(&|_| ()).verdict(), Grade::Kept, "less than a tenth above it");
    let levels = "levels within the limit: 80.0 %";
    assert!(shortfall(&change(&|answers| answers.of_bound = Some(1.11))).contains(levels));
    assert!(shortfall(&change(&|answers| answers.decided = false)).contains(levels));
    let nothing_keeps = |answers: &mut CalibrationOutcome| {
        answers.of_bound = None;
        answers.seen.clear();
    };
    assert_eq!(change(&nothing_keeps).verdict(), Grade::Kept);
    let mut late = change(&|_| ());
    late.trials[7].answers.as_mut().unwrap().in_budget = false;
    assert_eq!(shortfall(&late), "1 of 100 calibrations started a visit after their budget", "not even one");
    late.trials[7].answers = None;
    assert!(shortfall(&late).contains("1 of 100"), "what did not answer did not calibrate");
    late.trials.iter_mut().for_each(|trial| trial.bracketed = Some(false));
    assert!(shortfall(&late).contains("brackets that contain the true value: 0.0 %"));
}
