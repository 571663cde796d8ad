//! The device as a FUSE file system: `disk`, `raw` and `ctl` in one directory.
//!
//! Only the translation between kernel requests and [`Device`]; it must not block, because one thread
//! reads all requests and a test has to reach `ctl` while others hang.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use crate::control;
use crate::device::Device;
use crate::node::{BLOCK_BYTES, Node};
use crate::request::Outcome;

/// Nothing ever changes but the bytes.
const TTL: Duration = Duration::from_secs(3600);
const MAX_WRITE_BYTES: u32 = 1 << 20;
/// `O_DSYNC` of the kernels for x86 and ARM; rustix has the bits of `O_SYNC` under that name.
const O_DSYNC: i32 = 0o10000;

/// The file system over one device.
#[derive(Debug)]
pub(crate) struct DeviceFilesystem {
    device: Arc<Device>,
    /// The text each open `ctl` file is reading: it must not change between two reads of one reader.
    readings: Mutex<HashMap<u64, String>>,
    next_handle: AtomicU64,
}

impl DeviceFilesystem {
    pub(crate) fn new(device: Arc<Device>) -> Self {
        Self { device, readings: Mutex::default(), next_handle: AtomicU64::new(1) }
    }

    fn attributes(&self, node: Node) -> FileAttr {
        node.attributes(self.device.size_bytes())
    }

    fn read_control(&self, handle: FileHandle, offset: u64, size: u32, reply: ReplyData) {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        if offset == 0 {
            readings.insert(handle.0, self.device.gauge().to_string());
        }
        let text = readings.get(&handle.0).map_or("", String::as_str).as_bytes();
        let start = usize::try_from(offset).map_or(text.len(), |offset| offset.min(text.len()));
        let end = start.saturating_add(size as usize).min(text.len());
        reply.data(&text[start..end]);
    }

    fn write_control(&self, data: &[u8], reply: ReplyWrite) {
        match control::parse(&String::from_utf8_lossy(data)) {
            Ok(commands) => {
                self.device.control(&commands);
                reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX));
            }
            Err(control::BadLine(line)) => {
                // The caller sees only EINVAL; whoever debugs the test needs the line.
                let _ = writeln!(io::stderr(), "rigel-testdev: not a command: {line:?}");
                reply.error(Errno::EINVAL);
            }
        }
    }
}

fn refusal(errno: rustix::io::Errno) -> Errno {
    Errno::from_i32(errno.raw_os_error())
}

fn answer_read(reply: ReplyData, outcome: &Outcome<'_>) {
    match outcome {
        Outcome::Data(bytes) => reply.data(bytes),
        Outcome::Refused(errno) => reply.error(refusal(*errno)),
        Outcome::Written(_) => reply.error(Errno::EIO),
    }
}

fn answer_write(reply: ReplyWrite, outcome: &Outcome<'_>) {
    match outcome {
        Outcome::Written(bytes) => reply.written(u32::try_from(*bytes).unwrap_or(u32::MAX)),
        Outcome::Refused(errno) => reply.error(refusal(*errno)),
        Outcome::Data(_) => reply.error(Errno::EIO),
    }
}

impl Filesystem for DeviceFilesystem {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> io::Result<()> {
        config.add_capabilities(InitFlags::FUSE_ASYNC_DIO).map_err(|_| {
            io::Error::new(io::ErrorKind::Unsupported, "the kernel has no FUSE_ASYNC_DIO: depth would be 1")
        })?;
        // The default of 16 would cap the depth of asynchronous callers.
        let unlimited = u16::MAX;
        let set = config.set_max_background(unlimited).and(config.set_congestion_threshold(unlimited));
        set.map(drop)
            .map_err(|nearest| io::Error::other(format!("background limit: nearest is {nearest}")))?;
        let set = config.set_max_write(MAX_WRITE_BYTES);
        set.map(drop).map_err(|nearest| io::Error::other(format!("write limit: nearest is {nearest}")))
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let file = Node::FILES.into_iter().find(|node| parent == INodeNo::ROOT && name == node.name());
        match file {
            Some(node) => reply.entry(&TTL, &self.attributes(node), Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, ino: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match Node::of(ino) {
            Some(node) => reply.attr(&TTL, &self.attributes(node)),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Truncation to zero is how shells open a file for writing and changes nothing, as on a block device;
    /// any other size is a mistake of the caller. Times, modes and owners are ignored.
    fn setattr(
        &self,
        _request: &Request,
        ino: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let Some(attributes) = Node::of(ino).map(|node| self.attributes(node)) else {
            return reply.error(Errno::ENOENT);
        };
        match size {
            Some(size) if size != 0 && size != attributes.size => reply.error(Errno::EINVAL),
            _ => reply.attr(&TTL, &attributes),
        }
    }

    fn open(&self, _request: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let flags = match Node::of(ino) {
            Some(Node::Disk) => FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES,
            Some(Node::Raw | Node::Control) => {
                FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
            }
            Some(Node::Root) | None => return reply.error(Errno::ENOENT),
        };
        reply.opened(FileHandle(self.next_handle.fetch_add(1, Ordering::Relaxed)), flags);
    }

    fn read(
        &self,
        _request: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if ino == Node::Control.ino() {
            return self.read_control(handle, offset, size, reply);
        }
        self.device.read(offset, size as usize, Box::new(move |outcome| answer_read(reply, &outcome)));
    }

    fn write(
        &self,
        _request: &Request,
        ino: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        if ino == Node::Control.ino() {
            return self.write_control(data, reply);
        }
        // The kernel adds O_DSYNC to the flags of the file for a single write with RWF_DSYNC.
        let durable = flags.0 & O_DSYNC != 0;
        self.device.write(offset, data, durable, Box::new(move |outcome| answer_write(reply, &outcome)));
    }

    fn flush(
        &self,
        _request: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        reply.ok();
    }

    fn fsync(&self, _request: &Request, ino: INodeNo, _fh: FileHandle, _data_only: bool, reply: ReplyEmpty) {
        if Node::of(ino).is_some_and(Node::is_device) {
            return self.device.sync(Box::new(move |outcome| match outcome {
                Outcome::Refused(errno) => reply.error(refusal(errno)),
                Outcome::Data(_) | Outcome::Written(_) => reply.ok(),
            }));
        }
        reply.ok();
    }

    fn release(
        &self,
        _request: &Request,
        _ino: INodeNo,
        handle: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle.0);
        reply.ok();
    }

    fn readdir(
        &self,
        _request: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        for (place, node) in (1..).zip(Node::FILES) {
            if place > offset && reply.add(node.ino(), place, FileType::RegularFile, node.name()) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        let blocks = self.device.size_bytes() / u64::from(BLOCK_BYTES);
        reply.statfs(blocks, 0, 0, Node::FILES.len() as u64, 0, BLOCK_BYTES, 255, BLOCK_BYTES);
    }
}
