//! What the options of a job say of its load.
//!
//! Must not read a number that was measured.

use super::super::text::bytes;
use super::{Direction, Job};
use rigel_core::load::class::Class;
use rigel_core::load::fio::NO_STORAGE;

/// fio's default.
const BLOCK: &str = "4k";

/// The share of writes that its options ask for: 30 is 30 %.
pub fn write_percent(walk: &str, option: &impl Fn(&[&str]) -> Option<String>) -> Result<f64, String> {
    match walk {
        "read" | "randread" => Ok(0.0),
        "write" | "randwrite" => Ok(100.0),
        "rw" | "readwrite" | "randrw" => {
            let reads = option(&["rwmixread"]).and_then(|text| super::super::text::number(&text));
            let writes = option(&["rwmixwrite"]).and_then(|text| super::super::text::number(&text));
            Ok(writes.or_else(|| reads.map(|reads| 100.0 - reads)).unwrap_or(50.0).clamp(0.0, 100.0))
        }
        other => Err(format!("rw={other} is not a load that Rigel knows")),
    }
}

/// Refuses a load whose rate says nothing about the storage, or that differs from Rigel's.
pub fn check(option: &impl Fn(&[&str]) -> Option<String>) -> Result<(), String> {
    let is_set = |name: &&str| {
        let text = option(&[*name]);
        text.is_some_and(|text| text.chars().any(|digit| ('1'..='9').contains(&digit)))
    };
    if let Some(engine) = option(&["ioengine"]).filter(|engine| NO_STORAGE.contains(&engine.as_str())) {
        return Err(format!("ioengine={engine} moves no data to or from storage"));
    }
    let limits = ["rate", "thinktime", "flow"].into_iter().find(|name| is_set(name));
    if let Some(name) = limits {
        return Err(format!("{name} held it back, so its rate is not the storage's"));
    }
    if is_set(&"latency_target") {
        return Err("latency_target changed how many I/Os were outstanding during the run".to_owned());
    }
    if option(&["read_iolog"]).is_some() {
        return Err("read_iolog repeated the I/Os of a log".to_owned());
    }
    if is_set(&"verify_backlog") {
        return Err("it read back what it wrote while it wrote (verify_backlog)".to_owned());
    }
    evenly_spread(option)
}

/// Refuses a load that asks for some places more often than for others, or leaves some out.
fn evenly_spread(option: &impl Fn(&[&str]) -> Option<String>) -> Result<(), String> {
    if let Some(law) = option(&["random_distribution"]).filter(|law| law != "random") {
        return Err(format!(
            "random_distribution={law} asks for some places more often than for others, and Rigel for all alike"
        ));
    }
    if let Some(mode) = option(&["zonemode"]).filter(|mode| mode != "none") {
        return Err(format!("zonemode={mode} goes from zone to zone"));
    }
    match option(&["percentage_random"]).and_then(|text| super::super::text::number(&text)) {
        Some(share) if share < 100.0 => {
            Err(format!("{share} % of its I/O is random, the remainder sequential"))
        }
        _ => Ok(()),
    }
}

/// The order of its I/Os: `randread`.
pub fn walk(option: &impl Fn(&[&str]) -> Option<String>) -> Result<String, String> {
    let walk = option(&["rw", "readwrite"]).unwrap_or_else(|| "read".to_owned());
    match walk.split_once(':') {
        None => Ok(walk),
        Some((name, _)) if name.starts_with("rand") => {
            Err(format!("rw={walk} continues in order after each random place"))
        }
        Some(_) => Err(format!("rw={walk} leaves places out")),
    }
}

/// Whether it reads back what it wrote.
pub fn reads_back(option: &impl Fn(&[&str]) -> Option<String>) -> bool {
    option(&["verify"]).is_some_and(|way| way != "0") && option(&["do_verify"]).is_none_or(|text| text != "0")
}

/// Whether fewer I/Os than `iodepth` are outstanding at times.
pub fn is_batched(option: &impl Fn(&[&str]) -> Option<String>) -> bool {
    let is_many = |names: &[&str]| {
        option(names).and_then(|text| super::super::text::count(&text)).is_some_and(|count| count > 1)
    };
    is_many(&["iodepth_batch_complete_min", "iodepth_batch_complete"]) || is_many(&["iodepth_low"])
}

/// `rate_iops` is a rate of reads and of writes, or two of them.
pub fn given_rate(option: &impl Fn(&[&str]) -> Option<String>, job: &Job) -> Option<u32> {
    let text = option(&["rate_iops"])?;
    let mut rates = text.split(',').map(super::super::text::count);
    let reads = rates.next().flatten()?;
    let writes = rates.next().map_or(Some(reads), |rate| rate)?;
    let of = |rate: u32, direction: &Direction| if direction.iops > 0.0 { rate } else { 0 };
    Some(of(reads, &job.read).saturating_add(of(writes, &job.write))).filter(|rate| *rate > 0)
}

/// The size of its I/Os; `None` if it has several. fio's `8k,16k` are those of reads and of writes.
pub fn size(option: &impl Fn(&[&str]) -> Option<String>, write_percent: f64) -> Option<u64> {
    if option(&["bsrange", "blocksize_range", "bssplit"]).is_some() {
        return None;
    }
    let text = option(&["bs", "blocksize"]).unwrap_or_else(|| BLOCK.to_owned());
    if text.contains('-') {
        return None;
    }
    let mut sizes = text.split(',').map(bytes);
    let reads = sizes.next().flatten()?;
    let writes = sizes.next().map_or(Some(reads), |size| size)?;
    match write_percent {
        share if share <= 0.0 => Some(reads),
        share if share >= 100.0 => Some(writes),
        _ => (reads == writes).then_some(reads),
    }
}

/// The kind of commit: a flush of the data after each write, or O_DSYNC. Rigel has none that also waits for the metadata of the file.
pub fn sync(option: &impl Fn(&[&str]) -> Option<String>) -> Result<Option<Class>, String> {
    let every = |name: &str| option(&[name]).filter(|value| value != "0");
    match (option(&["sync"]).as_deref(), every("fdatasync"), every("fsync")) {
        (Some("dsync"), None, None) => Ok(Some(Class::DSYNC)),
        (None | Some("0" | "none"), Some(each), None) if each == "1" => Ok(Some(Class::FDATASYNC)),
        (None | Some("0" | "none"), None, None) => Ok(None),
        (Some("sync" | "1"), ..) => {
            Err("sync=sync (O_SYNC) waits for more than the data; compare sync=dsync".to_owned())
        }
        (_, _, Some(each)) if each == "1" => {
            Err("fsync=1 waits for more than the data; compare fdatasync=1".to_owned())
        }
        _ => Err("it waits for only some of its writes".to_owned()),
    }
}

/// The same size if a `k` is 1000 (`kb_base`), which fio does not say for sizes before that option.
pub fn decimal(bytes: u64, option: &impl Fn(&[&str]) -> Option<String>) -> Option<u64> {
    let is_decimal = option(&["kb_base"]).as_deref() == Some("1000");
    (is_decimal && bytes.is_multiple_of(1024)).then_some(bytes / 1024 * 1000)
}
