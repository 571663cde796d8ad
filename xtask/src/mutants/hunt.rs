//! Which tests a mutation is shown to, in which order, and what comes of it: the nearest first, then all that can see it.
//!
//! Must not build.

use super::list::{Mutation, PACKAGES};
use super::program::{End, Program};
use std::time::{Duration, Instant};

/// What happened to a mutation.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub mutation: &'a Mutation,
    /// The test that caught it; `None` if none did.
    pub caught_by: Option<String>,
    pub time: Duration,
}

/// Programs that see a mutation, each with pieces of the names of the tests that are run; all without pieces.
type Step<'a> = (&'a Program, &'a [String]);

/// The order for one mutation: the tests that it names, then all unit tests of its crate, then those of the crates that depend on it.
fn steps<'a>(programs: &'a [Program], mutation: &'a Mutation) -> Vec<Step<'a>> {
    let place = |package: &str| PACKAGES.iter().position(|known| *known == package);
    let own = place(mutation.package()).unwrap_or(0);
    let mut units: Vec<&Program> = programs
        .iter()
        .filter(|one| !one.with_binary && place(&one.package).is_some_and(|place| place >= own))
        .collect();
    units.sort_by_key(|one| place(&one.package));
    let with_binary = programs.iter().filter(|one| one.with_binary);
    let near = units.first().copied().into_iter().map(|one| (one, mutation.tests.as_slice()));
    let named = near.chain(with_binary.map(|one| (one, mutation.it.as_slice())));
    let named = named.filter(|(_, pieces)| !pieces.is_empty());
    named.chain(units.iter().map(|one| (*one, &[][..]))).collect()
}

/// The pieces of names that no test has: the list is stale then.
pub fn unknown_tests(programs: &[Program], mutations: &[Mutation]) -> Vec<String> {
    let mut unknown = Vec::new();
    for mutation in mutations {
        for (program, pieces) in steps(programs, mutation) {
            let missing = pieces.iter().filter(|piece| program.count(piece) == 0);
            let told = |piece| {
                format!("{}: {}: no '{piece}' in the {}", mutation.place, mutation.name, program.name())
            };
            unknown.extend(missing.map(told));
        }
    }
    unknown
}

/// Shows a mutation to the tests until one fails.
pub fn hunt<'a>(programs: &[Program], number: usize, mutation: &'a Mutation) -> anyhow::Result<Outcome<'a>> {
    let begin = Instant::now();
    let mut caught_by = None;
    for (program, pieces) in steps(programs, mutation) {
        caught_by = match program.run(Some(number), pieces)? {
            End::Passed => continue,
            End::Failed(test) => Some(test),
            End::Died(status) => Some(format!("{} died: {status}", program.name())),
            End::Hung(most) => Some(format!("{} hung: no end within {} s", program.name(), most.as_secs())),
        };
        break;
    }
    Ok(Outcome { mutation, caught_by, time: begin.elapsed() })
}

impl Outcome<'_> {
    /// The line of progress.
    pub fn line(&self, width: usize) -> String {
        let (verdict, by) = match &self.caught_by {
            Some(by) => ("caught", by.as_str()),
            None => ("SURVIVED", "no test failed"),
        };
        format!("{verdict:<8}  {:<width$}  {by}  {:.1} s", self.mutation.name, self.time.as_secs_f64())
    }
}
