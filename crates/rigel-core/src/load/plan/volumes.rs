//! The volumes that the I/Os of each class are drawn from.
//!
//! Must not draw.

use super::log;
use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{LoadClass, Pattern, Sizes};
use crate::load::log::Regions;
use crate::load::request::Request;
use crate::load::team::Team;
use crate::load::volume::{SizedVolumes, Volume};
use crate::load::workload::Layout;
use std::ops::Range;

/// See [`volumes`]. A class whose I/O fits into no target has no volume; the plan makes sure that it is idle.
#[derive(Clone, Debug)]
pub struct Volumes {
    /// For random I/O and warm-up; of a class of several sizes that of the largest.
    pub random: Option<Volume>,
    /// For random I/O of several sizes.
    pub sized: Option<SizedVolumes>,
    /// For streams.
    pub streams: Option<Volume>,
    /// For the writers of a log.
    pub log: Option<Regions>,
    /// Of a class that goes by place, that of each place, in order.
    pub places: Vec<Volume>,
}

/// The volumes of the classes, in their order. Random I/O uses every chunk of every target, or of the part of it that the
/// class has, whatever the layout; streams walk the layout. What is written on a target that the nodes of a team share is cut into a part for each.
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
        Ok(Volumes { random, sized, streams, log, places: places(request, class, &sizes, &own)? })
    };
    request.classes.iter().map(of_class).collect()
}

impl Volumes {
    /// The volumes for streams and for random I/O at a load level.
    pub fn at(&self, level: u32) -> (Option<&Volume>, Option<&Volume>) {
        let place = usize::try_from(level).ok().and_then(|level| self.places.get(level.checked_sub(1)?));
        (place.or(self.streams.as_ref()), place.or(self.random.as_ref()))
    }
}

/// Whether the nodes of a team keep off each other's parts of the targets: where they write, and neither the number of a writer nor that of a
/// worker says who writes where.
fn is_parted(class: &LoadClass, team: &Team) -> bool {
    team.shared && class.write_percent.writes() && !class.verify && !matches!(class.pattern, Pattern::Log)
}

/// The volume of each place of a class.
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
    (1..=u32::from(class.places.unwrap_or(0))).map(place).collect()
}
