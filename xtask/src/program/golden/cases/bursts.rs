//! Bursts: a token bucket, one of bytes, no fall, a fall that no pause undoes, a bucket that was empty, a drift, and a run that was stopped.

use super::super::simulated::{on_disk, own};
use super::Case;
use rigel_core::load::burst::Burst;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::record::{ClosingLine, End, Record};
use rigel_core::units::Nanos;

/// Four stations: at most 400 I/Os per second.
const FOUR: &str = "servers=4,service=10ms,rate=0,spread=lognormal:20%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("burst-bucket", || small(",bucket=100:6000")),
        Case::of("burst-bytes", large),
        Case::of("burst-none", || small("")),
        Case::of("burst-no-bucket", || small(",fall=0.3:30s")),
        Case::of("burst-empty", || small(",bucket=100:6000:0")),
        Case::of("burst-drift", || small(",drift=-30%")),
        Case::of("burst-stopped", stopped),
    ]
}

fn small(disturbance: &str) -> anyhow::Result<Record> {
    burst(&format!("{FOUR}{disturbance}"), Class::SMALL, "burst --for 2m /dev/sdb ")
}

fn large() -> anyhow::Result<Record> {
    let law = "servers=4,service=10ms,rate=400M,cap=100M:6G";
    burst(law, Class::LARGE, "burst --large --for 2m /dev/sdb ")
}

fn burst(law: &str, name: Class, command_line: &str) -> anyhow::Result<Record> {
    let classes = LoadClass::pair(8 << 10, 1 << 20).into_iter().filter(|class| class.name == name);
    let burst = Burst { time: Nanos::from_secs(120), ..Burst::usual(name) };
    let task = Task::Burst { burst, phases: burst.phases(name, burst.outstanding(1)) };
    let asked = own(RunLevel::Burst, classes.collect());
    on_disk(law, Request { task, command_line: command_line.into(), ..asked })
}

/// Ended by its user while the rate was low, before the pause.
fn stopped() -> anyhow::Result<Record> {
    let mut record = small(",bucket=100:6000")?;
    record.visits.pop();
    let ended = record.closing.as_ref().map_or_else(String::new, |closing| closing.ended.clone());
    let reason = Some("stopped by the user".to_owned());
    record.closing = Some(ClosingLine { ended, complete: false, reason, end: Some(End::Stopped) });
    Ok(record)
}
