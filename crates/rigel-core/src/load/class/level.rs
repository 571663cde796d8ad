//! What a load level of a class says: how much load there is, at which rate it comes, where it goes, or over how many targets.
//!
//! Must not know the class.

/// What a load level is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    /// The number outstanding, of what the class counts.
    Load,
    /// The number of arrivals per second.
    Rate {
        /// Most outstanding I/Os.
        most_outstanding: u32,
    },
    /// The number of a place, from 1.
    Place,
    /// The number of a working set, from 1.
    WorkingSet {
        /// The number outstanding, of what the class counts.
        each: u32,
    },
    /// The number of loaded targets, from the first on.
    Targets {
        /// The number on each of them, of what the class counts.
        each: u32,
    },
}

impl LevelKind {
    /// The part of a level that is dealt out to the workers: what the class counts, or the slots of an open loop.
    pub const fn dealt(self, level: u32) -> u32 {
        match self {
            Self::Rate { most_outstanding } if level > 0 => most_outstanding,
            Self::Place if level > 0 => 1,
            Self::WorkingSet { each } if level > 0 => each,
            Self::Targets { each } => level.saturating_mul(each),
            Self::Load | Self::Rate { .. } | Self::Place | Self::WorkingSet { .. } => level,
        }
    }

    /// The number of targets of a level that counts them.
    pub const fn targets(self, level: u32) -> Option<u32> {
        match self {
            Self::Targets { .. } => Some(level),
            Self::Load | Self::Rate { .. } | Self::Place | Self::WorkingSet { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dealt_out_follows_from_what_the_level_is() {
        let of = |kind: LevelKind| [0, 1, 3].map(|level| kind.dealt(level));
        assert_eq!(of(LevelKind::Load), [0, 1, 3]);
        assert_eq!(of(LevelKind::Rate { most_outstanding: 64 }), [0, 64, 64]);
        assert_eq!(of(LevelKind::Place), [0, 1, 1]);
        assert_eq!(of(LevelKind::WorkingSet { each: 32 }), [0, 32, 32]);
        let targets = LevelKind::Targets { each: 16 };
        assert_eq!((of(targets), targets.targets(3)), ([0, 16, 48], Some(3)));
        assert_eq!((LevelKind::Targets { each: u32::MAX }).dealt(2), u32::MAX);
        assert_eq!(LevelKind::Load.targets(3), None);
    }
}
