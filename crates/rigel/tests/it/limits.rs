//! A device that is merely full has no limit. A cap of the block cgroup is one: `clock::limits`.

use crate::support::Place;
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::record::Record;

/// The texts of the flags that tell of a limit.
pub fn throttled(place: &Place) -> Vec<String> {
    let record = Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
    let flags = Findings::of(&record).flags.into_iter();
    flags.filter(|flag| flag.code == FlagCode::Throttled).map(|flag| flag.text).collect()
}

/// Levels 1 to 5 of small I/O on two stations that take 2 ms for every I/O: from two outstanding on, more bring nothing.
#[test]
fn a_saturated_device_is_not_limited() {
    let place = Place::new();
    let line = "run advanced --engine sim:servers=2,service=2ms,rate=0 --matrix row --num-large 0 --num-disks 1 \
                --duration 4s --seed 1 --no-html";
    place.line(line).expect_code(0);
    assert_eq!(throttled(&place), [""; 0]);
}
