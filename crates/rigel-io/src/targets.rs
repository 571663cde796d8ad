//! Targets: finding out what they are, opening them, and the guard that decides about writing.
//!
//! Must not decide what to measure.

mod aligned;
pub mod asm;
pub(crate) mod block;
pub(crate) mod bottom;
mod changes;
mod errno;
pub mod fill;
mod filler;
pub mod guard;
pub mod inspect;
mod ioctl;
mod lock;
pub mod lun_list;
mod namespace;
mod neighbours;
pub mod no_path;
mod node;
pub mod open;
mod own_file;
mod owners;
mod room;
pub mod scratch;

pub(crate) use aligned::AlignedBuffer;
pub use block::{Legs, legs_of_array, legs_of_volume};
pub use lock::Hold;
pub use namespace::Namespace;
pub use open::{OpenTarget, OpenTargets};
pub use owners::owners;
