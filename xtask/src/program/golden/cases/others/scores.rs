//! The tables of the self-test, from scores that keep promises and break them.

use super::super::super::Document;
use super::super::Case;
use rigel_core::judge::flags::FlagCode;
use rigel_report::document::Document as _;
use rigel_report::selftest::SelfTest;
use rigel_report::text::Style;
use rigel_uses::selftest::{self, Promise, Score, SideOutcome, Trial};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![Case::other("selftest-kept", || scored(true)), Case::other("selftest-broken", || scored(false))]
}

/// Every case with four trials, all of which ended as promised, or did not.
fn scored(kept: bool) -> anyhow::Result<Vec<Document>> {
    let score = |case: selftest::Case| Score {
        trials: (0..4).map(|number| trial(&case.promise, kept, number)).collect(),
        case,
    };
    let scores: Vec<Score> = selftest::thorough().into_iter().map(score).collect();
    let found = SelfTest { scores: &scores, seed: 1 };
    Ok(vec![
        Document::new("table", found.text(Style::default())),
        Document::new("markdown", found.markdown()),
    ])
}

fn trial(promise: &Promise, kept: bool, number: usize) -> Trial {
    let flag = match promise {
        Promise::Raises(code, _) | Promise::HeldOrRaises(code, _) => Some(*code),
        _ => None,
    };
    let raised = flag.filter(|_| kept).or((!kept).then_some(FlagCode::SlowNoise));
    Trial {
        intervals: 34,
        covered: if kept { 33 - number % 2 } else { 20 },
        reached: 34,
        kept: if kept { 34 } else { 12 },
        bias: if kept { 0.0001 } else { 0.2 },
        half_width: 0.03,
        minutes: 3.4,
        visits: 80,
        bracketed: Some(kept),
        bracket_width: Some(if kept { 0.04 } else { 0.9 }),
        maximum_error: Some(if kept { 0.001 } else { 0.3 }),
        differs: Some(!kept),
        change_width: Some(0.02),
        apart: Some(SideOutcome { minutes: if kept { 9.0 } else { 2.0 }, change_width: 0.04 }),
        flags: raised.into_iter().map(|code| (code, 1)).collect(),
        ..Trial::default()
    }
}
