//! Gates as people write them: `small_iops < -5%` bounds the change, `open_p99 > 2ms` the number of the new side.
//!
//! Must not judge.

use super::{Beyond, Bound, Gate};
use crate::error::Problem;
use crate::path_text::printable;
use crate::units::{Nanos, UnitError, to_f64, us_from_ns};
use crate::uses::compare::Metric;

const FORM: &str = "write QUANTITY < N% or QUANTITY > N% for the change, such as 'small_iops < -5%', or a number with its unit \
                    for the new side itself, side B, such as 'small_p99 > 2ms' or 'small_iops < 5000 IOPS'";

impl Gate {
    /// Reads `METRIC < N%` or `METRIC > 2ms`.
    ///
    /// # Errors
    /// A usage problem that says what is wrong with the text, and what a gate looks like.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let wrong =
            |what: String| Problem::usage(what).at(format!("--fail-if '{}'", printable(text))).next(FORM);
        let Some(at) = text.find(['<', '>']) else {
            return Err(wrong("the gate has neither < nor >".to_owned()));
        };
        let (name, rest) = text.split_at(at);
        let metric = Metric::named(name.trim()).ok_or_else(|| {
            let names: Vec<_> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            wrong(format!("'{}' is no quantity that is compared", printable(name.trim()))).because(format!(
                "there are {}; of any other load class NAME there are NAME_per_s, NAME_mbps, NAME_latency and NAME_p99",
                names.join(", ")
            ))
        })?;
        let beyond = if rest.starts_with('<') { Beyond::Below } else { Beyond::Above };
        let rest = rest[1..].trim();
        let bound = match rest.strip_suffix('%') {
            Some(percent) => Bound::Change(number(percent).map_err(wrong)? / 100.0),
            None => Bound::Value(value(metric, rest).map_err(wrong)?),
        };
        let never = match bound {
            Bound::Change(least) => beyond == Beyond::Below && least <= -1.0,
            Bound::Value(value) => value <= 0.0,
        };
        if never {
            let what = if beyond == Beyond::Below { "could never fail" } else { "would always fail" };
            return Err(wrong(format!("the gate {what}")).because("a value never falls below 0"));
        }
        Ok(Self { metric, beyond, bound, text: text.to_owned(), level: None, required: false })
    }
}

fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let found = text.parse().ok().filter(|number: &f64| number.is_finite());
    found.ok_or_else(|| format!("'{}' is no number", printable(text)))
}

/// A number with its unit, in the unit of the quantity.
fn value(metric: Metric, text: &str) -> Result<f64, String> {
    let units: &[&str] = match metric.unit() {
        "us" => return latency_us(text),
        "MBPS" => &["MBPS", "MB/s"],
        "commits/s" => &["commits/s", "/s"],
        _ => &["IOPS", "/s"],
    };
    let ends_in = |unit: &&str| {
        let at = text.len().checked_sub(unit.len())?;
        let (number, end) = text.split_at_checked(at)?;
        end.eq_ignore_ascii_case(unit).then_some(number)
    };
    let Some(digits) = units.iter().find_map(ends_in) else {
        let shown = printable(text);
        return Err(format!("'{shown}' is neither in per cent nor in {}", units.join(" or ")));
    };
    number(digits)
}

fn latency_us(text: &str) -> Result<f64, String> {
    match text.parse::<Nanos>() {
        Ok(Nanos(ns)) => Ok(us_from_ns(to_f64(ns))),
        Err(UnitError::NoUnit(_)) => {
            Err(format!("'{}' is neither in per cent nor a time in us, ms or s", printable(text)))
        }
        Err(error) => Err(error.to_string()),
    }
}
