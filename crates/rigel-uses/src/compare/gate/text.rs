//! Gates as people write them: `small_iops < -5%` bounds the change, `open_p99 > 2ms` the number of the new side.
//!
//! Must not judge.

use super::{BreachSide, Gate, GateBound};
use rigel_core::error::Problem;
use rigel_core::judge::answers::ANSWERS;
use rigel_core::judge::quantity::{Quantity, Scope, Unit, What};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::path_text::printable;
use rigel_core::units::{Nanos, UnitError, to_f64, us_from_ns};

const FORM: &str = "write QUANTITY < N% or QUANTITY > N% for the change, such as 'small_iops < -5%', or a number with its unit \
                    for the new side itself, side B, such as 'small_p99 > 2ms' or 'small_iops < 5000 IOPS'";

const REQUIRED_FORM: &str = "write QUANTITY >= NUMBER or QUANTITY <= NUMBER, such as 'max_small_iops >= 20000' or \
                             'commit_latency <= 200us'";

impl Gate {
    /// Reads what a storage must reach, `max_small_iops >= 20000` or `commit_latency <= 200us`: the opposite of a gate's breach. The unit
    /// may be missing where the quantity has only one.
    ///
    /// # Errors
    /// A usage problem that says what is wrong with the text, and what is expected.
    pub fn requirement(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let wrong = |what: String| {
            Problem::usage(what).at(format!("--require '{}'", printable(text))).next(REQUIRED_FORM)
        };
        let (quantity, is_below, rest) = parts(text, "the requirement has neither <= nor >=", wrong)?;
        let beyond = if is_below { BreachSide::Above } else { BreachSide::Below };
        let rest = rest.trim_start_matches('=').trim();
        let plain = number(rest).ok().filter(|_| quantity.what.is_rate());
        let bound = plain.map_or_else(|| value(quantity, rest, "not"), Ok).map_err(wrong)?;
        if bound <= 0.0 {
            return Err(wrong("the requirement is met always or never".to_owned())
                .because("a value never falls below 0"));
        }
        let bound = GateBound::Value(bound);
        Ok(Self { quantity, beyond, bound, text: text.to_owned(), level: None, required: true })
    }

    /// Reads `METRIC < N%` or `METRIC > 2ms`.
    ///
    /// # Errors
    /// A usage problem that says what is wrong with the text, and what a gate looks like.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let wrong =
            |what: String| Problem::usage(what).at(format!("--fail-if '{}'", printable(text))).next(FORM);
        let (quantity, is_below, rest) = parts(text, "the gate has neither < nor >", wrong)?;
        let beyond = if is_below { BreachSide::Below } else { BreachSide::Above };
        let rest = rest.trim();
        let bound = match rest.strip_suffix('%') {
            Some(percent) => GateBound::Change(number(percent).map_err(wrong)? / 100.0),
            None => GateBound::Value(value(quantity, rest, "neither a percentage nor").map_err(wrong)?),
        };
        let never = match bound {
            GateBound::Change(least) => beyond == BreachSide::Below && least <= -1.0,
            GateBound::Value(value) => value <= 0.0,
        };
        if never {
            let what = if beyond == BreachSide::Below { "could never fail" } else { "would always fail" };
            return Err(wrong(format!("the gate {what}")).because("a value never falls below 0"));
        }
        Ok(Self { quantity, beyond, bound, text: text.to_owned(), level: None, required: false })
    }
}

/// A quantity, whether `<` follows rather than `>`, and the text after that sign.
fn parts<'a>(
    text: &'a str,
    no_sign: &str,
    wrong: impl Fn(String) -> Problem,
) -> Result<(Quantity, bool, &'a str), Problem> {
    let Some(at) = text.find(['<', '>']) else { return Err(wrong(no_sign.to_owned())) };
    let (name, rest) = (text[..at].trim(), &text[at..]);
    let quantity = Quantity::named(name).ok_or_else(|| {
        wrong(format!("'{}' is not a quantity that is compared", printable(name))).because(names())
    })?;
    Ok((quantity, rest.starts_with('<'), &rest[1..]))
}

/// The names that there are.
fn names() -> String {
    let pair = LoadClass::pair(0, 0);
    let of_runs = ANSWERS.iter().map(|answer| answer.quantity).filter(|one| one.is_compared());
    let lowest = Quantity::new(Scope::Best, What::Mean, Class::SMALL);
    let of_points =
        (0..3).flat_map(|kind| pair.iter().map(move |load| Quantity::of_class(load, load.name)[kind]));
    let names: Vec<String> = of_runs.chain([lowest]).chain(of_points).map(Quantity::name).collect();
    format!(
        "there are {}; any other load class NAME has NAME_per_s or NAME_mbps, NAME_latency and NAME_p99, \
         and whole runs have max_NAME_per_s or max_NAME_mbps, and min_NAME_latency",
        names.join(", ")
    )
}

fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let found = text.parse().ok().filter(|number: &f64| number.is_finite());
    found.ok_or_else(|| format!("'{}' is not a number", printable(text)))
}

/// A number with its unit, in the unit of the quantity; `is_not` says what else the text is not.
fn value(quantity: Quantity, text: &str, is_not: &str) -> Result<f64, String> {
    let units: &[&str] = match quantity.unit() {
        Unit::Us => return latency_us(text, is_not),
        Unit::Mbps => &["MBPS", "MB/s"],
        Unit::Commits => &["commits/s", "/s"],
        Unit::Iops | Unit::PerSecond => &["IOPS", "/s"],
        Unit::Times => &["times", "x"],
    };
    let ends_in = |unit: &&str| {
        let at = text.len().checked_sub(unit.len())?;
        let (number, end) = text.split_at_checked(at)?;
        end.eq_ignore_ascii_case(unit).then_some(number)
    };
    let Some(digits) = units.iter().find_map(ends_in) else {
        let shown = printable(text);
        return Err(format!("'{shown}' is {is_not} in {}", units.join(" or ")));
    };
    number(digits)
}

fn latency_us(text: &str, is_not: &str) -> Result<f64, String> {
    match text.parse::<Nanos>() {
        Ok(Nanos(ns)) => Ok(us_from_ns(to_f64(ns))),
        Err(UnitError::NoUnit(_)) => Err(format!("'{}' is {is_not} a time in us, ms or s", printable(text))),
        Err(error) => Err(error.to_string()),
    }
}
