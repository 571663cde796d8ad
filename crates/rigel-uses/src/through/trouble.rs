//! When the trouble began, what it was, and when rate and p99 were back.
//!
//! The intervals before the first sign show what is usual. An interval is in trouble if it is far from that, and back if it is close, so a figure
//! at a limit does not flip back and forth. Must not see the future of a baseline: what comes after the first sign has no part in it. Where nothing is left
//! before a slow interval, all quiet ones tell what was slow, but no level is compared with them. An interval that is slow on its own may be
//! anything: where something else happened, it is in the timeline, and neither the beginning nor the end of that.

use super::{Figures, Standstill};
use rigel_core::record::Mark;
use rigel_core::stats::sample::{median, sorted};
use rigel_core::units::{NS_PER_S, Nanos, to_f64};

/// With fewer intervals before the first sign it is unknown what is usual.
const LEAST_BEFORE: usize = 5;
/// A p99 this many times as long as usual is trouble.
const SLOW: f64 = 5.0;
/// Up to here it has recovered; percentiles over so few I/Os vary.
const AS_BEFORE: f64 = 1.5;
/// A rate below this share of the usual one is trouble.
const LOW: f64 = 0.8;
/// From here on it is back.
const FULL: f64 = 0.95;
/// By chance, a rate may be off by this many standard deviations of a count.
const SIGMAS: f64 = 4.0;
/// This many consecutive intervals have to be as before.
const STAYS: usize = 3;
/// Beside a failure, one interval in so many may be slow on its own.
const ALONE: usize = 10;
/// A rate below this share of what arrives is not held.
const HELD: f64 = 0.95;

/// What is known about the load before anything happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Baseline {
    /// Its usual figures.
    Known {
        /// I/Os per second.
        rate: f64,
        /// The 99th percentile of an interval, in nanoseconds.
        p99_ns: f64,
        /// The longest that such an interval had.
        most_p99_ns: f64,
    },
    /// The first sign came too early.
    TooShort {
        /// Intervals before it.
        intervals: usize,
    },
    /// The storage did not hold the rate from the start.
    NotHeld {
        /// Its rate, I/Os per second.
        rate: f64,
    },
}

/// The first sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// When, on the clock of the run.
    pub at_ns: u64,
    /// The kind of sign.
    pub kind: SignKind,
}

/// The kind of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignKind {
    /// The mark with this number.
    Mark(usize),
    /// Something of the load.
    Trouble(TroubleKind),
}

/// What is wrong with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    /// Nothing completed for a time.
    Standstill,
    /// I/Os failed.
    Errors,
    /// The p99 is far from usual.
    Slow,
    /// The rate is.
    Low,
}

rigel_core::named!(TroubleKind {
    Standstill: "standstill",
    Errors: "failed I/Os",
    Slow: "slow",
    Low: "low rate"
});

/// Intervals one after the other with the same trouble, or a standstill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trouble {
    /// The kind of trouble.
    pub kind: TroubleKind,
    /// When it began, on the clock of the run.
    pub began_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// The highest p99 of an interval, in nanoseconds.
    pub p99_ns: u64,
}

/// The findings.
#[derive(Clone, Debug)]
pub struct TroubleFindings {
    /// What is known about the load before anything happened.
    pub baseline: Baseline,
    /// The first sign of trouble; `None` if nothing happened.
    pub sign: Option<Sign>,
    /// When rate and p99 were as before, permanently; `None` if they never were, or it is unknown. Equal to the sign if the load noticed nothing.
    pub back_ns: Option<u64>,
    /// How long after the sign the rate was back.
    pub rate_back: Option<Nanos>,
    /// How long after it the p99 was.
    pub p99_back: Option<Nanos>,
    /// All troubles with their times, in order.
    pub troubles: Vec<Trouble>,
}

/// Out of the intervals of a run that was to hold a rate.
pub fn findings(
    course: &[Figures],
    marks: &[Mark],
    standstills: &[Standstill],
    asked: u32,
) -> TroubleFindings {
    let began_ns = course.first().map_or(0, |first| first.began_ns);
    let mark = (0..).zip(marks).find(|(_, mark)| mark.run_ns >= began_ns && mark.marked.is_sign());
    let mark = mark.map(|(number, mark)| Sign { at_ns: mark.run_ns, kind: SignKind::Mark(number) });
    let hard = course.iter().find_map(|figures| hard_sign(figures, standstills));
    let first = [mark, hard].into_iter().flatten().min_by_key(|sign| sign.at_ns);
    let quiet = until(course, first);
    let baseline = baseline(quiet, asked);
    let first_usual = Usual::of(baseline);
    // A mark of which the load noticed nothing explains no slow interval before it.
    let rest = &course[quiet.len()..];
    let is_unmoved = |usual: Usual| hard.is_none() && rest.iter().all(|one| usual.trouble(one).is_none());
    let soft = first_usual.and_then(|usual| {
        let alone = || soft_sign(quiet, usual, 0).filter(|_| first.is_none());
        let before = || soft_sign(quiet, usual, 0).filter(|at| *at >= LEAST_BEFORE && is_unmoved(usual));
        soft_sign(quiet, usual, STAYS).or_else(alone).or_else(before)
    });
    let (soft, baseline) = earliest(quiet, soft, baseline, asked);
    let soft = soft.and_then(|at| {
        let kind = Usual::of(baseline).or(first_usual)?.trouble(&quiet[at]).unwrap_or(TroubleKind::Slow);
        Some(Sign { at_ns: quiet[at].began_ns, kind: SignKind::Trouble(kind) })
    });
    let sign = soft.or(first);
    let usual = Usual::of(baseline);
    let troubles = troubles(course, standstills, usual.or(first_usual.filter(|_| soft.is_some())));
    let back = sign.map(|sign| back(course, sign, &troubles, usual));
    let (back_ns, rate_back, p99_back) = back.unwrap_or((None, None, None));
    TroubleFindings { baseline, sign, back_ns, rate_back, p99_back, troubles }
}

/// The intervals that were over before a sign.
fn until(course: &[Figures], sign: Option<Sign>) -> &[Figures] {
    let is_before = |figures: &&Figures| sign.is_none_or(|sign| figures.ended_ns <= sign.at_ns);
    &course[..course.iter().take_while(is_before).count()]
}

/// The first interval that is slow or low, and not the only one within so many intervals behind it; the last ones may be the beginning of what comes.
fn soft_sign(quiet: &[Figures], usual: Usual, within: usize) -> Option<usize> {
    let is_trouble = |figures: &Figures| usual.trouble(figures).is_some();
    (0..quiet.len()).find(|&at| {
        let behind = &quiet[at + 1..];
        let is_lasting = behind.len() < within || behind.iter().take(within).any(is_trouble);
        is_trouble(&quiet[at]) && (within == 0 || is_lasting)
    })
}

/// What was slow has no part in what is usual, and what is usual then may show that it was slow earlier.
fn earliest(
    quiet: &[Figures],
    soft: Option<usize>,
    baseline: Baseline,
    asked: u32,
) -> (Option<usize>, Baseline) {
    let Some(at) = soft else { return (None, baseline) };
    let before = &quiet[..at];
    let baseline = self::baseline(before, asked);
    match Usual::of(baseline).and_then(|usual| soft_sign(before, usual, STAYS)) {
        Some(earlier) if earlier >= LEAST_BEFORE => earliest(before, Some(earlier), baseline, asked),
        _ => (Some(at), baseline),
    }
}

fn hard_sign(figures: &Figures, standstills: &[Standstill]) -> Option<Sign> {
    let of = |at_ns, kind| Sign { at_ns, kind: SignKind::Trouble(kind) };
    let still = standstills.iter().find(|one| one.holds(figures));
    let still = still.map(|one| of(one.began_ns, TroubleKind::Standstill));
    let failed = (figures.errors > 0).then(|| of(figures.began_ns, TroubleKind::Errors));
    still.or(failed)
}

fn baseline(quiet: &[Figures], asked: u32) -> Baseline {
    let rates: Vec<f64> = quiet.iter().map(Figures::rate).collect();
    if quiet.len() < LEAST_BEFORE {
        return Baseline::TooShort { intervals: quiet.len() };
    }
    let rate = median(&rates);
    if median(&rates[..LEAST_BEFORE]) < HELD * f64::from(asked) - chance(f64::from(asked)) {
        return Baseline::NotHeld { rate };
    }
    let p99s: Vec<f64> = quiet.iter().filter_map(Figures::p99_ns).map(to_f64).collect();
    let sorted = sorted(&p99s);
    // Where it was slow for more than half of the time, the quarter below knows what is usual.
    let low = sorted.get(sorted.len() / 4).copied().unwrap_or(0.0);
    let most_p99_ns = sorted.iter().copied().filter(|one| *one <= SLOW * low).fold(low, f64::max);
    Baseline::Known { rate, p99_ns: low, most_p99_ns }
}

/// How far a count of a second may be off by chance.
fn chance(rate: f64) -> f64 {
    SIGMAS * rate.max(1.0).sqrt()
}

/// What an interval is compared with.
#[derive(Clone, Copy, Debug)]
struct Usual {
    rate: f64,
    p99_ns: f64,
    most_p99_ns: f64,
}

impl Usual {
    const fn of(baseline: Baseline) -> Option<Self> {
        match baseline {
            Baseline::Known { rate, p99_ns, most_p99_ns } => Some(Self { rate, p99_ns, most_p99_ns }),
            Baseline::TooShort { .. } | Baseline::NotHeld { .. } => None,
        }
    }

    fn has_rate(&self, figures: &Figures, share: f64) -> bool {
        // The last interval may be short.
        let seconds = to_f64(figures.ended_ns - figures.began_ns) / to_f64(NS_PER_S);
        to_f64(figures.completed) >= share * self.rate * seconds - chance(self.rate * seconds)
    }

    fn trouble(&self, figures: &Figures) -> Option<TroubleKind> {
        let is_slow = figures.p99_ns().is_some_and(|p99_ns| to_f64(p99_ns) > SLOW * self.p99_ns);
        let is_low = !self.has_rate(figures, LOW);
        is_slow.then_some(TroubleKind::Slow).or_else(|| is_low.then_some(TroubleKind::Low))
    }

    fn has_p99(&self, figures: &Figures) -> bool {
        let most_ns = self.most_p99_ns.max(AS_BEFORE * self.p99_ns);
        figures.p99_ns().is_some_and(|p99_ns| to_f64(p99_ns) <= most_ns)
    }
}

/// All troubles with their times.
fn troubles(course: &[Figures], standstills: &[Standstill], usual: Option<Usual>) -> Vec<Trouble> {
    let still = |one: &Standstill| Trouble {
        kind: TroubleKind::Standstill,
        began_ns: one.began_ns,
        ended_ns: one.ended_ns(),
        errors: 0,
        p99_ns: 0,
    };
    let mut all: Vec<Trouble> = standstills.iter().map(still).collect();
    let mut last: Option<Trouble> = None;
    for figures in course {
        let failed = (figures.errors > 0).then_some(TroubleKind::Errors);
        let stands = standstills.iter().any(|one| one.holds(figures));
        let far = usual.and_then(|usual| usual.trouble(figures));
        // That the rate is low is said of a standstill already.
        let kind = failed.or(far.filter(|kind| !stands || *kind != TroubleKind::Low));
        let own = kind.map(|kind| Trouble {
            kind,
            began_ns: figures.began_ns,
            ended_ns: figures.ended_ns,
            errors: figures.errors,
            p99_ns: figures.p99_ns().unwrap_or(0),
        });
        last = match (last, own) {
            (Some(last), Some(own)) if last.kind == own.kind => Some(Trouble {
                ended_ns: own.ended_ns,
                errors: last.errors.saturating_add(own.errors),
                p99_ns: last.p99_ns.max(own.p99_ns),
                ..last
            }),
            (before, own) => {
                all.extend(before);
                own
            }
        };
    }
    all.extend(last);
    all.sort_by_key(|one| (one.began_ns, one.kind));
    all
}

/// The trouble that a sign is the beginning of: none before it, and no interval that was slow on its own when all had been as before for a while.
fn of_sign(course: &[Figures], sign: Sign, troubles: &[Trouble]) -> Vec<Trouble> {
    let own: Vec<Trouble> = troubles.iter().copied().filter(|one| one.ended_ns > sign.at_ns).collect();
    let each_ns = course.first().map_or(0, |one| one.ended_ns.saturating_sub(one.began_ns));
    let stays_ns = each_ns.saturating_mul(STAYS as u64);
    let until_ns = |before: &[Trouble]| before.iter().map(|one| one.ended_ns).max().unwrap_or(0);
    let is_alone = |at: &usize| {
        let one = own[*at];
        let is_soft = matches!(one.kind, TroubleKind::Slow | TroubleKind::Low);
        let is_short = one.ended_ns.saturating_sub(one.began_ns) <= each_ns;
        is_soft && is_short && one.began_ns >= until_ns(&own[..*at]).saturating_add(stays_ns)
    };
    let alone = (1..own.len()).rev().take_while(is_alone).count();
    let kept = &own[..own.len() - alone];
    let left = course.iter().filter(|one| one.began_ns >= until_ns(kept)).count();
    if alone * ALONE <= left { kept.to_vec() } else { own }
}

/// When all was back, and after which time the rate and the p99 were.
fn back(
    course: &[Figures],
    sign: Sign,
    troubles: &[Trouble],
    usual: Option<Usual>,
) -> (Option<u64>, Option<Nanos>, Option<Nanos>) {
    let Some(usual) = usual else { return (None, None, None) };
    let troubles = of_sign(course, sign, troubles);
    let last_ns = troubles.iter().map(|one| one.ended_ns).max().unwrap_or(sign.at_ns);
    let first = course.iter().position(|figures| figures.ended_ns > sign.at_ns).unwrap_or(course.len());
    let settled = course.iter().position(|figures| figures.began_ns >= last_ns).unwrap_or(course.len());
    let stays = |is_back: &dyn Fn(&Figures) -> bool| {
        let runs = course[settled..].windows(STAYS);
        runs.enumerate().find(|(_, run)| run.iter().all(is_back)).map(|(at, _)| settled + at)
    };
    // What waited makes up for a standstill that ends within the same interval.
    let stands = |figures: &Figures| {
        let is_in = |one: &Trouble| one.began_ns < figures.ended_ns && one.ended_ns > figures.began_ns;
        troubles.iter().any(|one| one.kind == TroubleKind::Standstill && is_in(one))
    };
    let has_rate = |figures: &Figures| usual.has_rate(figures, FULL) && !stands(figures);
    let has_p99 = |figures: &Figures| usual.has_p99(figures);
    let end = stays(&|figures: &Figures| has_rate(figures) && has_p99(figures));
    let after = |is_back: &dyn Fn(&Figures) -> bool| {
        let own = &course[first..end.or_else(|| stays(is_back))?];
        let last = own.iter().rev().find(|figures| !is_back(figures));
        Some(Nanos(last.map_or(0, |last| last.ended_ns.saturating_sub(sign.at_ns))))
    };
    // What was never away was back at once.
    let is_unmoved = troubles.is_empty() && end == Some(settled);
    let back_ns =
        if is_unmoved { Some(sign.at_ns) } else { end.and_then(|at| course.get(at)).map(|one| one.began_ns) };
    (back_ns, after(&has_rate), after(&has_p99))
}
