//! Targets for whose I/O memory answers: refused, unless memory is meant.
//!
//! Must not look at a target: its facts have what is known.

use rigel_core::error::Problem;
use rigel_core::facts::{MemoryReason, TargetFacts};
use rigel_core::load::request::Request;
use rigel_core::path_text;

/// Memory is refused for a scratch file, unless the user asked for it.
pub fn check_not_memory(here: &TargetFacts, allowed: bool) -> Result<(), Problem> {
    let Some(memory) = here.memory().filter(|_| !allowed) else { return Ok(()) };
    let next = "change to a directory on a disk, or name a file or device there";
    Err(refusal(here, &memory, "this directory", next))
}

/// Targets for whose I/O memory answers are refused before anything is measured, unless memory was requested. A
/// device that is memory (zram, `null_blk`) is measured: it answers its I/O itself, and the flag says what it is.
pub fn check_answered_by_storage(request: &Request, looked: &[TargetFacts]) -> Result<(), Problem> {
    if request.allow_memory {
        return Ok(());
    }
    for (part, targets) in request.parts(looked) {
        let meant = |memory: &MemoryReason| match memory {
            MemoryReason::Device { .. } => true,
            memory => part.buffered && memory.is_page_cache(),
        };
        let mut found = targets.iter().filter_map(|target| Some((target, target.memory()?)));
        let Some((target, memory)) = found.find(|(_, memory)| !meant(memory)) else { continue };
        return Err(refusal(target, &memory, "this target", "name a file or device on a disk"));
    }
    Ok(())
}

fn refusal(target: &TargetFacts, memory: &MemoryReason, this: &str, next: &str) -> Problem {
    let what = match memory.is_page_cache() {
        true => format!("{this} is only reachable through the page cache, which is memory"),
        false => "this is memory, not storage".to_owned(),
    };
    let first = memory.remedy().map_or_else(String::new, |command| format!("{command}, "));
    Problem::refused(what)
        .at(path_text::printable(&target.real_path))
        .because(memory.to_string())
        .next(format!("{first}{next}; --allow-memory measures memory anyway"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::error::ExitKind;
    use rigel_core::facts::DeviceFacts;
    use rigel_core::load::matrix::RunLevel;

    fn on(filesystem: &str, device: DeviceFacts) -> TargetFacts {
        TargetFacts {
            filesystem: Some(filesystem.to_owned()),
            device: Some(device),
            ..TargetFacts::simulated(1 << 30)
        }
    }

    fn device(name: &str, driver: Option<&str>, direct: Option<bool>) -> DeviceFacts {
        DeviceFacts {
            name: name.to_owned(),
            transport: driver.map(str::to_owned),
            loop_direct: direct,
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn memory_is_refused_unless_it_is_meant_or_is_the_device_itself() {
        let disk = on("ext4", device("sda", Some("sata"), None));
        let (tmpfs, zram) =
            (on("tmpfs", DeviceFacts::default()), on("ext4", device("zram0", Some("zram"), None)));
        let cached = on("ext4", device("loop7", Some("loop"), Some(false)));
        let told = |targets: &[&TargetFacts], change: fn(&mut Request)| {
            let mut request = Request::new(RunLevel::Oltp);
            change(&mut request);
            let targets: Vec<TargetFacts> = targets.iter().map(|&target| target.clone()).collect();
            check_answered_by_storage(&request, &targets).err()
        };
        for fine in [&disk, &zram] {
            assert_eq!(told(&[fine], |_| {}), None);
        }
        let refused = told(&[&disk, &tmpfs], |_| {}).unwrap();
        assert_eq!((refused.kind, refused.what.as_str()), (ExitKind::Refused, "this is memory, not storage"));
        assert!(told(&[&zram, &tmpfs], |_| {}).is_some());
        let refused = told(&[&cached], |_| {}).unwrap();
        assert!(
            refused.what.contains("page cache")
                && refused.next.unwrap().contains("losetup --direct-io=on /dev/loop7")
        );
        for meant in [&tmpfs, &cached] {
            assert_eq!(told(&[meant], |request| request.allow_memory = true), None);
        }
        assert_eq!(told(&[&cached], |request| request.buffered = true), None);
        assert!(
            told(&[&tmpfs], |request| request.buffered = true).is_some(),
            "a page cache of memory is memory"
        );
    }
}
