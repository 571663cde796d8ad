//! Shared memory of System V, which outlives the processes that made it.
//!
//! Must not remove a segment except the one that matches every detail.

use crate::system::System;
use std::fs;
use std::ptr;

/// A segment of a program that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The name that its maker gave it.
    pub key: i32,
    /// The number that the kernel gave it.
    pub id: i32,
    /// The process that made it.
    pub maker: i32,
    /// The user whom it belongs to.
    pub owner: u32,
}

impl Segment {
    /// Removes it, if it exists with all of these properties; returns whether that was done. Memory in use stays until
    /// its last user has ended.
    pub fn remove(&self) -> bool {
        let table = fs::read_to_string(System::default().proc.join("sysvipc/shm")).unwrap_or_default();
        if !self.is_in(&table) {
            return false;
        }
        // SAFETY: IPC_RMID only takes the number, and looks at no buffer.
        unsafe { libc::shmctl(self.id, libc::IPC_RMID, ptr::null_mut()) == 0 }
    }

    /// A line has key, id, rights, size, maker, last user, how many use it, then the user (proc_sysvipc(5)).
    fn is_in(&self, table: &str) -> bool {
        let numbers = |line: &str| -> Vec<i64> {
            line.split_whitespace().map_while(|word| word.parse().ok()).collect()
        };
        table.lines().map(numbers).any(|line| {
            let at = |place: usize| line.get(place).copied();
            at(0) == Some(self.key.into())
                && at(1) == Some(self.id.into())
                && at(4) == Some(self.maker.into())
                && at(7) == Some(self.owner.into())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{getpid, getuid};

    #[test]
    fn only_the_segment_that_is_described_is_removed() {
        let maker = getpid().as_raw_nonzero().get();
        // A key that nobody else has by chance.
        let key = 0x5269_0000 | (maker & 0xffff);
        // SAFETY: it takes numbers only, and the segment is never mapped.
        let id = unsafe { libc::shmget(key, 56, libc::IPC_CREAT | libc::IPC_EXCL | 0o600) };
        assert!(id >= 0, "{}", std::io::Error::last_os_error());
        let ours = Segment { key, id, maker, owner: getuid().as_raw() };
        let others = [
            Segment { key: key ^ 1, ..ours },
            Segment { id: id ^ 1, ..ours },
            Segment { maker: 1, ..ours },
            Segment { owner: ours.owner ^ 1, ..ours },
        ];
        assert_eq!(others.map(|other| other.remove()), [false; 4]);
        assert!(ours.remove(), "it is there until now");
        assert!(!ours.remove(), "and gone");
    }

    #[test]
    fn a_key_may_be_negative() {
        let table = "       key      shmid perms                  size  cpid  lpid nattch   uid\n\
            -268435455     491563   600                    56  5044  5044      0   104   106\n";
        let segment = Segment { key: -268_435_455, id: 491_563, maker: 5044, owner: 104 };
        assert!(segment.is_in(table) && !Segment { id: 1, ..segment }.is_in(table));
    }
}
