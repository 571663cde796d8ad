//! `oswiostat` of OSWatcher: blocks of `iostat -xk 1 3` under a line `zzz ***` with what `date` printed.
//!
//! In each of its intervals OSWatcher lets iostat look for three reports. The first is the mean since boot; newer versions keep only the last one.
//! The mean of the others stands for the time up to the next block, as in OSWatcher's own charts, and the time actually sampled is reported. Must
//! not read what other tools in the archive wrote.

mod blocks;

use super::iostat::check_columns;
use super::lines::Lines;
use super::locale::{of_date, zone_word};
use super::seen::{shown, wrong};
use super::sysstat::{Disk, glued_head, tell_coarse, tell_sums, without_colours};
use super::{Room, SampleSink};
use crate::when;
use blocks::{Block, Blocks};
use rigel_core::error::Problem;

/// Bytes of a date.
const MOST_DATE: usize = 80;
/// OSWatcher asks for three reports of a second each. With more, iostat kept running, and each report is about an interval of its own.
const MOST_REPORTS: usize = 120;

/// A reader of it.
#[derive(Default)]
pub struct OsWatcher {
    lines: Lines,
    tables: Tables,
}

impl OsWatcher {
    /// For runs of iostat under dates, as users' own loops write them.
    pub fn of_dates() -> Self {
        Self { tables: Tables { is_dated: true, ..Tables::default() }, ..Self::default() }
    }
}

#[derive(Default)]
struct Tables {
    host: String,
    /// Whether blocks begin with a date alone.
    is_dated: bool,
    block: Option<OpenBlock>,
    columns: Vec<String>,
    rows: Vec<Disk<'static>>,
    blocks: Blocks,
}

/// A block that continues.
struct OpenBlock {
    line: u64,
    /// `None` for a local time that never existed.
    at_ms: Option<i64>,
    /// Whether it has the first line of iostat, and therefore its first report.
    is_whole_run: bool,
    reports: Vec<Vec<Disk<'static>>>,
}

impl Room for OsWatcher {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, tables } = self;
        lines.cut(bytes, |line, number| tables.line(&without_colours(line), number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, tables } = self;
        // Which disks an open table would have had is not known.
        if lines.drop_rest() || !tables.columns.is_empty() {
            out.seen.notes.insert(
                "the file ends in the middle: iostat was stopped or is still writing; the complete reports are used",
            );
        }
        tables.columns.clear();
        tables.whole_block(out)?;
        tables.blocks.end(out);
        Ok(())
    }
}

impl Tables {
    fn line(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let next = line.find("zzz ***").filter(|at| *at > 0);
        if let Some(at) = next.or_else(|| glued_head(line)) {
            out.seen.notes.insert("a block in the file ends in the middle: its complete reports are used");
            // Which disks the open table would have had is not known.
            self.columns.clear();
            self.rows.clear();
            return self.line(&line[at..], number, out);
        }
        let text = line.trim();
        let of_loop = || Some(text).filter(|text| self.is_dated && is_block_date(text));
        if let Some(date) = text.strip_prefix("zzz ***").or_else(of_loop) {
            self.whole_report(number, out)?;
            self.whole_block(out)?;
            self.begin(date, number, out)
        } else if text.is_empty() {
            self.whole_report(number, out)
        } else if let Some(system) = text.strip_prefix("Linux ") {
            self.system(system, out);
            Ok(())
        } else if text.starts_with("Device") {
            self.whole_report(number, out)?;
            self.columns =
                text.split_whitespace().map(|name| name.trim_end_matches(':').to_owned()).collect();
            Ok(())
        } else {
            self.disk(text, out);
            Ok(())
        }
    }

    fn begin(&mut self, date: &str, line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let of_iso = || when::without_offset(date).map(|local| (local, None));
        let at_ms = if let Some(at_ms) = when::with_offset(date) {
            Some(at_ms)
        } else if let Some((local, zone)) = of_date(date).or_else(of_iso) {
            let zone = match zone {
                None => out.zone_of(zone_word(date), local, line)?,
                known => known,
            };
            out.moment(local, zone, line)?
        } else {
            return Err(wrong(line, format!("'{}' is not a date and time", shown(date)))
                .because("its month is in an unsupported language, or the file is damaged")
                .next("start OSWatcher with LC_ALL=C from now on"));
        };
        self.block = Some(OpenBlock { line, at_ms, is_whole_run: false, reports: Vec::new() });
        Ok(())
    }

    /// `OSWbb v22.1.0AHF db1` at the top of a file, or `6.1.0-18-amd64 (db1) ..` at the top of a run of iostat.
    fn system(&mut self, system: &str, out: &mut SampleSink<'_>) {
        let of_iostat = system.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        let host = of_iostat.map_or_else(|| system.split_whitespace().nth(2), |(host, _)| Some(host));
        if let Some(host) = host.filter(|host| !host.is_empty()) {
            host.clone_into(&mut self.host);
            out.seen.tells_of(host, host);
        }
        if let (Some(_), Some(block)) = (of_iostat, &mut self.block) {
            block.is_whole_run = true;
        }
    }

    fn disk(&mut self, text: &str, out: &mut SampleSink<'_>) {
        if self.columns.is_empty() {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() != self.columns.len() {
            out.seen.unusable += 1;
            return;
        }
        let columns = self.columns.iter().zip(&words).skip(1).map(|(name, word)| (name.as_str(), *word));
        self.rows.push(Disk::of_columns(words[0].to_owned(), columns));
    }

    fn whole_report(&mut self, line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let rows = std::mem::take(&mut self.rows);
        if std::mem::take(&mut self.columns).is_empty() {
            return Ok(());
        }
        check_columns(&rows, line)?;
        tell_coarse(&rows, out);
        tell_sums(&rows, out);
        if let Some(block) = &mut self.block {
            block.reports.push(rows);
            if block.reports.len() > MOST_REPORTS {
                return Err(wrong(
                    line,
                    format!("more than {MOST_REPORTS} reports stand below one head of OSWatcher"),
                )
                .because("iostat kept running there, so each report is about an interval of its own")
                .next(
                    "if each report has its own time, remove the lines that begin with zzz (grep -v ^zzz FILE), and import \
                     the rest as iostat; otherwise start iostat with -t from now on",
                ));
            }
        }
        Ok(())
    }

    fn whole_block(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Some(OpenBlock { line, at_ms, is_whole_run, reports }) = self.block.take() else { return Ok(()) };
        // Of several reports the first is that of a run, whatever stands before it.
        let first = usize::from(!reports.is_empty() && (is_whole_run || reports.len() > 1));
        let host = self.host_of(out);
        out.check_host(&host, line)?;
        if let Some(block) = at_ms.and_then(|at_ms| Block::of(at_ms, host, &reports[first..])) {
            self.blocks.take(block, out);
        }
        Ok(())
    }

    /// From the file, or its name: `db1_iostat_26.11.29.1100.dat`.
    fn host_of(&self, out: &SampleSink<'_>) -> String {
        let of_name = || out.options.file.as_ref()?.split_once("_iostat_").map(|(host, _)| host.to_owned());
        if self.host.is_empty() { of_name().unwrap_or_default() } else { self.host.clone() }
    }
}

/// Whether a line is the output of `date`, in words or as ISO 8601.
pub fn is_block_date(text: &str) -> bool {
    let is_short = text.len() < MOST_DATE && text.contains(':');
    is_short
        && (when::with_offset(text).is_some()
            || when::without_offset(text).is_some()
            || of_date(text).is_some())
}

#[cfg(test)]
mod tests;
