//! Linux cgroups: the cost model of a disk (`io.cost.model`), and limits on it (`io.max`).
//!
//! Must not guess which disk; the kernel wants the whole one by its number.

use super::measured::{Measured, Source, plural};
use super::{Advice, Product, Setting, Value};
use crate::load::workload::Direction;
use crate::units::{Bytes, KIB, MIB, to_f64};

/// The size that the model's rates of I/Os are about.
const MODEL_BYTES: u64 = 4 * KIB;
/// Rates of small I/Os are those of I/Os up to this size.
const SMALL_BYTES: u64 = 16 * KIB;
const MANUAL: &str = "https://docs.kernel.org/admin-guide/cgroup-v2.html";

/// How a figure is measured, by what it does.
const MEASURE_RANDOM: [&str; 2] = [
    "measure it: rigel calibrate TARGET --size-small 4K",
    "measure it on a scratch file of that disk: rigel calibrate --write 100 --size-small 4K",
];
const MEASURE_SEQUENTIAL: [&str; 2] = [
    "measure it: rigel calibrate TARGET --size-small 4K --size-large 4K",
    "measure it on a scratch file of that disk: rigel calibrate --write 100 --size-small 4K --size-large 4K",
];
const MEASURE_STREAMS: [&str; 2] = [
    "measure it: rigel calibrate TARGET",
    "measure it on a scratch file of that disk: rigel calibrate --write 100",
];

/// What a direction has of the model or of the limits.
struct Rates {
    direction: Direction,
    bytes: &'static str,
    sequential: &'static str,
    random: &'static str,
}

const MODEL: [Rates; 2] = [
    Rates { direction: Direction::Read, bytes: "rbps", sequential: "rseqiops", random: "rrandiops" },
    Rates { direction: Direction::Write, bytes: "wbps", sequential: "wseqiops", random: "wrandiops" },
];

/// The coefficients of the linear model, as `tools/cgroup/iocost_coef_gen.py` of the kernel measures them.
pub(crate) fn cost_model(source: &Source<'_>) -> Vec<Advice> {
    let mut all = vec![disk(source, Product::Cgroup)];
    for (place, rates) in MODEL.iter().enumerate() {
        let given =
            |name, found: Option<Measured>, factor: f64, missing: &str, measure: [&'static str; 2]| {
                let setting = Setting::new(Product::Cgroup, name, MANUAL);
                let Some(found) = found else {
                    return setting.refused(missing, measure[place]);
                };
                let value = Value::of(found.figure.scaled(factor), |rate| format!("{rate:.0}"));
                setting.given(
                    value,
                    vec![found],
                    "The kernel scales the model to what the disk does, so the middle counts.",
                )
            };
        let of = rates.direction;
        let streams = format!("no record has streams of {}", plural(of));
        let random = source.random(of, |bytes| bytes == MODEL_BYTES);
        let sequential = source.sequential(of, MODEL_BYTES);
        all.extend([
            given(rates.bytes, source.bandwidth(of), to_f64(MIB), &streams, MEASURE_RANDOM),
            given(
                rates.sequential,
                sequential,
                1.0,
                &format!("no record has streams of {} of 4 KiB", plural(of)),
                MEASURE_SEQUENTIAL,
            ),
            given(
                rates.random,
                random,
                1.0,
                &format!("no record has random {} of 4 KiB", plural(of)),
                MEASURE_RANDOM,
            ),
        ]);
    }
    all
}

/// How a search goes further: small I/Os by number; streams have a most, which larger I/Os reach sooner.
const RAISE_IOS: &str = "search further, 64 outstanding for each disk: rigel calibrate TARGET --num-disks 16";
const RAISE_STREAMS: &str =
    "measure larger I/Os, of which fewer saturate: rigel calibrate TARGET --size-large 4M";

const LIMITS: [(Direction, &str, &str); 2] =
    [(Direction::Read, "rbps", "riops"), (Direction::Write, "wbps", "wiops")];

/// Limits at what the disk does as a whole: a cgroup with a share of it gets as much of each.
pub fn limits(source: &Source<'_>) -> Vec<Advice> {
    let mut all = vec![disk(source, Product::CgroupMax)];
    for (place, (direction, bytes, ios)) in LIMITS.into_iter().enumerate() {
        let given = |name, found: Option<Measured>, factor: f64, missing: &str, further: &str| {
            let setting = Setting::new(Product::CgroupMax, name, MANUAL);
            match found {
                None => setting.refused(missing, MEASURE_STREAMS[place]),
                Some(found) => limit(setting, found, factor, further),
            }
        };
        let streams = format!("no record has streams of {}", plural(direction));
        let small = format!("no record has random {} of up to {}", plural(direction), Bytes(SMALL_BYTES));
        all.extend([
            given(bytes, source.bandwidth(direction), to_f64(MIB), &streams, RAISE_STREAMS),
            given(ios, source.random(direction, |bytes| bytes <= SMALL_BYTES), 1.0, &small, RAISE_IOS),
        ]);
    }
    all
}

/// A limit below what the disk does would take from it what nobody asked to take.
fn limit(setting: Setting, found: Measured, factor: f64, further: &str) -> Advice {
    if found.is_lower_bound {
        return setting.refused(
            format!(
                "the {} still rose at the most that was tried (NOT_SATURATED), and the limit would be below what the disk does",
                found.what
            ),
            further,
        );
    }
    let value = Value::at_low_end(&found, |rate| format!("{:.0}", (rate * factor).floor()));
    let why = "All that the disk does, at the lower end of the interval: a cgroup that may have a share of it gets that share of this number.";
    setting.given(value, vec![found], why)
}

/// The number of the disk, which both files begin with.
fn disk(source: &Source<'_>, product: Product) -> Advice {
    let setting = Setting::new(product, "device", MANUAL);
    // Above several disks the kernel limits I/O, but has no cost model. Where a layer is made of several, what was watched lies no lower.
    let targets = source.runs().flat_map(|run| &run.record.header.targets);
    let mut layers = targets.flat_map(|target| target.device.iter().chain(&target.below));
    let array = layers.find(|layer| layer.made_of.len() > 1).map(|layer| layer.made_of.len());
    match (source.disk(), array) {
        (Ok(_), Some(disks)) if product == Product::Cgroup => setting.refused(
            format!("it lies on {disks} devices as one, and the kernel models each disk"),
            "measure each disk by itself",
        ),
        (Ok((major, minor)), _) => setting.given(
            Value::plain(format!("{major}:{minor}")),
            Vec::new(),
            "The lowest device that moves every byte of the target once: its disk, where it is a partition or a volume on one.",
        ),
        (Err(refusal), _) => setting.is(Err(refusal)),
    }
}
