//! The live view in a real terminal. Apart from the other tests: it keeps a CPU busy, and some of them look at the time.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod support;
mod view;
