//! Linux cgroups: the cost model of a disk (`io.cost.model`), and limits on it (`io.max`).
//!
//! Must not guess which disk; the kernel requires the whole disk, by its number.

use super::again::RepeatTarget;
use super::figure::MeasuredFigure;
use super::measured::{Source, plural, whole};
use super::{Advice, Product, Setting, Value};
use rigel_core::load::workload::Direction;
use rigel_core::units::{Bytes, KIB, MIB, to_f64};

/// The size that the model's rates of I/Os are about.
const MODEL_BYTES: u64 = 4 * KIB;
/// Rates of small I/Os are those of I/Os up to this size.
const SMALL_BYTES: u64 = 16 * KIB;
const MANUAL: &str = "https://docs.kernel.org/admin-guide/cgroup-v2.html";

/// The values of a direction in the model and the limits.
struct Rates {
    direction: Direction,
    bytes: &'static str,
    sequential: &'static str,
    random: &'static str,
    ios: &'static str,
}

const RATES: [Rates; 2] = [
    Rates {
        direction: Direction::Read,
        bytes: "rbps",
        sequential: "rseqiops",
        random: "rrandiops",
        ios: "riops",
    },
    Rates {
        direction: Direction::Write,
        bytes: "wbps",
        sequential: "wseqiops",
        random: "wrandiops",
        ios: "wiops",
    },
];

/// A setting without figures in any record: reads are measured on the target, writes where nothing is lost.
fn missing(source: &Source<'_>, setting: Setting, direction: Direction, what: &str, options: &str) -> Advice {
    let (next, on, write) = match direction {
        Direction::Read => ("measure it", RepeatTarget::Target, ""),
        Direction::Write => {
            ("measure it on a scratch file of that disk", RepeatTarget::Scratch, "--write 100 ")
        }
    };
    let command = source.calibrate(on, format!("{write}{options}").trim_end());
    setting.unmeasured(format!("no record has {what}"), next, command)
}

/// The coefficients of the linear model, as `tools/cgroup/iocost_coef_gen.py` of the kernel measures them.
pub(crate) fn cost_model(source: &Source<'_>) -> Vec<Advice> {
    let mut all = vec![disk(source, Product::Cgroup)];
    for Rates { direction, bytes, sequential, random, .. } in RATES {
        let given = |name, found: Option<MeasuredFigure>, factor: f64, what: &str, options: &str| {
            let setting = Setting::new(Product::Cgroup, name, MANUAL);
            let Some(found) = found else {
                return missing(source, setting, direction, what, options);
            };
            let value = Value::of(found.figure.scaled(factor), whole);
            let why = "The kernel scales the model to the disk, so the middle of the interval counts.";
            // It is scaled beyond what was tried, too.
            setting.given(value, vec![found.even_rising()], why)
        };
        let streams = format!("streams of {}", plural(direction));
        let small_streams = format!("{streams} of 4 KiB");
        let small = format!("random {} of 4 KiB", plural(direction));
        let at_random = source.random(direction, |bytes| bytes == MODEL_BYTES);
        let in_sequence = source.sequential(direction, MODEL_BYTES);
        all.extend([
            given(bytes, source.bandwidth(direction), to_f64(MIB), &streams, "--size-small 4K"),
            given(sequential, in_sequence, 1.0, &small_streams, "--size-small 4K --size-large 4K"),
            given(random, at_random, 1.0, &small, "--size-small 4K"),
        ]);
    }
    all
}

/// Limits at what the whole disk does: a cgroup with a share of it gets as much of each. A lower limit would reduce
/// what nobody asked to reduce, so a rate that was still rising is not used.
pub fn limits(source: &Source<'_>) -> Vec<Advice> {
    let mut all = vec![disk(source, Product::CgroupMax)];
    for Rates { direction, bytes, ios, .. } in RATES {
        let given = |name, found: Option<MeasuredFigure>, factor: f64, what: &str| {
            let setting = Setting::new(Product::CgroupMax, name, MANUAL);
            let Some(found) = found else {
                return missing(source, setting, direction, what, "");
            };
            let value = Value::at_low_end(&found, |rate| whole((rate * factor).floor()));
            let why = "The disk's full capability, at the lower end of the interval: a cgroup's share is a \
                share of this number.";
            setting.given(value, vec![found], why)
        };
        let streams = format!("streams of {}", plural(direction));
        let small = format!("random {} of up to {}", plural(direction), Bytes(SMALL_BYTES));
        let random = source.random(direction, |bytes| bytes <= SMALL_BYTES);
        all.extend([
            given(bytes, source.bandwidth(direction), to_f64(MIB), &streams),
            given(ios, random, 1.0, &small),
        ]);
    }
    all
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
            format!("it spans {disks} devices, but the kernel models each disk"),
            "measure each disk separately",
        ),
        (Ok((major, minor)), _) => setting.given(
            Value::plain(format!("{major}:{minor}")),
            Vec::new(),
            "The lowest device that handles every byte of the target once: the disk, for a partition or a \
             volume on one disk.",
        ),
        (Err(refusal), _) => setting.is(Err(refusal)),
    }
}
