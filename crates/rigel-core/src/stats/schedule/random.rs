//! Uniform choices from a seeded generator.
//!
//! Must not depend on the order in which a map or a set is walked: callers pass slices.

use crate::load::draw::Generator;

/// One of `items`, uniformly; draws nothing from the generator when there is none.
pub fn draw(items: &[usize], generator: &mut Generator) -> Option<usize> {
    let last = items.len().checked_sub(1)?;
    items.get(index(last, generator)).copied()
}

/// A uniform permutation (Fisher, Yates 1938; Durstenfeld 1964).
pub(crate) fn shuffle(items: &mut [usize], generator: &mut Generator) {
    for last in (1..items.len()).rev() {
        items.swap(last, index(last, generator));
    }
}

/// Uniform in `0..=last`.
fn index(last: usize, generator: &mut Generator) -> usize {
    let bound = u64::try_from(last).unwrap_or(u64::MAX).saturating_add(1);
    usize::try_from(generator.below(bound)).unwrap_or(last)
}
