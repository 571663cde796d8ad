//! The CPUs that this process may run on, and binding a thread to some of them.
//!
//! Must not choose: `rigel_core::load::placement` does.

use crate::system::numbered;
use rigel_core::load::placement::{Cpu, parse_ranges};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::fs;
use std::io;
use std::path::Path;

/// The CPUs that this thread may run on, ascending. Empty when the kernel does not answer, as on a host with more CPUs
/// than fit into a set (1,024).
pub fn allowed() -> Vec<Cpu> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    let numbers: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&number| set.is_set(number)).collect();
    described(Path::new("/sys/devices/system"), &numbers)
}

fn described(system: &Path, numbers: &[usize]) -> Vec<Cpu> {
    let nodes = nodes(system);
    let node_of = |number| nodes.iter().find(|(_, cpus)| cpus.contains(&number)).map(|&(node, _)| node);
    let cpu = |&number: &usize| {
        let number = u32::try_from(number).ok()?;
        let siblings = list(&system.join(format!("cpu/cpu{number}/topology/thread_siblings_list")));
        let core = siblings.into_iter().min().unwrap_or(number);
        Some(Cpu { number, core, node: node_of(number) })
    };
    numbers.iter().filter_map(cpu).collect()
}

/// NUMA nodes with their CPUs, in the order of their numbers.
pub(crate) fn nodes(system: &Path) -> Vec<(u32, Vec<u32>)> {
    let nodes = numbered(&system.join("node"), "node").into_iter();
    nodes.map(|(number, dir)| (number, list(&dir.join("cpulist")))).collect()
}

fn list(file: &Path) -> Vec<u32> {
    let text = fs::read_to_string(file).unwrap_or_default();
    parse_ranges(&text).unwrap_or_default()
}

/// Binds the calling thread to CPUs.
///
/// # Errors
/// When none of them may be used any longer.
pub fn bind(numbers: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    // `allowed` returns no number that does not fit into a set.
    let fitting = numbers.iter().filter_map(|&number| usize::try_from(number).ok());
    fitting.filter(|&number| number < CpuSet::MAX_CPU).for_each(|number| set.set(number));
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_bound_where_it_may_run() {
        let all = allowed();
        assert!(!all.is_empty() && all.is_sorted_by_key(|cpu| cpu.number), "{all:?}");
        let last = all.last().unwrap().number;
        let inside = std::thread::spawn(move || {
            bind(&[last]).unwrap();
            allowed()
        });
        let numbers: Vec<u32> = inside.join().unwrap().iter().map(|cpu| cpu.number).collect();
        assert_eq!(numbers, [last]);
        assert_eq!(allowed(), all, "other threads stay free");
        assert!(bind(&[]).is_err());
    }

    #[test]
    fn cores_and_nodes_of_a_larger_machine() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (cpu, siblings) in [(0, "0,4"), (1, "1,5"), (4, "0,4"), (5, "1,5")] {
            write(&format!("cpu/cpu{cpu}/topology/thread_siblings_list"), &format!("{siblings}\n"));
        }
        write("node/node0/cpulist", "0,4\n");
        write("node/node1/cpulist", "1,5-6\n");
        write("node/possible", "0-1\n");
        let cpu = |number, core, node| Cpu { number, core, node };
        let expected = [cpu(0, 0, Some(0)), cpu(4, 0, Some(0)), cpu(5, 1, Some(1)), cpu(7, 7, None)];
        assert_eq!(described(root.path(), &[0, 4, 5, 7]), expected);
    }
}
