//! `rigel-loop-cost OUTSTANDING BATCHES`: runs the measuring loop on the engine that completes at once, and prints how many I/Os
//! it recorded. `cargo xtask instructions` counts what that takes.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "the number of I/Os is what it is asked for")]

use rigel_run::loop_cost::LoopCost;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let outstanding = arguments.next().ok_or("OUTSTANDING is missing")?.parse()?;
    let batches = arguments.next().ok_or("BATCHES is missing")?.parse()?;
    let done = LoopCost::new(outstanding)?.run(batches)?;
    let completed = done.tallies.into_values().map(|tally| tally.completed()).sum::<u64>();
    println!("{completed}");
    Ok(())
}
