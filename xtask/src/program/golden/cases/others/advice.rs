//! Advice from records: the page, the document, and the file of each product.

use super::super::super::Document;
use super::super::super::by_hand::{Run, SPREAD, served};
use super::super::super::documents::told;
use super::super::super::simulated::{on_disk, on_sim};
use super::super::Case;
use super::super::calibrations::{PLAIN, asked, plain, with_commits};
use super::super::hostile;
use super::super::interrupted::stop;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::stats::bound::LatencyOf;
use rigel_core::units::KIB;
use rigel_core::witness::{Counts, Witness, WitnessSample};
use rigel_report::View;
use rigel_report::advice::{Advisory, document, file, page};
use rigel_report::compare::runs;
use rigel_uses::advice::{AdviceReport, Conditions, Product};

/// A server that a file is for.
const SERVERS: [u32; 2] = [15, 18];

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("advice-reads", || advised(&[reads()?], None)),
        Case::other("advice-everything", everything),
        Case::other("advice-hit-rate", || advised(&[reads()?], Some("99%"))),
        Case::other("advice-simulated", || advised(&[on_sim(PLAIN, asked(100, LatencyOf::Mean))?], None)),
        Case::other("advice-commits", || advised(&[on_disk_witnessed(with_commits(true)?)], None)),
        Case::other("advice-cut-short", cut_short),
        Case::other("advice-disturbed", disturbed),
        Case::other("advice-hostile", with_hostile_names),
    ]
}

/// A calibration of a disk whose I/Os a witness counted on one device.
fn reads() -> anyhow::Result<Record> {
    Ok(on_disk_witnessed(plain()?))
}

fn of(name: &str, small_kib: u64, write_percent: u8) -> anyhow::Result<Record> {
    let mut request = asked(100, LatencyOf::Mean);
    request.set_size(Class::SMALL, small_kib * KIB);
    request.set_writes(WritePercent::new(write_percent).unwrap_or_default());
    let mut record = on_disk(PLAIN, request)?;
    record.header.run_id = format!("{name}_20260301_0000");
    Ok(on_disk_witnessed(record))
}

fn on_disk_witnessed(mut record: Record) -> Record {
    for visit in record.search.iter_mut().chain(&mut record.visits) {
        let counts = Counts { moved: vec![None], ..Counts::default() };
        let samples = vec![WitnessSample { at_ns: visit.began_ns + 1, counts }];
        visit.nodes[0].witness = Some(Witness {
            period_ns: 100_000_000,
            cpus: None,
            devices: vec![(8, 16)],
            kernel_us: None,
            carried: None,
            began_ns: visit.began_ns,
            samples,
        });
    }
    record.header.targets.iter_mut().for_each(|target| target.mount_point = Some("/u01".into()));
    record
}

/// Reads and writes, and several sizes of streams.
fn everything() -> anyhow::Result<Vec<Document>> {
    let mut larger = asked(100, LatencyOf::Mean);
    larger.set_size(Class::LARGE, 256 * KIB);
    let mut larger = on_disk(PLAIN, larger)?;
    larger.header.run_id = "streams_20260301_0000".into();
    let records = [
        reads()?,
        of("writes", 16, 100)?,
        of("small", 4, 0)?,
        of("mixed", 4, 100)?,
        on_disk_witnessed(larger),
    ];
    advised(&records, None)
}

fn cut_short() -> anyhow::Result<Vec<Document>> {
    let mut record = reads()?;
    stop(&mut record, 9);
    advised(&[record], None)
}

/// Others used the host all the time, so that nothing is good enough.
fn disturbed() -> anyhow::Result<Vec<Document>> {
    let mut asked = asked(100, LatencyOf::Mean).paced(super::super::super::simulated::rounds(50));
    asked.set_large(Pattern::Streams { ios_per_stream: 4 });
    let mut record = Run::new(asked)?.searched(&served(4))?.rounds(&SPREAD, &served(4)).record;
    for visit in record.search.iter_mut().chain(&mut record.visits) {
        visit.nodes[0].witness = Some(super::super::sql::watched(visit, 90));
        if let Some(witness) = &mut visit.nodes[0].witness {
            witness.samples.iter_mut().for_each(|sample| sample.counts.own_us = Some(10_000));
        }
    }
    advised(&[record], None)
}

fn with_hostile_names() -> anyhow::Result<Vec<Document>> {
    let mut record = reads()?;
    hostile::everywhere(&mut record, hostile::NAME);
    advised(&[record], None)
}

fn advised(records: &[Record], hit_rate: Option<&str>) -> anyhow::Result<Vec<Document>> {
    let views: Vec<View<'_>> = records.iter().map(View::of).collect();
    let hit_rate = hit_rate.map(str::parse).transpose().map_err(anyhow::Error::msg)?;
    let advised = AdviceReport::of(&runs(&views), Conditions { hit_rate }, None)?;
    let advisory = Advisory { views: &views, advised: &advised };
    let mut all = vec![
        Document::new("page", page(&advisory, false)),
        Document::new("page-explained", page(&advisory, true)),
        Document::new("json", document(&advisory)?),
    ];
    for product in Product::ALL {
        let mut text = String::new();
        for server in SERVERS {
            text += &match file(&advisory, product, server) {
                Ok(file) => format!("==> for version {server} <==\n{file}"),
                Err(problem) => told(&problem),
            };
        }
        advisory.beside(product).iter().for_each(|note| text += &format!("note: {note}\n"));
        all.push(Document::new(format!("for-{}", product.name()), text));
    }
    Ok(all)
}
