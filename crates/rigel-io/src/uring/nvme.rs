//! NVMe commands to a namespace. They bypass filesystem, page cache, and splitting and merging by the block layer.
//!
//! Since Linux 5.19 the kernel accepts them on the generic character device of the namespace (`/dev/ng0n1`), through a ring
//! with entries of double size. Must send only reads and writes; none waits to be durable (`Request::check`).

use super::wire::{Names, Wire, region};
use crate::backend::Op;
use crate::buffers::Memory;
use crate::slots::{Slots, outcome};
use crate::tag;
use crate::targets::{Namespace, OpenTargets};
use io_uring::{cqueue, opcode, squeue};
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::load::workload::Direction;
use rigel_core::units::Bytes;

/// `NVME_URING_CMD_IO` of <linux/nvme_ioctl.h>: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
const URING_COMMAND_IO: u32 = 0xc048_4e80;
/// Opcodes of the NVM command set (NVM Express NVM Command Set Specification, figure "Opcodes for I/O Commands").
const OPCODE_WRITE: u8 = 0x01;
const OPCODE_READ: u8 = 0x02;

/// The kernel's limit on registered buffers (IORING_MAX_REG_BUFFERS).
const MOST_REGIONS: usize = 1 << 14;
/// 64 pages; drives take 127 segments and more.
const LARGEST_FIXED: u32 = 256 << 10;

#[derive(Clone, Copy, Debug)]
struct Place {
    namespace: u32,
    /// Logarithm to base 2 of the bytes of a logical block.
    block_shift: u32,
}

/// Read and write commands.
#[derive(Debug)]
pub struct NvmeCommands {
    places: Box<[Place]>,
}

impl NvmeCommands {
    /// Commands to these targets; `None` if one of them has no namespace.
    pub(super) fn to(targets: &OpenTargets) -> Option<Self> {
        let place =
            |namespace: &Namespace| Place { namespace: namespace.id, block_shift: namespace.block_shift };
        let places: Option<Box<[Place]>> =
            targets.iter().map(|target| target.namespace().map(place)).collect();
        Some(Self { places: places? })
    }
}

impl Wire for NvmeCommands {
    type Submission = squeue::Entry128;
    type Completion = cqueue::Entry32;
    const KIND: EngineKind = EngineKind::Nvme;
    const MOVES_DATA: bool = true;

    /// One region per slot. Kernels up to Linux 6.11 count all pages from a buffer to the end of its region as segments of
    /// the command, and refuse more segments than the device takes. A small region per buffer keeps the count low.
    fn fixed_buffers(slots: &Slots, facts: &mut EngineFacts) -> Vec<libc::iovec> {
        let all: Vec<Memory> = (0..slots.count()).map(|slot| slots.memory(slot)).collect();
        if all.len() > MOST_REGIONS || all.iter().any(|memory| memory.bytes > LARGEST_FIXED) {
            facts.notes.push(format!(
                "buffers are not registered with the kernel, which costs some CPU time: NVMe commands \
                 support at most {MOST_REGIONS} of {}",
                Bytes(LARGEST_FIXED.into())
            ));
            return Vec::new();
        }
        all.iter().map(|memory| region(memory.start, memory.bytes as usize)).collect()
    }

    #[inline]
    fn submission(&self, op: &Op, memory: Memory, names: &Names) -> squeue::Entry128 {
        let command = command(op, &self.places[usize::from(op.target)], memory);
        let region = names.fixed_buffers.then_some(op.slot);
        let entry = opcode::UringCmd80::new(names.file(op), URING_COMMAND_IO).cmd(command).buf_index(region);
        entry.build().flags(names.file_flags).user_data(tag::of(op))
    }

    /// 0 is success: a command moves all its bytes or fails. A negative result is an errno, a positive one the error status
    /// of the controller.
    #[inline]
    fn outcome(result: i32, len: u32) -> Result<u32, i32> {
        match result {
            0 => Ok(len),
            status if status > 0 => Err(libc::EIO),
            errno => outcome(i64::from(errno)),
        }
    }
}

/// `struct nvme_uring_cmd` of <linux/nvme_ioctl.h>, 72 bytes, in the 80 that an entry has for it.
#[inline]
fn command(op: &Op, place: &Place, memory: Memory) -> [u8; 80] {
    let opcode = match op.direction {
        Direction::Read => OPCODE_READ,
        Direction::Write => OPCODE_WRITE,
    };
    let block = op.offset >> place.block_shift;
    let [block_low, block_high] = [block & u64::from(u32::MAX), block >> 32].map(low);
    // The field holds the number of blocks minus 1. `Request::check` and the plan ensure at least one block.
    let blocks = (op.len >> place.block_shift).wrapping_sub(1);
    let mut bytes = [0; 80];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &[opcode]);
    put(4, &place.namespace.to_ne_bytes());
    put(24, &(memory.start.as_ptr() as u64).to_ne_bytes());
    put(36, &op.len.to_ne_bytes());
    // Command double words 10 to 12.
    put(40, &block_low.to_ne_bytes());
    put(44, &block_high.to_ne_bytes());
    put(48, &blocks.to_ne_bytes());
    bytes
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the caller has masked or shifted it to 32 bits")]
const fn low(half: u64) -> u32 {
    half as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::Sync;
    use std::ptr::NonNull;

    #[test]
    fn a_command_byte_by_byte() {
        let memory = Memory { start: NonNull::dangling(), bytes: 8192, region: 0 };
        let address = memory.start.as_ptr() as u64;
        let op = Op {
            slot: 3,
            target: 0,
            direction: Direction::Read,
            offset: 0x0102_0304_0506_0000,
            len: 8192,
            sync: Sync::None,
        };
        let bytes = command(&op, &Place { namespace: 7, block_shift: 9 }, memory);
        let number = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(bytes[..4], [2, 0, 0, 0], "opcode, flags, reserved");
        assert_eq!(number(4), 7);
        assert_eq!(bytes[8..24], [0; 16], "no metadata");
        assert_eq!(u64::from_ne_bytes(bytes[24..32].try_into().unwrap()), address);
        assert_eq!((number(32), number(36)), (0, 8192), "bytes of metadata, of data");
        // 0x0102_0304_0506_0000 / 512 is 0x8101_8202_8300.
        assert_eq!((number(40), number(44)), (0x8202_8300, 0x8101));
        assert_eq!(number(48), 15, "16 blocks, counted from 0");
        assert_eq!(bytes[52..], [0; 28], "no time-out, nothing reserved is set");
        let write = Op { direction: Direction::Write, ..op };
        assert_eq!(command(&write, &Place { namespace: 7, block_shift: 12 }, memory)[0], 1);
    }

    #[test]
    fn results_become_outcomes() {
        assert_eq!(NvmeCommands::outcome(0, 8192), Ok(8192));
        assert_eq!(NvmeCommands::outcome(0x281, 8192), Err(libc::EIO), "unrecovered read error");
        assert_eq!(NvmeCommands::outcome(-libc::EINVAL, 8192), Err(libc::EINVAL));
    }
}
