//! Whether a target can be reached the way that was asked for: by polling, by NVMe commands.
//!
//! Must not look at the device: what was found out about it is in its facts.

use crate::engine::EngineKind;
use crate::error::Problem;
use crate::facts::{DeviceFacts, TargetFacts};
use crate::request::{EngineRequest, Request};
use crate::units::{Bytes, KIB};

/// Checks I/Os of `io_bytes` to a target.
pub fn check(request: &Request, target: &TargetFacts, label: &str, io_bytes: u64) -> Result<(), Problem> {
    let device = target.device.as_ref();
    if request.poll && device.and_then(|device| device.polled) != Some(true) {
        return Err(no_poll_queues(target, device));
    }
    if request.engine == EngineRequest::Only(EngineKind::Nvme) {
        check_commands(target, device, label, io_bytes)?;
    }
    Ok(())
}

fn no_poll_queues(target: &TargetFacts, device: Option<&DeviceFacts>) -> Problem {
    let because = match device {
        Some(device) => format!("queue/io_poll of {} is not 1", device.name),
        None => "there is no block device below it".to_owned(),
    };
    Problem::refused("the target cannot be polled for completions").at(&target.path).because(because).next(
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
        return Err(Problem::refused("the target takes no NVMe commands")
            .at(&target.path)
            .because("only a whole NVMe namespace has a generic device (/dev/ng0n1), since Linux 5.13")
            .next("name a namespace such as /dev/nvme0n1, or use another engine"));
    };
    let most = device.max_hw_sectors_kb.map(|kib| u64::from(kib) * KIB);
    match most {
        Some(most) if io_bytes > most => Err(Problem::usage(format!(
            "the {label} I/O size of {} does not fit into one command",
            Bytes(io_bytes)
        ))
        .at(&target.path)
        .because(format!("{} takes {} at most, and nothing splits NVMe commands", device.name, Bytes(most)))
        .next(format!("use --size-{label} {}, or the engine io_uring", Bytes(most)))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TargetKind;
    use crate::matrix::RunLevel;

    fn target(device: Option<DeviceFacts>) -> TargetFacts {
        TargetFacts { kind: TargetKind::BlockDevice, device, ..TargetFacts::simulated(1 << 30) }
    }

    fn refusal(request: &Request, device: Option<DeviceFacts>, bytes: u64) -> String {
        check(request, &target(device), "large", bytes).unwrap_err().to_string()
    }

    #[test]
    fn polling_needs_poll_queues() {
        let request = Request { poll: true, ..Request::new(RunLevel::Simple) };
        let device = |polled| Some(DeviceFacts { name: "nvme0n1".into(), polled, ..DeviceFacts::default() });
        assert_eq!(check(&request, &target(device(Some(true))), "small", 8192), Ok(()));
        for polled in [None, Some(false)] {
            let told = refusal(&request, device(polled), 8192);
            assert!(told.contains("cannot be polled"), "{told}");
        }
        refusal(&request, None, 8192);
        assert_eq!(check(&Request { poll: false, ..request }, &target(None), "small", 8192), Ok(()));
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
        assert_eq!(check(&request, &target(device()), "large", 512 * KIB), Ok(()));
        assert!(refusal(&request, device(), 1024 * KIB).contains("does not fit"));
        let partition = DeviceFacts { generic: None, ..namespace.clone() };
        assert!(refusal(&request, Some(partition), 8192).contains("takes no NVMe commands"));
        let unlimited = DeviceFacts { max_hw_sectors_kb: None, ..namespace.clone() };
        assert_eq!(check(&request, &target(Some(unlimited)), "large", 64 << 20), Ok(()));
    }
}
