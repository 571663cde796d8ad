//! `calibrate_io()` inside PostgreSQL: the C function behind the SQL in `sql`.
//!
//! A session waits here while threads without PostgreSQL measure. `calibration` is what they do, `background` owns them, `session` is the
//! server's side. Arguments, rights, the lock and the result are the business of the SQL.

mod background;
mod calibration;
mod session;

use calibration::CalibrationCall;
use pgrx::prelude::*;
use rigel_core::error::Problem;
use rigel_core::units::Nanos;
use std::path::PathBuf;

::pgrx::pg_module_magic!(name, version);

/// Calibrates on the files, which the server names relative to its directory; the figures as JSON.
#[pg_extern(volatile, parallel_unsafe)]
fn rigel_calibrate(
    files: Vec<String>,
    num_physical_disks: i32,
    max_latency_ms: i32,
    budget_s: i32,
) -> String {
    match asked(&files, num_physical_disks, max_latency_ms, budget_s) {
        Ok(asked) => session::wait_for(move |stop| calibration::figures(&asked, stop)),
        Err(problem) => session::refuse(&problem),
    }
}

fn asked(
    files: &[String],
    disks: i32,
    max_latency_ms: i32,
    budget_s: i32,
) -> Result<CalibrationCall, Problem> {
    if let Some(foreign) = files.iter().find(|file| !is_of_server(file)) {
        return Err(Problem::usage(format!(
            "'{}' is not a file of a relation",
            rigel_core::path_text::printable(foreign)
        ))
        .next("call rigel.calibrate_io(), which finds the files"));
    }
    let positive = |value: i32, name: &str| match u32::try_from(value) {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(Problem::usage(format!("{name} is {value}")).next("give at least 1")),
    };
    Ok(CalibrationCall {
        files: files.iter().map(PathBuf::from).collect(),
        disks: positive(disks, "num_physical_disks")?,
        max_latency: Nanos::from_millis(positive(max_latency_ms, "max_latency")?.into()),
        budget: Nanos::from_secs(positive(budget_s, "budget")?.into()),
    })
}

/// Whether a name is one that the server gives a file of a relation: no other file is ever opened.
fn is_of_server(name: &str) -> bool {
    let below = ["base/", "global/", "pg_tblspc/"].iter().any(|start| name.starts_with(start));
    below && !name.contains("..") && name.chars().all(|c| c.is_ascii_alphanumeric() || "/_.".contains(c))
}

/// Panics in the session, or in a thread that measures.
#[cfg(feature = "test-hooks")]
#[pg_extern]
fn rigel_test_panic(in_thread: bool) -> String {
    if in_thread {
        return session::wait_for(|_| panic!("a panic in a thread, for a test"));
    }
    panic!("a panic in the session, for a test")
}
