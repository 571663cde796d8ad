use super::holt::{Holt, Smoothing, line};
use super::years::{LAWS, Score};
use super::*;

fn daily(values: impl IntoIterator<Item = f64>) -> Daily {
    Daily { levels: values.into_iter().map(Some).collect(), ..Daily::default() }
}

/// A rate of 100, in 90 minutes of each day 900, read once a minute.
fn minutes(days: i64) -> Vec<Reading> {
    let busy = |minute: i64| (600..690).contains(&(minute % 1440));
    let one = |minute: i64| Reading {
        from_s: 60 * minute,
        seconds: 60,
        value: if busy(minute) { 900.0 } else { 100.0 },
    };
    (0..days * 1440).map(one).collect()
}

#[test]
fn a_level_of_a_day_is_that_of_its_busiest_72_minutes() {
    let found = Daily::of(&minutes(3), 0, Kind::Rate);
    assert_eq!((found.levels.as_slice(), found.first, found.spacing_s), ([Some(900.0); 3].as_slice(), 0, 60));
    let shorter: Vec<Reading> = minutes(1)
        .into_iter()
        .map(|one| Reading { value: if one.from_s < 630 * 60 { 100.0 } else { one.value }, ..one })
        .collect();
    assert_eq!(
        Daily::of(&shorter, 0, Kind::Rate).levels,
        [Some(100.0)],
        "60 minutes are less than 5 % of a day"
    );
    assert!((found.week[72 + 10] / found.week[72] - 9.0).abs() < 1e-9, "the first day was a Thursday");
}

#[test]
fn days_that_were_hardly_read_are_gaps_and_local_time_counts() {
    let mut readings = minutes(5);
    readings.retain(|one| !(86_400 * 2 + 3600..86_400 * 3).contains(&one.from_s));
    assert_eq!(
        Daily::of(&readings, 0, Kind::Rate).levels.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, true, false, true, true]
    );
    let ahead = Daily::of(&minutes(2), 86_400 * 10, Kind::Rate);
    assert_eq!(ahead.first, 10);
    let space = Daily::of(&[Reading { from_s: 50, seconds: 1, value: 7.0 }], 0, Kind::Amount);
    assert_eq!(space.levels, [Some(7.0)], "one look a day is enough for an amount");
    assert_eq!(Daily::of(&[], 0, Kind::Rate), Daily::default());
}

/// Against `statsmodels.tsa.holtwinters.Holt` 0.15.0 with these parameters and start.
#[test]
fn smoothing_is_that_of_statsmodels() {
    let values = [3.0, 5.0, 9.0, 20.0, 12.0, 17.0, 22.0, 23.0, 51.0, 41.0];
    for (phi, expected) in [
        (1.0, [50.17389768, 56.75412856, 63.33435944, 69.91459032]),
        (0.9, [47.98725755, 52.71717773, 56.97410589, 60.80534124]),
    ] {
        let (_, found) = Holt::run(&values, (1.0, 2.0), Smoothing { alpha: 0.5, beta: 0.2, phi });
        for (step, value) in expected.into_iter().enumerate() {
            assert!((found.at(step as f64 + 1.0) - value).abs() < 1e-6, "{phi} {step}");
        }
    }
    assert_eq!(line(&[3.0, 5.0, 7.0]), (1.0, 2.0));
}

#[test]
fn a_line_with_a_week_goes_on_and_a_gap_is_no_fall() {
    let day = |day: usize| (1000.0 + 2.0 * day as f64) * if day % 7 > 4 { 0.5 } else { 1.0 };
    let mut history = daily((0..210).map(day));
    history.levels[100..110].fill(None);
    let found = Forecast::of(&history, 210).unwrap();
    assert_eq!((found.missing, found.next_day(), found.ahead.len()), (10, 210, 30));
    assert!(!found.model.is_baseline(), "{:?}", found.model);
    for (week, ahead) in found.ahead.iter().enumerate() {
        let truth = day(210 + 7 * week + 3);
        assert!(
            (ahead.value / truth - 1.0).abs() < 0.02 && ahead.lower <= truth && truth <= ahead.upper,
            "{week}: {ahead:?}, {truth}"
        );
    }
    assert!(found.history[105] > 500.0);
}

#[test]
fn what_cannot_be_known_is_not_told() {
    assert_eq!(Forecast::of(&daily([]), 10), Err(NoForecast::Nothing));
    assert_eq!(Forecast::of(&daily([5.0; 27]), 10), Err(NoForecast::Short { days: 27 }));
    let mut gaps = daily([5.0; 60]);
    gaps.levels[10..31].fill(None);
    assert_eq!(Forecast::of(&gaps, 10), Err(NoForecast::Gaps { days: 60, missing: 21 }));
    let short = Forecast::of(&daily((0..28).map(f64::from)), 365).unwrap();
    assert_eq!(short.ahead.len(), 8, "a month tells of two");
    assert_eq!(short.growth_per_year(), None, "and not of a year");
    // From 28, at the end of the last day, to the middle of the eighth week.
    let growth = short.growth().unwrap();
    assert!(growth.weeks == 8 && !growth.is_of_a_year() && (growth.value - 1.88).abs() < 0.05, "{growth:?}");
    assert!(growth.lower < growth.value && growth.value < growth.upper, "{growth:?}");
    let long = Forecast::of(&daily((0..364).map(|day| 1000.0 + f64::from(day))), 365).unwrap();
    assert!((long.growth_per_year().unwrap() - 360.0 / 1364.0).abs() < 0.01, "{:?}", long.growth());
}

/// 10 more every day, from 1000 on; the last week has holidays.
#[test]
fn now_is_the_level_of_today_and_not_of_two_weeks_ago() {
    let of = |days: std::ops::Range<i32>, last: f64| {
        let level = |day: i32| (1000.0 + 10.0 * f64::from(day)) * if day >= 63 { last } else { 1.0 };
        Forecast::of(&daily(days.map(level)), 7).unwrap()
    };
    for days in [0..28, 0..63, 40..70, 0..70] {
        let (found, today) = (of(days.clone(), 1.0), 1000.0 + 10.0 * (f64::from(days.end) - 0.5));
        // A busy day is the second highest of a week, two days after its middle.
        assert!((found.now() / found.busy / today - 1.0).abs() < 1e-9, "{days:?}: {}", found.now());
        assert!((found.recent() / found.busy / (today - 140.0) - 1.0).abs() < 1e-9, "{}", found.recent());
    }
    let holidays = of(0..70, 0.5);
    assert!((holidays.now() / holidays.busy / 1695.0 - 1.0).abs() < 0.04, "{}", holidays.now());
    assert_eq!(Forecast::of(&daily([0.0; 30]), 7).unwrap().growth(), None);
}

#[test]
fn constant_zero_and_falling_figures_have_a_future_too() {
    for value in [0.0, 5.0] {
        let found = Forecast::of(&daily([value; 90]), 90).unwrap();
        assert!(
            found
                .ahead
                .iter()
                .all(|week| (week.value - value).abs() < 1e-6 && week.upper - week.lower < 1e-6),
            "{value}"
        );
    }
    let falling = Forecast::of(&daily((0..200).map(|day| 1000.0 - 4.0 * f64::from(day))), 400).unwrap();
    assert!(
        falling
            .ahead
            .iter()
            .all(|week| week.lower >= 0.0 && week.value.is_finite() && week.upper >= week.value)
    );
    assert!(
        falling.ahead.last().unwrap().value < 200.0
            && falling.growth_per_year().is_none_or(|growth| growth < 0.0)
    );
}

#[test]
fn the_best_model_beats_both_baselines_or_is_one() {
    let noise = years::Law { growth: 0.0, weekend: 1.0, ..LAWS[3] };
    let found = Forecast::of(&daily(noise.draw(365, 3).seen), 365).unwrap();
    assert_eq!(found.tested[0].0, found.model);
    assert!(found.tested.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    assert_eq!(Forecast::of(&daily(noise.draw(365, 3).seen), 365), Ok(found), "the same again");
}

/// At full size in `cargo xtask stats`.
#[test]
fn the_interval_of_the_date_holds_in_nine_of_ten() {
    let (mut held, mut of, mut weeks, mut of_weeks) = (0, 0, 0, 0);
    for law in &LAWS {
        let score = Score::of(law, 365, 0..8);
        (held, of) = (held + score.held, of + score.of);
        (weeks, of_weeks) = (weeks + score.weeks.weeks, of_weeks + score.weeks.of);
    }
    assert!(of > 50 && 10 * held >= 9 * of, "{held} of {of}");
    assert!(10 * weeks >= 9 * of_weeks, "{weeks} of {of_weeks}");
    assert!(Score::of(&LAWS[2], 365, 0..8).closed > 4, "an interval that is always open says nothing");
}

/// Of a month or two the errors of the back-test are a handful, and small by chance.
#[test]
fn a_short_history_that_grows_has_intervals_that_hold() {
    let linear = years::Law { growth: 3.65, is_linear: true, noise: 0.02, ..LAWS[0] };
    let laws = [
        years::Law { weekend: 1.0, ..linear },
        years::Law { noise: 0.03, weekend: 0.6, ..linear },
        years::Law { growth: 0.7, noise: 0.03, ..linear },
        // 1 % a day of the level by then.
        years::Law { growth: 36.8, is_linear: false, weekend: 1.0, ..linear },
    ];
    for law in laws {
        for days in [28, 30, 42, 60] {
            let (mut held, mut of) = (0, 0);
            for seed in 0..20 {
                let course = law.draw(3 * days + WEEK, seed);
                let told = Forecast::of(&daily(course.seen[..days].iter().copied()), 2 * days).unwrap();
                for (came, ahead) in course.seen[days..].chunks_exact(WEEK).zip(&told.ahead) {
                    held += usize::from((ahead.lower..=ahead.upper).contains(&(told.busy * mean(came))));
                    of += 1;
                }
            }
            assert!(100 * held >= 85 * of, "{law:?}, {days} days: {held} of {of}");
        }
    }
}
