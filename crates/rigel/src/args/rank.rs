//! `rigel rank`: the arguments.
//!
//! Must not open a record.

use super::judgement::JudgementArgs;
use super::words;
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use rigel_report::rank::RankFormat;
use rigel_uses::compare::gate::Gate;
use rigel_uses::rank::MOST_STORAGES;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel rank a_record.jsonl b_record.jsonl c_record.jsonl
      which storage is best, and how certainly
  rigel rank old=old_summary.txt san=monday_record.jsonl,tuesday_record.jsonl cloud=cloud/
      with names: a result of another tool, two runs of one storage, all records in a directory
  rigel rank a=a/ b=b/ c=c/ --by max_large_mbps
      by another quantity, named as gates name it
  rigel rank a=a/ b=b/ c=c/ --offers offers.toml --require 'max_small_iops >= 20000' --html --out .
      the cheapest offer that certainly meets a requirement, as a page to print";

#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RankArgs {
    /// A storage: a record, a directory of its records, or NAME=RECORD[,RECORD..]
    ///
    /// Two or more. With several runs of a storage, the intervals also cover the differences between runs. Without NAME= a storage is called by the
    /// label of its runs (--label), else by its directory, else by its run. Results of other tools can take the place of a record, as in `rigel
    /// compare`. A path that contains = before its first / needs a name, or ./ in front.
    #[arg(id = "storages", value_name = "STORAGE", required = true)]
    pub(super) named: Vec<OsString>,

    /// The storages.
    #[arg(skip)]
    pub storages: Vec<StorageArg>,

    /// Rank by QUANTITY [default: the main result that all records have]
    ///
    /// Named as in the gates of `rigel compare`: max_iops (within the latency limit of a calibration), max_small_iops, max_large_mbps,
    /// min_small_latency, commit_latency, max_commits; for any other load class NAME: max_NAME_per_s, min_NAME_latency. Quantities of a load level
    /// need the level: 'small_p99 @ 8'. A wrong name lists what there is. Whether more or less is better follows from the quantity.
    #[arg(long, value_name = "QUANTITY")]
    pub by: Option<String>,

    /// Price, disks and capacity of each storage, in TOML
    ///
    /// A table for each storage, by its name, with price = "48000 EUR", disks = 24, capacity = "20T", raid = "RAID 10", labels = ["NVMe"],
    /// notes = "..."; each key can be missing. Adds columns: IOPS per disk, per TiB and per 1,000 of the currency, MBPS per disk.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub offers: Option<PathBuf>,

    /// Name the storages that certainly meet a requirement, such as 'max_small_iops >= 20000'; repeatable
    ///
    /// 'QUANTITY >= NUMBER' or 'QUANTITY <= NUMBER', with a unit for latencies ('commit_latency <= 200us'). A
    /// storage certainly meets it if the whole 95 %
    /// interval of its figure does. With --offers, the cheapest of these is shown. Exit code 1 if no storage certainly meets all requirements.
    #[arg(long, value_name = "REQUIREMENT")]
    pub(super) require: Vec<String>,

    /// The requirements.
    #[arg(skip)]
    pub required: Vec<Gate>,

    /// Output format
    #[arg(long, value_name = "FORMAT", ignore_case = true, default_value = "text", value_parser = words::parser::<RankFormat>())]
    pub format: RankFormat,

    /// Short for --format json
    #[arg(long, conflicts_with_all = ["format", "html"])]
    pub(super) json: bool,

    /// Short for --format html: one page to print
    #[arg(long, conflicts_with = "format")]
    pub(super) html: bool,

    #[command(flatten)]
    pub judgement: JudgementArgs,
}

/// A storage as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageArg {
    /// Its name, if given.
    pub name: Option<String>,
    /// Its records and directories, one or more.
    pub paths: Vec<PathBuf>,
}

impl RankArgs {
    /// With the storages, the requirements, and one format.
    pub fn checked(mut self) -> Result<Self, Problem> {
        let named: Vec<StorageArg> = self.named.iter().map(StorageArg::read).collect::<Result<_, _>>()?;
        self.storages.extend(named);
        let cause = match self.storages.len() {
            1 => "only one was given".to_owned(),
            count if count > MOST_STORAGES => format!("{count} were given"),
            _ => {
                self.required =
                    self.require.iter().map(|text| Gate::requirement(text)).collect::<Result<_, _>>()?;
                self.format = match (self.json, self.html) {
                    (true, _) => RankFormat::Json,
                    (_, true) => RankFormat::Html,
                    _ => self.format,
                };
                return Ok(self);
            }
        };
        Err(Problem::usage(format!("a ranking needs 2 to {MOST_STORAGES} storages")).because(cause).next(
            "give each storage as an argument of its own: rigel rank a=a_record.jsonl b=b_record.jsonl",
        ))
    }
}

impl StorageArg {
    /// Reads `PATH` or `NAME=PATH,PATH`. What has a / before the = is a path.
    fn read(word: &OsString) -> Result<Self, Problem> {
        let named =
            word.to_str().and_then(|text| text.split_once('=')).filter(|(name, _)| !name.contains('/'));
        let Some((name, paths)) = named else {
            return Ok(Self { name: None, paths: vec![PathBuf::from(word)] });
        };
        let wrong = |what: &str| {
            Problem::usage(what)
                .at(printable(&word.to_string_lossy()))
                .next("write NAME=RECORD, or NAME=RECORD,RECORD for several runs of one storage")
        };
        let name = printable(name.trim()).into_owned();
        let paths: Vec<PathBuf> = paths.split(',').map(str::trim).map(PathBuf::from).collect();
        if name.is_empty() {
            return Err(wrong("the storage has no name"));
        }
        if paths.iter().any(|path| path.as_os_str().is_empty()) {
            return Err(wrong("the storage has no record"));
        }
        Ok(Self { name: Some(name), paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storage_has_a_name_and_records_or_is_a_path() {
        let read = |word: &str| StorageArg::read(&word.into());
        let of = |name: Option<&str>, paths: &[&str]| StorageArg {
            name: name.map(str::to_owned),
            paths: paths.iter().map(PathBuf::from).collect(),
        };
        assert_eq!(read("a_record.jsonl"), Ok(of(None, &["a_record.jsonl"])));
        assert_eq!(read("san=a.jsonl,b/"), Ok(of(Some("san"), &["a.jsonl", "b/"])));
        assert_eq!(read("./x=1.jsonl"), Ok(of(None, &["./x=1.jsonl"])));
        assert_eq!(read("a,b.jsonl"), Ok(of(None, &["a,b.jsonl"])));
        assert!(read("=a.jsonl").is_err() && read("san=").is_err() && read("san=a,").is_err());
    }
}
