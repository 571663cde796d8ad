//! `cargo xtask mutants`: proof that the tests bite. Each mutation of a list written by hand breaks one expression of the product, and a test
//! has to fail for it.
//!
//! All mutations are built at once, each behind a switch, into a copy of the sources; a variable of the environment turns one on. The
//! list is by hand because what matters here, an interval that is a fifth too narrow, no general rule would make. Must not change
//! the sources of the repository.

mod copy;
mod hunt;
mod list;
mod program;
mod site;
mod switch;

use crate::target_dir;
use hunt::Outcome;
use list::Mutation;
use program::Program;
use std::path::Path;
use std::time::Instant;

/// The selection.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only mutations whose name, or that of their file in xtask/mutations, holds one of these, separated by commas
    #[arg(long, default_value = "", value_delimiter = ',')]
    only: Vec<String>,
}

/// Builds, and shows every mutation to the tests; whether all were caught.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let begin = Instant::now();
    let all = list::read(root)?;
    let chosen: Vec<(usize, &Mutation)> = all
        .iter()
        .enumerate()
        .filter(|(_, one)| options.only.iter().any(|part| one.is_called(part)))
        .collect();
    anyhow::ensure!(!chosen.is_empty(), "no mutation is named like '{}'", options.only.join("' or '"));
    let Some(mut programs) = build(root, &all)? else {
        println!(
            "mutants: FAILED: the copy with its switches does not build; the mutation is at the place that is told above"
        );
        return Ok(false);
    };
    let unknown = hunt::unknown_tests(&programs, &all);
    anyhow::ensure!(unknown.is_empty(), "the list of mutations is stale:\n  {}", unknown.join("\n  "));
    for program in &mut programs {
        // The others would take too long.
        let named: Vec<String> = chosen.iter().flat_map(|(_, one)| &one.it).cloned().collect();
        match (program.with_binary, named.is_empty()) {
            (true, true) => {}
            (true, false) => program.pass(&named)?,
            (false, _) => program.pass(&[])?,
        }
    }
    let width = chosen.iter().map(|(_, one)| one.name.len()).max().unwrap_or(0);
    let mut outcomes = Vec::new();
    for (number, mutation) in chosen {
        let outcome = hunt::hunt(&programs, number, mutation)?;
        println!("{}", outcome.line(width));
        outcomes.push(outcome);
    }
    let good = conclude(&outcomes);
    println!("mutants: {:.1} minutes", begin.elapsed().as_secs_f64() / 60.0);
    Ok(good)
}

/// The test programs of a copy of the sources with all mutations in it; `None` when they do not build.
fn build(root: &Path, all: &[Mutation]) -> anyhow::Result<Option<Vec<Program>>> {
    let place = target_dir(root).join("mutants");
    let copy = place.join("source");
    let changed = switch::sources(root, all)?;
    copy::write(root, &copy, &changed)?;
    println!("mutants: {} mutations in {} files, one build", all.len(), changed.len().saturating_sub(1));
    program::build(&copy, &place.join("build"))
}

/// Reports the survivors; returns whether there are none.
fn conclude(outcomes: &[Outcome<'_>]) -> bool {
    let survivors: Vec<&Outcome<'_>> = outcomes.iter().filter(|one| one.caught_by.is_none()).collect();
    if survivors.is_empty() {
        println!("mutants: all {} were caught", outcomes.len());
        return true;
    }
    println!("\nmutants: FAILED: no test sees {} of {}. Add one that does:", survivors.len(), outcomes.len());
    for Outcome { mutation, .. } in survivors {
        println!(
            "  {}  {}\n    {}\n    `{}` became `{}`",
            mutation.name, mutation.place, mutation.what, mutation.find, mutation.replace
        );
    }
    false
}
