//! Flags from points compared with one another.

use super::*;
use crate::load::matrix::MatrixShape;
use crate::load::task::Task;

/// Most I/Os are fast, the others make up for it.
fn sliced(_: Moment) -> Kinds {
    vec![(0.9, 0.01), (0.1, 9.91)]
}

fn limited(level: RunLevel, kinds: fn(Moment) -> Kinds, law: impl FnMut(Moment) -> f64) -> Findings {
    Maker { kinds, ..Maker::new(level, |_| {}) }.rounds(4, law).found()
}

fn throttled(found: &Findings) -> Vec<String> {
    run_flags(found)
        .into_iter()
        .filter(|(code, _)| *code == FlagCode::Throttled)
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn one_rate_with_waits_that_pay_back_is_a_limit() {
    let found = limited(RunLevel::Oltp, sliced, |_| 777.0);
    let texts = throttled(&found);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0]
            .starts_with("small: 777 IOPS at 1 to 20 outstanding alike, although the usual latency of 12.")
    );
    assert!(texts[0].contains("would allow 7") && texts[0].contains("rate limit"), "{texts:?}");
    assert_eq!(at_points(&found, FlagCode::Cache), [], "an I/O waits there even when it is alone");
    // The same rate without the waits is saturation, and waits at a rate that grows are a cache or a tier.
    assert_eq!(throttled(&limited(RunLevel::Oltp, |_| vec![(1.0, 1.0)], |_| 777.0)), [""; 0]);
    assert_eq!(throttled(&limited(RunLevel::Oltp, sliced, unloaded)), [""; 0]);
    // Waits by chance: 10 % of the I/Os take the time, so the rate of 1554 of them varies by c / sqrt(n) = 7.5 %.
    let mut between = VisitFactor::new(91, 0.075);
    let by_chance = limited(RunLevel::Oltp, sliced, |moment| 777.0 * between.factor(moment));
    assert_eq!(throttled(&by_chance), [""; 0]);
}

/// A run without repeated visits, `seconds` for each of its points.
fn visited_once(shape: MatrixShape, seconds: u64) -> Findings {
    let mut maker = Maker::new(RunLevel::Advanced, |request| {
        request.task = Task::advanced(shape);
        request.set_pace(Pace::Fixed(crate::units::Nanos::from_secs(seconds)));
    });
    maker.kinds = sliced;
    for step in 0..maker.record.header.plan.steps.len() {
        maker.visit(step, Purpose::Only, seconds * NS_PER_S, &mut |_| 777.0);
    }
    maker.found()
}

#[test]
fn a_single_long_visit_per_level_tells_as_much() {
    let texts = throttled(&visited_once(MatrixShape::Row { large: 0 }, 4));
    assert!(texts[0].starts_with("small: 777 IOPS at 1 to 5 outstanding alike"), "{texts:?}");
    // Two levels are enough when there are no others.
    let texts = throttled(&visited_once(MatrixShape::Col { small: 0 }, 6));
    assert!(texts[0].starts_with("large: 777 MBPS at 1 and 2 outstanding alike"), "{texts:?}");
    assert_eq!(throttled(&visited_once(MatrixShape::Col { small: 0 }, 2)), [""; 0], "too few pieces");
}

#[test]
fn one_bandwidth_for_all_sizes_is_a_limit() {
    let bandwidth = |large: f64| {
        move |moment: Moment| match moment.class {
            Class::SMALL if moment.outstanding == 1 => 3000.0,
            Class::SMALL => 6400.0,
            _ => large,
        }
    };
    let constant: fn(Moment) -> Kinds = |_| vec![(1.0, 1.0)];
    let found = limited(RunLevel::Simple, constant, bandwidth(50.0));
    let texts = throttled(&found);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("50.0 MBPS in all at 6 points, whose I/Os have 8 KiB to 1 MiB on average"));
    assert_eq!(throttled(&limited(RunLevel::Simple, constant, bandwidth(52.0))), [""; 0]);
}

#[test]
fn one_rate_for_all_sizes_is_a_limit_where_the_device_tells_them_apart() {
    // Three in ten I/Os do not wait.
    let told: fn(Moment) -> Kinds = |moment| {
        let quick = if moment.class == Class::SMALL { 0.2 } else { 0.4 };
        vec![(0.3, quick), (0.7, (1.0 - 0.3 * quick) / 0.7)]
    };
    let alike: fn(Moment) -> Kinds = |_| vec![(0.3, 0.2), (0.7, 0.94 / 0.7)];
    let law = |_: Moment| 777.0;
    let texts = throttled(&limited(RunLevel::Simple, told, law));
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0].starts_with("777 IOPS in all at 7 points")
            && texts[0].ends_with("takes 2.0 times as long as a small one")
    );
    assert_eq!(throttled(&limited(RunLevel::Simple, alike, law)), [""; 0]);
}

#[test]
fn mixes_share_a_limit() {
    let maker = Maker::of(Task::advanced(MatrixShape::Max { small: 4, large: 2 }), |_| {});
    let steps = maker.record.header.plan.steps.clone();
    // 50 MBPS between both classes: large I/Os take 12 a second for each that is outstanding.
    let law = |moment: Moment| {
        let point = steps[moment.step].point;
        let large = if point.small() == 0 { 50.0 } else { 12.0 * f64::from(point.large()) };
        if moment.class == Class::LARGE { large } else { (50.0 - 12.0 * f64::from(point.large())) * 128.0 }
    };
    let texts = throttled(&maker.rounds(4, law).found());
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("50.0 MBPS in all at 14 points"), "{texts:?}");
}

#[test]
fn less_under_more_load_is_told() {
    let falling = |last: f64| {
        move |moment: Moment| match moment.outstanding {
            20 => last,
            level => 200.0 * f64::from(level.min(5)),
        }
    };
    let mut between = VisitFactor::new(92, 0.005);
    let law = falling(900.0);
    let found =
        Maker::new(RunLevel::Oltp, |_| {}).rounds(4, |moment| law(moment) * between.factor(moment)).found();
    let flags = run_flags(&found);
    let (_, text) = flags.iter().find(|(code, _)| *code == FlagCode::Retrograde).unwrap();
    assert!(text.starts_with("small: 90") || text.starts_with("small: 89"), "{text}");
    assert!(text.contains("IOPS at Small=20 and Large=0, -") && text.contains("against 1,00"), "{text}");
    let law = falling(990.0);
    let found =
        Maker::new(RunLevel::Oltp, |_| {}).rounds(4, |moment| law(moment) * between.factor(moment)).found();
    assert_eq!(run_codes(&found), []);
}
