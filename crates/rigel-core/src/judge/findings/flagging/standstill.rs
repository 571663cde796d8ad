//! Flags of time in which a device stood still, and of single I/Os that took far longer than all others.
//!
//! All visits to a point are checked, because even a visit that no figure uses is evidence. Must not compare rates.

use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::whole_buckets;
use crate::load::class::Class;
use crate::record::Visit;
use crate::stats::detect::standstill::{LEAST_NS, Standstill, UsualTime, standstill};
use crate::units::say::{figure, rough_time};
use crate::units::{NS_PER_MS, to_f64};

/// The worst of a class in a visit.
struct ClassStandstill {
    length_ns: u64,
    what: StandstillKind,
}

enum StandstillKind {
    /// Nothing came back, from that time of the run on.
    Nothing { from_ns: u64 },
    /// One took that long in the visit that began at that time of the run, where barely one takes longer than so much.
    One { began_ns: u64, usual_ns: u64 },
}

/// Of threads that all want to run, each gets a CPU for so long at most before the next one has it.
const LONGEST_SLICE_NS: u64 = 4 * NS_PER_MS;

/// The flags of a point; `visits` are all visits to it. `cpus`: where a thread waits for each I/O and no CPU time was left, this many CPUs they
/// shared.
pub fn of_point(visits: &[&Visit], point: &PointFindings, cpus: Option<u32>) -> Vec<Flag> {
    let mut found = Vec::new();
    for (class, io) in point.classes() {
        let usual = UsualTime::of(&io.latencies(), io.planned_outstanding, visits.len());
        let own = visits.iter().filter_map(|visit| match usual {
            Some(usual) => of_visit(visit, class, usual),
            None => of_silent_visit(visit, class),
        });
        let own: Vec<ClassStandstill> = own.collect();
        let threads = point.point.sum();
        let is_turn =
            |seen: &ClassStandstill| cpus.is_some_and(|cpus| seen.is_turn_of_a_thread(threads, cpus));
        let (turns, own): (Vec<_>, Vec<_>) = own.into_iter().partition(is_turn);
        let longest = |all: &[ClassStandstill]| all.iter().map(|seen| seen.length_ns).max();
        if let (Some(length_ns), None) = (longest(&turns), longest(&own)) {
            let text = format!(
                "{}: the longest I/O took {}, and no CPU time was left: one of {threads} threads may wait that long for its turn",
                io.load.title(),
                rough_time(to_f64(length_ns))
            );
            found.push(Flag::new(FlagCode::HostLimited, text));
        }
        let Some(worst) = own.iter().max_by_key(|seen| seen.length_ns) else { continue };
        let mut text = format!("{}: {}", io.load.title(), worst.sentence());
        if own.len() > 1 {
            text.push_str(&format!("; seen in {} of {} visits", own.len(), visits.len()));
        }
        found.push(Flag::new(FlagCode::Stalled, text));
    }
    found
}

fn of_visit(visit: &Visit, class: Class, usual: UsualTime) -> Option<ClassStandstill> {
    let tally = visit.tallies.get(&class)?;
    let longest_ns = tally.longest_ns();
    let buckets = whole_buckets(tally, visit.measured_ns);
    let of_device = tally.open.as_ref().map_or(Some(usual), |open| UsualTime::of_service(&open.service));
    let silence = of_device.and_then(|usual| standstill(buckets, tally.series.bucket_ns, longest_ns, usual));
    // In an open loop nothing may have arrived, unless something waited all the time.
    let is_standstill = |found: &Standstill| tally.open.is_none() || longest_ns >= found.length_ns;
    if let Some(Standstill { at_ns, length_ns }) = silence.filter(is_standstill) {
        let from_ns = visit.began_ns.saturating_sub(tally.lead_ns).saturating_add(at_ns);
        return Some(ClassStandstill { length_ns, what: StandstillKind::Nothing { from_ns } });
    }
    let began_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    let what = StandstillKind::One { began_ns, usual_ns: usual.most_ns };
    usual.is_far(longest_ns).then_some(ClassStandstill { length_ns: longest_ns, what })
}

/// A visit to a point at which no I/O began and was over in a window: the device stood still all the time, as what came back after it shows.
fn of_silent_visit(visit: &Visit, class: Class) -> Option<ClassStandstill> {
    let length_ns = visit.tallies.get(&class)?.longest_ns();
    let from_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    (length_ns >= LEAST_NS)
        .then_some(ClassStandstill { length_ns, what: StandstillKind::Nothing { from_ns } })
}

impl ClassStandstill {
    /// Whether one thread of this many waits that long for a CPU, where all want one. Nothing from any of them is not a matter of turns.
    fn is_turn_of_a_thread(&self, threads: u64, cpus: u32) -> bool {
        let round_ns = threads.saturating_mul(LONGEST_SLICE_NS) / u64::from(cpus.max(1));
        matches!(self.what, StandstillKind::One { .. }) && self.length_ns <= round_ns
    }

    fn sentence(&self) -> String {
        let length = rough_time(to_f64(self.length_ns));
        match self.what {
            StandstillKind::Nothing { from_ns } => {
                let from = rough_time(to_f64(from_ns));
                format!("nothing completed for {length}, from {from} into the run")
            }
            StandstillKind::One { began_ns, usual_ns } => {
                let times = figure(to_f64(self.length_ns) / to_f64(usual_ns.max(1)));
                let began = rough_time(to_f64(began_ns));
                format!(
                    "the longest I/O took {length}, {times} times as long as nearly all others, in the visit that began {began} into the run"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_as_long_as_a_round_of_all_threads_is_the_turn_of_one() {
        let one = |ms: u64| ClassStandstill {
            length_ns: ms * NS_PER_MS,
            what: StandstillKind::One { began_ns: 0, usual_ns: NS_PER_MS },
        };
        assert!(one(4_000).is_turn_of_a_thread(10_000, 2));
        assert!(!one(30_000).is_turn_of_a_thread(10_000, 2), "no round is that long");
        assert!(!one(1_000).is_turn_of_a_thread(5, 2), "a stall is no matter of turns among five");
        let nothing = ClassStandstill { what: StandstillKind::Nothing { from_ns: 0 }, ..one(4_000) };
        assert!(!nothing.is_turn_of_a_thread(10_000, 2));
    }
}
