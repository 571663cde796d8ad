//! A flag for look-ups in a database that did not cause one read of the device each, for reports whose blocks were not read exactly once, and for
//! commits that did not wait.
//!
//! A rate of look-ups is a rate of I/O only when the server, the kernel and the device counted as many reads. Must not say why
//! they did not.

use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::Class;
use crate::load::request::Request;
use crate::measure::{ClassTally, ServerCounts};
use crate::record::Visit;
use crate::units::say::figure;
use crate::units::{iops, to_f64};

/// Counters may differ by this part of what was requested.
const TOLERANCE: f64 = 0.01;
/// And by this many reads per visit: the filesystem occasionally reads blocks of its own.
const STRAY_READS: f64 = 4.0;
/// Standard deviations of a count that chance may add: of few look-ups, more than the tolerated part may hit the few blocks that the server
/// happens to hold. The variance of a rare event's count is its mean (Poisson).
const CHANCE: f64 = 3.0;

/// The flag of a point; `visits` are those behind its figures, for a load that goes through a database.
pub fn of_point(request: &Request, visits: &[&Visit]) -> Option<Flag> {
    let block_bytes = request.product().block_bytes();
    if visits.iter().any(|visit| is_of_commits(visit)) {
        return of_commits(visits);
    }
    let nodes = visits.iter().flat_map(|visit| &visit.nodes);
    let counts: Vec<ServerCounts> = nodes.filter_map(|node| node.server).collect();
    let wrong = of_visits(&counts, block_bytes)?;
    let has = |of: fn(&ServerCounts) -> u64| counts.iter().any(|one| of(one) > 0);
    let noun = match (has(|counts| counts.probes), has(|counts| counts.scanned_blocks)) {
        (true, true) => "queries",
        (_, false) => "look-ups",
        (false, true) => "reports",
    };
    let answered = visits.iter().flat_map(|visit| visit.tallies.values()).map(ClassTally::completed).sum();
    let rate = iops(answered, visits.iter().map(|visit| visit.measured_ns).sum());
    let text = format!("the database answered {} {noun}/s, but they are not reads: {wrong}", figure(rate));
    Some(Flag::new(FlagCode::Unverified, text).invalidating())
}

/// The flag of a point with commits. A session begins the next transaction when the last one is durable, so at most as many commits
/// share a flush as there are sessions.
fn of_commits(visits: &[&Visit]) -> Option<Flag> {
    let of_visit = |visit: &&Visit| {
        let counts = visit.nodes.iter().find_map(|node| node.server)?;
        Some((counts, u32::try_from(visit.point.sum()).unwrap_or(u32::MAX)))
    };
    let counts: Vec<(ServerCounts, u32)> = visits.iter().filter_map(of_visit).collect();
    let wrong = counts.iter().find_map(|(counts, sessions)| unflushed(counts, *sessions));
    let is_nothing = !counts.is_empty() && counts.iter().all(|(counts, _)| counts.commits == 0);
    let wrong = wrong.or_else(|| is_nothing.then(|| "no transaction was committed".to_owned()))?;
    Some(Flag::new(FlagCode::Unverified, wrong).invalidating())
}

fn is_of_commits(visit: &Visit) -> bool {
    let plain = |class: Class| class.sided().map_or(class, |(plain, _)| plain);
    visit.point.classes().any(|(class, _)| plain(class) == Class::COMMIT)
}

fn unflushed(counts: &ServerCounts, sessions: u32) -> Option<String> {
    if counts.commits == 0 {
        return None;
    }
    let told = format!("{} commits", figure(to_f64(counts.commits)));
    let Some(flushes) = counts.flushes.map(to_f64) else {
        return Some(format!(
            "the server did not count how often it flushed its log for {told}; version 14 and later do"
        ));
    };
    let most = f64::from(sessions) * (flushes * (1.0 + TOLERANCE) + STRAY_READS);
    (to_f64(counts.commits) > most).then(|| {
        let flushes = counts.flushes.unwrap_or(0);
        format!(
            "{told} needed only {flushes} log flushes, each good for {sessions} commits at most (one per \
             session): some commits did not wait for one"
        )
    })
}

/// All visits together must agree, and each of them: a visit with too many reads does not make up for one with too few.
fn of_visits(visits: &[ServerCounts], block_bytes: u64) -> Option<String> {
    let mut sum = *visits.first()?;
    visits.iter().skip(1).for_each(|more| sum.add(more));
    let all = unverified(&sum, block_bytes, STRAY_READS * to_f64(visits.len() as u64));
    all.or_else(|| {
        let wrong = visits.iter().find_map(|visit| unverified(visit, block_bytes, STRAY_READS))?;
        Some(format!("in a single visit, {wrong}"))
    })
}

/// One counter: its count, its unit, and the lowest and highest count allowed.
struct Counter {
    what: &'static str,
    count: f64,
    unit: &'static str,
    least: f64,
    most: f64,
}

/// The available counters, those below the server first; and whether one of those is among them.
fn counters(counts: &ServerCounts, block_bytes: u64) -> (Vec<Counter>, bool) {
    let asked = to_f64(counts.asked_blocks());
    // What look-ups read of an index is theirs as well.
    let needed = to_f64(counts.needed_blocks());
    // The kernel and the server read several blocks of a report at once.
    let fewest = needed - to_f64(counts.scanned_blocks);
    // What the kernel reads ahead, the server did not ask for.
    let ahead = needed + to_f64(counts.ahead_blocks);
    let blocks = |bytes: u64| to_f64(bytes) / to_f64(block_bytes);
    // Others read from that device, too. Where it is known what the sessions fetched, more than that is theirs.
    let is_shared = counts.process_bytes.is_some() && counts.device.is_some_and(|device| !device.of_server);
    let most = if is_shared { f64::INFINITY } else { ahead };
    let of = |what, count: Option<f64>, unit, (least, most)| {
        count.map(|count| Counter { what, count, unit, least, most })
    };
    let device = counts.device;
    let storage = [
        of("the sessions had the kernel fetch", counts.process_bytes.map(blocks), "blocks", (needed, ahead)),
        of("the device made", device.map(|device| to_f64(device.reads)), "reads", (fewest, most)),
        of("it moved", device.map(|device| blocks(device.bytes)), "blocks", (needed, most)),
    ];
    let server = [
        of("the server asked for", counts.table_blocks.map(to_f64), "blocks", (asked, asked)),
        // Any number of them: what is not in its own cache it has to ask for.
        of("it asked for", counts.index_blocks.map(to_f64), "blocks of the index", (0.0, f64::INFINITY)),
        of("it counted", counts.server_reads.map(to_f64), "reads", (fewest, needed)),
    ];
    let seen = storage.iter().any(Option::is_some);
    (server.into_iter().chain(storage).flatten().collect(), seen)
}

/// The reads of a look-up, or of a block of a report, by each counter, if one of them does not say one read of a block.
fn unverified(counts: &ServerCounts, block_bytes: u64, stray: f64) -> Option<String> {
    let asked = to_f64(counts.asked_blocks());
    let of = |blocks: f64| {
        let tolerated = TOLERANCE * blocks;
        tolerated.max(stray + CHANCE * tolerated.sqrt())
    };
    let ahead = to_f64(counts.ahead_blocks);
    let (known, seen) = counters(counts, block_bytes);
    // One kind of queries must not make up for the other.
    let kinds = counts.process_bytes.zip(counts.report_process_bytes);
    let kinds = kinds.filter(|_| counts.probes > 0 && counts.scanned_blocks > 0);
    let apart = kinds.is_none_or(|(all, reports)| {
        let blocks = |bytes: u64| to_f64(bytes) / to_f64(block_bytes);
        let (scanned, probes) =
            (to_f64(counts.scanned_blocks), to_f64(counts.needed_blocks() - counts.scanned_blocks));
        let (of_reports, others) = (blocks(reports), blocks(all.saturating_sub(reports)));
        (-of(scanned)..=of(scanned) + ahead).contains(&(of_reports - scanned))
            && (others - probes).abs() <= of(probes)
    });
    let agrees = |one: &Counter| one.count >= one.least - of(one.least) && one.count <= one.most + of(asked);
    if seen && asked > 0.0 && apart && known.iter().all(agrees) {
        return None;
    }
    let of_all = |count: f64| count / asked.max(1.0);
    let mut told: Vec<String> =
        known.iter().map(|one| format!("{} {:.3} {}", one.what, of_all(one.count), one.unit)).collect();
    if !seen {
        told.push("no counter shows what came from storage".to_owned());
    }
    if !apart {
        told.push("which look-ups and reports do not share in proportion to their rows".to_owned());
    }
    let noun = if counts.scanned_blocks > 0 { "blocks that were asked for" } else { "look-ups" };
    Some(format!("for each of {} {noun} {}", figure(asked), told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::matrix::{Point, RunLevel};
    use crate::load::sides::Side;
    use crate::load::sql::{Probe, Product, ReportBy, ServerChoice, SqlLevel, SqlRequest};
    use crate::load::task::Through;
    use crate::measure::DeviceReads;
    use crate::record::NodeVisit;
    use crate::record::tests::visit;

    fn request() -> Request {
        Request {
            through: Through::Sql(SqlRequest {
                product: Product::Postgresql,
                level: SqlLevel::Commit,
                probe: Probe::Single,
                report: ReportBy::Range,
                server: ServerChoice::Private,
            }),
            ..Request::new(RunLevel::Sql)
        }
    }

    const BLOCK_BYTES: u64 = 8192;

    fn counts(blocks: u64, reads: u64, bytes: u64) -> ServerCounts {
        ServerCounts {
            probes: 10_000,
            table_blocks: Some(blocks),
            device: Some(DeviceReads { reads, bytes, of_server: true }),
            ..ServerCounts::default()
        }
    }

    #[test]
    fn one_read_of_one_block_for_each_look_up() {
        let told = |counts: &ServerCounts| unverified(counts, BLOCK_BYTES, 4.0);
        let right = counts(10_000, 10_004, 10_004 * BLOCK_BYTES);
        assert_eq!(told(&right), None);
        assert_eq!(told(&counts(9_910, 9_910, 9_910 * BLOCK_BYTES)), None, "within 1 %");
        let cached = told(&counts(10_000, 4_800, 4_800 * 26_624)).unwrap();
        assert!(cached.contains("for each of 10,000 look-ups the server asked for 1.000 blocks"), "{cached}");
        assert!(cached.contains("the device made 0.480 reads, it moved 1.560 blocks"), "{cached}");
        assert!(told(&counts(9_890, 10_000, 10_000 * BLOCK_BYTES)).is_some(), "hits in its own cache");
        let few =
            |blocks: u64| told(&ServerCounts { probes: 600, ..counts(blocks, blocks, blocks * BLOCK_BYTES) });
        assert_eq!(few(589), None, "by chance");
        assert!(few(588).is_some(), "4 strays, and 3 times the root of 6 by chance");
        assert!(told(&counts(10_000, 10_000, 20_000 * BLOCK_BYTES)).is_some(), "read ahead");
    }

    #[test]
    fn what_look_ups_read_of_an_index_has_to_come_from_storage_as_well() {
        let by_index = |index, storage| ServerCounts {
            index_blocks: Some(index),
            table_blocks: Some(10_000),
            ..counts(0, storage, storage * BLOCK_BYTES)
        };
        assert_eq!(unverified(&by_index(0, 10_000), BLOCK_BYTES, 4.0), None, "in the cache of the server");
        assert_eq!(unverified(&by_index(6_500, 16_500), BLOCK_BYTES, 4.0), None);
        let text = unverified(&by_index(6_500, 10_000), BLOCK_BYTES, 4.0).unwrap();
        assert!(
            text.contains("the server asked for 1.000 blocks, it asked for 0.650 blocks of the index")
                && text.contains("the device made 1.000 reads"),
            "in the page cache: {text}"
        );
        assert!(unverified(&by_index(0, 16_500), BLOCK_BYTES, 4.0).is_some());
        let cached = ServerCounts { table_blocks: Some(9_000), ..by_index(1_000, 10_000) };
        assert!(unverified(&cached, BLOCK_BYTES, 4.0).is_some(), "the index does not make up for the table");
    }

    #[test]
    fn one_visit_does_not_make_up_for_another() {
        let reads = |reads| counts(10_000, reads, reads * BLOCK_BYTES);
        assert_eq!(of_visits(&[reads(10_050), reads(9_950)], BLOCK_BYTES), None);
        let told = of_visits(&[reads(10_000), reads(12_000), reads(8_000)], BLOCK_BYTES).unwrap();
        assert!(told.contains("in a single visit, for each of 10,000 look-ups"), "{told}");
        assert!(told.contains("the device made 1.200 reads"), "{told}");
        let told = of_visits(&[reads(10_000), reads(12_000)], BLOCK_BYTES).unwrap();
        assert!(told.starts_with("for each of 20,000 look-ups"), "{told}");
        assert_eq!(of_visits(&[], BLOCK_BYTES), None);
    }

    #[test]
    fn without_a_counter_below_the_page_cache_nothing_is_verified() {
        let blind = ServerCounts { device: None, ..counts(10_000, 0, 0) };
        let text = unverified(&blind, BLOCK_BYTES, 4.0).unwrap();
        assert!(text.ends_with("no counter shows what came from storage"), "{text}");
        let seen = ServerCounts { process_bytes: Some(10_000 * BLOCK_BYTES), ..blind };
        assert_eq!(unverified(&seen, BLOCK_BYTES, 4.0), None);
        assert!(unverified(&ServerCounts { probes: 0, ..seen }, BLOCK_BYTES, 4.0).is_some());
    }

    #[test]
    fn a_block_of_a_report_is_read_once_however_many_at_a_time() {
        let both = |reads, blocks, of_reports| ServerCounts {
            scanned_blocks: 90_000,
            process_bytes: Some(blocks * BLOCK_BYTES),
            report_process_bytes: Some(of_reports * BLOCK_BYTES),
            ..counts(blocks, reads, blocks * BLOCK_BYTES)
        };
        assert_eq!(
            unverified(&both(10_000 + 90_000 / 16, 100_000, 90_000), BLOCK_BYTES, 4.0),
            None,
            "read ahead"
        );
        assert_eq!(unverified(&both(100_000, 100_000, 90_100), BLOCK_BYTES, 4.0), None);
        let text = unverified(&both(9_000, 100_000, 90_000), BLOCK_BYTES, 4.0).unwrap();
        assert!(text.starts_with("for each of 100,000 blocks that were asked for"), "{text}");
        assert!(unverified(&both(20_000, 98_000, 88_000), BLOCK_BYTES, 4.0).is_some(), "cached");
        let ahead = |blocks, reports| ServerCounts {
            ahead_blocks: 2_048,
            table_blocks: Some(100_000),
            ..both(20_000, blocks, reports)
        };
        assert_eq!(unverified(&ahead(102_000, 92_000), BLOCK_BYTES, 4.0), None, "read ahead at the end");
        assert!(unverified(&ahead(104_000, 94_000), BLOCK_BYTES, 4.0).is_some(), "more than that");
        assert!(unverified(&ahead(98_500, 88_500), BLOCK_BYTES, 4.0).is_some(), "it does not hide a cache");
        let asked = ServerCounts { table_blocks: Some(102_000), ..ahead(102_000, 92_000) };
        assert!(unverified(&asked, BLOCK_BYTES, 4.0).is_some(), "the server knows nothing of it");
        let text = unverified(&both(20_000, 100_000, 92_000), BLOCK_BYTES, 4.0).unwrap();
        assert!(text.ends_with("do not share in proportion to their rows"), "{text}");
    }

    #[test]
    fn others_may_read_from_a_shared_device() {
        let shared = |reads, fetched: Option<u64>| ServerCounts {
            device: Some(DeviceReads { reads, bytes: reads * BLOCK_BYTES, of_server: false }),
            process_bytes: fetched.map(|blocks| blocks * BLOCK_BYTES),
            ..counts(10_000, 0, 0)
        };
        assert_eq!(unverified(&shared(13_000, Some(10_000)), BLOCK_BYTES, 4.0), None);
        for wrong in [shared(13_000, None), shared(13_000, Some(12_000)), shared(5000, Some(10_000))] {
            assert!(unverified(&wrong, BLOCK_BYTES, 4.0).is_some(), "{wrong:?}");
        }
        let own = DeviceReads { of_server: true, ..shared(13_000, None).device.unwrap() };
        assert!(
            unverified(&ServerCounts { device: Some(own), ..shared(0, Some(10_000)) }, BLOCK_BYTES, 4.0)
                .is_some()
        );
    }

    #[test]
    fn no_more_commits_share_a_flush_than_there_are_sessions() {
        let told = |commits, flushes, sessions| {
            unflushed(&ServerCounts { commits, flushes, ..ServerCounts::default() }, sessions)
        };
        assert_eq!((told(1000, Some(1000), 1), told(1000, Some(260), 4)), (None, None));
        assert_eq!((told(0, None, 1), told(1000, Some(996), 1)), (None, None));
        assert!(told(1000, Some(900), 1).is_some() && told(1000, Some(100), 4).is_some());
        let text = told(5000, Some(0), 16).unwrap();
        assert!(text.starts_with("5,000 commits needed only 0 log flushes"), "{text}");
        assert!(told(1000, None, 1).unwrap().contains("the server did not count"));
    }

    #[test]
    fn commits_are_not_called_look_ups() {
        let of = |commits, flushes| Visit {
            point: Point::default().with(Class::COMMIT, 2).on(Side::B),
            nodes: vec![NodeVisit {
                server: Some(ServerCounts { commits, flushes, ..ServerCounts::default() }),
                ..NodeVisit::default()
            }],
            ..visit(0, 1_000_000)
        };
        let (none, some) = (of(0, Some(0)), of(1000, Some(600)));
        assert_eq!(
            of_point(&request(), &[&none, &some]),
            None,
            "a stall of the storage is none of the server"
        );
        let told = of_point(&request(), &[&none, &none]).unwrap();
        assert_eq!((told.text.as_str(), told.invalid), ("no transaction was committed", true));
        let uncounted = of_point(&request(), &[&of(1000, None)]).unwrap();
        assert!(uncounted.text.ends_with("version 14 and later do"), "{}", uncounted.text);
    }

    #[test]
    fn a_few_reads_of_the_filesystem_are_forgiven() {
        let few = |reads| ServerCounts {
            probes: 100,
            table_blocks: Some(100),
            device: Some(DeviceReads { reads, bytes: reads * BLOCK_BYTES, of_server: true }),
            ..ServerCounts::default()
        };
        assert_eq!(unverified(&few(107), BLOCK_BYTES, 4.0), None, "4, and 3 by chance");
        assert!(unverified(&few(108), BLOCK_BYTES, 4.0).is_some());
    }
}
