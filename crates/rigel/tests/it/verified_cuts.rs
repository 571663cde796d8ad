//! Verified blocks and losses of power: a device that keeps what it flushed is never accused, one that lies about flushes is found.

use rigel_core::load::draw::Generator;
use rigel_core::load::volume::Place;
use rigel_core::verify::block::{self, BLOCK_BYTES};
use rigel_core::verify::{Diagnosis, Journal, Passes, Positions, Progress, check};
use rigel_testdev::{AlignedBytes, DeviceSpec, TestDevice, needs, open_direct};
use std::fs::File;

const SLOTS: u64 = 64;
const CUTS: u64 = 60;

/// A writer of verified blocks with its journal, on a file.
struct Writer {
    file: File,
    seed: u64,
    passes: Passes,
    progress: Progress,
    journal: Journal,
    /// Every write below is durable, by what the device says.
    flushed: u64,
    buffer: AlignedBytes,
}

impl Writer {
    fn new(device: &TestDevice, seed: u64) -> Self {
        Self {
            file: open_direct(device.disk()).unwrap(),
            seed,
            passes: Passes::new(SLOTS, seed),
            progress: Progress::new(SLOTS, SLOTS),
            journal: Journal::new(SLOTS, Positions::default(), 16),
            flushed: 0,
            buffer: AlignedBytes::zeroed(BLOCK_BYTES),
        }
    }

    fn place(&self, slot: u64) -> Place {
        Place { target: 0, offset: slot * BLOCK_BYTES as u64 }
    }

    fn flush(&mut self) {
        self.file.sync_data().unwrap();
        self.flushed = self.progress.over_below();
    }

    /// Writes the next block, or makes ready that it can be written.
    fn step(&mut self) {
        if !self.journal.admits(self.progress.begun()) {
            match self.journal.due(self.progress.begun(), self.flushed) {
                Some(line) => self.journal.wrote(line),
                None => self.flush(),
            }
            return;
        }
        let number = self.progress.begin().unwrap();
        let place = self.place(self.passes.slot(number));
        block::fill(self.seed, place, self.passes.generation(number), &mut self.buffer);
        assert_eq!(rustix::io::pwrite(&self.file, &self.buffer, place.offset), Ok(BLOCK_BYTES));
        self.progress.end(number);
    }

    /// What is wrong after the power was cut, by the journal alone.
    fn wrong(mut self) -> Vec<Diagnosis> {
        let journal = self.journal.written();
        let mut wrong = Vec::new();
        for slot in 0..SLOTS {
            let (place, expected) = (self.place(slot), self.passes.after_cut(slot, journal));
            assert_eq!(rustix::io::pread(&self.file, &mut self.buffer[..], place.offset), Ok(BLOCK_BYTES));
            wrong.extend(check(self.seed, place, expected, &self.buffer).err());
        }
        wrong
    }
}

/// Writes, flushes and cuts the power at a random moment.
fn cut(device: &TestDevice, seed: u64, lie: u8) -> Vec<Diagnosis> {
    device.command(&format!("clear\ncache 0\ncache 1\nlie {lie}")).unwrap();
    let mut writer = Writer::new(device, seed);
    let mut draw = Generator::new(seed, &[]);
    for _ in 0..100 + draw.below(300) {
        if draw.below(12) == 0 { writer.flush() } else { writer.step() }
    }
    let survives = ["", " 7 512", " 7 4096"][usize::try_from(seed % 3).unwrap()];
    device.command(&format!("power-cut{survives}")).unwrap();
    writer.wrong()
}

#[test]
fn a_device_that_keeps_what_it_flushed_is_never_accused() {
    let name = "a_device_that_keeps_what_it_flushed_is_never_accused";
    let spec = DeviceSpec { size_bytes: SLOTS * BLOCK_BYTES as u64, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    for seed in 0..CUTS {
        assert_eq!(cut(&device, seed, 0), [], "seed {seed}");
    }
    assert!(device.gauge().unwrap().dropped_sectors > CUTS, "the cuts took something away");
}

#[test]
fn a_device_that_lies_about_flushes_is_found_by_every_cut() {
    let name = "a_device_that_lies_about_flushes_is_found_by_every_cut";
    let spec = DeviceSpec { size_bytes: SLOTS * BLOCK_BYTES as u64, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    for seed in 0..CUTS {
        assert!(!cut(&device, seed, 1).is_empty(), "seed {seed}");
    }
}
