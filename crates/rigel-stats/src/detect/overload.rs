//! A backlog that grows: more arrives than is served.
//!
//! The number in the system of a load that can be served moves by chance, about as a walk with a step for each arrival and each
//! service. Must not know what arrives.

/// What came of an open loop over some windows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growth {
    /// Operations that arrived.
    pub arrived: f64,
    /// By how much the backlog was larger at the ends of the windows than at their beginnings.
    pub grown: f64,
    /// Sum of the squared deviations that chance makes in each window.
    pub chance: f64,
}

/// A backlog that grows by a smaller part of what arrives is no overload worth telling.
const LEAST_GROWTH: f64 = 0.01;
/// Standard deviations of what moves a backlog by chance.
const SURE: f64 = 3.0;

impl Growth {
    /// Adds a window. `spread`: the squared coefficient of variation of the times between arrivals. Service that varies as much as its mean
    /// is reckoned with.
    pub fn add(&mut self, arrived: f64, grown: f64, spread: f64) {
        self.arrived += arrived;
        self.grown += grown;
        self.chance += (1.0 + spread) * arrived;
    }

    /// Whether what arrives cannot be served.
    pub fn is_overload(&self) -> bool {
        self.grown > LEAST_GROWTH * self.arrived && self.grown > SURE * self.chance.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overloads(windows: u32, arrived: f64, grown: f64) -> bool {
        let mut growth = Growth::default();
        (0..windows).for_each(|_| growth.add(arrived, grown, 1.0));
        growth.is_overload()
    }

    #[test]
    fn chance_and_small_shares_are_no_overload() {
        // One window of 2,000 arrivals moves by 63, four of them by 126.
        assert!(!overloads(1, 2000.0, 180.0) && overloads(1, 2000.0, 200.0));
        assert!(!overloads(4, 2000.0, 90.0) && overloads(4, 2000.0, 100.0));
        assert!(!overloads(1, 1e8, 0.9e6) && overloads(1, 1e8, 1.1e6), "a hundredth of it");
        assert!(!overloads(10, 2000.0, -500.0) && !overloads(0, 0.0, 0.0));
    }
}
