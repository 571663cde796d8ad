//! Values that are neither a word of a list nor a plain number: engines, seeds, the version in the environment.
//!
//! Must not know which command line they came from.

use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::request::EngineRequest;
use rigel_core::path_text;
use rigel_core::sim::SimLaw;
use rigel_report::OrionVersion;
use std::ffi::OsStr;

/// Seeds stay below this, so that every reader of JSON gets them back exactly.
pub const SEEDS: u64 = 1 << 53;

/// Reads `auto`, an engine's name, or `sim:LAW`. An error is a sentence for clap, which adds the option.
pub fn engine(text: &str) -> Result<EngineRequest, String> {
    if text == "auto" {
        return Ok(EngineRequest::Auto);
    }
    let (name, law) = text.split_once(':').map_or((text, None), |(name, law)| (name, Some(law)));
    match (name.parse()?, law) {
        (EngineKind::Sim, law) => SimLaw::parse(law.unwrap_or_default()).map(EngineRequest::Sim),
        (kind, None) => Ok(EngineRequest::Only(kind)),
        (kind, Some(_)) => Err(format!("only sim takes a device after a colon, {} does not", kind.name())),
    }
}

/// Reads a seed. An error is a sentence for clap, which adds the option.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|&seed| seed < SEEDS)
        .ok_or_else(|| format!("a seed is a whole number from 0 to {}", SEEDS - 1))
}

pub fn draw_seed() -> Result<u64, Problem> {
    match getrandom::u64() {
        Ok(drawn) => Ok(drawn % SEEDS),
        Err(error) => Err(Problem::refused("no seed could be drawn")
            .because(format!("the system gave no random numbers: {error}"))
            .next("give one with --seed")),
    }
}

/// The version asked for, else the one in the environment, else the newest.
pub fn orion_version(
    asked: Option<OrionVersion>,
    environment: Option<&OsStr>,
) -> Result<OrionVersion, Problem> {
    match (asked, environment) {
        (Some(version), _) => Ok(version),
        (None, None) => Ok(OrionVersion::default()),
        (None, Some(text)) => path_text::encode_os(text).parse().map_err(|reason: String| {
            Problem::usage(reason)
                .at("environment variable RIGEL_ORION_VERSION")
                .next("set it to 11.1, 11.2 or 19, or unset it")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_by_name_and_by_law() {
        assert_eq!(engine("auto"), Ok(EngineRequest::Auto));
        assert_eq!(engine("libaio"), Ok(EngineRequest::Only(EngineKind::Libaio)));
        assert_eq!(engine("sim"), Ok(EngineRequest::Sim(SimLaw::default())));
        let Ok(EngineRequest::Sim(law)) = engine("sim:servers=9,size=2G") else {
            panic!("a law is a law");
        };
        assert_eq!((law.servers, law.size_bytes), (9, 2 << 30));
        for (text, part) in [
            ("posix", "'posix' is no engine"),
            ("null:servers=1", "only sim"),
            ("sim:servers=0", "servers=0"),
            ("sim:service=0,rate=0", "no time at all"),
            ("sim:between=two", "between=two"),
        ] {
            let error = engine(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn seeds_stay_below_2_53() {
        assert_eq!(seed("9007199254740991"), Ok(SEEDS - 1));
        for wrong in ["9007199254740992", "-1", "", "1.5"] {
            assert!(seed(wrong).is_err(), "{wrong}");
        }
        assert!(draw_seed().unwrap() < SEEDS);
    }

    #[test]
    fn the_option_beats_the_environment() {
        let environment = Some(OsStr::new("11.1"));
        assert_eq!(orion_version(Some(OrionVersion::V11_2), environment), Ok(OrionVersion::V11_2));
        assert_eq!(orion_version(None, environment), Ok(OrionVersion::V11_1));
        assert_eq!(orion_version(None, None), Ok(OrionVersion::V19));
        let problem = orion_version(None, Some(OsStr::new("9i"))).unwrap_err();
        assert!(problem.to_string().contains("RIGEL_ORION_VERSION"));
    }
}
