//! Seastar's `io_properties.yaml`: what its scheduler may expect of a mount point.
//!
//! Must not leave out one of the four rates: Seastar takes none as optional.

use super::again::RepeatTarget;
use super::figure::MeasuredFigure;
use super::measured::{Source, whole};
use super::{Advice, Product, Setting, Value};
use rigel_core::load::workload::Direction;
use rigel_core::path_text::printable;
use rigel_core::units::{KIB, MIB, to_f64};

/// The size that iotune measures random I/O with, unless the disk requires more.
const RANDOM_BYTES: u64 = 4 * KIB;
const MANUAL: &str = "https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md";
const LOW_END: &str =
    "The lower end of the interval: if the scheduler expected more, it would fill queues in the disk.";

pub fn advice(source: &Source<'_>) -> Vec<Advice> {
    let iops = |direction| source.random(direction, |bytes| bytes == RANDOM_BYTES);
    let (read, write) = (Direction::Read, Direction::Write);
    vec![
        mount_point(source),
        rate(source, "read_iops", iops(read), 1.0, read),
        rate(source, "read_bandwidth", source.bandwidth(read), to_f64(MIB), read),
        rate(source, "write_iops", iops(write), 1.0, write),
        rate(source, "write_bandwidth", source.bandwidth(write), to_f64(MIB), write),
    ]
}

fn rate(
    source: &Source<'_>,
    name: &'static str,
    found: Option<MeasuredFigure>,
    factor: f64,
    direction: Direction,
) -> Advice {
    let setting = Setting::new(Product::Seastar, name, MANUAL);
    let Some(found) = found else {
        let (what, options) = match direction {
            Direction::Read => ("random reads of 4 KiB and streams of reads", "--size-small 4K"),
            Direction::Write => {
                ("random writes of 4 KiB and streams of writes", "--size-small 4K --write 100")
            }
        };
        let command = source.calibrate(RepeatTarget::Scratch, options);
        return setting.unmeasured(
            format!("it needs a record of {what}"),
            "measure them on a scratch file there, and name all records",
            command,
        );
    };
    let value = Value::at_low_end(&found, |rate| whole((rate * factor).floor()));
    setting.given(value, vec![found], LOW_END)
}

/// The mount point of the target's filesystem.
fn mount_point(source: &Source<'_>) -> Advice {
    let setting = Setting::new(Product::Seastar, "mountpoint", MANUAL);
    let mut mounts: Vec<Option<&str>> = source
        .runs()
        .flat_map(|run| &run.record.header.targets)
        .map(|target| target.mount_point.as_deref())
        .collect();
    mounts.sort_unstable();
    mounts.dedup();
    match mounts.as_slice() {
        // What stands there as \xNN is no path that Seastar could be given.
        [Some(only)] if !only.contains('\\') && printable(only) == *only => {
            let why = "Where the filesystem of the target is mounted.";
            setting.given(Value::plain(*only), Vec::new(), why)
        }
        [Some(_)] => setting.refused(
            "the path of the mount point has characters that the file cannot contain",
            "mount the filesystem elsewhere",
        ),
        [None] | [] => setting.unmeasured(
            "the target is not a file on a mounted filesystem",
            "measure in a directory there",
            source.calibrate(RepeatTarget::Scratch, "--size-small 4K"),
        ),
        _ => setting.refused("the targets lie on several filesystems", "measure each separately"),
    }
}
