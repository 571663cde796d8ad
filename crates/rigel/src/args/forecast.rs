//! `rigel capacity forecast`: the arguments.
//!
//! Must not open a store or a record.

use super::capacity::StoreArgs;
use rigel_capacity::day;
use rigel_capacity::headroom::{DemandStep, Growth, Scenario};
use rigel_core::units::Bytes;
use std::path::PathBuf;

/// Years that are told at most: no history of a host is longer.
const MOST_YEARS: u32 = 20;

const SUMMARY: &str = "\
Examples:
  rigel capacity forecast calibration_20261101_0900_record.jsonl
  rigel capacity forecast slo_20261101_0900_record.jsonl --grow 30%/y --fail-before 2027-06
All options and more examples: rigel help capacity forecast";

const EXAMPLES: &str = "\
Examples:
  rigel capacity forecast
      how long this storage suffices, from the last calibration and the history of this host
  rigel capacity forecast slo_20261101_0900_record.jsonl --disk nvme0n1
      how long the latency stays within the limit of that record, under the load of one disk
  rigel capacity forecast calibration_20261101_0900_record.jsonl --grow 30%/y --add 200GB@2027-04
      a scenario: 30 % growth per year, and 200 GB more in April
  rigel capacity forecast old_record.jsonl --on new_record.jsonl
      how long another storage would suffice
  rigel capacity forecast calibration_20261101_0900_record.jsonl --fail-before 2027-06
      exit code 1 if the storage will probably not suffice until June 2027, or if that is unknown";

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES)]
pub struct ForecastArgs {
    /// Record of a run on this storage, such as calibration_.._record.jsonl [default: the last calibration on this host]
    ///
    /// Capacity of the storage: the rate within the latency limit of `rigel slo` or `rigel calibrate`, otherwise the highest rates.
    #[arg(value_name = "RECORD")]
    record: Option<PathBuf>,

    /// Also forecast for another storage, by its record; repeatable
    #[arg(long, value_name = "RECORD")]
    on: Vec<PathBuf>,

    /// Use the history of this host [default: the only one in the store, or this host]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// Only the load of these disks, and the space of these filesystems [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    disk: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// Size of the storage [default: size of the filesystem in the history]
    #[arg(long, value_name = "SIZE")]
    space: Option<Bytes>,

    /// Growth per year instead of that in the history: 30%/y, -10%/y
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    grow: Option<Growth>,

    /// Additional load or data from a date on: 200GB@2027-04, 500IOPS@2027-04-15, 80MBPS@2027-04, 20%@2027-04; repeatable
    #[arg(long, value_name = "WHAT@DATE", allow_hyphen_values = true)]
    add: Vec<DemandStep>,

    /// Years to look ahead; forecasts reach at most twice the length of the history
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_YEARS)))]
    years: u32,

    /// Exit with 1 if the storage probably does not suffice until this month or day, or if that is unknown
    ///
    /// If only the early end of an interval is before DATE, the gate is undecided: exit code 0 with a note.
    #[arg(long, value_name = "DATE", value_parser = date)]
    fail_before: Option<i64>,

    /// Also exit with 1 if undecided
    #[arg(long, requires = "fail_before")]
    fail_undecided: bool,

    /// Allow a record from a disk that is not in the history
    #[arg(long)]
    allow_other_disk: bool,

    /// Print JSON, rigel.capacity/1
    #[arg(long)]
    json: bool,

    /// Also write a page with charts into DIR
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,

    /// Replace an existing page
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ForecastOptions {
    pub record: Option<PathBuf>,
    pub others: Vec<PathBuf>,
    pub host: Option<String>,
    pub subjects: Vec<String>,
    pub store: Option<PathBuf>,
    pub space: Option<Bytes>,
    pub scenario: Scenario,
    pub days: usize,
    pub fail_before: Option<i64>,
    pub fail_undecided: bool,
    pub allow_other_disk: bool,
    pub json: bool,
    pub html: Option<PathBuf>,
    pub force: bool,
}

fn date(text: &str) -> Result<i64, String> {
    day::read(text).ok_or_else(|| format!("'{text}' is no month and no day: write 2027-06 or 2027-06-15"))
}

impl ForecastArgs {
    pub fn options(self) -> ForecastOptions {
        ForecastOptions {
            record: self.record,
            others: self.on,
            host: self.host,
            subjects: self.disk,
            store: self.store.file,
            space: self.space,
            scenario: Scenario { growth: self.grow, added: self.add },
            days: usize::try_from(self.years * 366).unwrap_or(usize::MAX),
            fail_before: self.fail_before,
            fail_undecided: self.fail_undecided,
            allow_other_disk: self.allow_other_disk,
            json: self.json,
            html: self.html,
            force: self.force,
        }
    }
}
