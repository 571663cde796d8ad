//! From the user's names to targets with facts: a `.lun` file, paths, a scratch file, a simulated device.
//!
//! Must not open anything for writing except a scratch file of ours.

use super::scratch;
use crate::args::{RunOptions, TargetSource};
use crate::commands::answer::{answering, facts_of};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{HostFacts, MemoryReason, TargetFacts};
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::path_text;
use rigel_core::units::Nanos;
use rigel_io::targets::inspect::Snapshot;
use rigel_io::targets::lun_list;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The options with the directories that were named as places of scratch files. A directory next to a file is refused.
pub fn with_directories(options: &RunOptions) -> Result<Cow<'_, RunOptions>, Problem> {
    let limit = options.request.io_timeout;
    let is_dir = |path: &PathBuf| answering(path, limit, || path.is_dir());
    match &options.targets {
        TargetSource::Named(paths) => {
            let (dirs, others): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(is_dir);
            match (dirs.as_slice(), others.first()) {
                ([], _) => Ok(Cow::Borrowed(options)),
                ([dir, ..], Some(other)) => Err(mixed(dir, other)),
                (_, None) if !options.destroy.is_empty() => Err(no_consent_needed(&options.destroy)),
                (_, None) => {
                    let targets = TargetSource::Scratch { dirs, size: None, keep: false };
                    Ok(Cow::Owned(RunOptions { targets, ..options.clone() }))
                }
            }
        }
        TargetSource::Scratch { dirs, .. } => match dirs.iter().find(|dir| !is_dir(dir)) {
            Some(other) => Err(Problem::usage("--scratch-size and --keep-scratch cannot be combined with \
                targets")
                .at(path_text::encode(other))
                .because("they are about the scratch file that Rigel makes in a directory, and this is not a directory")
                .next("name a directory, or leave these options out")),
            None => Ok(Cow::Borrowed(options)),
        },
        TargetSource::LunFile(_) | TargetSource::Simulated | TargetSource::Server(_) => {
            Ok(Cow::Borrowed(options))
        }
    }
}

fn mixed(dir: &Path, other: &Path) -> Problem {
    let file = path_text::shell_word(&path_text::encode(&dir.join(rigel_core::guard::scratch::FILE_NAME)));
    Problem::usage(format!("a directory and a target are named: {}", path_text::encode(other)))
        .at(path_text::encode(dir))
        .because("Rigel makes scratch files in all directories of a run, or in none")
        .next(format!(
            "name directories alone, or make the file first with `rigel fill {file}` and name it instead"
        ))
}

fn no_consent_needed(destroy: &[PathBuf]) -> Problem {
    Problem::usage("--destroy-data names something that is not a target of this run")
        .at(destroy.first().map(|path| path_text::encode(path)).unwrap_or_default())
        .because("only directories are named, and the run writes to scratch files that it makes there")
        .next("leave --destroy-data out")
}

/// The facts of the targets. A scratch file that does not exist yet is described as it will be.
pub fn look(options: &RunOptions, host: &HostFacts) -> Result<Vec<TargetFacts>, Problem> {
    match &options.targets {
        TargetSource::LunFile(list) => from_list(list, &options.request, &Snapshot::take()),
        TargetSource::Named(paths) => {
            // A target may be on both sides.
            let snapshot = Snapshot::take();
            let limit = options.request.io_timeout;
            let of = |(_, paths): (Request, &[PathBuf])| from_paths(paths, limit, &snapshot);
            let parts = options.request.parts(paths).into_iter().map(of);
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        TargetSource::Scratch { dirs, size, keep } => {
            scratch::facts_of_new(dirs, (*size, *keep), &options.request, host)
        }
        TargetSource::Simulated => Ok(options.request.simulated_targets()),
        TargetSource::Server(_) => {
            Err(Problem::new(ExitKind::Bug, "these engines cannot use a server's table as a target"))
        }
    }
}

fn from_list(list: &Path, request: &Request, snapshot: &Snapshot) -> Result<Vec<TargetFacts>, Problem> {
    let entries = lun_list::read(list)?;
    let facts = entries
        .iter()
        .map(|entry| {
            let found = facts_of(&entry.path, request.io_timeout, snapshot);
            let facts = found.map_err(|problem| lun_list::at_line(list, entry, problem))?;
            Ok((format!("{}:{}", path_text::encode(list), entry.line), facts))
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    lun_list::check_sizes(&facts, request.io_bytes(Class::LARGE))?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

fn from_paths(paths: &[PathBuf], limit: Nanos, snapshot: &Snapshot) -> Result<Vec<TargetFacts>, Problem> {
    let facts = paths
        .iter()
        .map(|path| Ok((path_text::encode(path), facts_of(path, limit, snapshot)?)))
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

/// A scratch file is made where nobody said that memory is meant, so memory is refused.
pub fn check_not_memory(here: &TargetFacts, allowed: bool) -> Result<(), Problem> {
    let Some(memory) = here.memory().filter(|_| !allowed) else { return Ok(()) };
    let next = "change to a directory on a disk, or name a file or device there";
    Err(refusal(here, &memory, "this directory", next))
}

/// Targets for whose I/O memory answers are refused before anything is measured, unless memory was asked for. A device that is memory
/// (zram, `null_blk`) is measured: it answers its I/O itself, and the flag says what it is.
pub fn check_answered_by_storage(request: &Request, looked: &[TargetFacts]) -> Result<(), Problem> {
    if request.allow_memory {
        return Ok(());
    }
    for (part, targets) in request.parts(looked) {
        let meant = |memory: &MemoryReason| match memory {
            MemoryReason::Device { .. } => true,
            memory => part.buffered && memory.is_page_cache(),
        };
        let mut found = targets.iter().filter_map(|target| Some((target, target.memory()?)));
        let Some((target, memory)) = found.find(|(_, memory)| !meant(memory)) else { continue };
        return Err(refusal(target, &memory, "this target", "name a file or device on a disk"));
    }
    Ok(())
}

fn refusal(target: &TargetFacts, memory: &MemoryReason, this: &str, next: &str) -> Problem {
    let what = match memory.is_page_cache() {
        true => format!("{this} is only reachable through the page cache, which is memory"),
        false => "this is memory, not storage".to_owned(),
    };
    let first = memory.remedy().map_or_else(String::new, |command| format!("{command}, "));
    Problem::refused(what)
        .at(path_text::printable(&target.real_path))
        .because(memory.to_string())
        .next(format!("{first}{next}; --allow-memory measures memory anyway"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::DeviceFacts;
    use rigel_core::load::matrix::RunLevel;

    fn on(filesystem: &str, device: DeviceFacts) -> TargetFacts {
        TargetFacts {
            filesystem: Some(filesystem.to_owned()),
            device: Some(device),
            ..TargetFacts::simulated(1 << 30)
        }
    }

    fn device(name: &str, driver: Option<&str>, direct: Option<bool>) -> DeviceFacts {
        DeviceFacts {
            name: name.to_owned(),
            transport: driver.map(str::to_owned),
            loop_direct: direct,
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn memory_is_refused_unless_it_is_meant_or_is_the_device_itself() {
        let disk = on("ext4", device("sda", Some("sata"), None));
        let (tmpfs, zram) =
            (on("tmpfs", DeviceFacts::default()), on("ext4", device("zram0", Some("zram"), None)));
        let cached = on("ext4", device("loop7", Some("loop"), Some(false)));
        let told = |targets: &[&TargetFacts], change: fn(&mut Request)| {
            let mut request = Request::new(RunLevel::Oltp);
            change(&mut request);
            let targets: Vec<TargetFacts> = targets.iter().map(|&target| target.clone()).collect();
            check_answered_by_storage(&request, &targets).err()
        };
        for fine in [&disk, &zram] {
            assert_eq!(told(&[fine], |_| {}), None);
        }
        let refused = told(&[&disk, &tmpfs], |_| {}).unwrap();
        assert_eq!((refused.kind, refused.what.as_str()), (ExitKind::Refused, "this is memory, not storage"));
        assert!(told(&[&zram, &tmpfs], |_| {}).is_some());
        let refused = told(&[&cached], |_| {}).unwrap();
        assert!(
            refused.what.contains("page cache")
                && refused.next.unwrap().contains("losetup --direct-io=on /dev/loop7")
        );
        for meant in [&tmpfs, &cached] {
            assert_eq!(told(&[meant], |request| request.allow_memory = true), None);
        }
        assert_eq!(told(&[&cached], |request| request.buffered = true), None);
        assert!(
            told(&[&tmpfs], |request| request.buffered = true).is_some(),
            "a page cache of memory is memory"
        );
    }
}
