//! The same tests for every engine that does real I/O; inside the crate, because only the write guard opens targets for others. Also what several
//! unit tests share.

mod children;
mod depth;
mod durable;
mod faults;
pub(crate) mod fixture;
mod namespace;
mod rules;
mod sync;
mod transfer;

use crate::aio::Aio;
use crate::backend::{Backend, Completion, Op, SlotLayout};
use crate::targets::{OpenTarget, OpenTargets};
use crate::threads::Threads;
use crate::uring::Uring;
use rigel_core::error::Problem;
use rigel_core::facts::engine::{BufferFacts, EngineFacts};
use rigel_core::load::class::Sync;
use rigel_core::load::draw::Generator;
use rigel_core::load::workload::Direction;
use rigel_testdev::{MissingNeed, needs};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

const SMALL_BYTES: u32 = 8192;
const LARGE_BYTES: u32 = 1 << 20;
const SEED: u64 = 42;

/// An engine under test.
trait Engine: Backend + Sized {
    fn make(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem>;
}

macro_rules! engines {
    ($($engine:ident($($poll:expr)?)),*) => {
        $(impl Engine for $engine {
            fn make(
                targets: Arc<OpenTargets>,
                layout: SlotLayout,
                seed: u64,
            ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
                Self::new(targets, layout, seed, $($poll)?)
            }
        })*
    };
}

engines!(Uring(false), Aio(), Threads());

/// Makes `#[test]`s of generic functions, one for each engine.
macro_rules! for_every_engine {
    ($($test:ident),* $(,)?) => {
        mod uring {
            $(#[test] fn $test() { super::$test::<crate::uring::Uring>(); })*
        }
        mod aio {
            $(#[test] fn $test() { super::$test::<crate::aio::Aio>(); })*
        }
        mod threads {
            $(#[test] fn $test() { super::$test::<crate::threads::Threads>(); })*
        }
    };
}
use for_every_engine;

const fn layout(small: u16, large: u16) -> SlotLayout {
    SlotLayout::of(&[(small, SMALL_BYTES), (large, LARGE_BYTES)])
}

/// The engine, or the notice that this host does not have it.
fn engine<E: Engine>(test: &str, targets: &Arc<OpenTargets>, layout: SlotLayout) -> Option<E> {
    let made = E::make(Arc::clone(targets), layout, SEED);
    needs(test, made.map(|(engine, _, _)| engine).map_err(MissingNeed::new))
}

fn open(path: &Path, access: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open(path, access | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty())
}

/// Opens the file for direct reading, and for writing if it has a permit.
fn target(path: &Path, writable: bool) -> Result<OpenTarget, MissingNeed> {
    let access = if writable { OFlags::RDWR } else { OFlags::RDONLY };
    let fd = open(path, access)
        .map_err(|errno| MissingNeed::new(format!("no O_DIRECT on {}: {errno}", path.display())))?;
    Ok(OpenTarget::new(fd, size_of_file(path), writable))
}

fn size_of_file(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// A file with random contents beside the test's program, where O_DIRECT works when it works anywhere.
struct Scratch {
    directory: tempfile::TempDir,
    contents: Vec<u8>,
}

impl Scratch {
    fn new(bytes: usize) -> Self {
        let program = std::env::current_exe().unwrap();
        let directory = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let mut contents = vec![0; bytes];
        Generator::new(1, &[]).fill(&mut contents);
        std::fs::write(directory.path().join("file"), &contents).unwrap();
        // Direct I/O right after buffered writes would have to write the pages back first.
        File::open(directory.path().join("file")).unwrap().sync_all().unwrap();
        Self { directory, contents }
    }

    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("file")
    }

    /// This file as the only target.
    fn targets(&self, test: &str, writable: bool) -> Option<Arc<OpenTargets>> {
        needs(test, target(&self.path(), writable)).map(|target| Arc::new(OpenTargets::new(vec![target])))
    }
}

fn read(slot: u16, offset: u64, len: u32) -> Op {
    Op { slot, target: 0, direction: Direction::Read, offset, len, sync: Sync::None }
}

fn write(slot: u16, offset: u64, len: u32) -> Op {
    Op { direction: Direction::Write, ..read(slot, offset, len) }
}

/// Pushes all, waits for all, and returns the completions by slot.
fn carry(backend: &mut impl Backend, ops: &[Op]) -> Vec<Completion> {
    ops.iter().for_each(|op| backend.push(*op));
    let mut done = Vec::new();
    while done.len() < ops.len() {
        backend.submit(u16::try_from(ops.len() - done.len()).unwrap()).unwrap();
        backend.reap(|completion| done.push(completion));
    }
    done.sort_by_key(|completion| completion.slot);
    done
}

/// The outcomes of [`carry`] for slots that are all different.
fn outcomes(backend: &mut impl Backend, ops: &[Op]) -> Vec<Result<u32, i32>> {
    carry(backend, ops).into_iter().map(|completion| completion.outcome).collect()
}
