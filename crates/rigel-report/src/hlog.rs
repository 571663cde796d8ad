//! `_latency.hlog`: the latencies as an interval log of HdrHistogram, a line for each visit, class and direction.
//!
//! A line's tag names the point, the class and the direction, so lines with one tag can be added up. Values are
//! nanoseconds, to three figures; an I/O is placed in the middle of its bucket in the record, which is at most 1.6 % wide. Only visits that count
//! are there, without their settling time. Must not judge.

use crate::moment;
use crate::output_file::unwritable;
use crate::view::View;
use crate::words;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use rigel_core::error::Problem;
use rigel_core::judge::findings::PointFindings;
use rigel_core::measure::{ClassTally, Histogram};
use rigel_core::path_text::printable;
use rigel_core::record::Header;
use rigel_core::units::{NS_PER_MS, NS_PER_S, to_f64};
use std::fmt::Display;
use std::time::Duration;

/// Lines with the same range can be added by every reader; a longer latency widens it.
const RANGE_NS: u64 = 3600 * NS_PER_S;
const FIGURES: u8 = 3;
/// The largest count of a bucket, so counts that are added stay countable.
const MOST_IN_A_BUCKET: u64 = 1 << 50;

/// One line under construction.
struct Line {
    began_ns: u64,
    measured_ns: u64,
    tag: String,
    histogram: Histogram,
}

/// The log.
pub(crate) fn log(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let mut lines: Vec<Line> = view.findings.points.iter().flat_map(|found| lines(view, found)).collect();
    lines.sort_by_key(|line| line.began_ns);
    let longest_ns = lines.iter().filter_map(|line| line.histogram.max_ns()).max().unwrap_or(0);
    let mut hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(1, RANGE_NS.max(longest_ns), FIGURES)
        .map_err(|error| bug(&error))?;
    let mut bytes = head(&view.record.header).into_bytes();
    let mut serializer = V2DeflateSerializer::new();
    // The line's largest value is for people, in milliseconds as other writers of such logs have it.
    let mut writer = IntervalLogWriterBuilder::new()
        .with_max_value_divisor(to_f64(NS_PER_MS))
        .begin_log_with(&mut bytes, &mut serializer)
        .map_err(|error| bug(&error))?;
    for line in &lines {
        hdr.reset();
        fill(&mut hdr, &line.histogram);
        let [began, measured] = [line.began_ns, line.measured_ns].map(Duration::from_nanos);
        writer.write_histogram(&hdr, began, measured, Tag::new(&line.tag)).map_err(|error| bug(&error))?;
    }
    Ok(bytes)
}

fn bug(error: &dyn Display) -> Problem {
    unwritable("the latencies", "HdrHistogram", error)
}

/// Times of the lines count from the start of the run.
fn head(header: &Header) -> String {
    let start = moment::epoch_ms(&header.started).map_or_else(String::new, |ms| {
        let seconds = format!("{}.{:03} (seconds since epoch)", ms.div_euclid(1000), ms.rem_euclid(1000));
        format!("#[StartTime: {seconds}, {}]\n#[BaseTime: {seconds}]\n", printable(&header.started))
    });
    format!(
        "#[Latencies in nanoseconds of the run {}, measured by Rigel {}]\n#[Histogram log format version 1.3]\n{start}\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
        printable(&header.run_id),
        printable(&header.program_version)
    )
}

/// The non-empty lines of a point.
fn lines(view: &View<'_>, found: &PointFindings) -> Vec<Line> {
    let mut lines = Vec::new();
    for (visit, of_visit) in view.counting(found) {
        let later_ns = of_visit.settle_ns.saturating_sub(visit.settle_ns);
        for (&class, tally) in &visit.tallies {
            for (direction, histogram) in directions(tally, later_ns) {
                lines.push(Line {
                    began_ns: visit.began_ns.saturating_add(later_ns),
                    measured_ns: of_visit.measured_ns,
                    tag: format!("{}_{direction}", words::series(found.point, class)),
                    histogram,
                });
            }
        }
    }
    lines
}

/// Reads and writes that completed after the settling time.
fn directions(tally: &ClassTally, later_ns: u64) -> impl Iterator<Item = (&'static str, Histogram)> {
    let (reads, writes) = tally.latencies_after(tally.lead_ns.saturating_add(later_ns));
    [("read", reads), ("write", writes)].into_iter().filter(|(_, histogram)| histogram.count() > 0)
}

fn fill(hdr: &mut hdrhistogram::Histogram<u64>, histogram: &Histogram) {
    let (least, most) = (histogram.min_ns().unwrap_or(0), histogram.max_ns().unwrap_or(0));
    for (from_ns, to_ns, ios) in histogram.buckets() {
        let middle_ns = from_ns + (to_ns - from_ns) / 2;
        // Not `clamp`: a record from elsewhere may contradict itself.
        hdr.saturating_record_n(middle_ns.max(least).min(most), ios.min(MOST_IN_A_BUCKET));
    }
}
