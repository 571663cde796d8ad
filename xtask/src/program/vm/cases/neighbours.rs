//! Two runs on one disk by different names, which a host without partitions or volumes cannot show: the disk, a partition of it, and a
//! volume on that partition.

use super::super::case::{Case, CaseStep};
use super::super::outcome::Outcome;
use super::{REFUSED, RUN_SECONDS};

/// The refusal of the second run.
const REFUSAL: &str = "another run of Rigel is loading the target";
/// (step, target of the first run, other names of its storage, names of other storage)
const PAIRS: [(&str, &str, &[&str], &[&str]); 3] = [
    ("volume", "dm-0", &["sda", "sda1"], &["sda2", "sdb"]),
    ("partition", "sda1", &["sda", "dm-0"], &["sda2", "sdb"]),
    ("disk", "sda", &["sda1", "sda2", "dm-0"], &["sdb"]),
];

pub fn cases() -> Vec<Case> {
    vec![neighbours()]
}

/// A device-mapper volume on the first of two partitions; the other disk has no neighbour.
fn neighbours() -> Case {
    let steps = PAIRS.iter().map(|(name, first, same, other)| {
        let seconds: Vec<&str> = same.iter().chain(*other).copied().collect();
        CaseStep::shell(name, 2 * RUN_SECONDS, &beside(name, first, &seconds))
    });
    Case {
        name: "neighbours",
        modules: &["sd_mod", "scsi_debug", "dm-mod"],
        setup: "modprobe sd_mod\n\
             modprobe scsi_debug dev_size_mb=32 delay=0 num_tgts=2 num_parts=2\n\
             modprobe dm-mod\n\
             until [ -b /dev/sda2 ] && [ -b /dev/sdb ]; do usleep 20000; done\n\
             for disk in sda1 sda2 sdb; do dd if=/dev/urandom of=/dev/$disk bs=64k conv=fsync || true; done\n\
             echo \"0 16384 linear /dev/sda1 0\" | dmsetup create volume --noudevsync\n"
            .to_owned(),
        steps: steps.collect(),
        teardown: "dmsetup remove --noudevsync volume\n\
             usleep 200000\n\
             rmmod scsi_debug\n"
            .to_owned(),
        judge,
    }
}

/// A run that continues, and concurrent runs under other names, each of which writes a line `NAME CODE` to standard
/// output; the first of these names again when the first run is over, as `last`.
fn beside(name: &str, first: &str, seconds: &[&str]) -> String {
    let run = |target: &str, span: &str, output: &str| {
        format!(
            "rigel run advanced /dev/{target} --matrix point --num-large 0 --num-small 2 --duration {span} --name {output} --quiet --allow-memory"
        )
    };
    let (names, own) = (seconds.join(" "), format!("{name}-first"));
    format!(
        "{first_run} >{own}.txt 2>&1 &\n\
         first=$!\n\
         until ls {own}_2*_record.jsonl 2>/dev/null >&2; do usleep 100000; done\n\
         for target in {names}; do\n\
         code=0\n\
         {second_run} >/dev/null || code=$?\n\
         echo $target $code\n\
         done\n\
         kill -TERM $first\n\
         wait $first || true\n\
         code=0\n\
         {last_run} >/dev/null || code=$?\n\
         echo last $code\n",
        first_run = run(first, "600s", &own),
        second_run = run("$target", "1s", &format!("{name}-second")),
        last_run = run(seconds[0], "1s", &format!("{name}-last")),
    )
}

fn judge(outcome: &Outcome) -> anyhow::Result<String> {
    let mut refused = 0;
    for (name, first, same, other) in PAIRS {
        let step = outcome.step(name)?.ended_with(0)?;
        let code = |target: &str| {
            let line = step.stdout.lines().find_map(|line| line.strip_prefix(target)?.strip_prefix(' '));
            line.and_then(|code| code.parse::<i32>().ok())
        };
        for target in same {
            anyhow::ensure!(code(target) == Some(REFUSED), "{target} beside {first}: {:?}", code(target));
        }
        for target in other.iter().chain(&["last"]) {
            // 1: the emulated CPUs are too busy for the numbers to be used.
            anyhow::ensure!(
                matches!(code(target), Some(0 | 1)),
                "{target} beside {first}: {:?}",
                code(target)
            );
        }
        refused += step.stderr.matches(REFUSAL).count();
    }
    let wanted: usize = PAIRS.iter().map(|(_, _, same, _)| same.len()).sum();
    anyhow::ensure!(refused == wanted, "{refused} of {wanted} say why");
    Ok(format!("{refused} second runs on the same storage were refused, by whatever name"))
}
