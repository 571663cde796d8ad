//! What `smartctl` prints: two answers of a drive, parted by a zero byte, are counters or a reason, and can be compared and told.

use crate::assert_printable;
use rigel_core::facts::DriveLook;
use rigel_core::facts::drive::{DriveAnswer, read};
use rigel_report::soak::remark;
use rigel_uses::soak::Drives;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let look = |printed: &[u8]| DriveLook { drives: vec![read("sda", printed)], ..DriveLook::default() };
    let looks: Vec<DriveLook> = bytes.splitn(2, |&byte| byte == 0).map(look).collect();
    for look in &looks {
        if let DriveAnswer::Counters(counters) = &look.drives[0].said {
            assert!(!counters.is_empty(), "counters without one");
        }
        remark(look).iter().for_each(|text| assert_printable("a remark", text));
    }
    let found = Drives::of(&looks).expect("somebody looked");
    assert!(found.told.len() + found.silent.len() >= 1 && found.told.len() <= looks.len());
    // A drive that says the same twice has not become worse, unless it raises an alarm.
    if let [one] = looks.as_slice() {
        let twice = Drives::of(&[one.clone(), one.clone()]).expect("somebody looked");
        assert!(twice.worse().flat_map(|drive| drive.worse()).all(|change| change.first == change.most));
    }
}
