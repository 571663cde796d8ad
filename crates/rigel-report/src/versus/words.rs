//! The words of every output about two sides: what they are, which one is faster, how sure that is.
//!
//! Must not format for an output.

use super::{Turned, bounds};
use crate::compare::value;
use crate::numbers::{counted, decimal_percent, plain_percent};
use crate::sure::{FEWEST, Sure, UNKNOWN};
use crate::verdict::{Cause, Conclusion};
use crate::words::listed;
use rigel_core::facts::engine::EngineKind;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Class, LoadClass, Pattern, Sync};
use rigel_core::load::matrix::Point;
use rigel_core::load::request::EngineRequest;
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::stats::turns::FEWEST_ROUNDS;
use rigel_core::uses::compare::change::{Change, Doubt};
use rigel_core::uses::compare::{Effect, MARGIN, Metric, Past, Row};
use rigel_core::uses::versus::Overall;

/// Values of more loads are in the table only.
const MOST_TOLD: usize = 3;
/// A smaller factor may be chance.
const WORTH_TELLING: f64 = 1.5;

/// What a side is: its targets, and how they are used where that is not the same on both.
pub(super) fn side(turned: &Turned<'_>, side: Side) -> String {
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
        parts.push(if own.buffered { "through the page cache" } else { "past the page cache" }.to_owned());
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

/// A class of the load, with its name on either side.
pub(super) fn load(turned: &Turned<'_>, class: Class) -> Option<LoadClass> {
    Some(turned.view.record.header.request.class(class.on(Side::A)?)?.plain())
}

/// `small I/O`, `I/O of reads`, `dsync commits`.
pub(super) fn of(turned: &Turned<'_>, metric: Metric) -> String {
    let class = metric.class();
    let Some(load) = load(turned, class) else { return class.to_string() };
    match (load.pattern, load.sync) {
        (Pattern::Log, Sync::None) => format!("{class} writes"),
        (Pattern::Log, _) => format!("{class} commits"),
        _ => load.noun(),
    }
}

/// All that is told of the sides, the verdict first.
pub(super) fn sentences(turned: &Turned<'_>) -> Vec<String> {
    verdict(turned).into_iter().chain(tails(turned)).collect()
}

/// The verdict: who keeps the bounds that were asked for, then a sentence for each rate, or for the latency where the rate is given,
/// after what a side does not keep up with.
pub(super) fn verdict(turned: &Turned<'_>) -> Vec<String> {
    let leading = turned.found.overall.iter().filter(|found| turned.found.leading.contains(&found.metric));
    let few = turned.found.leading.iter().filter_map(|metric| few(turned, *metric));
    let compared = behind(turned).into_iter().chain(leading.map(|found| one(turned, found))).chain(few);
    let told: Vec<String> = bounds::verdicts(turned).into_iter().chain(compared).collect();
    if turned.found.comparison.rows.is_empty() {
        return vec!["No ratio of the two sides can be told: no load was measured on both.".to_owned()];
    }
    if told.is_empty() {
        return vec!["No ratio of the two sides can be told; the table says why.".to_owned()];
    }
    told
}

/// `Undecided in small I/O: 2 rounds had a visit to both sides, and fewer than 4 tell no ratio.` Nothing where some load has enough.
fn few(turned: &Turned<'_>, metric: Metric) -> Option<String> {
    let found = turned.found;
    let mut own = found.comparison.rows.iter().filter(|row| row.metric == metric);
    let is_few = own.any(|row| row.verdict == Effect::Undecided(Doubt::FewRounds));
    let is_told = found.overall.iter().any(|one| one.metric == metric);
    (is_few && !is_told).then(|| {
        format!(
            "Undecided in {}: {} had a visit to both sides, and fewer than {FEWEST_ROUNDS} tell no ratio.",
            of(turned, metric),
            counted(found.rounds.min(FEWEST_ROUNDS - 1), "round")
        )
    })
}

/// Loads whose rate is given and not served. Their latency says how long was measured, so they have no ratio.
fn behind(turned: &Turned<'_>) -> Vec<String> {
    let told = |(point, is_behind): (Point, [bool; 2])| {
        let load = at(turned, point);
        match is_behind {
            [true, true] => format!("Neither side keeps up with {load}."),
            [true, false] => format!("A does not keep up with {load}, and B does."),
            [false, _] => format!("B does not keep up with {load}, and A does."),
        }
    };
    overloaded(turned).map(told).collect()
}

/// The loads that some side does not keep up with, and whether A and B do not.
fn overloaded(turned: &Turned<'_>) -> impl Iterator<Item = (Point, [bool; 2])> {
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
fn one(turned: &Turned<'_>, found: &Overall) -> String {
    let (what, loads) = (of(turned, found.metric), counted(found.loads.len(), "load"));
    let is_latency = found.metric.mirrors_a_rate();
    let how = |effect| match (effect, is_latency) {
        (Effect::Better, false) => "faster",
        (Effect::Better, true) => "less mean latency",
        (_, false) => "slower",
        (_, true) => "more mean latency",
    };
    let but = but(turned, found);
    match found.effect {
        Effect::Better | Effect::Worse => {
            let more = by_load(turned, found.metric);
            let more = if more.is_empty() { but } else { more };
            let verb = if is_latency { "has" } else { "is" };
            format!("B {verb} {} in {what}, over {loads}{more}.", by(&found.change, how(found.effect)))
        }
        Effect::Alike => {
            let what = if is_latency { format!("the mean latency of {what}") } else { what };
            format!(
                "No difference found in {what}: at most {} % either way, which is within ±{} %, over {loads}{but}.",
                plain_percent(found.change.most()),
                plain_percent(MARGIN)
            )
        }
        Effect::Undecided(_) => {
            let [less, more] = open_ends(&found.change);
            let (verb, [down, up]) = if is_latency {
                ("have", ["less", "more mean latency"])
            } else {
                ("be", ["slower", "faster"])
            };
            format!("Undecided in {what}: B may {verb} {less} % {down} or {more} % {up}, over {loads}{but}.")
        }
    }
}

/// How much less and how much more is possible, in per cent.
fn open_ends(change: &Change) -> [String; 2] {
    [-change.lo, change.hi].map(|end| plain_percent(end.max(0.0)))
}

/// `, but not at 8 outstanding`: loads that surely say something else than the mean.
fn but(turned: &Turned<'_>, found: &Overall) -> String {
    let places: Vec<String> = found.against.iter().map(|point| at(turned, *point)).collect();
    match places.len() {
        0 => String::new(),
        1..=MOST_TOLD if found.effect.is_direction() => format!(", but not at {}", listed(&places)),
        _ => ", but see the single loads".to_owned(),
    }
}

/// Digits after which an interval is none for a reader.
const MOST_DECIMALS: usize = 3;

/// `5.2 % faster than A (4.1 to 6.3 %)`. An interval whose ends would read alike gets more digits, and has none left at last: `9 %
/// slower than A (known to less than 0.001 %)`.
fn by(change: &Change, faster: &str) -> String {
    let (near, far) = if change.relative < 0.0 { (change.hi, change.lo) } else { (change.lo, change.hi) };
    let written =
        |decimals: usize| [change.relative, near, far].map(|share| decimal_percent(share.abs(), decimals));
    let apart = (1..=MOST_DECIMALS).map(written).find(|[_, near, far]| near != far);
    apart.map_or_else(
        || format!("{} % {faster} than A (known to less than 0.001 %)", plain_percent(change.relative.abs())),
        |[middle, near, far]| format!("{middle} % {faster} than A ({near} to {far} %)"),
    )
}

/// Where the loads differ for sure: the least and the most of them. Nothing where they do not.
fn by_load(turned: &Turned<'_>, metric: Metric) -> String {
    let rows = turned.found.comparison.rows.iter().filter(|row| row.metric == metric);
    let known: Vec<(&Row, Change)> = rows.filter_map(|row| Some((row, row.change.ok()?))).collect();
    let least = known.iter().min_by(|a, b| a.1.relative.total_cmp(&b.1.relative));
    let most = known.iter().max_by(|a, b| a.1.relative.total_cmp(&b.1.relative));
    let (Some((low, least)), Some((high, most))) = (least, most) else { return String::new() };
    if least.hi >= most.lo {
        return String::new();
    }
    format!(
        ", from {} % at {} to {} % at {}",
        signed(least.relative),
        place(turned, low),
        signed(most.relative),
        place(turned, high)
    )
}

/// `+5.2`.
pub(super) fn signed(relative: f64) -> String {
    crate::numbers::signed_percent(relative)
}

pub(super) fn place(turned: &Turned<'_>, row: &Row) -> String {
    row.point.map_or_else(|| "all loads".to_owned(), |point| at(turned, point))
}

/// `1 outstanding`, `8000 per second`, `4 writers`, `Small=5 Large=2`.
pub(super) fn at(turned: &Turned<'_>, point: Point) -> String {
    let mut classes = point.classes();
    let (Some((class, level)), None) = (classes.next(), classes.next()) else { return point.named(" ") };
    let Some(load) = load(turned, class) else { return point.named(" ") };
    match load.pattern {
        _ if load.is_open() => format!("{level} per second"),
        _ if load.places.is_some() => format!("place {}", load.place_words(level)),
        Pattern::Log => counted(level, "writer"),
        Pattern::Streams { .. } => counted(level, "stream"),
        Pattern::Random | Pattern::Sessions => format!("{level} outstanding"),
    }
}

/// What became of the 99th percentile, a sentence for each class; with its values where the rate is given and the loads are few.
/// Then the latency of a side that alone keeps up.
pub(super) fn tails(turned: &Turned<'_>) -> Vec<String> {
    let p99 = turned.found.overall.iter().filter(|found| found.metric.is_p99());
    let values = |metric| values(turned, metric).filter(|_| !bounds::tells(turned, metric));
    let compared = p99.flat_map(|found| [Some(tail(turned, found)), values(found.metric)]).flatten();
    bounds::figures(turned).into_iter().chain(compared).chain(alone(turned)).collect()
}

fn tail(turned: &Turned<'_>, found: &Overall) -> String {
    let what = of(turned, found.metric);
    let lower = match found.effect {
        Effect::Better => "lower",
        Effect::Worse => "higher",
        Effect::Alike => {
            return format!(
                "p99 latency of {what}: no difference found, at most {} %, which is within ±{} %.",
                plain_percent(found.change.most()),
                plain_percent(MARGIN)
            );
        }
        Effect::Undecided(_) => {
            let [less, more] = open_ends(&found.change);
            return format!("p99 latency of {what}: undecided, {less} % lower to {more} % higher on B.");
        }
    };
    format!("p99 latency of {what}: {} on B.", by(&found.change, lower).replace(" than A", ""))
}

/// `At 8000 per second it is 2.51 ms on A and 1.62 ms on B.`: what a bound on the latency is held against.
fn values(turned: &Turned<'_>, metric: Metric) -> Option<String> {
    load(turned, metric.class()).filter(LoadClass::is_open)?;
    let rows: Vec<&Row> = turned.found.comparison.rows.iter().filter(|row| row.metric == metric).collect();
    let one = |row: &&Row| {
        format!(
            "{} on A and {} on B at {}",
            told_in(metric, &row.base),
            told_in(metric, &row.new),
            place(turned, row)
        )
    };
    let values: Vec<String> = rows.iter().filter(|row| row.change.is_ok()).map(one).collect();
    (1..=MOST_TOLD).contains(&values.len()).then(|| format!("It is {}.", values.join("; ")))
}

/// A number with its interval, `2.51 ms (2.4 ms to 2.63 ms)`.
pub(super) fn told_in(metric: Metric, found: &Estimate) -> String {
    let ends = found.lo95().zip(found.hi95());
    let ends = ends.map(|(lo, hi)| format!(" ({} to {})", value(metric, lo), value(metric, hi)));
    format!("{}{}", value(metric, found.value), ends.unwrap_or_default())
}

/// `On B, the mean latency of open I/O at 8000 per second is 414 us (403 us to 425 us), and its p99 1.91 ms (1.84 ms to 1.99 ms).`:
/// where the other side does not keep up, so that there is no ratio.
fn alone(turned: &Turned<'_>) -> Vec<String> {
    let found = turned.found;
    let latency = |metric: Metric, (point, side): (Point, Side)| {
        let rows = &found.comparison.rows;
        let row = rows.iter().find(|row| row.metric == metric && row.point == Some(point))?;
        let own = if side == Side::A { &row.base } else { &row.new };
        (own.value > 0.0).then(|| told_in(metric, own))
    };
    let one = |mean: Metric, (point, side): (Point, Side)| {
        let p99 = found.metrics.iter().find(|p99| p99.is_p99() && p99.class() == mean.class())?;
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
    let given: Vec<Metric> = found.leading.iter().copied().filter(|metric| metric.mirrors_a_rate()).collect();
    let kept = overloaded(turned).filter_map(keeps_up).take(MOST_TOLD);
    kept.flat_map(|place| given.iter().filter_map(move |&mean| one(mean, place)).collect::<Vec<_>>())
        .collect()
}

/// What speaks against the rates and not against their ratio; nothing where something else speaks against the numbers.
pub(super) fn about_rates(found: &Conclusion) -> Option<String> {
    let common = [FlagCode::SlowNoise, FlagCode::LevelShift, FlagCode::Drift];
    let is_of_ratios = |cause: &Cause| cause.code == Some(FlagCode::NotReached);
    let mut others = found.causes.iter().filter(|cause| !is_of_ratios(cause)).peekable();
    let is_common = |cause: &Cause| cause.code.is_some_and(|code| common.contains(&code));
    (others.peek().is_some() && others.all(is_common)).then(|| {
        let what = if found.causes.iter().any(is_of_ratios) { "Whatever else" } else { "This" };
        format!(
            "{what} is about the rates. What slows or speeds both sides alike is not in their ratio, and a change of one side alone \
             makes its interval wider."
        )
    })
}

/// The three things that one can be sure of.
pub(super) fn sureness(turned: &Turned<'_>) -> Sure {
    let found = turned.found;
    let worth = found.worth.filter(|&worth| worth >= WORTH_TELLING).map_or_else(String::new, |worth| {
        format!(" It would have taken {worth:.1} times the visits to know it as well from two runs of the same minutes.")
    });
    Sure {
        this_session:
            "± is how sure each number is as the mean of this session (95 %). Turns do not narrow it."
                .to_owned(),
        within_it: format!(
            "B to A comes from rounds in which both sides were visited one right after the other, so that what was slow or fast for \
             both is not in it. Each interval holds by itself at 95 %; an effect is named where it holds beside all others of its \
             kind, alike where all of it is within ±{} %.{worth}",
            plain_percent(MARGIN)
        ),
        another_session: another(turned),
    }
}

/// What another session will show of the rates of each side.
fn another(turned: &Turned<'_>) -> String {
    let told = |(side, past): (Side, &Past)| {
        let rates = [(past.small_rate, "small I/O"), (past.large_rate, "large I/O")];
        let known: Vec<String> = rates
            .into_iter()
            .filter_map(|(sessions, what)| Some((sessions?, what)))
            .map(|(sessions, what)| {
                let within = plain_percent(sessions.another());
                format!("±{within} % in {what} (from {} calibrations)", sessions.count)
            })
            .collect();
        (!known.is_empty()).then(|| format!("a rate of {}: {}", side.name(), known.join(", ")))
    };
    let known: Vec<String> = Side::BOTH.into_iter().zip(turned.past).filter_map(told).collect();
    let rates = match known.as_slice() {
        [] => format!("{UNKNOWN}. {} calibrations of a side on different days make it known", FEWEST),
        [one] => format!("{one}; of the other side {UNKNOWN}"),
        both => both.join("; "),
    };
    format!(
        "What another session will show is {rates}. The ratio is surer than the rates, but may differ as well, with other load \
         on either side."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::uses::compare::change::RestsOn;

    #[test]
    fn no_interval_rounds_to_nothing() {
        let told =
            |relative, lo, hi| by(&Change { relative, lo, hi, df: 9.0, rests_on: RestsOn::Rounds }, "slower");
        assert_eq!(told(-0.052, -0.063, -0.041), "5.2 % slower than A (4.1 to 6.3 %)");
        assert_eq!(told(-0.09, -0.0903, -0.0898), "9 % slower than A (8.98 to 9.03 %)");
        assert_eq!(told(-0.09, -0.090_02, -0.089_99), "9 % slower than A (8.999 to 9.002 %)");
        assert_eq!(told(-0.09, -0.09, -0.09), "9 % slower than A (known to less than 0.001 %)");
    }
}
