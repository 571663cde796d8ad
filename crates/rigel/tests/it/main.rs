//! The real binary, as a user meets it.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

mod adaptive;
mod advise;
mod agreement;
mod bad_input;
mod calibrate;
mod changes;
mod compare;
mod contents;
mod device;
mod doctor;
mod faults;
mod formats;
mod hostile;
mod intervals;
mod limits;
mod manual;
mod memory;
mod one_number;
mod orion;
mod output_faults;
mod outputs;
mod plain;
mod privilege;
mod resume;
mod safety;
mod scale;
mod seam;
mod selftest;
mod sim;
mod stop;
mod support;
mod syscalls;
mod targets;
mod typed;
mod visit_course;
