//! What the jobs of a file share: the size of their file, their parts of it, their times.
//!
//! Must not know the classes.

use super::job::Job;
use super::remark::{Page, Remark};
use super::values::Amount;
use crate::load::class::Span;

/// Bytes of a file large enough for all jobs that give their area in bytes.
pub fn size(jobs: &[Job<'_>]) -> Option<u64> {
    let end = |job: &Job<'_>| match (job.offset, job.area()) {
        (Amount::Bytes(offset), Some((Amount::Bytes(size), _))) if size > 0 => offset.checked_add(size),
        _ => None,
    };
    jobs.iter().filter_map(end).max()
}

/// The part of such a file that a job uses, and whether it is in whole per cent.
pub fn span(job: &Job<'_>, file: Option<u64>) -> (Span, bool) {
    let file = file.unwrap_or(0);
    let hundredths = |amount: Amount| match amount {
        Amount::Percent(share) => Some(u128::from(share) * 100),
        Amount::Bytes(bytes) => (u128::from(bytes) * 10_000).checked_div(file.into()),
    };
    let from = hundredths(job.offset).unwrap_or(0);
    let long = job.area().filter(|size| size.0 != Amount::Bytes(0)).and_then(|size| hundredths(size.0));
    let to = long.map_or(10_000, |long| from + long).min(10_000);
    let is_known = job.offset == Amount::Bytes(0) || !matches!(job.offset, Amount::Bytes(_)) || file > 0;
    let (first, last) =
        (u8::try_from(from / 100).unwrap_or(0), u8::try_from(to.div_ceil(100)).unwrap_or(100));
    let first = first.min(99);
    let is_whole = from.is_multiple_of(100) && to.is_multiple_of(100) && from < 10_000;
    let span = match (first, last.max(first + 1)) {
        (0, 100) => Span::Whole,
        (first, last) => Span::Percent(first, last),
    };
    (span, is_known && is_whole)
}

/// Remarks on what jobs do in fio and classes of one load do not.
pub fn remark(jobs: &[Job<'_>], points: usize, page: &mut Page<'_>) {
    let mut say = |line: usize, name: &str, words: &str| {
        page.remarks.push(Remark::new(line, &format!("[{name}]"), None, words));
    };
    let Some((first, others)) = jobs.split_first() else { return };
    for job in others {
        if job.stonewall {
            say(
                job.line,
                job.name,
                "stonewall: the jobs that it separates are points, each measured alone, but not in the \
                 order of the file",
            );
        }
        if job.files != first.files || job.directory != first.directory {
            say(
                job.line,
                job.name,
                "its files differ from those of the job before: every class uses all targets, so run each \
                 job from a job file of its own",
            );
        } else if first.files.is_empty() && points == 1 {
            say(
                job.line,
                job.name,
                "in fio this job has a file of its own; here all classes share the targets",
            );
        }
        if job.runtime.map(|one| one.0) != first.runtime.map(|one| one.0) {
            say(job.line, job.name, "its runtime differs: each point lasts as long as the longest");
        }
    }
    for job in jobs {
        let line = job.size.map_or(job.line, |size| size.1);
        match (job.runtime, job.size) {
            (None, Some(_)) => say(
                line,
                job.name,
                "without runtime, fio stops once it has transferred size; here each point is measured \
                 until its numbers are precise enough, or for --duration",
            ),
            (Some(_), Some(_)) if !job.time_based => say(
                line,
                job.name,
                "without time_based, fio stops earlier if it has transferred size; here the whole \
                 runtime is measured",
            ),
            _ => {}
        }
        if !job.direct {
            say(
                job.line,
                job.name,
                "without direct=1, fio goes through the page cache; here I/O bypasses it: add --buffered to \
                 go through it",
            );
        }
    }
}
