//! What progress looks like in words; numbers in, text out.
//!
//! Must not draw.

use rigel_core::event::{Live, Phase};
use rigel_core::matrix::Point;
use rigel_core::measure::ClassTally;
use rigel_core::record::Visit;
use rigel_core::units::{self, Bytes, NS_PER_MS, NS_PER_S, to_f64};

/// The line of a measured point: `point 3 of 17: small 3 large 0: 12345 IOPS, 0.243 ms`.
pub fn measured(visit: &Visit, steps: usize) -> String {
    let Point { small, large } = visit.point;
    let mut line = format!("point {} of {steps}: small {small} large {large}", visit.step + 1);
    let mut separator = ": ";
    if let Some(tally) = &visit.small {
        let iops = units::iops(tally.completed(), visit.measured_ns);
        line += &format!("{separator}{iops:.0} IOPS{}", details(tally));
        separator = "; ";
    }
    if let Some(tally) = &visit.large {
        let bytes = tally.completed().saturating_mul(tally.io_bytes);
        let mbps = units::mbps(bytes, visit.measured_ns);
        line += &format!("{separator}{mbps:.2} MBPS{}", details(tally));
    }
    if visit.cut_short {
        line += "; cut short";
    }
    line
}

/// Mean latency and failures.
fn details(tally: &ClassTally) -> String {
    let mut text = String::new();
    if tally.completed() > 0 {
        let sum_ns = tally.reads.sum_ns().saturating_add(tally.writes.sum_ns());
        let mean_ms = to_f64(sum_ns) / to_f64(tally.completed()) / to_f64(NS_PER_MS);
        text += &format!(", {mean_ms:.3} ms");
    }
    if tally.errors > 0 {
        text += &format!(", {} failed", tally.errors);
    }
    text
}

/// The line beside the bar: `point 3 of 17: small 3 large 1: 12345 IOPS, 512.00 MBPS, 4:10 left`.
pub fn under_way(
    step: usize,
    steps: usize,
    point: Point,
    phase: Phase,
    live: Live,
    remaining_ns: u64,
) -> String {
    let Point { small, large } = point;
    let doing = match phase {
        Phase::WarmUp => "warming up".to_owned(),
        Phase::Measure => rates(point, live),
    };
    let left = time_left(remaining_ns);
    format!("point {} of {steps}: small {small} large {large}: {doing}, {left} left", step + 1)
}

fn rates(point: Point, live: Live) -> String {
    let iops = (point.small > 0).then(|| format!("{:.0} IOPS", live.small_iops));
    let mbps = (point.large > 0).then(|| format!("{:.2} MBPS", live.large_mbps));
    let rates: Vec<String> = [iops, mbps].into_iter().flatten().collect();
    rates.join(", ")
}

/// `0:45`, `4:10`, `1:02:03`; part of a second counts as one, so that work that goes on is never at zero.
pub fn time_left(ns: u64) -> String {
    let seconds = ns.div_ceil(NS_PER_S);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// The line of bytes moved: `filling rigel-scratch.dat: 1 GiB of 4 GiB`.
pub fn moved(label: &str, done: u64, total: u64) -> String {
    format!("{label}: {} of {}", Bytes(done), Bytes(total))
}
