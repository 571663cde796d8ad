//! What becomes of bytes between a request and the store: they are damaged, go astray, come late, or wait in a volatile cache.
//!
//! Without traps and without a cache this is the store itself. It must not know of time: late is after this many requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cache::{Cache, SECTOR_BYTES, Sector, Survives};
use crate::store::{InitialContents, Store};
use crate::traps::{Mischief, Trap, TrapEffect, Traps};

/// What the medium is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Trap(Trap),
    /// Writes wait in a volatile cache from now on, or what waits is stored and none does.
    Cache(bool),
    /// Flushes and durable writes are answered and make nothing durable.
    Lie(bool),
    PowerCut(Survives),
}

/// What the medium did, since the last reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deeds {
    /// By kind.
    pub(crate) injected: [u64; Mischief::KINDS],
    /// Sectors that were lost with the power.
    pub(crate) dropped_sectors: u64,
    /// Traps that were not sprung yet.
    pub(crate) armed: u64,
}

/// A write that is stored later.
#[derive(Debug)]
struct LateWrite {
    /// Requests that still come before it.
    after: u64,
    offset_bytes: u64,
    data: Vec<u8>,
    durable: bool,
}

#[derive(Debug, Default)]
struct Trouble {
    traps: Traps,
    late: Vec<LateWrite>,
    cache: Option<Cache>,
    lies: bool,
    /// What sectors held before their last write; kept while a trap needs it.
    before: HashMap<u64, Sector>,
    deeds: Deeds,
}

/// The store with what can go wrong in front of it.
#[derive(Debug)]
pub(crate) struct Medium {
    store: Store,
    /// Something of `trouble` is there; else requests pass it by.
    is_troubled: AtomicBool,
    trouble: Mutex<Trouble>,
    /// How often the power was cut.
    cuts: AtomicU64,
}

impl Medium {
    pub(crate) fn new(size_bytes: u64, unwritten: InitialContents) -> Self {
        Self {
            store: Store::new(size_bytes, unwritten),
            is_troubled: AtomicBool::new(false),
            trouble: Mutex::default(),
            cuts: AtomicU64::new(0),
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// How often the power was cut: a request that saw another number on its way was lost.
    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::SeqCst)
    }

    /// Hands the bytes of a range to `use_bytes`, clipped at the end of the device.
    pub(crate) fn with_range<R>(
        &self,
        offset_bytes: u64,
        length_bytes: usize,
        scratch: &mut Vec<u8>,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> R {
        if !self.is_troubled.load(Ordering::SeqCst) {
            return self.store.with_range(offset_bytes, length_bytes, scratch, use_bytes);
        }
        let mut trouble = self.lock();
        trouble.come(&self.store);
        let mut bytes = trouble.read(&self.store, offset_bytes, length_bytes);
        trouble.grow_stale(offset_bytes, &mut bytes);
        drop(trouble);
        use_bytes(&bytes)
    }

    /// Takes a write; `durable`: the answer will say that it is. Returns [`Medium::cuts`] of that moment.
    pub(crate) fn write(&self, offset_bytes: u64, data: &[u8], durable: bool) -> u64 {
        if self.is_troubled.load(Ordering::SeqCst) {
            let mut trouble = self.lock();
            trouble.come(&self.store);
            trouble.write(&self.store, offset_bytes, data, durable);
            return self.cuts();
        }
        self.store.write(offset_bytes, data);
        self.cuts()
    }

    /// Makes durable what was written.
    pub(crate) fn flush(&self) {
        let mut trouble = self.lock();
        if !trouble.lies {
            trouble.flush(&self.store);
        }
    }

    pub(crate) fn obey(&self, order: &Order) {
        let mut trouble = self.lock();
        match order {
            Order::Trap(trap) => trouble.traps.set(trap.clone()),
            Order::Lie(lies) => trouble.lies = *lies,
            Order::Cache(true) => {
                trouble.cache.get_or_insert_default();
            }
            Order::Cache(false) => {
                trouble.flush(&self.store);
                trouble.cache = None;
            }
            Order::PowerCut(survives) => {
                trouble.lose_power(&self.store, *survives);
                self.cuts.fetch_add(1, Ordering::SeqCst);
            }
        }
        self.is_troubled.store(trouble.is_there(), Ordering::SeqCst);
    }

    /// Forgets traps and lies, and stores what is late. A cache stays.
    pub(crate) fn clear(&self) {
        let mut trouble = self.lock();
        trouble.traps.clear();
        trouble.before.clear();
        trouble.lies = false;
        trouble.late.iter_mut().for_each(|late| late.after = 1);
        trouble.come(&self.store);
        self.is_troubled.store(trouble.is_there(), Ordering::SeqCst);
    }

    pub(crate) fn deeds(&self) -> Deeds {
        let trouble = self.lock();
        Deeds { armed: trouble.traps.len() as u64, ..trouble.deeds.clone() }
    }

    /// Counts from zero again.
    pub(crate) fn reset(&self) {
        self.lock().deeds = Deeds::default();
    }

    fn lock(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trouble {
    fn is_there(&self) -> bool {
        self.traps.len() > 0 || !self.late.is_empty() || self.cache.is_some() || self.lies
    }

    /// A request comes: what was to wait for it is stored.
    fn come(&mut self, store: &Store) {
        self.late.iter_mut().for_each(|late| late.after = late.after.saturating_sub(1));
        let (due, rest): (Vec<LateWrite>, Vec<LateWrite>) =
            std::mem::take(&mut self.late).into_iter().partition(|late| late.after == 0);
        self.late = rest;
        for late in due {
            self.put(store, late.offset_bytes, &late.data, late.durable);
        }
    }

    fn write(&mut self, store: &Store, offset_bytes: u64, data: &[u8], durable: bool) {
        let Some(TrapEffect { mischief, first_byte }) = self.traps.meet(false, offset_bytes, data.len())
        else {
            return self.put(store, offset_bytes, data, durable);
        };
        self.deeds.injected[mischief.kind().1] += 1;
        let from_first =
            |number: u64| first_byte.saturating_add(usize::try_from(number).unwrap_or(usize::MAX));
        match mischief {
            Mischief::Flip(byte) => {
                let mut data = data.to_vec();
                let last = data.len().saturating_sub(1);
                if let Some(byte) = data.get_mut(from_first(byte).min(last)) {
                    *byte ^= 0x10;
                }
                self.put(store, offset_bytes, &data, durable);
            }
            Mischief::Torn(sectors) => {
                let kept = from_first(sectors.saturating_mul(SECTOR_BYTES as u64)).min(data.len());
                self.put(store, offset_bytes, &data[..kept], durable);
            }
            Mischief::Misdirect(bytes) => {
                let offset_bytes = offset_bytes.saturating_add(bytes) % store.size_bytes().max(1);
                self.put(store, offset_bytes, data, durable);
            }
            Mischief::Zero => self.put(store, offset_bytes, &vec![0; data.len()], durable),
            Mischief::Delay(requests) => {
                let after = requests.saturating_add(1);
                self.late.push(LateWrite { after, offset_bytes, data: data.to_vec(), durable });
            }
            Mischief::Lost | Mischief::Stale => {}
        }
    }

    /// Stores bytes where they are to go, or leaves them in the cache.
    fn put(&mut self, store: &Store, offset_bytes: u64, data: &[u8], durable: bool) {
        if self.traps.wait_for_reads() {
            for number in Cache::sectors(offset_bytes, data.len()) {
                let held = self.sector(store, number);
                self.before.insert(number, held);
            }
        }
        let Some(cache) = &mut self.cache else {
            return store.write(offset_bytes, data);
        };
        cache.write(offset_bytes, data, |number| stored(store, number));
        if durable && !self.lies {
            keep(store, cache.take(offset_bytes, data.len()));
        }
    }

    fn read(&self, store: &Store, offset_bytes: u64, length_bytes: usize) -> Vec<u8> {
        let mut bytes = store.with_range(offset_bytes, length_bytes, &mut Vec::new(), <[u8]>::to_vec);
        if let Some(cache) = &self.cache {
            cache.cover(offset_bytes, &mut bytes);
        }
        bytes
    }

    fn sector(&self, store: &Store, number: u64) -> Sector {
        let bytes = self.read(store, number * SECTOR_BYTES as u64, SECTOR_BYTES);
        bytes.first_chunk().copied().unwrap_or([0; SECTOR_BYTES])
    }

    /// Makes bytes that were read older, if all of them were written since a trap was set, and it is sprung.
    fn grow_stale(&mut self, offset_bytes: u64, bytes: &mut [u8]) {
        let older: Option<Vec<(u64, Sector)>> = Cache::sectors(offset_bytes, bytes.len())
            .map(|number| Some((number, *self.before.get(&number)?)))
            .collect();
        let Some(older) = older.filter(|older| !older.is_empty()) else { return };
        if self.traps.meet(true, offset_bytes, bytes.len()).is_none() {
            return;
        }
        self.deeds.injected[Mischief::Stale.kind().1] += 1;
        let mut before = Cache::default();
        for (number, sector) in older {
            before.write(number * SECTOR_BYTES as u64, &sector, |_| sector);
        }
        before.cover(offset_bytes, bytes);
        if !self.traps.wait_for_reads() {
            self.before.clear();
        }
    }

    fn flush(&mut self, store: &Store) {
        if let Some(cache) = &mut self.cache {
            keep(store, cache.take_all());
        }
    }

    fn lose_power(&mut self, store: &Store, survives: Survives) {
        self.late.clear();
        self.before.clear();
        if let Some(cache) = &mut self.cache {
            let (kept, dropped) = cache.lose_power(survives);
            keep(store, kept);
            self.deeds.dropped_sectors += dropped;
        }
    }
}

fn stored(store: &Store, number: u64) -> Sector {
    store.with_range(number * SECTOR_BYTES as u64, SECTOR_BYTES, &mut Vec::new(), |bytes| {
        bytes.first_chunk().copied().unwrap_or([0; SECTOR_BYTES])
    })
}

fn keep(store: &Store, sectors: impl IntoIterator<Item = (u64, Sector)>) {
    for (number, sector) in sectors {
        store.write(number * SECTOR_BYTES as u64, &sector);
    }
}

#[cfg(test)]
mod tests;
