//! Tests that hold what they see against a clock or a rate, and so need a machine that does little else: the runner gives this tree few
//! companions (`cargo xtask test`). The path is the group; a test that asks about anything else stands outside.

pub mod agreement;
pub mod beside;
pub mod beside_known;
pub mod calibrate;
pub mod calibrate_commits;
pub mod calibrate_io_agrees;
pub mod changes;
pub mod commit;
pub mod commit_agreement;
pub mod dd_agreement;
pub mod device;
pub mod faults;
pub mod fio_job_agreement;
pub mod limits;
pub mod open;
pub mod open_known;
pub mod soak_beside;
pub mod sql_agreement;
pub mod sql_outstanding;
pub mod stalls;
pub mod syscalls;
pub mod versus;
pub mod visit_course;
pub mod zones;
