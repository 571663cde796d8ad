//! Working sets: a cache, two of them, none, one that holds all of the target, a target that was not warm, and a drift.

use super::super::simulated::{on_disk, own};
use super::Case;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::working_set::WorkingSet;
use rigel_core::record::Record;
use rigel_core::units::{KIB, MIB, Nanos};

/// A disk of two heads.
const SLOW: &str = "servers=2,service=5ms,rate=0,size=1G,spread=lognormal:10%";
/// Large reads, so that a simulation is short.
const IO_BYTES: u64 = 256 * KIB;

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("working-set-cache", || read(",cache=200M:1ms", 3600)),
        Case::of("working-set-two", || read(",cache=80M:400us,cache2=400M:1500us", 3600)),
        Case::of("working-set-none", || read("", 3600)),
        Case::of("working-set-holds-all", || read(",cache=4G:1ms", 3600)),
        Case::of("working-set-cold", || read(",cache=600M:1ms", 150)),
        Case::of("working-set-drift", || read(",drift=-20%", 3600)),
    ]
}

fn read(more: &str, time_s: u64) -> anyhow::Result<Record> {
    let asked = WorkingSet { time: Nanos::from_secs(time_s), ..WorkingSet::default() };
    let classes = asked.classes(IO_BYTES, 1024 * MIB)?;
    let command_line = "working-set --size-small 256K /dev/sdb ".into();
    let plain = own(RunLevel::WorkingSet, classes);
    on_disk(&format!("{SLOW}{more}"), Request { task: Task::WorkingSet(asked), command_line, ..plain })
}
