//! Which jobs ran at once: those of a group, as far as nothing of their times and options says otherwise.
//!
//! fio does not write into its results whether a group is one of `stonewall` or of `new_group`, which only reports apart. Must not judge a rate.

use super::{Job, Options, asked};
use std::collections::{BTreeMap, BTreeSet};

/// Jobs whose times differ by more did not run together.
const APART: f64 = 1.25;
/// From here on it is mentioned.
const UNEVEN_FROM: f64 = 1.1;
/// The ends of short jobs may be so far apart, in milliseconds.
const ROUNDED_MS: f64 = 250.0;
/// The remark on jobs that ended at different times.
pub const UNEVEN: &str = "one time for all jobs that ran together: some ended up to a fifth earlier than others, and their sum may be \
                          too high by as much";

/// The groups that are not a load level, with the reason in `passed_over`.
pub fn refused(jobs: &[&Job], global: &Options, passed_over: &mut Vec<String>) -> BTreeSet<u64> {
    let groups: BTreeSet<u64> = jobs.iter().map(|job| job.groupid).collect();
    let mut refused = BTreeSet::new();
    if let Some(why) = overlap(jobs) {
        passed_over.push(why);
        return groups;
    }
    for group in groups {
        let own: Vec<&Job> = jobs.iter().copied().filter(|job| job.groupid == group).collect();
        if let Some(why) = apart(&own, global) {
            let names: BTreeSet<String> = own.iter().map(|job| job.name()).collect();
            let names: Vec<String> = names.into_iter().collect();
            passed_over.push(format!("'{}': {why}", names.join("' and '")));
            refused.insert(group);
        }
    }
    refused
}

/// Whether some job of a group ended clearly before another.
pub fn is_uneven(jobs: &[&Job]) -> bool {
    let groups: BTreeSet<u64> = jobs.iter().map(|job| job.groupid).collect();
    groups.into_iter().any(|group| {
        let own: Vec<&Job> = jobs.iter().copied().filter(|job| job.groupid == group).collect();
        spread(&own).is_some_and(|(shortest, longest)| {
            is_beyond(shortest, longest, UNEVEN_FROM) && !is_beyond(shortest, longest, APART)
        })
    })
}

/// Why the jobs of a group did not run together.
fn apart(jobs: &[&Job], global: &Options) -> Option<String> {
    let all = |names: &[&str]| jobs.iter().map(|job| asked(job, global)(names)).collect::<BTreeSet<_>>();
    if all(&["startdelay", "start_delay"]).len() > 1 {
        return Some("they did not begin at the same time (startdelay)".to_owned());
    }
    if all(&["wait_for"]).len() > 1 {
        return Some("one of them waited for the other (wait_for)".to_owned());
    }
    let (shortest, longest) = spread(jobs)?;
    is_beyond(shortest, longest, APART).then(|| {
        format!(
            "they did not end at the same time, but after {:.1} s to {:.1} s; time_based and one runtime keep all of them at work",
            shortest / 1000.0,
            longest / 1000.0
        )
    })
}

fn is_beyond(shortest: f64, longest: f64, factor: f64) -> bool {
    longest > shortest * factor && longest - shortest > ROUNDED_MS
}

/// The shortest and the longest time of jobs, in milliseconds.
fn spread(jobs: &[&Job]) -> Option<(f64, f64)> {
    let times = || jobs.iter().map(|job| runtime_ms(job)).filter(|ms| *ms > 0.0);
    let (shortest, longest) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
    Some((shortest, longest))
}

fn runtime_ms(job: &Job) -> f64 {
    let mixed = job.mixed.as_ref().map_or(0.0, |mixed| mixed.runtime);
    job.read.runtime.max(job.write.runtime).max(mixed)
}

/// Whether groups ran at the same time: one after the other, they would have taken longer than the whole run did.
fn overlap(jobs: &[&Job]) -> Option<String> {
    let mut longest: BTreeMap<u64, f64> = BTreeMap::new();
    for job in jobs {
        let own = longest.entry(job.groupid).or_default();
        *own = own.max(runtime_ms(job) / 1000.0);
    }
    let elapsed = jobs.iter().map(|job| job.elapsed).fold(0.0, f64::max);
    let sum: f64 = longest.values().sum();
    (longest.len() > 1 && elapsed > 0.0 && sum > elapsed).then(|| {
        format!(
            "its groups ran at the same time: they took {sum:.0} s, and the whole run {elapsed:.0} s; new_group reports jobs apart that run \
             together, and stonewall lets them run one after the other"
        )
    })
}
