//! Layers between a target and its disks, and what `rigel doctor` says of them: tables and states that only the kernel of a real
//! device mapper and a real RAID tells.

use super::super::case::{Case, CaseStep};
use super::super::outcome::Outcome;
use anyhow::Context as _;
use serde_json::Value;

/// Exit code of findings of severity error (docs/reference/commands.md).
const CHECK_FAILED: i32 = 1;

pub fn cases() -> Vec<Case> {
    vec![layers()]
}

/// Two SCSI drives as the paths of a multipath device, with an encrypted volume on top; two more as a RAID. One path is reported as failed.
fn layers() -> Case {
    Case {
        name: "layers",
        modules: &[
            "sd_mod", "scsi_debug", "dm-mod", "dm-multipath", "dm-round-robin", "dm-crypt", "raid0", "md-mod", "xts", "aes_generic", "ecb",
        ],
        setup: "modprobe sd_mod\n\
             modprobe scsi_debug dev_size_mb=16 delay=0 num_tgts=4 physblk_exp=3\n\
             until [ -b /dev/sdd ]; do usleep 20000; done\n\
             modprobe -a dm-multipath dm-round-robin dm-crypt raid0 xts ecb aes_generic\n\
             size=$(blockdev --getsz /dev/sda)\n\
             echo \"0 $size multipath 1 queue_if_no_path 0 1 1 round-robin 0 2 1 /dev/sda 1 /dev/sdb 1\" \
             | dmsetup create paths --uuid mpath-1 --noudevsync\n\
             key=$(printf '%064d' 7)\n\
             echo \"0 $((size - 16)) crypt aes-xts-plain64 $key 0 /dev/dm-0 16\" \
             | dmsetup create secret --uuid CRYPT-LUKS2-1 --noudevsync\n\
             dmsetup message paths 0 \"fail_path /dev/sdb\"\n\
             echo md_vm >/sys/module/md_mod/parameters/new_array\n\
             md=/sys/block/md_vm/md\n\
             echo external:vm >$md/metadata_version\n\
             echo raid0 >$md/level\n\
             echo 65536 >$md/chunk_size\n\
             echo 2 >$md/raid_disks\n\
             for disk in sdc sdd; do cat /sys/block/$disk/dev >$md/new_dev; echo 8192 >$md/dev-$disk/size; done\n\
             echo 0 >$md/dev-sdc/slot\n\
             echo 1 >$md/dev-sdd/slot\n\
             echo active >$md/array_state\n"
            .to_owned(),
        steps: vec![
            CaseStep::program("secret", 60, &["rigel", "doctor", "/dev/dm-1", "--json"]),
            CaseStep::program("raid", 60, &["rigel", "doctor", "/dev/md_vm", "--json"]),
            CaseStep::program("text", 60, &["rigel", "doctor", "--all"]),
            CaseStep::shell("tree", 60, include_str!("../../../../../crates/rigel-io/tests-data/machines/capture.sh")),
        ],
        teardown: "echo clear >/sys/block/md_vm/md/array_state\n\
             dmsetup remove --noudevsync secret\n\
             dmsetup remove --noudevsync paths\n\
             usleep 200000\n\
             rmmod scsi_debug\n"
            .to_owned(),
        judge: judge_layers,
    }
}

fn judge_layers(outcome: &Outcome) -> anyhow::Result<String> {
    let secret = outcome.step("secret")?.ended_with(CHECK_FAILED)?.document()?;
    let found = |document: &Value, rule: &str| {
        let settings = document["settings"].as_array().cloned().unwrap_or_default();
        let setting = settings.into_iter().find(|setting| setting["rule"] == rule);
        setting.with_context(|| format!("nothing of {rule} in {document}"))
    };
    for (rule, verdict, words) in [
        ("multipath-paths", "error", "1 of 2 failed: sdb"),
        ("multipath-policy", "note", "round-robin"),
        ("multipath-queueing", "note", "I/O waits"),
        ("multipath-single", "fine", "2"),
    ] {
        let setting = found(&secret, rule)?;
        let value = setting["value"].as_str().unwrap_or_default();
        anyhow::ensure!(setting["verdict"] == verdict && value == words, "{rule}: {setting}");
    }
    anyhow::ensure!(!secret.to_string().contains("00000007"), "the key of the encrypted volume is told");
    // Its disks are memory.
    let raid = outcome.step("raid")?.ended_with(CHECK_FAILED)?.document()?;
    let ahead = found(&raid, "stripe-read-ahead")?;
    let value = ahead["value"].as_str().unwrap_or_default();
    anyhow::ensure!(value.ends_with("64 KiB x 2 disks = 128 KiB"), "{ahead}");
    let text = outcome.step("text")?.ended_with(CHECK_FAILED)?;
    anyhow::ensure!(text.stdout.contains("dm-1 (secret)"), "no device mapper in the list: {}", text.stdout);
    Ok("a failed path, a RAID and an encrypted volume, down to the disks".to_owned())
}
