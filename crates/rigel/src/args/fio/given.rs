//! Values of fio's options, inserted into the examples of the sentences about them.
//!
//! Must not offer a value that Rigel would not read.

use super::table::OF_RW;
use super::{engine, level};
use rigel_core::path_text::{printable, shell_word};
use rigel_core::units::{Bytes, Nanos, count_of};

/// The option, the example of its sentence, and what a value makes of the example.
type Row = (&'static str, &'static str, fn(&str) -> Option<String>);

const VALUES: [Row; 19] = [
    ("bs", "--size-small / --size-large", |value| {
        let size = size(value)?;
        Some(format!("--size-small {size} / --size-large {size}"))
    }),
    ("blocksize", "--size-small / --size-large", |value| {
        let size = size(value)?;
        Some(format!("--size-small {size} / --size-large {size}"))
    }),
    ("iodepth", "--num-small / --num-large", |value| {
        let count = value.parse::<u32>().ok().filter(|count| *count > 0)?;
        Some(format!("--num-small {count} / --num-large {count}"))
    }),
    ("runtime", "60s", seconds),
    ("timeout", "60s", seconds),
    ("rw", OF_RW, |value| level(value).map(|told| format!("is the level here: {told}"))),
    ("readwrite", OF_RW, |value| level(value).map(|told| format!("is the level here: {told}"))),
    ("rwmixread", "--write 20", |value| Some(format!("--write {}", 100 - share(value)?))),
    ("rwmixwrite", "--write 20", |value| Some(format!("--write {}", share(value)?))),
    ("filename", "TARGET", |value| {
        Some(value.split(':').map(|path| shell_word(&printable(path))).collect::<Vec<_>>().join(" "))
    }),
    ("ioengine", "--engine", |value| Some(format!("--engine {}", own_engine(value)?))),
    ("size", "--scratch-size", |value| Some(format!("--scratch-size {}", size(value)?))),
    ("output", "--name for", |value| {
        let is_name =
            !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| format!("--name {value} for"))
    }),
    ("randseed", "--seed", |value| Some(format!("--seed {}", value.parse::<u32>().ok()?))),
    ("cpus_allowed", "--cpus", |value| {
        let is_list = value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'-'));
        is_list.then(|| format!("--cpus {value}"))
    }),
    ("rate_iops", "1000", |value| Some(count_of(value).filter(|rate| *rate > 0)?.to_string())),
    ("latency_target", "2ms", time),
    ("bssplit", "\"8K\" = 80, \"64K\" = 20", split),
    ("offset", "10-100%", |value| {
        let from = value.strip_suffix('%')?.parse::<u8>().ok().filter(|from| *from < 100)?;
        Some(format!("{from}-100%"))
    }),
];

/// The sentence with what was typed in place of the example, if possible.
pub fn put_in(name: &str, value: Option<&str>, told: &str) -> String {
    let row = VALUES.iter().find(|(of, example, _)| *of == name && told.contains(example));
    let meant = row.and_then(|(_, example, meant)| Some((example, meant(value?)?)));
    meant.map_or_else(|| told.to_owned(), |(example, meant)| told.replacen(example, &meant, 1))
}

/// A size that both read alike.
fn size(value: &str) -> Option<&str> {
    value.parse::<Bytes>().ok().filter(|size| size.0 > 0).map(|_| value)
}

/// `4k/60:8k/40`, with the same shares for reads and writes; fio gives sizes without a share what is left, in equal parts.
fn split(value: &str) -> Option<String> {
    let parts = value.split(':').map(|part| {
        let (size_text, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = if percent.is_empty() { None } else { Some(u32::from(share(percent)?)) };
        Some((size(size_text)?, percent))
    });
    let parts: Vec<(&str, Option<u32>)> = parts.collect::<Option<_>>()?;
    let open = u32::try_from(parts.iter().filter(|(_, share)| share.is_none()).count()).ok()?;
    let left = 100_u32.checked_sub(parts.iter().filter_map(|(_, share)| *share).sum())?;
    let is_whole = if open == 0 { left == 0 } else { left >= open && left % open == 0 };
    let shares = parts.iter().map(|(size, share)| Some((size, share.or_else(|| left.checked_div(open))?)));
    let shares: Vec<String> = shares
        .collect::<Option<Vec<_>>>()?
        .iter()
        .map(|(size, share)| format!("\"{size}\" = {share}"))
        .collect();
    is_whole.then(|| shares.join(", "))
}

/// fio's times are in seconds where they have no unit.
fn seconds(value: &str) -> Option<String> {
    let is_bare = value.bytes().all(|byte| byte.is_ascii_digit());
    let meant = if is_bare { format!("{value}s") } else { value.to_owned() };
    meant.parse::<Nanos>().ok().filter(|time| time.0 > 0).map(|_| meant)
}

/// Latencies are in microseconds.
fn time(value: &str) -> Option<String> {
    let is_bare = value.bytes().all(|byte| byte.is_ascii_digit());
    let meant = if is_bare { format!("{value}us") } else { value.to_owned() };
    meant.parse::<Nanos>().ok().filter(|time| time.0 > 0).map(|_| meant)
}

fn share(value: &str) -> Option<u8> {
    value.parse().ok().filter(|share| *share <= 100)
}

fn own_engine(value: &str) -> Option<&str> {
    let known = ["io_uring", "libaio", "sync"].contains(&value).then_some(value);
    known.or_else(|| engine(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::fio::{OPTIONS, hint};

    #[test]
    fn every_example_stands_in_its_sentence() {
        for (name, example, _) in VALUES {
            let (_, told, _) = OPTIONS.iter().find(|(names, ..)| names.contains(&name)).expect(name);
            assert!(told.contains(example), "{name}: {told}");
        }
    }

    #[test]
    fn what_was_typed_is_offered() {
        for (name, value, offer) in [
            ("--bs", "4k", "--size-small 4k / --size-large 4k here"),
            ("--bs", "fast", "--size-small / --size-large here"),
            ("--runtime", "20", "--duration 20s;"),
            ("--runtime", "5m", "--duration 5m;"),
            ("--rw", "randread", "`rigel run oltp` measures random reads"),
            ("--rwmixread", "70", "--write 30"),
            ("--rwmixread", "170", "--write 20"),
            ("--filename", "/dev/sdb:/dev/sdc", "`rigel run simple /dev/sdb /dev/sdc`"),
            ("--ioengine", "psync", "is --engine sync here"),
            ("--ioengine", "sync", "is --engine sync here"),
            ("--latency-target", "900", "`rigel slo --p99 900us`"),
            ("--size", "4G", "is --scratch-size 4G here"),
            ("--cpus_allowed", "0-3", "is --cpus 0-3 here"),
            ("--rate_iops", "500", "`rigel run open --rate 500`"),
            ("--latency_target", "900", "`rigel slo --p99 900us`"),
            ("--offset", "25%", "--span 25-100%`"),
            ("--offset", "1g", "--span 10-100%`"),
            ("--bssplit", "4k/60:8k/40", "{ \"4k\" = 60, \"8k\" = 40 }"),
            ("--bssplit", "4k/50:8k/:16k/", "{ \"4k\" = 50, \"8k\" = 25, \"16k\" = 25 }"),
            ("--bssplit", "4k/50:8k/60", "{ \"8K\" = 80, \"64K\" = 20 }"),
            ("--bssplit", "4k/4294967295:8k/4294967295", "{ \"8K\" = 80, \"64K\" = 20 }"),
            ("--bssplit", "4k/50,8k/50", "{ \"8K\" = 80, \"64K\" = 20 }"),
        ] {
            let told = hint(name, Some(value), false).unwrap();
            assert!(told.contains(offer), "{told}");
        }
    }
}
