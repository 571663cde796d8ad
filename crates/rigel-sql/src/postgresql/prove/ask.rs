//! One statement, timed, which the user or a limit can stop. Must not know what is asked.

use crate::postgresql::address::Address;
use crate::postgresql::failure;
use crate::prove::ended;
use postgres::error::SqlState;
use postgres::{Client, NoTls, SimpleQueryMessage};
use rigel_core::error::{ExitKind, Problem};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(100);
/// No plan is worth more patience, and one that takes longer is known to be bad.
pub const LIMIT: Duration = Duration::from_secs(30);
/// One process answers, without JIT compilation.
const SETTINGS: &str =
    "set jit = off; set max_parallel_workers_per_gather = 0; set enable_indexonlyscan = off";

/// The result of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// It took this many seconds.
    Took(f64),
    /// It was ended after this many seconds.
    Cut(f64),
}

/// A session of the experiment.
pub fn session(address: &Address) -> Result<Client, Problem> {
    let mut client = address.connect().map_err(|error| failure::connect(address, &error))?;
    set(&mut client, &format!("{SETTINGS}; set statement_timeout = {}", LIMIT.as_millis()))?;
    Ok(client)
}

/// Checks that this many sessions are available, before anything is created.
pub fn try_out(address: &Address, sessions: u32) -> Result<(), Problem> {
    crate::session::allow_files(sessions);
    (0..sessions).map(|_| session(address)).collect::<Result<Vec<Client>, Problem>>().map(drop)
}

/// Statements that give nothing.
pub fn set(client: &mut Client, settings: &str) -> Result<(), Problem> {
    client.batch_execute(settings).map_err(|error| failure::statement("a setting cannot be changed", &error))
}

/// The rows of a statement with one column.
pub fn lines(client: &mut Client, sql: &str) -> Result<Vec<String>, Problem> {
    let told = client
        .simple_query(sql)
        .map_err(|error| failure::statement("the server does not report it", &error))?;
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    Ok(told.iter().filter_map(line).collect())
}

/// Executes it to its end, to the limit of the session, or until `stop` is set.
pub fn timed(client: &mut Client, sql: &str, stop: &AtomicBool) -> Result<Answer, Problem> {
    let cancel = client.cancel_token();
    thread::scope(|scope| {
        let (told, hear) = mpsc::channel();
        scope.spawn(move || {
            let began = Instant::now();
            let asked = client.simple_query(sql).map(drop);
            // The other side waits for it.
            let _ = told.send((began.elapsed().as_secs_f64(), asked));
        });
        let mut is_ended = false;
        loop {
            match hear.recv_timeout(TICK) {
                Ok((seconds, asked)) => return answer(seconds, asked, stop),
                Err(RecvTimeoutError::Disconnected) => return Err(crate::session::died()),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) && !is_ended => {
                    is_ended = true;
                    // What cannot be ended ends by the limit of the session.
                    let _ = cancel.cancel_query(NoTls);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}

fn answer(seconds: f64, asked: Result<(), postgres::Error>, stop: &AtomicBool) -> Result<Answer, Problem> {
    match asked {
        _ if stop.load(Ordering::Relaxed) => Err(ended()),
        Ok(()) => Ok(Answer::Took(seconds)),
        Err(error) if error.code() == Some(&SqlState::QUERY_CANCELED) => Ok(Answer::Cut(seconds)),
        Err(error) => Err(Problem {
            kind: ExitKind::CutShort,
            ..failure::statement("a query of the experiment failed", &error)
        }),
    }
}
