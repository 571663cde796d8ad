//! Tables and states of device-mapper devices, from the kernel or from a captured tree.
//!
//! A table can hold the key of an encrypted volume. Only parameters of known kinds are kept, and never a key. Must not
//! change a device.

use super::Block;
use crate::system::System;
use crate::targets::ioctl::{MapperTarget, mapper_targets};
use rigel_core::facts::MappedFacts;
use rigel_core::path_text;
use rustix::fs::{Mode, OFlags, open};
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Kinds whose parameters are only devices, sizes and policies.
const OPEN_KINDS: [&str; 16] = [
    "linear",
    "striped",
    "multipath",
    "mirror",
    "raid",
    "thin",
    "thin-pool",
    "snapshot",
    "snapshot-origin",
    "cache",
    "writecache",
    "delay",
    "flakey",
    "error",
    "zero",
    "dust",
];

/// Most targets of a device that are stored.
const MOST_TARGETS: usize = 64;

pub(super) fn facts(block: &Block, name: String, system: &System) -> MappedFacts {
    let (table, status) = match &system.mapper {
        Some(dir) => (captured(dir, &name, "table"), captured(dir, &name, "status")),
        None => (asked(block.number, false), asked(block.number, true)),
    };
    MappedFacts { name, maker: block.maker(), table, status }
}

fn captured(dir: &Path, name: &str, what: &str) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join(format!("{name}.{what}"))).unwrap_or_default();
    text.lines().take(MOST_TARGETS).filter_map(of_text).collect()
}

/// Reads a line that `dmsetup` printed: begin, length, kind, parameters.
fn of_text(line: &str) -> Option<String> {
    let mut words = line.splitn(4, ' ');
    let (begin, len) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let kind = words.next()?.to_owned();
    let parameters = words.next().unwrap_or_default().as_bytes().to_vec();
    Some(shown(&MapperTarget { begin_sectors: begin, len_sectors: len, kind, parameters }))
}

/// The kernel's answer; empty if it refuses, as it does to everyone but root.
fn asked(number: (u32, u32), status: bool) -> Vec<String> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let Ok(control) = open("/dev/mapper/control", flags, Mode::empty()) else { return Vec::new() };
    let targets = mapper_targets(control.as_fd(), number, status).unwrap_or_default();
    targets.iter().take(MOST_TARGETS).map(shown).collect()
}

fn shown(target: &MapperTarget) -> String {
    let all = path_text::encode_os(OsStr::from_bytes(&target.parameters));
    let parameters = match target.kind.as_str() {
        kind if OPEN_KINDS.contains(&kind) => all,
        "crypt" => without_key(&all),
        _ => String::new(),
    };
    let line = format!(
        "{} {} {} {parameters}",
        target.begin_sectors,
        target.len_sectors,
        path_text::printable(&target.kind)
    );
    line.trim_end().to_owned()
}

/// `aes-xts-plain64 KEY 0 8:0 4096 1 allow_discards` with a dash for the key.
fn without_key(parameters: &str) -> String {
    let mut words: Vec<&str> = parameters.split(' ').collect();
    if let Some(key) = words.get_mut(1) {
        *key = "-";
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_kept() {
        let crypt =
            of_text("0 2097152 crypt aes-xts-plain64 0123456789abcdef 0 8:16 4096 1 no_read_workqueue")
                .unwrap();
        assert_eq!(crypt, "0 2097152 crypt aes-xts-plain64 - 0 8:16 4096 1 no_read_workqueue");
        let unknown = of_text("0 8 integrity 8:0 0 internal_hash:hmac(sha256):SECRET").unwrap();
        assert_eq!(unknown, "0 8 integrity");
        assert_eq!(
            of_text("0 2097152 striped 2 128 8:0 0 8:16 0").unwrap(),
            "0 2097152 striped 2 128 8:0 0 8:16 0"
        );
        for broken in ["", "0 8", "a b linear 8:0 0", "0 -1 linear"] {
            assert_eq!(of_text(broken), None, "{broken}");
        }
        assert_eq!(of_text("0 8 \x1b[2J").unwrap(), "0 8 \\x1b[2J");
    }
}
