//! Which disks of a host lie on others: what is counted at a partition, an array, a mapped device or the sum of a group is counted at the disks
//! below it as well, and must count once.
//!
//! By name, and by permanent identifiers such as a WWN: names are all that tools report. A name counts as a partition only if its disk is there,
//! too, because Xen calls a disk `xvda1` if there is no `xvda`. Must not look at a value.

use super::key::{Kind, Subject};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What a disk is, judged by its name, lowest first: only disks of the lowest layer present count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// A device of the host.
    Hardware,
    /// A name that people gave: of a mapped device, or of a group of disks.
    Other,
    /// An array of `md`.
    Array,
    /// LVM, encryption, multipath and similar devices, which usually lie on arrays; a file as a disk.
    Mapped,
    /// All disks together, as in `iostat -g ALL`, collectl and clouds.
    Sum,
    /// A database, whose I/O is part of that of its disks.
    Database,
    /// Memory, and what holds no database.
    Nothing,
}

/// Kernel names of devices with letters: `sda`, `xvdb`. `emcpowera` is mapped, so not included.
const LETTERED: [&str; 13] =
    ["sd", "hd", "vd", "xvd", "ubd", "dasd", "fio", "rssd", "rsxx", "skd", "pcd", "scini", "vdisk"];
/// Letters after them, as the kernel counts: `sdzzz` is the 18,278th. More are a name that people gave, such as
/// `sdredo`; so is `sdata` if no disk has two letters.
const MOST_LETTERS: usize = 3;
/// Names with numbers, up to the number: `nvme0n1`, `mmcblk0`, `cciss/c0d0`. Some tools write `!` for `/`.
const NUMBERED: [&str; 16] = [
    "mmcblk", "pmem", "nbd", "rbd", "xvd", "cciss/c", "ida/c", "rd/c", "etherd/e", "i2o/hd", "sx8/", "hdisk",
    "ublkb", "rnbd", "dcssblk", "nullb",
];
const MAPPED: [&str; 8] = ["dm-", "bcache", "drbd", "loop", "zd", "VxVM", "VxDMP", "hdiskpower"];
const NOTHING: [&str; 6] = ["ram", "zram", "sr", "fd", "scd", "mtdblock"];
/// Prefixes of the persistent id of a mapped device.
const MAPPED_IDS: [&str; 6] = ["LVM-", "CRYPT-", "mpath-", "DM-", "dm-", "lvm-"];
/// Prefixes of the persistent id of a hardware device, if tools name it by that (`/dev/disk/by-id`).
const HARDWARE_IDS: [&str; 10] =
    ["ata-", "scsi-", "wwn-", "nvme-", "virtio-", "usb-", "mmc-", "ieee1394-", "eui.", "naa."];
/// Major numbers of `devM-N`, as `sar` writes a disk, each with the minor numbers that a disk has: of SCSI (the second row from the 129th disk on), IDE, Xen, DASD, MMC,
/// and of controllers and network block devices.
const HARDWARE_MAJORS: [(RangeInclusive<u32>, u32); 17] = [
    (8..=8, 16),
    (65..=71, 16),
    (128..=135, 16),
    (3..=3, 64),
    (22..=22, 64),
    (33..=34, 64),
    (56..=57, 64),
    (88..=91, 64),
    (202..=202, 16),
    (94..=94, 4),
    (179..=179, 8),
    (104..=111, 16),
    (72..=79, 16),
    (48..=55, 8),
    (43..=43, 32),
    (152..=152, 16),
    (259..=259, 0),
];
/// Of mapped devices: loop devices, DRBD, PowerPath, VxVM and VxDMP, ZFS volumes.
const MAPPED_MAJORS: [u32; 6] = [7, 147, 120, 199, 201, 230];
/// Prefix of the id of the sum of a group of disks; its name follows.
pub const GROUP: &str = "group-";
/// The id of all volumes of an EC2 instance together.
pub const ALL_VOLUMES: &str = "ebs";
/// The id of all data disks of an Azure virtual machine together, if the query did not separate them.
pub const ALL_LUNS: &str = "azure-data";
const ARRAY_MAJOR: u32 = 9;
const NO_STORAGE_MAJORS: [u32; 3] = [1, 2, 11];

/// The lowest disks of one host, each once. If only mapped devices are known, arrays count before device-mapper devices, which usually lie on them.
pub fn own_disks(disks: Vec<Subject>) -> Vec<Subject> {
    let lowest = lowest(&disks.iter().collect::<Vec<_>>());
    lowest.into_iter().map(|at| disks[at].clone()).collect()
}

/// Disks of one host that do not count because people named them: nothing says whether they lie on the others.
pub fn unknown_disks(disks: &[Subject]) -> Vec<Subject> {
    let all: Vec<&Subject> = disks.iter().collect();
    let own = lowest(&all);
    let names: BTreeSet<&str> =
        disks.iter().flat_map(|disk| [disk.name.as_str(), disk.id.as_str()]).collect();
    let is_hardware = own.first().is_some_and(|at| layer(all[*at], &names) == Layer::Hardware);
    let is_unknown = |disk: &&&Subject| {
        let has_parent = parents(&disk.name).iter().any(|parent| names.contains(parent.as_str()));
        is_hardware && !has_parent && layer(disk, &names) == Layer::Other
    };
    all.iter().filter(is_unknown).map(|disk| (*disk).clone()).collect()
}

/// The indexes of those disks; of databases if there is no disk.
pub fn lowest(disks: &[&Subject]) -> Vec<usize> {
    let names: BTreeSet<&str> =
        disks.iter().flat_map(|disk| [disk.name.as_str(), disk.id.as_str()]).collect();
    let has_luns = disks.iter().any(|disk| is_lun(disk));
    let has_volumes = disks.iter().any(|disk| is_volume(disk));
    let is_part = |disk: &Subject| {
        let mut parents = parents(&disk.name).into_iter().chain(parents(&disk.id));
        let is_sum = (has_luns && disk.id == ALL_LUNS) || (has_volumes && disk.id == ALL_VOLUMES);
        disk.kind == Kind::Disk && (is_sum || parents.any(|parent| names.contains(parent.as_str())))
    };
    // Of a part none.
    let layers: Vec<Option<Layer>> =
        disks.iter().map(|disk| (!is_part(disk)).then(|| layer(disk, &names))).collect();
    let Some(lowest) = layers.iter().copied().flatten().min() else { return Vec::new() };
    (0..).zip(layers).filter(|(_, layer)| *layer == Some(lowest)).map(|(at, _)| at).collect()
}

/// A data disk of a virtual machine of Azure.
fn is_lun(disk: &Subject) -> bool {
    disk.kind == Kind::Disk && is_numbered(&disk.name, &["lun"])
}

/// A volume of EBS.
fn is_volume(disk: &Subject) -> bool {
    disk.kind == Kind::Disk && disk.name.starts_with("vol-")
}

fn layer(disk: &Subject, names: &BTreeSet<&str>) -> Layer {
    let is_mapped = MAPPED_IDS.iter().any(|id| disk.id.starts_with(id) || disk.name.starts_with(id));
    let name = disk.name.replace('!', "/");
    // An identity that is none of a mapped device is one of hardware, whatever it is called.
    let is_sum = disk.id.starts_with(GROUP) || [ALL_LUNS, ALL_VOLUMES].contains(&disk.id.as_str());
    let has_identity = !disk.id.is_empty() && !disk.id.starts_with("part") && !is_sum;
    if disk.kind == Kind::Database {
        Layer::Database
    } else if disk.kind != Kind::Disk {
        Layer::Hardware
    } else if (name == "ALL" && disk.id.is_empty()) || disk.id.starts_with(GROUP) {
        Layer::Sum
    } else if is_numbered(&name, &["md", "md_", "md/"])
        || numbers(&name).is_some_and(|(major, _)| major == ARRAY_MAJOR)
    {
        Layer::Array
    } else if is_mapped || is_numbered(&name, &MAPPED) {
        Layer::Mapped
    } else if is_numbered(&name, &NOTHING) {
        Layer::Nothing
    } else if let Some((major, _)) = numbers(&name) {
        of_major(major)
    } else if has_identity || is_hardware(&name, names) {
        Layer::Hardware
    } else {
        Layer::Other
    }
}

/// Virtual disks and mapped devices share the dynamically assigned numbers; next to disks with a number of their own they are taken for mapped.
fn of_major(major: u32) -> Layer {
    match major {
        _ if MAPPED_MAJORS.contains(&major) => Layer::Mapped,
        _ if NO_STORAGE_MAJORS.contains(&major) => Layer::Nothing,
        _ if HARDWARE_MAJORS.iter().any(|(known, _)| known.contains(&major)) => Layer::Hardware,
        _ => Layer::Other,
    }
}

fn is_hardware(name: &str, names: &BTreeSet<&str>) -> bool {
    let is_first = |rest: &str| rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let is_lettered = |kind: &&str| match letters(name, kind) {
        // The kernel gives three letters to a host that has used up those of two.
        Some(MOST_LETTERS) => names.iter().any(|other| letters(other, kind) == Some(MOST_LETTERS - 1)),
        Some(_) => true,
        None => false,
    };
    LETTERED.iter().any(is_lettered)
        || NUMBERED.iter().filter_map(|kind| name.strip_prefix(kind)).any(is_first)
        || is_namespace(name)
        || HARDWARE_IDS.iter().any(|id| name.starts_with(id))
}

/// Number of letters after a kind in the name of a disk or its partition, `sdaa1`; `None` if no disk of the kind has such a name.
fn letters(name: &str, kind: &str) -> Option<usize> {
    let rest = name.strip_prefix(kind)?;
    let of_disk = rest.trim_end_matches(|sign: char| sign.is_ascii_digit());
    // No partition has a number that begins with 0.
    let is_disk = (1..=MOST_LETTERS).contains(&of_disk.len())
        && of_disk.bytes().all(|byte| byte.is_ascii_lowercase())
        && !rest[of_disk.len()..].starts_with('0');
    is_disk.then_some(of_disk.len())
}

/// `nvme0n1`, its partition, or a path to it, `nvme0c1n1`; also `nvme0` of tools that name the controller.
fn is_namespace(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("nvme").and_then(behind_digits) else { return false };
    let behind = rest.strip_prefix('c').map_or(Some(rest), behind_digits);
    behind.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('n').and_then(behind_digits).is_some())
}

/// The text after the leading digits; `None` without any.
fn behind_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// One of these and a number, such as `dm-0`; also a partition of it, `loop0p1`.
fn is_numbered(name: &str, kinds: &[&str]) -> bool {
    let is_number = |rest: &str| {
        let (number, part) = rest.split_once('p').unwrap_or((rest, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(number) && digits(part)
    };
    kinds.iter().filter_map(|kind| name.strip_prefix(kind)).any(is_number)
}

/// The numbers of `dev8-16`.
pub fn numbers(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Possible names of the disk whose partition, or whose path, has this name.
fn parents(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    if stem.len() < name.len() && !stem.is_empty() {
        if let Some(disk) = ["-part", "_part", "p"].iter().find_map(|word| stem.strip_suffix(word)) {
            found.push(disk.to_owned());
        }
        // `nvme0n1` is no partition of `nvme0n`, and dm-1 none of dm-.
        if stem.ends_with(|sign: char| sign.is_ascii_lowercase()) {
            found.push(stem.to_owned());
        }
    }
    // `part1-mpath-3600..` is what stays of a partition of a mapped device.
    if let Some((number, disk)) = name.strip_prefix("part").and_then(|rest| rest.split_once('-')) {
        found.extend(number.bytes().all(|byte| byte.is_ascii_digit()).then(|| disk.to_owned()));
    }
    // A path to a namespace of NVMe, whose I/O the namespace counts.
    if let Some((controller, rest)) = name.strip_prefix("nvme").and_then(|rest| rest.split_once('c')) {
        found.extend(rest.split_once('n').map(|(_, namespace)| format!("nvme{controller}n{namespace}")));
    }
    if let Some((major, minor)) = numbers(name) {
        let each =
            HARDWARE_MAJORS.iter().find(|(known, _)| known.contains(&major)).map_or(0, |(_, each)| *each);
        if each > 0 && minor % each != 0 {
            found.push(format!("dev{major}-{}", minor / each * each));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(names: &[&str]) -> Vec<String> {
        let disks = names.iter().map(|name| Subject::disk(name, "")).collect();
        own_disks(disks).into_iter().map(|disk| disk.name).collect()
    }

    #[test]
    fn what_lies_on_another_does_not_count_beside_it() {
        for (all, own) in [
            // Partitions of every naming.
            (&["sda", "sda1", "sda15", "sdb"][..], &["sda", "sdb"][..]),
            (&["nvme0n1", "nvme0n1p1", "nvme0n1p10", "nvme1n1"], &["nvme0n1", "nvme1n1"]),
            (&["mmcblk0", "mmcblk0p2", "mmcblk0boot0"], &["mmcblk0", "mmcblk0boot0"]),
            (&["vda", "vda1", "xvdb", "xvdb1", "dasda", "dasda1"], &["vda", "xvdb", "dasda"]),
            (
                &["cciss/c0d0", "cciss/c0d0p1", "nbd0", "nbd0p1", "rbd1", "rbd1p1"],
                &["cciss/c0d0", "nbd0", "rbd1"],
            ),
            (&["dev8-0", "dev8-1", "dev8-16", "dev8-31", "dev65-0"], &["dev8-0", "dev8-16", "dev65-0"]),
            // The 129th disk of SCSI and later ones, a controller, and what is made of disks.
            (
                &[
                    "dev8-0",
                    "dev128-0",
                    "dev128-1",
                    "dev135-240",
                    "dev104-0",
                    "dev104-1",
                    "dev120-0",
                    "dev199-5",
                    "dev230-16",
                ],
                &["dev8-0", "dev128-0", "dev135-240", "dev104-0"],
            ),
            (&["wwn-0x5", "wwn-0x5-part1", "ata-D", "ata-D-part2"], &["wwn-0x5", "ata-D"]),
            // Names that people or clouds gave, and the sum of them; it counts where it is alone.
            (&["ALL", "lun0", "lun1", "os"], &["lun0", "lun1", "os"]),
            (&["ALL", "dm-0", "dm-1"], &["dm-0", "dm-1"]),
            (&["ALL"], &["ALL"]),
            (&["vol-0a1", "vol-0b2", "nvme1n1", "nvme2n1"], &["nvme1n1", "nvme2n1"]),
            // AIX, whose disks of PowerPath lie on others.
            (&["hdisk0", "hdisk12", "hdiskpower3"], &["hdisk0", "hdisk12"]),
            // Names that people gave to what lies on disks, though they begin as those of disks.
            (&["sda", "sdb", "sdata", "sdredo1", "vdata", "hdata01", "fiodata", "vdo0"], &["sda", "sdb"]),
            (&["nvme0n1", "nvme0n1p1", "nvme1data"], &["nvme0n1"]),
            (&["sda", "sdaa", "sdaaa", "vdaa", "xvdba"], &["sda", "sdaa", "sdaaa", "vdaa", "xvdba"]),
            (&["sdata", "dm-0"], &["sdata"]),
            // Disks of others beside that of the system.
            (&["sda", "scinia", "scinib", "dm-0"], &["sda", "scinia", "scinib"]),
            (
                &["sda", "ublkb0", "ublkb0p1", "rnbd0", "dcssblk0", "nullb0"],
                &["sda", "ublkb0", "rnbd0", "dcssblk0", "nullb0"],
            ),
            // Paths of one namespace.
            (&["nvme0n1", "nvme0c0n1", "nvme0c1n1"], &["nvme0n1"]),
            // Made of others: mapped, arrays, files, memory, groups.
            (&["sda", "dm-0", "dm-1", "md0", "md127", "bcache0", "drbd1"], &["sda"]),
            (&["nvme0n1", "loop0", "loop1", "zram0", "ram0", "sr0", "fd0"], &["nvme0n1"]),
            (&["sda", "sdb", "vg0-data", "mpatha", "ALL", "data"], &["sda", "sdb"]),
            (&["dev8-0", "dev253-0", "dev9-127", "dev7-0", "dev252-3"], &["dev8-0"]),
            // Without the disks below, the lowest that is known.
            (&["dm-0", "md0", "md0p1", "loop3"], &["md0"]),
            (&["dm-0", "dm-1", "zram0"], &["dm-0", "dm-1"]),
            (&["vg0-data", "vg0-redo", "zram0"], &["vg0-data", "vg0-redo"]),
            (&["dev253-0", "dev253-16"], &["dev253-0", "dev253-16"]),
            (&["zram0"], &["zram0"]),
            // A partition is one beside its disk only.
            (&["xvda1", "xvda2", "xvdb"], &["xvda1", "xvda2", "xvdb"]),
            (&["sda1", "sda2"], &["sda1", "sda2"]),
            (&["dev8-1", "dev8-2"], &["dev8-1", "dev8-2"]),
            (&[], &[]),
        ] {
            assert_eq!(counting(all), own, "{all:?}");
        }
    }

    #[test]
    fn disks_with_names_that_people_gave_are_told_where_they_do_not_count() {
        for (all, unknown) in [
            (
                &["sda", "sdredo", "dm-0", "sda1", "mpatha", "dev253-0"][..],
                &["sdredo", "mpatha", "dev253-0"][..],
            ),
            (&["vol1", "vol2"], &[]),
            (&["sda", "md0", "loop0", "zram0"], &[]),
        ] {
            let disks: Vec<Subject> = all.iter().map(|name| Subject::disk(name, "")).collect();
            let found: Vec<String> = unknown_disks(&disks).into_iter().map(|disk| disk.name).collect();
            assert_eq!(found, unknown, "{all:?}");
        }
    }

    #[test]
    fn what_stays_of_a_disk_says_what_it_is() {
        let own = |all: &[(&str, &str)]| {
            let disks = all.iter().map(|(name, id)| Subject::disk(name, id)).collect();
            own_disks(disks).into_iter().map(|disk| disk.name).collect::<Vec<_>>()
        };
        assert_eq!(own(&[("sda", "wwn-1"), ("vg0-data", "LVM-x1"), ("mpatha", "mpath-36")]), ["sda"]);
        assert_eq!(own(&[("mpatha", "mpath-36"), ("mpatha1", "part1-mpath-36")]), ["mpatha"]);
        assert_eq!(own(&[("odd7", "wwn-7"), ("sda", "wwn-1")]), ["odd7", "sda"]);
        assert_eq!(
            own(&[("data", ALL_LUNS), ("lun0", ""), ("lun11", ""), ("os", "")]),
            ["lun0", "lun11", "os"]
        );
        assert_eq!(own(&[("data", ALL_LUNS), ("os", "")]), ["data", "os"]);
        assert_eq!(own(&[("ebs", ALL_VOLUMES), ("instance-store", "")]), ["ebs", "instance-store"]);
        assert_eq!(
            own(&[("ebs", ALL_VOLUMES), ("vol-0a1", ""), ("instance-store", "")]),
            ["vol-0a1", "instance-store"]
        );
        assert_eq!(
            own(&[("data", "group-data"), ("dm-0", ""), ("dm-1", "")]),
            ["dm-0", "dm-1"],
            "a group of them"
        );
        assert_eq!(own(&[("data", "group-data"), ("redo", "group-redo")]), ["data", "redo"]);
        assert_eq!(own(&[("data", ""), ("lun0", "")]), ["data", "lun0"], "names that people gave");
        let database = Subject::named(Kind::Database, "md1");
        assert_eq!(
            own_disks(vec![database.clone()]),
            std::slice::from_ref(&database),
            "a name is all that it has in common"
        );
        let [all, memory] = ["ALL", "zram0"].map(|name| Subject::disk(name, ""));
        assert_eq!(own_disks(vec![database.clone(), all.clone()]), [all]);
        assert_eq!(own_disks(vec![memory, database.clone()]), [database]);
    }
}
