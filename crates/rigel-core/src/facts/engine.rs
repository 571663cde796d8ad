//! Engines by name, and what is known about the one in use; plain data for the record.
//!
//! Must not probe anything; `rigel-io` does.

pub mod trials;

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use trials::EngineTrials;

/// How I/O reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Linux io_uring.
    IoUring,
    /// NVMe commands through io_uring, past the filesystem and the block layer.
    Nvme,
    /// Linux native asynchronous I/O, as ORION used it.
    Libaio,
    /// A worker per outstanding I/O, which waits for it in pread or pwrite.
    Sync,
    /// A thread per outstanding I/O, with pread and pwrite, which takes it from a worker and returns it.
    Threads,
    /// Completes immediately: measures the cost of the tool itself.
    Null,
    /// Linux io_uring with NOPs: measures the tool and the system calls, without any I/O.
    Nop,
    /// A simulated device in virtual time.
    Sim,
    /// Queries to a PostgreSQL server, which does the I/O.
    Postgres,
    /// Queries to a MySQL or MariaDB server.
    Mysql,
}

crate::named!(EngineKind {
    IoUring: "io_uring",
    Nvme: "nvme",
    Libaio: "libaio",
    Sync: "sync",
    Threads: "threads",
    Null: "null",
    Nop: "nop",
    Sim: "sim",
    Postgres: "postgres",
    Mysql: "mysql"
});

impl EngineKind {
    /// Engines that a user can request for block I/O.
    pub const ASKED_FOR: [Self; 8] = [
        Self::IoUring,
        Self::Nvme,
        Self::Libaio,
        Self::Sync,
        Self::Threads,
        Self::Null,
        Self::Nop,
        Self::Sim,
    ];

    /// Whether it has no storage and only measures the cost of the tool.
    pub const fn is_without_storage(self) -> bool {
        matches!(self, Self::Null | Self::Nop)
    }

    /// Whether it can poll the device for completions instead of waiting for an interrupt.
    pub(crate) const fn can_poll(self) -> bool {
        matches!(self, Self::IoUring | Self::Nvme)
    }

    /// Whether it can wait for a write to be durable.
    pub(crate) const fn can_be_durable(self) -> bool {
        !self.is_simulated() && !matches!(self, Self::Nvme)
    }

    /// Whether it has few workers, each working in a single thread, so each can have a CPU of its own.
    pub const fn has_one_thread(self) -> bool {
        !matches!(self, Self::Sync | Self::Threads | Self::Postgres | Self::Mysql)
    }

    /// Whether no real target is touched.
    pub const fn is_simulated(self) -> bool {
        self.is_without_storage() || matches!(self, Self::Sim)
    }
}

impl FromStr for EngineKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ASKED_FOR.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| {
            format!("'{text}' is not an engine ({})", Self::ASKED_FOR.map(Self::name).join(", "))
        })
    }
}

/// The engine of a run and how it was set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineFacts {
    /// Its kind.
    pub kind: EngineKind,
    /// Why this one, if it was chosen automatically and is not the best, or the result of short trials.
    pub reason: Option<String>,
    /// Those trials, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<EngineTrials>,
    /// What the user should know, such as buffers that could not be registered.
    pub notes: Vec<String>,
    /// Buffers are registered with the kernel.
    pub registered_buffers: bool,
    /// Files are registered with the kernel.
    pub registered_files: bool,
    /// io_uring: only one thread submits.
    pub single_issuer: bool,
    /// io_uring: completions run when the worker asks for them.
    pub defer_taskrun: bool,
    /// io_uring: the device is polled for completions instead of interrupting.
    #[serde(default)]
    pub polled: bool,
    /// The CPU of each worker, if each is pinned.
    #[serde(default)]
    pub cpus: Vec<u32>,
}

impl EngineFacts {
    /// The note of a two-sided run whose B has another engine.
    pub fn note_of_b(kind: EngineKind) -> String {
        format!("side B: engine {}", kind.name())
    }

    /// An engine with none of the features that only io_uring has.
    pub const fn plain(kind: EngineKind) -> Self {
        Self {
            kind,
            reason: None,
            trials: None,
            notes: Vec::new(),
            registered_buffers: false,
            registered_files: false,
            single_issuer: false,
            defer_taskrun: false,
            polled: false,
            cpus: Vec::new(),
        }
    }
}

/// What memory backs the I/O buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backing {
    /// Explicit huge pages.
    HugeTlb,
    /// Transparent huge pages.
    TransparentHuge,
    /// Normal pages, at least in part.
    Normal,
    /// No memory at all (simulated).
    None,
}

/// The I/O buffers of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferFacts {
    /// What backs them.
    pub backing: Backing,
    /// Bytes of all buffers.
    pub bytes: u64,
    /// Most physical segments of one large buffer; `None` if the system does not say.
    pub large_segments_max: Option<u32>,
    /// Mean number of physical segments of one large buffer.
    pub large_segments_mean: Option<f64>,
}

impl BufferFacts {
    /// No buffers: nothing is moved.
    pub const NONE: Self =
        Self { backing: Backing::None, bytes: 0, large_segments_max: None, large_segments_mean: None };
}
