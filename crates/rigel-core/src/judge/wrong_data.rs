//! What a record says of verified blocks: how many did not hold what was written to them, and the first of them.
//!
//! Must not check a block; `crate::verify` does.

use crate::errno;
use crate::error::{ExitKind, Problem};
use crate::facts::TargetFacts;
use crate::judge::flags::FlagCode;
use crate::load::class::Class;
use crate::path_text::printable;
use crate::record::{Record, Visit};
use crate::units::Nanos;
use crate::verify::{Fault, Finding, VerifyCounts, parted};

/// What the checks of these visits found together; of one class, or of all.
pub fn found<'a>(visits: impl IntoIterator<Item = &'a Visit>, class: Option<Class>) -> VerifyCounts {
    let mut all = VerifyCounts::default();
    let tallies = visits.into_iter().flat_map(|visit| &visit.tallies);
    let own = tallies.filter(|(name, _)| class.is_none_or(|class| class == **name));
    own.filter_map(|(_, tally)| tally.verified.as_ref()).for_each(|one| all.add(one));
    all
}

/// How many blocks are wrong and how, and the first of them; `None` if all are right.
pub fn sentence(targets: &[TargetFacts], found: &VerifyCounts) -> Option<String> {
    let kinds = found.faults.named().into_iter().filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(name, count)| format!("{count} {name}")).collect();
    let first = found.findings.first().map_or_else(String::new, |first| {
        let (place, after) = (place(targets, first.target, first.offset), Nanos(first.at_ns).seconds());
        format!("; the first, {place}, seen after {after:.1} s, {}", what(targets, first))
    });
    let (wrong, checked) = (found.faults.all(), found.checked);
    let blocks = if wrong == 1 { "block is" } else { "blocks are" };
    (wrong > 0)
        .then(|| format!("{wrong} {blocks} wrong in {checked} comparisons ({}){first}", kinds.join(", ")))
}

/// The problem of a run that found wrong blocks.
pub fn problem(record: &Record) -> Option<Problem> {
    let visits = record.search.iter().chain(&record.set_aside).chain(&record.visits);
    let text = sentence(&record.header.targets, &found(visits, None))?;
    let remedy = FlagCode::WrongData.meaning().remedy;
    Some(
        Problem::new(ExitKind::GateFailed, "measured, but the storage corrupted or lost data")
            .because(text)
            .next(remedy.trim_end_matches('.')),
    )
}

/// Where a block is.
pub fn place(targets: &[TargetFacts], target: u16, offset: u64) -> String {
    let path = targets.get(usize::from(target)).map_or("?", |target| target.path.as_str());
    format!("at byte {offset} of {}", printable(path))
}

/// The number of a write to a block; after an interruption numbers start from 1 again.
pub fn write(generation: u64) -> String {
    match parted(generation) {
        (0, pass) => format!("write {pass}"),
        (part, pass) => format!("write {pass} since interruption {part}"),
    }
}

/// What is wrong with a block, as a verb with what follows it.
pub fn what(targets: &[TargetFacts], finding: &Finding) -> String {
    holds(finding.fault, |target, offset| place(targets, target, offset))
}

/// What is wrong with a block, as a verb with what follows it. `place` words another block: number of the target and offset.
pub fn holds(fault: Fault, place: impl Fn(u16, u64) -> String) -> String {
    match fault {
        Fault::Corrupt { bits: 1, first_bit, .. } => format!("has a wrong bit (bit {first_bit})"),
        Fault::Corrupt { bits, first_bit, last_bit } => {
            format!("has {bits} wrong bits, from bit {first_bit} to bit {last_bit}")
        }
        Fault::Torn { older: 0, newer } => {
            format!("is torn: it holds part of {} and of the earlier contents", write(newer))
        }
        Fault::Torn { older, newer } => {
            format!("is torn: it holds parts of {} and of {}", write(older), write(newer))
        }
        Fault::Misdirected { from_target, from_offset, generation } => {
            format!(
                "holds another block's data: {} of the block {}",
                write(generation),
                place(from_target, from_offset)
            )
        }
        Fault::Stale { generation: 0, .. } => "holds the contents from before the first write".to_owned(),
        Fault::Stale { generation, age }
            if parted(generation).0 < parted(generation.saturating_add(age)).0 =>
        {
            format!("holds an older write: {}, from before an interruption", write(generation))
        }
        Fault::Stale { generation, age } => {
            format!("holds an older write: {}, {age} too old", write(generation))
        }
        Fault::Ahead { generation } => format!("holds {}, which had not been written yet", write(generation)),
        Fault::Zeroed => "holds zeros".to_owned(),
        Fault::Foreign { seed: Some(seed) } => format!("holds data of the run with the seed {seed}"),
        Fault::Foreign { seed: None } => "holds data that Rigel did not write".to_owned(),
        Fault::Unreadable { errno: 0 } => "returned fewer bytes than requested".to_owned(),
        Fault::Unreadable { errno } => format!("cannot be read: {}", errno::text(errno)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::volume::Place;
    use crate::record::tests::{header, visit};
    use crate::verify::{GenerationRange, block, check};

    /// Write 3 is there, and write 5 was the last.
    fn stale() -> VerifyCounts {
        let place = Place { target: 0, offset: 8192 };
        let mut bytes = [0; block::BLOCK_BYTES];
        block::fill(7, place, 3, &mut bytes);
        let seen = check(7, place, GenerationRange::only(5), &bytes).unwrap_err();
        let mut verified = VerifyCounts { checked: 9, ..VerifyCounts::new() };
        verified.found(Finding::new(1_500_000_000, place, GenerationRange::only(5), &seen));
        verified
    }

    #[test]
    fn a_run_that_found_wrong_blocks_fails_and_says_which() {
        let mut record =
            Record { visits: vec![visit(0, 1_000_000), visit(1, 1_000_000)], ..Record::begun(header()) };
        assert_eq!(problem(&record), None);
        for visit in &mut record.visits {
            visit.tallies.values_mut().for_each(|tally| tally.verified = Some(Box::new(stale())));
        }
        let tallies = record.visits.iter().map(|visit| visit.tallies.len() as u64).sum::<u64>();
        let found = problem(&record).unwrap();
        let because = found.cause.unwrap();
        let wanted = format!(
            "{tallies} blocks are wrong in {} comparisons ({tallies} lost or stale); the first, at byte 8192 of ",
            9 * tallies
        );
        assert!(because.starts_with(&wanted), "{because}");
        assert!(because.ends_with("seen after 1.5 s, holds an older write: write 3, 2 too old"), "{because}");
        assert_eq!(found.kind, ExitKind::GateFailed);
    }

    #[test]
    fn every_fault_has_words_of_its_own() {
        let faults = [
            Fault::Corrupt { bits: 1, first_bit: 1, last_bit: 1 },
            Fault::Corrupt { bits: 2, first_bit: 1, last_bit: 2 },
            Fault::Torn { older: 0, newer: 1 },
            Fault::Torn { older: 1, newer: 2 },
            Fault::Misdirected { from_target: 9, from_offset: 1, generation: 1 },
            Fault::Stale { generation: 0, age: 1 },
            Fault::Stale { generation: 1, age: 1 },
            Fault::Ahead { generation: 1 },
            Fault::Zeroed,
            Fault::Foreign { seed: None },
            Fault::Foreign { seed: Some(1) },
            Fault::Unreadable { errno: 0 },
            Fault::Unreadable { errno: 5 },
        ];
        let finding = stale().findings[0];
        let words = faults.map(|fault| what(&[], &Finding { fault, ..finding }));
        let distinct: std::collections::BTreeSet<_> = words.iter().collect();
        assert_eq!(distinct.len(), faults.len(), "{words:?}");
    }
}
