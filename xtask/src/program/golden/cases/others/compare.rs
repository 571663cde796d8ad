//! Records of two sides compared, with gates and without, and pages about several records.

use super::super::super::Document;
use super::super::super::by_hand::{Run, SPREAD, served};
use super::super::super::documents::{joined, told};
use super::super::super::simulated::{on_disk, once, own, request, rounds};
use super::super::Case;
use super::super::calibrations::with_commits;
use super::super::flags::few;
use super::super::{hostile, loads};
use rigel_core::judge::answers::{LATENCY_AT_1, MAX_MBPS, UNBOUNDED_IOPS};
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::stats::sessions::Sessions;
use rigel_report::compare::{CompareFormat, ComparisonView, reason, render, runs};
use rigel_report::{View, report_of_several};
use rigel_uses::compare::gate::{Gate, GateResult};
use rigel_uses::compare::{Comparison, SessionSpread};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("compare-slower", || compared(&[&at(0)?], &[&at(-300)?], &[], false)),
        Case::other("compare-alike", || compared(&[&at(0)?], &[&at(2)?], &[], false)),
        Case::other("compare-gates", gates),
        Case::other("compare-several", several_of_each),
        Case::other("compare-other-loads", other_loads),
        Case::other("compare-past", with_past),
        Case::other("compare-load-files", load_files),
        Case::other("compare-calibrations", calibrations),
        Case::other("compare-hostile", with_hostile_names),
        Case::other("compare-refused", refused),
        Case::other("several", several),
    ]
}

/// A run in rounds on a device that is off by this many per mille.
pub fn at(per_mille: i64) -> anyhow::Result<Record> {
    let spread = SPREAD.map(|visit| visit + per_mille);
    let mut record = Run::new(few(rounds(50)))?.rounds(&spread, &served(4)).record;
    record.header.run_id = format!("run_at_{per_mille}");
    Ok(record)
}

fn compared(
    base: &[&Record],
    new: &[&Record],
    gates: &[&str],
    undecided_fails: bool,
) -> anyhow::Result<Vec<Document>> {
    with(base, new, gates, (undecided_fails, [SessionSpread::default(); 2]))
}

fn with(
    base: &[&Record],
    new: &[&Record],
    gates: &[&str],
    (undecided_fails, past): (bool, [SessionSpread; 2]),
) -> anyhow::Result<Vec<Document>> {
    let base: Vec<View<'_>> = base.iter().map(|record| View::of(record)).collect();
    let new: Vec<View<'_>> = new.iter().map(|record| View::of(record)).collect();
    let comparison = Comparison::with_past(&runs(&base), &runs(&new), &past);
    let gates = gates
        .iter()
        .map(|gate| Gate::read(gate)?.judge(&comparison))
        .collect::<Result<Vec<GateResult>, _>>()?;
    let compared =
        ComparisonView { base: &base, new: &new, comparison: &comparison, gates: &gates, undecided_fails };
    let mut all = Vec::new();
    for (name, format) in [
        ("table", CompareFormat::Text),
        ("json", CompareFormat::Json),
        ("junit", CompareFormat::Junit),
        ("markdown", CompareFormat::Markdown),
        ("html", CompareFormat::Html),
    ] {
        all.push(joined(name, &[render(format, &compared)?]));
    }
    let reasons: Vec<String> = gates.iter().filter_map(|gate| reason(gate, &comparison)).collect();
    if !reasons.is_empty() {
        all.push(Document::new("reasons", reasons.join("\n") + "\n"));
    }
    Ok(all)
}

/// Gates that fail, that pass, that are open, and about loads that only one side has.
fn gates() -> anyhow::Result<Vec<Document>> {
    let gates = [
        "small_iops < -5%",
        "small_iops > 50%",
        "small_p99 > 1500us",
        "large_mbps < -31%",
        "max_small_iops < 1000 IOPS",
        "min_small_latency > 10%",
    ];
    compared(&[&at(0)?], &[&at(-300)?], &gates, true)
}

/// Three runs of a side and two of the other.
fn several_of_each() -> anyhow::Result<Vec<Document>> {
    let base = [at(0)?, at(10)?, at(-15)?];
    let new = [at(-60)?, at(-90)?];
    compared(&base.each_ref(), &new.each_ref(), &["small_iops < -5%"], false)
}

/// Only some loads are on both sides, and what differs makes the runs hardly comparable.
fn other_loads() -> anyhow::Result<Vec<Document>> {
    let mut classes = LoadClass::pair(8 << 10, 1 << 20);
    classes[0].levels = vec![2, 16];
    classes[1].levels = vec![2];
    let mut asked = own(RunLevel::Simple, classes).paced(once(2));
    asked.set_writes(WritePercent::new(20).unwrap_or_default());
    let other = Run::new(asked)?.once(2, &served(4)).record;
    compared(&[&at(0)?], &[&other], &["small_iops < -5%"], false)
}

/// Classes of a load file, and gates on them.
fn load_files() -> anyhow::Result<Vec<Document>> {
    let [base, mut new] = [loads::mixed(20)?, loads::mixed(26)?];
    new.header.run_id.push_str("_slower");
    let gates = ["mixed_per_s < -5%", "mixed_p99 > 900%", "max_scans_mbps < -5%", "pages_latency > 10%"];
    compared(&[&base], &[&new], &gates, false)
}

/// Two calibrations with their commits, and gates on what they answer.
fn calibrations() -> anyhow::Result<Vec<Document>> {
    let [base, mut new] = [with_commits(true)?, with_commits(true)?];
    new.header.run_id.push_str("_again");
    let gates = ["max_iops < -5%", "commit_latency > 10%", "max_commits < 1 commits/s", "latency_at_1 > 5%"];
    compared(&[&base], &[&new], &gates, false)
}

/// Past calibrations show how much sessions differ.
fn with_past() -> anyhow::Result<Vec<Document>> {
    let sessions = |figures: &[f64]| Sessions::of(figures);
    let past = SessionSpread::new(|answer| match answer.quantity {
        UNBOUNDED_IOPS => sessions(&[1000.0, 1040.0, 980.0, 1010.0, 1060.0]),
        MAX_MBPS => sessions(&[500.0, 520.0, 470.0, 505.0]),
        LATENCY_AT_1 => sessions(&[1000.0, 1100.0, 960.0, 1010.0]),
        _ => None,
    });
    with(&[&at(0)?], &[&at(-40)?], &["small_iops < -5%"], (false, [past; 2]))
}

fn with_hostile_names() -> anyhow::Result<Vec<Document>> {
    let mut other = at(-300)?;
    hostile::everywhere(&mut other, hostile::NAME);
    compared(&[&at(0)?], &[&other], &["small_iops < -5%"], false)
}

/// Invalid gates.
fn refused() -> anyhow::Result<Vec<Document>> {
    let texts = [
        "small_iops",
        "x < 5%",
        "small_iops < x%",
        "small_iops < -100%",
        "small_p99 > 2 bananas",
        "small_p99 < 0us",
    ];
    let told: String =
        texts.iter().filter_map(|text| Gate::read(text).err()).map(|problem| told(&problem)).collect();
    Ok(vec![Document::new("problems", told)])
}

/// Runs of several kinds on one page.
fn several() -> anyhow::Result<Vec<Document>> {
    let slow = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";
    let mut labelled = on_disk(slow, request(RunLevel::Simple).paced(once(1)))?;
    labelled.header.request.label = Some("after".into());
    let mut cut = at(-100)?;
    super::super::interrupted::stop(&mut cut, 7);
    let records = [at(0)?, labelled, cut];
    let views: Vec<View<'_>> = records.iter().map(View::of).collect();
    Ok(vec![joined("html", &[report_of_several(&views)?])])
}
