use super::*;
use crate::facts::LoopFile;
use proptest::prelude::{any, prop_assert, proptest};
use serde_json::{Value, json};

fn counters(printed: &Value) -> Counters {
    read("sda", printed.to_string().as_bytes()).counters().cloned().unwrap_or_default()
}

fn attribute(id: u64, name: &str, raw: u64, shown: &str) -> Value {
    json!({"id": id, "name": name, "value": 100, "raw": {"value": raw, "string": shown}})
}

#[test]
fn the_attributes_of_an_ata_drive_are_read_as_people_are_shown_them() {
    let printed = json!({
        "model_name": "ST4000NM0035", "serial_number": " ZC1 ",
        "smart_status": {"passed": true},
        "power_on_time": {"hours": 1234, "minutes": 5},
        "ata_smart_attributes": {"table": [
            // The upper words hold something else.
            attribute(5, "Reallocated_Sector_Ct", 0x1_0000_0003, "3 (1 0)"),
            attribute(187, "Reported_Uncorrect", 1, "1"),
            attribute(188, "Command_Timeout", 0x2_0001_0004, "2 1 4"),
            attribute(196, "Reallocated_Event_Count", 2, "2"),
            attribute(197, "Current_Pending_Sector", 8, "8"),
            attribute(198, "Offline_Uncorrectable", 9, "9"),
            attribute(199, "UDMA_CRC_Error_Count", 7, "7"),
            json!({"id": 233, "name": "Media_Wearout_Indicator", "value": 97, "raw": {"value": 0}}),
        ]},
    });
    let drive = read("sda", printed.to_string().as_bytes());
    assert_eq!((drive.model.as_deref(), drive.serial.as_deref()), (Some("ST4000NM0035"), Some("ZC1")));
    let expected = [
        (Counter::Failing, 0),
        (Counter::ReportedUncorrected, 1),
        (Counter::ReallocatedSectors, 3),
        (Counter::ReallocationEvents, 2),
        (Counter::PendingSectors, 8),
        (Counter::OfflineUncorrectable, 9),
        (Counter::TransferErrors, 7),
        (Counter::WearPercent, 3),
        (Counter::CommandTimeouts, 4),
        (Counter::PowerOnHours, 1234),
    ];
    assert_eq!(drive.counters(), Some(&expected.into()));
}

#[test]
fn an_attribute_that_a_maker_gave_another_meaning_accuses_nobody() {
    let table = [
        attribute(197, "Read_Failure_Blk_Ct", 5, "5"),
        attribute(198, "Read_Sectors_Tot_Ct", 123_456, "123456"),
        attribute(199, "Write_Sectors_Tot_Ct", 123_456, "123456"),
        attribute(231, "Temperature_Celsius", 40, "40"),
        attribute(5, "Unknown_Attribute", 40, "40"),
    ];
    assert_eq!(counters(&json!({"ata_smart_attributes": {"table": table}})), Counters::new());
}

#[test]
fn the_log_of_an_nvme_drive_is_read() {
    let log = json!({
        "critical_warning": 1, "temperature": 41, "available_spare": 4, "available_spare_threshold": 10, "percentage_used": 102,
        "data_units_written": 3, "power_on_hours": 7, "unsafe_shutdowns": 5, "media_errors": 6, "num_err_log_entries": 1860, "warning_temp_time": 11,
    });
    let printed = json!({"smart_status": {"passed": false}, "nvme_smart_health_information_log": log});
    let expected = [
        (Counter::CriticalWarning, 1),
        (Counter::MediaErrors, 6),
        (Counter::SparePercent, 4),
        (Counter::SpareThresholdPercent, 10),
        (Counter::WearPercent, 102),
        (Counter::ErrorLogEntries, 1860),
        (Counter::UnsafeShutdowns, 5),
        (Counter::HotMinutes, 11),
        (Counter::PowerOnHours, 7),
        (Counter::WrittenBytes, 1_536_000),
    ];
    assert_eq!(counters(&printed), expected.into());
}

#[test]
fn the_logs_of_a_scsi_drive_are_read() {
    let errors = |count: u64| json!({"total_uncorrected_errors": count, "gigabytes_processed": "9.1"});
    let printed = json!({
        "scsi_model_name": "ST900MM0006", "scsi_grown_defect_list": 2, "smart_status": {"passed": false},
        "scsi_error_counter_log": {"read": errors(3), "write": errors(4)},
    });
    assert_eq!(read("sdb", printed.to_string().as_bytes()).model.as_deref(), Some("ST900MM0006"));
    let expected = [(Counter::Failing, 1), (Counter::UncorrectedErrors, 7), (Counter::GrownDefects, 2)];
    assert_eq!(counters(&printed), expected.into());
}

#[test]
fn a_drive_that_tells_nothing_says_why() {
    let message = "Smartctl open device: /dev/sda failed: Permission denied\u{1b}[2J";
    for (printed, sign) in [
        (json!({"smartctl": {"messages": [{"string": message}], "exit_status": 2}}).to_string(), "denied[2J"),
        (json!({"smartctl": {"messages": []}}).to_string(), "no SMART or NVMe log"),
        (json!({"smartctl": {"messages": [{"string": " "}]}}).to_string(), "no SMART or NVMe log"),
        ("smartctl 7.3\nnot JSON".to_owned(), "nothing readable"),
        (String::new(), "nothing readable"),
        ("[".repeat(100_000), "nothing readable"),
    ] {
        let drive = read("sda", printed.as_bytes());
        assert!(matches!(&drive.said, DriveAnswer::Nothing(why) if why.ends_with(sign)), "{drive:?}");
    }
}

#[test]
fn numbers_that_are_none_are_left_out() {
    let log = json!({"media_errors": -1, "percentage_used": "7", "power_on_hours": 1.5, "unsafe_shutdowns": u64::MAX, "critical_warning": null});
    let found = counters(&json!({"nvme_smart_health_information_log": log}));
    assert_eq!(found, [(Counter::UnsafeShutdowns, u64::MAX)].into());
    let found = counters(&json!({"nvme_smart_health_information_log": {"data_units_written": u64::MAX}}));
    assert_eq!(found, [(Counter::WrittenBytes, u64::MAX)].into());
}

#[test]
fn a_counter_has_the_same_name_everywhere() {
    let all =
        json!({"failing": 0, "hot_minutes": 1, "spare_threshold_percent": 2, "reported_uncorrected": 3});
    let counters: Counters = serde_json::from_value(all.clone()).unwrap();
    let named: serde_json::Map<String, Value> =
        counters.iter().map(|(counter, value)| (counter.name().to_owned(), json!(value))).collect();
    assert_eq!(Value::Object(named), all);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[\\[\\]{}\":,a-z0-9_\\\\]{0,80}") {
        prop_assert!(read("sda", &bytes).counters().is_none_or(|counters| !counters.is_empty()));
        let table = format!("{{\"ata_smart_attributes\":{{\"table\":[{{\"id\":5,\"name\":\"Realloc\",\"raw\":{{\"string\":{text:?},\"value\":1}}}}]}}}}");
        let drive = read("sda", table.as_bytes());
        prop_assert!(drive.counters().is_none_or(|counters| counters.contains_key(&Counter::ReallocatedSectors)));
    }
}

#[test]
fn the_drives_below_targets_are_found_each_once() {
    let device = |name: &str| DeviceFacts { name: name.into(), ..DeviceFacts::default() };
    let partition = DeviceFacts { partition_of: Some("sda".into()), ..device("sda1") };
    let volume = DeviceFacts { made_of: vec!["sda1".into(), "nvme0n1".into()], ..device("dm-0") };
    let file = LoopFile { below: vec![partition.clone(), device("sdz")], ..LoopFile::default() };
    let on_loop = DeviceFacts { transport: Some("loop".into()), loop_file: Some(file), ..device("loop0") };
    let bare_loop = DeviceFacts { loop_file: None, ..on_loop.clone() };
    let target = |device: DeviceFacts, below: Vec<DeviceFacts>| TargetFacts {
        device: Some(device),
        below,
        ..TargetFacts::default()
    };
    let targets = [
        target(volume, vec![partition, device("sda"), device("nvme0n1")]),
        target(device("sda"), Vec::new()),
        target(bare_loop, vec![on_loop]),
        TargetFacts::simulated(1 << 20),
    ];
    assert_eq!(below(&targets), ["sda", "nvme0n1", "sdz"]);
}
