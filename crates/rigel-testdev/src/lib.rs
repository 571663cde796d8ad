//! Test only: a storage device whose answer is known in advance, and the harness to use it in tests.
//!
//! [`TestDevice`] is a file behind FUSE that serves `C` requests at a time and takes `S` microseconds for
//! each: at depth `q` it must show `min(q, C) / S` requests per second, with its knee at depth `C`. Its gauge
//! says what really was in flight, and it fails by offset as told; it damages, loses and misplaces single writes, and it can have a
//! volatile cache and lose its power. [`LoopDevice`], [`ZramDevice`] and
//! [`BlkioCap`] complete it with block devices and a known rate. Every one of them needs rights or drivers
//! that a machine may lack: [`needs`] is the one way in which a test says that it cannot run.
//!
//! [`offers`] finds the command lines in whatever Rigel says, and asks whether they can be typed.
//!
//! Nothing of Rigel but its tests may depend on this crate, and it must not depend on Rigel: a fault in the
//! tool must not hide in the thing it is measured against.

#![forbid(unsafe_code)]

mod cache;
mod control;
mod daemon;
mod device;
mod faults;
mod filesystem;
mod gauge;
mod harness;
mod law;
mod lru;
mod medium;
mod node;
mod noise;
pub mod offers;
mod options;
mod request;
mod store;
mod traps;

pub use gauge::Gauge;
pub use harness::aligned::{AlignedBytes, open_direct};
pub use harness::cap::{BlkioCap, CapLimits};
pub use harness::control_group::ControlGroup;
pub use harness::loop_device::LoopDevice;
pub use harness::mysql::MysqlServer;
pub use harness::needs::{MissingNeed, needs};
pub use harness::postgres::PostgresServer;
pub use harness::postgres_database::PostgresDatabase;
pub use harness::python::Python;
pub use harness::random_file::random_file;
pub use harness::signals::restore_signals;
pub use harness::terminal::TestTerminal;
pub use harness::test_device::{DeviceSpec, TestDevice};
pub use harness::zram::ZramDevice;

#[doc(hidden)]
pub use daemon::run as run_daemon;

/// Which source this was built from: a library and a daemon that differ must not work together.
pub(crate) const FINGERPRINT: &str = env!("RIGEL_TESTDEV_FINGERPRINT");
