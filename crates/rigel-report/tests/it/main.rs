//! The bytes that leave Rigel, against published output and against what known scripts do with it.
#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod several;
mod support;

mod advice;
mod compare;
mod consumers;
mod csv;
mod doctor;
mod fio;
mod hlog;
mod hostile;
mod html;
mod json;
mod markdown;
mod notes;
mod openmetrics;
mod orion_11_1;
mod orion_11_2;
mod orion_19;
mod terminal;
mod text;
mod trace;
mod verdict;
