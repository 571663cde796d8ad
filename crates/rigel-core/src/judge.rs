//! What a record says: figures with intervals, and the flags that cast doubt on them.
//!
//! Must not word or lay out anything for a reader; `rigel-report` does.

pub mod answer;
pub mod answers;
pub mod by_target;
pub mod few_targets;
pub mod findings;
pub mod flags;
pub mod outliers;
pub mod profiles;
pub mod quantity;
mod quantity_name;
pub mod slo;
pub mod wrong_data;
