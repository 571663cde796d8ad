//! Settings of concurrent I/O: bitmap scans of an uncached table, by several sessions at the same time.
//!
//! Values take turns in random order: by SET if a session may, and on a private server by ALTER SYSTEM. Must not judge.

use super::ask::{self, Answer};
use super::{Progress, ProofStep, Prover, keys, shuffled};
use crate::postgresql::failure;
use postgres::Client;
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_uses::proof::concurrency::{ConcurrencyFindings, Rates};
use std::thread;
use std::time::{Duration, Instant};

const CONCURRENCY: [u32; 10] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];
const WORKERS: [u32; 6] = [1, 2, 3, 8, 16, 32];
pub const SESSIONS: [u32; 3] = [1, 4, 16];
/// Most of these.
pub const MOST_SESSIONS: u32 = 16;
/// The rows that a session scans when it is alone; with several, each has fewer, so that they do not find each other's blocks in memory.
const SHARE: f64 = 0.02;
const BITMAP: &str = "set enable_indexscan = off; set enable_seqscan = off; set enable_bitmapscan = on";
/// The server starts and ends its workers itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// A setting whose values take turns.
struct Knob {
    name: &'static str,
    values: &'static [u32],
    advised: u32,
    /// It belongs to the whole server, not to a session.
    is_of_server: bool,
}

/// `effective_io_concurrency`, on which bitmap scans of every version depend.
pub fn concurrency(
    prover: &mut Prover<'_>,
    advised: u32,
    progress: Progress<'_>,
) -> Result<Option<ConcurrencyFindings>, Problem> {
    let knob = Knob { name: "effective_io_concurrency", values: &CONCURRENCY, advised, is_of_server: false };
    prove(prover, &knob, progress)
}

/// `io_workers`, where workers of the server read.
pub fn workers(
    prover: &mut Prover<'_>,
    advised: u32,
    progress: Progress<'_>,
) -> Result<Option<ConcurrencyFindings>, Problem> {
    let knob = Knob { name: "io_workers", values: &WORKERS, advised, is_of_server: true };
    prove(prover, &knob, progress)
}

fn prove(
    prover: &mut Prover<'_>,
    knob: &Knob,
    progress: Progress<'_>,
) -> Result<Option<ConcurrencyFindings>, Problem> {
    let mut clients = sessions(prover)?;
    let default = default(&mut clients, knob.name)?;
    let mut values: Vec<u32> = knob.values.iter().copied().chain([default, knob.advised]).collect();
    values.sort_unstable();
    values.dedup();
    let point = |sessions| values.iter().map(move |&value| Rates { sessions, value, rounds: Vec::new() });
    let mut points: Vec<Rates> = SESSIONS.into_iter().flat_map(point).collect();
    let total = points.len() as u64 * u64::from(prover.wanted.rounds);
    let (mut round, mut done) = (0, 0);
    while prover.next_round(round) {
        let mut draw = Generator::new(prover.wanted.seed, &[4, u64::from(round)]);
        for place in shuffled((0..points.len()).collect(), &mut draw) {
            let point = &mut points[place];
            let some = clients.get_mut(..point.sessions as usize).unwrap_or_default();
            turn(prover, some, knob, point.value)?;
            if let Some(rate) = visit(prover, some, &mut draw)? {
                point.rounds.push((round, rate));
            }
            done += 1;
            progress(ProofStep::Timing(knob.name), done, total);
        }
        round += 1;
    }
    Ok(ConcurrencyFindings::of(knob.name, &points, default, Some(knob.advised)))
}

/// Sessions that scan by bitmap.
pub fn sessions(prover: &Prover<'_>) -> Result<Vec<Client>, Problem> {
    let mut all: Vec<Client> = (0..MOST_SESSIONS).map(|_| prover.session()).collect::<Result<_, _>>()?;
    all.iter_mut().try_for_each(|client| ask::set(client, BITMAP))?;
    Ok(all)
}

/// Gives the setting this value.
fn turn(prover: &mut Prover<'_>, clients: &mut [Client], knob: &Knob, value: u32) -> Result<(), Problem> {
    const COUNT: &str = "select count(*) from pg_stat_activity where backend_type = 'io worker'";
    if !knob.is_of_server {
        let set = format!("set {} = {value}", knob.name);
        return clients.iter_mut().try_for_each(|client| ask::set(client, &set));
    }
    let client = &mut prover.database.client;
    ask::set(client, &format!("alter system set {} = {value}", knob.name))?;
    ask::set(client, "select pg_reload_conf()")?;
    let (began, wanted) = (Instant::now(), [value.to_string()]);
    while ask::lines(client, COUNT)? != wanted {
        if began.elapsed() > PATIENCE {
            return Err(Problem::refused(format!("the server does not run {value} workers"))
                .at(knob.name)
                .next("check the server log"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Rows per second of all sessions together; `None` when one took too long.
pub fn visit(
    prover: &mut Prover<'_>,
    clients: &mut [Client],
    draw: &mut Generator,
) -> Result<Option<f64>, Problem> {
    #[expect(clippy::cast_precision_loss, reason = "there are few sessions")]
    let sessions = clients.len() as f64;
    let keys = keys(prover.tables.rows, SHARE / sessions.sqrt());
    let queries: Vec<String> = clients
        .iter()
        .map(|_| {
            let first = prover.range(draw, keys);
            format!("select count(pad) from rigel.proof where k >= {first} and k < {}", first + keys)
        })
        .collect();
    prover.set_caches(0.0)?;
    let (stop, began) = (prover.stop, Instant::now());
    let answers = thread::scope(|scope| {
        let sessions = clients.iter_mut().zip(&queries);
        let all: Vec<_> =
            sessions.map(|(client, query)| scope.spawn(move || ask::timed(client, query, stop))).collect();
        let joined = all.into_iter().map(|one| one.join().unwrap_or_else(|_| Err(crate::session::died())));
        joined.collect::<Result<Vec<Answer>, Problem>>()
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let whole = answers.iter().all(|answer| matches!(answer, Answer::Took(_)));
    Ok(whole.then_some(f64::from(keys) * sessions / seconds))
}

/// The server's default.
fn default(clients: &mut [Client], setting: &str) -> Result<u32, Problem> {
    const ASK: &str = "select boot_val from pg_settings where name = $1";
    let Some(client) = clients.first_mut() else { return Ok(1) };
    let row = client.query_one(ASK, &[&setting]);
    let row = row.map_err(|error| failure::statement("the default cannot be seen", &error))?;
    Ok(row.get::<_, String>(0).parse().unwrap_or(1))
}
