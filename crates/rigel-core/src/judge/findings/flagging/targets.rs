//! The flag for targets that are slower than the others.
//!
//! Must not name one whose load differs from the others'.

use crate::judge::flags::{Flag, FlagCode};
use crate::judge::outliers::{self, Outlier, sizes_differ};
use crate::load::class::Pattern;
use crate::path_text::printable;
use crate::record::Record;
use crate::units::say::time;

/// More targets are counted.
const MOST_NAMED: usize = 3;

/// The flag of the run.
pub fn of_run(record: &Record) -> Option<Flag> {
    let header = &record.header;
    // One after the other, streams load some targets at some points only.
    let is_random =
        |one: &Outlier| header.request.class(one.class).is_some_and(|load| load.pattern == Pattern::Random);
    let found: Vec<Outlier> = outliers::of(record).into_iter().filter(is_random).collect();
    if found.is_empty() || sizes_differ(record) {
        return None;
    }
    let path = |number: usize| header.targets.get(number).map_or("?", |target| target.path.as_str());
    let one = |one: &Outlier| {
        format!(
            "{}: a {} I/O takes {}, in the median of all targets {}",
            printable(path(one.target)),
            one.class,
            time(one.mean_us),
            time(one.median_us)
        )
    };
    let named: Vec<String> = found.iter().take(MOST_NAMED).map(one).collect();
    let more = match found.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!("; {more} more"),
    };
    Some(Flag::new(FlagCode::OutlierTarget, format!("{}{more}", named.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::Class;
    use crate::measure::ByTarget;
    use crate::testing::{header, visit};

    /// Six targets of 1,000 I/Os of 1 ms each, but for one of them.
    fn record(slow: usize, latency_ns: u64, sizes: [u64; 6]) -> Record {
        let mut visit = visit(0, 1_000_000);
        let mut counts = ByTarget::new(6);
        counts.ops = vec![1000; 6];
        counts.latency_sum_ns = (0..6).map(|target| 1_000_000_000 + target).collect();
        counts.latency_sum_ns[slow] = 1000 * latency_ns;
        visit.tallies.get_mut(&Class::SMALL).unwrap().by_target = Some(Box::new(counts));
        let mut header = header();
        let target = header.targets[0].clone();
        header.targets = (0..6)
            .map(|number| crate::facts::TargetFacts {
                path: format!("/data/lun{number}"),
                size_bytes: sizes[number],
                ..target.clone()
            })
            .collect();
        Record { visits: vec![visit], ..Record::begun(header) }
    }

    #[test]
    fn a_slow_target_is_named_with_its_figures() {
        let same = [1 << 30; 6];
        let flag = of_run(&record(4, 3_000_000, same)).unwrap();
        assert_eq!((flag.code, flag.invalid, flag.note), (FlagCode::OutlierTarget, false, false));
        assert_eq!(flag.text, "/data/lun4: a small I/O takes 3 ms, in the median of all targets 1 ms");
        assert_eq!(of_run(&record(4, 1_050_000, same)), None, "nobody feels 5 %");
        let mut larger = same;
        larger[4] = 3 << 30;
        assert_eq!(of_run(&record(4, 3_000_000, larger)), None, "three times the load");
    }
}
