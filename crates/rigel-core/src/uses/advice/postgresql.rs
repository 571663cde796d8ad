//! PostgreSQL 13 to 18: what the planner takes a random page to cost, and how much is read at once.
//!
//! Must not assume more of the server than its pages of 8 KiB.

use super::measured::{Measured, Source, whole};
use super::{Advice, Conditions, Given, Product, Setting, Value};
use crate::facts::engine::EngineKind;
use crate::units::{KIB, MIB, number, to_f64};

/// BLCKSZ, unless the server was built with another one.
const PAGE_BYTES: u64 = 8 * KIB;
/// Most of `effective_io_concurrency` and `maintenance_io_concurrency`.
const MOST_CONCURRENT: f64 = 1000.0;
/// What `io_max_concurrency` is at most unless it is set; less with few shared buffers for each process.
const CONCURRENT_BY_DEFAULT: f64 = 64.0;
/// Most of `io_workers`.
const MOST_WORKERS: f64 = 32.0;
/// What `io_combine_limit` is by default, and at most: in version 17, and later.
const COMBINED_BYTES: (u64, u64, u64) = (128 * KIB, 256 * KIB, MIB);
/// A size of I/O is large enough when one stream has so much of the rate of the best size.
const GOOD_RATE: f64 = 0.95;

const PLANNER: &str = "https://www.postgresql.org/docs/current/runtime-config-query.html";
const RESOURCES: &str = "https://www.postgresql.org/docs/current/runtime-config-resource.html";
const RANDOM_PAGE_COST: Setting = Setting::new(Product::Postgresql, "random_page_cost", PLANNER);
const EFFECTIVE: Setting = Setting::new(Product::Postgresql, "effective_io_concurrency", RESOURCES);
const MAINTENANCE: Setting = Setting::new(Product::Postgresql, "maintenance_io_concurrency", RESOURCES);
const COMBINE: Setting = Setting::new(Product::Postgresql, "io_combine_limit", RESOURCES).since(17);
const MOST_COMBINE: Setting = Setting::new(Product::Postgresql, "io_max_combine_limit", RESOURCES).since(18);
const MOST_CONCURRENCY: Setting =
    Setting::new(Product::Postgresql, "io_max_concurrency", RESOURCES).since(18);
const METHOD: Setting = Setting::new(Product::Postgresql, "io_method", RESOURCES).since(18);
const WORKERS: Setting = Setting::new(Product::Postgresql, "io_workers", RESOURCES).since(18);

pub fn advice(source: &Source<'_>, conditions: Conditions) -> Vec<Advice> {
    let mut all = vec![random_page_cost(source, conditions)];
    match source.saturation(|bytes| bytes == PAGE_BYTES) {
        Some(saturation) => all.extend(concurrency(source, &saturation)),
        None => all.extend([EFFECTIVE, MAINTENANCE, METHOD, WORKERS].map(|setting| {
            setting.refused(
                "no record tells how many outstanding random reads of 8 KiB saturate the storage",
                "measure it: rigel calibrate TARGET",
            )
        })),
    }
    all.extend(combine(source));
    all
}

/// `random_page_cost` over `seq_page_cost`, which stays 1: the time for a random page over that for a page of a stream. The manual
/// explains the default of 4 as 40 times the cost with 90 % of the random reads found in a cache; the same rule is used here.
fn random_page_cost(source: &Source<'_>, conditions: Conditions) -> Advice {
    let streams = source.one_stream();
    let stream = streams.into_iter().rev().map(|(_, found)| found).next();
    let (Some(random), Some(stream)) = (source.latency_alone(PAGE_BYTES), stream) else {
        return RANDOM_PAGE_COST.refused(
            "no record of reads has both the latency of one random read of 8 KiB and the rate of one sequential stream of I/Os of \
             128 KiB or more",
            "measure both: rigel calibrate TARGET",
        );
    };
    // Pages per microsecond of the stream.
    let pages = stream.figure.scaled(to_f64(MIB) / to_f64(PAGE_BYTES) / 1e6);
    let ratio = random.figure.times(pages);
    let missed = 1.0 - f64::from(conditions.cached_percent.min(100)) / 100.0;
    let cost = ratio.scaled(missed);
    let floor = if cost.value < 1.0 {
        "; less than 1 would make a random page cheaper than the next one, so 1"
    } else {
        ""
    };
    let why = format!(
        "A random page takes {} us, a page of one stream {} us: {} times as long. As in the manual's explanation of the default, random reads that a \
         cache answers cost nothing; with {} % of them (--cached) {} is left{floor}. seq_page_cost stays 1.",
        number(random.figure.value),
        number(1.0 / pages.value),
        number(ratio.value),
        conditions.cached_percent,
        number(cost.value),
    );
    let value = Value::of(cost, |cost| hundredths(cost.max(1.0)));
    RANDOM_PAGE_COST.given(value, vec![random, stream], why)
}

/// What follows from the number of reads that saturates.
fn concurrency(source: &Source<'_>, saturation: &Measured) -> Vec<Advice> {
    let measured = || vec![saturation.clone()];
    let figure = saturation.figure;
    let level = number(figure.value);
    let more = if saturation.is_lower_bound {
        " The storage may take more: the measured levels ended before its rate did."
    } else {
        ""
    };
    let value = || Value::of(figure, |level| whole(level.clamp(1.0, MOST_CONCURRENT)));
    let effective = format!(
        "With {level} reads in flight the storage gives 95 % of its rate, more only wait. One session keeps so many in flight, up to \
         version 17 for bitmap scans only; where many sessions read at once, less is enough.{more}"
    );
    let maintenance = format!(
        "The same {level} for VACUUM, ANALYZE and recovery, whose sessions are few and read for all others.{more}"
    );
    let workers = format!(
        "A worker has one I/O in flight, so {level} of them saturate the storage; 32 are allowed. Only with io_method = worker.{more}"
    );
    let mut all = vec![
        EFFECTIVE.given(value(), measured(), effective),
        MAINTENANCE.given(value(), measured(), maintenance),
    ];
    all.extend(most_concurrency(saturation, more));
    all.extend([
        method(source, saturation),
        WORKERS.given(Value::of(figure, |level| whole(level.clamp(1.0, MOST_WORKERS))), measured(), workers),
    ]);
    all
}

/// `io_max_concurrency`, where the server would not choose as many by itself.
fn most_concurrency(saturation: &Measured, more: &str) -> Option<Advice> {
    let figure = saturation.figure;
    (figure.value > CONCURRENT_BY_DEFAULT).then(|| {
        let why = format!(
            "A process has no more than that in flight, whatever the two settings above ask for: 64 at most, unless this is set. Shared \
             memory for so many is set aside for every process.{more}"
        );
        let value = Value::of(figure, |level| whole(level.clamp(1.0, MOST_CONCURRENT)));
        MOST_CONCURRENCY.given(value, vec![saturation.clone()], why)
    })
}

fn method(source: &Source<'_>, saturation: &Measured) -> Advice {
    let lowest = saturation.low();
    let measured = vec![saturation.clone()];
    if lowest <= MOST_WORKERS && saturation.is_lower_bound {
        return METHOD.refused(
            "32 I/O workers are the most there may be, and the measured levels ended before they told whether more would help",
            "measure more levels: rigel calibrate TARGET",
        );
    }
    if lowest <= MOST_WORKERS {
        let why = format!(
            "{} reads in flight saturate the storage, and up to 32 I/O workers can keep so many. Nothing measured here tells whether io_uring \
             would cost less CPU.",
            number(saturation.figure.value)
        );
        return METHOD.given(Value::plain("worker"), measured, why);
    }
    let ran = source.runs().any(|run| run.record.header.nodes.first().engine.kind == EngineKind::IoUring);
    let kernel = if ran {
        "this host's kernel allowed io_uring to Rigel"
    } else {
        "whether this host's kernel allows io_uring was not seen"
    };
    let why = format!(
        "{} reads or more in flight saturate the storage, and 32 I/O workers, the most there may be, keep fewer; {kernel}. A server that was \
         built without io_uring does not start with it: SELECT enumvals FROM pg_settings WHERE name = 'io_method' tells.",
        number(lowest)
    );
    METHOD.is(Ok(Given { value: Value::plain("io_uring"), measured, why, is_hint: true }))
}

/// The smallest I/O whose stream is about as fast as that of the best size.
fn combine(source: &Source<'_>) -> Vec<Advice> {
    let (least, most_17, most) = COMBINED_BYTES;
    let streams: Vec<_> =
        source.one_stream().into_iter().filter(|(bytes, _)| (least..=most).contains(bytes)).collect();
    let best = streams.iter().map(|(_, found)| found.figure.value).fold(0.0, f64::max);
    let good = streams.iter().find(|(_, found)| found.figure.value >= GOOD_RATE * best);
    let (Some((bytes, found)), true) = (good, streams.len() > 1) else {
        return vec![COMBINE.refused(
            "streams of two sizes from 128 KiB to 1 MiB or more have to be compared, and the records have less",
            "measure one record for each size and name them all: rigel calibrate TARGET --size-large 128K, the same with 256K, and so on",
        )];
    };
    let why = format!(
        "One stream of {} KiB reads has {} MBPS, the best of the measured sizes {} MBPS: larger I/Os gain less than 5 %.",
        bytes / KIB,
        number(found.figure.value),
        number(best)
    );
    let value = Value::plain(format!("{}kB", bytes / KIB));
    let measured: Vec<_> = streams.iter().map(|(_, found)| found.clone()).collect();
    if *bytes <= most_17 {
        return vec![COMBINE.given(value, measured, why)];
    }
    let clamp = "io_combine_limit counts up to this value only, which is 128kB by default.";
    vec![
        MOST_COMBINE.given(value.clone(), measured.clone(), clamp),
        COMBINE.since(18).given(value, measured, format!("{why} Version 17 takes 256kB at most.")),
    ]
}

/// With at most two decimals: `4`, `2.13`.
fn hundredths(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
