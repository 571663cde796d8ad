//! What every node but the first does: it reports its facts, opens its targets and carries out orders. It prints nothing; the first node reports
//! its problems.

use super::{hello, hello_again, ready, with_load};
use crate::args::{Display, Invocation, RunOptions, TargetSource};
use crate::commands::run::present::Reporter;
use crate::commands::run::resume::bare;
use crate::commands::run::sql;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_cluster::line::{Line, Pace};
use rigel_cluster::meet::{Brief, Call, Hello};
use rigel_cluster::message::Message;
use rigel_cluster::serve;
use rigel_core::error::Problem;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The first node may wait for a slow one, and read all of a target before it may be written.
const LONG: Duration = Duration::from_secs(7 * 24 * 3600);
/// A node without a part of the load receives nothing before the end, and a soak may last for months.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// Everything needed to begin.
const BEGINNING: Duration = Duration::from_secs(1200);

/// Follows the first node until it ends the run. What this node cannot do is reported there.
pub fn follow(read: Result<Invocation, Problem>, line: &Line, streams: &Streams) -> Result<(), Problem> {
    // The first signal is the first node's business, which ends the run on all; the second one ends this process.
    let signals = Signals::listen()?;
    let call = match next(line, BEGINNING) {
        Ok(Message::Call(call)) => call,
        Ok(Message::End) => return Ok(()),
        Ok(other) => return Err(line.out_of_turn(0, other.name())),
        Err(problem) if line.is_lost() => return Err(problem),
        // It waits for an answer, and tells what is wrong when it sees of which version that is.
        Err(problem) => return line.not_understood(0, problem),
    };
    if matches!(read, Ok(Invocation::Sql(_))) {
        line.never_resumes();
    }
    let mut said = read.and_then(|invocation| answer(invocation, &call, line.rank()));
    line.send(
        0,
        &Message::Hello(Box::new(said.as_ref().map(|(_, hello)| hello.clone()).map_err(Clone::clone))),
    )?;
    let brief = match next(line, LONG)? {
        Message::Brief(brief) => brief,
        Message::End => return Ok(()),
        other => return Err(line.out_of_turn(0, other.name())),
    };
    let has_part = brief.team.shares.get(line.rank()).is_none_or(|&share| share > 0);
    let heard = FirstNodeWord::on(line, &signals);
    let bench = said.as_mut().map_err(|problem| problem.clone()).and_then(|(options, hello)| {
        options.request = Brief::clone(&brief).request;
        let reporter = Reporter { options, streams };
        let ready = || match &options.targets {
            TargetSource::Server(source) => sql::of_node(reporter, source, hello.host.clone(), &brief),
            _ => ready(reporter, hello.clone(), &brief, &signals, &|| heard.listen()),
        };
        has_part.then(ready).transpose()
    });
    if let Some(ended) = heard.ended.into_inner() {
        return ended;
    }
    let site = bench.as_ref().map(|bench| bench.as_ref().map(|bench| bench.site().clone()));
    line.send(0, &Message::Ready(Box::new(site.map_err(Clone::clone))))?;
    match bench {
        Ok(Some(mut bench)) => serve(line, bench.as_mut()),
        Ok(None) => until_the_end(line, LONGEST),
        Err(_) => until_the_end(line, LONG),
    }
}

/// What the first node says while this one reads its targets: that the run is over, because another node refused.
struct FirstNodeWord<'a> {
    line: &'a Line,
    signals: &'a Signals,
    /// How this node ends.
    ended: RefCell<Option<Result<(), Problem>>>,
}

impl<'a> FirstNodeWord<'a> {
    fn on(line: &'a Line, signals: &'a Signals) -> Self {
        Self { line, signals, ended: RefCell::new(None) }
    }

    fn listen(&self) {
        let ended = match self.line.poll() {
            Ok(None) => return,
            Ok(Some((_, Message::End))) => Ok(()),
            Ok(Some((from, other))) => Err(self.line.out_of_turn(from, other.name())),
            Err(problem) => Err(problem),
        };
        self.signals.flag().store(true, Ordering::Relaxed);
        self.ended.borrow_mut().get_or_insert(ended);
    }
}

/// A node that has nothing to do until the run is over.
fn until_the_end(line: &Line, longest: Duration) -> Result<(), Problem> {
    match next(line, longest)? {
        Message::End => Ok(()),
        other => Err(line.out_of_turn(0, other.name())),
    }
}

/// The next message of the first node.
fn next(line: &Line, longest: Duration) -> Result<Message, Problem> {
    match line.wait(longest, Pace::Easy)? {
        Some((_, message)) => Ok(message),
        None => Err(line.lost(&[0], longest, "and did not start")),
    }
}

/// What this node is and has, for a run that begins or continues.
fn answer(invocation: Invocation, call: &Call, rank: usize) -> Result<(RunOptions, Hello), Problem> {
    let host = rigel_io::host::host_facts();
    match (invocation, &call.again) {
        (Invocation::Run(options), None) => {
            let options = RunOptions { display: silent(), ..with_load(&options)? };
            let hello = hello(rank, &options, host)?;
            Ok((options, hello))
        }
        (Invocation::Sql(options), None) => {
            let options = RunOptions { display: silent(), ..*options };
            let hello = sql::hello(&options, host)?;
            Ok((options, hello))
        }
        (Invocation::Resume(options), Some(again)) => {
            let bare = bare(again.request.clone(), TargetSource::Simulated, options.destroy);
            let options = RunOptions { display: silent(), ..bare };
            let hello = hello_again(again, &options, host)?;
            Ok((options, hello))
        }
        _ => Err(Problem::refused("the node was started with arguments other than the first node's")
            .next("give all nodes the same arguments")),
    }
}

/// Only the first node prints.
fn silent() -> Display {
    Display { quiet: true, ..Display::default() }
}
