use super::*;
use crate::flags::FlagCode;
use crate::request::EngineRequest;

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
            Promise::Coverage { .. } | Promise::HeldOrRaises(..) => {
                let truth = law.truth_mixed_iops([5, 2], [8192, 1 << 20]);
                assert!(truth.is_some(), "{}: no truth for the largest point", case.name);
            }
            Promise::Levels { .. } => assert!(law.truth_iops(200, 8192).is_some(), "{}", case.name),
            Promise::Raises(..) => {}
        }
    }
    assert_eq!(thorough().len(), 30 + 13);
}

#[test]
fn a_share_counts_intervals_and_doubts_by_calibration() {
    let found = score(vec![trial(20, 0.0), trial(18, 0.0), trial(19, 0.0), trial(19, 0.0)]);
    let (share, standard_error) = found.coverage();
    assert!((share - 0.95).abs() < 1e-12);
    assert!((standard_error - 0.05).abs() < 1e-12, "few calibrations that agree prove little");
    assert_eq!(found.verdict(), Verdict::Kept);
    assert!((found.kept().unwrap() - 0.95).abs() < 1e-12);
}

#[test]
fn what_is_broken_is_told() {
    let told = |score: &Score| match score.verdict() {
        Verdict::Broken(text) => text,
        Verdict::Kept => panic!("should be broken"),
    };
    let narrow = score(vec![trial(14, 0.0); 100]);
    assert!(told(&narrow).contains("70.0 % instead of 93 %"));
    let biased = score(vec![trial(19, 0.01); 100]);
    assert!(told(&biased).contains("+1.00 %"));
    let slow = score(vec![Trial { minutes: 5.0, ..trial(19, 0.0) }; 4]);
    assert!(told(&slow).contains("5.0 minutes"));
    assert!(told(&score(Vec::new())).contains("nothing"));
    assert_eq!(score(vec![trial(0, 0.5)]).verdict(), Verdict::Kept, "a single trial proves nothing");
    let mut mixed = score([vec![trial(0, 0.0); 50], vec![trial(20, 0.0); 50]].concat());
    mixed.case.promise = Promise::HeldOrRaises(FlagCode::Warmup, 0.93);
    assert!(told(&mixed).contains("hold the truth or have WARMUP: 50.0 %"));
    mixed.trials.iter_mut().take(50).for_each(|trial| _ = trial.flags.insert(FlagCode::Warmup, 1));
    assert_eq!((mixed.verdict(), mixed.held_or_raised(FlagCode::Warmup).0), (Verdict::Kept, 1.0));
    let mut silent = score(vec![Trial::default(); 50]);
    silent.case.promise = Promise::Raises(FlagCode::Little, 0.95);
    assert!(told(&silent).contains("LITTLE"));
    silent.trials.iter_mut().for_each(|trial| _ = trial.flags.insert(FlagCode::Little, 1));
    assert_eq!(silent.verdict(), Verdict::Kept);
}
