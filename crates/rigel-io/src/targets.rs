//! Targets: finding out what they are, opening them, and the guard that decides about writing.
//!
//! Must not decide what to measure.

mod aligned;
mod blkid;
mod changes;
mod errno;
pub mod guard;
pub mod inspect;
mod ioctl;
pub mod lun_list;
mod namespace;
mod node;
pub mod open;
pub mod scratch;
mod signature;

pub use namespace::Namespace;
pub use open::{OpenTarget, OpenTargets};
