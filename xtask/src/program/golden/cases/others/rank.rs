//! Storages in order: two that cannot be told apart and one that is surely behind, with offers and a requirement.

use super::super::super::Document;
use super::super::super::documents::joined;
use super::super::Case;
use super::compare::at;
use rigel_core::record::Record;
use rigel_report::View;
use rigel_report::compare::{SourceView, runs};
use rigel_report::rank::{RankFormat, RankView, StorageView, render};
use rigel_uses::compare::SessionSpread;
use rigel_uses::compare::gate::Gate;
use rigel_uses::compare::tools::Source;
use rigel_uses::rank::offers::Offers;
use rigel_uses::rank::{Contenders, Purchase, Ranking, Storage, offers};

/// Their prices; one has a name that a page must not trust.
const OFFERS: &str = "[a]\nprice = \"48000 EUR\"\ndisks = 24\ncapacity = \"20T\"\nraid = \"RAID 10\"\nlabels = [\"<b>NVMe</b>\"]\n\n\
    [b]\nprice = \"31000 EUR\"\ndisks = 12\nnotes = \"leased | 3 years\"\n\n[c]\nprice = \"9000 EUR\"\ndisks = 8\ncapacity = \"8T\"\n";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("rank-offers", || ranked(OFFERS, &["max_small_iops >= 2000"])),
        Case::other("rank-plain", || ranked("", &[])),
    ]
}

fn ranked(sheet: &str, required: &[&str]) -> anyhow::Result<Vec<Document>> {
    let names = ["a", "b", "c"];
    let records: Vec<Record> = [at(0)?, at(4)?, at(300)?].into();
    let views: Vec<View<'_>> = records.iter().map(View::of).collect();
    let storages = names.iter().zip(runs(&views)).map(|(name, run)| Storage {
        name: (*name).to_owned(),
        sources: vec![Source::Run(run)],
        past: SessionSpread::default(),
    });
    let contenders = Contenders::new(storages.collect());
    let offers = match sheet {
        "" => Offers::default(),
        sheet => offers::read("offers.toml", sheet.as_bytes(), &names)?,
    };
    let required: Vec<Gate> = required.iter().map(|one| Gate::requirement(one)).collect::<Result<_, _>>()?;
    let (ranking, purchase) =
        (Ranking::new(&contenders, None, false)?, Purchase::new(&contenders, &required, &offers)?);
    let storages = names
        .iter()
        .zip(&views)
        .map(|(name, view)| StorageView { name: (*name).to_owned(), runs: vec![SourceView::Run(view)] });
    let storages: Vec<StorageView<'_>> = storages.collect();
    let ranked = RankView {
        storages: &storages,
        contenders: &contenders,
        ranking: &ranking,
        offers: &offers,
        required: &required,
        purchase: &purchase,
    };
    let formats = [
        ("text", RankFormat::Text),
        ("json", RankFormat::Json),
        ("markdown", RankFormat::Markdown),
        ("html", RankFormat::Html),
    ];
    formats.into_iter().map(|(name, format)| anyhow::Ok(joined(name, &[render(format, &ranked)?]))).collect()
}
