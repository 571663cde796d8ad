//! Mirrors whose legs the kernel itself keeps alike, and what `rigel scrub` says of them: alike, with one leg changed behind the back of the
//! array, and while the array is written.

use super::super::case::{Case, CaseStep};
use super::super::outcome::Outcome;
use serde_json::Value;

/// Exit code where copies differ (docs/reference/commands.md).
const CHECK_FAILED: i32 = 1;
/// Where the legs are changed, in blocks of 4 KiB of the data, and in bytes.
const CHANGED_BLOCK: u64 = 100;
const CHANGED: u64 = CHANGED_BLOCK * 4096;
const MIRRORS: [(&str, &[&str]); 3] = [
    ("array", &["--md", "/dev/md_vm"]),
    ("mirror", &["--lvm", "vg0/mirror"]),
    ("raid", &["--lvm", "vg0/raid"]),
];

pub fn cases(scrub_minutes: u32) -> Vec<Case> {
    vec![mirrors(scrub_minutes)]
}

/// Six RAM disks as the legs of an array and of two volumes as LVM has them; the second legs begin later. With
/// external metadata the first write waits until somebody has noted that the array is no longer clean
/// (`write-pending`); it never becomes clean again.
fn mirrors(scrub_minutes: u32) -> Case {
    let scrub = |suffix: &str, name: &str, which: &[&str]| {
        let words: Vec<&str> = ["rigel", "scrub", "--json", "--quiet"].iter().chain(which).copied().collect();
        CaseStep::program(&format!("{name}-{suffix}"), 60, &words)
    };
    let mut steps: Vec<CaseStep> = MIRRORS.iter().map(|(name, which)| scrub("alike", name, which)).collect();
    let spoil = format!(
        "for leg in ram1:256 ram3:256 ram5:0; do dd if=/dev/zero of=/dev/${{leg%:*}} bs=4096 count=1 seek=$((${{leg#*:}} + {CHANGED_BLOCK})) \
         conv=notrunc,fsync || exit 9; done\n"
    );
    steps.push(CaseStep::shell("spoil", 30, &spoil));
    steps.extend(MIRRORS.iter().map(|(name, which)| scrub("changed", name, which)));
    steps.push(CaseStep::shell("live", 240 + scrub_minutes * 60, &live(scrub_minutes)));
    Case {
        name: "mirrors",
        modules: &["crc32c_generic", "brd", "raid1", "md-mod", "dm-mod", "dm-mirror", "dm-raid"],
        setup: "modprobe crc32c_generic\n\
             modprobe brd rd_nr=6 rd_size=16384\n\
             modprobe -a raid1 dm-mirror dm-raid\n\
             echo md_vm >/sys/module/md_mod/parameters/new_array\n\
             md=/sys/block/md_vm/md\n\
             echo external:vm >$md/metadata_version\n\
             echo raid1 >$md/level\n\
             echo 2 >$md/raid_disks\n\
             echo 8192 >$md/component_size\n\
             for disk in ram0 ram1; do cat /sys/block/$disk/dev >$md/new_dev; done\n\
             echo 2048 >$md/dev-ram1/offset\n\
             for disk in ram0 ram1; do echo 8192 >$md/dev-$disk/size; done\n\
             echo 0 >$md/dev-ram0/slot\n\
             echo 1 >$md/dev-ram1/slot\n\
             echo none >$md/resync_start\n\
             echo 0 >$md/safe_mode_delay\n\
             echo active >$md/array_state\n\
             echo '0 16384 mirror core 2 1024 nosync 2 /dev/ram2 0 /dev/ram3 2048' \
             | dmsetup create vg0-mirror --uuid LVM-1 --noudevsync\n\
             echo '0 16384 raid raid1 2 0 nosync 2 - /dev/ram4 - /dev/ram5' \
             | dmsetup create vg0-raid --uuid LVM-2 --noudevsync\n\
             for dm in /sys/block/dm-*; do dd if=/dev/urandom of=/dev/${dm##*/} bs=1M count=8 conv=fsync; done\n\
             dd if=/dev/urandom of=/dev/md_vm bs=1M count=8 conv=fsync &\n\
             writer=$!\n\
             while kill -0 $writer 2>/dev/null; do\n\
             [ \"$(cat $md/array_state)\" != write-pending ] || echo active >$md/array_state\n\
             usleep 20000\n\
             done\n\
             wait $writer\n"
            .to_owned(),
        steps,
        teardown: "echo clear >/sys/block/md_vm/md/array_state\n\
             dmsetup remove --noudevsync vg0-mirror\n\
             dmsetup remove --noudevsync vg0-raid\n\
             usleep 200000\n\
             rmmod brd\n"
            .to_owned(),
        judge: judge_mirrors,
    }
}

/// Scrubs of the array, six or for some minutes, while it is written everywhere but where the legs were changed.
fn live(minutes: u32) -> String {
    format!(
        "(while :; do for at in 0 7 40 90; do dd if=/dev/urandom of=/dev/md_vm bs=65536 count=3 seek=$at conv=notrunc,fsync 2>/dev/null; done; done) &\n\
         writer=$!\n\
         end=$(($(date +%s) + {minutes} * 60))\n\
         round=0\n\
         while [ $round -lt 6 ] || [ $(date +%s) -lt $end ]; do\n\
         code=0\n\
         rigel scrub --md /dev/md_vm --json --quiet 2>>live-errors || code=$?\n\
         [ $code -eq {CHECK_FAILED} ] || break\n\
         round=$((round + 1))\n\
         done\n\
         kill $writer || exit 9\n\
         exit $code\n"
    )
}

fn judge_mirrors(outcome: &Outcome) -> anyhow::Result<String> {
    for (name, _) in MIRRORS {
        let document = outcome.step(&format!("{name}-alike"))?.ended_with(0)?.document()?;
        anyhow::ensure!(document["compared_bytes"] == 8 << 20 && document["alike"] == true, "{document}");
        let document = outcome.step(&format!("{name}-changed"))?.ended_with(CHECK_FAILED)?.document()?;
        only_where_changed(&document)?;
    }
    let documents = outcome.step("live")?.ended_with(CHECK_FAILED)?.documents()?;
    for document in &documents {
        only_where_changed(document)?;
    }
    let passed: u64 = documents.iter().filter_map(|document| document["passed"].as_u64()).sum();
    let scrubs = documents.len();
    Ok(format!("an array and two volumes; {passed} blocks in flight were no difference in {scrubs} scrubs"))
}

fn only_where_changed(document: &Value) -> anyhow::Result<()> {
    let differences = document["differences"].as_array().map(Vec::as_slice).unwrap_or_default();
    anyhow::ensure!(differences.len() == 1, "one leg was changed at one place: {document}");
    let range = &differences[0];
    anyhow::ensure!(range["at"] == CHANGED && range["len"] == 4096, "changed at {CHANGED}: {document}");
    Ok(())
}
