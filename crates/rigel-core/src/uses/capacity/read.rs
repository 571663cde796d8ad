//! What other tools wrote, as samples: one room per format, all of them fed in pieces, so that a file of a year needs no more memory than a part.
//!
//! A [`Reader`] finds out by its first bytes which format a file has, and says so when it is none that is known. Files are foreign: whatever they
//! hold, the answer is samples in a [`Harvest`] or a problem with its line. Must not open a file, and must not guess a time zone.

mod csv;
mod differences;
mod format;
mod iostat;
mod lines;
mod openmetrics;
mod oracle;
mod pg_stat_io;
mod pieces;
mod prometheus;
mod sadf;
mod scrapes;
mod seen;

pub use format::Format;
pub use pg_stat_io::Snapshot;
pub use seen::{DateOrder, Options, Seen};

use super::harvest::Harvest;
use crate::error::Problem;

/// Bytes by which a format is found out.
const HEAD_BYTES: usize = 1 << 16;

/// A file on its way into a harvest.
pub struct Reader {
    options: Options,
    head: Vec<u8>,
    room: Option<(Format, Box<dyn Room>)>,
    seen: Seen,
}

/// What each format has: it is given all bytes of a file, piece by piece.
trait Room {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem>;
    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Problem>;
}

/// Where a room puts what it finds.
struct Out<'a> {
    harvest: &'a mut Harvest,
    seen: &'a mut Seen,
    options: &'a Options,
}

impl Reader {
    /// A reader of one file.
    pub fn new(options: Options) -> Self {
        Self { options, head: Vec::new(), room: None, seen: Seen::default() }
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// When they are none of a format that is known, or contradict it; with the line.
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
    pub fn end(mut self, harvest: &mut Harvest) -> Result<(Format, Seen), Problem> {
        if self.room.is_none() {
            self.begin(harvest)?;
        }
        let Self { options, room, mut seen, .. } = self;
        let Some((format, mut room)) = room else { return Err(format::unknown(&[])) };
        room.end(&mut Out { harvest, seen: &mut seen, options: &options })?;
        seen.check(&options)?;
        if seen.values == 0 {
            return Err(format.empty(&seen));
        }
        Ok((format, seen))
    }

    fn begin(&mut self, harvest: &mut Harvest) -> Result<(), Problem> {
        let head = std::mem::take(&mut self.head);
        let format = Format::of(&head)?;
        self.room = Some((format, room(format, &self.options)));
        self.give(&head, harvest)
    }

    fn give(&mut self, bytes: &[u8], harvest: &mut Harvest) -> Result<(), Problem> {
        let Some((_, room)) = &mut self.room else { return Ok(()) };
        room.bytes(bytes, &mut Out { harvest, seen: &mut self.seen, options: &self.options })
    }
}

fn room(format: Format, options: &Options) -> Box<dyn Room> {
    match format {
        Format::Sadf => Box::new(sadf::Sadf::new(options)),
        Format::Iostat => Box::new(iostat::Iostat::default()),
        Format::Prometheus => Box::new(prometheus::Prometheus::of_query()),
        Format::VictoriaMetrics => Box::new(prometheus::Prometheus::of_export()),
        Format::OpenMetrics => Box::new(openmetrics::OpenMetrics::default()),
        Format::Awr | Format::Statspack => Box::new(oracle::Oracle::new(format, options)),
        Format::PgStatIoCsv | Format::PgStatIoJson => Box::new(pg_stat_io::PgStatIo::new(format)),
    }
}

#[cfg(test)]
mod field;
#[cfg(test)]
mod tests;
