//! Job files of fio as loads: the text of one, and what a load cannot express.
//!
//! Each job is a class, or two if its reads and writes differ. Must not open a file, and must not know options of the command line.

mod classes;
mod elsewhere;
mod job;
mod lines;
mod parts;
mod remark;
mod values;

pub use elsewhere::NO_STORAGE;
pub use remark::Remark;

use crate::error::Problem;
use crate::load::class::{LoadClass, MOST_CLASSES};
use crate::load::file::LoadFile;
use crate::load::matrix::Point;
use crate::load::workload::Layout;
use crate::units::{Bytes, Nanos};
use job::Job;
use remark::Page;

/// A load made from a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FioLoad {
    /// The load.
    pub load: LoadFile,
    /// What does not carry over, in the order of the lines.
    pub remarks: Vec<Remark>,
    /// How long each point lasted in fio.
    pub runtime: Option<Nanos>,
    /// Size of the file that the jobs share, if given in bytes.
    pub size: Option<Bytes>,
    /// The files and devices that all jobs name; empty if they differ.
    pub targets: Vec<String>,
    /// Jobs have different files.
    pub differ: bool,
}

/// Whether a text is a job file: it begins with a section, as no load file does.
pub fn is_job_file(text: &str) -> bool {
    lines::first(text).is_some_and(|line| line.starts_with('[') && !line.starts_with("[["))
}

/// Reads a job file; `name` is its printable name.
///
/// # Errors
/// A usage problem with the line, for what cannot be run without changes.
pub fn read(name: &str, text: &str) -> Result<FioLoad, Problem> {
    let mut page = Page { name, remarks: Vec::new() };
    let jobs = jobs(text, &mut page)?;
    let size = parts::size(&jobs);
    let mut load = LoadFile {
        classes: Vec::new(),
        points: vec![Point::default()],
        layout: Layout::Concat,
        phases: Vec::new(),
        node_share: Vec::new(),
        what_if: Vec::new(),
    };
    for (number, job) in jobs.iter().enumerate() {
        if job.stonewall && number > 0 {
            load.points.push(Point::default());
        }
        add(&mut load, job, size, &mut page)?;
    }
    parts::remark(&jobs, load.points.len(), &mut page);
    page.remarks.sort_by_key(|remark| remark.line);
    let files = |job: &Job<'_>| match (&job.directory, job.files.as_slice()) {
        (_, []) => job.directory.iter().cloned().collect(),
        (Some(directory), files) => files.iter().map(|file| format!("{directory}/{file}")).collect(),
        (None, files) => files.to_vec(),
    };
    let targets: Vec<Vec<String>> = jobs.iter().map(files).collect();
    let differ = targets.windows(2).any(|two| two[0] != two[1]);
    let targets = targets.into_iter().next().filter(|_| !differ).unwrap_or_default();
    let runtime = jobs.iter().filter_map(|job| job.runtime).map(|runtime| runtime.0).max();
    Ok(FioLoad { load, remarks: page.remarks, runtime, size: size.map(Bytes), targets, differ })
}

/// The jobs of a file, each with what it inherits.
fn jobs<'a>(text: &'a str, page: &mut Page<'_>) -> Result<Vec<Job<'a>>, Problem> {
    let mut global = Job::usual();
    let mut jobs = Vec::new();
    for section in lines::sections(page.name, text)? {
        if section.is_global() {
            global = global.with(&section, page)?;
        } else {
            jobs.push(global.with(&section, page)?);
        }
    }
    if jobs.is_empty() {
        return Err(Problem::usage("the job file has no job")
            .at(page.name)
            .because("[global] only says what the jobs have in common")
            .next("write a section such as [reads] for each job"));
    }
    Ok(jobs)
}

/// Adds the classes of a job to the last point.
fn add(load: &mut LoadFile, job: &Job<'_>, size: Option<u64>, page: &mut Page<'_>) -> Result<(), Problem> {
    for (class, level) in classes::of(job, size, &load.classes, page)? {
        checked(&class, level)
            .map_err(|problem| Problem { place: wrong(page.name, job.line, "").place, ..problem })?;
        if load.classes.len() == MOST_CLASSES {
            return Err(wrong(
                page.name,
                job.line,
                format!("the jobs make more than {MOST_CLASSES} classes"),
            )
            .because("each job is one class, or two if its reads and writes differ")
            .next("split the job file; jobs separated by stonewall are separate runs anyway"));
        }
        if let Some(point) = load.points.last_mut() {
            *point = point.with(class.name, level);
        }
        load.classes.push(class);
    }
    Ok(())
}

fn checked(class: &LoadClass, level: u32) -> Result<(), Problem> {
    LoadClass { levels: vec![level], ..class.clone() }.check()
}

/// A problem at a line.
fn wrong(name: &str, line: usize, what: impl Into<String>) -> Problem {
    Problem::usage(what).at(format!("{name}:{line}"))
}

#[cfg(test)]
mod tests;
