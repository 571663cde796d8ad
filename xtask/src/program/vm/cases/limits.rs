//! Limits whose figure is known: a rate from a control group of version 2, a delay from the device mapper.

use super::super::case::Case;
use super::super::outcome::Outcome;
use super::{Way, each, reads};

const CAP_IOPS: u32 = 500;
const CAPPED: &str = "/dev/nullb0";
const CAP_LOADS: [u32; 1] = [16];
const CAP_WAYS: [Way; 2] = [Way::plain("io_uring", CAPPED), Way::plain("libaio", CAPPED)];

const DELAY_MS: u32 = 20;
const DELAYED: &str = "/dev/dm-0";
const DELAY_LOADS: [u32; 1] = [4];
const DELAY_WAYS: [Way; 3] =
    [Way::plain("io_uring", DELAYED), Way::plain("libaio", DELAYED), Way::plain("threads", DELAYED)];

/// A device that answers immediately, to build others on.
pub const FAST: &str = "modprobe null_blk nr_devices=1 gb=1 memory_backed=1 irqmode=0\n";

pub fn cases() -> Vec<Case> {
    vec![cgroup(), delay()]
}

fn cgroup() -> Case {
    let steps = reads(&CAP_WAYS, &CAP_LOADS, "4s").into_iter();
    Case {
        name: "cgroup-v2",
        modules: &["null_blk"],
        setup: format!(
            "{FAST}mkdir /cg/capped\necho \"$(cat /sys/block/nullb0/dev) riops={CAP_IOPS}\" >/cg/capped/io.max\n"
        ),
        steps: steps.map(|step| step.after("echo $$ >/cg/capped/cgroup.procs")).collect(),
        teardown: "rmdir /cg/capped\nrmmod null_blk\n".to_owned(),
        judge: |outcome| {
            each(outcome, &CAP_WAYS, &CAP_LOADS, |seen| {
                // The kernel counts in slices of time: a hundredth above, and below what the edges of the window take.
                let cap = f64::from(CAP_IOPS);
                seen.only_reads()?.iops_within(cap * 0.9, cap * 1.01)
            })
        },
    }
}

fn delay() -> Case {
    Case {
        name: "dm-delay",
        modules: &["null_blk", "dm-delay"],
        setup: format!(
            "{FAST}modprobe dm-delay\n\
             echo \"0 $(blockdev --getsz /dev/nullb0) delay /dev/nullb0 0 {DELAY_MS}\" | \
             dmsetup create slow --noudevsync\n"
        ),
        steps: reads(&DELAY_WAYS, &DELAY_LOADS, "2s"),
        teardown: "dmsetup remove --noudevsync slow\nrmmod dm-delay\nrmmod null_blk\n".to_owned(),
        judge: |outcome| {
            let seen = each(outcome, &DELAY_WAYS, &DELAY_LOADS, |seen| {
                seen.only_reads()?.latency_at_least_us(f64::from(DELAY_MS) * 1e3)?.obeys_little()
            })?;
            made_of_the_device_below(outcome)?;
            Ok(seen)
        },
    }
}

/// The record names what the mapped device is made of.
fn made_of_the_device_below(outcome: &Outcome) -> anyhow::Result<()> {
    for way in DELAY_WAYS {
        let record = outcome.record(&way.at(DELAY_LOADS[0]))?;
        let device = record.header.targets.first().and_then(|target| target.device.as_ref());
        let made_of = device.map(|device| device.made_of.clone());
        anyhow::ensure!(made_of == Some(vec!["nullb0".to_owned()]), "made of {made_of:?}, not of nullb0");
    }
    Ok(())
}
