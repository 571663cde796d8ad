//! What the storage does without a server: direct reads of the table's own files, random and in one stream.
//!
//! The same figures that the rules of `rigel advise` use, by the same workers, next to the queries. Must not write.

use super::check_not_stopped;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass, Pattern};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::units::{MIB, NS_PER_MS, to_f64};
use rigel_io::clock::MonotonicClock;
use rigel_io::host::host_facts;
use rigel_io::targets::inspect::target_facts;
use rigel_run::bench::threads::ThreadBench;
use rigel_run::bench::{Bench as _, Detail, Order, Work, make};
use rigel_uses::proof::{Outstanding, Storage};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const OUTSTANDING: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Each is measured so often, in turn.
const ROUNDS: u32 = 3;
const SETTLE_NS: u64 = 20 * NS_PER_MS;
const MEASURE_NS: u64 = 250 * NS_PER_MS;

/// Measures everything.
pub fn measure(
    paths: &[PathBuf],
    block_bytes: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Storage, Problem> {
    let files = paths.iter().map(|path| target_facts(path)).collect::<Result<_, _>>()?;
    let mut bench = bench(files, block_bytes, seed)?;
    let loads: Vec<(Class, u32)> = OUTSTANDING
        .map(|outstanding| (Class::SMALL, outstanding))
        .into_iter()
        .chain([(Class::LARGE, 1)])
        .collect();
    let mut reads = vec![0; loads.len()];
    for (visit, place) in (0..ROUNDS).flat_map(|_| 0..loads.len()).enumerate() {
        reads[place] += completed(&mut bench, visit as u64, loads[place], stop)?;
    }
    if reads.contains(&0) {
        return Err(Problem::refused("the storage is too slow for this experiment")
            .because("not one read completed in the time that normally suffices for thousands"));
    }
    let seconds = f64::from(ROUNDS) * to_f64(MEASURE_NS) / 1e9;
    let mut rates: Vec<f64> = reads.into_iter().map(|reads| to_f64(reads) / seconds).collect();
    let stream = rates.pop().unwrap_or_default();
    let rate = |(&outstanding, &per_s): (&u32, &f64)| Outstanding { outstanding, per_s };
    Ok(Storage {
        random_read_us: 1e6 / rates[0],
        stream_page_us: 1e6 / (stream * to_f64(MIB / block_bytes)),
        rates: OUTSTANDING.iter().zip(&rates).map(rate).collect(),
        writes_per_s: None,
    })
}

/// Workers on the files that hold a read of a stream.
fn bench(mut files: Vec<TargetFacts>, block_bytes: u64, seed: u64) -> Result<ThreadBench, Problem> {
    files.retain(|file| file.size_bytes >= MIB);
    if files.is_empty() {
        return Err(Problem::refused("the table is too small for a streaming read").at("--size"));
    }
    let random = LoadClass { levels: OUTSTANDING.to_vec(), ..LoadClass::random(Class::SMALL, block_bytes) };
    let pattern = Pattern::Streams { ios_per_stream: 1 };
    let stream = LoadClass { pattern, levels: vec![1], ..LoadClass::random(Class::LARGE, MIB) };
    let request = Request { classes: vec![random, stream], seed, ..Request::new(RunLevel::Load) };
    let host = host_facts();
    let plan = Plan::new(&request, &host, &files)?;
    make::of_threads((&request, &plan, None), host, files, &[], MonotonicClock::at(0))
}

/// The reads of one visit.
fn completed(
    bench: &mut ThreadBench,
    visit: u64,
    (class, level): (Class, u32),
    stop: &AtomicBool,
) -> Result<u64, Problem> {
    let work = Work::Measure { settle_ns: SETTLE_NS, measure_ns: MEASURE_NS, detail: Detail::Window };
    let order = Order { visit, point: Point::alone(class, level), work, at_ns: None, shape: None };
    let done = bench.work(&order, &mut |_| !stop.load(Ordering::Relaxed))?.done;
    check_not_stopped(stop)?;
    match done.tallies.get(&class) {
        Some(tally) if done.failures == 0 && done.hung.is_none() => Ok(tally.completed()),
        _ => Err(Problem::refused("the storage cannot be read")
            .because(format!("{} reads of the table's files failed or did not complete", done.failures))),
    }
}
