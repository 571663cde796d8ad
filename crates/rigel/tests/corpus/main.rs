//! Nothing is lost: targets that hold what real programs made, and everything that could overwrite them.
//!
//! `images` and `standing` are the corpus, `attempts` is what is tried on each of it, without consent, with every
//! consent that is none, and with the right one; `swapped` exchanges targets under the program. The bytes of every
//! target are compared before and after.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

mod attempts;
mod images;
mod making;
mod scratch;
mod standing;
#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod support;
mod swapped;

use attempts::{Tally, Turn};
use making::Bench;
use rigel_testdev::needs;
use standing::CorpusTarget;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Targets of which the corpus must not have fewer, wherever all the programs are.
const FEWEST: usize = 60;
/// Of the attempts on a list each target meets one in so many, so that each is made on about 20 targets.
const ONE_IN: usize = 3;
/// Set by `cargo xtask long`: all of them on each target.
const EVERYTHING: &str = "RIGEL_EVERY_ATTEMPT";

/// One test at a time: each run asks all loop devices what is behind them, and who has one open for that is seen by others.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_byte_of_every_target_survives() {
    let _alone = alone();
    let bench = Bench::new();
    let mut targets: Vec<CorpusTarget> = Vec::new();
    let mut missing = 0;
    for image in images::IMAGES {
        match needs(&format!("the corpus: {}", image.name), making::image(&bench, image)) {
            Some(path) => targets.push(CorpusTarget::file(image.name, path)),
            None => missing += 1,
        }
    }
    for (name, make) in standing::KINDS {
        match needs(&format!("the corpus: {name}"), make(&bench)) {
            Some(made) => targets.extend(made),
            None => missing += 1,
        }
    }
    let count = targets.len();
    assert!(count + missing >= FEWEST, "{count} targets and {missing} that could not be made");
    let tally = all(&bench, targets);
    println!(
        "{count} targets, {} attempts, {} runs with the right consent, {} bytes lost",
        tally.attempts, tally.consented, tally.lost_bytes
    );
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    assert_eq!(tally.lost_bytes, 0);
}

/// Each CPU takes the next target.
fn all(bench: &Bench, targets: Vec<CorpusTarget>) -> Tally {
    let one_in = if std::env::var_os(EVERYTHING).is_some() { 1 } else { ONE_IN };
    let queue = Mutex::new(targets.into_iter().enumerate());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut tally = Tally::default();
        while let Some((number, target)) = { queue.lock().unwrap().next() } {
            attempts::on(bench, &target, Turn { target: number, one_in }, &mut tally);
        }
        tally
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Tally::default(), Tally::with)
    })
}
