//! Whether the I/Os of a class fit onto a target.
//!
//! Must not look at the target: its facts have what is known.

use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{Class, LoadClass, Span};
use crate::load::matrix::Point;
use crate::record_name::RECORD_SUFFIX;
use crate::units::Bytes;

/// Refuses sizes that are not whole blocks of a target, and a target, or a part of it, that is smaller than one I/O.
pub fn check(target: &TargetFacts, class: &LoadClass) -> Result<(), Problem> {
    let label = class.plain_name();
    let block = u64::from(target.logical_block_bytes.max(1));
    for io_bytes in class.all_sizes() {
        if !io_bytes.is_multiple_of(block) {
            return Err(Problem::usage(format!(
                "the {label} I/O size of {} is not a multiple of the logical block size of {}",
                Bytes(io_bytes),
                Bytes(block)
            ))
            .at(&target.path)
            .because("direct I/O moves whole logical blocks")
            .next(format!("use a multiple of {}", Bytes(block))));
        }
    }
    check_room(target, class)
}

fn check_room(target: &TargetFacts, class: &LoadClass) -> Result<(), Problem> {
    let (label, io_bytes) = (class.plain_name(), class.io_bytes());
    if target.size_bytes < io_bytes {
        if target.path.ends_with(RECORD_SUFFIX) {
            return Err(Problem::usage("this is the record of a run, not storage")
                .at(&target.path)
                .next("`rigel report RECORD` shows it, `rigel compare RECORD RECORD` compares two"));
        }
        return Err(Problem::refused(format!(
            "the target of {} is smaller than one {label} I/O of {}",
            Bytes(target.size_bytes),
            Bytes(io_bytes)
        ))
        .at(&target.path)
        .next("use a larger target or a smaller I/O size"));
    }
    let part = class.span.of(target.size_bytes);
    // I/O lies at multiples of its size, from the begin of the target.
    if class.span != Span::Whole && part.start.div_ceil(io_bytes) >= part.end / io_bytes {
        return Err(Problem::usage(format!(
            "{} of the target of {} cannot hold one {label} I/O of {}",
            class.span,
            Bytes(target.size_bytes),
            Bytes(io_bytes)
        ))
        .at(&target.path)
        .because(format!(
            "that is {}, and an I/O starts at a multiple of its size",
            Bytes(part.end.saturating_sub(part.start))
        ))
        .next("use a larger part, a larger target or a smaller I/O size"));
    }
    check_places(target, class)
}

/// Refuses places that are too small for an I/O.
fn check_places(target: &TargetFacts, class: &LoadClass) -> Result<(), Problem> {
    let Some(places) = class.places else { return Ok(()) };
    let (label, io_bytes) = (class.plain_name(), class.io_bytes());
    let holds_none = |place: u32| {
        let part = class.part(target.size_bytes, place);
        part.start.div_ceil(io_bytes) >= part.end / io_bytes
    };
    if !(1..=u32::from(places)).any(holds_none) {
        return Ok(());
    }
    Err(Problem::usage(format!(
        "{places} places on the target of {} cannot hold one {label} I/O of {} each",
        Bytes(target.size_bytes),
        Bytes(io_bytes)
    ))
    .at(&target.path)
    .because("an I/O starts at a multiple of its size, within one place")
    .next("use fewer places, a larger target or a smaller I/O size"))
}

/// Refuses more readers than there are I/Os on all targets together: some would read the same.
pub fn check_readers(targets: &[TargetFacts], class: &LoadClass, room: Point) -> Result<(), Problem> {
    if class.level_is_targets() {
        return check_counted(targets, class, room);
    }
    if class.name != Class::STREAM || !class.streams() || class.places.is_some() {
        return Ok(());
    }
    let io_bytes = class.io_bytes().max(1);
    let ios = |target: &TargetFacts| {
        let part = class.span.of(target.size_bytes);
        (part.end / io_bytes).saturating_sub(part.start.div_ceil(io_bytes))
    };
    let ios = targets.iter().map(ios).fold(0, u64::saturating_add);
    match class.levels.iter().max() {
        Some(&readers) if u64::from(readers) > ios => Err(Problem::usage(format!(
            "the targets are too small for one I/O of {} per reader ({readers} readers)",
            Bytes(io_bytes)
        ))
        .at(targets.iter().map(|target| target.path.as_str()).collect::<Vec<_>>().join(", "))
        .because(format!("the part in use holds {ios}, and each reader starts at its own place"))
        .next("use fewer readers (--readers), a larger target or a smaller I/O size")),
        _ => Ok(()),
    }
}

/// Refuses levels that count more targets than there are.
fn check_counted(targets: &[TargetFacts], class: &LoadClass, room: Point) -> Result<(), Problem> {
    let (asked, count) = (room.of(class.name), targets.len());
    if usize::try_from(asked).is_ok_and(|asked| asked <= count) {
        return Ok(());
    }
    Err(Problem::usage(format!(
        "the load class '{}' needs {asked} targets, but the run has {count}",
        class.name
    ))
    .because("its load level counts targets")
    .next("name more targets, or ask for fewer of them in the points"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::Sizes;

    #[test]
    fn every_size_and_the_part_have_to_fit() {
        let target = TargetFacts { logical_block_bytes: 4096, ..TargetFacts::simulated(100 << 20) };
        let class = LoadClass::random(Class::SMALL, 1 << 20);
        let part = |from, to| LoadClass { span: Span::Percent(from, to), ..class.clone() };
        assert_eq!((check(&target, &class), check(&target, &part(3, 4))), (Ok(()), Ok(())));
        let odd = TargetFacts { size_bytes: (100 << 20) - 4096, ..target.clone() };
        let text = check(&odd, &part(3, 4)).unwrap_err().to_string();
        assert!(text.contains("3-4% of the target") && text.contains("one small I/O of 1 MiB"), "{text}");
        let sizes = |bytes| LoadClass { sizes: Sizes::Mixed(vec![(bytes, 50), (8192, 50)]), ..class.clone() };
        assert_eq!(check(&target, &sizes(65_536)), Ok(()));
        assert!(check(&target, &sizes(512)).unwrap_err().to_string().contains("logical block"));
        assert!(check(&target, &sizes(128 << 20)).unwrap_err().to_string().contains("smaller than one"));
    }
}
