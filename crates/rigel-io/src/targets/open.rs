//! Targets that are open for I/O. Without a permit a target is opened read-only, so the kernel itself refuses a
//! write.
//!
//! Only an inspected target is opened: a path that now leads elsewhere is refused. With a permit, a block device is
//! opened exclusively, and a regular file is locked against other runs of Rigel.

use super::changes::Baseline;
use super::errno::{no_direct_io, refusal, retry_while};
use super::guard::{WritePermit, blocked, exchanged};
use super::inspect::{Snapshot, in_use};
use super::ioctl;
use super::lock::presence::{self, OtherProcess};
use super::lock::{RELEASE, is_locked, lock, lock_together};
use super::namespace::Namespace;
use super::neighbours::Neighbours;
use super::node::Node;
use super::own_file::usable_bytes;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{ChangedTarget, TargetChange, TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::load::workload::Direction;
use rigel_core::measure::FirstError;
use rigel_core::path_text;
use rustix::fs::{self, Advice, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::sync::OnceLock;

/// One open target.
#[derive(Debug)]
pub struct OpenTarget {
    fd: OwnedFd,
    size_bytes: u64,
    writable: bool,
    namespace: Option<Namespace>,
    /// Its state at the time of opening; `None` for one without a path.
    baseline: Option<Baseline>,
    /// Other names of its storage, once others may hear that it is loaded.
    neighbours: OnceLock<Neighbours>,
}

/// The targets of a run in the order of the plan; shared by all workers.
#[derive(Debug)]
pub struct OpenTargets {
    targets: Vec<OpenTarget>,
}

/// Whether descriptors may write.
#[derive(Clone, Copy, Debug)]
pub enum Access<'a> {
    /// Reading only.
    ReadOnly,
    /// Writing to the targets that have a permit; one entry for each target.
    Permits(&'a [Option<WritePermit>]),
    /// The same, for one of the nodes of the run with this number, which may write the same files.
    Together(&'a [Option<WritePermit>], u64),
}

impl OpenTargets {
    /// Opens all targets, as they were inspected, or none. `direct` asks for O_DIRECT.
    ///
    /// # Errors
    /// When a target is not the one that was inspected, is in use (with a permit), or cannot be opened.
    pub fn open(inspected: &[TargetFacts], access: Access<'_>, direct: bool) -> Result<Self, Problem> {
        let permit_of = |index: usize| match access {
            Access::ReadOnly => None,
            Access::Permits(permits) | Access::Together(permits, _) => {
                permits.get(index).and_then(Option::as_ref)
            }
        };
        let run = if let Access::Together(_, run) = access { Some(run) } else { None };
        let open = |(index, facts)| open_one(facts, permit_of(index), run, direct);
        let opened = inspected.iter().enumerate().map(open).collect::<Result<Vec<_>, _>>()?;
        // Only now, with all of them open, so that no later use is missed, and one snapshot of the host is enough.
        let snapshot = Snapshot::take();
        for (index, (facts, target)) in inspected.iter().zip(&opened).enumerate() {
            if let Some(permit) = permit_of(index) {
                // A second descriptor for only one target at a time, so that the limit on open files is kept.
                let node = Node::of_open(&path_text::decode(&facts.path), target.fd.as_fd())?;
                permit.still_holds(&node, &snapshot)?;
            }
        }
        Ok(Self::new(opened))
    }

    /// Opens the NVMe generic device of every target as well. `inspected` are those that the targets were opened with. The
    /// block devices stay open and so are still held exclusively.
    ///
    /// # Errors
    /// When a target has no generic device, or it cannot be opened.
    pub fn with_namespaces(mut self, inspected: &[TargetFacts]) -> Result<Self, Problem> {
        for (facts, target) in inspected.iter().zip(&mut self.targets) {
            let opened = Namespace::open(
                &path_text::decode(&facts.path),
                facts.identity,
                &target.fd,
                target.writable,
            )?;
            target.namespace = Some(opened);
        }
        Ok(self)
    }

    /// The differences from the state at the time of opening. Not for use during a measurement, because filesystems and
    /// devices are asked.
    pub fn changes(&self) -> Vec<ChangedTarget> {
        let of = |(number, target): (u16, &OpenTarget)| {
            let changes = target.baseline.as_ref().map_or_else(Vec::new, |was| was.changes(target.as_fd()));
            let too =
                target.other(target.writable).map(|other| TargetChange::LoadedToo { process: other.process });
            changes.into_iter().chain(too).map(move |change| ChangedTarget { target: number, change })
        };
        (0u16..).zip(&self.targets).flat_map(of).collect()
    }

    /// Announces that this process loads the targets. `beside`: even if another run of Rigel reads what this one reads.
    ///
    /// # Errors
    /// When another one loads a target, unless `beside`.
    pub fn announce(&self, beside: bool) -> Result<(), Problem> {
        let real = self.targets.iter().filter(|target| target.baseline.is_some());
        for target in real {
            let announced = if beside && !target.writable {
                presence::announce_beside(target)
            } else {
                presence::announce(target, target.writable)
            };
            announced.map_err(|other| target.loaded_too(other, target.writable))?;
            let neighbours = target.neighbours.get_or_init(|| Neighbours::of(target.as_fd()));
            let announced = neighbours.announce(target, target.writable, beside);
            announced.map_err(|other| target.storage_loaded_too(other, target.writable))?;
        }
        Ok(())
    }

    /// Whether [`OpenTargets::announce`] would refuse targets that were open for a run that writes or does not; does not announce anything.
    ///
    /// # Errors
    /// When another run of Rigel loads a target.
    pub fn check_unloaded(&self, beside: bool, writes: bool) -> Result<(), Problem> {
        let other = |target: &OpenTarget| {
            if beside && !writes { presence::other_writer(target) } else { target.other(writes) }
        };
        let real = self.targets.iter().filter(|target| target.baseline.is_some());
        let loaded = real.into_iter().find_map(|target| {
            let by_name = other(target).map(|other| target.loaded_too(other, writes));
            let by_another = || Neighbours::of(target.as_fd()).other(target, writes, beside);
            by_name.or_else(|| Some(target.storage_loaded_too(by_another()?, writes)))
        });
        loaded.map_or(Ok(()), Err)
    }

    /// Refuses what an open for writing would refuse of these targets. Nothing is opened for writing.
    ///
    /// # Errors
    /// When this user may not write, or another run writes.
    pub fn foresee_writes(&self, inspected: &[TargetFacts]) -> Result<(), Problem> {
        for (facts, target) in inspected.iter().zip(&self.targets) {
            let node = Node::of_open(&path_text::decode(&facts.path), target.fd.as_fd())?;
            node.check_writable().map_err(|errno| not_opened(&node, errno, false))?;
            if node.kind == TargetKind::File && is_locked(target) {
                return Err(locked(&node, None));
            }
        }
        Ok(())
    }

    /// Drops what the page cache holds of the targets, so the next reads reach the devices. Only advice: a page in use
    /// stays.
    pub fn forget_cached(&self) {
        for target in &self.targets {
            let _ = fs::fadvise(target, 0, None, Advice::DontNeed);
        }
    }

    /// Makes everything durable that was written to the targets and acknowledged. May take as long as the devices need.
    ///
    /// # Errors
    /// The first target that cannot do so.
    pub fn flush(&self) -> Result<(), FirstError> {
        for (target, open) in (0u16..).zip(&self.targets).filter(|(_, open)| open.writable) {
            retry_on_intr(|| fs::fdatasync(open)).map_err(|errno| FirstError {
                errno: errno.raw_os_error(),
                target,
                offset: 0,
                direction: Direction::Write,
            })?;
        }
        Ok(())
    }

    pub(crate) const fn new(targets: Vec<OpenTarget>) -> Self {
        Self { targets }
    }
}

fn open_one(
    facts: &TargetFacts,
    permit: Option<&WritePermit>,
    run: Option<u64>,
    direct: bool,
) -> Result<OpenTarget, Problem> {
    let node = Node::pin(&path_text::decode(&facts.path))?;
    if node.id() != (facts.kind, facts.identity) {
        return Err(exchanged(&node.place()));
    }
    let mut flags = if permit.is_some() { OFlags::RDWR } else { OFlags::RDONLY };
    if direct {
        flags |= OFlags::DIRECT;
    }
    if permit.is_some() && node.kind == TargetKind::BlockDevice {
        flags |= OFlags::EXCL;
    }
    let fd = retry_while(Errno::BUSY, RELEASE, || node.open(flags))
        .map_err(|errno| not_opened(&node, errno, direct))?;
    let size_bytes = size_now(&node, &fd)?;
    match permit {
        Some(permit) => {
            permit.check(&node, size_bytes)?;
            if node.kind == TargetKind::File && !permit.holds(&node) {
                lock_target(&node, &fd, run)?;
            }
        }
        None if size_bytes < facts.size_bytes => {
            return Err(Problem::refused("the target is smaller than when it was checked")
                .at(node.place())
                .because(format!("it had {} bytes and now has {size_bytes}", facts.size_bytes))
                .next("start again once nothing changes it"));
        }
        None => {}
    }
    // A file may grow; the plan goes by the size that was inspected.
    let baseline = Some(Baseline::of(&node.path, facts.kind, fd.as_fd()));
    Ok(OpenTarget { baseline, ..OpenTarget::new(fd.into(), facts.size_bytes, permit.is_some()) })
}

fn size_now(node: &Node, fd: &File) -> Result<u64, Problem> {
    let size = match node.kind {
        TargetKind::File => {
            fs::fstat(fd).map(|stat| usable_bytes(node, u64::try_from(stat.st_size).unwrap_or(0)))
        }
        _ => ioctl::device_size_bytes(fd.as_fd()),
    };
    size.map_err(|errno| refusal("the target does not report its size", &node.path, errno))
}

/// Locks a file, because two Rigels must not overwrite each other's stamps. The nodes of one run keep to their own parts.
fn lock_target(node: &Node, fd: &File, run: Option<u64>) -> Result<(), Problem> {
    let is_ours = run.map_or_else(|| lock(fd), |run| lock_together(fd, run));
    if is_ours.map_err(|errno| refusal("the target cannot be locked", &node.path, errno))? {
        return Ok(());
    }
    Err(locked(node, run))
}

fn locked(node: &Node, run: Option<u64>) -> Problem {
    let (because, next) = match run {
        None => (
            "another run of Rigel, or another program, is using it",
            "wait for it to end, or see what has the file open (fuser -v)",
        ),
        Some(_) => (
            "another run of Rigel, or another program, is using it, on this host or another; or its filesystem lets only one host lock it",
            "wait for it to end, or see what has the file open (fuser -v), on each host that has it",
        ),
    };
    Problem::refused("the target is locked").at(node.place()).because(because).next(next)
}

fn not_opened(node: &Node, errno: Errno, direct: bool) -> Problem {
    match errno {
        Errno::INVAL if direct => no_direct_io(node.place()),
        Errno::BUSY => {
            let mut blockers = in_use::blockers(node, &Snapshot::take());
            if blockers.is_empty() {
                blockers.push(Evidence::ExclusivelyOpen);
            }
            blocked(node.place(), &blockers)
        }
        errno => refusal("the target cannot be opened", &node.path, errno),
    }
}

impl OpenTarget {
    /// A target that is already open. `writable` must agree with its descriptor.
    pub(crate) const fn new(fd: OwnedFd, size_bytes: u64, writable: bool) -> Self {
        Self { fd, size_bytes, writable, namespace: None, baseline: None, neighbours: OnceLock::new() }
    }

    /// The generic device for NVMe commands, after [`OpenTargets::with_namespaces`].
    pub(crate) const fn namespace(&self) -> Option<&Namespace> {
        self.namespace.as_ref()
    }

    fn other(&self, writes: bool) -> Option<OtherProcess> {
        let by_another = || self.neighbours.get().and_then(|near| near.other(self, writes, false));
        self.baseline.as_ref().and_then(|_| presence::other(self, writes).or_else(by_another))
    }

    /// The same device by another name: a partition of it, its disk, another path.
    fn storage_loaded_too(&self, other: OtherProcess, writes: bool) -> Problem {
        let process = other.process.map_or_else(String::new, |process| format!(" (process {process})"));
        self.loaded_too(other, writes).because(format!(
            "another run{process} loads a partition, a path or the disk of this device; two runs on one device measure each other"
        ))
    }

    fn loaded_too(&self, other: OtherProcess, writes: bool) -> Problem {
        let place = self.baseline.as_ref().map_or_else(String::new, Baseline::place);
        let who = match other.process {
            Some(process) => {
                format!("process {process} {} it", if other.writes { "writes to" } else { "measures" })
            }
            None => "its process is not visible from here".to_owned(),
        };
        let next = if other.writes || writes {
            "wait for it to end"
        } else {
            "wait for it to end; --share measures alongside it, and both records say so"
        };
        Problem::refused("another run of Rigel is loading the target")
            .at(place)
            .because(format!("{who}; two runs on one target disturb each other"))
            .next(next)
    }

    pub(crate) fn file_for(&self, kind: EngineKind) -> RawFd {
        match (&self.namespace, kind) {
            (Some(namespace), EngineKind::Nvme) => namespace.fd.as_raw_fd(),
            _ => self.fd.as_raw_fd(),
        }
    }

    /// Whether a permit was given.
    pub const fn writable(&self) -> bool {
        self.writable
    }

    /// Size at the time of opening.
    pub const fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

impl AsFd for OpenTarget {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl std::ops::Deref for OpenTargets {
    type Target = [OpenTarget];

    fn deref(&self) -> &[OpenTarget] {
        &self.targets
    }
}
