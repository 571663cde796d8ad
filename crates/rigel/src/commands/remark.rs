//! What a load cannot express of a job file, in words.
//!
//! Must not decide what is remarked.

use crate::args::fio_hint;
use rigel_core::load::fio::Remark;

/// A remark in words; those of the command line if the load has none of its own.
pub fn remark_text(remark: &Remark) -> String {
    let typed = format!("--{}", remark.option);
    let hint = || {
        let sentence = fio_hint(&typed, remark.value.as_deref(), false)?;
        Some(sentence.strip_prefix(&format!("fio's {typed} ")).unwrap_or(&sentence).to_owned())
    };
    let words = remark.words.clone().or_else(hint);
    Remark { words, ..remark.clone() }.to_string()
}
