//! Signals that end a run: the first one ends it cleanly, a later one ends it at once.
//!
//! SIGXCPU, which precedes the kill at the CPU time limit, and signals without a use here also end it cleanly, and never at once.
//! A signal that was ignored when the program began stays ignored, so `nohup` works. Simultaneous signals count as one: `timeout` sends its
//! signal to the process and to its group. Must not end any work itself: it sets a flag, which the workers check.

use rigel_core::error::{ExitKind, Problem};
use rigel_run::job::Stop;
use signal_hook::SigId;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::{self, Handle};
use signal_hook::{flag, low_level};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

const WATCHED: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
/// Signals whose default is to end the process without a word. They may come again at any time, so none of them is a second wish.
const OTHERS: [i32; 4] = [SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2];
/// The message for SIGXCPU, because nobody asked for that end.
const OUT_OF_TIME: &str =
    "note: the limit on CPU time is nearly reached (ulimit -t, LimitCPU= of a service), so this ends now\n";
/// Signals that come so soon after the first one belong to it.
const TOGETHER: Duration = Duration::from_secs(1);

/// A flag that SIGINT, SIGTERM and SIGHUP set. Another signal more than a second later ends the process with exit
/// code 4: the record is complete up to its last line.
#[derive(Debug)]
pub struct Signals {
    flag: Arc<AtomicBool>,
    /// Whether somebody else ends the process at the second signal.
    lent: Arc<AtomicBool>,
    watched: Vec<i32>,
    set: Vec<SigId>,
    second: Handle,
}

/// Makes a write beyond `ulimit -f` an error (EFBIG), which says where it happened, instead of ending the process.
pub fn fail_writes_beyond_the_limit() {
    if not_ignored(&[SIGXFSZ]).is_empty() {
        return;
    }
    // Where it cannot be caught, it is as it was.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

impl Signals {
    pub fn listen() -> Result<Self, Problem> {
        Self::listen_to(not_ignored(&WATCHED)).map_err(|error| refused(&error))
    }

    fn listen_to(watched: Vec<i32>) -> io::Result<Self> {
        let (flag, lent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let others = not_ignored(&OTHERS);
        let ending = watched.iter().chain(&others);
        let set = ending.map(|&signal| flag::register(signal, Arc::clone(&flag)));
        let set = set.collect::<io::Result<Vec<SigId>>>()?;
        let of_time = others.iter().filter(|signal| **signal == SIGXCPU);
        let mut arriving = iterator::Signals::new(watched.iter().chain(of_time))?;
        let second = arriving.handle();
        let is_lent = Arc::clone(&lent);
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut first: Option<Instant> = None;
            let mut is_told = false;
            for signal in arriving.forever() {
                if signal == SIGXCPU {
                    // Whoever reads no messages gets none; the run ends all the same.
                    let _ = if is_told { Ok(()) } else { io::stderr().write_all(OUT_OF_TIME.as_bytes()) };
                    is_told = true;
                    continue;
                }
                let first = *first.get_or_insert_with(Instant::now);
                if first.elapsed() >= TOGETHER && !is_lent.load(Ordering::Relaxed) {
                    end_at_once();
                }
            }
        })?;
        Ok(Self { flag, lent, watched, set, second })
    }

    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The flag as the run sees it.
    pub fn stop(&self) -> Stop {
        Stop::new(Arc::clone(&self.flag))
    }

    /// Lends the second signal: the borrower ends the process then. A view that has changed the terminal has to restore it
    /// before.
    pub fn lend(&self) -> Result<SignalLoan<'_>, Problem> {
        let wish = UserSignals { flag: Arc::clone(&self.flag), ..UserSignals::default() };
        let ids = self.watched.iter().map(|&signal| flag::register(signal, Arc::clone(&wish.again)));
        let ids = ids.collect::<io::Result<Vec<SigId>>>().map_err(|error| refused(&error))?;
        self.lent.store(true, Ordering::Relaxed);
        Ok(SignalLoan { signals: self, ids, wish })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.second.close();
        unregister(&self.set);
    }
}

/// The signals that are not ignored.
fn not_ignored(signals: &[i32]) -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    signals.iter().copied().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect()
}

/// The mask of ignored signals, proc_pid_status(5); empty if unknown.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn unregister(ids: &[SigId]) {
    for &id in ids {
        low_level::unregister(id);
    }
}

fn refused(error: &io::Error) -> Problem {
    Problem::refused(format!("signal handlers cannot be installed: {error}"))
}

/// While this lives, the borrower handles the second signal.
#[derive(Debug)]
pub struct SignalLoan<'a> {
    signals: &'a Signals,
    ids: Vec<SigId>,
    wish: UserSignals,
}

impl SignalLoan<'_> {
    /// Distinguishes the first signal from the second.
    pub fn wish(&self) -> UserSignals {
        self.wish.clone()
    }
}

impl Drop for SignalLoan<'_> {
    fn drop(&mut self) {
        unregister(&self.ids);
        self.signals.lent.store(false, Ordering::Relaxed);
    }
}

/// What the user wants, by signals and keys together.
#[derive(Clone, Debug, Default)]
pub struct UserSignals {
    flag: Arc<AtomicBool>,
    /// A signal has come.
    again: Arc<AtomicBool>,
    /// A key was pressed, which nobody does twice by accident.
    pressed: Arc<AtomicBool>,
    /// When the first wish was seen.
    known: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndRequest {
    /// To continue, or to end as requested before.
    Nothing,
    End,
    EndAtOnce,
}

impl UserSignals {
    /// The same as a signal.
    pub fn press(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.pressed.store(true, Ordering::Relaxed);
    }

    /// What has arrived since the last call. Signals between two calls count as one.
    pub fn look(&mut self) -> EndRequest {
        let again = self.again.swap(false, Ordering::Relaxed);
        let pressed = self.pressed.swap(false, Ordering::Relaxed);
        match self.known {
            None if self.flag.load(Ordering::Relaxed) => {
                self.known = Some(Instant::now());
                EndRequest::End
            }
            Some(first) if pressed || (again && first.elapsed() >= TOGETHER) => EndRequest::EndAtOnce,
            _ => EndRequest::Nothing,
        }
    }
}

/// Ends the process as a second signal does.
pub fn end_at_once() -> ! {
    low_level::exit(i32::from(ExitKind::CutShort.code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wish_ends_in_order_and_the_next_at_once() {
        let mut wish = UserSignals::default();
        assert_eq!(wish.look(), EndRequest::Nothing);
        wish.press();
        wish.press();
        assert_eq!(wish.look(), EndRequest::End, "both came before anybody looked");
        assert_eq!(wish.look(), EndRequest::Nothing);
        wish.press();
        assert_eq!(wish.look(), EndRequest::EndAtOnce);
    }

    #[test]
    fn handlers_are_lent_and_given_back() {
        let signals = Signals::listen_to(WATCHED.to_vec()).unwrap();
        {
            let lent = signals.lend().unwrap();
            let mut wish = lent.wish();
            // SIGHUP, so that a test run in a terminal is not meant.
            low_level::raise(SIGHUP).unwrap();
            assert!(signals.flag().load(Ordering::Relaxed));
            assert_eq!(wish.look(), EndRequest::End);
            low_level::raise(SIGHUP).unwrap();
            assert_eq!(wish.look(), EndRequest::Nothing, "it belongs to the first");
            thread::sleep(TOGETHER);
            low_level::raise(SIGHUP).unwrap();
            assert_eq!(wish.look(), EndRequest::EndAtOnce, "and this process still lives");
        }
        assert!(!signals.lent.load(Ordering::Relaxed));
    }

    /// The kernel repeats SIGXCPU with every second of CPU time.
    #[test]
    fn the_limit_on_cpu_time_ends_in_order_however_often_it_signals() {
        // Not to the signals of another test, the second of which would end this process.
        let signals = Signals::listen_to(Vec::new()).unwrap();
        low_level::raise(SIGXCPU).unwrap();
        assert!(signals.flag().load(Ordering::Relaxed));
        thread::sleep(TOGETHER);
        low_level::raise(SIGXCPU).unwrap();
        thread::sleep(TOGETHER / 10);
        assert!(signals.flag().load(Ordering::Relaxed), "and this process still lives");
    }

    #[test]
    fn signals_that_are_ignored_are_read_from_their_mask() {
        let status =
            "Name:\trigel\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000000\n";
        assert_eq!(ignored(status), 1 | 1 << 12, "SIGHUP and SIGPIPE");
        assert_eq!((ignored(""), ignored("SigIgn:\tx\n")), (0, 0));
    }
}
