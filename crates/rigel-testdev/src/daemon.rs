//! The daemon: mounts the device, says so, and serves it until it is unmounted or told to end.
//!
//! On standard output it writes one line, `ready` or `unavailable REASON`, for the harness that waits for
//! it. It must not outlive its parent when told to die with it, nor leave a mount behind when it is ended
//! by a signal that can be caught.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use fuser::{Config, MountOption, Session, SessionACL};
use rustix::mount::UnmountFlags;
use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::FINGERPRINT;
use crate::device::Device;
use crate::filesystem::DeviceFilesystem;
use crate::options::{self, Options, Task, USAGE};

/// The source name of the mount, by which it is recognised in the mount table.
pub(crate) const MOUNT_SOURCE: &str = "rigel-testdev";

/// Runs the daemon with these arguments (without the program name) until its end.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let served = match options::parse(arguments) {
        Ok(Task::Fingerprint) => say(FINGERPRINT),
        Ok(Task::Serve(options)) => serve(&options),
        Err(reason) => {
            let _ = writeln!(io::stderr(), "rigel-testdev: {reason}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = say(&format!("unavailable {error}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(options: &Options) -> io::Result<()> {
    if let Some(parent) = options.die_with {
        die_with(parent)?;
    }
    end_on_signals(options.mountpoint.clone(), options.die_with)?;
    let device = Arc::new(Device::new(options.size_bytes, options.unwritten, options.law, options.seed));
    let answers = Arc::clone(&device);
    std::thread::Builder::new().name("answers".to_owned()).spawn(move || answers.run_answers())?;
    let filesystem = DeviceFilesystem::new(device);
    let session = Session::new(filesystem, &options.mountpoint, &mount_config())?;
    say("ready")?;
    let served = session.run();
    // An unmount ends the session, and this thread may get here before the one that unmounted is done.
    remove_own(&options.mountpoint, options.die_with);
    served
}

fn mount_config() -> Config {
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName(MOUNT_SOURCE.to_owned()), MountOption::RW];
    // Other users, such as a database server, may use the device; only root may allow them to.
    if rustix::process::geteuid().is_root() {
        config.acl = SessionACL::All;
    }
    config
}

/// Asks the kernel for SIGTERM at the death of the thread that started us, and checks that it still lives.
fn die_with(parent: u32) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    let now = rustix::process::getppid().map(Pid::as_raw_pid);
    if now.and_then(|pid| u32::try_from(pid).ok()) == Some(parent) {
        return Ok(());
    }
    Err(io::Error::other(format!("process {parent} is not the parent, or is gone")))
}

fn end_on_signals(mountpoint: PathBuf, parent: Option<u32>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if signals.forever().next().is_some() {
            detach(&mountpoint);
            remove_own(&mountpoint, parent);
            std::process::exit(0);
        }
    })?;
    Ok(())
}

/// Who is to die with its parent was given a directory by it, which the parent may no longer remove.
fn remove_own(mountpoint: &Path, parent: Option<u32>) {
    if parent.is_some() {
        let _ = std::fs::remove_dir(mountpoint);
    }
}

/// Unmounts lazily: open files stay open and get errors once the daemon is gone.
pub(crate) fn detach(mountpoint: &Path) {
    if rustix::mount::unmount(mountpoint, UnmountFlags::DETACH).is_err()
        && !rustix::process::geteuid().is_root()
    {
        let mut fusermount = std::process::Command::new("fusermount3");
        let _ = fusermount.arg("-uzq").arg("--").arg(mountpoint).status();
    }
}

fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
