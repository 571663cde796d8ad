//! MPI as the line between nodes: messages over the communicator of all processes.
//!
//! Only the main thread calls MPI. A message is sent without blocking, and the CPU is free while the other node is busy. Calls that could wait for
//! another node forever have a deadline, which another thread watches: it names the silent node and ends the process, and the launcher then ends
//! the others. A panic aborts all of them; otherwise the others would wait forever. Must not know what the messages say.
#![forbid(unsafe_code)]

use mpi::Threading;
use mpi::datatype::Equivalence as _;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination as _, Source as _};
use mpi::request;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use rigel_cluster::Cluster;
use rigel_core::error::{ExitKind, Problem};
use signal_hook::low_level;
use std::io::{self, Write as _};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The exit code of a process that waited in vain. The first one ends as a run that was cut short, which is what the user then reads.
const IN_VAIN: i32 = 70;
/// The exit code of all when one panicked.
const PANICKED: i32 = 101;
/// A message that nobody has taken for so long will not be taken, unless the other node has something else to do. The first process is the one that names who has gone: the others have more patience.
const MOST_WAIT: Duration = Duration::from_secs(8);
const FIRST_WAIT: Duration = Duration::from_secs(6);
/// A message that is taken soon is not kept waiting.
const EAGER: Duration = Duration::from_millis(1);
/// Nothing is waited for.
const NEVER: u64 = u64::MAX;
/// The tag of all messages.
const TAG: i32 = 7;
/// The tag of the last one of each process, and of the answer to it.
const END_TAG: i32 = 8;
/// Who has heard that the run is over and is not at its end for so long hangs. Closing what was written through the page cache may take a while.
const END_WAIT: Duration = Duration::from_secs(30);

/// MPI, begun. It ends with this, when all processes have come so far.
pub struct World {
    universe: Rc<Universe>,
}

/// The line of this process to the others.
pub struct Link {
    // Keeps MPI going.
    _universe: Rc<Universe>,
    world: SimpleCommunicator,
    watch: Arc<Watch>,
}

/// What is waited for, and until when.
#[derive(Debug)]
struct Watch {
    began: Instant,
    own: usize,
    /// Milliseconds since then.
    until_ms: AtomicU64,
    patience_ms: AtomicU64,
    rank: AtomicU64,
}

impl World {
    /// Begins MPI.
    ///
    /// # Errors
    /// The text for the user, when MPI cannot be had.
    pub fn begin() -> Result<Self, String> {
        let failed = "error: MPI did not start\n  next step: start rigel-mpi with mpirun or srun; see docs/guide/cluster.md\n";
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or_else(|| failed.to_owned())?;
        Ok(Self { universe: Rc::new(universe) })
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        usize::try_from(self.universe.world().rank()).unwrap_or(0)
    }

    /// The line to the others.
    pub fn link(&self) -> Link {
        let watch = Arc::new(Watch {
            began: Instant::now(),
            own: self.rank(),
            until_ms: AtomicU64::new(NEVER),
            patience_ms: AtomicU64::new(0),
            rank: AtomicU64::new(0),
        });
        let watched = Arc::clone(&watch);
        // It ends with the process. Without it, only whoever started the processes can end a wait.
        drop(thread::Builder::new().name("rigel-watchdog".to_owned()).spawn(move || watched.guard()));
        Link { _universe: Rc::clone(&self.universe), world: self.universe.world(), watch }
    }

    /// Ends MPI, when all processes have come so far. The first one, whose exit code is that of the run, does not wait forever: what the run found
    /// is on its disk, so it names who is missing and ends all. `names` are what the nodes are called.
    pub fn end(self, code: u8, names: &[String]) {
        let world = self.universe.world();
        if self.rank() == 0 {
            limit_the_end(code);
            let missing = await_all(&world);
            if !missing.is_empty() {
                tell(&not_ended(&missing, names));
                world.abort(code.into());
            }
            for rank in 1..world.size() {
                say_end(&world, rank);
            }
        } else {
            say_end(&world, 0);
            let began = Instant::now();
            while heard_end(&world).is_none() {
                while take(&world, None).is_some() {}
                rest(began);
            }
        }
        drop(world);
        // Here MPI ends, which waits for all others once more.
        drop(self);
    }

    /// Ends all processes: this one has panicked, and the others must not wait for it.
    pub fn abort_for_panic() {
        SimpleCommunicator::world().abort(PANICKED);
    }
}

/// Ends a process that has lost another one and has told so: the first one ends all, with the exit code of the run, which may have found worse before; another
/// one only itself.
pub fn end_lost(rank: usize, code: u8) -> ! {
    if rank == 0 {
        let code = if code == 0 { ExitKind::CutShort.code() } else { code };
        SimpleCommunicator::world().abort(code.into());
    }
    low_level::exit(IN_VAIN)
}

/// Waits on the first process until the others are at their end. What they send until then is taken: one that waits for somebody to take it would
/// never come. Returns who did not come.
fn await_all(world: &SimpleCommunicator) -> Vec<usize> {
    let size = usize::try_from(world.size()).unwrap_or(1);
    let mut missing: Vec<usize> = (1..size).collect();
    let began = Instant::now();
    while !missing.is_empty() && began.elapsed() < END_WAIT {
        while take(world, None).is_some() {}
        match heard_end(world) {
            Some(from) => missing.retain(|&rank| rank != from),
            None => rest(began),
        }
    }
    missing
}

/// Tells another process that this one has finished, or that all have.
fn say_end(world: &SimpleCommunicator, rank: i32) {
    request::scope(|scope| {
        let began = Instant::now();
        let mut sent = world.process_at_rank(rank).immediate_send_with_tag(scope, &[0u8][..], END_TAG);
        while let Err(waits) = sent.test() {
            sent = waits;
            while take(world, None).is_some() {}
            rest(began);
        }
    });
}

/// A process that has said that it has finished.
fn heard_end(world: &SimpleCommunicator) -> Option<usize> {
    let (message, status) = world.any_process().immediate_matched_probe_with_tag(END_TAG)?;
    message.matched_receive_into(&mut [0u8][..]);
    usize::try_from(status.source_rank()).ok()
}

/// Ends this process when MPI itself waits forever at its end, for one that was lost since it was heard last. mpirun then ends the others.
fn limit_the_end(code: u8) {
    let guard = move || {
        thread::sleep(2 * END_WAIT);
        tell(
            "error: the run is over, but MPI does not stop: a node, or the network to it, was lost at the end\n",
        );
        // Whoever goes without the end of MPI and says 0 gets another code from mpirun.
        low_level::exit(if code == 0 { IN_VAIN } else { code.into() });
    };
    // Without it, only whoever started the processes can end this wait.
    drop(thread::Builder::new().name("rigel-end".to_owned()).spawn(guard));
}

fn not_ended(missing: &[usize], names: &[String]) -> String {
    let name = |&rank: &usize| names.get(rank).cloned().unwrap_or_else(|| format!("node {rank}"));
    let mut named: Vec<String> = missing.iter().take(3).map(name).collect();
    if missing.len() > named.len() {
        named.push(format!("{} more", missing.len() - named.len()));
    }
    let (has, its) = if missing.len() == 1 { ("has", "it") } else { ("have", "they") };
    format!(
        "error: the run is over, and {} {has} not ended within {} s; {its} will be ended by the launcher \
         (mpirun or srun)\n  likely cause: the host or its process stopped or crashed, or the network to it \
         is down\n  next step: check that host; the record and the outputs are complete\n",
        named.join(", "),
        END_WAIT.as_secs()
    )
}

/// A closed standard error is not a reason to fail.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

impl Watch {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(NEVER)
    }

    fn patience(&self) -> Duration {
        if self.own == 0 { FIRST_WAIT } else { MOST_WAIT }
    }

    /// Does what may wait for another process, which may be busy for longer than usual.
    fn within<T>(&self, rank: usize, longest: Option<Duration>, call: impl FnOnce() -> T) -> T {
        let most_ms = u64::try_from(longest.unwrap_or(self.patience()).as_millis()).unwrap_or(NEVER);
        self.rank.store(rank as u64, Ordering::Relaxed);
        self.patience_ms.store(most_ms, Ordering::Relaxed);
        self.until_ms.store(self.now_ms().saturating_add(most_ms), Ordering::Release);
        let done = call();
        self.until_ms.store(NEVER, Ordering::Release);
        done
    }

    fn guard(&self) {
        loop {
            thread::sleep(Duration::from_millis(100));
            if self.now_ms() > self.until_ms.load(Ordering::Acquire) {
                let rank = self.rank.load(Ordering::Relaxed);
                let _ = writeln!(
                    io::stderr(),
                    "error: node {} got no answer from node {rank} for {} s\n  likely cause: the host or \
                     its process stopped or crashed, or the network to it is down\n  next step: check that \
                     host, and start the run again; if there is a record, `rigel-mpi run --resume RECORD` \
                     completes it",
                    self.own,
                    self.patience_ms.load(Ordering::Relaxed) / 1000
                );
                low_level::exit(if self.own == 0 { ExitKind::CutShort.code().into() } else { IN_VAIN });
            }
        }
    }
}

impl Cluster for Link {
    fn rank(&self) -> usize {
        usize::try_from(self.world.rank()).unwrap_or(0)
    }

    fn size(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    fn send(&mut self, to: usize, bytes: &[u8], patience: Option<Duration>) -> Result<(), Problem> {
        let rank = i32::try_from(to).unwrap_or(i32::MAX);
        if rank >= self.world.size() {
            return Err(Problem::new(ExitKind::Bug, format!("there is no node {to}")));
        }
        let process = self.world.process_at_rank(rank);
        let send = || {
            request::scope(|scope| {
                let began = Instant::now();
                let mut sent = process.immediate_send_with_tag(scope, bytes, TAG);
                while let Err(waits) = sent.test() {
                    sent = waits;
                    rest(began);
                }
            });
        };
        self.watch.within(to, patience, send);
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem> {
        Ok(take(&self.world, Some(&self.watch)))
    }
}

/// A message that has arrived and from whom.
fn take(world: &SimpleCommunicator, watch: Option<&Watch>) -> Option<(usize, Vec<u8>)> {
    let (message, status) = world.any_process().immediate_matched_probe_with_tag(TAG)?;
    let from = usize::try_from(status.source_rank()).unwrap_or(0);
    let mut bytes = vec![0u8; usize::try_from(status.count(u8::equivalent_datatype())).unwrap_or(0)];
    let receive = || {
        message.matched_receive_into(&mut bytes[..]);
    };
    match watch {
        Some(watch) => watch.within(from, None, receive),
        None => receive(),
    }
    Some((from, bytes))
}

/// Who waits longer looks less often, so the CPU is free for others.
fn rest(began: Instant) {
    let waited = began.elapsed();
    if waited < EAGER {
        thread::yield_now();
    } else {
        thread::sleep((waited / 20).clamp(Duration::from_micros(50), Duration::from_millis(2)));
    }
}
