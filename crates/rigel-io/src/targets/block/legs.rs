//! The legs of mirrors, as the kernel reports them: arrays of its RAID driver and mirrored logical volumes. Only legs in sync are given, and none
//! while the kernel itself copies from one to the other, because then they must differ. Must not open a leg.

use super::Block;
use crate::system::{System, numbered, text, value};
use rigel_core::error::Problem;
use rigel_core::facts::copies::{Place, Strip};
use rigel_core::path_text;
use std::path::{Path, PathBuf};

const SECTOR_BYTES: u64 = 512;

/// The positions of the copies of a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legs {
    /// The devices of the legs.
    pub disks: Vec<PathBuf>,
    /// The contents, with the positions of the copies.
    pub strips: Vec<Strip>,
}

/// The legs of an array of level 1 (`/dev/md0`). `root` is `/`, or a tree that looks like one.
///
/// # Errors
/// When it is not such an array, it is being synchronised, or it has fewer than two legs in sync.
pub fn legs_of_array(root: &Path, array: &Path) -> Result<Legs, Problem> {
    let system = System::at(root);
    let place = path_text::encode(array);
    let real = if system.is_this_host() {
        array.canonicalize().unwrap_or_else(|_| array.to_owned())
    } else {
        array.to_owned()
    };
    let block = Block::by_path(&system.sys, &real).ok_or_else(|| {
        Problem::refused("there is no such block device")
            .at(place.as_str())
            .next("see /proc/mdstat for the arrays")
    })?;
    let refused = |what: String| Problem::refused(what).at(place.as_str());
    let Some(level) = block.text("md/level") else {
        return Err(refused("this is not an array of the kernel's RAID driver".into())
            .next("see /proc/mdstat for the arrays"));
    };
    if level != "raid1" {
        return Err(refused(format!("the array has level {level}, but only raid1 has identical legs"))
            .next("for other levels: echo check > /sys/block/mdN/md/sync_action, then read mismatch_cnt"));
    }
    let action = block.text("md/sync_action").unwrap_or_default();
    if ["resync", "recover", "repair", "reshape"].contains(&action.as_str()) {
        return Err(refused(format!("the kernel is syncing the legs ({action})"))
            .because("until it finishes, differences mean nothing")
            .next("wait until /proc/mdstat shows no progress"));
    }
    // After an unclean stop an array waits with that for its first write, and says idle.
    if block.text("md/resync_start").is_some_and(|start| start != "none") {
        return Err(refused("the legs are not in sync yet".to_owned())
            .because("the array was not stopped cleanly, and the kernel starts syncing at its first write")
            .next("mdadm --readwrite DEVICE starts it; wait until /proc/mdstat shows no progress"));
    }
    let mut members = array_members(&block);
    members.sort_by_key(|member| member.slot);
    let bytes = block.value::<u64>("size").and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)).unwrap_or(0);
    let segment = (0, bytes, members.into_iter().map(|member| (member.name, member.offset)).collect());
    legs_of(&place, vec![segment])
}

struct Member {
    slot: u32,
    name: String,
    offset: u64,
}

/// The members in sync.
fn array_members(block: &Block) -> Vec<Member> {
    let entries = std::fs::read_dir(block.dir.join("md")).into_iter().flatten().flatten();
    let member = |dir: PathBuf| {
        dir.file_name()?.to_str()?.strip_prefix("dev-")?;
        let in_sync = text(&dir.join("state"))?.split(',').any(|word| word == "in_sync");
        let (slot, sectors) = (value(&dir.join("slot"))?, value::<u64>(&dir.join("offset"))?);
        let leg = Block::at(&dir.join("block"))?;
        in_sync.then_some(Member { slot, name: leg.name, offset: sectors.checked_mul(SECTOR_BYTES)? })
    };
    entries.filter_map(|entry| member(entry.path())).collect()
}

/// The legs of a logical volume, by its name `VG/LV`. `root` as in [`legs_of_array`].
///
/// # Errors
/// When there is no such volume, it is not a mirror, or its legs are not in sync.
pub fn legs_of_volume(root: &Path, volume: &str) -> Result<Legs, Problem> {
    let system = System::at(root);
    let place = path_text::printable(volume).into_owned();
    let names = volume
        .split_once('/')
        .filter(|(group, name)| !group.is_empty() && !name.is_empty() && !name.contains('/'));
    let (group, name) = names.ok_or_else(|| {
        Problem::usage("this is not the name of a logical volume")
            .at(place.as_str())
            .next("give VG/LV, as lvs shows them")
    })?;
    // The device mapper joins both with a dash, and doubles the dashes inside of them.
    let mapped = format!("{}-{}", group.replace('-', "--"), name.replace('-', "--"));
    let block = numbered(&system.sys.join("block"), "dm-").into_iter().find_map(|(_, dir)| {
        let block = Block::at(&dir)?;
        (block.text("dm/name")? == mapped).then_some(block)
    });
    let Some(block) = block else {
        return Err(Problem::refused("there is no such active logical volume")
            .at(place)
            .next("see `lvs`; activate it with lvchange -ay"));
    };
    let facts = super::mapper::facts(&block, mapped, &system);
    if facts.table.is_empty() {
        return Err(Problem::refused("the table of the volume cannot be read")
            .at(place)
            .because("only root may query the device mapper")
            .next("run as root"));
    }
    let mut segments = Vec::new();
    for (index, line) in facts.table.iter().enumerate() {
        let status = facts.status.get(index).map(String::as_str).unwrap_or_default();
        segments.push(segment(&system, line, status).map_err(|problem| problem.at(place.as_str()))?);
    }
    legs_of(&place, segments)
}

/// First byte, bytes, and the device and first byte of each leg.
type Segment = (u64, u64, Vec<(String, u64)>);

fn segment(system: &System, table: &str, status: &str) -> Result<Segment, Problem> {
    let words: Vec<&str> = table.split(' ').collect();
    let &[begin, len, kind, ref parameters @ ..] = words.as_slice() else {
        return Err(Problem::refused("the table of the volume cannot be parsed"));
    };
    let bytes =
        |sectors: &str| sectors.parse::<u64>().ok().and_then(|sectors| sectors.checked_mul(SECTOR_BYTES));
    let state: Vec<&str> = status.split(' ').skip(3).collect();
    let (devices, in_sync) = match (kind, parameters.first()) {
        ("raid", Some(&"raid1")) => (raid_devices(parameters), raid_in_sync(&state)),
        ("mirror", _) => (mirror_devices(parameters), mirror_in_sync(&state)),
        _ => {
            return Err(Problem::refused(format!(
                "the volume is not a mirror: part of it has the type {kind}"
            ))
            .next("only volumes of the types raid1 and mirror have legs (lvs -o +segtype)"));
        }
    };
    if !in_sync {
        return Err(Problem::refused("the legs of the volume are not in sync")
            .because("the kernel is syncing them, or one has failed; until then they differ")
            .next("see the columns Cpy%Sync and Health of `lvs -a -o +lv_health_status`"));
    }
    let leg = |(device, offset): (String, u64)| {
        let (major, minor) = device.split_once(':')?;
        let block = Block::by_number(&system.sys, (major.parse().ok()?, minor.parse().ok()?))?;
        Some((block.name, offset.checked_mul(SECTOR_BYTES)?))
    };
    let legs = devices.into_iter().filter_map(leg).collect();
    match (bytes(begin), bytes(len)) {
        (Some(begin), Some(len)) => Ok((begin, len, legs)),
        _ => Err(Problem::refused("the table of the volume cannot be parsed")),
    }
}

/// `raid1 3 0 region_size 1024 2 253:3 253:4 253:5 253:6`: pairs of metadata and data.
fn raid_devices(parameters: &[&str]) -> Vec<(String, u64)> {
    let options = parameters.get(1).and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let pairs = parameters.get(options.saturating_add(3)..).unwrap_or_default();
    pairs.chunks_exact(2).filter(|pair| pair[1] != "-").map(|pair| (pair[1].to_owned(), 0)).collect()
}

/// `raid1 2 AA 2097152/2097152 idle 0 0 -`
fn raid_in_sync(state: &[&str]) -> bool {
    let health = state.get(2).is_some_and(|health| health.chars().all(|leg| leg == 'A'));
    health
        && state.get(3).is_some_and(is_whole)
        && state.get(4).is_none_or(|action| ["idle", "check"].contains(action))
}

/// `core 2 1024 nosync 2 253:1 0 253:2 0 1 handle_errors`: a log with its arguments, then devices with their first sectors.
fn mirror_devices(parameters: &[&str]) -> Vec<(String, u64)> {
    let number = |at: usize| parameters.get(at).and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let at = number(1).saturating_add(2);
    let pairs = parameters.get(at.saturating_add(1)..).unwrap_or_default().chunks_exact(2).take(number(at));
    pairs.filter_map(|pair| Some((pair[0].to_owned(), pair[1].parse().ok()?))).collect()
}

/// `2 253:1 253:2 450/500 1 AA 3 disk 253:0 A`
fn mirror_in_sync(state: &[&str]) -> bool {
    let count = state.first().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let health =
        state.get(count.saturating_add(3)).is_some_and(|health| health.chars().all(|leg| leg == 'A'));
    health && state.get(count.saturating_add(1)).is_some_and(is_whole)
}

fn is_whole(share: &&str) -> bool {
    share.split_once('/').is_some_and(|(done, all)| done == all)
}

fn legs_of(place: &str, mut segments: Vec<Segment>) -> Result<Legs, Problem> {
    segments.sort();
    let mut disks: Vec<String> = Vec::new();
    let mut strips = Vec::new();
    for (_, len, legs) in segments {
        if legs.len() < 2 {
            return Err(Problem::refused("there is nothing to compare: fewer than two legs are in sync")
                .at(place)
                .next("see /proc/mdstat or lvs -a for the state of the other legs"));
        }
        let mut copies = Vec::new();
        for (name, offset) in legs {
            let known = disks.iter().position(|disk| *disk == name).unwrap_or_else(|| {
                disks.push(name.clone());
                disks.len() - 1
            });
            copies.push(Place { disk: u16::try_from(known).unwrap_or(u16::MAX), offset });
        }
        strips.push(Strip { len, copies, of: None });
    }
    let disks = disks.iter().map(|name| Path::new("/dev").join(path_text::decode(name))).collect();
    Ok(Legs { disks, strips })
}

#[cfg(test)]
mod tests;
