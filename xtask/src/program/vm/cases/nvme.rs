//! The NVMe drive that the emulator has: facts, reads, and writes with and without consent.

use super::super::case::{Case, CaseStep};
use super::super::judge;
use super::super::machine::NVME_BYTES;
use super::super::outcome::Outcome;
use super::{REFUSED, USAGE, Way, each, reads};
use anyhow::Context as _;
use rigel_core::facts::{TargetFacts, TargetKind};
use std::collections::BTreeMap;

const DEVICE: &str = "/dev/nvme0n1";
const LOADS: [u32; 1] = [8];
/// Every engine, and polled if possible: the driver is loaded with a poll queue.
const WAYS: [Way; 6] = [
    Way::plain("io_uring", DEVICE),
    Way::polled("io_uring-polled", "io_uring", DEVICE),
    Way::plain("nvme", DEVICE),
    Way { name: "nvme-by-its-generic-device", ..Way::plain("nvme", "/dev/ng0n1") },
    Way::plain("libaio", DEVICE),
    Way::plain("threads", DEVICE),
];
/// What would write outside our buffers, and what crashes this kernel: refused, with a word of the reason.
const UNWISE: [(Way, i32, &str); 2] = [
    (Way { name: "metadata", ..Way::plain("nvme", "/dev/nvme0n2") }, REFUSED, "metadata"),
    (Way::polled("polled-commands", "nvme", DEVICE), REFUSED, "can crash the system"),
];
/// More buffers, and larger ones, than a command of the drive has segments.
const FAR: Way = Way { name: "nvme-300", ..Way::plain("nvme", DEVICE) };
const WIDE: Way = Way { name: "nvme-256k", ..Way::plain("nvme", DEVICE) };
/// The block layer would split it, and a polled request is then tried again for ever.
const POLLED_WIDE: Way = Way::polled("polled-1m", "io_uring", DEVICE);
/// Through the block layer, and past it.
const WRITES: [Way; 2] = [Way::plain("io_uring", DEVICE), Way::plain("nvme", DEVICE)];

const SETUP: &str = "modprobe nvme poll_queues=1
until [ -b /dev/nvme0n1 ]; do usleep 20000; done
";
/// The kernel's values, to be compared with Rigel's.
const SYSFS: &str = "cd /sys/block/nvme0n1
for file in size device/model queue/*; do
    [ ! -f $file ] || echo \"$file=$(cat $file)\"
done
";

pub fn cases() -> Vec<Case> {
    vec![read(), write()]
}

fn read() -> Case {
    let mut steps = vec![CaseStep::shell("sysfs", 30, SYSFS)];
    steps.extend(reads(&WAYS, &LOADS, "1s"));
    steps.extend(UNWISE.iter().map(|(way, ..)| way.run(way.name, 4, "500ms", &[])));
    steps.push(FAR.run(FAR.name, 300, "1s", &[]));
    steps.push(WIDE.run(WIDE.name, 4, "1s", &["--size-small", "256K"]));
    steps.push(POLLED_WIDE.run(POLLED_WIDE.name, 4, "1s", &["--size-small", "1M"]));
    Case {
        name: "nvme-read",
        modules: &["nvme"],
        setup: SETUP.to_owned(),
        steps,
        teardown: "rmmod nvme\n".to_owned(),
        judge: |outcome| {
            let seen = each(outcome, &WAYS, &LOADS, |seen| seen.only_reads()?.obeys_little())?;
            let sysfs = outcome.step("sysfs")?.ended_with(0)?.stdout;
            let model = facts_agree(outcome, &sysfs)?;
            for (way, code, word) in &UNWISE {
                let told = outcome.step(way.name)?.ended_with(*code)?;
                anyhow::ensure!(told.stderr.contains(word), "{}: no '{word}' in: {}", way.name, told.stderr);
            }
            for way in [FAR, WIDE] {
                judge::run(outcome, way.name, way.engine)?.only_reads()?;
            }
            let split = outcome.step(POLLED_WIDE.name)?.ended_with(USAGE)?;
            anyhow::ensure!(split.stderr.contains("cannot be split"), "{}", split.stderr);
            Ok(format!("'{model}': {seen}"))
        },
    }
}

/// Whether every run's record describes the drive as the kernel does; its model.
fn facts_agree(outcome: &Outcome, sysfs: &str) -> anyhow::Result<String> {
    let told: BTreeMap<&str, &str> = sysfs.lines().filter_map(|line| line.split_once('=')).collect();
    for (way, load) in WAYS.iter().flat_map(|way| LOADS.iter().map(move |load| (way, *load))) {
        let record = outcome.record(&way.at(load))?;
        let [target] = &record.header.targets[..] else { anyhow::bail!("not one target in the record") };
        compare(target, &told).with_context(|| way.at(load))?;
    }
    Ok(told.get("device/model").copied().unwrap_or_default().trim().to_owned())
}

/// Compares the facts with sysfs.
fn compare(target: &TargetFacts, sysfs: &BTreeMap<&str, &str>) -> anyhow::Result<()> {
    let device = target.device.as_ref().context("no facts of a device")?;
    let text = |value: Option<&String>| value.cloned().unwrap_or_default();
    let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    let flag = |value: Option<bool>| value.map(|value| u8::from(value).to_string()).unwrap_or_default();
    let scheduler = sysfs.get("queue/scheduler").copied().unwrap_or_default();
    anyhow::ensure!(target.kind == TargetKind::BlockDevice && device.name == "nvme0n1", "{target:?}");
    anyhow::ensure!(target.size_bytes == NVME_BYTES, "{} bytes, not {NVME_BYTES}", target.size_bytes);
    anyhow::ensure!(target.direct_io == Some(true) && device.made_of.is_empty(), "{target:?}");
    anyhow::ensure!(device.generic.as_deref() == Some("ng0n1"), "generic device {:?}", device.generic);
    let chosen = format!("[{}]", text(device.scheduler.as_ref()));
    anyhow::ensure!(scheduler.contains(&chosen), "scheduler {chosen} of '{scheduler}'");
    let pairs = [
        ("size", (target.size_bytes / 512).to_string()),
        ("device/model", text(device.model.as_ref())),
        ("queue/logical_block_size", target.logical_block_bytes.to_string()),
        ("queue/physical_block_size", number(target.physical_block_bytes)),
        ("queue/rotational", flag(device.rotational)),
        ("queue/io_poll", flag(device.polled)),
        ("queue/nr_requests", number(device.nr_requests)),
        ("queue/max_sectors_kb", number(device.max_sectors_kb)),
        ("queue/max_hw_sectors_kb", number(device.max_hw_sectors_kb)),
        ("queue/max_segments", number(device.max_segments)),
        ("queue/write_cache", text(device.write_cache.as_ref())),
    ];
    for (file, found) in pairs {
        let kernel = sysfs.get(file).map(|value| value.trim()).with_context(|| format!("no {file}"))?;
        anyhow::ensure!(found == kernel, "{file}: '{found}' in the record, '{kernel}' in sysfs");
    }
    Ok(())
}

fn write() -> Case {
    let options = ["--write", "100"];
    let consent = [options[0], options[1], "--destroy-data", DEVICE];
    let sum = |name: &str| CaseStep::program(name, 60, &["sha256sum", DEVICE]);
    let mut steps = vec![sum("before")];
    for way in WRITES {
        steps.push(way.run(&format!("refused-{}", way.name), 2, "500ms", &options));
    }
    steps.push(sum("after-refusal"));
    for way in WRITES {
        steps.push(way.run(way.name, 2, "500ms", &consent));
        steps.push(sum(&format!("after-{}", way.name)));
    }
    Case {
        name: "nvme-write",
        modules: &["nvme"],
        setup: SETUP.to_owned(),
        steps,
        teardown: "rmmod nvme\n".to_owned(),
        judge: written,
    }
}

/// Without consent nothing changed; with it every way wrote, and the drive differs after each.
fn written(outcome: &Outcome) -> anyhow::Result<String> {
    let sum = |name: &str| anyhow::Ok(outcome.step(name)?.ended_with(0)?.stdout);
    for way in WRITES {
        let refused = outcome.step(&format!("refused-{}", way.name))?.ended_with(REFUSED)?;
        for word in ["--destroy-data /dev/nvme0n1", "it holds data"] {
            anyhow::ensure!(refused.stderr.contains(word), "no '{word}' in: {}", refused.stderr);
        }
    }
    let mut before = sum("before")?;
    anyhow::ensure!(before == sum("after-refusal")?, "a refused write changed the drive");
    let mut seen = Vec::new();
    for way in WRITES {
        let found = judge::run(outcome, way.name, way.engine)?;
        anyhow::ensure!(found.writes > 0 && found.reads == 0 && found.errors == 0, "{found:?}");
        let after = sum(&format!("after-{}", way.name))?;
        anyhow::ensure!(before != after, "{}: {} writes changed nothing", way.name, found.writes);
        before = after;
        seen.push(format!("{} by {}", found.writes, way.name));
    }
    Ok(format!("refused without consent; writes with it: {}", seen.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::DeviceFacts;

    fn facts() -> TargetFacts {
        let device = DeviceFacts {
            name: "nvme0n1".into(),
            model: Some("QEMU NVMe Ctrl".into()),
            rotational: Some(false),
            scheduler: Some("none".into()),
            nr_requests: Some(1023),
            max_sectors_kb: Some(512),
            max_hw_sectors_kb: Some(2048),
            polled: Some(true),
            generic: Some("ng0n1".into()),
            max_segments: Some(127),
            write_cache: Some("write back".into()),
            ..DeviceFacts::default()
        };
        TargetFacts {
            kind: TargetKind::BlockDevice,
            physical_block_bytes: Some(512),
            direct_io: Some(true),
            device: Some(device),
            ..TargetFacts::simulated(NVME_BYTES)
        }
    }

    #[test]
    fn facts_are_compared_with_what_the_kernel_says() {
        let size = (NVME_BYTES / 512).to_string();
        let mut sysfs = BTreeMap::from([
            ("size", size.as_str()),
            ("device/model", "QEMU NVMe Ctrl          "),
            ("queue/logical_block_size", "512"),
            ("queue/physical_block_size", "512"),
            ("queue/rotational", "0"),
            ("queue/scheduler", "[none] mq-deadline"),
            ("queue/nr_requests", "1023"),
            ("queue/max_sectors_kb", "512"),
            ("queue/max_hw_sectors_kb", "2048"),
            ("queue/io_poll", "1"),
            ("queue/max_segments", "127"),
            ("queue/write_cache", "write back"),
        ]);
        compare(&facts(), &sysfs).unwrap();
        sysfs.insert("queue/scheduler", "none [mq-deadline]");
        assert!(compare(&facts(), &sysfs).is_err());
        sysfs.insert("queue/scheduler", "[none]");
        sysfs.insert("queue/nr_requests", "64");
        let told = compare(&facts(), &sysfs).unwrap_err().to_string();
        assert_eq!(told, "queue/nr_requests: '1023' in the record, '64' in sysfs");
        sysfs.remove("queue/nr_requests");
        assert!(compare(&facts(), &sysfs).is_err());
    }
}
