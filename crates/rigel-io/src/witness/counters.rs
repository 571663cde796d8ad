//! The kernel's counters: CPU times, pressure, and bytes of devices. The files stay open; a read from the beginning makes
//! the kernel generate them again.
//!
//! Counters whose file is missing, unreadable or unparsable are left out. Must not keep state between readings.

use super::WatchedDevices;
use super::nfs::Clients;
use super::numbers::{number, numbers};
use rigel_core::witness::{Counts, DeviceTransfer};
use rustix::io::pread;
use rustix::param::clock_ticks_per_second;
use std::fs::File;
use std::path::Path;

/// The kernel's unit of counting, whatever the device's sector size.
const SECTOR_BYTES: u64 = 512;
/// Enough for the first line of /proc/stat (at most 220 characters), and for each of the other files.
const BUFFER_BYTES: usize = 1024;
const US_PER_S: u64 = 1_000_000;

type OwnUs = Box<dyn Fn() -> u64 + Send>;

pub(super) struct Counters {
    stat: Source,
    cpu_pressure: Source,
    io_pressure: Source,
    devices: Vec<Source>,
    bottom: Vec<Source>,
    nfs: Clients,
    /// In the counters of the host.
    pub(super) cpus: Option<u32>,
    own_us: OwnUs,
}

/// A file of the kernel's, if there is one.
#[derive(Debug)]
struct Source(Option<File>);

/// The first line of /proc/stat.
#[derive(Debug, PartialEq, Eq)]
struct CpuTimes {
    busy_us: u64,
    interrupts_us: Option<u64>,
    steal_us: Option<u64>,
}

impl Counters {
    pub(super) fn open(root: &Path, devices: &WatchedDevices, own_us: OwnUs) -> Self {
        let source = |file: &str| Source(File::open(root.join(file)).ok());
        let device = |(major, minor): &(u32, u32)| source(&format!("sys/dev/block/{major}:{minor}/stat"));
        Self {
            stat: source("proc/stat"),
            cpu_pressure: source("proc/pressure/cpu"),
            io_pressure: source("proc/pressure/io"),
            // Not /proc/diskstats, which lists every disk of the host, and there can be thousands.
            devices: devices.on_top.iter().map(device).collect(),
            bottom: devices.at_bottom.devices.iter().map(device).collect(),
            nfs: Clients::open(root, &devices.at_bottom.nfs),
            cpus: std::fs::read(root.join("proc/stat")).ok().and_then(|stat| cpus(&stat)),
            own_us,
        }
    }

    /// Reads all counters. Our own CPU time is read right before the host's, because their difference is used.
    pub(super) fn read(&self) -> Counts {
        let own_us = (self.own_us)();
        let times = self.stat.read(|text| cpu_times(text, clock_ticks_per_second()));
        let pressure = |source: &Source| source.read(pressure_us);
        Counts {
            busy_us: times.as_ref().map(|times| times.busy_us),
            interrupts_us: times.as_ref().and_then(|times| times.interrupts_us),
            steal_us: times.as_ref().and_then(|times| times.steal_us),
            own_us: Some(own_us),
            cpu_pressure_us: pressure(&self.cpu_pressure),
            io_pressure_us: pressure(&self.io_pressure),
            moved: self.devices.iter().map(|device| device.read(moved)).collect(),
            carried: self.carried(),
        }
    }

    /// `None` if one of the devices or mounts cannot be read, or none is watched.
    fn carried(&self) -> Option<DeviceTransfer> {
        let devices = self.bottom.iter().map(|device| device.read(moved));
        let mut each = devices.chain(self.nfs.exchanged());
        let first = each.next()??;
        each.try_fold(first, |sum, next| Some(sum.and(next?)))
    }
}

/// How long tasks on the host have waited for I/O since it started (PSI `some`).
#[derive(Debug)]
pub struct IoPressure(Source);

impl IoPressure {
    /// For the host with this root.
    pub fn open(root: &Path) -> Self {
        Self(Source(File::open(root.join("proc/pressure/io")).ok()))
    }

    /// In microseconds; `None` if the kernel does not say.
    pub fn waited_us(&self) -> Option<u64> {
        self.0.read(pressure_us)
    }
}

impl Source {
    fn read<T>(&self, parse: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let mut buffer = [0; BUFFER_BYTES];
        let length = pread(self.0.as_ref()?, &mut buffer, 0).ok()?;
        parse(&buffer[..length])
    }
}

/// The number of lines `cpu0`, `cpu1` and so on.
fn cpus(stat: &[u8]) -> Option<u32> {
    let numbered =
        |line: &&[u8]| line.strip_prefix(b"cpu").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
    u32::try_from(stat.split(|&byte| byte == b'\n').filter(numbered).count()).ok().filter(|&cpus| cpus > 0)
}

/// proc_stat(5): user nice system idle iowait irq softirq steal, in ticks; guest time is in user already. Old kernels end
/// after idle.
fn cpu_times(stat: &[u8], ticks_per_s: u64) -> Option<CpuTimes> {
    let end = stat.iter().position(|&byte| byte == b'\n')?;
    let mut times = numbers(stat[..end].strip_prefix(b"cpu ")?);
    let mut next_us = || {
        let us = u128::from(times.next()??) * u128::from(US_PER_S) / u128::from(ticks_per_s);
        u64::try_from(us).ok()
    };
    let busy_us = next_us()?.checked_add(next_us()?)?.checked_add(next_us()?)?;
    let (_idle, _iowait) = (next_us()?, next_us());
    let interrupts_us = next_us().zip(next_us()).and_then(|(irq, softirq)| irq.checked_add(softirq));
    Some(CpuTimes { busy_us, interrupts_us, steal_us: next_us() })
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`, with the total in microseconds (Documentation/accounting/psi.rst).
fn pressure_us(text: &[u8]) -> Option<u64> {
    let line = text.strip_prefix(b"some ")?.split(|&byte| byte == b'\n').next()?;
    let total = line.split(u8::is_ascii_whitespace).find_map(|word| word.strip_prefix(b"total="))?;
    number(total)
}

/// Documentation/block/stat.rst: sectors read are the third number, sectors written the seventh.
fn moved(stat: &[u8]) -> Option<DeviceTransfer> {
    let mut numbers = numbers(stat);
    let mut bytes = |index| numbers.nth(index)??.checked_mul(SECTOR_BYTES);
    Some(DeviceTransfer { read_bytes: bytes(2)?, written_bytes: bytes(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_times_of_every_age() {
        let line = |text: &str| cpu_times(text.as_bytes(), 100);
        let new = line("cpu  10 20 30 1000 500 4 5 6 9 9\ncpu0 1 2 3 4 5 6 7 8 9 9\n");
        let times = |interrupts_us, steal_us| CpuTimes { busy_us: 600_000, interrupts_us, steal_us };
        assert_eq!(new, Some(times(Some(90_000), Some(60_000))));
        assert_eq!(line("cpu  10 20 30 1000\n"), Some(times(None, None)));
        assert_eq!(line("cpu  10 20 30 1000 500 4 5\n"), Some(times(Some(90_000), None)));
        assert_eq!(cpu_times(b"cpu  1 1 1 9\n", 1024), Some(CpuTimes { busy_us: 2928, ..times(None, None) }));
        for nonsense in
            ["", "cpu  10 20 30 1000", "cpu  10 20 30\n", "cpu0 1 2 3 4\n", "cpu  1 x 3 4\n", "\n"]
        {
            assert_eq!(line(nonsense), None, "{nonsense:?}");
        }
        let huge = format!("cpu  {} 1 1 1\n", u64::MAX);
        assert_eq!(line(&huge), None);
    }

    #[test]
    fn cpus_are_counted_by_their_lines() {
        assert_eq!(cpus(b"cpu  1 2\ncpu0 1 2\ncpu12 1 2\nintr 5\ncpu\n"), Some(2));
        assert_eq!(cpus(b"intr 5\n"), None);
    }

    #[test]
    fn pressure_is_the_total_of_some() {
        let text = "some avg10=0.01 avg60=0.41 avg300=1.88 total=16825283\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(pressure_us(text.as_bytes()), Some(16_825_283));
        for nonsense in ["", "full avg10=0.00 total=7\n", "some avg10=0.01\n", "some total=-1\n"] {
            assert_eq!(pressure_us(nonsense.as_bytes()), None, "{nonsense:?}");
        }
    }

    #[test]
    fn device_counters_of_every_age() {
        let bytes = |read_bytes, written_bytes| Some(DeviceTransfer { read_bytes, written_bytes });
        let stat =
            " 1886652    36490 221531990  1195874   247023    77253 58799416   289999        0    95604\n";
        assert_eq!(moved(stat.as_bytes()), bytes(221_531_990 * 512, 58_799_416 * 512));
        assert_eq!(moved(b"1 2 3 4 5 6 7"), bytes(3 * 512, 7 * 512));
        assert_eq!(moved(b"1 2 3 4 5 6"), None);
        assert_eq!(moved(b"1 2 18446744073709551615 4 5 6 7"), None);
        assert_eq!(moved(b""), None);
    }
}
