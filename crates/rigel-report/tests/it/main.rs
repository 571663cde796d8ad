//! The bytes that leave Rigel, against published output and against what known scripts do with it.
#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod several;
mod support;

mod compare;
mod consumers;
mod csv;
mod hostile;
mod html;
mod json;
mod notes;
mod orion_11_1;
mod orion_11_2;
mod orion_19;
mod text;
mod trace;
