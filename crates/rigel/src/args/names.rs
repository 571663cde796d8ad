//! The options that both command lines have, and how each spells them, so one message serves both.
//!
//! Must not know what an option means.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// ORION's own: `rigel orion -run simple`, or the program started as `orion`.
    Orion,
    /// `rigel run simple`.
    Rigel,
    /// `rigel calibrate`, whose options are spelled like those of `rigel run`.
    Calibrate,
    /// `rigel slo`, the same.
    Slo,
    /// `rigel soak`, the same.
    Soak,
}

/// An option of both command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    orion: &'static str,
    rigel: &'static str,
}

/// Makes a constant of each option, and a list of all.
macro_rules! options {
    ($($name:ident: $orion:literal, $rigel:literal;)*) => {
        impl Opt {
            $(pub const $name: Self = Self { orion: $orion, rigel: $rigel };)*

            pub const ALL: [Self; 16] = [$(Self::$name),*];
        }
    };
}

options! {
    LEVEL: "-run", "LEVEL";
    NAME: "-testname", "--name";
    NUM_DISKS: "-num_disks", "--num-disks";
    SIZE_SMALL: "-size_small", "--size-small";
    SIZE_LARGE: "-size_large", "--size-large";
    TYPE: "-type", "--type";
    STREAM_IOS: "-num_streamIO", "--stream-ios";
    SIMULATE: "-simulate", "--simulate";
    STRIPE: "-stripe", "--stripe";
    WRITE: "-write", "--write";
    CACHE_SIZE: "-cache_size", "--cache-size";
    DURATION: "-duration", "--duration";
    MATRIX: "-matrix", "--matrix";
    NUM_SMALL: "-num_small", "--num-small";
    NUM_LARGE: "-num_large", "--num-large";
    VERBOSE: "-verbose", "--verbose";
}

/// Whether an option has this name, or had it once.
pub fn is_called(arg: &clap::Arg, name: &str) -> bool {
    let mut names = arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default());
    names.any(|long| long == name)
}

impl Opt {
    pub const fn spelled(self, front: Front) -> &'static str {
        match front {
            Front::Orion => self.orion,
            Front::Rigel | Front::Calibrate | Front::Slo | Front::Soak => self.rigel,
        }
    }
}

impl Front {
    /// A text about options, as `rigel run` spells them, in the spelling of this command line.
    pub fn respelled(self, text: &str) -> String {
        if self != Self::Orion {
            return text.to_owned();
        }
        let spelled = |word: &str| {
            let opt = Opt::ALL.into_iter().find(|opt| opt.rigel == word);
            opt.map_or_else(|| word.to_owned(), |opt| opt.orion.to_owned())
        };
        // Each word with the sign that ends it.
        let ends = [' ', ',', ';', '`'];
        let words = text.split_inclusive(ends).map(|word| {
            let (name, end) = word.split_at(word.trim_end_matches(ends).len());
            spelled(name) + end
        });
        words.collect::<String>().replace("rigel run ", &format!("{} ", Opt::LEVEL.orion))
    }
}
