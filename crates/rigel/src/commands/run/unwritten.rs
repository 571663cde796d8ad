//! Parts of targets that were never written: the filesystem answers their reads, so what is measured there is no storage.
//!
//! Must not look at a target: its facts have what is known.

use super::consent;
use crate::args::{RunOptions, TargetSource};
use rigel_core::facts::{ExtentFacts, TargetFacts};
use rigel_core::load::workload::WritePercent;
use rigel_core::path_text;
use rigel_core::units::Bytes;

/// Fewer of a thousand bytes raise no flag.
const LEAST_OF_A_THOUSAND: u64 = 1;

/// Said before the load begins, because at its end the numbers must not be used. Empty if Rigel fills the targets itself, or nothing is read.
pub fn remarks(options: &RunOptions, looked: &[TargetFacts]) -> Vec<String> {
    let request = &options.request;
    let is_soaked = request.writes_at_all() && request.soak().is_some_and(|soak| !soak.through);
    let is_filled = matches!(options.targets, TargetSource::Scratch { .. }) || is_soaked;
    // The files of a table are the server's, and may have empty pages.
    if is_filled
        || request.is_beside_raw()
        || request.main_classes().all(|class| class.write_percent == WritePercent::ALL)
    {
        return Vec::new();
    }
    let once = TargetFacts::each_once(looked).into_iter();
    once.filter(|target| is_much(target)).filter_map(told).collect()
}

fn is_much(target: &TargetFacts) -> bool {
    let never = |found: &ExtentFacts| found.unwritten_bytes.saturating_add(found.hole_bytes);
    target.extents.is_some_and(|found| {
        never(&found).saturating_mul(1000) > found.looked_bytes().saturating_mul(LEAST_OF_A_THOUSAND)
    })
}

/// What a target lacks, and what to do; `None` if all of it was written, or that is not known.
pub fn told(target: &TargetFacts) -> Option<String> {
    let found = target.extents?;
    let path = &target.path;
    let never = found.unwritten_bytes.saturating_add(found.hole_bytes);
    if never == 0 {
        return None;
    }
    let answered = "reads are answered without the disk (flag ZEROS)";
    Some(if consent::holds_no_data(target) {
        let fill = format!("rigel fill {}", path_text::shell_word(path));
        format!(
            "{path} holds no data: no block of it was ever written, and {answered}; `{fill}` writes random data"
        )
    } else {
        format!(
            "{} of {} of {path} were never written, and {answered}; a file that is written throughout has none",
            Bytes(never),
            Bytes(found.looked_bytes())
        )
    })
}
