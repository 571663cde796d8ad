//! The options of fio, each with its counterpart here. docs/guide/from-fio.md has the same table for readers.
//!
//! Must not read a value; [`super::given`] does.

/// Names in fio, what each is for `rigel run`, and for `rigel calibrate` where that differs.
pub type Row = (&'static [&'static str], &'static str, Option<&'static str>);

/// Of `rw`: the whole of it gives way to the pattern that was typed.
pub const OF_RW: &str = "is the level here: `rigel run oltp` for randread, `rigel run advanced --type seq` for read; --write PERCENT for writes";

pub const OPTIONS: [Row; 51] = [
    (
        &["bs", "blocksize"],
        "is --size-small / --size-large here, with `rigel run advanced`",
        Some("is --size-small / --size-large here"),
    ),
    (
        &["iodepth"],
        "is --num-small / --num-large here, with `rigel run advanced --matrix point ..`; the other levels choose the load themselves",
        Some("is searched here: leave it out"),
    ),
    (
        &["numjobs"],
        "times --iodepth is --num-small / --num-large here, with `rigel run advanced --matrix point ..`",
        Some("is searched here: leave it out"),
    ),
    (
        &["runtime"],
        "is --duration here, such as --duration 60s; without it each load is measured until its number is \
         precise enough",
        Some("is --for here, such as --for 60s"),
    ),
    (&["time_based"], "is always so here: leave it out", None),
    (&["ramp_time"], "is automatic here: leave it out", None),
    (
        &["rw", "readwrite"],
        OF_RW,
        Some(
            "has no counterpart here: small random I/O and large streams are measured; --write PERCENT for writes",
        ),
    ),
    (&["rwmixread"], "is the share of reads, and --write that of writes here: --write 20", None),
    (&["rwmixwrite"], "is --write here: --write 20", None),
    (
        &["filename"],
        "needs no option here: `rigel run simple TARGET`",
        Some("needs no option here: `rigel calibrate TARGET`"),
    ),
    (
        &["direct"],
        "is always 1 here: leave it out; --buffered is what 0 is",
        Some("is always 1 here: leave it out"),
    ),
    (&["ioengine"], "is --engine here", None),
    (
        &["size"],
        "is --scratch-size here, for a scratch file; a named target is measured as a whole, and the size of \
         an I/O is --size-small of `rigel run advanced`",
        None,
    ),
    (&["hipri"], "is --poll here", Some("is `rigel run --poll`")),
    (&["randseed"], "is --seed here", None),
    (&["output_format"], "is --json here, and `rigel report RECORD --format fio` afterwards", None),
    (
        &["rate_iops", "rate_process", "thinktime"],
        "is `rigel run open --rate 1000` here: that many I/Os arrive per second; `rigel slo` finds the \
         highest rate that meets a limit",
        None,
    ),
    (&["rate"], "counts bytes; `rigel run open --rate 1000` lets that many I/Os arrive per second", None),
    (
        &["fsync", "fdatasync", "sync"],
        "makes commits: `rigel run commit` measures them, and a class of a load file (`rigel run --load FILE`) has sync = \"fdatasync\" or \"dsync\"",
        None,
    ),
    (
        &[
            "verify",
            "do_verify",
            "verify_fatal",
            "verify_pattern",
            "verify_interval",
            "verify_offset",
            "verify_backlog",
            "verify_backlog_batch",
            "verify_async",
            "verify_async_cpus",
            "verify_dump",
            "verify_only",
            "verify_state_load",
            "verify_state_save",
            "verify_header_seed",
            "verify_write_sequence",
            "verifysort",
            "verifysort_nr",
            "experimental_verify",
        ],
        "is what `rigel soak` does with every block; a class of a load file (`rigel run --load FILE`) has verify = true",
        None,
    ),
    (
        &["offset"],
        "leaves out the beginning of a target, which is `rigel run simple --span 10-100%` here, in per \
         cent; span of a class in a load file (`rigel run --load FILE`) does the same for one class",
        None,
    ),
    (&["offset_increment"], "is automatic here, each stream has its own place: leave it out", None),
    (
        &["random_distribution", "zone_range"],
        "has no counterpart here, all places are read equally often, without hot spots: use fio for zipf \
         and pareto, or a part alone with span = \"0-25%\" of a class in a load file (`rigel run --load \
         FILE`)",
        None,
    ),
    (
        &["percentage_random"],
        "has no counterpart here, the I/Os of a load all go to random places or all follow one another: `rigel run advanced --type seq` measures large sequential reads beside small random ones",
        Some("has no counterpart here: small random I/O and large streams are measured, each alone"),
    ),
    (
        &["bssplit", "bsrange"],
        "is size = { \"8K\" = 80, \"64K\" = 20 } of a class in a load file here: `rigel run --load FILE`",
        None,
    ),
    (
        &["latency_target", "latency_percentile", "latency_window", "latency_run"],
        "is `rigel slo --p99 2ms` here: it finds the rate that meets the limit",
        None,
    ),
    (
        &["max_latency"],
        "has no counterpart here, no run ends because of one slow I/O: the report has the longest, and \
         `rigel slo --p99 2ms` finds the rate that meets a limit",
        Some(
            "has no counterpart here, no run ends because of one slow I/O: --max-latency limits the latency \
             at the rate that is reported",
        ),
    ),
    (
        &["rate_min", "rate_iops_min", "rate_cycle"],
        "has no counterpart here, no run ends because of its rate: `rigel slo --require 'p99 < 2ms @ 1000'` \
         shows whether a limit is met",
        None,
    ),
    (
        &["overwrite"],
        "is automatic here, a scratch file is filled before it is measured: leave it out; --force replaces output files, and nothing on a target",
        Some("is automatic here, a scratch file is filled before it is measured: leave it out"),
    ),
    (
        &["read_iolog", "write_iolog", "replay_no_stall", "replay_redirect", "replay_time_scale"],
        "has no counterpart here, traces of single I/Os are not replayed; `rigel capacity replay` makes a \
         load from what iostat or sysstat recorded",
        None,
    ),
    (
        &["loops", "number_ios", "io_size"],
        "has no counterpart here: each load is visited until its number is precise enough; --precision 2% \
         visits it more often, --duration 60s once for that time",
        Some(
            "has no counterpart here: it measures until the numbers are precise enough, or --for 60s is \
            over",
        ),
    ),
    (
        &["norandommap", "randrepeat", "allrandrepeat", "random_generator"],
        "has no counterpart here, every place is random; the same --seed gives the same places: leave it out",
        None,
    ),
    (
        &["directory", "filename_format", "filename_prefix"],
        "is a target here: a directory gets a scratch file, as in `rigel run simple /mnt/fast`",
        None,
    ),
    (
        &[
            "nrfiles",
            "filesize",
            "openfiles",
            "file_service_type",
            "fallocate",
            "create_only",
            "create_on_open",
            "create_serialize",
            "pre_read",
        ],
        "has no counterpart here: one scratch file is made and filled, of --scratch-size; several files are named one by one",
        None,
    ),
    (
        &["unlink"],
        "is automatic here, a scratch file is removed at the end: leave it out; --keep-scratch keeps it",
        None,
    ),
    (&["fill_device", "fill_fs"], "is `rigel fill` here, a separate command", None),
    (
        &["end_fsync", "fsync_on_close", "sync_file_range", "invalidate", "write_barrier", "fadvise_hint"],
        "has no counterpart here, I/O bypasses the page cache: leave it out; `rigel run commit` measures \
         writes that have to be durable",
        None,
    ),
    (&["cpus_allowed", "cpumask"], "is --cpus here", Some("is `rigel run --cpus`")),
    (
        &["cpus_allowed_policy", "numa_cpu_nodes", "numa_mem_policy"],
        "is automatic here: --cpus auto gives each worker a CPU near the device",
        Some("is automatic here: leave it out"),
    ),
    (
        &["output"],
        "is --out for the directory of all outputs here, and --name for the start of their \
        names",
        None,
    ),
    (
        &[
            "group_reporting",
            "thread",
            "stonewall",
            "wait_for",
            "exitall",
            "gtod_reduce",
            "clocksource",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw_measurement",
            "percentile_list",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "unified_rw_reporting",
        ],
        "has no counterpart here, it is always measured and reported the same way: leave it out",
        None,
    ),
    (
        &[
            "write_bw_log",
            "write_hist_log",
            "write_iops_log",
            "write_lat_log",
            "log_avg_msec",
            "log_hist_msec",
            "log_offset",
            "per_job_logs",
            "bandwidth_log",
        ],
        "needs no option here: the record of a run has every visit with its histogram, and `rigel report RECORD --format hlog` writes them as a log",
        None,
    ),
    (
        &[
            "eta",
            "eta_newline",
            "eta_interval",
            "status_interval",
            "minimal",
            "append_terse",
            "terse_version",
        ],
        "has no counterpart here: progress is shown on a terminal, and --quiet hides it",
        None,
    ),
    (
        &[
            "refill_buffers",
            "scramble_buffers",
            "zero_buffers",
            "buffer_pattern",
            "buffer_compress_percentage",
            "buffer_compress_chunk",
            "dedupe_percentage",
        ],
        "has no counterpart here: what is written is random and cannot be compressed",
        None,
    ),
    (
        &[
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
            "fixedbufs",
            "registerfiles",
            "sqthread_poll",
            "nonvectored",
            "force_async",
            "uncached",
            "mem",
            "iomem",
            "iomem_align",
            "lockmem",
            "hugepage_size",
        ],
        "has no counterpart here: the engine of --engine does what is best: leave it out",
        None,
    ),
    (
        &["nice", "prio", "prioclass", "prio_split"],
        "has no counterpart here: start it with nice or ionice, and the record says so",
        None,
    ),
    (&["startdelay", "start_delay", "thinkcycles"], "has no counterpart here: leave it out", None),
    (&["allow_mounted_write"], "has no counterpart here: a device that is mounted is never written", None),
    (
        &["client", "server", "remote_config"],
        "is the program for many hosts here: see docs/guide/cluster.md",
        None,
    ),
    (
        &[
            "trim",
            "trim_percentage",
            "trim_verify_zero",
            "trim_backlog",
            "trim_backlog_batch",
            "zonemode",
            "zonesize",
            "dp_type",
        ],
        "has no counterpart here: use fio for trims and zones",
        None,
    ),
    (
        &["section", "jobfile", "parse_only", "showcmd"],
        "is `rigel run --load job.fio` here, for a whole job file: --dry-run shows what would be done, and `rigel load from-fio job.fio` writes it as a load file",
        None,
    ),
];
