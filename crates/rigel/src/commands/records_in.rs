//! The records in a directory, or beside another output, given instead of a record. Must not read a record.

use crate::output::RECORD_SUFFIX;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::say::listed;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Names in a message; of more their number is reported.
const MOST_NAMED: usize = 3;

/// The file that is meant: for a directory its newest record, with a remark if there are several.
pub fn meant(path: &Path, streams: &Streams) -> Result<PathBuf, Problem> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let all = newest_first(path);
    let shown = path_text::encode(path);
    let Some(newest) = all.first() else {
        return Err(Problem::usage("this directory has no record")
            .at(shown)
            .because(format!("the name of a record ends in {RECORD_SUFFIX}, and no file has such a name"))
            .next("give the record of a run, or the directory that holds it"));
    };
    if all.len() > 1 {
        streams.remark(&format!(
            "{} is the newest of {} records in {shown}; name another one to see it",
            path_text::encode(newest),
            all.len()
        ));
    }
    Ok(newest.clone())
}

/// What to give instead of a directory: the records in it.
pub fn next_step(dir: &Path) -> String {
    let all = newest_first(dir);
    let shown: Vec<String> = all.iter().take(MOST_NAMED).map(|path| path_text::encode(path)).collect();
    match all.len() {
        0 => format!("it holds no record: give a file that ends in {RECORD_SUFFIX}"),
        1 => format!("give the record in it: {}", shown.concat()),
        count if count <= MOST_NAMED => {
            format!("give one of the records in it, the newest first: {}", listed(&shown))
        }
        count => format!("give one of the {count} records in it; the newest are {}", listed(&shown)),
    }
}

/// The same problem for a file that is another output of a run, whose record is next to it, with that record as the next step.
pub fn instead_of_output(problem: Problem, path: &Path) -> Problem {
    let Some(record) = record_of_output(path) else { return problem };
    let next = format!("give the record of that run: {}", path_text::encode(&record));
    problem.because("the file is another output of a run").next(next)
}

/// `x_20260101_1200_record.jsonl` for `x_20260101_1200_report.html`.
fn record_of_output(output: &Path) -> Option<PathBuf> {
    let name = output.file_name()?.to_str().filter(|name| !name.ends_with(RECORD_SUFFIX))?;
    let beside = |(at, _)| output.with_file_name(format!("{}{RECORD_SUFFIX}", &name[..at]));
    name.rmatch_indices('_').map(beside).find(|record| record.is_file())
}

fn newest_first(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_record = |path: &PathBuf| path.to_string_lossy().ends_with(RECORD_SUFFIX) && path.is_file();
    let written =
        |path: &Path| fs::metadata(path).and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut all: Vec<(SystemTime, PathBuf)> =
        entries.map(|entry| entry.path()).filter(is_record).map(|path| (written(&path), path)).collect();
    all.sort();
    all.into_iter().rev().map(|one| one.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    fn record(dir: &Path, name: &str, age_s: u64) {
        let file = File::create(dir.join(name)).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        file.set_modified(long_ago - Duration::from_secs(age_s)).unwrap();
    }

    #[test]
    fn of_a_directory_the_newest_record_is_meant() {
        let (dir, streams) = (tempfile::tempdir().unwrap(), Streams::in_memory());
        let nothing = meant(dir.path(), &streams).unwrap_err();
        assert!(nothing.to_string().contains("has no record"), "{nothing}");
        record(dir.path(), "a_record.jsonl", 10);
        record(dir.path(), "notes.txt", 0);
        let file = dir.path().join("a_record.jsonl");
        assert_eq!(meant(&file, &streams).unwrap(), file);
        assert_eq!(meant(dir.path(), &streams).unwrap(), file);
        assert_eq!(streams.texts()[1], "", "there is no other");
        record(dir.path(), "b_record.jsonl", 5);
        assert!(meant(dir.path(), &streams).unwrap().ends_with("b_record.jsonl"));
        assert!(streams.texts()[1].contains("is the newest of 2 records in "), "{:?}", streams.texts());
        let step = next_step(dir.path());
        assert!(step.find("b_record.jsonl") < step.find("a_record.jsonl"), "{step}");
    }

    #[test]
    fn the_record_beside_an_output_is_named() {
        let dir = tempfile::tempdir().unwrap();
        record(dir.path(), "a_1_record.jsonl", 0);
        let next =
            |name: &str| instead_of_output(Problem::usage("").next("as before"), &dir.path().join(name)).next;
        let named = format!("give the record of that run: {}", dir.path().join("a_1_record.jsonl").display());
        for output in ["a_1_report.html", "a_1_ci.csv", "a_1_metrics.prom"] {
            assert_eq!(next(output).as_deref(), Some(&*named), "{output}");
        }
        for other in ["a_1_record.jsonl", "a_1_2_record.jsonl", "b_1_report.html", "a.html"] {
            assert_eq!(next(other).as_deref(), Some("as before"), "{other}");
        }
    }
}
