//! The experiment in a thread of its own, which is left alone when the server never answers: the user is told, and gets the terminal back.
//!
//! Must not know what is asked.

use super::{Doing, Progress, Restart, Wanted, ask, asked, ended, tables};
use crate::database::Database;
use crate::failure;
use crate::patience::PATIENCE;
use crate::session::died;
use crate::table::writing;
use postgres::{CancelToken, NoTls};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::uses::proof::Proof;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(100);
/// What is in work may take so long to end by itself, when the user ends the experiment.
const ENDING: Duration = Duration::from_secs(1);
/// A statement that cannot be ended ends by the limit of its session.
const LAST_ANSWER: Duration = Duration::from_secs(ask::LIMIT.as_secs() + 10);

/// Whether the tables were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Nothing is left of them.
    None,
    /// They are there.
    Here,
    /// The server does not answer.
    Unknown,
}

/// What the experiment says.
enum News {
    Progress(Doing, u64, u64),
    Made,
    /// Nothing is over, but it goes on.
    Alive,
    /// The server is to be started again with this setting.
    Start(String),
    Ended(Box<Result<Proof, Problem>>),
}

/// Makes the tables and asks everything; gives up on a server that does not answer.
pub fn attended(
    database: Database,
    mut restart: Option<Restart<'_>>,
    wanted: Wanted,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> (Result<Proof, Problem>, Made) {
    let (told, hear) = mpsc::channel();
    let (start, started) = mpsc::channel();
    let (shown, stopped) = (database.address.shown().to_owned(), Arc::new(AtomicBool::new(false)));
    let (stop_there, mut cancel) = (Arc::clone(&stopped), Some(database.client.cancel_token()));
    let is_private = restart.is_some();
    thread::spawn(move || at_work(database, is_private.then_some(started), wanted, &told, &stop_there));
    let (mut last, mut patience, mut tables) = (Instant::now(), PATIENCE, Made::None);
    while last.elapsed() < patience {
        let mut is_news = true;
        match hear.recv_timeout(TICK) {
            Ok(News::Ended(proved)) => return (proved.map_err(|problem| by_user(problem, stop)), tables),
            Ok(News::Start(setting)) => {
                let again = restart.as_mut().map_or_else(|| Err(died()), |restart| restart(&setting));
                // Nobody hears it when the experiment is over.
                let _ = start.send(again);
            }
            Ok(News::Made) => tables = Made::Here,
            Ok(News::Alive) => {}
            Ok(News::Progress(doing, done, total)) => {
                progress(doing, done, total);
                // Behind the last row come indexes, and a vacuum.
                let is_filled = doing == Doing::Filling && done == total;
                patience = if is_filled { writing(total) } else { PATIENCE };
            }
            Err(RecvTimeoutError::Timeout) => is_news = false,
            Err(RecvTimeoutError::Disconnected) => return (Err(died()), tables),
        }
        if is_news {
            last = Instant::now();
        }
        if stop.load(Ordering::Relaxed) && !stopped.swap(true, Ordering::Relaxed) {
            (last, patience) = (Instant::now(), LAST_ANSWER);
        }
        let is_late = stopped.load(Ordering::Relaxed) && last.elapsed() > ENDING;
        end(cancel.take_if(|_| is_late));
    }
    (Err(failure::silent(&shown, patience)), Made::Unknown)
}

/// The server may be at something long. It is asked over a connection that may hang as well.
fn end(cancel: Option<CancelToken>) {
    if let Some(cancel) = cancel {
        thread::spawn(move || cancel.cancel_query(NoTls));
    }
}

/// A statement that was ended because the user wanted so.
fn by_user(problem: Problem, stop: &AtomicBool) -> Problem {
    if stop.load(Ordering::Relaxed) && problem.kind == ExitKind::CutShort { ended() } else { problem }
}

fn at_work(
    mut database: Database,
    started: Option<Receiver<Result<Database, Problem>>>,
    wanted: Wanted,
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
