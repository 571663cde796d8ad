//! The words and the rules of Rigel: what a run is, how it is planned, what is kept of it, how it is judged.
//!
//! Nothing in here does I/O, reads a clock or draws from the operating system. Every function gives the same answer
//! for the same arguments, so that a plan can be printed before anything is touched and a record judged again years
//! later. `rigel-io` touches the kernel, `rigel-run` owns time and threads, `rigel-report` renders.
#![forbid(unsafe_code)]

pub mod advice;
pub mod answers;
pub mod calibration;
pub mod compare;
pub mod doctor;
pub mod draw;
pub mod engine;
pub mod errno;
pub mod error;
pub mod event;
pub mod facts;
pub mod findings;
pub mod flags;
pub mod levels;
pub mod matrix;
pub mod measure;
pub mod pace;
pub mod path_text;
pub mod placement;
pub mod plan;
pub mod record;
pub mod request;
pub mod resume;
pub mod safety;
pub mod scratch;
pub mod selftest;
pub mod sim_law;
pub mod split;
pub mod stats;
pub mod units;
pub mod volume;
pub mod witness;
pub mod workload;
