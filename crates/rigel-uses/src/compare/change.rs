//! The change from the runs of one side to those of the other, with its interval.
//!
//! Everything is computed on logarithms, so a change is a ratio. The variance is the larger of two. The first comes
//! from the intervals of the runs (Welch's t test). The second, with several runs of a side, comes from the
//! differences between these runs: Welch's test on the runs (Hartung and Knapp's interval for a random effect,
//! which is never narrower than the first). Rounding by another tool widens the interval by half a unit in the last place. Must not judge whether
//! a change is good.

use rigel_core::judge::quantity::Quantity;
use rigel_core::stats::sample::{count, mean, sum_of_squares};
use rigel_core::stats::sessions::Sessions;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::stats::variance::SMALLEST_VARIANCE;
use rigel_core::stats::{Basis, Estimate, Interval};
use schemars::JsonSchema;
use serde::Serialize;

/// The joint confidence of all intervals of one comparison.
const CONFIDENCE: f64 = 0.95;
/// With fewer runs of a side, the smaller number of degrees of freedom counts.
const FEWEST_RUNS: f64 = 3.0;
/// Fewer runs do not show how much they differ: one difference of two runs may by chance be a hundredth of the usual,
/// and the interval that allows for it is 13 times as wide as the observed difference.
const FEWEST_DEGREES: f64 = 2.0;

/// A number that may be rounded up from almost nothing has no lower end on logarithms; this is as good as none.
const MOST_ROUNDING: f64 = 0.99;

/// What one run found for one quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunQuantity {
    /// The figure; not negative, and 0 if nothing completed.
    pub estimate: Estimate,
    /// Whether the interval is one of logarithms, like those of quantiles.
    pub geometric: bool,
    /// A flag says that the number must not be used.
    pub invalid: bool,
    /// The largest rounding error of the tool, as a share of the number; 0 for Rigel's own.
    pub rounding: f64,
}

impl RunQuantity {
    /// A figure of a run. Those of percentiles, of brackets and of ratios have intervals of logarithms.
    pub fn new(quantity: Quantity, estimate: Estimate, invalid: bool) -> Self {
        let geometric =
            quantity.what.is_percentile() || matches!(estimate.basis, Basis::Levels | Basis::Rounds);
        Self { estimate, geometric, invalid, rounding: 0.0 }
    }

    /// The same if the number is rounded by up to half a unit in the last place.
    #[must_use]
    pub fn rounded(self, half_unit: f64) -> Self {
        let share = half_unit / self.estimate.value;
        Self { rounding: if share.is_finite() { share.max(0.0) } else { 0.0 }, ..self }
    }

    /// The largest rounding error of the logarithm. Downwards, a share of the number is more on logarithms than
    /// upwards, and an interval has to contain both.
    fn rounding_of_log(&self) -> f64 {
        -(-self.rounding.min(MOST_ROUNDING)).ln_1p()
    }

    /// The standard error of the logarithm, and its degrees of freedom.
    pub(super) fn error(&self) -> Option<(f64, f64)> {
        let Interval { relative_half_width: half, df, .. } = self.estimate.interval?;
        let half = if self.geometric { half.ln_1p() } else { half };
        Some((half / student_t_quantile(0.975, df), df))
    }
}

/// Why a row says nothing about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The interval of the change holds no change, and changes that matter.
    Wide,
    /// A flag says that a number of one side must not be used.
    Invalid,
    /// Nothing completed on one side.
    NoData,
    /// One run of each side with one visit to the point: the result of another visit is unknown.
    OneVisit,
    /// A number is based on fewer visits than show how much they differ.
    FewVisits,
    /// Too few rounds visited both sides to show how much their ratios differ.
    FewRounds,
    /// Too few runs of a side to show how much they differ.
    FewRuns,
    /// A number has no interval.
    NoInterval,
    /// The best point of a run is one that another run was not given; that one may have missed its own best.
    UnequalLevels,
}

/// What the interval of a change is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RestsOn {
    /// The intervals of one run of each side. Variation from run to run, for example from day to day, then counts as a change.
    Intervals,
    /// How much the runs of a side differ.
    Runs,
    /// How much the rounds of one run differ, in which both sides alternated.
    Rounds,
    /// One run of each side, and how much past sessions differed.
    Sessions,
    /// All points of a quantity, each up or down.
    Points,
}

/// A change, relative to the base: -0.05 is 5 % less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Geometric mean of the new runs divided by that of the base, minus 1.
    pub relative: f64,
    /// Lower end of its interval; in 95 of 100 comparisons those of all rows of a metric are right simultaneously.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// What it is based on.
    pub rests_on: RestsOn,
}

impl Change {
    /// The largest change that its interval leaves open, whichever way.
    pub const fn most(&self) -> f64 {
        self.hi.max(-self.lo)
    }
}

/// The logarithms of one side.
struct Side {
    mean: f64,
    runs: f64,
    /// Variance of the mean by the intervals of its runs, with its degrees of freedom; `None` if a run has none.
    within: Option<(f64, f64)>,
    /// Variance of a single visit from the intervals of its runs, with its degrees of freedom; `None` if no run shows it.
    of_visit: Option<(f64, f64)>,
    squares: f64,
    /// The largest rounding error of its mean: all numbers may be rounded the same way, so several are no better than one.
    rounding: f64,
}

impl Side {
    fn of(runs: &[RunQuantity]) -> Self {
        let logs: Vec<f64> = runs.iter().map(|run| run.estimate.value.ln()).collect();
        let errors: Option<Vec<(f64, f64)>> = runs.iter().map(RunQuantity::error).collect();
        let of_runs = count(logs.len());
        let within = errors.map(|errors| {
            let parts: Vec<(f64, f64)> =
                errors.into_iter().map(|(error, df)| ((error / of_runs).powi(2), df)).collect();
            satterthwaite(&parts)
        });
        Self {
            mean: mean(&logs),
            runs: of_runs,
            within,
            of_visit: of_visit(runs),
            squares: sum_of_squares(&logs),
            rounding: mean(&runs.iter().map(RunQuantity::rounding_of_log).collect::<Vec<_>>()),
        }
    }
}

/// How much a visit varies, as the mean over the runs that show it.
fn of_visit(runs: &[RunQuantity]) -> Option<(f64, f64)> {
    let visit = |run: &RunQuantity| {
        let (error, df) = run.error()?;
        Some((error.powi(2) * count(run.estimate.interval?.visits), df))
    };
    let all: Vec<(f64, f64)> = runs.iter().filter_map(visit).collect();
    let several = count(all.len());
    let parts: Vec<(f64, f64)> = all.iter().map(|(variance, df)| (variance / several, *df)).collect();
    (!parts.is_empty()).then(|| satterthwaite(&parts))
}

/// The sum of variances, and its degrees of freedom (Satterthwaite 1946).
fn satterthwaite(parts: &[(f64, f64)]) -> (f64, f64) {
    let sum: f64 = parts.iter().map(|part| part.0).sum();
    let squares: f64 = parts.iter().map(|&(variance, df)| variance * variance / df).sum();
    // Parts without any variance have no say.
    let df = if squares > 0.0 { sum * sum / squares } else { f64::INFINITY };
    let most = parts.iter().map(|part| part.1).sum::<f64>();
    (sum, df.min(most))
}

/// How much the runs of each side differ: the variance of the mean of either side, and its degrees of freedom. A side
/// of a single run is assumed to vary like the other one; a single number without an interval, from another tool,
/// like one visit of the other. Sides of several runs each have their own variance.
fn between(base: &Side, new: &Side) -> Option<[(f64, f64); 2]> {
    let own = |side: &Side| (side.runs > 1.0).then(|| (side.squares / (side.runs - 1.0), side.runs - 1.0));
    let like = |other: (f64, f64), own: &Side, side: &Side| match side.of_visit {
        Some(of_visit) if own.within.is_none() => satterthwaite(&[other, of_visit]),
        _ => other,
    };
    let (first, second) = match (own(base), own(new)) {
        (None, None) => return None,
        (Some(first), None) => (first, like(first, new, base)),
        (None, Some(second)) => (like(second, base, new), second),
        (Some(first), Some(second)) => (first, second),
    };
    Some([(first.0 / base.runs, first.1), (second.0 / new.runs, second.1)])
}

/// Whether the numbers allow a comparison at all.
pub fn doubt(base: &[RunQuantity], new: &[RunQuantity]) -> Option<Doubt> {
    let any = |is: fn(&RunQuantity) -> bool| base.iter().chain(new).any(is);
    if any(|run| run.invalid) {
        return Some(Doubt::Invalid);
    }
    if any(|run| run.estimate.value <= 0.0) || base.is_empty() || new.is_empty() {
        return Some(Doubt::NoData);
    }
    if base.len() + new.len() > 2 {
        return None;
    }
    if any(|run| run.estimate.interval.is_none()) {
        return Some(Doubt::NoInterval);
    }
    // A bracket rests on the visits to several levels, a ratio on rounds.
    if any(|run| !matches!(run.estimate.basis, Basis::Visits | Basis::Levels | Basis::Rounds)) {
        return Some(Doubt::OneVisit);
    }
    let has_few = |run: &RunQuantity| run.estimate.basis == Basis::Visits && run.estimate.has_few_visits();
    any(has_few).then_some(Doubt::FewVisits)
}

/// The change from the runs of the base to the new ones. `judged` is how many changes are judged together: the interval
/// is so wide that all of them contain the true value in 95 of 100 comparisons (Bonferroni).
///
/// # Errors
/// When the numbers do not allow it, with the reason.
pub fn change(base: &[RunQuantity], new: &[RunQuantity], judged: usize) -> Result<Change, Doubt> {
    change_between_sessions(base, new, judged, [None; 2])
}

/// The same if it is known how much sessions of the base and of the new side differ. It matters if each has a single
/// run, which is one session: the change then is that of two sessions. A side for which it is not known is assumed to
/// vary like the other one.
///
/// # Errors
/// As [`change`].
pub fn change_between_sessions(
    base: &[RunQuantity],
    new: &[RunQuantity],
    judged: usize,
    past: [Option<Sessions>; 2],
) -> Result<Change, Doubt> {
    if let Some(doubt) = doubt(base, new) {
        return Err(doubt);
    }
    let (base, new) = (Side::of(base), Side::of(new));
    let within = base.within.zip(new.within).map(|(base, new)| satterthwaite(&[base, new]));
    let (variance, df, rests_on) = match between(&base, &new) {
        Some(sides) => {
            let (of_runs, df) = satterthwaite(&sides);
            // Otherwise the other side alone would decide, if two runs agree by chance, or if a side has a single run.
            let few = base.runs.min(new.runs) < FEWEST_RUNS;
            let df = if few { sides[0].1.min(sides[1].1) } else { df };
            if df < FEWEST_DEGREES {
                return Err(Doubt::FewRuns);
            }
            (of_runs.max(within.map_or(0.0, |within| within.0)), df, RestsOn::Runs)
        }
        None => {
            let (variance, df) = within.ok_or(Doubt::NoInterval)?;
            match of_sessions(past) {
                Some((of_sessions, df)) if of_sessions > variance => (of_sessions, df, RestsOn::Sessions),
                _ => (variance, df, RestsOn::Intervals),
            }
        }
    };
    let tail = (1.0 - CONFIDENCE) / 2.0 / count(judged.max(1));
    let half = student_t_quantile(1.0 - tail, df) * variance.max(SMALLEST_VARIANCE).sqrt();
    let half = half + base.rounding + new.rounding;
    let log = new.mean - base.mean;
    let [relative, lo, hi] = [log, log - half, log + half].map(f64::exp_m1);
    Ok(Change { relative, lo, hi, df, rests_on })
}

/// The variance between one session of each side, and its degrees of freedom. The same sessions for both sides are known once.
fn of_sessions([base, new]: [Option<Sessions>; 2]) -> Option<(f64, f64)> {
    let sides = [base.or(new)?, new.or(base)?];
    let [(of_base, df), of_new] = sides.map(|sessions| sessions.variance());
    Some(if sides[0] == sides[1] { (2.0 * of_base, df) } else { satterthwaite(&[(of_base, df), of_new]) })
}

/// A side on its own, with `runs` next to `others`: the figure of the only run, or the geometric mean of the runs,
/// whose interval includes the differences from run to run. 0 if nothing completed.
pub fn side(runs: &[RunQuantity], others: &[RunQuantity]) -> Estimate {
    if let [run] = runs {
        return run.estimate;
    }
    if runs.is_empty() || runs.iter().chain(others).any(|run| run.estimate.value <= 0.0) {
        return Estimate::bare(0.0);
    }
    let (own, others) = (Side::of(runs), Side::of(others));
    let interval = between(&own, &others).map(|[(of_runs, df), _]| {
        let variance = of_runs.max(own.within.map_or(0.0, |within| within.0));
        let half = student_t_quantile(0.975, df) * variance.max(SMALLEST_VARIANCE).sqrt() + own.rounding;
        Interval::geometric(own.mean, half, runs.len(), df)
    });
    let mean = Estimate::bare(own.mean.exp());
    interval.map_or(mean, |interval| Estimate::of(interval, Basis::Runs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::testing::Noise;

    fn run(value: f64, half: f64, df: f64) -> RunQuantity {
        let estimate = Interval::symmetric(value, half, 8, df).unwrap().into();
        RunQuantity { estimate, geometric: false, invalid: false, rounding: 0.0 }
    }

    #[test]
    fn one_run_a_side_is_welch_by_hand() {
        // Both 2 % wide on 7 degrees of freedom: the error is 0.02 sqrt(2) / t(7), on 14: half = 0.02 1.4142 2.1448
        // / 2.3646.
        let found = change(&[run(1000.0, 0.02, 7.0)], &[run(900.0, 0.02, 7.0)], 1).unwrap();
        let half = 0.02 * 2f64.sqrt() * 2.144_787 / 2.364_624;
        assert!((found.relative + 0.1).abs() < 1e-12 && (found.df - 14.0).abs() < 1e-9, "{found:?}");
        assert!((found.hi - (0.9f64.ln() + half).exp_m1()).abs() < 1e-6, "{found:?}");
        assert!((found.lo - (0.9f64.ln() - half).exp_m1()).abs() < 1e-6, "{found:?}");
        assert_eq!(found.rests_on, RestsOn::Intervals);
        let of_many = change(&[run(1000.0, 0.02, 7.0)], &[run(900.0, 0.02, 7.0)], 18).unwrap();
        assert!(of_many.lo < found.lo && of_many.hi > found.hi);
    }

    #[test]
    fn several_runs_are_judged_by_how_much_they_differ() {
        // Narrow intervals, but the runs of a side lie 10 % apart.
        let runs = |scale: f64| [1000.0, 1050.0, 1100.0].map(|value| run(scale * value, 0.001, 7.0));
        let (base, new) = (runs(1.0), runs(0.95));
        let found = change(&base, &new, 1).unwrap();
        assert_eq!(found.rests_on, RestsOn::Runs);
        assert!((found.df - 4.0).abs() < 1e-9, "{found:?}");
        assert!((found.relative + 0.05).abs() < 1e-12 && found.lo < -0.13 && found.hi > 0.05, "{found:?}");
        let own = side(&base, &new);
        assert!((own.value - (1000f64 * 1050.0 * 1100.0).cbrt()).abs() < 1e-9 && own.basis == Basis::Runs);
        assert!(own.lo95().unwrap() < 1000.0 && own.hi95().unwrap() > 1100.0, "{own:?}");
        // Runs that agree by luck are no surer than their own intervals.
        let alike = [run(1000.0, 0.05, 7.0); 3];
        let found = change(&alike, &alike, 1).unwrap();
        assert!(found.hi > 0.04 && found.lo < -0.04, "{found:?}");
    }

    /// Runs of eight visits that vary by 5 %, beside a number that is one such visit: as often as promised the interval holds no change.
    #[test]
    fn a_single_number_of_another_tool_varies_like_a_visit() {
        let mut noise = Noise::new(7);
        let (mut wrong, trials) = (0_u32, 2000_u32);
        for _ in 0..trials {
            let mut run_of_visits = || {
                let visits: Vec<f64> = (0..8).map(|_| 1000.0 * (1.0 + 0.05 * noise.normal())).collect();
                let estimate = Estimate::of(Interval::of_alike(&visits).unwrap(), Basis::Visits);
                RunQuantity { estimate, geometric: false, invalid: false, rounding: 0.0 }
            };
            let new = [run_of_visits(), run_of_visits(), run_of_visits()];
            let lone = Estimate::bare(1000.0 * (1.0 + 0.05 * noise.normal()));
            let base = [RunQuantity { estimate: lone, geometric: false, invalid: false, rounding: 0.0 }];
            let found = change(&base, &new, 1).unwrap();
            wrong += u32::from(found.lo > 0.0 || found.hi < 0.0);
        }
        assert!(wrong <= trials * 7 / 100, "{wrong} of {trials}");
    }

    /// Three results in whole milliseconds that happen to be the same do not make the interval one of no width: each may be half a millisecond more or less.
    #[test]
    fn what_a_tool_rounded_is_part_of_the_interval() {
        let of = |value: f64, half_unit: f64| {
            let bare = RunQuantity::new(rigel_core::judge::answers::MAX_IOPS, Estimate::bare(value), false);
            [bare.rounded(half_unit); 3]
        };
        let found = change(&of(4000.0, 500.0), &of(4300.0, 0.5), 1).unwrap();
        assert!(found.lo < 0.0 && found.hi > 0.22, "the truth may be 4500 and 4300, or 3500: {found:?}");
        let exact = change(&of(4000.0, 0.0), &of(4300.0, 0.0), 1).unwrap();
        assert!(exact.lo > 0.07, "{exact:?}");
        let own = side(&of(4000.0, 500.0), &[]);
        assert!(own.lo95().unwrap() <= 3556.0 && own.hi95().unwrap() >= 4500.0, "{own:?}");
    }

    /// One difference of two runs says next to nothing of how much runs differ, and two visits nothing of what others would give.
    #[test]
    fn two_runs_of_a_side_and_two_visits_to_a_point_tell_nothing() {
        let good = run(1000.0, 0.02, 7.0);
        let of = |base: usize, new: usize| {
            change(&vec![good; base], &vec![good; new], 1).map(|found| found.df >= 2.0)
        };
        for (base, new) in [(2, 2), (1, 2), (2, 1), (2, 3), (10, 2)] {
            assert_eq!(of(base, new), Err(Doubt::FewRuns), "{base} and {new}");
        }
        for (base, new) in [(3, 3), (1, 3), (3, 1), (5, 4)] {
            assert_eq!(of(base, new), Ok(true), "{base} and {new}");
        }
        let visited = |visits| {
            let estimate = Interval::symmetric(500.0, 0.02, visits, 7.0).unwrap().into();
            RunQuantity { estimate, ..good }
        };
        assert_eq!(change(&[good], &[visited(3)], 1), Err(Doubt::FewVisits));
        assert!(change(&[good], &[visited(4)], 1).is_ok());
    }

    #[test]
    fn what_cannot_be_judged_says_why() {
        let good = run(1000.0, 0.02, 7.0);
        let why = |bad: RunQuantity| change(&[good], &[bad], 1).unwrap_err();
        assert_eq!(why(RunQuantity { invalid: true, ..good }), Doubt::Invalid);
        let with = |estimate| RunQuantity { estimate, ..good };
        assert_eq!(why(with(Estimate { value: 0.0, ..good.estimate })), Doubt::NoData);
        assert_eq!(why(with(Estimate::bare(1000.0))), Doubt::NoInterval);
        assert_eq!(why(with(Estimate { basis: Basis::OneVisit, ..good.estimate })), Doubt::OneVisit);
        assert_eq!(change(&[], &[good], 1), Err(Doubt::NoData));
        // Among several runs the runs themselves say how much they differ.
        let bare = with(Estimate::bare(1000.0));
        assert_eq!(change(&[bare; 3], &[bare], 1).unwrap().rests_on, RestsOn::Runs);
    }

    /// The trap of the test below, with what sessions of the past tell.
    #[test]
    fn one_run_a_side_is_judged_by_sessions_of_the_past() {
        let mut noise = Noise::new(30);
        let mut found = 0;
        for _ in 0..2000 {
            let past: Vec<f64> = (0..8).map(|_| 1000.0 * (0.05 * noise.normal()).exp()).collect();
            let mut one = || run(1000.0 * (0.05 * noise.normal()).exp(), 0.02, 7.0);
            let (base, new) = (one(), one());
            let sessions = Sessions::of(&past);
            let judged = change_between_sessions(&[base], &[new], 1, [sessions, None]).unwrap();
            assert_eq!(judged.rests_on, RestsOn::Sessions);
            found += usize::from(judged.lo > 0.0 || judged.hi < 0.0);
        }
        assert!(found <= 130, "{found} of 2000");
        // Sessions that differ less than the visits of a run add nothing, and several runs speak for themselves.
        let quiet = Sessions::of(&[1000.0; 5]);
        let wide = run(1000.0, 0.1, 7.0);
        let judged =
            |base: &[RunQuantity]| change_between_sessions(base, &[wide], 1, [quiet; 2]).unwrap().rests_on;
        assert_eq!((judged(&[wide]), judged(&[wide; 3])), (RestsOn::Intervals, RestsOn::Runs));
    }

    /// Both promises at once: no change is found if there is none, whether runs differ among themselves or not.
    #[test]
    fn no_change_is_found_where_there_is_none() {
        let mut noise = Noise::new(29);
        let mut false_changes = |(base, base_spread): (usize, f64), (new, new_spread): (usize, f64)| {
            let mut side = |runs: usize, from_run_to_run: f64| -> Vec<RunQuantity> {
                let one = |_| {
                    let run_mean = 1000.0 * (1.0 + from_run_to_run * noise.normal());
                    let visits: Vec<f64> = (0..8).map(|_| run_mean * (1.0 + 0.03 * noise.normal())).collect();
                    let half = 2.364_624 * (sum_of_squares(&visits) / 7.0 / 8.0).sqrt() / mean(&visits);
                    run(mean(&visits), half, 7.0)
                };
                (0..runs).map(one).collect()
            };
            let is_change = |found: Change| found.lo > 0.0 || found.hi < 0.0;
            let mut compared = || change(&side(base, base_spread), &side(new, new_spread), 1).unwrap();
            (0..2000).filter(|_| is_change(compared())).count()
        };
        for (base, new) in [
            ((1, 0.0), (1, 0.0)),
            ((3, 0.0), (3, 0.0)),
            ((3, 0.05), (3, 0.05)),
            ((5, 0.02), (5, 0.02)),
            ((3, 0.1), (3, 0.1)),
            ((3, 0.05), (1, 0.05)),
            // Sides need not vary alike.
            ((3, 0.01), (3, 0.05)),
            ((10, 0.01), (3, 0.05)),
            ((5, 0.01), (3, 0.03)),
        ] {
            let found = false_changes(base, new);
            // 5 % of 2000 are 100, with a standard deviation of 10.
            assert!(found <= 130, "{found} of 2000 with {base:?} and {new:?} (runs, how much they differ)");
        }
        // The trap that several runs exist for: one run a side, and the day makes a difference.
        assert!(false_changes((1, 0.05), (1, 0.05)) > 400);
    }
}
