//! Load classes that are impossible, and those that the engines cannot do yet.
//!
//! Must not look at host or targets.

use super::name::NAME_BYTES;
use super::{Arrival, Class, Figure, LoadClass, MAX_OUTSTANDING, Pattern, Sizes, Span, Sync};
use crate::error::Problem;
use crate::load::workload::WritePercent;
use crate::path_text::printable;
use crate::units::{Bytes, MIB};
use std::collections::BTreeSet;

/// Largest I/O: one buffer per outstanding I/O has to fit into memory, and the kernel moves at most 2 GiB at once.
const MAX_IO_BYTES: u64 = 256 * MIB;
/// Most arrivals per second: more than any host can submit.
pub const MAX_RATE: u32 = 10_000_000;
/// Fewer places do not show a course.
pub const FEWEST_PLACES: u8 = 3;
/// Most places.
pub const MOST_PLACES: u8 = 200;
/// Smallest block that any device has.
const MIN_BLOCK_BYTES: u64 = 512;

impl LoadClass {
    /// Refuses what the engines of this version cannot do.
    ///
    /// # Errors
    /// A usage problem that names the class and what is not supported.
    pub fn check_block_io(&self) -> Result<(), Problem> {
        let missing = [
            (self.sizes == Sizes::None, "without a size"),
            (
                self.pattern == Pattern::Log && !matches!(self.sizes, Sizes::Fixed(_)),
                "of several sizes in a log",
            ),
            (self.pattern == Pattern::Sessions, "of sessions"),
            (
                self.is_open() && !matches!(self.pattern, Pattern::Random | Pattern::Streams { .. }),
                "of a log that arrives at a rate",
            ),
        ];
        let Some((_, what)) = missing.into_iter().find(|missing| missing.0) else {
            return Ok(());
        };
        Err(Problem::usage(format!("the load class '{}' asks for I/O {what}", self.name))
            .because("no engine of this version supports that")
            .next("remove that, or the class"))
    }

    /// Refuses what no bench could do.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b" /%_-".contains(&byte);
        let wrong = match (&self.figure, self.span) {
            (Figure::Rate(unit), _)
                if unit.is_empty() || unit.len() > NAME_BYTES || !unit.bytes().all(fits) =>
            {
                Some(format!("the unit '{}' is not a word of 1 to {NAME_BYTES} letters", printable(unit)))
            }
            (_, Span::Percent(from, to)) if from >= to || to > 100 => {
                Some(format!("{from} to {to} per cent is not a valid part of a target"))
            }
            _ if self.pattern == Pattern::Log && self.write_percent != WritePercent::ALL => {
                Some("a log is write-only: its share of writes must be 100 per cent".to_owned())
            }
            _ if self.sync != Sync::None && !self.write_percent.writes() => {
                Some("it only reads, but only writes can be made durable".to_owned())
            }
            _ => self
                .wrong_places()
                .or_else(|| self.wrong_targets())
                .or_else(|| self.wrong_working_sets())
                .or_else(|| self.wrong_sizes())
                .or_else(|| self.wrong_arrival())
                .or_else(|| self.wrong_level()),
        };
        match wrong {
            Some(what) => Err(Problem::usage(what)
                .at(format!("load class '{}'", self.name))
                .next("correct the load class")),
            None => self.check_sizes(),
        }
    }

    fn wrong_sizes(&self) -> Option<String> {
        let Sizes::Mixed(sizes) = &self.sizes else { return None };
        let distinct: BTreeSet<u64> = sizes.iter().map(|size| size.0).collect();
        let shares = sizes.iter().map(|size| u32::from(size.1)).sum::<u32>();
        if shares != 100 || sizes.iter().any(|size| size.1 == 0) {
            return Some("the shares of its sizes must be above 0 and add up to 100 per cent".to_owned());
        }
        if distinct.len() < sizes.len() {
            return Some("one of its sizes appears twice".to_owned());
        }
        if self.pattern != Pattern::Random {
            return Some("only random I/O can have several sizes".to_owned());
        }
        (self.figure == Figure::Mbps)
            .then(|| "I/O of several sizes is counted in I/Os, not in MBPS".to_owned())
    }

    fn wrong_places(&self) -> Option<String> {
        let places = self.places?;
        if !(FEWEST_PLACES..=MOST_PLACES).contains(&places) {
            return Some(format!("{places} places is out of range ({FEWEST_PLACES} to {MOST_PLACES})"));
        }
        let goes = matches!(self.pattern, Pattern::Random | Pattern::Streams { .. }) && !self.is_open();
        if !goes || matches!(self.sizes, Sizes::Mixed(_)) {
            return Some("only streams and random I/O of one size can go from place to place".to_owned());
        }
        None
    }

    fn wrong_targets(&self) -> Option<String> {
        let each = self.per_target?;
        if !(1..=MAX_OUTSTANDING).contains(&each) {
            return Some(format!("{each} for each target is out of range (1 to {MAX_OUTSTANDING})"));
        }
        let goes = matches!(self.pattern, Pattern::Random | Pattern::Streams { .. }) && !self.is_open();
        if !goes || self.places.is_some() || matches!(self.sizes, Sizes::Mixed(_)) {
            return Some(
                "only streams and random I/O of one size, in a closed loop and without places, can go over \
                 a growing number of targets"
                    .to_owned(),
            );
        }
        None
    }

    fn wrong_working_sets(&self) -> Option<String> {
        let sets = self.working_sets.as_ref()?;
        if !(1..=MAX_OUTSTANDING).contains(&sets.each) {
            return Some(format!("{} outstanding is out of range (1 to {MAX_OUTSTANDING})", sets.each));
        }
        let has_other = self.places.is_some() || self.per_target.is_some() || self.is_open();
        if has_other || self.pattern != Pattern::Random || !matches!(self.sizes, Sizes::Fixed(_)) {
            return Some("only random I/O of one size, in a closed loop, has working sets".to_owned());
        }
        sets.wrong()
    }

    fn wrong_arrival(&self) -> Option<String> {
        match self.arrival {
            Arrival::Open { most_outstanding, .. } if !(1..=MAX_OUTSTANDING).contains(&most_outstanding) => {
                Some(format!(
                    "at most {most_outstanding} outstanding is out of range (1 to {MAX_OUTSTANDING})"
                ))
            }
            Arrival::Open { .. } | Arrival::Closed => None,
        }
    }

    fn wrong_level(&self) -> Option<String> {
        let sets = self.working_sets.as_ref().map(|sets| (sets.count(), "as the number of a working set"));
        let (most, what) = match self.places {
            _ if sets.is_some() => sets?,
            Some(places) => (u32::from(places), "as the number of a place"),
            None if self.is_open() => (MAX_RATE, "arrivals per second"),
            None if self.level_is_targets() => (MAX_OUTSTANDING, "targets"),
            None => (MAX_OUTSTANDING, "outstanding at a load level"),
        };
        let wrong = self.levels.iter().find(|level| !(1..=most).contains(*level))?;
        Some(format!("{wrong} {what} is out of range (1 to {most})"))
    }

    /// Refuses sizes that no device has or no host can hold.
    fn check_sizes(&self) -> Result<(), Problem> {
        let place = match self.name {
            Class::SMALL | Class::LARGE => format!("--size-{}", self.name),
            _ => format!("load class '{}'", self.name),
        };
        for bytes in self.all_sizes() {
            if bytes == 0 || !bytes.is_multiple_of(MIN_BLOCK_BYTES) {
                let what = format!(
                    "the {} I/O size of {bytes} bytes is not a multiple of {MIN_BLOCK_BYTES} bytes",
                    self.name
                );
                return Err(Problem::usage(what)
                    .at(place)
                    .because("direct I/O moves whole blocks, and no device has blocks below 512 bytes")
                    .next("give a size such as 8K (rigel run) or 8 (rigel orion, in KB)"));
            }
            if bytes > MAX_IO_BYTES && self.is_block_io() {
                return Err(Problem::usage(format!(
                    "the {} I/O size of {} is too large",
                    self.name,
                    Bytes(bytes)
                ))
                .at(place)
                .because("every outstanding I/O needs a buffer of that size")
                .next(format!("use at most {}", Bytes(MAX_IO_BYTES))));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::Shape;

    fn mixed() -> Sizes {
        Sizes::Mixed(vec![(8192, 50), (16_384, 50)])
    }

    #[test]
    fn what_nobody_can_do_is_refused() {
        let plain = LoadClass::random(Class::SMALL, 8192);
        let unit = |unit: &str| LoadClass { figure: Figure::Rate(unit.into()), ..plain.clone() };
        assert_eq!((plain.check(), unit("commits/s").check()), (Ok(()), Ok(())));
        let none = LoadClass { sizes: Sizes::None, ..plain.clone() };
        let open = |shape, most_outstanding| Arrival::Open { shape, most_outstanding };
        let fast = LoadClass { levels: vec![200_000], arrival: open(Shape::Poisson, 1024), ..plain.clone() };
        assert_eq!((none.check(), fast.check()), (Ok(()), Ok(())));
        assert_eq!((fast.outstanding(200_000), fast.outstanding(0), plain.outstanding(7)), (1024, 0, 7));
        let refused = [
            unit(""),
            unit("<b>"),
            unit("1234567890123456"),
            LoadClass { span: Span::Percent(25, 25), ..plain.clone() },
            LoadClass { span: Span::Percent(0, 101), ..plain.clone() },
            LoadClass { sizes: Sizes::Mixed(vec![(8192, 70), (65_536, 20)]), ..plain.clone() },
            LoadClass { levels: vec![1, 0], ..plain.clone() },
            LoadClass { levels: vec![70_000], ..plain.clone() },
            LoadClass { levels: vec![MAX_RATE + 1], arrival: open(Shape::Even, 100), ..plain.clone() },
            LoadClass { arrival: open(Shape::Even, 0), ..plain.clone() },
            LoadClass { sizes: Sizes::Mixed(vec![(8192, 50), (100, 50)]), ..plain.clone() },
            LoadClass { sizes: Sizes::Mixed(vec![(8192, 50), (8192, 50)]), ..plain.clone() },
            LoadClass { sizes: Sizes::Mixed(vec![(8192, 100), (4096, 0)]), ..plain.clone() },
            LoadClass { sizes: mixed(), figure: Figure::Mbps, ..plain.clone() },
            LoadClass { sizes: mixed(), pattern: Pattern::Streams { ios_per_stream: 4 }, ..plain.clone() },
        ];
        assert_eq!(LoadClass { sizes: mixed(), ..plain }.check(), Ok(()));
        assert!(refused.iter().all(|class| class.check().is_err()));
    }

    #[test]
    fn a_log_is_written_and_only_writes_become_durable() {
        let name = Class::constant("commit");
        let log = LoadClass::log(name, 8192, Sync::Dsync, "commits/s");
        assert_eq!((log.check(), log.check_block_io()), (Ok(()), Ok(())));
        let share = |percent| WritePercent::new(percent).unwrap();
        let half = LoadClass { write_percent: share(50), ..log.clone() };
        let text = half.check().unwrap_err().to_string();
        assert!(text.contains("a log is write-only"), "{text}");
        let reads = LoadClass { write_percent: share(0), pattern: Pattern::Random, ..log.clone() };
        let text = reads.check().unwrap_err().to_string();
        assert!(text.contains("load class 'commit'") && text.contains("it only reads"), "{text}");
        let mixed = LoadClass { write_percent: share(1), pattern: Pattern::Random, ..log };
        assert_eq!((mixed.check(), mixed.check_block_io()), (Ok(()), Ok(())));
    }

    #[test]
    fn the_engines_refuse_what_they_cannot_do() {
        let plain = LoadClass::random(Class::SMALL, 8192);
        let part = LoadClass { sizes: mixed(), span: Span::Percent(0, 25), ..plain.clone() };
        assert_eq!((plain.check_block_io(), part.check_block_io()), (Ok(()), Ok(())));
        let at_a_rate = Arrival::Open { shape: Shape::Even, most_outstanding: 8 };
        let streams = LoadClass {
            pattern: Pattern::Streams { ios_per_stream: 4 },
            arrival: at_a_rate,
            ..plain.clone()
        };
        assert_eq!(
            (streams.check_block_io(), streams.stream_count(500), streams.stream_count(0)),
            (Ok(()), 2, 0)
        );
        let refused = [
            LoadClass { sizes: Sizes::None, ..plain.clone() },
            LoadClass { sizes: mixed(), pattern: Pattern::Log, ..plain.clone() },
            LoadClass { pattern: Pattern::Sessions, ..plain.clone() },
            LoadClass {
                arrival: Arrival::Open { shape: Shape::Even, most_outstanding: 100 },
                pattern: Pattern::Log,
                ..plain.clone()
            },
        ];
        let texts: Vec<String> =
            refused.iter().map(|class| class.check_block_io().unwrap_err().to_string()).collect();
        assert!(texts.iter().all(|text| text.contains("class 'small'")), "{texts:?}");
        assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    }
}
