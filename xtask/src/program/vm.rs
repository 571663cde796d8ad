//! `cargo xtask vm`: the long tests. The real program on devices that a host rarely has, in an emulated machine: NVMe,
//! SCSI with bad sectors, device mapper, null_blk, control groups of version 2. Needs neither rights nor KVM.
//!
//! Must not be a part of `cargo xtask ci`, and must not judge speed: emulation has none.

mod case;
mod cases;
mod image;
mod judge;
mod kernel;
mod machine;
mod outcome;
mod programs;
mod tools;

use crate::ci::setup;
use case::Case;
use kernel::Kernel;
use machine::Machine;
use outcome::Outcome;
use programs::Programs;
use std::fs;
use std::path::Path;
use tools::Tools;

/// What is tested.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// First install the Debian packages that the machine needs
    #[arg(long)]
    setup: bool,
    /// Only cases whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// How long a mirror is scrubbed while it is written, in minutes; at least six times
    #[arg(long, default_value_t = 0)]
    scrub_minutes: u32,
    /// Keep the machine's files, also when every case passes
    #[arg(long)]
    keep: bool,
}

/// Runs the cases; whether all of them passed.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    if options.setup {
        setup::run(tools::PACKAGES, "the emulated machine");
    }
    let mut cases = cases::all(options.scrub_minutes);
    let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    let names = names.join(", ");
    cases.retain(|case| case.name.contains(&options.only));
    anyhow::ensure!(!cases.is_empty(), "no case is named like '{}'; there are {names}", options.only);
    let tools = Tools::find()?;
    let place = crate::target_dir(root).join("vm");
    fs::create_dir_all(&place)?;
    let kernel = Kernel::get(&place, &tools)?;
    progress("building the programs");
    let programs = Programs::build(root)?;
    let last = place.join("last");
    if last.exists() {
        fs::remove_dir_all(&last)?;
    }
    let (stage, initramfs) = (last.join("root"), last.join("initramfs"));
    progress(&format!("packing Linux {} with {} cases", kernel.version, cases.len()));
    image::pack(&stage, &initramfs, &cases, &kernel, &programs, &tools)?;
    fs::remove_dir_all(&stage)?;
    progress("booting");
    let machine = Machine { qemu: &tools.qemu, kernel: &kernel.image(), initramfs: &initramfs, place: &last };
    let results = machine.run(&cases)?;
    let good = conclude(&cases, &results);
    if good && !options.keep {
        fs::remove_dir_all(&last)?;
    } else {
        println!("vm: what the machine left is in {}", last.display());
    }
    Ok(good)
}

/// Judges every case and prints the results; returns whether all is well.
fn conclude(cases: &[Case], results: &Path) -> bool {
    let mut failed = Vec::new();
    for case in cases {
        match judged(case, &Outcome::at(&results.join(case.name))) {
            Ok(seen) => println!("vm: {:<18} passed  {seen}", case.name),
            Err(error) => {
                println!("vm: {:<18} FAILED  {error:#}", case.name);
                failed.push(case.name);
            }
        }
    }
    if failed.is_empty() {
        println!("vm: all {} cases passed", cases.len());
    } else {
        println!("vm: {} of {} cases FAILED: {}", failed.len(), cases.len(), failed.join(", "));
    }
    failed.is_empty()
}

/// The device could be made, the results are right, and the device could be taken away.
fn judged(case: &Case, outcome: &Outcome) -> anyhow::Result<String> {
    outcome.frame()?;
    let seen = (case.judge)(outcome)?;
    outcome.tidied()?;
    Ok(seen)
}

#[expect(clippy::print_stderr, reason = "results are on standard output")]
fn progress(what: &str) {
    eprintln!("vm: {what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(judge: fn(&Outcome) -> anyhow::Result<String>) -> Case {
        let (setup, teardown) = (String::new(), String::new());
        Case { name: "a", modules: &[], setup, steps: Vec::new(), teardown, judge }
    }

    #[test]
    fn a_case_needs_its_device_a_good_judgement_and_an_end() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(place.path().join("a")).unwrap();
            fs::write(place.path().join("a").join(name), text).unwrap();
        };
        let good = |judge| conclude(&[case(judge)], place.path());
        assert!(!good(|_| Ok(String::new())), "nothing was run");
        write("setup.code", "0");
        write("teardown.code", "0");
        assert!(good(|_| Ok(String::new())));
        assert!(!good(|_| anyhow::bail!("wrong")));
        write("teardown.code", "1");
        assert!(!good(|_| Ok(String::new())));
        write("teardown.code", "0");
        write("setup.code", "1");
        assert!(!good(|_| Ok(String::new())));
    }
}
