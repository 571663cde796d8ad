//! CPU time of the kernel's own threads. They complete writes, flush, keep journals and serve loop devices, also for our own I/O, and it is
//! unknown who caused it.
//!
//! A large host has thousands of them, so they must be read only before and after a visit, never during one.

use super::numbers::number;
use rustix::param::clock_ticks_per_second;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const US_PER_S: u64 = 1_000_000;
/// The thread that all others of the kernel are children of, where its number is not hidden by a container.
const PARENT: &str = "proc/2";

/// The ticks that each thread has used.
type Ticks = BTreeMap<u32, u64>;

pub(super) struct KernelThreads {
    root: PathBuf,
    before: Option<Ticks>,
}

impl KernelThreads {
    pub(super) fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), before: None }
    }

    /// Counts from now on.
    pub(super) fn mark(&mut self) {
        self.before = ticks(&self.root);
    }

    /// Microseconds that they used since the mark. `None` if they cannot be seen, or nothing was marked. The time of one that has
    /// ended is not in it.
    pub(super) fn since_mark(&self) -> Option<u64> {
        let (before, now) = (self.before.as_ref()?, ticks(&self.root)?);
        let used = now.iter().map(|(thread, &now)| {
            // One that is new, or has the number of an older one, used all of it since.
            before.get(thread).and_then(|&before| now.checked_sub(before)).unwrap_or(now)
        });
        let all = used.fold(0, u64::saturating_add);
        Some(all.saturating_mul(US_PER_S) / clock_ticks_per_second())
    }
}

fn ticks(root: &Path) -> Option<Ticks> {
    let parent = fs::read(root.join(PARENT).join("comm")).ok()?;
    if parent.trim_ascii() != b"kthreadd" {
        return None;
    }
    let children = fs::read_to_string(root.join(PARENT).join("task/2/children")).ok()?;
    let one = |thread: &str| {
        let stat = fs::read(root.join("proc").join(thread).join("stat")).ok()?;
        Some((thread.parse().ok()?, used(&stat)?))
    };
    // One may end while the list is read.
    Some(children.split_ascii_whitespace().filter_map(one).collect())
}

/// proc_pid_stat(5): utime is the 14th field, stime the 15th; the 2nd one, a name in parentheses, may hold anything.
fn used(stat: &[u8]) -> Option<u64> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let mut fields = stat[name_end + 1..].split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let user = number(fields.nth(11)?)?;
    user.checked_add(number(fields.next()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(root: &Path, number: u32, ticks: u64) {
        let dir = root.join("proc").join(number.to_string());
        fs::create_dir_all(&dir).unwrap();
        let stat =
            format!("{number} (kworker/1:0) x) I 2 0 0 0 -1 69238880 0 0 0 0 5 {ticks} 0 0 20 0 1 0 7\n");
        fs::write(dir.join("stat"), stat).unwrap();
    }

    fn children(root: &Path, of: &str, list: &str) {
        fs::create_dir_all(root.join("proc/2/task/2")).unwrap();
        fs::write(root.join("proc/2/comm"), of).unwrap();
        fs::write(root.join("proc/2/task/2/children"), list).unwrap();
    }

    #[test]
    fn what_the_threads_used_since_the_mark() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        children(root, "kthreadd\n", "3 17 18 19 ");
        [(3, 100), (17, 50), (18, 900)].into_iter().for_each(|(number, ticks)| thread(root, number, ticks));
        let mut threads = KernelThreads::of(root);
        assert_eq!(threads.since_mark(), None, "nothing was marked");
        threads.mark();
        assert_eq!(threads.since_mark(), Some(0));
        // One used 20 more, one has ended, one is new, and one took the number of another.
        thread(root, 17, 70);
        fs::remove_file(root.join("proc/3/stat")).unwrap();
        thread(root, 19, 7);
        thread(root, 18, 2);
        let ticks = 20 + (5 + 7) + (5 + 2);
        assert_eq!(threads.since_mark(), Some(ticks * US_PER_S / clock_ticks_per_second()));
    }

    #[test]
    fn a_container_does_not_see_them() {
        let root = tempfile::tempdir().unwrap();
        let mut threads = KernelThreads::of(root.path());
        threads.mark();
        assert_eq!(threads.since_mark(), None);
        children(root.path(), "bash\n", "3 ");
        thread(root.path(), 3, 100);
        threads.mark();
        assert_eq!(threads.since_mark(), None, "the second process of a container is a program");
    }

    #[test]
    fn nonsense_is_no_time() {
        for stat in ["", "3 (x I 2 0", "3 (x) I 2 0 0 0 -1 0 0 0 0 0 5", "3 (x) I 2 0 0 0 -1 0 0 0 0 0 x 5 0"]
        {
            assert_eq!(used(stat.as_bytes()), None, "{stat}");
        }
    }
}
