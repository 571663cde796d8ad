//! The flags, a row for each: its name in every output, what it means for the numbers beside it, and what to do about it.
//!
//! docs/reference/flags.md has the same sentences. Must not know the figures of a flag.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a flag regardless of its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    name: &'static str,
    marks: &'static [Mark],
    /// The command that comes next.
    pub next: Next,
    /// What it says about the numbers, as a sentence.
    pub means: &'static str,
    /// What to do, as a sentence.
    pub remedy: &'static str,
}

/// A property of some flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It says what the user requested, and casts no doubt.
    AskedFor,
    /// If it is raised, most other flags are its consequence.
    Root,
    /// It follows from all others.
    Consequence,
    /// The speed changed over time, so places that were visited at different moments may differ by it.
    InTime,
    /// It affects two alternating sides alike, and not their ratio.
    BothSides,
    /// A failure of the storage causes it, or it is about precision: in a run through a failure it adds nothing to the answer.
    OfFailure,
}

/// The next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    /// Measure real storage that holds data: a scratch file.
    ScratchFile,
    /// Look for what distorts the measurement.
    Doctor,
    /// The same run with more time.
    Longer,
    /// The same run again.
    Again,
    /// Nothing to run.
    Nothing,
}

impl FlagCode {
    /// The name in every output.
    pub const fn name(self) -> &'static str {
        self.meaning().name
    }

    /// What it means, and what to do.
    pub const fn meaning(self) -> Meaning {
        MEANINGS[self as usize]
    }

    /// Whether the flag has that mark.
    pub fn has(self, mark: Mark) -> bool {
        self.meaning().marks.contains(&mark)
    }
}

const fn row(
    name: &'static str,
    marks: &'static [Mark],
    next: Next,
    means: &'static str,
    remedy: &'static str,
) -> Meaning {
    Meaning { name, marks, next, means, remedy }
}

/// Makes the type, the list of all flags and the list of meanings, in this order, from a row for each flag.
macro_rules! flags {
    (FlagCode { $($(#[$doc:meta])* $code:ident: row($name:literal, $($meaning:expr),* $(,)?),)* }) => {
        /// The subject of a flag. The names are part of the outputs.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum FlagCode {
            $($(#[$doc])* #[serde(rename = $name)] $code,)*
        }

        impl FlagCode {
            /// All of them.
            pub const ALL: [Self; MEANINGS.len()] = [$(Self::$code),*];
        }

        const MEANINGS: [Meaning; [$($name),*].len()] = [$(row($name, $($meaning),*)),*];
    };
}

flags!(FlagCode {
    /// Nothing completed: there is no number.
    NoData: row(
        "NO_DATA",
        &[],
        Next::Doctor,
        "No I/O completed, so there is nothing to report.",
        "Check the errors and the kernel log (dmesg)."
    ),
    /// The measured window ended early.
    CutShort: row(
        "CUT_SHORT",
        &[Mark::OfFailure],
        Next::Again,
        "A visit ended early: its number is based on less time than planned.",
        "Resume the run (--resume), which repeats that visit; if it cannot be resumed, measure again."
    ),
    /// I/Os failed.
    Errors: row(
        "ERRORS",
        &[Mark::OfFailure],
        Next::Doctor,
        "I/Os failed. Rates and latencies leave them out; if more than 5 in 1,000 failed, the numbers are invalid.",
        "Check the target, offset and errno that the flag names, and the kernel log (dmesg)."
    ),
    /// I/Os did not complete.
    Hung: row(
        "HUNG",
        &[Mark::Root, Mark::OfFailure],
        Next::Doctor,
        "An I/O never completed, so the run stopped.",
        "Check the kernel log (dmesg) and the health of the device before you measure again."
    ),
    /// Nothing completed for a while, or one I/O took far longer than all others.
    Stalled: row(
        "STALLED",
        &[Mark::OfFailure],
        Next::Doctor,
        "The storage stalled, or one I/O took far longer than all others.",
        "Look for the cause at that time: the kernel log (dmesg), a path or controller failover, a paused host."
    ),
    /// A target or an I/O limit changed after the run began.
    Changed: row(
        "CHANGED",
        &[Mark::Root, Mark::OfFailure],
        Next::Again,
        "The target, or a limit on its I/O, changed during the measurement.",
        "Measure again without changing the target or its limits."
    ),
    /// Outstanding, rate and latency do not obey Little's law.
    Little: row(
        "LITTLE",
        &[Mark::OfFailure],
        Next::Again,
        "Rate and latency do not match the outstanding I/Os: times are wrong or I/Os were lost.",
        "Repeat on an idle host; if it persists, please send us the record."
    ),
    /// Fewer I/Os were in flight than planned.
    QueueNotFilled: row(
        "QUEUE_NOT_FILLED",
        &[Mark::OfFailure],
        Next::Again,
        "Fewer I/Os were outstanding than planned, so the load was lighter than stated.",
        "Raise --workers if CPUs are idle. Otherwise, or with the engine sync, use a host with more CPUs."
    ),
    /// Measured through the page cache, on request.
    Buffered: row(
        "BUFFERED",
        &[Mark::Root],
        Next::ScratchFile,
        "I/O went through the page cache: memory was measured, not storage.",
        "Run without --buffered."
    ),
    /// A target is memory of this host.
    Memory: row(
        "MEMORY",
        &[Mark::Root],
        Next::ScratchFile,
        "A target is in this host's memory: memory was measured, not storage.",
        "Name a file or device on a disk, or change to a directory there; to measure memory on purpose, use --allow-memory."
    ),
    /// Large buffers are scattered over physical memory.
    Buffers: row(
        "BUFFERS",
        &[],
        Next::Doctor,
        "Large buffers are fragmented in memory: large I/Os may be up to 3 times too slow.",
        "Give the host huge pages; rigel doctor shows how."
    ),
    /// A simulated device.
    Simulated: row(
        "SIMULATED",
        &[Mark::AskedFor],
        Next::ScratchFile,
        "A simulated device answered. No storage was touched.",
        "Name a target, or name none to measure a scratch file."
    ),
    /// The interval is wider than requested.
    NotReached: row(
        "NOT_REACHED",
        &[Mark::Consequence, Mark::OfFailure],
        Next::Longer,
        "Less precise than requested; trust a number only within its ±.",
        "Measure longer, or on a quieter host."
    ),
    /// So few points that all visits may have missed a rare state of the device.
    FewPoints: row(
        "FEW_POINTS",
        &[Mark::Consequence, Mark::OfFailure],
        Next::Again,
        "Too few points were measured to catch rare states of the storage.",
        "Measure more points or longer, or repeat at another time."
    ),
    /// Visits are still settling when the measured part begins.
    Warmup: row(
        "WARMUP",
        &[Mark::OfFailure],
        Next::Longer,
        "Visits ended before the storage had settled, so the rate is too low or too high.",
        "Measure longer, without --fast."
    ),
    /// The rate went to another level during a long visit.
    LevelShift: row(
        "LEVEL_SHIFT",
        &[Mark::InTime, Mark::BothSides, Mark::OfFailure],
        Next::Longer,
        "The storage changed speed during the measurement. A mean describes neither level.",
        "Find out what happened at that time (a limit, burst credit, a cache, another load), then measure again."
    ),
    /// The rate changed steadily, or the latency of a load whose rate is given.
    Drift: row(
        "DRIFT",
        &[Mark::InTime, Mark::BothSides, Mark::OfFailure],
        Next::Longer,
        "The rate, or the latency at a given rate, drifted. The mean is an average over the drift.",
        "Measure longer, or once the storage has settled."
    ),
    /// A limit holds the rate down, or burst credit was used up.
    Throttled: row(
        "THROTTLED",
        &[Mark::Root, Mark::InTime, Mark::OfFailure],
        Next::Doctor,
        "A limit capped the rate, or burst credit ran out.",
        "Plan with the sustained rate, and find out who set the limit."
    ),
    /// The rate fell permanently while loads alternated.
    Burst: row(
        "BURST",
        &[Mark::Root, Mark::InTime, Mark::OfFailure],
        Next::Doctor,
        "The rate fell for good during the run, as when burst credit is used up. Visits before and after it \
         measured two different states.",
        "Plan with the lower rate. The burst task measures the credit and how long it takes to refill."
    ),
    /// Writes became slower when a cache or the spare blocks were full.
    WriteCliff: row(
        "WRITE_CLIFF",
        &[Mark::OfFailure],
        Next::Longer,
        "Writes slowed down once a cache or the spare blocks filled up.",
        "Measure longer: the rate after the cliff is the sustained one."
    ),
    /// Noise that outlasts the pauses between visits: intervals may be too narrow.
    SlowNoise: row(
        "SLOW_NOISE",
        &[Mark::BothSides, Mark::OfFailure],
        Next::Longer,
        "Disturbances outlast the pauses between visits, so intervals may be too narrow.",
        "Run longer, at another time."
    ),
    /// Rare visits far off the others.
    Contaminated: row(
        "CONTAMINATED",
        &[Mark::InTime, Mark::OfFailure],
        Next::Again,
        "Some visits are outliers. The intervals are wider because of them.",
        "Find out what else ran at that time, then measure again."
    ),
    /// Two groups of visits or of latencies: a mean describes neither.
    Bimodal: row(
        "BIMODAL",
        &[Mark::OfFailure],
        Next::Nothing,
        "Visits or latencies fall into two groups. A mean describes neither.",
        "Use the figures of the two groups, not the mean."
    ),
    /// Some I/Os were faster than the device can be.
    Cache: row(
        "CACHE",
        &[],
        Next::Again,
        "A cache answered some of the reads. A database will see a different hit rate.",
        "Measure a larger target, or one as large as what the database really uses."
    ),
    /// Reads of blocks without data: they may not have reached any medium.
    Zeros: row(
        "ZEROS",
        &[Mark::Root],
        Next::ScratchFile,
        "Reads returned no data: blocks that were never written can be answered without the medium.",
        "Measure on data: if nothing on TARGET is needed, `rigel fill TARGET` writes random data; or name no target, and Rigel fills a scratch file."
    ),
    /// Durable writes take barely longer than others.
    FlushFree: row(
        "FLUSH_FREE",
        &[],
        Next::Doctor,
        "Synced writes are barely slower than unsynced ones: either every write is durable at once, or the storage acknowledges flushes too early.",
        "Find out what protects writes in a power cut (no cache, or a protected one); if nothing does, commits can be lost."
    ),
    /// The tool or the host was the limit, not the storage.
    HostLimited: row(
        "HOST_LIMITED",
        &[Mark::Root],
        Next::Again,
        "Rigel ran out of CPU time: the host was the limit, not the storage.",
        "If the flag names a limit of the control group, lift it. If CPUs are idle, raise --workers. Otherwise, or with the engine sync, use a host with more CPUs."
    ),
    /// The engine was the limit: much of the CPU time was spent on passing its I/Os to other threads.
    EngineLimited: row(
        "ENGINE_LIMITED",
        &[Mark::Root],
        Next::Again,
        "The engine was the limit, not the storage: trials before the run showed that another one is faster on this target, or much of the CPU time went into passing I/Os to other threads.",
        "If you gave --engine, leave it out: Rigel then finds the fastest one. Otherwise use --engine libaio, or --engine sync unless the load arrives at a rate."
    ),
    /// Something else used the host or the device meanwhile.
    Foreign: row(
        "FOREIGN",
        &[Mark::Root, Mark::InTime],
        Next::Again,
        "Other programs used the CPUs or the device during the measurement.",
        "Stop them, or measure at another time."
    ),
    /// The process had higher or lower priority than others.
    Priority: row(
        "PRIORITY",
        &[],
        Next::Again,
        "Rigel did not run at normal priority: its nice value, I/O class, scheduling policy or control group weight put it before or behind others.",
        "Start Rigel the way the database is started, without nice, ionice and chrt; rigel doctor names the settings."
    ),
    /// The host is a virtual machine.
    Guest: row(
        "GUEST",
        &[],
        Next::Nothing,
        "The host is a virtual machine: the host below may cache and limit its I/O, and others share disks and CPUs.",
        "Ask whoever runs the host below how its disks are cached and limited, and keep it in mind when you compare."
    ),
    /// A target so small that a cache below can hold it.
    SmallTarget: row(
        "SMALL_TARGET",
        &[],
        Next::ScratchFile,
        "The target is so small that caches in drives and controllers can hold it, unseen by this host.",
        "Measure a target of several GiB, larger than the caches below it; --scratch-size sets the size of a scratch file."
    ),
    /// More outstanding I/Os gave a lower rate.
    Retrograde: row(
        "RETROGRADE",
        &[],
        Next::Nothing,
        "Throughput fell as the load rose.",
        "Keep the database below that load."
    ),
    /// The figures of load levels are impossible in a closed loop.
    NotMonotone: row(
        "NOT_MONOTONE",
        &[],
        Next::Again,
        "Load levels contradict each other: conditions changed between them.",
        "Measure again."
    ),
    /// The search ended before the device was saturated.
    NotSaturated: row(
        "NOT_SATURATED",
        &[],
        Next::Longer,
        "The search ended before the storage was saturated, so the highest rate is a lower bound.",
        "Allow more time for the search."
    ),
    /// The run was interrupted and resumed later.
    Resumed: row(
        "RESUMED",
        &[],
        Next::Nothing,
        "The run was interrupted and resumed later. What happened in between is unknown.",
        "Measure again if the storage may have changed in between."
    ),
    /// Operations began late although they had a slot.
    PacingLate: row(
        "PACING_LATE",
        &[],
        Next::Again,
        "Rigel started some I/Os late, so part of the latency is Rigel's.",
        "Stop other programs on this host and measure again. If that does not help, give Rigel CPUs of its own (--cpus) or more workers (--workers)."
    ),
    /// More arrived than could be served, so the backlog grew.
    Overload: row(
        "OVERLOAD",
        &[Mark::OfFailure],
        Next::Nothing,
        "The storage could not keep up: the queue kept growing, so a latency would be meaningless.",
        "Ask for a lower rate. The rate served is the storage's limit (with HOST_LIMITED: the host's)."
    ),
    /// Look-ups in a database did not cause one device read each.
    Unverified: row(
        "UNVERIFIED",
        &[],
        Next::Nothing,
        "Database queries did not map to one I/O each, so this is not an I/O rate.",
        "Bypass the caches: direct I/O or little memory for the server, and a table much larger than its \
         caches. Commits must be durable: fsync and synchronous_commit on with PostgreSQL 14 or later, \
         innodb_flush_log_at_trx_commit at 1 with MySQL and MariaDB."
    ),
    /// Blocks did not contain what was written to them.
    WrongData: row(
        "WRONG_DATA",
        &[Mark::Root],
        Next::Doctor,
        "The storage returned wrong data, or none.",
        "Do not trust this storage. Keep the record, which has place, time and bytes of each finding, and \
         look for the faulty part: memory, cable, controller, firmware, device."
    ),
    /// Nodes did not begin together.
    Skew: row(
        "SKEW",
        &[],
        Next::Again,
        "The nodes did not start together, so for part of the time not all of them were loading.",
        "Keep CPUs free for Rigel on every node and check the network between them, then measure again."
    ),
    /// A node lagged behind the others.
    Imbalance: row(
        "IMBALANCE",
        &[],
        Next::Again,
        "One node lagged behind: that host, its paths or its disks limit the sum.",
        "Measure that node alone, and compare its paths, links and settings with the others."
    ),
    /// A target is slower than the others.
    OutlierTarget: row(
        "OUTLIER_TARGET",
        &[],
        Next::Doctor,
        "A target is slower than the others, and slows down the whole.",
        "Measure that target alone, and compare its paths, queue settings, firmware and disks with those of the others."
    ),
});
