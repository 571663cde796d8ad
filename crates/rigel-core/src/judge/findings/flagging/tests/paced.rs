//! Who was the limit of an open loop: a worker that looks at the clock is always busy, and says nothing.

use super::{Maker, unloaded};
use crate::judge::findings::flagging::circumstances;
use crate::judge::flags::FlagCode;
use crate::measure::OpenTally;
use crate::record::Visit;

/// Whether the worker is told as the limit, and whether that makes the point invalid.
fn told(is_open: bool, busy_percent: u64, is_overloaded: bool) -> Option<bool> {
    let mut made = Maker::simple().rounds(1, unloaded);
    for visit in &mut made.record.visits {
        visit.busiest_worker_cpu_ns = Some(visit.loaded_ns / 100 * busy_percent);
        let open = is_open.then(Box::<OpenTally>::default);
        visit.tallies.values_mut().for_each(|tally| tally.open = open.clone());
    }
    let visits: Vec<&Visit> = made.record.visits.iter().collect();
    let flags = circumstances::of_point(&made.record, &visits, is_overloaded);
    flags.iter().find(|flag| flag.code == FlagCode::HostLimited).map(|flag| flag.invalid)
}

#[test]
fn a_busy_worker_is_the_limit_unless_it_waits_for_the_time() {
    assert_eq!(told(false, 99, false), Some(false));
    assert_eq!(told(true, 99, false), None, "it looks at the clock");
    assert_eq!(told(true, 99, true), Some(true), "more arrived than it could begin");
    assert_eq!(told(true, 40, true), None, "the storage was the limit");
}
