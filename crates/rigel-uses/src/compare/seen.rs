//! The observed change, whether or not it can be judged.
//!
//! Even if one visit or few runs do not show what others would give, the change is a fact. Must not say which side is better.

use super::Row;
use super::change::{Doubt, RunQuantity};
use rigel_core::stats::special::student_t_quantile;

/// A change without a verdict, relative to the base: -0.05 is 5 % less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenChange {
    /// New divided by base, minus 1.
    pub relative: f64,
    /// The range that the intervals of both sides leave open, each on its own; `None` if a side has no interval.
    pub ends: Option<(f64, f64)>,
    /// Whether the ends hold what another run would give, so the change is judged.
    pub is_judged: bool,
}

impl Row {
    /// The change as it was seen; `None` if nothing completed on a side, and of sides that took too few turns.
    pub fn seen(&self) -> Option<SeenChange> {
        if let Ok(change) = self.change {
            let ends = Some((change.lo, change.hi));
            return Some(SeenChange { relative: change.relative, ends, is_judged: true });
        }
        let (base, new) = (self.base.value, self.new.value);
        // Sides that took turns have the ratio of their rounds, and none without those.
        if base <= 0.0 || new <= 0.0 || matches!(self.change, Err(Doubt::NoData | Doubt::FewRounds)) {
            return None;
        }
        let error = |estimate| RunQuantity::new(self.quantity, estimate, false).error();
        let log = (new / base).ln();
        let half = error(self.base).zip(error(self.new)).map(|((of_base, df), (of_new, other))| {
            student_t_quantile(0.975, df.min(other)) * of_base.hypot(of_new)
        });
        let ends = half.map(|half| ((log - half).exp_m1(), (log + half).exp_m1()));
        Some(SeenChange { relative: log.exp_m1(), ends, is_judged: false })
    }
}
