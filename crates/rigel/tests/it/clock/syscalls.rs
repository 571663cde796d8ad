//! What the measuring loop asks of the kernel, seen by strace: only the call that submits and waits.

use crate::support::Place;
use rigel_testdev::{MissingNeed, needs};
use std::collections::BTreeMap;
use std::process::Command;

/// Clocks that are read without a system call.
const FAST_CLOCKS: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

fn strace() -> Result<(), MissingNeed> {
    let clock = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let clock = clock.map_err(MissingNeed::new)?;
    if !FAST_CLOCKS.contains(&clock.trim()) {
        return Err(MissingNeed::new(format!("the clock {} needs a system call", clock.trim())));
    }
    match Command::new("strace").args(["-o", "/dev/null", "true"]).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(MissingNeed::new(String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(MissingNeed::new(format!("strace: {error}"))),
    }
}

/// The names of a thread's system calls in order: `7 io_uring_enter(5, ..) = 32`, `7 <... io_uring_enter resumed>`.
fn calls(trace: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut by_thread: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let name = call.trim_start().split('(').next().unwrap_or_default();
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            by_thread.entry(thread).or_default().push(name);
        }
    }
    by_thread
}

/// What the busiest thread calls between its first and its last `name`, each with how often.
fn between(trace: &str, name: &str) -> BTreeMap<String, usize> {
    let threads = calls(trace);
    let of = |calls: &Vec<&str>| calls.iter().filter(|&&call| call == name).count();
    let busiest = threads.values().max_by_key(|calls| of(calls)).unwrap();
    let first = busiest.iter().position(|&call| call == name).unwrap();
    let last = busiest.iter().rposition(|&call| call == name).unwrap();
    let mut found = BTreeMap::new();
    busiest[first..=last].iter().for_each(|&call| *found.entry(call.to_owned()).or_default() += 1);
    found
}

#[test]
fn the_loop_makes_one_kind_of_system_call() {
    let name = "the_loop_makes_one_kind_of_system_call";
    let Some(()) = needs(name, strace()) else { return };
    let place = Place::new();
    place.random_file("data", 16 << 20);
    for (engine, kinds) in [("io_uring", &["io_uring_enter"][..]), ("libaio", &["io_submit", "io_getevents"])]
    {
        let line = format!(
            "run advanced data --engine {engine} --matrix point --num-small 16 --num-large 0 --duration 500ms --workers 1 \
             --quiet --name {engine}"
        );
        let mut command = Command::new("strace");
        command.current_dir(place.path()).args(["-f", "-qq", "-o", engine, env!("CARGO_BIN_EXE_rigel")]);
        let told = crate::support::tell(command.args(line.split_whitespace()));
        if told.code == 3 && told.stderr.contains("io_uring") {
            needs::<()>(name, Err(MissingNeed::new(told.stderr)));
            return;
        }
        told.expect_measured();
        let trace = std::fs::read_to_string(place.path().join(engine)).unwrap();
        let found = between(&trace, kinds[0]);
        assert!(found[kinds[0]] > 20, "{engine}: {found:?}");
        assert!(found.keys().all(|call| kinds.contains(&call.as_str())), "{engine}: {found:?}");
    }
}

#[test]
fn a_trace_is_read_by_thread() {
    let trace = "7 enter(1) = 1\n8 write(1, \"enter\") = 5\n7 enter(1 <unfinished ...>\n8 futex(0x1) = 0\n7 <... enter resumed>) = 1\n\
                 7 read(3) = 1\n7 enter(2) = 1\n7 exit(0) = ?\n7 +++ exited with 0 +++\n";
    let found = between(trace, "enter");
    assert_eq!((found["enter"], found["read"], found.len()), (3, 1, 2));
}
