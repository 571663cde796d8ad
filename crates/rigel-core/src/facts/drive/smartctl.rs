//! What `smartctl -j -a` printed about a drive. It is foreign text: whatever it holds, the answer is a drive that told counters, or why it told none.
//!
//! An ATA attribute counts only if its name is the usual one for its number: makers use the same numbers for other things, and a temperature must
//! not incriminate a drive. Must not run the program.

use super::{Counter, Counters, Drive, DriveAnswer};
use serde_json::Value;

/// More than the program prints for any drive.
pub const MOST_BYTES: u64 = 1 << 20;

/// Characters of a model, a serial number, a reason.
const MOST_NAME: usize = 64;
const MOST_REASON: usize = 160;
/// NVMe counts written data in units of a thousand times 512 bytes.
const NVME_UNIT_BYTES: u64 = 512_000;
/// The lowest word is the count if a maker packs three into one.
const LOW_WORD: u64 = 0xffff;

/// Number of an attribute, words of its usual names, and what it counts.
const ATTRIBUTES: [(u64, &[&str], Counter); 6] = [
    (5, &["realloc", "retired", "bad_bl"], Counter::ReallocatedSectors),
    (187, &["uncorrect"], Counter::ReportedUncorrected),
    (196, &["realloc"], Counter::ReallocationEvents),
    (197, &["pending"], Counter::PendingSectors),
    (198, &["uncorrect"], Counter::OfflineUncorrectable),
    (199, &["crc"], Counter::TransferErrors),
];

/// Attributes whose normalised value falls from 100 as the flash wears out.
const WEAR: [(u64, &str); 3] = [(177, "wear_leveling"), (231, "life"), (233, "wearout")];

const NVME: [(&str, Counter); 9] = [
    ("critical_warning", Counter::CriticalWarning),
    ("media_errors", Counter::MediaErrors),
    ("num_err_log_entries", Counter::ErrorLogEntries),
    ("percentage_used", Counter::WearPercent),
    ("available_spare", Counter::SparePercent),
    ("available_spare_threshold", Counter::SpareThresholdPercent),
    ("unsafe_shutdowns", Counter::UnsafeShutdowns),
    ("warning_temp_time", Counter::HotMinutes),
    ("power_on_hours", Counter::PowerOnHours),
];

/// The drive with this kernel name, from what the program printed about it.
pub fn read(name: &str, printed: &[u8]) -> Drive {
    let Ok(all) = serde_json::from_slice::<Value>(printed) else {
        return Drive::silent(name, "smartctl printed nothing readable");
    };
    let text = |path| all.pointer(path).and_then(Value::as_str).map(|text| first(text, MOST_NAME));
    let counters = counters(&all);
    let said =
        if counters.is_empty() { DriveAnswer::Nothing(why(&all)) } else { DriveAnswer::Counters(counters) };
    let model = text("/model_name").or_else(|| text("/scsi_model_name"));
    // Bridges tell an empty one, which tells no drive from another.
    let serial = text("/serial_number").filter(|serial| !serial.trim().is_empty());
    Drive { name: name.to_owned(), model, serial, said }
}

fn first(text: &str, most: usize) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(most).collect()
}

/// Why it reported no counters, in the program's words.
fn why(all: &Value) -> String {
    let messages = all.pointer("/smartctl/messages").and_then(Value::as_array);
    let mut words = messages.into_iter().flatten().filter_map(|message| message.get("string")?.as_str());
    let told = words.next().map(|text| first(text, MOST_REASON)).filter(|text| !text.is_empty());
    told.map_or_else(|| "it has no SMART or NVMe log".to_owned(), |text| format!("smartctl says: {text}"))
}

fn counters(all: &Value) -> Counters {
    let mut found = Counters::new();
    for attribute in
        all.pointer("/ata_smart_attributes/table").and_then(Value::as_array).into_iter().flatten()
    {
        ata(attribute, &mut found);
    }
    nvme(all, &mut found);
    scsi(all, &mut found);
    // What newer versions of the program work out for every kind of drive.
    for (path, counter) in [
        ("/endurance_used/current_percent", Counter::WearPercent),
        ("/spare_available/current_percent", Counter::SparePercent),
        ("/spare_available/threshold_percent", Counter::SpareThresholdPercent),
        ("/power_on_time/hours", Counter::PowerOnHours),
    ] {
        found.extend(all.pointer(path).and_then(Value::as_u64).map(|value| (counter, value)));
    }
    // An NVMe drive says it by its warnings, with more detail.
    let passed = all.pointer("/smart_status/passed").and_then(Value::as_bool);
    if let (Some(passed), false) = (passed, found.contains_key(&Counter::CriticalWarning)) {
        found.insert(Counter::Failing, u64::from(!passed));
    }
    found
}

fn ata(attribute: &Value, found: &mut Counters) -> Option<()> {
    let id = attribute.get("id")?.as_u64()?;
    let name = attribute.get("name")?.as_str()?.to_ascii_lowercase();
    if let Some((_, words, counter)) = ATTRIBUTES.iter().find(|(number, ..)| *number == id) {
        if words.iter().any(|word| name.contains(word)) {
            found.insert(*counter, raw(attribute)?);
        }
    } else if id == 188 && name.contains("timeout") {
        found.insert(Counter::CommandTimeouts, attribute.pointer("/raw/value")?.as_u64()? & LOW_WORD);
    } else if WEAR.iter().any(|(number, word)| *number == id && name.contains(word)) {
        let left = attribute.get("value")?.as_u64()?;
        found.insert(Counter::WearPercent, 100_u64.saturating_sub(left));
    }
    Some(())
}

/// The number that the program shows: on some drives the raw value also holds other things.
fn raw(attribute: &Value) -> Option<u64> {
    let shown = attribute.pointer("/raw/string").and_then(Value::as_str).map(|text| {
        let digits = text.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    });
    shown.flatten().or_else(|| attribute.pointer("/raw/value")?.as_u64())
}

fn nvme(all: &Value, found: &mut Counters) {
    let Some(log) = all.get("nvme_smart_health_information_log") else { return };
    let of = |field: &str| log.get(field).and_then(Value::as_u64);
    found.extend(NVME.iter().filter_map(|(field, counter)| Some((*counter, of(field)?))));
    let written = of("data_units_written").map(|units| units.saturating_mul(NVME_UNIT_BYTES));
    found.extend(written.map(|bytes| (Counter::WrittenBytes, bytes)));
}

fn scsi(all: &Value, found: &mut Counters) {
    let log = all.get("scsi_error_counter_log");
    let of = |way: &str| log?.get(way)?.get("total_uncorrected_errors")?.as_u64();
    let errors = ["read", "write", "verify"].into_iter().filter_map(of).reduce(u64::saturating_add);
    found.extend(errors.map(|errors| (Counter::UncorrectedErrors, errors)));
    for (field, counter) in [
        ("scsi_grown_defect_list", Counter::GrownDefects),
        ("scsi_percentage_used_endurance_indicator", Counter::WearPercent),
    ] {
        found.extend(all.get(field).and_then(Value::as_u64).map(|value| (counter, value)));
    }
}
