//! Which CPUs the workers run on: each on its own, near the devices.
//!
//! When the scheduler moves a worker, the caches of the new CPU are cold. On another NUMA node its buffers and the
//! interrupts of the device are far away. Must not bind anything; `rigel-io` does.

use crate::error::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The requested CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuChoice {
    /// One for each worker if there are enough, on the NUMA node of the devices.
    #[default]
    Auto,
    /// Wherever the scheduler puts them.
    Any,
    /// These in turn, one for each worker.
    List(Vec<u32>),
}

/// A CPU that this process may run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// The kernel's number.
    pub number: u32,
    /// The lowest number among the hardware threads of its core.
    pub core: u32,
    /// Its NUMA node; `None` if unknown.
    pub node: Option<u32>,
}

/// The CPUs of each worker; empty means all.
///
/// # Errors
/// When this process may not run on a requested CPU.
pub fn place(
    workers: usize,
    choice: &CpuChoice,
    allowed: &[Cpu],
    device_nodes: &[u32],
) -> Result<Vec<Vec<u32>>, Problem> {
    match choice {
        CpuChoice::Any => Ok(vec![Vec::new(); workers]),
        CpuChoice::Auto => Ok(near(workers, allowed, device_nodes)),
        CpuChoice::List(list) => {
            let missing = |number: &&u32| !allowed.iter().any(|cpu| cpu.number == **number);
            if let Some(number) = list.iter().find(missing) {
                return Err(not_allowed(*number, allowed));
            }
            Ok(list.iter().cycle().take(workers).map(|&number| vec![number]).collect())
        }
    }
}

fn near(workers: usize, allowed: &[Cpu], device_nodes: &[u32]) -> Vec<Vec<u32>> {
    let is_near = |cpu: &&Cpu| cpu.node.is_some_and(|node| device_nodes.contains(&node));
    let mut cpus: Vec<Cpu> = allowed.iter().filter(is_near).copied().collect();
    if cpus.is_empty() {
        cpus = allowed.to_vec();
    }
    if workers <= cpus.len() {
        return cores_first(&cpus).into_iter().take(workers).map(|number| vec![number]).collect();
    }
    let together =
        if cpus.len() < allowed.len() { cpus.iter().map(|cpu| cpu.number).collect() } else { Vec::new() };
    vec![together; workers]
}

/// The order of preference: first one hardware thread of each core, then the second ones. CPU 0 comes last in its
/// group, because it serves more interrupts than others.
fn cores_first(cpus: &[Cpu]) -> Vec<u32> {
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    let mut ranked: Vec<(u32, bool, u32)> = Vec::with_capacity(cpus.len());
    for cpu in cpus {
        let threads_before = seen.entry(cpu.core).or_default();
        ranked.push((*threads_before, cpu.number == 0, cpu.number));
        *threads_before += 1;
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., number)| number).collect()
}

fn not_allowed(number: u32, allowed: &[Cpu]) -> Problem {
    let numbers: Vec<u32> = allowed.iter().map(|cpu| cpu.number).collect();
    Problem::usage(format!("this process is not allowed to run on CPU {number}"))
        .at("--cpus")
        .because("it does not exist, is offline, or is excluded by taskset or a cgroup's cpuset")
        .next(format!("choose among {}", ranges(&numbers)))
}

/// `0-3,8`, as the kernel writes sets of CPUs.
pub fn ranges(numbers: &[u32]) -> String {
    let mut ascending = numbers.to_vec();
    ascending.sort_unstable();
    ascending.dedup();
    let runs = ascending.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let text = |run: &[u32]| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    runs.map(text).collect::<Vec<_>>().join(",")
}

/// Reads what [`ranges`] writes. More than 65,536 numbers are refused.
///
/// # Errors
/// A sentence about the invalid part.
pub fn parse_ranges(text: &str) -> Result<Vec<u32>, String> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let bounds = first.trim().parse::<u32>().ok().zip(last.trim().parse::<u32>().ok());
        let (first, last) = bounds
            .filter(|(first, last)| first <= last && last - first < 1 << 16)
            .ok_or_else(|| format!("'{part}' is neither a CPU nor a range of CPUs such as 0-3"))?;
        numbers.extend(first..=last);
        if numbers.len() > 1 << 16 {
            return Err("the list has more than 65536 CPUs".to_owned());
        }
    }
    Ok(numbers)
}

impl FromStr for CpuChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "any" => Ok(Self::Any),
            list => match parse_ranges(list) {
                Ok(numbers) => Ok(Self::List(numbers)),
                Err(reason) => Err(format!("{reason}; give auto, any, or a list such as 2,4-7")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of two cores with two hardware threads each, numbered as most machines do: 0-3 first threads, 4-7
    /// second ones.
    fn machine() -> Vec<Cpu> {
        (0..8).map(|number| Cpu { number, core: number % 4, node: Some(number % 4 / 2) }).collect()
    }

    fn placed(workers: usize, allowed: &[Cpu], nodes: &[u32]) -> Vec<Vec<u32>> {
        place(workers, &CpuChoice::Auto, allowed, nodes).unwrap()
    }

    #[test]
    fn each_worker_has_a_core_before_any_shares_one() {
        let all = machine();
        assert_eq!(placed(3, &all, &[]), [[1], [2], [3]]);
        assert_eq!(placed(5, &all, &[]), [[1], [2], [3], [0], [4]]);
        assert_eq!(placed(1, &all[..1], &[]), [[0]], "the only one");
    }

    #[test]
    fn workers_are_near_the_device() {
        let all = machine();
        assert_eq!(placed(2, &all, &[1]), [[2], [3]]);
        assert_eq!(placed(4, &all, &[1]), [[2], [3], [6], [7]]);
        assert_eq!(placed(5, &all, &[1]), vec![vec![2, 3, 6, 7]; 5], "too many: wherever it is near");
        assert_eq!(placed(2, &all, &[0, 1]), [[1], [2]], "devices on both nodes");
        assert_eq!(placed(9, &all, &[]), vec![Vec::<u32>::new(); 9], "no choice left");
        // A cpuset that leaves none of the near ones.
        assert_eq!(placed(1, &all[..2], &[1]), [[1]]);
    }

    #[test]
    fn what_was_asked_for() {
        let all = machine();
        assert_eq!(place(2, &CpuChoice::Any, &all, &[1]), Ok(vec![vec![], vec![]]));
        let list = CpuChoice::List(vec![5, 0]);
        assert_eq!(place(3, &list, &all, &[1]), Ok(vec![vec![5], vec![0], vec![5]]));
        let problem = place(1, &CpuChoice::List(vec![1, 9]), &all, &[]).unwrap_err();
        assert!(problem.what.contains("CPU 9"), "{problem}");
        assert_eq!(problem.next.as_deref(), Some("choose among 0-7"));
    }

    #[test]
    fn lists_as_the_kernel_writes_them() {
        assert_eq!(parse_ranges("0-3,8, 10-11\n"), Ok(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(ranges(&[10, 0, 1, 3, 2, 8, 11, 1]), "0-3,8,10-11");
        assert_eq!((ranges(&[]), ranges(&[u32::MAX])), (String::new(), u32::MAX.to_string()));
        for wrong in ["", "a", "3-1", "1-", "-1", "0-4294967295", "1,,2"] {
            assert!(parse_ranges(wrong).is_err(), "{wrong}");
        }
        assert_eq!("auto".parse(), Ok(CpuChoice::Auto));
        assert_eq!("2,4-5".parse(), Ok(CpuChoice::List(vec![2, 4, 5])));
        assert!("all".parse::<CpuChoice>().unwrap_err().contains("auto, any"));
    }
}
