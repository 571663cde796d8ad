//! The kernel's own threads that do the I/Os of a ring whose driver cannot answer without waiting.
//!
//! They are threads of this process, named `iou-wrk-N`. Each I/O that they do is handed over twice, which costs more than a thread of ours that
//! waits. Must not judge.

use std::fs;

/// The prefix of their names; Linux 5.12 and later.
const NAME: &str = "iou-wrk-";

/// Whether any exist now. They stay for a few seconds after their last I/O.
pub fn are_there() -> bool {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return false };
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
    threads.filter_map(Result::ok).map(name).any(|name| name.starts_with(NAME))
}
