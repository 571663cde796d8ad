//! A simulated device as text: `servers=4,service=1ms,between=2%`.
//!
//! `docs/method/simulated-device.md` has the same table for users. Must not judge values; [`SimLaw::check`] does.

use super::noise::{Bucket, Cliff, DelayedIos, Fall, Hits, Memory, Modes, Neighbour, Ppm, Stalls, Startup};
use super::{CacheLevel, Region, ServiceTime, SimLaw, SlowTarget};
use crate::units::{Bytes, NS_PER_S, Nanos};
use std::fmt::Display;
use std::str::FromStr;

const KEYS: &str = "servers, service, rate, flush, spread, size, targets, slow, slope, region, white, noise, neighbour, stalls, fall, drift, process, \
                    between, unequal, modes, startup, bucket, cap, cliff, hits, cache, cache2, lost, retrograde";

const MEMORY: &str = "ar:TIME:DEVIATION, such as ar:1s:5%";

/// How long a lost I/O takes when no time is given.
const LOST_NS: u64 = 10 * NS_PER_S;
/// The credits of a bandwidth limit are this many parts of a second when no bytes are given.
const CAP_PARTS: u64 = 10;

impl SimLaw {
    /// Reads `servers=4,service=1ms,rate=1000M,spread=exponential,size=1G,between=2%`; what is left out keeps its
    /// default. `rate=0` means no transfer time.
    ///
    /// # Errors
    /// A sentence that names the part that cannot be read or is out of its limits.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut law = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("'{part}' is not KEY=VALUE"))?;
            // Checked after each part, so that the sentence is about the one that broke a limit.
            let set = law.set(key, value).and_then(|()| law.check());
            set.map_err(|reason| format!("'{part}': {reason}"))?;
        }
        law.targets.check_slow()?;
        Ok(law)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "servers" => self.servers = count(value)?,
            "service" => self.service_ns = time(value)?,
            "rate" => self.bytes_per_s = Some(bytes(value)?).filter(|&rate| rate > 0),
            "flush" => self.flush_ns = time(value)?,
            "size" => self.size_bytes = bytes(value)?,
            "spread" => self.spread = spread(value)?,
            "targets" => self.targets.count = count(value)?,
            "slow" => {
                let [number, factor] = fields(value, "TARGET:FACTOR, such as 3:0.5")?;
                self.targets.slow = Some(SlowTarget { number: count(number)?, factor: ratio(factor)? });
            }
            "cache" => self.caches.first = Some(cache(value)?),
            "cache2" => self.caches.second = Some(cache(value)?),
            "slope" => self.by_place.slope = ratio(value)?,
            "region" => {
                let [factor, from, to] = fields(value, "FACTOR:FROM:TO, such as 0.5:40%:60%")?;
                let (factor, from, to) = (ratio(factor)?, ratio(from)?, ratio(to)?);
                self.by_place.region = Some(Region { factor, from, to });
            }
            _ => return self.set_speed(key, value),
        }
        Ok(())
    }

    /// What changes the speed over time or between visits.
    fn set_speed(&mut self, key: &str, value: &str) -> Result<(), String> {
        let noise = &mut self.noise;
        match key {
            "white" => noise.white = ratio(value)?,
            "noise" => match fields(value, MEMORY)? {
                ["ar", tau, sd] => noise.memory = Some(Memory { tau_ns: time(tau)?, sd: ratio(sd)? }),
                _ => return Err(format!("must be {MEMORY}")),
            },
            "neighbour" => {
                let [level, on, off] = fields(value, "LEVEL:ON:OFF, such as 0.7:10s:30s")?;
                let (level, on_ns, off_ns) = (ratio(level)?, time(on)?, time(off)?);
                noise.neighbour = Some(Neighbour { level, on_ns, off_ns });
            }
            "stalls" => {
                let [per_s, mean] = fields(value, "PER_SECOND:TIME, such as 0.2:100ms")?;
                noise.stalls = Some(Stalls { per_s: ratio(per_s)?, mean_ns: time(mean)? });
            }
            "fall" => noise.fall = Some(fall(value)?),
            "drift" => noise.drift = ratio(value)?,
            "process" => noise.process = ratio(value)?,
            "between" => noise.between = ratio(value)?,
            "unequal" => noise.unequal = Some(ratio(value)?),
            "modes" => {
                let [share, factor] = fields(value, "SHARE:FACTOR, such as 30%:0.7")?;
                noise.modes = Some(Modes { share: ratio(share)?, factor: ratio(factor)? });
            }
            "startup" => {
                let [depth, tau] = fields(value, "DEPTH:TIME, such as -30%:300ms")?;
                noise.startup = Some(Startup { depth: ratio(depth)?, tau_ns: time(tau)? });
            }
            _ => return self.set_limit(key, value),
        }
        Ok(())
    }

    /// What limits or changes single I/Os.
    fn set_limit(&mut self, key: &str, value: &str) -> Result<(), String> {
        let noise = &mut self.noise;
        match key {
            "bucket" => {
                noise.bucket = Some(bucket(value)?);
            }
            "cap" => {
                let (per_s, credits) = optional(value, bytes, bytes)?;
                noise.cap = Some(Bucket::full(per_s, credits.unwrap_or(per_s.div_ceil(CAP_PARTS))));
            }
            "cliff" => {
                let [budget, factor] = fields(value, "BYTES:FACTOR, such as 1G:0.3")?;
                noise.cliff = Some(Cliff { bytes: bytes(budget)?, factor: ratio(factor)? });
            }
            "hits" => {
                let [share, service] = fields(value, "SHARE:TIME, such as 40%:40us")?;
                noise.hits = Some(Hits { share: ratio(share)?, service_ns: time(service)? });
            }
            "lost" => {
                let (every, delay) = optional(value, count, time)?;
                noise.lost = Some(DelayedIos { every, delay_ns: delay.unwrap_or(LOST_NS) });
            }
            "retrograde" => noise.retrograde = ratio(value)?,
            _ => return Err(format!("known are {KEYS}")),
        }
        Ok(())
    }
}

fn spread(value: &str) -> Result<ServiceTime, String> {
    match (value, value.split_once(':')) {
        ("constant", _) => Ok(ServiceTime::Constant),
        ("exponential", _) => Ok(ServiceTime::Exponential),
        (_, Some(("lognormal", cv))) => Ok(ServiceTime::Lognormal { cv: ratio(cv)? }),
        _ => Err("must be constant, exponential or lognormal:DEVIATION, such as lognormal:30%".into()),
    }
}

/// `0.33:12s:25s`, or without an end.
fn fall(value: &str) -> Result<Fall, String> {
    let (factor, from_ns, until_ns) = match value.split(':').collect::<Vec<_>>()[..] {
        [factor, from] => (ratio(factor)?, time(from)?, None),
        [factor, from, until] => (ratio(factor)?, time(from)?, Some(time(until)?)),
        _ => return Err("must be FACTOR:FROM or FACTOR:FROM:UNTIL, such as 0.33:12s:25s".into()),
    };
    Ok(Fall { factor, from_ns, until_ns })
}

/// `3000:30000`, or with the credits that it starts with.
fn bucket(value: &str) -> Result<Bucket, String> {
    match value.split(':').collect::<Vec<_>>()[..] {
        [per_s, credits] => Ok(Bucket::full(count(per_s)?, count(credits)?)),
        [per_s, credits, has] => {
            Ok(Bucket { at_start: Some(count(has)?), ..Bucket::full(count(per_s)?, count(credits)?) })
        }
        _ => {
            Err("must be IOS_PER_SECOND:CREDITS or IOS_PER_SECOND:CREDITS:AT_START, such as 3000:30000"
                .into())
        }
    }
}

fn cache(value: &str) -> Result<CacheLevel, String> {
    let [size, service] = fields(value, "SIZE:TIME, such as 256M:100us")?;
    Ok(CacheLevel { bytes: bytes(size)?, service_ns: time(service)? })
}

/// The fields between colons; exactly this many.
fn fields<'a, const N: usize>(value: &'a str, form: &str) -> Result<[&'a str; N], String> {
    let fields: Vec<&str> = value.split(':').collect();
    fields.try_into().map_err(|_| format!("must be {form}"))
}

/// One field, and perhaps a second one after a colon.
fn optional<A, B>(
    value: &str,
    first: impl Fn(&str) -> Result<A, String>,
    second: impl Fn(&str) -> Result<B, String>,
) -> Result<(A, Option<B>), String> {
    match value.split_once(':') {
        None => Ok((first(value)?, None)),
        Some((a, b)) => Ok((first(a)?, Some(second(b)?))),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    read::<Bytes>(text).map(|Bytes(bytes)| bytes)
}

fn time(text: &str) -> Result<u64, String> {
    read::<Nanos>(text).map(|Nanos(ns)| ns)
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn count<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not a whole number in range"))
}

/// `30%` or `0.3`, perhaps with a sign.
fn ratio(text: &str) -> Result<Ppm, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    // A per cent is ten thousand millionths.
    let decimals = if number.len() < text.len() { 4 } else { 6 };
    let unsigned = number.strip_prefix(['-', '+']).unwrap_or(number);
    let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let plain = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || part.len() > decimals || !plain(whole) || !plain(part) {
        return Err(format!("'{text}' is not a number such as 0.3 or 30%, with millionths at most"));
    }
    let sign = if number.starts_with('-') { "-" } else { "" };
    let ppm = format!("{sign}{whole}{part:0<decimals$}").parse();
    ppm.map(Ppm).map_err(|_| format!("'{text}' is too large"))
}
