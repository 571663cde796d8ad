//! PostgreSQL 13 to 18: the planner's cost of a random page, and how much is read at once.
//!
//! Must not assume more about the server than its pages of 8 KiB.

use super::again::RepeatTarget;
use super::figure::MeasuredFigure;
use super::measured::{Source, whole};
use super::page_cost::{self, PAGE_BYTES};
use super::{Advice, Conditions, Product, Setting, Value, commits};
use rigel_core::facts::engine::EngineKind;
use rigel_core::units::say::number;
use rigel_core::units::{KIB, MIB};

/// Most of `effective_io_concurrency` and `maintenance_io_concurrency`.
const MOST_CONCURRENT: f64 = 1000.0;
/// The default of `io_max_concurrency`; less with few shared buffers for each process.
const CONCURRENT_BY_DEFAULT: f64 = 64.0;
/// Most of `io_workers`, and what it is by default.
const MOST_WORKERS: u32 = 32;
const WORKERS_BY_DEFAULT: f64 = 3.0;
/// Two experiments, for and against more workers than CPUs (docs/method/settings.md, docs/reference/advise.md).
const BEYOND_CPUS: &str = "Experiments disagree about more workers than CPUs: on 2 CPUs, 8 to 16 workers read cold tables 1.4 \
    to 3.2 times as fast as 2, and 32 lost 45 % of another load. `rigel sql prove` tests what is right for a server.";
/// Values that follow from what the setting means.
const UNTRIED: &str = "No experiment has tried it.";
const BY_SYNC: &str = "Bitmap scans of cold tables were 1.4 to 1.7 times as fast with sync on 2 CPUs; \
     `rigel sql prove` tests what is right for a server.";
/// `io_combine_limit`: the default, and the maximum in version 17 and later.
const COMBINED_BYTES: (u64, u64, u64) = (128 * KIB, 256 * KIB, MIB);
/// A size of I/O is large enough if one stream has this share of the rate of the best size.
const GOOD_RATE: f64 = 0.95;

const RESOURCES: &str = "https://www.postgresql.org/docs/current/runtime-config-resource.html";
/// From version 18 on the I/O method limits the rate, and not the value (docs/method/settings.md).
const EFFECTIVE: Setting = Setting::new(Product::Postgresql, "effective_io_concurrency", RESOURCES).until(17);
const MAINTENANCE: Setting = Setting::new(Product::Postgresql, "maintenance_io_concurrency", RESOURCES);
const COMBINE: Setting = Setting::new(Product::Postgresql, "io_combine_limit", RESOURCES).since(17);
const MOST_COMBINE: Setting = Setting::new(Product::Postgresql, "io_max_combine_limit", RESOURCES).since(18);
const MOST_CONCURRENCY: Setting =
    Setting::new(Product::Postgresql, "io_max_concurrency", RESOURCES).since(18);
const METHOD: Setting = Setting::new(Product::Postgresql, "io_method", RESOURCES).since(18);
const WORKERS: Setting = Setting::new(Product::Postgresql, "io_workers", RESOURCES).since(18);

pub fn advice(source: &Source<'_>, conditions: Conditions) -> Vec<Advice> {
    let mut all = vec![page_cost::advice(source, conditions)];
    match source.saturation(|bytes| bytes == PAGE_BYTES) {
        Some(saturation) => all.extend(concurrency(source, &saturation)),
        None => all.extend([EFFECTIVE, MAINTENANCE, METHOD, WORKERS].map(|setting| {
            setting.unmeasured(
                "no record shows how many outstanding random reads of 8 KiB saturate the storage",
                "measure it",
                source.calibrate(RepeatTarget::Target, ""),
            )
        })),
    }
    all.extend(combine(source));
    all.extend(commits::of_postgresql(source));
    all
}

/// What follows from the number of reads that saturates.
fn concurrency(source: &Source<'_>, saturation: &MeasuredFigure) -> Vec<Advice> {
    let measured = || vec![saturation.clone()];
    let figure = saturation.figure;
    let level = number(figure.value);
    let value = || Value::of(figure, |level| whole(level.clamp(1.0, MOST_CONCURRENT)));
    let effective = format!(
        "With {level} reads in flight the storage gives 95 % of its rate; more only queue. One session \
         keeps that many in flight (up to version 17 only in bitmap scans); if many sessions read at once, \
         fewer are enough. With version 18 and its default of 3 I/O workers, 4 and 16 sessions read fastest \
         with 0: `rigel sql prove` tests what is right for a server."
    );
    let maintenance = format!(
        "The same {level} for VACUUM, ANALYZE and recovery, which run in few sessions and read on behalf of all others. {UNTRIED}"
    );
    let mut all = vec![
        EFFECTIVE.given(value(), measured(), effective),
        MAINTENANCE.given(value(), measured(), maintenance),
    ];
    all.extend(most_concurrency(saturation));
    let cpus = source.cpus();
    all.extend([method(source, saturation, cpus), workers(saturation, cpus)]);
    all
}

/// `io_max_concurrency`, if the server would not choose as many by itself.
fn most_concurrency(saturation: &MeasuredFigure) -> Option<Advice> {
    let figure = saturation.figure;
    (figure.value > CONCURRENT_BY_DEFAULT).then(|| {
        let why = format!(
            "A process never has more than this in flight, whatever the two settings above say: at most 64 \
             unless this is set. Shared memory for that many is reserved for every process. {UNTRIED}"
        );
        let value = Value::of(figure, |level| whole(level.clamp(1.0, MOST_CONCURRENT)));
        MOST_CONCURRENCY.given(value, vec![saturation.clone()], why)
    })
}

/// The number that the CPUs sustain. Fewer than the default were slower in every experiment.
fn most_workers(cpus: u32) -> f64 {
    f64::from(cpus.min(MOST_WORKERS)).max(WORKERS_BY_DEFAULT)
}

/// As many workers as saturate the storage, but no more than the CPUs sustain: a worker copies and checks what it
/// read, and every read wakes one, so more workers than CPUs take turns instead of reading.
fn workers(saturation: &MeasuredFigure, cpus: u32) -> Advice {
    let most = most_workers(cpus);
    let level = number(saturation.figure.value);
    let is_bound = saturation.low() >= most;
    // Where the CPUs are the bound, it does not matter how many reads more the storage would take.
    let measured = if is_bound { saturation.clone().at_least() } else { saturation.clone() };
    let value = Value::of(saturation.figure, |level| whole(level.clamp(1.0, most)));
    let bound = match is_bound {
        true if f64::from(cpus) < WORKERS_BY_DEFAULT => {
            "the CPUs are the limit here, but fewer than the default of 3 were slower in every experiment"
        }
        true => "the CPUs are the limit here",
        false => "the storage is the limit here",
    };
    let why = format!(
        "A worker has one read in flight, so {level} of them saturate the storage; a worker needs a CPU to \
         copy and check what it read, so there should be no more workers than CPUs: this host has {cpus}, \
         and 32 workers is the maximum; {bound}. Only with io_method = worker."
    );
    if is_bound {
        return WORKERS.hint(value, vec![measured], format!("{why} {BEYOND_CPUS}"));
    }
    if most.min(saturation.figure.value) > WORKERS_BY_DEFAULT {
        return WORKERS.unproven(value, vec![measured], format!("{why} {BEYOND_CPUS}"));
    }
    WORKERS.hint(value, vec![measured], format!("{why} The default is 3, which this would not raise."))
}

fn method(source: &Source<'_>, saturation: &MeasuredFigure, cpus: u32) -> Advice {
    let (level, lowest, most) = (number(saturation.figure.value), saturation.low(), most_workers(cpus));
    let carried = format!("{most} I/O workers, the most that are advised for this host's CPUs (io_workers),");
    if lowest <= most {
        let why = format!(
            "{level} reads in flight saturate the storage, and up to {carried} can keep that many. Nothing \
             measured here shows whether io_uring would cost less CPU."
        );
        return METHOD.given(Value::plain("worker"), vec![saturation.clone()], why);
    }
    let ran = source.runs().any(|run| run.record.header.nodes.first().engine.kind == EngineKind::IoUring);
    let kernel = if ran {
        "this host's kernel allowed io_uring to Rigel"
    } else {
        "it is unknown whether this host's kernel allows io_uring"
    };
    let why = format!(
        "{level} reads in flight saturate the storage, but {carried} keep fewer; {kernel}. A server \
         built without io_uring does not start with it; to check: SELECT enumvals FROM pg_settings WHERE \
         name = 'io_method'. {BY_SYNC}"
    );
    METHOD.hint(Value::plain("io_uring"), vec![saturation.clone().at_least()], why)
}

/// The smallest I/O whose stream is about as fast as that of the best size.
fn combine(source: &Source<'_>) -> Vec<Advice> {
    let (least, most_17, most) = COMBINED_BYTES;
    let streams: Vec<_> =
        source.one_stream().into_iter().filter(|(bytes, _)| (least..=most).contains(bytes)).collect();
    let best = streams.iter().map(|(_, found)| found.figure.value).fold(0.0, f64::max);
    let good = streams.iter().find(|(_, found)| found.figure.value >= GOOD_RATE * best);
    let (Some((bytes, found)), true) = (good, streams.len() > 1) else {
        return vec![COMBINE.unmeasured(
            "this needs streams of at least two sizes from 128 KiB to 1 MiB, but the records have fewer",
            "make a record for each size (128K, 256K, 512K), and name them all",
            source.calibrate(RepeatTarget::Target, "--size-large 128K"),
        )];
    };
    let why = format!(
        "One stream of {} KiB reads has {} MBPS, the best of the measured sizes {} MBPS: larger I/Os gain less than 5 %. {UNTRIED}",
        bytes / KIB,
        number(found.figure.value),
        number(best)
    );
    let value = Value::plain(format!("{}kB", bytes / KIB));
    let measured: Vec<_> = streams.iter().map(|(_, found)| found.clone()).collect();
    if *bytes <= most_17 {
        return vec![COMBINE.given(value, measured, why)];
    }
    let clamp = "io_combine_limit only counts up to this value, which is 128kB by default.";
    vec![
        MOST_COMBINE.given(value.clone(), measured.clone(), clamp),
        COMBINE.since(18).given(value, measured, format!("{why} Version 17 takes 256kB at most.")),
    ]
}
