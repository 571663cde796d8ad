//! Memory that answers by a timer after a millisecond: every engine waits at least that long for each I/O.

use super::super::case::Case;
use super::super::judge::Figures;
use super::{Way, each, reads};

const DEVICE: &str = "/dev/nullb0";
const COMPLETION_US: f64 = 1000.0;
const LOADS: [u32; 2] = [1, 8];
/// Every engine that waits for completions.
const WAYS: [Way; 3] =
    [Way::plain("io_uring", DEVICE), Way::plain("libaio", DEVICE), Way::plain("threads", DEVICE)];
/// Its poll queue completes whenever it is polled and knows no timer, so an I/O takes as long as the emulated tool
/// around it: no law about latency applies then.
const POLLED: [Way; 1] = [Way::polled("polled", "io_uring", DEVICE)];

pub fn cases() -> Vec<Case> {
    vec![Case {
        name: "null-blk",
        modules: &["null_blk"],
        setup: "modprobe null_blk nr_devices=1 gb=1 memory_backed=1 irqmode=2 completion_nsec=1000000 \
                poll_queues=1\n"
            .to_owned(),
        steps: [reads(&WAYS, &LOADS, "1s"), reads(&POLLED, &LOADS, "1s")].into_iter().flatten().collect(),
        teardown: "rmmod null_blk\n".to_owned(),
        judge: |outcome| {
            let polled = each(outcome, &POLLED, &LOADS, Figures::only_reads)?;
            let waited = each(outcome, &WAYS, &LOADS, |seen: Figures| {
                // Two clocks of the kernel may differ a little.
                seen.only_reads()?.latency_at_least_us(COMPLETION_US * 0.995)?.obeys_little()
            })?;
            Ok(format!("{waited}, {polled}"))
        },
    }]
}
