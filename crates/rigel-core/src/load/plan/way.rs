//! Whether a target can be reached in the requested way: by polling, by NVMe commands.
//!
//! Must not look at the device: its facts have what is known.

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::facts::{DeviceFacts, HostFacts, TargetFacts};
use crate::load::request::{EngineRequest, Request};
use crate::units::{Bytes, KIB};

/// Checks I/Os of `io_bytes` from a host to a target.
pub fn check(
    request: &Request,
    host: &HostFacts,
    target: &TargetFacts,
    label: &str,
    io_bytes: u64,
) -> Result<(), Problem> {
    let device = target.device.as_ref();
    if request.poll {
        check_poll(host, target, device, label, io_bytes)?;
    }
    if request.engine == EngineRequest::Only(EngineKind::Nvme) {
        check_commands(target, device, label, io_bytes)?;
    }
    Ok(())
}

/// Commands are polled for safely since Linux 6.5: before, two rings at one poll queue could crash the kernel, and two
/// workers, or two programs, are enough for that. A release of margin is left.
const SAFE_COMMAND_POLLING: (u32, u32) = (6, 6);
/// Number of blocks of a command, 16 bits.
const MOST_BLOCKS: u64 = 1 << 16;

/// Refuses polling that is known to crash the host's kernel.
pub fn check_host(request: &Request, host: &HostFacts) -> Result<(), Problem> {
    let commands = request.engine == EngineRequest::Only(EngineKind::Nvme);
    if commands && request.poll && version(&host.kernel).is_some_and(|version| version < SAFE_COMMAND_POLLING)
    {
        return Err(Problem::refused("polling for NVMe commands is unsafe on this kernel")
            .because(format!(
                "{}: before Linux 6.6, two rings on one poll queue can crash the system",
                host.kernel
            ))
            .next("leave out --poll, or use --engine io_uring --poll"));
    }
    Ok(())
}

/// `(6, 1)` of `Linux 6.1.0-56-amd64`.
fn version(kernel: &str) -> Option<(u32, u32)> {
    let mut numbers = kernel.strip_prefix("Linux ")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A polled request must not be split: the kernel then retries forever.
fn check_poll(
    host: &HostFacts,
    target: &TargetFacts,
    device: Option<&DeviceFacts>,
    label: &str,
    io_bytes: u64,
) -> Result<(), Problem> {
    let Some(device) = device.filter(|device| device.polled == Some(true)) else {
        return Err(no_poll_queues(target, device));
    };
    let by_size = device.max_sectors_kb.map(|kib| u64::from(kib) * KIB);
    // A buffer may lie in as many pieces as it has pages.
    let by_pieces = device.max_segments.map(|segments| u64::from(segments).saturating_mul(host.page_bytes()));
    let most = by_size.into_iter().chain(by_pieces).min();
    match most {
        Some(most) if io_bytes > most => Err(too_large(target, label, io_bytes, most)
            .because(format!(
                "{} takes at most {} in one request, and a polled request cannot be split",
                device.name,
                Bytes(most)
            ))
            .next(format!("{}, or leave out --poll", smaller(label, most)))),
        _ => Ok(()),
    }
}

fn too_large(target: &TargetFacts, label: &str, io_bytes: u64, most: u64) -> Problem {
    let what =
        format!("the {label} I/O size of {} exceeds the {} of one request", Bytes(io_bytes), Bytes(most));
    Problem::usage(what).at(&target.path)
}

fn smaller(label: &str, most: u64) -> String {
    format!("choose {label} I/O of at most {} KB", most / KIB)
}

fn no_poll_queues(target: &TargetFacts, device: Option<&DeviceFacts>) -> Problem {
    let because = match device {
        Some(device) => format!("queue/io_poll of {} is not 1", device.name),
        None => "it is not on a block device".to_owned(),
    };
    Problem::refused("the target does not support polled completions").at(&target.path).because(because).next(
        "give the driver poll queues (for NVMe the module parameter nvme.poll_queues=4), or leave out --poll",
    )
}

fn check_commands(
    target: &TargetFacts,
    device: Option<&DeviceFacts>,
    label: &str,
    io_bytes: u64,
) -> Result<(), Problem> {
    let Some(device) = device.filter(|device| device.generic.is_some()) else {
        return Err(Problem::refused("the target does not accept NVMe commands")
            .at(&target.path)
            .because("only a whole NVMe namespace has a generic device (/dev/ng0n1), since Linux 5.13")
            .next("name a namespace such as /dev/nvme0n1, or use another engine"));
    };
    let by_device = device.max_hw_sectors_kb.map(|kib| u64::from(kib) * KIB);
    let by_number = MOST_BLOCKS * u64::from(target.logical_block_bytes.max(1));
    let most = by_device.map_or(by_number, |by_device| by_device.min(by_number));
    if io_bytes > most {
        return Err(too_large(target, label, io_bytes, most)
            .because(format!("{} takes no more, and NVMe commands are never split", device.name))
            .next(format!("{}, or use the engine io_uring", smaller(label, most))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TargetKind;
    use crate::load::matrix::RunLevel;

    fn target(device: Option<DeviceFacts>) -> TargetFacts {
        TargetFacts { kind: TargetKind::BlockDevice, device, ..TargetFacts::simulated(1 << 30) }
    }

    fn refusal(request: &Request, device: Option<DeviceFacts>, bytes: u64) -> String {
        check(request, &HostFacts::default(), &target(device), "large", bytes).unwrap_err().to_string()
    }

    #[test]
    fn polling_needs_poll_queues() {
        let request = Request { poll: true, ..Request::new(RunLevel::Simple) };
        let device = |polled| Some(DeviceFacts { name: "nvme0n1".into(), polled, ..DeviceFacts::default() });
        assert_eq!(
            check(&request, &HostFacts::default(), &target(device(Some(true))), "small", 8192),
            Ok(())
        );
        for polled in [None, Some(false)] {
            let text = refusal(&request, device(polled), 8192);
            assert!(text.contains("does not support polled completions"), "{text}");
        }
        refusal(&request, None, 8192);
        assert_eq!(
            check(&Request { poll: false, ..request }, &HostFacts::default(), &target(None), "small", 8192),
            Ok(())
        );
    }

    #[test]
    fn what_is_polled_for_is_not_split() {
        let request = Request { poll: true, ..Request::new(RunLevel::Simple) };
        let device = |max_sectors_kb, max_segments| {
            Some(DeviceFacts { polled: Some(true), max_sectors_kb, max_segments, ..DeviceFacts::default() })
        };
        let limited = || device(Some(512), Some(127));
        assert_eq!(check(&request, &HostFacts::default(), &target(limited()), "large", 508 * KIB), Ok(()));
        assert!(refusal(&request, limited(), 512 * KIB).contains("508"));
        // Larger pages are fewer pieces.
        for (page_kib, most_kib) in [(4, 508), (16, 512), (64, 512)] {
            let host = HostFacts { page_bytes: Some(page_kib * KIB), ..HostFacts::default() };
            let fits = |kib: u64| check(&request, &host, &target(limited()), "large", kib * KIB).is_ok();
            assert_eq!((fits(most_kib), fits(most_kib + 4)), (true, false), "{page_kib}");
        }
        assert!(refusal(&request, device(Some(256), None), 512 * KIB).contains("256 KB"));
        assert_eq!(
            check(&request, &HostFacts::default(), &target(device(None, None)), "large", 64 << 20),
            Ok(())
        );
    }

    #[test]
    fn old_kernels_must_not_poll_for_commands() {
        let host = |kernel: &str| HostFacts { kernel: kernel.into(), ..HostFacts::default() };
        let both = Request {
            poll: true,
            engine: EngineRequest::Only(EngineKind::Nvme),
            ..Request::new(RunLevel::Oltp)
        };
        for old in ["Linux 6.1.0-56-amd64", "Linux 5.19.17", "Linux 6.5.13"] {
            assert!(check_host(&both, &host(old)).is_err(), "{old}");
            assert_eq!(check_host(&Request { poll: false, ..both.clone() }, &host(old)), Ok(()));
        }
        for new in ["Linux 6.6.0", "Linux 6.18.44-fc", "Linux 10.0"] {
            assert_eq!(check_host(&both, &host(new)), Ok(()), "{new}");
        }
    }

    #[test]
    fn commands_need_a_namespace_and_fit_into_it() {
        let engine = EngineRequest::Only(EngineKind::Nvme);
        let request = Request { engine, ..Request::new(RunLevel::Simple) };
        let namespace = DeviceFacts {
            name: "nvme0n1".into(),
            generic: Some("ng0n1".into()),
            max_hw_sectors_kb: Some(512),
            ..DeviceFacts::default()
        };
        let device = || Some(namespace.clone());
        assert_eq!(check(&request, &HostFacts::default(), &target(device()), "large", 512 * KIB), Ok(()));
        assert!(refusal(&request, device(), 1024 * KIB).contains("exceeds the 512 KiB"));
        let partition = DeviceFacts { generic: None, ..namespace.clone() };
        assert!(refusal(&request, Some(partition), 8192).contains("does not accept NVMe commands"));
        let unlimited = DeviceFacts { max_hw_sectors_kb: None, ..namespace.clone() };
        assert_eq!(
            check(&request, &HostFacts::default(), &target(Some(unlimited.clone())), "large", 32 << 20),
            Ok(())
        );
        assert!(
            refusal(&request, Some(unlimited), 64 << 20).contains("32 MiB"),
            "65,536 blocks of 512 bytes"
        );
    }
}
