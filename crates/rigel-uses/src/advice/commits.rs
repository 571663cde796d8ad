//! How PostgreSQL and MariaDB make their logs durable, from what commits cost.
//!
//! Only if commits were measured; a run of reads says nothing about them. Must not compare figures of different runs: an hour ago, conditions
//! differed.

use super::figure::MeasuredFigure;
use super::measured::{Commit, Source, whole};
use super::{Advice, Product, Setting, SettingAdvice, Value};
use rigel_core::units::say::number;

/// A sleep of the kernel may take 50 us longer than was requested (timer slack), so a shorter delay is mostly slack.
const LEAST_DELAY_US: f64 = 100.0;
/// Most of `commit_delay`.
const MOST_DELAY_US: f64 = 100_000.0;

const WAL: &str = "https://www.postgresql.org/docs/current/runtime-config-wal.html";
const TUNING: &str = "https://www.postgresql.org/docs/current/wal-configuration.html";
const METHOD: Setting = Setting::new(Product::Postgresql, "wal_sync_method", WAL);
const DELAY: Setting = Setting::new(Product::Postgresql, "commit_delay", TUNING);
const INNODB: &str =
    "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-flush-method";
const WRITE_THROUGH: Setting = Setting::new(Product::Mysql, "innodb_log_file_write_through", INNODB);

/// `None` if no record has commits by both methods.
pub fn of_postgresql(source: &Source<'_>) -> Vec<Advice> {
    let Some(commit) = source.commit() else { return Vec::new() };
    [method(&commit), delay(&commit)].map(|advice| protected(&commit, advice)).into()
}

/// The same for `MariaDB`. `MySQL` has no setting for the log alone.
pub fn of_mariadb(source: &Source<'_>) -> Option<Advice> {
    source.commit().map(|commit| protected(&commit, write_through(&commit)))
}

/// The quicker of both methods, where their intervals do not overlap. Where they do, the default stays.
fn method(commit: &Commit) -> Advice {
    let measured = both(commit);
    let told = costs(commit, "with open_datasync", "with fdatasync");
    match is_dsync_quicker(commit) {
        Some(true) => METHOD.given(
            Value::plain("open_datasync"),
            measured,
            format!("{told}: the intervals do not overlap."),
        ),
        Some(false) => METHOD.given(
            Value::plain("fdatasync"),
            measured,
            format!("{told}: the intervals do not overlap, and the faster one is the default of Linux."),
        ),
        None => METHOD.hint(
            Value::plain("fdatasync"),
            measured,
            format!("{told}, and the intervals overlap, so the default of Linux is fine."),
        ),
    }
}

/// MariaDB's `innodb_log_file_write_through`. A hint, because not every server has it.
fn write_through(commit: &Commit) -> Advice {
    let told = costs(commit, "with synchronous writes", "with a flush after the write");
    let (value, why) = match is_dsync_quicker(commit) {
        Some(true) => (
            "ON",
            ": the intervals do not overlap. MySQL, and MariaDB before 11.0, offer that only as \
             innodb_flush_method = O_DSYNC, which also covers the pages: O_DIRECT matters more for them.",
        ),
        Some(false) => (
            "OFF",
            ": the intervals do not overlap, and the faster one is the default. MariaDB has this since 11.0.",
        ),
        None => ("OFF", ", and the intervals overlap, so the default is fine. MariaDB has this since 11.0."),
    };
    WRITE_THROUGH.hint(Value::plain(value), both(commit), told + why)
}

fn both(commit: &Commit) -> Vec<MeasuredFigure> {
    [&commit.dsync, &commit.fdatasync].map(|one| one.clone().at_least()).into()
}

fn costs(commit: &Commit, dsync: &str, fdatasync: &str) -> String {
    let us = |one: &MeasuredFigure| number(one.figure.value);
    format!(
        "A commit of one session takes {} us {dsync} and {} us {fdatasync}",
        us(&commit.dsync),
        us(&commit.fdatasync)
    )
}

/// Whether a write that is durable by itself is certainly quicker; `None` if the intervals overlap.
fn is_dsync_quicker(commit: &Commit) -> Option<bool> {
    let (dsync, fdatasync) = commit.dsync.figure.ends().zip(commit.fdatasync.figure.ends())?;
    (dsync.1 < fdatasync.0).then_some(true).or((fdatasync.1 < dsync.0).then_some(false))
}

/// Half of the time of a flush: the manual calls that the best value to begin with.
fn delay(commit: &Commit) -> Advice {
    let figure = commit.fdatasync.figure;
    let latency = number(figure.value);
    let value = Value::of(figure, |us| whole((us / 2.0).clamp(0.0, MOST_DELAY_US)));
    let measured = vec![commit.fdatasync.clone()];
    if figure.value / 2.0 < LEAST_DELAY_US {
        let why = format!(
            "Half of the {latency} us of a commit is the usual starting value. A kernel sleep may take 50 \
             us longer than requested, so a delay below {LEAST_DELAY_US} us gains nothing: keep the \
             default, 0."
        );
        return DELAY.hint(Value::plain("0"), vec![commit.fdatasync.clone().at_least()], why);
    }
    let why = format!(
        "Half of the {latency} us of a commit, which the manual recommends as a starting value: sessions \
         that commit within that time share one flush. It costs each of them that time, and helps only \
         where more than commit_siblings sessions write at once; try it with your load."
    );
    DELAY.hint(value, measured, why)
}

/// A flush that costs nothing is safe only if the cache is.
fn protected(commit: &Commit, advice: Advice) -> Advice {
    let Ok(given) = advice.outcome.clone() else { return advice };
    if !commit.is_free {
        return advice;
    }
    let remark = format!(
        "A flush costs nothing here (FLUSH_FREE): make sure that the cache is protected against power loss \
         before you use this. {}",
        given.why
    );
    Advice { outcome: Ok(SettingAdvice { remark: Some(remark), ..given }), ..advice }
}
