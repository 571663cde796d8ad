//! Targets as they are on a real host: files, images, loop devices, mounts, swap.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod contents;
mod extents;
mod facts;
mod in_use;
mod memory;
mod opening;
mod scratch;
mod signatures;
mod support;
