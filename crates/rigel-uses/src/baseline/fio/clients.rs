//! The document of `fio --client`: jobs of several hosts, with an entry for all of them together.
//!
//! The jobs of a group count together only if they certainly ran together: each client runs its own groups, and nothing synchronises them.
//! Must not read a number of a load.

use super::{Document, Job};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use std::collections::BTreeSet;

/// The entry that adds up all others.
const ALL: &str = "All clients";
/// Clients whose jobs took times that differ by more did not run together.
const APART: f64 = 0.1;
/// The I/Os of all clients are counted, so barely any may be missing.
const ADDS_UP: f64 = 0.001;

/// The remark on several clients.
pub const ONE_SET: &str = "the global options of each client: the file has one set for all of them";

/// The jobs of a document, whoever ran them.
pub fn jobs(found: &Document) -> Result<Vec<&Job>, Problem> {
    if found.client_stats.is_empty() {
        return Ok(found.jobs.iter().collect());
    }
    let jobs: Vec<&Job> =
        found.client_stats.iter().filter(|job| job.jobname != ALL || job.options.is_some()).collect();
    if let Some(all) = found.client_stats.iter().find(|job| job.jobname == ALL && job.options.is_none()) {
        add_up(&jobs, all)?;
    }
    in_step(&jobs)?;
    Ok(jobs)
}

/// Whether jobs are from more than one client.
pub fn has_several(jobs: &[&Job]) -> bool {
    clients(jobs).len() > 1
}

fn clients<'a>(jobs: &[&'a Job]) -> BTreeSet<(&'a str, u32)> {
    jobs.iter().map(|job| (job.hostname.as_str(), job.port)).collect()
}

fn ios(job: &Job) -> f64 {
    job.mixed.as_ref().map_or(job.read.total_ios + job.write.total_ios, |mixed| mixed.total_ios)
}

/// Refuses jobs whose sum differs from fio's for all clients: one of them is missing, or was counted twice.
fn add_up(jobs: &[&Job], all: &Job) -> Result<(), Problem> {
    let (sum, total) = (jobs.iter().map(|job| ios(job)).sum::<f64>(), ios(all));
    if (sum - total).abs() <= ADDS_UP * total {
        return Ok(());
    }
    Err(Problem::usage("the clients of fio do not add up")
        .because(format!("their jobs did {sum:.0} I/Os together, and the entry '{ALL}' has {total:.0}"))
        .next("give the file of a run that every client completed, or the results of each client alone"))
}

/// Refuses clients of which one was still running when another had ended: their rates are from different times.
fn in_step(jobs: &[&Job]) -> Result<(), Problem> {
    if !has_several(jobs) {
        return Ok(());
    }
    let groups: BTreeSet<u64> = jobs.iter().map(|job| job.groupid).collect();
    for group in groups {
        let own: Vec<&Job> = jobs.iter().copied().filter(|job| job.groupid == group).collect();
        let missing = clients(jobs).into_iter().find(|client| !clients(&own).contains(client));
        if let Some((host, port)) = missing {
            return Err(apart(format!("{host}:{port} has no job in group {group}, which others have")));
        }
        let times = || own.iter().map(|job| job.job_runtime);
        let (shortest, longest) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        if longest > shortest * (1.0 + APART) {
            let cause =
                format!("jobs of group {group} took {:.1} s to {:.1} s", shortest / 1000.0, longest / 1000.0);
            return Err(apart(cause));
        }
    }
    Ok(())
}

fn apart(cause: String) -> Problem {
    Problem::usage("the clients of fio did not run the same load at the same time")
        .because(printable(&cause).into_owned())
        .next("give every client the same jobs with time_based and the same runtime, or give the results of each client alone")
}
