//! The command line of the daemon. It must not act on what it reads.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use crate::law::Law;
use crate::store::InitialContents;

/// How the daemon is called.
pub(crate) const USAGE: &str = "\
usage: rigel-testdev MOUNTPOINT --size BYTES [--servers C] [--service-us S] [--mbps B] [--exponential]
                     [--flush-us F] [--seed N] [--blank] [--die-with PID]
       rigel-testdev --fingerprint";

/// What the daemon was asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Print which source the daemon was built from.
    Fingerprint,
    /// Mount the device and serve it.
    Serve(Options),
}

/// The device to serve.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) mountpoint: PathBuf,
    pub(crate) size_bytes: u64,
    pub(crate) law: Law,
    pub(crate) seed: u64,
    pub(crate) unwritten: InitialContents,
    /// End when this process, our parent, ends.
    pub(crate) die_with: Option<u32>,
}

/// Understands the arguments after the program name; the error is one line without the usage.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Task, String> {
    let mut arguments = arguments.into_iter();
    let mut mountpoint = None;
    let mut size_bytes = 0;
    let mut law = Law::default();
    let mut seed = 0;
    let mut unwritten = InitialContents::Noise;
    let mut die_with = None;
    while let Some(argument) = arguments.next() {
        let mut number = || number_after(&argument, arguments.next());
        match argument.to_str() {
            Some("--fingerprint") => return Ok(Task::Fingerprint),
            Some("--size") => size_bytes = number()?,
            Some("--servers") => law.servers = fitting(number()?)?,
            Some("--service-us") => law.service_us = number()?,
            Some("--mbps") => law.mbps = NonZeroU64::new(number()?),
            Some("--exponential") => law.exponential = true,
            Some("--flush-us") => law.flush_us = number()?,
            Some("--blank") => unwritten = InitialContents::Zeros,
            Some("--seed") => seed = number()?,
            Some("--die-with") => die_with = Some(fitting(number()?)?),
            Some(option) if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ if mountpoint.is_some() => return Err(format!("a second mount point: {}", argument.display())),
            _ => mountpoint = Some(PathBuf::from(argument)),
        }
    }
    let mountpoint = mountpoint.ok_or("no mount point")?;
    if size_bytes == 0 || law.servers == 0 {
        return Err("--size is missing, or it or --servers is zero".to_owned());
    }
    Ok(Task::Serve(Options { mountpoint, size_bytes, law, seed, unwritten, die_with }))
}

fn number_after(option: &OsString, value: Option<OsString>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{} needs a number", option.display()))?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("{} needs a number, not {}", option.display(), value.display()))
}

fn fitting<T: TryFrom<u64>>(number: u64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("{number} is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn every_option_is_understood() {
        let line = "/mnt --size 1048576 --servers 4 --service-us 1000 --mbps 100 --exponential --flush-us 5 \
                    --seed 7 --blank --die-with 9";
        let mbps = NonZeroU64::new(100);
        let law = Law { servers: 4, service_us: 1000, mbps, exponential: true, flush_us: 5 };
        let mountpoint = PathBuf::from("/mnt");
        let unwritten = InitialContents::Zeros;
        let options = Options { mountpoint, size_bytes: 1 << 20, law, seed: 7, unwritten, die_with: Some(9) };
        assert_eq!(parsed(line), Ok(Task::Serve(options)));
        assert_eq!(parsed("--fingerprint"), Ok(Task::Fingerprint));
    }

    #[test]
    fn mistakes_are_refused() {
        for line in
            ["", "/mnt", "--size 1", "/mnt --size", "/mnt --size 1k", "/mnt --size 1 /a", "/mnt --size 1 -x"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
        assert!(parsed("/mnt --size 1 --servers 0").is_err());
        assert!(parsed("/mnt --size 1 --die-with 99999999999").is_err());
    }
}
