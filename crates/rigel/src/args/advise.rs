//! `rigel advise`: the arguments, and what they ask for.
//!
//! Must not open a record.

use super::{values, words};
use rigel_core::error::Problem;
use rigel_core::uses::advice::{Conditions, HitRate, Product};
use std::path::PathBuf;

/// The oldest version of PostgreSQL whose settings are known; a file for it is right for all later ones.
const OLDEST_SERVER: u32 = 13;
const NEWEST_SERVER: u32 = 18;

const SUMMARY: &str = "\
Examples:
  rigel advise --last                                       settings after the last calibration
  rigel advise calibration_20260101_1200_record.jsonl --for postgresql > storage.conf
All options and more examples: rigel help advise";

const EXAMPLES: &str = "\
Examples:
  rigel advise --last
      what the last calibration on this host means for databases: settings, values, ranges
  rigel advise --last --explain --hit-rate 95%
      the same with how each value came about, where caches answer 95 % of random reads
  rigel advise calibration_20260101_1200_record.jsonl --for postgresql > storage.conf
      lines for postgresql.conf; include the file, or copy them
  rigel advise calibration_20260101_1200_record.jsonl --for postgresql --explain
      the page about PostgreSQL alone, with what is missing and the commands that measure it
  rigel advise reads_record.jsonl writes_record.jsonl --for seastar > io_properties.yaml
      from two runs on the same target: `rigel calibrate --size-small 4K`, and the same with --write 100
  rigel advise reads_record.jsonl --for cgroup-max
      a line for io.max of a cgroup";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviseOptions {
    /// The records; that of the last calibration when there are none.
    pub records: Vec<PathBuf>,
    /// The product whose file is wanted; `None`: a page or a document about all.
    pub product: Option<Product>,
    /// With the derivation of every value.
    pub explain: bool,
    pub json: bool,
    pub conditions: Conditions,
    pub server_version: u32,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, override_usage = "rigel advise [OPTIONS] RECORD..\n       rigel advise [OPTIONS] --last")]
pub struct AdviseArgs {
    /// Record of a run, the file that ends in _record.jsonl; several runs of one target complete one another
    ///
    /// Some settings need reads and writes, or I/O of several sizes, which are measured apart; the page says what is missing.
    #[arg(value_name = "RECORD", required_unless_present = "last")]
    records: Vec<PathBuf>,

    /// The record of the last calibration on this host
    #[arg(long, conflicts_with = "records")]
    last: bool,

    /// Only the file that PRODUCT reads, on standard output [default: a page about all]
    ///
    /// postgresql: lines of postgresql.conf. mysql: a section of an option file, for MariaDB as well. oracle: an SQL script. cgroup: a
    /// line for /sys/fs/cgroup/io.cost.model. cgroup-max: a line for io.max of a cgroup. seastar: io_properties.yaml.
    #[arg(long = "for", value_name = "PRODUCT", ignore_case = true, value_parser = words::parser::<Product>())]
    product: Option<Product>,

    /// Also the formula, the figures and the source of every value, and what withheld ones would have been
    ///
    /// With --for a page about that product, and no file.
    #[arg(long, conflicts_with = "json")]
    explain: bool,

    /// All values with the figures behind them as JSON
    #[arg(long, conflicts_with = "product")]
    json: bool,

    /// Share of random reads that caches will answer, such as 95%: what random_page_cost depends on [default: an assumed 90%]
    ///
    /// 95% may be written 95 or 0.95 as well. A bare 1 is refused, because it may mean 1% or 100%.
    /// pg_statio_user_tables counts hits and reads, but a page that the operating system caches counts as read there.
    #[arg(long, value_name = "SHARE", value_parser = values::hit_rate)]
    hit_rate: Option<HitRate>,

    /// Major version of PostgreSQL, 13 to 18: settings that came later are comments in its file [default: 13]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(OLDEST_SERVER)..=i64::from(NEWEST_SERVER)))]
    server_version: Option<u32>,
}

impl AdviseArgs {
    pub fn options(self) -> Result<AdviseOptions, Problem> {
        if self.server_version.is_some() && self.product != Some(Product::Postgresql) {
            return Err(Problem::usage("--server-version is about the file for PostgreSQL")
                .at("--server-version")
                .because("the page and the document tell from which version on there is a setting, and the other files have none")
                .next("add --for postgresql, or leave it out"));
        }
        Ok(AdviseOptions {
            records: self.records,
            product: self.product,
            json: self.json,
            explain: self.explain,
            conditions: Conditions { hit_rate: self.hit_rate },
            server_version: self.server_version.unwrap_or(OLDEST_SERVER),
        })
    }
}
