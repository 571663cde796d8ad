//! What fio writes with `--output-format=json+`, so any reader of fio's results can read these.
//!
//! fio has one kind of I/O in a job; a point may have several. So each class of each point is a job, and what the others
//! did meanwhile stands in its name and its directory. In addition to one document with all jobs, there is a file for each job, in directories
//! within which only the load changes: that is what fio-plot charts. What fio has no place for (intervals, flags)
//! stands under the key `rigel`, which readers of fio ignore. Must not state what Rigel did not observe; such fields are left out.

mod direction;
mod job;
mod latency;
mod samples;

use crate::json_text;
use crate::moment;
use crate::output_file::OutputFile;
use crate::view::View;
use job::Job;
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;
use rigel_core::record::Header;
use serde::{Serialize, Serializer};

/// An object whose members keep the order in which they are given.
#[derive(Clone)]
struct Pairs<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The members above and below the jobs.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "fio version")]
    version: &'a str,
    /// Seconds since 1970 at the end of the run; null if not recorded.
    timestamp: Option<i64>,
    timestamp_ms: Option<i64>,
    time: &'a str,
    #[serde(rename = "global options")]
    options: &'a Pairs<String>,
    jobs: &'a [Job],
    /// Rigel does not sample the kernel's view of a device's utilisation.
    disk_util: [(); 0],
    rigel: &'a Run,
}

/// Fields that fio does not have.
#[derive(Serialize)]
struct Run {
    run: String,
    complete: bool,
    flags: Vec<Flag>,
}

/// What all documents of a run share.
struct Head {
    version: String,
    timestamp_ms: Option<i64>,
    time: String,
    options: Pairs<String>,
    run: Run,
}

/// The document with all jobs, then a file for each job in the directories `_fio/..`.
pub(crate) fn files(view: &View<'_>) -> Result<Vec<OutputFile>, Problem> {
    let jobs: Vec<Job> = view
        .classes()
        .enumerate()
        .map(|(group, (found, class, io))| Job::new(view, group, found, class, io))
        .collect();
    let head = Head::of(view);
    let mut files = vec![OutputFile::new("_fio.json", head.document(&jobs)?)];
    for job in &jobs {
        let alone = head.document(std::slice::from_ref(job))?;
        files.push(OutputFile::new(format!("_fio/{}", job.place), alone));
    }
    Ok(files)
}

impl Head {
    fn of(view: &View<'_>) -> Self {
        let header = &view.record.header;
        let ended = view.record.closing.as_ref().map(|closing| closing.ended.as_str());
        let time = ended.unwrap_or(&header.started);
        Self {
            version: format!("rigel-{}", printable(&header.program_version)),
            timestamp_ms: moment::epoch_ms(time),
            time: json_text::text(time),
            options: global_options(header),
            run: Run {
                run: json_text::text(&header.run_id),
                complete: view.record.complete(),
                flags: json_text::flags(&view.findings.flags),
            },
        }
    }

    fn document(&self, jobs: &[Job]) -> Result<Vec<u8>, Problem> {
        let document = Document {
            version: &self.version,
            timestamp: self.timestamp_ms.map(|ms| ms.div_euclid(1000)),
            timestamp_ms: self.timestamp_ms,
            time: &self.time,
            options: &self.options,
            jobs,
            disk_util: [],
            rigel: &self.run,
        };
        json_text::pretty(&document)
    }
}

/// What all jobs share, in fio's words where it has some. No name is that of an option of a job: fio-plot lets
/// these win.
fn global_options(header: &Header) -> Pairs<String> {
    let request = &header.request;
    // fio separates names by colons.
    let targets: Vec<String> =
        header.targets.iter().map(|target| printable(&target.path).replace(':', "\\:")).collect();
    let mut options = vec![
        ("ioengine", job::engine(header.nodes.first().engine.kind).to_owned()),
        ("filename", targets.join(":")),
        ("direct", if request.buffered { "0" } else { "1" }.to_owned()),
        ("norandommap", "1".to_owned()),
        ("randseed", request.seed.to_string()),
    ];
    if header.nodes.first().engine.polled {
        options.push(("hipri", "1".to_owned()));
    }
    Pairs(options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
