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

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opt {
    /// Run level.
    Level,
    /// Name of the run.
    Name,
    /// Number of disks.
    NumDisks,
    /// Size of a small I/O.
    SizeSmall,
    /// Size of a large I/O.
    SizeLarge,
    /// Random or streams.
    Type,
    /// Outstanding I/Os of a stream.
    StreamIos,
    /// Layout of the volume.
    Simulate,
    /// Stripe depth.
    Stripe,
    /// Share of writes.
    Write,
    /// Warm-up.
    CacheSize,
    /// Time of a data point.
    Duration,
    /// Matrix.
    Matrix,
    /// Outstanding small I/Os.
    NumSmall,
    /// Outstanding large I/Os or streams.
    NumLarge,
    /// More on the terminal.
    Verbose,
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

impl Opt {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Level,
        Self::Name,
        Self::NumDisks,
        Self::SizeSmall,
        Self::SizeLarge,
        Self::Type,
        Self::StreamIos,
        Self::Simulate,
        Self::Stripe,
        Self::Write,
        Self::CacheSize,
        Self::Duration,
        Self::Matrix,
        Self::NumSmall,
        Self::NumLarge,
        Self::Verbose,
    ];

    /// How the user types it.
    pub const fn spelled(self, front: Front) -> &'static str {
        let (orion, rigel) = match self {
            Self::Level => ("-run", "LEVEL"),
            Self::Name => ("-testname", "--name"),
            Self::NumDisks => ("-num_disks", "--num-disks"),
            Self::SizeSmall => ("-size_small", "--size-small"),
            Self::SizeLarge => ("-size_large", "--size-large"),
            Self::Type => ("-type", "--type"),
            Self::StreamIos => ("-num_streamIO", "--stream-ios"),
            Self::Simulate => ("-simulate", "--simulate"),
            Self::Stripe => ("-stripe", "--stripe"),
            Self::Write => ("-write", "--write"),
            Self::CacheSize => ("-cache_size", "--cache-size"),
            Self::Duration => ("-duration", "--duration"),
            Self::Matrix => ("-matrix", "--matrix"),
            Self::NumSmall => ("-num_small", "--num-small"),
            Self::NumLarge => ("-num_large", "--num-large"),
            Self::Verbose => ("-verbose", "--verbose"),
        };
        match front {
            Front::Orion => orion,
            Front::Rigel | Front::Calibrate => rigel,
        }
    }
}
