//! The options that both command lines have, and how each spells them, so that one message serves both.
//!
//! Must not know what an option means.

/// Which command line was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// ORION's own: `rigel orion -run simple`, or the program started as `orion`.
    Orion,
    /// `rigel run simple`.
    Rigel,
    /// `rigel calibrate`, whose options are spelled as those of `rigel run`.
    Calibrate,
}

/// An option of both command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    orion: &'static str,
    rigel: &'static str,
}

impl Opt {
    /// Run level.
    pub const LEVEL: Self = Self { orion: "-run", rigel: "LEVEL" };
    /// Name of the run.
    pub const NAME: Self = Self { orion: "-testname", rigel: "--name" };
    /// Number of disks.
    pub const NUM_DISKS: Self = Self { orion: "-num_disks", rigel: "--num-disks" };
    /// Size of a small I/O.
    pub const SIZE_SMALL: Self = Self { orion: "-size_small", rigel: "--size-small" };
    /// Size of a large I/O.
    pub const SIZE_LARGE: Self = Self { orion: "-size_large", rigel: "--size-large" };
    /// Random or streams.
    pub const TYPE: Self = Self { orion: "-type", rigel: "--type" };
    /// Outstanding I/Os of a stream.
    pub const STREAM_IOS: Self = Self { orion: "-num_streamIO", rigel: "--stream-ios" };
    /// Layout of the volume.
    pub const SIMULATE: Self = Self { orion: "-simulate", rigel: "--simulate" };
    /// Stripe depth.
    pub const STRIPE: Self = Self { orion: "-stripe", rigel: "--stripe" };
    /// Share of writes.
    pub const WRITE: Self = Self { orion: "-write", rigel: "--write" };
    /// Warm-up.
    pub const CACHE_SIZE: Self = Self { orion: "-cache_size", rigel: "--cache-size" };
    /// Time of a data point.
    pub const DURATION: Self = Self { orion: "-duration", rigel: "--duration" };
    /// Matrix.
    pub const MATRIX: Self = Self { orion: "-matrix", rigel: "--matrix" };
    /// Outstanding small I/Os.
    pub const NUM_SMALL: Self = Self { orion: "-num_small", rigel: "--num-small" };
    /// Outstanding large I/Os or streams.
    pub const NUM_LARGE: Self = Self { orion: "-num_large", rigel: "--num-large" };
    /// More on the terminal.
    pub const VERBOSE: Self = Self { orion: "-verbose", rigel: "--verbose" };

    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::LEVEL,
        Self::NAME,
        Self::NUM_DISKS,
        Self::SIZE_SMALL,
        Self::SIZE_LARGE,
        Self::TYPE,
        Self::STREAM_IOS,
        Self::SIMULATE,
        Self::STRIPE,
        Self::WRITE,
        Self::CACHE_SIZE,
        Self::DURATION,
        Self::MATRIX,
        Self::NUM_SMALL,
        Self::NUM_LARGE,
        Self::VERBOSE,
    ];

    /// How the user types it.
    pub const fn spelled(self, front: Front) -> &'static str {
        match front {
            Front::Orion => self.orion,
            Front::Rigel | Front::Calibrate => self.rigel,
        }
    }
}

impl Front {
    /// Several options, as `rigel run` spells them, in the spelling of this command line.
    pub fn respelled(self, options: &str) -> String {
        let spelled = |name| {
            let opt = Opt::ALL.into_iter().find(|opt| opt.spelled(Self::Rigel) == name);
            opt.map_or(name, |opt| opt.spelled(self))
        };
        options.split(", ").map(spelled).collect::<Vec<_>>().join(", ")
    }
}
