//! Flush settings: sessions change rows at random places, each in its own transaction, and the changed pages have to be written.
//!
//! The rows of all seconds are reported, and those of the worst second: if flushing falls behind, a server stalls. Must not judge.

use super::{Prover, key, number, set};
use crate::failure::silent;
use crate::mysql::database::Flavour;
use crate::mysql::failure;
use crate::patience::{PATIENCE, within};
use crate::prove::{Progress, ProofStep, check_not_stopped, shuffled};
use mysql::Conn;
use mysql::prelude::Queryable as _;
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_core::units::{MIB, to_f64};
use rigel_uses::proof::concurrency::{ConcurrencyFindings, Rates};
use std::thread;
use std::time::{Duration, Instant};

const WRITERS: u32 = 8;
/// Uncounted time for each counted second, until the load is steady.
const LEAD: Duration = Duration::from_millis(125);
/// Most seconds of a turn that are counted. If an experiment may not take long, fewer are: about this many turns have to fit.
const SECONDS: u64 = 8;
const TURNS: u64 = 40;
/// The default of both products until now (MySQL 8.4 has 10,000).
const USUAL_CAPACITY: u32 = 200;
/// The lowest `innodb_io_capacity_max` that a server chooses by itself.
const LEAST_MOST: u32 = 2000;
/// Enough for any device while nothing is measured.
const ALL_OUT: u32 = 40_000;
const CAPACITY: &str = "innodb_io_capacity";
const NEIGHBORS: &str = "innodb_flush_neighbors";
const UPDATED: &str = "rows changed per second, each in a commit of its own";
const WORST: &str = "rows changed in the worst second, each in a commit of its own";
const DIRTY: &str = "select variable_value from information_schema.global_status where variable_name = 'Innodb_buffer_pool_pages_dirty'";
const DIRTY_OF_MYSQL: &str = "select variable_value from performance_schema.global_status where variable_name = 'Innodb_buffer_pool_pages_dirty'";
/// Fewer are always there.
const FEW_PAGES: u64 = 64;
/// A whole row changes, so the log grows like that of a busy server.
const UPDATE: &str =
    "update rigel.big set v = v + 1, pad = concat(substr(pad, 2), substr(pad, 1, 1)) where id = ?";

/// A setting whose values take turns.
struct Knob {
    name: &'static str,
    default: u32,
    advised: Option<u32>,
    values: Vec<u32>,
    /// The server's default `innodb_io_capacity`.
    capacity: u32,
    /// It is set while the server runs; otherwise the server is restarted with this name.
    by_start: Option<&'static str>,
}

/// All values, with a cache of that size; `advised`: what the rule of `advise` concludes for this storage.
pub fn prove(
    prover: &mut Prover<'_>,
    cache_bytes: u64,
    advised: Option<u32>,
    progress: Progress<'_>,
) -> Result<Vec<ConcurrencyFindings>, Problem> {
    prover.start(cache_bytes, None)?;
    let mut client = prover.session()?;
    let capacity =
        u32::try_from(number(&mut client, "select @@innodb_io_capacity")?).unwrap_or(USUAL_CAPACITY);
    let neighbors = u32::try_from(number(&mut client, "select @@innodb_flush_neighbors")?).unwrap_or(1);
    let (log_name, log_bytes) = match prover.flavour {
        Flavour::Mariadb => ("innodb-log-file-size", number(&mut client, "select @@innodb_log_file_size")?),
        Flavour::Mysql => {
            ("innodb-redo-log-capacity", number(&mut client, "select @@innodb_redo_log_capacity")?)
        }
    };
    let log_mib = u32::try_from(log_bytes / MIB).unwrap_or(100);
    drop(client);
    let of_capacity =
        advised.into_iter().flat_map(|advised| [USUAL_CAPACITY, advised, 2 * advised, 4 * advised]);
    let knobs = [
        Knob {
            name: CAPACITY,
            default: capacity,
            advised,
            values: of_capacity.chain(advised.map(|_| capacity)).collect(),
            capacity,
            by_start: None,
        },
        Knob {
            name: NEIGHBORS,
            default: neighbors,
            advised: None,
            values: vec![0, 1, 2],
            capacity,
            by_start: None,
        },
        Knob {
            name: if prover.flavour == Flavour::Mariadb {
                "innodb_log_file_size (MiB)"
            } else {
                "innodb_redo_log_capacity (MiB)"
            },
            default: log_mib,
            advised: None,
            values: vec![log_mib / 2, log_mib, 2 * log_mib, 4 * log_mib],
            capacity,
            by_start: Some(log_name),
        },
    ];
    let mut all = Vec::new();
    for knob in knobs.iter().filter(|knob| !knob.values.is_empty()) {
        all.extend(of_knob(prover, cache_bytes, knob, progress)?);
    }
    Ok(all)
}

fn of_knob(
    prover: &mut Prover<'_>,
    cache_bytes: u64,
    knob: &Knob,
    progress: Progress<'_>,
) -> Result<Vec<ConcurrencyFindings>, Problem> {
    let mut values = knob.values.clone();
    values.sort_unstable();
    values.dedup();
    let rates = |value: &u32| Rates { sessions: WRITERS, value: *value, rounds: Vec::new() };
    let (mut means, mut worst): (Vec<Rates>, Vec<Rates>) =
        (values.iter().map(rates).collect(), values.iter().map(rates).collect());
    if knob.by_start.is_none() {
        prover.start(cache_bytes, None)?;
        warm(prover)?;
    }
    let total = values.len() as u64 * u64::from(prover.wanted.rounds);
    let (mut round, mut done) = (0, 0);
    while prover.next_round(round) {
        let mut draw = Generator::new(prover.wanted.seed, &[6, u64::from(round)]);
        for place in shuffled((0..values.len()).collect(), &mut draw) {
            if let Some(name) = knob.by_start {
                prover.start(cache_bytes, Some(&format!("{name}={}M", values[place])))?;
                warm(prover)?;
            }
            let seconds = visit(prover, knob, values[place], draw.below(u64::MAX))?;
            let worst_of = seconds.iter().copied().min().unwrap_or(0).max(1);
            let sum: u64 = seconds.iter().sum();
            means[place].rounds.push((round, to_f64(sum.max(1)) / to_f64(seconds.len() as u64)));
            worst[place].rounds.push((round, to_f64(worst_of)));
            done += 1;
            progress(ProofStep::Timing(knob.name), done, total);
        }
        round += 1;
    }
    let found = |name: &str, rates: &[Rates], what| {
        ConcurrencyFindings::of(name, rates, knob.default, knob.advised).map(|found| found.measuring(what))
    };
    let of_worst = format!("{}, worst second", knob.name);
    // Of a single second the worst is that one.
    let worst = (counted(prover.wanted.most) > 1).then(|| found(&of_worst, &worst, WORST)).flatten();
    Ok(found(knob.name, &means, UPDATED).into_iter().chain(worst).collect())
}

/// Brings the table into the cache of the server.
fn warm(prover: &Prover<'_>) -> Result<(), Problem> {
    number(&mut prover.session()?, "select count(pad) from rigel.big").map(drop)
}

/// Rows changed in each second, with nothing left to be written before.
fn visit(prover: &Prover<'_>, knob: &Knob, value: u32, seed: u64) -> Result<Vec<u64>, Problem> {
    check_not_stopped(prover.stop)?;
    let mut client = prover.session()?;
    clean(prover, &mut client, knob.capacity)?;
    if knob.name == CAPACITY {
        give_capacity(&mut client, value)?;
    } else if knob.by_start.is_none() {
        set(&mut client, &format!("set global {} = {value}", knob.name))?;
    }
    let mut writers = (0..WRITERS).map(|_| prover.session()).collect::<Result<Vec<Conn>, Problem>>()?;
    let (rows, seconds) = (prover.rows, counted(prover.wanted.most));
    let shown = super::address(prover.server).shown().to_owned();
    // Nobody waits for a server that never answers.
    let told = within(PATIENCE, move || {
        let began = Instant::now();
        thread::scope(|scope| {
            let all: Vec<_> = (0_u64..)
                .zip(&mut writers)
                .map(|(number, client)| {
                    let mut draw = Generator::new(seed, &[number]);
                    scope.spawn(move || write(client, &mut draw, rows, (began, seconds)))
                })
                .collect();
            let joined =
                all.into_iter().map(|one| one.join().unwrap_or_else(|_| Err(crate::session::died())));
            joined.collect::<Result<Vec<Vec<u64>>, Problem>>()
        })
    });
    let all = told.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))?;
    Ok((0..seconds).map(|second| all.iter().map(|one| one[second]).sum()).collect())
}

/// How many seconds of each turn are counted.
fn counted(most: Option<Duration>) -> usize {
    let seconds = most.map_or(SECONDS, |most| (most.as_secs() / TURNS).clamp(1, SECONDS));
    usize::try_from(seconds).unwrap_or(1)
}

/// Rows that one session changes in each second that counts.
fn write(
    client: &mut Conn,
    draw: &mut Generator,
    rows: u64,
    (began, counted): (Instant, usize),
) -> Result<Vec<u64>, Problem> {
    let refused = |error| failure::statement("a row cannot be changed", &error);
    let statement = client.prep(UPDATE).map_err(refused)?;
    let mut seconds = vec![0; counted];
    let lead = LEAD * u32::try_from(counted).unwrap_or(1);
    loop {
        client.exec_drop(&statement, (key(draw.below(rows)),)).map_err(refused)?;
        let Some(at) = began.elapsed().checked_sub(lead) else { continue };
        match seconds.get_mut(usize::try_from(at.as_secs()).unwrap_or(counted)) {
            Some(count) => *count += 1,
            None => return Ok(seconds),
        }
    }
}

/// Lets the server write everything, and resets it to its defaults.
fn clean(prover: &Prover<'_>, client: &mut Conn, capacity: u32) -> Result<(), Problem> {
    let ask = if prover.flavour == Flavour::Mariadb { DIRTY } else { DIRTY_OF_MYSQL };
    give_capacity(client, ALL_OUT)?;
    set(client, "set global innodb_max_dirty_pages_pct = 0")?;
    let began = Instant::now();
    while number(client, ask)? > FEW_PAGES && began.elapsed() < PATIENCE {
        check_not_stopped(prover.stop)?;
        thread::sleep(Duration::from_millis(50));
    }
    set(client, "set global innodb_max_dirty_pages_pct = 90")?;
    give_capacity(client, capacity)
}

/// The capacity, and for when flushing falls behind twice that but at least 2000, as a server chooses by itself if only the first is set.
fn give_capacity(client: &mut Conn, value: u32) -> Result<(), Problem> {
    // Neither may pass the other on the way.
    set(client, "set global innodb_io_capacity = 100")?;
    set(client, &format!("set global innodb_io_capacity_max = {}", value.saturating_mul(2).max(LEAST_MOST)))?;
    set(client, &format!("set global innodb_io_capacity = {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_that_may_not_take_long_counts_fewer_seconds() {
        let counted = |seconds: u64| counted(Some(Duration::from_secs(seconds)));
        assert_eq!((super::counted(None), counted(1), counted(120), counted(3600)), (8, 1, 3, 8));
    }
}
