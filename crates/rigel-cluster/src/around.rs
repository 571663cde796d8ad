//! What the first node does before and after the work of all nodes, such as reading the counters of what they load together.
//!
//! Must not send a message.

use rigel_core::error::Problem;
use rigel_run::bench::VisitResult;

/// Work of the first node around that of all.
pub trait Around {
    /// Before an order goes out that measures.
    ///
    /// # Errors
    /// When nothing can be measured any more.
    fn before(&mut self) -> Result<(), Problem>;

    /// When all nodes have ended it; `came` is the sum of their results.
    ///
    /// # Errors
    /// When nothing can be measured any more.
    fn after(&mut self, came: &mut VisitResult) -> Result<(), Problem>;
}
