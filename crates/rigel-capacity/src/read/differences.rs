//! The counters of Prometheus's node exporter, and of other exporters with cumulative counters: what each one is, and runs of samples.
//!
//! Must not parse.

use super::SampleSink;
use crate::{Key, Kind, Metric, Source, Span, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// What a metric of the node exporter means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExporterMetric {
    /// A counter, and what one of it is.
    Counter(Metric, f64),
    /// Bytes of a filesystem.
    Size,
    /// Free bytes of a filesystem.
    Free,
    /// Information about a disk.
    Info,
}

const SECTOR: f64 = 512.0;
const MS: f64 = 0.001;

/// The names; those without `_total` are from node exporters before 0.16.
const NAMES: [(&str, ExporterMetric); 23] = [
    ("node_disk_reads_completed_total", ExporterMetric::Counter(Metric::ReadOps, 1.0)),
    ("node_disk_writes_completed_total", ExporterMetric::Counter(Metric::WriteOps, 1.0)),
    ("node_disk_read_bytes_total", ExporterMetric::Counter(Metric::ReadBytes, 1.0)),
    ("node_disk_written_bytes_total", ExporterMetric::Counter(Metric::WriteBytes, 1.0)),
    ("node_disk_read_time_seconds_total", ExporterMetric::Counter(Metric::ReadTime, 1.0)),
    ("node_disk_write_time_seconds_total", ExporterMetric::Counter(Metric::WriteTime, 1.0)),
    ("node_disk_io_time_seconds_total", ExporterMetric::Counter(Metric::Busy, 1.0)),
    ("node_pressure_io_waiting_seconds_total", ExporterMetric::Counter(Metric::PressureSome, 1.0)),
    ("node_pressure_io_stalled_seconds_total", ExporterMetric::Counter(Metric::PressureFull, 1.0)),
    ("node_filesystem_size_bytes", ExporterMetric::Size),
    ("node_filesystem_free_bytes", ExporterMetric::Free),
    ("node_disk_info", ExporterMetric::Info),
    ("node_disk_reads_completed", ExporterMetric::Counter(Metric::ReadOps, 1.0)),
    ("node_disk_writes_completed", ExporterMetric::Counter(Metric::WriteOps, 1.0)),
    ("node_disk_bytes_read", ExporterMetric::Counter(Metric::ReadBytes, 1.0)),
    ("node_disk_bytes_written", ExporterMetric::Counter(Metric::WriteBytes, 1.0)),
    ("node_disk_sectors_read", ExporterMetric::Counter(Metric::ReadBytes, SECTOR)),
    ("node_disk_sectors_written", ExporterMetric::Counter(Metric::WriteBytes, SECTOR)),
    ("node_disk_read_time_ms", ExporterMetric::Counter(Metric::ReadTime, MS)),
    ("node_disk_write_time_ms", ExporterMetric::Counter(Metric::WriteTime, MS)),
    ("node_disk_io_time_ms", ExporterMetric::Counter(Metric::Busy, MS)),
    ("node_filesystem_size", ExporterMetric::Size),
    ("node_filesystem_free", ExporterMetric::Free),
];

/// The meaning of a name; `None` if it is not read.
pub fn meant(name: &str) -> Option<ExporterMetric> {
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, meant)| meant)
}

/// Filesystems without storage of their own: in memory, of other files, or read-only and therefore always full.
const NO_STORAGE: [&str; 12] = [
    "tmpfs",
    "ramfs",
    "devtmpfs",
    "rootfs",
    "overlay",
    "overlayfs",
    "aufs",
    "squashfs",
    "erofs",
    "iso9660",
    "udf",
    "fuse.lxcfs",
];

/// The type of a filesystem whose use of space says nothing about the storage.
pub fn no_storage(labels: &BTreeMap<String, String>) -> Option<&str> {
    let told = labels.get("fstype")?;
    NO_STORAGE.contains(&told.as_str()).then_some(told)
}

/// Prefixes of disk metrics of other exporters.
const OTHER_DISKS: [&str; 6] = [
    "windows_logical_disk_",
    "windows_physical_disk_",
    "wmi_logical_disk_",
    "container_fs_",
    "diskio_",
    "win_disk_",
];
/// Names that are kept for a file in which nothing is read.
const MOST_NAMES: usize = 8;

/// Metrics of a file that are not read: those of disks are counted, and others too if there is nothing else.
#[derive(Debug, Default)]
pub struct OtherNames(BTreeSet<String>);

impl OtherNames {
    /// Counts this many samples of a name.
    pub fn take(&mut self, name: &str, samples: usize, out: &mut SampleSink<'_>) {
        if OTHER_DISKS.iter().any(|begin| name.starts_with(begin)) {
            (0..samples).for_each(|_| out.seen.leaves_out(name));
        } else if self.0.len() < MOST_NAMES && !self.0.contains(name) {
            self.0.insert(name.to_owned());
        }
    }

    /// The file is over.
    pub fn end(&self, out: &mut SampleSink<'_>) {
        if out.seen.values == 0 && out.seen.left_out.is_empty() && out.seen.unusable == 0 {
            self.0.iter().for_each(|name| out.seen.leaves_out(name));
        }
    }
}

/// Labels that name a host, the best first, where `instance` does not: agents other than Prometheus, and what people add to series.
const HOSTS: [&str; 5] = ["hostname", "nodename", "host", "node", "host_name"];
/// Instances that do not name a host.
const LOOPBACKS: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"];

fn without_port(instance: &str) -> &str {
    match instance.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => instance,
    }
}

/// Takes what names the host out of all labels of a series.
fn instance(all: &mut BTreeMap<String, String>) -> String {
    let is_name = |name: &&&str| all.get(**name).is_some_and(|host| !host.is_empty());
    let is_instance = |name: &&&str| {
        all.get(**name)
            .is_some_and(|instance| !instance.is_empty() && !LOOPBACKS.contains(&without_port(instance)))
    };
    // Behind another Prometheus or a gateway, `instance` is that, and what was exported there is the host.
    let named = ["exported_instance", "instance"];
    let name = named.iter().find(is_instance).or_else(|| HOSTS.iter().find(is_name)).copied();
    all.remove(name.unwrap_or("instance")).unwrap_or_default()
}

/// Labels of a series that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Labels {
    /// `instance`, or another label that names the host; after the cluster, if there is one.
    pub instance: String,
    /// `device`.
    pub device: String,
    /// `mountpoint`.
    pub mount: String,
    /// `wwn`, otherwise `serial`.
    pub id: String,
}

impl Labels {
    /// Takes them out of all labels of a series.
    pub fn take(all: &mut BTreeMap<String, String>) -> Self {
        let instance = instance(all);
        let mut take = |name: &str| all.remove(name).unwrap_or_default();
        let (wwn, serial) = (take("wwn"), take("serial"));
        let id = if wwn.is_empty() { serial } else { wwn };
        // Clusters may call their hosts alike.
        let cluster = take("cluster");
        let instance = match cluster.is_empty() || instance.is_empty() {
            true => instance,
            false => format!("{cluster}/{instance}"),
        };
        Self { instance, device: take("device"), mount: take("mountpoint"), id }
    }

    /// The host: the instance without its port.
    pub fn host(&self) -> &str {
        without_port(&self.instance)
    }

    /// The key of a metric with these labels; `id` is what is known about the disk.
    pub fn key(&self, metric: Metric, id: &str, out: &mut SampleSink<'_>) -> Key {
        let subject = match metric {
            Metric::PressureSome | Metric::PressureFull => Subject::host(),
            Metric::UsedBytes | Metric::SizeBytes => Subject::named(Kind::Filesystem, &self.mount),
            _ => out.disk(&self.device, id),
        };
        out.seen.tells_of(self.host(), &self.instance);
        out.key(self.host(), subject, Source::Prometheus)
    }
}

impl SampleSink<'_> {
    /// The size of a filesystem over an interval, with what is used of it where its free bytes are known.
    pub fn size(&mut self, key: &Key, span: Span, size: f64, free: Option<f64>) {
        let sizes = [(Metric::UsedBytes, (size - free.unwrap_or(0.0)).max(0.0)), (Metric::SizeBytes, size)];
        self.row(key, span, if free.is_some() { &sizes } else { &sizes[1..] });
    }
}

/// Samples of one metric of one key, as long as they follow each other; then they continue in one step.
#[derive(Debug, Default)]
pub struct Run {
    of: Option<(Key, Metric)>,
    spans: Vec<Span>,
    values: Vec<f64>,
}

/// Samples of one run.
const MOST_RUN: usize = 50_000;

impl Run {
    /// A sample.
    pub fn take(&mut self, key: &Key, metric: Metric, span: Span, value: f64, out: &mut SampleSink<'_>) {
        let goes_on = self.of.as_ref().is_some_and(|(of, what)| of == key && *what == metric)
            && self.spans.last().is_some_and(|last| *last < span && !last.overlaps(span))
            && self.spans.len() < MOST_RUN;
        if !goes_on {
            self.end(out);
            self.of = Some((key.clone(), metric));
        }
        if metric.can_be_over(span, value) {
            self.spans.push(span);
            self.values.push(value);
        } else {
            out.seen.unusable += 1;
        }
    }

    /// Whether samples wait.
    pub const fn is_waiting(&self) -> bool {
        self.of.is_some()
    }

    /// Writes what waits.
    pub fn end(&mut self, out: &mut SampleSink<'_>) {
        let Some((key, metric)) = self.of.take() else { return };
        match (self.spans.as_slice(), self.values.as_slice()) {
            ([span], [value]) => out.row(&key, *span, &[(metric, *value)]),
            (spans, values) => {
                out.seen.values += u64::try_from(values.len()).unwrap_or_default();
                out.harvest.column(&key, metric, spans, values);
            }
        }
        self.spans.clear();
        self.values.clear();
    }
}
