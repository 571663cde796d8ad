//! What the kernel tells of a host, as files that may hold anything: gathered, counted and examined.

use crate::{outputs, tree};
use rigel_io::clock::MonotonicClock;
use rigel_io::survey::survey;
use rigel_io::witness::{Bottom, Sampler, WatchedDevices, counting_devices};
use rigel_uses::doctor::System;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let root = tempfile::tempdir().expect("a directory");
    tree::unpack(bytes, root.path());
    let found = survey(root.path());
    outputs::examined(&System::whole(&found.host, &found.devices, &found.mounts));
    let numbers: Vec<(u32, u32)> = found.devices.iter().filter_map(|device| device.number).collect();
    let counted = counting_devices(root.path(), &numbers).unwrap_or_default();
    let devices = WatchedDevices {
        on_top: counted.clone(),
        at_bottom: Bottom { devices: counted, nfs: vec!["/mnt".into()] },
    };
    let sampler = Sampler::start(root.path(), &devices, MonotonicClock::start()).expect("a thread");
    sampler.mark();
    drop(sampler.between(0, 0));
}
