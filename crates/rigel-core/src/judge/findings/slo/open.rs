//! What leaves a required rate undecided, so that the remedy can be named.
//!
//! Must not judge whether a bound is met.

use super::PointFindings;
use crate::judge::findings::{forbidding, is_answer};
use crate::judge::flags::FlagCode;
use crate::judge::slo::is_counted;
use crate::load::request::Request;
use crate::load::slo::SloBound;
use crate::stats::crossing::RatioPoint;
use crate::stats::share::{BoundVerdict, Ratio};

/// Fewer visits show too little about their variation.
const FEWEST_VISITS: usize = 4;
/// With fewer expected slow I/Os, chance in their number alone leaves at least half of it open.
const FEWEST_SLOW: f64 = 10.0;

/// Why it is unknown whether a limit is met; for one that is not met, why the storage may meet it anyway; or what decided it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SloOpen {
    /// The rate had no visit that counts.
    NotVisited,
    /// More arrives there than is served: the visits ended before the backlog reached the limit.
    Overload,
    /// Other programs used the CPUs or the devices during the visits.
    Busy,
    /// Rigel itself began I/Os late.
    Late,
    /// Too few I/Os, or too few visits.
    Few,
    /// The latency there is at the limit: the interval contains it although there was enough data. This many times the visits would decide it,
    /// if the observations stay the same; `None` if that number is not reliable.
    AtBound(Option<f64>),
    /// A flag says that the numbers there are not those of the storage. Decided only if that was requested.
    Unusable(FlagCode),
    /// Decided: its own visits leave it open, and those to the neighbouring rates decide.
    Around,
    /// Met in each visit. Between them the load was lower or paused, so that burst credit could come back: over the whole time this many arrived
    /// per second.
    Rests(f64),
}

/// What was present besides latencies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    pub is_overload: bool,
    pub is_late: bool,
    pub is_busy: bool,
}

impl SloOpen {
    /// What leaves a limit open; `seen` is what was observed over what is allowed, with this many allowed slow I/Os.
    pub(super) fn of(kept: BoundVerdict, seen: Option<(Ratio, f64)>, around: Circumstances) -> Option<Self> {
        let by_host = match around {
            Circumstances { is_busy: true, .. } => Some(Self::Busy),
            Circumstances { is_late: true, .. } => Some(Self::Late),
            _ => None,
        };
        let Some((ratio, allowed)) = seen else { return Some(Self::NotVisited) };
        match kept {
            BoundVerdict::Yes => None,
            BoundVerdict::No => by_host,
            BoundVerdict::Undecided if around.is_overload && ratio.kept() == BoundVerdict::Yes => {
                Some(Self::Overload)
            }
            BoundVerdict::Undecided => Some(by_host.unwrap_or_else(|| {
                let is_few = ratio.visits < FEWEST_VISITS || allowed < FEWEST_SLOW;
                if is_few { Self::Few } else { Self::AtBound(times(&ratio)) }
            })),
        }
    }
}

/// How many times the visits would decide: the width of an interval shrinks with the root of their number.
fn times(ratio: &Ratio) -> Option<f64> {
    const MOST: f64 = 20.0;
    let end = if ratio.value > 1.0 { Some(ratio.lo95) } else { ratio.hi95 };
    let times = ((end? - ratio.value) / (1.0 - ratio.value)).powi(2);
    (times <= MOST).then_some(times)
}

/// The allowed slow I/Os among those that were observed. The mean of many I/Os has none.
pub(super) fn asked(seen: &[RatioPoint], bound: &SloBound) -> Option<f64> {
    let all = seen.iter().map(|one| one.weight).sum();
    (!seen.is_empty()).then_some(if is_counted(bound) { all } else { f64::INFINITY })
}

/// The flag that forbids using the numbers of a rate, and whether that was requested. Overload, and a tool that is the limit, are judged
/// by the latencies.
pub(super) fn forbidden(found: &PointFindings, request: &Request) -> Option<(FlagCode, bool)> {
    let is_judged = |code: FlagCode| is_answer(code, request) || code == FlagCode::HostLimited;
    let unasked = forbidding(found, request).find(|flag| !is_judged(flag.code));
    let unasked = unasked.map(|flag| (flag.code, false));
    let any = found.flags.iter().find(|flag| flag.invalid && !is_judged(flag.code));
    unasked.or_else(|| any.map(|flag| (flag.code, true)))
}

/// Whether other programs used what these visits needed.
pub(super) fn is_busy(found: &PointFindings) -> bool {
    found.flags.iter().any(|flag| flag.code == FlagCode::Foreign)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Circumstances = Circumstances { is_overload: false, is_late: false, is_busy: false };

    fn ratio(lo95: f64, value: f64, hi95: f64, visits: usize) -> Ratio {
        Ratio { value, lo95, hi95: Some(hi95), visits }
    }

    #[test]
    fn what_an_interval_refutes_is_not_undecided_and_a_busy_host_is_named() {
        // 12.3 % take longer (7.12 to 18.7 %), and 1 % may.
        let refuted = ratio(7.12, 12.3, 18.7, 8);
        assert_eq!(refuted.kept(), BoundVerdict::No);
        let of = |around| SloOpen::of(BoundVerdict::No, Some((refuted, 60.0)), around);
        assert_eq!(of(IDLE), None);
        assert_eq!(of(Circumstances { is_late: true, ..IDLE }), Some(SloOpen::Late));
        assert_eq!(of(Circumstances { is_late: true, is_busy: true, ..IDLE }), Some(SloOpen::Busy));
    }

    #[test]
    fn each_cause_of_doubt_has_its_name() {
        let of = |seen, around| SloOpen::of(BoundVerdict::Undecided, seen, around);
        let wide = ratio(0.4, 0.8, 1.6, 8);
        assert_eq!(of(None, IDLE), Some(SloOpen::NotVisited));
        assert_eq!(of(Some((wide, 3.0)), IDLE), Some(SloOpen::Few));
        assert_eq!(of(Some((ratio(0.4, 0.8, 1.6, 3), 60.0)), IDLE), Some(SloOpen::Few));
        assert_eq!(of(Some((wide, 3.0)), Circumstances { is_busy: true, ..IDLE }), Some(SloOpen::Busy));
        let kept = ratio(0.1, 0.2, 0.3, 8);
        assert_eq!(
            of(Some((kept, 60.0)), Circumstances { is_overload: true, ..IDLE }),
            Some(SloOpen::Overload)
        );
        let Some(SloOpen::AtBound(Some(times))) = of(Some((wide, 60.0)), IDLE) else { panic!() };
        assert!((times - 16.0).abs() < 1e-9, "{times}: half of the width is a fifth of the distance");
        assert_eq!(of(Some((ratio(0.9, 1.0, 1.1, 8), 60.0)), IDLE), Some(SloOpen::AtBound(None)));
        assert_eq!(
            SloOpen::of(BoundVerdict::Yes, Some((kept, 60.0)), Circumstances { is_busy: true, ..IDLE }),
            None
        );
    }
}
