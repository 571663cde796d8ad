//! A whole run on a simulated device, in memory and in virtual time, to test the statistics.
//!
//! The same walk, workers and judgement as any run; only the device is simulated and the record is not written. Must
//! not know what the device's answer should be.

use crate::bench::simulated::{SimulatedBench, site};
use crate::bench::turns::Turns;
use crate::bench::{Bench, layout};
use crate::execute::{Beginning, Outcome, Run, execute};
use crate::job::{Stop, Workload};
use crate::journal::Memory;
use crate::wall::Wall;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::HostFacts;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::team::Team;
use rigel_core::record::Record;

/// Makes the run that `request` asks for; its engine has to be simulated. The same request gives the same record.
///
/// # Errors
/// When the request does not fit, or asks for another engine.
pub fn trial(request: &Request) -> Result<Record, Problem> {
    let EngineRequest::Sim(law) = request.engine else {
        return Err(Problem::new(ExitKind::Bug, "a trial needs the simulated device"));
    };
    let targets = request.simulated_targets();
    let host = HostFacts { cpus: 1, ..HostFacts::default() };
    let plan = Plan::new(request, &host, &targets)?;
    let mut bench: Box<dyn Bench> = if request.sides.is_some() {
        Box::new(Turns::simulated(request, &plan, &host, &targets, &Team::default())?)
    } else {
        let workload = Workload::new(request, &targets)?;
        Box::new(SimulatedBench::new(law, workload, layout(request, &plan, 0), site(host, targets)))
    };
    let run = Run {
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: "trial".to_owned(),
        request: request.clone(),
        plan,
    };
    let mut memory = Memory::default();
    let ended = execute(
        &run,
        Beginning::new(Wall::simulated(0)),
        bench.as_mut(),
        &mut memory,
        &Stop::default(),
        &mut |_| {},
    )?;
    // A device that does not answer ends a run after a visit, and what that visit saw is no answer.
    if let Outcome::Hung { .. } | Outcome::AllFailed { .. } = ended {
        return ended
            .problem("start it again")
            .map_or_else(|| Err(Problem::new(ExitKind::Bug, "a trial ended")), Err);
    }
    memory.into_record().ok_or_else(|| Problem::new(ExitKind::Bug, "a trial left no record"))
}

#[cfg(test)]
mod tests;
