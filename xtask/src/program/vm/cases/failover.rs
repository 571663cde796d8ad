//! Layers that fail while `rigel run through` holds a rate: a mirror whose leg is pulled and rebuilt, and a multipath device whose paths fail.
//!
//! What is told is held against runs of their own and against the time for which the paths were gone. A script does the next thing when the record
//! has what the host noticed of the last one, so nothing depends on how fast the machine is.

use super::super::case::{Case, CaseStep};
use super::super::judge;
use super::super::outcome::Outcome;
use anyhow::Context as _;
use serde_json::Value;

/// Exit code where a limit is not met (docs/reference/commands.md).
const CHECK_FAILED: i32 = 1;
/// Exit code of a run that was stopped.
const STOPPED: i32 = 4;
/// Intervals before something is done; five have to be over.
const LEVEL: u32 = 8;
/// Far more than the scripts need: a machine may be slow.
const STEP_SECONDS: u32 = 300;

/// The legs do one I/O after the other in that time, so the rebuild and the load wait for each other.
const SERVICE_MS: u32 = 10;
/// I/Os that wait in front of a leg at most, and how large each is.
const QUEUE: u32 = 32;
const IO_KIB: u32 = 8;
const LEG_KIB: u32 = 16 << 10;
/// A fifth of what a leg does.
const MIRROR_RATE: u32 = 20;
/// Latencies of two runs may differ by that factor beyond their intervals: what else this host does makes the machine slower meanwhile.
const DRIFT: f64 = 2.0;

/// What the host tells of the mirror, in that order.
const MIRROR_MARKS: [&str; 4] = [
    "md_vm, sdb: member in_sync -> faulty",
    "md_vm: array action idle -> recover",
    "md_vm: array action recover -> idle",
    "md_vm: members missing 1 -> 0",
];
/// And of the paths.
const PATH_MARKS: [&str; 6] = [
    "sda: SCSI device running -> offline",
    "paths, sda: multipath path active -> failed",
    "sda: SCSI device offline -> running",
    "paths, sda: multipath path failed -> active",
    "paths, sdb: multipath path active -> failed",
    "paths, sdb: multipath path failed -> active",
];

/// For how long no path is there.
const GONE_SECONDS: u32 = 6;
/// What the machine may take from the return of a path to the next I/O.
const LATE: f64 = 2.0;

pub fn cases() -> Vec<Case> {
    vec![rebuild(), paths()]
}

/// A mirror without metadata, so that nobody but this case has to keep it.
fn rebuild() -> Case {
    let run = format!("rigel run through /dev/md_vm --rate {MIRROR_RATE} --json --quiet");
    let alone = |name: &str| {
        format!("rigel run open /dev/md_vm --rate {MIRROR_RATE} --duration 20s --json --quiet --name {name}")
    };
    Case {
        name: "failover-rebuild",
        modules: &["sd_mod", "scsi_debug", "md-mod", "raid1"],
        setup: mirror(),
        steps: vec![
            CaseStep::shell("quiet", STEP_SECONDS, &alone("quiet")),
            CaseStep::shell("under", STEP_SECONDS, &under(&alone("under"), &run)),
            CaseStep::shell("held", 2 * STEP_SECONDS, &held(&run)),
        ],
        teardown: "echo clear >/sys/block/md_vm/md/array_state\n\
             usleep 200000\n\
             rmmod scsi_debug\n"
            .to_owned(),
        judge: judge_rebuild,
    }
}

/// Two SCSI drives with the same data, each with memory of its own. Their host takes many commands, they take one at a time.
fn mirror() -> String {
    let nanoseconds = SERVICE_MS * 1_000_000;
    format!(
        "modprobe sd_mod\n\
         modprobe scsi_debug dev_size_mb={} add_host=2 per_host_store=1 ndelay={nanoseconds}\n\
         until [ -b /dev/sda ] && [ -b /dev/sdb ]; do usleep 20000; done\n\
         modprobe raid1\n\
         dd if=/dev/urandom of=/tmp/data bs=64k count={}\n\
         for disk in sda sdb; do\n\
         dd if=/tmp/data of=/dev/$disk bs=1M conv=fsync\n\
         echo none >/sys/block/$disk/queue/scheduler\n\
         echo {QUEUE} >/sys/block/$disk/queue/nr_requests\n\
         echo {IO_KIB} >/sys/block/$disk/queue/max_sectors_kb\n\
         echo 1 >/sys/block/$disk/device/queue_depth\n\
         done\n\
         rm /tmp/data\n\
         echo md_vm >/sys/module/md_mod/parameters/new_array\n\
         md=/sys/block/md_vm/md\n\
         echo none >$md/metadata_version\n\
         echo raid1 >$md/level\n\
         echo 2 >$md/raid_disks\n\
         echo {LEG_KIB} >$md/component_size\n\
         for disk in sda sdb; do cat /sys/block/$disk/dev >$md/new_dev; echo {LEG_KIB} >$md/dev-$disk/size; done\n\
         echo 0 >$md/dev-sda/slot\n\
         echo 1 >$md/dev-sdb/slot\n\
         echo none >$md/resync_start\n\
         echo active >$md/array_state\n\
         echo 100000 >$md/sync_speed_min\n",
        LEG_KIB >> 10,
        LEG_KIB >> 6,
    )
}

/// Shell functions that pull a leg, and that put it back, from when on it is rebuilt.
fn leg() -> String {
    format!(
        "md=/sys/block/md_vm/md\n\
         pull() {{ echo faulty >$md/dev-sdb/state; }}\n\
         back() {{\n\
         until echo remove >$md/dev-sdb/state; do usleep 50000; done\n\
         cat /sys/block/sdb/dev >$md/new_dev\n\
         echo {LEG_KIB} >$md/dev-sdb/size\n\
         echo 1 >$md/dev-sdb/slot\n\
         echo recover >$md/sync_action\n\
         }}\n"
    )
}

/// A run while the leg is rebuilt, however often, and one through it.
fn under(alone: &str, run: &str) -> String {
    format!(
        "{}pull\n\
         back\n\
         (while usleep 100000; do [ \"$(cat $md/sync_action)\" = recover ] || {{ pull; back; }}; done) &\n\
         again=$!\n\
         code=0\n\
         {alone} || code=$?\n\
         {run} --for 10s --name already >already.json\n\
         kill $again\n\
         until [ \"$(cat $md/sync_action)\" = idle ]; do usleep 100000; done\n\
         exit $code\n",
        leg()
    )
}

/// A run in which the leg is pulled and rebuilt; it ends when that is over and there is a level after it. Where the machine itself stood still for
/// so long that there is none before or after, it is made again.
fn held(run: &str) -> String {
    let name = "held${try}";
    format!(
        "{leg}\
         for try in 1 2 3; do\n\
         {run} --for 30m --name {name} --require 'errors = 0' >held.json &\n\
         run=$!\n\
         {level}\
         rigel mark 'disk pulled' >&2\n\
         pull\n\
         {pulled}\
         back\n\
         {idle}\
         over={count}\n\
         until [ {count} -ge $((over + {LEVEL})) ]; do usleep 200000; done\n\
         kill -TERM $run\n\
         code=0\n\
         wait $run || code=$?\n\
         if grep -q '\"span\": \"after\"' held.json; then break; fi\n\
         done\n\
         cat held.json\n\
         exit $code\n",
        leg = leg(),
        level = until_level(name),
        pulled = until_told(name, "sdb", "in_sync", "faulty"),
        idle = until_told(name, "md_vm", "recover", "idle"),
        count = count(name),
    )
}

/// As a shell counts the intervals of a run.
fn count(name: &str) -> String {
    format!("$(cat {name}_2*_record.jsonl 2>/dev/null | grep -c '\"interval\"')")
}

fn until_level(name: &str) -> String {
    format!("until [ {} -ge {LEVEL} ]; do usleep 200000; done\n", count(name))
}

/// Waits until the record has it that the state of a device changed.
fn until_told(name: &str, device: &str, from: &str, to: &str) -> String {
    format!(
        "until grep -q '{device}\",\"from\":\"{from}\",\"to\":\"{to}\"' {name}_2*_record.jsonl; do usleep 100000; done\n"
    )
}

/// Two SCSI drives with the same data are the paths.
fn paths() -> Case {
    let gone = ["errors = 0", "standstill < 1s", "standstill < 100s"];
    Case {
        name: "failover-paths",
        modules: &["sd_mod", "scsi_debug", "dm-mod", "dm-multipath", "dm-round-robin"],
        setup: "modprobe sd_mod\n\
             modprobe scsi_debug dev_size_mb=16 num_tgts=2 ndelay=5000000\n\
             until [ -b /dev/sda ] && [ -b /dev/sdb ]; do usleep 20000; done\n\
             modprobe -a dm-multipath dm-round-robin\n\
             dd if=/dev/urandom of=/dev/sda bs=1M count=16 conv=fsync\n\
             echo \"0 $(blockdev --getsz /dev/sda) multipath 1 queue_if_no_path 0 1 1 round-robin 0 2 1 /dev/sda 1 /dev/sdb 1\" \
             | dmsetup create paths --uuid mpath-1 --noudevsync\n"
            .to_owned(),
        steps: vec![
            CaseStep::shell("one", STEP_SECONDS, &on_paths("one", &["errors = 0", "standstill < 30s"], &one())),
            CaseStep::shell("none", STEP_SECONDS, &on_paths("none", &gone, &none("rigel mark 'both pulled' >&2\n"))),
            CaseStep::shell(
                "refused",
                STEP_SECONDS,
                &on_paths("refused", &["errors = 0"], &none("dmsetup message paths 0 fail_if_no_path\n")),
            ),
        ],
        teardown: "dmsetup remove --noudevsync paths\n\
             usleep 200000\n\
             rmmod scsi_debug\n"
            .to_owned(),
        judge: judge_paths,
    }
}

/// A run of a minute in which something is done to the paths.
fn on_paths(name: &str, limits: &[&str], script: &str) -> String {
    let limits: String = limits.iter().map(|limit| format!(" --require '{limit}'")).collect();
    format!(
        "now() {{ read -r up _ </proc/uptime; echo \"$1 $up\" >>{name}-times; }}\n\
         rigel run through /dev/dm-0 --rate 30 --for 60s --name {name} --json --quiet{limits} &\n\
         run=$!\n\
         {}{script}\
         wait $run\n",
        until_level(name),
    )
}

/// A drive that answers no more, which the kernel finds out, and a path that is taken away.
fn one() -> String {
    let told = |device: &str, from: &str, to: &str| until_told("one", device, from, to);
    [
        "rigel mark 'path A pulled' >&2\necho offline >/sys/block/sda/device/state\n".to_owned(),
        told("paths, sda", "active", "failed"),
        "echo running >/sys/block/sda/device/state\ndmsetup message paths 0 'reinstate_path /dev/sda'\n"
            .to_owned(),
        told("paths, sda", "failed", "active"),
        "dmsetup message paths 0 'fail_path /dev/sdb'\n".to_owned(),
        told("paths, sdb", "active", "failed"),
        "dmsetup message paths 0 'reinstate_path /dev/sdb'\n".to_owned(),
        told("paths, sdb", "failed", "active"),
    ]
    .concat()
}

/// No path for some seconds, and when that was.
fn none(first: &str) -> String {
    format!(
        "{first}\
         now failing\n\
         for path in sda sdb; do dmsetup message paths 0 \"fail_path /dev/$path\"; done\n\
         now failed\n\
         sleep {GONE_SECONDS}\n\
         now returning\n\
         for path in sda sdb; do dmsetup message paths 0 \"reinstate_path /dev/$path\"; done\n\
         now returned\n"
    )
}

fn judge_rebuild(outcome: &Outcome) -> anyhow::Result<String> {
    let quiet = judge::document(outcome, "quiet")?;
    let under = judge::document(outcome, "under")?;
    let held = outcome.step("held")?.ended_with(STOPPED)?.document()?;
    in_order(&held, &MIRROR_MARKS)?;
    anyhow::ensure!(
        marks(&held).any(|what| what == "you: disk pulled"),
        "no mark of ours: {}",
        held["marks"]
    );
    anyhow::ensure!(held["errors"] == 0 && held["limits"][0]["kept"] == "yes", "failed: {}", held["limits"]);
    let (rebuild, cost) = rebuilt(&held)?;
    let before = Figure::of(level(&held, "before")?)?;
    before.is_like(&alone(&quiet)?).context("before it and without one")?;
    let during = cost.times(before.mean);
    during.is_like(&alone(&under)?).context("during it and under another one")?;
    level(&held, "after")?;
    already(&serde_json::from_str(&outcome.text("already.json")?)?)?;
    Ok(format!(
        "a rebuild of {:.0} s cost {:+.0} % ({:+.0} to {:+.0}), from {:.0} to {:.0} ms",
        number(&rebuild["lasted_s"])?,
        100.0 * (cost.mean - 1.0),
        100.0 * (cost.low - 1.0),
        100.0 * (cost.high - 1.0),
        before.mean / 1e3,
        during.mean / 1e3,
    ))
}

/// The only rebuild of the run, and what the latency was meanwhile over that before: it took as long as the leg is large, and the load was held.
fn rebuilt(held: &Value) -> anyhow::Result<(&Value, Figure)> {
    let rebuild = &held["rebuilds"][0];
    anyhow::ensure!(held["rebuilds"][1].is_null() && rebuild["action"] == "recover", "{}", held["rebuilds"]);
    let bytes = number(&rebuild["bytes_per_s"]["value"])? * number(&rebuild["lasted_s"])?;
    let size = f64::from(LEG_KIB) * 1024.0;
    anyhow::ensure!((bytes / size - 1.0).abs() < 0.25, "{bytes} bytes of {size} were rebuilt: {rebuild}");
    let rate = number(&rebuild["rate_ratio"]["value"])?;
    anyhow::ensure!((0.7..1.4).contains(&rate), "the rate was not held: {rebuild}");
    let cost = Figure::of(&rebuild["latency_ratio"])?;
    anyhow::ensure!(cost.low > 1.0, "it cost nothing: {rebuild}");
    Ok((rebuild, cost))
}

/// A rebuild that was there before the load is told from the start, and without a cost: nothing is known without it.
fn already(under: &Value) -> anyhow::Result<()> {
    for what in ["array action recover from the start", "members missing 1 from the start"] {
        let mark = format!("host: md_vm: {what}");
        anyhow::ensure!(marks(under).any(|own| own == mark), "no mark '{mark}': {}", under["marks"]);
    }
    let known = &under["rebuilds"][0];
    let is_told = known["action"].is_null() && known["share"].is_number();
    anyhow::ensure!(is_told && known["latency_ratio"].is_null(), "there is no level without it: {known}");
    Ok(())
}

fn judge_paths(outcome: &Outcome) -> anyhow::Result<String> {
    let one = outcome.step("one")?.ended_with(0)?.document()?;
    in_order(&one, &PATH_MARKS)?;
    anyhow::ensure!(one["errors"] == 0 && one["complete"] == true, "{}", one["told"]);
    let none = outcome.step("none")?.ended_with(CHECK_FAILED)?.document()?;
    let kept: Vec<&Value> =
        none["limits"].as_array().into_iter().flatten().map(|limit| &limit["kept"]).collect();
    anyhow::ensure!(kept == ["yes", "no", "yes"] && none["errors"] == 0, "{}", none["limits"]);
    in_order(&none, &[PATH_MARKS[1], PATH_MARKS[3]])?;
    in_order(&none, &[PATH_MARKS[4], PATH_MARKS[5]])?;
    let (least, most) = (number(&none["standstill"]["least_s"])?, number(&none["standstill"]["most_s"])?);
    let times = outcome.text("none-times")?;
    let held = time(&times, "returning")? - time(&times, "failed")?;
    let all = time(&times, "returned")? - time(&times, "failing")?;
    // What was on its way when the paths failed may still arrive.
    anyhow::ensure!(
        most >= 0.9 * held && least <= all + LATE,
        "no path for {held} to {all} s: {}",
        none["standstill"]
    );
    let refused = outcome.step("refused")?.ended_with(CHECK_FAILED)?.document()?;
    let errors = number(&refused["errors"])?;
    anyhow::ensure!(
        errors > 0.0 && refused["limits"][0]["kept"] == "no",
        "nothing failed: {}",
        refused["told"]
    );
    Ok(format!(
        "one path less: no I/O failed; none for {held:.1} to {all:.1} s: stood still for {least:.2} to {most:.2} s; \
         without queueing {errors:.0} failed"
    ))
}

/// What was marked: who, and what.
fn marks(document: &Value) -> impl Iterator<Item = String> + '_ {
    let marks = document["marks"].as_array().into_iter().flatten();
    marks.map(|mark| {
        format!("{}: {}", mark["who"].as_str().unwrap_or_default(), mark["what"].as_str().unwrap_or_default())
    })
}

/// The host marked all of that; what it sees at one look is at one time.
fn in_order(document: &Value, expected: &[&str]) -> anyhow::Result<()> {
    let at = |what: &str| {
        let place = marks(document).position(|mark| mark == format!("host: {what}"));
        let place = place.with_context(|| format!("no mark '{what}' in {}", document["marks"]))?;
        number(&document["marks"][place]["at_s"])
    };
    let mut last = f64::NEG_INFINITY;
    for what in expected {
        let own = at(what)?;
        // Of one look: the marks have the times at which they were written down.
        anyhow::ensure!(own >= last - 0.5, "'{what}' came too early: {}", document["marks"]);
        last = own;
    }
    Ok(())
}

/// The mean latency of a run of its own.
fn alone(document: &Value) -> anyhow::Result<Figure> {
    Figure::of(&document["points"][0]["classes"]["open"]["latency_us"]["mean"])
}

/// The mean latency of a part of the run.
fn level<'a>(document: &'a Value, span: &str) -> anyhow::Result<&'a Value> {
    let mut levels = document["levels"].as_array().into_iter().flatten();
    let level = levels.find(|level| level["span"] == span);
    Ok(&level.with_context(|| format!("no level {span}: {}", document["told"]))?["latency_mean_us"])
}

fn number(value: &Value) -> anyhow::Result<f64> {
    value.as_f64().with_context(|| format!("not a number: {value}"))
}

/// When the script said that, in seconds of the machine.
fn time(times: &str, what: &str) -> anyhow::Result<f64> {
    let line = times.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
    Ok(line.with_context(|| format!("no '{what}' in {times}"))?.trim().parse()?)
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug)]
struct Figure {
    low: f64,
    mean: f64,
    high: f64,
}

impl Figure {
    fn of(estimate: &Value) -> anyhow::Result<Self> {
        let [low, mean, high] = ["lo95", "value", "hi95"].map(|end| number(&estimate[end]));
        Ok(Self { low: low?, mean: mean?, high: high? })
    }

    const fn times(self, other: f64) -> Self {
        Self { low: self.low * other, mean: self.mean * other, high: self.high * other }
    }

    /// The intervals overlap, if what makes the whole machine slower for a time is left out.
    fn is_like(&self, other: &Self) -> anyhow::Result<()> {
        let is_like = self.low <= DRIFT * other.high && other.low <= DRIFT * self.high;
        anyhow::ensure!(is_like, "{self:?} is not like {other:?}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn latencies_are_alike_where_intervals_overlap_but_for_a_slow_machine() {
        let of = |low, high| Figure { low, mean: f64::midpoint(low, high), high };
        assert!(of(40.0, 60.0).is_like(&of(90.0, 110.0)).is_ok());
        assert!(of(40.0, 60.0).is_like(&of(130.0, 150.0)).is_err());
        assert!(of(130.0, 150.0).is_like(&of(40.0, 60.0)).is_err());
    }

    #[test]
    fn marks_have_to_be_there_and_in_order() {
        let mark = |at_s: f64, what: &str| json!({"at_s": at_s, "who": "host", "what": what});
        let document = json!({"marks": [mark(3.0, "b"), mark(2.9, "a"), mark(9.0, "c")]});
        assert!(in_order(&document, &["a", "b", "c"]).is_ok() && in_order(&document, &["b", "a"]).is_ok());
        assert!(in_order(&document, &["c", "a"]).is_err() && in_order(&document, &["d"]).is_err());
    }

    #[test]
    fn times_of_a_script_are_read_by_their_words() {
        let times = "failing 68.13\nfailed 68.36\n";
        assert_eq!(time(times, "failed").unwrap(), 68.36);
        assert!(time(times, "returned").is_err());
    }
}
