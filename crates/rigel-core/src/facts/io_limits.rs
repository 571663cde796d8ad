//! The limits of control groups on I/O, read from their lines. Must not judge a rate.

use super::{CgroupFacts, DeviceFacts, TargetFacts};

/// What a control group allows on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoLimit<'a> {
    /// As the kernel writes it: `8:0 rbps=max wbps=max riops=500 wiops=max`.
    pub line: &'a str,
    device: &'a str,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedRate {
    /// Reads per second.
    Reads,
    /// Writes per second.
    Writes,
    /// Bytes read per second.
    BytesRead,
    /// Bytes written per second.
    BytesWritten,
}

impl LimitedRate {
    /// In words: `reads per second`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Reads => "reads per second",
            Self::Writes => "writes per second",
            Self::BytesRead => "bytes read per second",
            Self::BytesWritten => "bytes written per second",
        }
    }
}

impl<'a> IoLimit<'a> {
    /// The limited rates, without `max`.
    pub fn rates(&self) -> impl Iterator<Item = (LimitedRate, u64)> + use<'a> {
        let of_word = |word: &str| {
            let (key, value) = word.split_once('=')?;
            let rate = match key {
                "riops" => LimitedRate::Reads,
                "wiops" => LimitedRate::Writes,
                "rbps" => LimitedRate::BytesRead,
                "wbps" => LimitedRate::BytesWritten,
                _ => return None,
            };
            Some((rate, value.parse().ok()?))
        };
        self.line.split_whitespace().filter_map(of_word)
    }

    /// The device and its limits, without `max`: `8:0 riops=500`.
    pub fn told(&self) -> String {
        let words = self.line.split_whitespace().filter(|word| !word.ends_with("=max"));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl CgroupFacts {
    /// The limits on devices of these targets; all limits if no device is known.
    pub fn io_limits<'a>(&'a self, targets: &[TargetFacts]) -> Vec<IoLimit<'a>> {
        let mut numbers = Vec::new();
        let devices = |target: &TargetFacts| {
            let each = target.device.iter().chain(&target.below);
            each.for_each(|device| add(device, &mut numbers));
        };
        targets.iter().for_each(devices);
        let of_line = |line: &'a String| {
            let device = line.split(' ').next().unwrap_or_default();
            IoLimit { line, device }
        };
        let is_ours =
            |limit: &IoLimit<'_>| numbers.is_empty() || numbers.iter().any(|number| number == limit.device);
        let limits = self.io_max.iter().map(of_line).filter(is_ours);
        limits.filter(|limit| limit.rates().next().is_some()).collect()
    }
}

fn add(device: &DeviceFacts, numbers: &mut Vec<String>) {
    numbers.extend(device.number.map(|(major, minor)| format!("{major}:{minor}")));
    let below = device.loop_file.iter().flat_map(|file| &file.below);
    below.for_each(|below| add(below, numbers));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_limits_a_device_of_the_targets() {
        let group = CgroupFacts {
            io_max: vec![
                "8:0 rbps=1048576 wbps=max riops=500 wiops=max".to_owned(),
                "8:16 riops=7".to_owned(),
                "8:0 rbps=max wbps=max riops=max wiops=max".to_owned(),
            ],
            ..CgroupFacts::default()
        };
        let disk = DeviceFacts { number: Some((8, 0)), ..DeviceFacts::default() };
        let target = TargetFacts { device: Some(disk), ..TargetFacts::default() };
        let found = group.io_limits(&[target]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].told(), "8:0 rbps=1048576 riops=500");
        let rates: Vec<(LimitedRate, u64)> = found[0].rates().collect();
        assert_eq!(rates, [(LimitedRate::BytesRead, 1 << 20), (LimitedRate::Reads, 500)]);
        assert_eq!(group.io_limits(&[TargetFacts::default()]).len(), 2, "no device is known");
    }
}
