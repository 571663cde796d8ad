//! A counter that a file has twice, with other labels: replicas of one Prometheus, or two jobs that scrape one host.
//!
//! Must not know what a counter means.

use super::seen::{shown, wrong};
use rigel_core::error::Problem;
use std::collections::BTreeMap;

/// All labels of a series except those that identify its subject.
pub type OtherLabels = BTreeMap<String, String>;

/// A series may get other labels and have the old ones back; one that does so again and again is two series.
const MOST_RETURNS: u32 = 1;

/// One counter in a file whose samples come one by one: its last series, and its current one.
#[derive(Default)]
pub struct SeriesWatch {
    all: Vec<(OtherLabels, i64)>,
    current: usize,
    returns: u32,
}

impl SeriesWatch {
    /// The next sample. The labels of another series of the same time, if this is one of two.
    pub fn next(&mut self, others: &OtherLabels, at_ms: i64) -> Option<&OtherLabels> {
        if let Some((_, last_ms)) = self.all.get_mut(self.current).filter(|known| known.0 == *others) {
            *last_ms = at_ms.max(*last_ms);
            return None;
        }
        let known = self.all.iter().position(|known| known.0 == *others);
        let is_beside = self.all.get(self.current).is_some_and(|(_, last_ms)| at_ms <= *last_ms);
        self.returns += u32::from(known.is_some());
        if is_beside || self.returns > MOST_RETURNS {
            return self.all.get(self.current).map(|known| &known.0);
        }
        self.current = known.unwrap_or_else(|| {
            self.all.push((others.clone(), at_ms));
            self.all.len() - 1
        });
        self.all[self.current].1 = at_ms;
        None
    }
}

/// Both series belong to one counter; `None` if no label differs.
pub fn problem(
    (name, device): (&str, &str),
    one: &OtherLabels,
    other: &OtherLabels,
    line: u64,
) -> Option<Problem> {
    let label = one.keys().chain(other.keys()).find(|label| one.get(*label) != other.get(*label))?;
    let value = |of: &OtherLabels| of.get(label).map_or_else(|| "nothing".to_owned(), |text| shown(text));
    let (label, one, other) = (shown(label), value(one), value(other));
    Some(
        wrong(line, format!("{} of {} appears twice", shown(name), shown(device)))
            .because(format!(
                "the label {label} differs ({one} and {other}), as with replicas that were not merged"
            ))
            .next(format!("query one of them: {{{label}=\"{one}\"}}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(job: &str) -> OtherLabels {
        [("job".to_owned(), job.to_owned())].into()
    }

    #[test]
    fn series_beside_each_other_are_two_and_those_behind_each_other_are_one() {
        let is_two = |samples: &[(&str, i64)]| {
            let mut watch = SeriesWatch::default();
            samples.iter().any(|(job, at)| watch.next(&labels(job), *at).is_some())
        };
        assert!(!is_two(&[("a", 0), ("a", 60), ("a", 120)]));
        assert!(!is_two(&[("a", 0), ("a", 60), ("b", 120), ("b", 180)]), "a job that was renamed");
        assert!(!is_two(&[("a", 0), ("b", 60), ("b", 120), ("a", 180), ("a", 240)]), "and renamed back");
        assert!(is_two(&[("a", 0), ("b", 0)]));
        assert!(is_two(&[("a", 0), ("b", 7), ("a", 60), ("b", 67)]));
        assert!(is_two(&[("a", 0), ("a", 60), ("b", 0), ("b", 60)]));
    }
}
