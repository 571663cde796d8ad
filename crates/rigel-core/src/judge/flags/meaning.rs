//! What each flag means for the numbers beside it, and what to do about it, for people.
//!
//! Two short sentences for each code; docs/reference/flags.md has the same ones. Must not know the figures of a flag.

use super::FlagCode;

/// What a flag means and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What the flag says about the numbers, as a sentence.
    pub means: &'static str,
    /// What to do, as a sentence.
    pub remedy: &'static str,
    /// The command that comes next.
    pub next: Next,
}

/// Which command comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    /// Measure real storage that holds data: a scratch file.
    ScratchFile,
    /// Look for what bends the measurement.
    Doctor,
    /// The same run with more time.
    Longer,
    /// The same run again.
    Again,
    /// Nothing but to keep it in mind.
    Nothing,
}

impl FlagCode {
    /// What it means, and what to do.
    pub const fn meaning(self) -> Meaning {
        MEANINGS[self as usize].1
    }
}

// Each flag has the row of its own number.
const _: () = {
    let mut row = 0;
    while row < MEANINGS.len() {
        assert!(MEANINGS[row].0 as usize == row, "a row of MEANINGS is not in the order of FlagCode");
        row += 1;
    }
};

const fn row(code: FlagCode, next: Next, means: &'static str, remedy: &'static str) -> (FlagCode, Meaning) {
    (code, Meaning { means, remedy, next })
}

/// A row for each flag, in the order of [`FlagCode::ALL`].
const MEANINGS: [(FlagCode, Meaning); FlagCode::ALL.len()] = [
    row(
        FlagCode::NoData,
        Next::Doctor,
        "No I/O completed, so there is no number.",
        "Look at the errors, and at the kernel's log (dmesg).",
    ),
    row(
        FlagCode::CutShort,
        Next::Again,
        "A visit ended early: its number comes from less time than planned.",
        "A run that goes on (--resume) makes that visit again; one that cannot go on is measured again.",
    ),
    row(
        FlagCode::Errors,
        Next::Doctor,
        "I/Os failed. They are in no rate and no latency; where more than 5 in 1,000 failed, what is left is no rate of the storage.",
        "See which target, offset and errno the flag names, and look at the kernel's log (dmesg).",
    ),
    row(
        FlagCode::Hung,
        Next::Doctor,
        "An I/O did not come back, and the run ended there.",
        "Look at the kernel's log (dmesg) and at the health of the device before you measure again.",
    ),
    row(
        FlagCode::Stalled,
        Next::Doctor,
        "The storage stood still for a time, or one I/O took far longer than all others.",
        "Look for its cause at that time: the kernel's log (dmesg), a path or a controller that failed over, a host that was halted.",
    ),
    row(
        FlagCode::Changed,
        Next::Again,
        "The target, or a limit on its I/O, changed while it was measured.",
        "Leave the target and its limits alone, and measure again.",
    ),
    row(
        FlagCode::Little,
        Next::Again,
        "Rate and latency do not fit the outstanding I/Os: times are wrong or I/Os were lost.",
        "Measure again on a quiet host; when it stays, send the record to the maintainers.",
    ),
    row(
        FlagCode::QueueNotFilled,
        Next::Again,
        "Fewer I/Os were outstanding than planned: the load was lighter than the point says.",
        "Raise --workers if CPUs are idle. Otherwise, and always with the engine sync, use a host with more CPUs.",
    ),
    row(
        FlagCode::Buffered,
        Next::ScratchFile,
        "The run went through the page cache: memory was measured, not storage.",
        "Leave out --buffered.",
    ),
    row(
        FlagCode::Memory,
        Next::ScratchFile,
        "A target lies in the memory of this host: memory was measured, not storage.",
        "Name a file or a device on the disk, or go to a directory there; where memory is meant, say so with --allow-memory.",
    ),
    row(
        FlagCode::Buffers,
        Next::Doctor,
        "Large buffers lie in several pieces of memory: large I/Os may be up to 3 times too slow.",
        "Give the host huge pages; rigel doctor says how.",
    ),
    row(
        FlagCode::Simulated,
        Next::ScratchFile,
        "A simulated device answered. No storage was touched.",
        "Name a target, or none to measure a scratch file.",
    ),
    row(
        FlagCode::NotReached,
        Next::Longer,
        "An interval is wider than was asked for. The width that is shown is the answer.",
        "Give the run more time, or measure on a quieter host.",
    ),
    row(
        FlagCode::FewPoints,
        Next::Again,
        "So few points were measured that rare states of the storage may be missing.",
        "Measure more points, give it more time, or run it again at another time.",
    ),
    row(
        FlagCode::Warmup,
        Next::Longer,
        "Every visit was still starting up, so that the rate is too low or too high.",
        "Measure without --fast, and with more time.",
    ),
    row(
        FlagCode::LevelShift,
        Next::Longer,
        "The speed of the storage changed while it was measured. A mean describes neither level.",
        "Find what happened at that time (a limit, burst credit, a cache, another load), and measure again.",
    ),
    row(
        FlagCode::Drift,
        Next::Longer,
        "The rate changed steadily. The mean is an average over the change.",
        "Measure longer, or after the storage has settled.",
    ),
    row(
        FlagCode::Throttled,
        Next::Doctor,
        "A limit holds the rate down, or burst credit was used up.",
        "Plan with the lasting rate, and ask who set the limit.",
    ),
    row(
        FlagCode::WriteCliff,
        Next::Longer,
        "Writes became slow when a cache or the spare blocks were full.",
        "Measure longer: what comes after the cliff is the lasting rate.",
    ),
    row(
        FlagCode::SlowNoise,
        Next::Longer,
        "Disturbances last longer than the rests between visits, so that intervals may be too narrow.",
        "Make a longer run, at another time.",
    ),
    row(
        FlagCode::Contaminated,
        Next::Again,
        "Something rare disturbed some visits. The intervals are wider for it.",
        "Find out what else ran at that time, and run it again.",
    ),
    row(
        FlagCode::Bimodal,
        Next::Nothing,
        "There are two groups of visits or of latencies. A mean describes neither.",
        "Use the figures of both groups, which the flag gives, and not the mean.",
    ),
    row(
        FlagCode::Cache,
        Next::Again,
        "A cache answered some of the reads. A database will see it in another proportion.",
        "Measure a larger target, or compare with what the database really touches.",
    ),
    row(
        FlagCode::Zeros,
        Next::ScratchFile,
        "Reads found no data: where nothing was written, no medium has to be asked.",
        "Measure on data: `rigel fill TARGET` writes random data where nothing of TARGET is needed; or name no target, so that a scratch file is filled.",
    ),
    row(
        FlagCode::FlushFree,
        Next::Doctor,
        "Durable writes take hardly longer than others: all writes are safe at once, or the storage says durable too early.",
        "Find out what keeps writes when the power fails (no cache, or a protected one); if nothing does, commits can be lost.",
    ),
    row(
        FlagCode::HostLimited,
        Next::Again,
        "The tool had no CPU time left: it was the limit, not the storage.",
        "Raise --workers if CPUs are idle. Otherwise, and always with the engine sync, use a host with more CPUs.",
    ),
    row(
        FlagCode::EngineLimited,
        Next::Again,
        "The engine was the limit, not the storage: much of the CPU time went into handing its I/Os to threads of the kernel.",
        "If you gave --engine, leave it out: Rigel then finds the fastest one. Otherwise take --engine libaio, or --engine sync unless the load arrives at a rate.",
    ),
    row(
        FlagCode::Foreign,
        Next::Again,
        "Something else used the CPUs or the device meanwhile.",
        "Stop what is running, or measure at another time.",
    ),
    row(
        FlagCode::Priority,
        Next::Again,
        "The kernel served this process before or after others: by its nice value, by the class or level of its I/O, or by the weight of its control group.",
        "Start Rigel as the database is started, without nice and ionice; rigel doctor names the settings.",
    ),
    row(
        FlagCode::SmallTarget,
        Next::ScratchFile,
        "So little was used that caches of drives and controllers can hold it, which no counter of this host shows.",
        "Measure a larger target, of some GiB and more than the caches below it have; a scratch file is as large as --scratch-size says.",
    ),
    row(FlagCode::Retrograde, Next::Nothing, "More load gave less.", "Keep the database below that load."),
    row(
        FlagCode::NotMonotone,
        Next::Again,
        "Load levels contradict each other: they were not measured under the same conditions.",
        "Run it again.",
    ),
    row(
        FlagCode::NotSaturated,
        Next::Longer,
        "The search ended before the storage was saturated. The highest rate is a lower bound.",
        "Give the search more time.",
    ),
    row(
        FlagCode::Resumed,
        Next::Nothing,
        "The run was interrupted and went on later. What happened in between is unknown.",
        "Run it again where the storage may have changed in between.",
    ),
    row(
        FlagCode::PacingLate,
        Next::Again,
        "Rigel itself began I/Os late: a part of their latency is its own, and the storage alone has less.",
        "Stop what else uses the CPUs of this host, and measure again. Where that does not help, give Rigel CPUs of its own (--cpus) or more workers (--workers).",
    ),
    row(
        FlagCode::Overload,
        Next::Nothing,
        "More I/O arrived than was served: the latency grows as long as one measures, so it is no figure.",
        "Ask for a lower rate. What was served is the most that the storage takes in this way, unless HOST_LIMITED stands beside it.",
    ),
    row(
        FlagCode::Unverified,
        Next::Nothing,
        "A query did not cause exactly the I/O that it stands for, so its rate is no rate of I/O.",
        "Keep caches out of the way: direct I/O or little memory for the server, and a table that is much larger than they are. For commits, set fsync and synchronous_commit to on, on a server of version 14 or later.",
    ),
    row(
        FlagCode::WrongData,
        Next::Doctor,
        "The storage gave back other data than it was given, or none.",
        "Trust it with no data. Keep the record, which has place, time and bytes of what was found, and look for the part that fails: memory, cable, controller, firmware, device.",
    ),
    row(
        FlagCode::Skew,
        Next::Again,
        "The nodes did not begin together, and another try did not help, or could not be made: their sum has moments at which not all were at work.",
        "Leave CPUs to Rigel on every node, and measure again; a slow or busy network between the nodes does the same.",
    ),
    row(
        FlagCode::Imbalance,
        Next::Again,
        "A node did less than its part: the sum is held down by that host, its paths or its disks.",
        "Measure with that node alone, and compare its paths, links and settings with those of the others.",
    ),
];
