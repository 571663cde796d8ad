//! What the sessions wait for while they work: samples of what the server reports, ten a second.
//!
//! A thread takes them over the connection for the counters, which is otherwise idle. Must not judge.

use crate::counters::Counters;
use crate::server::Server;
use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(100);
/// The state of a session without a statement.
const CLIENT: &str = "Client";

type Waits = BTreeMap<String, u64>;

/// Samples until it is ended.
pub struct WaitSampler {
    end: Sender<()>,
    back: Receiver<(Counters, Waits)>,
}

impl WaitSampler {
    /// Starts sampling this many sessions, which are among those with these numbers.
    pub fn start(mut counters: Counters, numbers: Vec<i32>, sessions: usize) -> Self {
        let (end, ended) = mpsc::channel();
        let (give, back) = mpsc::channel();
        // Without a thread nobody gives the connection back, and the run ends with that.
        let _ = thread::Builder::new().name("rigel-waits".to_owned()).spawn(move || {
            let waits = look(&mut *counters.server, &numbers, sessions, &ended);
            let _ = give.send((counters, waits));
        });
        Self { end, back }
    }

    /// The samples; `None` when the server does not answer in time.
    pub fn end(self, patience: Duration) -> Option<(Counters, Waits)> {
        drop(self.end);
        self.back.recv_timeout(patience).ok()
    }
}

/// A server that refuses to answer is not a failure: sampling then ends.
fn look(server: &mut dyn Server, numbers: &[i32], sessions: usize, ended: &Receiver<()>) -> Waits {
    let mut seen = Waits::new();
    while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
        let Some(sample) = server.waits(numbers) else { break };
        add(&mut seen, sample, sessions);
    }
    seen
}

/// Sessions without a statement at that moment are waiting for Rigel.
fn add(seen: &mut Waits, sample: Vec<(String, u64)>, sessions: usize) {
    let active: u64 = sample.iter().map(|one| one.1).sum();
    let idle = (sessions as u64).saturating_sub(active);
    let with_client = (idle > 0).then(|| (CLIENT.to_owned(), idle));
    for (event, count) in sample.into_iter().chain(with_client) {
        *seen.entry(event).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_is_somewhere_in_each_sample() {
        let mut seen = Waits::new();
        let sample = |reads, cpu| vec![("IO:DataFileRead".to_owned(), reads), ("CPU".to_owned(), cpu)];
        add(&mut seen, sample(2, 1), 4);
        add(&mut seen, sample(4, 0), 4);
        let told: Vec<(&str, u64)> = seen.iter().map(|(event, count)| (event.as_str(), *count)).collect();
        assert_eq!(told, [("CPU", 1), ("Client", 1), ("IO:DataFileRead", 6)]);
    }
}
