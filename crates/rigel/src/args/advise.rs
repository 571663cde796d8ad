//! `rigel advise`: the arguments, and what they ask for.
//!
//! Must not open a record.

use super::{values, words};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rigel_uses::advice::{Conditions, HitRate, Product};
use std::path::PathBuf;

/// The oldest version of PostgreSQL whose settings are known; a file for it is right for all later ones.
const OLDEST_SERVER: u32 = 13;
const NEWEST_SERVER: u32 = 18;

const SUMMARY: &str = "\
Examples:
  rigel advise --last                                    settings that fit the last calibration
  rigel advise calibration_20260101_1200_record.jsonl --database postgresql > storage.conf
All options and more examples: rigel help advise";

const EXAMPLES: &str = "\
Examples:
  rigel advise --last
      settings, values and ranges that fit the last calibration on this host
  rigel advise --last --explain --hit-rate 95%
      the same with the derivation of each value, if caches answer 95 % of random reads
  rigel advise calibration_20260101_1200_record.jsonl --database postgresql > storage.conf
      lines for postgresql.conf; include the file, or copy them
  rigel advise calibration_20260101_1200_record.jsonl --database postgresql --explain
      only PostgreSQL, with missing values and the commands that measure them
  rigel advise reads_record.jsonl writes_record.jsonl --database seastar > io_properties.yaml
      from two runs on the same target: `rigel calibrate --size-small 4K`, and the same with --write 100
  rigel advise reads_record.jsonl --database cgroup-max
      a line for io.max of a cgroup";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviseOptions {
    /// The records; without any, that of the last calibration.
    pub records: Vec<PathBuf>,
    /// The product whose file is requested; `None`: a page or a document about all.
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
    /// Record of a run, NAME_record.jsonl; several runs of one target complement each other
    ///
    /// Some settings need reads and writes, or several I/O sizes, which are measured separately; the output says what is missing.
    #[arg(value_name = "RECORD", required_unless_present = "last")]
    records: Vec<PathBuf>,

    /// Use the record of the last calibration on this host
    #[arg(long, conflicts_with = "records")]
    last: bool,

    /// Print only the configuration of PRODUCT [default: a page about all]
    ///
    /// postgresql: lines of postgresql.conf. mysql: a section of an option file, also for MariaDB. oracle: an SQL script. Besides databases, cgroup: a line
    /// for /sys/fs/cgroup/io.cost.model; cgroup-max: a line for io.max of a cgroup; seastar: io_properties.yaml.
    #[arg(long = "database", alias = "for", value_name = "PRODUCT", ignore_case = true, value_parser = product())]
    product: Option<Product>,

    /// Add formula, inputs and source of every value, and what withheld values would have been
    ///
    /// With --database: a page about that product instead of its configuration.
    #[arg(long, conflicts_with = "json")]
    explain: bool,

    /// Print all values and their inputs as JSON
    #[arg(long, conflicts_with = "product")]
    json: bool,

    /// Percentage of random reads that caches will answer, such as 95%; determines random_page_cost [default: 90%]
    ///
    /// 95% can also be written as 95 or 0.95. A bare 1 is refused, as it could mean 1% or 100%. pg_statio_user_tables counts hits and reads, but
    /// counts a page in the cache of the operating system as read.
    #[arg(long, value_name = "SHARE", value_parser = values::hit_rate)]
    hit_rate: Option<HitRate>,

    /// Major version of PostgreSQL, 13 to 18; later settings become comments [default: 13]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(OLDEST_SERVER)..=i64::from(NEWEST_SERVER)))]
    server_version: Option<u32>,
}

/// Has the settings of MySQL.
const MARIADB: &str = "mariadb";

/// Reads a product by its name.
fn product() -> impl TypedValueParser<Value = Product> {
    let word = |product: Product| {
        let word = PossibleValue::new(product.name());
        if product == Product::Mysql { word.alias(MARIADB) } else { word }
    };
    PossibleValuesParser::new(Product::ALL.map(word)).try_map(|text: String| {
        let name = if text.eq_ignore_ascii_case(MARIADB) { Product::Mysql.name() } else { &text };
        words::find::<Product>(name).ok_or("not one of the possible values")
    })
}

impl AdviseArgs {
    pub fn options(self) -> AdviseOptions {
        AdviseOptions {
            records: self.records,
            product: self.product,
            json: self.json,
            explain: self.explain,
            conditions: Conditions { hit_rate: self.hit_rate },
            server_version: self.server_version.unwrap_or(OLDEST_SERVER),
        }
    }
}
