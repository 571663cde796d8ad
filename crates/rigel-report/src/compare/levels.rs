//! The load levels of both sides: how many are the same, which are not, and the command that measures one more.
//!
//! Must not guess: a command is only given if it measures as the run did.

use super::ComparisonView;
use super::words::named;
use crate::judgement::Suggestion;
use crate::view::View;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::units::say::counted;
use rigel_uses::advice::again::at_level;

/// More load levels are not named above the table.
const MOST_NAMED: usize = 6;
/// `Only 3 of 9 load levels are on both sides: ..`; `None` if all are.
pub(super) fn coverage(compared: &ComparisonView<'_>) -> Option<String> {
    let left_out = &compared.comparison.left_out;
    let all = compared.base.iter().chain(compared.new).next()?;
    let points = all.findings.points.iter().map(|found| found.point);
    let mut common: Vec<Point> = points.filter(|point| !left_out.contains(point)).collect();
    common.sort_by_key(|point| point.by_rows());
    let total = counted(common.len() + left_out.len(), "load level");
    let names = if common.len() > MOST_NAMED { String::new() } else { format!(" ({})", named(&common)) };
    let there = if is_pair(compared) { "on both sides" } else { "in every run" };
    let verb = if common.len() == 1 { "is" } else { "are" };
    if common.is_empty() {
        return Some(format!(
            "None of {total} is {there}. They are not compared; they are listed at the end."
        ))
        .filter(|_| !left_out.is_empty());
    }
    (!left_out.is_empty()).then(|| {
        format!(
            "Only {} of {total} {verb} {there}{names}. The others are not compared; they are listed below the table.",
            common.len()
        )
    })
}

/// The points that are not compared, by side; `text` writes one.
pub(super) fn left_out(compared: &ComparisonView<'_>, text: impl Fn(Point) -> String) -> Option<String> {
    let points = &compared.comparison.left_out;
    let of = |name: &str, views: &[View<'_>]| {
        let own = points.iter().filter(|point| views.iter().any(|view| view.at(**point).is_some()));
        let own: Vec<String> = own.map(|point| text(*point)).collect();
        (!own.is_empty()).then(|| format!("{name} {}", own.join(" ")))
    };
    let sides: Vec<String> =
        [of("base", compared.base), of("new", compared.new)].into_iter().flatten().collect();
    (!sides.is_empty()).then(|| sides.join("; "))
}

fn is_pair(compared: &ComparisonView<'_>) -> bool {
    (compared.base.len(), compared.new.len()) == (1, 1)
}

/// The command that measures one side at the load where the other one had its highest rate of small I/O.
pub(super) fn next(compared: &ComparisonView<'_>) -> Option<Suggestion> {
    let (base, new) = (compared.base.first()?, compared.new.first()?);
    let of = |what: (&str, &View<'_>), other: (&str, &View<'_>)| {
        let level = missing(compared, what.1)?;
        let command = at_level(&other.1.record.header, level)?;
        Some(Suggestion {
            purpose: format!(
                "To compare both at {level} outstanding small I/Os, where the {} was best, run this for the {} and compare the two \
                 records",
                what.0, other.0
            ),
            command,
            is_longer: false,
        })
    };
    let (base, new) = (("base", base), ("new side", new));
    of(base, new).or_else(|| of(new, base)).filter(|_| is_pair(compared))
}

/// The load of the highest rate of small I/O, if the other side was not measured at it.
fn missing(compared: &ComparisonView<'_>, view: &View<'_>) -> Option<u32> {
    let best = view.findings.best.rate(Class::SMALL)?.point;
    let is_missing = best.is_alone(Class::SMALL) && compared.comparison.left_out.contains(&best);
    is_missing.then(|| best.of(Class::SMALL))
}
