//! The emulated machine: boots it, follows its console, ends it when it hangs, fetches its results. Must not know what
//! the cases are about.

use super::case::Case;
use super::outcome::shown;
use super::tools::output;
use anyhow::Context as _;
use rigel_testdev::random_file;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Size of the emulated NVMe drive.
pub const NVME_BYTES: u64 = 32 << 20;
/// Room for the results of all cases.
const RESULTS_BYTES: u64 = 128 << 20;
/// From power on to the first case, and from the last case to the end.
const FRAME: Duration = Duration::from_secs(180);
/// Prefix of the lines of `init.sh` for this host.
const MARK: &str = "rigel-vm: ";

/// The files that a machine is made of.
pub struct Machine<'a> {
    pub qemu: &'a Path,
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
    /// Console, drives and results go here.
    pub place: &'a Path,
}

impl Machine<'_> {
    /// Boots, waits for the end, and unpacks the results; returns their directory.
    ///
    /// # Errors
    /// When the machine does not shut down; with the end of its console output.
    pub fn run(&self, cases: &[Case]) -> anyhow::Result<PathBuf> {
        let [nvme, meta, results] =
            ["nvme.img", "nvme-meta.img", "results.img"].map(|name| self.place.join(name));
        // Data, so that a write without consent has something to lose.
        random_file(&nvme, NVME_BYTES).context("cannot fill the NVMe drive")?;
        random_file(&meta, NVME_BYTES).context("cannot fill the NVMe drive")?;
        File::create(&results)?.set_len(RESULTS_BYTES)?;
        let child =
            self.command(&nvme, &meta, &results).spawn().context("cannot start qemu-system-x86_64")?;
        let mut running = VmProcess::new(child, &self.place.join("console.log"))?;
        let ended = running.follow(cases);
        ended
            .with_context(|| format!("the machine failed; its console ends with\n    {}", running.tail()))?;
        let unpacked = self.place.join("results");
        fs::create_dir_all(&unpacked)?;
        output(Command::new("tar").arg("--extract").arg("--file").arg(&results).arg("-C").arg(&unpacked))?;
        Ok(unpacked)
    }

    fn command(&self, nvme: &Path, meta: &Path, results: &Path) -> Command {
        let drive = |path: &Path, id: &str| {
            // A comma ends an option of QEMU's, two are one in a name.
            format!("file={},if=none,id={id},format=raw", path.display().to_string().replace(',', ",,"))
        };
        let mut qemu = Command::new(self.qemu);
        qemu.args(["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1536", "-no-reboot"]);
        qemu.args(["-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"]);
        qemu.arg("-kernel").arg(self.kernel).arg("-initrd").arg(self.initramfs);
        // The cheap side of everything that costs emulated time.
        qemu.args(["-append", "console=ttyS0 panic=-1 quiet loglevel=2 mitigations=off"]);
        qemu.args(["-drive", &drive(results, "results")]);
        qemu.args(["-device", "virtio-blk-pci,drive=results,serial=results"]);
        // Two namespaces of one controller; the second has 8 bytes of metadata beside each block.
        qemu.args(["-drive", &drive(nvme, "nvme"), "-drive", &drive(meta, "meta")]);
        qemu.args(["-device", "nvme,id=controller,serial=rigel-vm"]);
        qemu.args(["-device", "nvme-ns,drive=nvme,bus=controller,nsid=1"]);
        qemu.args(["-device", "nvme-ns,drive=meta,bus=controller,nsid=2,ms=8,mset=0"]);
        qemu.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        qemu
    }
}

/// A started machine. It ends with this value.
struct VmProcess {
    child: Child,
    console: Receiver<String>,
    log: File,
    said: Vec<String>,
}

impl VmProcess {
    fn new(mut child: Child, log: &Path) -> anyhow::Result<Self> {
        let stdout = child.stdout.take().context("the console is a pipe")?;
        Ok(Self { child, console: lines(stdout), log: File::create(log)?, said: Vec::new() })
    }

    /// Follows the console until the machine has ended; every case has a time in which it must be over.
    fn follow(&mut self, cases: &[Case]) -> anyhow::Result<()> {
        let mut at = "booting".to_owned();
        let mut until = Instant::now() + FRAME;
        let mut finished = false;
        loop {
            let line = match self.console.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => anyhow::bail!("it hangs: {at}"),
                Err(RecvTimeoutError::Disconnected) if finished => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => anyhow::bail!("it ended by itself: {at}"),
            };
            let _ = writeln!(self.log, "{line}");
            match event(&line) {
                Some(Event::Begin(name)) => {
                    let number = cases.iter().position(|case| case.name == name);
                    let number =
                        number.with_context(|| format!("it begins a case {name} that nobody wrote"))?;
                    at = format!("{} of {}: {name}", number + 1, cases.len());
                    until = Instant::now() + cases[number].limit() + FRAME;
                    super::progress(&at);
                }
                Some(Event::Failed(why)) => anyhow::bail!("{why}"),
                Some(Event::End) => finished = true,
                None => {}
            }
            self.said.push(line);
        }
    }

    fn tail(&self) -> String {
        shown(&self.said.join("\n"))
    }
}

impl Drop for VmProcess {
    fn drop(&mut self) {
        // It has ended already, unless it hangs.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of the console, without what moves a cursor.
fn lines(console: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(console).split(b'\n').map_while(Result::ok) {
            let text: String = String::from_utf8_lossy(&line).chars().filter(|c| !c.is_control()).collect();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    receiver
}

/// What `init.sh` tells this host.
#[derive(Debug, PartialEq, Eq)]
enum Event<'a> {
    Begin(&'a str),
    Failed(&'a str),
    End,
}

fn event(line: &str) -> Option<Event<'_>> {
    let told = line.strip_prefix(MARK)?.trim_end();
    let (word, rest) = told.split_once(' ')?;
    match word {
        "begin" => Some(Event::Begin(rest)),
        "failed:" => Some(Event::Failed(rest)),
        "end" => Some(Event::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands for a machine here says what it is told to.
    fn followed(script: &str, place: &Path) -> anyhow::Result<()> {
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let case = Case {
            name: "a",
            modules: &[],
            setup: String::new(),
            steps: Vec::new(),
            teardown: String::new(),
            judge: |_| Ok(String::new()),
        };
        VmProcess::new(child, &place.join("log")).unwrap().follow(&[case])
    }

    #[test]
    fn lines_for_this_host_are_told_from_those_of_the_kernel() {
        assert_eq!(event("rigel-vm: begin a-case"), Some(Event::Begin("a-case")));
        assert_eq!(event("rigel-vm: failed: no room"), Some(Event::Failed("no room")));
        assert_eq!(event("rigel-vm: end 60"), Some(Event::End));
        assert_eq!((event("rigel-vm: up 3"), event("[ 1.0] end of the line")), (None, None));
    }

    #[test]
    fn only_a_machine_that_comes_to_its_end_is_good() {
        let place = tempfile::tempdir().unwrap();
        let told = |script: &str| match followed(script, place.path()) {
            Ok(()) => "good".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(told(r"printf '\r\nrigel-vm: begin a\r\nrigel-vm: end 5\n'"), "good");
        assert_eq!(told(r"printf 'rigel-vm: begin a\nKernel panic\n'"), "it ended by itself: 1 of 1: a");
        assert_eq!(told("true"), "it ended by itself: booting");
        assert_eq!(told(r"printf 'rigel-vm: failed: no room\n'; sleep 60"), "no room");
        assert!(told(r"printf 'rigel-vm: begin b\n'; sleep 60").contains("a case b"));
        assert_eq!(fs::read_to_string(place.path().join("log")).unwrap(), "rigel-vm: begin b\n");
    }
}
