//! Nodes in threads of one process, over channels: for tests, with ways that are slow or lose a message, and nodes that fall silent.
//!
//! Must not be used to measure storage.

use rigel_cluster::Cluster;
use rigel_core::error::{ExitKind, Problem};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// What is wrong with the ways between the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// How long a message takes.
    pub delay: Duration,
    /// A node of which nothing arrives any more after so many messages.
    pub silent: Option<(usize, u64)>,
    /// A node of which one message is lost, after so many.
    pub lost: Option<(usize, u64)>,
}

/// A message under way.
#[derive(Debug)]
struct SentMessage {
    from: usize,
    due: Instant,
    bytes: Vec<u8>,
}

/// One of several nodes.
#[derive(Debug)]
pub struct Fake {
    rank: usize,
    to: Vec<Sender<SentMessage>>,
    arriving: Receiver<SentMessage>,
    /// In the order in which they were sent; each is as long under way as the others.
    under_way: VecDeque<SentMessage>,
    trouble: Trouble,
    sent: u64,
    /// The first node has ended, and with it whoever still waits for it.
    over: Arc<AtomicBool>,
}

/// So many nodes.
pub fn nodes(size: usize, trouble: Trouble) -> Vec<Fake> {
    let (to, arriving): (Vec<_>, Vec<_>) = (0..size).map(|_| mpsc::channel()).unzip();
    let over = Arc::new(AtomicBool::new(false));
    let node = |(rank, arriving)| Fake {
        rank,
        to: to.clone(),
        arriving,
        under_way: VecDeque::new(),
        trouble,
        sent: 0,
        over: Arc::clone(&over),
    };
    arriving.into_iter().enumerate().map(node).collect()
}

/// Runs a program on each of so many nodes, and returns what came of it, by rank.
///
/// # Panics
/// When a node panics.
pub fn run<T: Send>(size: usize, trouble: Trouble, program: impl Fn(Fake) -> T + Sync) -> Vec<T> {
    let program = &program;
    thread::scope(|scope| {
        let start = |node| {
            let thread = thread::Builder::new().stack_size(1 << 20);
            thread.spawn_scoped(scope, move || program(node)).expect("a thread for a node")
        };
        let threads: Vec<_> = nodes(size, trouble).into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a node panicked")).collect()
    })
}

impl Cluster for Fake {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, bytes: &[u8], _patience: Option<Duration>) -> Result<(), Problem> {
        self.sent += 1;
        let Trouble { delay, silent, lost } = self.trouble;
        let own =
            |of: Option<(usize, u64)>| of.filter(|(rank, _)| *rank == self.rank).map(|(_, after)| after);
        if own(silent).is_some_and(|after| self.sent > after) || own(lost) == Some(self.sent - 1) {
            return Ok(());
        }
        let sent = SentMessage { from: self.rank, due: Instant::now() + delay, bytes: bytes.to_vec() };
        // A node that has ended hears nothing, as a host that is down.
        drop(self.to[to].send(sent));
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem> {
        // Read first: what the first node sent before it ended is heard.
        let is_over = self.over.load(Ordering::Acquire);
        self.under_way.extend(self.arriving.try_iter());
        let due = self.under_way.front().is_some_and(|first| first.due <= Instant::now());
        let arrived = if due { self.under_way.pop_front() } else { None };
        if arrived.is_none() && self.under_way.is_empty() && is_over {
            return Err(Problem::new(ExitKind::CutShort, "the first node has ended"));
        }
        Ok(arrived.map(|sent| (sent.from, sent.bytes)))
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        if self.rank == 0 {
            self.over.store(true, Ordering::Release);
        }
    }
}
