//! `cargo xtask bench`: what Rigel costs, and what it reaches, beside fio on the same device in the same minutes.
//!
//! Machines are shared and drift, so a figure alone says little: the tools take turns (A B, B A, A B ..), and every
//! statement is a ratio with an interval over the rounds. Must not be a test: nothing here passes or fails.

mod blocks;
mod cases;
mod child;
mod device;
mod page;
mod ratio;
mod sample;
mod tools;
mod verified;

use anyhow::Context as _;
use cases::Case;
use device::Devices;
use sample::Sample;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tools::Tool;

const PAGE: &str = "docs/method/performance.md";

/// What is measured, and for how long.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Rounds of each case; every tool runs once in each
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(3..=1000))]
    rounds: u32,
    /// Measured seconds of each run
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Only cases whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// A directory on the storage for the cases with a file (4 GiB)
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// A built `t/io_uring` of fio's sources, as a third tool
    #[arg(long)]
    t_io_uring: Option<PathBuf>,
    /// Beside another build of Rigel, such as the one that packages hold, and not beside other tools
    #[arg(long, conflicts_with_all = ["t_io_uring", "write"])]
    program: Option<PathBuf>,
    /// Also write the results as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write docs/method/performance.md
    #[arg(long)]
    write: bool,
}

/// One case with the samples of each tool, a sample per round.
pub struct BenchCase {
    case: Case,
    tools: Vec<(Tool, Vec<Sample>)>,
}

/// Measures all cases and shows them; whether all of them could be measured.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let with_blocks = options.program.is_none() && blocks::NAME.contains(&options.only);
    let blocks = with_blocks.then(|| blocks::measure(root, options.rounds)).transpose()?;
    if let Some(speed) = blocks {
        print!("bench: {}\n{}", blocks::NAME, speed.row());
        if cases::all().iter().all(|case| !case.name.contains(&options.only)) {
            return Ok(true);
        }
    }
    let program = super::release_build(root)?;
    let peers = peers(options, &program)?;
    let rigel = Tool::Rigel(program);
    let cases: Vec<Case> =
        cases::all().into_iter().filter(|case| case.name.contains(&options.only)).collect();
    anyhow::ensure!(!cases.is_empty(), "no case is named like '{}'", options.only);
    let mut devices = Devices::new(&options.dir);
    let mut measured = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        println!("bench: {} of {}: {}", number + 1, cases.len(), case.name);
        let targets = match devices.targets(case) {
            Ok(targets) => targets,
            Err(reason) => {
                println!("bench: SKIPPED {}: {reason:#}", case.name);
                continue;
            }
        };
        let tools: Vec<Tool> =
            [rigel.clone()].into_iter().chain(peers.iter().filter(|peer| peer.can(case)).cloned()).collect();
        match rounds(case, &tools, &targets, options) {
            Ok(found) => {
                print!("{}", page::row(&found));
                measured.push(found);
            }
            // One case that fails must not cost the others.
            Err(error) => println!("bench: FAILED {}: {error:#}", case.name),
        }
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&page::json(&measured))?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let text = if options.program.is_some() { page::tables } else { page::page };
    let text = text(&measured, options.rounds, options.seconds);
    let text = text + &blocks.map_or_else(String::new, blocks::Speed::section);
    println!("\n{text}");
    if options.write {
        fs::write(root.join(PAGE), text).with_context(|| format!("cannot write {PAGE}"))?;
        println!("bench: wrote {PAGE}");
    }
    Ok(measured.len() == cases.len())
}

/// The tools that the release build is compared with.
fn peers(options: &Options, release: &Path) -> anyhow::Result<Vec<Tool>> {
    if let Some(program) = &options.program {
        return Ok(vec![tools::given(program)?]);
    }
    let mut peers = tools::peers(options.t_io_uring.as_deref())?;
    peers.push(Tool::Plain(release.to_owned()));
    Ok(peers)
}

/// The tools take turns, every other round in the opposite order, so that a slow drift of the machine falls on all alike.
fn rounds(case: &Case, tools: &[Tool], targets: &[PathBuf], options: &Options) -> anyhow::Result<BenchCase> {
    let mut all: Vec<(Tool, Vec<Sample>)> = tools.iter().map(|tool| (tool.clone(), Vec::new())).collect();
    for round in 0..options.rounds {
        let mut order: Vec<usize> = (0..all.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let (tool, samples) = &mut all[index];
            let sample = tool.run(case, targets, Duration::from_secs(options.seconds));
            samples.push(sample.with_context(|| format!("{} in {}", tool.name(), case.name))?);
        }
    }
    Ok(BenchCase { case: case.clone(), tools: all })
}
