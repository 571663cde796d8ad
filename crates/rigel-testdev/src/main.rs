//! The daemon of the test device; see the library. It must stay this small: nothing here can be tested.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    rigel_testdev::run_daemon(std::env::args_os().skip(1))
}
