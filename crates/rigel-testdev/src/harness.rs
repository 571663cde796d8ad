//! What the tests of other crates use: devices that come and go with a value, and the way to skip.
//!
//! Every device here cleans up in `Drop`, which never panics. Where one stands on another (a loop device
//! on a [`TestDevice`](test_device::TestDevice)), declare the upper one later, so it is dropped first.

pub(crate) mod aligned;
pub(crate) mod cap;
pub(crate) mod control_group;
pub(crate) mod keeper;
pub(crate) mod locate;
pub(crate) mod loop_device;
pub(crate) mod mysql;
pub(crate) mod needs;
pub(crate) mod postgres;
pub(crate) mod postgres_database;
pub(crate) mod postgres_home;
pub(crate) mod postgres_programs;
pub(crate) mod python;
pub(crate) mod random_file;
pub(crate) mod signals;
pub(crate) mod terminal;
pub(crate) mod test_device;
pub(crate) mod zram;
