//! `InnoDB` of `MySQL` and `MariaDB`: how fast pages may be flushed, how many threads reap reads, how files are opened.
//!
//! Must not assume a page other than the usual one of 16 KiB.

use super::again::RepeatTarget;
use super::commits;
use super::measured::Source;
use super::{Advice, Product, Setting, Value};
use rigel_core::facts::TargetKind;
use rigel_core::load::workload::Direction;
use rigel_core::units::KIB;
use rigel_core::units::say::number;

/// `innodb_page_size` by default.
const PAGE_BYTES: u64 = 16 * KIB;
/// The least that `innodb_io_capacity` may be.
const LEAST_CAPACITY: f64 = 100.0;
/// More than that the manual does not recommend for `innodb_io_capacity`.
const MOST_CAPACITY: f64 = 20_000.0;
/// With more pending reads for each thread, the manual expects more threads to help.
const PENDING_A_THREAD: f64 = 64.0;
/// Least default and most of `innodb_read_io_threads`.
const THREADS: (f64, f64) = (4.0, 64.0);

const CAPACITY_PAGE: &str = "https://dev.mysql.com/doc/refman/8.4/en/innodb-configuring-io-capacity.html";
const THREADS_PAGE: &str =
    "https://dev.mysql.com/doc/refman/8.4/en/innodb-performance-multiple_io_threads.html";
const PARAMETERS_PAGE: &str = "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html";
const CAPACITY: Setting = Setting::new(Product::Mysql, "innodb_io_capacity", CAPACITY_PAGE);
const MOST: Setting = Setting::new(Product::Mysql, "innodb_io_capacity_max", CAPACITY_PAGE);
const READ_THREADS: Setting = Setting::new(Product::Mysql, "innodb_read_io_threads", THREADS_PAGE);
const FLUSH_METHOD: Setting = Setting::new(Product::Mysql, "innodb_flush_method", PARAMETERS_PAGE);

pub(super) fn advice(source: &Source<'_>) -> Vec<Advice> {
    let mut all = [capacity(source), vec![read_threads(source), flush_method(source)]].concat();
    all.extend(commits::of_mariadb(source));
    all
}

/// For background writes, so the rate of random writes counts. Half of it is left to reads, to the log and to the
/// second write of the doublewrite buffer; flushing that falls behind may use all of it.
fn capacity(source: &Source<'_>) -> Vec<Advice> {
    let Some(writes) = source.random(Direction::Write, |bytes| bytes == PAGE_BYTES) else {
        return [CAPACITY, MOST]
            .map(|setting| {
                setting.unmeasured(
                    "no record has the rate of random writes of 16 KiB pages, which this setting limits",
                    "measure writes, on a scratch file of that filesystem",
                    source.calibrate(RepeatTarget::Scratch, "--write 100 --size-small 16K"),
                )
            })
            .into();
    };
    let whole = |rate: f64| format!("{:.0}", rate.floor());
    let low = number(writes.low());
    let usual = Value::at_low_end(&writes, |rate| io_capacity(rate).to_string());
    let most = Value::at_low_end(&writes, |rate| whole(rate.max(LEAST_CAPACITY)));
    let why_usual = format!(
        "Half of {low}, the lower end of the interval: the other half is left for reads, the log and the \
         doublewrite buffer. The manual gives 100 as the minimum and advises against more than 20,000. Our \
         experiments neither confirmed nor refuted it; `rigel sql prove --database mysql` tests it on this storage."
    );
    let why_most = format!(
        "The storage does not write more pages than {low} a second, the lower end of the interval: a higher \
         value evicts pages from the buffer pool too early."
    );
    // Without the former the latter may be below the default of it.
    vec![
        CAPACITY.unproven(usual, vec![writes.clone()], why_usual),
        MOST.unproven(most, vec![writes], why_most),
    ]
}

/// The value of `innodb_io_capacity` for storage with this many random page writes per second.
pub fn io_capacity(writes_per_s: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 100 and 20,000"
    )]
    let whole = (writes_per_s / 2.0).clamp(LEAST_CAPACITY, MOST_CAPACITY).floor() as u32;
    whole
}

/// The value of `innodb_read_io_threads` for storage that this many outstanding reads saturate, with this many CPUs.
pub fn read_io_threads(saturating: f64, cpus: u32) -> u32 {
    let (least, most) = THREADS;
    let most = f64::from(cpus).clamp(least, most);
    let threads = (saturating / PENDING_A_THREAD).ceil().clamp(least, most);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 4 and 64")]
    let whole = threads as u32;
    whole
}

/// One thread for 64 pending reads, but no more threads than CPUs: a thread without a CPU reaps nothing.
fn read_threads(source: &Source<'_>) -> Advice {
    let Some(saturation) = source.saturation(|_| true) else {
        return READ_THREADS.unmeasured(
            "no record shows how many outstanding random reads saturate the storage",
            "measure it",
            source.calibrate(RepeatTarget::Target, ""),
        );
    };
    let cpus = source.cpus();
    let value = Value::of(saturation.figure, |level| read_io_threads(level, cpus).to_string());
    // Half of the CPUs is the default of MySQL 8.4; those before, and MariaDB, have 4.
    let by_default = f64::from(cpus / 2).max(THREADS.0);
    let is_enough = f64::from(read_io_threads(saturation.figure.value, cpus)) <= by_default;
    let enough = if is_enough {
        format!(
            " MySQL 8.4 defaults to half the number of CPUs, but at least 4: {by_default} here, which this would not raise."
        )
    } else {
        String::new()
    };
    let why = format!(
        "{} reads in flight saturate the storage; the manual suggests more threads above 64 pending reads \
         per thread. A thread only reaps native asynchronous I/O, so more threads add nothing to what the \
         storage can do, and this host's {cpus} CPUs can run no more at once. `rigel sql prove --database mysql` tests it.{enough}",
        number(saturation.figure.value)
    );
    let make = if is_enough { Setting::hint } else { Setting::unproven };
    make(READ_THREADS, value, vec![saturation], why)
}

/// Whether direct I/O works is a property of the filesystem, which only a file shows.
fn flush_method(source: &Source<'_>) -> Advice {
    let targets: Vec<_> = source.runs().flat_map(|run| &run.record.header.targets).collect();
    if targets.iter().any(|target| target.kind != TargetKind::File) {
        return FLUSH_METHOD.unmeasured(
            "whether direct I/O works depends on the filesystem, but the target was not a file",
            "measure in the directory where the database will be",
            source.calibrate(RepeatTarget::Scratch, ""),
        );
    }
    match targets.iter().map(|target| target.direct_io).find(|works| *works != Some(true)) {
        None => FLUSH_METHOD.given(
            Value::plain("O_DIRECT"),
            Vec::new(),
            "Direct I/O works on the filesystem of the target: InnoDB caches pages itself, and a second \
             copy in the page cache is wasted. MariaDB has it as the default since 10.6, and under another \
             name since 11.0 (innodb_data_file_buffering).",
        ),
        Some(Some(false)) => FLUSH_METHOD.given(
            Value::plain("fsync"),
            Vec::new(),
            "The filesystem of the target refused direct I/O, so O_DIRECT would fail.",
        ),
        _ => FLUSH_METHOD.unmeasured(
            "the record does not show whether direct I/O works on the filesystem",
            "measure again with this version",
            source.calibrate(RepeatTarget::Scratch, ""),
        ),
    }
}
