//! The page with charts in a real browser: no error, no request, charts drawn, tooltips and the choice of a point work.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

mod chromium;
mod compare;
mod devtools;
mod forecast;
mod pages;
mod paper;
mod rank;
mod reader;
mod runs;
mod several;
mod slo;
mod soak;
#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod support;
#[path = "../it/year.rs"]
mod year;
