//! A ranking as one JSON document, `rigel.rank/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::RankView;
use super::offers::PerUnit;
use crate::compare::{RunDocument, doubt_name, run_document};
use crate::json_text::{pretty, schema_of, text};
use rigel_core::error::Problem;
use rigel_core::load::class::PerClass;
use rigel_core::stats::Estimate;
use rigel_uses::compare::change::Change;
use rigel_uses::compare::{Effect, MARGIN, SideUsability};
use rigel_uses::rank::offers::Offer;
use rigel_uses::rank::{Fulfilment, Pair, RankRow};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.rank/1";

/// Storages in the order of one quantity. Rates are per second, one MB is 2^20 bytes, latencies are in microseconds; a change is
/// relative: -0.05 is 5 % less.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.rank/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// What decides, as gates name it.
    quantity: String,
    /// Unit of its values.
    #[schemars(extend("enum" = ["IOPS", "MBPS", "per s", "commits/s", "us", "times"]))]
    unit: &'static str,
    /// Whether a higher value is better.
    more_is_better: bool,
    /// Where; null for a quantity of the runs.
    point: Option<PerClass<u32>>,
    /// The storage with the best figure.
    first: String,
    /// Whether it is certainly ahead of all others.
    first_is_sure: bool,
    /// Storages that may be as good as the first.
    may_be_first: Vec<String>,
    /// Differences within this margin count as none: 0.05 is ±5 %.
    margin: f64,
    /// The best figure first.
    storages: Vec<StorageDocument>,
    /// Each pair of storages; in 95 of 100 rankings the ranges of all of them are right simultaneously.
    pairs: Vec<PairDocument>,
    /// Groups of storages that cannot be told apart, each as large as possible.
    groups: Vec<Vec<String>>,
    /// What is required of a storage, as it was written.
    required: Vec<String>,
    /// The cheapest storage that certainly meets all of that; null if there is none, or prices cannot be compared.
    cheapest: Option<String>,
    /// The currencies of the prices; offers are compared by price if there is only one.
    currencies: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Storage")]
struct StorageDocument {
    /// Its name.
    name: String,
    /// The first and the last place that it may have, from 1.
    places: [usize; 2],
    /// Its figure; null when nothing completed, or no load met the limit.
    figure: Option<Estimate>,
    /// Whether the figure may be used.
    usable: bool,
    /// The result of each requirement.
    meets: Vec<MeetsDocument>,
    /// Its price and hardware; null if no price sheet lists them.
    offer: Option<OfferDocument>,
    /// Its runs.
    runs: Vec<RunDocument>,
}

/// The result of a requirement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Meets")]
struct MeetsDocument {
    /// The requirement, as it was written.
    required: String,
    /// Whether it is met: `yes` and `no` if the whole interval of the figure says so.
    #[schemars(extend("enum" = ["yes", "perhaps", "unknown", "probably not", "no"]))]
    verdict: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Offer")]
struct OfferDocument {
    /// What it costs; null when that is not known.
    price: Option<f64>,
    /// The currency.
    currency: Option<String>,
    /// How many disks it has.
    disks: Option<u32>,
    /// Its capacity.
    capacity_bytes: Option<u64>,
    /// How its disks are mirrored or striped.
    raid: String,
    /// Short marks.
    labels: Vec<String>,
    /// Anything else.
    notes: String,
    /// Highest rate of small I/O divided by the number of disks.
    iops_per_disk: Option<Estimate>,
    /// The same divided by the capacity in units of 2^40 bytes.
    iops_per_tib: Option<Estimate>,
    /// The same for 1000 of the currency; null where there are several currencies.
    iops_per_1000: Option<Estimate>,
    /// Highest rate of large I/O divided by the number of disks.
    mbps_per_disk: Option<Estimate>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pair")]
struct PairDocument {
    /// The storage with the better figure.
    ahead: String,
    /// The storage behind.
    behind: String,
    /// How much that one differs; null if it is unknown.
    change: Option<Change>,
    /// Whether it is certainly behind.
    sure: bool,
    /// Whether both are the same within the margin.
    alike: bool,
    /// Why neither is certain, `wide` if the interval does not exclude relevant differences; null otherwise.
    #[schemars(extend("enum" = ["wide", "invalid", "no_data", "one_visit", "few_visits", "few_rounds", "few_runs", "no_interval", "unequal_levels", null]))]
    reason: Option<&'static str>,
}

/// The document, pretty-printed.
pub(super) fn document(ranked: &RankView<'_>) -> Result<Vec<u8>, Problem> {
    let ranking = ranked.ranking;
    let name = |place: usize| text(ranked.name(&ranking.rows[place]));
    let names = |places: &[usize]| places.iter().map(|&place| name(place)).collect::<Vec<_>>();
    let rivals = ranking.rivals();
    pretty(&Document {
        schema: SCHEMA,
        quantity: ranking.quantity.name(),
        unit: ranking.quantity.unit().name(),
        more_is_better: ranking.quantity.more_is_better(),
        point: ranking.point.map(|point| point.shown().collect()),
        first: name(0),
        first_is_sure: rivals.is_empty(),
        may_be_first: names(&rivals),
        margin: MARGIN,
        storages: ranking.rows.iter().map(|row| storage(ranked, row)).collect(),
        pairs: ranking.pairs.iter().map(|one| pair(one, name)).collect(),
        groups: ranking.groups.iter().map(|group| names(group)).collect(),
        required: ranked.purchase.required.iter().map(|one| text(one)).collect(),
        cheapest: ranked.purchase.cheapest.map(|storage| text(&ranked.storages[storage].name)),
        currencies: ranked.offers.currencies().into_iter().map(text).collect(),
    })
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

fn storage(ranked: &RankView<'_>, row: &RankRow) -> StorageDocument {
    let view = &ranked.storages[row.storage];
    let runs = view.runs.iter().enumerate();
    let meets = ranked.purchase.each.get(row.storage).into_iter().flatten().zip(&ranked.purchase.required);
    StorageDocument {
        name: text(&view.name),
        places: [row.from, row.to],
        figure: (row.estimate.value > 0.0).then_some(row.estimate),
        usable: row.usability == SideUsability::Usable,
        meets: meets.map(meeting).collect(),
        offer: ranked.offers.of(row.storage).map(|one| offer(one, PerUnit::of(ranked, row.storage))),
        runs: runs
            .map(|(run, source)| run_document(source, ranked.contenders.results(row.storage, run)))
            .collect(),
    }
}

fn meeting((verdict, required): (&Fulfilment, &String)) -> MeetsDocument {
    MeetsDocument { required: text(required), verdict: verdict.name() }
}

fn offer(offer: &Offer, per: PerUnit) -> OfferDocument {
    OfferDocument {
        price: offer.price.as_ref().map(|price| price.amount),
        currency: offer.price.as_ref().map(|price| text(&price.currency)),
        disks: offer.disks,
        capacity_bytes: offer.capacity.map(|bytes| bytes.0),
        raid: text(&offer.raid),
        labels: offer.labels.iter().map(|label| text(label)).collect(),
        notes: text(&offer.notes),
        iops_per_disk: per.iops_per_disk,
        iops_per_tib: per.iops_per_tib,
        iops_per_1000: per.iops_per_money,
        mbps_per_disk: per.mbps_per_disk,
    }
}

fn pair(pair: &Pair, name: impl Fn(usize) -> String) -> PairDocument {
    let reason = match pair.effect {
        Effect::Undecided(doubt) => Some(doubt_name(doubt)),
        Effect::Better | Effect::Worse | Effect::Alike => None,
    };
    PairDocument {
        ahead: name(pair.ahead),
        behind: name(pair.behind),
        change: pair.change.ok(),
        sure: pair.is_sure(),
        alike: pair.effect == Effect::Alike,
        reason,
    }
}
