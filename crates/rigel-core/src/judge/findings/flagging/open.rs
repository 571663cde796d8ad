//! Flags of open loops: late I/Os of Rigel, and a load that cannot be served.
//!
//! Must not look at rates over time: they are given.

use crate::judge::findings::estimate::tally;
use crate::judge::findings::{IoFindings, PointFindings};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::LoadClass;
use crate::record::Visit;
use crate::stats::detect::overload::Growth;
use crate::units::say::{figure, rough_time};
use crate::units::{NS_PER_S, NS_PER_US, to_f64};

/// A lag that is negligible on any storage.
const HARMLESS_LAG_NS: u64 = 100 * NS_PER_US;
/// From this share of the mean latency on, a lag is part of it.
const NOTABLE_LAG: f64 = 0.1;
/// The flags of a point; `counting` are the visits behind its figures, `all` includes the long ones.
pub fn of_point(counting: &[&Visit], all: &[&Visit], point: &PointFindings) -> Vec<Flag> {
    let each = point.classes().filter(|(_, io)| io.load.is_open());
    each.flat_map(|(_, io)| [late(io), overload(&io.load, counting).or_else(|| overload(&io.load, all))])
        .flatten()
        .collect()
}

fn late(io: &IoFindings) -> Option<Flag> {
    let lag = &io.open.as_ref()?.lag;
    let (lag_ns, mean_us) = (lag.quantile_ns(0.99)?, io.latency_us?.mean.value);
    let is_late = lag_ns > HARMLESS_LAG_NS && to_f64(lag_ns) > NOTABLE_LAG * mean_us * to_f64(NS_PER_US);
    let text = || {
        format!(
            "{}: 1 % of the I/Os started {} late or more ({} on average) although a slot was free; the mean latency is {}",
            io.load.title(),
            rough_time(to_f64(lag_ns)),
            rough_time(lag.mean_ns().unwrap_or(0.0)),
            rough_time(mean_us * to_f64(NS_PER_US))
        )
    };
    is_late.then(|| Flag::new(FlagCode::PacingLate, text()))
}

fn overload(load: &LoadClass, visits: &[&Visit]) -> Option<Flag> {
    let mut growth = Growth::default();
    let mut measured_ns = 0.0;
    for (visit, open) in
        visits.iter().filter_map(|visit| Some((visit, tally(visit, load.name)?.open.as_ref()?)))
    {
        open.add_growth(&mut growth);
        measured_ns += to_f64(visit.measured_ns);
    }
    let per_s = |count: f64| count / measured_ns.max(1.0) * to_f64(NS_PER_S);
    let text = || {
        format!(
            "{}: {} arrived per second, {} were served; the backlog grew by {} in {}, so the latency \
             depends on how long was measured",
            load.title(),
            figure(per_s(growth.arrived)),
            figure(per_s(growth.arrived - growth.grown)),
            figure(growth.grown),
            rough_time(measured_ns)
        )
    };
    growth.is_overload().then(|| Flag::new(FlagCode::Overload, text()).invalidating())
}
