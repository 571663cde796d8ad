//! Signatures on a target: filesystems, partition tables, RAID, volume managers, databases.
//!
//! libblkid knows hundreds of formats. The table here adds formats that it does not know, and those that must be found
//! without it. Must not decide whether they matter.

mod blkid;

use crate::targets::node::Node;
use blkid::Values;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use rustix::io::{pread, retry_on_intr};
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;

/// A partition of the target, which is searched as well.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub name: String,
    pub offset: u64,
    pub len: u64,
}

/// All signatures, each once.
pub(crate) fn evidence(
    node: &Node,
    facts: &TargetFacts,
    partitions: &[Region],
) -> Result<Vec<Evidence>, Problem> {
    // libblkid changes the read-ahead of the descriptor, so it gets its own.
    let fd = node.open_to_read()?;
    let mut found = Vec::new();
    if facts.kind == TargetKind::CharDevice {
        // libblkid cannot handle raw devices, which read only whole, aligned blocks.
        found.push(Evidence::SignaturesUnknown { reason: "libblkid cannot read a raw device".to_owned() });
        return Ok(found);
    }
    let whole = Region { name: String::new(), offset: 0, len: facts.size_bytes };
    for region in std::iter::once(&whole).chain(partitions) {
        for signature in in_region(fd.as_fd(), region, facts.kind) {
            if !found.contains(&signature) {
                found.push(signature);
            }
        }
    }
    Ok(found)
}

fn in_region(fd: BorrowedFd<'_>, region: &Region, kind: TargetKind) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = match blkid::probe(fd, region.offset, region.len) {
        Ok(results) => results.iter().flat_map(|values| from_values(values, region)).collect(),
        Err(reason) => vec![Evidence::SignaturesUnknown { reason }],
    };
    let known = |found: &[Evidence], kind: &str| {
        found.iter().any(|e| matches!(e, Evidence::Signature { kind: found, .. } if found == kind))
    };
    for own in OWN.iter().filter(|own| !own.files_only || kind == TargetKind::File) {
        if !known(&found, own.kind) && own.is_at(fd, region) {
            found.push(Evidence::Signature {
                usage: place(own.usage, region),
                kind: own.kind.to_owned(),
                label: None,
                offset: Some(region.offset + own.offset),
            });
        }
    }
    found
}

/// `filesystem`, or `filesystem in sda1`.
fn place(usage: &str, region: &Region) -> String {
    if region.name.is_empty() { usage.to_owned() } else { format!("{usage} in {}", region.name) }
}

/// The signatures in one result of libblkid: a superblock, a partition table, or both.
fn from_values(values: &Values, region: &Region) -> Vec<Evidence> {
    let text = |name: &str| values.get(name).map(|bytes| path_text::encode_os(OsStr::from_bytes(bytes)));
    let offset = |name: &str| Some(region.offset + text(name)?.parse::<u64>().ok()?);
    let superblock = text("TYPE").map(|kind| {
        let usage = usage_of(&kind, text("USAGE").as_deref());
        let damaged = if values.contains_key("SBBADCSUM") { " (wrong checksum)" } else { "" };
        Evidence::Signature {
            usage: place(&format!("{usage}{damaged}"), region),
            label: text("LABEL").or_else(|| text("UUID")),
            offset: offset("SBMAGIC_OFFSET"),
            kind,
        }
    });
    let table = text("PTTYPE").map(|kind| Evidence::Signature {
        usage: place("partition table", region),
        label: text("PTUUID"),
        offset: offset("PTMAGIC_OFFSET"),
        kind,
    });
    superblock.into_iter().chain(table).collect()
}

/// libblkid's word for the use of a format, replaced where "raid" or "other" would mislead.
fn usage_of(kind: &str, usage: Option<&str>) -> String {
    match kind {
        "LVM1_member" | "LVM2_member" | "zfs_member" | "stratis" | "VxVM" | "oracleasm" => "volume manager",
        "swap" | "swsuspend" => "swap area",
        "bcache" | "bcachefs" => "cache or filesystem",
        _ => usage.unwrap_or("unknown"),
    }
    .to_owned()
}

/// A signature that is searched for without libblkid.
struct OwnSignature {
    usage: &'static str,
    kind: &'static str,
    offset: u64,
    magic: &'static [u8],
    files_only: bool,
}

const OWN: [OwnSignature; 2] = [
    // libblkid knows it too. It is here for hosts without libblkid, because ORION is used on Oracle's disks.
    // Source: libblkid/src/superblocks/ocfs.c, `oracleasm_idinfo`.
    OwnSignature {
        usage: "volume manager",
        kind: "oracleasm",
        offset: 32,
        magic: b"ORCLDISK",
        files_only: false,
    },
    // Source: https://www.sqlite.org/fileformat2.html, "The Database Header". The data files of Oracle, PostgreSQL and
    // InnoDB have no such mark, but the check of the contents finds them.
    OwnSignature {
        usage: "database file",
        kind: "sqlite3",
        offset: 0,
        magic: b"SQLite format 3\0",
        files_only: true,
    },
];

impl OwnSignature {
    fn is_at(&self, fd: BorrowedFd<'_>, region: &Region) -> bool {
        let mut bytes = [0; 16];
        let wanted = &mut bytes[..self.magic.len()];
        if self.offset + self.magic.len() as u64 > region.len {
            return false;
        }
        // A read error is reported when the contents are read.
        let got = retry_on_intr(|| pread(fd, &mut *wanted, region.offset + self.offset));
        got == Ok(self.magic.len()) && wanted == self.magic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect()
    }

    #[test]
    fn results_of_libblkid_become_evidence() {
        let whole = Region { name: String::new(), offset: 0, len: 1 << 30 };
        let inner = Region { name: "sda1".into(), offset: 1 << 20, len: 1 << 29 };
        let ext4 = [
            ("TYPE", "ext4"),
            ("USAGE", "filesystem"),
            ("UUID", "u-1"),
            ("LABEL", "da\x1bta"),
            ("SBMAGIC_OFFSET", "1080"),
        ];
        let found = from_values(&values(&ext4), &inner);
        let [Evidence::Signature { usage, kind, label, offset }] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            (usage.as_str(), kind.as_str(), *offset),
            ("filesystem in sda1", "ext4", Some((1 << 20) + 1080))
        );
        assert_eq!(label.as_deref(), Some("da\\x1bta"), "no label writes to the terminal");

        let both = [("TYPE", "LVM2_member"), ("USAGE", "raid"), ("SBBADCSUM", "1"), ("PTTYPE", "gpt")];
        let found: Vec<String> =
            from_values(&values(&both), &whole).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["volume manager (wrong checksum) signature: LVM2_member", "partition table signature: gpt"]
        );
        assert!(from_values(&values(&[("DEVNO", "1")]), &whole).is_empty());
    }
}
