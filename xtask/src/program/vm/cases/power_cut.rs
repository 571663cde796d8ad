//! A disk with a volatile write cache whose power is cut while `rigel durability` writes: null_blk keeps what was flushed, and forgets the rest. Once
//! it says that it has a cache, and is flushed; once it says that it has none, and nobody flushes it.

use super::super::case::{Case, CaseStep};
use super::super::outcome::Outcome;
use anyhow::Context as _;
use serde_json::Value;

/// Exit code for missing acknowledged writes (docs/reference/commands.md).
const CHECK_FAILED: i32 = 1;
const HONEST: &str = "honest";
const LYING: &str = "lying";
/// The cache holds more than is written, so that nothing leaves it by itself.
const CACHE_MB: u32 = 16;

pub fn cases() -> Vec<Case> {
    vec![Case {
        name: "power-cut",
        modules: &["null_blk"],
        setup: format!(
            "modprobe null_blk nr_devices=0\n\
             mount -t configfs configfs /sys/kernel/config\n\
             mkdir /sys/kernel/config/nullb/nullb0\n\
             cd /sys/kernel/config/nullb/nullb0\n\
             echo 32 >size\n\
             echo 1 >memory_backed\n\
             echo {CACHE_MB} >cache_size\n\
             echo 1 >power\n"
        ),
        steps: vec![
            CaseStep::shell(HONEST, 120, &cut(HONEST, "write back")),
            CaseStep::shell(LYING, 120, &cut(LYING, "write through")),
        ],
        teardown: "echo 0 >/sys/kernel/config/nullb/nullb0/power\n\
             rmdir /sys/kernel/config/nullb/nullb0\n\
             umount /sys/kernel/config\n\
             rmmod null_blk\n"
            .to_owned(),
        judge,
    }]
}

/// Several hundred acknowledgements, the cut, and the check. `cache`: what the disk says about its cache.
fn cut(name: &str, cache: &str) -> String {
    format!(
        "power=/sys/kernel/config/nullb/nullb0/power\n\
         echo '{cache}' >/sys/block/nullb0/queue/write_cache\n\
         (rigel durability run /dev/nullb0 --destroy-data /dev/nullb0 --size 8M --for 10m --quiet 2>{name}.run \
         | rigel durability witness {name}.acks --quiet >{name}.witness 2>&1) &\n\
         until [ \"$(cat {name}.acks 2>/dev/null | wc -l)\" -gt 300 ]; do usleep 20000; done\n\
         echo 0 >$power\n\
         killall -KILL rigel\n\
         wait\n\
         echo 1 >$power\n\
         until [ -b /dev/nullb0 ]; do usleep 20000; done\n\
         exec rigel durability check /dev/nullb0 {name}.acks --json --quiet\n"
    )
}

fn judge(outcome: &Outcome) -> anyhow::Result<String> {
    let honest = outcome.step(HONEST)?.ended_with(0)?.document()?;
    let lying = outcome.step(LYING)?.ended_with(CHECK_FAILED)?.document()?;
    let count = |document: &Value, what: &str| {
        document[what].as_u64().with_context(|| format!("no number of {what}: {document}"))
    };
    anyhow::ensure!(honest["kept_all"] == true && count(&honest, "judged")? > 0, "{honest}");
    anyhow::ensure!(lying["kept_all"] == false && count(&lying, "lost")? > 0, "{lying}");
    for none in ["corrupt", "misdirected", "unreadable"] {
        anyhow::ensure!(count(&lying, none)? == 0, "{lying}");
    }
    Ok(format!(
        "flushed: {} acknowledged, all kept; not flushed: {} of {} gone",
        count(&honest, "judged")?,
        count(&lying, "lost")?,
        count(&lying, "judged")?
    ))
}
