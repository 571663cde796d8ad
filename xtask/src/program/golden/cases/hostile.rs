//! Names and messages of others, in every place of a record that holds some: they must steer no terminal, no page and no reader of a format.

use super::super::simulated::{on_disk, once, request, rounds};
use super::Case;
use super::interrupted::stop;
use rigel_core::load::matrix::RunLevel;
use rigel_core::record::Record;

const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// Several kinds of markup, quotes, a comma, a line feed, an escape code, a change of direction, and a byte that is not UTF-8, as paths show it.
pub const NAME: &str =
    "a<b>&\"'`|,;*_[x](http://e.x)</script>{}\n# x\r\u{1b}[2J\u{202e}%s\\n\\xff\u{feff}\u{0}é漢";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("hostile-names", || named(NAME)),
        Case::of("hostile-long-names", || named(&"n".repeat(300))),
        Case::of("hostile-wide-names", || named(&"漢字 ".repeat(30))),
        Case::of("hostile-reasons", reasons),
    ]
}

fn named(name: &str) -> anyhow::Result<Record> {
    let mut record = on_disk(SLOW, request(RunLevel::Simple).paced(once(1)))?;
    everywhere(&mut record, name);
    Ok(record)
}

/// Puts a name into every place that has one.
pub fn everywhere(record: &mut Record, name: &str) {
    let header = &mut record.header;
    let text = || name.to_owned();
    header.run_id = text();
    header.request.name = text();
    header.request.command_line = format!("simple {name} ");
    let node = header.nodes.first_mut();
    node.host.kernel = text();
    node.host.machine = text();
    node.host.cpu_model = Some(text());
    node.host.hypervisor = Some(text());
    node.host.product = Some(text());
    node.host.cgroup.io_max = vec![text()];
    node.engine.notes = vec![text()];
    node.engine.reason = Some(text());
    for target in &mut header.targets {
        target.path = text();
        target.real_path = text();
        target.filesystem = Some(text());
        target.mount_point = Some(text());
        if let Some(device) = &mut target.device {
            device.model = Some(text());
            device.scheduler = Some(text());
            device.identifier = Some(text());
        }
    }
}

/// A run whose last words, and those of the host meanwhile, come from others.
fn reasons() -> anyhow::Result<Record> {
    let mut record = on_disk(SLOW, request(RunLevel::Simple).paced(rounds(100)))?;
    stop(&mut record, 9);
    if let Some(closing) = &mut record.closing {
        closing.reason = Some(NAME.into());
    }
    for visit in &mut record.visits[3..] {
        visit.nodes[0].changed.io_max = Some(vec![NAME.into()]);
    }
    record.header.targets[0].direct_io = Some(false);
    record.header.targets[0].direct_io_refusal = Some(NAME.into());
    Ok(record)
}
