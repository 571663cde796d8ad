//! From what the user named to targets with facts: a `.lun` file, paths, a scratch file, a simulated device.
//!
//! Must not open anything for writing but a scratch file of ours.

use crate::args::{RunOptions, TargetSource};
use rigel_core::error::Problem;
use rigel_core::facts::{HostFacts, Identity, TargetFacts, TargetKind};
use rigel_core::request::EngineRequest;
use rigel_core::sim_law::SimLaw;
use rigel_core::units::{Bytes, GIB};
use rigel_core::{path_text, scratch};
use rigel_io::targets::inspect::target_facts;
use rigel_io::targets::lun_list::{self, LunEntry};
use rigel_io::targets::scratch::{ScratchFile, free_bytes};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What is there already. A scratch file that is not made yet is described as it will be.
///
/// # Errors
/// When a target is missing, not usable or named twice, or there is no room for a scratch file.
pub fn look(options: &RunOptions, host: &HostFacts) -> Result<Vec<TargetFacts>, Problem> {
    match &options.targets {
        TargetSource::LunFile(list) => from_list(list, options.request.large_bytes),
        TargetSource::Named(paths) => from_paths(paths),
        TargetSource::Scratch { size, .. } => {
            let size_bytes = match size {
                Some(size) => size.0,
                None => chosen_size(host)?,
            };
            Ok(vec![scratch_to_be(size_bytes)])
        }
        TargetSource::Simulated => Ok(vec![simulated(options.request.engine)]),
    }
}

fn from_list(list: &Path, large_bytes: u64) -> Result<Vec<TargetFacts>, Problem> {
    let entries = lun_list::read(list)?;
    let label = |entry: &LunEntry| format!("{}:{}", path_text::encode(list), entry.line);
    let facts = entries
        .iter()
        .map(|entry| {
            let facts =
                target_facts(&entry.path).map_err(|problem| lun_list::at_line(list, entry, problem))?;
            Ok((label(entry), facts))
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    lun_list::check_sizes(&facts, large_bytes)?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

fn from_paths(paths: &[PathBuf]) -> Result<Vec<TargetFacts>, Problem> {
    let facts = paths
        .iter()
        .map(|path| Ok((path_text::encode(path), target_facts(path)?)))
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

fn chosen_size(host: &HostFacts) -> Result<u64, Problem> {
    let here = Path::new(".");
    if let Some(size_bytes) = kept_size(&here.join(scratch::FILE_NAME)) {
        return Ok(size_bytes);
    }
    scratch::choose_size(free_bytes(here)?, host.memory_bytes.unwrap_or(4 * GIB))
}

/// Size of a scratch file that an earlier run left here: it is used again, however much space is free now.
fn kept_size(path: &Path) -> Option<u64> {
    use std::io::Read as _;
    let mut head = [0; scratch::BLOCK_BYTES];
    let mut file =
        std::fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    file.read_exact(&mut head).ok()?;
    scratch::Header::decode(&head).ok().map(|header| header.size_bytes)
}

fn scratch_to_be(size_bytes: u64) -> TargetFacts {
    TargetFacts {
        path: scratch::FILE_NAME.to_owned(),
        kind: TargetKind::File,
        direct_io: None,
        ..simulated_target(size_bytes)
    }
}

fn simulated(engine: EngineRequest) -> TargetFacts {
    let law = match engine {
        EngineRequest::Sim(law) => law,
        EngineRequest::Auto | EngineRequest::Only(_) => SimLaw::default(),
    };
    simulated_target(law.size_bytes)
}

fn simulated_target(size_bytes: u64) -> TargetFacts {
    TargetFacts {
        path: "simulated".to_owned(),
        real_path: "simulated".to_owned(),
        kind: TargetKind::Simulated,
        size_bytes,
        identity: Identity { device: (0, 0), inode: 0 },
        logical_block_bytes: 512,
        physical_block_bytes: None,
        direct_io: None,
        direct_io_refusal: None,
        filesystem: None,
        mount_point: None,
        allocated_bytes: None,
        device: None,
    }
}

/// A scratch file for one run; removed when this goes out of scope, unless it is to be kept.
#[derive(Debug)]
pub struct Scratch {
    file: Option<ScratchFile>,
    keep: bool,
    overwritten: bool,
}

impl Scratch {
    /// Fills a scratch file in the current directory, or takes the one that is there.
    ///
    /// # Errors
    /// When there is too little space, the disk fails, or the user stopped it.
    pub fn fill(
        options: &RunOptions,
        size_bytes: u64,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        let TargetSource::Scratch { keep, .. } = options.targets else {
            return Ok(Self { file: None, keep: false, overwritten: false });
        };
        let file = ScratchFile::create(Path::new("."), size_bytes, options.request.seed, progress, stop)?;
        // A file that an earlier run was told to keep is not this run's to remove.
        let keep = keep || file.reused();
        Ok(Self { file: Some(file), keep, overwritten: options.request.write_percent.writes() })
    }

    /// What there is to say about it; `None` without a scratch file.
    pub fn describe(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let made =
            if file.reused() { "the one that was there is used again" } else { "filled with random data" };
        let fate = if self.keep { "kept" } else { "removed afterwards" };
        Some(format!(
            "scratch file {}: {}, {made}, {fate}",
            path_text::encode(file.path()),
            Bytes(file.size_bytes())
        ))
    }

    /// Its facts now that it is there.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn facts(&self) -> Result<Option<TargetFacts>, Problem> {
        self.file.as_ref().map(|file| target_facts(file.path())).transpose()
    }

    /// Removes it, or makes it recognisable again when it is kept after a run that wrote to it.
    ///
    /// # Errors
    /// When the filesystem refuses.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.put_away()
    }

    fn put_away(&mut self) -> Result<(), Problem> {
        match self.file.take() {
            Some(file) if !self.keep => file.remove(),
            Some(file) if self.overwritten => file.renew_header(),
            Some(_) | None => Ok(()),
        }
    }
}

impl Drop for Scratch {
    /// On the way out of a failed run: the failure is what the user should read, not this one.
    fn drop(&mut self) {
        let _ = self.put_away();
    }
}
