//! Values that are neither a word of a list nor a plain number: times, engines, seeds, the version in the environment.
//!
//! Must not know which command line they came from.

use super::fio;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::{MAX_OUTSTANDING, MAX_RATE, Span};
use rigel_core::load::request::EngineRequest;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use rigel_core::sim::SimLaw;
use rigel_core::units::{self, Bytes, Nanos, UnitError};
use rigel_report::OrionVersion;
use rigel_uses::advice::HitRate;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt;

/// Seeds stay below this, so that every reader of JSON gets them back exactly.
pub const SEEDS: u64 = 1 << 53;

/// A value that cannot be read, and what to write instead. [`mod@super::clap_problem`] puts option and value in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// `has no unit: write 2ms or 2s`
    pub reason: String,
    pub next: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, self.next)
    }
}

impl Error for ValueError {}

type ValueProblem = Box<dyn Error + Send + Sync>;

/// Reads a name from a list, without the blanks around its comma: `rac1, rac2`.
///
/// # Errors
/// When nothing is left.
pub fn name(text: &str) -> Result<String, ValueError> {
    let name = text.trim();
    (!name.is_empty()).then(|| name.to_owned()).ok_or_else(|| ValueError {
        reason: "has a name without a letter".into(),
        next: "give names with commas between, such as rac1,rac2".into(),
    })
}

/// Reads the time that an I/O may take.
pub fn latency(text: &str) -> Result<Nanos, ValueProblem> {
    time(text, ["ms", "s"])
}

/// Reads the time that is spent on something.
pub fn duration(text: &str) -> Result<Nanos, ValueProblem> {
    time(text, ["s", "m"])
}

/// Reads a number of `what`, each of which has one outstanding.
pub fn number_of(text: &str, what: &str) -> Result<u32, ValueError> {
    let number = text.trim().parse::<u64>().ok().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| (1..=MAX_OUTSTANDING).contains(number)).ok_or_else(|| ValueError {
        reason: format!("is not a valid number of {what}"),
        next: format!("give 1 to {MAX_OUTSTANDING}, such as --{what} 1,2,4"),
    })
}

/// Reads a share in whole per cent: `20` or `20%`.
pub fn per_cent(text: &str) -> Result<u64, ValueError> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    number.parse().map_err(|_| ValueError {
        reason: "is not a whole number of per cent".into(),
        next: "give 0 to 100, such as 20 or 20%".into(),
    })
}

/// Reads how many I/Os arrive in a second, also none.
pub fn rate(text: &str) -> Result<u32, ValueError> {
    let next = || format!("give whole numbers of I/Os, at most {MAX_RATE} per second");
    let too_many = || ValueError { reason: "is more than any host can submit".into(), next: next() };
    let Some(number) = units::count_of(text) else {
        let meant = units::count_meant(text);
        let is_too_much =
            |meant: &String| meant.parse::<u64>().is_ok_and(|meant| meant > u64::from(MAX_RATE));
        if meant.as_ref().is_some_and(is_too_much) {
            return Err(too_many());
        }
        return Err(meant.map_or_else(
            || ValueError { reason: "is not a whole number".into(), next: next() },
            |meant| ValueError {
                reason: "is not written as one whole number".into(),
                next: format!("write {meant}, with nothing but digits, k or M"),
            },
        ));
    };
    u32::try_from(number).ok().filter(|rate| *rate <= MAX_RATE).ok_or_else(too_many)
}

/// Reads how much data there is. A number alone means bytes to one and gigabytes to another, and is refused.
pub fn amount(text: &str) -> Result<Bytes, ValueProblem> {
    let bytes: Bytes = text.parse()?;
    let next = || "give the size of the data, such as 500G or 10T".to_owned();
    if bytes.0 == 0 {
        return Err(ValueError { reason: "is not an amount of data".into(), next: next() }.into());
    }
    let number = text.trim();
    if number.ends_with(|sign: char| sign.is_ascii_digit()) {
        let reason = format!("has no unit: write {number}G or {number}T");
        return Err(ValueError { reason, next: next() }.into());
    }
    Ok(bytes)
}

/// Reads a part of every target.
pub fn span(text: &str) -> Result<Span, ValueError> {
    let plain = text.replace(['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}'], "-");
    if plain != text && plain.parse::<Span>().is_ok() {
        return Err(ValueError {
            reason: "has a typographic dash".into(),
            next: format!("write --span {plain}"),
        });
    }
    text.parse().map_err(|_| ValueError {
        reason: "is not a part of a target in per cent".into(),
        next: "give two whole numbers from 0 to 100, the smaller one first, such as 0-33%".into(),
    })
}

/// A number alone means seconds to one and milliseconds to another, so it is refused; `units` are what it may mean.
fn time(text: &str, [one, other]: [&str; 2]) -> Result<Nanos, ValueProblem> {
    text.parse().map_err(|error: UnitError| -> ValueProblem {
        match error {
            UnitError::NoUnit(number) => ValueError {
                reason: format!("has no unit: write {number}{one} or {number}{other}"),
                next: "give the unit: us, ms, s, m (minutes), h, d or w".into(),
            }
            .into(),
            UnitError::Comma { whole, decimal, .. } => {
                let unit = if whole.ends_with(|sign: char| sign.is_ascii_digit()) { one } else { "" };
                ValueError {
                    reason: "has a comma, which may separate thousands or decimals".into(),
                    next: format!("write {whole}{unit} or {decimal}{unit}"),
                }
                .into()
            }
            other => other.into(),
        }
    })
}

/// Reads the share of reads that caches answer.
pub fn hit_rate(text: &str) -> Result<HitRate, ValueProblem> {
    text.parse().map_err(|reason| -> ValueProblem {
        ValueError { reason, next: "write a per cent sign after it, as in --hit-rate 95%".into() }.into()
    })
}

/// Reads `auto`, an engine's name, or `sim:LAW`.
pub fn engine(text: &str) -> Result<EngineRequest, ValueProblem> {
    if text == "auto" {
        return Ok(EngineRequest::Auto);
    }
    let (name, law) = text.split_once(':').map_or((text, None), |(name, law)| (name, Some(law)));
    match (name.parse::<EngineKind>(), law) {
        (Ok(EngineKind::Sim), law) => Ok(EngineRequest::Sim(SimLaw::parse(law.unwrap_or_default())?)),
        (Ok(kind), None) => Ok(EngineRequest::Only(kind)),
        (Ok(kind), Some(_)) => {
            Err(format!("only sim takes a device after a colon, {} does not", kind.name()).into())
        }
        (Err(_), _) => Err(no_engine(name).into()),
    }
}

fn no_engine(name: &str) -> ValueError {
    let known: Vec<&str> =
        std::iter::once("auto").chain(EngineKind::ASKED_FOR.map(EngineKind::name)).collect();
    let near = fio::engine(name).or_else(|| nearest(name, known.iter().copied()));
    ValueError {
        reason: format!("names no engine ({})", known.join(", ")),
        next: near.map_or_else(
            || "leave it out for the best engine that works here".to_owned(),
            |near| {
                // An open loop has no use for a worker that waits for its own I/O.
                let open = if near == EngineKind::Sync.name() {
                    ", or --engine threads for a load that arrives at a rate"
                } else {
                    ""
                };
                format!("did you mean --engine {near}{open}?")
            },
        ),
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

/// The requested version, otherwise the one in the environment, otherwise the newest.
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
                .next("set it to 10.2, 11.1, 11.2 or 19, or unset it")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_by_name_and_by_law() {
        assert_eq!(engine("auto").unwrap(), EngineRequest::Auto);
        assert_eq!(engine("libaio").unwrap(), EngineRequest::Only(EngineKind::Libaio));
        assert_eq!(engine("sim").unwrap(), EngineRequest::Sim(SimLaw::default()));
        let Ok(EngineRequest::Sim(law)) = engine("sim:servers=9,size=2G") else {
            panic!("a law is a law");
        };
        assert_eq!((law.servers, law.size_bytes), (9, 2 << 30));
        for (text, part) in [
            ("posix", "names no engine (auto, io_uring, nvme"),
            ("aio", "--engine libaio"),
            ("io-uring", "--engine io_uring"),
            ("io_uring_cmd", "--engine nvme"),
            ("psync", "--engine sync, or --engine threads for a load that arrives at a rate"),
            ("null:servers=1", "only sim"),
            ("sim:service=5", "'5' has no unit"),
            ("sim:servers=0", "servers=0"),
            ("sim:service=0,rate=0", "no time at all"),
            ("sim:between=two", "between=two"),
        ] {
            let error = engine(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_time_without_a_unit_is_offered_two() {
        assert_eq!(latency("1.5ms").unwrap(), Nanos(1_500_000));
        assert!(latency("2").unwrap_err().to_string().contains("write 2ms or 2s"));
        assert!(duration("60").unwrap_err().to_string().contains("write 60s or 60m"));
        assert!(duration("10x").unwrap_err().to_string().contains("'x' in '10x' is not a unit"));
    }

    #[test]
    fn an_amount_of_data_has_a_unit() {
        assert_eq!(amount("1.5T").unwrap(), Bytes(3 << 39));
        for (text, part) in [
            ("10", "write 10G or 10T"),
            ("0", "is not an amount of data"),
            ("0T", "is not an amount of data"),
            ("99999999T", "is too large"),
            ("10X", "'X' in '10X' is not a unit"),
            ("-1T", "not a number"),
        ] {
            assert!(amount(text).unwrap_err().to_string().contains(part), "{text}: {:?}", amount(text));
        }
    }

    #[test]
    fn a_comma_is_the_cause() {
        assert!(duration("1,000").unwrap_err().to_string().contains("a comma, which may separate"));
        assert!(duration("1,000").unwrap_err().to_string().contains("write 1000s or 1.000s"));
        assert!(latency("1,000us").unwrap_err().to_string().contains("write 1000us or 1.000us"));
        for (text, part) in [
            ("1e4", "write 10000"),
            ("20,000", "write 20000"),
            ("5.000", "write 5 or 5000"),
            ("x", "is not a whole number"),
            ("99999999999", "more than any host"),
        ] {
            assert!(rate(text).unwrap_err().to_string().contains(part), "{text}");
        }
    }

    #[test]
    fn a_share_may_have_its_sign() {
        for (text, share) in [("20", 20), ("20%", 20), ("20 %", 20), ("0%", 0), ("101%", 101)] {
            assert_eq!(per_cent(text).unwrap(), share, "{text}");
        }
        for text in ["", "%", "20%%", "2.5%", "-5%", "x"] {
            assert!(per_cent(text).unwrap_err().to_string().contains("not a whole number"), "{text}");
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
