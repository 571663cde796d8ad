//! A recorded period as a load file: its text with comments for people, and the remarks about it.
//!
//! Must not choose a phase or a rate; [`rigel_capacity::replay`] does.

use crate::words::listed;
use rigel_capacity::replay::{Assumption, Flow, Replay, SMALLEST, SourcePhase, UNKNOWN_BYTES};
use rigel_capacity::{Members, Source, Subject, when};
use rigel_core::load::class::Shape;
use rigel_core::load::file::Comments;
use rigel_core::units::say::trimmed;
use rigel_core::units::say::{counted, number, percent, short, span};
use rigel_core::units::{KIB, Nanos, to_f64};

/// Below this share of the time, coverage is reported.
const WHOLE: f64 = 0.999;
/// If the busiest phase has less than this share of the busiest stretch, that is reported.
const KEPT: f64 = 0.9;

/// A replay and its origin.
#[derive(Clone, Debug)]
pub struct ReplayReport<'a> {
    /// The command, as it can be typed again.
    pub command: &'a str,
    /// The disks or databases of each host.
    pub members: &'a Members,
    /// Each host's share of the load, in hundredths, if requested.
    pub nodes: &'a [(String, u32)],
    /// Intervals that only some hosts have.
    pub left_out_stretches: usize,
    /// Devices that are on others and do not count in addition.
    pub left_out: &'a [Subject],
    /// The tools that reported it.
    pub sources: &'a [Source],
    /// The time that was requested, in milliseconds of the epoch.
    pub range_ms: (i64, i64),
    /// The load.
    pub replay: &'a Replay,
}

impl ReplayReport<'_> {
    /// The load file.
    pub fn file(&self) -> String {
        let mut head = vec![format!("Made by: rigel {}", self.command.trim_end())];
        head.extend(self.what());
        head.push("Not in the source, and assumed:".to_owned());
        head.extend(self.replay.assumed.iter().map(|one| format!("- {}", assumed(one))));
        let scale = self.replay.scale;
        let phases = self.replay.phases.iter().zip(&self.replay.load.phases);
        let phases = phases.map(|(was, phase)| of_phase(was, phase.shape, scale)).collect();
        self.replay.load.commented(&Comments { head, phases })
    }

    /// Notes for the user.
    pub fn remarks(&self) -> Vec<String> {
        let mut all = self.what();
        if !self.left_out.is_empty() {
            let names: Vec<String> = self.left_out.iter().map(ToString::to_string).collect();
            let is = if names.len() == 1 { "lies" } else { "lie" };
            all.push(format!(
                "{} {is} on other disks and would count twice: the load is that of the disks below, where a \
                 mirror writes everything twice; --disk {} takes the load on it instead",
                listed(&names),
                names[0]
            ));
        }
        if self.left_out_stretches > 0 {
            all.push(format!(
                "{} of {} are left out: only some hosts or databases are known there, which does not mean \
                 less load",
                counted(self.left_out_stretches, "interval"),
                time(i64::from(self.replay.step_ms))
            ));
        }
        all.extend(self.replay.assumed.iter().map(|one| format!("assumed: {}", assumed(one))));
        let (stretch, phase) = self.replay.busiest();
        if phase < KEPT * stretch {
            all.push(format!(
                "the busiest {} had {} I/Os per second, the busiest phase has {}: more --phases keep more of it",
                time(i64::from(self.replay.step_ms)),
                number(stretch.round()),
                number(phase.round())
            ));
        }
        let whole: u64 = self.replay.load.phases.iter().map(|phase| phase.time.0).sum();
        let days = Nanos(whole).seconds() / 86_400.0;
        if days > 7.0 {
            all.push(format!(
                "the phases take {} days: `rigel run` takes 7 at most, so shorten them with --compress",
                trimmed((days * 10.0).round() / 10.0)
            ));
        }
        all
    }

    /// What the load is, in sentences.
    fn what(&self) -> Vec<String> {
        let (from_ms, to_ms) = self.range_ms;
        let sources: Vec<&str> = self.sources.iter().map(|source| source.name()).collect();
        let covered_ms: i64 = self.replay.phases.iter().map(|phase| phase.covered_ms).sum();
        let known = to_f64(covered_ms.unsigned_abs()) / to_f64((to_ms - from_ms).unsigned_abs().max(1));
        let known = if known < WHOLE {
            format!("; {} % of the time is known, the remainder is left out", percent(known.min(WHOLE)))
        } else {
            String::new()
        };
        let step = time(i64::from(self.replay.step_ms));
        let scale = if (self.replay.scale - 1.0).abs() > 1e-9 {
            format!(" Rates are {} times those of the source.", trimmed(self.replay.scale))
        } else {
            String::new()
        };
        let mut what = vec![
            format!(
                "{} by {}, {} to {} UTC{known}.",
                of_hosts(self.members),
                listed(&sources.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()),
                when::shown(from_ms),
                when::shown(to_ms)
            ),
            format!(
                "{} of {step} each are {}.{scale}",
                counted(self.replay.stretches, "interval"),
                counted(self.replay.phases.len(), "phase")
            ),
        ];
        what.splice(0..0, self.replay.load.what_if.iter().map(|text| format!("{text}.")));
        what.extend(self.nodes());
        what
    }

    /// The share of each node.
    fn nodes(&self) -> Option<String> {
        let each: Vec<String> = self.nodes.iter().map(|(host, share)| format!("{host} {share} %")).collect();
        (!each.is_empty()).then(|| format!("Shares of the nodes: {}.", listed(&each)))
    }
}

/// `sda and sdb of db1`, `database PROD of rac1 and database PROD/2 of rac2`.
fn of_hosts(members: &Members) -> String {
    let of = |host: &String| {
        let own = members.parts().filter(|(own, _)| own == host).map(|(_, subject)| subject.to_string());
        let own: Vec<String> = own.collect();
        (!own.is_empty()).then(|| format!("{} of {host}", listed(&own)))
    };
    let all: Vec<String> = members.hosts().iter().chain(members.guests()).filter_map(of).collect();
    listed(&all)
}

/// `2026-11-02 08:00 to 11:30, 3 h 30 min: 1,204 reads/s of 11.2 KiB, 318 writes/s of 8 KiB; dispersion 6.3`
fn of_phase(was: &SourcePhase, shape: Option<Shape>, scale: f64) -> String {
    let known =
        to_f64(was.covered_ms.unsigned_abs()) / to_f64((was.to_ms - was.from_ms).unsigned_abs().max(1));
    let gaps =
        if known < WHOLE { format!(" of which {} % are known", percent(known)) } else { String::new() };
    let bursts = match (was.bursts, shape) {
        (Some(bursts), Some(_)) if was.has_weaker_bursts() => {
            format!("; bursts of {}, replayed as {}", short(bursts.dispersion), short(was.expected))
        }
        (Some(bursts), _) => format!("; bursts of {}", short(bursts.dispersion)),
        (None, _) => String::new(),
    };
    format!(
        "{} to {} UTC{gaps}: {}, {}{bursts}",
        when::shown(was.from_ms),
        when::shown(was.to_ms),
        of_flow(was.reads, scale, "reads"),
        of_flow(was.writes, scale, "writes")
    )
}

fn of_flow(flow: Flow, scale: f64, what: &str) -> String {
    let size =
        flow.mean_bytes().map_or_else(String::new, |mean| format!(" of {} KiB", short(mean / to_f64(KIB))));
    format!("{} {what}/s{size}", short(flow.ops * scale))
}

fn time(ms: i64) -> String {
    span(Nanos(ms.unsigned_abs().saturating_mul(1_000_000)))
}

/// An assumption, as a sentence without a full stop.
fn assumed(one: &Assumption) -> String {
    match *one {
        Assumption::Places => {
            "the I/Os go anywhere on the target, each place as likely as another; streams and hot parts are not in the source".to_owned()
        }
        Assumption::Sync => "no write waits until it is durable".to_owned(),
        Assumption::Sizes => {
            "sizes are two powers of two with the mean size of each phase; the source has no histogram of them".to_owned()
        }
        Assumption::Poisson(phases) => format!(
            "arrivals of {} are independent of each other (Poisson): nothing finer than 10 s is known \
             there, or less than two minutes of it",
            counted(phases, "phase")
        ),
        Assumption::Independent => "reads and writes come independently of each other".to_owned(),
        Assumption::WeakerBursts { phases, part } => format!(
            "bursts of {} are weaker than they were, at least {} % of it: no arrivals of a load file vary as much",
            counted(phases, "phase"),
            percent(part)
        ),
        Assumption::Directions => {
            "reads and writes have the same size: some source separates bytes by direction, but not \
             operations".to_owned()
        }
        Assumption::DirectionsOfHost => {
            "each disk has the share of writes of the whole host: some source separates reads from writes \
             only there".to_owned()
        }
        Assumption::Bytes => format!("an I/O has {} KiB: some source has no bytes", short(UNKNOWN_BYTES / to_f64(KIB))),
        Assumption::Idle(phases) => format!("{} with less than one I/O in two seconds have one per second: no phase is idle", counted(phases, "phase")),
        Assumption::Small => format!("I/Os that are smaller on average have {} KiB, as many devices refuse smaller ones", SMALLEST / KIB),
    }
}
