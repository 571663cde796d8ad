//! Oracle Database: the row that `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` would have left, and the size of multiblock reads.
//!
//! Must not pretend that Oracle measured it.

use super::again::{RepeatTarget, calibrate};
use super::figure::MeasuredFigure;
use super::measured::{Source, bandwidth, measured, one_stream, rises, stream_bytes, whole};
use super::{Advice, Kind, Product, Setting, Value, usable};
use crate::compare::Run;
use rigel_core::judge::findings::{Answers, WithinBound};
use rigel_core::load::class::Class;
use rigel_core::load::workload::Direction;
use rigel_core::stats::bound::LatencyOf;
use rigel_core::units::say::number;
use rigel_core::units::{Bytes, MIB};

const ROW_PAGE: &str =
    "https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html";
const MULTIBLOCK_PAGE: &str =
    "https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DB_FILE_MULTIBLOCK_READ_COUNT.html";
const MAX_IOPS: Setting = Setting::new(Product::Oracle, "MAX_IOPS", ROW_PAGE);
const MAX_MBPS: Setting = Setting::new(Product::Oracle, "MAX_MBPS", ROW_PAGE);
const MAX_PMBPS: Setting = Setting::new(Product::Oracle, "MAX_PMBPS", ROW_PAGE);
const LATENCY: Setting = Setting::new(Product::Oracle, "LATENCY", ROW_PAGE);
const DISKS: Setting = Setting::new(Product::Oracle, "NUM_PHYSICAL_DISKS", ROW_PAGE);
const MULTIBLOCK: Setting = Setting::new(Product::Oracle, "db_file_multiblock_read_count", MULTIBLOCK_PAGE);

/// The large I/O that CALIBRATE_IO reads with.
const LARGE_BYTES: u64 = MIB;

/// All settings. The row is of one run, like a row of CALIBRATE_IO: of those that fit, the first with the least doubt.
pub fn advice(source: &Source<'_>) -> Vec<Advice> {
    let calibrations: Vec<_> = source.calibrations().collect();
    let fits = |(run, answers): &&(&Run<'_>, &Answers)| {
        answers.bound.of == LatencyOf::Mean && stream_bytes(run) == Some(LARGE_BYTES)
    };
    let alike = calibrations.iter().filter(fits);
    let rows = alike.map(|(run, answers)| row(run, answers));
    let in_doubt = |row: &Vec<Advice>| {
        let judged: Vec<Advice> = row.iter().cloned().map(usable::judged).collect();
        let are = |kind| judged.iter().filter(|one| one.refused(kind).is_some()).count();
        (are(Kind::InDoubt), are(Kind::Rough))
    };
    let other = || calibrations.first().map(|(run, answers)| row(run, answers));
    let mut all = rows.min_by_key(in_doubt).or_else(other).unwrap_or_else(|| no_row(source));
    all.push(multiblock(source));
    all
}

fn no_row(source: &Source<'_>) -> Vec<Advice> {
    let missing = |setting: Setting| {
        setting.unmeasured(
            "the row is about the highest IOPS within a latency limit, which only a calibration of reads \
             measures",
            "calibrate",
            source.calibrate(RepeatTarget::Target, "--max-latency 10ms"),
        )
    };
    [MAX_IOPS, MAX_MBPS, MAX_PMBPS, LATENCY, DISKS].map(missing).into()
}

/// The columns of `DBA_RSRC_IO_CALIBRATE`, in its order.
fn row(run: &Run<'_>, answers: &Answers) -> Vec<Advice> {
    let header = &run.record.header;
    let [iops, latency] = match &answers.max_iops {
        _ if answers.bound.of != LatencyOf::Mean => [MAX_IOPS, LATENCY].map(|setting| {
            setting.unmeasured(
                format!(
                    "the calibration limits the {} latency, but CALIBRATE_IO the mean",
                    answers.bound.of.name()
                ),
                "calibrate with a limit on the mean",
                calibrate(header, RepeatTarget::Target, "--max-latency 10ms"),
            )
        }),
        Ok(within) => bounded(run, answers, within),
        Err(reason) => [MAX_IOPS, LATENCY]
            .map(|setting| setting.refused(reason, "calibrate with a longer --max-latency")),
    };
    let has_size = stream_bytes(run) == Some(LARGE_BYTES);
    let all = has_size.then(|| bandwidth(run, Direction::Read)).flatten();
    let one = has_size.then(|| one_stream(run)).flatten().map(|(_, found)| found);
    let again = || calibrate(header, RepeatTarget::Target, "--size-large 1M");
    let most = rate(MAX_MBPS, all, "All streams together.", again());
    let one = rate(MAX_PMBPS, one, "One stream: what one process of a parallel query can reach.", again());
    let why = "The number given with --num-disks, or the number of targets.";
    let disks = Value::plain(header.plan.num_disks.to_string());
    vec![iops, most, one, latency, DISKS.given(disks, Vec::new(), why)]
}

/// The most IOPS within the bound, and the latency there.
fn bounded(run: &Run<'_>, answers: &Answers, within: &WithinBound) -> [Advice; 2] {
    let point = run.findings.alone(Class::SMALL, within.outstanding);
    let flags = point.map_or(&[][..], |found| &found.flags);
    let bound = answers.bound.beside(within.latency_us.value);
    let bytes = Bytes(run.record.header.request.io_bytes(Class::SMALL));
    let figure = |what, unit, found| measured(run, Class::SMALL, flags, what, unit, found);
    // At the most that was tried, a search that did not end leaves open whether more keep the bound.
    let points = run.findings.points.iter().filter(|found| found.point.is_alone(Class::SMALL));
    let is_last = points.map(|found| found.point.small()).max() == Some(within.outstanding);
    let iops = MeasuredFigure {
        is_lower_bound: is_last && rises(run, Class::SMALL),
        ..figure(format!("random reads of {bytes} {bound}"), "IOPS", within.iops)
    };
    let latency = figure("latency of these reads".to_owned(), "us", within.latency_us);
    let iops_value = Value::of(within.iops, whole);
    let ms = Value::of(within.latency_us.scaled(1e-3), whole);
    [
        MAX_IOPS.given(iops_value, vec![iops], format!("As in CALIBRATE_IO: {bound}.")),
        LATENCY.given(
            ms,
            vec![latency],
            "In whole milliseconds, as in CALIBRATE_IO: less than half a millisecond is 0.",
        ),
    ]
}

fn rate(setting: Setting, found: Option<MeasuredFigure>, why: &str, again: String) -> Advice {
    match found {
        Some(found) => setting.given(Value::of(found.figure, whole), vec![found], why),
        None => setting.unmeasured(
            "the calibration has no streams of reads of 1 MiB, the large I/O of CALIBRATE_IO",
            "calibrate with that size",
            again,
        ),
    }
}

/// Oracle reads as much as the platform allows, 1 MiB, unless the parameter is set; setting it also makes the optimizer prefer full scans.
fn multiblock(source: &Source<'_>) -> Advice {
    let found = source.one_stream().into_iter().find(|(bytes, _)| *bytes == MIB);
    let Some((_, stream)) = found else {
        return MULTIBLOCK.unmeasured(
            "no record has one stream of reads of 1 MiB, the size that Oracle reads without the parameter",
            "measure it",
            source.calibrate(RepeatTarget::Target, "--size-large 1M"),
        );
    };
    let why = format!(
        "By default Oracle reads 1 MiB at once, which gave {} MBPS here, and assumes fewer blocks when it \
         compares plans. Setting a value would change both.",
        number(stream.figure.value)
    );
    MULTIBLOCK.given(Value::plain("not set"), vec![stream], why)
}
