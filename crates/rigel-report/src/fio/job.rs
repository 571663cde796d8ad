//! A job: one class of one point, with the options that fio would have been given for it.
//!
//! Small I/O is random; its outstanding I/Os are one job's `iodepth`. Large random I/O is the same with its own size. A level
//! of streams is as many jobs (`numjobs`), each with the outstanding I/Os of one stream, reported together. Must not compute
//! what a section or the latencies hold.

use super::Pairs;
use super::direction::Section;
use super::latency::Classes;
use super::samples::Samples;
use crate::view::View;
use crate::words;
use rigel_core::facts::engine::EngineKind;
use rigel_core::judge::findings::{IoFindings, LatencyUs, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::{Class, LoadClass, Pattern, Sizes};
use rigel_core::load::matrix::Point;
use rigel_core::measure::Histogram;
use rigel_core::stats::Estimate;
use rigel_core::units::say::whole;
use serde::Serialize;
use std::collections::BTreeMap;

/// See the module.
#[derive(Serialize)]
pub(super) struct Job {
    /// Directory and name of its own file.
    #[serde(skip)]
    pub place: String,
    jobname: String,
    groupid: usize,
    /// Number of the first error.
    error: i32,
    elapsed: u64,
    #[serde(rename = "job options")]
    options: Pairs<String>,
    read: Section,
    write: Section,
    trim: Section,
    job_runtime: u64,
    /// User and system time of the whole point together: a record does not separate them.
    usr_cpu: f64,
    sys_cpu: f64,
    #[serde(flatten)]
    classes: Classes,
    total_err: u64,
    first_error: i32,
    rigel: ExtraFields,
}

/// Fields that fio does not have.
#[derive(Serialize)]
struct ExtraFields {
    /// The load level of each class.
    #[serde(flatten)]
    levels: BTreeMap<String, u32>,
    class: Class,
    iops: Estimate,
    lat_mean_ns: Option<Estimate>,
    lat_p50_ns: Option<Estimate>,
    lat_p99_ns: Option<Estimate>,
    flags: Vec<Flag>,
}

impl Job {
    /// `group`: its number in the document.
    pub fn new(view: &View<'_>, group: usize, found: &PointFindings, class: Class, io: &IoFindings) -> Self {
        let shape = Shape::of(&io.load, found.point);
        let samples = Samples::of(view, found, class);
        let all = io.latencies();
        let section = |histogram: &Histogram| Section::of(histogram, io, found.seconds, &samples);
        let first_error = io.first_error.map_or(0, |first| first.errno);
        Self {
            place: shape.place(found.point, class),
            jobname: words::series(found.point, class),
            groupid: group,
            error: first_error,
            elapsed: whole(found.seconds.ceil()),
            options: shape.options(&io.load, io.io_bytes),
            read: section(&io.reads),
            write: section(&io.writes),
            trim: section(&Histogram::empty()),
            job_runtime: whole(found.seconds * 1000.0),
            usr_cpu: found.own_cpu.map_or(0.0, |cpu| 100.0 * cpu.share),
            sys_cpu: 0.0,
            classes: Classes::of(&all),
            total_err: io.errors,
            first_error,
            rigel: ExtraFields::of(&view.level_columns(), found, class, io),
        }
    }
}

impl ExtraFields {
    fn of(levels: &[(String, Class)], found: &PointFindings, class: Class, io: &IoFindings) -> Self {
        let in_ns = |of: fn(LatencyUs) -> Estimate| io.latency_us.map(|us| of(us).scaled(1000.0));
        Self {
            levels: levels.iter().map(|(name, class)| (name.clone(), found.point.of(*class))).collect(),
            class,
            iops: io.iops,
            lat_mean_ns: in_ns(|us| us.mean),
            lat_p50_ns: in_ns(|us| us.p50),
            lat_p99_ns: in_ns(|us| us.p99),
            flags: crate::json_text::flags(&found.flags),
        }
    }
}

/// The options that define the load of a class at a point.
struct Shape {
    rw: &'static str,
    iodepth: u32,
    numjobs: u32,
}

impl Shape {
    fn of(load: &LoadClass, point: Point) -> Self {
        let rw = match (load.pattern == Pattern::Random, load.write_percent.get()) {
            (true, 0) => "randread",
            (true, 100) => "randwrite",
            (true, _) => "randrw",
            (false, 0) => "read",
            (false, 100) => "write",
            (false, _) => "rw",
        };
        let level = point.of(load.name);
        let (iodepth, numjobs) = match load.pattern {
            Pattern::Streams { ios_per_stream } => (ios_per_stream, load.stream_count(level)),
            Pattern::Random => (level, 1),
            Pattern::Log | Pattern::Sessions => (1, level),
        };
        Self { rw, iodepth, numjobs }
    }

    /// A directory holds one class next to one level of the other, so no two of its files have the same load.
    fn place(&self, point: Point, class: Class) -> String {
        let others = point.without(class).classes();
        let beside: String = others.map(|(other, level)| format!("_beside_{level}_{other}")).collect();
        format!("{}{beside}/{}-{}-{}.json", class.name(), self.rw, self.iodepth, self.numjobs)
    }

    fn options(&self, load: &LoadClass, io_bytes: u64) -> Pairs<String> {
        let size = |bytes: u64| match bytes {
            1.. if bytes.is_multiple_of(1024) => format!("{}k", bytes / 1024),
            _ => bytes.to_string(),
        };
        let (size_option, bs) = match &load.sizes {
            Sizes::Mixed(sizes) => {
                let each = sizes.iter().map(|(bytes, share)| format!("{}/{share}", size(*bytes)));
                ("bssplit", each.collect::<Vec<_>>().join(":"))
            }
            Sizes::Fixed(_) | Sizes::None => ("bs", size(io_bytes)),
        };
        let mut options = vec![
            ("rw", self.rw.to_owned()),
            (size_option, bs),
            ("iodepth", self.iodepth.to_string()),
            ("numjobs", self.numjobs.to_string()),
        ];
        if self.numjobs > 1 {
            options.push(("group_reporting", "1".to_owned()));
        }
        if self.rw.ends_with("rw") {
            options.push(("rwmixwrite", load.write_percent.get().to_string()));
        }
        Pairs(options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

/// fio's word for an engine; Rigel's own if fio has none.
pub(super) const fn engine(kind: EngineKind) -> &'static str {
    match kind {
        EngineKind::Nvme => "io_uring_cmd",
        EngineKind::Sync | EngineKind::Threads => "psync",
        _ => kind.name(),
    }
}
