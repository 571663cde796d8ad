//! Starts `rigel-mpi-node`, next to this program: that one is linked with MPI, and cannot even report that MPI is missing.
//!
//! Must not be linked with MPI, and must not read an argument.
#![forbid(unsafe_code)]

use rigel_core::error::Problem;
use rigel_core::path_text::{encode, printable};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const NODE: &str = "rigel-mpi-node";

fn main() -> ExitCode {
    let problem = start();
    // A closed output is no reason to fail in another way.
    let _ = writeln!(std::io::stderr(), "error: {problem}");
    ExitCode::from(problem.kind.code())
}

/// Becomes the node; what keeps it from that.
fn start() -> Problem {
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| "rigel-mpi".into());
    let node = match std::env::current_exe() {
        Ok(own) => own.with_file_name(NODE),
        Err(error) => {
            return Problem::refused("rigel-mpi cannot determine its own location")
                .because(format!("the system says: {error}"))
                .next("make sure that /proc is mounted");
        }
    };
    let missing = missing_libraries(&node);
    if !missing.is_empty() {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        return Problem::refused(format!("the host {} does not have {}", printable(host.trim()), printable(&missing.join(", "))))
            .at(encode(&node))
            .because("MPI is not installed there, is not the one Rigel was built with, or is not on the library search path")
            .next(
                "install Open MPI on every host: the package openmpi-bin of Debian and Ubuntu, or openmpi of Enterprise Linux, there with \
                 `module load mpi/openmpi-x86_64` in the shell of each host",
            );
    }
    let error = Command::new(&node).arg0(name).args(words).exec();
    Problem::refused("rigel-mpi cannot start rigel-mpi-node")
        .at(encode(&node))
        .because(format!("the system says: {error}"))
        .next("reinstall rigel-mpi, or copy both programs into one directory")
}

/// Libraries of a program that this host does not have: known by the loader, which lists them where this variable is set, and starts
/// nothing (ld.so(8)). Another loader starts the program, whose help needs no MPI.
fn missing_libraries(program: &Path) -> Vec<String> {
    let mut list = Command::new(program);
    list.arg("--help").env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null());
    let told = list.output().map(|output| output.stdout).unwrap_or_default();
    not_found(&String::from_utf8_lossy(&told))
}

/// `libmpi.so.40 => not found`
fn not_found(told: &str) -> Vec<String> {
    told.lines().filter_map(|line| Some(line.trim().strip_suffix(" => not found")?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_does_not_find_is_named() {
        let told = "\tlinux-vdso.so.1 (0x00007ffe)\n\tlibmpi.so.40 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n";
        assert_eq!(not_found(told), ["libmpi.so.40"]);
        assert!(not_found("rigel 0.2.0\n").is_empty());
    }
}
