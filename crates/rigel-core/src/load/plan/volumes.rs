//! The volumes that the I/Os of each class are drawn from.
//!
//! Must not draw.

use super::log;
use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{LoadClass, Pattern, Sizes, WorkingSets};
use crate::load::log::Regions;
use crate::load::request::Request;
use crate::load::team::Team;
use crate::load::volume::{SizedVolumes, Volume};
use crate::load::workload::Layout;
use crate::path_text::printable;
use std::ops::Range;

/// See [`volumes`]. A class whose I/O fits into no target has no volume; the plan makes sure that it is idle.
#[derive(Clone, Debug)]
pub struct Volumes {
    /// For random I/O and warm-up; with several sizes that of the largest.
    pub random: Option<Volume>,
    /// For random I/O of several sizes.
    pub sized: Option<SizedVolumes>,
    /// For streams.
    pub streams: Option<Volume>,
    /// For the writers of a log.
    pub log: Option<Regions>,
    /// For a class that goes by place, the volume of each place, in order.
    pub places: Vec<Volume>,
    /// For a class whose level counts targets, the volume of each target, in order.
    pub targets: Vec<Volume>,
}

/// The volumes of the classes, in their order. Random I/O uses every chunk of every target, or of the class's part of it,
/// whatever the layout; streams follow the layout. If a team of nodes shares a target, what is written is divided among them.
///
/// # Errors
/// When no I/O fits; a plan excludes that.
pub fn volumes(request: &Request, targets: &[TargetFacts], team: &Team) -> Result<Vec<Volumes>, Problem> {
    let sizes: Vec<u64> = targets.iter().map(|target| target.size_bytes).collect();
    let of_class = |class: &LoadClass| {
        let own = |all: Range<u64>| if is_parted(class, team) { team.part_of(&all) } else { all };
        let parts: Vec<Range<u64>> = sizes.iter().map(|&size| own(class.span.of(size))).collect();
        let volume = |bytes, layout| Volume::of_parts(&parts, bytes, layout);
        let streams = class.streams().then(|| volume(class.io_bytes(), request.layout)).transpose();
        let streams = streams.map_err(|error| Problem::usage(error.to_string()))?;
        let sized = match &class.sizes {
            Sizes::Mixed(sizes) => SizedVolumes::new(sizes, |bytes| volume(bytes, Layout::Concat)).ok(),
            Sizes::Fixed(_) | Sizes::None => None,
        };
        let log = log::regions(request, class, targets)?;
        let random = volume(class.io_bytes(), Layout::Concat).ok();
        let (places, targets) = (places(request, class, &sizes, &own)?, of_each(class, &parts)?);
        Ok(Volumes { random, sized, streams, log, places, targets })
    };
    request.classes.iter().map(of_class).collect()
}

impl Volumes {
    /// The volumes for streams and for random I/O at a load level.
    pub fn at(&self, level: u32) -> (Option<&Volume>, Option<&Volume>) {
        let place = usize::try_from(level).ok().and_then(|level| self.places.get(level.checked_sub(1)?));
        (place.or(self.streams.as_ref()), place.or(self.random.as_ref()))
    }

    /// For a level that counts targets, the volume of a unit that was dealt out, and its number within that target: units go to the
    /// targets in turn, so each has as many.
    pub fn own(&self, level: u32, number: u32) -> Option<(&Volume, u32)> {
        let level = level.min(u32::try_from(self.targets.len()).unwrap_or(u32::MAX));
        let target = number.checked_rem(level)?;
        Some((self.targets.get(target as usize)?, number / level))
    }
}

/// Whether nodes of a team keep to separate parts of the targets: if they write, and neither the number of a writer nor that of a
/// worker determines who writes where.
fn is_parted(class: &LoadClass, team: &Team) -> bool {
    team.shared && class.write_percent.writes() && !goes_by_number(class)
}

/// Whether the writer of a block follows from its number in the list of targets.
const fn goes_by_number(class: &LoadClass) -> bool {
    class.verify || matches!(class.pattern, Pattern::Log)
}

/// Refuses lists of targets, by node, in which a shared block has two numbers while its number determines its writer: two nodes
/// would write it. Lists may be identical, or have nothing in common.
///
/// # Errors
/// With two nodes and what differs.
pub fn check_lists(
    request: &Request,
    lists: &[(&str, &[u16])],
    targets: &[TargetFacts],
) -> Result<(), Problem> {
    let Some(class) = request.classes.iter().find(|class| goes_by_number(class)) else { return Ok(()) };
    for (at, (name, list)) in lists.iter().enumerate() {
        let clashes = |other: &[u16]| other != *list && other.iter().any(|target| list.contains(target));
        let Some((other, others)) = lists[..at].iter().find(|(_, other)| clashes(other)) else { continue };
        return Err(Problem::refused(format!("{other} and {name} share targets, but list them differently"))
            .at(format!("the load class '{}'", class.name))
            .because(format!(
                "{}; the position in the list decides who writes which block, so both would write the same blocks",
                first_difference((other, others), (name, list), targets)
            ))
            .next("list only the shared targets, in the same order on every host"));
    }
    Ok(())
}

fn first_difference(one: (&str, &[u16]), other: (&str, &[u16]), targets: &[TargetFacts]) -> String {
    let longest = one.1.len().max(other.1.len());
    let at = (0..longest).find(|&at| one.1.get(at) != other.1.get(at)).unwrap_or(0);
    let of = |(name, list): (&str, &[u16])| {
        let target = list.get(at).and_then(|&target| targets.get(usize::from(target)));
        let path = target.map_or_else(|| "nothing".into(), |target| printable(&target.path));
        format!("{path} on {name}")
    };
    format!("number {} is {} and {}", at + 1, of(one), of(other))
}

/// The volume of each place of a class, or of each of its working sets.
fn places(
    request: &Request,
    class: &LoadClass,
    sizes: &[u64],
    own: &dyn Fn(Range<u64>) -> Range<u64>,
) -> Result<Vec<Volume>, Problem> {
    let layout = if class.streams() { request.layout } else { Layout::Concat };
    let place = |place: u32| {
        let parts: Vec<Range<u64>> = sizes.iter().map(|&size| own(class.part(size, place))).collect();
        Volume::of_parts(&parts, class.io_bytes(), layout).map_err(|error| Problem::usage(error.to_string()))
    };
    let sets = class.working_sets.as_ref().map(WorkingSets::count);
    (1..=sets.unwrap_or_else(|| u32::from(class.places.unwrap_or(0)))).map(place).collect()
}

/// The volume of each target of a class whose level counts them.
fn of_each(class: &LoadClass, parts: &[Range<u64>]) -> Result<Vec<Volume>, Problem> {
    if !class.level_is_targets() {
        return Ok(Vec::new());
    }
    let of_target = |(target, part): (u16, &Range<u64>)| {
        Volume::of_target(target, part, class.io_bytes()).map_err(|error| Problem::usage(error.to_string()))
    };
    (0u16..).zip(parts).map(of_target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::{Class, Sync};
    use crate::load::matrix::RunLevel;

    fn of_class(class: LoadClass) -> Request {
        Request { classes: vec![class], ..Request::new(RunLevel::Oltp) }
    }

    fn told(request: &Request, lists: &[&[u16]]) -> Option<String> {
        let names = ["db0", "db1", "db2"];
        let named = |path: &str| TargetFacts { path: path.into(), ..TargetFacts::simulated(1 << 30) };
        let lists: Vec<_> = names.into_iter().zip(lists.iter().copied()).collect();
        let targets = ["/dev/x", "/dev/y", "/dev/z"].map(named);
        Some(check_lists(request, &lists, &targets).err()?.to_string())
    }

    #[test]
    fn where_the_number_of_a_block_says_who_writes_it_a_shared_block_has_one_number() {
        let plain = Request::new(RunLevel::Oltp);
        let verified = of_class(LoadClass { verify: true, ..plain.classes[0].clone() });
        let log = of_class(LoadClass::log(Class::constant("commit"), 8192, Sync::Dsync, "commits/s"));
        for request in [&verified, &log] {
            let fine: [&[&[u16]]; 4] =
                [&[&[0, 1], &[0, 1]], &[&[0], &[1]], &[&[0], &[0], &[1, 2]], &[&[], &[0]]];
            for lists in fine {
                assert_eq!(told(request, lists), None, "{lists:?}");
            }
            let text = told(request, &[&[0, 1], &[1, 0]]).unwrap();
            for words in ["db0 and db1", "number 1 is /dev/x on db0 and /dev/y on db1", "in the same order"] {
                assert!(text.contains(words), "{text}");
            }
            let text = told(request, &[&[2], &[0, 1], &[0]]).unwrap();
            assert!(text.contains("number 2 is /dev/y on db1 and nothing on db2"), "{text}");
        }
        assert_eq!(told(&plain, &[&[0, 1], &[1, 0]]), None, "each target is cut by itself");
    }

    #[test]
    fn what_is_dealt_out_over_targets_goes_to_each_alike_and_to_no_other() {
        let class =
            LoadClass { per_target: Some(3), levels: vec![2], ..LoadClass::random(Class::TARGETS, 8192) };
        let request = Request { classes: vec![class], ..Request::new(RunLevel::Scaling) };
        let targets = [1 << 20, 2 << 20, 4 << 20].map(TargetFacts::simulated);
        let [volumes] = &volumes(&request, &targets, &Team::default()).unwrap()[..] else {
            panic!("one class")
        };
        let dealt = |level: u32| -> Vec<(u16, u32)> {
            let of = |number| {
                let (volume, index) = volumes.own(level, number).unwrap();
                let last = volume.place(volume.chunks() - 1);
                assert_eq!(volume.place(0).target, last.target);
                assert_eq!(last.offset + 8192, targets[usize::from(last.target)].size_bytes, "all of it");
                (last.target, index)
            };
            (0..request.classes[0].dealt(level)).map(of).collect()
        };
        assert_eq!(dealt(1), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(dealt(2), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]);
        assert_eq!(dealt(3).len(), 9);
        let plain = Request::new(RunLevel::Oltp);
        let [plain, ..] = &super::volumes(&plain, &targets, &Team::default()).unwrap()[..] else {
            panic!("a pair")
        };
        assert!(plain.own(2, 0).is_none(), "other loads go over all targets");
    }
}
