//! `io_method`: who reads for a session. The private server is restarted for each value, in turn.
//!
//! Must not judge, and must not restart a user's server.

use super::scans::{self, SESSIONS};
use super::tables::SWEEPS_BY;
use super::{METHOD, Progress, ProofStep, Prover, Restart, ask, most_workers, shuffled};
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_uses::proof::SkippedSetting;
use rigel_uses::proof::concurrency::{ConcurrencyFindings, Rates};

/// In the server's order.
const METHODS: [&str; 3] = ["sync", "worker", "io_uring"];
/// The default.
const WORKER: u32 = 1;
const URING: u32 = 2;

/// Results of the methods that this server knows and this host allows; the others are listed in `skipped`.
/// `saturating`: the reads that saturate the storage.
pub fn prove(
    prover: &mut Prover<'_>,
    restart: Restart<'_>,
    saturating: u32,
    skipped: &mut Vec<SkippedSetting>,
    progress: Progress<'_>,
) -> Result<Option<ConcurrencyFindings>, Problem> {
    // What the turns of the workers have left.
    ask::set(&mut prover.database.client, "alter system reset all")?;
    let methods = that_work(prover, restart, skipped)?;
    let points =
        |&(value, _): &(u32, &str)| SESSIONS.map(|sessions| Rates { sessions, value, rounds: Vec::new() });
    let mut all: Vec<_> = methods.iter().map(points).collect();
    let total = (all.len() * SESSIONS.len()) as u64 * u64::from(prover.wanted.rounds);
    let (mut round, mut done) = (0, 0);
    while prover.next_round(round) {
        let mut draw = Generator::new(prover.wanted.seed, &[5, u64::from(round)]);
        for place in shuffled((0..all.len()).collect(), &mut draw) {
            start(prover, restart, methods[place].1)?;
            let mut clients = scans::sessions(prover)?;
            for some in shuffled((0..SESSIONS.len()).collect(), &mut draw) {
                let point = &mut all[place][some];
                let clients = clients.get_mut(..point.sessions as usize).unwrap_or_default();
                if let Some(rate) = scans::visit(prover, clients, &mut draw)? {
                    point.rounds.push((round, rate));
                }
                done += 1;
                progress(ProofStep::Timing(METHOD), done, total);
            }
        }
        round += 1;
    }
    // The rule of advise: workers, as long as there can be enough of them.
    let advised = if saturating <= most_workers() { WORKER } else { URING };
    let advised = Some(advised).filter(|advised| methods.iter().any(|(value, _)| value == advised));
    Ok(ConcurrencyFindings::of(METHOD, &all.concat(), WORKER, advised).map(|found| found.in_words(&METHODS)))
}

/// The methods with which the server starts, each with its number.
fn that_work(
    prover: &mut Prover<'_>,
    restart: Restart<'_>,
    skipped: &mut Vec<SkippedSetting>,
) -> Result<Vec<(u32, &'static str)>, Problem> {
    const KNOWN: &str = "select unnest(enumvals) from pg_settings where name = 'io_method'";
    let known = ask::lines(&mut prover.database.client, KNOWN)?;
    let mut all = Vec::new();
    for (value, method) in (0..).zip(METHODS) {
        let because = if known.iter().any(|one| one == method) {
            match start(prover, restart, method) {
                Ok(()) => {
                    all.push((value, method));
                    continue;
                }
                Err(problem) => {
                    format!("The server does not start with it: {}.", problem.cause.unwrap_or(problem.what))
                }
            }
        } else {
            "This server was built without it.".to_owned()
        };
        skipped.push(SkippedSetting { setting: format!("{METHOD} = {method}"), because });
    }
    Ok(all)
}

/// Starts the server with this method.
fn start(prover: &mut Prover<'_>, restart: Restart<'_>, method: &str) -> Result<(), Problem> {
    prover.database = restart(&format!("{METHOD}={method}"))?;
    ask::set(&mut prover.database.client, SWEEPS_BY)
}
