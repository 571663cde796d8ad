//! Flags of searched curves.

use super::*;
use crate::judge::findings::flagging::curve;
use crate::judge::flags::Flag;
use crate::load::class::{LoadClass, Pattern};
use crate::stats::Interval;
use crate::stats::levels_auto::{Bracket, Curve, Violation, ViolationKind};

fn interval(mean: f64) -> Interval {
    Interval::symmetric(mean, 0.01, 6, 20.0).unwrap()
}

/// Doubled levels with these rates; the maximum is 1000, saturation at 4.
fn searched(rates: &[f64]) -> Curve {
    let levels = rates.iter().enumerate().map(|(place, &rate)| (1 << place, interval(rate)));
    Curve {
        levels: levels.collect(),
        x_max: interval(1000.0),
        saturated: true,
        n_sat: Bracket { lo: 3, found: 4, hi: 4 },
        crossing: 4.0,
        power_knee: 4,
        violations: Vec::new(),
    }
}

fn told(curve_: &Curve) -> Vec<(FlagCode, String)> {
    let flags: Vec<Flag> = curve(&LoadClass::random(Class::SMALL, 8192), curve_);
    flags.into_iter().map(|flag| (flag.code, flag.text)).collect()
}

#[test]
fn a_usual_curve_has_none() {
    assert_eq!(told(&searched(&[300.0, 600.0, 980.0, 1000.0, 995.0])), []);
}

#[test]
fn a_fall_beyond_saturation_is_told() {
    let found = told(&searched(&[300.0, 600.0, 980.0, 1000.0, 900.0]));
    let text = "small: 900 IOPS at 16 outstanding, -10 % against the maximum of 1,000 IOPS";
    assert_eq!(found, [(FlagCode::Retrograde, text.to_owned())]);
    assert_eq!(told(&searched(&[300.0, 600.0, 980.0, 1000.0, 985.0])), []);
    let short = Curve {
        n_sat: Bracket { lo: 9, found: 9, hi: 9 },
        ..searched(&[300.0, 600.0, 980.0, 1000.0, 900.0])
    };
    assert_eq!(told(&short), [], "not twice the load");
    let large = &LoadClass::pair(8192, 512 << 10)[1];
    let text = curve(large, &searched(&[300.0, 600.0, 980.0, 1000.0, 900.0]))[0].text.clone();
    assert_eq!(text, "large: 450 MBPS at 16 outstanding, -10 % against the maximum of 500 MBPS");
}

#[test]
fn a_curve_that_still_rises_is_no_saturation() {
    let rising = Curve { saturated: false, ..searched(&[300.0, 600.0, 700.0, 800.0, 1000.0]) };
    let text = "small: +25 % from 8 to 16 outstanding, the most that was tried; the maximum may be higher";
    assert_eq!(told(&rising), [(FlagCode::NotSaturated, text.to_owned())]);
    let single = Curve { saturated: false, ..searched(&[300.0]) };
    assert_eq!(told(&single)[0].0, FlagCode::NotSaturated);
}

#[test]
fn contradictions_are_told_with_both_figures() {
    let violations = vec![
        Violation { outstanding: 2, rate: 700.0, kind: ViolationKind::AboveBound(600.0) },
        Violation { outstanding: 4, rate: 500.0, kind: ViolationKind::Falls(600.0) },
    ];
    let found = told(&Curve { violations, ..searched(&[300.0, 700.0, 500.0, 1000.0, 995.0]) });
    let text = "small: 700 IOPS at 2 outstanding, although one I/O alone and the maximum allow only 600 IOPS; 500 IOPS at 4 outstanding, although the level below reached 600 IOPS";
    assert_eq!(found, [(FlagCode::NotMonotone, text.to_owned())]);
    let alone = Violation { outstanding: 1, rate: 700.0, kind: ViolationKind::AboveBound(600.0) };
    let one = Curve { violations: vec![alone], ..searched(&[700.0, 600.0]) };
    let pattern = Pattern::Streams { ios_per_stream: 4 };
    let streams = LoadClass { pattern, ..LoadClass::random(Class::LARGE, 1 << 20) };
    let text = curve(&streams, &one)[0].text.clone();
    assert!(text.contains(" with 1 stream, although one stream alone and the maximum allow only "), "{text}");
}
