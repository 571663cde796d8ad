//! Raw I/O beside SQL in one run: how much of the storage's rate reaches a database, and what the limit is.
//!
//! The rates and their ratio are those of two sides ([`super::versus`]); here they are combined with the counters of both. Must not word
//! anything.

use super::compare::Row;
use super::versus::Versus;
use rigel_core::judge::findings::{Findings, PointFindings, forbidding};
use rigel_core::load::sides::Side;
use rigel_core::record::{Record, Visit};
use rigel_core::stats::{Estimate, Interval};
use rigel_core::units::{NS_PER_US, to_f64};
use rigel_core::witness::HostCpu;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// With less idle CPU time than this, the CPU is full.
const FULL_IDLE: f64 = 0.1;
/// If SQL certainly reads this part of what raw I/O reads, the storage has little or nothing more to give.
const NEARLY_ALL: f64 = 0.9;
/// If it certainly reads less than this part, the storage has more to give.
const NOT_ALL: f64 = 0.95;

/// The result of a run of both.
#[derive(Clone, Debug, PartialEq)]
pub struct RawAndSql {
    /// By number of sessions.
    pub loads: Vec<BesideLoad>,
    /// The load with the highest rate of SQL; `None` if no rate is usable.
    pub best: Option<usize>,
}

/// One number of sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideLoad {
    /// The sessions, and the outstanding raw reads.
    pub sessions: u32,
    /// The files of the table, read without a database.
    pub raw: Way,
    /// The same through SQL.
    pub sql: Way,
    /// The rate of SQL over that of raw I/O, from the rounds in which both were visited.
    pub efficiency: Option<Interval>,
    /// Where the sessions spent their time: share of the samples, the largest first.
    pub waits: Vec<(String, f64)>,
    /// Commits that a flush of the log made durable; `None` of look-ups.
    pub commits_per_flush: Option<f64>,
    /// Index blocks that a look-up read in addition to its row; `None` if it uses no index.
    pub index_blocks: Option<f64>,
    /// What limits SQL; `None` if the counters do not say.
    pub limit: Option<Limit>,
    /// A number of it must not be used.
    pub invalid: bool,
}

/// One path to the storage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Way {
    /// Reads per second.
    pub per_s: Estimate,
    /// Mean latency, in microseconds.
    pub latency_us: Option<Estimate>,
    /// CPU time of a read in microseconds, over all processes involved; `None` if not counted.
    pub cpu_us: Option<f64>,
    /// Unused share of the CPU time of the host; `None` if it was not recorded.
    pub idle: Option<f64>,
}

/// What limits SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Raw I/O is no faster either.
    Storage,
    /// All CPUs are busy.
    Cpu,
    /// Each session waits for its own reads, one after the other, and neither storage nor CPU is full.
    Sessions,
}

rigel_core::named!(Limit { Storage: "storage", Cpu: "cpu", Sessions: "sessions" });

impl RawAndSql {
    /// The result of a run of raw I/O and SQL; `None` for any other.
    pub fn of(record: &Record, findings: &Findings, sides: &Versus) -> Option<Self> {
        let request = &record.header.request;
        if !request.is_beside_raw() {
            return None;
        }
        let rates =
            sides.comparison.rows.iter().zip(&sides.ratios).filter(|(row, _)| row.quantity.what.is_rate());
        let mut loads: Vec<BesideLoad> =
            rates.filter_map(|(row, ratio)| load(record, findings, row, *ratio)).collect();
        loads.sort_by_key(|load| load.sessions);
        let sql = request.classes.iter().find(|class| class.side == Some(Side::B))?.name;
        let best = findings.best.rate(sql).map(|best| best.point.of(sql));
        let best = loads.iter().position(|load| Some(load.sessions) == best && !load.invalid);
        Some(Self { loads, best })
    }

    /// The load that the verdict is about.
    pub fn best(&self) -> Option<&BesideLoad> {
        self.loads.get(self.best?)
    }
}

fn load(record: &Record, findings: &Findings, row: &Row, efficiency: Option<Interval>) -> Option<BesideLoad> {
    let (plain, class) = (row.point?, row.quantity.class);
    let of_side = |side| findings.points.iter().find(|found| found.point == plain.on(side));
    let (raw, sql) = (of_side(Side::A)?, of_side(Side::B)?);
    let visits = visits(record, sql);
    let request = &record.header.request;
    let is_invalid = |found: &PointFindings| forbidding(found, request).next().is_some();
    let mut load = BesideLoad {
        sessions: plain.of(class),
        raw: way(raw, row.base, cpu_us(&self::visits(record, raw)), idle(&self::visits(record, raw))),
        sql: way(sql, row.new, cpu_us(&visits), idle(&visits)),
        efficiency,
        waits: waits(&visits),
        commits_per_flush: commits_per_flush(&visits),
        index_blocks: index_blocks(&visits),
        limit: None,
        invalid: is_invalid(raw) || is_invalid(sql),
    };
    load.limit = efficiency
        .filter(|_| !load.invalid)
        .map(|ratio| in_reads(&ratio, load.index_blocks))
        .and_then(|ratio| limit(&ratio, load.sql.idle, request.writes_at_all()));
    Some(load)
}

/// A ratio of look-ups to raw reads, as one of reads to reads: a look-up reads its blocks of the index as well.
fn in_reads(ratio: &Interval, index_blocks: Option<f64>) -> Interval {
    let reads = 1.0 + index_blocks.unwrap_or(0.0);
    Interval { mean: ratio.mean * reads, lo95: ratio.lo95 * reads, hi95: ratio.hi95 * reads, ..*ratio }
}

fn way(found: &PointFindings, per_s: Estimate, cpu_us: Option<f64>, idle: Option<f64>) -> Way {
    let latency_us = found.classes().find_map(|(_, io)| io.latency_us.map(|us| us.mean));
    Way { per_s, latency_us, cpu_us, idle }
}

/// The visits that the figures of a point are based on.
fn visits<'a>(record: &'a Record, found: &PointFindings) -> Vec<&'a Visit> {
    let counting: BTreeSet<u64> =
        found.each_visit.iter().filter(|visit| visit.counts).map(|visit| visit.number).collect();
    record.visits.iter().filter(|visit| counting.contains(&visit.number)).collect()
}

/// CPU time per read of Rigel's workers or sessions, and of the server.
fn cpu_us(visits: &[&Visit]) -> Option<f64> {
    let (mut ns, mut reads) = (0.0, 0.0);
    for visit in visits {
        ns += to_f64(visit.worker_cpu_ns?);
        match visit.nodes.iter().find_map(|node| node.server) {
            Some(server) => {
                ns += to_f64(server.cpu_ns?);
                reads += to_f64(server.probes.saturating_add(server.commits));
            }
            None => reads += to_f64(visit.ios?.returned),
        }
    }
    (reads > 0.0).then(|| ns / reads / to_f64(NS_PER_US))
}

/// `None` without commits, or if flushes were not counted.
pub fn commits_per_flush(visits: &[&Visit]) -> Option<f64> {
    let nodes = visits.iter().flat_map(|visit| &visit.nodes);
    let (mut commits, mut flushes) = (0, 0);
    for counts in nodes.filter_map(|node| node.server) {
        commits += counts.commits;
        flushes += counts.flushes?;
    }
    (commits > 0 && flushes > 0).then(|| to_f64(commits) / to_f64(flushes))
}

/// Blocks of the index that a look-up read on average; `None` if look-ups use no index.
pub fn index_blocks(visits: &[&Visit]) -> Option<f64> {
    let nodes = visits.iter().flat_map(|visit| &visit.nodes);
    let (mut look_ups, mut blocks) = (0, 0);
    for counts in nodes.filter_map(|node| node.server).filter(|counts| counts.probes > 0) {
        look_ups += counts.probes;
        blocks += counts.index_blocks?;
    }
    (look_ups > 0).then(|| to_f64(blocks) / to_f64(look_ups))
}

/// The idle share of the hosts' CPU time.
fn idle(visits: &[&Visit]) -> Option<f64> {
    let nodes = visits.iter().flat_map(|visit| &visit.nodes);
    HostCpu::of(nodes.map(|node| node.witness.as_ref())).map(|cpu| cpu.idle)
}

fn waits(visits: &[&Visit]) -> Vec<(String, f64)> {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for (event, count) in visits.iter().flat_map(|visit| &visit.nodes).flat_map(|node| &node.waits) {
        let sum = seen.entry(event).or_default();
        *sum = sum.saturating_add(*count);
    }
    let all = to_f64(seen.values().copied().fold(0, u64::saturating_add)).max(1.0);
    let mut shares: Vec<(String, f64)> =
        seen.into_iter().map(|(event, count)| (event.to_owned(), to_f64(count) / all)).collect();
    shares.sort_by(|one, other| other.1.total_cmp(&one.1));
    shares
}

/// The limit that the evidence names; `None` if the ratio is not certain enough. If raw I/O is no faster, it does not
/// matter what else is full. Commits differ: those of SQL share flushes, which raw writers do not, so more of them
/// than raw ones say nothing about the storage.
fn limit(efficiency: &Interval, idle: Option<f64>, is_of_commits: bool) -> Option<Limit> {
    if is_of_commits && idle.is_some_and(|idle| idle < FULL_IDLE) {
        return Some(Limit::Cpu);
    }
    if is_of_commits && efficiency.lo95 > 1.0 {
        return None;
    }
    if efficiency.lo95 >= NEARLY_ALL {
        return Some(Limit::Storage);
    }
    let full = idle.filter(|_| efficiency.hi95 < NOT_ALL)? < FULL_IDLE;
    Some(if full { Limit::Cpu } else { Limit::Sessions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::measure::{IoCounts, ServerCounts};
    use rigel_core::record::NodeVisit;
    use rigel_core::testing::visit;
    use rigel_core::witness::{Counts, Witness, WitnessSample};

    fn ratio(lo95: f64, hi95: f64) -> Interval {
        Interval { mean: f64::midpoint(lo95, hi95), lo95, hi95, relative_half_width: 0.1, visits: 6, df: 5.0 }
    }

    #[test]
    fn the_limit_is_named_by_evidence() {
        let limit = |(lo95, hi95), idle| limit(&ratio(lo95, hi95), idle, false);
        assert_eq!(limit((0.93, 0.99), Some(0.0)), Some(Limit::Storage), "raw I/O makes no more");
        assert_eq!(limit((1.02, 1.1), Some(0.0)), Some(Limit::Storage), "nor here");
        assert_eq!(limit((0.62, 1.1), Some(0.0)), None, "it may or may not");
        assert_eq!(limit((0.74, 0.78), Some(0.03)), Some(Limit::Cpu));
        assert_eq!(limit((0.74, 0.78), Some(0.6)), Some(Limit::Sessions));
        assert_eq!(limit((0.74, 0.78), None), None);
    }

    #[test]
    fn blocks_of_the_index_are_reads_of_the_storage_too() {
        let limit = |index_blocks| limit(&in_reads(&ratio(0.52, 0.54), index_blocks), Some(0.6), false);
        assert_eq!(limit(Some(0.9)), Some(Limit::Storage), "each look-up is 1.9 reads");
        assert_eq!(limit(Some(0.01)), Some(Limit::Sessions));
        assert_eq!(limit(None), Some(Limit::Sessions));
    }

    #[test]
    fn commits_that_share_flushes_say_nothing_of_the_storage() {
        let limit = |(lo95, hi95), idle| limit(&ratio(lo95, hi95), idle, true);
        assert_eq!(limit((4.1, 5.3), Some(0.6)), None);
        assert_eq!(limit((4.1, 5.3), None), None);
        assert_eq!(limit((4.1, 5.3), Some(0.03)), Some(Limit::Cpu));
        assert_eq!(limit((0.93, 0.99), Some(0.6)), Some(Limit::Storage));
        assert_eq!(limit((0.74, 0.78), Some(0.6)), Some(Limit::Sessions));
    }

    #[test]
    fn the_cpu_time_of_a_read_is_that_of_both_processes() {
        let through = |server: Option<ServerCounts>| Visit {
            worker_cpu_ns: Some(2_000_000),
            ios: Some(IoCounts { submitted: 500, returned: 500, looks: 0 }),
            nodes: vec![NodeVisit { server, ..NodeVisit::default() }],
            ..visit(0, 1_000_000)
        };
        assert_eq!(cpu_us(&[&through(None)]), Some(4.0));
        let server = ServerCounts { probes: 100, cpu_ns: Some(3_000_000), ..ServerCounts::default() };
        assert_eq!(cpu_us(&[&through(Some(server))]), Some(50.0));
        let blind = ServerCounts { cpu_ns: None, ..server };
        assert_eq!(cpu_us(&[&through(Some(server)), &through(Some(blind))]), None);
    }

    #[test]
    fn what_nobody_used_is_idle() {
        let sample = |at_ns, busy_us| WitnessSample {
            at_ns,
            counts: Counts { busy_us: Some(busy_us), steal_us: Some(100_000), ..Counts::default() },
        };
        let watched = |samples| Visit {
            nodes: vec![NodeVisit {
                witness: Some(Witness {
                    period_ns: 1_000_000_000,
                    cpus: Some(2),
                    devices: Vec::new(),
                    kernel_us: None,
                    carried: None,
                    began_ns: 0,
                    samples,
                }),
                ..NodeVisit::default()
            }],
            ..visit(0, 1_000_000)
        };
        let both = watched(vec![sample(1_000_000_000, 1_400_000), sample(2_000_000_000, 400_000)]);
        assert!((idle(&[&both]).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(idle(&[&both, &visit(0, 1_000_000)]), None);
    }

    #[test]
    fn waits_are_shares_of_all_samples() {
        let seen = |waits: &[(&str, u64)]| Visit {
            nodes: vec![NodeVisit {
                waits: waits.iter().map(|(event, count)| ((*event).to_owned(), *count)).collect(),
                ..NodeVisit::default()
            }],
            ..visit(0, 1_000_000)
        };
        let found = waits(&[&seen(&[("CPU", 10), ("IO:DataFileRead", 60)]), &seen(&[("CPU", 30)])]);
        assert_eq!(found, [("IO:DataFileRead".to_owned(), 0.6), ("CPU".to_owned(), 0.4)]);
        assert!(waits(&[]).is_empty());
    }
}
