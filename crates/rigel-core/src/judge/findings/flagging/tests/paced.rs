//! What limits an open loop: a worker that watches the clock is always busy, which proves nothing.

use super::{Maker, unloaded};
use crate::judge::findings::flagging::circumstances;
use crate::judge::flags::{Flag, FlagCode};
use crate::measure::OpenTally;
use crate::record::Visit;

/// Whether the worker is named as the limit, and whether that makes the point invalid.
fn told(is_open: bool, busy_percent: u64, waited: u64, codes: &[FlagCode]) -> Option<bool> {
    let mut made = Maker::simple().rounds(1, unloaded);
    for visit in &mut made.record.visits {
        visit.busiest_worker_cpu_ns = Some(visit.loaded_ns / 100 * busy_percent);
        let open = is_open.then(|| Box::new(OpenTally { arrived: 100, waited, ..OpenTally::default() }));
        visit.tallies.values_mut().for_each(|tally| tally.open = open.clone());
    }
    let visits: Vec<&Visit> = made.record.visits.iter().collect();
    let known: Vec<Flag> = codes.iter().map(|&code| Flag::new(code, "known")).collect();
    let flags = circumstances::of_point(&made.record, &visits, &known);
    flags.iter().find(|flag| flag.code == FlagCode::HostLimited).map(|flag| flag.invalid)
}

#[test]
fn a_busy_worker_is_the_limit_unless_it_waits_for_the_time() {
    assert_eq!(told(false, 99, 0, &[]), Some(false));
    assert_eq!(told(true, 99, 90, &[]), None, "it looks at the clock");
    let overload = [FlagCode::Overload];
    assert_eq!(told(true, 99, 90, &overload), Some(true), "more arrived than it could begin");
    assert_eq!(told(true, 99, 10, &overload), None, "slots were free, and it looked at the clock");
    assert_eq!(told(true, 99, 10, &[FlagCode::Overload, FlagCode::PacingLate]), Some(true), "it began late");
    assert_eq!(told(true, 40, 90, &overload), None, "the storage was the limit");
}
