//! One mapping of memory for buffers: explicit huge pages, transparent ones, or normal pages, in this order.
//!
//! Must not know slots.

use super::layout::HUGE_BYTES;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use std::io;
use std::ptr::{self, NonNull};

/// Zeroed memory that belongs to this value alone, aligned to a huge page.
#[derive(Debug)]
pub(super) struct Arena {
    start: NonNull<u8>,
    used_bytes: usize,
    /// The start of the whole mapping, guard pages included, and its length.
    mapping: (NonNull<u8>, usize),
    explicit: bool,
    leaked: bool,
}

impl Arena {
    /// Maps at least `bytes`, in whole huge pages.
    pub(super) fn map(bytes: usize) -> io::Result<Self> {
        let arena = match map_explicit(bytes) {
            Some(arena) => arena,
            None => map_transparent(bytes)?,
        };
        // A forked child must not share these pages: with copy-on-write the device could write to the child's copy. A
        // refusal loses only this protection.
        // SAFETY: the range lies in a mapping of ours; the advice changes nothing for this process.
        let _ = unsafe { madvise(arena.start.as_ptr().cast(), arena.mapped_bytes(), Advice::LinuxDontFork) };
        Ok(arena)
    }

    /// Maps at least `bytes` in normal pages, adjacent to the other memory of the process: thousands of such arenas make few mappings.
    pub(super) fn map_pages(bytes: usize) -> io::Result<Self> {
        // SAFETY: a new private mapping at an address of the kernel's choice disturbs no other memory.
        let start = unsafe {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            mmap_anonymous(ptr::null_mut(), bytes, access, MapFlags::PRIVATE)?
        };
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let arena =
            Self { start, used_bytes: bytes, mapping: (start, bytes), explicit: false, leaked: false };
        // As in `map`.
        // SAFETY: the range is the mapping just made; the advice changes nothing for this process.
        let _ = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxDontFork) };
        Ok(arena)
    }

    /// The first byte. The pointer is valid for [`Self::used_bytes`] bytes while the arena lives.
    pub(super) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The requested size.
    pub(super) const fn used_bytes(&self) -> usize {
        self.used_bytes
    }

    /// The requested size, rounded up to whole huge pages.
    pub(super) const fn mapped_bytes(&self) -> usize {
        self.used_bytes.next_multiple_of(HUGE_BYTES)
    }

    /// Whether these are explicit huge pages.
    pub(super) const fn explicit(&self) -> bool {
        self.explicit
    }

    /// All its bytes, for the fill.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the range is mapped readable and writable and was zeroed by the kernel, so it holds valid bytes. It
        // belongs to this arena, and the exclusive borrow excludes every other reference made here. Pointers for the
        // kernel are made only after the fill (`Buffers::new`).
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.used_bytes) }
    }

    /// Keeps the memory mapped until the process ends, because the kernel may still write to it.
    pub(super) const fn leak(&mut self) {
        self.leaked = true;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.leaked {
            return;
        }
        let (start, bytes) = self.mapping;
        // SAFETY: this arena made the mapping, and nothing else unmaps it. No reference into it outlives the owner of the
        // arena, and an owner with I/O in flight calls `leak` first.
        let _ = unsafe { munmap(start.as_ptr().cast(), bytes) };
    }
}

/// Explicit huge pages, if enough of them are free.
fn map_explicit(bytes: usize) -> Option<Arena> {
    let mapped_bytes = bytes.next_multiple_of(HUGE_BYTES);
    let flags = MapFlags::PRIVATE | MapFlags::HUGETLB | MapFlags::HUGE_2MB;
    // SAFETY: a new private mapping at an address of the kernel's choice disturbs no other memory.
    let start =
        unsafe { mmap_anonymous(ptr::null_mut(), mapped_bytes, ProtFlags::READ | ProtFlags::WRITE, flags) };
    let start = NonNull::new(start.ok()?.cast::<u8>())?;
    let arena =
        Arena { start, used_bytes: bytes, mapping: (start, mapped_bytes), explicit: true, leaked: false };
    // Pages are reserved, but a cgroup or a NUMA policy may still refuse them, and then the first touch would raise SIGBUS.
    // Populating reports this as an error instead. EINVAL: Linux before 5.14 does not know this advice.
    // SAFETY: the range is the mapping just made; populating it does not change its contents.
    match unsafe { madvise(start.as_ptr().cast(), mapped_bytes, Advice::LinuxPopulateWrite) } {
        Ok(()) | Err(rustix::io::Errno::INVAL) => Some(arena),
        Err(_) => None,
    }
}

/// Normal memory, aligned and sized for huge pages, with advice to the kernel to use transparent huge pages.
fn map_transparent(bytes: usize) -> io::Result<Arena> {
    let inner_bytes = bytes.next_multiple_of(HUGE_BYTES);
    // Inaccessible pages on both sides keep the kernel from merging this mapping with a neighbour, so that its entry in
    // smaps is about this arena only. They also catch accesses beyond an end.
    let outer_bytes = inner_bytes + 2 * HUGE_BYTES;
    // SAFETY: a new private mapping at an address of the kernel's choice disturbs no other memory.
    let outer =
        unsafe { mmap_anonymous(ptr::null_mut(), outer_bytes, ProtFlags::empty(), MapFlags::PRIVATE)? };
    let outer = NonNull::new(outer.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
    // At least 4096 and at most one huge page beyond the start, so that `inner_bytes` fit before the end.
    let offset = HUGE_BYTES - outer.addr().get() % HUGE_BYTES;
    // SAFETY: `offset + inner_bytes` is below `outer_bytes`, so this stays inside of the mapping.
    let start = unsafe { outer.add(offset) };
    let mapping = (outer, outer_bytes);
    // From here on, dropping the arena unmaps it.
    let arena = Arena { start, used_bytes: bytes, mapping, explicit: false, leaked: false };
    // SAFETY: the range lies inside of the mapping just made, which nothing uses yet.
    unsafe {
        mprotect(start.as_ptr().cast(), inner_bytes, MprotectFlags::READ | MprotectFlags::WRITE)?;
        // A kernel without transparent huge pages refuses this; then the pages are normal ones.
        let _ = madvise(start.as_ptr().cast(), inner_bytes, Advice::LinuxHugepage);
    }
    Ok(arena)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_is_aligned_zeroed_and_writable() {
        for bytes in [4096, HUGE_BYTES, HUGE_BYTES + 4096] {
            let mut arena = Arena::map(bytes).unwrap();
            assert_eq!(arena.start().addr().get() % HUGE_BYTES, 0);
            let memory = arena.bytes_mut();
            assert_eq!(memory.len(), bytes);
            assert!(memory.iter().all(|byte| *byte == 0));
            memory.fill(1);
        }
    }
}
