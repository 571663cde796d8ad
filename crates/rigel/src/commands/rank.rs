//! `rigel rank`: ranks several storages, from their records and the results of other tools.
//!
//! Must not measure or judge; the rules are in `rigel_uses::rank`.

mod storages;

use self::storages::{LoadedStorage, PreparedStorage};
use super::compare::tools::name;
use crate::args::RankArgs;
use crate::output::{self, dir_of};
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{self, printable};
use rigel_core::units::Bytes;
use rigel_core::units::say::listed;
use rigel_report::OutputFile;
use rigel_report::rank::{RankFormat, RankView, StorageView, render};
use rigel_uses::rank::offers::{self, MOST_BYTES, Offers};
use rigel_uses::rank::{Contenders, Fulfilment, Purchase, Ranking};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Ranks, writes what was requested, and fails when no storage meets the requirements.
pub fn rank(options: &RankArgs, streams: &Streams) -> Result<(), Problem> {
    let loaded = storages::load(options, streams)?;
    let names: Vec<&str> = loaded.iter().map(|storage| storage.name.as_str()).collect();
    let offers = options.offers.as_ref().map_or_else(|| Ok(Offers::default()), |path| sheet(path, &names))?;
    let prepared: Vec<PreparedStorage<'_>> = loaded.iter().map(PreparedStorage::new).collect();
    let contenders =
        Contenders::new(prepared.iter().map(|storage| storage.contender(options, streams)).collect());
    let ranking = Ranking::new(&contenders, options.by.as_deref(), options.judgement.allow_differences)?;
    let purchase = Purchase::new(&contenders, &options.required, &offers)?;
    let views: Vec<StorageView<'_>> = prepared.iter().map(PreparedStorage::view).collect();
    let ranked = RankView {
        storages: &views,
        contenders: &contenders,
        ranking: &ranking,
        offers: &offers,
        required: &options.required,
        purchase: &purchase,
    };
    show(options, &render(options.format, &ranked)?, &loaded, streams)?;
    check(&purchase, &names)
}

/// To standard output, or into a file.
fn show(
    options: &RankArgs,
    file: &OutputFile,
    loaded: &[LoadedStorage],
    streams: &Streams,
) -> Result<(), Problem> {
    let first = &loaded[0].runs[0];
    let dir = match (&options.judgement.out, options.format) {
        (Some(dir), _) => dir.clone(),
        (None, RankFormat::Html) => dir_of(first.path()).to_owned(),
        (None, _) => return streams.results(&file.bytes),
    };
    streams.list(&output::write_files(
        &dir,
        &name(first)?,
        std::slice::from_ref(file),
        options.judgement.force,
    )?)
}

/// Fails when no storage certainly meets the requirements.
fn check(purchase: &Purchase, names: &[&str]) -> Result<(), Problem> {
    if purchase.required.is_empty() || !purchase.meeting(Fulfilment::Surely).is_empty() {
        return Ok(());
    }
    let wanted: Vec<String> = purchase.required.iter().map(|one| format!("'{}'", printable(one))).collect();
    let problem =
        Problem::new(ExitKind::GateFailed, format!("no storage certainly meets {}", listed(&wanted)));
    let perhaps: Vec<String> =
        purchase.meeting(Fulfilment::Perhaps).into_iter().map(|storage| names[storage].to_owned()).collect();
    Err(if perhaps.is_empty() {
        problem.next("the column Meets shows each storage; relax the requirement, or measure other storage")
    } else {
        problem
            .because(format!("the intervals of {} leave it open, or there are none", listed(&perhaps)))
            .next("measure these longer, with a higher --precision, or on three days")
    })
}

/// The sheet of offers.
fn sheet(path: &Path, names: &[&str]) -> Result<Offers, Problem> {
    let shown = path_text::encode(path);
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| {
        Problem::usage(format!("the sheet of offers cannot be read: {error}"))
            .at(format!("--offers {shown}"))
            .next("give a TOML file with a table per storage; `rigel help rank` shows its keys")
    })?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES) {
        return Err(Problem::usage(format!("the sheet of offers is longer than {}", Bytes(MOST_BYTES)))
            .at(format!("--offers {shown}"))
            .because("it is probably another file")
            .next("give a TOML file with a table per storage"));
    }
    offers::read(&shown, &bytes, names)
}
