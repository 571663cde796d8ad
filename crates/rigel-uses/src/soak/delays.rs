//! What made users wait though nothing failed: the longest I/O, and spells in which all I/Os were slow.
//!
//! The longest is compared with I/Os of its phase outside any standstill, a spell with the median of all intervals of its phase. Both median and mean of a
//! spell are far higher: one standstill moves the mean of an interval alone, and a cache that serves about half of the reads the median alone.
//! Must not look at failures.

use super::{Moment, MomentIo, PhaseFound};
use rigel_core::documents;
use rigel_core::load::class::{Class, PerClass};
use rigel_core::measure::{ByTarget, ClassTally};
use rigel_core::record::{Purpose, Record, Visit};
use rigel_core::stats::detect::standstill::UsualTime;
use rigel_core::stats::sample::median;
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How much slower than usual a spell is.
const SLOWER: f64 = 5.0;
/// With fewer intervals of a phase nobody knows what is usual.
const LEAST_INTERVALS: usize = 5;

/// An I/O that took far longer than nearly all others of its phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LongIo {
    /// When it began, in seconds of load, to the nearest interval.
    #[serde(rename = "at_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub began_ns: u64,
    /// How long it took, in microseconds.
    #[serde(rename = "latency_us", serialize_with = "documents::micros")]
    #[schemars(with = "f64")]
    pub length: Nanos,
    /// Its class.
    pub class: Class,
    /// Where targets are counted: the number of the one that had it.
    #[serde(skip)]
    pub target: Option<usize>,
    /// Almost none of the others takes longer than this, in microseconds.
    pub usual_us: f64,
}

/// Consecutive intervals in which all I/Os of a class were slow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Spell {
    /// When it began, in seconds of load.
    #[serde(rename = "at_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub began_ns: u64,
    /// How long it lasted, in seconds.
    #[serde(rename = "lasted_s", serialize_with = "documents::seconds")]
    #[schemars(with = "f64")]
    pub lasted: Nanos,
    /// The class.
    pub class: Class,
    /// The highest mean latency of an interval, in microseconds.
    #[serde(rename = "latency_mean_us")]
    pub mean_us: f64,
    /// The median of all intervals of that load.
    pub usual_us: f64,
}

/// The longest of those I/Os of a record that are far longer than nearly all others of their phase.
pub fn longest(record: &Record, phases: &[PhaseFound], targets: Option<&ByTarget>) -> Option<LongIo> {
    // Of a load of thousands of visits once.
    let mut known: BTreeMap<(u32, Class), Option<UsualTime>> = BTreeMap::new();
    let mut longest: Option<(u64, Class, UsualTime, &Visit)> = None;
    for visit in &record.visits {
        let Purpose::Phase(number) = visit.purpose else { continue };
        for (&class, tally) in &visit.tallies {
            let usual = known.entry((number, class)).or_insert_with(|| usual(phases, number, class, tally));
            let far = usual.filter(|usual| usual.is_far(tally.longest_ns()));
            let found = far.map(|usual| (tally.longest_ns(), class, usual, visit));
            longest = longest.into_iter().chain(found).max_by_key(|one| one.0);
        }
    }
    let (length_ns, class, usual, visit) = longest?;
    Some(LongIo {
        began_ns: over_ns(record, visit, class, length_ns).saturating_sub(length_ns),
        length: Nanos(length_ns),
        class,
        target: targets.and_then(|all| all.longest_ns.iter().position(|&longest| longest == length_ns)),
        usual_us: us_from_ns(to_f64(usual.most_ns)),
    })
}

fn usual(phases: &[PhaseFound], number: u32, class: Class, tally: &ClassTally) -> Option<UsualTime> {
    let phase = phases.iter().find(|phase| phase.number == number)?;
    let visits = usize::try_from(phase.visits).unwrap_or(usize::MAX);
    UsualTime::of(&phase.classes.get(&class)?.latency, tally.planned, visits)
}

/// When an I/O of a visit was over: at the end of the interval that has it, or with the visit, where it outlasted the window.
fn over_ns(record: &Record, visit: &Visit, class: Class, length_ns: u64) -> u64 {
    let mut own = record.intervals.iter().filter(|interval| interval.visit == visit.number);
    let ended_in = |tally: &ClassTally| tally.longest_ns() == length_ns && tally.edges.beyond == 0;
    let interval = own.find(|interval| interval.tallies.get(&class).is_some_and(ended_in));
    interval.map_or(visit.ended_ns(), |interval| interval.began_ns.saturating_add(interval.measured_ns))
}

/// The mean latency of an interval, unless it has nothing but what a standstill held back.
fn came_back(moment: &Moment, io: &MomentIo) -> Option<f64> {
    io.mean_us.filter(|&mean_us| mean_us < us_from_ns(to_f64(moment.measured_ns)))
}

/// The spells of a soak, in order.
pub fn spells(course: &[Moment]) -> Vec<Spell> {
    let mut means: BTreeMap<(u64, Class), (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for moment in course {
        for (class, io) in &moment.ios {
            if let (Some(mean), Some(p50)) = (io.mean_us, io.p50_us) {
                let own = means.entry((moment.phase, *class)).or_default();
                own.0.push(mean);
                own.1.push(p50);
            }
        }
    }
    means.retain(|_, (means, _)| means.len() >= LEAST_INTERVALS);
    let usual: BTreeMap<(u64, Class), (f64, f64)> =
        means.into_iter().map(|(key, (means, p50s))| (key, (median(&means), median(&p50s)))).collect();
    let slow = |moment: &Moment, class: Class, io: &MomentIo| {
        let &(usual_us, usual_p50_us) = usual.get(&(moment.phase, class))?;
        let (mean_us, p50_us) = (came_back(moment, io)?, io.p50_us?);
        (mean_us >= SLOWER * usual_us && p50_us >= SLOWER * usual_p50_us).then_some((mean_us, usual_us))
    };
    let mut found: Vec<Spell> = Vec::new();
    let mut open: PerClass<usize> = PerClass::new();
    for moment in course {
        for (&class, io) in &moment.ios {
            let lasted = Nanos(moment.measured_ns);
            match (slow(moment, class, io), open.get(&class)) {
                (Some((mean_us, usual_us)), None) => {
                    open.insert(class, found.len());
                    found.push(Spell { began_ns: moment.began_ns, lasted, class, mean_us, usual_us });
                }
                (Some((mean_us, usual_us)), Some(&at)) => {
                    let spell = &mut found[at];
                    spell.lasted = Nanos(spell.lasted.0.saturating_add(lasted.0));
                    if mean_us > spell.mean_us {
                        (spell.mean_us, spell.usual_us) = (mean_us, usual_us);
                    }
                }
                // Nothing came back: a standstill within a spell does not end it.
                (None, Some(_)) if came_back(moment, io).is_none() => {}
                (None, _) => drop(open.remove(&class)),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::units::NS_PER_S;

    fn moment(second: u64, phase: u64, mean_us: Option<f64>, p50_us: Option<f64>) -> Moment {
        let io =
            MomentIo { iops: 100.0, mean_us, p50_us, p99_us: p50_us, max_us: p50_us, errors: 0, wrong: 0 };
        Moment {
            began_ns: second * NS_PER_S,
            measured_ns: NS_PER_S,
            phase,
            ios: [(Class::SMALL, io)].into_iter().collect(),
            beside: None,
        }
    }

    /// Ten seconds of 200 us, but for what a second is given.
    fn course(other: &[(u64, Option<f64>, Option<f64>)]) -> Vec<Moment> {
        let of = |second| {
            let given = other.iter().find(|one| one.0 == second);
            given.map_or(moment(second, 0, Some(200.0), Some(180.0)), |one| moment(second, 0, one.1, one.2))
        };
        (0..10).map(of).collect()
    }

    #[test]
    fn a_spell_is_what_is_slow_in_mean_and_median() {
        let told = |course: &[Moment]| -> Vec<(u64, u64)> {
            spells(course).iter().map(|one| (one.began_ns / NS_PER_S, one.lasted.0 / NS_PER_S)).collect()
        };
        assert_eq!(told(&course(&[])), []);
        let slow = |second| (second, Some(20_000.0), Some(18_000.0));
        assert_eq!(told(&course(&[slow(2), slow(3), slow(7)])), [(2, 2), (7, 1)]);
        assert_eq!(told(&course(&[slow(2), (3, None, None), slow(4)])), [(2, 2)], "a standstill in between");
        assert_eq!(told(&course(&[(4, Some(15e6), Some(15e6))])), [], "what a standstill of 15 s held back");
        assert_eq!(
            told(&course(&[(4, Some(20_000.0), Some(180.0))])),
            [],
            "a standstill moves the mean alone"
        );
        assert_eq!(told(&course(&[(4, Some(500.0), Some(5_000.0))])), [], "a cache moves the median alone");
        assert_eq!(told(&course(&[(4, Some(990.0), Some(890.0))])), [], "less than five times");
        assert_eq!(told(&course(&[(4, Some(1_000.0), Some(900.0))])), [(4, 1)]);
        assert_eq!(told(&course(&[slow(2)])[..4]), [], "four intervals");
    }

    #[test]
    fn each_load_has_its_own_usual_latency() {
        let alternating: Vec<Moment> = (0..20)
            .map(|second| {
                let us = if second % 2 == 0 { 200.0 } else { 5_000.0 };
                moment(second, second % 2, Some(us), Some(us))
            })
            .collect();
        assert_eq!(spells(&alternating), []);
    }
}
