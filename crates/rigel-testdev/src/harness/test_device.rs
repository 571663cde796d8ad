//! [`TestDevice`]: the daemon as a separate process on a directory of its own.
//!
//! Never in the process of the test: a thread whose request hangs cannot be killed while the daemon lives,
//! so the two must be able to end apart. `Drop` therefore kills the daemon first and unmounts then.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::needs::MissingNeed;
use super::{keeper, locate};
use crate::daemon::detach;
use crate::gauge::Gauge;

/// The device to mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSpec {
    /// Only what is written takes memory.
    pub size_bytes: u64,
    /// Stations that serve in parallel: the knee is at this depth.
    pub servers: usize,
    /// Time at a station, before the transfer; 0 answers at once, and then shows no depth.
    pub service_us: u64,
    /// Transfer rate of each station in 10^6 bytes per second; `None` transfers in no time.
    pub mbps: Option<u64>,
    /// Draw the times at the stations from the exponential distribution (seeded, so they repeat).
    pub exponential: bool,
    /// How much longer a write takes that has to be durable, and how long a flush takes when something was written since
    /// the last one.
    pub flush_us: u64,
}

impl Default for DeviceSpec {
    fn default() -> Self {
        Self { size_bytes: 64 << 20, servers: 1, service_us: 0, mbps: None, exponential: false, flush_us: 0 }
    }
}

/// A mounted test device; gone when dropped.
#[derive(Debug)]
pub struct TestDevice {
    daemon: Child,
    mountpoint: PathBuf,
    spec: DeviceSpec,
}

impl TestDevice {
    /// Starts the daemon on a temporary directory and waits until it answers. What was never written reads as noise: the device looks
    /// as if it were in use, so no reader takes it for empty.
    ///
    /// # Errors
    ///
    /// When the machine has no FUSE, does not let us mount, or the daemon cannot be built.
    pub fn mount(spec: DeviceSpec) -> Result<Self, MissingNeed> {
        Self::start(spec, &[])
    }

    /// The same device as [`TestDevice::mount`], but new: what was never written reads as zeros.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn mount_blank(spec: DeviceSpec) -> Result<Self, MissingNeed> {
        Self::start(spec, &["--blank"])
    }

    fn start(spec: DeviceSpec, more: &[&str]) -> Result<Self, MissingNeed> {
        if !Path::new("/dev/fuse").exists() {
            return Err(MissingNeed::new("no /dev/fuse"));
        }
        let daemon = locate::daemon()?;
        let directory =
            tempfile::Builder::new().prefix("rigel-testdev-").tempdir().map_err(MissingNeed::new)?;
        let mut command = command_for(daemon, directory.path(), spec);
        command.args(more);
        let child = keeper::spawn(command).map_err(MissingNeed::new)?;
        // From here on `Drop` cleans up, also after a failed mount.
        let mut device = Self { daemon: child, mountpoint: directory.keep(), spec };
        device.wait_until_ready()?;
        Ok(device)
    }

    /// The device for callers that use `O_DIRECT`, and to put a loop device on. The kernel lets only one
    /// *synchronous* write at a time pass here; asynchronous ones, reads, and all on `raw` run in parallel.
    pub fn disk(&self) -> PathBuf {
        self.mountpoint.join("disk")
    }

    /// The same bytes, without the page cache whatever the caller's flags: a short read or write stays short,
    /// while on `disk` the kernel asks for the rest of a read and makes EIO of the write.
    pub fn raw(&self) -> PathBuf {
        self.mountpoint.join("raw")
    }

    /// The size of `disk` and `raw`.
    pub fn size_bytes(&self) -> u64 {
        self.spec.size_bytes
    }

    /// Sends commands, one per line: `servers C`, `service_us S`, `mbps B` (0: no limit), `exp 0|1`,
    /// `flush_us F`, `seed N`; `slow OFF LEN US` (what begins there takes so much longer); `bucket PER_S CREDITS LEVEL` (a token bucket of requests;
    /// a rate of 0 takes it away); `lru BYTES US` (an empty cache: what it holds is answered in this many microseconds; 0: none); `eio`, `enospc`,
    /// `short`, `corrupt` or `hang` with `OFF LEN` in bytes; `release` (answer what
    /// hangs and forget the `hang` ranges), `clear` (that, and forget all faults, traps and slow ranges), `reset` (zero the gauge).
    ///
    /// Traps are sprung once, by the n-th request from now on (`lost nth 5`) or the first one at a place (`lost at OFF LEN`). The answer to the write
    /// says that all is well: `flip` (one bit; a number behind says in which byte), `torn` (only this many sectors of 512 bytes are stored, 3),
    /// `misdirect` (it lands this many bytes further on, 1 MiB), `lost`, `zero` (zeros are stored), `delay` (it is stored after this many more
    /// requests, 8). `stale` is for reads: one gets what was there before the last write since the trap was set; reads of what was not written since
    /// do not count.
    ///
    /// `cache 1`: writes wait in a volatile cache until a flush, or are durable on their own; `lie 1`: both are answered and do nothing;
    /// `power-cut`: what waits is lost and what is in flight fails; `power-cut SEED UNIT`: about half of it survives, in units of this many bytes.
    ///
    /// # Errors
    ///
    /// EINVAL, and nothing is carried out, when any line is not a command.
    pub fn command(&self, commands: &str) -> io::Result<()> {
        // One write is one text to the daemon, which carries it out whole or not at all.
        OpenOptions::new().write(true).open(self.control())?.write_all(commands.as_bytes())
    }

    /// Reads the gauge.
    ///
    /// # Errors
    ///
    /// When the daemon is gone.
    pub fn gauge(&self) -> io::Result<Gauge> {
        fs::read_to_string(self.control())?.parse().map_err(io::Error::other)
    }

    /// Zeroes the gauge.
    ///
    /// # Errors
    ///
    /// When the daemon is gone.
    pub fn reset(&self) -> io::Result<()> {
        self.command("reset")
    }

    /// Kills the daemon and leaves the mount: all requests, those that hang too, fail from now on.
    pub fn kill(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }

    fn control(&self) -> PathBuf {
        self.mountpoint.join("ctl")
    }

    fn wait_until_ready(&mut self) -> Result<(), MissingNeed> {
        let stdout = self.daemon.stdout.take().ok_or_else(|| MissingNeed::new("the daemon has no output"))?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map_err(MissingNeed::new)?;
        match line.trim_end() {
            "ready" => self.gauge().map(drop).map_err(MissingNeed::new),
            "" => Err(MissingNeed::new("the daemon ended without a word")),
            other => Err(MissingNeed::new(format!("FUSE: {}", other.trim_start_matches("unavailable ")))),
        }
    }
}

impl Drop for TestDevice {
    fn drop(&mut self) {
        self.kill();
        detach(&self.mountpoint);
        let _ = fs::remove_dir(&self.mountpoint);
    }
}

fn command_for(daemon: &Path, mountpoint: &Path, spec: DeviceSpec) -> Command {
    let mut command = Command::new(daemon);
    command.arg(mountpoint).arg("--die-with").arg(std::process::id().to_string());
    command.arg("--size").arg(spec.size_bytes.to_string());
    command.arg("--servers").arg(spec.servers.to_string());
    command.arg("--service-us").arg(spec.service_us.to_string());
    command.arg("--mbps").arg(spec.mbps.unwrap_or(0).to_string());
    command.arg("--flush-us").arg(spec.flush_us.to_string());
    if spec.exponential {
        command.arg("--exponential");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}
