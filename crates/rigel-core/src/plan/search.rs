//! The search for the load levels that saturate the device, and the matrix around them.
//!
//! Small and large I/O are searched alone, one after the other. Must not decide what is visited next;
//! [`crate::stats::levels_auto`] does.

use crate::error::Problem;
use crate::facts::HostFacts;
use crate::matrix::{Grid, RunLevel};
use crate::pace::Pace;
use crate::request::Request;
use crate::stats::Parameters;
use crate::stats::levels_auto::{self, LevelRules};
use crate::units::{NS_PER_S, Nanos};
use crate::workload::Class;
use serde::{Deserialize, Serialize};

/// Most outstanding small I/Os that a search tries.
const MOST_SMALL: u32 = 512;
/// Most outstanding large I/Os, or streams, that a search tries.
const MOST_LARGE: u32 = 64;
/// A search takes about so many visits; 17 to 60 were seen on simulated curves.
const USUAL_VISITS: u64 = 45;
/// No search takes fewer: three levels, and the plateau again.
const LEAST_VISITS: u64 = 11;

/// What is searched, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelSearch {
    /// The classes, in the order in which they are searched.
    pub classes: Vec<Class>,
    /// Most outstanding small I/Os.
    pub most_small: u32,
    /// Most outstanding large I/Os, or streams.
    pub most_large: u32,
    /// Load before the measured part of a visit.
    pub settle: Nanos,
    /// Measured part of a visit.
    pub measure: Nanos,
}

impl LevelSearch {
    /// The search for a request; what does not fit into memory is not tried.
    #[must_use]
    pub fn new(request: &Request, host: &HostFacts) -> Self {
        let classes = match request.level {
            RunLevel::Simple | RunLevel::Normal | RunLevel::Advanced => vec![Class::Small, Class::Large],
            RunLevel::Oltp => vec![Class::Small],
            RunLevel::Dss => vec![Class::Large],
        };
        let parameters = match request.pace {
            Pace::Adaptive(adaptive) => Parameters::new(adaptive.precision.fraction(), adaptive.fast),
            Pace::Fixed(_) => Parameters::default(),
        };
        let per_level = u64::from(request.large_pattern.outstanding(1));
        let memory = host.memory_bytes.unwrap_or(u64::MAX);
        let fitting = |most: u32, bytes: u64| {
            let fitting = memory / 8 / bytes.max(1);
            most.min(u32::try_from(fitting).unwrap_or(u32::MAX)).max(1)
        };
        let most = |class, most, bytes| if classes.contains(&class) { fitting(most, bytes) } else { 0 };
        Self {
            most_small: most(Class::Small, MOST_SMALL, request.small_bytes),
            most_large: most(Class::Large, MOST_LARGE, request.large_bytes.saturating_mul(per_level)),
            settle: Nanos(parameters.settle_ns),
            measure: Nanos(parameters.measure_ns),
            classes,
        }
    }

    /// The rules of the search for a class.
    #[must_use]
    pub fn rules(&self, class: Class) -> LevelRules {
        let most_outstanding = match class {
            Class::Small => self.most_small,
            Class::Large => self.most_large,
        };
        LevelRules { most_outstanding, ..LevelRules::default() }
    }

    /// The largest level of each class.
    #[must_use]
    pub const fn room(&self) -> (u32, u32) {
        (self.most_small, self.most_large)
    }

    /// How long a search usually takes.
    #[must_use]
    pub fn usual_time(&self) -> Nanos {
        self.time_of(USUAL_VISITS)
    }

    fn time_of(&self, visits: u64) -> Nanos {
        let visits = visits * self.classes.len() as u64;
        Nanos((self.settle.0 + self.measure.0).saturating_mul(visits))
    }

    /// # Errors
    /// When the time that the run may take does not even suffice for the search.
    pub fn check_limit(&self, request: &Request) -> Result<(), Problem> {
        let limit = request.pace.max_duration();
        let Some(limit) = limit.filter(|limit| limit.0 < self.time_of(LEAST_VISITS).0) else {
            return Ok(());
        };
        let (least, usual) = (self.time_of(LEAST_VISITS), self.usual_time());
        Err(Problem::usage(format!("{limit} do not suffice for the search for load levels"))
            .because(format!("it takes at least {} s and usually about {} s", whole_s(least), whole_s(usual)))
            .next(format!("allow at least {}s, or measure ORION's levels", 2 * whole_s(usual))))
    }

    /// The matrix around saturation: on each axis 0, 1, N/4, N/2, N, 2N, as far as the search may go. A class without
    /// a level of saturation has the levels 1 and 2.
    #[must_use]
    pub fn grid(&self, level: RunLevel, n_sat_small: Option<u32>, n_sat_large: Option<u32>) -> Grid {
        let axis = |class, n_sat: Option<u32>, most: u32| -> Vec<u32> {
            if !self.classes.contains(&class) {
                return Vec::new();
            }
            let levels = levels_auto::axis(n_sat.unwrap_or(1)).into_iter();
            levels.filter(|&level| (1..=most).contains(&level)).collect()
        };
        let small = axis(Class::Small, n_sat_small, self.most_small);
        let large = axis(Class::Large, n_sat_large, self.most_large);
        Grid::around(level, &small, &large)
    }
}

/// Seconds, rounded up.
const fn whole_s(time: Nanos) -> u64 {
    time.0.div_ceil(NS_PER_S)
}
