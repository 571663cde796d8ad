//! `rigel capacity forecast`: the arguments.
//!
//! Must not open a store or a record.

use super::store_args::StoreArgs;
use super::whose::{CommandStem, WhoseArgs};
use rigel_capacity::day;
use rigel_capacity::headroom::{Addition, Grow, Scenario, WhatIf};
use rigel_core::error::Problem;
use rigel_core::path_text::encode;
use rigel_core::units::Bytes;
use std::path::PathBuf;

/// The maximum number of years: no history of a host is longer.
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
  rigel capacity forecast calibration_20261101_0900_record.jsonl --grow 30%/y --add 200G@2027-04
      a scenario: 30 % growth per year, and 200 GiB more in April
  rigel capacity forecast here.jsonl --database PROD --without rac2
      the sum of all instances, and what the others carry if one host is gone; --host rac1,rac2 and --all sum hosts
  rigel capacity forecast here.jsonl --add db7.csv --zone Europe/Berlin --grow 30%
      another database moves here, and all rates are 1.3 times as high
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

    #[command(flatten)]
    whose: WhoseArgs,

    /// Only the load of these disks, and the space of these filesystems [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = super::values::name)]
    disk: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// Size of the storage [default: size of the filesystem in the history]
    #[arg(long, value_name = "SIZE")]
    space: Option<Bytes>,

    /// What if: growth per year instead of that in the history (30%/y, -10%/y), or all rates higher at once (30%); repeatable
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    grow: Vec<Grow>,

    /// What if: the load in a file that `rigel capacity import` reads moves here (db7.csv), or load or data from a date on (200G@2027-04, 500IOPS@2027-04-15, 80MBPS@2027-04, 20%@2027-04); repeatable
    ///
    /// A file is read, but not stored. Where its time differs from that of the history, its usual week is taken.
    #[arg(long, value_name = "FILE|WHAT@DATE", allow_hyphen_values = true)]
    add: Vec<Addition>,

    /// What if: this host is gone, and its load moves to the others
    #[arg(long, value_name = "HOST", value_delimiter = ',', value_parser = super::values::name)]
    without: Vec<String>,

    /// This host of the sum did not exist before its first measurement: count it as 0 until then, instead of leaving that time out
    #[arg(long, value_name = "HOST", value_delimiter = ',', value_parser = super::values::name)]
    joined: Vec<String>,

    /// Time zone of times without a UTC offset in a file of --add: Europe/Berlin, UTC, or local
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,

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
    pub whose: WhoseArgs,
    /// The command without the options of `whose`.
    pub stem: CommandStem,
    pub subjects: Vec<String>,
    pub store: Option<PathBuf>,
    pub space: Option<Bytes>,
    pub scenario: Scenario,
    /// Files with load that is added.
    pub files: Vec<PathBuf>,
    pub zone: Option<String>,
    /// Hosts that did not exist before their first measurement.
    pub joined: Vec<String>,
    pub days: usize,
    pub fail_before: Option<i64>,
    pub fail_undecided: bool,
    pub allow_other_disk: bool,
    pub json: bool,
    pub html: Option<PathBuf>,
    pub force: bool,
}

fn date(text: &str) -> Result<i64, String> {
    day::read(text)
        .ok_or_else(|| format!("'{text}' is neither a month nor a day: write 2027-06 or 2027-06-15"))
}

impl ForecastArgs {
    /// What to do, checked as far as possible without reading the store.
    pub fn options(self, stem: CommandStem) -> Result<ForecastOptions, Problem> {
        let mut scenario = Scenario::default();
        for grow in self.grow {
            let is_known = match grow {
                Grow::ByYear(growth) => scenario.growth.replace(growth).is_some(),
                Grow::AtOnce(more) => scenario.what_if.more.replace(more).is_some(),
            };
            if is_known {
                return Err(Problem::usage("the same kind of growth is given twice")
                    .at("--grow")
                    .next("give one share per year (30%/y) and one at once (30%) at most"));
            }
        }
        let mut files = Vec::new();
        for addition in self.add {
            match addition {
                Addition::Step(step) => scenario.added.push(step),
                Addition::File(path) => files.push(path),
            }
        }
        scenario.what_if = WhatIf {
            without: self.without,
            files: files.iter().map(|file| encode(file)).collect(),
            ..scenario.what_if
        };
        Ok(ForecastOptions {
            record: self.record,
            others: self.on,
            whose: self.whose,
            stem,
            subjects: self.disk,
            store: self.store.file,
            space: self.space,
            scenario,
            files,
            zone: self.zone,
            joined: self.joined,
            days: usize::try_from(self.years * 366).unwrap_or(usize::MAX),
            fail_before: self.fail_before,
            fail_undecided: self.fail_undecided,
            allow_other_disk: self.allow_other_disk,
            json: self.json,
            html: self.html,
            force: self.force,
        })
    }
}
