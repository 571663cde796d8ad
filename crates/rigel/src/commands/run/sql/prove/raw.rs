//! The storage's rate of random writes without a server: an advised value is based on it, as that of `rigel advise` on a record.
//!
//! They go to Rigel's own file next to the database, which is removed at once. Must not touch any other file.

use super::super::{SqlRun, check_not_stopped};
use crate::commands::run::consent;
use crate::commands::run::present::Reporter;
use crate::commands::run::scratch::Scratch;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::workload::WritePercent;
use rigel_core::units::{MIB, NS_PER_MS, to_f64};
use rigel_io::clock::MonotonicClock;
use rigel_io::targets::scratch::{ScratchFile, ScratchRequest};
use rigel_run::bench::{Bench as _, Detail, Order, Work, make};
use std::path::Path;

const FILE_BYTES: u64 = 128 * MIB;
/// Enough for any device; the highest rate counts.
const OUTSTANDING: [u32; 4] = [4, 16, 32, 64];
const ROUNDS: u32 = 3;
const SETTLE_NS: u64 = 100 * NS_PER_MS;
const MEASURE_NS: u64 = 1000 * NS_PER_MS;

/// Random writes of a block per second, with as many outstanding as are best.
pub fn writes_per_s(run: &SqlRun<'_>, home: &Path, signals: &Signals) -> Result<f64, Problem> {
    let reporter = run.reporter;
    let mut bar = WorkProgress::of_bytes(
        reporter.streams,
        reporter.options.display.quiet,
        "filling a file for raw writes",
    );
    let seed = reporter.options.request.seed;
    let wish = ScratchRequest {
        data_bytes: FILE_BYTES,
        seed,
        keep: false,
        direct: true,
        resume: false,
        size_option: "",
    };
    let file = ScratchFile::create(home, &wish, &mut |done, total| bar.done_of(done, total), signals.flag())?;
    drop(bar);
    // It goes when this returns, and with the directory of the server at the latest.
    measured(run, &Scratch::holding(Some(file)), signals)
}

fn measured(run: &SqlRun<'_>, file: &Scratch, signals: &Signals) -> Result<f64, Problem> {
    let Reporter { options, streams } = run.reporter;
    let class = LoadClass {
        write_percent: WritePercent::ALL,
        levels: OUTSTANDING.to_vec(),
        ..LoadClass::random(Class::SMALL, run.block_bytes())
    };
    let seed = options.request.seed;
    let request = Request { classes: vec![class], seed, ..Request::new(RunLevel::Load) };
    let options = crate::args::RunOptions { request, ..options.clone() };
    let reporter = Reporter { options: &options, streams };
    let files = file.facts()?.unwrap_or_default();
    let permits = consent::permits(reporter, &files, &file.holds(), signals.flag())?;
    let plan = Plan::new(&options.request, &run.host, &files)?;
    let clock = MonotonicClock::at(0);
    let mut bench =
        make::of_threads((&options.request, &plan, None), run.host.clone(), files, &permits, clock)?;
    let mut done = [0_u64; OUTSTANDING.len()];
    for (visit, place) in (0..ROUNDS).flat_map(|_| 0..OUTSTANDING.len()).enumerate() {
        check_not_stopped(signals)?;
        let work = Work::Measure { settle_ns: SETTLE_NS, measure_ns: MEASURE_NS, detail: Detail::Window };
        let point = Point::alone(Class::SMALL, OUTSTANDING[place]);
        let order = Order { visit: visit as u64, point, work, at_ns: None, shape: None };
        let result = bench.work(&order, &mut |_| true)?.done;
        done[place] += result.tallies.get(&Class::SMALL).map_or(0, |tally| tally.completed());
    }
    let best = done.into_iter().max().unwrap_or(0);
    if best == 0 {
        return Err(Problem::refused("the storage cannot be written to")
            .because("not one raw write completed within seconds")
            .next("check the kernel log (dmesg) for the device"));
    }
    Ok(to_f64(best) * 1e9 / (f64::from(ROUNDS) * to_f64(MEASURE_NS)))
}
