//! The experiment in a thread of its own, which is left alone when the server never answers: the user is told, and gets the terminal back.
//!
//! Must not know what is asked.

use super::{Restart, ask, asked, tables};
use crate::patience::{LongWait, PATIENCE, TICK};
use crate::postgresql::database::Database;
use crate::prove::{Progress, ProofRequest, ProofStep, ended};
use crate::session::died;
use crate::table::writing;
use rigel_core::error::{ExitKind, Problem};
use rigel_uses::proof::Proof;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// A statement that cannot be ended ends by the limit of its session.
const LAST_ANSWER: Duration = Duration::from_secs(ask::LIMIT.as_secs() + 10);

/// Whether the tables were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablesOutcome {
    /// Nothing is left of them.
    None,
    /// They exist.
    Here,
    /// The server does not answer.
    Unknown,
}

/// What the experiment reports.
enum News {
    Progress(ProofStep, u64, u64),
    Made,
    /// Nothing has ended, but it continues.
    Alive,
    /// The server is to be started again with this setting.
    Start(String),
    Ended(Box<Result<Proof, Problem>>),
}

/// Makes the tables and asks everything; gives up on a server that does not answer.
pub fn attended(
    database: Database,
    mut restart: Option<Restart<'_>>,
    wanted: ProofRequest,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> (Result<Proof, Problem>, TablesOutcome) {
    let (told, hear) = mpsc::channel();
    let (start, started) = mpsc::channel();
    let (shown, mut waiting) = (database.address.shown().to_owned(), LongWait::new(database.cancel()));
    let stop_there = waiting.stopped();
    let is_private = restart.is_some();
    thread::spawn(move || at_work(database, is_private.then_some(started), wanted, &told, &stop_there));
    let mut tables = TablesOutcome::None;
    while !waiting.is_over() {
        match hear.recv_timeout(TICK) {
            Ok(News::Ended(proved)) => return (proved.map_err(|problem| by_user(problem, stop)), tables),
            Ok(News::Start(setting)) => {
                let again = restart.as_mut().map_or_else(|| Err(died()), |restart| restart(&setting));
                // Nobody hears it when the experiment is over.
                let _ = start.send(again);
                waiting.heard(None);
            }
            Ok(News::Made) => {
                tables = TablesOutcome::Here;
                waiting.heard(None);
            }
            Ok(News::Alive) => waiting.heard(None),
            Ok(News::Progress(doing, done, total)) => {
                progress(doing, done, total);
                // Behind the last row come indexes, and a vacuum.
                let is_filled = doing == ProofStep::Filling && done == total;
                waiting.heard(Some(if is_filled { writing(total) } else { PATIENCE }));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return (Err(died()), tables),
        }
        waiting.heed(stop, LAST_ANSWER);
    }
    (Err(waiting.silent(&shown)), TablesOutcome::Unknown)
}

/// A statement that the user ended.
fn by_user(problem: Problem, stop: &AtomicBool) -> Problem {
    if stop.load(Ordering::Relaxed) && problem.kind == ExitKind::CutShort { ended() } else { problem }
}

fn at_work(
    mut database: Database,
    started: Option<Receiver<Result<Database, Problem>>>,
    wanted: ProofRequest,
    told: &Sender<News>,
    stop: &AtomicBool,
) {
    // Nobody hears it any more when it is late.
    let tell = |news| drop(told.send(news));
    let mut progress = |doing, done, total| tell(News::Progress(doing, done, total));
    let made = tables::fill(&mut database, wanted, &mut progress, stop).inspect(|_| tell(News::Made));
    let mut restart = started.map(|started| {
        move |setting: &str| {
            tell(News::Start(setting.to_owned()));
            started.recv().unwrap_or_else(|_| Err(ended()))
        }
    });
    let proved = made.and_then(|rows| {
        let restart = restart.as_mut().map(|restart| restart as Restart<'_>);
        asked(database, rows, restart, (wanted, &|| tell(News::Alive)), &mut progress, stop)
    });
    tell(News::Ended(Box::new(proved)));
}
