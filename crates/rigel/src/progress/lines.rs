//! The texts of progress: numbers in, text out.
//!
//! Must not draw.

use rigel_core::event::{Activity, LiveFigures, Saturation, VisitPosition};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::measure::{ClassTally, ReadLook};
use rigel_core::record::{Purpose, Visit};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::say::{percent, short};
use rigel_core::units::{self, Bytes, MIB, NS_PER_MS, to_f64};
use rigel_report::duration;
use std::fmt;
use std::time::Duration;

pub use rigel_core::units::say::time_left;

/// The position of the visit: `point 3 of 17: small 3 large 0, visit 2`, `searching the load levels of small I/O: 8 outstanding`.
pub fn place(at: &VisitPosition, steps: usize, classes: &[LoadClass]) -> String {
    if let Purpose::Search(class) = at.purpose {
        return searched(class, at.point.of(class), classes);
    }
    let number = at.step + 1;
    // After a search the number of points is not known beforehand.
    let steps = if steps == 0 { String::new() } else { format!(" of {steps}") };
    let (head, tail) = match at.purpose {
        Purpose::Only | Purpose::Search(_) => (format!("point {number}{steps}"), String::new()),
        Purpose::Long => (format!("point {number}{steps}"), ", long visit".to_owned()),
        Purpose::Round(round) => {
            (format!("point {number}{steps}"), format!(", visit {}", round.saturating_add(1)))
        }
        Purpose::FillsGap => (format!("point {number}{steps}"), ", one more visit".to_owned()),
        Purpose::Warm => (format!("point {number}{steps}"), ", warming up".to_owned()),
        Purpose::Again => (format!("point {number}{steps}"), ", once more".to_owned()),
        Purpose::Phase(phase) => (format!("phase {}", phase.saturating_add(1)), String::new()),
    };
    match at.point.side_in_words(classes) {
        Some((side, load)) => format!("{head}, {}: {load}{tail}", side.name()),
        None if classes.iter().any(|class| class.working_sets.is_some()) => {
            format!("{head}: {}{tail}", over(at.point, classes))
        }
        None => format!("{head}: {}{tail}", at.point.words()),
    }
}

/// Of fewer, pages that were never used may be most.
pub const LEAST_READS: u64 = 4;

/// What to know of reads that return zeros; `None` if most of them return data.
pub fn zeros(look: &ReadLook) -> Option<String> {
    let is_most = look.zero_blocks.saturating_mul(2) > look.sampled;
    is_most.then(|| {
        format!(
            "note: {} of the first {} blocks that were checked are zeros, and such reads may never reach the disk: the numbers will be flagged ZEROS. Ctrl-C ends the run; `rigel help fill` writes data to measure on",
            look.zero_blocks, look.sampled
        )
    })
}

/// `random I/O over 64 MiB`
fn over(point: Point, classes: &[LoadClass]) -> String {
    let of = |(class, level)| {
        let load = classes.iter().find(|load| load.name == class)?;
        Some(load.level_words(level))
    };
    point.classes().filter_map(of).collect::<Vec<_>>().join(", ")
}

fn searched(class: Class, level: u32, classes: &[LoadClass]) -> String {
    let load = classes.iter().find(|load| load.name == class);
    let noun = load.map_or_else(|| class.to_string(), LoadClass::noun);
    if load.is_some_and(LoadClass::is_open) {
        return format!("searching for the rate of {noun}: {level} per second");
    }
    let counted = match load {
        Some(load) if load.streams() && level == 1 => "stream",
        Some(load) if load.streams() => "streams",
        _ => "outstanding",
    };
    format!("searching for the load levels of {noun}: {level} {counted}")
}

/// What the search found, which later visits may change: `so far, small I/O is saturated at 16 outstanding`.
pub fn level_found(class: Class, n_sat: Option<Saturation>) -> String {
    let class = class.name();
    match n_sat {
        Some(Saturation { level, is_reached: true }) => {
            format!("so far, {class} I/O saturates at {level} outstanding")
        }
        Some(Saturation { level, .. }) => {
            format!("so far, {class} I/O is not saturated: {level} outstanding give 95 % of its highest rate")
        }
        None => format!("{class} I/O has no rate"),
    }
}

/// How far an adaptive run is: `12 of 17 points are certain enough, the widest interval is ±7.3 %`.
pub fn looked(done: usize, points: usize, widest: f64) -> String {
    let widest = match widest.is_finite() {
        true => format!("the widest interval is ±{} %", percent(widest)),
        false => "some have no interval yet".to_owned(),
    };
    format!("{done} of {points} points are precise enough, {widest}")
}

/// The line of a visit: `point 3 of 17: small 3 large 0: 12345 IOPS, 0.243 ms`.
pub fn measured(visit: &Visit, steps: usize, classes: &[LoadClass]) -> String {
    let at = VisitPosition { step: visit.step, point: visit.point, purpose: visit.purpose };
    let mut line = place(&at, steps, classes);
    let mut separator = ": ";
    for class in classes {
        let Some(tally) = visit.tallies.get(&class.name) else { continue };
        let rate = class.rate_text(units::iops(tally.completed(), visit.measured_ns));
        line += &format!("{separator}{rate}{}", details(tally));
        separator = "; ";
    }
    if visit.cut_short {
        line += "; cut short";
    }
    line
}

/// Mean latency and failures.
fn details(tally: &ClassTally) -> String {
    let mut text = String::new();
    if let Some(mean_ns) = tally.mean_latency_ns() {
        text += &format!(", {:.3} ms", mean_ns / to_f64(NS_PER_MS));
    }
    if tally.errors > 0 {
        text += &format!(", {} failed", tally.errors);
    }
    text
}

/// The current state of a visit: `point 3 of 17: small 3 large 1: 12345 IOPS, 512.00 MBPS`.
pub fn under_way(
    at: &VisitPosition,
    steps: usize,
    activity: Activity,
    live: &LiveFigures,
    classes: &[LoadClass],
) -> String {
    let doing = match activity {
        Activity::WarmUp => "warming up".to_owned(),
        // Nothing was counted yet, which is no rate of 0.
        Activity::Measure if live.per_s.is_empty() => "settling".to_owned(),
        Activity::Measure => rates(at.point, live, classes),
        Activity::Rest => "resting".to_owned(),
    };
    format!("{}: {doing}", place(at, steps, classes))
}

/// `1:40 elapsed, 2 to 4 min left`
pub fn times(elapsed_ns: u64, left: TimeRange) -> String {
    format!("{} elapsed, {} left", time_left(elapsed_ns), duration::left(left))
}

fn rates(point: Point, live: &LiveFigures, classes: &[LoadClass]) -> String {
    let loaded = classes.iter().filter(|class| point.of(class.name) > 0);
    let rate = |class: &LoadClass| {
        let latency = live.latency_us.get(&class.name);
        let latency = latency.map_or_else(String::new, |us| format!(", {:.3} ms", us / 1e3));
        let rate = class.rate_text(live.per_s.get(&class.name).copied().unwrap_or(0.0));
        format!("{rate}{latency}")
    };
    loaded.map(rate).collect::<Vec<_>>().join(", ")
}

/// Bytes per second so far.
#[derive(Clone, Copy, Debug)]
pub struct Rate(f64);

impl Rate {
    /// For this many bytes in this time; `None` if it is not known yet.
    pub fn of(bytes: u64, took: Duration) -> Option<Self> {
        (bytes > 0 && !took.is_zero()).then(|| Self(to_f64(bytes) / took.as_secs_f64()))
    }

    /// `, 98 MB/s, 2 min left`, when this many bytes are left.
    pub fn with_left(self, left_bytes: u64) -> String {
        let left = Duration::from_secs_f64((to_f64(left_bytes) / self.0).min(1e9));
        match left_bytes {
            0 => format!(", {self}"),
            _ => format!(", {self}, {} left", time_left(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX))),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MB/s", short(self.0 / to_f64(MIB)))
    }
}

/// The line of bytes moved: `filling rigel-scratch.dat: 1 GiB of 4 GiB`.
pub fn moved(label: &str, done: u64, total: u64) -> String {
    format!("{label}: {} of {}", Bytes(done), Bytes(total))
}
