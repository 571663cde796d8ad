//! Which targets account for a slow spell: those on which I/Os waited longer than they do outside of it. Must not judge whether there was one.

use super::Spell;
use super::cells::load;
use rigel_core::load::class::Class;
use rigel_core::measure::ByTarget;
use rigel_core::record::Record;
use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// Targets that account for this much of it are named.
const MOST: f64 = 0.8;

/// A line that has the counts of each target, of all intervals since the last one that has them.
struct Line<'a> {
    from_ns: u64,
    until_ns: u64,
    load: usize,
    counts: &'a ByTarget,
}

impl Line<'_> {
    fn touches(&self, spell: &Spell) -> bool {
        self.from_ns < spell.ended_ns() && self.until_ns > spell.began_ns
    }
}

/// Puts the targets into the spells of a class.
pub(super) fn name(spells: &mut [Spell], record: &Record, class: Class) {
    let lines = lines(record, class);
    let mut usual: BTreeMap<usize, ByTarget> = BTreeMap::new();
    for line in lines.iter().filter(|line| !spells.iter().any(|spell| line.touches(spell))) {
        usual.entry(line.load).or_default().add(line.counts);
    }
    for spell in spells {
        let own: Vec<&Line<'_>> = lines.iter().filter(|line| line.touches(spell)).collect();
        spell.targets = blamed(&own, &usual);
    }
}

fn lines(record: &Record, class: Class) -> Vec<Line<'_>> {
    let mut from_ns = None;
    let mut all = Vec::new();
    for interval in &record.intervals {
        let Some(tally) = interval.tallies.get(&class) else { continue };
        let began_ns = *from_ns.get_or_insert(interval.began_ns);
        if let Some(counts) = &tally.by_target {
            let until_ns = interval.began_ns.saturating_add(interval.measured_ns);
            all.push(Line { from_ns: began_ns, until_ns, load: load(record, interval), counts });
            from_ns = None;
        }
    }
    all
}

/// The targets with nearly all of the excess time; none if that is more than half of the targets, or nothing is known.
fn blamed(lines: &[&Line<'_>], usual: &BTreeMap<usize, ByTarget>) -> Vec<usize> {
    let targets = lines.iter().map(|line| line.counts.ops.len()).max().unwrap_or(0);
    let beyond_ns = |target: usize| -> f64 {
        let of = |line: &&Line<'_>| {
            let ops = *line.counts.ops.get(target)?;
            let sum_ns = *line.counts.latency_sum_ns.get(target)?;
            let known = usual.get(&line.load)?;
            let usual_ns =
                to_f64(*known.latency_sum_ns.get(target)?) / to_f64((*known.ops.get(target)?).max(1));
            Some((to_f64(sum_ns) - to_f64(ops) * usual_ns).max(0.0))
        };
        lines.iter().filter_map(of).sum()
    };
    let mut all: Vec<(usize, f64)> = (0..targets).map(|target| (target, beyond_ns(target))).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let whole_ns: f64 = all.iter().map(|one| one.1).sum();
    let mut named = Vec::new();
    let mut named_ns = 0.0;
    for (target, own_ns) in all {
        if named_ns >= MOST * whole_ns {
            break;
        }
        named.push(target);
        named_ns += own_ns;
    }
    named.sort_unstable();
    if 2 * named.len() > targets { Vec::new() } else { named }
}
