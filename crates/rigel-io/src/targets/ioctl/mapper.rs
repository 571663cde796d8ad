//! Tables and states of device-mapper devices, from its control device. Must not change a device.

use rustix::ioctl::{self, Updater, opcode};
use rustix::{fs, io};
use std::os::fd::BorrowedFd;

/// `struct dm_ioctl` of <linux/dm-ioctl.h>, the head of every request to the device mapper.
#[repr(C)]
#[derive(Default)]
struct MapperHeader {
    version: [u32; 3],
    /// Bytes of the header and the space after it.
    data_size: u32,
    data_start: u32,
    target_count: u32,
    _open_count: i32,
    flags: u32,
    _event: [u32; 2],
    device: u64,
    _name_and_uuid: [[u64; 11]; 3],
}

// The structure is part of the kernel's interface and has 312 bytes.
const _: () = assert!(size_of::<MapperHeader>() == 312);
const DM_TABLE_STATUS: ioctl::Opcode = opcode::read_write::<MapperHeader>(0xfd, 12);
const DM_STATUS_TABLE: u32 = 1 << 4;
const DM_BUFFER_FULL: u32 = 1 << 8;
const DM_NOFLUSH: u32 = 1 << 11;
/// The kernel clears its own copy of the answer.
const DM_SECURE_DATA: u32 = 1 << 15;
const MAPPER_ROOM: usize = 64 << 10;
/// `struct dm_target_spec`: two numbers of 64 bits, two of 32, and the kind in 16 bytes.
const SPEC_BYTES: usize = 40;

#[repr(C)]
struct MapperQuestion {
    header: MapperHeader,
    room: [u8; MAPPER_ROOM],
}

const _: () = assert!(size_of::<MapperQuestion>() == 312 + 65536);

#[derive(Debug)]
pub(crate) struct MapperTarget {
    pub begin_sectors: u64,
    pub len_sectors: u64,
    pub kind: String,
    /// Parameters of its table, or its state.
    pub parameters: Vec<u8>,
}

/// The table of a device-mapper device, or the state of its targets with `status`. A table may hold a key, which the caller
/// must not keep.
pub(crate) fn mapper_targets(
    control: BorrowedFd<'_>,
    (major, minor): (u32, u32),
    status: bool,
) -> io::Result<Vec<MapperTarget>> {
    let header = MapperHeader {
        version: [4, 0, 0],
        data_size: 312 + 65536,
        data_start: 312,
        flags: DM_NOFLUSH | DM_SECURE_DATA | if status { 0 } else { DM_STATUS_TABLE },
        device: fs::makedev(major, minor),
        ..MapperHeader::default()
    };
    let mut question = Box::new(MapperQuestion { header, room: [0; MAPPER_ROOM] });
    // SAFETY: DM_TABLE_STATUS reads the header and writes as many bytes as its `data_size` says, which is the size of
    // the structure (checked below); any bytes are valid in it.
    unsafe { ioctl::ioctl(control, Updater::<DM_TABLE_STATUS, MapperQuestion>::new(&mut question)) }?;
    if question.header.flags & DM_BUFFER_FULL != 0 {
        return Err(io::Errno::OVERFLOW);
    }
    let start = usize::try_from(question.header.data_start).ok().and_then(|start| start.checked_sub(312));
    let answer = start.and_then(|start| question.room.get(start..)).unwrap_or_default();
    let targets = mapper_specs(answer, question.header.target_count);
    Ok(targets)
}

/// Each specification holds the offset of the next one, counted from the first. Its parameters follow it and end with a
/// zero byte.
fn mapper_specs(answer: &[u8], count: u32) -> Vec<MapperTarget> {
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let Some((spec, rest)) = answer.get(at..).and_then(|rest| rest.split_at_checked(SPEC_BYTES)) else {
            break;
        };
        let word = |from: usize| {
            spec.get(from..from + 8).and_then(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?)))
        };
        let text = |bytes: &[u8]| bytes.split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
        let (Some(begin_sectors), Some(len_sectors)) = (word(0), word(8)) else { break };
        let kind = String::from_utf8_lossy(&text(&spec[24..])).into_owned();
        found.push(MapperTarget { begin_sectors, len_sectors, kind, parameters: text(rest) });
        let next = spec.get(20..24).and_then(|bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?)));
        match next.and_then(|next| usize::try_from(next).ok()) {
            Some(next) if next > at => at = next,
            _ => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(begin: u64, len: u64, next: u32, kind: &[u8], parameters: &[u8], room: usize) -> Vec<u8> {
        let mut bytes = [begin.to_ne_bytes(), len.to_ne_bytes()].concat();
        bytes.extend([0; 4]);
        bytes.extend(next.to_ne_bytes());
        bytes.extend(kind);
        bytes.resize(SPEC_BYTES, 0);
        bytes.extend(parameters);
        bytes.resize(room, 0);
        bytes
    }

    #[test]
    fn targets_follow_each_other() {
        let answer =
            [spec(0, 8, 64, b"linear", b"8:0 2048", 64), spec(8, 16, 128, b"striped", b"2 128", 64)].concat();
        let found = mapper_specs(&answer, 2);
        let seen: Vec<(u64, u64, &str, &[u8])> = found
            .iter()
            .map(|t| (t.begin_sectors, t.len_sectors, t.kind.as_str(), t.parameters.as_slice()))
            .collect();
        assert_eq!(seen, [(0, 8, "linear", &b"8:0 2048"[..]), (8, 16, "striped", b"2 128")]);
    }

    /// The kernel is trusted with memory, but not with arithmetic.
    #[test]
    fn an_answer_that_makes_no_sense_ends() {
        assert!(mapper_specs(&[0; 39], 1).is_empty());
        assert!(mapper_specs(&[], u32::MAX).is_empty());
        let loops = spec(0, 8, 0, b"linear", b"", 64);
        assert_eq!(mapper_specs(&loops, u32::MAX).len(), 1);
        let far = spec(0, 8, u32::MAX, b"linear", b"", 64);
        assert_eq!(mapper_specs(&far, 2).len(), 1);
    }
}
