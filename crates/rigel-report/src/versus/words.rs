//! The wording of every output about two sides: what they are, which one is faster, and how certain that is.
//!
//! Must not format for an output.

use super::names::{at, in_words, load, of, place};
use super::{VersusReport, bounds};
use crate::sure::{FEWEST, SurenessText, UNKNOWN};
use crate::view::View;
use crate::words::listed;
use rigel_core::facts::engine::EngineKind;
use rigel_core::judge::answers::{MAX_MBPS, UNBOUNDED_IOPS};
use rigel_core::judge::flags::FlagCode;
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::Point;
use rigel_core::load::request::EngineRequest;
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::turns::FEWEST_ROUNDS;
use rigel_core::units::say::{counted, decimal_percent, figure, number, plain_percent, signed_percent};
use rigel_uses::compare::change::{Change, Doubt};
use rigel_uses::compare::{Comparison, Effect, MARGIN, Row, SessionSpread};
use rigel_uses::versus::{OverallRatio, Versus};
use std::collections::BTreeSet;

/// Values of more loads are in the table only.
const MOST_TOLD: usize = 3;
/// A smaller factor may be chance.
const WORTH_TELLING: f64 = 1.5;

/// A side: its targets, and how they are used if that differs.
pub(super) fn side(turned: &VersusReport<'_>, side: Side) -> String {
    let header = &turned.view.record.header;
    let [a, b] = Side::BOTH.map(|side| header.request.alone(side));
    let own = if side == Side::A { &a } else { &b };
    let targets = header.request.of_side(side, &header.targets).iter();
    let mut parts: Vec<String> = targets.map(|target| printable(&target.path).into_owned()).collect();
    if a.engine != b.engine && !own.engine.is_simulated() {
        parts.push(format!("engine {}", engine(own.engine)));
    }
    if let EngineRequest::Sim(law) = own.engine {
        parts.push(format!("{} stations of {:.3} ms", law.servers, law.service_ns(0) / 1e6));
    }
    if a.buffered != b.buffered {
        parts.push(
            if own.buffered { "through the page cache" } else { "bypassing the page cache" }.to_owned(),
        );
    }
    parts.join(", ")
}

fn engine(request: EngineRequest) -> &'static str {
    match request {
        EngineRequest::Auto => "auto",
        EngineRequest::Only(kind) => kind.name(),
        EngineRequest::Sim(_) => EngineKind::Sim.name(),
    }
}

/// What the sides of a run come to, in sentences, as far as the run itself says.
pub(crate) fn reached(view: &View<'_>, found: &Versus) -> String {
    let turned = VersusReport { view, found, past: &[SessionSpread::default(); 2] };
    sentences(&turned).join(" ")
}

/// Everything that is reported about the sides, the verdict first.
pub(super) fn sentences(turned: &VersusReport<'_>) -> Vec<String> {
    verdict(turned).into_iter().chain(tails(turned)).collect()
}

/// The verdict: who meets the requested limits, then a sentence for each rate, or for the latency if the rate is given,
/// after what a side does not keep up with.
pub(super) fn verdict(turned: &VersusReport<'_>) -> Vec<String> {
    let leading = turned.found.overall.iter().filter(|found| turned.found.leading.contains(&found.quantity));
    let few = turned.found.leading.iter().filter_map(|quantity| few(turned, *quantity));
    let compared = behind(turned).into_iter().chain(leading.map(|found| one(turned, found))).chain(few);
    let told: Vec<String> = bounds::verdicts(turned).into_iter().chain(compared).collect();
    if turned.found.comparison.rows.is_empty() {
        return vec!["No ratio: no load was measured on both sides.".to_owned()];
    }
    if told.is_empty() {
        return vec!["No ratio: the table says why.".to_owned()];
    }
    told
}

/// `Undecided in small I/O: 2 rounds measured both sides, and a ratio needs 4; measure longer.` `None` if some load has enough.
fn few(turned: &VersusReport<'_>, quantity: Quantity) -> Option<String> {
    let found = turned.found;
    let mut own = found.comparison.rows.iter().filter(|row| row.quantity == quantity);
    let is_few = own.any(|row| row.verdict == Effect::Undecided(Doubt::FewRounds));
    let is_told = found.overall.iter().any(|one| one.quantity == quantity);
    (is_few && !is_told).then(|| {
        format!(
            "Undecided in {}: {} measured both sides, and a ratio needs {FEWEST_ROUNDS}; measure longer.",
            of(turned, quantity),
            counted(found.rounds.min(FEWEST_ROUNDS - 1), "round")
        )
    })
}

/// Loads whose given rate is not served. Their latency depends on how long was measured, so they have no ratio.
fn behind(turned: &VersusReport<'_>) -> Vec<String> {
    let told = |(point, is_behind): (Point, [bool; 2])| {
        let load = at(turned, point);
        let [a, b] = Side::BOTH.map(|side| served_per_s(turned, point.on(side)));
        let aside =
            |served: Option<String>| served.map_or_else(String::new, |rate| format!(" (it served {rate})"));
        match is_behind {
            [true, true] => {
                let each = a.zip(b).map_or_else(String::new, |(a, b)| format!(": A served {a}, and B {b}"));
                format!("Neither side keeps up with {load}{each}.")
            }
            [true, false] => format!("A does not keep up with {load}{}, and B does.", aside(a)),
            [false, _] => format!("B does not keep up with {load}{}, and A does.", aside(b)),
        }
    };
    overloaded(turned).map(told).collect()
}

/// What was served per second at a load of one class.
fn served_per_s(turned: &VersusReport<'_>, point: Point) -> Option<String> {
    let mut classes = turned.view.at(point)?.classes();
    let (Some((_, io)), None) = (classes.next(), classes.next()) else { return None };
    Some(figure(io.iops.value))
}

/// The loads that a side does not keep up with, and whether A and B do not.
fn overloaded(turned: &VersusReport<'_>) -> impl Iterator<Item = (Point, [bool; 2])> {
    let is_behind = move |point: Point| {
        let found = turned.view.at(point)?;
        Some(found.flags.iter().any(|flag| flag.code == FlagCode::Overload))
    };
    let of_a = turned.view.findings.points.iter().filter(|found| found.point.side() == Some(Side::A));
    of_a.filter_map(move |found| {
        let point = found.point.plain();
        let sides = [is_behind(point.on(Side::A))?, is_behind(point.on(Side::B))?];
        sides.contains(&true).then_some((point, sides))
    })
}

/// `B is 5.2 % faster than A (4.1 to 6.3 %) in small I/O, over 5 loads.`
fn one(turned: &VersusReport<'_>, found: &OverallRatio) -> String {
    let (what, loads) = (of(turned, found.quantity), counted(found.loads.len(), "load"));
    let is_latency = found.quantity.what == What::Mean;
    let how = |effect| match (effect, is_latency) {
        (Effect::Better, false) => "faster than A",
        (Effect::Better, true) => "less mean latency than A",
        (_, false) => "slower than A",
        (_, true) => "more mean latency than A",
    };
    let but = but(turned, found);
    match found.effect {
        Effect::Better | Effect::Worse => {
            let more = by_load(turned, found.quantity);
            let more = if more.is_empty() { but } else { more };
            let more = more + unshown(&turned.found.comparison, found);
            let verb = if is_latency { "has" } else { "is" };
            format!("B {verb} {} in {what}, over {loads}{more}.", by(&found.change, how(found.effect)))
        }
        Effect::Alike => {
            let what = if is_latency { format!("the mean latency of {what}") } else { what };
            format!(
                "No difference in {what}: at most {} % either way, which is within ±{} %, over {loads}{but}.",
                plain_percent(found.change.most()),
                plain_percent(MARGIN)
            )
        }
        Effect::Undecided(_) => {
            let [less, more] = open_ends(&found.change);
            let (verb, down, up) = if is_latency {
                ("have", "less mean latency than A", "more")
            } else {
                ("be", "slower", "faster")
            };
            format!(
                "Undecided in {what}: B may {verb} {less} {down} to {more} {up}, over {loads}{but}; measure longer."
            )
        }
    }
}

/// Larger changes read as a factor.
const MOST_PERCENT: f64 = 2.0;

/// How much less and how much more is possible: `92 %`, `9.7 times as`.
fn open_ends(change: &Change) -> [String; 2] {
    let told = |end: f64| match end.max(0.0) {
        end if end > MOST_PERCENT => format!("{} times as", number(1.0 + end)),
        end => format!("{} %", plain_percent(end)),
    };
    [-change.lo, change.hi].map(told)
}

/// `, but not at 8 outstanding`: loads that certainly contradict the mean.
fn but(turned: &VersusReport<'_>, found: &OverallRatio) -> String {
    let places: Vec<String> = found.against.iter().map(|point| at(turned, *point)).collect();
    let places = match places.len() {
        0 => return String::new(),
        1..=MOST_TOLD => listed(&places),
        some => format!("{some} of them"),
    };
    match found.effect {
        Effect::Better | Effect::Worse => format!(", but not at {places}"),
        Effect::Alike => format!(", but a clear one at {places}"),
        Effect::Undecided(_) => format!(", though decided at {places}"),
    }
}

/// That a direction applies to the mean only: all loads together may show what no row of the table does.
pub(super) fn unshown(comparison: &Comparison, found: &OverallRatio) -> &'static str {
    let mut own = comparison.rows.iter().filter(|row| row.quantity == found.quantity && row.change.is_ok());
    if found.loads.len() < 2 || own.any(|row| row.verdict == found.effect) {
        return "";
    }
    "; that holds for their average, not for any single load"
}

/// Beyond this many decimals an interval is not shown.
const MOST_DECIMALS: usize = 3;

/// `5.2 % faster than A (4.1 to 6.3 %)`. An interval whose ends would look equal gets more decimals, and is finally left out:
/// `9 % slower than A (known to less than 0.001 %)`.
fn by(change: &Change, how: &str) -> String {
    let (near, far) = if change.relative < 0.0 { (change.hi, change.lo) } else { (change.lo, change.hi) };
    let written =
        |decimals: usize| [change.relative, near, far].map(|share| decimal_percent(share.abs(), decimals));
    let apart = (1..=MOST_DECIMALS).map(written).find(|[_, near, far]| near != far);
    apart.map_or_else(
        || format!("{} % {how} (known to less than 0.001 %)", plain_percent(change.relative.abs())),
        |[middle, near, far]| format!("{middle} % {how} ({near} to {far} %)"),
    )
}

/// The smallest and the largest change, if the loads certainly differ. Empty otherwise.
fn by_load(turned: &VersusReport<'_>, quantity: Quantity) -> String {
    let rows = turned.found.comparison.rows.iter().filter(|row| row.quantity == quantity);
    let known: Vec<(&Row, Change)> = rows.filter_map(|row| Some((row, row.change.ok()?))).collect();
    let least = known.iter().min_by(|a, b| a.1.relative.total_cmp(&b.1.relative));
    let most = known.iter().max_by(|a, b| a.1.relative.total_cmp(&b.1.relative));
    let (Some((low, least)), Some((high, most))) = (least, most) else { return String::new() };
    if least.hi >= most.lo {
        return String::new();
    }
    format!(
        ", from {} % at {} to {} % at {}",
        signed_percent(least.relative),
        place(turned, low),
        signed_percent(most.relative),
        place(turned, high)
    )
}

/// The 99th percentile, a sentence for each class; with its values if the rate is given and the loads are few.
/// Then the latency of a side that alone keeps up.
pub(super) fn tails(turned: &VersusReport<'_>) -> Vec<String> {
    let p99 = turned.found.overall.iter().filter(|found| found.quantity.what.is_percentile());
    let values = |quantity| values(turned, quantity).filter(|_| !bounds::tells(turned, quantity));
    let compared = p99.flat_map(|found| [Some(tail(turned, found)), values(found.quantity)]).flatten();
    bounds::figures(turned).into_iter().chain(compared).chain(alone(turned)).collect()
}

fn tail(turned: &VersusReport<'_>, found: &OverallRatio) -> String {
    let (what, over) = (of(turned, found.quantity), of_loads(turned, found));
    let lower = match found.effect {
        Effect::Better => "lower",
        Effect::Worse => "higher",
        Effect::Alike => {
            return format!(
                "p99 latency of {what}: no difference, at most {} % either way, which is within ±{} %{over}.",
                plain_percent(found.change.most()),
                plain_percent(MARGIN)
            );
        }
        Effect::Undecided(_) => {
            let [less, more] = open_ends(&found.change);
            return format!("p99 latency of {what}: undecided, {less} lower to {more} higher on B{over}.");
        }
    };
    let more = but(turned, found) + unshown(&turned.found.comparison, found);
    format!("p99 latency of {what}: {} on B{over}{more}.", by(&found.change, lower))
}

/// The basis of a figure.
fn of_loads(turned: &VersusReport<'_>, found: &OverallRatio) -> String {
    let own = turned.found.comparison.rows.iter().filter(|row| row.quantity.class == found.quantity.class);
    let all: BTreeSet<Point> = own.filter_map(|row| row.point).collect();
    let places: Vec<String> = found.loads.iter().map(|point| at(turned, *point)).collect();
    over_some(&places, all.len())
}

/// `, over 1 of 5 loads (8 outstanding)`: the others had too few I/Os for a percentile. Empty if all have one.
fn over_some(places: &[String], all: usize) -> String {
    match places.len() {
        some if some >= all => String::new(),
        some @ 1..=MOST_TOLD => format!(", over {some} of {all} loads ({})", listed(places)),
        some => format!(", over {some} of {all} loads"),
    }
}

/// `At 8000 per second it is 2.51 ms on A and 1.62 ms on B.`: the values that a latency limit is compared with.
fn values(turned: &VersusReport<'_>, quantity: Quantity) -> Option<String> {
    load(turned, quantity.class).filter(LoadClass::is_open)?;
    let rows: Vec<&Row> =
        turned.found.comparison.rows.iter().filter(|row| row.quantity == quantity).collect();
    let one = |row: &&Row| {
        format!(
            "{} on A and {} on B at {}",
            in_words(quantity, &row.base),
            in_words(quantity, &row.new),
            place(turned, row)
        )
    };
    let values: Vec<String> = rows.iter().filter(|row| row.change.is_ok()).map(one).collect();
    (1..=MOST_TOLD).contains(&values.len()).then(|| format!("It is {}.", values.join("; ")))
}

/// `On B, the mean latency of open I/O at 8000 per second is 414 us (403 us to 425 us), and its p99 1.91 ms (1.84 ms to 1.99 ms).`:
/// if the other side does not keep up, so that there is no ratio.
fn alone(turned: &VersusReport<'_>) -> Vec<String> {
    let found = turned.found;
    let latency = |quantity: Quantity, (point, side): (Point, Side)| {
        let rows = &found.comparison.rows;
        let row = rows.iter().find(|row| row.quantity == quantity && row.point == Some(point))?;
        let own = if side == Side::A { &row.base } else { &row.new };
        (own.value > 0.0).then(|| in_words(quantity, own))
    };
    let one = |mean: Quantity, (point, side): (Point, Side)| {
        let p99 = found.quantities.iter().find(|one| one.what.is_percentile() && one.class == mean.class)?;
        Some(format!(
            "On {}, the mean latency of {} at {} is {}, and its p99 {}.",
            side.name(),
            of(turned, mean),
            at(turned, point),
            latency(mean, (point, side))?,
            latency(*p99, (point, side))?
        ))
    };
    let keeps_up = |(point, is_behind): (Point, [bool; 2])| {
        let side = match is_behind {
            [true, false] => Side::B,
            [false, true] => Side::A,
            _ => return None,
        };
        let is_usable = turned.view.at(point.on(side))?.is_usable(&turned.view.record.header.request);
        is_usable.then_some((point, side))
    };
    let given: Vec<Quantity> = found.leading.iter().copied().filter(|one| one.what == What::Mean).collect();
    let kept = overloaded(turned).filter_map(keeps_up).take(MOST_TOLD);
    kept.flat_map(|place| given.iter().filter_map(move |&mean| one(mean, place)).collect::<Vec<_>>())
        .collect()
}

/// The three statements about certainty.
pub(super) fn sureness(turned: &VersusReport<'_>) -> SurenessText {
    let found = turned.found;
    let worth = found.worth.filter(|&worth| worth >= WORTH_TELLING).map_or_else(String::new, |worth| {
        format!(
            " Two separate runs would need {worth:.1} times as many visits for an equally narrow \
            interval."
        )
    });
    SurenessText {
        this_session:
            "± is the 95 % interval of each side on its own. Alternating makes only the ratio more precise."
                .to_owned(),
        within_it: format!(
            "The change comes from back-to-back pairs, so slowdowns that hit both sides cancel out; it may \
             differ from B divided by A in its row. Each row has a 95 % interval. A side is \
             called faster or slower only if that holds for all rows of its kind at once, and the sides are called alike if the whole \
             interval lies within ±{} %.{worth}",
            plain_percent(MARGIN)
        ),
        another_session: another(turned),
    }
}

/// What to expect of the rates of each side in another session.
fn another(turned: &VersusReport<'_>) -> String {
    let told = |(side, past): (Side, &SessionSpread)| {
        let rates = [(UNBOUNDED_IOPS, "small I/O"), (MAX_MBPS, "large I/O")];
        let known: Vec<String> = rates
            .into_iter()
            .filter_map(|(rate, what)| Some((past.of(rate)?, what)))
            .map(|(sessions, what)| {
                let within = plain_percent(sessions.another());
                format!("±{within} % in {what} (from {} calibrations)", sessions.count)
            })
            .collect();
        (!known.is_empty()).then(|| format!("of {}: {}", side.name(), known.join(", ")))
    };
    let known: Vec<String> = Side::BOTH.into_iter().zip(turned.past).filter_map(told).collect();
    let rates = match known.as_slice() {
        [] => format!("Rates: {UNKNOWN}. {FEWEST} calibrations of a side on different days show it"),
        [one] => format!("Rates {one}; for the other side {UNKNOWN}"),
        both => format!("Rates {}", both.join("; ")),
    };
    format!(
        "{rates}. Expect the ratio to hold better than the rates, but other load on either side may change it."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::Class;
    use rigel_core::stats::Estimate;
    use rigel_uses::compare::SideUsability;
    use rigel_uses::compare::change::RestsOn;

    #[test]
    fn a_percentile_of_some_loads_says_so() {
        let places = |count: usize| vec!["8 outstanding".to_owned(); count];
        assert_eq!(over_some(&places(1), 5), ", over 1 of 5 loads (8 outstanding)");
        assert_eq!(over_some(&places(4), 5), ", over 4 of 5 loads");
        assert_eq!((over_some(&places(5), 5), over_some(&places(1), 1)), (String::new(), String::new()));
    }

    fn change(relative: f64, lo: f64, hi: f64) -> Change {
        Change { relative, lo, hi, df: 9.0, rests_on: RestsOn::Rounds }
    }

    /// Five loads together may show what none of them does: the headline says so, as each row is undecided.
    #[test]
    fn a_direction_that_no_row_has_is_called_one_of_the_average() {
        let quantity = Quantity::at_points(What::Rate, Class::SMALL);
        let row = |level: u32, effect: Effect, change: Change| Row {
            quantity,
            follows: false,
            point: Some(Point::alone(Class::SMALL, level)),
            base: Estimate::bare(100.0),
            new: Estimate::bare(105.0),
            change: Ok(change),
            verdict: effect,
            standing: SideUsability::Usable,
            base_standing: SideUsability::Usable,
        };
        let wide = change(0.05, -0.02, 0.12);
        let open = Effect::of(quantity, &Ok(wide));
        assert!(!open.is_direction());
        let mut comparison =
            Comparison { rows: vec![row(1, open, wide), row(2, open, wide)], ..Comparison::default() };
        let found = OverallRatio {
            quantity,
            loads: [1, 2].map(|level| Point::alone(Class::SMALL, level)).to_vec(),
            change: change(0.05, 0.03, 0.07),
            effect: Effect::Better,
            against: Vec::new(),
            rounds: 9,
        };
        assert!(unshown(&comparison, &found).contains("not for any single load"));
        comparison.rows[1].verdict = Effect::Better;
        assert_eq!(unshown(&comparison, &found), "");
        let one = OverallRatio { loads: found.loads[..1].to_vec(), ..found };
        assert_eq!(unshown(&comparison, &one), "");
    }

    #[test]
    fn no_interval_rounds_to_nothing() {
        let told = |relative, lo, hi| by(&change(relative, lo, hi), "slower than A");
        assert_eq!(told(-0.052, -0.063, -0.041), "5.2 % slower than A (4.1 to 6.3 %)");
        assert_eq!(told(-0.09, -0.0903, -0.0898), "9 % slower than A (8.98 to 9.03 %)");
        assert_eq!(told(-0.09, -0.090_02, -0.089_99), "9 % slower than A (8.999 to 9.002 %)");
        assert_eq!(told(-0.09, -0.09, -0.09), "9 % slower than A (known to less than 0.001 %)");
    }
}
