//! Whether a target may be written, judged from evidence.
//!
//! A target is written only if the evidence shows that nothing can be lost, or if the user has seen the evidence and named
//! the target. A device that is mounted, held or used as swap is refused in any case. These are pure rules. `rigel-io`
//! gathers the evidence, and gives a permit only for a verdict of this module.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One finding on or around a target. Texts are printable ([`crate::path_text`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The device, or a partition of it, is mounted here.
    Mounted {
        /// Kernel name of the mounted device.
        device: String,
        /// Mount point.
        mount_point: String,
    },
    /// Another block device is made of the target (LVM, md, dm-crypt, multipath, a loop device).
    Held {
        /// Kernel name of the held device.
        device: String,
        /// Name of the holder.
        holder: String,
    },
    /// The target is in use as swap.
    Swap {
        /// Kernel name or path.
        device: String,
    },
    /// The kernel refused an exclusive open: another program has the device open exclusively.
    ExclusivelyOpen,
    /// The kernel reports the device as read-only.
    ReadOnly,
    /// Other processes have the target open.
    OpenElsewhere {
        /// `pid (command)` of at most a few.
        processes: Vec<String>,
    },
    /// A signature was found.
    Signature {
        /// `filesystem`, `partition table`, `raid`, `crypto`, `volume manager`, `database` ...
        usage: String,
        /// `ext4`, `gpt`, `LVM2_member`, `oracleasm` ...
        kind: String,
        /// Label or UUID.
        label: Option<String>,
        /// Byte offset of the magic number, if known.
        offset: Option<u64>,
    },
    /// The search for signatures was not possible.
    SignaturesUnknown {
        /// The reason.
        reason: String,
    },
    /// The device has partitions.
    Partitions {
        /// Kernel names.
        names: Vec<String>,
    },
    /// Bytes other than zero were found.
    HoldsData {
        /// Offset of the first nonzero block among those read.
        first_offset: u64,
    },
    /// Only a part was read, and it was zeros. The remainder may hold data.
    NotWhollyRead {
        /// Bytes that were read.
        looked_bytes: u64,
    },
    /// All blocks were read as zeros, or the filesystem says that no block was ever written.
    NeverWritten {
        /// How this is known.
        how: String,
    },
    /// A scratch file made by Rigel, recognised by name and header.
    OurScratchFile,
    /// Every block was read: random data that `rigel fill` wrote there, or zeros.
    OurFill,
    /// A scratch file made by Rigel, with foreign data written into it since.
    ScratchFileOfAnother {
        /// Offset of the first block among those read that is not Rigel's.
        first_offset: u64,
    },
}

impl Evidence {
    /// Whether it refuses a write, even with consent.
    pub const fn is_blocker(&self) -> bool {
        matches!(
            self,
            Self::Mounted { .. }
                | Self::Held { .. }
                | Self::Swap { .. }
                | Self::ExclusivelyOpen
                | Self::ReadOnly
        )
    }

    /// Whether it shows that nothing can be lost.
    pub const fn clears(&self) -> bool {
        matches!(self, Self::NeverWritten { .. } | Self::OurScratchFile | Self::OurFill)
    }

    /// What the user can do about a blocker; `None` for other evidence.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::Mounted { mount_point, .. } if mount_point == "/" => {
                "choose another target; the running system is on this one".to_owned()
            }
            Self::Mounted { mount_point, .. } => format!("umount {mount_point}"),
            Self::Held { holder, .. } => release_holder(holder),
            Self::Swap { device } => format!("swapoff {device}"),
            Self::ExclusivelyOpen => "see what holds it with lsblk and fuser -v, and stop that".to_owned(),
            Self::ReadOnly => "make it writable (blockdev --setrw, mount -o remount,rw)".to_owned(),
            _ => return None,
        })
    }
}

/// The command that releases a device, by kind of holder.
fn release_holder(holder: &str) -> String {
    let name = holder.split_whitespace().next().unwrap_or_default();
    if name.starts_with("loop") {
        format!("losetup -d /dev/{name}")
    } else if name.starts_with("md") {
        format!("mdadm --stop /dev/{name}")
    } else if holder.contains("LVM") {
        format!("deactivate the volume group that {name} belongs to (vgchange -an)")
    } else if holder.contains("CRYPT") {
        format!("cryptsetup close /dev/{name}")
    } else {
        format!("release {holder} (vgchange -an, cryptsetup close, multipath -f, dmsetup remove)")
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted { device, mount_point } => write!(f, "{device} is mounted on {mount_point}"),
            Self::Held { device, holder } => write!(f, "{device} is in use by {holder}"),
            Self::Swap { device } => write!(f, "{device} is in use as swap"),
            Self::ExclusivelyOpen => write!(f, "another program has the device open exclusively"),
            Self::ReadOnly => write!(f, "it is read-only"),
            Self::OpenElsewhere { processes } => write!(f, "open in {}", processes.join(", ")),
            Self::Signature { usage, kind, label, offset } => {
                write!(f, "{usage} signature: {kind}")?;
                if let Some(label) = label {
                    write!(f, " '{label}'")?;
                }
                if let Some(offset) = offset {
                    write!(f, " at byte {offset}")?;
                }
                Ok(())
            }
            Self::SignaturesUnknown { reason } => write!(f, "signatures could not be checked: {reason}"),
            Self::Partitions { names } => write!(f, "it has partitions: {}", names.join(", ")),
            Self::HoldsData { first_offset } => {
                write!(f, "it holds data (first seen at byte {first_offset})")
            }
            Self::NotWhollyRead { looked_bytes } => {
                write!(
                    f,
                    "only {} of it were checked; the remainder may hold data",
                    crate::units::Bytes(*looked_bytes)
                )
            }
            Self::NeverWritten { how } => write!(f, "it holds nothing: {how}"),
            Self::OurScratchFile => write!(f, "a Rigel scratch file"),
            Self::OurFill => write!(f, "it only holds data from an earlier fill"),
            Self::ScratchFileOfAnother { first_offset } => write!(
                f,
                "a Rigel scratch file that something else wrote into (first seen at byte {first_offset})"
            ),
        }
    }
}

/// Whether a target may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing can be lost.
    MayWrite,
    /// Data would be destroyed: only with consent of the user that names this target.
    NeedsConsent,
    /// Refused, even with consent.
    Refused,
}

/// Judges a target by its evidence.
#[must_use]
pub fn judge(evidence: &[Evidence]) -> Verdict {
    if evidence.iter().any(Evidence::is_blocker) {
        return Verdict::Refused;
    }
    let harmless = |e: &Evidence| e.clears();
    if evidence.iter().any(harmless) && evidence.iter().all(harmless) {
        Verdict::MayWrite
    } else {
        Verdict::NeedsConsent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let never = || Evidence::NeverWritten { how: "no extents".into() };
        let ext4 = || Evidence::Signature {
            usage: "filesystem".into(),
            kind: "ext4".into(),
            label: None,
            offset: Some(1080),
        };
        let mounted = || Evidence::Mounted { device: "sda1".into(), mount_point: "/".into() };
        let open = || Evidence::OpenElsewhere { processes: vec!["12 (postgres)".into()] };
        for (evidence, verdict) in [
            (vec![], Verdict::NeedsConsent),
            (vec![never()], Verdict::MayWrite),
            (vec![Evidence::OurScratchFile], Verdict::MayWrite),
            (vec![Evidence::OurFill], Verdict::MayWrite),
            (vec![Evidence::OurFill, ext4()], Verdict::NeedsConsent),
            (vec![Evidence::ScratchFileOfAnother { first_offset: 0 }], Verdict::NeedsConsent),
            (vec![never(), open()], Verdict::NeedsConsent),
            (vec![ext4()], Verdict::NeedsConsent),
            (vec![never(), ext4()], Verdict::NeedsConsent),
            (vec![Evidence::NotWhollyRead { looked_bytes: 1 }], Verdict::NeedsConsent),
            (vec![never(), mounted()], Verdict::Refused),
            (vec![ext4(), Evidence::ReadOnly], Verdict::Refused),
        ] {
            assert_eq!(judge(&evidence), verdict, "{evidence:?}");
        }
    }

    #[test]
    fn blockers_have_a_remedy_and_nothing_else_has() {
        let held = |holder: &str| Evidence::Held { device: "sda".into(), holder: holder.into() };
        for (evidence, remedy) in [
            (held("loop3"), "losetup -d /dev/loop3"),
            (held("md0"), "mdadm --stop /dev/md0"),
            (held("dm-1 (vg-data, LVM)"), "deactivate the volume group that dm-1 belongs to (vgchange -an)"),
            (held("dm-2 (luks, CRYPT)"), "cryptsetup close /dev/dm-2"),
            (Evidence::Swap { device: "/dev/sda2".into() }, "swapoff /dev/sda2"),
            (Evidence::Mounted { device: "sda1".into(), mount_point: "/data".into() }, "umount /data"),
        ] {
            assert_eq!(evidence.remedy().as_deref(), Some(remedy));
            assert!(evidence.is_blocker());
        }
        for evidence in [Evidence::ExclusivelyOpen, Evidence::ReadOnly, held("bcache0")] {
            assert!(evidence.remedy().is_some() && evidence.is_blocker());
            assert_eq!(judge(&[evidence]), Verdict::Refused);
        }
        for evidence in [Evidence::OurScratchFile, Evidence::HoldsData { first_offset: 0 }] {
            assert!(evidence.remedy().is_none() && !evidence.is_blocker());
        }
    }
}
