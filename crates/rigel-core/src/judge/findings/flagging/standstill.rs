//! Flags of time in which a device stood still, and of single I/Os that took far longer than all others.
//!
//! All visits to a point are looked at, as one that no figure is from is evidence, too. Must not compare rates.

use super::words::{figure, time};
use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::whole_buckets;
use crate::load::class::Class;
use crate::record::Visit;
use crate::stats::detect::standstill::{LEAST_NS, Standstill, Usual, standstill};
use crate::units::to_f64;

/// The worst of a class in a visit.
struct Seen {
    length_ns: u64,
    what: What,
}

enum What {
    /// Nothing came back, from that time of the run on.
    Nothing { from_ns: u64 },
    /// One took that long in the visit that began at that time of the run, where hardly one takes longer than so much.
    One { began_ns: u64, usual_ns: u64 },
}

/// The flags of a point; `visits` are all visits to it.
pub fn of_point(visits: &[&Visit], point: &PointFindings) -> Vec<Flag> {
    let mut found = Vec::new();
    for (class, io) in point.classes() {
        let usual = Usual::of(&io.latencies(), io.planned_outstanding, visits.len());
        let own = visits.iter().filter_map(|visit| match usual {
            Some(usual) => of_visit(visit, class, usual),
            None => of_silent_visit(visit, class),
        });
        let own: Vec<Seen> = own.collect();
        let Some(worst) = own.iter().max_by_key(|seen| seen.length_ns) else { continue };
        let mut text = format!("{}: {}", io.load.title(), worst.sentence());
        if own.len() > 1 {
            text.push_str(&format!("; {} of {} visits have such", own.len(), visits.len()));
        }
        found.push(Flag::new(FlagCode::Stalled, text));
    }
    found
}

fn of_visit(visit: &Visit, class: Class, usual: Usual) -> Option<Seen> {
    let tally = visit.tallies.get(&class)?;
    let longest_ns = tally.longest_ns();
    let buckets = whole_buckets(tally, visit.measured_ns);
    let of_device = tally.open.as_ref().map_or(Some(usual), |open| Usual::of_service(&open.service));
    let silence = of_device.and_then(|usual| standstill(buckets, tally.series.bucket_ns, longest_ns, usual));
    // In an open loop nothing may have arrived, unless something waited all the time.
    let is_standstill = |found: &Standstill| tally.open.is_none() || longest_ns >= found.length_ns;
    if let Some(Standstill { at_ns, length_ns }) = silence.filter(is_standstill) {
        let from_ns = visit.began_ns.saturating_sub(tally.lead_ns).saturating_add(at_ns);
        return Some(Seen { length_ns, what: What::Nothing { from_ns } });
    }
    let began_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    let what = What::One { began_ns, usual_ns: usual.most_ns };
    usual.is_far(longest_ns).then_some(Seen { length_ns: longest_ns, what })
}

/// A visit to a point at which no I/O began and was over in a window: the device stood still all the time, as what came back after it shows.
fn of_silent_visit(visit: &Visit, class: Class) -> Option<Seen> {
    let length_ns = visit.tallies.get(&class)?.longest_ns();
    let from_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    (length_ns >= LEAST_NS).then_some(Seen { length_ns, what: What::Nothing { from_ns } })
}

impl Seen {
    fn sentence(&self) -> String {
        let length = time(to_f64(self.length_ns));
        match self.what {
            What::Nothing { from_ns } => {
                let from = time(to_f64(from_ns));
                format!("nothing came back for {length}, from {from} into the run")
            }
            What::One { began_ns, usual_ns } => {
                let times = figure(to_f64(self.length_ns) / to_f64(usual_ns.max(1)));
                let began = time(to_f64(began_ns));
                format!(
                    "the longest I/O took {length}, {times} times as long as nearly all others; it was in the visit that began {began} into the run"
                )
            }
        }
    }
}
