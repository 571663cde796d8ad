//! Runs of ORION's levels: one visit each and in rounds, reads and writes, with levels that are searched.

use super::super::simulated::{on_disk, on_sim, once, request, rounds, rounds_within};
use super::Case;
use rigel_core::load::class::{Pattern, Span};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Layout, WritePercent};
use rigel_core::record::Record;
use rigel_core::units::{KIB, MIB};

/// Four stations with a little noise: 200 small I/Os per second.
const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("simple-fixed", || on_disk(SLOW, request(RunLevel::Simple).paced(once(2)))),
        Case::of("simple-adaptive", || on_disk(SLOW, request(RunLevel::Simple).paced(rounds(50)))),
        Case::of("simple-simulated", || on_sim(SLOW, request(RunLevel::Simple).paced(once(1)))),
        Case::of("normal-fixed", || on_disk(SLOW, request(RunLevel::Normal).paced(once(1)))),
        Case::of("normal-adaptive", || on_disk(SLOW, request(RunLevel::Normal).paced(rounds(100)))),
        Case::of("oltp-fixed", || on_disk(SLOW, request(RunLevel::Oltp).paced(once(1)))),
        Case::of("dss-adaptive", || on_disk(SLOW, request(RunLevel::Dss).paced(rounds(200)))),
        Case::of("dss-fixed-labelled", labelled),
        Case::of("advanced-point", || advanced(MatrixShape::Point { small: 3, large: 1 }, Pattern::Random)),
        Case::of("advanced-row", || advanced(MatrixShape::Row { large: 1 }, Pattern::Random)),
        Case::of("advanced-col-streams", || {
            advanced(MatrixShape::Col { small: 1 }, Pattern::Streams { ios_per_stream: 4 })
        }),
        Case::of("advanced-max-striped", striped),
        Case::of("writes-mixed", writes_mixed),
        Case::of("writes-all", writes_all),
        Case::of("normal-searched", normal_searched),
        Case::of("oltp-search-short", search_short),
        Case::of("oltp-out-of-time", out_of_time),
    ]
}

fn labelled() -> anyhow::Result<Record> {
    let label = Some("old array".into());
    on_disk(SLOW, Request { label, num_disks: Some(1), ..request(RunLevel::Dss).paced(once(1)) })
}

fn advanced(shape: MatrixShape, large: Pattern) -> anyhow::Result<Record> {
    let mut request = Request {
        cache: CacheWarmUp::Bytes(8 * MIB),
        task: Task::advanced(shape),
        ..request(RunLevel::Advanced)
    }
    .paced(once(1));
    request.set_large(large);
    on_disk(SLOW, request)
}

fn striped() -> anyhow::Result<Record> {
    let layout = Layout::Raid0 { stripe_bytes: MIB };
    let shape = MatrixShape::Max { small: 2, large: 2 };
    let mut request = Request {
        layout,
        cache: CacheWarmUp::Off,
        task: Task::advanced(shape),
        ..request(RunLevel::Advanced)
    }
    .paced(once(1));
    request.set_large(Pattern::Streams { ios_per_stream: 2 });
    request.set_size(rigel_core::load::class::Class::SMALL, 4 * KIB);
    on_disk(SLOW, request)
}

fn writes_mixed() -> anyhow::Result<Record> {
    let mut request = request(RunLevel::Simple).paced(once(2));
    request.set_writes(WritePercent::new(20).unwrap_or_default());
    request.set_span(Span::Percent(10, 60));
    request.command_line = "simple /dev/sdb --write 20 --span 10-60% --destroy-data /dev/sdb ".into();
    on_disk(SLOW, request)
}

fn writes_all() -> anyhow::Result<Record> {
    let mut request = request(RunLevel::Simple).paced(rounds(100));
    request.set_writes(WritePercent::ALL);
    on_disk(SLOW, request)
}

fn normal_searched() -> anyhow::Result<Record> {
    let law = "servers=2,service=10ms,rate=100M,spread=lognormal:20%,between=1%";
    on_disk(law, Request { task: Task::searched(RunLevel::Normal, rounds(200)), ..request(RunLevel::Normal) })
}

/// The search has no time to see the device saturated.
fn search_short() -> anyhow::Result<Record> {
    let law = "servers=64,service=150ms,rate=0,between=1%";
    on_disk(
        law,
        Request { task: Task::searched(RunLevel::Oltp, rounds_within(50, 30)), ..request(RunLevel::Oltp) },
    )
}

/// Visits to a slow device are extended, and there is no time for the last points.
fn out_of_time() -> anyhow::Result<Record> {
    on_disk("servers=1,service=2s,rate=0", request(RunLevel::Oltp).paced(rounds_within(50, 60)))
}
