//! The states of what lies below targets, as sysfs shows them now: arrays, paths, controllers, sessions, links.
//!
//! A file that is missing or cannot be read is not a state. Must not compare two snapshots; `rigel_core::facts::states` does.

use crate::system::{System, text};
use crate::targets::block::Block;
use rigel_core::facts::states::{HostStates, StateKind};
use std::path::{Path, PathBuf};

/// Interfaces that carry nothing to a storage.
const OWN_LINK: &str = "lo";

/// Reads the state of everything below block devices with these numbers, and of the host's interfaces whose files lie under `root`.
pub fn look(root: &Path, devices: &[(u32, u32)]) -> HostStates {
    let system = System::at(root);
    let mut found = HostStates::default();
    let tops = devices.iter().filter_map(|&number| Block::by_number(&system.sys, number));
    let mut blocks: Vec<Block> = Vec::new();
    for block in tops.flat_map(|top| {
        let below = top.below();
        std::iter::once(top).chain(below)
    }) {
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    for block in &blocks {
        array(block, &mut found);
        mapped(block, &system, &mut found);
        disk(block, &system.sys, &mut found);
    }
    links(&system.sys, &mut found);
    found
}

fn put(found: &mut HostStates, kind: StateKind, device: impl Into<String>, state: Option<String>) {
    if let Some(state) = state.filter(|state| !state.is_empty()) {
        found.0.insert((kind, device.into()), state);
    }
}

/// A software RAID and its members.
fn array(block: &Block, found: &mut HostStates) {
    let md = block.dir().join("md");
    let file = |name: &str| text(&md.join(name));
    put(found, StateKind::SyncAction, &block.name, file("sync_action"));
    put(found, StateKind::SyncCompleted, &block.name, file("sync_completed"));
    put(found, StateKind::Degraded, &block.name, file("degraded"));
    for (name, dir) in entries(&md) {
        if let Some(member) = name.strip_prefix("dev-") {
            put(found, StateKind::Member, format!("{}, {member}", block.name), text(&dir.join("state")));
        }
    }
}

/// A volume of the device mapper, with the paths of one that has several.
fn mapped(block: &Block, system: &System, found: &mut HostStates) {
    put(found, StateKind::Suspended, block.title(), text(&block.dir().join("dm/suspended")));
    let Some(mapped) = block.facts(system).mapped else { return };
    for (path, state) in mapped.status.iter().flat_map(|status| paths(status)) {
        let name = Block::by_number(&system.sys, path)
            .map_or_else(|| format!("{}:{}", path.0, path.1), |block| block.name);
        put(found, StateKind::Path, format!("{}, {name}", mapped.name), Some(state.to_owned()));
    }
}

/// From a line of `dmsetup status`: the device of each path, and its state.
fn paths(status: &str) -> Vec<((u32, u32), &'static str)> {
    let words: Vec<&str> = status.split_whitespace().collect();
    if words.get(2) != Some(&"multipath") {
        return Vec::new();
    }
    let pair = |word: &str| {
        let (major, minor) = word.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let path = |two: &[&str]| {
        let state = match two[1] {
            "A" => "active",
            "F" => "failed",
            _ => return None,
        };
        Some((pair(two[0])?, state))
    };
    words.windows(2).filter_map(path).collect()
}

/// A disk with what it hangs on.
fn disk(block: &Block, sys: &Path, found: &mut HostStates) {
    let dir = block.dir();
    let device = dir.join("device");
    if dir.join("partition").exists() {
        return;
    }
    let is_nvme = block.name.starts_with("nvme");
    if is_nvme {
        controllers(block, found);
    } else {
        put(found, StateKind::Scsi, &block.name, text(&device.join("state")));
    }
    // A disk's own directory lies below its session or remote port.
    for above in dir.ancestors() {
        let Some(name) = above.file_name().and_then(|name| name.to_str()) else { break };
        if name.starts_with("session") {
            put(
                found,
                StateKind::Iscsi,
                name,
                text(&sys.join("class/iscsi_session").join(name).join("state")),
            );
        } else if name.starts_with("rport-") {
            let port = sys.join("class/fc_remote_ports").join(name).join("port_state");
            put(found, StateKind::Port, name, text(&port));
        }
    }
}

/// The controllers of an NVMe namespace, and how good its path through each is. A namespace with several hangs on its subsystem.
fn controllers(block: &Block, found: &mut HostStates) {
    let Some(above) = block.dir().parent() else { return };
    let alone = above.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let controllers: Vec<(String, PathBuf)> = match alone {
        Some(name) if is_controller(&name) => vec![(name, above.to_owned())],
        _ => entries(above).into_iter().filter(|(name, _)| is_controller(name)).collect(),
    };
    // nvme1n2 is nvme1c0n2 on controller nvme0.
    let namespace = block.name.rfind('n').map_or("", |at| &block.name[at..]);
    for (name, dir) in controllers {
        put(found, StateKind::Nvme, &name, text(&dir.join("state")));
        for (path, own) in entries(&dir) {
            let is_path = path.starts_with("nvme") && path.contains('c') && path.ends_with(namespace);
            if is_path || path == block.name {
                put(found, StateKind::Ana, &path, text(&own.join("ana_state")));
            }
        }
    }
}

/// `nvme0`, and not `nvme0n1` or `nvme-subsys0`.
fn is_controller(name: &str) -> bool {
    name.strip_prefix("nvme")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn links(sys: &Path, found: &mut HostStates) {
    for (name, dir) in entries(&sys.join("class/net")) {
        // Those of containers and tunnels come and go with them, and carry no storage.
        let carries = ["device", "bonding", "bridge"].iter().any(|own| dir.join(own).exists());
        if name != OWN_LINK && carries {
            put(found, StateKind::Link, name, text(&dir.join("operstate")));
        }
    }
}

/// The entries of a directory, by name.
fn entries(dir: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut all: Vec<(String, PathBuf)> =
        entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_owned(), entry.path()))).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;
    use rigel_core::facts::states::{StateChange, changes};

    /// What changes when these files change, in words.
    fn told(fixture: &Fixture, devices: &[(u32, u32)], files: &[(&str, &str)]) -> Vec<String> {
        let before = look(fixture.root(), devices);
        files.iter().for_each(|(file, text)| fixture.write(file, text));
        changes(&before, &look(fixture.root(), devices)).iter().map(StateChange::words).collect()
    }

    #[test]
    fn an_array_tells_its_members_and_its_rebuild() {
        let fixture = Fixture::new();
        fixture.disk("virtual/block/md0", (9, 0));
        fixture.disk("pci0/ata1/target0:0:0/0:0:0:0/block/sda", (8, 0));
        fixture.holds("virtual/block/md0", "pci0/ata1/target0:0:0/0:0:0:0/block/sda");
        let md = |file: &str| format!("sys/devices/virtual/block/md0/md/{file}");
        for (file, text) in [
            ("sync_action", "idle\n"),
            ("sync_completed", "none\n"),
            ("degraded", "0\n"),
            ("dev-sda/state", "in_sync\n"),
        ] {
            fixture.write(&md(file), text);
        }
        let state = "sys/devices/pci0/ata1/target0:0:0/0:0:0:0/block/sda/device/state";
        fixture.write(state, "running\n");
        let all = told(
            &fixture,
            &[(9, 0)],
            &[
                (&md("sync_action"), "recover\n"),
                (&md("sync_completed"), "128 / 4096\n"),
                (&md("degraded"), "1\n"),
                (&md("dev-sda/state"), "faulty\n"),
                (state, "offline\n"),
            ],
        );
        assert_eq!(
            all,
            [
                "md0: array action idle -> recover",
                "md0: rebuild at 3 %",
                "md0: members missing 0 -> 1",
                "md0, sda: member in_sync -> faulty",
                "sda: SCSI device running -> offline",
            ]
        );
        // Of another device nothing is told.
        assert_eq!(told(&fixture, &[(8, 99)], &[(state, "running\n")]), [""; 0]);
    }

    #[test]
    fn sessions_links_and_suspended_volumes_are_seen() {
        let fixture = Fixture::new();
        let sdb = "platform/host3/session1/target3:0:0/3:0:0:1/block/sdb";
        fixture.disk(sdb, (8, 16));
        fixture.disk("virtual/block/dm-0", (253, 0));
        fixture.holds("virtual/block/dm-0", sdb);
        for (file, text) in [
            ("sys/class/iscsi_session/session1/state", "LOGGED_IN\n"),
            ("sys/class/net/eth1/operstate", "up\n"),
            ("sys/class/net/eth1/device/vendor", "0x8086\n"),
            ("sys/class/net/veth12/operstate", "up\n"),
            ("sys/class/net/lo/operstate", "unknown\n"),
            ("sys/devices/virtual/block/dm-0/dm/name", "mpatha\n"),
            ("sys/devices/virtual/block/dm-0/dm/uuid", "mpath-36\n"),
            ("sys/devices/virtual/block/dm-0/dm/suspended", "0\n"),
            ("mapper/mpatha.table", "0 1 multipath 0\n"),
            ("mapper/mpatha.status", "0 1 multipath 2 0 1 0 1 1 A 0 1 2 8:16 A 0 0 1\n"),
        ] {
            fixture.write(file, text);
        }
        let all = told(
            &fixture,
            &[(253, 0)],
            &[
                ("sys/class/iscsi_session/session1/state", "FAILED\n"),
                ("sys/class/net/eth1/operstate", "down\n"),
                ("sys/class/net/veth12/operstate", "down\n"),
                ("sys/class/net/lo/operstate", "down\n"),
                ("sys/devices/virtual/block/dm-0/dm/suspended", "1\n"),
                ("mapper/mpatha.status", "0 1 multipath 2 0 1 0 1 1 E 0 1 2 8:16 F 1 0 1\n"),
            ],
        );
        assert_eq!(
            all,
            [
                "dm-0 (mpatha, mpath): suspended",
                "mpatha, sdb: multipath path active -> failed",
                "session1: iSCSI session LOGGED_IN -> FAILED",
                "eth1: link up -> down",
            ]
        );
    }

    #[test]
    fn a_namespace_tells_each_controller_and_path() {
        let fixture = Fixture::new();
        let subsystem = "virtual/nvme-subsystem/nvme-subsys0";
        fixture.disk(&format!("{subsystem}/nvme0n1"), (259, 1));
        let of = |file: &str| format!("sys/devices/{subsystem}/{file}");
        for controller in ["nvme0", "nvme1"] {
            fixture.write(&of(&format!("{controller}/state")), "live\n");
            fixture
                .write(&of(&format!("{controller}/nvme0c{}n1/ana_state", &controller[4..])), "optimized\n");
        }
        let all = told(
            &fixture,
            &[(259, 1)],
            &[(&of("nvme1/state"), "connecting\n"), (&of("nvme1/nvme0c1n1/ana_state"), "inaccessible\n")],
        );
        assert_eq!(
            all,
            ["nvme1: NVMe controller live -> connecting", "nvme0c1n1: path (ANA) optimized -> inaccessible"]
        );
        let alone = Fixture::new();
        alone.disk("pci0/nvme/nvme4/nvme4n1", (259, 9));
        let state = "sys/devices/pci0/nvme/nvme4/state";
        alone.write(state, "live\n");
        assert_eq!(
            told(&alone, &[(259, 9)], &[(state, "resetting\n")]),
            ["nvme4: NVMe controller live -> resetting"]
        );
    }

    #[test]
    fn where_nothing_can_be_read_nothing_is_told() {
        let fixture = Fixture::new();
        assert_eq!(look(fixture.root(), &[(8, 0), (0, 41)]), HostStates::default());
    }
}
