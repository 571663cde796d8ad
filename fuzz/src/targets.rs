//! The targets: each takes any bytes, and fails by a panic.
//!
//! A target without a corpus below `fuzz/corpus`, or one that is not listed, fails a test.

pub mod arguments;
pub mod baseline;
pub mod calibration;
pub mod capacity;
pub mod contents;
pub mod drive;
pub mod durability;
pub mod fio_job;
pub mod load_file;
pub mod lun_list;
pub mod machine;
pub mod offers;
pub mod record;
pub mod record_edited;
pub mod scrub;

/// What takes an input.
pub type Target = fn(&[u8]);

/// Each by its name.
pub const ALL: [(&str, Target); 15] = [
    ("arguments", arguments::target),
    ("baseline", baseline::target),
    ("calibration", calibration::target),
    ("capacity", capacity::target),
    ("contents", contents::target),
    ("drive", drive::target),
    ("durability", durability::target),
    ("fio_job", fio_job::target),
    ("load_file", load_file::target),
    ("lun_list", lun_list::target),
    ("machine", machine::target),
    ("offers", offers::target),
    ("record", record::target),
    ("record_edited", record_edited::target),
    ("scrub", scrub::target),
];

/// The one of that name.
pub fn called(name: &str) -> Option<Target> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}
