//! Whether a figure is good enough for a setting: the one rule for every setting of every product.
//!
//! A figure gives no setting when
//! - a flag says that it must not be used, or it was read through the page cache,
//! - it still rose at the most that was tried (`NOT_SATURATED`), and the setting needs to know where that ends,
//! - its 95 % interval reaches 0 or spans more than [`UNKNOWN`] either way, or there is none.
//!
//! It gives a rough one when
//! - others disturbed the visits behind it so far that the number may have changed (`FOREIGN`, where that is no note),
//! - its 95 % interval spans more than [`WIDEST`] either way.
//!
//! What is withheld keeps the computation for whoever asks how it came about. Must not change a figure.

use super::figure::MeasuredFigure;
use super::{Advice, Kind, Refusal, SettingAdvice};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::path_text::printable;
use rigel_core::units::say::number;
use std::collections::BTreeSet;

/// An interval may reach this many times the value, and down to the value over it.
pub const WIDEST: f64 = 1.3;
/// From here on only the order of magnitude is known.
pub const UNKNOWN: f64 = 10.0;
/// What rounding may add to a ratio.
const ROUNDING: f64 = 1e-9;

/// What casts doubt on the use of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt<'a> {
    /// A flag forbids it.
    Forbidden(&'a Flag),
    /// Others used the host or the device.
    Foreign(&'a Flag),
    /// It was still rising at the highest level tried.
    Rising,
    /// The interval reaches 0.
    ReachesZero,
    /// The interval reaches this many times the value, or down to so small a part of it.
    Wide(f64),
    /// There is no interval.
    Unknown,
}

/// Everything that casts doubt on a figure.
pub fn doubts(measured: &MeasuredFigure) -> Vec<Doubt<'_>> {
    let mut all: Vec<Doubt<'_>> = measured.flags.iter().filter_map(of_flag).collect();
    all.extend(measured.is_lower_bound.then_some(Doubt::Rising));
    all.extend(measured.width_matters.then(|| width(measured)).flatten());
    all
}

/// Through the page cache no storage answers, though no number of it is wrong.
fn of_flag(flag: &Flag) -> Option<Doubt<'_>> {
    match flag.code {
        _ if flag.invalid => Some(Doubt::Forbidden(flag)),
        FlagCode::Buffered => Some(Doubt::Forbidden(flag)),
        FlagCode::Foreign if flag.speaks_against() => Some(Doubt::Foreign(flag)),
        _ => None,
    }
}

/// A level is a whole number, and one more or less is as near as whole numbers come.
fn width(measured: &MeasuredFigure) -> Option<Doubt<'static>> {
    let value = measured.figure.value;
    let Some((lo, hi)) = measured.figure.ends() else {
        return Some(Doubt::Unknown);
    };
    if lo <= 0.0 || value <= 0.0 {
        return Some(Doubt::ReachesZero);
    }
    let step = if measured.is_level() { 1.0 } else { 0.0 };
    let spans = |ratio: f64, distance: f64| (ratio > WIDEST + ROUNDING && distance > step).then_some(ratio);
    let (up, down) = (spans(hi / value, hi - value), spans(value / lo, value - lo));
    match (up, down) {
        (None, None) => None,
        (up, down) => Some(Doubt::Wide(up.unwrap_or(0.0).max(down.unwrap_or(0.0)))),
    }
}

impl Doubt<'_> {
    /// The gravest comes first.
    fn rank(&self) -> u8 {
        match self {
            Self::Forbidden(_) => 0,
            Self::Rising => 1,
            Self::ReachesZero | Self::Unknown => 2,
            Self::Wide(_) if !self.is_rough() => 2,
            Self::Foreign(_) => 3,
            Self::Wide(_) => 4,
        }
    }

    /// Whether a value is a rough one for it, and no unknown one.
    fn is_rough(&self) -> bool {
        match self {
            Self::Foreign(_) => true,
            Self::Wide(ratio) => *ratio <= UNKNOWN,
            Self::Forbidden(_) | Self::Rising | Self::ReachesZero | Self::Unknown => false,
        }
    }

    /// The same in a few words.
    fn short(&self) -> String {
        match self {
            Self::Forbidden(flag) => flag.code.name().to_owned(),
            Self::Foreign(_) => "other programs used the CPUs or the device (FOREIGN)".to_owned(),
            Self::Rising => "did not level off up to the highest level tried (NOT_SATURATED)".to_owned(),
            Self::ReachesZero => "its interval reaches 0".to_owned(),
            Self::Wide(ratio) => format!("its interval spans a factor of {}", number(*ratio)),
            Self::Unknown => "has no interval".to_owned(),
        }
    }

    /// The doubt, as a sentence.
    fn because(&self) -> String {
        let told = |flag: &Flag| format!("{}: {}", flag.code.name(), printable(&flag.text));
        match self {
            Self::Forbidden(flag) => format!("it must not be used ({})", told(flag)),
            // The first kind of disturbance tells enough; the report of the run has all.
            Self::Foreign(flag) => format!(
                "other programs used the CPUs or the device ({})",
                told(flag).split("; ").next().unwrap_or_default()
            ),
            Self::Rising => {
                "it did not level off up to the highest level tried (NOT_SATURATED), so the storage may do more"
                    .to_owned()
            }
            Self::ReachesZero => {
                "its 95 % interval reaches 0, so next to nothing is known about it".to_owned()
            }
            Self::Wide(ratio) => format!(
                "its 95 % interval spans a factor of {}, but a setting needs {WIDEST} or less",
                number(*ratio)
            ),
            Self::Unknown => "it has no interval, so its precision is unknown".to_owned(),
        }
    }

    /// What to do, as a phrase that a command line follows.
    fn next(&self) -> String {
        match self {
            Self::Forbidden(flag) if flag.code == FlagCode::Zeros => {
                "measure on data: without a target Rigel fills a scratch file".to_owned()
            }
            Self::Forbidden(flag) if flag.code == FlagCode::Memory => {
                "measure the disk: name a directory or a file on it".to_owned()
            }
            Self::Forbidden(flag) => format!(
                "remove the cause (docs/reference/flags.md explains {}), then measure again",
                flag.code.name()
            ),
            Self::Foreign(_) => "stop other programs on this host, or repeat at another time; on a rented \
                                 machine they may be neighbours, and a quieter machine helps"
                .to_owned(),
            Self::Rising => "search further".to_owned(),
            Self::ReachesZero | Self::Wide(_) | Self::Unknown => {
                "measure longer, while nothing else runs".to_owned()
            }
        }
    }

    fn command(&self, measured: &MeasuredFigure) -> String {
        let again = &measured.again;
        match self {
            Self::Forbidden(flag) if flag.code == FlagCode::Zeros => again.on_data.clone(),
            // The same target is memory again.
            Self::Forbidden(flag) if flag.code == FlagCode::Memory => "rigel calibrate".to_owned(),
            Self::Rising => again.further.clone(),
            _ => again.longer.clone(),
        }
    }
}

/// How far a figure may be used: 0 without a doubt, 1 for a rough value, 2 for none.
pub fn doubtfulness(measured: &MeasuredFigure) -> u8 {
    let of = |doubt: &Doubt<'_>| if doubt.is_rough() { 1 } else { 2 };
    doubts(measured).iter().map(of).max().unwrap_or(0)
}

/// The advice as it may be shown: rough or withheld if a figure behind it is not good enough.
pub fn judged(advice: Advice) -> Advice {
    let Ok(given) = advice.outcome else {
        return advice;
    };
    let outcome = match refusal(&given) {
        None => Ok(given),
        Some(rough) if rough.kind == Kind::Rough => {
            Ok(SettingAdvice { rough: Some(Box::new(rough)), ..given })
        }
        Some(refusal) => Err(Refusal { withheld: Some(Box::new(given)), ..refusal }),
    };
    Advice { outcome, ..advice }
}

/// The gravest doubt in a few words; if figures must not be used, all flags that say so.
fn short(gravest: &Doubt<'_>, measured: &MeasuredFigure) -> String {
    if !matches!(gravest, Doubt::Forbidden(_)) {
        return gravest.short();
    }
    let all = doubts(measured);
    let forbidden = all.iter().filter(|doubt| matches!(doubt, Doubt::Forbidden(_)));
    let codes: BTreeSet<String> = forbidden.map(Doubt::short).collect();
    format!("must not be used ({})", codes.into_iter().collect::<Vec<_>>().join(", "))
}

fn refusal(given: &SettingAdvice) -> Option<Refusal> {
    let doubted: Vec<(&MeasuredFigure, Vec<Doubt<'_>>)> = given
        .measured
        .iter()
        .map(|one| (one, doubts(one)))
        .filter(|(_, doubts)| !doubts.is_empty())
        .collect();
    let told = |(measured, doubts): &(&MeasuredFigure, Vec<Doubt<'_>>)| {
        let sentences: Vec<String> = doubts.iter().map(Doubt::because).collect();
        printable(&format!("{}, {}: {}", measured.what, measured.told(), sentences.join("; "))).into_owned()
    };
    let all =
        doubted.iter().flat_map(|(measured, doubts)| doubts.iter().map(move |doubt| (doubt, *measured)));
    let (gravest, measured) = all.min_by_key(|(doubt, _)| doubt.rank())?;
    Some(Refusal {
        kind: if gravest.is_rough() { Kind::Rough } else { Kind::InDoubt },
        because: printable(&format!("{}: {}", measured.what, short(gravest, measured))).into_owned(),
        details: Some(doubted.iter().map(told).collect::<Vec<_>>().join("; ")),
        next: gravest.next(),
        command: Some(gravest.command(measured)),
        withheld: None,
    })
}
