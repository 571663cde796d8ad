//! The phases of a load file: the classes, scaled, each for a time.
//!
//! Must not know how they are measured.

use super::class::{self, Read};
use super::points;
use super::reader::{Table, Value};
use crate::error::Problem;
use crate::load::matrix::Point;
use crate::load::phase::{MOST_PHASES, Phase};
use crate::units::Nanos;

/// The keys of a phase.
pub const KEYS: [&str; 3] = ["for", "scale", "shape"];
const SCALE: &str =
    "a factor from 0 to 1000 such as 1.5, or one for each class such as { reads = 2, log = 1 }";

/// The phases of a load whose classes have these levels.
pub fn read(value: Value<'_>, classes: &[Read<'_>], usual: Point) -> Result<Vec<Phase>, Problem> {
    let mut phases = Vec::new();
    for phase in value.list("[[phase]] before the keys of each phase")? {
        phases.push(one(phase, classes, usual)?);
        if phases.len() > MOST_PHASES {
            return Err(phase
                .wrong("the load has too many phases")
                .next(format!("write at most {MOST_PHASES}")));
        }
    }
    Ok(phases)
}

fn one(value: Value<'_>, classes: &[Read<'_>], usual: Point) -> Result<Phase, Problem> {
    let table = Table::within(value, "a phase", &KEYS, "[[phase]] before the keys of each phase")?;
    let expected = "a time such as \"10m\", \"90s\" or \"1h\"";
    let time: Nanos = table.need("for", "for = \"10m\"")?.read(|text| text.parse().ok(), expected)?;
    let point = match table.get("scale") {
        None => usual,
        Some(scale) => scaled(scale, classes, usual)?,
    };
    let shape = table.get("shape").map(class::shape).transpose()?;
    let phase = Phase { time, point, shape };
    phase.check().map_err(|problem| table.place(problem))?;
    Ok(phase)
}

/// The load of a phase.
fn scaled(scale: Value<'_>, classes: &[Read<'_>], usual: Point) -> Result<Point, Problem> {
    let Some(each) = scale.open_table() else {
        let factor = factor(scale)?;
        return usual.classes().try_fold(Point::default(), |point, (class, level)| {
            let found = classes.iter().find(|read| read.class.name == class);
            let most = found.map_or(0, |read| points::most(&read.class));
            Ok(point.with(class, times(scale, level, factor, most)?))
        });
    };
    let mut point = usual;
    for one in each {
        let class = points::of(one, classes)?;
        let level = times(one, usual.of(class.name), factor(one)?, points::most(class))?;
        point = point.with(class.name, level);
    }
    Ok(point)
}

fn factor(value: Value<'_>) -> Result<f64, Problem> {
    value.decimal(0.0..=1000.0, SCALE)
}

/// A level times a factor, rounded. What is not scaled to zero stays at least 1.
fn times(value: Value<'_>, level: u32, factor: f64, most: u32) -> Result<u32, Problem> {
    let scaled = f64::from(level) * factor;
    if scaled > f64::from(most) {
        let what = format!("{} times {level} is more than {most}", crate::units::say::trimmed(factor));
        return Err(value.wrong(what).next("write a smaller factor"));
    }
    let least = u32::from(factor > 0.0);
    // Not above `most`, so that it fits.
    Ok(nearest(scaled, most).max(least))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the limit of levels"
)]
fn nearest(scaled: f64, most: u32) -> u32 {
    (scaled.round().max(0.0) as u32).min(most)
}

/// The factor between a class's level and its usual one, with as few digits as reproduce the level when read back.
pub fn factor_of(level: u32, usual: u32) -> String {
    let usual = f64::from(usual.max(1));
    let exact = f64::from(level) / usual;
    let is_read_back = |text: &String| {
        let read: f64 = text.parse().unwrap_or(f64::NAN);
        (level > 0) == (read > 0.0) && nearest(usual * read, u32::MAX) == level
    };
    let short = (0..=9_usize).map(|digits| format!("{exact:.digits$}")).find(is_read_back);
    short.unwrap_or_else(|| format!("{exact:?}"))
}
