//! Turns what other tools wrote into samples: one module per format, all of them fed in pieces, so a year-long file needs no more memory than a part.
//!
//! A [`Reader`] finds out by its first bytes which format a file has, and says so if it is unknown. Files are untrusted: whatever they contain,
//! the result is samples in a [`Harvest`] or a problem with its line. Must not open a file, and must not guess a time zone.

mod cloud;
mod collectl;
mod csv;
mod differences;
mod documents;
mod foreign;
mod format;
mod headless;
mod iostat;
mod iostat_text;
mod lines;
mod locale;
mod nmon;
mod openmetrics;
mod oracle;
mod oracle_report;
mod oracle_space;
mod oswatcher;
mod pg_stat_io;
mod pieces;
mod prometheus;
mod sadf;
mod sadf_rows;
mod sar;
mod scrapes;
mod seen;
mod sysstat;
mod twins;

pub use format::Format;
pub use pg_stat_io::Snapshot;
pub use seen::{DateOrder, Options, ReaderNotes};

use super::harvest::Harvest;
use super::when::Zone;
use rigel_core::error::Problem;

/// Bytes by which a format is found out.
const HEAD_BYTES: usize = 1 << 16;

/// A file being read into a harvest.
pub struct Reader {
    options: Options,
    zone: Option<Zone>,
    head: Vec<u8>,
    room: Option<(Format, Box<dyn Room>)>,
    seen: ReaderNotes,
}

/// The interface of each format: it receives all bytes of a file, piece by piece.
trait Room {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem>;
    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem>;
}

/// Receives what a room finds.
struct SampleSink<'a> {
    harvest: &'a mut Harvest,
    seen: &'a mut ReaderNotes,
    options: &'a Options,
    /// The zone of times that do not say theirs.
    zone: &'a mut Option<Zone>,
}

impl Reader {
    /// A reader of one file.
    pub fn new(options: Options) -> Self {
        let zone = options.zone.clone().map(Zone::new);
        Self { options, zone, head: Vec::new(), room: None, seen: ReaderNotes::default() }
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// When they have no known format, or contradict it; with the line.
    pub fn bytes(&mut self, bytes: &[u8], harvest: &mut Harvest) -> Result<(), Problem> {
        if self.room.is_some() {
            return self.give(bytes, harvest);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() < HEAD_BYTES { Ok(()) } else { self.begin(harvest) }
    }

    /// The file is over.
    ///
    /// # Errors
    /// When it ends in the middle, or holds nothing that is a sample.
    pub fn end(mut self, harvest: &mut Harvest) -> Result<(Format, ReaderNotes), Problem> {
        if self.room.is_none() {
            self.begin(harvest)?;
        }
        let Self { options, mut zone, room, mut seen, .. } = self;
        let Some((format, mut room)) = room else { return Err(format::unknown(&[])) };
        room.end(&mut SampleSink { harvest, seen: &mut seen, options: &options, zone: &mut zone })?;
        seen.check(&options)?;
        if seen.values == 0 {
            return Err(format.empty(&seen));
        }
        Ok((format, seen))
    }

    fn begin(&mut self, harvest: &mut Harvest) -> Result<(), Problem> {
        let head = std::mem::take(&mut self.head);
        let format = Format::of(&head)?;
        self.room = Some((format, room(format)));
        self.give(&head, harvest)
    }

    fn give(&mut self, bytes: &[u8], harvest: &mut Harvest) -> Result<(), Problem> {
        let Self { options, zone, room, seen, .. } = self;
        let Some((_, room)) = room else { return Ok(()) };
        room.bytes(bytes, &mut SampleSink { harvest, seen, options, zone })
    }
}

fn room(format: Format) -> Box<dyn Room> {
    match format {
        Format::Sadf => Box::new(sadf::Sadf::default()),
        Format::SadfRows => Box::new(sadf_rows::SadfRows::default()),
        Format::Sar => Box::new(sar::Sar::default()),
        Format::Iostat => Box::new(iostat::Iostat::default()),
        Format::IostatText => Box::new(iostat_text::IostatText::default()),
        Format::OsWatcher => Box::new(oswatcher::OsWatcher::default()),
        Format::IostatUnderDates => Box::new(oswatcher::OsWatcher::of_dates()),
        Format::Nmon => Box::new(nmon::Nmon::default()),
        Format::CloudWatch | Format::Azure => Box::new(cloud::Cloud::new(format)),
        Format::Collectl => Box::new(collectl::Collectl::default()),
        Format::Prometheus => Box::new(prometheus::Prometheus::of_query()),
        Format::VictoriaMetrics => Box::new(prometheus::Prometheus::of_export()),
        Format::OpenMetrics => Box::new(openmetrics::OpenMetrics::default()),
        Format::Awr | Format::Statspack => Box::new(oracle::Oracle::new(format)),
        Format::AwrSpace => Box::new(oracle_space::OracleSpace::new()),
        Format::AwrReport | Format::StatspackReport => Box::new(oracle_report::OracleReport::new(format)),
        Format::PgStatIoCsv | Format::PgStatIoJson => Box::new(pg_stat_io::PgStatIo::new(format)),
    }
}

#[cfg(test)]
mod edits;
#[cfg(test)]
mod field;
#[cfg(test)]
mod kinds;
#[cfg(test)]
mod mixed;
#[cfg(test)]
mod tests;
