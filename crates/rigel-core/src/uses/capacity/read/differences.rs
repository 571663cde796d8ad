//! The counters of Prometheus's node exporter, and of others that tell all that was counted so far: what each is, and runs of samples.
//!
//! Must not parse.

use super::Out;
use crate::uses::capacity::{Key, Kind, Metric, Source, Span, Subject};

/// What a metric of the node exporter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meant {
    /// A counter, and what one of it is.
    Counter(Metric, f64),
    /// Bytes of a filesystem.
    Size,
    /// Free bytes of a filesystem.
    Free,
    /// What a disk is.
    Info,
}

const SECTOR: f64 = 512.0;
const MS: f64 = 0.001;

/// The names; those without `_total` are of the node exporter before 0.16.
const NAMES: [(&str, Meant); 23] = [
    ("node_disk_reads_completed_total", Meant::Counter(Metric::ReadOps, 1.0)),
    ("node_disk_writes_completed_total", Meant::Counter(Metric::WriteOps, 1.0)),
    ("node_disk_read_bytes_total", Meant::Counter(Metric::ReadBytes, 1.0)),
    ("node_disk_written_bytes_total", Meant::Counter(Metric::WriteBytes, 1.0)),
    ("node_disk_read_time_seconds_total", Meant::Counter(Metric::ReadTime, 1.0)),
    ("node_disk_write_time_seconds_total", Meant::Counter(Metric::WriteTime, 1.0)),
    ("node_disk_io_time_seconds_total", Meant::Counter(Metric::Busy, 1.0)),
    ("node_pressure_io_waiting_seconds_total", Meant::Counter(Metric::PressureSome, 1.0)),
    ("node_pressure_io_stalled_seconds_total", Meant::Counter(Metric::PressureFull, 1.0)),
    ("node_filesystem_size_bytes", Meant::Size),
    ("node_filesystem_free_bytes", Meant::Free),
    ("node_disk_info", Meant::Info),
    ("node_disk_reads_completed", Meant::Counter(Metric::ReadOps, 1.0)),
    ("node_disk_writes_completed", Meant::Counter(Metric::WriteOps, 1.0)),
    ("node_disk_bytes_read", Meant::Counter(Metric::ReadBytes, 1.0)),
    ("node_disk_bytes_written", Meant::Counter(Metric::WriteBytes, 1.0)),
    ("node_disk_sectors_read", Meant::Counter(Metric::ReadBytes, SECTOR)),
    ("node_disk_sectors_written", Meant::Counter(Metric::WriteBytes, SECTOR)),
    ("node_disk_read_time_ms", Meant::Counter(Metric::ReadTime, MS)),
    ("node_disk_write_time_ms", Meant::Counter(Metric::WriteTime, MS)),
    ("node_disk_io_time_ms", Meant::Counter(Metric::Busy, MS)),
    ("node_filesystem_size", Meant::Size),
    ("node_filesystem_free", Meant::Free),
];

/// What a name means; nothing for what is not read.
pub fn meant(name: &str) -> Option<Meant> {
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, meant)| meant)
}

/// Labels of a series that are of use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Labels {
    /// `instance`.
    pub instance: String,
    /// `device`.
    pub device: String,
    /// `mountpoint`.
    pub mount: String,
    /// `wwn`, else `serial`.
    pub id: String,
}

impl Labels {
    /// The host: the instance without its port.
    pub fn host(&self) -> &str {
        match self.instance.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => &self.instance,
        }
    }

    /// The key of a metric with these labels; `id` is what is known of the disk.
    pub fn key(&self, metric: Metric, id: &str, out: &mut Out<'_>) -> Key {
        let subject = match metric {
            Metric::PressureSome | Metric::PressureFull => Subject::host(),
            Metric::UsedBytes | Metric::SizeBytes => Subject::named(Kind::Filesystem, &self.mount),
            _ => out.disk(&self.device, id),
        };
        out.seen.tells_of(self.host(), &self.instance);
        out.key(self.host(), subject, Source::Prometheus)
    }
}

/// Samples of one metric of one key, as long as they follow each other; then they go on in one step.
#[derive(Debug, Default)]
pub struct Run {
    of: Option<(Key, Metric)>,
    spans: Vec<Span>,
    values: Vec<f64>,
}

/// Samples that go on at once.
const MOST_RUN: usize = 50_000;

impl Run {
    /// A sample.
    pub fn take(&mut self, key: &Key, metric: Metric, span: Span, value: f64, out: &mut Out<'_>) {
        let goes_on = self.of.as_ref().is_some_and(|(of, what)| of == key && *what == metric)
            && self.spans.last().is_some_and(|last| *last < span && !last.overlaps(span))
            && self.spans.len() < MOST_RUN;
        if !goes_on {
            self.end(out);
            self.of = Some((key.clone(), metric));
        }
        if metric.can_be(value) {
            self.spans.push(span);
            self.values.push(value);
        } else {
            out.seen.unusable += 1;
        }
    }

    /// All that waits goes on.
    pub fn end(&mut self, out: &mut Out<'_>) {
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
