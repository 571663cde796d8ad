//! What a class of verified blocks can be, and next to which other classes.
//!
//! Must not know how blocks are verified.

use super::{Arrival, LoadClass, Pattern, Sizes};
use crate::error::Problem;
use crate::guard::scratch::BLOCK_BYTES;

/// Refuses classes that cannot be verified: which write a block has to hold is known only for random I/O of one size, and only if no
/// other class writes.
///
/// # Errors
/// A usage problem that names the class.
pub fn check(classes: &[LoadClass]) -> Result<(), Problem> {
    for class in classes.iter().filter(|class| class.verify) {
        let wrong = class.cannot_be_verified().or_else(|| {
            let open = classes.iter().find(|other| other.is_open())?;
            Some((format!("'{}' arrives at a rate", open.name), "leave out the rate, or 'verify'"))
        });
        let wrong = wrong.or_else(|| {
            let other = classes.iter().find(|other| class.is_overwritten_by(other))?;
            let next = "give each of the two a part of the target with 'span'";
            Some((format!("'{}' writes to the same part of the targets", other.name), next))
        });
        if let Some((because, next)) = wrong {
            return Err(Problem::usage(format!("the load class '{}' cannot be verified", class.name))
                .because(because)
                .next(next));
        }
    }
    Ok(())
}

impl LoadClass {
    /// Why not, and what to do.
    fn cannot_be_verified(&self) -> Option<(String, &'static str)> {
        let whole = |bytes: u64| bytes > 0 && bytes.is_multiple_of(BLOCK_BYTES as u64);
        let wrong = [
            (
                self.pattern != Pattern::Random || self.places.is_some() || self.level_is_targets(),
                "only random I/O over its whole part can be verified",
                "leave out 'pattern', 'places' and 'per_target'",
            ),
            (
                !matches!(self.sizes, Sizes::Fixed(bytes) if whole(bytes)),
                "verified blocks are 4 KiB",
                "give it one size, a multiple of 4K",
            ),
            (
                self.arrival != Arrival::Closed,
                "its I/Os arrive at a rate",
                "write arrival = { outstanding = 16 }",
            ),
            (
                !self.write_percent.writes(),
                "it writes nothing, so there is nothing to compare",
                "give it a share of writes, such as write = 30",
            ),
        ];
        let found = wrong.into_iter().find(|(is_wrong, ..)| *is_wrong);
        found.map(|(_, because, next)| (because.to_owned(), next))
    }

    fn is_overwritten_by(&self, other: &Self) -> bool {
        let ((from, to), (others_from, others_to)) = (self.span.percent(), other.span.percent());
        let apart = to <= others_from || others_to <= from;
        other.name != self.name && other.side == self.side && other.write_percent.writes() && !apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::{Class, Shape, Span};
    use crate::load::workload::WritePercent;

    fn class(name: &'static str) -> LoadClass {
        let write_percent = WritePercent::new(30).unwrap();
        LoadClass { write_percent, ..LoadClass::random(Class::named(name).unwrap(), 8192) }
    }

    fn told(classes: &[LoadClass]) -> String {
        check(classes).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_told_right_from_wrong_is_refused() {
        let good = LoadClass { verify: true, ..class("data") };
        assert_eq!(check(std::slice::from_ref(&good)), Ok(()));
        let arrival = Arrival::Open { shape: Shape::Even, most_outstanding: 9 };
        for (bad, because) in [
            (LoadClass { pattern: Pattern::Log, ..good.clone() }, "random"),
            (LoadClass { places: Some(9), ..good.clone() }, "random"),
            (LoadClass { sizes: Sizes::Fixed(6144), ..good.clone() }, "4 KiB"),
            (LoadClass { sizes: Sizes::Mixed(vec![(4096, 50), (8192, 50)]), ..good.clone() }, "4 KiB"),
            (LoadClass { arrival, ..good.clone() }, "rate"),
            (LoadClass { write_percent: WritePercent::default(), ..good.clone() }, "writes nothing"),
        ] {
            let text = told(&[bad]);
            assert!(text.contains("'data' cannot be verified") && text.contains(because), "{text}");
        }
        let open = LoadClass { arrival, write_percent: WritePercent::default(), ..class("open") };
        assert!(told(&[good, open]).contains("'open' arrives at a rate"));
    }

    #[test]
    fn no_other_class_writes_where_blocks_are_verified() {
        let data = LoadClass { verify: true, span: Span::Percent(0, 50), ..class("data") };
        let with_span = |from, to| LoadClass { span: Span::Percent(from, to), ..class("other") };
        let reads = LoadClass { write_percent: WritePercent::default(), ..class("reads") };
        assert_eq!(check(&[data.clone(), with_span(50, 100), reads]), Ok(()));
        for other in [with_span(49, 100), with_span(0, 1), class("other")] {
            assert!(told(&[data.clone(), other]).contains("'other' writes to the same part"));
        }
    }
}
