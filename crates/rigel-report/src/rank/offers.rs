//! Offers with their figures: per disk, per TiB and per price.
//!
//! Must not choose an offer.

use super::RankView;
use super::words::{MONEY, per_money, price, storages};
use crate::document::{Block, Cell, Column, Room, Table};
use rigel_core::judge::answers::Answer;
use rigel_core::judge::quantity::Quantity;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{listed, number};
use rigel_uses::rank::offers::Offer;
use rigel_uses::rank::{Fulfilment, RankRow};

/// Figures of an offer divided by its size and price; empty if the sheet lacks them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PerUnit {
    pub iops_per_disk: Option<Estimate>,
    pub iops_per_tib: Option<Estimate>,
    /// Per 1000 of the currency; none where there are several currencies.
    pub iops_per_money: Option<Estimate>,
    pub mbps_per_disk: Option<Estimate>,
}

impl PerUnit {
    pub fn of(ranked: &RankView<'_>, storage: usize) -> Self {
        let offer = ranked.offers.of(storage);
        let disks = offer.and_then(|offer| offer.disks).map(f64::from);
        let tib = offer.and_then(Offer::tib);
        let money = ranked.offers.currency().and_then(|_| ranked.offers.price(storage));
        let money = money.map(|price| price.amount / MONEY);
        let over = |figure: Option<Estimate>, units: Option<f64>| Some(figure?.scaled(1.0 / units?));
        let (iops, mbps) = (ranked.figure(storage, ranked.iops()), ranked.figure(storage, ranked.mbps()));
        Self {
            iops_per_disk: over(iops, disks),
            iops_per_tib: over(iops, tib),
            iops_per_money: over(iops, money),
            mbps_per_disk: over(mbps, disks),
        }
    }
}

/// The table; empty without a sheet and without a requirement.
pub(super) fn table(ranked: &RankView<'_>, room: Room) -> Block {
    if ranked.offers.all.is_empty() && ranked.required.is_empty() {
        return Block::part(Vec::new());
    }
    let rows = &ranked.ranking.rows;
    let offer = |row: &RankRow| ranked.offers.of(row.storage);
    let per = |row: &RankRow| PerUnit::of(ranked, row.storage);
    let has = |is: &dyn Fn(&RankRow) -> bool| rows.iter().any(is);
    let figure = |estimate: Option<Estimate>| match room {
        Room::Wide => Cell::figure(estimate, number),
        Room::Narrow => estimate.map(|estimate| number(estimate.value)).into(),
    };
    let currency = ranked.offers.currency().unwrap_or_default();
    let money = room.either(format!("/{} {currency}", number(MONEY)), per_money(currency));
    let table = Table::of("offer", rows)
        .column(Column::left("Storage"), |row| ranked.name(row))
        .column_if(
            has(&|row| offer(row).is_some_and(|offer| offer.price.is_some())),
            Column::right("Price"),
            |row| ranked.offers.price(row.storage).map(price),
        )
        .column_if(
            has(&|row| offer(row).is_some_and(|offer| offer.disks.is_some())),
            Column::right("Disks"),
            |row| offer(row).and_then(|offer| offer.disks).map(u64::from),
        )
        .column_if(
            has(&|row| offer(row).is_some_and(|offer| offer.capacity.is_some())),
            Column::right("Usable"),
            |row| offer(row).and_then(|offer| offer.capacity).map(|bytes| bytes.to_string()),
        )
        .column_if(has(&|row| per(row).iops_per_disk.is_some()), Column::right("IOPS/disk"), |row| {
            figure(per(row).iops_per_disk)
        })
        .column_if(has(&|row| per(row).iops_per_tib.is_some()), Column::right("IOPS/TiB"), |row| {
            figure(per(row).iops_per_tib)
        })
        .column_if(has(&|row| per(row).iops_per_money.is_some()), Column::right(money), |row| {
            figure(per(row).iops_per_money)
        })
        .column_if(has(&|row| per(row).mbps_per_disk.is_some()), Column::right("MBPS/disk"), |row| {
            figure(per(row).mbps_per_disk)
        })
        .column_if(!ranked.required.is_empty(), Column::left("Meets"), |row| {
            ranked.purchase.of(row.storage).map(Fulfilment::name)
        })
        .done();
    let blocks = std::iter::once(table).chain(meaning(ranked).map(Block::about)).collect();
    Block::section(if ranked.offers.all.is_empty() { "Requirements" } else { "Offers" }, blocks)
}

/// How the columns are computed.
fn meaning(ranked: &RankView<'_>) -> Option<String> {
    let has = |is: fn(&PerUnit) -> bool| {
        ranked.ranking.rows.iter().any(|row| is(&PerUnit::of(ranked, row.storage)))
    };
    let called = |quantity: Option<Quantity>| {
        quantity.map(|quantity| {
            Answer::of(quantity).map_or_else(|| quantity.name(), |answer| answer.noun.to_owned())
        })
    };
    let is_of_iops = has(|per| per.iops_per_disk.or(per.iops_per_tib).or(per.iops_per_money).is_some());
    let money = ranked.offers.currency().map(|currency| format!(" and per {} {currency}", number(MONEY)));
    let money = money.unwrap_or_default();
    let iops = called(ranked.iops()).filter(|_| is_of_iops);
    let iops = iops.map(|noun| format!("IOPS per disk, per TiB{money}: of the {noun}"));
    let mbps = called(ranked.mbps())
        .filter(|_| has(|per| per.mbps_per_disk.is_some()))
        .map(|noun| format!("MBPS per disk: of the {noun}"));
    let required = (!ranked.required.is_empty()).then(|| {
        "Meets: yes or no if the whole 95 % interval of the figure is within or beyond the limit, else perhaps; without an interval perhaps or \
         probably not"
            .to_owned()
    });
    let parts: Vec<String> = iops.into_iter().chain(mbps).chain(required).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join(". ")))
}

/// What the sheet leaves out.
pub(super) fn notes(ranked: &RankView<'_>) -> Vec<String> {
    let offers = ranked.offers;
    if offers.all.is_empty() {
        return Vec::new();
    }
    let storages_of =
        |is: &dyn Fn(usize) -> bool| (0..offers.all.len()).filter(|&one| is(one)).collect::<Vec<_>>();
    let missing = storages_of(&|one| offers.of(one).is_none());
    let unpriced = storages_of(&|one| offers.of(one).is_some() && offers.price(one).is_none());
    let mut all = Vec::new();
    let currencies: Vec<String> = offers.currencies().into_iter().map(str::to_owned).collect();
    if currencies.len() > 1 {
        all.push(format!(
            "The prices are in {}: offers are not compared by price. Give all prices in one currency.",
            listed(&currencies)
        ));
    }
    if !missing.is_empty() {
        all.push(format!("The sheet has no offer for {}.", storages(ranked, &missing)));
    }
    if !unpriced.is_empty() {
        all.push(format!(
            "Left out of comparisons by price, as no price is known: {}.",
            storages(ranked, &unpriced)
        ));
    }
    all
}
