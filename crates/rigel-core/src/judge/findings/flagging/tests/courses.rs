//! Changes inside a visit, and points of a fixed run that contradict their neighbours.

use super::*;
use crate::judge::findings::PointFindings;
use crate::load::matrix::Point;
use crate::units::Nanos;

/// One visit to each of these points, 19 s long.
fn fixed(points: &[Point], mut rate: impl FnMut(Moment) -> f64) -> Findings {
    let mut maker = Maker::new(RunLevel::Oltp, |request| request.set_pace(Pace::Fixed(Nanos(19 * NS_PER_S))));
    let steps = &mut maker.record.header.plan.steps;
    let template = steps[0];
    *steps = points.iter().map(|&point| crate::load::plan::Step { point, ..template }).collect();
    (0..points.len()).for_each(|step| maker.visit(step, Purpose::Only, 19 * NS_PER_S, &mut rate));
    maker.found()
}

fn small(levels: impl IntoIterator<Item = u32>) -> Vec<Point> {
    levels.into_iter().map(|level| Point::alone(Class::SMALL, level)).collect()
}

#[test]
fn a_fall_that_came_back_is_told_with_its_times() {
    let law = |moment: Moment| {
        let slow = moment.step == 1 && (8.0..13.0).contains(&moment.load_s);
        if slow { 1000.0 } else { 3000.0 }
    };
    let found = fixed(&small([4, 5]), law);
    let flags = at_points(&found, FlagCode::LevelShift);
    let [(1, text)] = &flags[..] else { panic!("{flags:?}") };
    let wanted = "small: the rate fell from 3,000 to 1,000 IOPS at 8.00 s and came back at 13.0 s of the visit; it began 19.5 \
                  s into the run";
    assert_eq!(text, wanted);
    assert_eq!(run_codes(&found), []);
}

#[test]
fn a_step_and_a_slope_inside_a_visit() {
    let found = fixed(&small([4]), |moment| if moment.load_s < 10.5 { 1000.0 } else { 3000.0 });
    let [(0, text)] = &at_points(&found, FlagCode::LevelShift)[..] else { panic!("{:?}", found.points) };
    assert_eq!(text, "small: the rate rose from 1,000 to 3,000 IOPS at 10.5 s of the visit");
    let found = fixed(&small([4]), |moment| 3000.0 - 100.0 * moment.load_s);
    let [(0, text)] = &at_points(&found, FlagCode::Drift)[..] else { panic!("{:?}", found.points) };
    assert!(text.starts_with("small: the rate changed steadily during the visit, by -94 %"), "{text}");
}

#[test]
fn a_long_visit_tells_a_fall_that_came_back() {
    let law = |moment: Moment| {
        let slow = moment.purpose == Purpose::Long && (8.0..13.0).contains(&moment.load_s);
        if slow { unloaded(moment) / 3.0 } else { unloaded(moment) }
    };
    let found = Maker::simple().rounds(4, law).found();
    let flags = run_flags(&found);
    let own = flags.iter().find(|(code, text)| *code == FlagCode::LevelShift && text.contains("came back"));
    assert!(own.is_some_and(|(_, text)| text.starts_with("long visit at ")), "{flags:?}");
}

#[test]
fn neighbours_of_a_fixed_run_contradict_each_other_when_the_device_changed() {
    let rate = |moment: Moment| 1000.0 * f64::from(moment.outstanding.min(4));
    let of = |law: &dyn Fn(Moment) -> f64| run_flags(&fixed(&small([1, 2, 3, 4, 6, 8]), law));
    assert_eq!(of(&rate), []);
    let third = of(&|moment| if moment.step < 4 { rate(moment) } else { rate(moment) / 3.0 });
    let [(FlagCode::LevelShift, text)] = &third[..] else { panic!("{third:?}") };
    let wanted = "small: 1,333 IOPS at Small=6 and Large=0 is 0.333 of 4,000 IOPS at Small=4 and Large=0, \
                  measured 19.5 s earlier; the storage changed in between, or more load makes it slower: \
                  measure again";
    assert_eq!(text, wanted);
    let faster = of(&|moment| if moment.step < 4 { rate(moment) / 5.0 } else { rate(moment) });
    let [(FlagCode::LevelShift, text)] = &faster[..] else { panic!("{faster:?}") };
    assert!(
        text.contains("is 5.00 of 800 IOPS") && text.contains("cannot make each I/O that much faster"),
        "{text}"
    );
    // Less than a factor of 0.6, and an unloaded device on which twice the load is twice the rate.
    assert_eq!(of(&|moment| if moment.step < 4 { rate(moment) } else { 0.65 * rate(moment) }), []);
    assert_eq!(of(&|moment| 1000.0 * f64::from(moment.outstanding)), []);
    assert_eq!(of(&|moment| 9000.0 / f64::from(moment.outstanding + 8)), [], "a device that chokes slowly");
}

/// Noise that is as large as the fall excludes nothing, and a number that is invalid anyway proves nothing.
#[test]
fn only_sound_points_contradict() {
    let mut noise = Noise::new(5);
    let mut wild = |moment: Moment| {
        let slow = if moment.step == 0 { 1.0 } else { 0.5 };
        if noise.uniform() < 0.002 { 1e5 * slow } else { 30.0 * slow }
    };
    assert_eq!(run_flags(&fixed(&small([4, 5]), &mut wild)), []);
    let few = fixed(&small([4, 5]), |moment| if moment.step == 0 { 3.0 } else { 1.0 });
    assert_eq!(run_flags(&few), [], "60 and 20 I/Os");
    let adaptive =
        Maker::simple().rounds(3, |moment| if moment.outstanding < 3 { 900.0 } else { 300.0 }).found();
    let told = |flags: &[(FlagCode, String)]| flags.iter().any(|(_, text)| text.contains("measured"));
    assert!(!told(&run_flags(&adaptive)), "{:?}", run_flags(&adaptive));
}

/// More small I/Os take from the large ones: that is no contradiction.
#[test]
fn classes_that_share_a_device_are_compared_by_their_own_load() {
    let points: Vec<Point> =
        (1..=4).map(|level| Point::alone(Class::LARGE, 2).with(Class::SMALL, level)).collect();
    let law = |moment: Moment| match moment.class {
        Class::LARGE => 900.0 / f64::from(1 + 3 * u32::try_from(moment.step).unwrap()),
        _ => 500.0 * f64::from(moment.outstanding),
    };
    let found: Findings = fixed(&points, law);
    assert_eq!(
        run_flags(&found),
        [],
        "{:?}",
        found.points.iter().map(|point: &PointFindings| point.point).collect::<Vec<_>>()
    );
}
