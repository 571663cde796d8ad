//! A limit on I/Os per second or on bytes per second that is the same for all I/O sizes.
//!
//! A device spends time on each I/O and on each byte. So on a device without a limit, small I/Os reach a higher
//! rate and large ones a higher bandwidth. A maximum that is equal for very different sizes is a limit. Must not be
//! fed with points of different shares of writes.

use crate::sample::median;

/// Rates behind one limit differ by no more, either way.
const EQUAL: f64 = 0.02;
/// Noise may lift a rate so far above them.
const ABOVE: f64 = 0.04;
/// Sizes are far apart when they differ by this factor.
const APART: f64 = 4.0;
/// Sizes are alike when they differ by no more.
const ALIKE: f64 = 2.0;
/// Points with small I/Os, and with large ones, that must be at the limit.
const LEAST_POINTS: usize = 2;
/// Unloaded, a large I/O takes this many times a small one, or more.
const TAKES_LONGER: f64 = 1.5;

/// The load of one point, both classes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// I/Os per second.
    pub ios_per_s: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
}

impl Load {
    fn size(&self) -> f64 {
        self.bytes_per_s / self.ios_per_s
    }
}

/// Points of different sizes at one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedLimit {
    /// What all of them have: I/Os or bytes per second.
    pub limit: f64,
    /// How many points.
    pub points: usize,
    /// The smallest mean size of an I/O among them, in bytes.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
}

/// A limit of bytes per second: the highest bandwidth is the same, within 2 %, for points whose I/Os differ in size by
/// a factor of four and more. That is a link or a quota.
pub fn byte_limit(loads: &[Load]) -> Option<SharedLimit> {
    shared(loads, |load| load.bytes_per_s)
}

/// A limit of I/Os per second, in the same way. `quickest_ns` are the latencies of small and of large I/Os without
/// waiting. Equal rates are evidence only if these differ.
pub fn io_limit(loads: &[Load], quickest_ns: [f64; 2]) -> Option<SharedLimit> {
    let [small, large] = quickest_ns;
    shared(loads, |load| load.ios_per_s).filter(|_| large >= TAKES_LONGER * small)
}

/// The largest group of points within 2 % of one of them, with nothing far above it, if its sizes are far apart.
fn shared(loads: &[Load], rate: impl Fn(&Load) -> f64) -> Option<SharedLimit> {
    let loads = loads.iter().filter(|load| load.ios_per_s > 0.0 && load.bytes_per_s > 0.0);
    let loads: Vec<(f64, f64)> = loads.map(|load| (rate(load), load.size())).collect();
    let top = loads.iter().map(|&(rate, _)| rate).fold(0.0, f64::max);
    let near = |&(centre, _): &(f64, f64)| -> Vec<(f64, f64)> {
        loads.iter().copied().filter(|(rate, _)| (rate / centre - 1.0).abs() <= EQUAL).collect()
    };
    let at_top = loads.iter().filter(|(rate, _)| rate * (1.0 + ABOVE) >= top);
    let group = at_top.map(near).max_by_key(Vec::len)?;
    let sizes = || group.iter().map(|&(_, size)| size);
    let found = SharedLimit {
        limit: median(&group.iter().map(|&(rate, _)| rate).collect::<Vec<_>>()),
        points: group.len(),
        smallest: sizes().fold(f64::INFINITY, f64::min),
        largest: sizes().fold(0.0, f64::max),
    };
    let small = sizes().filter(|&size| size <= ALIKE * found.smallest).count();
    let large = sizes().filter(|&size| size >= APART * found.smallest).count();
    (small >= LEAST_POINTS && large >= LEAST_POINTS).then_some(found)
}
