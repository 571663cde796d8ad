//! Flags from visits compared with one another.

use super::*;
use crate::load::matrix::MatrixShape;
use crate::load::task::Task;

/// Quiet but for the visits that `far` moves.
fn moved(far: impl Fn(Moment) -> f64) -> Findings {
    let mut between = VisitFactor::new(71, 0.002);
    let law = move |moment| unloaded(moment) * between.factor(moment) * far(moment);
    Maker::new(RunLevel::Oltp, |_| {}).rounds(6, law).found()
}

#[test]
fn rare_visits_contaminate_their_points_and_the_phase() {
    let far = |moment: Moment| if moment.visit == 1 && [3, 7].contains(&moment.step) { 0.7 } else { 1.0 };
    let found = moved(far);
    let points = at_points(&found, FlagCode::Contaminated);
    assert_eq!(points.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [3, 7]);
    assert!(points[0].1.starts_with("small: 1 of 6 visits: -30 %"), "{points:?}");
    let (code, text) = &run_flags(&found)[0];
    assert_eq!(*code, FlagCode::Contaminated);
    assert!(text.starts_with("2 of 120 visits are outliers, off by -30 % on average, at "), "{text}");
    // One may be an accident; half the target is no matter.
    let once = moved(|moment| if moment.visit == 1 && moment.step == 3 { 0.7 } else { 1.0 });
    assert_eq!(run_codes(&once), []);
    assert_eq!(at_points(&once, FlagCode::Contaminated), []);
    let little = moved(|moment| if moment.visit == 1 && [3, 7].contains(&moment.step) { 0.977 } else { 1.0 });
    assert_eq!(run_codes(&little), []);
}

#[test]
fn a_point_that_is_noisier_than_the_others_has_no_rare_visits() {
    let far = |moment: Moment| match moment.visit {
        0..=2 if moment.step == 3 => 0.7,
        3 if moment.step == 3 => 1.3,
        _ => 1.0,
    };
    let found = moved(far);
    assert_eq!(run_codes(&found), [FlagCode::Contaminated]);
    assert_eq!(at_points(&found, FlagCode::Contaminated), []);
}

#[test]
fn two_groups_of_visits_are_told_apart() {
    let found = moved(|moment| if moment.step == 4 && moment.visit % 2 == 0 { 1.25 } else { 1.0 });
    let points = at_points(&found, FlagCode::Bimodal);
    assert_eq!(points.len(), 1);
    assert_eq!(points[0].0, 4);
    assert!(points[0].1.contains("3 visits at 62") && points[0].1.contains("and 3 at 78"), "{points:?}");
    let single = moved(|moment| if moment.step == 4 && moment.visit == 0 { 1.25 } else { 1.0 });
    assert_eq!(at_points(&single, FlagCode::Bimodal), []);
}

#[test]
fn noise_that_outlasts_the_rests_is_told() {
    let slow = |tau_s: f64| {
        // The noise of the device, one value a second; a visit has that of its beginning.
        let shared = Noise::new(72).correlated(1000, tau_s, 0.05);
        let law = move |moment: Moment| {
            let began_s = moment.run_s - moment.load_s;
            let now = shared.iter().zip(1u32..).find(|(_, second)| f64::from(*second) > began_s);
            unloaded(moment) * (1.0 + now.unwrap().0)
        };
        Maker::new(RunLevel::Normal, |_| {}).rounds(6, law).found()
    };
    let found = slow(60.0);
    let flags = run_flags(&found);
    let (_, text) = flags.iter().find(|(code, _)| *code == FlagCode::SlowNoise).unwrap();
    assert!(text.contains("begin 20.0 s apart 0.") && text.contains("may be too narrow"), "{text}");
    assert!(!run_codes(&slow(0.0)).contains(&FlagCode::SlowNoise));
}

#[test]
fn a_drift_of_all_points_is_told_with_its_slope() {
    let drifting = |total: f64| {
        let mut between = VisitFactor::new(73, 0.002);
        // 6 rounds of 20 points at 2.5 s after a long visit of 20 s.
        let law = move |moment: Moment| {
            unloaded(moment) * between.factor(moment) * (1.0 + total * moment.run_s / 320.0)
        };
        Maker::new(RunLevel::Oltp, |_| {}).rounds(6, law).found()
    };
    let found = drifting(-0.12);
    let flags = run_flags(&found);
    let (_, text) = flags.iter().find(|(code, _)| *code == FlagCode::Drift).unwrap();
    assert!(text.contains("-12 %") && text.contains("-2.4 % a minute"), "{text}");
    assert!(!run_codes(&drifting(-0.02)).contains(&FlagCode::Drift), "half of ±5 % does not matter");
}

#[test]
fn visits_that_never_settle_are_told() {
    let starting = |until_s: f64| {
        let mut between = VisitFactor::new(74, 0.002);
        let law = move |moment: Moment| {
            unloaded(moment) * between.factor(moment) * if moment.load_s < until_s { 0.9 } else { 1.0 }
        };
        Maker::new(RunLevel::Oltp, |_| {}).rounds(4, law).found()
    };
    let found = starting(2.2);
    let flags = run_flags(&found);
    let texts: Vec<&str> =
        flags.iter().filter(|(code, _)| *code == FlagCode::Warmup).map(|(_, text)| text.as_str()).collect();
    assert!(texts[0].contains("short visits end before the rate has risen"), "{texts:?}");
    assert!(texts[1].starts_with("1.50 s after the load began the rate still differs by -"), "{texts:?}");
    assert!(!run_codes(&starting(0.9)).contains(&FlagCode::Warmup), "cut off afterwards");
}

/// Four rounds of visits that are too short for a start-up, and `rounds` of longer ones.
#[test]
fn visits_that_are_too_short_are_passed_over() {
    let found = |rounds: u64| {
        let mut between = VisitFactor::new(75, 0.002);
        let mut law = move |moment: Moment| {
            unloaded(moment) * between.factor(moment) * (1.0 - 0.3 * (-moment.load_s / 0.8).exp())
        };
        let mut maker = Maker::new(RunLevel::Oltp, |_| {}).rounds(4, &mut law);
        for round in 4..4 + u32::try_from(rounds).unwrap() {
            for step in 0..20 {
                maker.visit(step, Purpose::Round(round), 8 * NS_PER_S, &mut law);
            }
        }
        maker.found()
    };
    let (short, three, four) = (found(0), found(3), found(4));
    for found in [&short, &three] {
        assert!(run_codes(found).contains(&FlagCode::Warmup), "{:?}", run_flags(found));
        assert!(
            found
                .points
                .iter()
                .all(|point| point.each_visit.iter().filter(|visit| visit.counts).count() >= 4)
        );
    }
    assert_eq!(run_codes(&four), [], "no start-up is left, and no drift from short to long visits");
    for point in &four.points {
        let used: Vec<bool> = point.each_visit.iter().map(|visit| visit.counts).collect();
        assert_eq!(used[used.len() - 8..], [false, false, false, false, true, true, true, true]);
        let io = point.io(Class::SMALL).unwrap();
        let truth = 125.0 * f64::from(point.point.small());
        assert!((io.iops.value / truth - 1.0).abs() < 0.01, "{} instead of {truth}", io.iops.value);
        assert_eq!((point.visits, io.sure.visits, io.iops.interval.unwrap().visits), (4, 4, 4));
        assert!((point.seconds - 4.0 * (8.5 - 3.0)).abs() < 4.1, "{}", point.seconds);
    }
}

#[test]
fn few_points_cannot_know_rare_states() {
    let of = |most: u32, rounds: usize| {
        let shape = MatrixShape::Max { small: 0, large: most };
        let maker = Maker::of(Task::advanced(shape), |_| {});
        maker.rounds(rounds, unloaded).found()
    };
    let few = of(3, 6);
    let (code, text) = &run_flags(&few)[0];
    assert_eq!(*code, FlagCode::FewPoints);
    // 1 - 0.05^(1/18)
    assert!(
        text.starts_with("3 points, 18 visits: ") && text.contains("less than 15 % of the time"),
        "{text}"
    );
    assert_eq!(run_codes(&of(4, 6)), []);
    // 1 - 0.05^(1/59) is 0.0495; three points in 19 rounds have 57 visits, in 20 they have 60.
    assert!(run_codes(&of(3, 19)).contains(&FlagCode::FewPoints));
    assert!(!run_codes(&of(3, 20)).contains(&FlagCode::FewPoints), "looked at as often as many points");
}

/// Three visits may agree by luck.
#[test]
fn a_width_of_too_few_visits_is_not_what_was_asked_for() {
    let flags = |rounds: usize| {
        let record = Maker::simple().rounds(rounds, |moment| 100.0 * f64::from(moment.outstanding)).record;
        let found = Findings::of(&record);
        assert!(found.points.iter().all(|point| point.has_too_few_visits() != point.reached()));
        let texts = found.points.iter().flat_map(|point| &point.flags);
        let texts = texts.filter(|flag| flag.code == FlagCode::NotReached).map(|flag| flag.text.clone());
        (found.points.len(), texts.collect::<Vec<String>>())
    };
    let (points, texts) = flags(3);
    assert_eq!(texts.len(), points, "{texts:?}");
    assert!(texts.iter().all(|text| text.contains("too few visits, 3 of at least 4")), "{texts:?}");
    assert_eq!(flags(4).1, Vec::<String>::new());
}
