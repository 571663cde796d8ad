//! Flags from long visits.

use super::*;
use crate::load::workload::WritePercent;

/// A run whose long visits are changed by `law`: the time since they settled, and noise, to a factor.
fn with_long_visit(write_percent: u8, law: impl Fn(f64, f64) -> f64) -> Findings {
    let mut noise = Noise::new(81);
    let rate = |moment: Moment| {
        let noisy = 0.03 * noise.normal();
        let factor =
            if moment.purpose == Purpose::Long { law(moment.load_s - 0.5, noisy) } else { 1.0 + noisy };
        unloaded(moment) * factor
    };
    let maker = Maker::new(RunLevel::Oltp, |request| {
        request.set_writes(WritePercent::new(write_percent).unwrap());
    });
    maker.rounds(4, rate).found()
}

fn only(found: &Findings) -> (FlagCode, String) {
    let flags = run_flags(found);
    assert_eq!(flags.len(), 1, "{flags:?}");
    flags[0].clone()
}

#[test]
fn another_level_is_told_with_both() {
    let found = with_long_visit(0, |at, noisy| noisy + if at < 8.0 { 1.0 } else { 1.05 });
    // Short visits end before it; see below.
    assert_eq!(run_codes(&found), [FlagCode::LevelShift, FlagCode::Warmup]);
    let (_, text) = run_flags(&found)[0].clone();
    assert!(text.starts_with("long visit at Small=20 and Large=0, small: +5."), "{text}");
    assert!(text.contains(" after 8.") || text.contains(" after 7."), "{text}");
    assert!(text.contains("from 2,") && text.ends_with("IOPS"), "{text}");
    assert_eq!(run_codes(&with_long_visit(0, |at, noisy| noisy + if at < 8.0 { 1.0 } else { 1.02 })), []);
}

#[test]
fn a_slope_is_a_drift() {
    let (code, text) = only(&with_long_visit(0, |at, noisy| 1.06 + noisy - 0.12 * at / 20.0));
    assert_eq!(code, FlagCode::Drift);
    assert!(text.contains("small: the rate changed by -1") && text.contains(" steadily (t -"), "{text}");
    assert_eq!(run_codes(&with_long_visit(0, |at, noisy| 1.01 + noisy - 0.02 * at / 20.0)), []);
}

#[test]
fn a_fall_to_a_calmer_level_is_a_limit() {
    let fall = |depth: f64, calm: f64| {
        move |at: f64, noisy: f64| if at < 12.5 { 1.0 + noisy } else { depth + calm * noisy }
    };
    for write_percent in [0, 100] {
        // 20 s of reads, 60 s of writes.
        let (code, text) = only(&with_long_visit(write_percent, fall(0.69, 0.1)));
        assert_eq!(code, FlagCode::Throttled);
        assert!(text.contains("small: -31 % after 12.") && text.contains("times less noisy"), "{text}");
        assert!(text.contains("; short visits: 2,5") || text.contains("; short visits: 2,4"), "{text}");
        assert_eq!(text.contains("SNIA"), write_percent > 0, "{text}");
    }
    // As noisy as before, and writes only: a cache or the spare blocks are full.
    let (code, text) = only(&with_long_visit(100, fall(0.69, 1.0)));
    assert_eq!(code, FlagCode::WriteCliff);
    assert!(text.contains("as noisy as before"), "{text}");
    assert!(text.contains("not steady by SNIA's measure (range ") && text.contains("trend -"), "{text}");
}

/// A storage that stands still has no noise either, and its mean is below that of the short visits.
#[test]
fn a_standstill_to_the_end_is_no_limit() {
    for write_percent in [0, 100] {
        let found = with_long_visit(write_percent, |at, noisy| if at < 8.0 { 1.0 + noisy } else { 1e-9 });
        let codes = run_codes(&found);
        assert!(codes.contains(&FlagCode::LevelShift), "{codes:?}");
        assert!(!codes.contains(&FlagCode::Throttled) && !codes.contains(&FlagCode::WriteCliff), "{codes:?}");
    }
}

#[test]
fn what_short_visits_never_see_is_sustained() {
    let (code, text) = only(&with_long_visit(0, |_, noisy| 0.8 + noisy));
    assert_eq!(code, FlagCode::Throttled);
    assert!(
        text.contains("IOPS sustained, 20 % below the 2,") && text.contains("burst and sustained"),
        "{text}"
    );
    assert_eq!(run_codes(&with_long_visit(0, |_, noisy| 0.975 + noisy)), []);
    assert_eq!(run_codes(&with_long_visit(0, |_, noisy| 1.3 + noisy)), []);
}

/// The mean over a burst and what lasts is neither: 0.6 where the rate fell to a fifth after half of the time.
#[test]
fn what_is_sustained_is_the_level_that_lasts() {
    let (code, text) = only(&with_long_visit(0, |at, noisy| noisy + if at < 10.0 { 1.0 } else { 0.2 }));
    assert_eq!(code, FlagCode::Throttled);
    let (sustained, rest) = text.split_once(" IOPS sustained from ").unwrap_or_else(|| panic!("{text}"));
    assert!(rest.contains(" s on, 80 % below the 2,"), "{text}");
    let sustained: f64 = sustained.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((490.0..510.0).contains(&sustained), "a fifth of 2,500: {text}");
}

/// A long visit is longer than the others, and says how long it was to be.
#[test]
fn a_long_visit_that_was_cut_short_has_its_own_length() {
    let cut = |purpose, measured_ns| {
        let mut maker = Maker::simple();
        let step = maker.record.header.plan.adaptive.as_ref().unwrap().phases[0].long_visits[0].point;
        maker.visit(step, purpose, measured_ns, &mut unloaded);
        maker.record.visits[0].cut_short = true;
        at_points(&maker.found(), FlagCode::CutShort)[0].1.clone()
    };
    assert_eq!(cut(Purpose::Long, 4 * NS_PER_S), "measured 4.00 s of 20 s");
    assert_eq!(cut(Purpose::Round(0), NS_PER_S), "measured 1.00 s of 2 s");
}

#[test]
fn a_rate_that_comes_up_behind_the_short_visits_is_a_warm_up() {
    let rising =
        |depth: f64| with_long_visit(0, move |at, noisy| 1.0 + noisy + depth * (1.0 - (-at / 8.0).exp()));
    let found = rising(0.2);
    let flags = run_flags(&found);
    let (_, text) = flags.iter().find(|(code, _)| *code == FlagCode::Warmup).unwrap();
    assert!(
        text.starts_with("long visit at Small=20 and Large=0, small: 2,") && text.contains(" IOPS from 10."),
        "{text}"
    );
    assert!(
        text.contains("s on, 1") && text.contains("above the 2,") && text.contains("it began with 2,"),
        "{text}"
    );
    // 2.2 % of ±5 %; and what was higher from its beginning on has not come up.
    assert_eq!(run_codes(&rising(0.026)), []);
    assert_eq!(run_codes(&with_long_visit(0, |at, noisy| noisy + if at < 0.1 { 1.0 } else { 1.1 })), []);
}

#[test]
fn a_fall_below_ten_per_cent_or_of_reads_alone_is_no_limit() {
    let shallow = |at: f64, noisy: f64| if at < 12.5 { 1.02 + noisy } else { 0.95 + 0.1 * noisy };
    assert_eq!(only(&with_long_visit(0, shallow)).0, FlagCode::LevelShift);
    let noisy = |at: f64, noisy: f64| if at < 12.5 { 1.15 + noisy } else { 0.9 + noisy };
    assert_eq!(only(&with_long_visit(0, noisy)).0, FlagCode::LevelShift);
}
