//! `innodb_read_io_threads`: uncached ranges, read by several sessions at the same time, with pages read ahead by those threads.
//!
//! The server is restarted for each value, because not every version accepts it at run time. Must not judge.

use super::{Prover, key, number};
use crate::failure::silent;
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
use std::time::Instant;

const THREADS: &str = "innodb_read_io_threads";
/// The default of MariaDB; that of MySQL depends on the CPUs.
const USUAL: u32 = 4;
const VALUES: [u32; 5] = [1, 2, 4, 8, 16];
const SESSIONS: [u32; 2] = [1, 4];
/// Parts of the table for each session.
const PARTS: u64 = 4;
/// Next to nothing of the table.
const CACHE_BYTES: u64 = 16 * MIB;
const SCANNED: &str = "rows per second of ranges that no cache holds";
const SCAN: &str = "select count(pad) from rigel.big where id >= ? and id < ?";

/// All values; `advised`: what the rule of `advise` concludes for this storage.
pub fn prove(
    prover: &mut Prover<'_>,
    advised: u32,
    progress: Progress<'_>,
) -> Result<Option<ConcurrencyFindings>, Problem> {
    prover.start(CACHE_BYTES, None)?;
    let default = number(&mut prover.session()?, "select @@innodb_read_io_threads")?;
    let default = u32::try_from(default).unwrap_or(USUAL);
    let mut values: Vec<u32> = VALUES.into_iter().chain([advised, default]).collect();
    values.sort_unstable();
    values.dedup();
    let point = |value: &u32| SESSIONS.map(|sessions| Rates { sessions, value: *value, rounds: Vec::new() });
    let mut all: Vec<[Rates; SESSIONS.len()]> = values.iter().map(point).collect();
    let total = (values.len() * SESSIONS.len()) as u64 * u64::from(prover.wanted.rounds);
    let (mut round, mut done) = (0, 0);
    while prover.next_round(round) {
        let mut draw = Generator::new(prover.wanted.seed, &[7, u64::from(round)]);
        for place in shuffled((0..values.len()).collect(), &mut draw) {
            for some in shuffled((0..SESSIONS.len()).collect(), &mut draw) {
                prover.start(CACHE_BYTES, Some(&format!("innodb-read-io-threads={}", values[place])))?;
                let rate = visit(prover, SESSIONS[some], &mut draw)?;
                all[place][some].rounds.push((round, rate));
                done += 1;
                progress(ProofStep::Timing(THREADS), done, total);
            }
        }
        round += 1;
    }
    let found = ConcurrencyFindings::of(THREADS, &all.concat(), default, Some(advised));
    Ok(found.map(|found| found.measuring(SCANNED)))
}

/// Rows per second of all sessions together, each with its own part.
fn visit(prover: &Prover<'_>, sessions: u32, draw: &mut Generator) -> Result<f64, Problem> {
    check_not_stopped(prover.stop)?;
    let mut clients = (0..sessions).map(|_| prover.session()).collect::<Result<Vec<Conn>, Problem>>()?;
    let part = prover.rows / PARTS;
    let first = draw.below(PARTS);
    let shown = super::address(prover.server).shown().to_owned();
    let told = within(PATIENCE, move || {
        let began = Instant::now();
        let found = thread::scope(|scope| {
            let all: Vec<_> = (first..)
                .zip(&mut clients)
                .map(|(place, client)| {
                    let from = place % PARTS * part;
                    scope.spawn(move || client.exec_first::<u64, _, _>(SCAN, (key(from), key(from + part))))
                })
                .collect();
            let joined = all.into_iter().map(|one| match one.join() {
                Ok(told) => told.map_err(|error| failure::statement("a range cannot be read", &error)),
                Err(_) => Err(crate::session::died()),
            });
            joined.collect::<Result<Vec<Option<u64>>, Problem>>()
        });
        found.map(|counts| to_f64(counts.into_iter().flatten().sum::<u64>()) / began.elapsed().as_secs_f64())
    });
    told.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))
}
