//! The states of what lies below a target, and how they change: arrays, paths, controllers, sessions, links.
//!
//! Two snapshots become changes; a state that could not be read is missing, never guessed. Must not gather anything.

use crate::path_text::printable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A rebuild is reported at every tenth of its progress.
const STEPS: u64 = 10;

/// What state it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateKind {
    /// The action of a software RAID: idle, resync, recover, check ..
    SyncAction,
    /// The progress of that action: `done / all` in sectors.
    SyncCompleted,
    /// How many members it lacks.
    Degraded,
    /// Whether a member is in use.
    Member,
    /// Whether a device mapper volume is suspended.
    Suspended,
    /// A path of a multipath volume.
    Path,
    /// A SCSI device.
    Scsi,
    /// An NVMe controller.
    Nvme,
    /// The quality of a path to a namespace.
    Ana,
    /// An iSCSI session.
    Iscsi,
    /// A Fibre Channel port.
    Port,
    /// A network interface.
    Link,
}

crate::named!(StateKind {
    SyncAction: "array action",
    SyncCompleted: "array progress",
    Degraded: "members missing",
    Member: "member",
    Suspended: "suspended",
    Path: "multipath path",
    Scsi: "SCSI device",
    Nvme: "NVMe controller",
    Ana: "path (ANA)",
    Iscsi: "iSCSI session",
    Port: "Fibre Channel port",
    Link: "link"
});

/// The states at one moment, by kind and device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostStates(pub BTreeMap<(StateKind, String), String>);

/// A state that changed. Both ends are alike where it was amiss from the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    /// The kind of the state.
    pub kind: StateKind,
    /// The device.
    pub device: String,
    /// The old value; `None` if there was none.
    pub from: Option<String>,
    /// The new value; `None` if it is gone.
    pub to: Option<String>,
}

/// The progress of a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncProgress {
    /// Sectors of 512 bytes that are done.
    pub done: u64,
    /// Sectors in total.
    pub all: u64,
}

impl SyncProgress {
    /// From `done / all`; `None` for `none` and `delayed`.
    pub fn read(text: &str) -> Option<Self> {
        let (done, all) = text.split_once('/')?;
        let (done, all) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
        (done <= all && all > 0).then_some(Self { done, all })
    }

    const fn step(self) -> u64 {
        self.done.saturating_mul(STEPS) / self.all
    }
}

/// What changed between two checks, ordered by kind and name.
pub fn changes(before: &HostStates, after: &HostStates) -> Vec<StateChange> {
    let keys = before.0.keys().chain(after.0.keys().filter(|key| !before.0.contains_key(*key)));
    let mut all: Vec<StateChange> =
        keys.filter_map(|key| change(key, before.0.get(key), after.0.get(key))).collect();
    all.sort_by(|one, other| (one.kind, &one.device).cmp(&(other.kind, &other.device)));
    all
}

/// What is amiss or goes on at the first look, so that no change would tell it.
pub fn amiss(first: &HostStates) -> Vec<StateChange> {
    let found = first.0.iter().filter(|((kind, _), state)| kind.is_amiss(state));
    let stays = |((kind, device), state): (&(StateKind, String), &String)| StateChange {
        kind: *kind,
        device: device.clone(),
        from: Some(state.clone()),
        to: Some(state.clone()),
    };
    found.map(stays).collect()
}

impl StateKind {
    fn is_amiss(self, state: &str) -> bool {
        match self {
            Self::SyncAction => !matches!(state, "idle" | "frozen"),
            Self::SyncCompleted => SyncProgress::read(state).is_some(),
            Self::Degraded => state != "0",
            Self::Suspended => state == "1",
            Self::Path => state == "failed",
            Self::Scsi => state != "running",
            Self::Nvme => state != "live",
            Self::Iscsi => state != "LOGGED_IN",
            Self::Port => state != "Online",
            // A spare, a path of the second choice and a link without a cable are as they should be.
            Self::Member | Self::Ana | Self::Link => false,
        }
    }
}

fn change(
    (kind, device): &(StateKind, String),
    from: Option<&String>,
    to: Option<&String>,
) -> Option<StateChange> {
    if from == to || (*kind == StateKind::SyncCompleted && !is_step(from, to)) {
        return None;
    }
    Some(StateChange { kind: *kind, device: device.clone(), from: from.cloned(), to: to.cloned() })
}

/// Whether a rebuild begins, ends, or passes a tenth of its progress.
fn is_step(from: Option<&String>, to: Option<&String>) -> bool {
    let progress = |text: Option<&String>| text.and_then(|text| SyncProgress::read(text));
    match (progress(from), progress(to)) {
        (None, None) => false,
        (Some(from), Some(to)) => from.step() != to.step() || from.all != to.all,
        _ => true,
    }
}

impl StateChange {
    /// Whether it was so from the start.
    pub fn is_old(&self) -> bool {
        self.to == self.from
    }

    /// As part of a sentence: `md0: array action idle -> recover`.
    pub fn words(&self) -> String {
        let device = printable(&self.device);
        let end = |end: &Option<String>| end.as_ref().map(|text| printable(text).into_owned());
        let progress = |text: &Option<String>| text.as_ref().and_then(|text| SyncProgress::read(text));
        match (self.kind, end(&self.from), end(&self.to)) {
            (StateKind::SyncCompleted, ..) => match progress(&self.to) {
                Some(now) => format!("{device}: rebuild at {} %", now.done.saturating_mul(100) / now.all),
                None => format!("{device}: the rebuild has ended"),
            },
            (StateKind::Suspended, _, Some(to)) => {
                format!("{device}: {}", if to == "1" { "suspended" } else { "no longer suspended" })
            }
            (kind, Some(_), Some(to)) if self.is_old() => {
                format!("{device}: {} {to} from the start", kind.name())
            }
            (kind, Some(from), Some(to)) => format!("{device}: {} {from} -> {to}", kind.name()),
            (kind, Some(from), None) => format!("{device}: {} is gone (was {from})", kind.name()),
            (kind, None, to) => format!("{device}: {} appeared ({})", kind.name(), to.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(rows: &[(StateKind, &str, &str)]) -> HostStates {
        HostStates(
            rows.iter().map(|&(kind, device, state)| ((kind, device.to_owned()), state.to_owned())).collect(),
        )
    }

    fn told(before: &[(StateKind, &str, &str)], after: &[(StateKind, &str, &str)]) -> Vec<String> {
        changes(&states(before), &states(after)).iter().map(StateChange::words).collect()
    }

    #[test]
    fn a_state_that_stays_is_no_change_and_one_that_changes_is_told_once() {
        let before = [
            (StateKind::Scsi, "sdb", "running"),
            (StateKind::Link, "eth0", "up"),
            (StateKind::Nvme, "nvme0", "live"),
        ];
        assert_eq!(told(&before, &before), [""; 0]);
        let after = [(StateKind::Scsi, "sdb", "offline"), (StateKind::Nvme, "nvme0", "live")];
        assert_eq!(
            told(&before, &after),
            ["sdb: SCSI device running -> offline", "eth0: link is gone (was up)"]
        );
        assert_eq!(
            told(&after, &before),
            ["sdb: SCSI device offline -> running", "eth0: link appeared (up)"]
        );
    }

    #[test]
    fn a_rebuild_is_told_at_its_ends_and_every_tenth() {
        let at = |text| [(StateKind::SyncCompleted, "md0", text)];
        assert_eq!(told(&at("none"), &at("0 / 1000")), ["md0: rebuild at 0 %"]);
        assert_eq!(told(&at("0 / 1000"), &at("99 / 1000")), [""; 0]);
        assert_eq!(told(&at("99 / 1000"), &at("100 / 1000")), ["md0: rebuild at 10 %"]);
        assert_eq!(told(&at("900 / 1000"), &at("none")), ["md0: the rebuild has ended"]);
        assert_eq!(told(&at("none"), &at("delayed")), [""; 0], "nothing is known of how far it came");
        assert_eq!(SyncProgress::read("1200 / 1000"), None);
        assert_eq!(SyncProgress::read("0 / 0"), None);
    }

    #[test]
    fn what_is_amiss_from_the_start_is_told_and_what_is_well_is_not() {
        let well = [
            (StateKind::SyncAction, "md0", "idle"),
            (StateKind::SyncCompleted, "md0", "none"),
            (StateKind::Degraded, "md0", "0"),
            (StateKind::Member, "md0, sdb", "spare"),
            (StateKind::Suspended, "dm-0", "0"),
            (StateKind::Path, "mpatha, sdb", "active"),
            (StateKind::Scsi, "sda", "running"),
            (StateKind::Nvme, "nvme0", "live"),
            (StateKind::Ana, "nvme0c1n1", "non-optimized"),
            (StateKind::Iscsi, "session1", "LOGGED_IN"),
            (StateKind::Port, "rport-0:0-1", "Online"),
            (StateKind::Link, "eth1", "down"),
        ];
        assert_eq!(amiss(&states(&well)), []);
        let ill = [
            (StateKind::SyncAction, "md0", "recover"),
            (StateKind::SyncCompleted, "md0", "250 / 1000"),
            (StateKind::Degraded, "md0", "1"),
            (StateKind::Path, "mpatha, sdb", "failed"),
        ];
        let found = amiss(&states(&ill));
        assert!(found.iter().all(StateChange::is_old), "{found:?}");
        assert_eq!(
            found.iter().map(StateChange::words).collect::<Vec<_>>(),
            [
                "md0: array action recover from the start",
                "md0: rebuild at 25 %",
                "md0: members missing 1 from the start",
                "mpatha, sdb: multipath path failed from the start",
            ]
        );
    }

    #[test]
    fn names_of_devices_are_no_escapes() {
        let after = [(StateKind::Link, "eth\u{1b}[31m0", "up")];
        assert!(!told(&[], &after)[0].contains('\u{1b}'));
    }
}
